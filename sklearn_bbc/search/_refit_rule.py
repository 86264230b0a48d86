"""The rule behind `refit` of a search, to be repeated in every draw."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from .._warn import duration
from ..intervals import BBC, BBCF, NaiveBootstrap, RescaledBBC
from ..metrics import Metric
from ..predictions import OOFPredictions
from ..selection import AsRefit, BestScore, FoldTable, RefitCallable, Selection
from ._metrics import SCORE

__all__ = ["RefitRule", "check_refit", "refit_metric", "rule_of_refit"]

REPEATING = (BBC, BBCF, RescaledBBC, NaiveBootstrap)
"""Methods that take `selection`."""


DRAWS = 2000
MOST_SECONDS = 60
"""A function that would take longer is not called in every draw unasked: no number then."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class RefitRule:
    """By what `refit` selects, where it is not the best mean score.

    Parameters
    ----------
    selection : Selection
        For `selection` of the methods.
    why_not : str, default=""
        Why it cannot be repeated; empty where it can.
    too_slow : str, default=""
        Why a function is not repeated unasked; empty where it is.
    """

    selection: Selection
    why_not: str = ""
    too_slow: str = ""


def check_refit(refit: Any, scoring: Any) -> None:
    """Raise a ValueError, before the search, for a rule that cannot be a `refit`.

    Parameters
    ----------
    refit, scoring : object
        Parameters of the search.
    """
    rule = refit.selection if isinstance(refit, AsRefit) else refit
    if isinstance(rule, type) and issubclass(rule, Selection):
        raise ValueError(f"refit must be an object: pass {rule.__name__}(...), not the class.")
    if not isinstance(rule, Selection):
        return
    rule._validate()
    if "predictions" in rule.needs:
        raise ValueError(
            f"refit must select one configuration by the scores of the folds; {rule!r} chooses "
            "more than that. Search without it and use it afterwards: "
            "search.threshold(...) for a threshold, search.interval(BBC(selection=...)) for "
            "any rule."
        )
    several = isinstance(scoring, (list, tuple, set, Mapping))
    if several and rule is refit and not isinstance(rule, RefitCallable):
        name = next(iter(scoring), "roc_auc")
        raise ValueError(
            f"With several metrics refit must say which one {rule!r} is about: "
            f"refit=AsRefit({rule!r}, {name!r}), from sklearn_bbc.selection."
        )


def refit_metric(refit: Any, multimetric: bool) -> str | None:
    """Name in ``cv_results_`` of the metric that selects; None where no single one does.

    Parameters
    ----------
    refit : object
        Parameter of the search.
    multimetric : bool
        Whether there are several metrics.
    """
    if isinstance(refit, AsRefit):
        return refit.name
    if not multimetric:
        return SCORE
    return refit if isinstance(refit, str) else None


def rule_of_refit(
    refit: Any,
    metrics: Mapping[str, Metric],
    views: Mapping[str, OOFPredictions],
    cv_results: Mapping[str, Any],
    primary: str | None,
    best_index: int,
) -> RefitRule | None:
    """Make the rule of a `refit` that is an object or a function, and try whether it repeats.

    Parameters
    ----------
    refit : object
        Parameter of the search.
    metrics : mapping of str to Metric
        Name in ``cv_results_`` -> metric.
    views : mapping of str to OOFPredictions
        Name in ``cv_results_`` -> predictions as that metric sees them.
    cv_results : dict
        ``cv_results_`` of the search.
    primary : str or None
        Name in ``cv_results_`` of the metric that selects.
    best_index : int
        What the search selected.

    Returns
    -------
    RefitRule or None
        None where the best mean score selects.
    """
    rule = refit.selection if isinstance(refit, AsRefit) else refit
    if not callable(rule) or isinstance(rule, BestScore):
        return None
    if not isinstance(rule, Selection):
        rule = RefitCallable(rule)
    if isinstance(rule, RefitCallable):
        scoring = rule.scoring
        if scoring is None:
            scoring = {n: m for n, m in metrics.items() if _kernel(m, views[n]) is not None}
        columns = cv_results if rule.cv_results is None else rule.cv_results
        rule = RefitCallable(
            rule.function, scoring=scoring or None, cv_results=_not_of_draws(columns)
        )
    else:
        rule = clone(rule)
    name = primary if primary is not None else next(iter(metrics))
    why_not, seconds = _why_not(rule, metrics[name], views[name], best_index)
    too_slow = ""
    if not isinstance(refit, Selection) and DRAWS * seconds > MOST_SECONDS:
        too_slow = (
            f"{DRAWS:,} calls of the refit function would take about {duration(DRAWS * seconds)}. "
            "interval() makes them, and refit=RefitCallable(function) does it in each fit."
        )
    return RefitRule(selection=rule, why_not=why_not, too_slow=too_slow)


def _not_of_draws(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns that are the same in every draw."""
    return {
        name: column
        for name, column in columns.items()
        if not name.startswith(("split", "mean_t", "std_t", "rank_t"))
    }


def _kernel(metric: Metric, oof: OOFPredictions) -> Any:
    """The metric bound to predictions, else its fold scores, else None."""
    try:
        return metric.bind(oof)
    # Own scores that cannot be replayed, or no predictions: the scores per fold are left.
    except Exception:
        pass
    try:
        return FoldTable(metric, np.where(oof.failed, np.nan, metric.fold_scores(oof)))
    except Exception:
        return None


def _why_not(
    rule: Selection, metric: Metric, oof: OOFPredictions, best_index: int
) -> tuple[str, float]:
    kernel = _kernel(metric, oof)
    if kernel is None:
        return f"{metric.name} can be computed neither from predictions nor from folds", 0.0
    try:
        bound = rule.bind(oof, kernel)
        config = int(bound.on_all()["config"][0])
    # A function may raise anything, and the search must not be lost to it.
    except Exception as error:
        return f"{type(error).__name__}: {error}".rstrip("."), 0.0
    if config == best_index:
        return "", bound.seconds_per_draw
    what = "nothing" if config < 0 else f"configuration {config}"
    return f"applied once more to the scores of all samples, it selects {what}", 0.0
