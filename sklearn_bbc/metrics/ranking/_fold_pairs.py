"""Pairs of rows that were held out in the same fold, among all pairs of two sets of rows.

Scores of different folds come from different models. If each fold's scores are replaced by
their ranks, and every fold's ranks lie above those of the fold before, then pairs of one fold
keep their order, and which pairs of different folds are in the wrong order no longer depends
on the configuration. So a kernel for all pairs selects the same winners as one for pairs within
folds, at the same speed, and its loss exceeds that within folds by a known amount.
"""

from __future__ import annotations

import numpy as np


def folds_apart(scores: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Ranks of the scores within their fold, each fold's above those of the fold before.

    Parameters
    ----------
    scores : ndarray of shape (n_configs, n_rows)
        Scores; equal ones of one fold get equal ranks.
    fold : ndarray of shape (n_rows,)
        Fold of each row.

    Returns
    -------
    ndarray of shape (n_configs, n_rows), float64
        Whole numbers.
    """
    apart = np.empty(scores.shape)
    configs, n_before = np.arange(len(scores))[:, None], 0
    for each in np.unique(fold):
        rows = np.flatnonzero(fold == each)
        here = scores[:, rows]
        order = here.argsort(axis=1)
        ordered = here[configs, order]
        ranks = np.zeros(here.shape)
        np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1, out=ranks[:, 1:])
        apart[configs, rows[order]] = n_before + ranks
        n_before += len(rows)
    return apart


class FoldPairs:
    """Pairs of a positive and a negative row, inside folds and in the wrong order across.

    Parameters
    ----------
    fold : ndarray of shape (n_rows,)
        Fold of each row.
    positive, negative : ndarray of int
        The two sets of rows.
    """

    def __init__(self, fold: np.ndarray, positive: np.ndarray, negative: np.ndarray) -> None:
        names, codes = np.unique(fold, return_inverse=True)
        self._n_folds = len(names)
        self._rows = [
            (positive[codes[positive] == each], negative[codes[negative] == each])
            for each in range(len(names))
        ]
        # Positives and negatives of each fold, in one matrix for one product.
        self._sums = _RowSums(
            np.concatenate([positive, negative]),
            np.concatenate([codes[positive], self._n_folds + codes[negative]]),
            len(fold),
            2 * self._n_folds,
        )

    def of(self, weights: np.ndarray) -> tuple[np.ndarray, ...]:
        """Twice the weight of the pairs, as `MisplacedPairs` counts them.

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_rows)
            Weight of each row.

        Returns
        -------
        inside : ndarray of shape (n_draws,), float64
            Pairs of rows of one fold.
        misplaced : ndarray of shape (n_draws,), float64
            Pairs across folds that `folds_apart` puts in the wrong order.
        positive, negative : ndarray of shape (n_draws,), float64
            Weight of the two sets of rows, once.
        """
        sums = self._sums(weights)
        positive, negative = sums[:, : self._n_folds], sums[:, self._n_folds :]
        # Negatives of later folds rank above the positives of this one.
        # Summed up fold by fold: a batch of draws has the same bits as one draw.
        inside, misplaced, later = np.zeros((3, len(weights)))
        for fold in reversed(range(self._n_folds)):
            misplaced += positive[:, fold] * later
            inside += positive[:, fold] * negative[:, fold]
            later += negative[:, fold]
        all_positive = np.add.accumulate(positive, axis=1)[:, -1]
        return 2.0 * inside, 2.0 * misplaced, all_positive, later

    def any_of(self, weights: np.ndarray) -> np.ndarray:
        """Whether a draw has a pair of one fold at all, shape (n_draws,): sooner than `of`.

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_rows)
            Weight of each row.
        """
        found = np.zeros(len(weights), dtype=bool)
        for positive, negative in self._rows:
            left = np.flatnonzero(~found)  # after the first fold hardly any
            if not len(left):
                break
            some = weights if len(left) == len(weights) else weights[left]
            found[left] = some[:, positive].any(axis=1) & some[:, negative].any(axis=1)
        return found


class _RowSums:
    """Weight of several sets of rows, shape (n_draws, n_sets), float64."""

    def __init__(self, rows: np.ndarray, of_set: np.ndarray, n_rows: int, n_sets: int) -> None:
        order = np.argsort(of_set, kind="stable")
        self._order, self._n_sets = rows[order], n_sets
        self._found, self._starts = np.unique(of_set[order], return_index=True)
        self._members = np.zeros((n_rows, n_sets), dtype=np.float32)
        self._members[rows, of_set] = 1

    def __call__(self, weights: np.ndarray) -> np.ndarray:
        if weights.dtype.kind in "biu" and _total_at_most(weights) < 2**24:
            # Whole numbers up to that size are exact in single precision, in any order.
            return (weights.astype(np.float32) @ self._members).astype(np.float64)
        dtype = np.int64 if weights.dtype.kind in "biu" else np.float64
        sums = np.zeros((len(weights), self._n_sets))
        chosen = weights[:, self._order]
        sums[:, self._found] = np.add.reduceat(chosen, self._starts, axis=1, dtype=dtype)
        return sums


def _total_at_most(counts: np.ndarray) -> int:
    """No draw weighs more than this; True counts as 1."""
    return int(counts.max(initial=0)) * counts.shape[1]
