"""Random means: what they estimate, and that the number of draws changes none of them."""

import numpy as np
import pytest

from sklearn_bbc.comparison._tied_methods import (
    bootstrap_means,
    check_draws,
    exceedance,
    multiplier_means,
)

VALUES = np.random.default_rng(0).normal(size=(20, 3)) * [1.0, 2.0, 0.5]
CENTRED = VALUES - VALUES.mean(axis=0)


@pytest.mark.parametrize("means", [multiplier_means, bootstrap_means])
def test_covariance_is_that_of_a_mean(means):
    drawn = means(CENTRED, 20000, 0)
    expected = CENTRED.T @ CENTRED / 20**2
    np.testing.assert_allclose(drawn.T @ drawn / 20000, expected, atol=0.05 * expected.max())
    np.testing.assert_allclose(drawn.mean(axis=0), 0, atol=0.02)


@pytest.mark.parametrize("means", [multiplier_means, bootstrap_means])
def test_more_draws_begin_with_the_same_ones(means):
    few, many = means(CENTRED, 128, 3), means(CENTRED, 300, 3)
    np.testing.assert_array_equal(few, many[:128])
    assert not np.array_equal(few, means(CENTRED, 128, 4))


def test_the_observed_value_counts_as_a_draw():
    assert exceedance(np.array([1.0, 2.0, 3.0]), 2.0) == 0.75
    assert exceedance(np.array([1.0, 2.0, 3.0]), np.inf) == 0.25
    assert exceedance(np.full(3, -np.inf), -np.inf) == 1.0


def test_too_few_draws_are_refused():
    with pytest.raises(ValueError, match=r"n_bootstraps.*100.*got 99.*1 / \(n_bootstraps"):
        check_draws(99)
