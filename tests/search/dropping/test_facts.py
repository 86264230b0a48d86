"""What a search tells its judge, and what it says when the judge is done."""

import warnings

import numpy as np
import pytest
from sklearn import config_context
from sklearn.cluster import KMeans
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import GroupKFold
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.exceptions import DroppingWarning
from sklearn_bbc.resampling import entropy_of
from sklearn_bbc.search import DropClearlyWorse
from sklearn_bbc.search import _racing as _search
from sklearn_bbc.search._racing import Race, dropped_of
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


@pytest.fixture
def told(monkeypatch):
    """Facts that the judges of searches are given."""
    facts = []

    class Listening(_search.RoundJudge):
        def __init__(self, given, this_round):
            facts.append(given)
            super().__init__(given, this_round)

    monkeypatch.setattr(_search, "RoundJudge", Listening)
    return facts


def done(found):
    return found.cv_results_["n_splits_done"].tolist()


@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.DroppingWarning")
def test_targets_of_classifiers_and_outlier_detectors_hold_classes(told):
    search(TREE)
    search(IsolationForest(n_estimators=5, random_state=0), {"max_features": [1, 3]}, y=2 * Y - 1)
    search(Ridge(), {"alpha": [1, 2]}, scoring="r2")
    assert [bool(each.classifier) for each in told] == [True, True, False]


@pytest.mark.parametrize("given", [{}, {"groups": np.arange(N) // 3}], ids=["samples", "groups"])
def test_units_are_samples_or_groups(told, given):
    search(cv=GroupKFold(5) if given else 5, fit=given, n_jobs=1)
    (facts,) = told
    assert facts.test.grouped == bool(given)
    expected = given.get("groups", np.arange(N))
    np.testing.assert_array_equal(facts.test.units, expected)
    assert (facts.groups is not None) == bool(given)
    assert facts.weights is None and facts.test.n_jobs == 1
    np.testing.assert_array_equal(facts.target, Y)


def test_the_rule_may_have_a_seed_of_its_own(told):
    for rule_seed in (None, 3):
        for search_seed in (0, 1):
            rule = DropClearlyWorse(random_state=rule_seed)
            search(drop=rule, random_state=search_seed)
    of_search = search(drop=None)._draw_seed()
    assert [each.test.seed for each in told] == [of_search, 1, entropy_of(3), entropy_of(3)]
    assert of_search == 0


@pytest.mark.parametrize("fit", [{"groups": np.arange(N) // 3}, {"sample_weight": np.ones(N)}])
def test_without_a_target_groups_and_weights_are_of_no_use(told, fit):
    with config_context(enable_metadata_routing=True):
        model = KMeans(n_init=1, random_state=0)
        model = model.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        with pytest.warns(DroppingWarning, match="there is no target"):
            found = search(
                model,
                {"n_clusters": [2, 3]},
                y=None,
                scoring=None,
                cv=GroupKFold(5) if "groups" in fit else 5,
                fit=fit,
            )
    assert done(found) == [5, 5]
    (facts,) = told
    assert len(facts.target) == 0 and facts.groups is None and facts.weights is None
    assert not facts.test.grouped


def test_weights_are_those_of_the_first_metric_that_has_some(told):
    first, second = np.linspace(1, 2, N), np.linspace(2, 1, N)
    auc = make_scorer(roc_auc_score, response_method="predict_proba")
    with config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scoring = {
            "plain": make_scorer(roc_auc_score, response_method="predict_proba"),
            "first": auc.set_score_request(sample_weight="first"),
            "second": make_scorer(
                roc_auc_score, response_method="predict_proba"
            ).set_score_request(sample_weight="second"),
        }
        fit = {"first": first, "second": second}
        search(TREE, scoring=scoring, refit="first", fit=fit)
    (facts,) = told
    np.testing.assert_array_equal(facts.weights, first)


@pytest.mark.parametrize("scoring", ["roc_auc", None, ["roc_auc", "accuracy"]])
def test_metrics_of_every_kind_are_compared(scoring):
    with warnings.catch_warnings():
        warnings.simplefilter("error", DroppingWarning)
        found = search(scoring=scoring, refit=scoring[0] if isinstance(scoring, list) else True)
    assert min(done(found)) < 5
    assert not any(note.startswith("drop") for note in found.oof_.notes)


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


def test_the_metric_is_asked_for_by_what_the_target_is(monkeypatch):
    asked = []
    metrics_of_search = _search.metrics_of_search

    def remembered(scoring, scorer, names, default, survival):
        asked.append((names, default, survival, isinstance(scorer, dict)))
        return metrics_of_search(scoring, scorer, names, default, survival)

    monkeypatch.setattr(_search, "metrics_of_search", remembered)
    search()
    search(scoring=None)
    search(scoring=["accuracy", "roc_auc"], refit="roc_auc")
    assert asked == [
        (["score"], None, False, False),
        (["score"], "accuracy", False, False),
        (["accuracy", "roc_auc"], None, False, True),
    ]


@pytest.mark.parametrize("verbose", [0, 1])
def test_progress_is_printed_on_request(capsys, verbose):
    search(verbose=verbose)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Split")]
    assert len(lines) == (3 if verbose else 0)


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


def test_the_rule_of_refit_is_told_of_the_rest_only_where_there_is_one():
    rule = DropClearlyWorse(min_predictions=N)
    with pytest.warns(DroppingWarning):
        found = search(refit=best, drop=rule)
    assert found._repeatable_refit() is best
    assert search(refit=best, drop=None)._repeatable_refit() is best
    told = search(refit=best)._repeatable_refit()
    assert told is not best and told.rest.tolist() == [0, 1]


def test_what_was_dropped_can_be_asked_for():
    found = search()
    assert done(found)[:2] == [5, 5] and done(found)[2] < 5
    assert dropped_of(found.cv_results_).tolist() == [False, False, True]
    everything = {**found.cv_results_, "n_splits_done": np.full(3, 5)}
    assert dropped_of(everything).tolist() == [False] * 3
    without = {"params": [{}] * 3}
    assert dropped_of(without).tolist() == [False] * 3
    assert dropped_of(without).dtype == bool


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
