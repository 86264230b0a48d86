"""Scores and predictions of any fitted search."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from sklearn_bbc import OOFPredictions
from tests.predictions.predicted import rectangle

pytestmark = pytest.mark.filterwarnings("ignore:.* groups are split between folds")


# --- from any search ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def data():
    return make_classification(n_samples=60, n_features=4, random_state=0)


def test_from_a_search_with_one_metric(data):
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=4, scoring="roc_auc")
    search.fit(*data)
    oof = OOFPredictions.from_search(search)
    expected = [search.cv_results_[f"split{k}_test_score"] for k in range(4)]
    np.testing.assert_array_equal(oof.fold_scores["roc_auc"], expected)
    assert oof.selected == search.best_index_
    assert oof.params[1] == {"C": 1}


def test_from_a_search_with_several_metrics(data):
    def both(estimator, X, y):
        return {"a": estimator.score(X, y), "b": 1.0}

    search = GridSearchCV(
        LogisticRegression(), {"C": [0.1, 1]}, cv=4, scoring=both, refit=False
    ).fit(*data)
    oof = OOFPredictions.from_search(search)
    assert set(oof.fold_scores) == {"a", "b"}
    assert oof.selected is None


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning", "ignore:.*non-finite:UserWarning")
def test_from_a_search_in_which_a_configuration_failed(data):
    grid = {"C": [1.0, -1.0, 0.1]}
    search = GridSearchCV(LogisticRegression(), grid, cv=4, error_score=np.nan)
    search.fit(*data)
    np.testing.assert_array_equal(OOFPredictions.from_search(search).failed, [False, True, False])


def test_from_a_search_that_keeps_predictions():
    oof = rectangle()
    recording = type("Search", (), {"oof_": oof})()
    assert OOFPredictions.from_search(recording) is oof
