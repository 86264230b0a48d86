"""What all results share: frozen, equal by content, complete as copies; texts of two of them."""

import copy
import dataclasses
import pickle

import numpy as np
import pandas as pd
import pytest

from sklearn_bbc import ComparisonResult, ConfidenceInterval
from sklearn_bbc.results import (
    LearningCurveResult,
    OptimismCurve,
    RankingResult,
    TiedSet,
    frozen_array,
)

INTERVAL = ConfidenceInterval(
    estimate=np.float64(0.9), low=0.84, high=0.95, confidence_level=0.95,
    alternative="two-sided", method="bbc", metric="roc_auc", estimand="the winner",
    n_bootstraps=4, draws=[0.84, 0.9, 0.91, 0.95], details={"winner": 3, "notes": ["a note"]},
)  # fmt: skip
COMPARISON = ComparisonResult(
    difference=0.031, low=0.01, high=0.052, statistic=2.9, p_value=0.004,
    confidence_level=0.95, alternative="two-sided", method="paired_bootstrap",
    metric="roc_auc", estimand="difference of two models", names=("forest", "tree"),
    assumptions=["Samples are independent."], label="paired bootstrap", n_bootstraps=4,
    draws=[0.01, 0.03, 0.04, 0.05], details={"unit": "group", "notes": []},
)  # fmt: skip
CURVE = LearningCurveResult(
    sizes=[10, 20], test=[INTERVAL] * 2, train=[INTERVAL] * 2, gap=[COMPARISON] * 2,
    test_scores=np.zeros((2, 5)), train_scores=np.zeros((2, 5)), metric="accuracy", n_repeats=1,
    n_folds=5, curve=(0.8, -2, 1), flags={"rising": "It rises."}, details={"seed": 1},
)  # fmt: skip
OPTIMISM = OptimismCurve(
    sizes=[1, 10], best=[[0.5, np.nan], [0.9, 1]], corrected=[[0.5, np.nan], [0.7, 1]],
    metric="roc_auc", n_bootstraps=100, details={"seed": 1},
)  # fmt: skip
RANKING = RankingResult(
    names=("A", "B"), mean_ranks=[1.0, 2.0], n_data_sets=10, statistic=3.0, p_value=0.01,
    method="m", pair_p_values=np.ones((2, 2)), details={"x": 1},
)  # fmt: skip
TIED = TiedSet(
    members=[0], best=0, **{name: [0.8, np.nan] for name in ("scores", "p_values", "won")},
    **{name: [0.0, np.nan] for name in ("difference", "low", "high")}, confidence_level=0.95,
    method="softmin", metric="roc_auc", params=[{"C": 1}, {"C": 2}], details={"seed": 1},
)  # fmt: skip
ALL = [INTERVAL, COMPARISON, CURVE, OPTIMISM, RANKING, TIED]
of_all = pytest.mark.parametrize("result", ALL, ids=lambda result: type(result).__name__)


@of_all
@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))]
)
def test_copies_are_equal_and_frozen(result, duplicate):
    again = duplicate(result)
    assert again == result and hash(again) == hash(result) and len({again, result}) == 1
    arrays = [value for value in vars(again).values() if isinstance(value, np.ndarray)]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    assert arrays
    with pytest.raises(TypeError):
        again.details["x"] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        again.method = "other"
    with pytest.raises(TypeError):
        type(result)(0.9)
    mine = np.zeros(3)
    assert not frozen_array(mine).flags.writeable and mine.flags.writeable


@of_all
def test_any_other_field_makes_another_result(result):
    assert result != (0.84, 0.95) and result != None  # noqa: E711
    undefined = [dataclasses.replace(result, details={"x": np.array([np.nan])}) for _ in range(2)]
    assert undefined[0] == undefined[1] != result and hash(undefined[0]) == hash(result)
    for field in dataclasses.fields(result):
        value = getattr(result, field.name)
        if isinstance(value, (float, np.ndarray)):
            assert dataclasses.replace(result, **{field.name: np.full_like(value, 7)}) != result
        if isinstance(value, str):
            assert dataclasses.replace(result, **{field.name: "other"}) != result, field.name


@of_all
def test_a_dictionary_has_all_but_the_draws(result):
    plain = result.to_dict()
    assert set(plain) == {field.name for field in dataclasses.fields(result)} - {"draws"}
    assert type(plain["details"]) is dict


