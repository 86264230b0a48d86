"""Rules in the methods on fold scores and in those that train."""

import time

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc.exceptions import SelectionError, SlowMetricWarning
from sklearn_bbc.intervals import BBCF, DirectBootstrap, NaiveBootstrap, RescaledBBC
from sklearn_bbc.intervals.winner._fold_rules import check_fold_rule, selected_by_folds
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.selection import (
    AsRefit,
    BestScore,
    OneStandardError,
    RefitCallable,
    SimplestTied,
    WithThreshold,
)
from tests.selection.draws import predictions

SIMPLEST = OneStandardError("depth")


def test_naive_bootstrap_takes_the_winner_of_the_rule_once():
    oof = predictions()
    result = NaiveBootstrap(selection=SIMPLEST, random_state=0).estimate(oof, "roc_auc")
    winner = BBCF(selection=SIMPLEST).estimate(oof, "roc_auc").details["winner"]
    assert result.details["config"] == winner
    assert result.details["winner_by"] == "one standard error"
    same = NaiveBootstrap(config=winner, random_state=0).estimate(oof, "roc_auc")
    np.testing.assert_array_equal(result.draws, same.draws)
    with pytest.raises(ValueError, match="give one of the two"):
        NaiveBootstrap(selection=SIMPLEST, config=1).estimate(oof, "roc_auc")
    with pytest.raises(ValueError, match="single samples"):
        NaiveBootstrap(selection=WithThreshold("f1")).estimate(oof, "roc_auc")
    best = NaiveBootstrap(selection=BestScore(), random_state=0).estimate(
        oof.with_selected(0), "roc_auc"
    )
    assert best.details["winner_by"] == "mean over folds"


@pytest.mark.parametrize("repeats", ["aligned", "independent"])
def test_bbcf_with_repeats_and_many_folds(repeats):
    oof = predictions(n_samples=48, n_folds=12, n_repeats=2)
    method = BBCF(selection=SimplestTied("depth"), repeats=repeats, n_bootstraps=100,
                  random_state=0)  # fmt: skip
    result = method.estimate(oof, "accuracy")
    assert result.details["winner_by"] == "simplest of the tied"
    assert 0 < result.details["winner_share"] <= 1
    # A margin so small that only the best are tied gives what the best score gives.
    tight = method.set_params(selection=SimplestTied("C", margin=0)).estimate(
        predictions(n_samples=48, n_folds=12, n_repeats=2, params=[{"C": k} for k in range(6)]),
        "accuracy",
    )
    plain = method.set_params(selection=None).estimate(oof, "accuracy")
    np.testing.assert_allclose(tight.draws, plain.draws, rtol=1e-12)


def test_bbcf_announces_a_slow_rule():
    oof = predictions(n_folds=11, n_samples=66, n_configs=2)

    def slow(results):
        if not slow.called:
            time.sleep(0.01)
        slow.called = True
        return 0

    slow.called = False
    with pytest.warns(SlowMetricWarning, match="called in each of 2,000 draws"):
        BBCF(selection=RefitCallable(slow)).estimate(oof, "accuracy")


def test_rescaled_bbc_reports_the_rule():
    oof = predictions()
    result = RescaledBBC(selection=SIMPLEST, n_bootstraps=200, random_state=0).estimate(
        oof, "roc_auc"
    )
    assert result.details["winner_by"] == "one standard error"
    assert result.low < result.estimate < result.high


def test_direct_bootstrap_selects_by_the_rule_in_every_draw():
    X, y = load_iris(return_X_y=True)
    X = X + np.random.default_rng(0).normal(size=X.shape)
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5, 15, 45]}, cv=3)
    rule = OneStandardError([("n_neighbors", "larger is simpler")])
    few = {"n_bootstraps": 20, "random_state": 0, "verbose": 0}
    result = DirectBootstrap(selection=rule, **few).estimate(search, X, y)
    by_hand = GridSearchCV(
        KNeighborsClassifier(), {"n_neighbors": [1, 5, 15, 45]}, cv=3, refit=AsRefit(rule)
    )
    expected = DirectBootstrap(**few).estimate(by_hand, X, y)
    np.testing.assert_array_equal(result.draws, expected.draws)
    assert search.refit is True, "the search was changed"
    plain = DirectBootstrap(**few).estimate(search, X, y)
    best = DirectBootstrap(selection=BestScore(), **few).estimate(search, X, y)
    np.testing.assert_array_equal(best.draws, plain.draws)
    assert not np.array_equal(plain.draws, result.draws)


