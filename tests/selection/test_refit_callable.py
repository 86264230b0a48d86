"""RefitCallable: the table of a draw is that of a search on the repeated rows; errors are told."""

import time

import numpy as np
import pytest
from sklearn import config_context
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import SelectionError, SlowMetricWarning
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.selection import OneStandardError, RefitCallable
from sklearn_bbc.selection._rules import cv_results_of
from tests.selection.draws import draws, predictions, scores_by_fold


def best_mean(results):
    return int(np.argmax(results["mean_test_score"]))


def test_columns_are_those_of_a_search():
    X, y = load_iris(return_X_y=True)
    grid = {"n_neighbors": [1, 5, 5, 40]}
    search = GridSearchCV(KNeighborsClassifier(), grid).fit(X, y)
    found = search.cv_results_
    scores = np.array([found[f"split{k}_test_score"] for k in range(5)])
    ours = cv_results_of({"score": scores})
    for name, column in ours.items():
        np.testing.assert_array_equal(column, found[name], err_msg=name)
        assert column.dtype == found[name].dtype


def test_undefined_configurations_share_the_last_rank():
    ours = cv_results_of({"score": np.array([[0.5, np.nan, 0.7], [0.5, 0.9, 0.7]])})
    assert ours["rank_test_score"].tolist() == [2, 3, 1]
    assert cv_results_of({"a": np.full((2, 2), np.nan)})["rank_test_a"].tolist() == [1, 1]


def test_the_best_mean_equals_a_loop_on_repeated_rows():
    oof = predictions()
    counts = draws(oof, 25)
    rule = RefitCallable(best_mean).bind(oof, as_metric("roc_auc").bind(oof))
    tables = [scores_by_fold("roc_auc", oof, count) for count in counts]
    expected = [int(np.argmax(np.nanmean(table, axis=0))) for table in tables]
    np.testing.assert_array_equal(rule.choose(counts)["config"], expected)


def test_one_standard_error_written_as_a_function_is_the_rule():
    oof = predictions()

    def function(results):
        n = sum(name.startswith("split") for name in results)
        mean, std = results["mean_test_score"], results["std_test_score"]
        best = int(np.argmax(mean))
        good = mean >= mean[best] - std[best] / np.sqrt(n - 1)
        depth = np.array([params["depth"] for params in results["params"]])
        assert (depth == results["param_depth"]).all()
        return int(np.argmin(np.where(good, depth, np.inf)))

    for method in (BBC(n_bootstraps=100, random_state=0), BBCF()):
        one, other = (
            method.set_params(selection=rule).estimate(oof, "accuracy")
            for rule in (RefitCallable(function), OneStandardError("depth"))
        )
        np.testing.assert_array_equal(one.draws, other.draws)
        assert one.details["winner"] == other.details["winner"]
        assert one.details["rule"] == "function"


def test_several_metrics_and_other_columns():
    oof = predictions()
    seen = []

    def function(results):
        seen.append(results)
        return int(np.argmax(results["mean_test_auc"] - results["mean_fit_time"]))

    times = np.array([0.0, 0, 0, 0, 0, 9])
    rule = RefitCallable(
        function,
        scoring={"auc": "roc_auc", "hits": "accuracy"},
        cv_results={"mean_fit_time": times, "mean_test_auc": np.zeros(6)},
    )
    kernel = as_metric("neg_log_loss").bind(oof)
    counts = draws(oof, 6)
    chosen = rule.bind(oof, kernel).choose(counts)["config"]
    assert (chosen < 5).all(), "the slow one is out"
    for results, count in zip(seen[1:], counts):
        table = scores_by_fold("accuracy", oof, count)
        # A fold without an AUC in this draw is out for the other metric too.
        table[np.isnan(scores_by_fold("roc_auc", oof, count)).all(axis=1)] = np.nan
        np.testing.assert_allclose(results["mean_test_hits"], np.nanmean(table, axis=0))
        assert results["mean_fit_time"] is times
    assert BBCF(selection=rule).estimate(oof, "neg_log_loss").metric == "neg_log_loss"


def test_errors_name_the_draw_whatever_the_batches():
    oof = predictions()
    calls = []

    def fails_later(results):
        calls.append(1)
        return 0 if len(calls) <= 71 else results["no_such_column"]

    method = BBC(selection=RefitCallable(fails_later), n_bootstraps=100, random_state=0)
    for memory in (1024, 0.001):
        calls.clear()
        with (
            config_context(working_memory=memory),
            pytest.raises(SelectionError, match=r"fails_later failed.*no_such_column.*draw 70"),
        ):
            method.estimate(oof, "accuracy")


@pytest.mark.parametrize(
    ("index", "message"),
    [(6, "index 6 on all samples; the configurations are 0 to 5"), (-1, "index -1"),
     (0.5, "returned 0.5"), (None, "returned None"), (True, "returned True")],
)  # fmt: skip
def test_what_is_no_index_is_an_error(index, message):
    oof = predictions()
    rule = RefitCallable(lambda results: index)
    with pytest.raises(SelectionError, match=message):
        rule.bind(oof, as_metric("accuracy").bind(oof))


def test_a_slow_function_is_announced():
    oof = predictions()

    def slow(results):
        time.sleep(0.02 if not slow.called else 0)
        slow.called = True
        return 0

    slow.called = False
    method = BBC(selection=RefitCallable(slow), n_bootstraps=1000, random_state=0)
    with pytest.warns(SlowMetricWarning, match="called in each of 1,000 draws"):
        method.estimate(oof, "accuracy")


def test_parameters_are_checked():
    oof = predictions()
    kernel = as_metric("accuracy").bind(oof)
    for rule, message in (
        (RefitCallable(3), "function must be a callable"),
        (RefitCallable(best_mean, scoring="roc_auc"), "scoring must be a mapping"),
        (RefitCallable(best_mean, cv_results={"a": [1]}), r"cv_results\['a'\] has 1 entries"),
    ):
        with pytest.raises(ValueError, match=message):
            rule.bind(oof, kernel)


def test_bbcf_names_the_draw_of_folds():
    scores = np.random.default_rng(0).random((5, 3))
    oof = OOFPredictions(y_true=[], classes=None, fold_scores={"accuracy": scores})

    def fails_on_repeated_folds(results):
        if (results["split0_test_score"] == results["split1_test_score"]).all():
            raise RuntimeError("twice")
        return 0

    with pytest.raises(SelectionError, match=r"the draw that takes the folds \[.*\] times"):
        BBCF(selection=RefitCallable(fails_on_repeated_folds)).estimate(oof, "accuracy")
