"""Holm: statsmodels' adjustment, all pairs and against a control."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sklearn_bbc.comparison import Holm
from sklearn_bbc.comparison._data_sets import adjusted_pairs, holm

multitest = pytest.importorskip("statsmodels.stats.multitest", reason="compares with statsmodels")


def test_by_hand():
    np.testing.assert_allclose(holm(np.array([0.01, 0.04, 0.03])), [0.03, 0.06, 0.06])
    np.testing.assert_allclose(holm(np.array([0.5, 0.9])), [1, 1])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_equals_a_loop_from_the_smallest_on(p_values):
    """None is rejected before a smaller one: the k-th smallest of n counts n - k + 1 times."""
    expected, largest = {}, 0.0
    for k, i in enumerate(np.argsort(p_values, kind="stable")):
        largest = max(largest, min(1.0, (len(p_values) - k) * p_values[i]))
        expected[i] = largest
    np.testing.assert_allclose(
        holm(np.array(p_values)), [expected[i] for i in range(len(p_values))], rtol=1e-12
    )


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_equals_statsmodels(n):
    p_values = np.random.default_rng(n).uniform(size=n) ** 3
    expected = multitest.multipletests(p_values, method="holm")[1]
    np.testing.assert_allclose(holm(p_values), expected, rtol=1e-12)


def test_pairs_with_the_control_are_fewer():
    scores = np.random.default_rng(0).normal(size=(10, 4)) + [0, 1, 2, 3]
    ranks = stats.rankdata(-scores, axis=1).mean(axis=0)
    p = 2 * stats.norm.sf(np.abs(ranks[:, None] - ranks) / np.sqrt(20 / 60))
    result = Holm(control=2).compare(scores)
    np.testing.assert_allclose(
        np.delete(result.pair_p_values[2], 2), holm(np.delete(p[2], 2)), rtol=1e-12
    )
    everything = Holm().compare(scores)
    upper = np.triu_indices(4, 1)
    np.testing.assert_allclose(everything.pair_p_values[upper], holm(p[upper]), rtol=1e-12)
    assert everything.control is None and np.isnan(everything.critical_difference)


def test_one_pair_is_not_adjusted():
    p = np.array([[1, 0.03], [0.03, 1]])
    np.testing.assert_array_equal(adjusted_pairs(p, None), p)
