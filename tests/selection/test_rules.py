"""Rules that select one configuration, against plain loops on repeated rows."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn import clone, config_context
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import SelectionError, SlowMetricWarning
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.metrics import FoldTable, as_metric
from sklearn_bbc.predictions._predictions import with_fields
from sklearn_bbc.selection import (
    OneStandardError,
    RefitCallable,
    SelectedBy,
    SimplestTied,
    Tied,
)
from sklearn_bbc.selection._base import as_selection
from sklearn_bbc.selection._rules import check_complexity, complexity_ranks, cv_results_of
from tests.selection.draws import draws, predictions, scores_by_fold

GRID = [{"depth": 3, "leaf": 1}, {"depth": 1, "leaf": 1}, {"depth": 3, "leaf": 5}]


@pytest.mark.parametrize(
    ("complexity", "ranks"),
    [
        ("depth", [1, 0, 1]),
        (["depth"], [1, 0, 1]),
        ([("depth", "larger is simpler")], [0, 1, 0]),
        (["depth", ("leaf", "larger is simpler")], [2, 0, 1]),
        ([("leaf", "larger is simpler"), "depth"], [2, 1, 0]),
        (lambda params: params["depth"] / params["leaf"], [2, 1, 0]),
        (lambda params: np.float32(1), [0, 0, 0]),
    ],
)
def test_ranks(complexity, ranks):
    check_complexity(complexity)
    assert complexity_ranks(complexity, GRID).tolist() == ranks


@pytest.mark.parametrize("complexity", [None, [("depth", "down")]])
def test_other_forms_are_refused(complexity):
    with pytest.raises(ValueError, match="'smaller is simpler' and 'larger is simpler'"):
        check_complexity(complexity)


@pytest.mark.parametrize("value", [None, "linear", float("nan"), [1]])
def test_values_without_an_order_are_named_with_a_way_out(value):
    with pytest.raises(ValueError, match=r"depth of configuration 1 is .* Give a function"):
        complexity_ranks("depth", [{"depth": 1}, {"depth": value}])
    with pytest.raises(ValueError, match="complexity for configuration 0"):
        complexity_ranks(lambda params: value, [{"depth": 1}])


def test_a_missing_parameter_and_a_failing_function_are_named():
    with pytest.raises(ValueError, match=r"'C', which configuration 0 does not have.*'depth'"):
        complexity_ranks("C", [{"depth": 1}])
    with pytest.raises(ValueError, match=r"failed on configuration 0.*KeyError\('C'\)"):
        complexity_ranks(lambda params: params["C"], [{"depth": 1}])


def by_a_loop(table, depths):
    """The rule on the fold scores of one draw, written plainly."""
    table = table[~np.isnan(table).all(axis=1)]
    means = table.mean(axis=0)
    best = int(np.argmax(means))
    error = table[:, best].std(ddof=1) / np.sqrt(len(table))
    good = [k for k in range(len(means)) if means[k] >= means[best] - error]
    return min(good, key=lambda k: (depths[k], -means[k], k))


@pytest.mark.long
@pytest.mark.parametrize(("scoring", "n_repeats"), [("neg_brier_score", 1), ("roc_auc", 2)])
def test_equal_to_a_plain_loop_on_repeated_rows(scoring, n_repeats):
    oof = predictions(n_repeats=n_repeats)
    depths = [each["depth"] for each in oof.params]
    counts = draws(oof, 25)
    rule = OneStandardError("depth").bind(as_metric(scoring).bind(oof))
    expected = [by_a_loop(scores_by_fold(scoring, oof, count), depths) for count in counts]
    found = rule.choose(counts)["config"]
    assert len(set(expected)) > 1, "the example is too easy"
    np.testing.assert_array_equal(found, expected)


def test_by_hand():
    # Means 0.70 and 0.68; the best one has the standard error 0.1 / sqrt(4 * 3) * 2 = 0.0577.
    scores = np.array([[0.6, 0.6], [0.8, 0.76], [0.6, 0.6], [0.8, 0.76]])
    oof = OOFPredictions.from_fold_scores({"accuracy": scores}, params=[{"d": 2}, {"d": 1}])
    table = FoldTable(as_metric("accuracy"), oof)
    everything = np.ones((1, 4), dtype=int)
    assert OneStandardError("d").bind(table).choose(everything)["config"].tolist() == [1]
    # Without spread there is no margin.
    flat = {"accuracy": np.array([[0.70, 0.68]] * 4)}
    oof = OOFPredictions.from_fold_scores(flat, params=oof.params)
    rule = OneStandardError("d").bind(FoldTable(as_metric("accuracy"), oof))
    assert rule.choose(everything)["config"].tolist() == [0]


def test_equally_simple_ones_go_by_score_then_by_order():
    scores = np.array([[0.60, 0.61, 0.61], [0.80, 0.80, 0.80]])
    oof = OOFPredictions.from_fold_scores({"accuracy": scores}, params=[{"d": 1}] * 3)
    rule = OneStandardError("d").bind(FoldTable(as_metric("accuracy"), oof))
    assert rule.choose(np.ones((1, 2), dtype=int))["config"].tolist() == [1]


def test_bbcf_equals_a_loop_over_all_draws_of_folds():
    rng = np.random.default_rng(1)
    scores = rng.normal(0.7, 0.05, size=(5, 4)) + [0.02, 0, 0.01, 0.03]
    params = [{"d": d} for d in (4, 1, 2, 3)]
    oof = OOFPredictions.from_fold_scores({"accuracy": scores}, params=params)
    result = BBCF(selection=OneStandardError("d")).estimate(oof, "accuracy")
    total, n = 0.0, 0
    for draw in np.ndindex(*[5] * 5):
        left_out = np.setdiff1d(np.arange(5), draw)
        if len(left_out) == 0:
            continue
        chosen = by_a_loop(scores[list(draw)], [4, 1, 2, 3])
        total, n = total + scores[left_out, chosen].mean(), n + 1
    assert result.estimate == pytest.approx(total / n, rel=1e-12)
    assert result.details["winner"] == by_a_loop(scores, [4, 1, 2, 3])
    assert result.details["winner_by"] == "one standard error"


def test_details_count_folds_and_name_the_winner_of_the_rule():
    oof = predictions(n_samples=24, n_folds=6).with_selected(0)
    method = BBC(selection=OneStandardError("depth"), n_bootstraps=100, random_state=0)
    result = method.estimate(oof, "roc_auc")
    assert 2 < result.details["mean_folds"] < 6, "some folds lack a class in some draws"
    everything = scores_by_fold("roc_auc", oof, np.ones(24, dtype=int))
    depths = [each["depth"] for each in oof.params]
    assert result.details["winner"] == by_a_loop(everything, depths)
    assert result.details["rule"] == "one standard error"
    assert any("the rule selects configuration 5" in note for note in result.details["notes"])
    folds = BBCF(selection=OneStandardError("depth")).estimate(oof, "accuracy")
    assert any("(given) is configuration 0" in note for note in folds.details["notes"])


def test_with_one_fold_that_has_a_score_the_best_is_selected():
    """Only one fold keeps both classes in these draws: there is no standard error."""
    oof = predictions(n_samples=20, n_folds=5)
    kernel = as_metric("roc_auc").bind(oof)
    counts = ((oof.fold == 2) | (oof.y_true == 1))[None].astype(np.uint8)
    rule = OneStandardError("depth").bind(kernel)
    outcome = rule.choose(counts)
    assert outcome["n_folds"].tolist() == [1]
    scores = scores_by_fold("roc_auc", oof, counts[0])[2]
    equal = np.flatnonzero(scores == scores.max())  # the last one is the simplest
    assert outcome["config"].tolist() == [equal[-1]]
    assert rule.describe(outcome)["n_without_error"] == 1
    nothing = rule.choose(oof.y_true[None, :].astype(np.uint8))
    assert nothing["config"].tolist() == [-1], "no fold has a score"
    assert np.isnan(rule.score(nothing, np.ones((1, 20)))).all()


def test_equal_to_a_plain_loop():
    oof = predictions()
    kernel = as_metric("roc_auc").bind(oof)
    counts = draws(oof)
    depths = np.array([each["depth"] for each in oof.params])
    expected = []
    for scores in kernel.scores(counts):
        good = np.flatnonzero(scores >= scores.max() - 0.05)
        expected.append(min(good, key=lambda k: (depths[k], -scores[k])))
    found = SimplestTied("depth", margin=0.05).bind(kernel).choose(counts)
    np.testing.assert_array_equal(found["config"], expected)


class TopHalf(Tied):
    def members(self, weights, scores):
        return scores >= np.median(scores, axis=1, keepdims=True)


def test_an_object_decides_what_is_tied():
    oof = predictions()
    result = BBC(
        selection=SimplestTied("depth", margin=TopHalf()), n_bootstraps=64, random_state=0
    ).estimate(oof, "roc_auc")
    assert result.details["mean_tied"] == pytest.approx(3, abs=0.3)


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
    chosen = rule.bind(kernel).choose(counts)["config"]
    assert (chosen < 5).all(), "the slow one is out"
    for results, count in zip(seen[-6:], counts):
        table = scores_by_fold("accuracy", oof, count)
        # A fold without an AUC in this draw is out for the other metric too.
        table[np.isnan(scores_by_fold("roc_auc", oof, count)).all(axis=1)] = np.nan
        np.testing.assert_allclose(results["mean_test_hits"], np.nanmean(table, axis=0))
        assert results["mean_fit_time"] is times
    assert BBCF(selection=rule).estimate(oof, "neg_log_loss").metric == "neg_log_loss"


def test_errors_name_the_draw_whatever_the_batches(monkeypatch):
    set_clock(monkeypatch, itertools.repeat(0))  # so that it is called once before the draws
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
        rule.bind(as_metric("accuracy").bind(oof))


def set_clock(monkeypatch, ticks):
    """Let the rules read these times; the clock of everything else goes on."""
    clock = SimpleNamespace(perf_counter=ticks.__next__)
    monkeypatch.setattr("sklearn_bbc.selection._rules.time", clock)


def test_a_slow_function_is_announced(monkeypatch):
    set_clock(monkeypatch, itertools.count(0, 0.02))
    method = BBC(selection=RefitCallable(best_mean), n_bootstraps=1000, random_state=0)
    with pytest.warns(SlowMetricWarning, match="called in each of 1,000 draws"):
        method.estimate(predictions(), "accuracy")


def test_one_call_that_took_long_is_no_slow_function(monkeypatch, recwarn):
    set_clock(monkeypatch, iter([0, 0.5, 1, 1.0001]))
    method = BBC(selection=RefitCallable(best_mean), n_bootstraps=1000, random_state=0)
    method.estimate(predictions(), "accuracy")
    assert not recwarn.list


def test_columns_of_other_lengths_are_refused():
    oof = predictions()
    kernel = as_metric("accuracy").bind(oof)
    with pytest.raises(ValueError, match=r"cv_results\['a'\] has 1 entries"):
        RefitCallable(best_mean, cv_results={"a": [1]}).bind(kernel)


def test_bbcf_names_the_draw_of_folds():
    scores = np.random.default_rng(0).random((5, 3))
    oof = OOFPredictions.from_fold_scores({"accuracy": scores})

    def fails_on_repeated_folds(results):
        if (results["split0_test_score"] == results["split1_test_score"]).all():
            raise RuntimeError("twice")
        return 0

    with pytest.raises(SelectionError, match=r"the draw that takes the folds \[.*\] times"):
        BBCF(selection=RefitCallable(fails_on_repeated_folds)).estimate(oof, "accuracy")


@pytest.mark.parametrize("rule", [None, OneStandardError("depth")])
@pytest.mark.parametrize("weighs", ["what selects", "what is scored"])
def test_the_metric_that_selects_may_have_weights_of_its_own(rule, weighs):
    oof = predictions()
    weights = np.where(oof.y_true == 1, 9.0, 1.0) * (1 + np.arange(oof.n_samples) % 3)
    weighted = with_fields(oof, sample_weight=weights)
    selects, scored = (weighted, oof) if weighs == "what selects" else (oof, weighted)
    by = SelectedBy("neg_brier_score", rule, sample_weight=selects.sample_weight)
    expected = as_selection(rule).bind(as_metric("neg_brier_score").bind(selects))
    counts = draws(oof)
    for each in (by, clone(by)):
        bound = each.bind(as_metric("roc_auc").bind(scored))
        found = bound.choose(counts)
        np.testing.assert_array_equal(found["config"], expected.choose(counts)["config"])
        scores = as_metric("roc_auc").bind(scored).score_of(counts, found["config"])
        np.testing.assert_array_equal(bound.score(found, counts), scores)
    alike = (
        SelectedBy("neg_brier_score", rule).bind(as_metric("roc_auc").bind(scored)).choose(counts)
    )
    assert (alike["config"] != found["config"]).any(), "weights would not matter here"


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("balanced", "an array with one weight per sample, None .* got 'balanced'"),
        (np.ones(3), r"sample_weight has shape \(3,\), expected \(60,\)"),
        (np.full(60, -1.0), "sample_weight must not be negative"),
    ],
)
def test_weights_of_the_metric_that_selects_are_checked(weights, message):
    rule = SelectedBy("neg_brier_score", sample_weight=weights)
    with pytest.raises(ValueError, match=message):
        rule.bind(as_metric("roc_auc").bind(predictions(n_samples=60)))
