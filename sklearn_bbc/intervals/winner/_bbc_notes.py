"""What results of BBC have to say about themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..._wording import metric_words, shown
from ...metrics import BoundKernel, Metric
from ...metrics._within_folds import WithinFolds
from ...predictions import OOFPredictions
from ...predictions._subset import part_of
from ...results import ConfidenceInterval
from .._criterion import some_fold_lacks_a_stratum

POOLED = "Samples of different folds are compared"
"""How the note on pooling begins."""


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
    """Say that pooling the folds moves a rank metric by more than a standard error, else None.

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
    if some_fold_lacks_a_stratum(oof, kernel):
        return None
    pooled = pooled_score(kernel, winner)
    by_folds, error = _mean_of_folds(kernel, winner)
    if not abs(by_folds - pooled) > error:
        return None
    name = metric_words(kernel.metric.name).name
    pooled_text, by_folds_text = shown(pooled, by_folds)
    return (
        f"{POOLED} by the scores of different models: the winner's {name} on all predictions "
        f"together is {pooled_text}, its mean over the folds {by_folds_text}, and they differ by "
        "more than one standard error. within_folds of sklearn_bbc.metrics compares within folds "
        "only."
    )


def _mean_of_folds(kernel: BoundKernel, config: int) -> tuple[float, float]:
    """Mean of the scores per fold of one configuration, and its standard error."""
    scores = kernel.fold_scores(configs=np.array([config]))[:, config]
    return float(scores.mean()), float(scores.std(ddof=1) / np.sqrt(len(scores)))


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
    mean, error = _mean_of_folds(kernel, 0)
    return bool(abs(mean - kernel.score_on_data(0)) > error)


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
