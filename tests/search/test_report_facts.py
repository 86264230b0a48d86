"""What is reported of a finished search."""

import copy
from importlib import metadata

import numpy as np
import pytest
from scipy.stats import loguniform, randint, uniform
from sklearn.cluster import KMeans
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import IsolationForest
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import OOFPredictions
from sklearn_bbc.search import BBCSearchMixin, DropClearlyWorse
from tests.report.some_facts import result
from tests.search.small_search import TREE, X, Y, search


def facts(fitted):
    return fitted._report_facts()


ONE = {"max_depth": [2]}
FITTED = search(grid=ONE, ci=[]).fit(X, Y)


def changed(**params):
    """Facts of a search whose parameters were changed after `fit`."""
    return facts(copy.copy(FITTED).set_params(**params))


def with_record(oof):
    """Facts of a search of one configuration that recorded this."""
    found = copy.copy(FITTED)
    found.oof_ = oof
    return facts(found)


def of(estimator=TREE, grid=ONE, y=Y, groups=None, **options):
    options = {"ci": [], **options}
    given = {} if groups is None else {"groups": groups}
    return facts(search(estimator, grid, **options).fit(X, y, **given))


@pytest.mark.parametrize(
    ("cv", "words"),
    [
        (5, "stratified 5-fold cross-validation"),
        (GroupKFold(3), "grouped 3-fold cross-validation"),
        (
            RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
            "stratified 3-fold cross-validation with 2 repeats",
        ),
        (ShuffleSplit(4, random_state=0), "cross-validation (ShuffleSplit with 4 splits)"),
        # Parts of a third, of which some share samples.
        (
            ShuffleSplit(3, test_size=30, random_state=0),
            "cross-validation (ShuffleSplit with 3 splits)",
        ),
        ([(np.arange(60), np.arange(60, 90))], "a single split"),
        (None, "stratified 5-fold cross-validation"),
        (KFold(3), "3-fold cross-validation"),
        (RepeatedKFold(n_splits=3, n_repeats=2), "3-fold cross-validation with 2 repeats"),
        # Two passes over the samples, by two folds and by three.
        (
            [
                (np.flatnonzero(np.arange(90) % n != k), np.flatnonzero(np.arange(90) % n == k))
                for n in (2, 3)
                for k in range(n)
            ],
            "cross-validation with repeats of 2 and 3 folds",
        ),
    ],
)
def test_splits(cv, words):
    groups = np.arange(90) // 3 if isinstance(cv, GroupKFold) else None
    made = of(cv=cv, groups=groups)
    assert made.cv == words
    assert made.n_groups == (30 if groups is not None else None)


def test_leave_one_out_and_scores_alone():
    made = of(cv=LeaveOneOut(), scoring="accuracy", estimator=DummyClassifier(),
              grid={"strategy": ["prior"]})  # fmt: skip
    assert made.cv == "leave-one-out cross-validation"
    assert of(record=False).cv == "stratified 5-fold cross-validation"
    # Without predictions the sizes of the training parts tell.
    scores = {"accuracy": np.zeros((6, 1))}
    for size, whole in ((60, True), (61, False)):
        sizes = {"train_size": [60] * 5 + [size], "repeat": [0, 0, 0, 1, 1, 1]}
        oof = OOFPredictions.from_fold_scores(scores, y_true=Y, **sizes)
        assert (oof.n_rows, oof.n_repeats, with_record(oof).folds) == (
            0,
            2,
            (3, 3) if whole else (),
        )
    assert not with_record(OOFPredictions.from_fold_scores(y_true=Y, fold_scores=scores)).folds
    made = of(record=False, cv=ShuffleSplit(4, random_state=0))
    assert made.cv == "cross-validation (ShuffleSplit with 4 splits)" and not made.folds
    assert 0 < made.n_untested < 90, "rows are not kept, what was held out is"


def test_only_classes_are_stratified():
    ridge = {"estimator": Ridge(), "grid": {"alpha": [1, 2]}, "scoring": "r2"}
    assert of(**ridge, y=X[:, 0]).cv == "5-fold cross-validation"
    both = of(y=np.column_stack([Y, 1 - Y]), scoring=None)
    assert both.cv == "5-fold cross-validation"
    assert both.target == (("outputs", "2"),)
    # A model of numbers is not stratified, whatever the numbers are.
    assert of(**ridge, y=Y).cv == "5-fold cross-validation"
    # Nor is what looks for outliers, though it answers with classes.
    forest = IsolationForest(n_estimators=3, random_state=0)
    made = of(forest, {"max_features": [1, 2]}, y=2 * Y - 1, scoring="accuracy")
    assert made.cv == "5-fold cross-validation" and made.target[0][0] == "class -1"


def test_the_pipeline_names_what_was_tried_in_each_step():
    pipeline = Pipeline([("scale", StandardScaler()), ("model", LogisticRegression())])
    grid = [
        {"scale": [StandardScaler(), MinMaxScaler(), "passthrough"], "model__C": [1.0]},
        {"model": [DecisionTreeClassifier(max_depth=2)]},
    ]
    made = of(pipeline, grid, scoring="accuracy")
    assert made.estimator == (
        "A pipeline of StandardScaler or MinMaxScaler or no step and DecisionTreeClassifier"
    )
    assert dict(made.space)["model__C (space 1)"] == "1"
    assert of(make_pipeline(StandardScaler(), TREE), {}).estimator == (
        "A pipeline of StandardScaler and DecisionTreeClassifier"
    )


