"""Leads and deviations of pairs: against plain loops, and where everything cancels."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

from sklearn_bbc.comparison._tied_methods import Pairs, studentised


def loop(values):
    n_configs = values.shape[1]
    lead, deviation = np.zeros((n_configs, n_configs)), np.zeros((n_configs, n_configs))
    for i in range(n_configs):
        for j in range(n_configs):
            difference = values[:, j] - values[:, i]
            lead[i, j], deviation[i, j] = difference.mean(), difference.std()
    return lead, deviation


def test_all_pairs_are_those_of_a_loop():
    values = np.random.default_rng(0).normal(size=(30, 7))
    pairs = Pairs.of(values)
    lead, deviation = loop(values)
    np.testing.assert_allclose(pairs.lead, lead, atol=1e-14)
    np.testing.assert_allclose(pairs.deviation, deviation, rtol=1e-12)


def test_differences_that_are_small_beside_the_values_keep_their_digits():
    rng = np.random.default_rng(1)
    common = rng.normal(size=(40, 1))
    values = common + 1e-9 * rng.normal(size=(40, 3))
    _, deviation = loop(values)
    np.testing.assert_allclose(Pairs.of(values).deviation, deviation, rtol=1e-6)
    assert (Pairs.of(values).deviation[np.triu_indices(3, 1)] > 0).all()


def test_a_constant_difference_has_no_spread_and_rounding_is_no_lead():
    first = np.random.default_rng(2).normal(size=50)
    values = np.column_stack([first, first + 0.1, (first + 0.3) - 0.3])
    pairs = Pairs.of(values)
    assert not pairs.deviation.any()
    assert pairs.lead[0, 1] == pytest.approx(0.1)
    assert pairs.lead[0, 2] == 0
    t = pairs.t()
    assert t[0, 1] == np.inf and t[1, 0] == -np.inf and t[0, 2] == 0


def test_against_the_best_equals_the_paired_t_test():
    values = np.random.default_rng(3).normal(size=(25, 4)) + [0, 0.2, 0.9, 0.5]
    t = Pairs.with_best(values).t()
    assert t[2] == 0
    for config in (0, 1, 3):
        expected = ttest_rel(values[:, 2], values[:, config]).statistic
        assert t[config] == pytest.approx(expected, rel=1e-12)


def test_deviations_of_other_values_can_be_asked_for():
    values = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 5.0], [1.0, 7.0]])
    centred = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, -1.0], [0.0, 1.0]])
    pairs = Pairs.of(values, centred)
    assert pairs.lead[0, 1] == 2.0
    assert pairs.deviation[0, 1] == pytest.approx(1.0)
    assert studentised(pairs.lead, pairs.deviation)[0, 1] == pytest.approx(2.0)
