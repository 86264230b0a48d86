"""Rules of resampling, their streams and seeds, units, and chances."""

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sklearn_bbc import _native
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.resampling import (
    IID,
    MAX_EXACT_FOLDS,
    STREAM_BLOCK,
    Draws,
    Resampling,
    Stratified,
    Streams,
    TargetRange,
    TwoStage,
    Units,
    chance_of_all,
    chance_of_holding,
    check_possible,
    draw_with_replacement,
    entropy_of,
    enumerate_fold_draws,
)
from tests.made import made


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


N = 6
EVERY = np.array([np.bincount(picks, minlength=N) for picks in product(range(N), repeat=N)])


@pytest.mark.parametrize("size", range(1, N + 1))
@pytest.mark.parametrize("least", [1, 2, 3])
def test_chances_are_those_of_all_draws(size, least):
    drawn = (EVERY[:, :size] > 0).sum(axis=1)
    fine = (drawn >= 1) & (size - drawn >= least)
    found = chance_of_holding(size, N, min_out_of_bag=least)
    assert found == pytest.approx(fine.mean(), abs=1e-12)
    assert chance_of_holding(size, N, out_of_bag=False) == pytest.approx((drawn >= 1).mean())


def test_many_units_are_taken_as_independent():
    rng = np.random.default_rng(0)
    drawn = (rng.multinomial(200, np.full(200, 1 / 200), size=5_000)[:, :40] > 0).sum(axis=1)
    for least in (1, 13, 15):
        simulated = ((drawn > 0) & (40 - drawn >= least)).mean()
        found = chance_of_holding(40, 200, min_out_of_bag=least)
        assert found == pytest.approx(simulated, abs=0.03)


def test_the_chance_of_all_is_the_product_over_sets_that_share_nothing():
    sets = [np.array([0, 1]), np.array([2, 3]), np.array([4, 5])]
    one = chance_of_holding(2, N)
    assert chance_of_all(sets, N) == pytest.approx(one**3)
    # What shares a unit with a smaller set can only make it less likely.
    assert chance_of_all([*sets[:1], np.array([1, 2, 3])], N) == pytest.approx(one)
    assert chance_of_all([], N) == 1


LABELS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=40)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@given(LABELS)
def test_strata_keep_their_size(labels):
    counts = Stratified(np.array(labels)).draw(np.random.default_rng(1), 8)
    for label in set(labels):
        members = np.array(labels) == label
        assert (counts[:, members].sum(axis=1) == members.sum()).all()


@given(LABELS)
def test_two_stages_draw_whole_groups_of_picks(labels):
    """n occurrences of a group draw n times its size from its samples."""
    labels = np.array(labels)
    counts = TwoStage(labels).draw(np.random.default_rng(2), 8).astype(int)
    names = np.unique(labels)
    occurrences = np.zeros((8, len(names)))
    for k, name in enumerate(names):
        members = labels == name
        occurrences[:, k] = counts[:, members].sum(axis=1) / members.sum()
    np.testing.assert_array_equal(occurrences, np.rint(occurrences))
    np.testing.assert_array_equal(occurrences.sum(axis=1), len(names))


def test_two_stages_resample_within_a_group(rng):
    counts = TwoStage(np.array(list("aabb"))).draw(rng, 4000)
    drawn_once = counts[:, :2].sum(axis=1) == 2
    assert abs((counts[drawn_once, 0] == 1).mean() - 0.5) < 0.05