def test_grids_distributions_and_long_lists():
    made = of(LogisticRegression(), {"C": loguniform(0.1, 10), "tol": [1e-4]}, n_iter=3)
    assert made.strategy == "random search" and made.space[1] == ("tol", "0.0001")
    assert of().strategy == "grid search"


class Grid(BBCSearchMixin, GridSearchCV):
    """A search of scikit-learn that keeps its predictions."""


def test_other_searches_and_the_call():
    fitted = Grid(TREE, {"max_depth": [1, 2]}, cv=3).fit(X, Y)
    made = facts(fitted)
    assert (made.search, made.strategy) == ("Grid", "grid search")
    assert made.code.startswith("search = Grid(cv=3,") and "search.fit(X, y)" in made.code
    assert f"The seed of the draws was {made.seed}." in made.code
    assert "seed of the draws" not in of().code


class Halving(BBCSearchMixin, HalvingGridSearchCV):
    """A search that looks at scores."""


@pytest.mark.filterwarnings("ignore")  # of configurations that fail, and of halving
def test_what_halving_leaves_behind_has_not_failed():
    for failing, n_failed in (([], 0), ([-1], 1)):
        grid = {"max_depth": [*failing, 1, 2, 3, 4]}
        made = facts(Halving(TREE, grid, cv=3, random_state=0).fit(X, Y))
        assert made.dynamic and made.strategy == "successive halving"
        # From scikit-learn 1.10 on, the search has no results of what failed in an earlier round.
        assert made.n_failed == (0 if made.n_earlier else n_failed)
        assert 0 < made.n_left_out + made.n_earlier < made.n_configs == len(grid["max_depth"]) + 2
    broken = of(TREE, {"max_depth": [-1, 2]}, scoring="accuracy")
    assert (broken.n_failed, broken.n_left_out) == (1, 0)


def test_every_fact_of_a_search():
    fitted = search(ci=["delong", "bbc"], scoring=["roc_auc", "neg_log_loss"], refit="roc_auc")
    made = facts(fitted.fit(X, Y, groups=np.arange(90) // 3))
    sizes = (made.n_samples, made.n_configs, made.n_splits, made.n_repeats, made.n_features)
    assert sizes == (90, 4, 5, 1, 6)
    assert (made.n_failed, made.n_dropped, made.n_left_out, made.n_untested) == (0, 0, 0, 0)
    assert made.n_groups == 30 and made.folds and not made.dynamic
    assert made.primary == "roc_auc" and made.signs == {"roc_auc": 1, "neg_log_loss": -1}
    assert list(made.mean_scores) == ["roc_auc", "neg_log_loss"]
    np.testing.assert_array_equal(
        made.mean_scores["roc_auc"], fitted.cv_results_["mean_test_roc_auc"]
    )
    assert made.results == fitted.ci_results_ and made.main is fitted.ci_
    assert made.best_score(made.main) == made.mean_scores["roc_auc"][made.best_index]
    assert len(set(made.notes)) == len(made.notes) > 0
    assert list(made.versions)[:2] == ["sklearn-bbc", "Python"]
    for name in ("scikit-learn", "numpy", "scipy", "pandas"):
        assert made.versions[name] == metadata.version(name)
    # Of a method without a winner of its own the score of the search.
    assert made.best_scores[("roc_auc", "bbc")] == fitted.best_score_
    assert len(made.best_scores) == 4
    assert [dict(each) for each in made.params] == fitted.cv_results_["params"]
    assert type(made.best_index) is int and made.best_index == fitted.best_index_
    assert made.seed == fitted._finished.seed
    assert {"bbc", "bbcf"} <= made.selection_aware and "delong" not in made.selection_aware
    assert any("split between folds" in note or "group" in note for note in made.notes)
    assert made.space == (("max_depth", "1, 4"), ("min_samples_leaf", "1, 5"))
    assert made.estimator == "DecisionTreeClassifier" and made.search == "BBCSearchCV"


def test_what_is_not_known_or_not_tested():
    made = of(scoring=["roc_auc", "accuracy"], refit=False)
    assert made.best_index is None and made.primary is None
    assert made.main is None and made.results == {}
    some = of(cv=ShuffleSplit(2, test_size=0.2, random_state=0))
    tests = [test for _, test in ShuffleSplit(2, test_size=0.2, random_state=0).split(X)]
    assert some.n_untested == 90 - len(np.unique(np.concatenate(tests))) > 0
    assert of(record=False).n_untested == 0
    means = KMeans(n_init=1, random_state=0)
    made = facts(search(means, {"n_clusters": [2, 3]}, scoring=None, ci=[]).fit(X))
    assert made.target == (("target", "none"),)


@pytest.mark.filterwarnings("ignore")  # of configurations that fail
def test_what_was_dropped_has_not_failed():
    grid = {"max_leaf_nodes": [2, 8], "min_samples_leaf": [1, 40], "max_depth": [-1, 3]}
    fitted = search(TREE, grid, cv=6, ci=[], drop=DropClearlyWorse()).fit(X, Y)
    assert sum(np.isnan(fitted.cv_results_["split0_test_score"])) == 4
    assert sum(fitted.cv_results_["n_splits_done"] < 6) == 2 and fitted.oof_.failed.sum() == 6
    made = facts(fitted)
    assert (made.n_failed, made.n_dropped, made.n_left_out) == (4, 2, 0)


@pytest.mark.parametrize(
    ("steps", "space", "words"),
    [
        (["passthrough"], {}, "A pipeline"),
        ([None, Ridge()], {}, "A pipeline of Ridge"),
        ([StandardScaler(), MinMaxScaler(), Ridge()], {},
         "A pipeline of StandardScaler, MinMaxScaler and Ridge"),
        ([StandardScaler(), Ridge()], {"step0": [None, "passthrough"]}, "A pipeline of Ridge"),
        ([StandardScaler(), Ridge()], {"step0": [None, MinMaxScaler(), MinMaxScaler()]},
         "A pipeline of no step or MinMaxScaler and Ridge"),
        ([StandardScaler(), Ridge()], {"step1": uniform(0, 1)},
         "A pipeline of StandardScaler and Ridge"),
    ],
)  # fmt: skip
def test_pipelines_in_words(steps, space, words):
    named = Pipeline([(f"step{number}", step) for number, step in enumerate(steps)])
    assert changed(estimator=named, param_grid=[space]).estimator == words


class Own:
    """Draws, and is none of scipy's."""

    def rvs(self, random_state=None):
        return 1

    def __str__(self):
        return "one,  always"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (randint(1, 2_000_000), "distribution randint(1, 2000000)"),
        (uniform(0.25, 1 / 3), "distribution uniform(0.25, 0.333333)"),
        (loguniform(a=0.5, b=10), "distribution loguniform(a=0.5, b=10)"),
        (Own(), "one, always"),
        ([1 / 3, np.float32(2 / 3), 7, None], "0.3333, 0.6667, 7, None"),
        # Two characters stand between values, so 32 of three characters are 160.
        (["xyz"] * 32, ", ".join(["xyz"] * 32)),
        (["xyz"] * 33, ", ".join(["xyz"] * 32) + ", ... (33 values)"),
        (["xyz"] * 31 + ["wxyz"], ", ".join(["xyz"] * 31) + ", ... (32 values)"),
        (["y" * 161, "y"], "y" * 157 + "..., ... (2 values)"),
    ],
)
def test_values_in_words(values, words):
    assert changed(param_grid={"a": values}).space == (("a", words),)


