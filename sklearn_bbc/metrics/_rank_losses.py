"""Rows of two classes, sorted once by every configuration: the ground of the rank metrics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from functools import partial
from hashlib import blake2b
from itertools import pairwise
from operator import itemgetter
from threading import Lock
from typing import ClassVar

import numpy as np
from numpy.typing import DTypeLike
from sklearn import get_config

from .. import _native

_CHUNK_BYTES = 2**20


class TwoClassRanks:
    """Order of the rows of two classes, for every configuration.

    One class is walked row by row, starting where errors are likely: positives from the
    lowest score or negatives from the highest. Of the other class it matters how many
    rows come before each walked row.

    Parameters
    ----------
    pred : ndarray of shape (n_configs, n_rows)
        Scores; greater means more likely positive.
    positive, negative : ndarray of int
        Disjoint row numbers of the two classes.
    walk : {"shorter", "positive"}, default="shorter"
        Class that is walked.
    fold : ndarray of shape (n_rows,) of int, default=None
        Numbers of the folds, when `pred` has those of each fold above those of the one before.

    Attributes
    ----------
    downwards : bool
        Whether negatives are walked from the highest score down, instead of positives
        from the lowest up.
    walked, other : ndarray of shape (n_walked,) and (n_other,)
        Row numbers of the two classes.
    walked_order, other_order : ndarray of shape (n_configs, n_walked), (n_configs, n_other)
        Row numbers in the order of the walk.
    before, through : ndarray of shape (n_configs, n_walked)
        For each walked row, the number of other rows strictly before it, and of those
        before it or tied with it. One array when no configuration ties the classes.
    group : ndarray of shape (n_configs, n_walked)
        Position of the first walked row that is tied with this one.
    tied : ndarray of shape (n_configs,), bool
        Configurations in which rows of different classes have equal scores.
    folds : list of (slice, slice)
        For each fold that has walked rows, in the order of the walk: where its walked rows and
        its other rows are. Without folds everything is one. Only of walks upwards.
    fold_end : ndarray of shape (n_walked,) or None
        For each place of the walk, the number of other rows up to the end of the fold that is
        walked there. None without folds.
    """

    def __init__(
        self,
        pred: np.ndarray,
        positive: np.ndarray,
        negative: np.ndarray,
        walk: str = "shorter",
        fold: np.ndarray | None = None,
    ) -> None:
        self.downwards = walk == "shorter" and len(negative) < len(positive)
        self.walked, self.other = positive, negative
        if self.downwards:
            self.walked, self.other = negative, positive
        rows = np.concatenate([self.walked, self.other])
        n_configs, n_walked, n_other = len(pred), len(self.walked), len(self.other)
        # The smallest type: these arrays are as large as the predictions.
        row_type = np.min_scalar_type(pred.shape[1])
        rank_type = np.min_scalar_type(len(rows))
        self.walked_order = np.empty((n_configs, n_walked), row_type)
        self.other_order = np.empty((n_configs, n_other), row_type)
        self.before = np.empty((n_configs, n_walked), rank_type)
        self.through = np.empty((n_configs, n_walked), rank_type)
        self.group = np.empty((n_configs, n_walked), rank_type)
        step = max(1, _CHUNK_BYTES // (8 * len(rows) + 1))
        for start in range(0, n_configs, step):
            chunk = slice(start, min(start + step, n_configs))
            order, first, last = _sorted(pred[chunk][:, rows], self.downwards)
            is_walked = order < n_walked
            shape = (len(order), n_walked)
            self.walked_order[chunk] = rows[order[is_walked]].reshape(shape)
            self.other_order[chunk] = rows[order[~is_walked]].reshape(len(order), n_other)
            # How many of the first k rows are walked ones; the rest are others.
            seen = np.zeros((len(order), len(rows) + 1), dtype=np.int32)
            np.cumsum(is_walked, axis=1, out=seen[:, 1:])
            first, last = first[is_walked].reshape(shape), last[is_walked].reshape(shape)
            group = np.take_along_axis(seen, first, axis=1)
            self.group[chunk] = group
            self.before[chunk] = first - group
            self.through[chunk] = last - np.take_along_axis(seen, last, axis=1)
        self.folds = _places(fold, self.walked, self.other)
        self.fold_end = _fold_ends(fold, self.walked, self.other, self.downwards)
        self.tied = (self.before != self.through).any(axis=1)
        if not self.tied.any():
            self.through = self.before

    def key(self, config: int) -> bytes:
        """Equal for configurations that sort the rows in the same way.

        These are monotone transforms of each other, and all constants.
        """
        digest = blake2b(digest_size=16)
        for part in (self.walked_order, self.other_order, self.before, self.through, self.group):
            digest.update(part[config])
        return digest.digest()


def _places(
    fold: np.ndarray | None, walked: np.ndarray, other: np.ndarray
) -> list[tuple[slice, slice]]:
    """Where the rows of each fold are, among the walked rows and among the others."""
    if fold is None:
        return [(slice(0, len(walked)), slice(0, len(other)))]
    n_folds = int(fold.max()) + 1
    stops = [np.cumsum(np.bincount(fold[rows], minlength=n_folds)) for rows in (walked, other)]
    starts = [np.concatenate([[0], stop[:-1]]) for stop in stops]
    found = zip(*(map(slice, *edges) for edges in zip(starts, stops)))
    return [
        (of_walked, of_other) for of_walked, of_other in found if of_walked.stop > of_walked.start
    ]


def _fold_ends(
    fold: np.ndarray | None, walked: np.ndarray, other: np.ndarray, downwards: bool
) -> np.ndarray | None:
    """Number of other rows up to the end of the fold at each place of the walk."""
    if fold is None:
        return None
    n_folds = int(fold.max()) + 1
    n_walked, n_other = (np.bincount(fold[rows], minlength=n_folds) for rows in (walked, other))
    if downwards:
        n_walked, n_other = n_walked[::-1], n_other[::-1]
    return np.repeat(np.cumsum(n_other), n_walked)


def _sorted(scores: np.ndarray, downwards: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sort each row of `scores`; ties keep the order of the columns.

    Returns shape `order` (n_configs, n), `first, last` (n_configs, n).
    """
    order = np.argsort(scores, axis=1)
    ranked = np.take_along_axis(scores, order, axis=1)
    equal = ranked[:, 1:] == ranked[:, :-1]
    has_ties = np.flatnonzero(equal.any(axis=1))
    # The default sort is twice as fast but leaves the order within ties to the processor.
    order[has_ties] = np.argsort(scores[has_ties], axis=1, kind="stable")
    if downwards:
        order, equal = order[:, ::-1], equal[:, ::-1]
    positions = np.arange(scores.shape[1])
    first = np.broadcast_to(positions, scores.shape)
    last = np.broadcast_to(positions + 1, scores.shape)
    if len(has_ties):
        first, last = first.copy(), last.copy()
        starts = np.ones((len(has_ties), scores.shape[1]), dtype=bool)
        starts[:, 1:] = ~equal[has_ties]
        first[has_ties] = np.maximum.accumulate(np.where(starts, positions, 0), axis=1)
        ends = np.ones_like(starts)
        ends[:, :-1] = starts[:, 1:]
        ends_after = np.where(ends, positions + 1, len(positions))[:, ::-1]
        last[has_ties] = np.minimum.accumulate(ends_after, axis=1)[:, ::-1]
    return order, first, last


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

    `weights` (n_draws, n_rows).
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

        Returns shape (n_rows + 1, n_draws).
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


