"""One comparison of two sets of rows, and the mean over several of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from functools import partial
from threading import Lock

import numpy as np
from sklearn import get_config

from ._fold_pairs import FoldPairs, folds_apart
from ._losses import Walk, weight_of
from ._order import TwoClassRanks
from ._programs import Programs


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
