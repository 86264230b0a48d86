"""What the rank metrics share: means of two-class losses over classes, pairs or labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

import numpy as np

from ._base import MetricKernel
from ._ranks import TwoClassRanks
from ._rows import RowData
from ._walk import Lanes, Walk, weight_of

LANES = 2048
"""Draws treated side by side. Affects speed and memory only, like the next three."""
MIN_LANES = 32
_LANE_BYTES = 2**27
_PAIR_BYTES = 2**23


class RankKernel(MetricKernel):
    """Base of metrics that compare the order of two sets of rows, once or several times.

    Each comparison is a part: two sets of rows and the column of scores that should sort
    them. Its metric is one minus a share that is lost. The metric of a configuration is
    the mean over the parts with the weights of `_shares`; with one part it is that part's.

    A subclass fills `parts` by `_add_part` and names its `walk`.

    Attributes
    ----------
    walk : type of Walk
        What is lost on the way through the sorted rows.
    walk_along : {"shorter", "positive"}
        Set of rows that is walked.
    parts : list of TwoClassRanks
        The comparisons.
    needs_every_part : bool
        Whether one undefined part makes the mean undefined; otherwise only a part whose
        weight is not 0 does.
    """

    walk: ClassVar[type[Walk]]
    walk_along: ClassVar[str] = "shorter"
    needs_every_part: bool = True

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        self.parts: list[TwoClassRanks] = []

    def _add_part(self, pred: np.ndarray, positive: np.ndarray, negative: np.ndarray) -> None:
        """Compare two sets of rows (boolean masks) by scores of shape (n_configs, n_rows)."""
        rows = np.flatnonzero(positive), np.flatnonzero(negative)
        self.parts.append(TwoClassRanks(pred, *rows, self.walk_along))

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

    def _exists(self, positive: np.ndarray, negative: np.ndarray) -> np.ndarray:
        """Where a part is defined; shapes as in `_shares`."""
        return (positive > 0) & (negative > 0)

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that scoring one draw needs."""
        return 16 * self.rows.n_rows + 2048

    @cached_property
    def _first_alike(self) -> np.ndarray:
        """For each configuration the first one that sorts the rows in the same way."""
        seen: dict[tuple[bytes, ...], int] = {}
        first = np.arange(self.rows.n_configs)
        chosen = first if self.defined is None else np.flatnonzero(self.defined)
        for config in chosen.tolist():
            key = tuple(part.key(config) for part in self.parts)
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
        distinct, position = np.unique(self._first_alike[configs], return_inverse=True)
        scores = np.empty((len(weights), len(distinct)))
        if len(weights) < MIN_LANES:
            draws = np.repeat(np.arange(len(weights)), len(distinct))
            pairs = self._paired(weights, draws, np.tile(distinct, len(weights)))
            scores[:] = pairs.reshape(scores.shape)
        else:
            for block in self._blocks(len(weights)):
                lanes = _Block(self, weights[block])
                for k, config in enumerate(distinct):
                    scores[block, k] = lanes.scores(config)
        scores = scores[:, position]
        if self.defined is not None:
            scores[:, ~self.defined[configs]] = np.nan
        return scores

    def _winners(self, weights: np.ndarray, sign: int) -> np.ndarray:
        if sign < 0 or len(weights) < MIN_LANES:
            return super()._winners(weights, sign)
        winners = [_Block(self, weights[b]).winners() for b in self._blocks(len(weights))]
        return np.concatenate(winners)

    def _score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        scores = np.full(len(weights), np.nan)
        known = configs >= 0
        if self.defined is not None:
            known &= self.defined[configs]
        draws = np.flatnonzero(known)
        scores[draws] = self._paired(weights, draws, configs[draws])
        return scores

    def _blocks(self, n_draws: int) -> Iterator[slice]:
        """Slices of about equal length, so that none is too short for lanes."""
        lanes = min(LANES, max(2 * MIN_LANES, _LANE_BYTES // (8 * self.rows.n_rows)))
        edges = np.linspace(0, n_draws, -(-n_draws // lanes) + 1).astype(int)
        return (slice(a, b) for a, b in pairwise(edges))

    def _paired(self, weights: np.ndarray, draws: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Scores of pairs of a draw (row of `weights`) and a configuration."""
        scores = np.empty(len(draws))
        size = max(1, _PAIR_BYTES // (8 * self.rows.n_rows))
        dtype, _ = self._arithmetic(weights)
        for start in range(0, len(draws), size):
            chunk = slice(start, start + size)
            needed, draw = np.unique(draws[chunk], return_inverse=True)
            these = weights[needed]
            walked = [weight_of(these, part.walked, dtype) for part in self.parts]
            other = [weight_of(these, part.other, dtype) for part in self.parts]
            mean = _Mean(self, walked, other)
            lost = (
                self.walk.paired(part, these, draw, configs[chunk], dtype) for part in self.parts
            )
            scores[chunk] = mean.pick(draw).of(lost)
        return scores

    def _arithmetic(self, weights: np.ndarray) -> tuple[np.dtype, bool]:
        """Type to calculate in, and whether all sums and products are exact in it."""
        if weights.dtype.kind not in "biu":
            return np.dtype(np.float64), False
        largest = float(weights.sum(axis=1, dtype=np.float64).max(initial=0.0))
        # Twice the product of two parts of the total is at most half its square.
        if largest**2 / 2 < 2**31:
            return np.dtype(np.int32), True
        return np.dtype(np.float64), largest**2 / 2 < 2**53


class _Mean:
    """The mean of the parts of a metric, for one set of draws."""

    def __init__(
        self, kernel: RankKernel, walked: list[np.ndarray], other: list[np.ndarray]
    ) -> None:
        both = np.array([walked, other], dtype=np.float64)  # (2, n_parts, n_draws)
        turned = np.array([part.downwards for part in kernel.parts])
        both[:, turned] = both[::-1, turned]
        exists = kernel._exists(*both)
        self.shares = kernel._shares(*both)
        self.single = len(walked) == 1
        self.norm = np.full(both.shape[2], float(len(walked)))
        self.defined: np.ndarray = np.logical_and.reduce(exists)
        if self.shares is not None:
            norm = np.add.accumulate(self.shares)[-1]
            if not kernel.needs_every_part:
                needed = exists | (self.shares == 0)
                self.defined = np.logical_and.reduce(needed) & (norm > 0)
            self.norm = np.where(norm > 0, norm, 1.0)

    def pick(self, draws: np.ndarray) -> _Mean:
        """The same for some of the draws, in another order."""
        picked = copy(self)
        picked.defined, picked.norm = self.defined[draws], self.norm[draws]
        picked.shares = None if self.shares is None else self.shares[:, draws]
        return picked

    def at_most(
        self, part: int, before: np.ndarray | float, lost: np.ndarray, size: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Score if nothing more were lost, and the loss so far.

        Both only fall and rise from part to part, rounding included; after the last part
        the first is the score.
        """
        if self.single:
            # One division: correctly rounded.
            return np.maximum((size - lost) / size, 0.0), lost
        share = lost / size
        loss = before + (share if self.shares is None else share * self.shares[part])
        return np.maximum((self.norm - loss) / self.norm, 0.0), loss

    def of(self, losses: Iterable[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        """Score from the losses of all parts."""
        loss: np.ndarray | float = 0.0
        for part, (lost, size) in enumerate(losses):
            score, loss = self.at_most(part, loss, lost, size)
        return np.where(self.defined, score, np.nan)


class _Block:
    """All configurations on one block of draws."""

    def __init__(self, kernel: RankKernel, weights: np.ndarray) -> None:
        self._kernel = kernel
        lanes = Lanes(weights, *kernel._arithmetic(weights))
        self._walks = [kernel.walk(part, lanes) for part in kernel.parts]
        self._mean = _Mean(
            kernel,
            [walk.total_walked for walk in self._walks],
            [walk.total_other for walk in self._walks],
        )

    def scores(self, config: int) -> np.ndarray:
        """Scores of one configuration in every draw."""
        losses = (walk.losses(config) for walk in self._walks)
        # Without `hopeless` no walk is given up.
        return self._mean.of(loss for loss in losses if loss is not None)

    def winners(self) -> np.ndarray:
        """First of the best configurations of every draw."""
        defined = self._mean.defined
        winners = np.full(len(defined), -1, dtype=np.intp)
        # Undefined draws are lost from the start, and so never keep a walk going.
        best = np.where(defined, -np.inf, np.inf)
        for config in self._kernel._contenders:
            scores = self._unless_beaten(config, best)
            if scores is not None:
                better = (scores > best) | ((scores == best) & (config < winners))
                best[better], winners[better] = scores[better], config
        return winners

    def _unless_beaten(self, config: int, best: np.ndarray) -> np.ndarray | None:
        """Scores of one configuration, or None when it is below the best in every draw."""
        at_most = self._mean.at_most
        score: np.ndarray = best
        loss: np.ndarray | float = 0.0
        for part, walk in enumerate(self._walks):

            def hopeless(lost: np.ndarray, size: np.ndarray, part=part, loss=loss) -> bool:
                return not (at_most(part, loss, lost, size)[0] >= best).any()

            result = walk.losses(config, hopeless)
            if result is None:
                return None
            score, loss = at_most(part, loss, *result)
        return score
