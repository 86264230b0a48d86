"""Bayesian signed rank: baycomp's mass draw by draw, and its probabilities."""

import numpy as np
import pytest

from sklearn_bbc.comparison import BayesianSignedRank
from sklearn_bbc.comparison._data_sets import most_mass


@pytest.mark.parametrize("rope", [0.0, 0.01, 0.03])
def test_mass_equals_baycomp(rope):
    baycomp = pytest.importorskip("baycomp", reason="compares with baycomp")
    x, y = 0.8 + 0.03 * np.random.default_rng(0).normal(size=(2, 9))
    sample = baycomp.SignedRankTest.sample(x, y, rope, nsamples=500, random_state=1)
    weights = np.random.RandomState(1).dirichlet([0.5] + [1] * 9, 500)
    found = most_mass(y - x, weights, rope)  # baycomp's left is x, its right is y
    np.testing.assert_array_equal(found, 2 - sample.argmax(axis=1))


def test_probabilities_are_near_baycomp_s():
    baycomp = pytest.importorskip("baycomp", reason="compares with baycomp")
    x, y = 0.8 + 0.03 * np.random.default_rng(2).normal(size=(2, 9))
    expected = baycomp.SignedRankTest.probs(x, y, 0.01, nsamples=4000)
    result = BayesianSignedRank(n_draws=20000, random_state=0).compare(np.stack([x, y], axis=1))
    found = list(result.details["probabilities"].values())
    np.testing.assert_allclose(found, expected, atol=0.03)


def test_equal_learners_are_equivalent():
    for rope in (0.0, 0.01):
        test = BayesianSignedRank(rope=rope, n_draws=200, random_state=0)
        result = test.compare(np.ones((6, 2)))
        assert result.details["probabilities"] == {"first": 0, "equivalent": 1, "second": 0}
        assert result.details["better"] is None


def test_seeds():
    scores = np.random.default_rng(0).normal(size=(8, 2)) + [0, 0.3]

    def run(seed):
        return BayesianSignedRank(n_draws=1500, random_state=seed).compare(scores)

    assert run(0) == run(0)
    assert run(0).details["probabilities"] != run(1).details["probabilities"]
    assert run(0).details["seed"] == 0


def test_bad_parameters():
    for params in ({"rope": -1}, {"rope": "a"}, {"prior_strength": 0}, {"n_draws": 10}):
        with pytest.raises(ValueError, match=next(iter(params))):
            BayesianSignedRank(**params).compare(np.ones((6, 2)))


def test_two_learners_only():
    with pytest.raises(ValueError, match=r"compares 2 learners, got 3.*Nemenyi"):
        BayesianSignedRank().compare(np.ones((6, 3)))
