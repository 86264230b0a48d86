"""Any `refit` callable of scikit-learn, called in every draw."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.stats import rankdata

from .._integers import is_integer
from ..exceptions import SelectionError
from ..metrics import as_metric
from ..predictions import OOFPredictions
from ._base import BoundSelection, Selection
from ._folds import FoldScorer, FoldsOfDraws, bound_alike
from ._outcome import Outcome


class RefitCallable(Selection):
    """Select by a function of ``cv_results_``, as `refit` of a scikit-learn search takes it.

    Parameters
    ----------
    function : callable
        Takes a dict like ``cv_results_`` and returns the index of a configuration. It is
        called in every draw.
    scoring : mapping of str to scoring, default=None
        Metrics by name; the function finds ``mean_test_<name>`` and so on. None means the
        metric that the method estimates, under the name ``score``.
    cv_results : dict, default=None
        Other columns that the function may look at, such as ``mean_fit_time``: those of the
        search. They are the same in every draw.

    Raises
    ------
    ValueError
        If the function fails, or does not return an index; the message names the draw.

    See Also
    --------
    OneStandardError : A rule of this kind that needs no function and is much faster.

    Notes
    -----
    In every draw the function gets ``split*_test_*``, ``mean_test_*``, ``std_test_*`` and
    ``rank_test_*`` of that draw. On draws of samples a fold is scored on its drawn samples;
    folds without a score there, by any of the metrics, are left out, so a draw may have fewer
    splits. On draws of
    folds a fold that was drawn twice is two splits. ``params`` and ``param_*`` come from the
    predictions, everything else from `cv_results`.

    Before the draws it is called once on all samples. The time of that call tells how long the
    draws will take, which a warning says if it is long: about 0.1 ms a draw for what
    surrounds the function, with 100 configurations and 10 folds.

    `details` of a result add ``rule`` and ``mean_folds`` (splits that the function saw, mean
    over the draws).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.intervals import BBC
    >>> from sklearn_bbc.selection import RefitCallable
    >>> from sklearn_bbc.testing import example_predictions
    >>> def most_stable(results):
    ...     return int(np.argmin(results["std_test_score"]))
    >>> rule = RefitCallable(most_stable)
    >>> result = BBC(selection=rule, n_bootstraps=50, random_state=0).estimate(
    ...     example_predictions(), "roc_auc")
    >>> result.details["rule"]
    'most_stable'
    """

    name = "refit_callable"
    needs = frozenset({"folds"})
    takes_cv_results = True

    def __init__(
        self,
        function: Callable[[dict[str, Any]], int],
        *,
        scoring: Mapping[str, Any] | None = None,
        cv_results: Mapping[str, Any] | None = None,
    ) -> None:
        self.function = function
        self.scoring = scoring
        self.cv_results = cv_results

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        """Call the function on ``cv_results_`` of a finished search.

        Parameters
        ----------
        cv_results : dict
            As a search makes it.

        Returns
        -------
        int
            Whatever the function returns.
        """
        return self.function(dict(cv_results))

    def _validate(self) -> None:
        if not callable(self.function):
            raise ValueError(
                "function must be a callable that takes cv_results_ and returns an index, got "
                f"{self.function!r}."
            )
        if self.scoring is not None and (
            not isinstance(self.scoring, Mapping) or not self.scoring
        ):
            raise ValueError(
                "scoring must be a mapping of names to scorers, such as {'auc': 'roc_auc'}, or "
                f"None, got {self.scoring!r}."
            )

    def _bind(self, oof: OOFPredictions, kernel: Any) -> BoundSelection:
        scorers = {"score": FoldScorer(kernel)}
        if self.scoring is not None:
            scorers = {
                name: FoldScorer(bound_alike(kernel, oof, as_metric(scoring)))
                for name, scoring in self.scoring.items()
            }
        return BoundRefitCallable(kernel, self.function, scorers, self._fixed(oof))

    def _fixed(self, oof: OOFPredictions) -> dict[str, Any]:
        """Columns that are the same in every draw."""
        fixed = dict(self.cv_results or {})
        for name, column in fixed.items():
            if len(column) != oof.n_configs:
                raise ValueError(
                    f"cv_results[{name!r}] has {len(column)} entries for {oof.n_configs} "
                    "configurations."
                )
        if oof.params and "params" not in fixed:
            fixed["params"] = [dict(each) for each in oof.params]
            for name in sorted({name for each in oof.params for name in each}):
                column = np.ma.MaskedArray(np.empty(oof.n_configs), mask=True, dtype=object)
                for config, each in enumerate(oof.params):
                    if name in each:
                        column[config] = each[name]
                fixed[f"param_{name}"] = column
        of_draw = ("split", "mean_test_", "std_test_", "rank_test_", "mean_train_", "std_train_")
        return {name: column for name, column in fixed.items() if not name.startswith(of_draw)}


class BoundRefitCallable(BoundSelection):
    """A function of the table of a draw."""

    draw_by_draw = True

    def __init__(
        self,
        kernel: Any,
        function: Callable[[dict[str, Any]], int],
        scorers: Mapping[str, FoldScorer],
        fixed: Mapping[str, Any],
    ) -> None:
        super().__init__(kernel)
        self._function, self._scorers, self._fixed = function, scorers, fixed
        self._name = getattr(function, "__name__", type(function).__name__)
        self.by = self._name
        started = time.perf_counter()
        self._on_all = self._choose(self.everything, on_all=True)
        self.seconds_per_draw = time.perf_counter() - started

    def choose(self, weights: np.ndarray) -> Outcome:
        """See `BoundSelection.choose`."""
        return self._choose(weights)

    def _choose(self, weights: np.ndarray, on_all: bool = False) -> Outcome:
        size = max(1, 2**23 // sum(each.bytes_per_draw for each in self._scorers.values()))
        configs, n_folds = np.empty(len(weights), dtype=np.intp), np.empty(len(weights), dtype=int)
        for start in range(0, len(weights), size):
            some = weights[start : start + size]
            tables = {name: scorer(some) for name, scorer in self._scorers.items()}
            for position in range(len(some)):
                draw = start + position
                splits = _splits(tables, position)
                n_folds[draw] = len(next(iter(splits.values())))
                configs[draw] = self._call(splits, None if on_all else draw)
        return Outcome({"config": configs, "n_folds": n_folds})

    def _call(self, splits: Mapping[str, np.ndarray], draw: int | None) -> int:
        if not len(next(iter(splits.values()))):
            return -1
        where = " on all samples" if draw is None else ""
        results = {**self._fixed, **cv_results_of(splits)}
        try:
            index = self._function(results)
        except Exception as error:
            known = sorted(name for name in results if not name.startswith("split"))
            raise SelectionError(
                f"The function {self._name} failed{where}: {error!r}. It gets the columns "
                f"split*_test_* and {known}.",
                draw,
            ) from error
        if not is_integer(index):
            raise SelectionError(
                f"The function {self._name} returned {index!r}{where}; it must return the index "
                "of a configuration.",
                draw,
            )
        if not 0 <= index < self.kernel.n_configs:
            raise SelectionError(
                f"The function {self._name} returned the index {index}{where}; the "
                f"configurations are 0 to {self.kernel.n_configs - 1}.",
                draw,
            )
        return int(index)

    def describe(self, outcome: Outcome) -> dict[str, Any]:
        """See `BoundSelection.describe`."""
        return {"rule": self._name, "mean_folds": float(outcome["n_folds"].mean())}


def _splits(tables: Mapping[str, FoldsOfDraws], draw: int) -> dict[str, np.ndarray]:
    """Scores of the splits of one draw, (n_splits, n_configs) by metric."""
    times = np.min([table.times[draw] for table in tables.values()], axis=0)
    return {name: np.repeat(table.scores[draw], times, axis=0) for name, table in tables.items()}


def cv_results_of(splits: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Columns of ``cv_results_`` from the scores of each split.

    Parameters
    ----------
    splits : mapping of str to ndarray of shape (n_splits, n_configs)
        Scores by metric.

    Returns
    -------
    dict of str to ndarray of shape (n_configs,)
        ``split*_test_*``, ``mean_test_*``, ``std_test_*`` and ``rank_test_*``, as a search
        of scikit-learn makes them.
    """
    results: dict[str, np.ndarray] = {}
    for name, scores in splits.items():
        results.update({f"split{k}_test_{name}": row for k, row in enumerate(scores)})
        means = scores.mean(axis=0)
        results[f"mean_test_{name}"] = means
        results[f"std_test_{name}"] = scores.std(axis=0)
        undefined = np.isnan(means)
        if undefined.all():
            ranks = np.ones(len(means), dtype=np.int32)
        else:
            # As in a search: the undefined share the last place.
            filled = np.where(undefined, np.nanmin(means) - 1, means)
            ranks = rankdata(-filled, method="min").astype(np.int32)
        results[f"rank_test_{name}"] = ranks
    return results
