"""What is heard while a scorer runs, and that nobody notices the listening."""

import copy
import inspect
import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, get_scorer, make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
from sklearn.utils import get_tags

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.search._capture import (
    CarriedScore,
    RecordingMultimetricScorer,
    RecordingOptions,
    RecordingScorer,
)
from sklearn_bbc.search._responses import FoldResponses
from tests.search.recording.listening import CALLS, MODEL, OPTIONS, Counted, X, Y, recorded


def score_of_an_inner_attribute(estimator, X, y):
    return estimator.threshold


@pytest.mark.parametrize("train_too", [False, True])
@pytest.mark.parametrize(
    "scoring",
    [
        None,
        "roc_auc",
        "neg_log_loss",
        ["accuracy", "roc_auc", "f1"],
        score_of_an_inner_attribute,
        make_scorer(accuracy_score),
    ],
    ids=["own_score", "roc_auc", "neg_log_loss", "several", "callable", "make_scorer"],
)
def test_no_method_is_called_more_often_than_by_grid_search(scoring, train_too):
    options = {
        "scoring": scoring,
        "cv": 3,
        "refit": "f1" if isinstance(scoring, list) else True,
        "return_train_score": train_too,
    }
    calls = []
    for search in (GridSearchCV, lambda *args, **kw: BBCSearchCV(*args, ci=[], **kw)):
        CALLS.clear()
        search(Counted(), {"threshold": [-0.5, 0.0, 0.5]}, **options).fit(X, Y)
        calls.append(dict(CALLS))
    assert calls[0] == calls[1]
    assert calls[0]["fit"] == 10


def test_a_carried_score_is_a_float_that_survives_the_way_home():
    score = CarriedScore(0.5, FoldResponses({"predict": np.arange(3)}))
    assert score == 0.5 and f"{score:.2f}" == "0.50" and isinstance(score, float)
    again = pickle.loads(pickle.dumps(score))
    assert type(again) is CarriedScore
    np.testing.assert_array_equal(again.responses.arrays["predict"], np.arange(3))


def test_only_the_outermost_call_is_kept():
    model = Counted().fit(X, Y)
    assert set(recorded(get_scorer("accuracy"), model).responses.arrays) == {"predict"}


def test_the_methods_are_given_back_even_when_the_scorer_raises():
    def failing(estimator, X, y):
        estimator.predict(X)
        raise RuntimeError("scorer")

    before = dict(vars(MODEL))
    with pytest.raises(RuntimeError, match="scorer"):
        recorded(failing)
    assert vars(MODEL) == before


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))]
)
def test_copies_that_a_scorer_makes_work_and_are_not_listened_to(duplicate):
    copies = []

    def copying(estimator, X, y):
        copies.append(duplicate(estimator))
        return accuracy_score(y, copies[0].predict(X))

    score = recorded(copying)
    assert type(score) is float
    assert vars(copies[0])["predict"].users == 0
    np.testing.assert_array_equal(copies[0].predict(X), MODEL.predict(X))


def test_a_converted_x_is_recognised_by_its_rows():
    score = recorded(lambda estimator, X, y: accuracy_score(y, estimator.predict(X + 0)))
    np.testing.assert_array_equal(score.responses.arrays["predict"], MODEL.predict(X))


def test_the_scorers_own_x_comes_before_others():
    def disturbing(estimator, X, y):
        estimator.predict(-X)
        return accuracy_score(y, estimator.predict(X))

    score = recorded(disturbing)
    np.testing.assert_array_equal(score.responses.arrays["predict"], MODEL.predict(X))


class Wavering(BaseEstimator):
    """Predicts something else every time."""

    answers = 0

    def predict(self, X):
        self.answers += 1
        return np.full(len(X), self.answers)


def test_of_several_answers_for_the_same_x_the_first_is_kept():
    score = recorded(lambda est, X, y: float(np.sum(est.predict(X) - est.predict(X))), Wavering())
    assert set(score.responses.arrays["predict"]) == {1}


def test_several_other_x_are_ambiguous_and_nothing_is_kept():
    def permuting(estimator, X, y):
        return np.mean([accuracy_score(y, estimator.predict(X[::step])) for step in (1, -1)])

    assert type(recorded(permuting)) is np.float64


def test_x_of_another_length_or_none_is_not_kept():
    def partial(estimator, X, y):
        estimator.predict(X[:5])
        return 1.0

    assert type(recorded(partial)) is float


def test_x_as_keyword_is_heard():
    score = recorded(lambda estimator, X, y: float(np.mean(estimator.predict(X=X) == y)))
    assert "predict" in score.responses.arrays


def test_the_signature_of_a_method_can_be_asked():
    def asking(estimator, X, y):
        assert list(inspect.signature(estimator.predict).parameters) == ["X"]
        return accuracy_score(y, estimator.predict(X))

    assert isinstance(recorded(asking), CarriedScore)


