"""Concordance index of right-censored times."""

import numpy as np
import pytest
from hypothesis import given, settings

from sklearn_bbc import _native
from tests._native import reference
from tests._native.reference import check, make_counts, make_scores, needs_native, problems

pytestmark = needs_native


def make_times(rng, n_rows):
    """Times and events: heavy, light and no censoring, times with and without ties."""
    time = rng.exponential(size=n_rows)
    step = rng.choice([0, 0.1, 1, 100])
    if step:
        time = np.ceil(time / step)
    return time, rng.random(n_rows) < rng.choice([0.0, 0.1, 0.5, 0.9, 1.0])


def compare(risk, time, event, counts):
    losses, sizes = reference.concordance(risk, time, event, counts)
    check(
        _native.concordance(risk, time, event), counts, losses, sizes, np.isnan(risk).any(axis=1)
    )


@pytest.mark.long
@settings(max_examples=10 * settings().max_examples)
@given(problem=problems())
def test_numbers_are_those_of_the_definition(problem):
    rng, n_draws, n_rows, n_configs, counts_kind, scores_kind = problem
    time, event = make_times(rng, n_rows)
    risk = make_scores(rng, scores_kind, -np.log(time), n_configs)
    compare(risk, time, event, make_counts(rng, counts_kind, n_draws, n_rows))


@pytest.mark.parametrize(
    ("time", "event", "comparable"),
    [
        ([1, 2], [1, 1], True),
        ([1, 2], [1, 0], True),
        ([1, 2], [0, 1], False),  # censored before: nobody knows
        ([1, 2], [0, 0], False),
        ([1, 1], [1, 0], True),  # censored at the time of the event: lived longer
        ([1, 1], [1, 1], False),
        ([1, 1], [0, 0], False),
    ],
)
def test_which_pairs_are_compared(time, event, comparable):
    risk = np.array([[2.0, 1.0], [1.0, 2.0], [1.0, 1.0]])
    program = _native.concordance(risk, np.array(time, dtype=float), np.array(event, dtype=bool))
    expected = [1.0, 0.0, 0.5] if comparable else [np.nan] * 3
    np.testing.assert_array_equal(program.scores(np.ones((1, 2), dtype=bool))[0], expected)


@pytest.mark.parametrize("largest", [1, 3, 40, 120, 255, 1000, 65535])
def test_every_size_of_counts(largest):
    """Products of 16, products of 32 bits, and doubles."""
    rng = np.random.default_rng(largest)
    time, event = rng.exponential(size=600), rng.random(600) < 0.6
    risk = make_scores(rng, "rounded", -np.log(time), 4)
    counts = rng.integers(0, largest + 1, (70, 600)).astype(np.min_scalar_type(largest))
    compare(risk, time, event, counts)


@pytest.mark.parametrize("total", [46_340, 46_350])
def test_around_the_largest_total_of_32_bits(total):
    """No censoring and every pair in the wrong order: the largest loss there is."""
    n_rows = 2000
    time = np.arange(n_rows, dtype=float)
    counts = np.full((1, n_rows), total // n_rows, dtype=np.uint8)
    counts[0, : total - int(counts.sum(dtype=int))] += 1
    compare(np.stack([time, -time, 0 * time]), time, np.ones(n_rows, dtype=bool), counts)


def test_many_configurations_are_given_up_early_and_rightly():
    rng = np.random.default_rng(2)
    time, event = rng.exponential(size=500), rng.random(500) < 0.7
    risk = make_scores(rng, "continuous", -np.log(time), 50)
    compare(risk, time, event, make_counts(rng, "bootstrap", 40, 500))


def test_nothing_to_do():
    time, event = np.array([1.0, 2.0, 3.0]), np.array([True, False, True])
    counts = np.ones((4, 3), dtype=np.uint8)
    assert _native.concordance(np.zeros((0, 3)), time, event).winners(counts).tolist() == [-1] * 4
    program = _native.concordance(np.zeros((2, 3)), time, event)
    assert program.scores(counts[:0]).shape == (0, 2)
    nothing = _native.concordance(np.zeros((2, 0)), time[:0], event[:0])
    assert nothing.winners(counts[:, :0]).tolist() == [-1] * 4
