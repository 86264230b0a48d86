"""Enumeration of the draws of folds."""

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest

from sklearn_bbc.resampling import MAX_EXACT_FOLDS, enumerate_fold_draws


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
