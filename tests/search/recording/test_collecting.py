"""Whatever happens after the search, in recording or in intervals, the search is there."""

import re
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer
from sklearn.model_selection import KFold
from sklearn.svm import SVC

from sklearn_bbc.exceptions import IntervalWarning, RecordingWarning
from sklearn_bbc.intervals import BBC
from sklearn_bbc.intervals._base import _INTERVALS
from sklearn_bbc.recording import _assembly, _finished
from sklearn_bbc.search import _estimate
from tests.search.small_search import FEW, GRID, TREE, X, Y, search

RESULTS = {"cv_results_", "best_index_", "best_score_", "best_params_", "best_estimator_"}


def assert_search_is_there(found):
    assert set(vars(found)) >= RESULTS
    assert found.predict(X).shape == (90,)
    assert len(found.cv_results_["params"]) >= 2


class Bad(BBC):
    """Warns of itself in several ways, as methods do."""

    name = "bad-in-tests"

    def _estimate(self, contest):
        raise ValueError("never")


del _INTERVALS[Bad.name]  # tests of every method that is registered do not see it


@pytest.mark.parametrize("n_warnings", [1, 2])
def test_recording_warnings_as_errors_leave_a_fitted_search(monkeypatch, n_warnings):
    def broken(*args, **kwargs):
        raise RuntimeError("out of order")

    monkeypatch.setattr(_assembly.ResponseSheet, "write", broken)
    found = search(ci=None if n_warnings == 2 else [])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RecordingWarning, match="out of order") as caught:
            found.fit(X, Y)
    assert_search_is_there(found)
    notes = getattr(caught.value, "__notes__", [])
    assert len(notes) == n_warnings - 1
    if n_warnings == 2:
        assert "BBC-F's" in notes[0]
        assert found.ci_.method == "bbcf" and found.bbcf_score_ == found.ci_.estimate


def test_interval_warnings_as_errors_leave_a_fitted_search():
    found = search(ci=[Bad(), FEW])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(IntervalWarning, match="never"):
            found.fit(X, Y)
    assert_search_is_there(found)
    assert found.ci_results_["roc_auc"]["bbc"].low < found.bbc_score_


def test_warnings_of_a_finished_search_come_once_and_at_the_users_line(monkeypatch):
    def broken(*args, **kwargs):
        raise RuntimeError("out of order")

    monkeypatch.setattr(_assembly.ResponseSheet, "write", broken)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search(ci=None).fit(X, Y)
    assert [each.category for each in caught] == [RecordingWarning, IntervalWarning]
    assert {each.filename for each in caught} == {__file__}


@pytest.mark.parametrize("error", [RuntimeError("fault"), MemoryError("fault")])
@pytest.mark.parametrize(
    "place", ["kept_predictions", "verified", "default_scorer", "intervals_of"]
)
def test_a_fault_after_the_search_costs_the_intervals_only(monkeypatch, place, error):
    def faulty(*args, **kwargs):
        raise error

    module = _estimate if hasattr(_estimate, place) else _finished
    monkeypatch.setattr(module, place, faulty)
    with pytest.warns((RecordingWarning, IntervalWarning), match="fault"):
        found = search(ci=None, scoring=None).fit(X, Y)
    assert_search_is_there(found)
    with pytest.raises(AttributeError, match="fault"):
        found.bbc_score_  # noqa: B018


class WrongLength(RegressorMixin, BaseEstimator):
    """Answers with a row too many for one configuration; its scorer does not mind."""

    def __init__(self, extra=0):
        self.extra = extra

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.append(X[:, 0], np.zeros(self.extra))


def lenient(estimator, X, y):
    return -float(np.mean((estimator.predict(X)[: len(y)] - y) ** 2))


def test_predictions_of_wrong_length_cost_that_configuration_only():
    with pytest.warns(RecordingWarning, match="19 rows for 18 samples") as caught:
        found = search(WrongLength(), {"extra": [0, 1]}, scoring=lenient, ci=[]).fit(X, X[:, 0])
    assert len(caught) == 1
    assert_search_is_there(found)
    assert np.isnan(found.oof_.responses["predict"]).any(axis=1).tolist() == [False, True]


class RaisesOnce(type(TREE)):
    def predict(self, X):
        if self.max_depth == 1 and X[0, 0] == globals()["X"][0, 0]:
            raise RuntimeError("not this fold")
        return super().predict(X)


def test_a_score_that_fails_in_some_folds_costs_those_configurations():
    model = RaisesOnce(random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = search(model, scoring="accuracy", cv=KFold(5), ci=FEW).fit(X, Y)
    assert not [each for each in caught if each.category is RecordingWarning]
    assert_search_is_there(found)
    shallow = [params["max_depth"] == 1 for params in found.cv_results_["params"]]
    assert (np.isnan(found.cv_results_["mean_test_score"]) == shallow).all()
    assert found.ci_.details["n_valid"] == 2


def broken_scorer(estimator, X, y):
    raise RuntimeError("my scorer\nhas a fault")


FAILING = {
    "no_probabilities": (SVC(), {"C": [1, 2]}, "neg_log_loss", "predict_proba"),
    "a_scorer_that_raises": (TREE, GRID, broken_scorer, "RuntimeError: my scorer"),
    "several": (TREE, GRID, {"a": broken_scorer, "b": "accuracy"}, "RuntimeError: my scorer"),
    "auc_of_a_regressor": (Ridge(), {"alpha": [1, 9]}, "roc_auc", "Ridge|predict_proba"),
    "a_function_without_arguments": (TREE, GRID, make_scorer(len), "TypeError"),
}


@pytest.mark.one_in(3)
@pytest.mark.filterwarnings("ignore:Scoring failed", "ignore:One or more of the test scores")
@pytest.mark.parametrize("ci", [None, FEW], ids=["default", "named"])
@pytest.mark.parametrize("name", FAILING)
def test_when_every_score_failed_the_scorers_error_is_reported(name, ci):
    estimator, grid, scoring, reason = FAILING[name]
    options = {"refit": "a"} if isinstance(scoring, dict) else {}
    with pytest.warns(IntervalWarning, match=reason) as caught:
        found = search(estimator, grid, scoring=scoring, ci=ci, **options).fit(X, Y)
    ours = [str(w.message) for w in caught if issubclass(w.category, IntervalWarning)]
    assert len(ours) == 1
    assert "BBCSearchCV" not in ours[0] and "leave-one-out" not in ours[0]
    assert "Every score" in ours[0] and "\n" not in ours[0]
    assert_search_is_there(found)
    with pytest.raises(AttributeError, match=reason):
        found.bbc_score_  # noqa: B018
    with pytest.raises(ValueError, match=reason):
        found.interval()
    assert re.search(reason, found.summary())


@pytest.mark.filterwarnings("ignore:Scoring failed", "ignore:One or more of the test scores")
def test_without_a_refitted_winner_the_message_says_where_the_error_is():
    with pytest.warns(IntervalWarning, match='error_score="raise"'):
        search(scoring=broken_scorer, refit=False).fit(X, Y)


@pytest.mark.filterwarnings("ignore:Scoring failed")
def test_an_error_score_that_is_a_number_hides_no_failure():
    with pytest.warns(IntervalWarning, match="RuntimeError: my scorer"):
        search(scoring=broken_scorer, error_score=0).fit(X, Y)
