"""FerrerRieraDraws: the published code's deviations, one by one."""

import numpy as np

from sklearn_bbc.resampling import FerrerRieraDraws

GROUPS = np.repeat(["a", "b", "c"], [4, 4, 2])


def all_counts(n_draws=50):
    return FerrerRieraDraws(GROUPS, n_draws).map(lambda counts: counts)


def test_draws_are_seeded_by_their_number():
    assert (all_counts(50)[:10] == all_counts(10)).all()


def test_occurrences_of_a_group_repeat_the_same_inner_draw():
    """A group of 4 drawn twice has even counts only, which independent draws would not."""
    counts = all_counts(300)[:, :4]
    twice = counts[counts.sum(axis=1) == 8]
    assert len(twice) > 10 and (twice % 2 == 0).all()


def test_groups_of_equal_size_get_the_same_positions():
    counts = all_counts(300)
    a, b = counts[:, :4], counts[:, 4:8]
    both = (a.sum(axis=1) == 4) & (b.sum(axis=1) == 4)
    assert both.any() and (a[both] == b[both]).all()
