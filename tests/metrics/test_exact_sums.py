"""Weighted sums: the exact value to 1e-12, and the same bits however the work is cut."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from sklearn_bbc.metrics._exact_sums import DrawWeights, FixedSums

SEEDS = st.integers(0, 2**32 - 1)
SMALL = Fraction(25, 10**14)


def exact_sum(weights, values):
    """Sum of products in rational arithmetic."""
    return sum(Fraction(float(w)) * Fraction(float(v)) for w, v in zip(weights, values))


def counts_of(rng, n_draws, n_rows):
    return rng.multinomial(n_rows, np.full(n_rows, 1 / n_rows), size=n_draws).astype(np.uint8)


@given(SEEDS, st.floats(0, 30), st.integers(-300, 280))
def test_every_sum_is_right_to_the_tolerance(seed, spread, magnitude):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(1, 60))
    values = 10.0 ** (rng.uniform(-spread, 0, size=(3, n_rows)) + magnitude)
    values[0, rng.random(n_rows) < 0.3] = 0
    weights = counts_of(rng, 6, n_rows)
    weights[0] = np.arange(n_rows) == values[1].argmin()  # nothing but the smallest
    sums = FixedSums(values)(DrawWeights(weights))
    for draw, weight in enumerate(weights):
        for k in range(3):
            truth = exact_sum(weight, values[k])
            assert abs(Fraction(float(sums[draw, k])) - truth) <= SMALL * truth


def test_values_of_both_signs():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(5, 40))
    weights = counts_of(rng, 8, 40)
    sums = FixedSums(values)(DrawWeights(weights))
    for draw, weight in enumerate(weights):
        for k in range(5):
            size = exact_sum(weight, np.abs(values[k]))
            error = abs(Fraction(float(sums[draw, k])) - exact_sum(weight, values[k]))
            assert error <= SMALL * size


@pytest.mark.parametrize("kind", ["counts", "mask", "heavy", "floats", "some floats"])
@pytest.mark.parametrize("values", ["losses", "flat", "wide", "bool", "uint8", "infinite"])
def test_no_bit_depends_on_the_cut(kind, values):
    rng = np.random.default_rng(0)
    n_rows, n_values, n_draws = 301, 37, 50
    table = {
        "losses": -np.log(rng.random((n_values, n_rows))),
        "flat": 1 - 1e-6 * rng.random((n_values, n_rows)),  # sums as large as they can be
        "wide": 10.0 ** rng.uniform(-40, 3, size=(n_values, n_rows)),
        "bool": rng.random((n_values, n_rows)) < 0.3,
        "uint8": rng.integers(200, size=(n_values, n_rows), dtype=np.uint8),
        "infinite": np.where(rng.random((n_values, n_rows)) < 0.002, np.inf, 1.5),
    }[values]
    weights = counts_of(rng, n_draws, n_rows)
    if kind == "mask":
        weights = weights == 0
    elif kind == "heavy":
        weights = weights * (10.0 ** rng.integers(0, 9, size=(n_draws, 1))).astype(np.int64)
    elif kind == "floats":
        weights = weights * rng.random(n_rows)
    elif kind == "some floats":
        weights = np.where(rng.random((n_draws, 1)) < 0.5, weights * rng.random(n_rows), weights)
    sums = FixedSums(table)
    whole = sums(DrawWeights(weights))
    for size in (1, 7, 64):
        parts = [sums(DrawWeights(weights[i : i + size])) for i in range(0, n_draws, size)]
        np.testing.assert_array_equal(np.concatenate(parts), whole)
    for chosen in (np.array([5]), np.arange(0, n_values, 3), np.array([3, 3, 1])):
        np.testing.assert_array_equal(sums(DrawWeights(weights), chosen), whole[:, chosen])
        alone = FixedSums(table[chosen])
        np.testing.assert_array_equal(alone(DrawWeights(weights)), whole[:, chosen])
    which = rng.integers(n_values, size=n_draws)
    np.testing.assert_array_equal(
        sums.paired(DrawWeights(weights), which), whole[np.arange(n_draws), which]
    )
    same = np.full(n_draws, 4)
    np.testing.assert_array_equal(sums.paired(DrawWeights(weights), same), whole[:, 4])
    for copy in (np.asfortranarray(weights), weights.astype(float), weights[:, ::-1][:, ::-1]):
        np.testing.assert_array_equal(sums(DrawWeights(copy)), whole)
        np.testing.assert_array_equal(DrawWeights(copy).total, DrawWeights(weights).total)
        assert DrawWeights(copy).matrix(np.float64).flags.c_contiguous
    for threads in (1, 2):
        with threadpool_limits(threads):
            np.testing.assert_array_equal(sums(DrawWeights(weights)), whole)


@given(SEEDS)
def test_floating_point_weights(seed):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(1, 200))
    values, weights = rng.random((3, n_rows)), rng.random((4, n_rows))
    sums = FixedSums(values)(DrawWeights(weights))
    np.testing.assert_allclose(sums, weights @ values.T, rtol=1e-13)
    single = FixedSums(values)(DrawWeights(weights.astype(np.float32)))
    np.testing.assert_allclose(single, weights.astype(np.float32).astype(float) @ values.T)


def test_rows_that_are_part_of_the_draw():
    rng = np.random.default_rng(0)
    values, rows = rng.random((3, 10)), np.array([4, 0, 7, 11, 12, 13, 2, 19, 18, 5])
    counts = counts_of(rng, 5, 20)
    for weights in (counts, counts * 0.3):
        sums = FixedSums(values, rows)
        np.testing.assert_allclose(
            sums(DrawWeights(weights)), weights[:, rows] @ values.T, rtol=1e-14
        )
        which = np.array([0, 1, 2, 0, 1])
        np.testing.assert_array_equal(
            sums.paired(DrawWeights(weights), which),
            sums(DrawWeights(weights))[np.arange(5), which],
        )
        many = FixedSums(np.concatenate([values] * 3), rows)
        alone = sums.paired(DrawWeights(weights), np.ones(5, dtype=np.intp))
        np.testing.assert_array_equal(alone, many(DrawWeights(weights))[:, 7])


def test_no_draws_and_no_rows():
    sums = FixedSums(np.ones((2, 3)))
    assert sums(DrawWeights(np.zeros((0, 3), dtype=np.uint8))).shape == (0, 2)
    assert sums.paired(DrawWeights(np.zeros((0, 3))), np.array([], dtype=int)).shape == (0,)
    empty = FixedSums(np.ones((2, 3))[:, :0], np.array([], dtype=int))
    for dtype in (np.uint8, float):
        weights = np.full((4, 3), 0.5 if dtype is float else 1, dtype=dtype)
        assert (empty(DrawWeights(weights)) == 0).all()


def test_small_integers_are_turned_into_floats_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    table = rng.random((40, 30)) < 0.5
    counts = counts_of(rng, 9, 30)
    which = rng.integers(40, size=9)
    for weights in (counts, np.where(np.arange(9)[:, None] < 5, counts, counts * 0.3)):
        drawn = DrawWeights(weights)
        whole, paired = FixedSums(table)(drawn), FixedSums(table).paired(drawn, which)
        with monkeypatch.context() as patch:
            patch.setattr("sklearn_bbc.metrics._exact_sums._PART", 300)
            patch.setattr("sklearn_bbc.metrics._exact_sums._BLOCK", 70)
            sums = FixedSums(table)
            np.testing.assert_array_equal(sums(drawn), whole)
            np.testing.assert_array_equal(sums.paired(drawn, which), paired)
            chosen = np.array([9, 2, 30, 2, 31])
            np.testing.assert_array_equal(sums(drawn, chosen), whole[:, chosen])


def test_floats_are_split_in_blocks_of_sets(monkeypatch):
    rng = np.random.default_rng(0)
    drawn, table = DrawWeights(counts_of(rng, 9, 30)), rng.random((40, 30)) ** 20
    whole = FixedSums(table)(drawn)
    monkeypatch.setattr("sklearn_bbc.metrics._exact_sums._BLOCK", 70)
    np.testing.assert_array_equal(FixedSums(table)(drawn), whole)


def test_some_draws_are_those_of_all():
    rng = np.random.default_rng(0)
    counts = counts_of(rng, 9, 100)
    members = np.arange(100) % 3 == 0
    counts[4, members] = 0
    counts[6, members] = 0
    counts[6, 99] = 1  # the last one, which is not looked at first
    for weights in (counts, counts * 0.5):
        drawn = DrawWeights(weights)
        assert np.flatnonzero(drawn.lacks(members)).tolist() == [4]
        seen = 0
        for draws, part in drawn.in_parts(4):
            np.testing.assert_array_equal(part.total, drawn.total[draws])
            np.testing.assert_array_equal(part.matrix(np.float64), drawn.matrix(np.float64)[draws])
            np.testing.assert_array_equal(part.whole, drawn.whole[draws])
            np.testing.assert_array_equal(part.columns(slice(3, 5), float), weights[draws, 3:5])
            seen += len(part)
        assert seen == 9
    assert [len(part) for _, part in drawn.in_parts(4)] == [4, 4, 1]
    assert [part is drawn for _, part in drawn.in_parts(9)] == [True]
    assert [len(part) for _, part in drawn.in_parts(0)] == [1] * 9


def test_a_plain_product_would_not_do():
    """The reason for all this: the order of a matrix product shows in its last bits."""
    rng = np.random.default_rng(0)
    values = -np.log(rng.random((300, 500)))
    weights = counts_of(rng, 200, 500).astype(float)
    whole = weights @ values.T
    parts = np.concatenate([weights[k : k + 1] @ values.T for k in range(200)])
    if (whole == parts).all():
        pytest.skip("this BLAS happens to add in one order for these shapes")
    sums = FixedSums(values)
    fixed = sums(DrawWeights(weights))
    cut = np.concatenate([sums(DrawWeights(weights[k : k + 1])) for k in range(200)])
    np.testing.assert_array_equal(fixed, cut)
