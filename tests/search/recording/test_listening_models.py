"""Models that write into their answers, or hide, lend or replace their methods."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics._scorer import _PassthroughScorer

from sklearn_bbc.search import _responses
from sklearn_bbc.search._capture import CarriedScore, RecordingScorer
from sklearn_bbc.search._responses import to_numpy
from tests.search.recording.listening import OPTIONS, Counted, Unasked, X, Y, recorded


class Held:
    """An array-like that hands out its own array."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values

    def __len__(self):
        return len(self.values)


class HandsOutItsArray(BaseEstimator):
    def predict(self, X):
        self.held = Held(X[:, 0].copy())
        return self.held


def test_an_array_like_that_hands_out_its_own_array_is_copied():
    def writing(estimator, X, y):
        answer = estimator.predict(X)
        answer.values[:] = 7
        return 1.0

    kept = recorded(writing, HandsOutItsArray()).responses.arrays["predict"]
    np.testing.assert_array_equal(kept, X[:, 0])


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


@pytest.mark.parametrize(
    ("scorer", "target", "heard"),
    [
        (_PassthroughScorer(Unasked()), (Y,), True),
        (_PassthroughScorer(Unasked()), (None,), False),
        (_PassthroughScorer(Unasked()), (), False),
        (lambda estimator, X, *y: 0.5, (Y,), False),
    ],
    ids=["own score", "no target", "no argument", "callable"],
)
def test_predictions_are_asked_for_only_behind_an_own_score(scorer, target, heard):
    score = RecordingScorer(scorer, OPTIONS)(Unasked(), X, *target)
    assert score == 0.5 and isinstance(score, CarriedScore) == heard
    if heard:
        np.testing.assert_array_equal(score.responses.arrays["predict"], Y)


class WithoutTags(Unasked):
    def __sklearn_tags__(self):
        raise RuntimeError("no tags")


def test_an_estimator_whose_kind_cannot_be_told_is_scored_and_not_asked():
    scorer = _PassthroughScorer(WithoutTags())
    score = RecordingScorer(scorer, OPTIONS)(WithoutTags(), X, Y)
    assert score == 0.5 and not isinstance(score, CarriedScore)


class Foreign:
    """An array of another library, as far as NumPy can see."""

    def __init__(self, values):
        self.values = values

    def __array_namespace__(self):
        return "theirs"

    def __array__(self, dtype=None, copy=None):
        raise TypeError("on another device")


def test_arrays_of_other_libraries_are_brought_to_numpy(monkeypatch):
    monkeypatch.setattr(_responses, "get_namespace", lambda array: [array.__array_namespace__()])
    monkeypatch.setattr(
        _responses, "_convert_to_numpy", lambda array, theirs: [theirs, *array.values]
    )
    found = to_numpy(Foreign(["a"]))
    assert type(found) is np.ndarray and found.tolist() == ["theirs", "a"]
    assert to_numpy(X) is X
    assert to_numpy([1, 2]).tolist() == [1, 2]
