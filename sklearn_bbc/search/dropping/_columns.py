"""``cv_results_`` of a search that dropped configurations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata

from ..._integers import is_integer
from ...selection import AsRefit, RefitCallable, Selection
from .._metrics import metric_names

__all__ = ["N_DONE", "AmongTheRest", "mark_dropped", "of_the_rest", "refit_among"]

N_DONE = "n_splits_done"
"""Column of ``cv_results_``: on how many splits a configuration was fitted."""


def mark_dropped(
    results: dict[str, Any],
    n_splits_done: Sequence[int],
    n_splits: int,
    out: Sequence[Mapping[str, Any]],
) -> None:
    """Add the column, and take out what stands in for fits that were not made.

    Scores of a dropped configuration are NaN from then on, and so are its mean and its standard
    deviation: the mean of its first splits is no match for the others' of all splits. Its rank
    is the last. Times are means over the splits that were done.

    Parameters
    ----------
    results : dict
        ``cv_results_``, changed in place.
    n_splits_done : sequence of int of length n_configs
        Splits of each configuration.
    n_splits : int
        Number of splits.
    out : sequence of dict
        What scikit-learn made the results of, configuration by configuration.
    """
    done = np.asarray(n_splits_done, dtype=int)
    results[N_DONE] = done
    dropped = np.flatnonzero(done < n_splits)
    if not len(dropped):
        return
    for name in metric_names(results):
        for kind in ("test", "train"):
            for split in range(n_splits):
                scores = results.get(f"split{split}_{kind}_{name}")
                if scores is not None:
                    scores[done <= split] = np.nan
            for statistic in ("mean", "std"):
                column = results.get(f"{statistic}_{kind}_{name}")
                if column is not None:
                    column[dropped] = np.nan
        results[f"rank_test_{name}"] = ranks(results[f"mean_test_{name}"])
    for time in ("fit_time", "score_time"):
        for config in dropped:
            start = int(config) * n_splits
            spent = [each[time] for each in out[start : start + int(done[config])]]
            results[f"mean_{time}"][config] = np.mean(spent)
            results[f"std_{time}"][config] = np.std(spent)


def ranks(means: np.ndarray) -> np.ndarray:
    """Ranks as scikit-learn gives them: the best has 1, the undefined share the last."""
    undefined = np.isnan(means)
    if undefined.all():
        return np.ones(len(means), dtype=np.int32)
    filled = np.where(undefined, np.nanmin(means) - 1, means)
    return rankdata(-filled, method="min").astype(np.int32)


def of_the_rest(results: Mapping[str, Any], rest: np.ndarray) -> dict[str, Any]:
    """``cv_results_`` of some configurations.

    Parameters
    ----------
    results : mapping
        Columns with an entry for each configuration.
    rest : ndarray of shape (n_rest,) of int
        Configurations to keep.
    """
    return {
        name: column[rest] if isinstance(column, np.ndarray) else [column[c] for c in rest]
        for name, column in results.items()
    }


class AmongTheRest:
    """A refit function that is shown only the configurations that were not dropped.

    Parameters
    ----------
    function : callable
        From ``cv_results_`` to the index of a configuration.
    rest : ndarray of shape (n_rest,) of int
        Configurations that were not dropped.
    """

    def __init__(self, function: Callable[[dict[str, Any]], Any], rest: np.ndarray) -> None:
        self.function, self.rest = function, rest
        self.__name__ = getattr(function, "__name__", type(function).__name__)

    def __call__(self, results: Mapping[str, Any]) -> Any:
        """Index among all configurations; -1 where there is no such configuration."""
        index = self.function(of_the_rest(results, self.rest))
        if not is_integer(index):
            return index
        return int(self.rest[index]) if 0 <= index < len(self.rest) else -1


def refit_among(refit: Any, rest: np.ndarray) -> Any:
    """The rule of `refit`, as it is repeated in draws, among some configurations.

    Parameters
    ----------
    refit : object
        Parameter of the search, callable.
    rest : ndarray of shape (n_rest,) of int
        Configurations that were not dropped.
    """
    if isinstance(refit, AsRefit):
        return AsRefit(refit_among(refit.selection, rest), refit.name)
    if isinstance(refit, RefitCallable):
        return RefitCallable(
            AmongTheRest(refit.function, rest),
            scoring=refit.scoring,
            cv_results=refit.cv_results,
        )
    # Other rules know nothing but scores, and leave out what has none.
    return refit if isinstance(refit, Selection) else AmongTheRest(refit, rest)
