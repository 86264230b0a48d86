"""Draws of whole folds, sampled or enumerated."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

MAX_EXACT_FOLDS = 10
"""92,378 distinct draws of 10 folds, 352,716 of 11: enumeration stops paying there."""


def n_fold_draws(n_folds: int) -> int:
    """Number of distinct draws of `n_folds` folds that leave some fold out."""
    return math.comb(2 * n_folds - 1, n_folds) - 1


@lru_cache(maxsize=MAX_EXACT_FOLDS)
def enumerate_fold_draws(n_folds: int) -> tuple[np.ndarray, np.ndarray]:
    """All distinct draws of `n_folds` folds with replacement that leave some fold out.

    Parameters
    ----------
    n_folds : int
        Number of folds, 2 to 10.

    Returns
    -------
    counts : ndarray of shape (n_vectors, n_folds), uint8
        How often each fold is drawn.
    multiplicity : ndarray of shape (n_vectors,), int64
        How many of the ``n_folds ** n_folds`` equally likely sequences give these
        counts. The ``n_folds!`` permutations, which leave no fold out, are not among
        them.

    Raises
    ------
    ValueError
        If `n_folds` is not in 2..10.

    Examples
    --------
    >>> counts, multiplicity = enumerate_fold_draws(2)
    >>> counts.tolist(), multiplicity.tolist()
    ([[0, 2], [2, 0]], [1, 1])
    """
    if not 2 <= n_folds <= MAX_EXACT_FOLDS:
        raise ValueError(f"n_folds must be in 2..{MAX_EXACT_FOLDS}, got {n_folds}.")
    # Fold by fold: each vector goes on with 0, 1, ... of what is left; the last takes the rest.
    numbers = range(n_folds + 1)
    binomial = np.array([[math.comb(n, k) for k in numbers] for n in numbers], dtype=np.int64)
    left, multiplicity = np.array([n_folds]), np.ones(1, dtype=np.int64)
    columns: list[np.ndarray] = []
    for _ in range(n_folds - 1):
        parent = np.repeat(np.arange(len(left)), left + 1)
        first = np.cumsum(left + 1) - (left + 1)
        count = np.arange(len(parent)) - first[parent]
        columns = [column[parent] for column in columns] + [count.astype(np.uint8)]
        multiplicity = multiplicity[parent] * binomial[left[parent], count]
        left = left[parent] - count
    counts = np.column_stack([*columns, left.astype(np.uint8)])
    leaves_out = (counts == 0).any(axis=1)
    counts, multiplicity = counts[leaves_out], multiplicity[leaves_out]
    counts.flags.writeable = multiplicity.flags.writeable = False  # shared by all callers
    return counts, multiplicity
