"""Draws that leave a class out, dropped or refused."""

import numpy as np
import pytest

from benchmarks.published.replication import Drop, Refuse
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.resampling import IID, Draws
from tests.resampling.test_degenerate import RARE, N, acceptable, all_counts


def test_drop_keeps_the_acceptable_draws_and_their_order():
    """The same stream without any check, filtered by hand."""
    every = Draws(IID(N), 1000, 7).map(lambda counts: counts.astype(int))
    fine = acceptable(every)
    kept, draws = all_counts(Drop(max_share=1))
    assert 0 < np.count_nonzero(~fine) < 1000
    np.testing.assert_array_equal(kept, every[fine])
    assert (draws.n_dropped, draws.n_redrawn) == (np.count_nonzero(~fine), 0)


def test_the_share_of_dropped_draws_has_a_limit():
    share = all_counts(Drop(max_share=1))[1].n_dropped / 1000
    assert len(all_counts(Drop(max_share=share + 1e-9))[0])
    with pytest.raises(UndefinedIntervalError, match=r"of 1000 draws lack a class.*Redraw"):
        all_counts(Drop(max_share=share - 0.001))


def test_nothing_is_left_when_every_draw_is_dropped():
    policy = Drop(max_share=1, min_out_of_bag=RARE)  # one in-bag and all three out-of-bag
    with pytest.raises(
        UndefinedIntervalError, match=r"All 1000 draws have, of a class .* fewer than 3 out-of-bag"
    ):
        all_counts(policy)


def test_refuse_gives_up_at_the_first_degenerate_draw():
    with pytest.raises(UndefinedIntervalError, match=r"Refuse\(\) does not accept"):
        all_counts(Refuse())
    plenty = np.ones((N, 1), dtype=np.float32)
    draws = Draws(IID(N), 100, 7, indicator=plenty, degenerate=Refuse())
    assert len(draws.map(lambda counts: counts)) == 100


def test_a_bound_needs_twenty_draws_that_were_kept():
    assert len(all_counts(Drop(max_share=1), n_draws=60)[0]) > 20
    with pytest.raises(UndefinedIntervalError, match="fewer than 20 remain"):
        all_counts(Drop(max_share=1), n_draws=20)
