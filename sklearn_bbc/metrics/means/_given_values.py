"""Mean of values that were computed elsewhere, a loss per sample for instance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import make_scorer

from .._metric import Metric
from .._rows import RowData
from .._sums_in_blocks import Where
from ._classification import MeanKernel


def mean_of_values(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Weighted mean of `y_pred`, whatever `y_true` is."""
    return float(np.average(y_pred, weights=sample_weight))


class MeanOfValues(MeanKernel):
    """Mean of the given values; there are no labels to compare them with."""

    name = "mean_of_values"
    score_funcs = {mean_of_values: (-np.inf, np.inf)}

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """One number per row."""
        return not rows.kwargs and rows.pred.ndim == 2 and rows.pred.dtype.kind in "iufb"

    def _values(self, configs: Where, rows: Where) -> np.ndarray:
        return self.rows.pred[configs, rows].astype(np.float64, copy=False)


MEAN = Metric(
    name="mean",
    scorer=make_scorer(mean_of_values),
    score_func=mean_of_values,
    response_method=("predict",),
)
"""Mean of the given values, for losses without labels."""
