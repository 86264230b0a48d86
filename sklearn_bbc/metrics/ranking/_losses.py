"""Weighted errors of sorted rows, for many draws at once.

During a walk (see `TwoClassRanks`) the weights of the other class are summed up. What a
metric loses at a walked row depends on the sum so far; losses are never negative, so a walk
may stop as soon as the configuration can no longer win.

There are two ways, which add in the same order and so give the same bits. With many draws
these lie side by side ("lanes"): one NumPy operation treats one row of a thousand draws. With
few draws, or one configuration per draw, pairs of a draw and a configuration lie below each
other and NumPy works along the rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import DTypeLike

from ... import _native
from ._order import TwoClassRanks

LANES = 2048
"""Draws treated side by side. Affects speed and memory only, like the others."""
MIN_LANES = 32
_LANE_BYTES = 2**27
_FIRST_STOP = 32
_CHUNK_ROWS = 64


def blocks(weights: np.ndarray) -> Iterator[slice]:
    """Slices of about equal numbers of draws, so that none is too short for lanes."""
    n_draws, n_rows = weights.shape
    lanes = min(LANES, max(2 * MIN_LANES, _LANE_BYTES // (8 * n_rows)))
    edges = np.linspace(0, n_draws, -(-n_draws // lanes) + 1).astype(int)
    return (slice(start, stop) for start, stop in pairwise(edges))


def arithmetic(weights: np.ndarray, share: float) -> tuple[np.dtype, bool]:
    """Type to calculate in, and whether all sums and products are exact in it.

    Parameters
    ----------
    weights : ndarray of shape (n_draws, n_rows)
        Weights.
    share : float
        Twice the weight of all pairs is at most this share of the squared total.
    """
    if weights.dtype.kind not in "biu":
        return np.dtype(np.float64), False
    largest = share * float(weights.sum(axis=1, dtype=np.float64).max(initial=0.0)) ** 2
    if largest < 2**31:
        return np.dtype(np.int32), True
    return np.dtype(np.float64), largest < 2**53


class Lanes:
    """Weights of a block of draws, with the draws side by side.

    Parameters
    ----------
    weights : ndarray of shape (n_draws, n_rows)
        Weights.
    dtype : dtype
        Type to calculate in: int32 or float64.
    exact : bool
        Whether every sum and product of weights is exact in `dtype`.
    """

    def __init__(self, weights: np.ndarray, dtype: np.dtype, exact: bool) -> None:
        self.rows = np.ascontiguousarray(weights.T).astype(dtype, copy=False)
        self.views = list(self.rows)
        self.exact = exact
        self._scratch: dict[str, tuple[np.ndarray, list[np.ndarray]]] = {}

    def scratch(self, name: str, n_rows: int) -> tuple[np.ndarray, list[np.ndarray]]:
        """Working memory of shape (n_rows, n_draws) at least, and its rows one by one.

        Walks over the parts of a metric take turns and share it.
        """
        array, views = self._scratch.get(name, (None, []))
        if array is None or len(array) < n_rows:
            array = np.empty((n_rows, self.rows.shape[1]), self.rows.dtype)
            views = list(array)
            self._scratch[name] = array, views
        return array, views

    def total(self, rows: np.ndarray) -> np.ndarray:
        """Weight of some rows in each draw, shape (n_draws,)."""
        return self.rows[rows].sum(axis=0, dtype=self.rows.dtype)


class RunningSums:
    """Weights of the first k rows in some order, for k = 0, 1, ... up to some row.

    A loop with one addition per row: `numpy.cumsum` along the first axis visits one lane
    after the other and is ten times slower.
    """

    def __init__(self, lanes: Lanes, name: str) -> None:
        self._lanes, self._name = lanes, name

    def start(self, n_rows: int) -> np.ndarray:
        """Forget all sums but the first, which is 0.

        Returns
        -------
        ndarray of shape (n_rows + 1, n_draws) at least
            The sums; what `reach` has not reached is not initialised.
        """
        sums, self._views = self._lanes.scratch(self._name, n_rows + 1)
        sums[0] = 0
        self._done = 0
        return sums

    def reach(self, order: np.ndarray, stop: int) -> None:
        """Make sure that the sums of the first `stop` rows of `order` are there."""
        if stop <= self._done:
            return
        add, rows, views = np.add, self._lanes.views, self._views
        last = views[self._done]
        for position, row in enumerate(order[self._done : stop].tolist(), self._done + 1):
            following = views[position]
            add(last, rows[row], following)
            last = following
        self._done = stop


class Walk(ABC):
    """Losses of one configuration after the other, for one block of draws.

    Parameters
    ----------
    ranks : TwoClassRanks
        The sorted rows.
    lanes : Lanes
        Weights of the block.

    Attributes
    ----------
    along : {"shorter", "positive"}
        Class that is walked.
    counts_pairs : bool
        Whether the loss is a number of pairs, so that equal scores of counts are equal bits.
    """

    along: ClassVar[str]
    counts_pairs: ClassVar[bool] = False

    def __init__(self, ranks: TwoClassRanks, lanes: Lanes) -> None:
        self.ranks, self.lanes = ranks, lanes
        self._running = RunningSums(lanes, "other")
        self._total_other = lanes.total(ranks.other)
        self._total_walked = lanes.total(ranks.walked)
        n_walked = len(ranks.walked)
        # Short chunks first: a configuration that is far behind is recognised early.
        self._stops, stop = [], 0
        while stop < n_walked:
            stop = min(n_walked, stop + min(max(_FIRST_STOP, stop), _CHUNK_ROWS))
            self._stops.append(stop)

    @abstractmethod
    def losses(
        self, config: int, hopeless: Callable[[np.ndarray, np.ndarray], bool] | None = None
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Weighted loss of a configuration in each draw, and the largest possible one.

        Parameters
        ----------
        config : int
            The configuration.
        hopeless : callable or None, default=None
            Takes the loss so far and the largest possible one; when it returns True, the
            walk is given up.

        Returns
        -------
        lost, size : ndarray of shape (n_draws,), float64
            The metric is ``(size - lost) / size``; where that is undefined the size is 1.
            None instead of both when given up.
        """

    @staticmethod
    @abstractmethod
    def size(positive: np.ndarray, negative: np.ndarray) -> np.ndarray:
        """Largest possible loss, by the weights of the two sets of rows; 0 if undefined."""

    @staticmethod
    @abstractmethod
    def prepare(
        scores: np.ndarray,
        positive: np.ndarray,
        rows: np.ndarray,
        *,
        fold: np.ndarray | None = None,
    ) -> _native.Program:
        """The compiled kernel with the same losses, bit for bit."""

    @staticmethod
    @abstractmethod
    def paired(
        ranks: TwoClassRanks,
        weights: np.ndarray,
        draws: np.ndarray,
        configs: np.ndarray,
        dtype: np.dtype,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same for pairs of a draw (row of `weights`) and a configuration.

        Returns
        -------
        lost, size : ndarray of shape (n_pairs,), float64
            As in `losses`.
        """


class MisplacedPairs(Walk):
    """Loss of the area under the ROC curve: pairs in the wrong order, ties one half.

    Everything is doubled, so that counts stay integers. Where folds are kept apart only the pairs
    of one fold are looked at, and the size is not theirs: `FoldPairs` has it.
    """

    along = "shorter"
    counts_pairs = True
    prepare = staticmethod(_native.auc)

    def __init__(self, ranks: TwoClassRanks, lanes: Lanes) -> None:
        super().__init__(ranks, lanes)
        self._size = or_one(2.0 * self._total_walked * self._total_other)

    def losses(self, config, hopeless=None):
        """Twice the weight of the misplaced pairs, and of all pairs."""
        ranks, running = self.ranks, self._running
        order, tied = ranks.other_order[config], bool(ranks.tied[config])
        walked = ranks.walked_order[config]
        before, through = ranks.before[config], ranks.through[config]
        sums = running.start(len(order))
        all_wrong, all_more = (self.lanes.scratch(n, _CHUNK_ROWS)[0] for n in ("wrong", "more"))
        total, exact, ends = self._total_other, self.lanes.exact, ranks.fold_end
        if ends is not None:
            all_totals = self.lanes.scratch("totals", _CHUNK_ROWS)[0]
        elif not exact:
            # The last sum is the total with the same rounding: no loss becomes negative.
            running.reach(order, len(order))
            total = sums[len(order)]
        size = self._size if exact else or_one(2.0 * self._total_walked * total)
        lost = np.zeros(len(size), self.lanes.rows.dtype)
        start = 0
        for stop in self._stops:
            wrong, more = all_wrong[: stop - start], all_more[: stop - start]
            if ends is None:
                running.reach(order, int(through[stop - 1]))
            else:
                running.reach(order, int(ends[stop - 1]))
                total = all_totals[: stop - start]
                np.take(sums, ends[start:stop], axis=0, out=total, mode="clip")
            # mode="clip" spares a check of indices that are right by construction.
            np.take(sums, before[start:stop], axis=0, out=wrong, mode="clip")
            np.subtract(total, wrong, out=wrong)
            if tied:
                np.take(sums, through[start:stop], axis=0, out=more, mode="clip")
                np.subtract(total, more, out=more)
                np.add(wrong, more, out=wrong)
            else:
                np.add(wrong, wrong, out=wrong)
            np.take(self.lanes.rows, walked[start:stop], axis=0, out=more, mode="clip")
            np.multiply(wrong, more, out=wrong)
            wrong[0] += lost
            np.add.reduce(wrong, axis=0, out=lost, dtype=lost.dtype)
            if hopeless is not None and stop < len(walked) and hopeless(lost, size):
                return None
            start = stop
        return lost.astype(np.float64), size

    @staticmethod
    def size(positive, negative):
        """Twice the weight of all pairs."""
        return 2.0 * positive * negative

    @staticmethod
    def paired(ranks, weights, draws, configs, dtype):
        """Twice the weight of the misplaced pairs, and of all pairs."""
        sums = running_along(picked(weights, draws, ranks.other_order[configs]), dtype)
        pairs = np.arange(len(draws))
        total = sums[:, -1:] if ranks.fold_end is None else sums[:, ranks.fold_end]
        wrong = total - picked(sums, pairs, ranks.before[configs])
        if ranks.through is ranks.before:
            wrong += wrong
        else:
            wrong += total - picked(sums, pairs, ranks.through[configs])
        wrong *= picked(weights, draws, ranks.walked_order[configs])
        size = 2.0 * weight_of(weights, ranks.walked)[draws] * sums[:, -1]
        return last_sum(wrong), or_one(size)


def weight_of(weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Weight of some rows in each draw, added in the order of the rows, float64."""
    if weights.dtype.kind in "biu":
        return weights[:, rows].sum(axis=1, dtype=np.int64).astype(np.float64)
    return running_along(weights[:, rows], np.float64)[:, -1]


def or_one(sizes: np.ndarray) -> np.ndarray:
    """Sizes to divide by, with 1 in place of 0."""
    return np.where(sizes > 0, sizes, 1.0)


def running_along(weights: np.ndarray, dtype: DTypeLike) -> np.ndarray:
    """Running sums along the rows, with a leading 0: shape (n_pairs, n + 1)."""
    sums = np.zeros((len(weights), weights.shape[1] + 1), dtype)
    np.cumsum(weights, axis=1, dtype=dtype, out=sums[:, 1:])
    return sums


def picked(values: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """``values[rows[:, None], columns]``, three times as fast."""
    places = columns + rows[:, None] * values.shape[1]
    return np.take(values.reshape(-1), places, mode="clip")


def last_sum(terms: np.ndarray) -> np.ndarray:
    """Sum along the rows from left to right, whatever their number."""
    if terms.shape[1] == 0:
        return np.zeros(len(terms))
    return np.cumsum(terms, axis=1, out=terms)[:, -1].astype(np.float64)
