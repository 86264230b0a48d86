"""Scores on each fold of many weighted resamples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..predictions._metadata import taken_metadata
from ._base import MetricKernel
from ._bound import BoundKernel
from ._rows import RowData


class ScoresByFold:
    """Score every configuration on every fold of every draw.

    Each fold has a kernel of its own, bound to its rows only, so that all folds together
    cost about as much as one pass over all rows.

    Parameters
    ----------
    kernel : BoundKernel
        Metric bound to the predictions.

    Attributes
    ----------
    n_splits : int
        Number of folds, those of all repeats.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.metrics import ScoresByFold, as_metric
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions(n_samples=60, n_configs=3, n_folds=5)
    >>> scores = ScoresByFold(as_metric("roc_auc").bind(oof))
    >>> scores(np.ones((2, 60), dtype=int)).shape
    (2, 5, 3)
    """

    def __init__(self, kernel: BoundKernel) -> None:
        self._kernel = kernel
        self._valid = np.flatnonzero(kernel.valid)
        self._place = kernel._position[self._valid]
        self._folds: list[tuple[int, np.ndarray, np.ndarray | None, MetricKernel]] = []
        problem: ValueError | None = None
        for part in kernel._repeats:
            strata = part.kernel.strata
            for split in part.splits:
                here = np.flatnonzero(part.fold == split)
                if strata is not None and not strata[:, here].any(axis=1).all():
                    continue  # it lacks a class: no draw has a score here
                weight = None if part.row_weight is None else part.row_weight[here]
                try:
                    of_fold = kernel.metric.kernel_of(rows_of(part.kernel.rows, here))
                except ValueError as error:  # the metric has no score on all rows of the fold
                    problem = error
                    continue
                self._folds.append((int(split), part.sample[here], weight, of_fold))
        if not self._folds:
            raise ValueError(
                f"{kernel.metric.name} is undefined in every fold"
                + (": each lacks a class. Use fewer folds." if problem is None else f": {problem}")
            ) from problem
        self.n_splits = 1 + max(int(part.splits[-1]) for part in kernel._repeats)

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that scoring one draw needs."""
        largest = max(fold.bytes_per_draw for *_, fold in self._folds)
        return largest + 16 * self.n_splits * self._kernel.n_configs

    @property
    def seconds_per_draw(self) -> float:
        """Time that the folds of one draw take, where a metric has no kernel; else 0."""
        each = sum(fold.seconds_per_score or 0.0 for *_, fold in self._folds)
        return each * self._kernel.n_distinct

    def __call__(self, weights: np.ndarray) -> np.ndarray:
        """Score the folds.

        Parameters
        ----------
        weights : ndarray of shape (n_draws, n_samples)
            Weight of each sample in each draw.

        Returns
        -------
        ndarray of shape (n_draws, n_splits, n_configs)
            Greater is better; NaN where undefined, as on a fold without a sample.
        """
        scores = np.full((len(weights), self.n_splits, self._kernel.n_configs), np.nan)
        distinct = np.arange(self._kernel.n_distinct)
        everything = len(distinct) == self._kernel.n_configs
        for split, sample, weight, kernel in self._folds:
            some = np.ascontiguousarray(weights[:, sample])
            if weight is not None:
                some = some * weight
            of_fold = kernel._scores(some, distinct)
            if everything:
                scores[:, split] = of_fold
            else:
                scores[:, split, self._valid] = of_fold[:, self._place]
            empty = ~some.any(axis=1)
            if empty.any():
                scores[empty, split] = np.nan
        if self._kernel.metric.sign < 0:
            np.negative(scores, out=scores)
        if everything and len(self._valid) < self._kernel.n_configs:
            scores[:, :, ~self._kernel.valid] = np.nan
        return scores


def place_among_distinct(kernel: BoundKernel, configs: np.ndarray) -> np.ndarray:
    """Find configurations among those that predict differently.

    Parameters
    ----------
    kernel : BoundKernel
        Metric bound to predictions.
    configs : ndarray of shape (n_chosen,) of int
        Defined configurations.

    Returns
    -------
    ndarray of shape (n_chosen,) of int
        Positions in ``kernel.distinct`` of the first configuration that predicts the same.
    """
    place = np.cumsum(kernel.valid[kernel._distinct]) - 1
    return place[kernel._position[configs]]


def rows_of(rows: RowData, here: np.ndarray) -> RowData:
    """Some of the rows.

    Parameters
    ----------
    rows : RowData
        All rows.
    here : ndarray of int
        Their positions.
    """
    return replace(
        rows,
        y=rows.y[here],
        pred=rows.pred[:, here],
        responses={name: array[:, here] for name, array in rows.responses.items()},
        fold=None if rows.fold is None else rows.fold[here],
        metadata=taken_metadata(rows.metadata, here),
    )
