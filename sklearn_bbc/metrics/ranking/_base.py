"""What the rank metrics share: means of two-class losses over classes, pairs or labels."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import ClassVar

import numpy as np

from ... import _native
from .._base import MetricKernel
from .._rows import RowData
from ._block import Block
from ._fold_pairs import FoldPairs
from ._losses import MIN_LANES, Walk, arithmetic, blocks
from ._parts import Mean, Part

_PAIR_BYTES = 2**23
_ROUGH_ROWS = 1000  # tell about which configurations are the best
_MOST_DRAWN = 64  # rows of a draw, in multiples of those of the data, that surely do not occur


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
        self.parts = [part.within(fold) for part in self.parts]

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
        return 46 * self.rows.n_rows + 24 * self.rows.n_configs + 64 * len(self.parts) + 2048

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
        elif len(weights) < MIN_LANES and "_first_alike" not in vars(self):
            # Finding out which configurations are alike takes longer than scoring all of them.
            scores = self._distinct_scores(weights, configs)
        else:
            distinct, position = np.unique(self._first_alike[configs], return_inverse=True)
            scores = self._distinct_scores(weights, distinct)[:, position]
        if self.defined is not None:
            scores[:, ~self.defined[configs]] = np.nan
        return scores

    def _winners(self, weights: np.ndarray, sign: int) -> np.ndarray:
        counts = self._counts(weights)
        can_stop = sign > 0 and (counts is None or len(self.parts) == 1)
        if not can_stop or (counts is None and len(weights) < MIN_LANES):
            return super()._winners(weights, sign)
        if counts is None:
            parts = [self._block(weights[b]).winners(self._contenders) for b in blocks(weights)]
            return np.concatenate(parts)
        if self.defined is None or self.defined.all():
            winners = self.parts[0].program.winners(counts)
            # What is misplaced across folds is the same for all, so it does not matter here.
            if self._pairs is not None:
                winners[~self._pairs[0].any_of(counts)] = -1
            return winners
        return self._first_best(self._scores(counts, np.arange(self.rows.n_configs)), counts)

    def config_blocks(self, sign: int) -> list[slice]:
        """See `MetricKernel.config_blocks`: where pairs are counted by the compiled kernels."""
        rows, compiled = self.rows, _native.available() and not self.rows.weighted
        if sign < 0 or not compiled or not self._is_plain or not self.walk.counts_pairs:
            return []
        if self.defined is not None or rows.n_rows > _native.MAX_TOTAL // _MOST_DRAWN:
            return []
        program = self.parts[0].program
        blocks = program.blocks
        if len(blocks) < 2:
            return []
        # Any order is right. The sooner the winners come, the less of the others is looked at.
        lost = program.rough_losses(_ROUGH_ROWS)
        return sorted(blocks, key=lambda block: float(lost[block].min()))

    def winners_within(
        self, weights: np.ndarray, limit: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """See `MetricKernel.winners_within`."""
        counts, lost = self._counts(weights), limit.copy()
        if counts is None:
            raise ValueError(f"A draw holds more than {_native.MAX_TOTAL:,} rows.")
        return self.parts[0].program.winners(counts, lost), lost

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
            mean = self._mean(counts, compiled=True)
            lost = (part.program.loss_of(counts, configs) for part in self.parts)
            scores[draws] = mean.of(zip(lost, mean.sizes))
        elif len(draws) >= MIN_LANES and (configs[draws] == configs[draws[0]]).all():
            # One for all: side by side, with the same bits.
            some = weights if len(draws) == len(weights) else weights[draws]
            scores[draws] = self._distinct_scores(some, configs[draws[:1]])[:, 0]
        else:
            scores[draws] = self._paired(weights, draws, configs[draws])
        return scores

    def _mean(self, weights: np.ndarray, *, compiled: bool = False) -> Mean:
        """The mean over the parts, for some draws and the losses of compiled kernels or NumPy."""
        return Mean(
            weights,
            self.parts,
            size=self.walk.size,
            shares=self._shares,
            needs_every_part=self.needs_every_part,
            pairs=self._pairs,
            across=compiled,
        )

    def _block(self, weights: np.ndarray) -> Block:
        """All configurations on one block of draws."""
        margin = self._rounding(weights) * self._unit  # no score is above 1
        return Block(weights, self.walk, self.parts, self._mean(weights), margin)

    @property
    def _is_plain(self) -> bool:
        """Whether the metric is the share that one part keeps, as a program computes it."""
        return len(self.parts) == 1 and self._pairs is None

    def _counts(self, weights: np.ndarray) -> np.ndarray | None:
        """Weights as the compiled kernels take them; None where NumPy has to do."""
        return _native.as_counts(weights) if _native.available() else None

    def _native_scores(self, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Scores by the compiled kernels."""
        if self._is_plain:
            return self.parts[0].program.scores(counts, configs)
        mean = self._mean(counts, compiled=True)
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
            lanes = self._block(weights[block])
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
            scores[chunk] = self._mean(these).pick(draw).of(lost)
        return scores
