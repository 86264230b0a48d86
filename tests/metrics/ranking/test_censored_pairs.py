"""Comparable pairs of censored times, against a loop over all pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_bbc.metrics._concordance import CensoredPairs


def by_loop(event, time, risk, weights, fold=None):
    """Twice the weight of all comparable pairs, and of those in the wrong order."""
    fold = np.zeros(len(time)) if fold is None else fold
    size, lost = 0, 0
    for i in range(len(time)):
        for j in range(len(time)):
            later = time[j] > time[i] or (time[j] == time[i] and not event[j])
            if event[i] and later and i != j and fold[i] == fold[j]:
                pair = weights[:, i] * weights[:, j]
                size = size + 2 * pair
                lost = lost + pair * (2 * (risk[j] > risk[i]) + (risk[j] == risk[i]))
    return np.broadcast_to(size, len(weights)), np.broadcast_to(lost, len(weights))


ROWS = st.lists(st.tuples(st.booleans(), st.integers(1, 5), st.integers(0, 3)), min_size=2,
                max_size=14)  # fmt: skip


@given(ROWS)
def test_pairs_are_those_of_a_loop(rows):
    event, time, risk = (np.array(column) for column in zip(*rows))
    weights = np.random.default_rng(0).integers(0, 4, (3, len(rows)))
    pairs = CensoredPairs(event, time.astype(float))
    by_row = weights.T.astype(float)
    size, lost = by_loop(event, time, risk, weights)
    np.testing.assert_array_equal(pairs.size(by_row), size)
    np.testing.assert_array_equal(pairs.discordance(risk.astype(float), by_row), lost)


@given(ROWS, st.integers(1, 4))
def test_pairs_of_one_fold_are_those_of_a_loop(rows, n_folds):
    rng = np.random.default_rng(n_folds)
    event, time, risk = (np.array(column) for column in zip(*rows))
    fold = np.unique(rng.integers(n_folds, size=len(rows)), return_inverse=True)[1]
    weights = rng.integers(0, 4, (3, len(rows)))
    pairs = CensoredPairs(event, time.astype(float), fold)
    by_row = weights.T.astype(float)
    size, lost = by_loop(event, time, risk, weights, fold)
    np.testing.assert_array_equal(pairs.size(by_row), size)
    np.testing.assert_array_equal(pairs.discordance(risk.astype(float), by_row), lost)


def test_a_heavy_fold_takes_no_digits_from_the_others():
    event, time, fold = np.ones(4, bool), np.array([1.0, 2, 1, 2]), np.array([0, 0, 1, 1])
    weights = np.array([[1.0, 1, 1e-9, 1e16]])
    pairs = CensoredPairs(event, time, fold)
    assert pairs.size(weights.T) == 2 * (1 + 1e7)
    weights[0, 3] = 0
    assert pairs.size(weights.T) == 2


@pytest.mark.parametrize(
    ("event", "time", "compared"),
    [
        ([1, 1, 0], [1, 2, 3], [True, True, False]),
        ([1, 1, 1], [2, 2, 2], [False, False, False]),  # nobody outlives them
        ([1, 0, 1], [2, 2, 2], [True, False, True]),  # censored at that time: outlived them
        ([0, 0, 1], [1, 2, 3], [False, False, False]),
    ],
)
def test_events_that_another_row_outlived(event, time, compared):
    pairs = CensoredPairs(np.array(event, bool), np.array(time, float))
    assert pairs.compared.tolist() == compared
