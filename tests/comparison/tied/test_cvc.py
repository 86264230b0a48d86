"""Cross-validation with confidence: against a plain loop, and how it centres."""

import numpy as np
import pytest
from scipy.stats import norm

from sklearn_bbc.comparison import CrossValidationWithConfidence
from sklearn_bbc.comparison._tied_methods import _centred_by_fold
from sklearn_bbc.resampling import Streams


def loop(values, fold, n_draws, seed):
    """The algorithm as it is written, one draw and one pair at a time."""
    values, place = np.unique(values, axis=1, return_inverse=True)  # draws depend on the order
    n, n_configs = values.shape
    centred = values.copy()
    for k in np.unique(fold):
        centred[fold == k] -= values[fold == k].mean(axis=0)
    multipliers = np.concatenate(
        [Streams(seed).of(k).standard_normal((min(64, n_draws - 64 * k), n))
         for k in range(-(-n_draws // 64))]
    )  # fmt: skip
    p_values = np.empty(n_configs)
    for c in range(n_configs):
        observed, drawn = [], []
        for j in range(n_configs):
            if j == c:
                continue
            residual = centred[:, j] - centred[:, c]
            sigma = np.sqrt((residual**2).mean())
            observed.append(np.sqrt(n) * (values[:, j] - values[:, c]).mean() / sigma)
            drawn.append(multipliers @ residual / np.sqrt(n) / sigma)
        exceeds = np.max(drawn, axis=0) >= max(observed)
        p_values[c] = (1 + exceeds.sum()) / (1 + n_draws)
    return p_values[place.reshape(-1)]


def test_equals_the_loop():
    values = np.random.default_rng(0).normal(size=(40, 5)) + np.linspace(0, 0.6, 5)
    fold = np.arange(40) % 4
    method = CrossValidationWithConfidence(n_bootstraps=200, random_state=7)
    p_values = method.p_values(values, fold)
    np.testing.assert_allclose(p_values, loop(values, fold, 200, 7), rtol=1e-12)
    assert p_values.min() < 0.2 < p_values.max()


def test_of_two_configurations_it_is_a_normal_test():
    values = np.random.default_rng(1).normal(size=(100, 2)) + [0.0, 0.25]
    difference = values[:, 1] - values[:, 0]
    z = difference.mean() / difference.std() * 10
    p_values = CrossValidationWithConfidence(n_bootstraps=20000, random_state=0).p_values(values)
    assert p_values == pytest.approx([norm.sf(z), norm.sf(-z)], abs=0.01)


def test_values_are_centred_within_folds():
    values = np.array([[1.0, 0.0], [3.0, 0.0], [10.0, 4.0], [14.0, 6.0]])
    fold = np.array([0, 0, 1, 1])
    expected = [[-1, 0], [1, 0], [-2, -1], [2, 1]]
    np.testing.assert_array_equal(_centred_by_fold(values, fold), expected)
    # A fold of one unit would have no spread at all.
    together = _centred_by_fold(values, np.array([0, 0, 1, 2]))
    np.testing.assert_array_equal(together, values - [7, 2.5])


def test_folds_that_differ_in_level_do_not_hide_a_difference():
    rng = np.random.default_rng(2)
    fold = np.arange(60) % 6
    level = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0])[fold]  # of the lead, fold by fold
    values = np.column_stack([rng.normal(size=60), rng.normal(size=60)])
    values[:, 1] = values[:, 0] + 0.15 + level + 0.3 * rng.normal(size=60)
    method = CrossValidationWithConfidence(n_bootstraps=500, random_state=0)
    assert method.p_values(values, fold)[0] < 0.02 < 0.1 < method.p_values(values)[0]