def test_direct_bootstrap_refuses_what_it_cannot_repeat():
    X, y = load_iris(return_X_y=True)
    few = {"n_bootstraps": 20, "random_state": 0, "verbose": 0}
    with pytest.raises(ValueError, match="is for searches, got DecisionTreeClassifier"):
        DirectBootstrap(selection=BestScore(), **few).estimate(DecisionTreeClassifier(), X, y)
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=3)
    with pytest.raises(ValueError, match="TunedThresholdClassifierCV"):
        DirectBootstrap(selection=WithThreshold("f1"), **few).estimate(search, X, y)
    several = GridSearchCV(
        KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=3, scoring=["accuracy"],
        refit="accuracy",
    )  # fmt: skip
    with pytest.raises(ValueError, match="a search with one metric"):
        DirectBootstrap(selection=BestScore(), **few).estimate(several, X, y, scoring="accuracy")


def test_weights_of_folds_go_with_the_best_score_only():
    for weight_folds, rule in (
        (False, None),
        (True, None),
        (True, BestScore()),
        (False, SIMPLEST),
    ):
        check_fold_rule(rule, weight_folds)
    with pytest.raises(ValueError, match="weight_folds=True is not possible with selection"):
        check_fold_rule(SIMPLEST, True)


def first_is_simplest():
    """Of six configurations that hardly differ the first one is the simplest."""
    return predictions(params=[{"depth": k} for k in range(6)])


def test_a_rule_may_take_the_first_configuration():
    rule = SimplestTied("depth", margin=1.0)  # all are tied
    chosen = selected_by_folds(first_is_simplest(), as_metric("accuracy"), rule)
    assert (chosen.selected, chosen.selected_by) == (0, "simplest of the tied")
    result = BBCF(selection=rule).estimate(first_is_simplest(), "accuracy")
    assert (result.details["winner"], result.details["winner_share"]) == (0, 1.0)
    by_hand = BBCF().estimate(
        predictions(failed=np.arange(6) > 0, params=[{"depth": k} for k in range(6)]), "accuracy"
    )
    np.testing.assert_allclose(result.draws, by_hand.draws, atol=1e-12)
    other = BBCF(selection=rule).estimate(first_is_simplest().with_selected(3), "accuracy")
    assert any("configuration 3" in note for note in other.details["notes"])


def test_only_what_was_selected_is_scored():
    oof = first_is_simplest()
    rule = BBCF(selection=SimplestTied("depth", margin=0.01))
    kernel, plain = (
        rule._bind(oof, as_metric("accuracy")),
        BBCF()._bind(oof, as_metric("accuracy")),
    )
    counts = np.array([[1, 1, 1, 2, 0], [0, 5, 0, 0, 0], [0, 0, 1, 2, 2], [2, 2, 0, 0, 1]])
    configs = np.array([0, 1, 5, -1])
    expected = plain.score_of(counts, np.maximum(configs, 0))
    expected[3] = np.nan
    np.testing.assert_array_equal(kernel.score_of(counts, configs), expected)
    assert len(set(expected[:3])) == 3
    assert kernel.bytes_per_draw == 64 * 6


def test_a_rule_that_fails_is_told_with_its_folds():
    def fails_on_repeated_folds(results):
        if calls:
            raise RuntimeError("no winner")
        calls.append(results)
        return 0

    calls = []
    with pytest.raises(SelectionError, match=r"the folds \[\d, \d, \d, \d, \d\] times"):
        BBCF(selection=RefitCallable(fails_on_repeated_folds)).estimate(predictions(), "accuracy")

    def fails_at_once(results):
        raise RuntimeError("no winner")

    with pytest.raises(SelectionError) as caught:
        BBCF(selection=RefitCallable(fails_at_once)).estimate(predictions(), "accuracy")
    assert "times" not in str(caught.value)
