"""What a recording scorer hears, answers and leaves to the scorer itself."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics._scorer import _PassthroughScorer

from sklearn_bbc.search import _capture as _listening
from sklearn_bbc.search import _responses as _memory
from sklearn_bbc.search._capture import (
    CarriedScore,
    RecordingScorer,
)
from sklearn_bbc.search._responses import FoldResponses
from tests.search.recording.listening import (
    OPTIONS,
    Unasked,
    X,
    Y,
    options,
    recorded,
)


def predicting(estimator, X, y):
    return float(np.mean(estimator.predict(X) == y))


def test_a_keeper_that_stopped_hears_nothing_and_one_that_has_not_counts():
    quiet = options()
    quiet.keeper.stopped = True
    assert type(recorded(predicting, options=quiet)) is float
    counting = options()
    score = recorded(predicting, options=counting)
    assert score.responses.arrays and counting.keeper.give_up()
    assert not score.responses.arrays


class Hungry:
    """Has no memory until something is let go of, and counts its calls."""

    def __init__(self, keeper, enough=2):
        self.keeper, self.enough, self.calls = keeper, enough, 0

    def __call__(self, estimator, X, y):
        self.calls += 1
        if self.calls < self.enough:
            raise MemoryError("full")
        return 0.25


def test_a_scorer_without_memory_is_called_again_once_when_something_can_go(monkeypatch):
    patient = options()
    held = recorded(predicting, options=patient).responses
    with pytest.raises(MemoryError, match="full"):  # too little to be the reason
        recorded(Hungry(patient.keeper), options=patient)
    assert held.arrays and not patient.keeper.stopped
    monkeypatch.setattr(_memory, "HEADROOM_BYTES", 1)
    hungry = options()
    held = recorded(predicting, options=hungry).responses
    scorer = Hungry(hungry.keeper)
    assert recorded(scorer, options=hungry) == 0.25
    assert scorer.calls == 2 and hungry.keeper.stopped and not held.arrays
    empty = options()
    with pytest.raises(MemoryError, match="full"):
        recorded(Hungry(empty.keeper), options=empty)
    # After that there is nothing to let go of: whoever fails, fails.
    stopped = options()
    kept = FoldResponses({"predict": np.zeros(3)})
    stopped.keeper.add(kept)
    stopped.keeper.stopped = True
    scorer = Hungry(stopped.keeper)
    with pytest.raises(MemoryError, match="full"):
        recorded(scorer, options=stopped)
    assert scorer.calls == 1 and kept.arrays


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


def test_want_of_memory_is_told_before_other_problems(monkeypatch):
    errors = iter([ValueError("odd"), MemoryError("full")])

    def pack(self, method, answer):
        raise next(errors)

    monkeypatch.setattr(_listening.ResponsePacker, "pack", pack)
    score = recorded(both_methods, Answering(np.ones(40), np.ones(40)))
    assert score.responses.out_of_memory and score.responses.problem == "MemoryError: full"


class NoKind(BaseEstimator):
    """Neither classifier nor regressor."""

    def predict(self, X):
        return X[:, 0]

    def score(self, X, y=None):
        return 0.5


class RegressorOfItsOwn(RegressorMixin, NoKind):
    def score(self, X, y=None):
        return 0.5


class CannotPredict(Unasked):
    def predict(self, X):
        raise RuntimeError("not now")


@pytest.mark.parametrize(
    ("model", "heard"), [(NoKind(), False), (RegressorOfItsOwn(), True), (CannotPredict(), False)]
)
def test_who_is_asked_behind_an_own_score(model, heard):
    score = RecordingScorer(_PassthroughScorer(model), OPTIONS)(model, X, Y)
    assert score == 0.5 and isinstance(score, CarriedScore) == heard


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
