"""What is done and known when a search is finished; no fault of that stage costs the search."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc.exceptions import IntervalWarning, RecordingWarning
from sklearn_bbc.search import BBCSearchMixin, DropClearlyWorse, _estimate
from tests.search.fitted_searches import Undeclared, worst
from tests.search.small_search import FEW, GRID, TREE, X, Y, search


@pytest.mark.parametrize("stage", ["kept_predictions", "scorer_failures", "verified"])
def test_an_unforeseen_fault_costs_the_intervals_only(stage, monkeypatch):
    def broken(*given, **named):
        raise RuntimeError("the stage is broken")

    expected = search(ci=FEW).fit(X, Y)
    monkeypatch.setattr(_estimate, stage, broken)
    with pytest.warns(RecordingWarning, match="RuntimeError: the stage is broken"):
        found = search(ci=FEW).fit(X, Y)
    assert found.best_params_ == expected.best_params_
    assert found.best_score_ == expected.best_score_
    assert found.predict(X).shape == Y.shape
    for attribute in ("ci_", "bbc_score_", "optimism_", "optimism_parts_"):
        with pytest.raises(AttributeError, match="the stage is broken"):
            getattr(found, attribute)


def test_an_interrupt_leaves_nothing_half_fitted(monkeypatch):
    def interrupted(*given, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr(_estimate, "kept_predictions", interrupted)
    found = search(ci=FEW)
    with pytest.raises(KeyboardInterrupt):
        found.fit(X, Y)
    assert not [name for name in vars(found) if name.endswith("_") and name != "scorer_"]


def test_optimism_is_the_difference_of_the_two_scores_and_has_two_parts():
    found = search(ci=FEW).fit(X, Y)
    assert found.optimism_ == found.best_score_ - found.bbc_score_
    assert set(found.optimism_parts_) == {"pooling", "selection"}
    assert sum(found.optimism_parts_.values()) == pytest.approx(found.optimism_, abs=1e-12)


def test_a_fault_in_the_intervals_costs_no_more_than_these(monkeypatch):
    def broken(*given, **named):
        raise RuntimeError("the intervals are broken")

    monkeypatch.setattr(_estimate.SearchState, "run", broken)
    with pytest.warns(RecordingWarning, match="RuntimeError: the intervals are broken"):
        found = search(ci=FEW).fit(X, Y)
    assert found.oof_.n_configs == 6 and found.best_score_ > 0.5
    with pytest.raises(AttributeError, match="the intervals are broken"):
        found.ci_  # noqa: B018


def test_a_search_that_is_interrupted_again_is_not_fitted(monkeypatch):
    def interrupted(*given, **named):
        raise KeyboardInterrupt

    found = search(ci=FEW).fit(X, Y)
    monkeypatch.setattr(_estimate, "kept_predictions", interrupted)
    with pytest.raises(KeyboardInterrupt):
        found.fit(X, Y)
    with pytest.raises(NotFittedError, match="no ci_ yet"):
        found.ci_  # noqa: B018


def test_a_function_that_is_too_slow_leaves_the_reason(monkeypatch):
    monkeypatch.setattr("sklearn_bbc.search._estimate.MOST_SECONDS", 0)
    with pytest.warns(IntervalWarning, match="calls of the refit function would take"):
        found = search(ci=FEW, refit=worst).fit(X, Y)
    for attribute in ("ci_", "ci_results_", "bbc_score_", "bbcf_score_", "optimism_parts_"):
        with pytest.raises(AttributeError, match="calls of the refit function would take"):
            getattr(found, attribute)


def best_of_those_with_training_scores(results):
    """Selects as the best mean does, but draws have no training scores."""
    assert len(results["mean_train_score"])
    return int(results["mean_test_score"].argmax())


def test_a_rule_that_cannot_be_repeated_is_told_where_it_selects_the_best_too():
    with pytest.warns(IntervalWarning, match="rule of `refit` cannot be repeated in the draws"):
        refit = best_of_those_with_training_scores
        found = search(ci=FEW, refit=refit, return_train_score=True).fit(X, Y)
    assert any("select by the best score instead" in note for note in found.ci_.details["notes"])
    assert found.ci_.details["winner"] == found.best_index_


@pytest.mark.parametrize(
    ("estimator", "grid"),
    [
        (IsolationForest(n_estimators=5, random_state=0), {"max_samples": [10, 20]}),
        (Undeclared(), {"depth": [1, 2]}),
        (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2]}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_target_holds_classes_for_all_that_predict_them(estimator, grid):
    y = np.where(Y == 1, 1, -1)
    found = search(estimator, grid, scoring="accuracy", ci=FEW, cv=3).fit(X, y)
    assert found.oof_.classes_.tolist() == [-1, 1]
    assert found.ci_.details["winner"] == found.best_index_


def test_the_target_of_a_regressor_holds_none():
    found = search(Ridge(), {"alpha": [0.1, 1]}, scoring="r2", ci=FEW, cv=3).fit(X, Y)
    assert found.oof_.classes_ is None


def test_without_a_record_every_answer_says_why():
    found = search(ci=None, record=False).fit(X, Y)
    for attribute in ("bbc_score_", "optimism_", "optimism_parts_"):
        with pytest.raises(AttributeError, match="record=False keeps the scores per fold only"):
            getattr(found, attribute)
    assert found.ci_.method == "bbcf" and found.bbcf_score_ == found.ci_.estimate
    with pytest.raises(ValueError, match="record=False keeps the scores per fold only"):
        found.interval(FEW)


class Plain(BBCSearchMixin, GridSearchCV):
    """A search of others, without `ci`, `random_state` and `record`."""


def test_a_search_without_our_parameters_takes_their_defaults():
    found = Plain(TREE, GRID, cv=5, scoring="roc_auc").fit(X, Y)
    assert found.ci_.method == "bbc" and found.ci_.n_bootstraps == 2000
    assert found.oof_.responses


def test_without_methods_nothing_is_computed_and_everything_says_so():
    found = search(ci=[]).fit(X, Y)
    assert found.interval_time_ == 0.0
    for name in ("ci_", "ci_results_", "bbc_score_", "bbcf_score_", "optimism_"):
        with pytest.raises(AttributeError, match=r"ci=\[\] switched the interval stage off"):
            getattr(found, name)
    assert found.oof_.selected == found.best_index_


def test_a_metric_whose_every_score_failed_is_told_by_its_name():
    def broken(estimator, X, y):
        raise RuntimeError("my scorer")

    with pytest.warns((UserWarning, IntervalWarning)):
        found = search(scoring={"good": "roc_auc", "bad": broken}, refit="good").fit(X, Y)
    assert "my scorer" in found.ci_results_["bad"]["bbc"].details["error"]
    assert found.ci_ is found.ci_results_["good"]["bbc"]


def test_a_failed_configuration_that_was_selected_is_not_what_the_numbers_are_about():
    class Fails(type(TREE)):
        def fit(self, X, y):
            if self.max_depth == 4 and len(Fails.fits) < 1:
                Fails.fits.append(1)
                raise ValueError("once")
            return super().fit(X, y)

    Fails.fits = []
    with pytest.warns(IntervalWarning, match="it failed in some fold"):
        found = search(
            Fails(random_state=0), {"max_depth": [1, 2, 4]}, error_score=9.0, ci=FEW
        ).fit(X, Y)
    assert found.best_index_ == 2 and found.oof_.failed.tolist() == [False, False, True]
    assert (found.oof_.selected, found.oof_.selected_by) == (2, "the search")
    for name in ("bbc_score_", "bbcf_score_", "optimism_", "optimism_parts_"):
        with pytest.raises(AttributeError, match=r"configuration 2 \(max_depth=4\)"):
            getattr(found, name)
    assert "configuration 2 (max_depth=4), cannot be scored" in found.summary()


class Sometimes(Undeclared):
    """Cannot be fitted for one depth, so one answer is missing."""

    def fit(self, X, y):
        if self.depth == 1:
            raise ValueError("too shallow")
        return super().fit(X, y)


def test_one_model_that_names_classes_is_enough():
    with pytest.warns(FitFailedWarning):
        found = search(Sometimes(), {"depth": [1, 2]}, scoring="accuracy", ci=[], cv=3).fit(X, Y)
    assert found.oof_.classes_.tolist() == [0, 1]
    assert found.oof_.failed.tolist() == [True, False]


@pytest.mark.parametrize("drop", [None, DropClearlyWorse()])
@pytest.mark.parametrize(
    ("model", "name"),
    [
        (Ridge(), "r2"),
        (make_pipeline(StandardScaler(), Ridge()), "r2"),
        (DummyClassifier(), "accuracy"),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.DroppingWarning")
def test_the_estimator_says_what_its_own_score_is_and_not_a_constant_target(model, name, drop):
    found = search(model, {}, scoring=None, ci=FEW, drop=drop).fit(X, np.ones(len(Y), dtype=int))
    assert found.ci_.metric == name and list(found.oof_.fold_scores) == [name]
    words = {"r2": "cross-validated R²", "accuracy": "cross-validated accuracy"}
    assert words[name] in found.summary()


@pytest.mark.filterwarnings("ignore:Scoring failed", "ignore:One or more of the test scores")
def test_a_scorer_that_always_fails_is_the_reason_and_not_the_folds():
    def broken(estimator, X, y):
        raise RuntimeError("my scorer")

    with pytest.warns(IntervalWarning, match="my scorer"):
        found = search(scoring=broken, ci=FEW).fit(X, Y)
    assert np.isnan(found.ci_.estimate)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.filterwarnings("ignore:One or more of the test scores")
@pytest.mark.parametrize(("n_positive", "stratified"), [(5, True), (4, False)])
def test_sorted_labels_are_told_to_stratify_where_every_fold_can_have_each_class(
    n_positive, stratified
):
    y = np.repeat([0, 1], [20, n_positive])
    with pytest.warns(IntervalWarning, match="No configuration has a score in every fold") as told:
        search(cv=KFold(5), ci=FEW).fit(X[: len(y)], y)
    (text,) = [str(each.message) for each in told if "in every fold, so" in str(each.message)]
    assert ("folds of one class. " if stratified else "Use fewer folds. ") in text
    assert ("Fold 0 holds no sample of class 1" in text) == stratified
    assert ("cv=StratifiedKFold(5)" in text) == stratified
