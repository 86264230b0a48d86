"""Weighted sums of values: right to 1e-12, however the work is cut up, and with little memory."""

import gc
import weakref
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import config_context

from sklearn_bbc import OOFPredictions, _native
from sklearn_bbc.metrics import _arithmetic, as_metric
from sklearn_bbc.metrics._arithmetic import DrawWeights, RowSums, sums_of

N_SETS, N_ROWS, N_DRAWS = 37, 101, 20


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-300)


@given(st.integers(0, 2**32 - 1), st.floats(0, 30), st.integers(-300, 280))
def test_every_sum_is_right(seed, spread, magnitude):
    rng = np.random.default_rng(seed)
    values = 10.0 ** (rng.uniform(-spread, 0, size=(3, 40)) + magnitude)
    values[0, rng.random(40) < 0.3] = 0
    weights = rng.multinomial(40, np.full(40, 1 / 40), size=6).astype(np.uint8)
    weights[0] = np.arange(40) == values[1].argmin()  # nothing but the smallest
    sums = RowSums(3, 40)(
        lambda sets, rows: values[sets, rows], DrawWeights(weights), np.arange(3)
    )
    for draw, weight in enumerate(weights):
        for k in range(3):
            truth = sum(Fraction(int(w)) * Fraction(v) for w, v in zip(weight, values[k]))
            assert abs(Fraction(float(sums[draw, k])) - truth) <= truth / 10**12


def tables(rng):
    return {
        "losses": -np.log(rng.random((N_SETS, N_ROWS))),
        "wide": 10.0 ** rng.uniform(-40, 3, size=(N_SETS, N_ROWS)),
        "single": rng.random((N_SETS, N_ROWS)).astype(np.float32),
        "bool": rng.random((N_SETS, N_ROWS)) < 0.3,
        "uint8": rng.integers(200, size=(N_SETS, N_ROWS), dtype=np.uint8),
        "infinite": np.where(rng.random((N_SETS, N_ROWS)) < 0.002, np.inf, 1.5),
    }


def weights_of(kind, rng):
    counts = rng.multinomial(N_ROWS, np.full(N_ROWS, 1 / N_ROWS), size=N_DRAWS).astype(np.uint8)
    return {
        "counts": counts,
        "mask": counts == 0,
        "heavy": counts * (10.0 ** rng.integers(0, 9, size=(N_DRAWS, 1))).astype(np.int64),
        "floats": counts * 0.3,
    }[kind]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("cut", ["kept", "a row", "some rows"])
@pytest.mark.parametrize("kind", ["counts", "mask", "heavy", "floats"])
@pytest.mark.parametrize("name", list(tables(np.random.default_rng(0))))
def test_sums_however_the_values_are_cut(cut, name, kind, monkeypatch):
    rng = np.random.default_rng(3)
    table, weights = tables(rng)[name], weights_of(kind, rng)
    if cut != "kept":
        monkeypatch.setattr(_arithmetic, "_SHARE", 2.0**40)
        monkeypatch.setattr(_arithmetic, "_ROW_BLOCK", 1 if cut == "a row" else 4 * N_SETS)
    asked = []

    def values_of(sets, rows):
        asked.append(table[sets, rows].size)
        return table[sets, rows]

    finite = np.where(np.isinf(table), 0, table).astype(float)
    expected = weights.astype(float) @ finite.T
    expected[weights.astype(float) @ np.isinf(table).T > 0] = np.inf
    drawn, sums = DrawWeights(weights), RowSums(N_SETS, N_ROWS)
    for which in (np.arange(N_SETS), np.array([5]), np.array([30, 2, 2, 31]), np.arange(8, 20)):
        close(sums(values_of, drawn, which), expected[:, which])
    for which in (rng.integers(N_SETS, size=N_DRAWS), np.full(N_DRAWS, 4)):
        close(sums.paired(values_of, drawn, which), expected[np.arange(N_DRAWS), which])
    # Kept: all of them computed once, after a look at their type, and floats once more, which are
    # kept in single precision first. Otherwise never all of them at once.
    n_times = 2 if table.dtype.kind == "f" else 1
    assert asked == [4, *[table.size] * n_times] if cut == "kept" else max(asked) < table.size
    if name in ("bool", "uint8"):
        which, rows = rng.integers(N_SETS, size=N_DRAWS), np.array([40, 7, 90])
        few = weights[:, rows].astype(float) @ table[:, rows].T
        np.testing.assert_allclose(sums_of(table, drawn), expected, rtol=1e-12)
        np.testing.assert_allclose(sums_of(table[:, rows], drawn, rows), few, rtol=1e-12)
        found = sums_of(table[:, rows], drawn, rows, which)
        np.testing.assert_allclose(found, few[np.arange(N_DRAWS), which], rtol=1e-12)


