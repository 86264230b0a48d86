"""Streams of blocks: those of numpy, with and without the compiled kernels; and their seeds."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sklearn_bbc import _native
from sklearn_bbc.resampling import BLOCK, IID, Streams, entropy_of

ENTROPY = (
    st.integers(0, 2**64) | st.integers(0, 2**300) | st.sampled_from([0, 2**32, 2**96, 2**128])
)


def by_numpy(entropy, key, blocks, n_draws, n_units):
    rows = []
    for k in blocks:
        rng = np.random.Generator(
            np.random.PCG64(np.random.SeedSequence(entropy, spawn_key=(key, k)))
        )
        for _ in range(min(BLOCK, n_draws - len(rows))):
            picks = (rng.random(n_units) * n_units).astype(np.intp)
            rows.append(np.bincount(picks, minlength=n_units))
    return np.stack(rows)


@pytest.fixture(params=["compiled", "NumPy"])
def kernels(request, monkeypatch):
    if request.param == "NumPy":
        monkeypatch.setattr(_native, "_KERNELS", None)
    elif not _native.available():
        pytest.skip(f"the compiled kernels are not in use: {_native.status()}")
    return request.param


@settings(max_examples=200)
@example(entropy=2**128 - 1, key=2**32 - 1, first=0, n_draws=1, n_units=9)
@given(
    entropy=ENTROPY,
    key=st.integers(0, 2**33),
    first=st.integers(0, 1000),
    n_draws=st.integers(1, 3 * BLOCK),
    n_units=st.integers(1, 90) | st.integers(255, 300),
)
def test_the_streams_are_those_of_numpy(entropy, key, first, n_draws, n_units):
    blocks = range(first, first - (-n_draws // BLOCK))
    found = Streams(entropy, key).counts(blocks, n_draws, n_units)
    np.testing.assert_array_equal(found, by_numpy(entropy, key, blocks, n_draws, n_units))


def test_both_ways_of_drawing_agree(kernels):
    for entropy, key, n_units in ((0, 0, 1), (7, 2, 50), (2**63 - 1, 0, 777), (2**200, 1, 3)):
        for blocks, n_draws in ((range(2, 5), 150), (range(2, 4), 128), (range(4, 5), 10)):
            found = Streams(entropy, key).counts(blocks, n_draws, n_units)
            np.testing.assert_array_equal(found, by_numpy(entropy, key, blocks, n_draws, n_units))
            assert found.dtype == np.uint8


def test_blocks_are_drawn_as_one_by_one():
    streams = Streams(5, 1)
    single = [IID(40).draw(streams.of(k), n) for k, n in ((3, 64), (4, 64), (5, 10))]
    found = IID(40).draw_blocks(streams, range(3, 6), 138)
    np.testing.assert_array_equal(found, np.concatenate(single))


def test_seeds_are_the_first_number_of_what_is_given():
    assert entropy_of(0) == 0
    for seed in range(20):
        old, new = np.random.RandomState(seed), np.random.default_rng(seed)
        assert entropy_of(np.random.RandomState(seed)) == old.randint(2**31 - 1)
        assert entropy_of(np.random.default_rng(seed)) == new.integers(2**63 - 1)
        (word,) = np.random.SeedSequence(seed).generate_state(1, np.uint64)
        assert entropy_of(np.random.SeedSequence(seed)) == int(word) // 2 < 2**63


def test_entropy_of_integers_is_the_integer():
    assert entropy_of(3) == 3
    assert type(entropy_of(np.int64(3))) is int
    assert entropy_of(2**70) == 2**70


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_generators_are_consumed(make):
    generator = make(0)
    first, second = entropy_of(generator), entropy_of(generator)
    assert first != second
    assert entropy_of(make(0)) == first


def test_none_is_fresh_and_fits_into_64_bits():
    one, other = entropy_of(None), entropy_of(None)
    assert one != other
    assert 0 <= one < 2**63


@pytest.mark.parametrize("bad", ["0", 1.5, True, [1], -1])
def test_anything_else_is_refused(bad):
    with pytest.raises(ValueError, match="random_state must"):
        entropy_of(bad)
