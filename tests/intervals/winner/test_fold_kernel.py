"""Draws of whole folds, against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals.winner._fold_kernel import (
    FoldKernel,
    contenders,
    fold_sizes,
    lacking_note,
    summable,
    why_undefined,
)
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.resampling._folds import enumerate_fold_draws

ACCURACY = as_metric("accuracy")
nan = np.nan


def kernel(scores, weight_folds=False, sizes=None, **fields):
    fold = np.repeat(np.arange(len(scores)), sizes) if sizes else None
    y_true = np.zeros(sum(sizes) if sizes else 10, int)
    if fold is not None:
        fields["responses"] = {"predict": np.zeros((np.shape(scores)[1], len(fold)), int)}
    oof = OOFPredictions(
        y_true=y_true, classes=[0, 1], fold=fold, fold_scores={"accuracy": scores}, **fields
    )
    return FoldKernel(ACCURACY, oof, weight_folds=weight_folds)


TENTHS = st.lists(st.lists(st.integers(0, 10), min_size=4, max_size=4), min_size=3, max_size=4)


@given(TENTHS)
def test_winners_are_the_first_best_and_scores_those_of_the_folds_left_out(tenths):
    scores = np.array(tenths) / 10
    made = kernel(scores)
    counts = enumerate_fold_draws(len(scores))[0]
    winners = made.winners(counts)
    exact = counts.astype(int) @ np.array(tenths)
    assert winners.tolist() == exact.argmax(axis=1).tolist()
    for draw, (count, winner) in enumerate(zip(counts, winners)):
        if (count == 0).any():
            found = made.score_of(counts, winners)[draw]
            assert found == pytest.approx(scores[count == 0, winner].mean(), rel=1e-12)


@given(TENTHS)
def test_whoever_is_no_contender_never_wins(tenths):
    scores = np.array(tenths) / 10
    found = contenders(scores, np.arange(4))
    exact = enumerate_fold_draws(len(scores))[0].astype(int) @ np.array(tenths)
    assert set(exact.argmax(axis=1)) <= set(found)


def test_folds_may_count_by_their_size():
    made = kernel(np.array([[1.0, 0.0], [0.0, 0.4]]), True, (1, 3))
    assert made.winner == 1  # 0.25 against 0.3
    assert kernel(np.array([[1.0, 0.0], [0.0, 0.4]])).winner == 0
    found = made.score_of(np.array([[0, 0]]), np.array([0]))
    assert found == pytest.approx(0.25)


def test_sizes_need_the_folds_of_samples():
    with pytest.raises(ValueError, match="needs the sizes of the folds"):
        kernel(np.array([[1.0], [0.5]]), True)
    oof = OOFPredictions(y_true=[0, 1, 0], y_pred=[0, 1, 1], fold=[0, 0, 1],
                         sample_weight=[1, 2, 4])  # fmt: skip
    assert fold_sizes(oof).tolist() == [3, 4]


def test_undefined_and_failed_configurations_cannot_win():
    scores = np.array([[0.9, nan, 0.5], [0.9, 1.0, 0.6]])
    made = kernel(scores, failed=[True, False, False])
    assert made.valid.tolist() == [False, False, True]
    assert made.winners(np.array([[1, 1], [2, 0]])).tolist() == [2, 2]
    assert made.winner == 2


def test_scores_without_a_finite_sum_are_undefined():
    found = summable(np.array([[1.0, np.inf, -1e300, nan]]))
    np.testing.assert_array_equal(found, [[1.0, nan, nan, nan]])


def test_the_fold_and_the_class_that_it_lacks_are_named():
    oof = OOFPredictions(y_true=[0, 1, 1, 1], y_pred=[0.1, 0.2, 0.3, 0.4], fold=[0, 0, 1, 1])
    auc = as_metric("roc_auc")
    with pytest.raises(UndefinedIntervalError, match=r"in fold 1 .* no sample of class 0"):
        FoldKernel(auc, oof, weight_folds=False)
    elsewhere = np.array([[nan, 0.5], [0.5, nan]])
    two = OOFPredictions(y_true=[0, 1], fold_scores={"roc_auc": elsewhere})
    assert "undefined in some fold" in why_undefined(elsewhere, auc, two)


def test_folds_without_a_class_are_counted():
    oof = OOFPredictions(y_true=[0, 1, 1, 1, 0, 1], y_pred=[0, 1, 1, 1, 0, 1],
                         fold=[0, 0, 1, 1, 2, 2])  # fmt: skip
    n_folds, (note,) = lacking_note(oof, as_metric("balanced_accuracy"))
    assert n_folds == 1 and note.startswith("1 of 3 folds lack a class (fold 1")
    assert lacking_note(oof, ACCURACY) == (0, [])
