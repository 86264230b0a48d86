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

    def weigh(self, weights: np.ndarray) -> np.ndarray:
        """Weights per sample to weights per row."""
        if not self._in_order:
            weights = weights[:, self.sample]
        return weights if self.row_weight is None else weights * self.row_weight


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