@pytest.mark.parametrize("kept", ["as they are", "rounded", "not at all"])
@pytest.mark.parametrize("n_rows", [1, 300, 5000])
def test_bounds_hold_the_sums_closely(n_rows, kept, monkeypatch):
    rng = np.random.default_rng(n_rows)
    if kept != "as they are":
        monkeypatch.setattr(_arithmetic, "_SHARE", 2.0**40)
    if kept == "not at all":
        monkeypatch.setattr(_arithmetic, "_SHARE_ROUGH", 2.0**40)
    values = 10.0 ** rng.uniform(-60, 3, size=(600, n_rows))
    values[:, rng.random(n_rows) < 0.2] = 0
    values[7] = 1 + 2.0**-25  # rounded in one direction
    counts = rng.multinomial(n_rows, np.full(n_rows, 1 / n_rows), size=70)
    weights = counts.astype(np.uint16)
    drawn, sums = DrawWeights(weights), RowSums(600, n_rows)
    low, high = sums.between(lambda sets, rows: values[sets, rows], drawn)
    truth = weights.astype(float) @ values.T
    assert (low <= truth).all() and (truth <= high).all()
    assert (high - low <= 1e-4 * truth + 1e-30).all()


@pytest.mark.parametrize("weights", ["counts", "floats", "heavy"])
@pytest.mark.parametrize("value", [-1e-3, 1e39, np.inf, np.nan])
def test_no_bounds_of_what_single_precision_cannot_hold(value, weights):
    rng = np.random.default_rng(0)
    values, weights = rng.random((N_SETS, N_ROWS)), weights_of(weights, rng)
    bounds = RowSums(*values.shape).between(
        lambda sets, rows: values[sets, rows], DrawWeights(weights)
    )
    assert (bounds is None) == (weights.dtype != np.uint8)
    values[3, 8] = value
    weights[0, 8] = 1
    sums = RowSums(*values.shape)
    assert sums.between(lambda sets, rows: values[sets, rows], DrawWeights(weights)) is None


def test_what_is_kept_depends_on_the_working_memory():
    table = np.random.default_rng(0).random((100, 4000))  # 3 MB
    drawn, which = DrawWeights(np.ones((2, 4000), dtype=np.uint8)), np.arange(100)
    for memory, kept in ((1024, True), (16, False)):
        sums, asked = RowSums(*table.shape), []

        def values_of(sets, rows, asked=asked):
            asked.append(rows)
            return table[sets, rows]

        with config_context(working_memory=memory):
            sums(values_of, drawn, which)  # which keeps them in single precision
            sums(values_of, drawn, which)
        assert (asked[-1] == slice(None)) == kept


def test_no_sets_no_draws_and_no_rows():
    drawn, sums = DrawWeights(np.zeros((0, 3), dtype=np.uint8)), RowSums(2, 3)
    ones = np.ones((2, 3), dtype=bool)
    assert sums(lambda sets, rows: ones[sets, rows], drawn, np.arange(2)).shape == (0, 2)
    none = np.array([], dtype=np.intp)
    assert sums.paired(lambda sets, rows: ones[sets, rows], drawn, none).shape == (0,)
    four = DrawWeights(np.ones((4, 3), dtype=np.uint8))
    assert (sums_of(ones[:, :0], four, none) == np.zeros((4, 2))).all()


