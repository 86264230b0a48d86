"""Why nothing was dropped, or nothing more; fits that are not made."""

import warnings

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.exceptions import DroppingWarning
from sklearn_bbc.search import DropClearlyWorse
from sklearn_bbc.search._racing import Influence, Race, in_place_of_parallel
from sklearn_bbc.selection import AsRefit, BestScore, OneStandardError

N = 150
Y = np.tile([0, 1], N // 2)
X = np.random.default_rng(0).normal(size=(N, 3)) + Y[:, None] * [1.5, 0, 0]
TREE = DecisionTreeClassifier(random_state=0)
GRID = {"min_samples_leaf": [12, 10, 74]}


def search(estimator=TREE, grid=GRID, X=X, y=Y, fit=None, **options):
    defaults = {"cv": 5, "scoring": "roc_auc", "ci": [], "random_state": 0}
    given = {**defaults, "drop": DropClearlyWorse(), **options}
    return BBCSearchCV(estimator, grid, **given).fit(X, y, **(fit or {}))


def done(found):
    return found.cv_results_["n_splits_done"].tolist()


class OwnScore(DecisionTreeClassifier):
    """Scores itself in a way of its own."""

    def score(self, X, y, sample_weight=None):
        self.predict(X)
        return -1.0 / self.min_samples_leaf


def test_a_score_of_the_models_own_cannot_be_compared():
    with pytest.warns(DroppingWarning) as warned:
        found = search(OwnScore(random_state=0), scoring=None)
    (warning,) = [each for each in warned if each.category is DroppingWarning]
    assert str(warning.message).startswith("drop had no effect: ")
    assert "own score method cannot be called on recorded predictions" in str(warning.message)
    assert "survival" not in str(warning.message)
    assert done(found) == [5] * 3


class Twice(BBCSearchCV):
    """Evaluates the same in two rounds."""

    def _run_search(self, evaluate_candidates):
        for _ in range(2):
            evaluate_candidates([{"min_samples_leaf": leaf} for leaf in (12, 10, 74)])


@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
def test_one_reason_is_said_once_for_all_rounds():
    rule = DropClearlyWorse(min_predictions=N)
    found = Twice(TREE, {}, scoring="roc_auc", cv=5, drop=rule, random_state=0, ci=[])
    with pytest.warns(DroppingWarning) as warned:
        found.fit(X, Y)
    why = "before the last split there are never predictions for 150 different samples, 5 of each"
    (warning,) = [each for each in warned if each.category is DroppingWarning]
    assert str(warning.message) == f"drop had no effect: {why} class."
    assert found.oof_.notes.count(f"drop had no effect: {why} class.") == 1
    assert done(found) == [5] * 6


def test_a_test_that_fails_later_stops_dropping(monkeypatch):
    add, n_added = Race.add, []

    def broken(self, *given):
        n_added.append(1)
        if len(n_added) == 3:
            raise ValueError("enough.")
        return add(self, *given)

    monkeypatch.setattr(Race, "add", broken)
    with pytest.warns(DroppingWarning) as warned:
        found = search()
    (warning,) = [each for each in warned if each.category is DroppingWarning]
    assert str(warning.message) == "drop stopped early: enough."
    assert done(found) == [5, 5, 2]
    assert found.oof_.notes[0] == "drop stopped early: enough."
    assert found.oof_.notes[1].startswith("1 of 3 configurations were dropped")


def best(results):
    return int(np.nanargmax(results["mean_test_score"]))


@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
@pytest.mark.parametrize(
    ("rule", "prefers"),
    [(BestScore(), False), (OneStandardError(["min_samples_leaf"]), True)],
    ids=["best", "simple"],
)
@pytest.mark.parametrize("wrapped", [False, True], ids=["plain", "as_refit"])
def test_only_rules_that_may_prefer_a_dropped_one_are_told_of(rule, prefers, wrapped):
    found = search(refit=AsRefit(rule) if wrapped else rule)
    assert min(done(found)) < 5
    notes = found._report_facts().notes
    assert any("may have been dropped because others" in note for note in notes) == prefers


def test_a_test_that_fails_costs_no_fit(monkeypatch):
    def broken(self, n_done):
        raise KeyError("no")

    monkeypatch.setattr(Race, "drop", broken)
    with pytest.warns(DroppingWarning, match="drop had no effect: KeyError: 'no'"):
        assert done(search()) == [5] * 3


def test_a_release_that_runs_fits_in_another_way_is_refused():
    other = "usual"
    with (
        pytest.raises(RuntimeError, match="does not work with this release"),
        in_place_of_parallel(lambda: other, lambda before, tasks: before),
    ):
        pass


class Regressor(BaseEstimator):
    """Has classes, and no tag that says so."""

    def __init__(self, leaf=1):
        self.leaf = leaf

    def fit(self, X, y):
        self.tree_ = DecisionTreeClassifier(min_samples_leaf=self.leaf, random_state=0).fit(X, y)
        self.classes_ = self.tree_.classes_
        return self

    def predict(self, X):
        return self.tree_.predict(X)

    def predict_proba(self, X):
        return self.tree_.predict_proba(X)


def test_models_with_classes_need_no_tag():
    found = search(Regressor(), {"leaf": [12, 74]}, scoring="accuracy")
    assert done(found)[0] == 5 > done(found)[1]


def test_a_metric_whose_kind_changes_between_splits_stops_dropping(monkeypatch):
    kinds = iter([True, True, False, *[True] * 9])
    monkeypatch.setattr(Influence, "are_known", staticmethod(lambda kernel: next(kinds)))
    with pytest.warns(DroppingWarning, match="roc_auc is another kind of metric in other splits"):
        search()


def test_each_metric_is_compared_with_the_weights_that_its_scorer_was_given():
    with config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("error", DroppingWarning)
        plain, weighted = (
            make_scorer(roc_auc_score, response_method="predict_proba").set_score_request(
                sample_weight=wanted
            )
            for wanted in (False, True)
        )
        scoring = {"plain": plain, "weighted": weighted}
        tree = clone(TREE).set_fit_request(sample_weight=False)
        weight = np.random.default_rng(0).uniform(0.2, 2, size=N)
        found = search(tree, scoring=scoring, refit="plain", fit={"sample_weight": weight})
    assert min(done(found)) < 5


def test_shuffled_test_samples_find_their_labels():
    rng = np.random.default_rng(0)
    ordered = list(KFold(5).split(X))
    shuffled = [(train, rng.permutation(test)) for train, test in ordered]
    with warnings.catch_warnings():
        warnings.simplefilter("error", DroppingWarning)
        assert done(search(cv=shuffled)) == done(search(cv=ordered))
