"""``cv_results_`` with dropped configurations, and refit functions that do not see them."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc.search._racing import (
    AmongTheRest,
    mark_dropped,
    of_the_rest,
    ranks,
    refit_among,
)
from sklearn_bbc.selection import AsRefit, OneStandardError, RefitCallable
from tests.search.small_search import GRID, X, Y


def finished(**options):
    tree = DecisionTreeClassifier(random_state=0)
    search = GridSearchCV(tree, GRID, cv=3, return_train_score=True, **options).fit(X, Y)
    n = len(search.cv_results_["params"])
    out = [{"fit_time": float(cell), "score_time": 2.0 * cell} for cell in range(3 * n)]
    return search.cv_results_, out, n


def test_scores_stop_where_fitting_stopped():
    results, out, _ = finished(scoring=["accuracy", "roc_auc"], refit=False)
    before = {name: np.copy(column) for name, column in results.items()}
    done = [3, 1, 3, 2, 3, 3]
    mark_dropped(results, done, 3, out)
    assert results["n_splits_done"].tolist() == done
    for name in ("accuracy", "roc_auc"):
        for kind in ("test", "train"):
            for split in range(3):
                column = results[f"split{split}_{kind}_{name}"]
                here = np.array(done) > split
                np.testing.assert_array_equal(np.isnan(column), ~here)
                np.testing.assert_array_equal(
                    column[here], before[f"split{split}_{kind}_{name}"][here]
                )
            for statistic in ("mean", "std"):
                column = results[f"{statistic}_{kind}_{name}"]
                np.testing.assert_array_equal(np.isnan(column), np.array(done) < 3)
        rank = results[f"rank_test_{name}"]
        assert rank[1] == rank[3] == 5  # behind the other four
        assert rank.dtype == np.int32
    assert results["mean_fit_time"][1] == 3 and results["mean_score_time"][3] == 19
    assert results["std_fit_time"][3] == 0.5


def test_without_a_dropped_configuration_only_the_column_is_new():
    results, out, n = finished()
    before = dict(results)
    mark_dropped(results, [3] * n, 3, out)
    assert results.pop("n_splits_done").tolist() == [3] * n
    assert results == before


class Scores(BaseEstimator):
    def __init__(self, number=0):
        self.number = number

    def fit(self, X, y):
        return self


@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
@pytest.mark.parametrize(
    "means", [[0.5, 0.7, 0.7, 0.1], [0.5, np.nan, 0.7, np.nan], [np.nan, np.nan]]
)
def test_ranks_are_scikit_learns(means):
    search = GridSearchCV(
        Scores(),
        {"number": list(range(len(means)))},
        scoring=lambda estimator, X, y: means[estimator.number],
        cv=2,
        refit=False,
    )
    search.fit(X, Y)
    np.testing.assert_array_equal(ranks(np.array(means)), search.cv_results_["rank_test_score"])


def test_a_function_sees_the_rest_only():
    results, _, _ = finished()
    rest = np.array([1, 4, 5])
    seen = {}

    def first(table):
        seen.update(table)
        return np.int64(1)

    assert AmongTheRest(first, rest)(results) == 4
    assert seen["params"] == [results["params"][c] for c in rest]
    assert seen["param_max_depth"].tolist() == results["param_max_depth"][rest].tolist()
    assert len(seen["mean_test_score"]) == 3
    assert AmongTheRest(first, rest).__name__ == "first"


@pytest.mark.parametrize(("index", "expected"), [(3, -1), (-1, -1), ("x", "x"), (1.0, 1.0)])
def test_what_is_no_index_stays_an_error(index, expected):
    results, _, _ = finished()
    assert AmongTheRest(lambda table: index, np.array([1, 4, 5]))(results) == expected


def test_rules_of_all_kinds_are_told():
    rest = np.array([0, 2])
    worst = lambda table: int(np.argmin(table["mean_test_score"]))  # noqa: E731
    results = {"mean_test_score": np.array([0.5, np.nan, 0.4]), "params": [{}, {}, {}]}
    for refit in (worst, RefitCallable(worst), AsRefit(RefitCallable(worst))):
        told = refit_among(refit, rest)
        assert type(told) in (AmongTheRest, RefitCallable, AsRefit)
        assert told(results) == 2
    rule = OneStandardError("C")
    assert refit_among(rule, rest) is rule
    assert set(of_the_rest(results, rest)["params"][0]) == set()


def test_what_a_rule_knows_beside_its_function_is_kept():
    rest = np.array([0, 2])
    function = lambda table: 0  # noqa: E731
    scoring, columns = {"auc": "roc_auc"}, {"mean_fit_time": np.ones(3)}
    rule = RefitCallable(function, scoring=scoring, cv_results=columns)
    told = refit_among(rule, rest)
    assert type(told) is RefitCallable
    assert told.scoring is scoring and told.cv_results is columns
    named = refit_among(AsRefit(rule, "auc"), rest)
    assert type(named) is AsRefit and named.name == "auc"
    assert type(named.selection) is RefitCallable and named.selection.scoring is scoring
