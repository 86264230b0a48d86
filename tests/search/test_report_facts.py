"""What is reported of a finished search."""

import numpy as np
import pytest
from scipy.stats import loguniform
from sklearn.datasets import make_regression
from sklearn.dummy import DummyClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import OOFPredictions
from sklearn_bbc.search import BBCSearchMixin
from sklearn_bbc.search._report_facts import _space, _target

from .small_search import GRID, TREE, X, Y, search


def facts(fitted):
    return fitted._report_facts()


def of(estimator=TREE, grid=GRID, y=Y, groups=None, **options):
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
        ([(np.arange(60), np.arange(60, 90))], "cross-validation (1 split)"),
    ],
)
def test_splits(cv, words):
    groups = np.arange(90) // 3 if isinstance(cv, GroupKFold) else None
    made = of(cv=cv, groups=groups)
    assert made.cv == words
    assert made.n_groups == (30 if groups is not None else None)


def test_leave_one_out_and_scores_alone():
    made = of(cv=LeaveOneOut(), scoring="accuracy", estimator=DummyClassifier(),
              grid={"strategy": ["prior", "stratified"]})  # fmt: skip
    assert made.cv == "leave-one-out cross-validation"
    assert of(record=False).cv == "stratified 5-fold cross-validation"


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
    assert made.strategy == "random search"
    assert dict(made.space) == {"C": "distribution loguniform(0.1, 10)", "tol": "0.0001"}
    assert of().strategy == "grid search"
    ((_, values),) = _space([{"max_leaf_nodes": range(2, 102)}])
    assert values.startswith("2, 3, ") and values.endswith(", ... (100 values)")
    assert len(values) < 200


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
    made = facts(Halving(TREE, {"max_depth": [1, 2, 3, 4]}, cv=3, random_state=0).fit(X, Y))
    assert made.dynamic and made.strategy == "successive halving"
    assert made.n_failed == 0 and 0 < made.n_left_out < made.n_configs
    assert not of().dynamic and of().n_left_out == 0
    broken = of(TREE, {"max_depth": [-1, 2]}, scoring="accuracy")
    assert (broken.n_failed, broken.n_left_out) == (1, 0)


def test_targets():
    assert of().target == (("class 0", str(sum(Y == 0))), ("class 1", str(sum(Y == 1))))
    labels = np.where(Y == 1, "ill", "well")
    assert dict(of(y=labels).target)["class ill"] == str(sum(Y == 1))
    _, y = make_regression(n_samples=90, n_features=1, random_state=0)
    y = np.round(y)
    made = of(Ridge(), {"alpha": [1, 2]}, y=y, scoring="r2")
    assert made.target == (("target", f"{y.min():.0f} to {y.max():.0f}, mean {y.mean():.0f}"),)


def test_results_notes_and_versions():
    made = facts(search(ci=["bbc", "delong"]).fit(X, Y))
    assert list(made.results["roc_auc"]) == ["bbc", "delong"]
    assert made.main is made.results["roc_auc"]["bbc"]
    assert made.best_score(made.main) == made.mean_scores["roc_auc"][made.best_index]
    assert "bbc" in made.aware and "delong" not in made.aware
    assert len(set(made.notes)) == len(made.notes) > 0
    assert {"sklearn-bbc", "Python", "scikit-learn", "numpy"} <= set(made.versions)
    assert of().main is None and of().results == {}


@pytest.mark.filterwarnings("ignore")  # of the configuration that fails
def test_a_failed_fit_in_halving_does_not_make_failures_of_what_was_left_behind():
    grid = {"max_depth": [-1, 1, 2, 3, 4]}
    made = facts(Halving(TREE, grid, cv=3, random_state=0).fit(X, Y))
    assert made.n_failed == 1 and made.n_left_out > 0


def test_values_fill_a_line_and_no_more():
    def written(values):
        ((_, text),) = _space([{"a": values}])
        return text

    # Two characters stand between values, so 32 of three characters are 160.
    assert written(["xyz"] * 32) == ", ".join(["xyz"] * 32)
    assert written(["xyz"] * 33) == ", ".join(["xyz"] * 32) + ", ... (33 values)"
    assert written(["xyz"] * 31 + ["wxyz"]) == ", ".join(["xyz"] * 31) + ", ... (32 values)"
    assert written(["y" * 160]) == "y" * 160
    assert written(["y" * 161]) == "y" * 157 + "..."


def test_events_are_counted_whatever_the_order_of_the_fields():
    event = np.array([True, False, True])
    y = np.array(list(zip([3.0, 1.0, 2.0], event)), dtype=[("time", float), ("event", bool)])
    assert _target(OOFPredictions(y_true=y, y_pred=np.arange(3.0)[:, None])) == (
        ("events", "2"),
        ("censored", "1"),
    )
