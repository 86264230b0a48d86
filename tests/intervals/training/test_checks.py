"""What is checked before the first model is trained."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import make_pipeline

from sklearn_bbc._integers import check_integer
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals.training._checks import (
    SplitFaults,
    can_score,
    check_scores,
    check_splits,
    is_mean_over_samples,
    refuse_groups,
    refuse_unfitted,
    tell_redrawn,
)
from sklearn_bbc.intervals.training._problem import Problem
from sklearn_bbc.metrics import as_metric

Y = np.array(["a"] * 6 + ["b"] * 3 + ["c"])
X = np.zeros((10, 1))


def problem(scoring="accuracy", y=Y, estimator=None, **fields):
    given = {"groups": None, "fit_params": {}, "n_samples": 10, "entropy": 0, "details": {}}
    estimator = LogisticRegression() if estimator is None else estimator
    return Problem(estimator=estimator, X=X, y=y, metric=as_metric(scoring), **{**given, **fields})


@pytest.mark.parametrize("wrong", [1, 2.0, True, "3", None])
def test_integers(wrong):
    check_integer("n_splits", np.int64(2), 2)
    with pytest.raises(ValueError, match="n_splits must be an integer of at least 2"):
        check_integer("n_splits", wrong, 2)


@pytest.mark.parametrize("search", [GridSearchCV, RandomizedSearchCV])
def test_searches_that_leave_no_model_are_found_wherever_they_are(search):
    refuse_unfitted(search(Ridge(), {}))
    hidden = make_pipeline(search(Ridge(), {}, refit=False))
    with pytest.raises(ValueError, match=rf"{search.__name__} \(\w+\) has refit=False"):
        refuse_unfitted(hidden)
    with pytest.raises(ValueError, match=f"{search.__name__} has refit=False"):
        refuse_unfitted(search(Ridge(), {}, refit=False))


def test_groups_are_refused_by_methods_that_cannot_know():
    refuse_groups(problem(), "BatesNestedCV")
    with pytest.raises(ValueError, match="BatesNestedCV takes samples as independent"):
        refuse_groups(problem(groups=np.arange(10)), "BatesNestedCV")


@pytest.mark.parametrize(("n_redrawn", "told"), [(4, 0), (5, 0), (6, 1)])
def test_more_splits_drawn_again_than_kept_are_told(n_redrawn, told):
    made = problem(details={"n_redrawn": n_redrawn, "notes": []})
    tell_redrawn(made, 5)
    assert len(made.details["notes"]) == told


def test_a_class_that_is_not_trained_on():
    train, test = np.arange(9), np.array([9, 0])
    fault = SplitFaults(problem())(train, test, "split 3")
    assert fault == "class c has 1 sample, none of them among the training samples of split 3"
    with pytest.raises(UndefinedIntervalError, match=r"Own cannot .* split 0\. Do otherwise\."):
        check_splits(problem(), [(train, test)], "Own", "Do otherwise.")


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


def test_what_constant_predictions_tell_of_a_metric():
    y = np.tile(["a", "b"], 5)
    assert can_score(problem("roc_auc", y=y), None)
    assert not can_score(problem("roc_auc", y=y), np.array([0, 2]))
    assert is_mean_over_samples(problem("neg_log_loss", y=y))
    assert not is_mean_over_samples(problem("roc_auc", y=y))


def test_undefined_scores_are_counted():
    check_scores(problem(), np.zeros(3), "Own")
    with pytest.raises(UndefinedIntervalError, match=r"undefined \(NaN\) for 1 of 4 test sets"):
        check_scores(problem(), np.array([[1, np.nan], [0, 1]]), "Own")
