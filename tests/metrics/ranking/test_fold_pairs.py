"""Pairs within folds and across them, against a loop over all pairs."""

import numpy as np
import pytest

from sklearn_bbc.metrics._rank_losses import FoldPairs, folds_apart

RNG = np.random.default_rng(0)
FOLD = np.array([7, 2, 2, 5, 7, 5, 2, 7, 5, 5])
POSITIVE, NEGATIVE = np.array([0, 1, 3, 6, 9]), np.array([2, 4, 5, 7, 8])
SCORES = np.round(RNG.normal(size=(4, 10)) * 2) / 2
WEIGHTS = RNG.integers(0, 4, (6, 10))


def test_order_within_folds_stays_and_folds_lie_above_each_other():
    apart = folds_apart(SCORES, FOLD)
    for before, after in zip(SCORES, apart):
        for i in range(10):
            for j in range(10):
                if FOLD[i] == FOLD[j]:
                    assert np.sign(before[i] - before[j]) == np.sign(after[i] - after[j])
                else:
                    assert (after[i] < after[j]) == (FOLD[i] < FOLD[j])


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, float])
def test_pairs_inside_and_misplaced_are_those_of_a_loop(dtype):
    weights = WEIGHTS.astype(dtype) if dtype is not float else WEIGHTS / 8
    inside, misplaced = np.zeros((2, 6))
    for p in POSITIVE:
        for n in NEGATIVE:
            pair = 2.0 * weights[:, p] * weights[:, n]
            inside += pair * (FOLD[p] == FOLD[n])
            misplaced += pair * (FOLD[n] > FOLD[p])
    expected = inside, misplaced, weights[:, POSITIVE].sum(1), weights[:, NEGATIVE].sum(1)
    pairs = FoldPairs(FOLD, POSITIVE, NEGATIVE)
    np.testing.assert_allclose(pairs.of(weights), expected, rtol=1e-14)
    few = weights * (RNG.random(weights.shape) < 0.3)
    np.testing.assert_array_equal(pairs.any_of(few), pairs.of(few)[0] > 0)


def test_large_counts_take_whole_numbers():
    """Beyond 2^24 single precision would round."""
    weights = np.full((1, 10), 2**21 + 1)
    *_, positive, negative = FoldPairs(FOLD, POSITIVE, NEGATIVE).of(weights)
    assert positive == negative == 5 * (2**21 + 1)


def test_a_batch_has_the_bits_of_its_draws():
    pairs, weights = FoldPairs(FOLD, POSITIVE, NEGATIVE), RNG.random((6, 10))
    alone = [pairs.of(weight[None]) for weight in weights]
    np.testing.assert_array_equal(pairs.of(weights), np.concatenate(alone, axis=1))
