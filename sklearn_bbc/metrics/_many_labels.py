"""Counts of labels when there are many labels: one pass over the rows instead of one per label."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ._exact_sums import DrawWeights
from ._label_counts import LabelCounts, Labels, LabelSets

MANY = 64
"""Slots from which a pass over sorted rows is faster than a matrix product per slot."""


def label_counts(target: Labels | LabelSets, slots: np.ndarray) -> LabelCounts | ManyLabelCounts:
    """Counts per slot, by the way that suits their number.

    Parameters
    ----------
    target : Labels or LabelSets
        True and predicted labels.
    slots : ndarray of shape (n_slots, n_classes), unsigned
        How often each class counts in each slot.
    """
    if isinstance(target, Labels) and len(slots) >= MANY:
        # A label that was asked for twice is in two slots, and "micro" has all in one.
        if slots.sum(axis=0).max() <= 1 and slots.sum(axis=1).max() <= 1:
            return ManyLabelCounts(target, slots)
    return LabelCounts(target, slots)


class ManyLabelCounts:
    """Weighted counts of single labels, in time that does not grow with their number.

    Takes the same arguments as `LabelCounts` and gives the same numbers: counts of draws are
    whole, so their sums are exact in any order.

    Parameters
    ----------
    target : Labels
        True and predicted labels.
    slots : ndarray of shape (n_slots, n_classes)
        At most one label in each slot, and each label in at most one.
    """

    def __init__(self, target: Labels, slots: np.ndarray) -> None:
        self._target = target
        self._n_slots = len(slots)
        self._slot_of = np.full(slots.shape[1], -1, dtype=np.intp)
        slot, label = np.nonzero(slots)
        self._slot_of[label] = slot
        self._by_truth = _Groups(self._slot_of[target.y])

    def true(self, drawn: DrawWeights) -> np.ndarray:
        """Rows that have each label, shape (n_slots, n_draws)."""
        return self._by_truth.sums(drawn.matrix(np.float64), self._n_slots).T

    def hits(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> np.ndarray:
        """Rows whose label is predicted right; arguments and result as in `LabelCounts`."""
        rows = self._by_truth.rows
        result = self._empty(drawn, configs, paired)
        for config, place, draws in _each(configs, paired):
            right = self._target.pred[config, rows] == self._target.y[rows]
            weights = drawn.matrix(np.float64)[draws]
            result[:, *place] = self._by_truth.sums(weights, self._n_slots, right).T
        return result

    def predicted(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> np.ndarray:
        """Rows for which each label is predicted; arguments and result as in `LabelCounts`."""
        result = self._empty(drawn, configs, paired)
        for config, place, draws in _each(configs, paired):
            groups = _Groups(self._slot_of[self._target.pred[config]])
            weights = drawn.matrix(np.float64)[draws]
            result[:, *place] = groups.sums(weights, self._n_slots).T
        return result

    def _empty(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> np.ndarray:
        shape = (len(drawn),) if paired else (len(drawn), len(configs))
        return np.empty((self._n_slots, *shape))


class _Groups:
    """Rows sorted by their slot; rows of no slot are left out."""

    def __init__(self, slot_of_row: np.ndarray) -> None:
        known = np.flatnonzero(slot_of_row >= 0)
        self.rows = known[np.argsort(slot_of_row[known], kind="stable")]
        self._slots, self._starts = np.unique(slot_of_row[self.rows], return_index=True)

    def sums(
        self, weights: np.ndarray, n_slots: int, counted: np.ndarray | None = None
    ) -> np.ndarray:
        """Sum of the weights of each slot, shape (n_draws, n_slots).

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_rows), float64
            Weights of all rows.
        n_slots : int
            Number of slots.
        counted : ndarray of shape (len(rows),), bool, default=None
            Which of `rows` count; None for all.
        """
        result = np.zeros((len(weights), n_slots))
        if len(self.rows):
            taken = np.take(weights, self.rows, axis=1)
            if counted is not None:
                taken *= counted
            result[:, self._slots] = np.add.reduceat(taken, self._starts, axis=1)
        return result


def _each(configs: np.ndarray, paired: bool) -> Iterator[tuple[int, tuple[Any, ...], Any]]:
    """Each configuration, its place in the result behind the slots, and its draws."""
    if not paired:
        for column, config in enumerate(configs):
            yield int(config), (slice(None), column), slice(None)
        return
    for config in np.unique(configs):
        draws = np.flatnonzero(configs == config)
        yield int(config), (draws,), draws
