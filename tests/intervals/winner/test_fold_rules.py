"""Rules in the methods on fold scores and in those that train."""

import functools
import itertools

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

from sklearn_bbc.exceptions import (
    IntervalWarning,
    SelectionError,
)
from sklearn_bbc.intervals import BBC, BBCF, DirectBootstrap, NaiveBootstrap
from sklearn_bbc.selection import (
    GreedyEnsemble,
    RefitCallable,
    WithThreshold,
)
from tests.selection.draws import predictions, score_on
from tests.selection.test_greedy_ensemble import by_a_loop

GRID = np.linspace(0.1, 0.9, 9)


def threshold_of(rows, proba, y, grid):
    """The first best threshold of some rows, up to rounding; repetitions are allowed."""
    scores = [balanced_accuracy_score(y[rows], proba[rows] >= t) for t in grid]
    return grid[int(np.argmax(np.round(scores, 12)))]


def test_bbcf_chooses_a_threshold_on_the_drawn_folds_as_a_plain_loop_does():
    oof = predictions(n_samples=60, n_folds=4)
    proba, y = np.asarray(oof.responses["predict_proba"]), oof.y_true
    of_fold = [np.flatnonzero(oof.fold == fold) for fold in range(4)]
    areas = np.array([[roc_auc_score(y[rows], p[rows]) for p in proba] for rows in of_fold])

    @functools.cache
    def score_and_threshold(draw):
        config = int(np.argmax(np.round(areas[list(draw)].mean(axis=0), 12)))
        threshold = threshold_of(
            np.concatenate([of_fold[fold] for fold in draw]), proba[config], y, GRID
        )
        left_out = [of_fold[fold] for fold in set(range(4)) - set(draw)]
        labels = proba[config] >= threshold
        of_folds = [balanced_accuracy_score(y[rows], labels[rows]) for rows in left_out]
        return np.mean(of_folds), threshold

    every = [draw for draw in itertools.product(range(4), repeat=4) if len(set(draw)) < 4]
    scores, thresholds = np.transpose([score_and_threshold(tuple(sorted(d))) for d in every])
    rule = WithThreshold("balanced_accuracy", thresholds=GRID)
    with pytest.warns(IntervalWarning, match="coarse with 4 folds"):
        result = BBCF(selection=rule).estimate(oof, "roc_auc")
    assert result.metric == "balanced_accuracy" and result.details["exact"]
    assert result.estimate == pytest.approx(np.mean(scores), rel=1e-12)
    np.testing.assert_allclose(np.sort(result.draws), np.sort(scores), rtol=1e-12)
    low, high = result.details["threshold_range"]
    # Of an even sample of the draws: between the values next to the quantiles of all.
    assert np.quantile(thresholds, 0.03) <= low <= np.quantile(thresholds, 0.07)
    assert np.quantile(thresholds, 0.93) <= high <= np.quantile(thresholds, 0.97)
    on_samples = BBC(selection=rule, n_bootstraps=40, random_state=0).estimate(
        oof.with_selected(result.details["winner"]), "roc_auc"
    )
    for name in ("winner", "threshold", "apparent_score"):
        assert result.details[name] == on_samples.details[name], name


def test_bbcf_builds_an_ensemble_on_the_drawn_folds():
    oof = predictions(n_samples=50, n_configs=4, n_folds=3)
    proba, y = np.asarray(oof.responses["predict_proba"]), oof.y_true
    of_fold = [np.flatnonzero(oof.fold == fold) for fold in range(3)]
    scores = []
    for draw in itertools.product(range(3), repeat=3):
        if len(set(draw)) == 3:
            continue
        rows = np.concatenate([of_fold[fold] for fold in draw])
        shares = by_a_loop("neg_brier_score", y[rows], proba[:, rows], 4)
        left_out = [of_fold[fold] for fold in set(range(3)) - set(draw)]
        scores.append(
            np.mean([score_on("neg_brier_score", y[r], shares @ proba[:, r]) for r in left_out])
        )
    with pytest.warns(IntervalWarning, match="coarse with 3 folds"):
        result = BBCF(selection=GreedyEnsemble(4)).estimate(oof, "neg_brier_score")
    assert result.estimate == pytest.approx(np.mean(scores), rel=1e-9)
    shares = by_a_loop("neg_brier_score", y, proba, 4)
    np.testing.assert_allclose(result.details["weights"], shares, atol=1e-12)
    assert np.sum(result.details["mean_weights"]) == pytest.approx(1)


