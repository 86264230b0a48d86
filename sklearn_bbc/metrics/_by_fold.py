"""Scores on each fold of weighted resamples, and scores per fold as a metric on draws of folds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from .._rounding import rounding
from ..predictions._predictions import OOFPredictions, with_fields
from ..predictions._validation import taken_metadata
from ._base import MetricKernel, RowData, first_best, first_best_sum, least_size
from ._concordance import ConcordanceIndex
from ._metric import BoundMetric, Metric, as_metric
from ._ranking import MicroAverage, RankKernel


class ScoresByFold:
    """Scores of every configuration on every fold of every draw.

    Each fold has a kernel of its own, bound to its rows only, so that all folds together cost
    about as much as one pass over all rows. `n_splits` is the number of folds of all repeats.
    """

    def __init__(self, kernel: BoundMetric) -> None:
        self._kernel = kernel
        self._valid = np.flatnonzero(kernel.valid)
        self._place = kernel.position[self._valid]
        self._folds: list[tuple[int, np.ndarray, np.ndarray | None, MetricKernel]] = []
        problem: ValueError | None = None
        for part in kernel.repeats:
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
        self.n_splits = 1 + max(int(part.splits[-1]) for part in kernel.repeats)

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
        """Score the folds: `weights` (n_draws, n_samples) -> (n_draws, n_splits, n_configs)."""
        scores = np.full((len(weights), self.n_splits, self._kernel.n_configs), np.nan)
        distinct = np.arange(self._kernel.n_distinct)
        everything = len(distinct) == self._kernel.n_configs
        for split, sample, weight, kernel in self._folds:
            some = np.ascontiguousarray(weights[:, sample])
            if weight is not None:
                some = some * weight
            of_fold = kernel.scores(some, distinct)
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


def rows_of(rows: RowData, here: np.ndarray) -> RowData:
    """Select some of the rows."""
    return replace(
        rows,
        y=rows.y[here],
        pred=rows.pred[:, here],
        responses={name: array[:, here] for name, array in rows.responses.items()},
        fold=None if rows.fold is None else rows.fold[here],
        metadata=taken_metadata(rows.metadata, here),
    )


SUFFIX = " within folds"


def within_folds(scoring: Any) -> Metric:
    """Make a metric that compares only samples that the same model predicted.

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
        Its name ends with ``"within folds"``. For every method on predictions, and for
        ``search.interval``.

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
    nearly perfect scores they cover the true score less often than promised.

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


@dataclass(frozen=True, kw_only=True, eq=False)
class WithinFolds(Metric):
    """A metric whose kernel compares within folds; made by `within_folds`.

    `pooled` is the metric on all samples at once.
    """

    pooled: Metric

    def with_positive(self, pos_label: Any) -> Metric:
        """See `Metric.with_positive`."""
        pooled = self.pooled.with_positive(pos_label)
        if pooled is self.pooled:
            return self
        return replace(self, kwargs=pooled.kwargs, pooled=pooled)

    def kernel_of(self, rows: RowData) -> MetricKernel:
        """Make the kernel for the rows of one repeat, see `Metric.kernel_of`."""
        assert rows.fold is not None
        kernel = self.pooled.kernel_of(rows)
        if kernel.is_pointwise or (rows.fold == rows.fold[0]).all():
            return kernel
        if isinstance(kernel, RankKernel | ConcordanceIndex | MicroAverage):
            kernel.stay_within(rows.fold)
            return kernel
        return MeanOfFolds(self.pooled, rows, kernel)

    def recorded_fold_scores(self, oof: OOFPredictions) -> np.ndarray | None:
        """Return the recorded scores per split; they already compare within folds."""
        return self.pooled.recorded_fold_scores(oof)


