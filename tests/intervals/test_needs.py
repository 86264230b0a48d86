"""What is told when a method lacks what it needs; the methods named instead may differ."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals._base import (
    NEEDS,
    check_known,
    check_needs,
    check_pointwise,
)
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.testing import example_predictions

AUC = as_metric("roc_auc")


def folds_only():
    return OOFPredictions(
        y_true=np.empty(0), classes=None, fold_scores={"roc_auc": np.full((1, 1), 0.5)}
    )


def test_nothing_is_told_where_all_is_there():
    check_needs("M", NEEDS - {"pointwise"}, example_predictions(), AUC)
    check_pointwise("M", {"pointwise"}, True, AUC)
    check_pointwise("M", {"folds"}, False, AUC)


@pytest.mark.parametrize(
    "need, oof, metric, message",
    [
        ("predictions", folds_only(), AUC, "M needs out-of-fold .* or Folds, which works"),
        ("folds", example_predictions(n_folds=1), AUC, "M needs at least 2 folds, got 1"),
        ("binary", example_predictions(n_classes=3), AUC, "2 classes, got 3 classes"),
        ("binary", folds_only(), AUC, "got a target without classes"),
        ("auc", example_predictions(), as_metric("f1"), "got the metric f1.* such as Any"),
    ],
)
def test_a_lack_is_told(need, oof, metric, message):
    with pytest.raises(ValueError, match=message):
        check_needs("M", {need}, oof, metric, on_folds="Folds", for_any="Any")


@pytest.mark.parametrize("need, field", [("ungrouped", "groups"), ("unweighted", "sample_weight")])
def test_groups_and_weights_may_be_too_much(need, field):
    oof = example_predictions()
    more = OOFPredictions(y_true=oof.y_true, responses=oof.responses, **{field: np.ones(60)})
    with pytest.raises(ValueError, match=f"predictions have {field}"):
        check_needs("M", {need}, more, AUC)


def test_a_mean_over_samples():
    with pytest.raises(ValueError, match=r"mean over samples.*got roc_auc"):
        check_pointwise("M", {"pointwise"}, False, AUC)


def test_needs_that_nobody_checks():
    with pytest.raises(ValueError, match=r"int.requires holds \['magic'\]"):
        check_known(int, {"magic", "folds"})
