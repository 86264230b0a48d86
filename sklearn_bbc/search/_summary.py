"""What a search says about its results: the sentence for the paper, and the table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from ..results import ConfidenceInterval

__all__ = ["described", "frame_of", "number", "summarise"]

LONGEST = 120
"""Characters of the parameters of a configuration in a sentence."""

METHOD_NAMES = {
    "bbc": "bootstrap bias correction (BBC)",
    "bbcf": "bootstrap bias correction on folds (BBC-F)",
}


def summarise(
    result: ConfidenceInterval,
    *,
    best_score: float,
    n_configs: int,
    n_splits: int,
    n_samples: int,
    seed: int,
    params: Sequence[Any] = (),
    n_dropped: int = 0,
) -> str:
    """Say in one or two sentences what was estimated and how.

    Parameters
    ----------
    result : ConfidenceInterval
        Estimate and interval.
    best_score : float
        Mean cross-validated score of the winner.
    n_configs, n_splits, n_samples : int
        Size of the search.
    seed : int
        Seed of the draws.
    params : sequence of dict, default=()
        The configurations, to name two where the search selected one and the result is
        about another.
    n_dropped : int, default=0
        Configurations that were dropped before all their splits were fitted.

    Returns
    -------
    str
        Scores with three digits, in scorer orientation.
    """
    samples = f"{n_samples} samples, " if n_samples else ""
    which = f"The best of {_count(n_configs, 'configuration')}"
    if n_dropped:
        which += f" ({n_dropped} of them dropped early)"
    if "rule" in result.details:
        which += f" by {result.details['rule']!r}"
    best = (
        f"{which} reached a cross-validated "
        f"{result.metric} of {number(best_score)} ({samples}{_count(n_splits, 'split')})."
    )
    if "error" in result.details:
        return f"{best} No {result.method} interval could be computed: {result.details['error']}"
    how = METHOD_NAMES.get(result.method, f"the method {result.method!r}")
    unit = result.details.get("unit", "sample")
    if result.n_bootstraps is not None:
        how += f", {result.n_bootstraps} bootstrap draws of {unit}s, seed {seed}"
    elif result.details.get("exact"):
        how += f", all possible bootstrap draws of {unit}s"
    sentence = f"{best} Estimated by {how}, it is {number(result.estimate)} ({_interval(result)})."
    if result.details.get("mostly_pooling"):
        parts = result.details["optimism_parts"]
        sentence += (
            f" Of the difference between the two ({number(sum(parts.values()))}) "
            f"{number(parts['pooling'])} comes from pooling the folds, not from the selection: "
            f"within_folds({result.metric!r}) scores each fold by itself."
        )
    if "best_index" not in result.details:
        return sentence
    return (
        f"{sentence} These numbers are about {described(result.details['winner'], params)}, not "
        f"about {described(result.details['best_index'], params)}, which the search selected."
    )


def described(config: int, params: Sequence[Any]) -> str:
    """Number and parameters of a configuration, on one line and not too long."""
    if not params:
        return f"configuration {config}"
    words = " ".join(str(params[config]).split())
    if len(words) > LONGEST:
        words = words[: LONGEST - 3] + "..."
    return f"configuration {config} {words}"


def _interval(result: ConfidenceInterval) -> str:
    level = f"{100 * result.confidence_level:g}%"
    if math.isnan(result.low) or math.isnan(result.high):
        return "no interval"
    if result.alternative == "greater":
        return f"one-sided {level} confidence interval: at least {number(result.low)}"
    if result.alternative == "less":
        return f"one-sided {level} confidence interval: at most {number(result.high)}"
    return f"{level} confidence interval {number(result.low)} to {number(result.high)}"


def number(value: float) -> str:
    """Three decimals, or three digits where these would hide the number."""
    return f"{value:.3f}" if 0.01 <= abs(value) < 1000 or value == 0 else f"{value:.3g}"


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def frame_of(
    results: Mapping[str, Mapping[str, ConfidenceInterval]],
    best_score: Callable[[ConfidenceInterval], float],
) -> pd.DataFrame:
    """Table of the results of a search.

    Parameters
    ----------
    results : mapping of str to mapping of str to ConfidenceInterval
        Metric -> method -> result.
    best_score : callable
        Score that the search reports for what a result is about.

    Returns
    -------
    DataFrame
        One row per metric and method.
    """
    rows = [
        {
            "metric": metric,
            "method": method,
            "best_score": best_score(result),
            "estimate": result.estimate,
            "low": result.low,
            "high": result.high,
            "confidence_level": result.confidence_level,
            "alternative": result.alternative,
            "n_bootstraps": result.n_bootstraps,
            "error": result.details.get("error"),
        }
        for metric, by_method in results.items()
        for method, result in by_method.items()
    ]
    return pd.DataFrame(rows)
