"""Bootstrap counts from a bit generator, and which weights are counts."""

import ctypes
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_bbc import _native
from tests._native.reference import needs_native

GENERATORS = [
    np.random.PCG64,
    np.random.PCG64DXSM,
    np.random.Philox,
    np.random.SFC64,
    np.random.MT19937,
]


def by_numpy(bit_generator, n_draws, n_units, n_picks):
    rng = np.random.Generator(bit_generator)
    picks = (rng.random((n_draws, n_picks)) * n_units).astype(np.intp)
    return np.stack([np.bincount(row, minlength=n_units) for row in picks])


@needs_native
@settings(max_examples=5 * settings().max_examples)
@given(
    generator=st.sampled_from(GENERATORS),
    seed=st.integers(0, 2**32),
    n_draws=st.integers(1, 9),
    n_units=st.integers(1, 700),
    n_picks=st.none() | st.integers(0, 2000),
)
def test_same_counts_as_numpy(generator, seed, n_draws, n_units, n_picks):
    ours, theirs = generator(seed), generator(seed)
    n = n_units if n_picks is None else n_picks
    expected = by_numpy(theirs, n_draws, n_units, n)
    found = _native.draw_counts(ours, n_draws, n_units, n_picks)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == np.min_scalar_type(int(expected.max()))
    # The stream goes on where numpy's does.
    assert ours.random_raw() == theirs.random_raw()


@needs_native
@pytest.mark.parametrize(
    ("n_picks", "dtype"), [(255, "u1"), (256, "u2"), (65535, "u2"), (65536, "u4")]
)
def test_counts_that_outgrow_a_byte(n_picks, dtype):
    """One unit gets all picks; the next numbers of the stream are those that follow."""
    ours, theirs = np.random.PCG64(3), np.random.PCG64(3)
    found = _native.draw_counts(ours, 2, 1, n_picks)
    np.testing.assert_array_equal(found, by_numpy(theirs, 2, 1, n_picks))
    assert found.dtype == dtype
    assert ours.random_raw() == theirs.random_raw()


def seed_words(entropy, key):
    """The words of ``SeedSequence(entropy, spawn_key=(key,))`` for small numbers."""
    return np.array([entropy, 0, 0, 0, key])


def of_blocks(entropy, key, blocks, sizes, *shape):
    return np.concatenate(
        [
            by_numpy(
                np.random.PCG64(np.random.SeedSequence(entropy, spawn_key=(key, k))), n, *shape
            )
            for k, n in zip(blocks, sizes, strict=True)
        ]
    )


@needs_native
@settings(max_examples=5 * settings().max_examples)
@given(
    entropy=st.integers(0, 2**32 - 1),
    key=st.integers(0, 2**32 - 1),
    first=st.integers(0, 2**31 - 5),
    block_size=st.integers(1, 70),
    n_draws=st.integers(1, 9),
    n_units=st.integers(1, 700),
    n_picks=st.integers(0, 2000),
)
def test_blocks_have_the_streams_of_numpy(
    entropy, key, first, block_size, n_draws, n_units, n_picks
):
    sizes = [min(block_size, n_draws - start) for start in range(0, n_draws, block_size)]
    n_blocks = min(len(sizes), 4)
    n_draws, sizes = sum(sizes[:n_blocks]), sizes[:n_blocks]
    found = _native.draw_blocks(
        seed_words(entropy, key), first, block_size, n_draws, n_units, n_picks
    )
    blocks = range(first, first + n_blocks)
    expected = of_blocks(entropy, key, blocks, sizes, n_units, n_picks)
    np.testing.assert_array_equal(found, expected)


@needs_native
@pytest.mark.parametrize(
    ("n_picks", "dtype"), [(255, "u1"), (256, "u2"), (65535, "u2"), (65536, "u4")]
)
def test_counts_of_blocks_that_outgrow_a_byte(n_picks, dtype):
    found = _native.draw_blocks(seed_words(1, 2), 0, 64, 2, 1, n_picks)
    assert found.tolist() == [[n_picks]] * 2
    assert found.dtype == dtype


@needs_native
def test_a_block_may_be_larger_than_any_number_of_draws():
    words = seed_words(1, 2)
    whole = _native.draw_blocks(words, 7, 3, 3, 5)
    np.testing.assert_array_equal(_native.draw_blocks(words, 7, 2**63 - 1, 3, 5), whole)