def test_naive_bootstrap_scores_a_threshold_and_an_ensemble_by_fold():
    oof = predictions()
    proba, y = np.asarray(oof.responses["predict_proba"]), oof.y_true
    rule = WithThreshold("balanced_accuracy", thresholds=20)
    result = NaiveBootstrap(selection=rule, form="normal").estimate(oof, "roc_auc")
    config, threshold = result.details["config"], result.details["threshold"]
    of_folds = [
        balanced_accuracy_score(y[oof.fold == f], proba[config][oof.fold == f] >= threshold)
        for f in range(5)
    ]
    assert result.metric == "balanced_accuracy"
    assert result.estimate == pytest.approx(np.mean(of_folds), rel=1e-12)
    assert not result.details["selection_accounted_for"]
    ensemble = NaiveBootstrap(selection=GreedyEnsemble(5), random_state=0).estimate(
        oof, "neg_log_loss"
    )
    honest = BBCF(selection=GreedyEnsemble(5)).estimate(oof, "neg_log_loss")
    shares = np.array(ensemble.details["weights"])
    assert shares.tolist() == honest.details["weights"]
    of_folds = [
        score_on("neg_log_loss", y[oof.fold == f], shares @ proba[:, oof.fold == f])
        for f in range(5)
    ]
    assert ensemble.estimate == pytest.approx(np.mean(of_folds), rel=1e-9)
    assert ensemble.estimate > honest.estimate


def test_a_function_gets_the_results_of_the_search_of_each_draw():
    X, y = (array[::3] for array in load_iris(return_X_y=True))
    X = X + np.random.default_rng(0).normal(size=X.shape)

    def steady(results):
        assert results["mean_fit_time"].shape == (2,)
        return int(np.argmax(results["mean_test_accuracy"] - results["std_test_neg_log_loss"]))

    options = {"cv": 2, "scoring": ["accuracy", "neg_log_loss"]}
    grid = {"var_smoothing": [1e-9, 1]}
    search = GridSearchCV(GaussianNB(), grid, refit="accuracy", **options)
    by_hand = GridSearchCV(GaussianNB(), grid, refit=steady, **options)
    few = {"n_bootstraps": 20, "random_state": 0, "verbose": 0}
    rule = RefitCallable(steady)
    result = DirectBootstrap(selection=rule, **few).estimate(search, X, y, scoring="accuracy")
    expected = DirectBootstrap(**few).estimate(by_hand, X, y, scoring="accuracy")
    np.testing.assert_array_equal(result.draws, expected.draws)
    named = RefitCallable(steady, scoring={"accuracy": "accuracy"})
    with pytest.raises(ValueError, match="no use for scoring"):
        DirectBootstrap(selection=named, **few).estimate(search, X, y, scoring="accuracy")


def first_is_simplest():
    """Of six configurations that hardly differ the first one is the simplest."""
    return predictions(params=[{"depth": k} for k in range(6)])


def test_a_rule_that_fails_is_reported_with_its_folds():
    def fails_on_repeated_folds(results):
        means.append(results["mean_test_score"])  # a slow machine has it called on all folds twice
        if not np.array_equal(means[-1], means[0]):
            raise RuntimeError("no winner")
        return 0

    means = []
    with pytest.raises(SelectionError, match=r"the folds \[\d, \d, \d, \d, \d\] times"):
        BBCF(selection=RefitCallable(fails_on_repeated_folds)).estimate(predictions(), "accuracy")

    def fails_at_once(results):
        raise RuntimeError("no winner")

    with pytest.raises(SelectionError) as caught:
        BBCF(selection=RefitCallable(fails_at_once)).estimate(predictions(), "accuracy")
    assert "times" not in str(caught.value)
