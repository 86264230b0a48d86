"""Stand-ins for methods: on whom, for how long, and what they leave behind."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_bbc.search import _capture as _shadowing
from sklearn_bbc.search._capture import (
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


def listening(model, *, lasting=None, rows=X):
    return Listener(model, rows, keep, lasting)


class Chained:
    """`predict` asks `decision_function`, which the scorer may ask, too."""

    def __init__(self):
        self.fitted_ = True

    def decision_function(self, X):
        return X[:, 0]

    def predict(self, X):
        return self.decision_function(X) > 0


def test_only_the_outermost_call_is_heard_and_depth_is_counted_down_after_an_error():
    model = Chained()
    listener = listening(model)
    with pytest.raises(TypeError):
        model.predict(None)
    answer = model.predict(X)
    assert listener.depth == 0
    heard = listener.stop()
    assert list(heard) == ["predict"]
    np.testing.assert_array_equal(heard["predict"], answer)
    listener = listening(model)
    model.predict(X)
    model.decision_function(X)
    assert set(listener.stop()) == {"predict", "decision_function"}


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
    assert not _shadowing._listeners()


def test_a_listener_knows_its_own_methods_only():
    one, other = clone(MODEL).fit(X, Y), clone(MODEL).fit(X, Y)
    outer, inner = listening(one), listening(other)
    assert outer.knows(vars(one)["predict"]) and not outer.knows(vars(other)["predict"])
    one.predict(X)
    assert inner.stop() == {}
    assert set(outer.stop()) == {"predict"}


def test_of_two_listeners_to_one_model_the_inner_one_hears():
    model = clone(MODEL).fit(X, Y)
    outer, inner = listening(model), listening(model)
    model.predict(X)
    assert set(inner.stop()) == {"predict"}
    assert outer.stop() == {}


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


def test_what_travels_is_a_stand_in_that_nobody_uses():
    model = clone(MODEL).fit(X, Y)
    model.predict = model.predict  # stands in the instance
    listener = listening(model)
    again = pickle.loads(pickle.dumps(model))
    listener.stop()
    stand_in = vars(again)["predict"]
    assert stand_in.users == 0 and stand_in.original is not None
    np.testing.assert_array_equal(again.predict(X), MODEL.predict(X))
    assert type(pickle.loads(pickle.dumps(LastingShadows()))) is LastingShadows
    assert pickle.loads(pickle.dumps(ShadowedMethod(model, "predict"))).estimator is not None


def test_a_method_of_a_parent_is_found_and_bound():
    class Child(Chained):
        def decision_function(self, X):
            return -super().decision_function(X)

    model = Child()
    listener = listening(model)
    assert vars(model)["decision_function"].__wrapped__.__func__ is Child.decision_function
    assert vars(model)["predict"].__wrapped__.__func__ is Chained.predict
    np.testing.assert_array_equal(model.predict(X), X[:, 0] < 0)
    listener.stop()


@pytest.mark.parametrize("name", ["best_estimator_", "estimator_", "estimator"])
def test_an_inner_model_is_found_under_the_usual_names(name):
    class Wrapper:
        pass

    outer, inner = Wrapper(), clone(MODEL).fit(X, Y)
    setattr(outer, name, inner)
    assert [part for part, _ in _scored_parts(outer)] == [outer, inner]
    setattr(outer, name, "no model")
    assert [part for part, _ in _scored_parts(outer)] == [outer]


def test_a_score_that_asks_its_own_predict_is_not_looked_behind():
    class Asking(ClassifierMixin):
        pass

    class Owner:
        def score(self, X, y):
            return 0.0

    for owner, n_parts in ((Asking(), 1), (Owner(), 2)):
        owner.estimator = clone(MODEL).fit(X, Y)
        assert len(list(_scored_parts(owner))) == n_parts
    assert len(list(_scored_parts(Pipeline([])))) == 1


def test_the_first_argument_is_the_rows_whatever_comes_after():
    class Flagged(Chained):
        def predict(self, X, flag=None):
            return X[:, 0] > 0

    model = Flagged()
    listener = listening(model)
    model.predict(X, "flag")
    model.decision_function(X=X)
    assert set(listener.stop()) == {"predict", "decision_function"}


def test_a_method_that_the_scorer_replaced_keeps_no_other_from_going_back():
    model = clone(MODEL).fit(X, Y)
    listener = listening(model)
    model.predict = len
    listener.stop()
    assert vars(model)["predict"] is len
    assert not {"predict_proba", "decision_function"} & set(vars(model))
