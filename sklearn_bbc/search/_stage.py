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
from .._wording import config_words, metric_words
from ..exceptions import IntervalWarning
from ..intervals import BaseInterval, as_interval
from ..intervals._caveats import lonely_configuration
from ..metrics import Metric
from ..metrics._replay import ReplayError
from ..predictions import OOFPredictions
from ..results import ConfidenceInterval
from ..selection import RefitCallable, SelectedBy, Selection
from ..selection._selected_by import can_be_selected_by
from ._optimism import with_parts, with_why_better
from ._refit_rule import REPEATING, RefitRule

__all__ = ["IntervalStage", "distinct_names"]

MEMORY_SHARE = 0.2
"""Memory that intervals take in a search, as a share of the predictions'."""
UNCORRECTED = (
    "Not corrected for selection: the configuration was looked at as if it were the only one. "
    "Where it was chosen by its scores on these samples, this is too good; interval() without "
    "config corrects for that."
)
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
        self,
        method: BaseInterval,
        metric: Metric,
        config: int | None = None,
        tuned_by: Metric | None = None,
    ) -> ConfidenceInterval:
        """Run one method on one metric.

        Parameters
        ----------
        method : BaseInterval
            What it leaves open, seed and number of jobs, is the search's.
        metric : Metric
            What is reported: one of the search or any other.
        config : int or None, default=None
            A configuration to look at as if it were the only one.
        tuned_by : Metric or None, default=None
            Select by this metric instead of what selected in the search.
        """
        if tuned_by is None and config is None and self.selects_nothing:
            tuned_by = metric
        for each in (metric, self.selecting(metric, tuned_by) if config is None else None):
            if each is not None and self._is_own(each) and each.name in self.failures:
                raise ValueError(self.failures[each.name])
        oof = self._view(metric, config, tuned_by)
        if "predictions" in method.requires and not oof.responses and self.why_unrecorded:
            raise ValueError(
                f"{type(method).__name__} needs out-of-fold predictions, but there are only fold "
                f"scores: {self.why_unrecorded}. BBCF works on fold scores."
            )
        completed = self._completed(method)
        if config is not None:
            return self._uncorrected(completed.estimate(oof, metric))
        own, selected_by = getattr(method, "selection", None), None
        if not isinstance(own, Selection) and isinstance(method, REPEATING):
            # As it is: a clone of a function's ``cv_results_`` would be a copy.
            completed.set_params(selection=self.selection(metric, tuned_by))
        elif not isinstance(own, Selection) or can_be_selected_by(own):
            if method.selection_aware and own is None:
                self.selection(metric, tuned_by)  # raises where it cannot be repeated
            selects = self.selecting(metric, tuned_by)
            selected_by = None if selects is metric else selects
        result = completed.estimate(oof, metric, selected_by=selected_by)
        if tuned_by is not None:
            result = self._as_if_tuned(result, tuned_by)
        else:
            result = self._with_best_index(_with_notes(result, self.notes), method)
        return self._with_parts(result, metric)

    def selection(self, metric: Metric, tuned_by: Metric | None = None) -> Selection | None:
        """Rule that each draw repeats when `metric` is reported; None for the best by `metric`.

        Raises
        ------
        ValueError
            If the draws cannot repeat how the search selected.
        """
        rule = None if tuned_by is not None or self.repeated is None else self.repeated.selection
        if isinstance(rule, RefitCallable):
            return rule
        if rule is None and tuned_by is None and self.best_index is not None:
            self._check_repeatable()
        selects = self.selecting(metric, tuned_by)
        if selects is None or selects is metric:
            return rule
        # Each metric has its own weights: a scorer may have been given none.
        return SelectedBy(selects, rule)._on(self._view(selects, None, tuned_by))

    def selecting(self, metric: Metric, tuned_by: Metric | None) -> Metric | None:
        """Metric that selects: what was asked for, else that of the search."""
        if tuned_by is not None or self.primary is None:
            return metric if tuned_by is not None and tuned_by.name == metric.name else tuned_by
        return metric if metric.name == self.primary else self.metrics[self.primary]

    def _check_repeatable(self) -> None:
        """Raise where the best mean score is not what the search selected."""
        assert self.best_index is not None
        best = int(self.best_index)
        why = "" if self.rule is None else self.rule.why_not
        if self.primary is not None:
            if self.no_scores or self.oof.failed[best] or self.is_best(self.primary, best):
                return  # a failed one is named by the method
        if not why:
            why = "another configuration has a better mean score"
        name = self.primary or next(iter(self.metrics))
        raise ValueError(
            f"The search selected {self._described(best)}, and the draws cannot repeat how: "
            f"{why}. So there is no corrected score of that model. "
            f"interval(tuned_by={name!r}) corrects the score of what the best mean score selects; "
            f"interval(config={best}) looks at this one, uncorrected."
        )

    @property
    def selects_nothing(self) -> bool:
        """Whether the search returns no model, so that each metric can only select for itself."""
        return self.primary is None and self.best_index is None

    @property
    def no_scores(self) -> bool:
        """Whether the search selected the first configuration, without scores to compare."""
        return (
            self.primary is not None
            and self.best_index is not None
            and self.repeated is None
            and self.primary not in self.failures
            and self.best_by_mean(self.primary) is None
        )

    def _uncorrected(self, result: ConfidenceInterval) -> ConfidenceInterval:
        """Note that a configuration was looked at by itself, though others were tried."""
        if self.oof.n_configs == 1:
            return result
        lonely = lonely_configuration(self.oof.n_configs)
        notes = [n for n in result.details.get("notes", []) if n != lonely]
        details = {**result.details, "selection_accounted_for": False}
        return dataclasses.replace(result, details={**details, "notes": [*notes, UNCORRECTED]})

    def _as_if_tuned(self, result: ConfidenceInterval, tuned_by: Metric) -> ConfidenceInterval:
        """Say that the result is about tuning by another metric than the search's."""
        name, winner = self._name(tuned_by.name), result.details.get("winner")
        details = {**result.details, "tuned_by": tuned_by.name}
        note = f"As if tuned by {name}: the draws select by it."
        if self.best_index is None:
            note += " The search itself selected no model."
        elif winner is not None and winner != self.best_index:
            details["best_index"] = int(self.best_index)
            note = (
                f"As if tuned by {name}, which selects {self._described(winner)}: this is not "
                f"about {self._described(self.best_index)}, which the search returns."
            )
        return _with_notes(dataclasses.replace(result, details=details), [*self.notes, note])

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
        results: dict[str, dict[str, ConfidenceInterval]] = {}
        warned: set[tuple[str, str]] = set()
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
                why = result.details.get("error", "")
                if warn and why and (name, why) not in warned:
                    warned.add((name, why))  # what selects may fail for every metric
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
        needed = {metric, self.selecting(metric, None) or metric}
        if "error" not in result.details or all(map(self._predicts, needed)):
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
            other = "error" in result.details or "tuned_by" in result.details
            if result.method == name and not other and by_rule == repeats:
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

    def _with_best_index(
        self, result: ConfidenceInterval, method: BaseInterval
    ) -> ConfidenceInterval:
        """Name what the search returns, too, where a rule of the method's own selects another."""
        about = result.details.get("config", result.details.get("winner"))
        named = getattr(method, "config", None) is not None
        if self.best_index is None or about is None or named or about == self.best_index:
            return result
        details = {**result.details, "best_index": int(self.best_index)}
        note = (
            f"This is about {self._described(about)}, which {type(method).__name__} selects; the "
            f"search returns {self._described(self.best_index)}."
        )
        return _with_notes(dataclasses.replace(result, details=details), [note])

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

    def _is_own(self, metric: Metric) -> bool:
        own = self.metrics.get(metric.name)
        return own is not None and own.scorer is metric.scorer

    def _view(
        self, metric: Metric, config: int | None = None, tuned_by: Metric | None = None
    ) -> OOFPredictions:
        """The predictions with the winner, the weights and the fold scores of one metric."""
        fields: dict[str, Any] = {}
        if not self._is_own(metric):
            others = {k: v for k, v in self.oof.fold_scores.items() if k != metric.name}
            fields["fold_scores"] = MappingProxyType(others)
        elif metric.name in self.unweighted:
            fields["sample_weight"] = None
        self._check_given(metric)
        by = "given"
        if tuned_by is not None:
            own = self._is_own(tuned_by)
            fields["selected"] = self.best_by_mean(tuned_by.name) if own else None
            fields["selected_by"] = f"mean over folds of {tuned_by.name}"
        elif config is None and self.no_scores:
            config, by = int(self.best_index or 0), "the first, without scores to compare"
        if config is not None:
            failed = np.ones(self.oof.n_configs, dtype=bool)
            failed[config] = self.oof.failed[config]
            fields.update(selected=config, selected_by=by, failed=failed)
        return metric.weighted(self.oof._with_fields(**fields) if fields else self.oof)

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