@needs_native
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((np.arange(2), 0, 64, 2, 5), ValueError, "words must be 3 at least, got 2"),
        ((np.arange(5.0), 0, 64, 2, 5), TypeError, "words must be of int64"),
        ((np.array([0, 0, 2**32]), 0, 64, 2, 5), ValueError, "got 4294967296 at index 2"),
        ((np.arange(5), -1, 64, 2, 5), ValueError, "blocks must be from 0 to 2147483647, got -1"),
        ((np.arange(5), 2**31 - 1, 1, 1, 5), ValueError, "blocks must be from 0"),
        ((np.arange(5), 2**31 - 1, 2**63 - 1, 2, 5), ValueError, "blocks must be from 0"),
        ((np.arange(5), 2**63 - 1, 64, 2, 5), ValueError, "blocks must be from 0"),
        ((np.arange(5), 0, 0, 2, 5), ValueError, "block_size must be positive, got 0"),
        ((np.arange(5), 0, 64, 2, 5, -1), ValueError, "n_picks must be from 0"),
        ((np.arange(5), 0, 64, 2, 0, 1), ValueError, "out must have from 1 to"),
    ],
)
def test_what_blocks_cannot_be_drawn_from(arguments, error, message):
    with pytest.raises(error, match=message):
        _native.draw_blocks(*arguments)


@needs_native
def test_no_picks_and_no_draws():
    assert _native.draw_counts(np.random.PCG64(0), 2, 3, 0).tolist() == [[0, 0, 0]] * 2
    assert _native.draw_counts(np.random.PCG64(0), 0, 3).shape == (0, 3)
    with pytest.raises(ValueError, match="out must have from 1"):
        _native.draw_counts(np.random.PCG64(0), 2, 0, 5)


class Interface(ctypes.Structure):
    """numpy's bitgen_t."""

    NEXT_DOUBLE = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p)
    _fields_ = [
        ("state", ctypes.c_void_p),
        ("next_uint64", ctypes.c_void_p),
        ("next_uint32", ctypes.c_void_p),
        ("next_double", NEXT_DOUBLE),
        ("next_raw", ctypes.c_void_p),
    ]


@needs_native
@pytest.mark.parametrize("number", [1.0, -1e-9, np.nan, np.inf, 1e300])
def test_a_bad_generator_cannot_write_elsewhere(number):
    interface = Interface(next_double=Interface.NEXT_DOUBLE(lambda state: number))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    name = b"BitGenerator"
    capsule = new(ctypes.addressof(interface), name, None)
    lock = np.random.PCG64().lock
    bad = SimpleNamespace(capsule=capsule, lock=lock, state=None)
    with pytest.raises(ValueError, match=r"a double outside \[0, 1\)"):
        _native.draw_counts(bad, 2, 10)


@pytest.mark.parametrize(
    ("weights", "dtype"),
    [
        (np.array([[True, False]]), "?"),
        (np.array([[0, 255]], dtype=np.uint8), "u1"),
        (np.array([[0, 65535]], dtype=np.uint16), "u2"),
        (np.array([[0, 255]]), "u1"),
        (np.array([[0, 256]], dtype=np.int32), "u2"),
        (np.asfortranarray(np.ones((3, 4), dtype=np.uint8)), "u1"),
        (np.zeros((0, 4), dtype=np.int64), "u1"),
        (np.zeros((2, 300_000), dtype=np.uint8), "u1"),
    ],
)
def test_weights_that_are_counts(weights, dtype):
    counts = _native.as_counts(weights)
    assert counts.dtype == dtype
    assert counts.flags.c_contiguous
    np.testing.assert_array_equal(counts, weights)


def test_counts_are_not_copied_without_need():
    counts = np.ones((3, 4), dtype=np.uint8)
    assert _native.as_counts(counts) is counts


@pytest.mark.parametrize(
    "weights",
    [
        np.array([[0.5, 1.0]]),
        np.array([[1.0, 2.0]]),
        np.array([[-1, 1]]),
        np.array([[0, 65536]]),
        np.full((1, 300_000), 255, dtype=np.uint8),
        np.full((1, 1100), 65535, dtype=np.uint16),
    ],
)
def test_weights_that_are_not(weights):
    assert _native.as_counts(weights) is None
