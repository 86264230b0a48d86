"""The configuration that tuning selects."""

from __future__ import annotations

import numpy as np

from ..metrics._alike import same_as
from ..metrics._base import first_best_sum
from ..metrics._consumed import Unbound
from ..metrics._metric import BoundMetric
from ..predictions._predictions import OOFPredictions

BY_FOLDS = "mean over folds"


ONLY = "the only one"
"""By what a winner was selected where there is nothing to select from."""


UNSCORED = "the first, without scores to compare"
"""By what a search selects where no configuration has a score in every fold."""


def best_by_folds(scores: np.ndarray, sizes: np.ndarray | None = None) -> int | None:
    """Find the configuration with the best mean over the folds; None if all lack some score.

    Means within rounding of the best one tie with it, and the first wins: sums of the same
    scores in another order are equal then, on every machine.

    `scores` (n_splits, n_configs), `sizes` (n_splits,).
    """
    weighted = scores if sizes is None else scores * sizes[:, None]
    complete = np.flatnonzero(np.isfinite(weighted.sum(axis=0)))
    if not len(complete):
        return None
    return int(complete[first_best_sum(np.ones((1, len(scores))), weighted[:, complete])[0]])


def some_fold_lacks_a_stratum(kernel: BoundMetric) -> bool:
    """Check whether the metric is undefined in some fold, whatever is predicted there."""
    oof = kernel.oof
    if kernel.strata is None:
        return False
    counts = (
        np.bincount(oof.fold, members[oof.sample], oof.n_splits) for members in kernel.strata
    )
    return any((count == 0).any() for count in counts)


def selected_configuration(kernel: BoundMetric) -> tuple[int, str]:
    """Find the configuration that tuning selects, and name the criterion.

    It is the search's own choice, else the best mean over the folds, as in a search; where no
    configuration has a score in every fold, the best score on the predictions of all folds. Of
    those that predict the same up to rounding it is the first.
    """
    oof = kernel.oof
    if oof.selected is not None:
        return oof.selected, oof.selected_by
    if oof.n_configs == 1:
        return 0, ONLY
    winner, how = None, BY_FOLDS
    if oof.n_splits > 1:
        winner = best_by_folds(fold_scores_of(kernel))
    if winner is None:
        winner, how = max(int(kernel.first_best(kernel.on_data()[None])[0]), 0), "pooled score"
    return int(same_as(kernel, winner)[0]), how


def fold_scores_of(kernel: BoundMetric) -> np.ndarray:
    """Return the scores per fold, recorded ones if there are any, (n_folds, n_configs)."""
    oof = kernel.oof
    scores = kernel.metric.recorded_fold_scores(oof)
    if scores is None:
        if some_fold_lacks_a_stratum(kernel):  # leave-one-out has many folds to score
            return np.full((1, oof.n_configs), np.nan)
        scores = kernel.fold_scores()
    return np.where(kernel.valid, scores, np.nan)


def with_winner_by(scored: Unbound) -> OOFPredictions:
    """Name the winner by a metric where the predictions name none."""
    metric, oof = scored
    if oof.selected is not None:
        return oof
    if oof.responses:
        winner, how = selected_configuration(metric.bind(oof))
    else:
        best = best_by_folds(np.where(oof.failed, np.nan, metric.fold_scores(oof)))
        winner, how = (0 if best is None else best), BY_FOLDS
    return oof.with_selected(winner, by=how if how == ONLY else f"{how} of {metric.name}")
