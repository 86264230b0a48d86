"""What is heard while a scorer runs, and that nobody notices the listening."""

import copy
import inspect
import pickle
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, get_scorer, log_loss, make_scorer
from sklearn.metrics._scorer import _PassthroughScorer, _Scorer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.recording import _capture
from sklearn_bbc.recording._capture import (
    CarriedScore,
    LastingShadows,
    Listener,
    RecordingOptions,
    RecordingScorer,
    _scored_parts,
    asked_by,
    to_numpy,
)

X = np.random.RandomState(0).normal(size=(40, 3))
Y = (X[:, 0] > 0).astype(int)
MODEL = LogisticRegression().fit(X, Y)
OPTIONS = RecordingOptions(return_train_score=False, binary=True)
CALLS = Counter()


def recorded(scorer, model=MODEL, X=X, options=OPTIONS, **kwargs):
    return RecordingScorer(scorer, options)(model, X, Y[: len(X)], **kwargs)


class Counted(ClassifierMixin, BaseEstimator):
    """Sign of the first column; counts every call of every method."""

    def __init__(self, threshold=0.0):
        self.threshold = threshold

    def fit(self, X, y):
        CALLS["fit"] += 1
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        CALLS["decision_function"] += 1
        return X[:, 0] - self.threshold

    def predict(self, X):
        CALLS["predict"] += 1
        return self.classes_[(self.decision_function(X) > 0).astype(int)]

    def predict_proba(self, X):
        CALLS["predict_proba"] += 1
        positive = 1 / (1 + np.exp(-self.decision_function(X)))
        return np.column_stack([1 - positive, positive])

    def score(self, X, y):
        CALLS["score"] += 1
        return super().score(X, y)


class Unasked(ClassifierMixin, BaseEstimator):
    """Its own score asks no method that others can hear."""

    classes_ = np.array([0, 1])

    def fit(self, X, y):
        return self

    def predict(self, X):
        return (X[:, 0] > 0).astype(int)

    def score(self, X, y=None):
        return 0.5


def options(**fields):
    return RecordingOptions(**{"return_train_score": False, "binary": True, **fields})


def score_of_an_inner_attribute(estimator, X, y):
    return estimator.threshold


@pytest.mark.one_in(3)
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


class OfItsOwn(_Scorer):
    """May call whatever it likes."""


def test_of_others_it_is_not_known():
    model = LogisticRegression()
    unknown = [
        _PassthroughScorer(model),
        lambda estimator, X, y: estimator.score(X, y),
        OfItsOwn(accuracy_score, 1, {}, "predict"),
        # Asks `predict_proba` of the estimator, which is to be heard.
        _Scorer(log_loss, -1, {}, "predict_log_proba"),
    ]
    for scorer in unknown:
        assert asked_by([scorer]) is None
        assert asked_by([get_scorer("accuracy"), scorer]) is None


def stand_ins(model, asked):
    listener = Listener(model, X, lambda name, answer: answer, None, asked)
    parts = [model, model[-1]]
    found = [sorted({"predict", "predict_proba"} & set(vars(part))) for part in parts]
    listener.stop()
    return found


def test_nothing_else_is_listened_to():
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y)
    assert stand_ins(model, ("predict",)) == [["predict"], []]
    assert stand_ins(model, None) == [["predict", "predict_proba"]] * 2
    assert vars(model[-1]).keys() == vars(LogisticRegression().fit(X, Y)).keys()


