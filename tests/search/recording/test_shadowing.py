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

from sklearn_bbc.search.recording._shadowing import (
    LastingShadows,
    Listener,
    ShadowedMethod,
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


def test_two_listeners_share_one_stand_in_and_the_last_gives_the_method_back():
    model = clone(MODEL).fit(X, Y)
    first = Listener(model, X, keep)
    stand_in = vars(model)["predict"]
    second = Listener(model, X, keep)
    assert vars(model)["predict"] is stand_in and stand_in.users == 2
    answer = model.predict(X)
    second.stop()
    assert vars(model)["predict"] is stand_in
    assert first.stop() == {}
    assert "predict" not in vars(model)
    np.testing.assert_array_equal(answer, MODEL.predict(X))


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


def test_lasting_stand_ins_pass_calls_through_and_go_when_released():
    lasting, frozen = LastingShadows(), FrozenEstimator(clone(MODEL).fit(X, Y))
    Listener(frozen, X, keep, lasting).stop()
    assert type(vars(frozen.estimator)["predict"]) is ShadowedMethod
    np.testing.assert_array_equal(frozen.predict(X), MODEL.predict(X))
    lasting.release()
    assert "predict" not in {**vars(frozen), **vars(frozen.estimator)}


def test_private_objects_lose_their_stand_ins_at_once():
    lasting, model = LastingShadows(), clone(MODEL).fit(X, Y)
    Listener(model, X, keep, lasting).stop()
    assert "predict" not in vars(model)


def test_of_answers_to_a_copy_only_a_single_one_is_that_of_the_rows():
    """A scorer may ask about as many rows as there are, but others, so two are too many."""
    for copies, heard in (([X.copy()], True), ([X.copy(), -X], False), ([X[:5]], False)):
        model = clone(MODEL).fit(X, Y)
        listener = Listener(model, X, keep)
        for rows in copies:
            model.predict(rows)
        found = listener.stop()
        assert ("predict" in found) == heard
        if heard:
            np.testing.assert_array_equal(found["predict"], MODEL.predict(X))