class MeanOfFolds(MetricKernel):
    """Weighted mean of a metric over the folds.

    `pooled` is the kernel of the metric on all rows: what draws must hold, and what is defined.
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

    def scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        return self._mean(weights, lambda kernel, some: kernel.scores(some, configs))

    def score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        return self._mean(weights, lambda kernel, some: kernel.score_of(some, configs))

    def _mean(
        self, weights: np.ndarray, score: Callable[[MetricKernel, np.ndarray], np.ndarray]
    ) -> np.ndarray:
        """Average the scores of the folds by weight, leaving out folds without weight."""
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
    """Sum the weights of the rows in each draw."""
    if weights.dtype.kind in "biu":
        return weights.sum(axis=1, dtype=np.int64).astype(np.float64)
    return np.cumsum(weights, axis=1)[:, -1]


TOO_LARGE = 1e290
"""Scores this far from zero are undefined: their sum could overflow."""


class FoldTable:
    """Scores per fold, selected and scored on draws of folds: a metric whose units are folds.

    A configuration without a finite score in some fold, drawn or not, cannot win. Weights of
    folds have shape (n_draws, n_folds).

    Scores are those of `metric` that the predictions hold, or that follow from them. They are
    `recorded` (n_all_folds, n_configs), NaN where the configuration failed, greater is better.
    `splits` (n_folds,) are the folds that are drawn, such as those of one repeat, None for all;
    of these, `fold_scores` (n_folds, n_configs) are NaN as well where they are too large.
    """

    is_pointwise = False

    def __init__(
        self,
        metric: Metric,
        oof: OOFPredictions,
        *,
        splits: np.ndarray | None = None,
        recorded: np.ndarray | None = None,
    ) -> None:
        self.metric, self.oof = metric, oof
        if recorded is None:
            recorded = np.array(metric.fold_scores(oof), dtype=float)
            recorded[:, oof.failed] = np.nan
        self.recorded = recorded
        # Others are infinite, or their sum could be.
        usable = np.where(np.abs(self.recorded) < TOO_LARGE, self.recorded, np.nan)
        self.valid = np.asarray(np.isfinite(usable).all(axis=0))
        self.splits = np.arange(len(usable)) if splits is None else splits
        self.fold_scores = usable[self.splits]
        self.n_units, self.n_configs = self.fold_scores.shape
        self.n_distinct = self.n_configs
        self.first_alike = np.arange(self.n_configs)
        self.rounding = rounding(self.n_units)
        self.bytes_per_draw = 64 * self.n_configs

    def on(self, splits: np.ndarray) -> FoldTable:
        """Take some of all folds, (n_folds,); what may win stays the same."""
        return FoldTable(self.metric, self.oof, splits=splits, recorded=self.recorded)

    def alike(self, metric: Metric, **fields: Any) -> FoldTable:
        """Make the table of another metric on the same folds, see `BoundMetric.alike`."""
        oof = with_fields(self.oof, **fields) if fields else self.oof
        return FoldTable(metric, metric.weighted(oof), splits=self.splits)

    @cached_property
    def _candidates(self) -> tuple[np.ndarray, np.ndarray]:
        """Configurations that some draw may select, (n_candidates,), and their scores."""
        chosen = contenders(self.fold_scores, np.flatnonzero(self.valid))
        return chosen, np.ascontiguousarray(self.fold_scores[:, chosen])

    def scores(self, weights: np.ndarray) -> np.ndarray:
        """Average over the folds with weights, (n_draws, n_configs); NaN where none has weight."""
        weights = np.asarray(weights, dtype=float)
        total, weight = np.einsum("df,fc->dc", weights, self.fold_scores), weights.sum(axis=1)
        means = total / np.where(weight > 0, weight, np.nan)[:, None]
        means[:, ~self.valid] = np.nan
        return means

    def winners(self, weights: np.ndarray) -> np.ndarray:
        """Find each draw's best configuration, the first of those within rounding; -1 for none."""
        configs, scores = self._candidates
        if not len(configs):
            return np.full(len(weights), -1)
        best = first_best_sum(weights, scores)
        return np.where(best >= 0, configs[best], -1)

    def score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Compute the mean of one configuration per draw, (n_draws,); NaN for configuration -1."""
        configs = np.broadcast_to(np.asarray(configs), (len(weights),))
        total, norm = np.zeros(len(weights)), np.zeros(len(weights))
        for fold in range(self.n_units):  # in order: equal draws give equal bits
            times = np.asarray(weights[:, fold], dtype=float)
            total += times * self.fold_scores[fold, np.maximum(configs, 0)]
            norm += times
        return total / np.where((configs >= 0) & (norm > 0), norm, np.nan)

    def first_best(self, scores: np.ndarray) -> np.ndarray:
        """Find the best by given scores (n_draws, n_configs), the first of equals; -1 for none."""
        return first_best(scores, self.rounding, least_size(self.metric.bounds))

    def passes(self) -> tuple[()]:
        """Return nothing: there is no memory to be saved."""
        return ()


def contenders(scores: np.ndarray, valid: np.ndarray) -> np.ndarray:
    """Find the configurations that some draw of folds may select.

    One that another beats in every fold, or equals and precedes, is never selected;
    only the configurations with the best means are tried as the other.

    `scores` (n_folds, n_configs), `valid` (n_valid,) -> (n_contenders,).
    """
    contends = np.ones(len(valid), dtype=bool)
    of_valid = scores[:, valid]
    margin = rounding(len(scores)) * np.abs(of_valid).max(axis=0, initial=0.0)
    for best in np.argsort(-of_valid.mean(axis=0), kind="stable")[:64]:
        lead = (of_valid[:, [best]] - of_valid).min(axis=0)
        beaten = lead > margin + margin[best]
        beaten[best + 1 :] |= lead[best + 1 :] >= 0
        contends &= ~beaten
    return valid[contends]
