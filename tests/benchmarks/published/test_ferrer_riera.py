"""FerrerRieraDraws: the published code's deviations, one by one."""

import numpy as np

from benchmarks.published.replication import FerrerRieraDraws

GROUPS = np.repeat(["a", "b", "c"], [4, 4, 2])


def all_counts(n_draws=50):
    return FerrerRieraDraws(GROUPS, n_draws).map(lambda counts: counts)


def test_draws_are_seeded_by_their_number():
    assert (all_counts(50)[:10] == all_counts(10)).all()


def test_draws_are_those_of_the_published_code_written_out():
    """Every drawn group, with as many picks from the same seed as it has samples."""
    members = [np.flatnonzero(name == GROUPS) for name in "abc"]
    for seed, counts in enumerate(all_counts(30)):
        drawn = np.random.RandomState(seed).randint(0, 3, 3)
        expected = np.zeros(10)
        for group in drawn:
            size = len(members[group])
            for pick in np.random.RandomState(seed).randint(0, size, size):
                expected[members[group][pick]] += 1
        np.testing.assert_array_equal(counts, expected)
        assert counts.dtype.kind == "i"


def test_nothing_is_drawn_again_and_the_seeds_are_fixed():
    draws = FerrerRieraDraws(GROUPS, 3)
    assert (draws.n_draws, draws.n_redrawn, draws.entropy) == (3, 0, 0)
