"""Corrected resampled t: the formula by hand, and against the interval of one column."""

import numpy as np
import pytest
from scipy import stats

from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import CorrectedResampledT, Side
from sklearn_bbc.intervals import CorrectedT


def sides(scores, **fields):
    oof = OOFPredictions(
        y_true=np.empty(0), classes=None, fold_scores={"accuracy": np.asarray(scores)}, **fields
    )
    return Side(oof=oof, config=0), Side(oof=oof, config=1)


SCORES = np.array([[0.80, 0.75], [0.75, 0.72], [0.90, 0.80], [0.70, 0.71], [0.85, 0.80]])


def test_by_hand():
    result = CorrectedResampledT().compare(*sides(SCORES), "accuracy")
    d = np.array([0.05, 0.03, 0.10, -0.01, 0.05])
    error = d.std(ddof=1) * np.sqrt(1 / 5 + 1 / 4)
    assert result.difference == pytest.approx(0.044)
    assert result.statistic == pytest.approx(0.044 / error)
    assert result.p_value == pytest.approx(2 * stats.t.sf(0.044 / error, 4))
    half = stats.t.ppf(0.975, 4) * error
    assert tuple(result) == pytest.approx((0.044 - half, 0.044 + half))
    assert result.details["degrees"] == 4 and result.details["test_over_train"] == 0.25


def test_it_is_the_interval_of_the_differences():
    result = CorrectedResampledT(confidence_level=0.9).compare(*sides(SCORES), "accuracy")
    column = OOFPredictions(
        y_true=np.empty(0),
        classes=None,
        fold_scores={"r2": (SCORES[:, 0] - SCORES[:, 1])[:, None]},
    )
    assert tuple(result) == pytest.approx(
        tuple(CorrectedT(confidence_level=0.9).estimate(column, "r2"))
    )


def test_without_correction_it_is_the_paired_t_test():
    result = CorrectedResampledT(test_over_train=0, alternative="greater").compare(
        *sides(SCORES), "accuracy"
    )
    expected = stats.ttest_rel(SCORES[:, 0], SCORES[:, 1], alternative="greater")
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-10)
    assert result.p_value == pytest.approx(expected.pvalue, rel=1e-10)
    assert result.low == pytest.approx(expected.confidence_interval(0.95).low, rel=1e-10)
    assert result.high == 1.0


def test_repeats_count_as_folds():
    repeat = np.repeat([0, 1], 5)
    twice = sides(np.concatenate([SCORES, SCORES]), repeat=repeat)
    result = CorrectedResampledT().compare(*twice, "accuracy")
    d = np.tile(SCORES[:, 0] - SCORES[:, 1], 2)
    error = d.std(ddof=1) * np.sqrt(1 / 10 + 1 / 4)
    assert result.details["standard_error"] == pytest.approx(error)
    assert result.details["n_repeats"] == 2


def test_bad_ratios_are_refused():
    for ratio in (-0.1, "a", True):
        with pytest.raises(ValueError, match="test_over_train"):
            CorrectedResampledT(test_over_train=ratio).compare(*sides(SCORES), "accuracy")


def test_equal_learners_are_seldom_called_different():
    """Overlapping training sets: ten-fold differences with the correlation of the heuristic."""
    rng = np.random.default_rng(0)
    n_folds, rho, n_sets = 10, 0.1, 400
    shared = rng.normal(size=(n_sets, 1)) * np.sqrt(rho)
    d = shared + rng.normal(size=(n_sets, n_folds)) * np.sqrt(1 - rho)
    wrong = {0.0: 0, None: 0}
    for values in 0.5 + 0.01 * d:
        pair = sides(np.stack([values, np.full(n_folds, 0.5)], axis=1))
        for ratio in wrong:
            result = CorrectedResampledT(test_over_train=ratio).compare(*pair, "accuracy")
            wrong[ratio] += result.p_value <= 0.05
    assert wrong[None] <= 400 * 0.05 + 3 * np.sqrt(400 * 0.05 * 0.95)
    assert wrong[0.0] > 400 * 0.05 + 3 * np.sqrt(400 * 0.05 * 0.95), "the naive test is liberal"
