"""Draws of blocks of samples: their counts, and the length that is chosen."""

import math

import numpy as np
import pytest

from sklearn_bbc._blocks import Blocks, best_block_length
from sklearn_bbc.resampling import Draws

KINDS = ("circular", "moving", "stationary")


def autoregressive(n, share, seed):
    noise = np.random.default_rng(seed).normal(size=n)
    values = noise.copy()
    for t in range(1, n):
        values[t] = share * values[t - 1] + noise[t]
    return values


def counted_by_a_loop(rng, n_draws, n, length, kind):
    """The definition, one pick after the other."""
    counts = np.zeros((n_draws, n), dtype=int)
    if kind == "stationary":
        numbers = rng.random((n_draws, 2, n))
        for draw in range(n_draws):
            at = None
            for t in range(n):
                if at is None or numbers[draw, 0, t] < 1 / length:
                    at = int(numbers[draw, 1, t] * n)
                else:
                    at = (at + 1) % n
                counts[draw, at] += 1
        return counts
    n_blocks = math.ceil(n / length)
    numbers = rng.random((n_draws, n_blocks))
    for draw in range(n_draws):
        picked = []
        for number in numbers[draw]:
            start = int(number * (n if kind == "circular" else n - length + 1))
            picked += [(start + k) % n for k in range(length)]
        for place in picked[:n]:
            counts[draw, place] += 1
    return counts


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "length"), [(20, 1), (20, 5), (23, 4), (7, 3)])
def test_counts_are_those_of_a_loop(kind, n, length):
    expected = counted_by_a_loop(np.random.default_rng(3), 50, n, length, kind)
    drawn = Blocks(length, [np.arange(n)], kind).draw(np.random.default_rng(3), 50)
    np.testing.assert_array_equal(drawn, expected)
    assert (drawn.sum(axis=1) == n).all()


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_follow_the_order_and_stay_in_their_panel(kind):
    rng = np.random.default_rng(0)
    order, panel = rng.permutation(24), np.tile([0, 1, 1], 8)
    series = [order[panel[order] == which] for which in (0, 1)]
    drawn = Blocks(3, series, kind).draw(np.random.default_rng(1), 40)
    again = np.random.default_rng(1)
    for members in series:
        expected = counted_by_a_loop(again, 40, len(members), 3, kind)
        np.testing.assert_array_equal(drawn[:, members], expected)


@pytest.mark.parametrize("kind", KINDS)
def test_draws_depend_neither_on_workers_nor_on_batches(kind):
    blocks, taken = Blocks(5, [np.arange(60)], kind), []
    for n_jobs, bytes_per_draw in ((1, 0), (2, 0), (1, 2**20)):
        draws = Draws(blocks, 300, 7, n_jobs=n_jobs, bytes_per_draw=bytes_per_draw)
        taken.append(draws.map(lambda counts: counts.astype(int)))
    for other in taken[1:]:
        np.testing.assert_array_equal(taken[0], other)


@pytest.mark.parametrize("kind", ["circular", "stationary"])
def test_every_sample_is_drawn_and_left_out_equally_often(kind):
    drawn = Blocks(5, [np.arange(40)], kind).draw(np.random.default_rng(0), 20_000)
    np.testing.assert_allclose(drawn.mean(axis=0), 1, atol=0.05)
    left_out = (drawn == 0).mean(axis=0)
    if kind == "circular":  # no block of 8 holds it
        np.testing.assert_allclose(left_out, (1 - 5 / 40) ** 8, atol=0.015)
    np.testing.assert_allclose(left_out, left_out.mean(), atol=0.015)


@pytest.mark.long
def test_the_spread_of_a_mean_is_the_one_known_for_blocks():
    """Variance of the mean of circular blocks in closed form, as sums over all blocks."""
    values = autoregressive(200, 0.6, 0)
    for length in (1, 4, 10):
        sums = [values[(start + np.arange(length)) % 200].sum() for start in range(200)]
        expected = np.var(sums) * (200 / length) / 200**2
        drawn = Blocks(length, [np.arange(200)]).draw(np.random.default_rng(1), 20_000)
        assert np.var(drawn @ values / 200) == pytest.approx(expected, rel=0.05)


# `arch.bootstrap.optimal_block_length` (arch 8.0.0): stationary, circular.
OF_ARCH = [
    (0.0, 200, 1.574394, 1.802231), (0.0, 1000, 1.549494, 1.773728),
    (0.3, 100, 3.878687, 4.439988), (0.3, 200, 4.51315, 5.166268),
    (0.3, 1000, 7.281515, 8.335254), (0.6, 100, 7.536011, 8.626579),
    (0.6, 200, 8.719195, 9.980987), (0.6, 1000, 19.201495, 21.980225),
    (0.9, 100, 13.168111, 15.073725), (0.9, 200, 17.026424, 19.490391),
    (0.9, 1000, 42.499974, 48.650325),
]  # fmt: skip


@pytest.mark.parametrize(("share", "n", "stationary", "circular"), OF_ARCH)
def test_the_length_is_that_of_arch(share, n, stationary, circular):
    values = autoregressive(n, share, 7)
    for scale in (1, 1e-200, 1e200):
        assert best_block_length([values * scale], "stationary") == pytest.approx(stationary)
        assert best_block_length([values * scale]) == pytest.approx(circular)


def test_the_installed_arch_agrees():
    arch = pytest.importorskip("arch.bootstrap")
    for seed in range(20):
        values = autoregressive(1000, 0.6, seed)
        found = [best_block_length([values], "stationary"), best_block_length([values])]
        np.testing.assert_allclose(found, arch.optimal_block_length(values).to_numpy()[0])


def test_lengths_of_degenerate_series():
    assert best_block_length([np.full(50, 0.1)]) == 1
    assert best_block_length([np.array([1.0, 2.0])]) == 1
    assert 10 < best_block_length([np.arange(100.0)]) <= 30  # a trend, and at most 3 sqrt(n)
