"""Searches that drop configurations: what is fitted, what is reported, what stays as it was."""

import warnings

import numpy as np
import pytest
from joblib import parallel_backend
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_classification, make_regression
from sklearn.dummy import DummyClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score, make_scorer, roc_auc_score
from sklearn.model_selection import (
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.exceptions import DroppingWarning, IntervalWarning
from sklearn_bbc.intervals import BBC
from sklearn_bbc.recording._racing import Influence, RaceState, refit_among
from sklearn_bbc.search import BBCSearchMixin, DropClearlyWorse
from sklearn_bbc.selection import BestScore, OneStandardError, RefitCallable, SelectedBy

X, Y = make_classification(n_samples=150, n_features=6, flip_y=0.1, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)
GRID = {"max_depth": [1, 3], "min_samples_leaf": [1, 10, 70]}
FEW = BBC(n_bootstraps=40)


def search(estimator=TREE, grid=GRID, X=X, y=Y, fit=None, **options):
    defaults = {"cv": 5, "scoring": "roc_auc", "ci": FEW, "random_state": 0}
    given = {**defaults, "drop": DropClearlyWorse(), **options}
    return BBCSearchCV(estimator, grid, **given).fit(X, y, **(fit or {}))


@pytest.fixture(scope="module")
def found():
    """The search with early dropping by its defaults."""
    return search()


@pytest.fixture(scope="module")
def full():
    """The same search with every fit."""
    return search(drop=None)


@pytest.fixture(scope="module")
def by_draws():
    """A search by a metric that is compared in draws."""
    return search(scoring="average_precision")


def done(found):
    return found.cv_results_["n_splits_done"].tolist()


class Counting(DecisionTreeClassifier):
    """Counts its fits."""

    fits = 0

    def fit(self, X, y):
        Counting.fits += 1
        return super().fit(X, y)


def test_what_is_dropped_is_not_fitted_and_cannot_be_selected():
    Counting.fits = 0
    found = search(Counting(random_state=0), verbose=0)
    results = found.cv_results_
    dropped = results["n_splits_done"] < 5
    assert dropped.any() and not dropped.all()
    assert Counting.fits == sum(done(found)) + 1  # the refit
    assert not dropped[found.best_index_]
    assert np.isnan(results["mean_test_score"][dropped]).all()
    assert (results["rank_test_score"][dropped] == (~dropped).sum() + 1).all()
    assert np.isfinite(results["mean_fit_time"]).all()


@pytest.mark.long
def test_it_is_what_a_replay_of_the_full_search_says(full, found, by_draws):
    for scoring, with_all, raced in (
        ("roc_auc", full, found),
        ("average_precision", search(drop=None, scoring="average_precision"), by_draws),
        ("accuracy", search(drop=None, scoring="accuracy"), search(scoring="accuracy")),
    ):
        rule = DropClearlyWorse(random_state=0)
        assert done(raced) == rule.replay(with_all.oof_, scoring).tolist()
        for split in range(5):
            name = f"split{split}_test_score"
            fitted = np.array(done(raced)) > split
            np.testing.assert_array_equal(
                raced.cv_results_[name][fitted], with_all.cv_results_[name][fitted]
            )


def test_predictions_stay_as_far_as_they_go(full, found):
    mine, all_of_them = found.oof_.matrix("roc_auc"), full.oof_.matrix("roc_auc")
    for config, n in enumerate(done(found)):
        known = found.oof_.fold < n
        np.testing.assert_array_equal(mine[known, config], all_of_them[known, config])
        assert np.isnan(mine[~known, config]).all()
    np.testing.assert_array_equal(found.oof_.failed, np.array(done(found)) < 5)


def test_intervals_are_those_of_the_configurations_that_are_left(found):
    left = np.array(done(found)) == 5
    rest = OOFPredictions.from_rows(
        y_true=Y,
        responses={"predict_proba": found.oof_.responses["predict_proba"][left]},
        fold=found.oof_.fold,
    )
    alone = BBC(n_bootstraps=40, random_state=0).estimate(rest, "roc_auc")
    assert (found.ci_.low, found.ci_.estimate, found.ci_.high) == (
        alone.low,
        alone.estimate,
        alone.high,
    )
    notes = " ".join(found.ci_.details["notes"])
    assert f"{(~left).sum()} of 6 configurations were dropped" in notes
    assert f"among the other {left.sum()}" in notes
    assert f"{(~left).sum()} of the 6 configurations were dropped early" in found.summary()
    assert "failed" not in found.summary()
    assert f"{(~left).sum()} of the 6 configurations were dropped early" in found.summary(
        "methods"
    )
    dropped = int(np.flatnonzero(~left)[0])
    with pytest.raises(ValueError, match="configuration"):
        found.interval(config=dropped)


@pytest.mark.parametrize(
    "backend", ["threading", "multiprocessing", pytest.param("loky", marks=pytest.mark.slow)]
)
def test_jobs_and_backends_make_no_difference(by_draws, backend):
    with parallel_backend(backend):
        two = search(scoring="average_precision", n_jobs=2)
    assert done(by_draws) == done(two) and min(done(by_draws)) < 5
    assert by_draws.ci_.low == two.ci_.low and by_draws.best_index_ == two.best_index_


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "options",
    [
        {"cv": RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)},
        {"cv": ShuffleSplit(6, test_size=0.4, random_state=0)},
        {"cv": StratifiedKFold(5, shuffle=True)},
        {"cv": 2},
        {"cv": GroupKFold(5), "fit": {"groups": np.arange(150) // 5}},
        {"scoring": None},
        {"scoring": ["roc_auc", "neg_log_loss"], "refit": "roc_auc"},
        {"n_iter": 5},
        {"return_train_score": True},
    ],
    ids=lambda options: ",".join(options),
)
def test_splitters_metrics_and_options(options):
    found = search(**options)
    n_splits = found.n_splits_
    assert max(done(found)) == n_splits and done(found)[found.best_index_] == n_splits
    assert found.ci_.low < found.ci_.high
    for name in [name for name in found.cv_results_ if name.startswith("mean_test")]:
        left = np.array(done(found)) == n_splits
        np.testing.assert_array_equal(np.isfinite(found.cv_results_[name]), left)


def test_more_than_two_classes():
    X, y = make_classification(150, 8, n_informative=5, n_classes=3, random_state=0)
    labels = np.array(["a", "b", "c"])[y]
    for scoring in ("accuracy", "f1_macro"):
        assert set(done(search(X=X, y=labels, scoring=scoring))) > {5}


def test_regression():
    X, y = make_regression(150, 5, noise=10, random_state=0)
    for scoring in ("r2", "neg_mean_squared_error", "neg_median_absolute_error"):
        found = search(Ridge(), {"alpha": [1e-3, 1e-2, 1e5]}, X=X, y=y, scoring=scoring)
        assert done(found)[:2] == [5, 5] and done(found)[2] < 5


def test_one_and_equal_configurations_stay():
    with warnings.catch_warnings():
        warnings.simplefilter("error", DroppingWarning)
        assert done(search(grid={"max_depth": [1]})) == [5]
        assert done(search(grid={"max_depth": [2, 2, 2]})) == [5, 5, 5]
        same = search(DummyClassifier(), {"strategy": ["prior", "most_frequent"]}, scoring=None)
        assert done(same) == [5, 5]


def test_a_constant_metric_drops_nothing():
    constant = make_scorer(lambda y, y_pred: 0.5)
    found = search(scoring={"auc": "roc_auc", "constant": constant}, refit="auc")
    assert done(found) == [5] * 6


@pytest.mark.long
def test_a_configuration_that_leads_in_another_metric_stays():
    """Depth 1 with large leaves is calibrated, deep trees are not: each leads somewhere."""
    grid = {"max_depth": [None, 1], "min_samples_leaf": [1, 30, 70]}
    alone = {name: search(grid=grid, scoring=name) for name in ("accuracy", "neg_log_loss")}
    both = search(grid=grid, scoring=list(alone), refit="accuracy")
    for one in alone.values():
        assert done(both)[one.best_index_] == 5
    assert min(done(alone["neg_log_loss"])) < 5


class Failing(DecisionTreeClassifier):
    """Fails for one configuration, where the first sample is in training."""

    def fit(self, X_train, y):
        first = np.array_equal(X_train[0], X[0])
        if self.max_depth == 3 and self.min_samples_leaf == 1 and first:
            raise ValueError("no")
        return super().fit(X_train, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
@pytest.mark.parametrize("error_score", [np.nan, 2.0])
def test_failed_fits_are_neither_dropped_nor_lead(error_score):
    splitter = StratifiedKFold(5, shuffle=True, random_state=1)
    estimator = Failing(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IntervalWarning)
        found = search(estimator, cv=splitter, error_score=error_score, refit=False)
    failed = found.cv_results_["params"].index({"max_depth": 3, "min_samples_leaf": 1})
    assert np.isnan(found.oof_.matrix("roc_auc")[:, failed]).sum() == 120  # four splits
    assert done(found)[failed] == 5 and min(done(found)) < 5
    with pytest.raises(ValueError, match="no"):
        search(estimator, cv=splitter, error_score="raise")


@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
def test_scores_that_are_not_numbers_drop_nobody(found):
    auc = found.scorer_

    def sometimes(estimator, X, y):
        return np.nan if estimator.min_samples_leaf == 1 else auc(estimator, X, y)

    with pytest.warns(DroppingWarning, match="drop had no effect"):
        found = search(scoring=sometimes, ci=[])
    assert done(found) == [5] * 6


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"X": X[:40], "y": Y[:40]}, "never predictions for 50 different samples, 5 of each"),
        ({"cv": GroupKFold(5), "fit": {"groups": np.arange(150) // 25}}, "of 10 groups"),
        ({"scoring": lambda estimator, X, y: 0.5}, "no predictions were recorded"),
        (
            {"X": X[:75], "y": Y[:75], "cv": KFold(25), "ci": [], "grid": {"max_depth": [1, 2]}},
            "no two configurations could be compared",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:Only one class is present")
@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
def test_where_nothing_could_be_dropped_the_user_is_warned(options, why):
    with pytest.warns(DroppingWarning, match=why), warnings.catch_warnings():
        warnings.simplefilter("ignore", IntervalWarning)
        found = search(**options)
    assert len(set(done(found))) == 1
    assert any(why in note for note in found.oof_.notes)


def test_unsupervised_searches_go_on():
    with pytest.warns(DroppingWarning, match="there is no target"):
        found = search(KMeans(n_init=1), {"n_clusters": [2, 3]}, y=None, scoring=None, ci=[])
    assert done(found) == [5, 5]


def careless(results):
    return int(np.argmax(results["mean_test_score"]))  # takes NaN for the largest


@pytest.mark.parametrize("refit", [careless, RefitCallable(careless)], ids=["plain", "object"])
def test_no_function_can_select_what_was_dropped(refit):
    with pytest.warns(IntervalWarning, match="not dropped"):
        found = search(refit=refit)
    assert min(done(found)) < 5 == done(found)[found.best_index_]
    assert found.ci_.details["rule"] == "careless"  # repeated in every draw
    assert found.ci_.details["winner"] == found.best_index_


def test_rules_choose_among_the_rest():
    with pytest.warns(IntervalWarning, match="not dropped"):
        found = search(refit=OneStandardError(["max_depth"]))
    assert done(found)[found.best_index_] == 5
    with warnings.catch_warnings():
        warnings.simplefilter("error", IntervalWarning)
        search(refit=BestScore())


class Twice(BBCSearchCV):
    """Evaluates in two rounds."""

    def _run_search(self, evaluate_candidates):
        first = evaluate_candidates([{"max_depth": 3}, {"min_samples_leaf": 74}])
        assert np.isnan(first["mean_test_score"][1])
        evaluate_candidates([{"min_samples_leaf": 74}, {"max_depth": 2}, {"max_depth": 3}])


@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
def test_each_round_of_a_search_drops_for_itself():
    found = Twice(TREE, {}, scoring="roc_auc", cv=5, drop=DropClearlyWorse(), random_state=0)
    found.fit(X, Y)
    n = done(found)
    assert n[1] == n[2] < 5 and n[0] == n[3] == n[4] == 5


def test_other_searches_drop_too_and_halving_says_why_not():
    class Random(BBCSearchMixin, RandomizedSearchCV):
        drop = DropClearlyWorse()

    class Halving(BBCSearchMixin, HalvingGridSearchCV):
        drop = DropClearlyWorse()

    found = Random(TREE, GRID, n_iter=6, scoring="roc_auc", random_state=0).fit(X, Y)
    assert min(done(found)) < 5
    with pytest.raises(ValueError, match="cannot be used in successive halving"):
        Halving(TREE, GRID).fit(X, Y)


def test_invalid_rules_and_searches_without_predictions_are_refused():
    with pytest.raises(ValueError, match="min_predictions must be"):
        search(drop=DropClearlyWorse(min_predictions=0))
    with pytest.raises(ValueError, match="record=False does not keep"):
        search(record=False)


def test_weights_of_the_scorer_count_in_the_test():
    """By weight the two best change places; the weighted loser is dropped."""
    y = np.tile([0, 1], 75)
    right = {"a": np.arange(150) % 10 > 2, "b": np.arange(150) % 10 < 8}
    weight = np.where(right["a"], 0.05, 1.0)

    class Fixed(ClassifierMixin, BaseEstimator):
        def __init__(self, which="a"):
            self.which = which

        def fit(self, X, y):
            self.classes_ = np.array([0, 1])
            return self

        def predict(self, X):
            rows = X[:, 0].astype(int)
            return np.where(right[self.which][rows], y[rows], 1 - y[rows])

    with config_context(enable_metadata_routing=True):
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        options = {"scoring": scorer, "cv": KFold(5, shuffle=True, random_state=0)}
        X = np.arange(150.0)[:, None]
        grid = {"which": ["a", "b"]}
        fit = {"sample_weight": weight}
        weighted = search(Fixed(), grid, X=X, y=y, fit=fit, **options)
        plain = search(Fixed(), grid, X=X, y=y, fit={"sample_weight": np.ones(150)}, **options)
    assert done(weighted)[0] < 5 == done(weighted)[1]
    assert done(plain) == [5, 5]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
def test_columns_of_results_end_where_fitting_stopped():
    options = {"scoring": ["accuracy", "roc_auc"], "refit": "roc_auc", "return_train_score": True}
    full = search(drop=None, ci=[], **options).cv_results_
    found = search(ci=[], **options).cv_results_
    n = found.pop("n_splits_done")
    assert min(n) < 5 and found.keys() == full.keys()
    for name in ("accuracy", "roc_auc"):
        for column in (f"{kind}_{name}" for kind in ("test", "train")):
            for split in range(5):
                expected = np.where(n > split, full[f"split{split}_{column}"], np.nan)
                np.testing.assert_array_equal(found[f"split{split}_{column}"], expected)
            for statistic in ("mean", "std"):
                expected = np.where(n == 5, full[f"{statistic}_{column}"], np.nan)
                np.testing.assert_array_equal(found[f"{statistic}_{column}"], expected)
        means = np.nan_to_num(full[f"mean_test_{name}"] * np.where(n == 5, 1, np.nan), nan=-1)
        ranks = [1 + (means > each).sum() for each in means]
        assert found[f"rank_test_{name}"].tolist() == ranks
        assert found[f"rank_test_{name}"].dtype == np.int32
    for time in ("fit_time", "score_time"):
        assert (found[f"mean_{time}"] > 0).all() and (found[f"std_{time}"] >= 0).all()


def test_a_rule_that_chooses_among_the_rest_keeps_what_it_knows_beside_its_function():
    scoring, columns = {"auc": "roc_auc"}, {"mean_fit_time": np.ones(3)}
    rule = RefitCallable(careless, scoring=scoring, cv_results=columns)
    results = {"mean_test_score": np.array([0.5, np.nan, 0.7]), "params": [{}, {}, {}]}
    for refit in (careless, rule, SelectedBy("auc", rule)):
        noted = refit_among(refit, np.array([0, 2]))
        assert noted(results) == 2
    assert type(noted) is SelectedBy and noted.scoring == "auc"
    assert noted.selection.scoring is scoring and noted.selection.cv_results is columns


# --- why nothing was dropped, or nothing more --------------------------------------------------

EASY = np.random.default_rng(0).normal(size=(150, 3)) + np.tile([0, 1], 75)[:, None] * [1.5, 0, 0]


def easy(estimator=TREE, grid=None, fit=None, **options):
    grid = {"min_samples_leaf": [12, 10, 74]} if grid is None else grid
    return search(estimator, grid, EASY, np.tile([0, 1], 75), fit, **{"ci": [], **options})


class OwnScore(DecisionTreeClassifier):
    """Scores itself in a way of its own."""

    def score(self, X, y, sample_weight=None):
        self.predict(X)
        return -1.0 / self.min_samples_leaf


def test_a_score_of_the_models_own_cannot_be_compared():
    with pytest.warns(DroppingWarning) as warned:
        found = easy(OwnScore(random_state=0), scoring=None)
    (warning,) = [each for each in warned if each.category is DroppingWarning]
    assert str(warning.message).startswith("drop had no effect: ")
    assert "own score method cannot be called on recorded predictions" in str(warning.message)
    assert "survival" not in str(warning.message)
    assert done(found) == [5] * 3


class Again(BBCSearchCV):
    """Evaluates the same in two rounds."""

    def _run_search(self, evaluate_candidates):
        for _ in range(2):
            evaluate_candidates([{"min_samples_leaf": leaf} for leaf in (12, 10, 74)])


@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
def test_one_reason_is_said_once_for_all_rounds():
    rule = DropClearlyWorse(min_predictions=150)
    found = Again(TREE, {}, scoring="roc_auc", cv=5, drop=rule, random_state=0, ci=[])
    with pytest.warns(DroppingWarning) as warned:
        found.fit(EASY, np.tile([0, 1], 75))
    why = "before the last split there are never predictions for 150 different samples, 5 of each"
    (warning,) = [each for each in warned if each.category is DroppingWarning]
    assert str(warning.message) == f"drop had no effect: {why} class."
    assert found.oof_.notes.count(f"drop had no effect: {why} class.") == 1
    assert done(found) == [5] * 6


def test_a_test_that_fails_later_stops_dropping(monkeypatch):
    add, n_added = RaceState.add, []

    def broken(self, *given):
        n_added.append(1)
        if len(n_added) == 3:
            raise ValueError("enough.")
        return add(self, *given)

    monkeypatch.setattr(RaceState, "add", broken)
    with pytest.warns(DroppingWarning) as warned:
        found = easy()
    (warning,) = [each for each in warned if each.category is DroppingWarning]
    assert str(warning.message) == "drop stopped early: enough."
    assert done(found) == [5, 5, 2]
    assert found.oof_.notes[0] == "drop stopped early: enough."
    assert found.oof_.notes[1].startswith("1 of 3 configurations was dropped")


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
    found = easy(Regressor(), {"leaf": [12, 74]}, scoring="accuracy")
    assert done(found)[0] == 5 > done(found)[1]


def test_a_metric_whose_kind_changes_between_splits_stops_dropping(monkeypatch):
    kinds = iter([True, True, False, *[True] * 9])
    monkeypatch.setattr(Influence, "are_known", staticmethod(lambda kernel: next(kinds)))
    with pytest.warns(DroppingWarning, match="roc_auc is another kind of metric in other splits"):
        easy()


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
        weight = np.random.default_rng(0).uniform(0.2, 2, size=150)
        found = easy(tree, scoring=scoring, refit="plain", fit={"sample_weight": weight})
    assert min(done(found)) < 5


def test_shuffled_test_samples_find_their_labels():
    rng = np.random.default_rng(0)
    ordered = list(KFold(5).split(EASY))
    shuffled = [(train, rng.permutation(test)) for train, test in ordered]
    with warnings.catch_warnings():
        warnings.simplefilter("error", DroppingWarning)
        assert done(easy(cv=shuffled)) == done(easy(cv=ordered))
