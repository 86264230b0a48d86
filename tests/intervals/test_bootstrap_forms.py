"""Quantiles of replicates and the forms on replicates whose answer is known."""

import numpy as np
import pytest
from scipy.stats import norm

from sklearn_bbc.intervals._bootstrap_forms import FORMS, Replicates, bca, check_form, quantile


def test_quantiles_at_order_statistics_are_order_statistics():
    draws = np.random.default_rng(0).normal(size=99)
    for k in (1, 5, 50, 99):
        assert quantile(draws, k / 100) == np.sort(draws)[k - 1]


def test_quantiles_beyond_the_ends_are_the_ends():
    draws = np.arange(10.0)
    assert quantile(draws, 0.001) == 0 and quantile(draws, 0.999) == 9


def test_normal_scores_are_interpolated_exactly():
    """Replicates that are normal quantiles themselves give normal quantiles in between."""
    draws = norm.ppf(np.arange(1, 100) / 100)
    for level in (0.025, 0.333, 0.975):
        assert quantile(draws, level) == pytest.approx(norm.ppf(level), abs=1e-12)


def test_all_forms_agree_on_symmetric_normal_replicates():
    draws = norm.ppf(np.arange(1, 2000) / 2000)
    replicates = Replicates(
        0.0, draws, lambda: (1.0, np.ones(len(draws))), lambda: np.array([-1.0, 1.0, 0.0])
    )
    for name, form in FORMS.items():
        assert form(replicates, 0.05) == pytest.approx((-1.6449, 1.6449), abs=1e-2), name


def test_bca_moves_with_the_skewness_of_the_influence():
    draws = norm.ppf(np.arange(1, 2000) / 2000)
    influence = np.random.default_rng(0).exponential(size=100) - 1
    low, high = bca(Replicates(0.0, draws, None, lambda: influence), 0.05)
    assert low > -1.6 and high > 1.69


def test_known_forms_are_listed():
    with pytest.raises(ValueError, match=r"\['percentile', 'basic', .*got 't'"):
        check_form("t")


def test_a_rounding_error_is_no_standard_error():
    """Draws of equal fold scores have no spread, whatever the arithmetic leaves of it."""
    draws = np.linspace(0.7, 0.9, 999)
    spread = np.full(999, 0.05)
    exact, rounded = spread.copy(), spread.copy()
    exact[::50], rounded[::50] = 0, 1e-11
    bounds = [
        FORMS["studentised"](Replicates(0.8, draws, lambda s=s: (0.05, s)), 0.025)
        for s in (exact, rounded)
    ]
    assert bounds[0] == bounds[1]
    assert 0.69 < bounds[0][0] < bounds[0][1] < 0.91


@pytest.mark.parametrize("skewed", [False, True])
@pytest.mark.parametrize("estimate", [0.0, 0.3, -0.5])
def test_bca_by_its_formula(estimate, skewed):
    """On replicates that are normal quantiles a bound is the corrected level's normal quantile."""
    draws = norm.ppf(np.arange(1, 20_000) / 20_000)
    influence = np.array([-1.0, -1, 2] if skewed else [-1.0, 0, 1])
    acceleration = (influence**3).sum() / (6 * (influence**2).sum() ** 1.5)
    bounds = bca(Replicates(estimate, draws, None, lambda: influence), 0.05)
    # The share of draws below the estimate is its normal probability.
    shifted = estimate + norm.ppf([0.05, 0.95])
    expected = estimate + shifted / (1 - acceleration * shifted)
    assert bounds == pytest.approx(expected, abs=2e-3)