class OwnAttribute(ClassifierMixin, BaseEstimator):
    """Its `predict` is made in `fit` and stands in the instance."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.predict = lambda X: (X[:, 0] > 0).astype(int)
        return self


def test_a_predict_that_stands_in_the_instance_is_heard_and_given_back():
    model = OwnAttribute().fit(X, Y)
    own = model.predict
    score = recorded(lambda est, X, y: float(np.mean(est.predict(X) == y)), model)
    assert score.responses.arrays["predict"].tolist() == Y.tolist()
    assert vars(model)["predict"] is own


def test_a_predict_that_the_scorer_replaces_stays_replaced():
    model = Counted().fit(X, Y)
    other = lambda X: np.zeros(len(X), dtype=int)  # noqa: E731

    def replacing(estimator, X, y):
        estimator.predict = other
        return float(np.mean(estimator.predict(X) == y))

    recorded(replacing, model)
    assert vars(model)["predict"] is other


class WithoutTags(Unasked):
    def __sklearn_tags__(self):
        raise RuntimeError("no tags")


class CannotPredict(Unasked):
    def predict(self, X):
        raise RuntimeError("not now")


class NoKind(BaseEstimator):
    """Neither classifier nor regressor."""

    def predict(self, X):
        return (X[:, 0] > 0).astype(int)

    def score(self, X, y=None):
        return 0.5


class RegressorOfItsOwn(RegressorMixin, NoKind):
    score = NoKind.score


@pytest.mark.parametrize(
    ("model", "scorer", "target", "captured"),
    [
        (Unasked(), _PassthroughScorer, (Y,), True),
        (Unasked(), _PassthroughScorer, (None,), False),
        (Unasked(), _PassthroughScorer, (), False),
        (Unasked(), lambda model: lambda estimator, X, *y: 0.5, (Y,), False),
        (RegressorOfItsOwn(), _PassthroughScorer, (Y,), True),
        (NoKind(), _PassthroughScorer, (Y,), False),
        (WithoutTags(), _PassthroughScorer, (Y,), False),
        (CannotPredict(), _PassthroughScorer, (Y,), False),
    ],
    ids=["own score", "no target", "no argument", "callable", "regressor", "no kind", "no tags",
         "no predictions"],
)  # fmt: skip
def test_predictions_are_asked_for_only_behind_an_own_score(model, scorer, target, captured):
    score = RecordingScorer(scorer(model), OPTIONS)(model, X, *target)
    assert score == 0.5 and isinstance(score, CarriedScore) == captured
    if captured:
        np.testing.assert_array_equal(score.responses.arrays["predict"], Y)


class Foreign:
    """An array of another library, as far as NumPy can see."""

    def __init__(self, values):
        self.values = values

    def __array_namespace__(self):
        return "theirs"

    def __array__(self, dtype=None, copy=None):
        raise TypeError("on another device")


def test_arrays_of_other_libraries_are_brought_to_numpy(monkeypatch):
    monkeypatch.setattr(_capture, "get_namespace", lambda array: [array.__array_namespace__()])
    monkeypatch.setattr(
        _capture, "_convert_to_numpy", lambda array, theirs: [theirs, *array.values]
    )
    found = to_numpy(Foreign(["a"]))
    assert type(found) is np.ndarray and found.tolist() == ["theirs", "a"]
    assert to_numpy(X) is X
    assert to_numpy([1, 2]).tolist() == [1, 2]


def predicting(estimator, X, y):
    return float(np.mean(estimator.predict(X) == y))


class Hungry:
    """Has no memory in the first of its calls, and counts them."""

    def __init__(self, enough):
        self.enough, self.calls = enough, 0

    def __call__(self, estimator, X, y):
        self.calls += 1
        estimator.predict(X)
        if self.calls < self.enough:
            raise MemoryError("full")
        return 0.25


def test_a_scorer_without_memory_is_called_once_more_without_recording():
    scorer = Hungry(enough=2)
    score = recorded(scorer)
    assert score == 0.25 and scorer.calls == 2
    assert not score.responses.arrays and score.responses.out_of_memory
    assert score.responses.problem == "MemoryError: full"
    scorer = Hungry(enough=3)  # its own fault
    with pytest.raises(MemoryError, match="full"):
        recorded(scorer)
    assert scorer.calls == 2


class Answering(BaseEstimator):
    """Answers as it is told to."""

    def __init__(self, predict=None, decide=None):
        self.answers = {"predict": predict, "decide": decide}

    def predict(self, X):
        return self.answers["predict"]

    def decision_function(self, X):
        return self.answers["decide"]


def both_methods(estimator, X, y):
    estimator.predict(X)
    estimator.decision_function(X)
    return 0.5


def test_an_answer_that_cannot_be_kept_costs_no_other():
    ragged, whole = [[1], [2, 3]], np.ones(40)
    score = recorded(both_methods, Answering(ragged, whole))
    assert list(score.responses.arrays) == ["decision_function"]
    assert score.responses.problem.startswith("ValueError: ")
    assert not score.responses.out_of_memory
    score = recorded(both_methods, Answering(ragged, [[1, 2], [3]]))
    assert not score.responses.arrays and score.responses.problem.startswith("ValueError: ")
    score = recorded(both_methods, Answering(whole, whole))
    assert set(score.responses.arrays) == {"predict", "decision_function"}
    assert score.responses.problem is None


def test_want_of_memory_is_reported_before_other_problems(monkeypatch):
    errors = iter([ValueError("odd"), MemoryError("full")])

    def pack(self, method, answer):
        raise next(errors)

    monkeypatch.setattr(_capture.ResponsePacker, "pack", pack)
    score = recorded(both_methods, Answering(np.ones(40), np.ones(40)))
    assert score.responses.out_of_memory and score.responses.problem == "MemoryError: full"


class Unwatched:
    """Takes attributes, but no weak reference."""

    __slots__ = ("__dict__",)

    def predict(self, X):
        return np.ones(len(X))


def test_a_model_that_cannot_be_watched_is_known_by_being_kept():
    both, model = options(return_train_score=True), Unwatched()
    kinds = [type(recorded(predicting, model, options=both)) for _ in range(4)]
    assert kinds == [CarriedScore, float] * 2
    assert type(recorded(predicting, Unwatched(), options=both)) is CarriedScore
    assert type(recorded(predicting, Unwatched(), options=both)) is CarriedScore


class Meeting(BaseEstimator):
    """Answers when as many threads as expected are inside, each with its own rows."""

    def __init__(self, barrier=None):
        self.barrier = barrier

    def __sklearn_clone__(self):
        return self

    def predict(self, X):
        self.barrier.wait(timeout=20)
        answer = X[:, 0] * 2
        self.barrier.wait(timeout=20)
        return answer


def in_threads(*calls):
    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


def test_each_thread_hears_only_its_own_calls_of_a_shared_model():
    shared, parts = Meeting(threading.Barrier(4)), np.split(X, 4)
    before = dict(vars(shared))

    def scored(part):
        scorer = lambda est, X, y: float(est.predict(X).sum())  # noqa: E731
        return lambda: recorded(scorer, shared, part)

    for score, part in zip(in_threads(*map(scored, parts)), parts):
        np.testing.assert_array_equal(score.responses.arrays["predict"], part[:, 0] * 2)
    # Other threads may walk over its attributes: these stay until the search ends.
    assert "predict" in vars(shared)
    OPTIONS.lasting.release()
    assert vars(shared) == before


def test_a_thread_that_does_not_score_is_not_heard():
    shared, parts = Meeting(threading.Barrier(2)), np.split(X, 2)
    score, answer = in_threads(
        lambda: recorded(lambda est, X, y: float(est.predict(X).sum()), shared, parts[0]),
        lambda: shared.predict(parts[1]),
    )
    np.testing.assert_array_equal(score.responses.arrays["predict"], parts[0][:, 0] * 2)
    np.testing.assert_array_equal(answer, parts[1][:, 0] * 2)


def test_a_scoring_inside_a_scoring_has_a_listener_of_its_own():
    inner_scores = []

    def outer(estimator, X, y):
        inner_scores.append(recorded(get_scorer("accuracy"), estimator, X[:7]))
        return accuracy_score(y, estimator.predict(X))

    score = recorded(outer)
    np.testing.assert_array_equal(score.responses.arrays["predict"], MODEL.predict(X))
    np.testing.assert_array_equal(
        inner_scores[0].responses.arrays["predict"], MODEL.predict(X[:7])
    )
    assert "predict" not in vars(MODEL)


def keep(name, answer):
    return answer.copy()


@pytest.mark.parametrize(
    ("estimator", "names", "shared"),
    [
        (MODEL, ["LogisticRegression"], [False]),
        (RandomForestClassifier(3).fit(X, Y), ["RandomForestClassifier"], [False]),
        (RFE(MODEL).fit(X, Y), ["RFE", "LogisticRegression"], [False] * 2),
        (GridSearchCV(MODEL, {}).fit(X, Y), ["GridSearchCV", "LogisticRegression"], [False] * 2),
        (FrozenEstimator(MODEL), ["FrozenEstimator", "LogisticRegression"], [True] * 2),
        (
            make_pipeline(StandardScaler(), FrozenEstimator(RFE(MODEL).fit(X, Y))),
            ["Pipeline", "FrozenEstimator", "RFE", "LogisticRegression"],
            [False, True, True, True],
        ),
        (make_pipeline(StandardScaler(), "passthrough"), ["Pipeline", "str"], [False] * 2),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else "",
)
def test_listened_to_is_whoever_may_be_asked_by_score(estimator, names, shared):
    parts = list(_scored_parts(estimator))
    assert [type(part).__name__ for part, _ in parts] == names
    assert [each for _, each in parts] == shared


def test_an_estimator_that_holds_itself_is_walked_once():
    class Circle:
        def score(self, X, y):
            return 0.0

    circle = Circle()
    circle.estimator = circle
    assert [part for part, _ in _scored_parts(circle)] == [circle]


def test_a_shallow_copy_that_takes_a_stand_in_along_gets_one_of_its_own():
    model = clone(MODEL).fit(X, Y)
    listener = Listener(model, X, keep)
    other = copy.copy(model)
    other.coef_ = -model.coef_
    captured = Listener(other, X, keep)
    answer = other.predict(X)
    np.testing.assert_array_equal(captured.stop()["predict"], answer)
    assert "predict" not in vars(other)
    listener.stop()
    np.testing.assert_array_equal(answer, other.predict(X))


def listening(model, *, lasting=None, rows=X):
    return Listener(model, rows, keep, lasting)


def test_what_cannot_be_shadowed_leaves_no_trace_on_the_others(monkeypatch):
    pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y)
    shadowed = _capture._shadowed

    def failing(estimator, name):
        if estimator is pipeline.steps[-1][1]:
            raise RuntimeError("no attribute for you")
        return shadowed(estimator, name)

    monkeypatch.setattr(_capture, "_shadowed", failing)
    with pytest.raises(RuntimeError, match="no attribute"):
        listening(pipeline)
    assert "predict" not in vars(pipeline)
    assert not _capture._thread.listeners


def test_a_lasting_stand_in_counts_the_search_as_one_user():
    lasting, frozen = LastingShadows(), FrozenEstimator(clone(MODEL).fit(X, Y))
    first, second = (listening(frozen, lasting=lasting) for _ in range(2))
    stand_in = vars(frozen.estimator)["predict"]
    assert stand_in.users == 3  # two listeners and the search
    first.stop()
    second.stop()
    assert stand_in.users == 1 and vars(frozen.estimator)["predict"] is stand_in
    lasting.release()
    assert stand_in.users == 0 and "predict" not in vars(frozen.estimator)
    lasting.release()  # holds nothing any more
    assert stand_in.users == 0