@settings(max_examples=60)
@given(
    st.integers(0, 10**6),
    st.integers(1, 80),
    st.sampled_from([1, 2]),
    st.sampled_from([0.05, 0.5]),
)
def test_constant_draws_are_found(seed, n_units, n_outputs, share):
    rng = np.random.default_rng(seed)
    of_sample = np.concatenate([np.arange(n_units), rng.integers(-1, n_units, size=n_units // 3)])
    y = (rng.random((len(of_sample), n_outputs)) < share) * rng.integers(1, 3, size=n_outputs)
    spread = TargetRange(y if n_outputs > 1 else y[:, 0], of_sample, n_units)
    drawn = rng.random((30, n_units)) < rng.choice([0.02, 0.3])
    expected = []
    for row in drawn:
        values = y[np.isin(of_sample, np.flatnonzero(row))]
        expected.append(any(len(np.unique(column)) < 2 for column in values.T))
    np.testing.assert_array_equal(spread.is_constant(drawn), expected)


@pytest.mark.parametrize("out_of_bag", [True, False])
def test_they_are_drawn_again(out_of_bag):
    y = (np.arange(20) < 4).astype(float)
    spread = TargetRange(y, np.arange(20), 20)
    draws = Draws(IID(20), 500, 3, spread=spread, out_of_bag=out_of_bag)
    drawn = draws.map(np.copy) > 0
    assert draws.n_redrawn > 0
    for part in (drawn, ~drawn) if out_of_bag else (drawn,):
        assert all(len(np.unique(y[row])) == 2 for row in part)


def test_the_fewest_others():
    assert TargetRange(np.array([3.0, 3, 3, 1, 2]), np.arange(5), 5).fewest_others() == (2, 3.0)
    assert TargetRange(
        np.array([3.0, 3, 3, 1, 2]), np.array([0, 1, 1, 1, -1]), 2
    ).fewest_others() == (
        1,
        3.0,
    )
    two = np.array([[1.0, 5], [2, 5], [3, 5]])
    assert TargetRange(two, np.arange(3), 3).fewest_others() == (0, 5.0)


ENTROPY = (
    st.integers(0, 2**64) | st.integers(0, 2**300) | st.sampled_from([0, 2**32, 2**96, 2**128])
)


def by_numpy(entropy, key, blocks, n_draws, n_units):
    rows = []
    for k in blocks:
        rng = np.random.Generator(
            np.random.PCG64(np.random.SeedSequence(entropy, spawn_key=(key, k)))
        )
        for _ in range(min(STREAM_BLOCK, n_draws - len(rows))):
            picks = (rng.random(n_units) * n_units).astype(np.intp)
            rows.append(np.bincount(picks, minlength=n_units))
    return np.stack(rows)


@pytest.fixture(params=["compiled", "NumPy"])
def kernels(request, monkeypatch):
    if request.param == "NumPy":
        monkeypatch.setattr(_native, "_LIBRARY", None)
    elif not _native.available():
        pytest.skip(f"the compiled kernels are not in use: {_native.status()}")
    return request.param


@settings(max_examples=60)
@example(entropy=2**128 - 1, key=2**32 - 1, first=0, n_draws=1, n_units=9)
@given(
    entropy=ENTROPY,
    key=st.integers(0, 2**33),
    first=st.integers(0, 1000),
    n_draws=st.integers(1, 3 * STREAM_BLOCK),
    n_units=st.integers(1, 90) | st.integers(255, 300),
)
def test_the_streams_are_those_of_numpy(entropy, key, first, n_draws, n_units):
    blocks = range(first, first - (-n_draws // STREAM_BLOCK))
    found = IID(n_units).draw_blocks(Streams(entropy, key), blocks, n_draws)
    np.testing.assert_array_equal(found, by_numpy(entropy, key, blocks, n_draws, n_units))


def test_both_ways_of_drawing_agree(kernels):
    for entropy, key, n_units in ((0, 0, 1), (7, 2, 50), (2**63 - 1, 0, 777), (2**200, 1, 3)):
        for blocks, n_draws in ((range(2, 5), 150), (range(2, 4), 128), (range(4, 5), 10)):
            found = IID(n_units).draw_blocks(Streams(entropy, key), blocks, n_draws)
            np.testing.assert_array_equal(found, by_numpy(entropy, key, blocks, n_draws, n_units))
            assert found.dtype == np.uint8


def test_seeds_are_the_first_number_of_what_is_given():
    assert entropy_of(0) == 0
    for seed in range(20):
        old, new = np.random.RandomState(seed), np.random.default_rng(seed)
        assert entropy_of(np.random.RandomState(seed)) == old.randint(2**31 - 1)
        assert entropy_of(np.random.default_rng(seed)) == new.integers(2**63 - 1)
        (word,) = np.random.SeedSequence(seed).generate_state(1, np.uint64)
        assert entropy_of(np.random.SeedSequence(seed)) == int(word) // 2 < 2**63


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_generators_are_consumed(make):
    generator = make(0)
    first, second = entropy_of(generator), entropy_of(generator)
    assert first != second
    assert entropy_of(make(0)) == first


Y = np.array([0, 0, 1, 1, 1, 0])


def predictions(**fields):
    return made(y_true=Y, y_pred=np.zeros((6, 1)), **fields)


def test_samples_are_their_own_units():
    units = Units.of(predictions())
    assert (units.kind, units.n_units) == ("sample", 6)
    counts = np.array([[1, 0, 2, 1, 1, 1]], dtype=np.uint8)
    assert units.expand(counts) is counts


def test_untested_samples_are_never_drawn():
    units = Units.of(predictions(fold=[0, -1, 0, 1, -1, 1]))
    assert units.n_units == 4
    counts = np.array([[3, 0, 1, 0]], dtype=np.uint8)
    np.testing.assert_array_equal(units.expand(counts), [[3, 0, 0, 1, 0, 0]])


def test_groups_are_drawn_as_a_whole():
    units = Units.of(predictions(groups=["b", "a", "b", "c", "a", "c"]))
    assert (units.kind, units.n_units) == ("group", 3)
    counts = np.array([[0, 2, 1], [3, 0, 0]], dtype=np.uint8)  # a, b, c
    np.testing.assert_array_equal(units.expand(counts), [[2, 0, 2, 1, 0, 1], [0, 3, 0, 0, 3, 0]])


def test_indicator_says_which_unit_holds_which_stratum():
    units = Units.of(predictions(groups=[0, 0, 1, 1, 2, 2]))
    strata = np.stack([Y == 0, Y == 1])
    np.testing.assert_array_equal(units.indicator(strata), [[1, 0], [0, 1], [1, 1]])
    np.testing.assert_array_equal(units.indicator(None), np.ones((3, 1)))
    # There may be millions of units.
    assert units.indicator(strata).dtype == units.indicator(None).dtype == bool


@pytest.mark.parametrize(
    "sizes, message",
    [
        ([3, 1], "BBC cannot bootstrap roc_auc: class 1 has 1 group, so it can never"),
        ([3, 0], "class 1 has 0 groups, so"),
        ([1, 1], "class 0 has 1 group,"),
    ],
)
def test_impossible_draws_are_found_before_the_first(sizes, message):
    indicator = np.zeros((4, 2))
    for k, size in enumerate(sizes):
        indicator[:size, k] = 1
    with pytest.raises(UndefinedIntervalError, match=message):
        check_possible(indicator, ["class 0", "class 1"], "group", "BBC", "roc_auc")


def test_units_that_must_be_out_of_bag_are_counted_and_named():
    with pytest.raises(UndefinedIntervalError, match="never be in-bag and out-of-bag in the same"):
        check_possible(np.ones((1, 1)), ["a"], "sample", "BBC", "m")
    with pytest.raises(UndefinedIntervalError, match="no draw has one in-bag and 2 out-of-bag"):
        check_possible(np.ones((2, 1)), ["a"], "sample", "BBC", "m", min_out_of_bag=2)
    check_possible(np.ones((3, 1)), ["a"], "sample", "BBC", "m", min_out_of_bag=2)


@pytest.mark.parametrize("n_folds", [2, 3, 4, 5])
def test_equals_the_enumeration_of_all_sequences(n_folds):
    expected = Counter(
        tuple(np.bincount(sequence, minlength=n_folds))
        for sequence in product(range(n_folds), repeat=n_folds)
        if len(set(sequence)) < n_folds
    )
    counts, multiplicity = enumerate_fold_draws(n_folds)
    found = {tuple(row.tolist()): int(m) for row, m in zip(counts, multiplicity)}
    assert found == {tuple(map(int, key)): value for key, value in expected.items()}


@pytest.mark.parametrize("n_folds", range(2, MAX_EXACT_FOLDS + 1))
def test_multiplicities_add_up_without_the_permutations(n_folds):
    counts, multiplicity = enumerate_fold_draws(n_folds)
    assert int(multiplicity.sum()) == n_folds**n_folds - math.factorial(n_folds)
    assert len(counts) == math.comb(2 * n_folds - 1, n_folds) - 1
    assert (counts.sum(axis=1) == n_folds).all()
    assert (counts == 0).any(axis=1).all()


def test_nobody_can_spoil_the_shared_arrays():
    counts, _ = enumerate_fold_draws(3)
    with pytest.raises(ValueError, match="read-only"):
        counts[0, 0] = 9


@pytest.mark.parametrize("n_folds", [1, 0, 11])
def test_out_of_range(n_folds):
    with pytest.raises(ValueError, match=rf"must be in 2\.\.10, got {n_folds}"):
        enumerate_fold_draws(n_folds)
