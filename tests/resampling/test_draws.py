"""The draws of a run: blocks, workers, redraws, warnings."""

import threading
from contextlib import ExitStack

import numpy as np
import pytest
from joblib import parallel_config
from sklearn import config_context
from threadpoolctl import threadpool_info, threadpool_limits

from sklearn_bbc import _native
from sklearn_bbc._blas import one_blas_thread
from sklearn_bbc.exceptions import SelectionError, UndefinedIntervalError
from sklearn_bbc.resampling import (
    IID,
    PROBED,
    SCRATCH,
    STREAM_BLOCK,
    Draws,
    Redraw,
    Resampling,
    Stratified,
    joined_batches,
)

ALL = np.ones((12, 1), dtype=np.float32)


def counts_of(n_draws=300, n_units=12, entropy=5, **options):
    return Draws(IID(n_units), n_draws, entropy, **options).map(lambda counts: counts.copy())


def test_results_come_in_order_whatever_the_batches_and_workers():
    expected = counts_of()
    assert expected.shape == (300, 12)
    for bytes_per_draw in (0, 10**4, 10**9):
        np.testing.assert_array_equal(counts_of(bytes_per_draw=bytes_per_draw), expected)
    with config_context(working_memory=1e-3):
        np.testing.assert_array_equal(counts_of(), expected)
    for n_jobs in (2, 3, -1):
        np.testing.assert_array_equal(counts_of(n_jobs=n_jobs), expected)
    with parallel_config(backend="threading", n_jobs=2):
        np.testing.assert_array_equal(counts_of(), expected)


@pytest.mark.long
@pytest.mark.parametrize("native", [True, False])
def test_draws_of_very_many_units_come_in_parts_of_a_block_where_memory_is_short(
    native, monkeypatch
):
    """Those that are rejected take from the stream of the block, whatever the part."""
    if not native:
        monkeypatch.setattr(_native, "_LIBRARY", None)
    n_units = 2**18 + 100
    indicator = np.zeros((n_units, 1), dtype=bool)
    indicator[[5, n_units - 5]] = True  # lacks in-bag or out-of-bag in half of the draws
    seen = {}
    for memory in (1024, 1):
        with config_context(working_memory=memory):
            draws = Draws(IID(n_units), 70, 5, indicator=indicator, bytes_per_draw=n_units)
            found = draws.batches(lambda counts: (counts @ np.arange(n_units), counts[:, ::4999]))
        seen[memory] = [len(sums) for sums, _ in found], draws.n_redrawn, joined_batches(found)
    assert seen[1024][0] == [70] and seen[1][0] == [32, 32, 6]
    assert seen[1024][1] == seen[1][1] > 20
    for whole, in_parts in zip(seen[1024][2], seen[1][2], strict=True):
        np.testing.assert_array_equal(whole, in_parts)


def double(counts):
    return counts * 2, counts.sum(axis=1)


@pytest.mark.parametrize("prefer", ["threads", "processes"])
def test_workers_of_both_kinds_and_several_results(prefer):
    draws = Draws(IID(12), 200, 5, n_jobs=2, prefer=prefer, indicator=ALL)
    twice, sums = draws.map(double)
    np.testing.assert_array_equal(twice, 2 * counts_of(200, indicator=ALL))
    assert (sums == 12).all()


def test_workers_work_at_the_same_time_with_one_blas_thread_each():
    """Each waits for the other one; alone it would wait in vain."""
    both, threads = threading.Barrier(2, timeout=10), []

    def wait(counts):
        both.wait()
        threads.extend(pool["num_threads"] for pool in threadpool_info() if of_blas(pool))
        return counts

    with threadpool_limits(2, user_api="blas"):
        found = Draws(IID(12), 2 * STREAM_BLOCK, 5, n_jobs=2).map(wait)
    np.testing.assert_array_equal(found, counts_of(2 * STREAM_BLOCK))
    assert set(threads) <= {1}


def of_blas(pool):
    return pool["user_api"] == "blas"


def test_seeds_and_keys_have_their_own_streams():
    first = counts_of()
    assert not np.array_equal(first, counts_of(entropy=6))
    assert not np.array_equal(first, counts_of(key=1))
    assert not np.array_equal(first[:STREAM_BLOCK], first[STREAM_BLOCK : 2 * STREAM_BLOCK])


def test_the_stream_is_pinned():
    """Every result ever published with a seed hangs on these numbers."""
    expected = [[0, 1, 0, 1, 1, 0, 4, 1], [1, 1, 0, 2, 1, 1, 0, 2], [2, 0, 2, 1, 1, 0, 1, 1]]
    np.testing.assert_array_equal(counts_of(3, 8, entropy=0), expected)


