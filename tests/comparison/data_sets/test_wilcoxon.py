"""Wilcoxon: scipy's p values, adjusted by Holm where there are several pairs."""

import numpy as np
import pytest
from scipy import stats

from sklearn_bbc.comparison import Wilcoxon
from sklearn_bbc.comparison._data_sets import holm, signed_rank_p


def test_two_learners_equal_scipy():
    scores = np.random.default_rng(0).normal(size=(12, 2)) + [0, 0.7]
    result = Wilcoxon().compare(scores)
    expected = stats.wilcoxon(scores[:, 0], scores[:, 1])
    assert result.pair_p_values[0, 1] == pytest.approx(expected.pvalue, rel=1e-12)


def test_several_pairs_are_adjusted():
    scores = np.random.default_rng(0).normal(size=(12, 3)) + [0, 0.7, 1]
    result = Wilcoxon(control=0).compare(scores)
    p = [stats.wilcoxon(scores[:, 0], scores[:, j]).pvalue for j in (1, 2)]
    np.testing.assert_allclose(result.pair_p_values[0, 1:], holm(np.array(p)))
    np.testing.assert_allclose(result.details["unadjusted_p_values"][0, 1:], p)


def test_data_sets_without_a_difference():
    assert signed_rank_p(np.zeros(6)) == 1
    d = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert signed_rank_p(d) == pytest.approx(stats.wilcoxon(d, zero_method="zsplit").pvalue)
