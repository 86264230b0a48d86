"""Draws of whole folds, against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals._bbcf import (
    BY_SIZE,
    FoldKernel,
    contenders,
    fold_sizes,
    summable,
)
from sklearn_bbc.intervals._notes import TOO_LARGE, lacking_note, why_undefined
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.resampling import enumerate_fold_draws

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


def test_equal_up_to_rounding_ties_whatever_the_unit():
    """0.1 + 0.2 is a bit more than 0.3, as a loss worse; the first one wins all the same."""
    for unit in (1e-6, 1.0, 1e6):
        scores = -unit * np.array([[0.1 + 0.2, 0.3]] * 3)
        assert scores[0, 0] < scores[0, 1]
        assert contenders(scores, np.arange(2)).tolist() == [0, 1]
        oof = OOFPredictions(y_true=[], classes=None, fold_scores={"r2": scores})
        made = FoldKernel(as_metric("r2"), oof, weight_folds=False)
        assert made.winners(np.array([[1, 1, 1], [0, 3, 0]])).tolist() == [0, 0]
        assert made.winner == 0


def test_rounding_in_one_fold_hides_a_lead_in_another():
    """Draws of the small fold alone tell them apart; in all others the large one blurs it."""
    scores = np.array([[-(0.1 + 0.2) * 1e6, -0.3e6], [-1e-3 - 1e-12, -1e-3]])
    assert contenders(scores, np.arange(2)).tolist() == [0, 1]
    oof = OOFPredictions(y_true=[], classes=None, fold_scores={"r2": scores})
    made = FoldKernel(as_metric("r2"), oof, weight_folds=False)
    assert made.winners(np.array([[1, 1], [2, 0], [0, 2]])).tolist() == [0, 0, 1]


def test_scores_of_zero_have_no_rounding():
    made = kernel(np.array([[0.5, 0.0], [0.0, 0.5]]))
    assert made.winners(np.array([[0, 2], [2, 0], [1, 1]])).tolist() == [1, 0, 0]
    loss = np.array([[1.0, 0.0], [-1.0, 0.0]])
    oof = OOFPredictions(y_true=[], classes=None, fold_scores={"r2": loss})
    made = FoldKernel(as_metric("r2"), oof, weight_folds=False)
    assert made.winners(np.array([[0, 2]])).tolist() == [1]


def test_only_contenders_are_looked_at_in_each_draw():
    assert contenders(np.zeros((3, 4)), np.arange(4)).tolist() == [0]  # the first of its copies
    better = np.arange(100) * np.ones((3, 1))
    assert contenders(better, np.arange(100)).tolist() == [99]
    assert contenders(better, np.array([3, 7, 20])).tolist() == [20]
    # One that diverged somewhere does not keep those that are beaten everywhere.
    diverged = np.array([[0.2, 0.9, -1e18], [0.1, 0.8, 0.95]])
    assert contenders(diverged, np.arange(3)).tolist() == [1, 2]
    crossed = np.array([[0.2, 0.9, 0.5], [0.9, 0.2, 0.6]])
    assert kernel(crossed).bytes_per_draw == 3 * 8 * 3  # three numbers for each of three
    assert kernel(better / 100).bytes_per_draw == 3 * 8


def test_the_winner_of_the_search_stays_the_winner():
    scores = np.array([[0.9, 0.1], [0.9, 0.2]])
    made = kernel(scores, selected=1, selected_by="hand")
    assert (made.winner, made.winner_by) == (1, "hand")
    assert (kernel(scores).winner, kernel(scores).winner_by) == (0, "mean over folds")
    weighted = kernel(scores, True, (2, 3))
    assert (weighted.winner, weighted.winner_by) == (0, BY_SIZE)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_huge_weights_have_no_sum():
    huge = OOFPredictions(
        y_true=[0.0, 1.0, 2.0], y_pred=[0.0, 0.0, 0.0], fold=[0, 1, 2], classes=None,
        sample_weight=[1e150] * 3, fold_scores={"r2": np.full((3, 1), -1e200)},
    )  # fmt: skip
    with pytest.raises(UndefinedIntervalError, match="r2 are too large to be added up"):
        FoldKernel(as_metric("r2"), huge, weight_folds=True)


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
    assert np.isnan(summable([TOO_LARGE, -TOO_LARGE])).all()
    assert summable([[1, 2]]).dtype == float


def test_the_fold_and_the_class_that_it_lacks_are_named():
    oof = OOFPredictions(y_true=[0, 1, 1, 1], y_pred=[0.1, 0.2, 0.3, 0.4], fold=[0, 0, 1, 1])
    auc = as_metric("roc_auc")
    with pytest.raises(UndefinedIntervalError, match=r"in fold 1 .* no sample of class 0"):
        FoldKernel(auc, oof, weight_folds=False)
    elsewhere = np.array([[nan, 0.5], [0.5, nan]])
    two = OOFPredictions(y_true=[0, 1], fold_scores={"roc_auc": elsewhere})
    assert "undefined in some fold" in why_undefined(elsewhere, auc, two)


def told(scores, scoring="r2", **fields):
    """Why configurations have no score, from recorded scores."""
    fields = {"y_true": [], "classes": None, "fold_scores": {scoring: scores}, **fields}
    oof = OOFPredictions(**fields)
    with pytest.raises(UndefinedIntervalError) as caught:
        FoldKernel(as_metric(scoring), oof, weight_folds=False)
    return str(caught.value)


def test_why_there_is_no_score():
    nowhere = "r2 is undefined in fold 1 for every configuration."
    assert told(np.array([[0.5, 0.5], [nan, nan], [nan, nan], [0.5, 0.5]])) == nowhere
    # A configuration that failed has no say: neither its score nor its infinity.
    failed = {"failed": [False, True]}
    assert told(np.array([[0.5, 0.5], [nan, 0.5], [0.5, 0.5]]), **failed) == nowhere
    assert told(np.array([[0.5, 0.5], [nan, -np.inf], [0.5, 0.5]]), **failed) == nowhere
    for huge in (-np.inf, -TOO_LARGE):
        assert "infinite, or too large" in told(np.array([[huge, 0.5], [0.5, nan]]))
    assert "undefined in some fold" in told(np.array([[nan, 0.5], [0.5, nan]]))
    assert "undefined in some fold" in told(np.array([[0.5], [0.5]]), failed=[True])


def test_classes_are_named_only_where_they_are_known():
    scores = np.array([[0.5], [nan]])
    nowhere = "accuracy is undefined in fold 1 for every configuration"
    assert told(scores, "accuracy", y_true=[0, 1], classes=[0, 1]) == f"{nowhere}."
    parts = {"y_true": [0, 1, 0, 1], "classes": [0, 1], "y_pred": [0, 1, 0, 1]}
    assert told(scores, "accuracy", fold=[0, 0, 1, 1], **parts) == f"{nowhere}."
    lacks = told(scores, "accuracy", fold=[0, 0, 1, 0], **parts)
    assert lacks.startswith(f"{nowhere}: it holds no sample of class 1. Use")
    parts = {"y_true": [3, 3, 3], "y_pred": [3, 3, 3], "fold": [0, 0, 1], "classes": [3]}
    assert told(scores, "accuracy", **parts) == f"{nowhere}: every sample is of class 3."
    parts = {"y_true": [0.5, 1.5, 2.5], "y_pred": [0, 0, 0], "fold": [0, 0, 1], "classes": None}
    assert told(scores, **parts) == nowhere.replace("accuracy", "r2") + "."


def test_folds_without_a_class_are_counted():
    oof = OOFPredictions(y_true=[0, 1, 1, 1, 0, 1], y_pred=[0, 1, 1, 1, 0, 1],
                         fold=[0, 0, 1, 1, 2, 2])  # fmt: skip
    n_folds, (note,) = lacking_note(oof, as_metric("balanced_accuracy"))
    assert n_folds == 1 and note.startswith("1 of 3 folds lack a class (fold 1")
    assert lacking_note(oof, ACCURACY) == (0, [])
    balanced = as_metric("balanced_accuracy")
    whole = OOFPredictions(y_true=[0, 1, 1, 0], y_pred=[0, 1, 1, 1], fold=[0, 0, 1, 1])
    assert lacking_note(whole, balanced) == (0, [])
    scores = OOFPredictions(y_true=[0, 1], fold_scores={"balanced_accuracy": np.ones((2, 1))})
    assert lacking_note(scores, balanced) == (0, [])
    last = OOFPredictions(y_true=[0, 1, 1, 1, 1], y_pred=[0, 1, 1, 1, 0], fold=[0, 0, 1, 2, 2])
    n_folds, (note,) = lacking_note(last, balanced)
    assert n_folds == 2 and note.startswith("2 of 3 folds lack a class (fold 1: class 0)")