def test_both_can_be_read_and_unpack_as_bounds():
    low, high = INTERVAL
    assert (low, high) == (0.84, 0.95) and INTERVAL.width == pytest.approx(0.11)
    assert type(INTERVAL.estimate) is float and INTERVAL.draws.dtype == float
    inside = [value in INTERVAL for value in (0.84, 0.95, 0.9, 0.83999, 0.951, np.nan)]
    assert inside == [True, True, True, False, False, False]
    assert 0.9 not in dataclasses.replace(INTERVAL, low=np.nan, high=np.nan)
    assert 0.01 in COMPARISON and 0.0 not in COMPARISON
    assert COMPARISON.assumptions == ("Samples are independent.",)
    assert repr(INTERVAL) == (
        "ConfidenceInterval(low=0.84, high=0.95, estimate=0.9, 95% two-sided, method='bbc', "
        "metric='roc_auc', 1 note in details['notes'])"
    )
    assert repr(COMPARISON) == (
        "ComparisonResult('forest' - 'tree', difference=0.031, low=0.01, high=0.052, "
        "p_value=0.004, 95% two-sided, method='paired_bootstrap', metric='roc_auc')"
    )


def test_repr_and_card_say_what_tuning_is_assumed():
    tuned = dataclasses.replace(INTERVAL, details={"tuned_by": "neg_log_loss"})
    assert repr(tuned).endswith("metric='roc_auc', tuned_by='neg_log_loss')")
    assert ">as if tuned by<" in tuned._repr_html_() and ">log loss<" in tuned._repr_html_()
    assert "tuned" not in repr(INTERVAL) + INTERVAL._repr_html_()


def test_repr_and_summary_name_the_winner_and_count_the_notes():
    details = {"winner_name": "m3", "won": {3: 1.0}, "n_configs": 9, "notes": ["One.", "Two."],
               "no_width": "No width."}  # fmt: skip
    result = dataclasses.replace(INTERVAL, details=details)
    assert repr(result).endswith("winner='m3', 2 notes in details['notes'])")
    assert result.summary().endswith("The selected one is m3. No width.")
    assert "m3" in result._repr_html_()
    alone = dataclasses.replace(INTERVAL, details={**details, "n_configs": 1})
    assert "selected one" not in alone.summary()


def test_the_sentence():
    assert (
        str(COMPARISON)
        == COMPARISON.summary()
        == (
            "forest is better than tree by 0.031 in ROC AUC (95% confidence interval 0.010 to "
            "0.052, p = 0.004, paired bootstrap, 4 draws of groups)."
        )
    )


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"difference": -0.2, "low": -0.3, "high": -0.1}, "forest is worse than tree by 0.200"),
        ({"p_value": 0.0004}, "p < 0.001"),
        (
            {"p_value": 0.06},
            "No difference between forest and tree is shown: forest minus tree is +0.031 in ROC "
            "AUC (95%",
        ),
        ({"p_value": 0.06, "difference": -0.5}, "shown: forest minus tree is -0.500 in ROC AUC"),
        ({"p_value": 0.06, "difference": 0.0}, "shown: forest minus tree is 0.000 in ROC AUC"),
        (
            {"p_value": 0.06, "alternative": "greater"},
            "forest is not shown to be better than tree: forest minus tree is +0.031 in ROC AUC "
            "(one-sided 95% confidence interval: at least 0.010, p",
        ),
        (
            {"p_value": 0.06, "alternative": "less"},
            "forest is not shown to be worse than tree: forest minus tree is +0.031 in ROC AUC "
            "(one-sided 95% confidence interval: at most 0.052",
        ),
        # What is worse is worse by a positive amount, with the bounds of that amount.
        (
            {"difference": -0.2, "low": -0.3, "high": -0.1},
            "by 0.200 in ROC AUC (95% confidence interval 0.100 to 0.300, p",
        ),
        (
            {"difference": -0.2, "low": -1, "high": -0.1, "alternative": "less"},
            "forest is worse than tree by 0.200 in ROC AUC (one-sided 95% confidence interval: at "
            "least 0.100, p",
        ),
        # A loss: better is lower, and a difference that is not shown has the printed sign.
        (
            {"metric": "neg_mean_absolute_error", "difference": 2.31, "low": 1.2, "high": 3.4},
            "forest is better than tree by 2.31 in mean absolute error (95% confidence interval "
            "1.20 to 3.40, p",
        ),
        (
            {"metric": "neg_mean_absolute_error", "difference": 2.31, "low": -1.2, "high": 5.8,
             "p_value": 0.2},
            "forest minus tree is -2.31 in mean absolute error (95% confidence interval -5.80 to "
            "1.20, p",
        ),
        (
            {"metric": "neg_log_loss", "difference": 0.2, "low": -0.1, "high": np.inf,
             "p_value": 0.2, "alternative": "greater"},
            "forest minus tree is -0.200 in log loss (one-sided 95% confidence interval: at most "
            "0.100, p",
        ),
        ({"low": np.nan}, "(no interval, p = 0.004"),
        ({"difference": np.nan}, "forest and tree cannot be compared by ROC AUC"),
        ({"label": ""}, "method 'paired_bootstrap'"),
        ({"difference": 0.00004}, "by 4e-05 in ROC AUC"),
        ({"p_value": np.nan, "details": {"interval": "credible interval"}},
         "by 0.031 in ROC AUC (95% credible interval 0.010 to 0.052, paired"),
    ],
)  # fmt: skip
def test_other_sentences(fields, words):
    assert words in dataclasses.replace(COMPARISON, **fields).summary()


