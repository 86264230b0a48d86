"""What is checked before the first model is trained."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals._refit_base import (
    Problem,
    SplitFaults,
    check_refit_splits,
)
from sklearn_bbc.metrics import as_metric

Y = np.array(["a"] * 6 + ["b"] * 3 + ["c"])
X = np.zeros((10, 1))


def problem(scoring="accuracy", y=Y, estimator=None, **fields):
    given = {"groups": None, "fit_params": {}, "n_samples": 10, "entropy": 0, "details": {}}
    estimator = LogisticRegression() if estimator is None else estimator
    return Problem(estimator=estimator, X=X, y=y, metric=as_metric(scoring), **{**given, **fields})


def test_a_class_that_is_not_trained_on():
    train, test = np.arange(9), np.array([9, 0])
    fault = SplitFaults(problem())(train, test, "split 3")
    assert fault == "class c has 1 sample, none of them among the training samples of split 3"
    with pytest.raises(UndefinedIntervalError, match=r"Own cannot .* split 0\. Do otherwise\."):
        check_refit_splits(problem(), [(train, test)], "Own", "Do otherwise.")


def test_a_test_set_without_a_class_matters_only_where_the_metric_needs_it():
    y = np.tile(["a", "b"], 5)
    train, test = np.arange(6), np.array([6, 8])  # all "a"
    assert SplitFaults(problem(y=y))(train, test, "it") is None
    fault = SplitFaults(problem("roc_auc", y=y))(train, test, "split 0")
    assert "undefined on the test set of split 0, which holds none of the 5 samples" in fault
    strict = SplitFaults(problem(y=y), every_class=True)(train, test, "split 0")
    assert "does not fit the test set" in strict
    one = SplitFaults(problem("r2", y=np.arange(10.0), estimator=Ridge()))
    assert one(train, np.array([7]), "split 0").endswith("which holds one sample")


def undefined_when(what):
    """Scorer that has no value on some test sets."""
    return lambda fitted, X, y: np.nan if what(y) else 1.0


def raises(fitted, X, y):
    raise RuntimeError("not today")


def test_sizes_of_test_sets_and_the_classes_that_they_lack_are_distinguished():
    y = np.tile(["a", "b"], 5)
    train = np.arange(6)
    alone = SplitFaults(problem(undefined_when(lambda y: len(y) == 1), y=y))
    assert alone(train, np.array([6]), "it").endswith("none of the 5 samples of class b")
    assert alone(train, np.array([6, 8]), "it") is None
    assert alone(train, np.array([7]), "it").endswith("none of the 5 samples of class a")
    assert alone(train, np.array([6, 7]), "it") is None
    other = SplitFaults(problem(undefined_when(lambda y: len(y) == 2), y=y))
    assert other(train, np.array([6]), "it") is None
    assert "undefined" in other(train, np.array([6, 8]), "it")
    assert other(train, np.array([6, 7]), "it") is None, "with all classes it is not asked"
    of_one = SplitFaults(problem(undefined_when(lambda y: "b" not in y), y=y))
    assert of_one(train, np.array([7, 9]), "it") is None
    assert "class b" in of_one(train, np.array([6, 8]), "it")