def test_targets_of_other_kinds():
    def target(y, **given):
        return with_record(OOFPredictions(y_true=y, y_pred=np.zeros((len(y), 1)), **given)).target

    times = np.array([(3.0, 1), (1.0, 0), (2.0, 1)], dtype=[("time", float), ("event", bool)])
    counts, how = (("events", "2"), ("censored", "1")), "(reverse Kaplan-Meier)"
    assert target(times) == (*counts, ("median follow-up", f"not reached {how}"))
    times["time"] = 1.0, 2.5, 2.0  # the last one is censored
    times["event"] = True, False, True
    assert target(times) == (*counts, ("median follow-up", f"2.50 {how}"))
    labels = np.repeat(np.arange(21), 3).astype(str)[1:]
    assert target(labels) == (("classes", "21"), ("smallest class", "2"))
    assert target(labels[:-3])[0] == ("class 0", "2")
    assert target(["ill", "well", "ill"]) == (("class ill", "2"), ("class well", "1"))
    y = np.array([-0.01234, 500.5, 1234.5, 3.25])
    assert target(y, classes=None) == (("target", "0 to 1,235, mean 435"),)
    assert target(-y, classes=None) == (("target", "-1,235 to 0, mean -435"),)


def test_the_call_is_whole_and_can_be_repeated():
    """scikit-learn leaves out what is long, and of a list what comes after 30 values."""
    grid = {"C": [float(number) for number in range(400)], "tol": [1e-4]}
    model = LogisticRegression()
    call, last = changed(estimator=model, param_grid=grid).code.rsplit("\n", 1)
    assert last == "search.fit(X, y)" and "..." not in call
    names = {"BBCSearchCV": type(FITTED), "LogisticRegression": LogisticRegression}
    assert eval(call.removeprefix("search = "), names).param_grid == grid
    assert "seed of the draws was 0" in changed(random_state=None).code
    assert "seed of" not in changed(random_state=np.int64(3)).code


def test_notes_say_why_an_interval_is_missing():
    failed = result(details={"error": "ValueError: one class", "notes": ["seen"]})
    found = copy.copy(FITTED)
    found.ci_results_ = {"roc_auc": {"bbc": failed, "delong": result(details={})}}
    assert {"seen", "No bbc interval for roc_auc: ValueError: one class"} <= set(
        facts(found).notes
    )
