"""Scores per fold of one configuration, and the spread that stratified folds hide."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import make_scorer

from sklearn_bbc import OOFPredictions
from sklearn_bbc.contest import FoldContest
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import CorrectedT, _fold_scores
from sklearn_bbc.intervals._fold_scores import (
    even_folds_notes,
    hidden_by_stratification,
    shares_are_even,
)
from sklearn_bbc.metrics import FoldTable, as_metric
from tests.made import made

ACCURACY = as_metric("accuracy")
SCORES = np.array([[0.5, 0.9], [0.6, 0.8], [0.7, 0.7]])


def of_scores(scores=SCORES, **fields):
    return made(y_true=np.zeros(30, int), classes=None, fold_scores={"accuracy": scores}, **fields)


def sample_of(oof, config=None):
    return CorrectedT(config=config)._sample(FoldContest(FoldTable(ACCURACY, oof)))


def sample(config=None, **fields):
    return sample_of(of_scores(**fields), config)


def hidden(oof, metric=ACCURACY):
    return hidden_by_stratification(SimpleNamespace(oof=oof, metric=metric), 0)


def test_the_best_mean_wins_unless_another_one_is_selected_or_asked_for():
    assert sample().scores.tolist() == [0.9, 0.8, 0.7]
    assert sample().details["selection_accounted_for"] is False
    chosen = sample(selected=0)
    assert (chosen.details["winner"], chosen.scores.tolist()) == (0, [0.5, 0.6, 0.7])
    asked = sample(config=0).details
    assert (asked["winner"], asked["config"], asked["selection_accounted_for"]) == (1, 0, True)
    assert sample(failed=[False, True]).details["winner"] == 0


def test_configurations_without_scores_are_named():
    with pytest.raises(ValueError, match=r"configuration 0, has no accuracy in fold \[0\]"):
        sample(config=0, scores=np.array([[np.nan, 1], [0.5, 1]]))


def test_folds_that_score_the_same_are_reported():
    made = sample(scores=np.full((3, 1), 0.7))
    with pytest.warns(IntervalWarning, match="All 3 folds score the same"):
        assert CorrectedT()._spread(made) == pytest.approx(0, abs=1e-15)
    assert made.details["degenerate"] is True


def stratified(pred, **fields):
    """Three folds of 10 samples, 5 of each class."""
    y = np.tile([0, 1], 15)
    return made(y_true=y, y_pred=pred, fold=np.arange(30) // 10, **fields)


def test_what_is_between_classes_is_hidden_by_stratified_folds():
    always_one = stratified(np.ones(30, int))
    assert hidden(always_one) == pytest.approx(1)
    with pytest.warns(IntervalWarning, match="CorrectedT: .* 100% of the variance of accuracy"):
        (note,) = even_folds_notes("CorrectedT", FoldTable(ACCURACY, always_one), 0)
    assert "too narrow" in note
    # Half of each class is right: classes do not differ.
    half = stratified(np.tile([0, 1, 1, 0], 8)[:30])
    assert hidden(half) < 0.1
    assert even_folds_notes("CorrectedT", FoldTable(ACCURACY, half), 0) == []


def test_what_is_reported_of_predictions_and_of_scores_alone():
    fold = np.arange(30) // 10
    fold[[3, 17]] = -1
    pred = np.stack([np.tile([0, 1], 15), np.arange(30) // 2 % 2], axis=1)
    oof = OOFPredictions(y_true=np.tile([0, 1], 15), y_pred=pred, fold=fold)
    details = sample_of(oof, config=1).details
    assert (details["unit"], details["n_untested"], details["n_folds"]) == ("fold", 2, 3)
    assert (details["winner"], details["config"], details["n_configs"]) == (0, 1, 2)
    assert details["winner_by"] == "mean over folds" and details["n_repeats"] == 1
    assert sample().details["n_untested"] == 0, "of scores alone nothing is known"
    assert sample(selected=0, selected_by="the search").details["winner_by"] == "the search"


@pytest.mark.parametrize(
    ("hidden", "noted", "warned"),
    [(0.0999, False, False), (0.1, True, False), (0.2499, True, False), (0.25, True, True)],
)
def test_a_tenth_is_noted_and_a_quarter_is_a_warning(hidden, noted, warned, monkeypatch, recwarn):
    monkeypatch.setattr(_fold_scores, "hidden_by_stratification", lambda *given: hidden)
    notes = even_folds_notes("CorrectedT", FoldTable(ACCURACY, of_scores()), 0)
    assert bool(notes) == noted
    assert bool(recwarn.list) == warned


def partly_right(n_first, n_second):
    """So many of 15 of each class are right."""
    y = np.tile([0, 1], 15)
    rank = np.arange(30) // 2
    return np.where(rank < np.where(y == 0, n_first, n_second), y, 1 - y)


def test_nothing_is_said_of_weights_one_fold_or_metrics_that_are_no_means():
    pred = partly_right(15, 3)
    assert hidden(stratified(pred)) > 0.5
    weighted = stratified(pred, sample_weight=np.ones(30) + np.arange(30) % 2)
    assert hidden(weighted) == 0
    y = np.tile([0, 1], 15)
    whole = OOFPredictions(y_true=y, y_pred=pred, fold=np.zeros(30, int))
    assert hidden(whole) == 0
    numbers = OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(30) // 10, classes=None)
    error = as_metric("neg_mean_absolute_error")
    assert hidden(numbers, error) == 0
    outputs = OOFPredictions(
        y_true=np.column_stack([y, y]), y_pred=np.column_stack([pred, y])[:, None, :],
        fold=np.arange(30) // 10,
    )  # fmt: skip
    assert hidden(outputs, error) == 0
    labels = OOFPredictions(
        y_true=np.column_stack([y, 1 - y]), y_pred=np.column_stack([pred, y])[:, None, :],
        fold=np.arange(30) // 10, classes=[0, 1],
    )  # fmt: skip
    assert hidden(labels) == 0
    for scoring in ("f1", lambda estimator, X, y: 0.5):
        assert hidden(stratified(pred), as_metric(scoring)) == 0
    other = OOFPredictions.from_rows(
        y_true=y, responses={"decision_function": pred[None] - 0.5}, sample=np.arange(30),
        fold=np.arange(30) // 10,
    )  # fmt: skip
    assert hidden(other) > 0.5
    assert hidden(other, as_metric("neg_log_loss")) == 0
    own = as_metric(make_scorer(lambda y, p: float(np.mean(y == p))))
    assert hidden(stratified(pred), own) == 0


@pytest.mark.parametrize(
    ("held", "even"),
    [
        ([[5, 5], [5, 5]], True),
        ([[6, 5], [5, 6]], True),
        ([[7, 4], [4, 7]], False),  # one and a half off
        ([[9, 3], [7, 5]], True),  # one off
        ([[9, 3, 2], [7, 5, 2]], True),
        ([[1, 0], [0, 1]], False),  # nothing else is possible
        ([[2, 1], [1, 2]], True),  # 4 * 0.25 twice, against 6 * 0.25
        ([[9, 3], [6, 6]], False),
    ],
)
def test_shares_within_one_sample_are_even(held, even):
    held = np.array(held, dtype=float)
    share = held.sum(axis=0) / held.sum()
    off = held - held.sum(axis=1, keepdims=True) * share
    spread = np.sum(held.sum(axis=1)) * np.sum(share * (1 - share))
    assert even == (np.abs(off).max() <= 1 and 2 * np.sum(off**2) < spread)
    assert shares_are_even(held) is even
