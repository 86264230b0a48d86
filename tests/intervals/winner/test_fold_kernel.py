"""Draws of whole folds, against plain loops."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals._bbcf import FoldKernel
from sklearn_bbc.intervals._notes import TOO_LARGE, lacking_note, why_undefined
from sklearn_bbc.metrics import as_metric

ACCURACY = as_metric("accuracy")
nan = np.nan


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_huge_weights_have_no_sum():
    huge = OOFPredictions(
        y_true=[0.0, 1.0, 2.0], y_pred=[0.0, 0.0, 0.0], fold=[0, 1, 2], classes=None,
        sample_weight=[1e150] * 3, fold_scores={"r2": np.full((3, 1), -1e200)},
    )  # fmt: skip
    with pytest.raises(UndefinedIntervalError, match="r2 are too large to be added up"):
        FoldKernel(as_metric("r2"), huge, weight_folds=True)


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
