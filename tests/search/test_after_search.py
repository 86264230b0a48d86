"""What is done and known when a search is finished; no fault of that stage costs the search."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.recording import _finished
from sklearn_bbc.search import BBCSearchMixin, DropClearlyWorse
from tests.search.small_search import FEW, GRID, TREE, X, Y, search


class Undeclared(BaseEstimator):
    """Predicts classes, but does not say that it is a classifier."""

    def __init__(self, depth=1):
        self.depth = depth

    def fit(self, X, y):
        self.tree_ = DecisionTreeClassifier(max_depth=self.depth, random_state=0).fit(X, y)
        self.classes_ = self.tree_.classes_
        return self

    def predict(self, X):
        return self.tree_.predict(X)


@pytest.mark.parametrize("before", [False, True], ids=["new", "fitted before"])
def test_an_interrupt_leaves_nothing_half_fitted(monkeypatch, before):
    def interrupted(*given, **named):
        raise KeyboardInterrupt

    found = search(ci=FEW)
    if before:
        found.fit(X, Y)
    monkeypatch.setattr(_finished, "kept_predictions", interrupted)
    with pytest.raises(KeyboardInterrupt):
        found.fit(X, Y)
    assert not [name for name in vars(found) if name.endswith("_") and name != "scorer_"]
    with pytest.raises(NotFittedError, match="no ci_ yet"):
        found.ci_  # noqa: B018


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


class Plain(BBCSearchMixin, GridSearchCV):
    """A search of others, without `ci`, `random_state` and `record`."""


def test_a_search_without_our_parameters_takes_their_defaults():
    found = Plain(TREE, GRID, cv=5, scoring="roc_auc").fit(X, Y)
    assert found.ci_.method == "bbc" and found.ci_.n_bootstraps == 2000
    assert found.oof_.responses


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


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.filterwarnings("ignore:One or more of the test scores")
@pytest.mark.parametrize(("n_positive", "stratified"), [(5, True), (4, False)])
def test_sorted_labels_are_advised_to_stratify_where_every_fold_can_have_each_class(
    n_positive, stratified
):
    y = np.repeat([0, 1], [20, n_positive])
    with pytest.warns(
        IntervalWarning, match="No configuration has a score in every fold"
    ) as caught:
        search(cv=KFold(5), ci=FEW).fit(X[: len(y)], y)
    (text,) = [str(each.message) for each in caught if "in every fold, so" in str(each.message)]
    assert ("folds of one class. " if stratified else "Use fewer folds. ") in text
    assert ("Fold 0 holds no sample of class 1" in text) == stratified
    assert ("cv=StratifiedKFold(5)" in text) == stratified
