"""Counts of draws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_bbc import _native
from sklearn_bbc.resampling import Resampling, Stratified, Streams, draw_with_replacement


@given(st.integers(1, 300), st.integers(1, 20), st.integers(0, 500))
def test_counts_add_up(n_units, n_draws, n_picks):
    counts = draw_with_replacement(np.random.default_rng(0), n_draws, n_units, n_picks)
    assert counts.shape == (n_draws, n_units)
    assert counts.dtype.kind == "u"
    assert (counts.sum(axis=1) == n_picks).all()


def test_counts_are_as_narrow_as_they_can_be():
    rng = np.random.default_rng(0)
    assert draw_with_replacement(rng, 4, 100).dtype == np.uint8
    assert draw_with_replacement(rng, 4, 1, 255).dtype == np.uint8
    assert draw_with_replacement(rng, 4, 1, 256).dtype == np.uint16
    assert draw_with_replacement(rng, 4, 1, 70_000).dtype == np.uint32


def test_every_unit_is_as_likely():
    counts = draw_with_replacement(np.random.default_rng(0), 20_000, 5)
    mean, error = counts.mean(axis=0), np.sqrt(0.8 / 20_000)
    assert (abs(mean - 1) < 4 * error).all()
    assert abs((counts == 0).mean() - 0.8**5) < 0.005


def test_the_largest_random_number_still_hits_a_unit(monkeypatch):
    monkeypatch.setattr(_native, "available", lambda: False)

    class AlmostOne:
        def random(self, shape):
            return np.full(shape, 1 - 2.0**-53)

    for n_units in (1, 2, 3, 1000, 2**20 + 1):
        counts = draw_with_replacement(AlmostOne(), 1, n_units, 3)
        assert counts[0, -1] == 3


def test_one_double_per_pick_in_order():
    """Any other implementation can consume the same stream."""
    counts = draw_with_replacement(np.random.default_rng(7), 3, 10)
    picks = (np.random.default_rng(7).random((3, 10)) * 10).astype(int)
    np.testing.assert_array_equal(counts, [np.bincount(row, minlength=10) for row in picks])


@pytest.mark.parametrize("sizes", [[1], [10], [64], [64, 1], [64, 64], [64, 64, 22]])
def test_blocks_have_a_stream_each_and_only_the_last_is_short(sizes):
    plan, streams, first = Stratified(np.arange(30) % 3), Streams(11), 2
    found = plan.draw_blocks(streams, range(first, first + len(sizes)), sum(sizes))
    expected = [plan.draw(streams.of(first + k), size) for k, size in enumerate(sizes)]
    np.testing.assert_array_equal(found, np.concatenate(expected))


def test_blocks_of_any_plan_are_put_together():
    """A plan of one's own says how one block is drawn, and nothing else."""

    class Numbered(Resampling):
        n_units = 1

        def draw(self, rng, n_draws):
            sizes.append(n_draws)
            return rng.integers(100, size=(n_draws, 1)).astype(np.uint8)

    for n_draws, expected in ((1, [1]), (64, [64]), (65, [64, 1]), (150, [64, 64, 22])):
        sizes = []
        streams = Streams(3)
        blocks = range(4, 4 + len(expected))
        found = Numbered().draw_blocks(streams, blocks, n_draws)
        assert sizes == expected and found.shape == (n_draws, 1)
        again = [streams.of(k).integers(100, size=n) for k, n in zip(blocks, expected)]
        np.testing.assert_array_equal(found[:, 0], np.concatenate(again))
