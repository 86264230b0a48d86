"""What the difference between the best score and the corrected one is made of."""

from __future__ import annotations

import dataclasses

import numpy as np

from .._wording import metric_words, shown
from ..results import ConfidenceInterval

__all__ = ["mostly_pooling", "with_parts"]


def mostly_pooling(pooling: float, selection: float, error: float) -> bool:
    """Whether pooling is more than half of the optimism and more than a standard error.

    Parameters
    ----------
    pooling, selection : float
        The two parts.
    error : float
        Standard error of the mean over the folds; NaN with a single fold.
    """
    return bool(abs(pooling) > error and abs(pooling) > abs(pooling + selection) / 2)


def with_parts(
    result: ConfidenceInterval, mean: float, fold_scores: np.ndarray
) -> ConfidenceInterval:
    """Add to a result of BBC what its difference to the score of the search is made of.

    Parameters
    ----------
    result : ConfidenceInterval
        Has ``pooled_score`` in its details; any other result is given back.
    mean : float
        Mean score over the splits of the winner, as in ``cv_results_``.
    fold_scores : ndarray of shape (n_splits,)
        The winner's scores per split.

    Returns
    -------
    ConfidenceInterval
        With ``optimism_parts`` and ``mostly_pooling`` in `details`, and a note where the
        latter is true.
    """
    pooled = result.details.get("pooled_score", np.nan)
    if not np.isfinite([mean, pooled, result.estimate]).all():
        return result
    parts = {"pooling": float(mean - pooled), "selection": float(pooled - result.estimate)}
    error = np.nan
    if len(fold_scores) > 1:
        error = float(np.std(fold_scores, ddof=1) / np.sqrt(len(fold_scores)))
    mostly = mostly_pooling(**parts, error=error)
    details = {**result.details, "optimism_parts": parts, "mostly_pooling": mostly}
    if mostly:
        words = metric_words(result.metric, (mean, result.estimate))
        mean_text, estimate, both, pooling, selection = shown(
            words.natural(mean), words.natural(result.estimate), sum(parts.values()),
            parts["pooling"], parts["selection"],
        )  # fmt: skip
        details["notes"] = [
            *result.details.get("notes", []),
            f"Mostly pooling: the mean {words.name} over the folds, {mean_text}, and the "
            f"corrected one, {estimate}, differ by {both}. Of that, {pooling} comes from scoring "
            f"the predictions of all folds together and {selection} from the selection. "
            "within_folds of sklearn_bbc.metrics scores each fold by itself: "
            f"interval(scoring=within_folds({result.metric!r})).",
        ]
    return dataclasses.replace(result, details=details)
