"""Compiled kernels in blocks of configurations: the same bits, and no more memory than allowed."""

import weakref

import numpy as np
import pytest
from sklearn import config_context

from sklearn_bbc import OOFPredictions, _native
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.metrics._arithmetic import SWEEPS, CompiledBlocks
from sklearn_bbc.predictions._predictions import with_fields

pytestmark = pytest.mark.skipif(not _native.available(), reason="the kernels are not compiled")

N_CONFIGS, N_ROWS = 23, 60
EVERY = np.arange(N_CONFIGS)


def make(prepared=None, block=5):
    """Scores with ties, and programs of which `block` configurations fit into the memory."""
    rng = np.random.default_rng(0)
    positive = rng.random(N_ROWS) < 0.4
    pred = np.round(rng.normal(size=(N_CONFIGS, N_ROWS)) + positive, 1)
    pred[7] = pred[3]
    counts = rng.poisson(1, (40, N_ROWS)).astype(np.uint8)
    counts[11] = 0  # undefined

    def prepare(scores, positive, rows):
        if prepared is not None:
            prepared.append(len(scores))
        return _native.auc(scores, positive, rows)

    rows = np.arange(N_ROWS)
    return (
        CompiledBlocks(prepare, pred, positive, rows, block),
        _native.auc(pred, positive),
        counts,
    )


@pytest.mark.parametrize("block", [1, 5, 22, 23, 100])
@pytest.mark.parametrize("configs", [EVERY, np.array([4, 20, 4, 0]), np.array([6]), EVERY[::-1]])
def test_scores_are_those_of_all_configurations_at_once(block, configs):
    programs, whole, counts = make(block=block)
    np.testing.assert_array_equal(programs.scores(counts, configs), whole.scores(counts, configs))
    np.testing.assert_array_equal(programs.losses(counts, configs), whole.losses(counts, configs))


@pytest.mark.parametrize("block", [1, 5, 100])
def test_one_configuration_per_draw_or_none(block):
    programs, whole, counts = make(block=block)
    configs = np.random.default_rng(1).integers(-1, N_CONFIGS, len(counts))
    assert (configs < 0).any()
    for what in ("score_of", "loss_of"):
        expected = getattr(whole, what)(counts, configs)
        np.testing.assert_array_equal(getattr(programs, what)(counts, configs), expected)


def test_only_what_fits_is_prepared_until_all_are_wanted_often():
    prepared = []
    programs, _, counts = make(prepared)
    programs.scores(counts, np.array([2, 2, 9]))
    assert prepared == [2]
    for _ in range(SWEEPS - 1):
        programs.scores(counts, EVERY)
    assert max(prepared) == 5
    programs.scores(counts, EVERY)
    assert prepared[-1] == N_CONFIGS
    known = len(prepared)
    programs.scores(counts, EVERY)
    assert len(prepared) == known


def test_what_fits_is_prepared_once():
    prepared = []
    programs, _, counts = make(prepared, block=N_CONFIGS)
    programs.scores(counts, np.array([2]))
    programs.winners(counts)
    assert prepared == [N_CONFIGS]


def test_blocks_are_neighbours_and_hold_everything():
    blocks = make()[0].blocks
    assert [block.start for block in blocks[1:]] == [block.stop for block in blocks[:-1]]
    assert blocks[0].start == 0 and blocks[-1].stop == N_CONFIGS
    assert max(block.stop - block.start for block in blocks) <= 5


def test_rough_losses_tell_good_from_bad():
    rng = np.random.default_rng(0)
    positive = rng.random(4000) < 0.02  # the few must be among the rows that are looked at
    pred = rng.normal(size=(3, 4000)) + np.array([[0], [5], [1]]) * positive
    programs = CompiledBlocks(_native.auc, pred, positive, np.arange(4000), 1)
    assert np.argsort(programs.rough_losses(200)).tolist() == [1, 2, 0]


