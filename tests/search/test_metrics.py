import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.metrics import r2_score
from sklearn.metrics._scorer import _PassthroughScorer
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sklearn_bbc import OOFPredictions
from sklearn_bbc.search._metrics import (
    ScoreByName,
    metrics_of_search,
    name_of_default_score,
    own_score,
    own_survival_score,
)

LABELS = np.array([[0, 1, 1, 0], [0, 0, 1, 0]])
OOF = OOFPredictions.from_rows(
    y_true=[0, 1, 1, 0], responses={"predict": LABELS}, sample=[0, 1, 2, 3], fold=[0, 0, 1, 1]
)


def constant(estimator, X, y):
    return {"one": 1.0, "two": 2.0}


@pytest.mark.parametrize(("survival", "own"), [(False, own_score), (True, own_survival_score)])
def test_an_own_score_names_the_concordance_index_for_survival_models_only(survival, own):
    passed_on = _PassthroughScorer(DecisionTreeClassifier())
    (metric,) = metrics_of_search(None, passed_on, ["score"], None, survival).values()
    assert metric.scorer is own
    with pytest.raises(TypeError, match="cannot be called on recorded predictions") as error:
        metric.scorer(None, None)
    assert ("concordance_index" in str(error.value)) == survival


def test_one_score_of_a_callable_that_returns_several():
    metrics = metrics_of_search(constant, constant, ["one", "two"], None)
    assert metrics["two"].name == "two"
    assert metrics["two"].scorer(None, None, None) == 2.0
    assert pickle.loads(pickle.dumps(ScoreByName(constant, "one")))(None, None, None) == 1.0


@pytest.mark.parametrize(
    ("scores", "name", "estimator"),
    [
        ([[1.0, 0.5], [1.0, 1.0]], "accuracy", BaseEstimator()),
        ([[1.0, -1.0], [1.0, 1.0]], "r2", BaseEstimator()),
        ([[1.0, 0.7], [1.0, 1.0]], None, BaseEstimator()),
        ([[1.0, 0.5], [1.0, 1.0 - 1e-11]], "accuracy", BaseEstimator()),
        ([[1.0, 0.5], [1.0, 1.0 - 5e-9]], None, BaseEstimator()),
        ([[1.0, 0.5], [1.0, 1.0]], "accuracy", DecisionTreeClassifier()),
        ([[1.0, 0.5], [1.0, 1.0]], None, DecisionTreeRegressor()),
        ([[1.0, -1.0], [1.0, 1.0]], None, DecisionTreeClassifier()),
        ([[1.0, -1.0], [1.0, 1.0]], "r2", DecisionTreeRegressor()),
    ],
)
def test_the_own_score_is_named_only_when_the_name_gives_the_same_scores(scores, name, estimator):
    assert name_of_default_score(OOF, np.array(scores), estimator) == name


def test_the_own_score_of_a_regressor_is_r2():
    """Accuracy cannot be computed on such targets, R2 not on a fold of one sample."""
    y = np.array([0.5, 1.0, 2.5, 4.0, 7.0])
    oof = OOFPredictions.from_rows(
        y_true=y,
        responses={"predict": np.array([y + [0.1, 0, -0.3, 0.5, 1.0]])},
        sample=np.arange(5),
        fold=[0, 0, 1, 1, 2],
    )
    scores = np.array(
        [[r2_score(y[k], y[k] + d)] for k, d in (([0, 1], [0.1, 0]), ([2, 3], [-0.3, 0.5]))]
    )
    assert name_of_default_score(oof, np.r_[scores, [[np.nan]]], DecisionTreeRegressor()) == "r2"


def test_the_own_score_is_not_explained_by_labels_that_were_derived():
    """A classifier's `predict` need not be its most probable class."""
    oof = OOFPredictions.from_rows(
        y_true=[0, 1, 1, 0],
        responses={"predict_proba": LABELS.astype(float)},
        sample=[0, 1, 2, 3],
        fold=[0, 0, 1, 1],
    )
    scores = np.array([[1.0, 0.5], [1.0, 1.0]])
    assert name_of_default_score(oof, scores, DecisionTreeClassifier()) is None
