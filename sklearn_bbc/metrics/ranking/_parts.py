"""One comparison of two sets of rows, and the mean over several of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from threading import Lock

import numpy as np

from ... import _native
from ._fold_pairs import FoldPairs, folds_apart
from ._losses import Walk, weight_of
from ._order import TwoClassRanks


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
    """

    def __init__(
        self, pred: np.ndarray, positive: np.ndarray, negative: np.ndarray, walk: type[Walk]
    ) -> None:
        self._pred, self._walk = pred, walk
        self.positive, self.negative = np.flatnonzero(positive), np.flatnonzero(negative)
        self._lock = Lock()
        self._ranks: TwoClassRanks | None = None
        self._program: _native.Program | None = None

    def folds_apart(self, fold: np.ndarray) -> Part:
        """The same rows by their ranks within folds, see `_fold_pairs`."""
        positive, negative = np.zeros((2, len(fold)), dtype=bool)
        positive[self.positive] = negative[self.negative] = True
        return Part(folds_apart(self._pred, fold), positive, negative, self._walk)

    def in_rows(self, rows: np.ndarray) -> Part:
        """The same comparison on some of the rows, given as a mask."""
        positive, negative = np.zeros((2, len(rows)), dtype=bool)
        positive[self.positive] = negative[self.negative] = True
        return Part(self._pred, positive & rows, negative & rows, self._walk)

    @property
    def ranks(self) -> TwoClassRanks:
        """The sorted rows, for NumPy."""
        with self._lock:  # threads share the kernel, and sorting takes time
            if self._ranks is None:
                rows = self.positive, self.negative
                self._ranks = TwoClassRanks(self._pred, *rows, self._walk.along)
            return self._ranks

    @property
    def program(self) -> _native.Program:
        """The same, for the compiled kernels."""
        with self._lock:
            if self._program is None:
                positive = np.zeros(self._pred.shape[1], dtype=bool)
                positive[self.positive] = True
                rows = np.sort(np.concatenate([self.positive, self.negative]))
                self._program = self._walk.prepare(self._pred, positive, rows)
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
    part_of : ndarray or None
        Which part each was, before they were split into folds.
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
        part_of: np.ndarray | None,
    ) -> None:
        self.elsewhere: np.ndarray | None = None  # lost on pairs that do not count
        if pairs is not None:
            counted = [each.of(weights) for each in pairs]
            sizes, self.elsewhere, positive, negative = map(np.stack, zip(*counted))
        else:
            positive, negative = (
                np.stack([weight_of(weights, rows) for rows in sets])
                for sets in zip(*((part.positive, part.negative) for part in parts))
            )
            sizes = size(positive, negative)
        self.sizes = np.where(sizes > 0, sizes, 1.0)
        self.single = len(sizes) == 1
        self.norm = np.full(len(weights), float(len(sizes)))
        if part_of is not None:
            starts = np.searchsorted(part_of, np.unique(part_of))
            whole, positive, negative = (
                np.add.reduceat(each, starts, axis=0) for each in (sizes, positive, negative)
            )
            self._weigh_folds(part_of, shares(positive, negative), sizes, whole, needs_every_part)
            return
        self.shares = shares(positive, negative)
        self.defined: np.ndarray = np.logical_and.reduce(sizes > 0)
        if self.shares is not None:
            norm = np.add.accumulate(self.shares)[-1]
            if not needs_every_part:
                needed = (sizes > 0) | (self.shares == 0)
                self.defined = np.logical_and.reduce(needed) & (norm > 0)
            self.norm = np.where(norm > 0, norm, 1.0)

    def _weigh_folds(
        self,
        part_of: np.ndarray,
        shares: np.ndarray | None,
        sizes: np.ndarray,
        whole: np.ndarray,
        needs_every_part: bool,
    ) -> None:
        """Every part was split into folds, which count by their sizes."""
        if shares is None:
            shares = np.ones(whole.shape)
        norm = np.add.accumulate(shares)[-1]
        needed = (whole > 0) | (not needs_every_part) & (shares == 0)
        self.defined = np.logical_and.reduce(needed) & (norm > 0)
        self.norm = np.where(norm > 0, norm, 1.0)
        of_fold = sizes / np.where(whole > 0, whole, 1.0)[part_of]
        self.shares = shares[part_of] * of_fold
        self.single = False

    def or_none(self, winners: np.ndarray) -> np.ndarray:
        """Winners, -1 in draws without a score."""
        return np.where(self.defined, winners, -1)

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
        if self.elsewhere is not None:
            size = self.sizes[part]
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
        if self.elsewhere is not None:
            size = self.sizes[0]
        return np.maximum((size - loss) / size, 0.0)

    def of(self, losses: Iterable[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        """Score from the losses of all parts."""
        loss: np.ndarray | float = 0.0
        size: np.ndarray | float = 1.0
        for part, (lost, size) in enumerate(losses):
            loss = self._add(part, loss, lost, size)
        return np.where(self.defined, self._score(loss, size), np.nan)
