"""Scores of the folds of each draw, which some rules of selection need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..metrics._by_fold import ScoresByFold
from ..metrics._metric import BoundMetric, Metric
from ..predictions._predictions import OOFPredictions


def bound_alike(kernel: Any, oof: OOFPredictions, metric: Metric) -> Any:
    """Bind another metric as `kernel` is bound: to predictions, or to the same folds."""
    return metric.bind(oof) if isinstance(kernel, BoundMetric) else kernel.alike(metric, oof)


@dataclass(frozen=True, eq=False)
class FoldsOfDraws:
    """Fold scores of each draw and how often each fold counts.

    `scores` (n_draws or 1, n_folds, n_configs), NaN where undefined. `times` (n_draws, n_folds): 0
    or 1 on draws of samples, where folds without a defined score are left out; as often as it was
    drawn on draws of folds.
    """

    scores: np.ndarray
    times: np.ndarray

    @property
    def n_folds(self) -> np.ndarray:
        """Number of folds of each draw, repetitions counted, shape (n_draws,)."""
        return self.times.sum(axis=1, dtype=np.int64)

    def mean_and_error(self) -> tuple[np.ndarray, np.ndarray]:
        """Compute the mean over the folds and its standard error, as if folds were independent.

        Returns shape `mean, error` (n_draws, n_configs).
        """
        times = self.times.astype(float)
        n = times.sum(axis=1)[:, None]
        # A fold that does not count must not spoil the sums with its NaN.
        scores = np.where(times[:, :, None] > 0, self.scores, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.einsum("df,dfc->dc", times, scores) / n
            scores -= mean[:, None]
            error = np.sqrt(np.einsum("df,dfc->dc", times, scores * scores) / (n - 1) / n)
        error[(n < 2).ravel()] = np.nan
        return mean, error


class FoldScorer:
    """Callable that makes `FoldsOfDraws` from weights, whatever is drawn.

    `n_folds` counts those of all repeats; `seconds_per_draw` is 0 where the metric has a kernel.
    """

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self.seconds_per_draw = 0.0
        if isinstance(kernel, BoundMetric):
            self._by_fold = ScoresByFold(kernel)
            self.n_folds = self._by_fold.n_splits
            self.bytes_per_draw = self._by_fold.bytes_per_draw
            self.seconds_per_draw = self._by_fold.seconds_per_draw
        else:
            self.n_folds = len(kernel.fold_scores)
            self.bytes_per_draw = 24 * self.n_folds * kernel.n_configs

    def __call__(self, weights: np.ndarray) -> FoldsOfDraws:
        """Compute the scores of each draw by fold.

        `weights` (n_draws, n_units).
        """
        if isinstance(self._kernel, BoundMetric):
            scores = self._by_fold(weights)
            # A fold counts where any configuration has a score: the others lose there.
            return FoldsOfDraws(scores, (~np.isnan(scores).all(axis=2)).astype(np.uint8))
        scores = np.broadcast_to(
            self._kernel.fold_scores, (len(weights), *self._kernel.fold_scores.shape)
        )
        return FoldsOfDraws(scores, np.asarray(weights))
