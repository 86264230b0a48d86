import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.metrics import r2_score
from sklearn.metrics._scorer import _PassthroughScorer
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning, RecordingWarning
from sklearn_bbc.metrics import concordance_index_score
from sklearn_bbc.recording._checks import (
    ScoreByName,
    metrics_of_search,
    name_of_default_score,
    own_score,
    own_survival_score,
)
from tests.search.small_search import FEW

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


def test_own_scores_in_single_precision_are_recognised():
    """Tensors have scores of seven digits."""
    right = np.array([[2 / 3, 1.0], [1.0, 1 / 3]])
    oof = OOFPredictions.from_rows(
        y_true=[0, 1, 1, 0, 1, 0],
        responses={"predict": [[0, 1, 0, 0, 1, 0], [0, 1, 1, 1, 0, 0]]},
        sample=np.arange(6),
        fold=[0, 0, 0, 1, 1, 1],
    )
    single = right.astype(np.float32).astype(float)
    assert np.abs(single - right).max() > 1e-9
    assert name_of_default_score(oof, single, DecisionTreeClassifier()) == "accuracy"
    assert name_of_default_score(oof, right + 1e-8, DecisionTreeClassifier()) is None


TIMES = np.array([1.0, 2, 3, 4, 5, 6, 7, 8])
SURVIVAL = np.column_stack([[1, 0, 1, 1, 1, 1, 0, 1], TIMES])
GUESS = np.array([2.0, 1, 3, 5, 4, 8, 7, 6])  # of times


def of_guesses(*guesses, dtype=None):
    y = SURVIVAL
    if dtype is not None:
        y = np.array([(bool(e), t) for e, t in SURVIVAL], dtype=dtype)
    return OOFPredictions.from_rows(
        y_true=y, responses={"predict": np.stack(guesses)}, sample=np.arange(8),
        fold=np.arange(8) // 4,
    )  # fmt: skip


@pytest.mark.parametrize("dtype", [None, [("event", bool), ("time", float)]])
def test_the_direction_of_a_survival_models_own_score(dtype):
    folds = [slice(0, 4), slice(4, 8)]
    scores = np.array(
        [[concordance_index_score(SURVIVAL[k], GUESS[k], predicts="time")] for k in folds]
    )
    assert (scores > 0.5).all()
    of_times = name_of_default_score(of_guesses(GUESS, dtype=dtype), scores, BaseEstimator())
    assert of_times._kwargs == {"predicts": "time"}
    of_risks = name_of_default_score(of_guesses(-GUESS, dtype=dtype), scores, BaseEstimator())
    assert of_risks == "concordance_index"
    both = of_guesses(GUESS, -GUESS, dtype=dtype)
    with pytest.warns(RecordingWarning, match="some configurations predict risks and others"):
        assert name_of_default_score(both, np.repeat(scores, 2, 1), BaseEstimator()) is None


class PredictsTimes(BaseEstimator):
    def __init__(self, noise=0.0):
        self.noise = noise

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0] + self.noise * X[:, 1]

    def score(self, X, y):
        return concordance_index_score(y, self.predict(X), predicts="time")


def test_a_search_over_models_that_predict_times_selects_the_best_and_says_so():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.column_stack([np.ones(60), np.exp(X[:, 0])])
    grid = {"noise": [2.0, 0.1]}
    with pytest.warns(IntervalWarning, match="their own score is the concordance index of times"):
        found = BBCSearchCV(PredictsTimes(), grid, cv=KFold(3), ci=FEW, random_state=0).fit(X, y)
    assert (found.best_index_, found.ci_.method) == (1, "bbc")
    assert 0.9 < found.bbc_score_ <= found.best_score_
    with pytest.warns(IntervalWarning, match="Every configuration ranks in reverse"):
        turned = BBCSearchCV(
            PredictsTimes(), grid, cv=KFold(3), ci=FEW, random_state=0, scoring="concordance_index"
        ).fit(X, y)
    assert turned.bbc_score_ < 0.5


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
