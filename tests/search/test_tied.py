"""search.tied_with_best: the same as on its predictions, with what the search knows."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.comparison import (
    CrossValidationWithConfidence,
    ModelConfidenceSet,
    SoftminLeaveOneOut,
    tied_with_best,
)
from sklearn_bbc.intervals import BBC
from sklearn_bbc.selection import SimplestTied

X, Y = make_classification(120, 6, n_informative=3, random_state=0)
GRID = {"max_depth": [1, 2, 4], "min_samples_leaf": [1, 10]}


def fitted(scoring="roc_auc", **options):
    tree = DecisionTreeClassifier(random_state=0)
    options = {"random_state": 3, "ci": [], **options}
    return BBCSearchCV(tree, GRID, scoring=scoring, **options).fit(X, Y)


@pytest.fixture(scope="module")
def search():
    return fitted()


def test_it_is_the_function_on_the_predictions(search):
    found = search.tied_with_best(complexity="max_depth", n_bootstraps=200)
    expected = tied_with_best(
        search.oof_, "roc_auc", complexity="max_depth", n_bootstraps=200, random_state=3
    )
    assert found == expected
    assert found.params == tuple(search.cv_results_["params"])
    assert found.simplest in found


def test_level_method_and_metric(search):
    found = search.tied_with_best(0.8, scoring="accuracy", method="cvc", n_bootstraps=150)
    assert (found.confidence_level, found.metric, found.method) == (0.8, "accuracy", "cvc")
    assert len(found) <= len(search.tied_with_best(0.99, scoring="accuracy", method="cvc"))


def test_the_seed_of_the_search_is_used_where_none_is_given(search):
    method = CrossValidationWithConfidence(n_bootstraps=200)
    once, again = (search.tied_with_best(method=method, n_bootstraps=100) for _ in range(2))
    assert once == again and method.random_state is None
    own = ModelConfidenceSet(n_bootstraps=200, random_state=8)
    np.testing.assert_array_equal(
        search.tied_with_best(method=own, n_bootstraps=100).p_values,
        tied_with_best(search.oof_, "roc_auc", method=own, n_bootstraps=100).p_values,
    )
    other = search.tied_with_best(random_state=99, n_bootstraps=100)
    assert other.details["seed"] == 99


def test_a_search_without_predictions_says_why():
    search = fitted(record=False)
    with pytest.raises(ValueError, match="only fold scores"):
        search.tied_with_best()


def test_before_fit():
    search = BBCSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3]})
    with pytest.raises(NotFittedError):
        search.tied_with_best()


def test_several_metrics_without_a_selecting_one():
    search = fitted(scoring=["accuracy", "roc_auc"], refit=False)
    with pytest.raises(ValueError, match="scoring must be given"):
        search.tied_with_best()
    assert search.tied_with_best(scoring="roc_auc", n_bootstraps=100).metric == "roc_auc"


def test_a_rule_of_selection_can_use_the_same_method(search):
    rule = SimplestTied("max_depth", margin=SoftminLeaveOneOut())
    result = search.interval(BBC(selection=rule, n_bootstraps=200, random_state=0))
    tied = search.tied_with_best(complexity="max_depth", n_bootstraps=100)
    assert result.details["winner"] == tied.simplest
    # By the scores of folds alone it cannot be decided, which is said before the search.
    with pytest.raises(ValueError, match=r"scores of the folds.*search\.interval\(BBC\(selection"):
        fitted(refit=rule)
