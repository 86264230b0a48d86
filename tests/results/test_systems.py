"""The best of several systems: the table, the text, the sentences and the card of known values."""

import dataclasses
import pickle
import subprocess
import sys

import numpy as np
import pytest

from sklearn_bbc import ComparisonResult, ConfidenceInterval
from sklearn_bbc.results import BestOfResult


def interval(estimate=0.7, low=0.6, high=0.8, metric="mean_score", sign=1):
    return ConfidenceInterval(
        estimate=estimate, low=low, high=high, confidence_level=0.9, alternative="two-sided",
        method="shrunken_bbc", metric=metric, estimand="", n_bootstraps=300,
        details={"sign": sign, "unit": "item"},
    )  # fmt: skip


def comparison(other):
    return ComparisonResult(
        difference=0.2, low=0.1, high=0.3, statistic=np.nan, p_value=0.004, confidence_level=0.9,
        alternative="two-sided", method="m", label="some test", metric="mean_score", estimand="",
        names=("b", other),
    )  # fmt: skip


def best_of_three(**fields):
    given = {
        "names": "abc", "selected": "b", "interval": interval(), "tied": ["b", "a"],
        "scores": [0.5, 0.75, 0.25], "low": [0.4, 0.6, 0.1], "high": [0.65, 0.85, 0.3],
        "p_values": [0.2, 0.6, 0.01], "won": [0.1, 0.9, 0.0], "smallest_difference": 0.125,
        "versus_runner_up": comparison("a"),
        "details": {"n_items": 1000, "unit": "item", "n_units": 1000, "power": 0.8,
                    "tied_method": "softmin"},
    }  # fmt: skip
    return BestOfResult(**{**given, **fields})


def best_of_losses():
    """Costs of 0.5, 0.25 and 0.75, in scorer orientation."""
    return best_of_three(
        interval=interval(-0.3, -0.4, -0.2, "cost", -1), scores=[-0.5, -0.25, -0.75],
        low=[-0.6, -0.4, -0.9], high=[-0.45, -0.15, -0.7],
    )  # fmt: skip


BASELINE = {
    "baseline": "c", "versus_baseline": comparison("c"), "difference": [0.25, 0.5, np.nan],
    "difference_low": [-0.1, 0.2, np.nan], "difference_high": [0.6, 0.8, np.nan],
    "difference_p": [0.3, 0.02, np.nan],
}  # fmt: skip


@pytest.mark.parametrize(
    ("result", "rows"),
    [
        (best_of_three(), [("b", 0.75, 0.6, 0.85, 0.9, 0.6, True),
                           ("a", 0.5, 0.4, 0.65, 0.1, 0.2, True),
                           ("c", 0.25, 0.1, 0.3, 0.0, 0.01, False)]),
        # As they were given: the bounds of a loss are turned round, too.
        (best_of_losses(), [("b", 0.25, 0.15, 0.4, 0.9, 0.6, True),
                            ("a", 0.5, 0.45, 0.6, 0.1, 0.2, True),
                            ("c", 0.75, 0.7, 0.9, 0.0, 0.01, False)]),
    ],
)  # fmt: skip
def test_the_table_has_the_best_system_first(result, rows):
    frame = result.frame()
    assert frame.index.name == "system"
    assert frame.columns.tolist() == ["score", "low", "high", "won", "p_value", "tied"]
    assert list(frame.itertuples(name=None)) == rows


def test_equal_systems_stay_in_their_order_and_a_baseline_adds_columns():
    assert best_of_three(scores=[0.5, 0.75, 0.5]).frame().index.tolist() == ["b", "a", "c"]
    frame = best_of_three(**BASELINE).frame()
    assert frame.columns[6:].tolist() == [
        "difference", "difference_low", "difference_high", "difference_p"
    ]  # fmt: skip
    assert frame.iloc[0, 6:].tolist() == [0.5, 0.2, 0.8, 0.02]
    assert frame.loc["c"].iloc[6:].isna().all()