def test_methods_that_are_not_available_stay_unavailable():
    def asking(estimator, X, y):
        assert not hasattr(estimator, "predict_proba")
        return accuracy_score(y, estimator.predict(X))

    assert isinstance(recorded(asking, SVC().fit(X, Y)), CarriedScore)


class Delegating:
    """A model that hands out the methods of another one."""

    def __init__(self, model):
        self.model = model

    def __getattr__(self, name):
        if name.startswith("__") or name == "model":
            raise AttributeError(name)
        return getattr(self.model, name)


def test_methods_from_getattr_are_heard():
    score = recorded(lambda est, X, y: accuracy_score(y, est.predict(X)), Delegating(MODEL))
    np.testing.assert_array_equal(score.responses.arrays["predict"], MODEL.predict(X))


class Guarded(LogisticRegression):
    """Has a response method that raises when it is looked at."""

    @property
    def decision_function(self):
        raise RuntimeError("not this one")


def test_a_property_that_raises_is_the_scorers_business():
    model = Guarded()
    vars(model).update(vars(MODEL))
    score = recorded(lambda est, X, y: float(est.predict_log_proba is not None), model)
    assert type(score) is float


class Slotted:
    """No attributes can be set on it, and no weak references."""

    __slots__ = ()

    def predict(self, X):
        return np.ones(len(X))


@pytest.mark.parametrize("train_too", [False, True])
def test_a_model_without_attributes_is_scored_without_recording(train_too):
    model = Slotted()
    options = RecordingOptions(train_too, binary=True)
    for _ in range(2):
        score = recorded(lambda est, X, y: float(est.predict(X).mean()), model, options=options)
        assert type(score) is float


def test_of_test_and_train_scoring_only_the_first_is_kept():
    options = RecordingOptions(return_train_score=True, binary=True)
    for _ in range(2):  # the same model again counts as a new one
        assert isinstance(recorded(get_scorer("accuracy"), options=options), CarriedScore)
        assert type(recorded(get_scorer("accuracy"), options=options)) is float


def test_a_problem_with_the_answers_travels_instead_of_raising():
    score = recorded(lambda est, X, y: len(est.predict(X)) / 1.0, Ragged())
    assert score == 2.0
    assert "inhomogeneous" in score.responses.problem


class Ragged(BaseEstimator):
    def predict(self, X):
        return [[1, 2], [3]]


@pytest.mark.parametrize("value", ["text", None, np.array([1.0, 2.0])], ids=str)
def test_what_is_no_score_is_left_to_scikit_learn(value):
    result = recorded(lambda est, X, y: (est.predict(X), value)[1])
    assert result is value


@pytest.mark.parametrize("value", [True, np.float32(0.5), np.int64(1), 1])
def test_numbers_of_all_kinds_carry(value):
    score = recorded(lambda est, X, y: (est.predict(X), value)[1])
    assert type(score) is CarriedScore and score == value


def test_of_several_scores_the_first_number_carries():
    scores = recorded(
        lambda est, X, y: {"error": "text", "a": float(est.predict(X).mean()), "b": 1.0}
    )
    assert [type(value) for value in scores.values()] == [str, CarriedScore, float]


def test_several_scores_without_a_number_are_left_alone():
    scores = recorded(lambda est, X, y: {"error": str(est.predict(X).mean())})
    assert list(map(type, scores.values())) == [str]


def test_a_recording_scorer_looks_like_the_scorer():
    scorer = get_scorer("roc_auc")
    recording = RecordingScorer(scorer, OPTIONS)
    assert repr(recording) == repr(scorer)
    assert inspect.signature(recording) == inspect.signature(scorer)
    assert recording._response_method == scorer._response_method
    assert repr(recording.get_metadata_routing()) == repr(scorer.get_metadata_routing())
    again = pickle.loads(pickle.dumps(recording))
    assert again(MODEL, X, Y) == scorer(MODEL, X, Y)
    assert not hasattr(recording, "__array__")


def test_a_recording_multimetric_scorer_gives_the_same_scores():
    scorers = {name: get_scorer(name) for name in ("accuracy", "roc_auc")}
    recording = RecordingMultimetricScorer(scorers=scorers, raise_exc=True, options=OPTIONS)
    scores = recording(MODEL, X, Y)
    assert scores == {name: scorer(MODEL, X, Y) for name, scorer in scorers.items()}
    assert set(scores["accuracy"].responses.arrays) == {"predict", "decision_function"}


def test_tags_of_a_model_can_be_read_by_a_scorer():
    def reading(estimator, X, y):
        assert get_tags(estimator).estimator_type == "classifier"
        return accuracy_score(y, estimator.predict(X))

    assert isinstance(recorded(reading), CarriedScore)
