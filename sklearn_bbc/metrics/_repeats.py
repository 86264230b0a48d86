"""Rows of the repeats of cross-validation, as kernels see them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ._base import MetricKernel, RowData


@dataclass(frozen=True, eq=False)
class RepeatRows:
    """Kernel of the rows of one repeat, with their samples, folds and weights."""

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
    def in_order(self) -> bool:
        """Whether row k is sample k."""
        return np.array_equal(self.sample, np.arange(self.n_samples))

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that weighing and scoring one draw need."""
        each = 0 if self.in_order else 1
        each += 0 if self.row_weight is None else 8
        return each * self.kernel.rows.n_rows + self.kernel.bytes_per_draw

    def weigh(self, weights: np.ndarray) -> np.ndarray:
        """Turn weights per sample into weights per row."""
        if not self.in_order:
            weights = weights[:, self.sample]
        return weights if self.row_weight is None else weights * self.row_weight

    def sums_of_folds(self, values: np.ndarray, rows: slice) -> np.ndarray:
        """Sum weighted values (n_chosen, n_some_rows) of some rows by split, (n_splits, n_chosen).

        Products of matrices would have other last bits with other numbers of threads.
        """
        if self.row_weight is not None:
            values = values * self.row_weight[rows]
        sums, fold = np.zeros((len(self.splits), len(values))), self.fold[rows]
        for own, split in zip(sums, self.splits):
            here = fold == split
            if here.any():
                own[:] = (values if here.all() else values[:, here]).sum(axis=1)
        return sums

    def weight_of_folds(self, members: np.ndarray | None = None) -> np.ndarray:
        """Sum the weights of the rows of each split, (n_splits,); of some rows if there is a mask.

        `members` (n_rows,).
        """
        weight = self.row_weight if members is None else members
        return np.bincount(self.fold, weight)[self.splits].astype(float)


class BlockOfConfigs:
    """Comparison of one block of configurations with the best of the blocks before it.

    Called with the counts of some draws, and with the results of earlier passes for them. `block`
    are neighbours among the configurations of `repeat`, the only one of the predictions; `configs`
    (n_distinct,) are the outer indices of all of its configurations.
    """

    def __init__(self, repeat: RepeatRows, block: slice, configs: np.ndarray) -> None:
        self._repeat, self._configs = repeat, configs[block]
        self._kernel = repeat.kernel.of_block(block)
        self._kernel.prepare()  # before there are draws

    def __call__(self, counts: np.ndarray, earlier: PassResult | None = None) -> PassResult:
        """Find each draw's best configuration so far, its score on rows left out and its loss."""
        if earlier is None:
            scores, configs = np.full(len(counts), np.nan), np.full(len(counts), -1)
            limit = np.full(len(counts), np.iinfo(np.int64).max)
        else:
            scores, configs, limit = (array.copy() for array in earlier)
        found, lost = self._kernel.winners_within(self._repeat.weigh(counts), limit)
        named = np.where(found < 0, -1, self._configs[found])
        # The first of equals: blocks do not come in the order of their configurations.
        better = np.flatnonzero((found >= 0) & ((lost < limit) | (named < configs)))
        if len(better):
            scored = np.full(len(counts), -1)
            scored[better] = found[better]
            left_out = self._repeat.weigh(not_drawn(counts))
            scores[better] = self._kernel.score_of(left_out, scored)[better]
            configs[better] = named[better]
        return scores, configs, lost


def not_drawn(counts: np.ndarray) -> np.ndarray:
    """Mark the samples that are not drawn, in the memory of counts that nobody else has."""
    own = counts.itemsize == 1 and counts.flags.owndata and counts.flags.writeable
    return np.equal(counts, 0, out=counts.view(bool) if own else None)


PassResult = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Scores out-of-bag, configurations and their losses in-bag, each of shape (n_draws,)."""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Held-out rows of one repeat, for the configurations that were asked for.

    `rows` has labels and what the metric consumes; `sample`, `fold` and `weight`, (n_rows,) each,
    are sample, split and sample weight of each row, and `weight` is None without sample weights.
    """

    rows: RowData
    sample: np.ndarray
    fold: np.ndarray
    weight: np.ndarray | None
