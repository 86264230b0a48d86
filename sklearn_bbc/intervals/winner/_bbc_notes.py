"""What results of BBC have to say about themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..._wording import metric_words
from ...metrics import BoundKernel, Metric
from ...metrics._within_folds import WithinFolds
from ...predictions import OOFPredictions
from ...predictions._subset import part_of
from ...results import ConfidenceInterval
from .._criterion import some_fold_lacks_a_stratum


def pooled_score(kernel: BoundKernel, winner: int) -> float:
    """Score of one configuration on the predictions of all folds together.

    Parameters
    ----------
    kernel : BoundKernel
        Metric bound to them.
    winner : int
        The configuration; NaN where it is -1 or undefined.
    """
    if not kernel.valid[winner]:  # without a winner, -1, the score is NaN as well
        return np.nan
    return kernel.score_on_data(winner)


def pooling_note(oof: OOFPredictions, kernel: BoundKernel, winner: int) -> str | None:
    """What pooling the folds does to a rank metric; None where nothing is compared across folds.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions.
    kernel : BoundKernel
        Metric bound to them.
    winner : int
        Configuration whose scores are compared.
    """
    if not kernel.is_rank or isinstance(kernel.metric, WithinFolds):
        return None
    if oof.n_splits <= oof.n_repeats or not kernel.valid[winner]:
        return None
    pooled = pooled_score(kernel, winner)
    by_folds = np.nan
    if not some_fold_lacks_a_stratum(oof, kernel):
        by_folds = float(kernel.fold_scores(configs=np.array([winner]))[:, winner].mean())
    name = metric_words(kernel.metric.name).name
    figures = f" The winner's pooled {name} is {pooled:.3f}"
    figures += f", its mean over folds {by_folds:.3f}." if np.isfinite(by_folds) else "."
    return (
        f"Samples of different folds are compared by the scores of different models, so the "
        f"{name} may be lower than within folds, even without selection.{figures}"
    )


def moved_by_pooling(oof: OOFPredictions, metric: Metric, config: int) -> bool:
    """Whether pooling the folds moves the score of a configuration by more than a standard error.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions.
    metric : Metric
        Only metrics that compare samples are moved.
    config : int
        The configuration.
    """
    if oof.n_splits <= oof.n_repeats or metric.score_func is None:
        return False
    try:
        kernel = metric.bind(part_of(oof, np.ones(oof.n_samples, bool), np.array([config])))
    except ValueError:  # what was recorded is not what the metric consumes
        return False
    if not kernel.is_rank or not kernel.valid[0] or some_fold_lacks_a_stratum(oof, kernel):
        return False
    scores = kernel.fold_scores()[:, 0]
    error = scores.std(ddof=1) / np.sqrt(len(scores))
    return bool(abs(scores.mean() - kernel.score_on_data(0)) > error)


def told_outside(result: ConfidenceInterval) -> ConfidenceInterval:
    """The result, with a note where its estimate lies outside its own interval."""
    if not (result.estimate < result.low or result.estimate > result.high):
        return result
    draws = np.asarray(result.draws)
    median = float(np.median(draws[~np.isnan(draws)]))
    note = (
        f"The estimate is outside the interval: it is the mean of the draws, which a few extreme "
        f"ones move. Report their median, {median:.4g}, with the interval, or a metric whose "
        "scores do not diverge on few samples, such as an absolute error."
    )
    notes = [*result.details.get("notes", []), note]
    return replace(result, details={**result.details, "median": median, "notes": notes})
