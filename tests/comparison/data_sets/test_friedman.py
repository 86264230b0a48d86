"""Friedman: scipy's statistic, the published example, agreement of all, ties everywhere."""

import math

import numpy as np
import pytest
from scipy import stats

from sklearn_bbc.comparison import Friedman, RankTable
from sklearn_bbc.comparison._data_sets import friedman_test


def ranked(ranks):
    ranks = np.asarray(ranks, dtype=float)
    return RankTable(scores=-ranks, ranks=ranks, names=tuple(map(str, range(ranks.shape[1]))))


@pytest.mark.parametrize("ties", [False, True])
def test_chi_squared_equals_scipy(ties):
    scores = np.random.default_rng(0).normal(size=(12, 5))
    scores = np.round(scores) if ties else scores
    result = Friedman(corrected=False).compare(scores)
    expected = stats.friedmanchisquare(*scores.T)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-10)
    assert result.p_value == pytest.approx(expected.pvalue, rel=1e-10)


def test_published_example():
    """Demsar's table of 14 data sets: mean ranks 3.143, 2.000, 2.893, 1.964."""
    scores = np.array([  # C4.5, C4.5+m, C4.5+cf, C4.5+m+cf, area under the ROC curve
        [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975], [0.957, 0.978, 0.946, 0.970],
    ])  # fmt: skip
    result = Friedman().compare(scores)
    np.testing.assert_allclose(result.mean_ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    n, k = 14, 4  # the published arithmetic has no correction for ties
    chi2 = 12 * n / (k * (k + 1)) * (np.sum(result.mean_ranks**2) - k * (k + 1) ** 2 / 4)
    assert chi2 == pytest.approx(9.28, abs=5e-3)
    assert (n - 1) * chi2 / (n * (k - 1) - chi2) == pytest.approx(3.69, abs=5e-3)
    assert result.statistic > 3.69 and result.p_value < 0.05, "ties make it larger"


def test_iman_davenport_by_hand():
    ranks = [[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3], [1, 2, 3], [1, 2, 3]]
    found = friedman_test(ranked(ranks))
    means = np.mean(ranks, axis=0)
    chi2 = 12 * 6 / 12 * (np.sum(means**2) - 12)
    assert found["chi2"] == pytest.approx(chi2)
    assert found["f"] == pytest.approx(5 * chi2 / (12 - chi2))
    assert found["f_p_value"] == pytest.approx(stats.f.sf(found["f"], 2, 10))


def test_where_all_data_sets_agree():
    result = Friedman().compare(np.tile([0.3, 0.2, 0.1], (6, 1)))
    assert result.statistic == np.inf
    assert result.p_value == pytest.approx(1 / math.factorial(3) ** 5)
    assert Friedman(corrected=False).compare(np.tile([3, 2, 1], (6, 1))).statistic == 12


def test_where_all_learners_tie():
    result = Friedman().compare(np.ones((6, 3)))
    assert result.statistic == 0 and result.p_value == 1
    assert "nothing to rank" in result.details["notes"][0]


def test_alike_learners_are_seldom_called_different():
    rng = np.random.default_rng(0)
    p = [Friedman().compare(rng.normal(size=(10, 5))).p_value for _ in range(400)]
    assert np.mean(np.array(p) <= 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


def test_bad_parameter():
    with pytest.raises(ValueError, match="corrected must be"):
        Friedman(corrected="yes").compare(np.zeros((6, 3)))
