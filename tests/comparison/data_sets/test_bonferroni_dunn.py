"""Bonferroni-Dunn: known quantiles, and only pairs with the control."""

import numpy as np
import pytest
from scipy import stats

from sklearn_bbc.comparison import BonferroniDunn

Q = [2.241, 2.394, 2.498, 2.576, 2.638, 2.690, 2.734, 2.773]


@pytest.mark.parametrize("k, q", list(zip(range(3, 11), Q, strict=True)))
def test_quantiles_by_known_values(k, q):
    result = BonferroniDunn().compare(np.random.default_rng(0).normal(size=(6, k)))
    error = np.sqrt(k * (k + 1) / 36)
    assert result.critical_difference / error == pytest.approx(q, abs=6e-4)


def test_critical_difference_of_the_example():
    result = BonferroniDunn().compare(np.random.default_rng(0).normal(size=(14, 4)))
    assert result.critical_difference == pytest.approx(1.168, abs=5e-4)


def test_by_hand():
    scores = np.random.default_rng(0).normal(size=(10, 4)) + [0, 1, 2, 3]
    result = BonferroniDunn(control=1).compare(scores)
    ranks = stats.rankdata(-scores, axis=1).mean(axis=0)
    z = np.abs(ranks - ranks[1]) / np.sqrt(20 / 60)
    np.testing.assert_allclose(
        np.delete(result.pair_p_values[1], 1),
        np.delete(np.minimum(1, 3 * 2 * stats.norm.sf(z)), 1),
    )
    assert np.isnan(result.pair_p_values[0, 2]) and result.control == 1
    others = np.array([0, 2, 3])
    shown = np.abs(ranks - ranks[1]) >= result.critical_difference
    np.testing.assert_array_equal(result.pair_p_values[1, others] <= 0.05, shown[others])
    assert result.groups() == []
