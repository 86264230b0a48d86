"""What is known when a search is finished, and why something is missing."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.search import BBCSearchMixin, DropClearlyWorse
from tests.search.fitted_searches import Undeclared

from .small_search import FEW, GRID, TREE, X, Y, search


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
