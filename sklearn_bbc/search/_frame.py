"""The table of the intervals of a search."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from ..results import ConfidenceInterval

__all__ = ["frame_of"]


def frame_of(
    results: Mapping[str, Mapping[str, ConfidenceInterval]],
    best_score: Callable[[ConfidenceInterval], float],
    selection_aware: Callable[[ConfidenceInterval], bool],
) -> pd.DataFrame:
    """Table of the results of a search.

    Parameters
    ----------
    results : mapping of str to mapping of str to ConfidenceInterval
        Metric -> method -> result.
    best_score : callable
        Score that the search reports for what a result is about.
    selection_aware : callable
        Whether a result accounts for the selection.

    Returns
    -------
    DataFrame
        One row per metric and method.
    """
    rows = [
        {
            "metric": result.metric,  # a threshold is about another one than the search's
            "method": method,
            "best_score": best_score(result),
            "estimate": result.estimate,
            "low": result.low,
            "high": result.high,
            "confidence_level": result.confidence_level,
            "alternative": result.alternative,
            "n_bootstraps": result.n_bootstraps,
            "selection_aware": selection_aware(result),
            "tuned_by": result.details.get("tuned_by"),
            "error": result.details.get("error"),
        }
        for by_method in results.values()
        for method, result in by_method.items()
    ]
    return pd.DataFrame(rows)
