"""Which configurations of a finished search cannot be told from the best."""

from __future__ import annotations

import dataclasses
from typing import Any

from sklearn.base import clone

from ..comparison import TiedMethod, tied_with_best
from ..metrics import Metric
from ..predictions import OOFPredictions
from ..results import TiedSet
from ._stage import IntervalStage

__all__ = ["predictions_for", "tied_in_search"]


def predictions_for(stage: IntervalStage, metric: Metric, needed_by: str) -> OOFPredictions:
    """Predictions of a finished search, as one of its metrics sees them.

    Parameters
    ----------
    stage : IntervalStage
        The finished search.
    metric : Metric
        One of the search, or any other.
    needed_by : str
        What needs them, for the message.

    Raises
    ------
    ValueError
        If the metric failed in every fold, or no predictions were kept; the message says why.
    """
    oof = stage._view(metric, tuned_by=metric if stage.selects_nothing else None)
    if metric.name in stage.failures and metric.name in stage.metrics:
        raise ValueError(stage.failures[metric.name])
    if not oof.responses and stage.why_unrecorded:
        raise ValueError(
            f"{needed_by} needs out-of-fold predictions, but there are only fold scores: "
            f"{stage.why_unrecorded}."
        )
    return oof


def tied_in_search(stage: IntervalStage, metric: Metric, method: Any, **options: Any) -> TiedSet:
    """Find the tied configurations with what the search knows.

    Parameters
    ----------
    stage : IntervalStage
        The finished search.
    metric : Metric
        One of the search, or any other.
    method : str, TiedMethod or None
        What it leaves open, the seed, is the search's.
    **options : dict
        Other arguments of `tied_with_best`.

    Returns
    -------
    TiedSet
        With the notes of the search.

    Raises
    ------
    ValueError
        If the metric failed in every fold, or no predictions were kept; the message says why.
    """
    oof = predictions_for(stage, metric, "tied_with_best")
    if options.get("selection") is None:
        options["selection"] = stage.selection(metric, metric if stage.selects_nothing else None)
    offered = {"random_state": stage.seed, "n_jobs": stage.n_jobs}
    options |= {name: value for name, value in offered.items() if options.get(name) is None}
    if isinstance(method, TiedMethod):
        method = clone(method)
        if method.get_params(deep=False).get("random_state", 0) is None:
            method.set_params(random_state=stage.seed)
    result = tied_with_best(oof, metric, method=method, **options)
    notes = list(stage.notes)
    if not notes:
        return result
    details = {**result.details, "notes": [*result.details["notes"], *notes]}
    return dataclasses.replace(result, details=details)
