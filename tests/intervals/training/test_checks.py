"""What is checked before the first model is trained."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline

from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals._refit_base import (
    Problem,
    SplitFaults,
    can_score,
    check_splits,
    is_mean_over_samples,
    refuse_unfitted,
    tell_redrawn,
)
from sklearn_bbc.metrics import as_metric

Y = np.array(["a"] * 6 + ["b"] * 3 + ["c"])
X = np.zeros((10, 1))


def problem(scoring="accuracy", y=Y, estimator=None, **fields):
    given = {"groups": None, "fit_params": {}, "n_samples": 10, "entropy": 0, "details": {}}
    estimator = LogisticRegression() if estimator is None else estimator
    return Problem(estimator=estimator, X=X, y=y, metric=as_metric(scoring), **{**given, **fields})


@pytest.mark.parametrize("search", [GridSearchCV, RandomizedSearchCV])
def test_searches_that_leave_no_model_are_found_wherever_they_are(search):
    refuse_unfitted(search(Ridge(), {}))
    hidden = make_pipeline(search(Ridge(), {}, refit=False))
    with pytest.raises(ValueError, match=rf"{search.__name__} \(\w+\) has refit=False"):
        refuse_unfitted(hidden)
    with pytest.raises(ValueError, match=f"{search.__name__} has refit=False"):
        refuse_unfitted(search(Ridge(), {}, refit=False))


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


def undefined_when(what):
    """Scorer that has no value on some test sets."""
    return lambda fitted, X, y: np.nan if what(y) else 1.0


def raises(fitted, X, y):
    raise RuntimeError("not today")


def test_sizes_of_test_sets_and_the_classes_that_they_lack_are_told_apart():
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


def test_a_metric_that_nothing_can_be_scored_by_is_not_blamed_on_the_split():
    y = np.tile(["a", "b"], 5)
    for scorer in (undefined_when(lambda y: True), raises):
        made = problem(scorer, y=y)
        assert not can_score(made, None)
        assert SplitFaults(made)(np.arange(6), np.array([6, 8]), "it") is None


def test_numbers_have_no_classes_to_lack():
    made = problem("neg_mean_absolute_error", y=np.arange(10.0), estimator=Ridge())
    assert is_mean_over_samples(made) and can_score(made, None)
    assert SplitFaults(made)(np.arange(0), np.arange(3), "it") is None
    assert SplitFaults(made, every_class=True)(np.arange(6), np.array([7]), "it") is None
    two = problem("neg_mean_absolute_error", y=np.zeros((10, 2)), estimator=Ridge())
    assert can_score(two, np.arange(4))


def test_scorers_that_look_inside_are_no_means_over_samples():
    y = np.tile(["a", "b"], 5)
    assert is_mean_over_samples(problem(y=y))
    for scorer in (raises, undefined_when(lambda y: False), "f1_macro"):
        assert not is_mean_over_samples(problem(scorer, y=y))


def test_what_has_distributions_is_a_search_and_what_tunes_a_threshold_is_none():
    class Foreign(LogisticRegression):
        def __init__(self, param_distributions=None, refit=True):
            self.param_distributions, self.refit = param_distributions, refit

    refuse_unfitted(Foreign())
    with pytest.raises(ValueError, match="Foreign has refit=False"):
        refuse_unfitted(Foreign(refit=False))
    refuse_unfitted(TunedThresholdClassifierCV(LogisticRegression(), cv=0.3, refit=False))
