"""Draws of a constant target are found, units with several values included."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_bbc.resampling import IID, Draws, Spread


@settings(max_examples=60)
@given(
    st.integers(0, 10**6),
    st.integers(1, 80),
    st.sampled_from([1, 2]),
    st.sampled_from([0.05, 0.5]),
)
def test_constant_draws_are_found(seed, n_units, n_outputs, share):
    rng = np.random.default_rng(seed)
    of_sample = np.concatenate([np.arange(n_units), rng.integers(-1, n_units, size=n_units // 3)])
    y = (rng.random((len(of_sample), n_outputs)) < share) * rng.integers(1, 3, size=n_outputs)
    spread = Spread(y if n_outputs > 1 else y[:, 0], of_sample, n_units)
    drawn = rng.random((30, n_units)) < rng.choice([0.02, 0.3])
    expected = []
    for row in drawn:
        values = y[np.isin(of_sample, np.flatnonzero(row))]
        expected.append(any(len(np.unique(column)) < 2 for column in values.T))
    np.testing.assert_array_equal(spread.is_constant(drawn), expected)


@pytest.mark.parametrize("out_of_bag", [True, False])
def test_they_are_drawn_again(out_of_bag):
    y = (np.arange(20) < 4).astype(float)
    spread = Spread(y, np.arange(20), 20)
    draws = Draws(IID(20), 500, 3, spread=spread, out_of_bag=out_of_bag)
    drawn = draws.map(np.copy) > 0
    assert draws.n_redrawn > 0
    for part in (drawn, ~drawn) if out_of_bag else (drawn,):
        assert all(len(np.unique(y[row])) == 2 for row in part)


def test_the_fewest_others():
    assert Spread(np.array([3.0, 3, 3, 1, 2]), np.arange(5), 5).fewest_others() == (2, 3.0)
    assert Spread(np.array([3.0, 3, 3, 1, 2]), np.array([0, 1, 1, 1, -1]), 2).fewest_others() == (
        1,
        3.0,
    )
    two = np.array([[1.0, 5], [2, 5], [3, 5]])
    assert Spread(two, np.arange(3), 3).fewest_others() == (0, 5.0)
