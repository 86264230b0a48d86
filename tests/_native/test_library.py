"""The compiled library: what it refuses, what counts are, drawing, and how it is switched."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_bbc import _native
from sklearn_bbc.resampling import draw_with_replacement
from tests._native.reference import needs_native

SCORES = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
POSITIVE = np.array([False, True, True])
COUNTS = np.ones((4, 3), dtype=np.uint8)
TIME = np.arange(3.0)


@needs_native
@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ((SCORES[0], POSITIVE), "scores must have shape"),
        ((SCORES, POSITIVE[:2]), "Targets and folds must be 3"),
        ((SCORES, POSITIVE, np.array([0, 3])), "rows must be increasing"),
        ((SCORES, POSITIVE, np.array([-1, 0])), "rows must be increasing"),
        ((SCORES, POSITIVE, np.array([0, 0])), "rows must be increasing"),
        ((SCORES, POSITIVE, None, 0, np.array([0, 1])), "Targets and folds"),
        ((SCORES, POSITIVE, None, 0, np.array([0, -1, 1])), "fold must hold"),
        ((SCORES, POSITIVE, None, 0, np.array([0, 1, 3])), "fold must hold"),
        ((SCORES, POSITIVE, None, 17), "lanes must be one of"),
        ((np.broadcast_to(0.0, (1, 2**27)), POSITIVE), "fewer than"),
    ],
)
def test_refused_predictions(arguments, word):
    with pytest.raises(ValueError, match=word):
        _native.auc(*arguments)


@needs_native
@pytest.mark.parametrize(
    ("time", "event", "word"),
    [(TIME[:2], POSITIVE, "all rows"), (TIME, POSITIVE[:1], "all rows"),
     (np.array([1, np.nan, 2]), POSITIVE, "not be NaN")],
)  # fmt: skip
def test_refused_times(time, event, word):
    with pytest.raises(ValueError, match=word):
        _native.concordance(SCORES, time, event)


@needs_native
@pytest.mark.parametrize(
    ("method", "arguments", "word"),
    [
        ("winners", (COUNTS[:, :2].copy(),), "3 columns"),
        ("winners", (COUNTS[0],), "3 columns"),
        ("winners", (np.asfortranarray(COUNTS),), "as_counts"),
        ("winners", (COUNTS.astype(np.int64),), "as_counts"),
        ("winners", (COUNTS, np.zeros(3, dtype=np.int64)), "limit"),
        ("winners", (COUNTS, np.zeros(4)), "limit"),
        ("scores", (COUNTS, np.array([2])), "below 2"),
        ("losses", (COUNTS, np.array([-1])), "negative"),
        ("score_of", (COUNTS, np.array([0, 1, 0])), "one entry per draw"),
        ("loss_of", (COUNTS, np.array([0, 1, 0, 2])), "below 2"),
    ],
)
def test_refused_counts_and_configurations(method, arguments, word):
    with pytest.raises(ValueError, match=word):
        getattr(_native.auc(SCORES, POSITIVE), method)(*arguments)


@pytest.mark.long
@needs_native
def test_more_counts_than_are_exact():
    n_rows = 300_000
    scores, positive = np.zeros((1, n_rows)), np.arange(n_rows) % 2 == 0
    for program in (
        _native.auc(scores, positive),
        _native.average_precision(scores, positive),
        _native.concordance(scores, np.zeros(n_rows), positive),
    ):
        with pytest.raises(ValueError, match="not add up to more than 67108864"):
            program.winners(np.full((1, n_rows), 255, dtype=np.uint8))


@needs_native
@pytest.mark.parametrize(
    ("weights", "dtype"),
    [
        (np.array([[True, False]]), "?"),
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
    assert counts.dtype == dtype and counts.flags.c_contiguous
    np.testing.assert_array_equal(counts, weights)
    assert _native.as_counts(counts) is counts


@pytest.mark.parametrize(
    "weights",
    [
        np.array([[1.0, 2.0]]),
        np.array([[-1, 1]]),
        np.array([[0, 65536]]),
        np.full((1, 300_000), 255, dtype=np.uint8),
        np.full((1, 1100), 65535, dtype=np.uint16),
    ],
)
def test_weights_that_are_not(weights):
    assert _native.as_counts(weights) is None


@needs_native
@given(
    seed=st.integers(0, 2**32),
    n_draws=st.integers(0, 300),
    n_units=st.integers(1, 700),
    n_picks=st.none() | st.integers(0, 2000),
)
def test_draws_are_those_of_numpy(seed, n_draws, n_units, n_picks):
    found = draw_with_replacement(np.random.default_rng(seed), n_draws, n_units, n_picks)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_native, "available", lambda: False)
        expected = draw_with_replacement(np.random.default_rng(seed), n_draws, n_units, n_picks)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == expected.dtype and found.shape == (n_draws, n_units)


@needs_native
@pytest.mark.parametrize("refused", [(np.random.PCG64(1), 256), (np.random.MT19937(1), 2)])
def test_what_is_not_counted_leaves_the_stream_as_it_was(refused):
    generator, n_picks = refused
    before = str(generator.state)
    assert _native.count_picks(np.random.Generator(generator), 2, 1, n_picks) is None
    assert str(generator.state) == before


@needs_native
@given(st.integers(0, 2**63), st.lists(st.integers(0, 9), max_size=4))
def test_counting_goes_on_where_the_stream_was(seed, picks):
    rng, expected = np.random.default_rng(seed), np.random.default_rng(seed)
    for n_picks in picks:
        units = (expected.random((2, n_picks)) * 5).astype(int)
        counts = np.stack([np.bincount(row, minlength=5) for row in units])
        np.testing.assert_array_equal(draw_with_replacement(rng, 2, 5, n_picks), counts)
        assert rng.random() == expected.random()
    with pytest.raises(ValueError, match="n_units must be positive"):
        _native.count_picks(rng, 1, 0, 1)


def test_the_switch(tmp_path):
    assert _native._load("0") == (None, "NumPy (SKLEARN_BBC_NATIVE=0)")
    missing = tmp_path / "none.so"
    library, text = _native._load("", missing)
    assert library is None and "none.so" in text
    with pytest.raises(ImportError, match="SKLEARN_BBC_NATIVE=1 demands"):
        _native._load("1", missing)
    with pytest.raises(ValueError, match="SKLEARN_BBC_NATIVE='yes' is not known"):
        _native._load("yes")
    assert _native.available() == _native.status().startswith("native")


def test_without_the_library_the_functions_say_so(monkeypatch):
    monkeypatch.setattr(_native, "_LIBRARY", None)
    assert not _native.available()
    with pytest.raises(RuntimeError, match="The compiled kernels are not in use"):
        _native.auc(SCORES, POSITIVE)


@needs_native
def test_numbers_of_lanes():
    """Vectors of 16 bytes everywhere; wider ones where processor and compiler have them."""
    lanes = _native.known_lanes()
    assert lanes[0] == 16 and set(lanes) <= {16, 32, 64}
    assert _native.status() in ("native (plain C)", f"native (vectors of {lanes[-1]} bytes)")
