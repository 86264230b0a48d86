"""What the difference between the best score and the corrected one is made of."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

import numpy as np
from sklearn.metrics import d2_absolute_error_score, explained_variance_score, r2_score

from .._text import metric_words, printed_result, shown
from ..intervals._notes import POOLED
from ..metrics._base import needs_spread
from ..metrics._metric import Metric
from ..results._results import ConfidenceInterval

CHANCE = 2.0
"""Standard errors of the mean of the draws within which its distance is chance."""
HOW = "because of how the two are computed:"
CONSTANTS = {
    r2_score: "mean", explained_variance_score: "mean", d2_absolute_error_score: "median",
}  # fmt: skip
"""Function of a metric -> the constant with which it compares predictions."""
MOSTLY = "Mostly pooling"


def mostly_pooling(pooling: float, selection: float, error: float) -> bool:
    """Whether pooling is more than half of the optimism and more than a standard error."""
    return bool(abs(pooling) > error and abs(pooling) > abs(pooling + selection) / 2)


def with_parts(
    result: ConfidenceInterval, mean: float, fold_scores: np.ndarray
) -> ConfidenceInterval:
    """Add to a result of BBC what its difference to the score of the search is made of.

    `fold_scores` (n_splits,).
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
        words = metric_words(result.metric, (mean, result.estimate), result.details.get("sign"))
        mean_text, estimate, both, pooling, selection = shown(
            words.natural(mean), words.natural(result.estimate), sum(parts.values()),
            parts["pooling"], parts["selection"],
        )  # fmt: skip
        details["notes"] = [
            *_without(result.details.get("notes", []), POOLED),
            f"{MOSTLY}: the mean {words.name} over the folds, {mean_text}, and the "
            f"corrected one, {estimate}, differ by {both}. Of that, {pooling} comes from scoring "
            f"the predictions of all folds together and {selection} from the selection. "
            "within_folds of sklearn_bbc.metrics scores each fold by itself: "
            f"interval(scoring=within_folds({result.metric!r})).",
        ]
    return dataclasses.replace(result, details=details)


def with_why_better(result: ConfidenceInterval, metric: Metric, mean: float) -> ConfidenceInterval:
    """Say why an estimate is better than the score of the search, where it is.

    Selection makes scores look better than they are, so a reader expects the contrary.
    """
    details = result.details
    parts = details.get("optimism_parts")
    by_folds = details.get("unit") == "fold"
    if (parts is None and not by_folds) or not result.estimate > mean:
        return result
    words = metric_words(result.metric, (mean, result.estimate), details.get("sign"))
    pooled = parts is not None and _is_pooled(parts)
    others = [mean, mean - parts["pooling"]] if parts is not None else [mean]
    printed = printed_result(words, result, others)
    if printed.others[0] == printed.estimate or _is_chance(result, mean, pooled):
        return result
    why = _pooling(metric) if pooled else _draws(result, mean)
    if pooled:
        why += (
            f" Scored on all predictions together, the same configuration has {printed.others[1]}."
        )
    why = (
        f"The estimate of {printed.estimate} is better than the cross-validated {words.name} of "
        f"{printed.others[0]} {why}"
    )
    advice = ""
    # Few samples in a fold are too few for a spread of their own, out-of-bag all the more.
    if pooled and not needs_spread(metric):
        advice = (
            " within_folds of sklearn_bbc.metrics scores each fold by itself: "
            f"interval(scoring=within_folds({result.metric!r}))."
        )
    notes = _without(details.get("notes", []), MOSTLY)
    notes = _without(notes, POOLED) if pooled else notes
    notes.append(why + advice)
    return dataclasses.replace(result, details={**details, "why_better": why, "notes": notes})


def _is_pooled(parts: Mapping[str, float]) -> bool:
    """Whether the estimate is better by pooling rather than by the draws."""
    return parts["pooling"] < 0 and parts["pooling"] <= parts["selection"]


def _pooling(metric: Metric) -> str:
    """How a score of all predictions differs from a mean over the folds."""
    if needs_spread(metric):
        constant = CONSTANTS.get(metric.score_func, "best constant")
        return (
            f"{HOW} the cross-validated one compares the predictions for each fold with the "
            f"{constant} of that fold; the estimate compares all predictions with one {constant}, "
            "which is easier to beat."
        )
    return (
        f"{HOW} the cross-validated one is the mean over the folds, and the estimate scores the "
        "predictions of all folds together."
    )


def _is_chance(result: ConfidenceInterval, mean: float, pooled: bool) -> bool:
    """Whether an estimate is better by no more than chance in the draws."""
    return not pooled and result.estimate - mean <= CHANCE * _error_of_draws(result)


def _without(notes: Iterable[str], beginning: str) -> list[str]:
    """Notes but for those that begin so."""
    return [note for note in notes if not note.startswith(beginning)]


def _draws(result: ConfidenceInterval, mean: float) -> str:
    """How a mean over draws differs from a mean over the folds."""
    if result.draws is None and "coupled" in result.details:
        return (
            f"{HOW} the cross-validated one is the mean over the folds, and the estimate is made "
            "of the scores of all configurations in the draws, some of which select another one."
        )
    others = 1 - result.details.get("winner_share", 1)
    unit = f"{result.details.get('unit', 'sample')}s"
    of_draws = f"each scored on the {unit} that it leaves out"
    if others > 0.5:  # a rule of `refit` may have had bad luck
        of_draws = f"of which {others:.0%} select another configuration"
    return (
        f"{HOW} the cross-validated one is the mean over the folds, and the estimate is the mean "
        f"over draws, {of_draws}."
    )


def _error_of_draws(result: ConfidenceInterval) -> float:
    """Standard error of the mean of the draws; 0 where all possible ones were taken."""
    if result.draws is None or not result.n_bootstraps:
        return 0.0
    draws = np.asarray(result.draws)
    return float(np.nanstd(draws) / np.sqrt(np.isfinite(draws).sum()))
