"""Scorers by name: scikit-learn's, and those that this package adds to them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from sklearn.metrics import get_scorer, get_scorer_names

from ._nearest import did_you_mean

__all__ = ["OUR_SCORERS", "meant_scorer", "scorer_named", "scorer_names", "with_our_scorers"]

OUR_SCORERS: dict[str, Callable[..., float]] = {}
"""Scorers that scikit-learn does not have, by name. Its own list is not touched."""


ALIASES = {
    "acc": "accuracy",
    "ap": "average_precision",
    "auc": "roc_auc",
    "auprc": "average_precision",
    "auroc": "roc_auc",
    "brier": "neg_brier_score",
    "cindex": "concordance_index",
    "crossentropy": "neg_log_loss",
    "fscore": "f1",
    "logloss": "neg_log_loss",
    "mae": "neg_mean_absolute_error",
    "mape": "neg_mean_absolute_percentage_error",
    "mcc": "matthews_corrcoef",
    "meanabsoluteerror": "neg_mean_absolute_error",
    "meansquarederror": "neg_mean_squared_error",
    "mse": "neg_mean_squared_error",
    "ppv": "precision",
    "prauc": "average_precision",
    "rmse": "neg_root_mean_squared_error",
    "rocaucscore": "roc_auc",
    "rsquared": "r2",
    "sensitivity": "recall",
}
"""What people call some scorers, in small letters and digits only."""


def _load_ours() -> None:
    """Fill `OUR_SCORERS`: a metric registers its scorer when it is imported."""
    import_module(".metrics", __package__)


def scorer_names() -> list[str]:
    """All names that `scorer_named` knows."""
    _load_ours()
    return sorted({*get_scorer_names(), *OUR_SCORERS})


def scorer_named(name: str) -> Any:
    """Scorer of that name; `ValueError` when there is none."""
    if name in OUR_SCORERS:
        return OUR_SCORERS[name]
    try:
        return _of_sklearn(name)
    except ValueError:
        known = scorer_names()
        if name in OUR_SCORERS:  # which the line above has loaded
            return OUR_SCORERS[name]
        raise ValueError(
            f"scoring={name!r} is unknown.{meant_scorer(name)} Known names: {known}."
        ) from None


def meant_scorer(name: str) -> str:
    """Sentence with the name of the scorer that was probably meant; empty where none is near."""
    return did_you_mean(name, scorer_names(), ALIASES)


@cache
def _of_sklearn(name: str) -> Any:
    """scikit-learn's scorer; looking one up validates and copies it, each time."""
    return get_scorer(name)


def with_our_scorers(scoring: Any) -> Any:
    """`scoring` of a search with a scorer in the place of each name that only we know.

    Parameters
    ----------
    scoring : str, callable, list, tuple, dict or None
        Parameter of the search.

    Returns
    -------
    object
        `scoring` itself where no name is ours. A list or tuple becomes a dict, since
        scikit-learn takes scorers only there; one that it refuses (names given twice) stays.
    """
    _load_ours()
    if isinstance(scoring, str):
        return OUR_SCORERS.get(scoring, scoring)
    if isinstance(scoring, (list, tuple)):
        names = [name for name in scoring if isinstance(name, str)]
        if len(set(names)) < len(scoring):
            return scoring
        by_name = dict(zip(names, names))
    elif isinstance(scoring, dict):
        by_name = scoring
    else:
        return scoring
    ours = {
        key: OUR_SCORERS[value]
        for key, value in by_name.items()
        if isinstance(value, str) and value in OUR_SCORERS
    }
    return {**by_name, **ours} if ours else scoring
