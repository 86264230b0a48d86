"""Weighted numbers of true, predicted and correctly predicted labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._exact_sums import DrawWeights, FixedSums
from ._inputs import target_kind
from ._rows import RowData


@dataclass(frozen=True, eq=False)
class Labels:
    """One label per row.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        All labels, those only predicted included.
    y : ndarray of shape (n_rows,)
        Codes of the true labels.
    pred : ndarray of shape (n_configs, n_rows)
        Codes of the predicted labels, in a small type.
    """

    classes: np.ndarray
    y: np.ndarray
    pred: np.ndarray

    def true(self, times: np.ndarray) -> np.ndarray:
        """How often each row's true label counts, shape (n_rows,)."""
        return times[self.y]

    def predicted(self, times: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """How often each predicted label counts, shape (n_chosen, n_rows)."""
        return times[self.pred[configs]]

    def hits(self, times: np.ndarray, configs: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """How often each right label counts, shape (n_chosen, len(rows))."""
        right = self.pred[np.ix_(configs, rows)] == self.y[rows]
        return right * times[self.y[rows]]


@dataclass(frozen=True, eq=False)
class LabelSets:
    """Any number of labels per row, as 0/1 matrices.

    Attributes
    ----------
    y : ndarray of shape (n_rows, n_classes), uint8
        True labels.
    pred : ndarray of shape (n_configs, n_rows, n_classes), uint8
        Predicted labels.
    """

    y: np.ndarray
    pred: np.ndarray

    @property
    def classes(self) -> np.ndarray:
        """Numbers of the columns."""
        return np.arange(self.y.shape[1])

    def true(self, times: np.ndarray) -> np.ndarray:
        """How often each row's true labels count, shape (n_rows,)."""
        return _columns_times(self.y, times)

    def predicted(self, times: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """How often each row's predicted labels count, shape (n_chosen, n_rows)."""
        return _columns_times(self.pred[configs], times)

    def hits(self, times: np.ndarray, configs: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """How often each row's right labels count, shape (n_chosen, len(rows))."""
        return _columns_times(self.pred[np.ix_(configs, rows)] & self.y[rows], times)


def _columns_times(indicator: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Sum of the columns, each taken a number of times."""
    total = np.zeros(indicator.shape[:-1], dtype=np.min_scalar_type(int(times.sum())))
    for column in np.flatnonzero(times):
        total += indicator[..., column] * times[column].astype(total.dtype)
    return total


def positions_of(labels: Any, rows: RowData) -> np.ndarray | None:
    """Where given labels are among the classes.

    Parameters
    ----------
    labels : array-like
        Labels, or of label sets the numbers of columns.
    rows : RowData
        Rows of labels or label sets.

    Returns
    -------
    ndarray of shape (n_labels,) or None
        -1 for a label that never occurs; None if the labels are of another kind, or name
        columns that are not there.
    """
    labels = np.asarray(labels)
    if labels.ndim != 1 or len(labels) == 0:
        return None
    if rows.y.ndim == 2:
        there = labels.dtype.kind in "iu" and labels.min() >= 0 and labels.max() < rows.y.shape[1]
        return labels if there else None
    classes = rows.label_classes()
    if (labels.dtype.kind in "US") != (classes.dtype.kind in "US"):
        return None
    codes = np.searchsorted(classes, labels).clip(max=len(classes) - 1)
    return np.where(classes[codes] == labels, codes, -1)


def label_target(rows: RowData) -> Labels | LabelSets | None:
    """Labels or label sets of the rows; None when they are neither."""
    kind = target_kind(rows)
    if kind == "labels":
        y, pred, classes = rows.labels()
        small = np.min_scalar_type(len(classes))
        return Labels(classes, y, pred if pred.itemsize == 1 else pred.astype(small, copy=False))
    if kind == "indicator":
        return LabelSets(rows.y.astype(np.uint8), rows.pred.astype(np.uint8))
    return None


def one_each(n_classes: int, positions: np.ndarray) -> np.ndarray:
    """Slots of one label each, shape (n_slots, n_classes), uint8; -1 is a label of no row."""
    slots = np.zeros((len(positions), n_classes), dtype=np.uint8)
    known = positions >= 0
    slots[np.flatnonzero(known), positions[known]] = 1
    return slots


class LabelCounts:
    """Weighted counts per slot of labels, for many draws and configurations.

    Parameters
    ----------
    target : Labels or LabelSets
        True and predicted labels.
    slots : ndarray of shape (n_slots, n_classes), unsigned
        How often each class counts in each slot: one label each, or all in one.
    """

    def __init__(self, target: Labels | LabelSets, slots: np.ndarray) -> None:
        self._target = target
        self._slots = slots
        self._true = [FixedSums(target.true(times)[None]) for times in slots]
        self._rows = [np.flatnonzero(target.true(times)) for times in slots]

    def true(self, drawn: DrawWeights) -> np.ndarray:
        """Rows that have each label, shape (n_slots, n_draws)."""
        return np.stack([sums(drawn)[:, 0] for sums in self._true])

    def hits(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> np.ndarray:
        """Rows whose label is predicted right.

        Parameters
        ----------
        drawn : DrawWeights
            The draws.
        configs : ndarray of shape (n_chosen,), or (n_draws,) when `paired`
            Configurations.
        paired : bool
            One configuration per draw instead of all in each.

        Returns
        -------
        ndarray of shape (n_slots, n_draws, n_chosen), or (n_slots, n_draws) when `paired`
            Weighted counts.
        """
        chosen, which = _distinct(configs, paired)
        return np.stack(
            [
                _summed(FixedSums(self._target.hits(times, chosen, rows), rows), drawn, which)
                for times, rows in zip(self._slots, self._rows)
            ]
        )

    def predicted(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> np.ndarray:
        """Rows for which each label is predicted; arguments and result as for `hits`."""
        chosen, which = _distinct(configs, paired)
        return np.stack(
            [
                _summed(FixedSums(self._target.predicted(times, chosen)), drawn, which)
                for times in self._slots
            ]
        )


def confusion(
    target: Labels, order: np.ndarray, drawn: DrawWeights, configs: np.ndarray, paired: bool
) -> np.ndarray:
    """Weighted confusion matrices.

    Parameters
    ----------
    target : Labels
        True and predicted labels.
    order : ndarray of shape (n_labels,)
        Codes of the labels to tell apart; rows with another label are left out.
    drawn, configs, paired
        As in `LabelCounts.hits`.

    Returns
    -------
    ndarray of shape (n_labels, n_labels, n_draws[, n_chosen])
        Truth first, prediction second.
    """
    chosen, which = _distinct(configs, paired)
    cells = []
    for truth in order:
        rows = np.flatnonzero(target.y == truth)
        pred = target.pred[np.ix_(chosen, rows)]
        cells.append([_summed(FixedSums(pred == label, rows), drawn, which) for label in order])
    return np.array(cells)


def _distinct(configs: np.ndarray, paired: bool) -> tuple[np.ndarray, np.ndarray | None]:
    """Configurations to compute values of, and which of these belongs to each draw."""
    if not paired:
        return configs, None
    if len(configs) and (configs == configs[0]).all():
        return configs[:1], np.zeros(len(configs), dtype=np.intp)
    chosen, which = np.unique(configs, return_inverse=True)
    return chosen, which


def _summed(sums: FixedSums, drawn: DrawWeights, which: np.ndarray | None) -> np.ndarray:
    return sums(drawn) if which is None else sums.paired(drawn, which)
