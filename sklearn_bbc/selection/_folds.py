"""Rules of selection on draws of folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._parameters import check_parameters
from ..metrics._bound import BoundKernel
from ..metrics._by_fold import FoldTable, ScoresByFold
from ..metrics._metric import Metric
from ..predictions._predictions import OOFPredictions, predictions_of_rows, with_fields
from ..predictions._validation import taken_metadata
from ._base import BoundSelection, Outcome, Selection, Wrapped, bind_with_fold_weights


def bound_alike(kernel: Any, oof: OOFPredictions, metric: Metric) -> Any:
    """Bind another metric as `kernel` is bound: to predictions, or to the same folds."""
    return metric.bind(oof) if isinstance(kernel, BoundKernel) else kernel.alike(metric, oof)


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
        if isinstance(kernel, BoundKernel):
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
        if isinstance(self._kernel, BoundKernel):
            scores = self._by_fold(weights)
            # A fold counts where any configuration has a score: the others lose there.
            return FoldsOfDraws(scores, (~np.isnan(scores).all(axis=2)).astype(np.uint8))
        scores = np.broadcast_to(
            self._kernel.fold_scores, (len(weights), *self._kernel.fold_scores.shape)
        )
        return FoldsOfDraws(scores, np.asarray(weights))


def bind_to_folds(
    selection: Selection, oof: OOFPredictions, metric: Metric, table: FoldTable
) -> BoundSelection:
    """Bind any rule to draws of folds."""
    if "predictions" not in selection.needs or not oof.responses:
        return selection.bind(oof, table)  # which says what is missing
    fold = np.searchsorted(table.splits, oof.fold)
    rows = np.flatnonzero(np.isin(oof.fold, table.splits))
    whole = len(table.splits) == oof.n_splits
    # A configuration that has no score in some fold cannot be selected.
    oof = with_fields(oof, failed=oof.failed | ~table.valid)
    return OnFolds(selection, oof, metric, table, rows, fold[rows], whole=whole)


class OnFolds(Wrapped):
    """A rule on single samples whose samples have the weight of their fold.

    Each draw selects on the predictions of the drawn folds together, as often as each was
    drawn; configurations alone are selected by the mean over the folds. It is scored
    fold by fold, and the mean is reported.

    `table` has the scores of `metric` on the folds that are drawn; `rows` (n_rows,) of the
    predictions are in these folds, and `fold` (n_rows,) is the place of their fold in `table`;
    `whole` is True when these are all folds, so that `on_all` is what BBC selects, too.
    """

    def __init__(
        self,
        selection: Selection,
        oof: OOFPredictions,
        metric: Metric,
        table: FoldTable,
        rows: np.ndarray,
        fold: np.ndarray,
        *,
        whole: bool,
    ) -> None:
        check_parameters(selection)
        self._fold = fold
        sample = oof.sample[rows]
        # Rows become samples: with overlapping test sets a sample has one weight per fold.
        single = predictions_of_rows(
            y_true=oof.y_true[sample],
            responses={name: array[:, rows] for name, array in oof.responses.items()},
            fold=fold,
            pos_label=oof.pos_label,
            sample_weight=None if oof.sample_weight is None else oof.sample_weight[sample],
            classes=oof.classes_,
            params=oof.params or None,
            failed=oof.failed,
            metadata=taken_metadata(oof.metadata, sample),
        )

        def bound(predictions: OOFPredictions, of_fold: np.ndarray) -> BoundSelection:
            kernel = metric.bind(predictions)
            return bind_with_fold_weights(
                selection,
                predictions,
                kernel,
                lambda rule: ByFolds(rule.bind(oof, table), of_fold),
            )

        rule = bound(single, np.unique(fold, return_index=True)[1])
        super().__init__(rule, table)
        self._whole = bound(oof, np.zeros(len(table.splits), dtype=np.intp)) if whole else rule
        self.metric, self.by, self.draw_by_draw = self._whole.metric, self._whole.by, True
        self.of_configurations = self._whole.of_configurations
        self.bytes_per_draw = int(rule.kernel.bytes_per_draw)

    def choose(self, weights: np.ndarray) -> Outcome:
        """See `BoundSelection.choose`."""
        return self.rule.choose(np.asarray(weights)[:, self._fold])

    def score(self, outcome: Outcome, weights: np.ndarray) -> np.ndarray:
        """See `BoundSelection.score`: the mean over the folds, NaN where one has no score."""
        total, norm = np.zeros(len(weights)), np.zeros(len(weights))
        for fold in range(self.kernel.n_samples):
            times = np.asarray(weights[:, fold], dtype=float)
            draws = np.flatnonzero(times)
            if not len(draws):
                continue
            here = np.broadcast_to(self._fold == fold, (len(draws), len(self._fold)))
            total[draws] += times[draws] * self.rule.score(outcome.take(draws), here)
            norm += times
        return total / np.where(norm > 0, norm, np.nan)

    def members(self) -> np.ndarray:
        """See `BoundSelection.members`."""
        return self._whole.members()

    def on_all(self) -> Outcome:
        """See `BoundSelection.on_all`."""
        return self._whole.on_all()

    def describe(self, outcome: Outcome) -> dict[str, Any]:
        """See `BoundSelection.describe`."""
        return self._whole.describe(outcome)


class ByFolds(Wrapped):
    """A rule on scores per fold that is given weights of samples, equal within a fold.

    `of_fold` (n_folds,) is a sample of each fold, which has its weight.
    """

    def __init__(self, rule: BoundSelection, of_fold: np.ndarray) -> None:
        super().__init__(rule, rule.kernel)
        self._of_fold = of_fold

    def choose(self, weights: np.ndarray) -> Outcome:
        """See `BoundSelection.choose`."""
        return self.rule.choose(weights[:, self._of_fold])
