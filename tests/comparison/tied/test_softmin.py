"""Softmin with leave-one-out means: against a plain loop, and its limits."""

import numpy as np
import pytest
from scipy.stats import norm

from sklearn_bbc.comparison import SoftminLeaveOneOut


def loop(values, scale=2.5, standardized=True):
    """The statistic as it is defined, one configuration and one unit at a time."""
    n, n_configs = values.shape
    p_values = np.empty(n_configs)
    for c in range(n_configs):
        others = [j for j in range(n_configs) if j != c]
        leads = values[:, others] - values[:, [c]]
        spread = leads.std(axis=0) if standardized else np.ones(len(others))
        leads = leads / spread
        own = leads if standardized else values[:, others]
        means = np.array([np.delete(own, i, axis=0).mean(axis=0) for i in range(n)])
        s = own[np.arange(n), means.argmax(axis=1)].std(ddof=1)
        rate = np.sqrt(n) / (scale * s)
        averages = np.empty(n)
        for i in range(n):
            weights = np.exp(rate * (means[i] - means[i].max()))
            averages[i] = weights @ leads[i] / weights.sum()
        t = np.sqrt(n) * averages.mean() / averages.std(ddof=1)
        p_values[c] = norm.sf(t)
    return p_values


@pytest.mark.parametrize("standardized", [True, False])
@pytest.mark.parametrize("scale", [2.5, 0.7])
def test_equals_the_loop(standardized, scale):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 6)) * np.linspace(0.5, 2, 6) + np.linspace(0, 0.6, 6)
    method = SoftminLeaveOneOut(scale=scale, standardized=standardized)
    expected = loop(values, scale, standardized)
    np.testing.assert_allclose(method.p_values(values), expected, rtol=1e-10)
    assert expected.min() < 0.05 < expected.max()


def test_of_two_configurations_nothing_is_averaged():
    values = np.random.default_rng(1).normal(size=(50, 2)) + [0.0, 0.3]
    difference = values[:, 1] - values[:, 0]
    z = np.sqrt(50) * difference.mean() / difference.std(ddof=1)
    for standardized in (True, False):
        p_values = SoftminLeaveOneOut(standardized=standardized).p_values(values)
        assert p_values == pytest.approx([norm.sf(z), norm.sf(-z)], rel=1e-10)


@pytest.mark.parametrize("standardized", [True, False])
def test_a_configuration_that_is_better_by_the_same_everywhere(standardized):
    first = np.random.default_rng(2).normal(size=30)
    values = np.column_stack([first, first + 0.25, first - 0.5])
    p_values = SoftminLeaveOneOut(standardized=standardized).p_values(values)
    assert p_values[[0, 2]] == pytest.approx([0, 0], abs=1e-12)
    assert p_values[1] >= 0.5


@pytest.mark.parametrize("standardized", [True, False])
def test_leaders_that_never_vary(standardized):
    rng = np.random.default_rng(3)
    values = np.column_stack([np.ones(30), rng.integers(2, size=30), rng.integers(2, size=30)])
    p_values = SoftminLeaveOneOut(standardized=standardized).p_values(values.astype(float))
    assert p_values[0] > 0.99 and (p_values[1:] < 0.001).all()


@pytest.mark.parametrize("bad", [0, -1.0, np.inf, "2", True])
def test_a_scale_that_is_not_positive_is_refused(bad):
    with pytest.raises(ValueError, match=r"scale must be a positive number.*2\.5"):
        SoftminLeaveOneOut(scale=bad).p_values(np.eye(3))


def test_standardized_is_a_yes_or_a_no():
    with pytest.raises(ValueError, match="standardized must be True or False, got 'yes'"):
        SoftminLeaveOneOut(standardized="yes").p_values(np.eye(3))
