"""What the rank metrics share: means of two-class losses over classes, pairs or labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from functools import cached_property
from operator import itemgetter
from threading import Lock
from typing import ClassVar

import numpy as np

from ... import _native
from .._base import MetricKernel
from .._rows import RowData
from ._fold_pairs import FoldPairs, folds_apart
from ._losses import MIN_LANES, Lanes, Walk, arithmetic, blocks, weight_of
from ._order import TwoClassRanks

_PAIR_BYTES = 2**23


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


class RankKernel(MetricKernel):
    """Base of metrics that compare the order of two sets of rows, once or several times.

    The metric of a part is one minus a share that is lost. That of a configuration is the
    mean over the parts with the weights of `_shares`; with one part it is that part's.
    Counts are scored by the compiled kernels where these are available, other weights by
    NumPy, with the same bits where both can.

    A subclass fills `parts` by `_add_part` and names its `walk`.

    Attributes
    ----------
    walk : type of Walk
        What is lost on the way through the sorted rows.
    parts : list of Part
        The comparisons.
    needs_every_part : bool
        Whether one undefined part makes the mean undefined; otherwise only a part whose
        weight is not 0 does.
    """

    is_rank = by_class = True
    walk: ClassVar[type[Walk]]
    needs_every_part: bool = True

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        self.parts: list[Part] = []
        self._pairs: list[FoldPairs] | None = None  # of each part, when folds are kept apart
        self._part_of: np.ndarray | None = None  # before each was split into folds

    def stay_within(self, fold: np.ndarray) -> None:
        """Compare only rows of the same fold, from now on.

        Parameters
        ----------
        fold : ndarray of shape (n_rows,)
            Fold of each row. Folds count by the weight of what they compare: pairs, or for
            average precision positives.
        """
        if self.walk.counts_pairs:
            self._pairs = [FoldPairs(fold, part.positive, part.negative) for part in self.parts]
            self.parts = [part.folds_apart(fold) for part in self.parts]
            return
        folds = [fold == each for each in np.unique(fold)]
        self._part_of = np.repeat(np.arange(len(self.parts)), len(folds))
        self.parts = [part.in_rows(rows) for part in self.parts for rows in folds]

    def _add_part(self, pred: np.ndarray, positive: np.ndarray, negative: np.ndarray) -> None:
        """Compare two sets of rows (boolean masks) by scores of shape (n_configs, n_rows)."""
        self.parts.append(Part(pred, positive, negative, self.walk))

    def _shares(self, positive: np.ndarray, negative: np.ndarray) -> np.ndarray | None:
        """Weight of each part in the mean.

        Parameters
        ----------
        positive, negative : ndarray of shape (n_parts, n_draws), float64
            Weight of the two sets of rows of each part.

        Returns
        -------
        ndarray of shape (n_parts, n_draws) or None
            Weights >= 0; None weighs the parts equally.
        """
        return None

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that scoring one draw needs."""
        return 24 * self.rows.n_rows + 24 * self.rows.n_configs + 64 * len(self.parts) + 2048

    @cached_property
    def _first_alike(self) -> np.ndarray:
        """For each configuration the first one that sorts the rows in the same way."""
        seen: dict[tuple[bytes, ...], int] = {}
        first = np.arange(self.rows.n_configs)
        chosen = first if self.defined is None else np.flatnonzero(self.defined)
        for config in chosen.tolist():
            key = tuple(part.ranks.key(config) for part in self.parts)
            first[config] = seen.setdefault(key, config)
        return first

    @cached_property
    def _contenders(self) -> np.ndarray:
        """Configurations that can win, the best on all rows first."""
        everything = np.ones((1, self.rows.n_rows), dtype=np.uint8)
        distinct = np.unique(self._first_alike)
        if self.defined is not None:
            distinct = distinct[self.defined[distinct]]
        scores = self._scores(everything, distinct)[0]
        return distinct[np.argsort(-scores, kind="stable")]

    def _scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        counts = self._counts(weights)
        if counts is not None:
            scores = self._native_scores(counts, configs)
        else:
            distinct, position = np.unique(self._first_alike[configs], return_inverse=True)
            scores = self._distinct_scores(weights, distinct)[:, position]
        if self.defined is not None:
            scores[:, ~self.defined[configs]] = np.nan
        return scores

    def _winners(self, weights: np.ndarray, sign: int) -> np.ndarray:
        counts = self._counts(weights)
        can_stop = sign > 0 and (counts is None or len(self.parts) == 1)
        can_stop &= self._part_of is None
        if not can_stop or (counts is None and len(weights) < MIN_LANES):
            return super()._winners(weights, sign)
        if counts is None:
            parts = [_Block(self, weights[b]).winners() for b in blocks(weights)]
            return np.concatenate(parts)
        if self.defined is None or self.defined.all():
            winners = self.parts[0].program.winners(counts)
            # What is misplaced across folds is the same for all, so it does not matter here.
            return winners if self._pairs is None else _Mean(self, counts).or_none(winners)
        return self._first_best(self._scores(counts, np.arange(self.rows.n_configs)), counts)

    def _rounding(self, weights: np.ndarray) -> float:
        """Nothing for the share of misplaced pairs, which are counted."""
        exact = self.walk.counts_pairs and len(self.parts) == 1 and weights.dtype.kind in "biu"
        return 0.0 if exact else super()._rounding(weights)

    def _score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        if self.defined is not None:
            configs = np.where(self.defined[configs], configs, -1)
        counts = self._counts(weights)
        if counts is not None and self._is_plain:
            return self.parts[0].program.score_of(counts, configs)
        scores = np.full(len(weights), np.nan)
        draws = np.flatnonzero(configs >= 0)
        if counts is not None:
            counts, configs = counts[draws], configs[draws]
            mean = _Mean(self, counts)
            lost = (part.program.loss_of(counts, configs) for part in self.parts)
            scores[draws] = mean.of(zip(lost, mean.sizes))
        elif len(draws) >= MIN_LANES and (configs[draws] == configs[draws[0]]).all():
            # One for all: side by side, with the same bits.
            some = weights if len(draws) == len(weights) else weights[draws]
            scores[draws] = self._distinct_scores(some, configs[draws[:1]])[:, 0]
        else:
            scores[draws] = self._paired(weights, draws, configs[draws])
        return scores

    @property
    def _is_plain(self) -> bool:
        """Whether the metric is the share that one part keeps, as a program computes it."""
        return len(self.parts) == 1 and self._pairs is None and self._part_of is None

    def _counts(self, weights: np.ndarray) -> np.ndarray | None:
        """Weights as the compiled kernels take them; None where NumPy has to do."""
        return _native.as_counts(weights) if _native.available() else None

    def _native_scores(self, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Scores by the compiled kernels."""
        if self._is_plain:
            return self.parts[0].program.scores(counts, configs)
        mean = _Mean(self, counts)
        lost = (part.program.losses(counts, configs).T for part in self.parts)
        return mean.of(zip(lost, mean.sizes)).T

    def _distinct_scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Scores by NumPy."""
        if len(weights) < MIN_LANES:
            draws = np.repeat(np.arange(len(weights)), len(configs))
            pairs = self._paired(weights, draws, np.tile(configs, len(weights)))
            return pairs.reshape(len(weights), len(configs))
        scores = np.empty((len(weights), len(configs)))
        for block in blocks(weights):
            lanes = _Block(self, weights[block])
            for k, config in enumerate(configs):
                scores[block, k] = lanes.scores(config)
        return scores

    def _paired(self, weights: np.ndarray, draws: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Scores of pairs of a draw (row of `weights`) and a configuration."""
        scores = np.empty(len(draws))
        size = max(1, _PAIR_BYTES // (8 * self.rows.n_rows))
        dtype, _ = arithmetic(weights, 0.5)
        for start in range(0, len(draws), size):
            chunk = slice(start, start + size)
            needed, draw = np.unique(draws[chunk], return_inverse=True)
            these = weights[needed]
            lost = (
                self.walk.paired(part.ranks, these, draw, configs[chunk], dtype)
                for part in self.parts
            )
            scores[chunk] = _Mean(self, these).pick(draw).of(lost)
        return scores


class _Mean:
    """The mean of the parts of a metric, for one set of draws."""

    def __init__(self, kernel: RankKernel, weights: np.ndarray) -> None:
        self.elsewhere: np.ndarray | None = None  # lost on pairs that do not count
        if kernel._pairs is not None:
            pairs = [each.of(weights) for each in kernel._pairs]
            sizes, self.elsewhere, positive, negative = (np.stack(each) for each in zip(*pairs))
        else:
            positive, negative = (
                np.stack([weight_of(weights, rows) for rows in sets])
                for sets in zip(*((part.positive, part.negative) for part in kernel.parts))
            )
            sizes = kernel.walk.size(positive, negative)
        self.sizes = np.where(sizes > 0, sizes, 1.0)
        self.single = len(sizes) == 1
        self.norm = np.full(len(weights), float(len(sizes)))
        if kernel._part_of is not None:
            self._weigh_folds(kernel, positive, negative, sizes)
            return
        self.shares = kernel._shares(positive, negative)
        self.defined: np.ndarray = np.logical_and.reduce(sizes > 0)
        if self.shares is not None:
            norm = np.add.accumulate(self.shares)[-1]
            if not kernel.needs_every_part:
                needed = (sizes > 0) | (self.shares == 0)
                self.defined = np.logical_and.reduce(needed) & (norm > 0)
            self.norm = np.where(norm > 0, norm, 1.0)

    def _weigh_folds(
        self, kernel: RankKernel, positive: np.ndarray, negative: np.ndarray, sizes: np.ndarray
    ) -> None:
        """Every part was split into folds, which count by their sizes."""
        assert kernel._part_of is not None
        starts = np.searchsorted(kernel._part_of, np.unique(kernel._part_of))
        whole, positive, negative = (
            np.add.reduceat(each, starts, axis=0) for each in (sizes, positive, negative)
        )
        shares = kernel._shares(positive, negative)
        if shares is None:
            shares = np.ones(whole.shape)
        norm = np.add.accumulate(shares)[-1]
        needed = (whole > 0) | (not kernel.needs_every_part) & (shares == 0)
        self.defined = np.logical_and.reduce(needed) & (norm > 0)
        self.norm = np.where(norm > 0, norm, 1.0)
        of_fold = sizes / np.where(whole > 0, whole, 1.0)[kernel._part_of]
        self.shares = shares[kernel._part_of] * of_fold
        self.single = False

    def or_none(self, winners: np.ndarray) -> np.ndarray:
        """Winners, -1 in draws without a score."""
        return np.where(self.defined, winners, -1)

    def pick(self, draws: np.ndarray) -> _Mean:
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
            # Not below 0 by the rounding of weights that are no whole numbers.
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


class _Block:
    """All configurations on one block of draws."""

    def __init__(self, kernel: RankKernel, weights: np.ndarray) -> None:
        self._kernel = kernel
        self._margin = kernel._rounding(weights) * kernel._unit  # no score is above 1
        lanes = Lanes(weights, *arithmetic(weights, 0.5))
        self._walks = [kernel.walk(part.ranks, lanes) for part in kernel.parts]
        self._mean = _Mean(kernel, weights)

    def scores(self, config: int) -> np.ndarray:
        """Scores of one configuration in every draw."""
        losses = (walk.losses(config) for walk in self._walks)
        # Without `hopeless` no walk is given up.
        return self._mean.of(loss for loss in losses if loss is not None)

    def winners(self) -> np.ndarray:
        """First of the best configurations of every draw."""
        defined = self._mean.defined
        # Undefined draws are lost from the start, and so never keep a walk going.
        best = np.where(defined, -np.inf, np.inf)
        kept = []
        for config in self._kernel._contenders:
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