def folds_apart(scores: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Ranks of the scores within their fold, each fold's above those of the fold before.

    `scores` (n_configs, n_rows), `fold` (n_rows,) -> (n_configs, n_rows).
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

        `weights` (n_draws, n_rows) -> `inside` (n_draws,), `misplaced` (n_draws,), `positive,
        negative` (n_draws,).
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

        `weights` (n_draws, n_rows).
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


ROW_BYTES = 5
"""About what the sorted form of a row takes, its number and its place; half more with ties."""

SWEEPS = 4
"""Whoever has asked for all configurations so often will ask again: then all are kept."""


class Programs:
    """Sorted rows of every configuration, prepared when they are needed.

    Where all of them together take more than `room`, requests for scores are met by blocks of
    configurations that are forgotten afterwards. The numbers are the same.

    Parameters
    ----------
    prepare : callable
        Makes a program from scores, a mask of the positive rows and the rows that take part.
    pred : ndarray of shape (n_configs, n_rows)
        Scores.
    positive : ndarray of shape (n_rows,), bool
        The positive rows.
    rows : ndarray of shape (n_taking_part,), int64
        The rows that take part.
    room : float
        Bytes that may be used.
    """

    def __init__(
        self,
        prepare: Callable[[np.ndarray, np.ndarray, np.ndarray], _native.Program],
        pred: np.ndarray,
        positive: np.ndarray,
        rows: np.ndarray,
        room: float,
    ) -> None:
        self._prepare, self._pred, self._positive, self._rows = prepare, pred, positive, rows
        most = max(1.0, room / (ROW_BYTES * max(1, len(rows))))
        self._block = int(min(most, max(1, len(pred))))  # configurations
        self._lock = Lock()
        self._whole: _native.Program | None = None
        self._passed = 0  # configurations that were prepared and forgotten

    @property
    def blocks(self) -> list[slice]:
        """Neighbouring configurations that fit into the room together."""
        n_configs = len(self._pred)
        n_blocks = -(-n_configs // self._block)
        edges = np.linspace(0, n_configs, n_blocks + 1).astype(int).tolist()
        return [slice(start, stop) for start, stop in pairwise(edges)]

    @property
    def whole(self) -> _native.Program:
        """All configurations, kept from now on."""
        with self._lock:  # threads share the kernel, and sorting takes time
            if self._whole is None:
                self._whole = self._of(self._pred)
            return self._whole

    def winners(self, counts: np.ndarray, limit: np.ndarray | None = None) -> np.ndarray:
        """Best configuration of each draw, see `Program.winners`."""
        return self.whole.winners(counts, limit)

    def scores(self, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Scores of some configurations on every draw, shape (n_draws, n_chosen)."""
        return self._table("scores", counts, configs)

    def losses(self, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """What `scores` lose, shape (n_draws, n_chosen)."""
        return self._table("losses", counts, configs)

    def score_of(self, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Score of one configuration per draw, NaN for -1, shape (n_draws,)."""
        return self._column("score_of", counts, configs)

    def loss_of(self, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """What `score_of` loses, shape (n_draws,)."""
        return self._column("loss_of", counts, configs)

    def rough_losses(self, n_rows: int) -> np.ndarray:
        """Losses on about `n_rows` rows of the data, some of either class, shape (n_configs,)."""
        positive = self._positive[self._rows]
        chosen = np.zeros(len(self._rows), dtype=bool)
        for members in (np.flatnonzero(positive), np.flatnonzero(~positive)):
            step = max(1, len(self._rows) // n_rows)
            chosen[members[::step]] = True
        program = self._prepare(self._pred, self._positive, self._rows[chosen])
        counts = np.ones((1, self._pred.shape[1]), dtype=np.uint8)
        return program.losses(counts)[0]

    def _table(self, what: str, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        distinct, position = self._to_prepare(configs)
        if distinct is None:
            return getattr(self.whole, what)(counts, configs)
        table = np.empty((len(counts), len(configs)))
        for part, program in self._parts(distinct):
            here = np.flatnonzero((position >= part.start) & (position < part.stop))
            table[:, here] = getattr(program, what)(counts, position[here] - part.start)
        return table

    def _column(self, what: str, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        distinct, position = self._to_prepare(configs)
        if distinct is None:
            return getattr(self.whole, what)(counts, configs)
        column = np.full(len(counts), np.nan)
        for part, program in self._parts(distinct):
            here = np.flatnonzero((position >= part.start) & (position < part.stop))
            column[here] = getattr(program, what)(counts[here], position[here] - part.start)
        return column

    def _to_prepare(self, configs: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
        """Distinct configurations, and the place of each in them, negative for none.

        None instead where all configurations are there, fit, or are asked for again and again.
        """
        if self._whole is not None or self._block >= len(self._pred):
            return None, configs
        distinct, position = np.unique(configs, return_inverse=True)
        n_none = int(np.searchsorted(distinct, 0))
        if self._passed + len(distinct) > SWEEPS * len(self._pred):
            return None, configs
        return distinct[n_none:], position - n_none

    def _parts(self, distinct: np.ndarray) -> Iterator[tuple[slice, _native.Program]]:
        """Blocks of some configurations, prepared one after the other."""
        self._passed += len(distinct)
        for start in range(0, len(distinct), self._block):
            part = slice(start, min(start + self._block, len(distinct)))
            first, last = int(distinct[part.start]), int(distinct[part.stop - 1])
            neighbours = last - first == part.stop - part.start - 1
            some = slice(first, last + 1) if neighbours else distinct[part]  # a view if it can be
            yield part, self._of(self._pred[some])

    def _of(self, pred: np.ndarray) -> _native.Program:
        return self._prepare(pred, self._positive, self._rows)


class Part:
    """One comparison of two sets of rows by scores that should sort them.

    Parameters
    ----------
    pred : ndarray of shape (n_configs, n_rows)
        Scores; greater means more likely positive.
    positive, negative : ndarray of shape (n_rows,), bool
        The two sets of rows.
    walk : type of Walk
        What is lost on the way through the sorted rows.
    fold : ndarray of shape (n_rows,) of int, default=None
        Numbers 0, 1, ... of the folds, when only rows of the same fold are to be compared.
    """

    def __init__(
        self,
        pred: np.ndarray,
        positive: np.ndarray,
        negative: np.ndarray,
        walk: type[Walk],
        fold: np.ndarray | None = None,
    ) -> None:
        self._pred, self._walk, self._fold = pred, walk, fold
        self.positive, self.negative = np.flatnonzero(positive), np.flatnonzero(negative)
        self._lock = Lock()
        self._ranks: TwoClassRanks | None = None
        # Half of the memory, since the draws need some too. Kernels that cannot look for winners
        # in passes need all at once in any case.
        self._room = get_config()["working_memory"] * 2**19 if walk.counts_pairs else np.inf
        self._program: Programs | None = None

    def within(self, fold: np.ndarray) -> Part:
        """The same rows, sorted within their folds; each fold lies above the one before."""
        positive, negative = np.zeros((2, len(fold)), dtype=bool)
        positive[self.positive] = negative[self.negative] = True
        codes = np.unique(fold, return_inverse=True)[1]
        return Part(self._pred, positive, negative, self._walk, codes)

    @property
    def ranks(self) -> TwoClassRanks:
        """The sorted rows, for NumPy."""
        with self._lock:  # threads share the kernel, and sorting takes time
            if self._ranks is None:
                rows = self.positive, self.negative
                pred = self._pred if self._fold is None else folds_apart(self._pred, self._fold)
                self._ranks = TwoClassRanks(pred, *rows, self._walk.along, self._fold)
            return self._ranks

    @property
    def program(self) -> Programs:
        """The same, for the compiled kernels."""
        with self._lock:
            if self._program is None:
                positive = np.zeros(self._pred.shape[1], dtype=bool)
                positive[self.positive] = True
                rows = np.sort(np.concatenate([self.positive, self.negative]))
                prepare = partial(self._walk.prepare, fold=self._fold)
                self._program = Programs(prepare, self._pred, positive, rows, self._room)
            return self._program


class Mean:
    """The mean of the parts of a metric, for one set of draws.

    Parameters
    ----------
    weights : ndarray of shape (n_draws, n_rows)
        Weight of each row.
    parts : sequence of Part
        The parts.
    size : callable
        What a part can lose at most, by the weight of its two sets of rows.
    shares : callable
        Weight of each part in the mean, see `RankKernel._shares`.
    needs_every_part : bool
        Whether one undefined part makes the mean undefined.
    pairs : list of FoldPairs or None
        For each part the pairs within folds, when only these count.
    across : bool, default=False
        Whether losses that will be given still hold the pairs across folds.
    """

    def __init__(
        self,
        weights: np.ndarray,
        parts: Sequence[Part],
        *,
        size: Callable[[np.ndarray, np.ndarray], np.ndarray],
        shares: Callable[[np.ndarray, np.ndarray], np.ndarray | None],
        needs_every_part: bool,
        pairs: list[FoldPairs] | None,
        across: bool = False,
    ) -> None:
        self.elsewhere: np.ndarray | None = None  # lost on pairs that do not count
        self._own_sizes = pairs is not None
        if pairs is not None:
            counted = [each.of(weights) for each in pairs]
            sizes, misplaced, positive, negative = map(np.stack, zip(*counted))
            if across:
                self.elsewhere = misplaced
        else:
            positive, negative = (
                np.stack([weight_of(weights, rows) for rows in sets])
                for sets in zip(*((part.positive, part.negative) for part in parts))
            )
            sizes = size(positive, negative)
        self.sizes = np.where(sizes > 0, sizes, 1.0)
        self.single = len(sizes) == 1
        self.norm = np.full(len(weights), float(len(sizes)))
        self.shares = shares(positive, negative)
        self.defined: np.ndarray = np.logical_and.reduce(sizes > 0)
        if self.shares is not None:
            norm = np.add.accumulate(self.shares)[-1]
            if not needs_every_part:
                needed = (sizes > 0) | (self.shares == 0)
                self.defined = np.logical_and.reduce(needed) & (norm > 0)
            self.norm = np.where(norm > 0, norm, 1.0)

    def pick(self, draws: np.ndarray) -> Mean:
        """The same for some of the draws, in another order."""
        picked = copy(self)
        picked.defined, picked.norm = self.defined[draws], self.norm[draws]
        picked.shares = None if self.shares is None else self.shares[:, draws]
        picked.sizes = self.sizes[:, draws]
        picked.elsewhere = None if self.elsewhere is None else self.elsewhere[:, draws]
        return picked

    def at_most(
        self, part: int, before: np.ndarray | float, lost: np.ndarray, size: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Score if nothing more were lost, and the loss so far.

        Both only fall and rise from part to part, rounding included; after the last part
        the first is the score.
        """
        loss = self._add(part, before, lost, size)
        return self._score(loss, size), loss

    def _add(
        self, part: int, before: np.ndarray | float, lost: np.ndarray, size: np.ndarray
    ) -> np.ndarray:
        """Loss with that of one more part."""
        if self._own_sizes:
            size = self.sizes[part]
        if self.elsewhere is not None:
            # Not below 0 by the rounding of weights that are not whole numbers.
            lost = np.maximum(lost - self.elsewhere[part], 0.0)
        if self.single:
            return lost
        share = lost / size
        return before + (share if self.shares is None else share * self.shares[part])

    def _score(self, loss: np.ndarray | float, size: np.ndarray | float) -> np.ndarray:
        """Score by the loss; with a single part by one division, correctly rounded."""
        if not self.single:
            return np.maximum((self.norm - loss) / self.norm, 0.0)
        if self._own_sizes:
            size = self.sizes[0]
        return np.maximum((size - loss) / size, 0.0)

    def of(self, losses: Iterable[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        """Score from the losses of all parts."""
        loss: np.ndarray | float = 0.0
        size: np.ndarray | float = 1.0
        for part, (lost, size) in enumerate(losses):
            loss = self._add(part, loss, lost, size)
        return np.where(self.defined, self._score(loss, size), np.nan)


class Block:
    """All configurations on one block of draws.

    Parameters
    ----------
    weights : ndarray of shape (n_draws, n_rows)
        Weight of each row.
    walk : type of Walk
        What is lost on the way through the sorted rows.
    parts : sequence of Part
        The comparisons.
    mean : Mean
        Their mean in these draws.
    margin : float
        Scores that differ by no more than this are equal.
    """

    def __init__(
        self,
        weights: np.ndarray,
        walk: type[Walk],
        parts: Sequence[Part],
        mean: Mean,
        margin: float,
    ) -> None:
        lanes = Lanes(weights, *arithmetic(weights, 0.5))
        self._walks = [walk(part.ranks, lanes) for part in parts]
        self._mean, self._margin = mean, margin

    def scores(self, config: int) -> np.ndarray:
        """Scores of one configuration in every draw."""
        losses = (walk.losses(config) for walk in self._walks)
        # Without `hopeless` no walk is given up.
        return self._mean.of(loss for loss in losses if loss is not None)

    def winners(self, contenders: np.ndarray) -> np.ndarray:
        """First of the best configurations of every draw.

        `contenders` (n_contenders,).
        """
        defined = self._mean.defined
        # Undefined draws are lost from the start, and so never keep a walk going.
        best = np.where(defined, -np.inf, np.inf)
        kept = []
        for config in contenders:
            scores = self._unless_beaten(config, best - self._margin)
            if scores is not None:
                np.maximum(best, scores, out=best)
                kept.append((config, scores))
        # Which scores tie with the best is known only now.
        winners = np.full(len(defined), -1, dtype=np.intp)
        for config, scores in sorted(kept, key=itemgetter(0), reverse=True):
            winners[scores >= best - self._margin] = config
        return winners

    def _unless_beaten(self, config: int, floor: np.ndarray) -> np.ndarray | None:
        """Scores of one configuration, or None when it is below the floor in every draw."""
        at_most = self._mean.at_most
        score: np.ndarray = floor
        loss: np.ndarray | float = 0.0
        for part, walk in enumerate(self._walks):

            def hopeless(lost: np.ndarray, size: np.ndarray, part=part, loss=loss) -> bool:
                return not (at_most(part, loss, lost, size)[0] >= floor).any()

            result = walk.losses(config, hopeless)
            if result is None:
                return None
            score, loss = at_most(part, loss, *result)
        return score


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
        size = or_one(self._total_walked if self.lanes.exact else self._size_from_the_top(config))
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
            sums = running_along(picked(weights, draws, order[:, ::-1]), dtype)
            found = running_along(picked(weights, draws, walked[:, ::-1]), dtype)
            n_walked = walked.shape[1]
            position = np.arange(n_walked)
            is_start = ranks.group[configs][:, here] == position + here.start
            # Where the next group starts.
            ends = np.full(is_start.shape, n_walked)
            ends[:, :-1] = np.where(is_start[:, 1:], position[1:], n_walked)
            ends = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
            before = ranks.before[configs][:, here].astype(np.intp) - there.start
            false = picked(sums, pairs, order.shape[1] - before)
            true = found[:, :0:-1]  # this positive and all above
            weight = np.where(is_start, true - picked(found, pairs, n_walked - ends), 0)
            terms[:, here] = _share(false, true) * weight
            size += found[:, -1]
        return last_sum(terms), or_one(size)


def _share(false: np.ndarray, true: np.ndarray) -> np.ndarray:
    """``false / (false + true)``, and 0 where both are 0."""
    together = false + true
    smallest = 1 if together.dtype.kind == "i" else np.finfo(together.dtype).tiny
    return false / np.maximum(together, smallest, out=together)
