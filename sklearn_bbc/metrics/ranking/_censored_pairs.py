"""Comparable pairs of right-censored times, and the weight of those in the wrong order.

Two rows are compared if one had its event while the other was still at risk. Rows get the
number of their time in sorted order, events before censored rows of the same time, and equal
numbers to events at one time: then the pairs are those of an event and a row of a greater
number. Two different numbers first differ in some binary digit; digit by digit, the pairs fall
into blocks in which every event with digit 0 is compared with every row with digit 1. So each
digit is one walk over sorted rows, as for the area under the ROC curve.

When only rows of the same fold are compared, numbers are those within the fold, and the blocks of
different folds are different blocks.
"""

from __future__ import annotations

import numpy as np

from ._losses import Lanes

_CHUNK_ROWS = 64


class CensoredPairs:
    """Comparable pairs of rows with right-censored times.

    Parameters
    ----------
    event : ndarray of shape (n_rows,), bool
        Whether the event was seen.
    time : ndarray of shape (n_rows,)
        Time of the event or of censoring.
    fold : ndarray of shape (n_rows,) of int, default=None
        Numbers 0, 1, ... of the folds, when only rows of the same fold are compared.

    Attributes
    ----------
    compared : ndarray of shape (n_rows,), bool
        Events that some other row, with `fold` some other row of the fold, outlived.
    """

    def __init__(
        self, event: np.ndarray, time: np.ndarray, fold: np.ndarray | None = None
    ) -> None:
        fold = np.zeros(len(time), dtype=np.int64) if fold is None else fold
        order = np.lexsort((~event, time, fold))
        starts = starts_of(fold[order])
        new = np.diff(time[order], prepend=np.nan) != 0
        new[1:] |= event[order][1:] != event[order][:-1]
        new |= starts
        # Numbers count up over all folds; minus that of the fold's first row they start at 0.
        overall = np.cumsum(new) - 1
        first = overall[starts]
        number, last = np.empty((2, len(time)), dtype=np.int64)
        number[order] = overall - first[fold[order]]
        last[order] = (np.append(first[1:], overall[-1:] + 1) - first - 1)[fold[order]]
        self.compared = event & (number < last)
        self._latest_first = order[::-1]
        self._events = np.flatnonzero(self.compared)
        # Rows in front of an event in that order: all with a greater number, or of a later fold.
        key = first[fold] + number
        self._longer = np.searchsorted(-key[self._latest_first], -key[self._events])
        self._longer += fold.max(initial=0) - fold[self._events]  # a 0 in front of each fold
        self._starts = starts_of(fold[self._latest_first])
        self._digits = []
        n_digits = int(number.max(initial=0)).bit_length()
        for digit in reversed(range(n_digits)):
            block, late = number >> (digit + 1), (number >> digit) & 1 == 1
            block += fold << (n_digits - digit)
            early = np.flatnonzero(self.compared & ~late)
            has_early = np.zeros(int(block.max(initial=0)) + 1, dtype=bool)
            has_early[block[early]] = True
            late = np.flatnonzero(late & has_early[block])
            if len(late):
                self._digits.append((block, early, late))

    def size(self, lanes: Lanes) -> np.ndarray:
        """Twice the weight of all comparable pairs in each draw, shape (n_draws,), float64."""
        sums = self._sums_in_blocks(self._latest_first, self._starts, lanes)
        pairs = np.zeros(lanes.rows.shape[1], lanes.rows.dtype)
        for start in range(0, len(self._events), _CHUNK_ROWS):
            chunk = slice(start, start + _CHUNK_ROWS)
            terms = sums[self._longer[chunk]] * lanes.rows[self._events[chunk]]
            terms[0] += pairs
            np.add.reduce(terms, axis=0, out=pairs, dtype=pairs.dtype)
        return 2.0 * pairs

    def discordance(self, risk: np.ndarray, lanes: Lanes) -> np.ndarray:
        """Twice the weight of the pairs in the wrong order, equal risks counting one half.

        Parameters
        ----------
        risk : ndarray of shape (n_rows,)
            Greater means an earlier event.
        lanes : Lanes
            Weights of a block of draws.

        Returns
        -------
        ndarray of shape (n_draws,), float64
            The loss.
        """
        distinct, level = np.unique(risk, return_inverse=True)
        lost = np.zeros(lanes.rows.shape[1], lanes.rows.dtype)
        for block, early, late in self._digits:
            key = block * len(distinct) + level
            late = late[np.argsort(key[late], kind="stable")]
            # Sums start anew in each block, so that rounding stays inside.
            starts = starts_of(block[late])
            sums = self._sums_in_blocks(late, starts, lanes)
            late_key = key[late]
            nth_block = np.searchsorted(block[late][starts], block[early])
            below = np.searchsorted(late_key, key[early], "left") + nth_block
            up_to = np.searchsorted(late_key, key[early], "right") + nth_block
            after_block = (block[early] + 1) * len(distinct)
            end = np.searchsorted(late_key, after_block, "left") + nth_block
            for start in range(0, len(early), _CHUNK_ROWS):
                chunk = slice(start, start + _CHUNK_ROWS)
                total = sums[end[chunk]]
                terms = (total - sums[below[chunk]]) + (total - sums[up_to[chunk]])
                terms *= lanes.rows[early[chunk]]
                terms[0] += lost
                np.add.reduce(terms, axis=0, out=lost, dtype=lost.dtype)
        return lost.astype(np.float64)

    @staticmethod
    def _sums_in_blocks(order: np.ndarray, starts: np.ndarray, lanes: Lanes) -> np.ndarray:
        """Running sums of weights, with a 0 where each block of rows starts."""
        sums, views = lanes.scratch("sums", len(order) + int(starts.sum()))
        rows, add, position = lanes.views, np.add, -1
        for row, is_start in zip(order.tolist(), starts.tolist()):
            if is_start:
                position += 1
                views[position].fill(0)
            add(views[position], rows[row], views[position + 1])
            position += 1
        return sums


def starts_of(blocks: np.ndarray) -> np.ndarray:
    """Where another block of rows starts, shape (n_rows,), bool."""
    starts = np.ones(len(blocks), dtype=bool)
    starts[1:] = blocks[1:] != blocks[:-1]
    return starts