FOUND = (
    "Of 3 systems, b has the best mean score on 1,000 items, 0.750. Corrected for the selection "
    "among them it is 0.700 (90% confidence interval 0.600 to 0.800; bootstrap bias correction "
    "with shrinkage (ShrunkenBBC, 300 bootstrap draws of items))."
)
TIED = " 2 of 3 systems may be the best (90% confidence, softmin with leave-one-out means)."
BETTER = (
    " b is better than {} by 0.200 in mean score (90% confidence interval 0.100 to 0.300, "
    "p = 0.004, some test)."
)
SMALLEST = (
    " With these items a difference of 0.125 between two systems would be found with a "
    "probability of 80%."
)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, FOUND + TIED + BETTER.format("a") + SMALLEST),
        # The baseline comes in place of the runner-up.
        (BASELINE, FOUND + TIED + BETTER.format("c") + SMALLEST),
        ({"versus_runner_up": None, "smallest_difference": 0.0}, FOUND + TIED),
        ({"versus_runner_up": None, "smallest_difference": np.nan}, FOUND + TIED),
        ({"tied": ["b"], "versus_runner_up": None, "smallest_difference": 0.0},
         FOUND + " It is the only one of them that may be the best (90% confidence, softmin with "
         "leave-one-out means)."),
        ({"names": "b", "tied": "b",
          **{key: [0.75] for key in ("scores", "low", "high", "p_values", "won")}},
         "On 1,000 items b has a mean score of 0.750 (90% confidence interval 0.600 to 0.800; "
         "bootstrap bias correction with shrinkage (ShrunkenBBC, 300 bootstrap draws of items)). "
         "No other system was compared with it."),
    ],
)  # fmt: skip
def test_sentences(fields, text):
    assert best_of_three(**fields).summary() == text


def test_a_sentence_names_groups_and_a_loss_as_it_was_given():
    details = {**best_of_three().details, "unit": "group", "n_units": 20}
    text = best_of_three(details=details).summary()
    assert text.startswith("Of 3 systems, b has the best mean score on 1,000 items in 20 groups,")
    text = best_of_losses().summary()
    assert "b has the best cost on 1,000 items, 0.250. Corrected" in text
    assert "it is 0.300 (90% confidence interval 0.200 to 0.400;" in text


def many(n):
    """Systems "0", "1", ... with scores of 0.001, 0.002, ..."""
    arrays = dict.fromkeys(("scores", "low", "high", "p_values", "won"), np.arange(1, n + 1) / 1e3)
    return best_of_three(names=range(n), selected=str(n - 1), tied=[str(n - 1)], **arrays)


def test_the_printed_table_has_twelve_rows_the_text_and_the_notes():
    rows = best_of_three().table().splitlines()
    assert rows[0].split() == ["score", "low", "high", "won", "may", "be", "best"]
    assert [row.split() for row in rows[2:]] == [
        ["b", "0.750", "0.600", "0.850", "0.900", "True"],
        ["a", "0.500", "0.400", "0.650", "0.100", "True"],
        ["c", "0.250", "0.100", "0.300", "0.000", "False"],
    ]
    for n, end in ((12, "0.001"), (13, "1 more system"), (15, "3 more systems")):
        *_, last = rows = many(n).table().splitlines()
        assert len(rows) == 2 + 12 + (n > 12), n
        assert end in last, n
    result = best_of_three()
    noted = dataclasses.replace(result, details={**result.details, "notes": ["One.", "Two."]})
    assert str(result) == f"{result.table()}\n\n{result.summary()}"
    assert str(noted) == f"{result}\n\nNote: One.\n\nNote: Two."


def test_the_card_and_the_short_form():
    card = best_of_three()._repr_html_()
    for text in ("Best of several systems", "b", "best score", "0.750", "corrected",
                 "0.700 (0.600 to 0.800)", "may be the best", "2 of 3 systems"):  # fmt: skip
        assert f">{text}<" in card, text
    assert "baseline" not in card
    losses = best_of_losses()
    card = dataclasses.replace(losses, details={**losses.details, "notes": ["<b>"]})._repr_html_()
    assert ">0.250<" in card and ">0.300 (0.200 to 0.400)<" in card and ">&lt;b&gt;<" in card
    card = best_of_three(**BASELINE)._repr_html_()
    assert ">baseline<" in card and ">b is better than c by 0.200 in mean score<" in card
    assert repr(best_of_three()) == (
        "BestOfResult(3 systems, selected='b', estimate=0.7, low=0.6, high=0.8, 2 tied)"
    )


@pytest.mark.long
def test_methods_have_the_same_names_in_a_process_that_read_the_result_only():
    result = best_of_three()
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer).summary())"
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(result), capture_output=True, check=True
    )
    assert done.stdout.decode().strip() == result.summary()
    assert "the method '" not in result.summary()
