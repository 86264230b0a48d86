"""Draws of whole folds, sampled or enumerated."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import chain, combinations

import numpy as np

MAX_EXACT_FOLDS = 10
"""92,378 distinct draws of 10 folds, 352,716 of 11: enumeration stops paying there."""


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
    # Stars and bars: n_folds - 1 bars among 2 n_folds - 1 places; gaps are the counts.
    n_vectors = math.comb(2 * n_folds - 1, n_folds - 1)
    bars = np.empty((n_vectors, n_folds + 1), dtype=np.int8)
    bars[:, 0], bars[:, -1] = -1, 2 * n_folds - 1
    chosen = combinations(range(2 * n_folds - 1), n_folds - 1)
    places = np.fromiter(
        chain.from_iterable(chosen),
        dtype=np.int8,
        count=n_vectors * (n_folds - 1),
    )
    bars[:, 1:-1] = places.reshape(n_vectors, n_folds - 1)
    counts = (np.diff(bars, axis=1) - 1).astype(np.uint8)
    counts = counts[(counts == 0).any(axis=1)]
    factorials = np.array([math.factorial(k) for k in range(n_folds + 1)], dtype=np.int64)
    multiplicity = factorials[n_folds] // factorials[counts].prod(axis=1)
    counts.flags.writeable = multiplicity.flags.writeable = False  # shared by all callers
    return counts, multiplicity