def test_some_draws_are_those_of_all():
    counts = np.random.default_rng(0).poisson(1, (9, 100)).astype(np.uint8)
    members = np.arange(100) % 3 == 0
    counts[4, members] = 0
    counts[6, members] = 0
    counts[6, 99] = 1  # the last one, which is not looked at first
    for weights in (counts, counts * 0.5):
        drawn = DrawWeights(weights)
        assert np.flatnonzero(drawn.lacks(members)).tolist() == [4]
        for draws, part in drawn.in_parts(4):
            np.testing.assert_array_equal(part.total, weights[draws].sum(axis=1))
            np.testing.assert_array_equal(part.matrix(np.float64), weights[draws])
            np.testing.assert_array_equal(part.positive(), weights[draws] > 0)
    assert [len(part) for _, part in drawn.in_parts(4)] == [4, 4, 1]
    assert [len(part) for _, part in drawn.in_parts(0)] == [1] * 9


def predictions(metric, n_samples=8000, n_configs=150):
    """9.6 MB of them, in double precision."""
    rng = np.random.default_rng(0)
    pred = rng.normal(size=(n_configs, n_samples))
    truth = pred[0] + rng.normal(size=n_samples)
    fold = np.arange(n_samples) % 5
    if metric != "neg_log_loss":
        return OOFPredictions.from_rows(y_true=truth, responses={"predict": pred}, fold=fold)
    answers = {"predict_proba": 1 / (1 + np.exp(-pred))}
    return OOFPredictions.from_rows(y_true=(truth > 0).astype(int), responses=answers, fold=fold)


@pytest.mark.parametrize("metric", ["neg_log_loss", "r2", "neg_root_mean_squared_error"])
def test_a_kernel_is_freed_with_its_last_reference(metric):
    """Without a pass of the garbage collector: what it holds may be large."""
    kernel = as_metric(metric).bind(predictions(metric, 50, 3))
    kernel.scores(np.ones((2, 50), dtype=np.uint8))
    inner = weakref.ref(kernel.repeats[0].kernel)
    gc.disable()
    try:
        del kernel
        assert inner() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("which", [np.arange(40)[::-1], np.zeros(40, dtype=np.intp)])
def test_sets_in_another_order_do_not_take_the_place_of_all_of_them(which):
    rng = np.random.default_rng(0)
    values, weights = rng.random((40, 300)), rng.integers(3, size=(9, 300)).astype(np.uint8)
    drawn, sums = DrawWeights(weights), RowSums(40, 300)

    def values_of(sets, rows):
        return values[sets, rows]

    expected = weights.astype(float) @ values.T
    close(sums(values_of, drawn, which), expected[:, which])
    low, high = sums.between(values_of, drawn)
    assert (low <= expected).all() and (expected <= high).all()


@pytest.mark.parametrize("infinite", [0.0, 0.01])
@pytest.mark.parametrize("shape", [(40, 9000), (1100, 300)], ids=["rows", "sets"])
def test_many_values_are_summed_in_threads_as_in_one(monkeypatch, shape, infinite):
    rng, found = np.random.default_rng(0), []
    values, weights = rng.random(shape), rng.integers(3, size=(9, shape[1])).astype(np.uint8)
    values[3, rng.random(shape[1]) < infinite] = np.inf
    monkeypatch.setattr(_native, "most_threads", lambda: 3)
    for cells in (2**40, 1):
        monkeypatch.setattr(_arithmetic, "_CELLS_OF_THREADS", cells)
        sums, drawn = RowSums(*shape), DrawWeights(weights)
        of_all = [
            sums(lambda sets, rows: values[sets, rows], drawn, np.arange(len(values)))
            for _ in range(3)  # The first time values are rounded, too; later they may be known
        ]
        close(of_all[0], of_all[1])
        np.testing.assert_array_equal(of_all[1], of_all[2])
        assert np.isinf(of_all[0][:, 3]).all() == bool(infinite)
        found += of_all
    np.testing.assert_array_equal(found[0], found[3])
    np.testing.assert_array_equal(found[1], found[4])
