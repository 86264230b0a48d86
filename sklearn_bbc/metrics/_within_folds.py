"""Any metric with comparisons inside folds only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np

from ..predictions import OOFPredictions
from ._base import MetricKernel
from ._metric import Metric, as_metric
from ._rows import RowData
from ._scores_by_fold import rows_of
from .ranking._base import RankKernel
from .ranking._concordance import ConcordanceIndex
from .ranking._one_vs_rest import MicroAverage

SUFFIX = " within folds"


def within_folds(scoring: Any) -> Metric:
    """Make a metric that compares only samples which the same model predicted.

    Rank metrics on pooled out-of-fold predictions compare samples of different folds, whose
    scores come from different models and may be on different scales. Then the pooled score is
    below what any of the models reaches, with or without tuning. Within folds this cannot
    happen, at the price of fewer pairs.

    Parameters
    ----------
    scoring : str, scorer or Metric
        As in `as_metric`.

    Returns
    -------
    Metric
        Its name says ``"within folds"``. For every method on predictions, for
        ``search.interval`` and for `with_winner`.

    See Also
    --------
    as_metric : Metrics on pooled predictions.

    Notes
    -----
    Areas under the ROC curve and the concordance index are the share of the pairs of one fold
    that are in the right order, so folds count by their pairs. Average precision counts folds
    by their positives. Every other metric is the mean of the scores on the folds, weighted
    by the weight of their samples in the draw; for means over samples, such as accuracy or log
    loss, that is the metric itself. A draw in which a fold with samples has no score (R2 of
    one sample) is undefined and counted.

    A draw leaves folds with few samples: with tiny folds the intervals become wide, and with
    nearly perfect scores they hold less often than promised.

    Examples
    --------
    Two folds whose models agree on the order but not on the scale:

    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.metrics import as_metric, within_folds
    >>> y = [0, 0, 1, 1, 0, 0, 1, 1]
    >>> scores = np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]]).T
    >>> oof = OOFPredictions(y_true=y, y_pred=scores, fold=[0, 0, 0, 0, 1, 1, 1, 1])
    >>> for metric in (as_metric("roc_auc"), within_folds("roc_auc")):
    ...     print(metric.name, metric.bind(oof).score_on_data(0))
    roc_auc 0.75
    roc_auc within folds 1.0
    """
    metric = as_metric(scoring)
    if isinstance(metric, WithinFolds):
        return metric
    given = {each.name: getattr(metric, each.name) for each in fields(Metric)}
    return WithinFolds(**given | {"name": f"{metric.name}{SUFFIX}"}, pooled=metric)


class WithinFolds(Metric):
    """A metric whose kernel compares within folds; made by `within_folds`.

    Parameters
    ----------
    pooled : Metric
        The metric on all samples at once.
    **given
        Parameters of `Metric`.
    """

    def __init__(self, *, pooled: Metric, **given: Any) -> None:
        super().__init__(**given)
        object.__setattr__(self, "pooled", pooled)

    pooled: Metric

    def _with_positive(self, pos_label: Any) -> Metric:
        """Give the same metric with a positive class, see `Metric._with_positive`."""
        pooled = self.pooled._with_positive(pos_label)
        if pooled is self.pooled:
            return self
        given = {each.name: getattr(self, each.name) for each in fields(Metric)}
        return WithinFolds(**given | {"kwargs": pooled.kwargs}, pooled=pooled)

    def kernel_of(self, rows: RowData) -> MetricKernel:
        """Kernel for the rows of one repeat, see `Metric.kernel_of`."""
        assert rows.fold is not None
        kernel = self.pooled.kernel_of(rows)
        if kernel.is_pointwise or (rows.fold == rows.fold[0]).all():
            return kernel
        if isinstance(kernel, RankKernel | ConcordanceIndex | MicroAverage):
            kernel.stay_within(rows.fold)
            return kernel
        return MeanOfFolds(self.pooled, rows, kernel)

    def recorded_fold_scores(self, oof: OOFPredictions) -> np.ndarray | None:
        """Scores per split as the search recorded them: a fold alone is as it was."""
        return self.pooled.recorded_fold_scores(oof)


class MeanOfFolds(MetricKernel):
    """Weighted mean of a metric over the folds.

    Parameters
    ----------
    metric : Metric
        The metric on the rows of one fold.
    rows : RowData
        Rows of one repeat.
    pooled : MetricKernel
        Kernel of the metric on all rows: what draws must hold, and what is defined.
    """

    def __init__(self, metric: Metric, rows: RowData, pooled: MetricKernel) -> None:
        super().__init__(metric.score_func, rows)  # type: ignore[arg-type]
        assert rows.fold is not None
        self.strata, self.strata_names = pooled.strata, list(pooled.strata_names)
        self.defined = pooled.defined
        self.seconds_per_score = pooled.seconds_per_score
        self._folds = []
        for each in np.unique(rows.fold):
            here = np.flatnonzero(rows.fold == each)
            self._folds.append(_Fold(here, metric.kernel_of(rows_of(rows, here))))
        # Of this object: the class itself is not a family that a metric could choose.
        self.name = f"{pooled.name}{SUFFIX}"  # type: ignore[misc]
        self.prefers = pooled.prefers  # type: ignore[misc]

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that scoring one draw needs."""
        largest = max(fold.kernel.bytes_per_draw for fold in self._folds)
        return largest + 8 * self.rows.n_rows + 32 * self.rows.n_configs

    def _scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        return self._mean(weights, lambda kernel, some: kernel._scores(some, configs))

    def _score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        return self._mean(weights, lambda kernel, some: kernel._score_of(some, configs))

    def _mean(
        self, weights: np.ndarray, score: Callable[[MetricKernel, np.ndarray], np.ndarray]
    ) -> np.ndarray:
        """Mean of the folds' scores; folds without weight are left out."""
        total: np.ndarray | float = 0.0
        norm = np.zeros(len(weights))
        for fold in self._folds:
            some = np.ascontiguousarray(weights[:, fold.rows])
            size = _weight(some)
            scores = score(fold.kernel, some)
            size = size.reshape(-1, *[1] * (scores.ndim - 1))
            total = total + np.where(size > 0, scores, 0.0) * size
            norm += size.ravel()
        norm = norm.reshape(-1, *[1] * (np.ndim(total) - 1))
        with np.errstate(invalid="ignore"):
            return np.where(norm > 0, total / np.where(norm > 0, norm, 1.0), np.nan)


class _Fold:
    """Rows of one fold and their kernel."""

    def __init__(self, rows: np.ndarray, kernel: MetricKernel) -> None:
        self.rows, self.kernel = rows, kernel


def _weight(weights: np.ndarray) -> np.ndarray:
    """Weight of some rows in each draw."""
    if weights.dtype.kind in "biu":
        return weights.sum(axis=1, dtype=np.int64).astype(np.float64)
    return np.cumsum(weights, axis=1)[:, -1]
