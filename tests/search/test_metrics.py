import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score, get_scorer, make_scorer, r2_score, roc_auc_score
from sklearn.metrics._scorer import _PassthroughScorer
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sklearn_bbc import OOFPredictions
from sklearn_bbc.search._metrics import (
    ScoreByName,
    metric_names,
    metrics_of_search,
    name_of_default_score,
    own_score,
    own_survival_score,
)

LABELS = np.array([[0, 1, 1, 0], [0, 0, 1, 0]])
OOF = OOFPredictions(
    y_true=[0, 1, 1, 0],
    responses={"predict": LABELS},
    sample=[0, 1, 2, 3],
    fold=[0, 0, 1, 1],
)


def constant(estimator, X, y):
    return {"one": 1.0, "two": 2.0}


class Callable:
    def __call__(self, estimator, X, y):
        return 1.0


def test_names_are_those_of_the_results():
    assert metric_names({"mean_test_a": 0, "std_test_a": 0, "mean_test_b_c": 0}) == ["a", "b_c"]


@pytest.mark.parametrize(
    ("scoring", "scorer", "name"),
    [
        ("roc_auc", get_scorer("roc_auc"), "roc_auc"),
        (get_scorer("roc_auc"), get_scorer("roc_auc"), "roc_auc_score"),
        (make_scorer(accuracy_score), make_scorer(accuracy_score), "accuracy_score"),
        (Callable(), Callable(), "Callable"),
        (None, _PassthroughScorer(DecisionTreeClassifier()), "score"),
    ],
)
def test_a_single_metric_is_named_by_what_it_is(scoring, scorer, name):
    metrics = metrics_of_search(scoring, scorer, ["score"], None)
    assert list(metrics) == ["score"]
    assert metrics["score"].name == name


def test_the_known_own_score_is_the_metric_itself():
    metrics = metrics_of_search(
        None, _PassthroughScorer(DecisionTreeClassifier()), ["score"], "r2"
    )
    assert (metrics["score"].name, metrics["score"].score_func) == ("r2", r2_score)


@pytest.mark.parametrize(("survival", "own"), [(False, own_score), (True, own_survival_score)])
def test_an_own_score_names_the_concordance_index_for_survival_models_only(survival, own):
    passed_on = _PassthroughScorer(DecisionTreeClassifier())
    (metric,) = metrics_of_search(None, passed_on, ["score"], None, survival).values()
    assert metric.scorer is own
    with pytest.raises(TypeError, match="cannot be called on recorded predictions") as error:
        metric.scorer(None, None)
    assert ("concordance_index" in str(error.value)) == survival


def test_several_metrics_keep_their_names():
    scorers = {"mine": get_scorer("roc_auc"), "other": get_scorer("accuracy")}
    metrics = metrics_of_search(["whatever"], scorers, ["mine", "other"], None)
    assert [(key, metric.name) for key, metric in metrics.items()] == [
        ("mine", "mine"),
        ("other", "other"),
    ]
    functions = [metric.score_func for metric in metrics.values()]
    assert functions == [roc_auc_score, accuracy_score]


@pytest.mark.parametrize(("default", "function"), [("r2", r2_score), (None, None)])
def test_the_own_score_among_several_metrics_keeps_the_name_it_was_given(default, function):
    scorers = {
        "own": _PassthroughScorer(DecisionTreeClassifier()),
        "other": get_scorer("accuracy"),
    }
    metrics = metrics_of_search(["whatever"], scorers, ["own", "other"], default)
    assert [metric.name for metric in metrics.values()] == ["own", "other"]
    assert [metric.score_func for metric in metrics.values()] == [function, accuracy_score]


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
    oof = OOFPredictions(
        y_true=y,
        responses={"predict": np.array([y + [0.1, 0, -0.3, 0.5, 1.0]])},
        sample=np.arange(5),
        fold=[0, 0, 1, 1, 2],
    )
    scores = np.array(
        [[r2_score(y[k], y[k] + d)] for k, d in (([0, 1], [0.1, 0]), ([2, 3], [-0.3, 0.5]))]
    )
    assert name_of_default_score(oof, np.r_[scores, [[np.nan]]], DecisionTreeRegressor()) == "r2"


def test_the_own_score_of_models_without_labels_has_no_name():
    oof = OOFPredictions(y_true=[], classes=None, fold_scores={"score": np.ones((2, 1))})
    assert name_of_default_score(oof, np.ones((2, 1)), BaseEstimator()) is None


def test_the_own_score_is_not_explained_by_labels_that_were_derived():
    """A classifier's `predict` need not be its most probable class."""
    oof = OOFPredictions(
        y_true=[0, 1, 1, 0],
        responses={"predict_proba": LABELS.astype(float)},
        sample=[0, 1, 2, 3],
        fold=[0, 0, 1, 1],
    )
    scores = np.array([[1.0, 0.5], [1.0, 1.0]])
    assert name_of_default_score(oof, scores, DecisionTreeClassifier()) is None
