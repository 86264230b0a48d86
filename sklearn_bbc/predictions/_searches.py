"""What a fitted search of any kind tells: scores per fold, and how it split the data."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import BaseShuffleSplit, TimeSeriesSplit

from .._nearest import got
from ._arrays import repeat_of_rows
from ._checks import as_pairs
from ._notes import IN_TIME

_PREFIX = "mean_test_"

SHARED = "The splits are drawn at random and share samples: their scores depend on each other."
UNKNOWN = (
    "The splits of the search are not known any more. If they were of repeated cross-validation, "
    "the repeats are taken as folds of one pass, and the interval is too narrow."
)


ADAPTIVE = (
    "{} may have chosen configurations by looking at the scores of earlier ones; the method "
    "assumes that they are fixed beforehand, so some optimism may remain."
)
EARLIER = (
    "{} of {} configurations were fitted on fewer samples than the last ones, in earlier rounds. "
    "Their scores cannot be compared with those of the last ones: they are left out."
)
FIXED = {"GridSearchCV", "RandomizedSearchCV"}
"""Names of searches that fix their configurations beforehand, of any package."""


def arguments_of(search: Any) -> dict[str, Any]:
    """Arguments of `OOFPredictions` for a fitted search that keeps no predictions.

    Parameters
    ----------
    search : fitted GridSearchCV, RandomizedSearchCV, or another search with ``cv_results_``
        Only fitted attributes and `cv` and `scoring` are read.
    """
    if isinstance(search, (Mapping, pd.DataFrame)):
        raise ValueError(
            f"search must be the fitted search itself, got {got(search)}: pass search, not "
            "search.cv_results_."
        )
    if not hasattr(search, "_run_search") and not hasattr(search, "cv_results_"):
        raise ValueError(
            f"search must be a fitted search such as GridSearchCV, got {got(search)}. For "
            "predictions that you have use OOFPredictions(y_true=..., y_pred=..., fold=...)."
        )
    if not hasattr(search, "cv_results_"):
        raise ValueError(f"{type(search).__name__} is not fitted: call fit first.")
    results = search.cv_results_
    names = [key.removeprefix(_PREFIX) for key in results if key.startswith(_PREFIX)]
    scores = {name: _scores_per_fold(results, name) for name in names}
    if not scores:
        raise ValueError(
            f"cv_results_ of {type(search).__name__} has no mean_test_* and split*_test_* scores."
        )
    failed = np.isnan(np.stack(list(scores.values()))).any(axis=(0, 1))
    scoring = getattr(search, "scoring", None)
    if names == ["score"] and isinstance(scoring, str):
        scores = {scoring: scores["score"]}
    repeat, notes = _splits(search, len(next(iter(scores.values()))))
    if not FIXED & {base.__name__ for base in type(search).__mro__}:
        notes = [*notes, ADAPTIVE.format(type(search).__name__)]
    earlier = _of_earlier_rounds(search, results, len(failed))
    if earlier.any():
        notes = [*notes, EARLIER.format(earlier.sum(), len(earlier))]
        failed |= earlier
        for of_metric in scores.values():
            of_metric[:, earlier] = np.nan
    return {
        "y_true": np.empty(0),
        "classes": None,
        "fold_scores": scores,
        "params": _params(search, results, len(failed)),
        "failed": failed,
        "selected": getattr(search, "best_index_", None),
        "selected_by": "the search",
        "repeat": repeat,
        "notes": notes,
    }


def _scores_per_fold(results: Mapping[str, Any], name: str) -> np.ndarray:
    """Array (n_splits, n_configs), for as many splits as there are columns."""
    splits: list[np.ndarray] = []
    while (key := f"split{len(splits)}_test_{name}") in results:
        splits.append(np.ma.asarray(results[key], dtype=float).filled(np.nan))
    if not splits:
        raise ValueError(f"cv_results_ has the mean of {name}, but no split0_test_{name}.")
    return np.stack(splits)


def _of_earlier_rounds(search: Any, results: Mapping[str, Any], n_configs: int) -> np.ndarray:
    """Configurations of successive halving that saw fewer samples than the last ones."""
    if getattr(search, "resource", None) != "n_samples" or "n_resources" not in results:
        return np.zeros(n_configs, dtype=bool)
    n_samples = np.asarray(results["n_resources"])
    return n_samples < n_samples.max()


def _params(search: Any, results: Mapping[str, Any], n_configs: int) -> list[dict[str, Any]]:
    """The configurations; some searches have a column per parameter, optuna's a list of trials."""
    if "params" in results:
        return list(results["params"])
    trials = getattr(search, "trials_", None)
    if trials is not None and len(trials) == n_configs:
        return [dict(getattr(trial, "params", {})) for trial in trials]
    columns = {
        key.removeprefix("param_"): values
        for key, values in results.items()
        if key.startswith("param_")
    }
    return [
        {name: values[k] for name, values in columns.items() if values[k] is not np.ma.masked}
        for k in range(n_configs)
    ]


def _splits(search: Any, n_splits: int) -> tuple[np.ndarray | None, list[str]]:
    """Repeat of each split, where there are several, and what is to be said of the splits."""
    cv = getattr(search, "cv", None)
    if isinstance(cv, TimeSeriesSplit):
        return None, [IN_TIME]
    if isinstance(cv, BaseShuffleSplit):
        return None, [SHARED]
    n_repeats = getattr(cv, "n_repeats", None)
    n_repeats = int(n_repeats) if isinstance(n_repeats, Integral) else 0
    if n_repeats > 0 and n_splits % n_repeats == 0:
        return np.repeat(np.arange(n_repeats), n_splits // n_repeats), []
    if cv is None or isinstance(cv, Integral) or hasattr(cv, "split"):
        return None, []
    pairs = as_pairs(list(cv)) if isinstance(cv, (list, tuple)) else None
    if pairs is None or len(pairs.train_size) != n_splits:
        return None, [UNKNOWN]  # a generator is used up by the search
    # Every sample is held out in some repeat, or these are not repeats.
    repeat = repeat_of_rows(pairs.sample, pairs.fold, int(pairs.sample.max()) + 1)
    of_split = np.zeros(n_splits, dtype=np.int64)
    of_split[pairs.fold] = repeat
    overlapping = len(np.unique(pairs.sample)) < len(pairs.sample) and not repeat.any()
    notes = [IN_TIME] if pairs.in_time else [SHARED] if overlapping else []
    return of_split, notes
