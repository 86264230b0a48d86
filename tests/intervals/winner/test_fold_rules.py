"""Rules in the methods on fold scores and in those that train."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

from sklearn_bbc.exceptions import (
    SelectionError,
)
from sklearn_bbc.intervals import BBCF, DirectBootstrap
from sklearn_bbc.selection import (
    RefitCallable,
)
from tests.selection.draws import predictions


@pytest.mark.long
def test_a_function_gets_the_results_of_the_search_of_each_draw():
    X, y = (array[::3] for array in load_iris(return_X_y=True))
    X = X + np.random.default_rng(0).normal(size=X.shape)

    def steady(results):
        assert results["mean_fit_time"].shape == (2,)
        return int(np.argmax(results["mean_test_accuracy"] - results["std_test_neg_log_loss"]))

    options = {"cv": 2, "scoring": ["accuracy", "neg_log_loss"]}
    grid = {"var_smoothing": [1e-9, 1]}
    search = GridSearchCV(GaussianNB(), grid, refit="accuracy", **options)
    by_hand = GridSearchCV(GaussianNB(), grid, refit=steady, **options)
    few = {"n_bootstraps": 20, "random_state": 0, "verbose": 0}
    rule = RefitCallable(steady)
    result = DirectBootstrap(selection=rule, **few).estimate(search, X, y, scoring="accuracy")
    expected = DirectBootstrap(**few).estimate(by_hand, X, y, scoring="accuracy")
    np.testing.assert_array_equal(result.draws, expected.draws)
    named = RefitCallable(steady, scoring={"accuracy": "accuracy"})
    with pytest.raises(ValueError, match="no use for scoring"):
        DirectBootstrap(selection=named, **few).estimate(search, X, y, scoring="accuracy")


def first_is_simplest():
    """Of six configurations that hardly differ the first one is the simplest."""
    return predictions(params=[{"depth": k} for k in range(6)])


def test_a_rule_that_fails_is_reported_with_its_folds():
    def fails_on_repeated_folds(results):
        means.append(results["mean_test_score"])  # a slow machine has it called on all folds twice
        if not np.array_equal(means[-1], means[0]):
            raise RuntimeError("no winner")
        return 0

    means = []
    with pytest.raises(SelectionError, match=r"the folds \[\d, \d, \d, \d, \d\] times"):
        BBCF(selection=RefitCallable(fails_on_repeated_folds)).estimate(predictions(), "accuracy")

    def fails_at_once(results):
        raise RuntimeError("no winner")

    with pytest.raises(SelectionError) as caught:
        BBCF(selection=RefitCallable(fails_at_once)).estimate(predictions(), "accuracy")
    assert "times" not in str(caught.value)
