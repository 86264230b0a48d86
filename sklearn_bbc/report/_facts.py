"""What a report says about a search: a value without estimators and data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._wording import MetricWords, count, metric_words
from ..results import ConfidenceInterval

__all__ = ["SearchFacts"]


@dataclass(frozen=True, kw_only=True, eq=False)
class SearchFacts:
    """A finished search in words and numbers.

    Parameters
    ----------
    search, strategy : str
        Name of the search's class, and what it does: ``"grid search"``.
    estimator : str
        The estimator, in short.
    space : sequence of (str, str)
        Parameters that were searched, and their values.
    cv : str
        The kind of splits: ``"stratified 10-fold cross-validation"``.
    n_samples, n_configs, n_failed, n_splits, n_repeats, n_untested : int
        Sizes. `n_samples` is 0 where it is not known, `n_repeats` is 1 where the splits are no
        whole passes over the samples.
    n_left_out : int, default=0
        Configurations that were evaluated on other splits than the winner.
    n_dropped : int, default=0
        Configurations that were not fitted on all splits, since they were clearly worse.
    dynamic : bool, default=False
        Whether the search looked at scores to choose configurations.
    whole : bool
        Whether every repeat holds every sample out exactly once.
    n_groups, n_features : int or None
        None where they are not known.
    target : sequence of (str, str)
        Facts about the target: class and number of samples, or range and mean.
    primary : str or None
        The metric that selects.
    signs : mapping of str to {1, -1}
        Of each metric's scorer, where it is known.
    mean_scores : mapping of str to ndarray of shape (n_configs,)
        Metric -> mean scores over the splits, in scorer orientation.
    results : mapping of str to mapping of str to ConfidenceInterval
        Metric -> method -> result.
    best_scores : mapping of (str, str) to float
        (metric, method) -> mean score over the splits of what the result is about.
    main : ConfidenceInterval or None
        The first result of the metric that selects.
    aware : frozenset of str
        Methods that account for the selection.
    params : sequence of dict
        The configurations.
    best_index : int or None
        The configuration that the search selected.
    seed : int
        Seed of the draws.
    notes : sequence of str
        What is to be said about the search and its predictions.
    versions : mapping of str to str
        Package -> version.
    code : str
        The call that repeats the search.
    """

    search: str
    strategy: str
    estimator: str
    space: Sequence[tuple[str, str]]
    cv: str
    n_samples: int
    n_configs: int
    n_failed: int
    n_splits: int
    n_repeats: int
    n_untested: int
    whole: bool
    n_groups: int | None
    n_features: int | None
    target: Sequence[tuple[str, str]]
    primary: str | None
    signs: Mapping[str, int]
    mean_scores: Mapping[str, np.ndarray]
    results: Mapping[str, Mapping[str, ConfidenceInterval]]
    best_scores: Mapping[tuple[str, str], float]
    main: ConfidenceInterval | None
    aware: frozenset[str]
    params: Sequence[Any]
    best_index: int | None
    seed: int
    n_left_out: int = 0
    n_dropped: int = 0
    dynamic: bool = False
    notes: Sequence[str] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    code: str = ""

    def words(self, metric: str) -> MetricWords:
        """How a metric of the search is printed."""
        values = [
            value
            for result in self.results.get(metric, {}).values()
            for value in (result.estimate, result.low, result.high)
        ]
        return metric_words(metric, values, self.signs.get(metric))

    def best_score(self, result: ConfidenceInterval) -> float:
        """Mean score over the splits of what a result of the search is about."""
        return next(
            score
            for (metric, name), score in self.best_scores.items()
            if self.results[metric][name] is result
        )

    def samples(self) -> str:
        """How many samples, and groups, in words; empty where it is not known."""
        if not self.n_samples:
            return ""
        groups = "" if self.n_groups is None else f" in {count(self.n_groups, 'group')}"
        return count(self.n_samples, "sample") + groups

    def splits(self) -> str:
        """How many folds, and repeats, in words."""
        if not self.whole or self.n_splits % self.n_repeats:
            return count(self.n_splits, "split")
        again = "" if self.n_repeats == 1 else f" repeated {count(self.n_repeats, 'time')}"
        return count(self.n_splits // self.n_repeats, "fold") + again
