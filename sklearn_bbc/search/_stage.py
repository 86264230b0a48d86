"""The interval stage of a search: methods meet metrics, and no failure costs a search."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn import config_context, get_config
from sklearn.base import clone

from .._warn import hold_warnings, warn_user
from .._wording import config_words, metric_words, shown
from ..exceptions import IntervalWarning
from ..intervals import BaseInterval, as_interval
from ..metrics import Metric
from ..metrics._replay import ReplayError
from ..predictions import OOFPredictions
from ..results import ConfidenceInterval
from ..selection import RefitCallable
from ._optimism import with_parts, with_why_better
from ._refit_rule import RefitRule

__all__ = ["IntervalStage", "distinct_names"]

MEMORY_SHARE = 0.2
"""Memory that intervals take in a search, as a share of the predictions'."""
LEAST_MEMORY = 16
"""Megabytes that they may take in any case."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class IntervalStage:
    """A finished search as the interval methods see it.

    Parameters
    ----------
    oof : OOFPredictions
        What the search recorded.
    metrics : mapping of str to Metric
        Metrics of the search by name.
    mean_scores : mapping of str to ndarray of shape (n_configs,)
        Metric name -> mean score over the splits, as in ``cv_results_``.
    unweighted : collection of str
        Metrics whose scorer was given no sample weights.
    primary : str or None
        The metric that selects; None with several metrics and no refit metric.
    seed : int
        For methods without a seed of their own.
    n_jobs : int or None
        For methods without one of their own.
    notes : sequence of str
        Remarks that belong to every result.
    best_index : int or None, default=None
        Configuration that the search itself selected; None when it selected none.
    failures : mapping of str to str
        Metric of which every score failed -> why.
    why_unrecorded : str
        Why there are only scores per fold, where that is so.
    asked : bool
        Whether predictions were to be recorded; if not, nobody is told that there are none.
    rule : RefitRule or None, default=None
        By what `refit` selects, where it is not the best mean score.
    """

    oof: OOFPredictions
    metrics: Mapping[str, Metric]
    mean_scores: Mapping[str, np.ndarray]
    unweighted: Iterable[str]
    primary: str | None
    seed: int
    n_jobs: int | None
    notes: Iterable[str] = ()
    best_index: int | None = None
    failures: Mapping[str, str] = dataclasses.field(default_factory=dict)
    why_unrecorded: str = ""
    asked: bool = True
    rule: RefitRule | None = None

    def estimate(
        self, method: BaseInterval, metric: Metric, config: int | None = None
    ) -> ConfidenceInterval:
        """Run one method on one metric.

        Parameters
        ----------
        method : BaseInterval
            What it leaves open, seed and number of jobs, is the search's.
        metric : Metric
            One of the search or any other.
        config : int or None, default=None
            A configuration to look at as if it were the only one.
        """
        oof = self._view(metric, config)
        if metric.name in self.failures and metric.name in self.metrics:
            raise ValueError(self.failures[metric.name])
        if "predictions" in method.requires and not oof.responses and self.why_unrecorded:
            raise ValueError(
                f"{type(method).__name__} needs out-of-fold predictions, but there are only fold "
                f"scores: {self.why_unrecorded}. BBCF works on fold scores."
            )
        completed = self._completed(method)
        if config is not None:
            return completed.estimate(oof, metric)
        if self.repeated is not None:
            completed = self.repeated.given_to(completed)
        result = completed.estimate(oof, metric)
        result = self._with_best_index(_with_notes(result, self.notes), method)
        return self._with_parts(result, metric)

    @property
    def repeated(self) -> RefitRule | None:
        """The rule of `refit`, where draws can repeat it."""
        return self.rule if self.rule is not None and not self.rule.why_not else None

    def estimate_or_explain(self, method: BaseInterval, metric: Metric) -> ConfidenceInterval:
        """Like `estimate`, but a failure gives NaN and its reason in ``details["error"]``."""
        try:
            return self.estimate(method, metric)
        # A search may have taken days. Whatever stops an interval, a lack of memory
        # included, is told and not raised; `search.interval(...)` raises it again.
        except Exception as error:
            return self._failed(method, metric, f"{type(error).__name__}: {error}")

    @staticmethod
    def _failed(method: BaseInterval, metric: Metric, why: str) -> ConfidenceInterval:
        return ConfidenceInterval(
            estimate=np.nan,
            low=np.nan,
            high=np.nan,
            confidence_level=method.confidence_level,
            alternative=method.alternative,
            method=method.name,
            metric=metric.name,
            estimand=method.estimand,
            details={"error": why},
        )

    def sparing(self) -> AbstractContextManager[None]:
        """Let scikit-learn's ``working_memory`` be a share of what the predictions take.

        A search should not need much more memory than its predictions. That the intervals
        take longer for it is little beside the time of the search.
        """
        size = sum(array.nbytes for array in self.oof.responses.values()) / 2**20
        allowed = get_config()["working_memory"]
        memory = min(allowed, max(LEAST_MEMORY, int(MEMORY_SHARE * size)))
        return config_context(working_memory=memory)

    def run(
        self,
        methods: list[BaseInterval] | None,
        begin: Callable[[str, str], None] = lambda method, metric: None,
    ) -> dict[str, dict[str, ConfidenceInterval]]:
        """Run methods on all metrics of the search and warn of those that failed.

        Parameters
        ----------
        methods : list of BaseInterval or None
            None: BBC, or BBC-F where BBC has no predictions to work on.
        begin : callable
            Told the names of method and metric before each interval.

        Returns
        -------
        dict of str to dict of str to ConfidenceInterval
            Metric name -> method name -> result.
        """
        results = {}
        for metric in self.metrics.values():
            if methods is None:
                begin("bbc", metric.name)
                result, warn = self._by_default(metric)
                results[metric.name] = {result.method: result}
            else:
                warn = True
                results[metric.name] = {}
                for name, method in zip(distinct_names(methods), methods):
                    begin(name, metric.name)
                    results[metric.name][name] = self.estimate_or_explain(method, metric)
            for name, result in results[metric.name].items():
                if warn and "error" in result.details:
                    warn_user(
                        f"No {name!r} interval for {metric.name}: {result.details['error']} "
                        "The search itself is complete.",
                        IntervalWarning,
                    )
        return results

    def _by_default(self, metric: Metric) -> tuple[ConfidenceInterval, bool]:
        """BBC, or BBC-F without predictions, and whether to warn when that failed."""
        result = self.estimate_or_explain(as_interval("bbc"), metric)
        if metric.name in self.failures:
            return result, True
        if "error" not in result.details or self._predicts(metric):
            return result, True
        if not np.isfinite(self.oof.fold_scores[metric.name]).all():
            # scikit-learn has warned of these scores. Nothing can be made of them, and
            # nobody asked for it by name.
            return result, False
        by_folds = self.estimate_or_explain(as_interval("bbcf"), metric)
        if "error" in by_folds.details:
            return result, True
        note = (
            "The interval is BBC-F's, from the scores per fold, since there are no predictions "
            f"that BBC could work on: {result.details['error']}"
        )
        if self.asked:
            warn_user(note, IntervalWarning)
        return _with_notes(by_folds, [note]), True

    def corrected(self, name: str, results: Iterable[ConfidenceInterval]) -> ConfidenceInterval:
        """Result of a method for the selecting metric, taken from `results` when it is there.

        A result by a rule of the method's own is about another selection than the search's.
        """
        assert self.primary is not None
        repeats = self.repeated is not None
        for result in results:
            by_rule = "rule" in result.details
            if result.method == name and "error" not in result.details and by_rule == repeats:
                return result
        with hold_warnings():  # nobody asked for this interval, only for its estimate
            return self.estimate_or_explain(as_interval(name), self.metrics[self.primary])

    def best_by_mean(self, name: str) -> int | None:
        """Configuration with the best mean score among those that failed in no fold."""
        means = self._means(name)
        return None if np.isnan(means).all() else int(np.nanargmax(means))

    def best_mean_score(self, name: str) -> float:
        """Best mean score among the configurations that failed in no fold."""
        best = self.best_by_mean(name)
        return np.nan if best is None else float(self._means(name)[best])

    def reported_score(self, result: ConfidenceInterval) -> float:
        """Mean score over the splits of the configuration that a result is about.

        A threshold or an ensemble has none: its score on the predictions that chose it.
        """
        if "apparent_score" in result.details:
            return float(result.details["apparent_score"])
        winner = result.details.get("winner")
        if winner is None or result.metric not in self.mean_scores:
            return self.best_mean_score(result.metric)
        return float(self.mean_scores[result.metric][winner])

    def is_best(self, name: str, config: int) -> bool:
        """Whether no configuration has a better mean score."""
        return bool(self._means(name)[config] == self.best_mean_score(name))

    def note_of_two_models(self, winner: int) -> str:
        """Note that the search selected another configuration than that with the best mean."""
        assert self.primary is not None and self.best_index is not None
        chosen, means = int(self.best_index), self.mean_scores[self.primary]
        words = metric_words(self.primary, means, self.metrics[self.primary].sign)
        of_chosen, of_winner = shown(words.natural(means[chosen]), words.natural(means[winner]))
        failed = " It failed in some fold." if self.oof.failed[chosen] else ""
        if self.rule is not None and self.rule.why_not:
            failed += f" The rule of `refit` cannot be repeated in the draws: {self.rule.why_not}."
        return (
            f"The search selected {self._described(chosen)}, with a mean {words.name} of "
            f"{of_chosen}.{failed} The best mean score, {of_winner}, is that of "
            f"{self._described(winner)}, and the interval and the corrected score are about that "
            "one."
        )

    def caution(self, name: str, result: ConfidenceInterval) -> str:
        """What to say to a reader of ``bbc_score_`` that is not about `best_index`."""
        chosen, winner = result.details["best_index"], result.details["winner"]
        return (
            f"{name}_score_ is about {self._described(winner)}, not about "
            f"{self._described(chosen)}, which the search selected. "
            f"interval(config={chosen}) gives an interval for that one, but cannot account "
            "for its selection."
        )

    def _with_best_index(
        self, result: ConfidenceInterval, method: BaseInterval
    ) -> ConfidenceInterval:
        """Name the search's own selection too, where the result is about another one."""
        winner = result.details.get("winner")
        named = getattr(method, "config", None) is not None
        if self.best_index is None or winner is None or named or winner == self.best_index:
            return result
        details = {**result.details, "best_index": int(self.best_index)}
        result = dataclasses.replace(result, details=details)
        if self.repeated is not None and result.metric == self.primary:
            note = (
                f"{type(method).__name__} does not repeat the rule of `refit`: this result is "
                f"about {self._described(winner)}; the search selected "
                f"{self._described(self.best_index)}."
            )
            return _with_notes(result, [note])
        if result.metric == self.primary:
            return result  # `notes` has it
        by = "`refit`" if self.primary is None else self._name(self.primary)
        note = (
            f"For tuning by {self._name(result.metric)}, which selects {self._described(winner)}; "
            f"the search selected {self._described(self.best_index)} by {by}."
        )
        return _with_notes(result, [note])

    def _name(self, metric: str) -> str:
        """A metric in a sentence."""
        own = self.metrics.get(metric)
        return metric_words(metric, sign=None if own is None else own.sign).name

    def _with_parts(self, result: ConfidenceInterval, metric: Metric) -> ConfidenceInterval:
        """Say what the optimism is made of, where the search itself scored the metric."""
        if not self._is_own(metric) or result.details.get("winner") is None:
            return result
        winner = result.details["winner"]
        mean = float(self.mean_scores[metric.name][winner])
        fold_scores = self.oof.fold_scores.get(metric.name, np.empty((0, self.oof.n_configs)))
        return with_why_better(with_parts(result, mean, fold_scores[:, winner]), metric, mean)

    def _described(self, config: int) -> str:
        return config_words(config, self.oof.params)

    def _means(self, name: str) -> np.ndarray:
        return np.where(self.oof.failed, np.nan, self.mean_scores[name])

    @property
    def _selects_for_all(self) -> bool:
        """Whether one rule selects the same configuration whatever metric is reported."""
        rule = self.repeated
        return rule is not None and isinstance(rule.selection, RefitCallable)

    def _is_own(self, metric: Metric) -> bool:
        own = self.metrics.get(metric.name)
        return own is not None and own.scorer is metric.scorer

    def _view(self, metric: Metric, config: int | None) -> OOFPredictions:
        """The predictions with the winner, the weights and the fold scores of one metric."""
        fields: dict[str, Any] = {}
        if not self._is_own(metric):
            others = {k: v for k, v in self.oof.fold_scores.items() if k != metric.name}
            if not self._selects_for_all:
                fields["selected"] = None
            fields.update(fold_scores=MappingProxyType(others))
        else:
            if metric.name != self.primary and not self._selects_for_all:
                fields["selected"] = self.best_by_mean(metric.name)
                fields["selected_by"] = "mean over folds"
            if metric.name in self.unweighted:
                fields["sample_weight"] = None
        self._check_given(metric)
        if config is not None:
            failed = np.ones(self.oof.n_configs, dtype=bool)
            failed[config] = self.oof.failed[config]
            fields.update(selected=config, selected_by="given", failed=failed)
        oof = self.oof._with_fields(**fields) if fields else self.oof
        return metric.weighted(oof)

    def _check_given(self, metric: Metric) -> None:
        """Raise where a metric that the search did not score asks for what `fit` did not get."""
        if self._is_own(metric):
            return
        lacking = set(metric.requests.values()) - self.oof.metadata.keys() - {"sample_weight"}
        if lacking:
            raise ValueError(
                f"{metric.name} asks for {', '.join(map(repr, sorted(lacking)))} by "
                "set_score_request, which no scorer of this search was given. Known are "
                f"{sorted(self.oof.metadata)}; fit the search with the scorer to have it recorded."
            )

    def _predicts(self, metric: Metric) -> bool:
        """Whether the recorded predictions are what the metric can be computed from."""
        if not self.oof.responses or metric.score_func is None:
            return False
        try:
            metric.bind(self._view(metric, None))
        except ReplayError:
            return False
        except Exception:  # told with the interval
            pass
        return True

    def _completed(self, method: BaseInterval) -> BaseInterval:
        method = clone(method)
        own = method.get_params(deep=False)
        offered = {"random_state": self.seed, "n_jobs": self.n_jobs}
        return method.set_params(
            **{name: value for name, value in offered.items() if name in own and own[name] is None}
        )


def _with_notes(result: ConfidenceInterval, notes: Iterable[str]) -> ConfidenceInterval:
    """The same result with more remarks in ``details["notes"]``."""
    notes = list(notes)
    if not notes:
        return result
    notes = [*result.details.get("notes", []), *notes]
    return dataclasses.replace(result, details={**result.details, "notes": notes})


def distinct_names(methods: Iterable[BaseInterval]) -> list[str]:
    """Name of each method; the second of the same name gets ``_2``, and so on."""
    names: list[str] = []
    seen: dict[str, int] = {}
    for method in methods:
        seen[method.name] = seen.get(method.name, 0) + 1
        count = seen[method.name]
        names.append(method.name if count == 1 else f"{method.name}_{count}")
    return names
