"""Probabilities of draws, against all draws of a few units and against known values."""

from itertools import product

import numpy as np
import pytest

from sklearn_bbc.resampling import chance_of_all, chance_of_holding

N = 6
EVERY = np.array([np.bincount(picks, minlength=N) for picks in product(range(N), repeat=N)])


@pytest.mark.parametrize("size", range(1, N + 1))
@pytest.mark.parametrize("least", [1, 2, 3])
def test_chances_are_those_of_all_draws(size, least):
    drawn = (EVERY[:, :size] > 0).sum(axis=1)
    fine = (drawn >= 1) & (size - drawn >= least)
    found = chance_of_holding(size, N, min_out_of_bag=least)
    assert found == pytest.approx(fine.mean(), abs=1e-12)
    assert chance_of_holding(size, N, out_of_bag=False) == pytest.approx((drawn >= 1).mean())


@pytest.mark.parametrize(
    "size, lacking_out, lacking_in",
    [(2, 0.40, 0.13), (3, 0.25, 0.045), (5, 0.097, 0.005), (10, 0.008, 0)],
)
def test_chances_of_fifty_samples(size, lacking_out, lacking_in):
    in_bag = chance_of_holding(size, 50, out_of_bag=False)
    assert 1 - in_bag == pytest.approx(lacking_in, abs=6e-4)
    assert in_bag - chance_of_holding(size, 50) == pytest.approx(lacking_out, abs=2e-3)


def test_many_units_are_taken_as_independent():
    rng = np.random.default_rng(0)
    drawn = (rng.multinomial(200, np.full(200, 1 / 200), size=20_000)[:, :40] > 0).sum(axis=1)
    for least in (1, 13, 15):
        simulated = ((drawn > 0) & (40 - drawn >= least)).mean()
        found = chance_of_holding(40, 200, min_out_of_bag=least)
        assert found == pytest.approx(simulated, abs=0.03)


def test_the_chance_of_all_is_the_product_over_sets_that_share_nothing():
    sets = [np.array([0, 1]), np.array([2, 3]), np.array([4, 5])]
    one = chance_of_holding(2, N)
    assert chance_of_all(sets, N) == pytest.approx(one**3)
    # What shares a unit with a smaller set can only make it less likely.
    assert chance_of_all([*sets[:1], np.array([1, 2, 3])], N) == pytest.approx(one)
    assert chance_of_all([], N) == 1


def test_the_product_is_close_to_what_draws_do():
    rng = np.random.default_rng(0)
    counts = rng.multinomial(40, np.full(40, 1 / 40), size=20_000)
    drawn = (counts.reshape(-1, 8, 5) > 0).sum(axis=2)
    simulated = ((drawn > 0) & (drawn < 5)).all(axis=1).mean()
    sets = list(np.arange(40).reshape(8, 5))
    assert chance_of_all(sets, 40) == pytest.approx(simulated, rel=0.1)
