"""Scores by fold as the rules see them, on draws of samples and on draws of folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._floats import nan_loses
from ..metrics import BoundKernel, Metric, ScoresByFold
from ..predictions import OOFPredictions


@dataclass(frozen=True, eq=False)
class FoldsOfDraws:
    """Fold scores of each draw and how often each fold counts.

    Attributes
    ----------
    scores : ndarray of shape (n_draws or 1, n_folds, n_configs)
        Greater is better; NaN where undefined.
    times : ndarray of shape (n_draws, n_folds)
        How often each fold counts: 0 or 1 on draws of samples, where folds without a defined
        score are left out; as often as it was drawn on draws of folds.
    """

    scores: np.ndarray
    times: np.ndarray

    @property
    def n_folds(self) -> np.ndarray:
        """Number of folds of each draw, repetitions counted, shape (n_draws,)."""
        return self.times.sum(axis=1, dtype=np.int64)

    def mean_and_error(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean over the folds and its standard error, as if folds were independent.

        Returns
        -------
        mean, error : ndarray of shape (n_draws, n_configs)
            NaN for configurations without a score in some fold that counts; the error is NaN
            with fewer than two folds.
        """
        counts = self.times > 0
        # A fold that does not count must not spoil the sums with its NaN.
        scores = self.scores
        if not counts.all():
            scores = np.where(counts[:, :, None], scores, 0.0)
        once = self.times.max(initial=0) <= 1
        times = self.times.astype(float)
        n = self.n_folds[:, None].astype(float)
        with np.errstate(invalid="ignore", divide="ignore"):
            # Fold by fold: the bits do not depend on the number of draws.
            mean = _over_folds(scores, None if once else times) / n
            square = np.zeros(mean.shape)
            for fold in range(scores.shape[1]):
                deviation = scores[:, fold] - mean
                deviation *= deviation
                if not (once and counts[:, fold].all()):
                    deviation *= times[:, fold, None]
                square += deviation
            error = np.sqrt(square / (n - 1) / n)
        error[(n < 2).ravel()] = np.nan
        return mean, error


def _over_folds(scores: np.ndarray, times: np.ndarray | None) -> np.ndarray:
    n_draws = len(scores) if times is None else len(times)
    total = np.zeros((n_draws, scores.shape[2]))
    for fold in range(scores.shape[1]):
        total += scores[:, fold] if times is None else scores[:, fold] * times[:, fold, None]
    return total


class FoldScorer:
    """Make `FoldsOfDraws` from weights, whatever is drawn.

    Parameters
    ----------
    kernel : BoundKernel or FoldTable
        The metric bound to predictions, or the scores per fold.

    Attributes
    ----------
    n_folds : int
        Number of folds, those of all repeats.
    bytes_per_draw : int
        Memory in bytes that a draw needs.
    seconds_per_draw : float
        Time of a draw where the metric has no kernel; else 0.
    """

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self.seconds_per_draw = 0.0
        if isinstance(kernel, BoundKernel):
            self._by_fold = ScoresByFold(kernel)
            self.n_folds = self._by_fold.n_splits
            self.bytes_per_draw = self._by_fold.bytes_per_draw
            self.seconds_per_draw = self._by_fold.seconds_per_draw
        else:
            self.n_folds = len(kernel.fold_scores)
            self.bytes_per_draw = 24 * self.n_folds * kernel.n_configs

    def __call__(self, weights: np.ndarray) -> FoldsOfDraws:
        """Scores by fold of each draw.

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_units)
            Counts of samples, or of folds.
        """
        if isinstance(self._kernel, BoundKernel):
            scores = self._by_fold(weights)
            # A fold counts where any configuration has a score: the others lose there.
            defined = ~np.isnan(scores[:, :, self._probe(scores)])
            if not defined.all():
                defined = ~np.isnan(scores).all(axis=2)
            return FoldsOfDraws(scores, defined.astype(np.uint8))
        scores = np.broadcast_to(
            self._kernel.fold_scores, (len(weights), *self._kernel.fold_scores.shape)
        )
        return FoldsOfDraws(scores, np.asarray(weights))

    def _probe(self, scores: np.ndarray) -> int:
        """A configuration that is usually defined: looking at it alone is quick."""
        return int(np.flatnonzero(self._kernel.valid)[0]) if self._kernel.valid.any() else 0


