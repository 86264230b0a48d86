"""AUC and average precision: the kernels of two classes."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.metrics import average_precision_score, roc_auc_score

from sklearn_bbc import _native
from tests._native import reference
from tests._native.reference import check, make_counts, make_scores, needs_native, problems

pytestmark = needs_native

# One kernel for each width of vectors that this processor has.
LANES = _native.known_lanes() if _native.available() else ()

KERNELS = {
    **{
        f"auc, {lanes} lanes": (partial(_native.auc, lanes=lanes), reference.auc, roc_auc_score)
        for lanes in LANES
    },
    **{
        f"average precision, {lanes} lanes": (
            partial(_native.average_precision, lanes=lanes),
            reference.average_precision,
            average_precision_score,
        )
        for lanes in LANES
    },
}


@pytest.fixture(params=KERNELS)
def kernel(request):
    """(function that prepares, reference, scikit-learn's function)"""
    return KERNELS[request.param]


def compare(prepare, losses_and_sizes, scores, positive, counts, rows=None):
    chosen = np.arange(len(positive)) if rows is None else rows
    losses, sizes = losses_and_sizes(scores[:, chosen], positive[chosen], counts[:, chosen])
    undefined = np.isnan(scores[:, chosen]).any(axis=1)
    check(prepare(scores, positive, rows), counts, losses, sizes, undefined)


def two_classes(rng, n_rows):
    """Classes in any proportion, one of them missing now and then."""
    return rng.random(n_rows) < rng.choice([0.0, 0.05, 0.3, 0.5, 0.9, 1.0])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", KERNELS)
@settings(max_examples=10 * settings().max_examples)
@given(problem=problems())
def test_numbers_are_those_of_the_definition(name, problem):
    rng, n_draws, n_rows, n_configs, counts_kind, scores_kind = problem
    positive = two_classes(rng, n_rows)
    counts = make_counts(rng, counts_kind, n_draws, n_rows)
    scores = make_scores(rng, scores_kind, positive.astype(float), n_configs)
    rows = np.flatnonzero(rng.random(n_rows) < 0.6) if rng.random() < 0.3 else None
    compare(*KERNELS[name][:2], scores, positive, counts, rows)


IN_FOLDS = {
    **{
        f"auc, {lanes} lanes": (partial(_native.auc, lanes=lanes), reference.auc_in_folds)
        for lanes in LANES
    },
    **{
        f"average precision, {lanes} lanes": (
            partial(_native.average_precision, lanes=lanes),
            reference.average_precision_in_folds,
        )
        for lanes in LANES
    },
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", IN_FOLDS)
@settings(max_examples=4 * settings().max_examples)
@given(problem=problems())
def test_numbers_are_those_of_the_definition_in_folds(name, problem):
    """Folds without a row, without a class, of one row, and with ties across them."""
    rng, n_draws, n_rows, n_configs, counts_kind, scores_kind = problem
    positive = two_classes(rng, n_rows)
    counts = make_counts(rng, counts_kind, n_draws, n_rows)
    scores = make_scores(rng, scores_kind, positive.astype(float), n_configs)
    fold = rng.integers(0, rng.integers(1, n_rows + 1), n_rows)
    rows = np.flatnonzero(rng.random(n_rows) < 0.6) if rng.random() < 0.3 else None
    prepare, losses_and_sizes = IN_FOLDS[name]
    program = partial(prepare, fold=fold)
    chosen = np.arange(n_rows) if rows is None else rows
    undefined = np.isnan(scores[:, chosen]).any(axis=1)
    expected = losses_and_sizes(
        np.nan_to_num(scores[:, chosen]) if undefined.any() else scores[:, chosen],
        positive[chosen], counts[:, chosen], fold[chosen],
    )  # fmt: skip
    check(program(scores, positive, rows), counts, *expected, undefined)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("largest", [1, 12, 13, 255, 256, 65535])
def test_every_size_of_counts(kernel, largest):
    """The longer the counts, the shorter the chunks of the sorted rows."""
    rng = np.random.default_rng(largest)
    positive = rng.random(333) < 0.4
    counts = rng.integers(0, largest + 1, (20, 333)).astype(np.min_scalar_type(largest))
    counts[:, 0] = largest
    for kind in ("continuous", "coarse"):
        scores = make_scores(rng, kind, positive.astype(float), 6)
        compare(*kernel[:2], scores, positive, counts)
    counts[:] = largest  # every partial sum of a chunk reaches its bound
    compare(*kernel[:2], np.stack([*scores, positive * -1.0]), positive, counts)


@pytest.mark.one_in(3)
def test_many_configurations_are_given_up_early_and_rightly(kernel):
    rng = np.random.default_rng(2)
    positive = rng.random(400) < 0.4
    scores = make_scores(rng, "continuous", positive.astype(float), 60)
    counts = make_counts(rng, "bootstrap", 40, 400)
    compare(*kernel[:2], scores, positive, counts)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
@pytest.mark.parametrize("kind", ["continuous", "rounded"])
@pytest.mark.parametrize("n_folds", [1, 4])
def test_configurations_that_hardly_differ(kernel, share, kind, n_folds):
    """Any of them may win: among neighbours only the exact loss tells, and some have the same."""
    rng = np.random.default_rng(4)
    n_rows = 1500
    positive = rng.random(n_rows) < share
    base = positive + rng.normal(size=n_rows)
    scores = base + rng.choice([1e-4, 1e-3, 1e-2, 0.1], (24, 1)) * rng.normal(size=(24, n_rows))
    scores = np.round(scores, 1) if kind == "rounded" else scores
    scores[7], scores[20] = scores[11], scores[3]
    counts = make_counts(rng, "bootstrap", 70, n_rows)
    counts[40:] *= rng.random((30, n_rows)) < 0.03  # little above any threshold
    program = kernel[0](scores, positive, fold=rng.integers(0, n_folds, n_rows))
    expected = program.scores(counts)
    with np.errstate(invalid="ignore"):
        ties = expected >= expected.max(axis=1, keepdims=True) - 1e-13
    winners = np.where(np.isnan(expected).all(axis=1), -1, ties.argmax(axis=1))
    np.testing.assert_array_equal(program.winners(counts), winners)
    assert len(np.unique(winners)) > 4


def test_the_first_of_equals_wins_whatever_the_order_of_evaluation(kernel):
    rng = np.random.default_rng(3)
    positive = rng.random(60) < 0.5
    good = positive + rng.normal(size=60)
    bad = rng.normal(size=60) - positive
    program = kernel[0](np.stack([bad, good, 2 * good, bad, good]), positive)
    counts = make_counts(rng, "bootstrap", 40, 60)
    assert (program.winners(counts) == 1).all()


@pytest.mark.parametrize("n_positive", [1, 799])
def test_extreme_imbalance(kernel, n_positive):
    rng = np.random.default_rng(n_positive)
    positive = np.arange(800) < n_positive
    scores = rng.normal(size=(3, 800)) + positive
    compare(*kernel[:2], scores, positive, make_counts(rng, "bootstrap", 5, 800))


@pytest.mark.parametrize("lanes", LANES)
def test_a_draw_without_a_class(lanes):
    scores, positive = np.array([[0.1, 0.2, 0.3, 0.4]]), np.array([False, True, False, True])
    counts = np.array([[1, 0, 2, 0], [0, 3, 0, 1], [0, 0, 0, 0], [1, 1, 0, 0]], dtype=np.uint8)
    auc = _native.auc(scores, positive, lanes=lanes)
    np.testing.assert_array_equal(auc.scores(counts)[:, 0], [np.nan, np.nan, np.nan, 1])
    np.testing.assert_array_equal(auc.winners(counts), [-1, -1, -1, 0])
    precision = _native.average_precision(scores, positive)
    np.testing.assert_array_equal(precision.scores(counts)[:, 0], [np.nan, 1, np.nan, 1])
    np.testing.assert_array_equal(precision.winners(counts), [-1, 0, -1, 0])


def sorted_auc(scores, positive, counts):
    """Losses and sizes for very many rows, in 64-bit integers."""
    counts = counts.astype(np.int64)
    losses = []
    for column in scores:
        order = np.argsort(column[~positive], kind="stable")
        sums = np.cumsum(np.pad(counts[:, ~positive][:, order], ((0, 0), (1, 0))), axis=1)
        sorted_scores = column[~positive][order]
        below = sums[:, np.searchsorted(sorted_scores, column[positive], "left")]
        through = sums[:, np.searchsorted(sorted_scores, column[positive], "right")]
        lost = counts[:, positive] * (2 * sums[:, -1:] - below - through)
        losses.append(lost.sum(axis=1))
    sizes = 2 * counts[:, positive].sum(axis=1) * counts[:, ~positive].sum(axis=1)
    return np.stack(losses, axis=1).astype(float), sizes.astype(float)


@pytest.mark.parametrize("n_rows", [65_534, 65_540, 90_000])
def test_auc_with_more_rows_than_32_bits_can_multiply(n_rows):
    rng = np.random.default_rng(n_rows)
    positive = rng.permutation(n_rows) < n_rows // 2
    scores = positive + rng.normal(size=(4, n_rows))
    scores[1] = np.round(scores[1], 1)
    scores[2] = -positive.astype(float)  # the largest loss there is
    counts = make_counts(rng, "bootstrap", 3, n_rows)
    counts[2] = 1
    expected = sorted_auc(scores, positive, counts)
    for lanes in LANES:
        program = _native.auc(scores, positive, lanes=lanes)
        check(program, counts, *expected, np.zeros(4, bool))
        assert program.scores(counts)[2, 2] == 0.0


@pytest.mark.parametrize("n_rows", [5, 900, 4000, 140_000])
def test_values_that_are_hard_to_sort(n_rows):
    """Doubles whose leading bits are equal, with one far away from all others."""
    rng = np.random.default_rng(n_rows)
    positive = rng.random(n_rows) < 0.5
    close = 1 + rng.integers(0, 50, (2, n_rows)) * 2.0**-52
    close[1] = 1 + np.arange(n_rows)[::-1] * 2.0**-52
    close[:, 0] = -1e300
    counts = make_counts(rng, "bootstrap", 3, n_rows)
    losses = sorted_auc(close, positive, counts)[0]
    np.testing.assert_array_equal(_native.auc(close, positive).losses(counts), losses)


@pytest.mark.parametrize("n_rows", [2, 100, 900, 4000, 140_000])
def test_values_of_very_different_magnitude(n_rows):
    """Probabilities next to zero, sums next to infinity: a linear scale has no room for them."""
    rng = np.random.default_rng(n_rows)
    positive = rng.random(n_rows) < 0.5
    tiny = 10.0 ** rng.uniform(-300, 0, (3, n_rows))
    tiny[1] *= rng.choice([-1.0, 1.0], n_rows)
    tiny[2, ::3] = 0.0
    huge = rng.choice([-1.0, 1.0], (2, n_rows)) * rng.uniform(0.9, 1.79, (2, n_rows)) * 1e308
    huge[1, ::5] = np.inf
    scores = np.concatenate([tiny, huge])
    counts = make_counts(rng, "bootstrap", 3, n_rows)
    losses = sorted_auc(scores, positive, counts)[0]
    np.testing.assert_array_equal(_native.auc(scores, positive).losses(counts), losses)


@pytest.mark.parametrize("n_rows", [700, 5000, 140_000])
def test_values_that_crowd(n_rows):
    """Probabilities of which most are next to 0 or 1, and few distinct values."""
    rng = np.random.default_rng(n_rows)
    positive = rng.random(n_rows) < 0.3
    logits = 4 * rng.normal(size=n_rows) + positive
    scores = np.stack(
        [1 / (1 + np.exp(-logits)), np.round(logits), logits**9, np.ones(n_rows), ~positive]
    )
    counts = make_counts(rng, "bootstrap", 3, n_rows)
    losses = sorted_auc(scores, positive, counts)[0]
    np.testing.assert_array_equal(_native.auc(scores, positive).losses(counts), losses)


@pytest.mark.one_in(3)
def test_many_rows_are_sorted_side_by_side(kernel, monkeypatch):
    """However many threads there are, and whichever of them sorts a configuration."""
    rng = np.random.default_rng(8)
    positive = rng.random(120_000) < 0.3
    scores = np.round(rng.normal(size=(9, 120_000)) + positive, 3)
    scores[3, 5] = np.nan
    counts = make_counts(rng, "bootstrap", 2, 120_000)
    answers = []
    for limit in ("1", "2", ""):
        monkeypatch.setenv("OMP_NUM_THREADS", limit)
        program = kernel[0](scores, positive)
        answers.append(
            (program.nbytes, program.scores(counts).tobytes(), *program.winners(counts))
        )
    assert answers[0] == answers[1] == answers[2]
    assert np.isnan(program.scores(counts)[:, 3]).all()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("n_rows", [200, 70_000])
@pytest.mark.parametrize("largest", [3, 300])  # one and two bytes
def test_draws_that_share_a_configuration_and_others_that_do_not(kernel, n_rows, largest):
    """Few of them are scored one by one, many together."""
    rng = np.random.default_rng(9)
    positive = rng.random(n_rows) < 0.3
    scores = rng.normal(size=(8, n_rows)) + positive
    scores[7, 0] = np.nan
    counts = rng.integers(0, largest, (66, n_rows)).astype(np.min_scalar_type(largest))
    counts[9] = 0
    program = kernel[0](scores, positive)
    losses = program.losses(counts)
    draws = np.arange(66)
    configs = np.minimum(draws // 3 % 30, 7) - 1  # -1 to 6, and 6 more often than others
    configs[50] = 7  # undefined
    expected = np.where(configs < 0, np.nan, losses[draws, configs])
    np.testing.assert_array_equal(program.loss_of(counts, configs), expected)
    for some in (slice(0, 1), slice(63, 66), slice(40, 57)):
        np.testing.assert_array_equal(program.losses(counts[some]), losses[some])
        found = program.loss_of(counts[some], configs[some])
        np.testing.assert_array_equal(found, expected[some])
        np.testing.assert_array_equal(program.winners(counts[some]), program.winners(counts)[some])


@pytest.mark.parametrize("n_configs", [7, 8, 9, 19])
def test_configurations_are_read_several_at_a_time(kernel, n_configs):
    rng = np.random.default_rng(n_configs)
    positive = rng.random(40) < 0.5
    scores = rng.normal(size=(40, n_configs)).T + positive
    scores[[1, n_configs - 1], 3] = np.nan
    counts = make_counts(rng, "bootstrap", 9, 40)
    compare(*kernel[:2], scores, positive, counts)
    compare(*kernel[:2], scores, positive, counts, np.array([3, 4, 17, 18, 30]))


def test_any_strides_of_scores(kernel):
    prepare = kernel[0]
    rng = np.random.default_rng(5)
    positive = rng.random(50) < 0.5
    cube = rng.normal(size=(50, 3, 4)) + positive[:, None, None]
    counts = make_counts(rng, "bootstrap", 10, 50)
    for view in (cube[:, 1].T, cube[::-1, 0, ::2].T, np.broadcast_to(cube[:, 0, 0], (2, 50))):
        expected = prepare(np.ascontiguousarray(view), positive).scores(counts)
        np.testing.assert_array_equal(prepare(view, positive).scores(counts), expected)


def test_nothing_to_do(kernel):
    prepare = kernel[0]
    positive = np.array([True, False, True])
    program = prepare(np.zeros((0, 3)), positive)
    counts = np.ones((4, 3), dtype=np.uint8)
    assert program.scores(counts).shape == (4, 0)
    assert (program.winners(counts) == -1).all()
    program = prepare(np.zeros((2, 3)), positive)
    assert program.scores(counts[:0]).shape == (0, 2)
    assert program.winners(counts[:0]).shape == (0,)
    assert prepare(np.zeros((2, 0)), positive[:0]).winners(counts[:, :0]).tolist() == [-1] * 4
    no_rows = prepare(np.zeros((2, 3)), positive, np.array([], dtype=np.int64))
    assert no_rows.winners(counts).tolist() == [-1] * 4


def test_memory_is_of_the_order_of_the_predictions():
    rng = np.random.default_rng(7)
    positive = rng.random(5000) < 0.5
    scores = rng.normal(size=(10, 5000))
    assert _native.auc(scores, positive).nbytes < 0.7 * scores.nbytes
    assert _native.average_precision(scores, positive).nbytes < 0.8 * scores.nbytes


def test_single_precision_is_read_as_it_is(kernel):
    """And small integers, in whatever order they lie in memory."""
    rng = np.random.default_rng(5)
    positive = rng.random(90) < 0.4
    counts = make_counts(rng, "bootstrap", 20, 90)
    single = rng.normal(size=(11, 90)).astype(np.float32)
    single[2, 7], single[4, :9] = np.nan, -0.0
    small = rng.integers(-3, 3, (11, 90), dtype=np.int8)
    orders = [single, single[:, ::-1], np.asfortranarray(single), single[::2]]
    for scores in (*orders, single.astype(">f4"), small, small > 0):
        expected = kernel[0](scores.astype(np.float64), positive)
        np.testing.assert_array_equal(
            kernel[0](scores, positive).scores(counts), expected.scores(counts)
        )
