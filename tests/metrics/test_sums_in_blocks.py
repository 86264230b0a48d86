"""Sums of values that are computed when needed: the bits of `FixedSums`, and little memory."""

import gc
import tracemalloc
import weakref

import numpy as np
import pytest
from sklearn import config_context

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.metrics._exact_sums import DrawWeights, FixedSums, SumsInBlocks

N_SETS, N_ROWS, N_DRAWS = 37, 101, 20


def tables(rng):
    return {
        "losses": -np.log(rng.random((N_SETS, N_ROWS))),
        "both signs": rng.normal(size=(N_SETS, N_ROWS)),
        "wide": 10.0 ** rng.uniform(-40, 3, size=(N_SETS, N_ROWS)),
        "single": rng.random((N_SETS, N_ROWS)).astype(np.float32),
        "bool": rng.random((N_SETS, N_ROWS)) < 0.3,
        "uint8": rng.integers(200, size=(N_SETS, N_ROWS), dtype=np.uint8),
        "infinite": np.where(rng.random((N_SETS, N_ROWS)) < 0.002, np.inf, 1.5),
        "nothing": np.zeros((N_SETS, N_ROWS)),
    }


def weights_of(kind, rng):
    """Some draws; the mask is of what they leave out."""
    counts = rng.multinomial(N_ROWS, np.full(N_ROWS, 1 / N_ROWS), size=N_DRAWS).astype(np.uint8)
    return {
        "counts": counts,
        "mask": counts == 0,
        "heavy": counts * (10.0 ** rng.integers(0, 9, size=(N_DRAWS, 1))).astype(np.int64),
        "some floats": np.where(rng.random((N_DRAWS, 1)) < 0.5, counts * 0.3, counts),
    }[kind]


@pytest.fixture(params=["kept", "a row", "some rows", "some sets"])
def cut(request, monkeypatch):
    """How much of the table is there at once."""
    module = "sklearn_bbc.metrics._exact_sums."
    if request.param != "kept":
        monkeypatch.setattr(module + "_KEPT", 0)
        monkeypatch.setattr(module + "_DRAW_BYTES", 8 * 7 * N_ROWS)
    if request.param == "a row":
        monkeypatch.setattr(module + "_BLOCK_BYTES", 1)
    elif request.param == "some rows":
        monkeypatch.setattr(module + "_BLOCK_BYTES", 32 * N_SETS * 20)
    elif request.param == "some sets":
        monkeypatch.setattr(module + "_SETS", 5)
        monkeypatch.setattr(module + "_BLOCK_BYTES", 32 * 3 * N_ROWS)
    return request.param


@pytest.mark.parametrize("kind", ["counts", "mask", "heavy", "some floats"])
@pytest.mark.parametrize("name", list(tables(np.random.default_rng(0))))
def test_no_bit_depends_on_what_is_there_at_once(cut, name, kind):
    rng = np.random.default_rng(3)
    table, weights = tables(rng)[name], weights_of(kind, rng)
    asked = []

    def values_of(sets, rows):
        asked.append(table[sets, rows].size)
        return table[sets, rows]

    drawn, sums = DrawWeights(weights), SumsInBlocks(N_SETS, N_ROWS)
    expected = FixedSums(table)(drawn)
    for which in (np.arange(N_SETS), np.array([5]), np.array([30, 2, 2, 31]), np.arange(8, 20)):
        np.testing.assert_array_equal(sums(values_of, drawn, which), expected[:, which])
    which = rng.integers(N_SETS, size=N_DRAWS)
    draws = np.arange(N_DRAWS)
    np.testing.assert_array_equal(sums.paired(values_of, drawn, which), expected[draws, which])
    one = np.full(N_DRAWS, 4)
    np.testing.assert_array_equal(sums.paired(values_of, drawn, one), expected[:, 4])
    # Kept: computed once, after a look at their type. Otherwise never all of them.
    assert asked == [1, table.size] if cut == "kept" else max(asked) < table.size


def test_what_is_kept_depends_on_the_working_memory():
    table = np.random.default_rng(0).random((100, 4000))  # 3 MB
    drawn, which = DrawWeights(np.ones((2, 4000), dtype=np.uint8)), np.arange(100)
    for memory, kept in ((1024, True), (16, False)):
        sums, asked = SumsInBlocks(*table.shape), []

        def values_of(sets, rows, asked=asked):
            asked.append(rows)
            return table[sets, rows]

        with config_context(working_memory=memory):
            sums(values_of, drawn, which)
        assert (asked == [slice(0, 1), slice(None)]) == kept


def test_no_sets_and_no_draws():
    drawn = DrawWeights(np.zeros((0, 3), dtype=np.uint8))
    sums = SumsInBlocks(2, 3)
    assert sums(lambda sets, rows: np.ones((2, 3))[sets, rows], drawn, np.arange(2)).shape == (
        0,
        2,
    )
    none = np.array([], dtype=np.intp)
    assert sums.paired(lambda sets, rows: np.ones((2, 3))[sets, rows], drawn, none).shape == (0,)


def predictions(metric, n_samples=8000, n_configs=150):
    """9.6 MB of them, in double precision."""
    rng = np.random.default_rng(0)
    pred = rng.normal(size=(n_configs, n_samples))
    truth = pred[0] + rng.normal(size=n_samples)
    fold = np.arange(n_samples) % 5
    if metric == "r2":
        return OOFPredictions(y_true=truth, responses={"predict": pred}, fold=fold)
    np.exp(pred, out=pred)
    pred /= 1 + pred
    answers = {"predict_proba": pred}
    return OOFPredictions(y_true=(truth > 0).astype(int), responses=answers, fold=fold)


@pytest.mark.parametrize("metric", ["neg_log_loss", "neg_brier_score", "r2"])
def test_choosing_and_the_interval_take_the_working_memory_and_no_copy(metric):
    oof = predictions(metric)
    peaks = {}
    for memory in (4, 16):
        tracemalloc.start()
        try:
            with config_context(working_memory=memory):
                BBC(n_bootstraps=320, random_state=0).estimate(oof, metric)
            peaks[memory] = tracemalloc.get_traced_memory()[1] / 2**20
        finally:
            tracemalloc.stop()
    # Some 5 MB for blocks of a fixed size; the losses and their integers would be 29.
    assert peaks[4] < 4 + 6, peaks
    assert peaks[16] < 16 + 6, peaks


@pytest.mark.parametrize("metric", ["neg_log_loss", "r2", "neg_root_mean_squared_error"])
def test_a_kernel_is_freed_with_its_last_reference(metric):
    """Without a pass of the garbage collector: what it holds may be large."""
    like = "r2" if metric.startswith("neg_root") else metric
    kernel = as_metric(metric).bind(predictions(like, 50, 3))
    kernel.scores(np.ones((2, 50), dtype=np.uint8))
    inner = weakref.ref(kernel._repeats[0].kernel)
    gc.disable()
    try:
        del kernel
        assert inner() is None
    finally:
        gc.enable()
