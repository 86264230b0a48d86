"""Sums over the rows of draws: those of NumPy, whatever the vectors and the other draws are."""

import numpy as np
import pytest

from sklearn_bbc import _native
from tests._native.reference import needs_native
from tests._threads import frequent_switches, run_at_once  # noqa: F401, a fixture

pytestmark = needs_native

N_DRAWS, N_SETS = 13, 3


def counts_of(dtype, n_rows, rng):
    largest = 1 if dtype is bool else np.iinfo(dtype).max
    return rng.integers(largest + 1, size=(N_DRAWS, n_rows)).astype(dtype)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.uint16])
@pytest.mark.parametrize("n_rows", [0, 1, 15, 16, 17, 1023, 1024, 1025, 5000])
def test_sums_are_those_of_numpy(n_rows, dtype):
    rng = np.random.default_rng(n_rows)
    counts = counts_of(dtype, n_rows, rng)
    values = rng.standard_normal((N_SETS, n_rows)) * 10.0 ** rng.integers(-300, 280)
    marks = rng.random((N_SETS, n_rows)) < 0.4
    draws, which = rng.integers(N_DRAWS, size=200), rng.integers(N_SETS, size=200)
    which.sort()  # neighbours with one set are summed together
    terms = counts[draws].astype(float) * values[which]
    near = 1e-15 * np.abs(terms).sum(axis=1)
    found = []
    for lanes in (0, *_native.known_lanes()):
        sums = _native.sums_of_draws(counts, draws, values, which, lanes=lanes)
        assert (np.abs(sums - terms.sum(axis=1)) <= near).all()
        found.append(sums)
        totals = _native.sums_of_draws(counts, lanes=lanes)
        np.testing.assert_array_equal(totals, counts.sum(axis=1, dtype=float))
        marked = _native.sums_of_draws(counts, draws, marks, which, lanes=lanes)
        expected = (counts[draws].astype(float) * marks[which]).sum(axis=1)
        np.testing.assert_array_equal(marked, expected)
    for k in range(0, 200, 7):  # to the bit, alone too, and of counts of more bytes
        alone = _native.sums_of_draws(counts[draws[k]][None], np.zeros(1), values, which[[k]])
        found.append(np.where(np.arange(200) == k, alone[0], found[0]))
    wider = counts.astype(np.uint16)
    found.append(_native.sums_of_draws(wider, draws, values, which))
    for sums in found:
        np.testing.assert_array_equal(sums, found[0])


@pytest.mark.parametrize(
    "arguments, word",
    [
        ({"counts": np.ones((2, 3), dtype=int)}, "bool, uint8 or uint16"),
        ({"counts": np.ones((2, 6), dtype=bool)[:, ::2]}, "whole table"),
        ({"draws": np.array([0, 2])}, "below 2"),
        ({"draws": np.array([-1, 0])}, "below 2"),
        ({"values": np.ones((1, 4))}, "3 columns"),
        ({"values": np.ones((1, 3), dtype=np.float32)}, "float64 or bool"),
        ({"which": np.array([0, 1])}, "below 1"),
        ({"which": np.array([0])}, "for each draw"),
        ({"lanes": 5}, "lanes must be one of"),
    ],
)
def test_refused_arguments(arguments, word):
    given = {
        "counts": np.ones((2, 3), dtype=np.uint8),
        "draws": np.arange(2),
        "values": np.ones((1, 3)),
        "which": np.zeros(2),
        **arguments,
    }
    with pytest.raises(ValueError, match=word):
        _native.sums_of_draws(**given)


def test_eight_threads_at_once():
    rng = np.random.default_rng(0)
    counts, values = counts_of(np.uint8, 3000, rng), rng.random((N_SETS, 3000))
    which = np.arange(N_DRAWS) % N_SETS
    expected = _native.sums_of_draws(counts, None, values, which)
    sums = run_at_once([lambda: _native.sums_of_draws(counts, None, values, which)] * 5)
    for of_thread in sums:
        for found in of_thread:
            np.testing.assert_array_equal(found, expected)


def best_by_loop(counts, terms, rounding):
    """The first configuration within rounding of the largest sum, in whole steps of the loop."""
    best = []
    for draw in counts.astype(float):
        sums = np.zeros(terms.shape[1])
        for count, of_term in zip(draw, terms):
            sums += count * of_term
        leader = sums.argmax()
        least = sums[leader] - rounding * (draw * np.abs(terms[:, leader])).sum()
        best.append(int(np.flatnonzero(sums >= least)[0]) if draw.any() else -1)
    return best


@pytest.mark.one_in(4)
@pytest.mark.parametrize("n_configs", [1, 2, 15, 16, 17, 33, 100])
@pytest.mark.parametrize("n_terms", [1, 2, 10, 256])
def test_the_best_sum_is_that_of_a_loop(n_terms, n_configs):
    rng = np.random.default_rng(n_terms * n_configs)
    counts = rng.poisson(0.8, (60, n_terms)).astype(np.uint8)
    counts[20:40, : n_terms // 2] = counts[20, : n_terms // 2]  # neighbours that begin alike
    counts[[0, 7]] = 0
    # Sums of whole numbers are exact; those of others are a little below and above them.
    terms = rng.integers(-3, 4, (n_terms, n_configs)) + 0.0
    off = 2 * rng.choice([-1e-16, 0.0, 1e-16], terms.shape)
    for values, rounding in ((terms, 0.0), (terms * (1 + off), 1e-13), (-np.abs(terms), 0.0)):
        expected = best_by_loop(counts, values, rounding)
        for lanes in (0, *_native.known_lanes()):
            found = _native.best_of_sums(counts, values, rounding, lanes=lanes)
            assert found.tolist() == expected
        alone = [int(_native.best_of_sums(row[None], values, rounding)[0]) for row in counts]
        assert alone == expected
        assert _native.best_of_sums(counts > 0, values, rounding).tolist() == best_by_loop(
            counts > 0, values, rounding
        )


def test_sums_that_could_overflow_and_counts_of_two_bytes_are_left_to_numpy():
    counts, terms = np.ones((2, 3), dtype=np.uint8), np.ones((3, 4))
    assert _native.best_of_sums(counts, terms, 0.0) is not None
    assert _native.best_of_sums(counts.astype(np.uint16), terms, 0.0) is None
    many = np.ones((2, 257), dtype=np.uint8)
    assert _native.best_of_sums(many, np.ones((257, 4)), 0.0) is None
    for value in (np.nan, np.inf, 1e300):
        terms[1, 2] = value
        assert _native.best_of_sums(counts, terms, 0.0) is None
    for wrong in (np.ones((2, 4)), np.ones((3, 0)), np.ones((3, 4), dtype=np.float32)):
        with pytest.raises(ValueError, match="terms must be float64, with 3 rows"):
            _native.best_of_sums(counts, wrong, 0.0)
