"""Scores per fold of one configuration, and the spread that stratified folds hide."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import CorrectedT
from sklearn_bbc.intervals.single._fold_scores import hidden_by_stratification, told_of_even_folds
from sklearn_bbc.metrics import as_metric

ACCURACY = as_metric("accuracy")
SCORES = np.array([[0.5, 0.9], [0.6, 0.8], [0.7, 0.7]])


def of_scores(scores=SCORES, **fields):
    return OOFPredictions(
        y_true=np.zeros(30, int), classes=None, fold_scores={"accuracy": scores}, **fields
    )


def sample(config=None, **fields):
    return CorrectedT(config=config)._bind(of_scores(**fields), ACCURACY)


def test_the_best_mean_wins_unless_another_one_is_selected_or_asked_for():
    assert sample().scores.tolist() == [0.9, 0.8, 0.7]
    assert sample().details["selection_accounted_for"] is False
    chosen = sample(selected=0)
    assert (chosen.details["winner"], chosen.scores.tolist()) == (0, [0.5, 0.6, 0.7])
    asked = sample(config=0).details
    assert (asked["winner"], asked["config"], asked["selection_accounted_for"]) == (1, 0, True)
    assert sample(failed=[False, True]).details["winner"] == 0


@pytest.mark.parametrize(
    ("config", "scores", "message"),
    [
        (2, SCORES, "configurations are 0 to 1"),
        (0, [[np.nan, 1], [0.5, 1]], r"Configuration 0 has no accuracy in fold \[0\]"),
    ],
)
def test_configurations_without_scores_are_named(config, scores, message):
    with pytest.raises(ValueError, match=message):
        sample(config=config, scores=np.array(scores, dtype=float))


def test_infinite_scores_have_no_spread():
    oof = OOFPredictions(
        y_true=np.zeros(9), classes=None, fold_scores={"neg_log_loss": [[-np.inf], [-1.0]]}
    )
    with pytest.raises(UndefinedIntervalError, match=r"infinite|too large"):
        CorrectedT()._bind(oof, as_metric("neg_log_loss"))


def test_the_spread_is_that_within_repeats():
    """Two repeats that differ by a constant: pooled it would count as spread."""
    made = sample(scores=np.array([[0.1], [0.3], [0.6], [0.8]]))
    assert CorrectedT()._spread(made, n_repeats=2) == pytest.approx(np.sqrt(0.02))
    pooled = np.std([0.1, 0.3, 0.6, 0.8], ddof=1)
    assert CorrectedT()._spread(made) == pytest.approx(pooled)


def test_folds_that_score_the_same_are_told():
    made = sample(scores=np.full((3, 1), 0.7))
    with pytest.warns(IntervalWarning, match="All 3 folds score the same"):
        assert CorrectedT()._spread(made) == pytest.approx(0, abs=1e-15)
    assert made.details["degenerate"] is True


def stratified(pred, **fields):
    """Three folds of 10 samples, 5 of each class."""
    y = np.tile([0, 1], 15)
    return OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(30) // 10, **fields)


def test_what_is_between_classes_is_hidden_by_stratified_folds():
    always_one = stratified(np.ones(30, int))
    assert hidden_by_stratification(always_one, ACCURACY, 0) == pytest.approx(1)
    with pytest.warns(IntervalWarning, match="CorrectedT: .* 100% of the variance of accuracy"):
        (note,) = told_of_even_folds("CorrectedT", always_one, ACCURACY, 0)
    assert "too narrow" in note
    # Half of each class is right: classes do not differ.
    half = stratified(np.tile([0, 1, 1, 0], 8)[:30])
    assert hidden_by_stratification(half, ACCURACY, 0) < 0.1
    assert told_of_even_folds("CorrectedT", half, ACCURACY, 0) == []


def test_nothing_is_said_where_nothing_is_known():
    always_one = np.ones(30, int)
    grouped = stratified(always_one, groups=np.arange(30))
    assert hidden_by_stratification(grouped, ACCURACY, 0) == 0
    assert hidden_by_stratification(of_scores(), ACCURACY, 0) == 0
    in_order = OOFPredictions(y_true=np.repeat([0, 1], 15), y_pred=always_one,
                              fold=np.arange(30) // 10)  # fmt: skip
    assert hidden_by_stratification(in_order, ACCURACY, 0) == 0
