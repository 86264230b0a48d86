"""Whatever happens after the search, in recording or in intervals, the search is there."""

import re
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer
from sklearn.model_selection import KFold, LeaveOneOut
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.exceptions import IntervalWarning, RecordingWarning
from sklearn_bbc.intervals import BBC
from sklearn_bbc.search import _assembly
from sklearn_bbc.search._recording import Recording, Round
from sklearn_bbc.search._responses import FoldResponses
from sklearn_bbc.search._verify import checked_predictions, kept_predictions
from tests.search.small_search import FEW, GRID, TREE, X, Y, search

RESULTS = {"cv_results_", "best_index_", "best_score_", "best_params_", "best_estimator_"}


def assert_search_is_there(found):
    assert set(vars(found)) >= RESULTS
    assert found.predict(X).shape == (90,)
    assert len(found.cv_results_["params"]) >= 2


class Bad(BBC):
    """Warns of itself in several ways, as methods do."""

    name = "bad-in-tests"

    def _estimate(self, oof, kernel):
        raise ValueError("never")


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


@pytest.mark.parametrize("error", [RuntimeError("fault"), MemoryError("fault"), KeyError("fault")])
@pytest.mark.parametrize(
    "place",
    [
        "_stage.kept_predictions",
        "_stage.checked_predictions",
        "_stage.scorer_failures",
        "_stage.name_of_default_score",
        "_stage.metrics_of_search",
        "_stage.SearchState.run",
        "_stage.SearchState._view",
        "_stage.SearchState.best_by_mean",
    ],
)
def test_a_fault_after_the_search_costs_the_intervals_only(monkeypatch, place, error):
    def faulty(*args, **kwargs):
        raise error

    monkeypatch.setattr(f"sklearn_bbc.search.{place}", faulty)
    with pytest.warns((RecordingWarning, IntervalWarning), match="fault"):
        found = search(ci=None, scoring=None).fit(X, Y)
    assert_search_is_there(found)
    with pytest.raises(AttributeError, match="fault"):
        found.bbc_score_  # noqa: B018


@pytest.mark.parametrize("place", ["_stage.kept_predictions", "_stage.checked_predictions"])
def test_an_interrupt_goes_through(monkeypatch, place):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(f"sklearn_bbc.search.{place}", interrupted)
    found = search()
    with pytest.raises(KeyboardInterrupt):
        found.fit(X, Y)
    assert not [name for name in vars(found) if name.endswith("_")]


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
    assert found.ci_.details["n_valid"] == 4


def broken_scorer(estimator, X, y):
    raise RuntimeError("my scorer\nhas a fault")


FAILING = {
    "no_probabilities": (SVC(), {"C": [1, 2]}, "neg_log_loss", "predict_proba"),
    "a_scorer_that_raises": (TREE, GRID, broken_scorer, "RuntimeError: my scorer"),
    "several": (TREE, GRID, {"a": broken_scorer, "b": "accuracy"}, "RuntimeError: my scorer"),
    "auc_of_a_regressor": (Ridge(), {"alpha": [1, 9]}, "roc_auc", "Ridge|predict_proba"),
    "a_function_without_arguments": (TREE, GRID, make_scorer(len), "TypeError"),
}


@pytest.mark.filterwarnings("ignore:Scoring failed", "ignore:One or more of the test scores")
@pytest.mark.parametrize("ci", [None, FEW], ids=["default", "named"])
@pytest.mark.parametrize("name", FAILING)
def test_when_every_score_failed_the_scorers_error_is_told(name, ci):
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


@pytest.mark.filterwarnings("ignore:One or more of the test scores")
def test_folds_that_no_metric_can_score_are_not_a_failing_scorer():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        with pytest.warns(IntervalWarning, match="No configuration has a score in every fold"):
            search(KNeighborsClassifier(), {"n_neighbors": [3, 5]}, cv=LeaveOneOut()).fit(
                X[:20], Y[:20]
            )


class Survival(BaseEstimator):
    """Orders by one column; its own score is a concordance of its own."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, self.column]

    def score(self, X, y):
        return float(np.mean(np.argsort(self.predict(X)) == np.argsort(-y["time"])))


def test_the_own_score_of_survival_models_points_to_the_concordance_index():
    rng = np.random.default_rng(0)
    target = np.empty(90, dtype=[("event", bool), ("time", float)])
    target["event"], target["time"] = rng.random(90) < 0.7, np.exp(-X[:, 0])
    with pytest.warns(IntervalWarning, match='scoring="concordance_index"'):
        found = search(Survival(), {"column": [0, 1]}, scoring=None, ci=None).fit(X, target)
    assert found.ci_.method == "bbcf"
    again = search(Survival(), {"column": [0, 1]}, scoring="concordance_index").fit(X, target)
    assert again.ci_.method == "bbc"


def test_the_own_score_of_other_models_does_not():
    class Own(LogisticRegression):
        def score(self, X, y):
            return super().score(X, y) / 2

    with pytest.warns(IntervalWarning) as caught:
        BBCSearchCV(Own(), {"C": [0.1, 1]}, random_state=0).fit(X, Y)
    assert not any("concordance" in str(each.message) for each in caught)


def test_a_cell_that_had_no_memory_leaves_the_scores_per_fold():
    splits = [(np.array([2, 3]), np.array([0, 1])), (np.array([0, 1]), np.array([2, 3]))]
    lost = FoldResponses({}, problem="MemoryError: ", out_of_memory=True)
    there = FoldResponses({"predict": np.zeros(2)})
    recorded = Recording(rounds=[Round(1, splits)], cells=[there, lost], fit_failed=[False, False])
    results = {"params": [{}], "mean_test_score": np.array([0.5])}
    results |= {f"split{k}_test_score": np.array([0.5]) for k in range(2)}
    with pytest.warns(RecordingWarning, match="not enough memory for the predictions"):
        oof, why = kept_predictions(
            recorded, np.zeros((4, 1)), np.arange(4.0), results, selected=0, classifier=False
        )
    assert recorded.cells == [None, None]
    assert not oof.responses and oof.fold_scores["score"].tolist() == [[0.5], [0.5]]
    assert oof.y_true.tolist() == [0, 1, 2, 3]
    assert why == "memory ran out while predictions were recorded"


def test_without_metrics_nothing_is_left_out():
    found = search(ci=[]).fit(X, Y)
    recorded = Recording(rounds=[], cells=[], fit_failed=[])
    assert checked_predictions(found.oof_, {}, {}, np.nan, recorded) is found.oof_