def test_every_stratum_is_in_bag_and_out_of_bag():
    indicator = np.zeros((12, 2), dtype=np.float32)
    indicator[:3, 0] = indicator[3:, 1] = 1
    draws = Draws(IID(12), 500, 0, indicator=indicator)
    counts = draws.map(lambda counts: counts)
    for members in (slice(None, 3), slice(3, None)):
        assert (counts[:, members] > 0).any(axis=1).all()
        assert (counts[:, members] == 0).any(axis=1).all()
    assert draws.n_redrawn > 0


@pytest.mark.parametrize("out_of_bag", [True, False])
def test_the_first_units_of_a_stratum_are_not_taken_for_all(out_of_bag):
    """Draws that only the units after the probed ones can tell apart."""
    n_units = 3 * PROBED
    indicator = np.zeros((n_units, 2), dtype=np.float32)
    indicator[:, 0] = 1
    indicator[: PROBED + 2, 1] = 1
    counts = np.zeros((5, n_units), dtype=np.uint8)
    counts[0, -1] = 9  # nothing of the second stratum
    counts[1, PROBED] = 9  # none of the probed units, but one behind them
    counts[2] = 1  # everything: nothing out-of-bag
    counts[3, : PROBED + 2] = 1  # the second stratum has nothing out-of-bag
    counts[4, : PROBED + 1] = 1
    draws = Draws(IID(n_units), 5, 0, indicator=indicator, out_of_bag=out_of_bag)
    assert draws._rejected(counts).tolist() == ([0, 2, 3] if out_of_bag else [0])


def test_accepted_draws_follow_the_conditional_distribution():
    """Of two samples only (2, 0) and (0, 2) leave something out; both are as likely."""
    draws = Draws(IID(2), 4000, 1, indicator=np.ones((2, 1), dtype=np.float32))
    counts = draws.map(lambda counts: counts)
    assert set(map(tuple, counts.tolist())) == {(2, 0), (0, 2)}
    assert abs((counts[:, 0] == 2).mean() - 0.5) < 0.03
    assert abs(draws.n_redrawn / 4000 - 1) < 0.1


class Scripted(Resampling):
    """Both of two units, `n_refused` times; afterwards the first one many times."""

    n_units = 2

    def __init__(self, n_refused):
        self.left = n_refused

    def draw(self, rng, n_draws):
        self.left -= 1
        counts = [[1, 1]] if self.left >= 0 else [[300, 0]]
        return np.repeat(counts, n_draws, axis=0).astype(np.min_scalar_type(np.max(counts)))


def test_as_many_redraws_as_the_cap_allows():
    """The block is drawn, drawn again to go on behind it, and then redrawn."""
    draws = Draws(Scripted(3), 5, 0, indicator=ALL[:2], degenerate=Redraw(cap=2))
    assert draws.n_redrawn == draws.n_lacking == 0
    assert draws.map(np.copy).tolist() == [[300, 0]] * 5  # wider than the first counts
    assert draws.n_redrawn == 10
    with pytest.raises(UndefinedIntervalError, match="5 draws took more than 10 redraws"):
        Draws(Scripted(4), 5, 0, indicator=ALL[:2], degenerate=Redraw(cap=2)).map(np.copy)


