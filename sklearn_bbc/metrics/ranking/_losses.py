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

    Everything is doubled, so that counts stay integers.
    """

    along = "shorter"
    counts_pairs = True
    prepare = staticmethod(_native.auc)

    def __init__(self, ranks: TwoClassRanks, lanes: Lanes) -> None:
        super().__init__(ranks, lanes)
        self._size = _positive(2.0 * self._total_walked * self._total_other)

    def losses(self, config, hopeless=None):
        """Twice the weight of the misplaced pairs, and of all pairs."""
        ranks, running = self.ranks, self._running
        order, tied = ranks.other_order[config], bool(ranks.tied[config])
        walked = ranks.walked_order[config]
        before, through = ranks.before[config], ranks.through[config]
        sums = running.start(len(order))
        all_wrong, all_more = (self.lanes.scratch(n, _CHUNK_ROWS)[0] for n in ("wrong", "more"))
        total, exact = self._total_other, self.lanes.exact
        if not exact:
            # The last sum is the total with the same rounding: no loss becomes negative.
            running.reach(order, len(order))
            total = sums[len(order)]
        size = self._size if exact else _positive(2.0 * self._total_walked * total)
        lost = np.zeros(len(total), self.lanes.rows.dtype)
        start = 0
        for stop in self._stops:
            running.reach(order, int(through[stop - 1]))
            wrong, more = all_wrong[: stop - start], all_more[: stop - start]
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
        sums = _running_along(_picked(weights, draws, ranks.other_order[configs]), dtype)
        pairs = np.arange(len(draws))
        total = sums[:, -1:]
        wrong = total - _picked(sums, pairs, ranks.before[configs])
        if ranks.through is ranks.before:
            wrong += wrong
        else:
            wrong += total - _picked(sums, pairs, ranks.through[configs])
        wrong *= _picked(weights, draws, ranks.walked_order[configs])
        size = 2.0 * weight_of(weights, ranks.walked)[draws] * total[:, 0]
        return _last_sum(wrong), _positive(size)


class LostPrecision(Walk):
    """Loss of average precision: at each positive, the share of negatives at least as high.

    Positives with equal scores are treated as one, with their total weight, so that the
    order within ties does not touch even the last bit. Where folds are kept apart, only
    negatives of the same fold are asked for, and the sum goes on from fold to fold.
    """

    along = "positive"
    prepare = staticmethod(_native.average_precision)

    def __init__(self, ranks: TwoClassRanks, lanes: Lanes) -> None:
        super().__init__(ranks, lanes)
        self._found = RunningSums(lanes, "walked")

    def losses(self, config, hopeless=None):
        """Sum over positives of one minus precision, and their weight."""
        ranks = self.ranks
        group = ranks.group[config]
        # Where groups of equal positives start.
        starts = np.flatnonzero(group == np.arange(len(group)))
        size = _positive(
            self._total_walked if self.lanes.exact else self._size_from_the_top(config)
        )
        lost, last = np.zeros(len(size)), len(ranks.folds) - 1
        for number, (walked, other) in enumerate(ranks.folds):
            first, end = np.searchsorted(starts, [walked.start, walked.stop])
            # The end of the last group closes the list.
            edges = np.append(starts[first:end] - walked.start, walked.stop - walked.start)
            for stop, terms in self._terms(config, walked, other, edges):
                terms[0] += lost
                np.add.reduce(terms, axis=0, out=lost)
                is_last = number == last and stop == len(edges) - 1
                if hopeless is not None and not is_last and hopeless(lost, size):
                    return None
        return lost, size

    def _terms(
        self, config: int, walked: slice, other: slice, edges: np.ndarray
    ) -> Iterator[tuple[int, np.ndarray]]:
        """What is lost at the groups of one fold, chunk by chunk, and where each chunk ends."""
        ranks, exact = self.ranks, self.lanes.exact
        order, positives = ranks.other_order[config][other], ranks.walked_order[config][walked]
        before = ranks.before[config][walked].astype(np.intp) - other.start
        sums, found = self._running.start(len(order)), self._found.start(len(positives))
        if exact:
            all_other, all_walked = self._total_other, self._total_walked
            if len(ranks.folds) > 1:
                all_other, all_walked = (self.lanes.total(rows) for rows in (order, positives))
        else:
            # From the top: a difference of two sums could be nothing but rounding error.
            self._running.reach(order[::-1], len(order))
            self._found.reach(positives[::-1], len(positives))
        start = 0
        for stop in self._stops:
            stop = min(stop, len(edges) - 1)
            if stop <= start:
                continue
            here, ends = edges[start:stop], edges[start + 1 : stop + 1]
            if exact:
                self._running.reach(order, int(before[here[-1]]))
                self._found.reach(positives, int(ends[-1]))
                false = all_other - sums[before[here]]
                true, weight = all_walked - found[here], found[ends] - found[here]
            else:
                false = sums[len(order) - before[here]]
                true = found[len(positives) - here]
                weight = true - found[len(positives) - ends]
            yield stop, _share(false, true) * weight
            start = stop

    def _size_from_the_top(self, config: int) -> np.ndarray:
        """Weight of the positives, with the rounding of the sums of `_terms`."""
        size = np.zeros(self.lanes.rows.shape[1])
        for walked, _ in self.ranks.folds:
            found = self._found.start(walked.stop - walked.start)
            positives = self.ranks.walked_order[config][walked]
            self._found.reach(positives[::-1], len(positives))
            size += found[len(positives)]
        return size

    @staticmethod
    def size(positive, negative):
        """Weight of the positives."""
        return positive

    @staticmethod
    def paired(ranks, weights, draws, configs, dtype):
        """Sum over positives of one minus precision, and their weight."""
        terms = np.empty((len(draws), len(ranks.walked)))
        size = np.zeros(len(draws))
        pairs = np.arange(len(draws))
        for here, there in ranks.folds:
            order = ranks.other_order[configs][:, there]
            walked = ranks.walked_order[configs][:, here]
            sums = _running_along(_picked(weights, draws, order[:, ::-1]), dtype)
            found = _running_along(_picked(weights, draws, walked[:, ::-1]), dtype)
            n_walked = walked.shape[1]
            position = np.arange(n_walked)
            is_start = ranks.group[configs][:, here] == position + here.start
            # Where the next group starts.
            ends = np.full(is_start.shape, n_walked)
            ends[:, :-1] = np.where(is_start[:, 1:], position[1:], n_walked)
            ends = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
            before = ranks.before[configs][:, here].astype(np.intp) - there.start
            false = _picked(sums, pairs, order.shape[1] - before)
            true = found[:, :0:-1]  # this positive and all above
            weight = np.where(is_start, true - _picked(found, pairs, n_walked - ends), 0)
            terms[:, here] = _share(false, true) * weight
            size += found[:, -1]
        return _last_sum(terms), _positive(size)


def weight_of(weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Weight of some rows in each draw, added in the order of the rows, float64."""
    if weights.dtype.kind in "biu":
        return weights[:, rows].sum(axis=1, dtype=np.int64).astype(np.float64)
    return _running_along(weights[:, rows], np.float64)[:, -1]


