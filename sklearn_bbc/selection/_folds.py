"""Scores of the folds of each draw, which some rules of selection need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..metrics._by_fold import FoldTable, ScoresByFold
from ..metrics._metric import BoundMetric
from ..metrics._scored import Scored


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

    def __init__(self, scored: Scored) -> None:
        self.seconds_per_draw = 0.0
        self._scores: np.ndarray | ScoresByFold
        if isinstance(scored, FoldTable):
            self._scores, self.n_folds = scored.fold_scores, scored.n_units
            self.bytes_per_draw = 24 * self.n_folds * scored.n_configs
        else:
            assert isinstance(scored, BoundMetric)
            self._scores = ScoresByFold(scored)
            self.n_folds = self._scores.n_splits
            self.bytes_per_draw = self._scores.bytes_per_draw
            self.seconds_per_draw = self._scores.seconds_per_draw

    def __call__(self, weights: np.ndarray) -> FoldsOfDraws:
        """Compute the scores of each draw by fold.

        `weights` (n_draws, n_units).
        """
        if isinstance(self._scores, np.ndarray):
            scores = np.broadcast_to(self._scores, (len(weights), *self._scores.shape))
            return FoldsOfDraws(scores, np.asarray(weights))
        scores = self._scores(weights)
        # A fold counts where any configuration has a score: the others lose there.
        return FoldsOfDraws(scores, (~np.isnan(scores).all(axis=2)).astype(np.uint8))
