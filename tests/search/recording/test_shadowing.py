"""Stand-ins for methods: on whom, for how long, and what they leave behind."""

import copy

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_bbc.search import _capture as _shadowing
from sklearn_bbc.search._capture import (
    LastingShadows,
    Listener,
    _scored_parts,
)

X = np.random.RandomState(0).normal(size=(30, 3))
Y = (X[:, 0] > 0).astype(int)
MODEL = LogisticRegression().fit(X, Y)


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
    heard = Listener(other, X, keep)
    answer = other.predict(X)
    np.testing.assert_array_equal(heard.stop()["predict"], answer)
    assert "predict" not in vars(other)
    listener.stop()
    np.testing.assert_array_equal(answer, other.predict(X))


def listening(model, *, lasting=None, rows=X):
    return Listener(model, rows, keep, lasting)


def test_what_cannot_be_shadowed_leaves_no_trace_on_the_others(monkeypatch):
    pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y)
    shadowed = _shadowing._shadowed

    def failing(estimator, name):
        if estimator is pipeline.steps[-1][1]:
            raise RuntimeError("no attribute for you")
        return shadowed(estimator, name)

    monkeypatch.setattr(_shadowing, "_shadowed", failing)
    with pytest.raises(RuntimeError, match="no attribute"):
        listening(pipeline)
    assert "predict" not in vars(pipeline)
    assert not _shadowing._thread.listeners


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