def _positive(sizes: np.ndarray) -> np.ndarray:
    """Sizes to divide by, with 1 in place of 0."""
    return np.where(sizes > 0, sizes, 1.0)


def _share(false: np.ndarray, true: np.ndarray) -> np.ndarray:
    """``false / (false + true)``, and 0 where both are 0."""
    together = false + true
    smallest = 1 if together.dtype.kind == "i" else np.finfo(together.dtype).tiny
    return false / np.maximum(together, smallest, out=together)


def _running_along(weights: np.ndarray, dtype: DTypeLike) -> np.ndarray:
    """Running sums along the rows, with a leading 0: shape (n_pairs, n + 1)."""
    sums = np.zeros((len(weights), weights.shape[1] + 1), dtype)
    np.cumsum(weights, axis=1, dtype=dtype, out=sums[:, 1:])
    return sums


def _picked(values: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """``values[rows[:, None], columns]``, three times as fast."""
    places = columns + rows[:, None] * values.shape[1]
    return np.take(values.reshape(-1), places, mode="clip")


def _last_sum(terms: np.ndarray) -> np.ndarray:
    """Sum along the rows from left to right, whatever their number."""
    if terms.shape[1] == 0:
        return np.zeros(len(terms))
    return np.cumsum(terms, axis=1, out=terms)[:, -1].astype(np.float64)
