"""Numbers of samples: tables, sentences and cards of known values."""

import numpy as np
import pytest

from sklearn_bbc.results import CriteriaResult, SampleSizeResult

# --- studies of another size ---

WIDTHS = [[0.3, 0.1, np.nan, 0.2, 0.5], [0.1, 0.2, 0.05, 0.15, 0.25]]
TWO_SIDES = {
    "value": 0.8, "excludes": [[True, False, False, True, False], [True, True, True, True, False]],
    "details": {"names": ("A", "B"), "difference": -0.05, "notes": []},
}  # fmt: skip
GROUPS = {"unit": "group", "samples_per_unit": 2.5, "noun": "item", "notes": []}


def sizes(**fields):
    given = {
        "n_samples": 400, "value": 0.125, "sizes": [100, 400], "widths": WIDTHS, "at_hand": 0.3,
        "n_at_hand": 100, "metric": "roc_auc", "method": "bbc", "confidence_level": 0.95,
        "details": {"notes": ["One.", "Two."]},
    }  # fmt: skip
    return SampleSizeResult(**{**given, **fields})


def test_the_table_of_sizes():
    frame = sizes(assurance=0.75).frame()
    assert frame.index.name == "n_samples" and frame.index.tolist() == [100, 400]
    assert list(frame.columns) == [
        "width", "width_low", "width_high", "reached", "root_n", "undefined"
    ]  # fmt: skip
    # Sorted 0.1, 0.2, 0.3, 0.5, inf; and 0.05, 0.1, 0.15, 0.2, 0.25: 10% lie 0.4 steps in.
    expected = [[0.3, 0.14, np.inf, 0.5, 0.3, 0.2], [0.15, 0.07, 0.23, 0.2, 0.15, 0]]
    np.testing.assert_allclose(frame, expected)
    assert sizes().frame()["reached"].tolist() == [0.3, 0.15]
    assert sizes(**TWO_SIDES).frame()["power"].tolist() == [0.4, 0.8]


def test_the_table_of_groups_counts_samples_and_groups():
    frame = sizes(sizes=[3, 5], details={**GROUPS, "samples_per_unit": 2.1}).frame()
    assert frame.index.tolist() == [7, 11] and frame["n_groups"].tolist() == [3, 5]
    exact = sizes(sizes=[10, 30], details={**GROUPS, "samples_per_unit": 1.1}).frame()
    assert exact.index.tolist() == [11, 33]  # 30 * 1.1 is more than 33 in floating point


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, "With 400 samples the 95% interval of the ROC AUC by bootstrap bias correction (BBC) "
             "is expected to be 0.125 wide. With the 100 samples at hand it is 0.300 wide. One."),
        ({"target": 0.13, "assurance": 0.5},
         "For a 95% interval of the ROC AUC by bootstrap bias correction (BBC) that is at most "
         "0.13 wide it takes about 400 samples: half of the studies of that size have one. With "
         "the 100 samples at hand it is 0.300 wide. One."),
        ({"target": 0.13, "assurance": 0.9, "details": {"notes": []}},
         "For a 95% interval of the ROC AUC by bootstrap bias correction (BBC) that is at most "
         "0.13 wide it takes about 400 samples: 90% of the studies of that size have one. With "
         "the 100 samples at hand it is 0.300 wide."),
        ({**TWO_SIDES, "target": 0.8},
         "With 400 samples the 95% interval of the difference in ROC AUC between A and B excludes "
         "zero with a probability of 80%, if the true difference is that at hand, 0.050. With the "
         "100 samples at hand it is 0.300 wide."),
        ({"details": {**GROUPS, "sign": -1}, "metric": "neg_cost"},
         "With 400 items in 160 groups the 95% interval of the cost by bootstrap bias correction "
         "(BBC) is expected to be 0.125 wide. With the 250 items in 100 groups at hand it is "
         "0.300 wide."),
    ],
)  # fmt: skip
def test_sentences_of_sizes(fields, text):
    assert sizes(**fields).summary() == str(sizes(**fields)) == text


def test_the_card_and_the_short_form_of_sizes():
    card = sizes(details={"notes": ["<b>"]})._repr_html_()
    for text in ("Number of samples", "400 samples", "width", "0.125", "metric", "ROC AUC",
                 "width at hand", "0.300 (100 samples)", "&lt;b&gt;"):  # fmt: skip
        assert f">{text}<" in card, text
    assert repr(sizes()) == (
        "SampleSizeResult(n_samples=400, width=0.125, metric='roc_auc', method='bbc', 2 sizes)"
    )
    card = sizes(**TWO_SIDES)._repr_html_()
    assert ">power<" in card and ">0.800<" in card and ">width<" not in card
    assert "power=0.8, " in repr(sizes(**TWO_SIDES))
    card = sizes(details={**GROUPS, "sign": -1}, metric="neg_cost")._repr_html_()
    assert (
        ">cost<" in card
        and ">400 items in 160 groups<" in card
        and ">0.300 (250 items in 100 groups)<" in card
    )


# --- formulas ---


def criteria(**fields):
    given = {"n_samples": 1200, "criteria": {"slope": 900, "risk": 1200, "optimism": 1200},
             "purpose": "Developing a model"}  # fmt: skip
    return CriteriaResult(**{**given, **fields})


def test_criteria_in_a_table_and_in_words():
    frame = criteria().frame()
    assert frame.index.name == "criterion"
    assert list(frame.itertuples(name=None)) == [
        ("slope", 900, False), ("risk", 1200, True), ("optimism", 1200, True)
    ]  # fmt: skip
    assert str(criteria()) == "Developing a model takes 1,200 samples, for risk and optimism."
    for n_events, words in ((207.2, "208 events"), (208, "208 events"), (0.3, "1 event")):
        text = criteria(n_events=n_events).summary()
        assert f"takes 1,200 samples with about {words}, for risk" in text, n_events
    assert repr(criteria(criteria={"slope": 1200})) == (
        "CriteriaResult(n_samples=1200, criteria={'slope': 1200})"
    )