def test_shown_is_by_the_p_value_else_by_the_interval():
    assert COMPARISON.is_shown
    assert not dataclasses.replace(COMPARISON, p_value=0.051).is_shown
    assert dataclasses.replace(COMPARISON, p_value=0.09, confidence_level=0.9).is_shown
    assert dataclasses.replace(COMPARISON, p_value=np.nan).is_shown
    assert not dataclasses.replace(COMPARISON, p_value=np.nan, low=-0.01).is_shown
    assert dataclasses.replace(COMPARISON, p_value=np.nan, low=-0.2, high=-0.1).is_shown


def test_the_card_says_the_same_and_escapes_names():
    card = COMPARISON._repr_html_()
    assert "forest is better than tree by 0.031 in ROC AUC" in card
    assert "95% confidence interval 0.010 to 0.052" in card and ">0.004<" in card
    assert f">{COMPARISON.label or COMPARISON.method}<" in card
    evil = dataclasses.replace(
        COMPARISON, names=("<script>", "b"), metric="neg_log_loss", p_value=np.nan,
        details={"scores": (-0.4, -0.5), "notes": ["<b>"]},
    )._repr_html_()  # fmt: skip
    assert "<script" not in evil and "&lt;script&gt; is better than b by 0.031 in log loss" in evil
    assert ">log loss, b<" in evil and ">0.500<" in evil and "&lt;b&gt;" in evil
    assert "p-value" not in evil


def test_the_card_of_an_interval():
    card = INTERVAL._repr_html_()
    assert ">ROC AUC<" in card and "0.900 (0.840 to 0.950)" in card and ">BBC<" in card
    assert "smaller is better" not in card and "positive class" not in card
    for positive, is_named in ((1, False), (True, False), (0, True), ("ill", True)):
        named = dataclasses.replace(INTERVAL, details={"positive_class": positive})._repr_html_()
        assert ("positive class" in named) == is_named, positive
    loss = dataclasses.replace(
        INTERVAL, metric="neg_mean_absolute_error", estimate=-23.406, low=-30.0, high=-20.0,
        details={"unit": "group", "notes": ["<b>"]}, n_bootstraps=2000,
    )._repr_html_()  # fmt: skip
    assert "23.4 (20.0 to 30.0)" in loss and "smaller is better" in loss
    assert "2,000 draws of groups" in loss and "&lt;b&gt;" in loss
    failed = dataclasses.replace(
        INTERVAL, estimate=np.nan, details={"error": "<why>"}
    )._repr_html_()
    assert "no interval could be computed" in failed and "&lt;why&gt;" in failed


def test_the_frame_of_a_comparison_has_what_the_result_has():
    scored = dataclasses.replace(COMPARISON, details={"scores": [0.8, 0.769]})
    table = pd.concat([scored.frame(), COMPARISON.frame()], ignore_index=True)
    assert list(zip(table["first"], table["second"])) == [("forest", "tree")] * 2
    assert table["score_first"].tolist()[0] == 0.8 and table["score_second"].tolist()[0] == 0.769
    assert table[["score_first", "score_second"]].isna().to_numpy().tolist() == [
        [False] * 2,
        [True] * 2,
    ]
    for name in ("metric", "difference", "low", "high", "p_value", "confidence_level",
                 "alternative", "method"):  # fmt: skip
        assert table[name].tolist() == [getattr(COMPARISON, name)] * 2