class FoldTable:
    """Scores per fold, selected and scored on draws of folds.

    Parameters
    ----------
    metric : Metric
        What the scores are of.
    fold_scores : ndarray of shape (n_folds, n_configs)
        Greater is better; configurations with a NaN cannot win.

    Attributes
    ----------
    valid : ndarray of shape (n_configs,), bool
        Configurations with a score in every fold.
    n_samples : int
        Number of folds: what is drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.metrics import as_metric
    >>> from sklearn_bbc.selection import FoldTable
    >>> table = FoldTable(as_metric("accuracy"), np.array([[0.7, 0.6], [0.5, 0.9]]))
    >>> table.scores(np.array([[1, 1], [2, 0]]))
    array([[0.6 , 0.75],
           [0.7 , 0.6 ]])
    """

    def __init__(self, metric: Metric, fold_scores: np.ndarray) -> None:
        self.metric = metric
        self.fold_scores = np.asarray(fold_scores, dtype=float)
        self.splits = np.arange(len(self.fold_scores))
        self.n_samples, self.n_configs = self.fold_scores.shape
        self.valid = np.isfinite(self.fold_scores).all(axis=0)

    def scores(self, weights: np.ndarray) -> np.ndarray:
        """Weighted means over the folds.

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_folds)
            Weight of each fold.

        Returns
        -------
        ndarray of shape (n_draws, n_configs)
            NaN for configurations that are not valid, and where no fold has weight.
        """
        total = _over_folds(self.fold_scores[None], np.asarray(weights, dtype=float))
        weight = np.asarray(weights, dtype=float).sum(axis=1)
        means = total / np.where(weight > 0, weight, np.nan)[:, None]
        means[:, ~self.valid] = np.nan
        return means

    def winners(self, weights: np.ndarray) -> np.ndarray:
        """Best configuration of each draw, means within rounding being equal.

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_folds)
            Weight of each fold.

        Returns
        -------
        ndarray of shape (n_draws,), intp
            First index on ties, -1 where every configuration is undefined.
        """
        means = self.scores(weights)
        return first_within(means, np.zeros(len(means)))

    def score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Mean of one configuration per draw.

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_folds)
            Weight of each fold.
        configs : ndarray of shape (n_draws,)
            Configuration of each draw; -1 gives NaN.

        Returns
        -------
        ndarray of shape (n_draws,)
            Greater is better.
        """
        configs = np.broadcast_to(np.asarray(configs), (len(weights),))
        total, norm = np.zeros(len(weights)), np.zeros(len(weights))
        for fold in range(self.n_samples):
            total += weights[:, fold] * self.fold_scores[fold, np.maximum(configs, 0)]
            norm += weights[:, fold]
        norm[configs < 0] = np.nan
        return total / np.where(norm > 0, norm, np.nan)


def bound_alike(kernel: Any, oof: OOFPredictions, metric: Metric) -> Any:
    """Bind another metric as `kernel` is bound: to predictions, or to the same folds."""
    if isinstance(kernel, BoundKernel):
        return metric.bind(oof)
    scores = np.where(oof.failed, np.nan, metric.fold_scores(oof))
    return FoldTable(metric, scores[kernel.splits])


ROUNDING = 64 * float(np.finfo(float).eps)
"""Means that differ by less, relatively, are equal apart from the order of a sum."""


def within(scores: np.ndarray, margin: np.ndarray) -> np.ndarray:
    """Configurations within a margin of the best of each draw.

    Parameters
    ----------
    scores : ndarray of shape (n_draws, n_configs)
        Greater is better; NaN is never within.
    margin : ndarray of shape (n_draws,)
        At least 0; NaN leaves nobody.

    Returns
    -------
    ndarray of shape (n_draws, n_configs), bool
        True for the best and those not further below than the margin, up to rounding.
    """
    filled = nan_loses(scores)
    best = filled.max(axis=1)
    slack = ROUNDING * np.where(np.isfinite(best), np.abs(best) + margin, 0.0)
    least = best - margin - slack
    least[np.isneginf(best)] = np.inf
    return filled >= least[:, None]


def first_within(scores: np.ndarray, margin: np.ndarray) -> np.ndarray:
    """First configuration within a margin of the best, -1 where there is none."""
    members = within(scores, margin)
    return np.where(members.any(axis=1), members.argmax(axis=1), -1)


def simplest(members: np.ndarray, ranks: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The simplest member of each draw.

    Parameters
    ----------
    members : ndarray of shape (n_draws, n_configs), bool
        Configurations to choose from.
    ranks : ndarray of shape (n_configs,)
        Complexity, 0 is the simplest.
    scores : ndarray of shape (n_draws, n_configs)
        Decide between equally simple ones; then the first.

    Returns
    -------
    ndarray of shape (n_draws,), intp
        -1 where there is no member.
    """
    lowest = np.where(members, ranks, len(ranks)).min(axis=1)
    candidates = members & (ranks == lowest[:, None])
    best = first_within(np.where(candidates, scores, np.nan), np.zeros(len(members)))
    return np.where(members.any(axis=1), best, -1)