def test_hopeless_draws_end():
    """Forty classes of two samples: a draw has each in-bag and out once in 1e13."""
    indicator = np.zeros((80, 40), dtype=np.float32)
    indicator[np.arange(80), np.arange(80) // 2] = 1
    with pytest.raises(UndefinedIntervalError, match=r"all 40 classes .* Merge rare classes"):
        Never(IID(80), 20, 0, indicator=indicator).map(lambda counts: counts)
    Draws(IID(80), 20, 0, indicator=indicator[:, :3]).map(lambda counts: counts)


class Never(Draws):
    def _counts(self, blocks):
        raise AssertionError("there was a draw")


def test_what_is_hopeless_depends_on_the_policy():
    """With n units in classes of 5 about 0.9 ** (n / 5) of the draws are acceptable."""
    indicator = np.repeat(np.eye(20, dtype=np.float32), 5, axis=0)
    assert len(Draws(IID(100), 64, 0, indicator=indicator).map(lambda counts: counts)) == 64
    with pytest.raises(UndefinedIntervalError, match=r"Redraw\(cap=5\) gives up at 1 in 6"):
        Never(IID(100), 64, 0, indicator=indicator, degenerate=Redraw(cap=5)).map(np.copy)
    with pytest.raises(UndefinedIntervalError, match=r"1 draw in [0-9,]+ would fulfil"):
        Never(IID(100), 64, 0, indicator=indicator, degenerate=Redraw(min_out_of_bag=2)).map(
            np.copy
        )
    in_bag = Draws(
        IID(100), 64, 0, indicator=indicator, degenerate=Redraw(cap=5), out_of_bag=False
    )
    assert len(in_bag.map(np.copy)) == 64


def test_draws_within_classes_are_never_hopeless_for_their_classes():
    """Each class has its own draw, so the chances of draws of everything say nothing."""
    indicator = np.repeat(np.eye(40, dtype=np.float32), 2, axis=0)
    options = {"indicator": indicator, "degenerate": Redraw(cap=1), "out_of_bag": False}
    draws = Draws(Stratified(np.arange(80) // 2), 64, 0, **options)
    assert (draws.map(np.copy) @ indicator == 2).all()
    assert draws.n_redrawn == 0
    with pytest.raises(UndefinedIntervalError, match="all 40 classes in-bag in every draw"):
        Never(IID(80), 64, 0, **options).map(np.copy)


@pytest.mark.parametrize("out_of_bag", [True, False])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_draws_without_a_small_class_are_kept_and_counted(out_of_bag, n_jobs):
    may_lack = np.zeros((12, 2), dtype=np.float32)
    may_lack[[0, 1], [0, 1]] = may_lack[2, 1] = 1
    draws = Draws(IID(12), 300, 5, may_lack=may_lack, out_of_bag=out_of_bag, n_jobs=n_jobs)
    counts = draws.map(np.copy)
    np.testing.assert_array_equal(counts, counts_of())
    in_bag = [(counts[:, units] > 0) for units in ([0], [1, 2])]
    lacks = [~drawn.any(axis=1) | (drawn.all(axis=1) & out_of_bag) for drawn in in_bag]
    assert draws.n_lacking == np.count_nonzero(np.logical_or(*lacks)) > 0
    assert draws.n_redrawn == 0


def test_of_a_small_class_one_unit_on_each_side_is_enough():
    """Whatever the policy asks for: what draws may lack they may nearly lack."""
    may_lack = np.zeros((12, 1), dtype=np.float32)
    may_lack[:3] = 1
    draws = Draws(IID(12), 300, 5, may_lack=may_lack, degenerate=Redraw(min_out_of_bag=2))
    drawn = draws.map(np.copy)[:, :3] > 0
    assert draws.n_lacking == np.count_nonzero(~drawn.any(axis=1) | drawn.all(axis=1)) < 150


def test_counts_are_expanded_before_the_function_sees_them():
    draws = Draws(IID(3), 70, 0, expand=lambda counts: np.repeat(counts, 2, axis=1))
    counts = draws.map(lambda counts: counts)
    assert counts.shape == (70, 6)
    np.testing.assert_array_equal(counts[:, 0], counts[:, 1])


@pytest.mark.parametrize("draw, noted", [(3, 2 * STREAM_BLOCK + 3), (None, None)])
def test_a_rule_that_fails_is_reported_with_its_draw(draw, noted):
    """The function counts from the first draw of its batch."""

    def fails_in_the_third(counts):
        if len(seen) == 2:
            raise SelectionError("no winner", draw)
        seen.append(counts)
        return counts

    seen = []
    with pytest.raises(SelectionError, match="no winner") as caught:
        Draws(IID(3), 300, 0, bytes_per_draw=2**40).map(fails_in_the_third)
    assert caught.value.draw == noted


def test_draws_need_little_memory_at_a_time():
    """However much scikit-learn may use: more makes nothing faster."""
    sizes = []
    with config_context(working_memory=10_000):
        Draws(IID(12), 1000, 0, bytes_per_draw=SCRATCH // (3 * STREAM_BLOCK)).map(
            lambda counts: sizes.append(len(counts)) or counts
        )
    assert set(sizes[:-1]) == {2 * STREAM_BLOCK}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_second_run_goes_on_with_the_results_of_the_first(n_jobs):
    draws = Draws(IID(12), 300, 5, n_jobs=n_jobs, bytes_per_draw=SCRATCH // (3 * STREAM_BLOCK))
    first = draws.batches(lambda counts: counts.copy())
    assert len(first) > 1
    second = draws.batches(lambda counts, before: (counts + 1, before), first)
    more, before = joined_batches(second)
    np.testing.assert_array_equal(before, counts_of())
    np.testing.assert_array_equal(more, counts_of() + 1)


def n_blas_threads():
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_products_run_in_one_thread_within_draws_and_as_before_afterwards(n_jobs):
    with threadpool_limits(2, user_api="blas"):
        before, seen = n_blas_threads(), []
        draws = Draws(IID(10), 200, 0, bytes_per_draw=2**20, n_jobs=n_jobs)
        draws.map(lambda counts: seen.append(n_blas_threads()) or counts)
        assert seen and all(each == {1} for each in seen)
        assert n_blas_threads() == before


def test_the_number_of_blas_threads_comes_back_when_the_last_thread_has_left():
    with threadpool_limits(2, user_api="blas"):
        before = n_blas_threads()
        first, second = ExitStack(), ExitStack()
        first.enter_context(one_blas_thread)
        second.enter_context(one_blas_thread)
        first.close()
        assert n_blas_threads() == {1}
        second.close()
        assert n_blas_threads() == before
