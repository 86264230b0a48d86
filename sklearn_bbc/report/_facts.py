"""What a report says about a search: a value without estimators and data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._wording import MetricWords, count, metric_words, positive_classes
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
        whole passes over the samples, `n_untested` counts samples that were never held out.
    n_left_out : int, default=0
        Configurations that were evaluated on other splits than the winner.
    n_dropped : int, default=0
        Configurations that were not fitted on all splits, since they were clearly worse.
    dynamic : bool, default=False
        Whether the search looked at scores to choose configurations.
    folds : sequence of int
        Number of folds of each repeat; empty where a repeat does not hold every sample out
        exactly once.
    n_groups, n_features : int or None
        None where they are not known; groups of which a sample was held out.
    target : sequence of (str, str)
        Facts about the target of the held-out samples: class and number, or range and mean.
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
    positive : mapping of str to label, default={}
        Metric -> class that it takes as positive, where that does not go without saying.
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
    folds: Sequence[int]
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
    positive: Mapping[str, Any] = field(default_factory=dict)

    def words(self, metric: str) -> MetricWords:
        """How a metric of the search is printed."""
        results = self.results.get(metric, {}).values()
        values = [value for each in results for value in (each.estimate, each.low, each.high)]
        signs = [each.details["sign"] for each in results if "sign" in each.details]
        return metric_words(metric, values, self.signs.get(metric, signs[0] if signs else None))

    def best_score(self, result: ConfidenceInterval) -> float:
        """Mean score over the splits of what a result of the search is about."""
        return next(
            score
            for (metric, name), score in self.best_scores.items()
            if self.results[metric][name] is result
        )

    def samples(self) -> str:
        """How many samples were held out, and of which groups; empty where it is not known."""
        if not self.n_samples:
            return ""
        groups = "" if self.n_groups is None else f" in {count(self.n_groups, 'group')}"
        if not self.n_untested:
            return count(self.n_samples, "sample") + groups
        held_out = count(self.n_samples - self.n_untested, "held-out sample")
        return f"{held_out} of {self.n_samples:,}{groups}"

    def splits(self) -> str:
        """How many folds, and repeats, in words."""
        if not self.folds:
            return count(self.n_splits, "split")
        if len(set(self.folds)) > 1:
            sizes = [f"{n:,}" for n in self.folds]
            return f"repeats of {', '.join(sizes[:-1])} and {sizes[-1]} folds"
        again = "" if len(self.folds) == 1 else f" repeated {count(len(self.folds), 'time')}"
        return count(self.folds[0], "fold") + again

    def positive_classes(self, metrics: Iterable[str]) -> str:
        """Which classes metrics take as positive; empty where that goes without saying."""
        return positive_classes(
            {self.words(name).name: self.positive[name] for name in metrics
             if name in self.positive}
        )  # fmt: skip
