"""Nemenyi: published critical values, scikit-posthocs, groups of a diagram."""

import numpy as np
import pytest

from sklearn_bbc.comparison import Nemenyi, critical_difference

Q05 = [1.960, 2.344, 2.569, 2.728, 2.850, 2.948, 3.031, 3.102, 3.164]
Q10 = [1.645, 2.052, 2.291, 2.460, 2.589, 2.693, 2.780, 2.855, 2.920]


@pytest.mark.parametrize("alpha, quantiles", [(0.05, Q05), (0.10, Q10)])
def test_quantiles_by_known_values(alpha, quantiles):
    for k, q in zip(range(2, 11), quantiles, strict=True):
        # n = k (k + 1) / 6 data sets make the critical difference the quantile itself.
        found = critical_difference(k, 1, alpha) / np.sqrt(k * (k + 1) / 6)
        assert found == pytest.approx(q, abs=6e-4)


def test_critical_difference_by_known_values():
    assert critical_difference(4, 14) == pytest.approx(1.2535, abs=1e-4)
    assert critical_difference(4, 14, 0.10) == pytest.approx(
        1.1179, abs=2e-4
    )  # from a rounded quantile


def test_p_values_equal_scikit_posthocs():
    posthocs = pytest.importorskip("scikit_posthocs", reason="compares with scikit-posthocs")
    scores = np.random.default_rng(0).normal(size=(10, 4)) + [0, 0.5, 1, 2]
    result = Nemenyi().compare(scores)
    expected = posthocs.posthoc_nemenyi_friedman(scores).to_numpy()
    np.testing.assert_allclose(result.pair_p_values, expected, rtol=1e-10, atol=1e-12)


def test_a_difference_is_shown_from_the_critical_difference_on():
    scores = np.random.default_rng(1).normal(size=(10, 5)) + [0, 0.5, 1, 1.5, 2]
    result = Nemenyi().compare(scores)
    distance = np.abs(result.mean_ranks[:, None] - result.mean_ranks)
    np.testing.assert_array_equal(
        result.pair_p_values <= 0.05, distance >= result.critical_difference
    )


def test_without_any_difference_a_note_tells():
    result = Nemenyi().compare(np.random.default_rng(0).normal(size=(6, 3)))
    assert "do not read much into" in result.details["notes"][0]
    assert result.details["friedman_p_value"] > 0.05
