"""Bonferroni: SciPy's paired t test, times the number of others."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

from sklearn_bbc.comparison import Bonferroni


def test_p_values_are_those_of_paired_t_tests():
    values = np.random.default_rng(0).normal(size=(40, 6)) + np.linspace(0, 0.8, 6)
    best = values.mean(axis=0).argmax()
    p_values = Bonferroni().p_values(values)
    for config in range(6):
        if config == best:
            assert p_values[config] == 1.0
            continue
        one = ttest_rel(values[:, best], values[:, config], alternative="greater").pvalue
        assert p_values[config] == pytest.approx(min(1.0, 5 * one), rel=1e-10)
    assert (p_values < 0.05).any()


def test_by_hand():
    # Differences 1, 1, 0: mean 2/3, standard error 1/3, so t = 2 with 2 degrees of freedom,
    # whose tail is (1 - 2 / sqrt(6)) / 2.
    values = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    assert Bonferroni().p_values(values) == pytest.approx([1.0, (1 - 2 / np.sqrt(6)) / 2])


def test_duplicates_cost_nothing():
    values = np.random.default_rng(1).normal(size=(30, 3)) + [0.0, 0.3, 0.6]
    once = Bonferroni().p_values(values)
    many = Bonferroni().p_values(values[:, [0, 0, 1, 2, 2, 1]])
    np.testing.assert_array_equal(many, once[[0, 0, 1, 2, 2, 1]])
