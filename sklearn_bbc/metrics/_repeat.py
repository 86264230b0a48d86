"""The rows of one repeat of cross-validation, bound to a metric or held out for other methods."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ._base import MetricKernel
from ._rows import RowData


@dataclass(frozen=True, eq=False)
class Repeat:
    """Kernel of the rows of one repeat and where these rows belong."""

    kernel: MetricKernel
    sample: np.ndarray
    fold: np.ndarray
    row_weight: np.ndarray | None
    n_samples: int

    @cached_property
    def splits(self) -> np.ndarray:
        """Splits that these rows are held out in, ascending."""
        return np.unique(self.fold)

    @cached_property
    def _in_order(self) -> bool:
        """Whether row k is sample k."""
        return np.array_equal(self.sample, np.arange(self.n_samples))

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that weighing and scoring one draw need."""
        each = 0 if self._in_order else 1
        each += 0 if self.row_weight is None else 8
        return each * self.kernel.rows.n_rows + self.kernel.bytes_per_draw

    def weigh(self, weights: np.ndarray) -> np.ndarray:
        """Weights per sample to weights per row."""
        if not self._in_order:
            weights = weights[:, self.sample]
        return weights if self.row_weight is None else weights * self.row_weight


class Pass:
    """One block of configurations against the best of those that came before it.

    Called with the counts of some draws, and with what the passes before gave for them.

    Parameters
    ----------
    repeat : Repeat
        The only repeat of the predictions.
    block : slice
        Neighbours among its configurations.
    configs : ndarray of shape (n_distinct,)
        What these configurations are called outside.
    """

    def __init__(self, repeat: Repeat, block: slice, configs: np.ndarray) -> None:
        self._repeat, self._configs = repeat, configs[block]
        self._kernel = repeat.kernel.of_block(block)

    def __call__(self, counts: np.ndarray, earlier: PassResult | None = None) -> PassResult:
        """Best configuration so far of each draw, and its score on what was left out."""
        if earlier is None:
            scores, configs = np.full(len(counts), np.nan), np.full(len(counts), -1)
            limit = np.full(len(counts), np.iinfo(np.int64).max)
        else:
            scores, configs, limit = (array.copy() for array in earlier)
        found, lost = self._kernel.winners_within(self._repeat.weigh(counts), limit)
        named = np.where(found < 0, -1, self._configs[found])
        # The first of equals: blocks do not come in the order of their configurations.
        better = np.flatnonzero((found >= 0) & ((lost < limit) | (named < configs)))
        left_out = self._repeat.weigh(counts[better] == 0)
        scores[better] = self._kernel._score_of(left_out, found[better])
        configs[better] = named[better]
        return scores, configs, lost


PassResult = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Scores out-of-bag, configurations and their losses in-bag, each of shape (n_draws,)."""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Held-out rows of one repeat.

    Attributes
    ----------
    rows : RowData
        Labels and what the metric consumes, of the configurations that were asked for.
    sample, fold : ndarray of shape (n_rows,)
        Sample and split of each row.
    weight : ndarray of shape (n_rows,) or None
        Sample weight of each row.
    """

    rows: RowData
    sample: np.ndarray
    fold: np.ndarray
    weight: np.ndarray | None