@pytest.mark.parametrize("lanes", _native.known_lanes() if _native.available() else ())
@pytest.mark.parametrize("largest", [3, 300])  # one and two bytes
def test_winners_within_a_limit(lanes, largest):
    rng = np.random.default_rng(largest)
    positive = rng.random(N_ROWS) < 0.4
    pred = np.round(rng.normal(size=(9, N_ROWS)) + positive, 1)
    counts = rng.integers(0, largest, (70, N_ROWS)).astype(np.min_scalar_type(largest))
    counts[5] = 0
    program = _native.auc(pred, positive, lanes=lanes)
    losses = program.losses(counts).astype(np.int64)
    least, winners = losses.min(axis=1), program.winners(counts)
    for more, found in ((0, winners), (1, winners), (-1, np.full(70, -1))):
        limit = least + more
        limit[5] = 10**6
        before = limit.copy()
        got = program.winners(counts, limit)
        expected = found.copy()
        expected[5] = -1  # undefined
        np.testing.assert_array_equal(got, expected)
        np.testing.assert_array_equal(limit, np.where(got >= 0, least, before))
    limit = np.full(70, np.iinfo(np.int64).max)
    np.testing.assert_array_equal(program.winners(counts, limit), winners)
    assert limit[0] == least[0] and limit[5] == np.iinfo(np.int64).max


def test_winners_within_a_limit_in_a_few_draws_of_many_rows():
    """A draw that is looked at alone has the winner and the loss that it has beside others."""
    rng = np.random.default_rng(1)
    positive = rng.random(70_000) < 0.4
    program = _native.auc(rng.normal(size=(5, 70_000)) + positive, positive)
    counts = rng.integers(0, 4, (20, 70_000), dtype=np.uint8)
    counts[1] = 0
    least = program.losses(counts).min(axis=1).astype(np.int64)
    for more in (-1, 0, 10**9):
        limit, few = least + more, least[:3] + more
        winners = program.winners(counts, limit)
        np.testing.assert_array_equal(program.winners(counts[:3], few), winners[:3])
        np.testing.assert_array_equal(few, limit[:3])


# ---------------------------------------------------------------------- what the methods get


def predictions(dtype, groups=None, n_samples=120):
    """Many equals and ties, the best configuration neither first nor last."""
    rng = np.random.default_rng(3)
    y = rng.random(n_samples) < 0.3
    shift = rng.normal(0.5, 0.3, size=(40, 1)) * y
    pred = np.round(rng.normal(size=(40, n_samples)) + shift, 1)
    pred[30] = pred[12]
    return OOFPredictions.from_rows(
        y_true=y.astype(int),
        responses={"decision_function": pred.astype(dtype)},
        fold=(np.arange(n_samples) if groups is None else groups) % 5,
        groups=groups,
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("groups", [None, np.arange(120) // 3])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_passes_give_the_bits_of_a_single_one(dtype, groups, n_jobs, monkeypatch):
    oof = predictions(dtype, groups)
    method = BBC(n_bootstraps=300, random_state=0, n_jobs=n_jobs)
    expected = method.estimate(oof, "roc_auc")
    assert not list(as_metric("roc_auc").bind(oof).passes())
    with config_context(working_memory=0.01):  # about 8 of 40 configurations
        passes = list(as_metric("roc_auc").bind(oof).passes())
        found = method.estimate(oof, "roc_auc")
    assert len(passes) >= 4
    np.testing.assert_array_equal(found.draws, expected.draws)
    assert dict(found.details) == dict(expected.details)


def test_no_passes_where_configurations_cannot_be_taken_apart():
    oof = predictions(np.float64)
    weighted = with_fields(oof, sample_weight=np.linspace(0.5, 1.5, 120))
    with config_context(working_memory=0.01):
        assert not list(as_metric("roc_auc").bind(weighted).passes())
        assert not list(as_metric("average_precision").bind(oof).passes())
        assert not list(as_metric("accuracy").bind(oof).passes())


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_search_for_winners_holds_a_part_of_the_sorted_rows(dtype, monkeypatch):
    """What the compiled kernels hold, in bytes, with 8 MB of predictions and 1 MB allowed."""
    held, most = weakref.WeakSet(), []

    class Held(_native.Program):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            held.add(self)
            most.append(sum(program.nbytes for program in held))

    monkeypatch.setattr(_native, "Program", Held)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4000)
    pred = (rng.normal(size=(250, 4000)) + y).astype(dtype)
    oof = OOFPredictions.from_rows(
        y_true=y, responses={"decision_function": pred}, fold=np.arange(4000) % 5
    )
    with config_context(working_memory=1):
        BBC(n_bootstraps=130, random_state=0).estimate(oof.with_selected(0), "roc_auc")
    assert len(most) > 8
    assert max(most) < 1.5 * 2**20
