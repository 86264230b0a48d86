"""Attributes of a fitted search that say why they are missing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from numbers import Integral
from types import MappingProxyType
from typing import Any, Generic, Self, TypeVar, overload

import numpy as np
from sklearn import config_context, get_config
from sklearn.base import clone, is_classifier, is_outlier_detector
from sklearn.exceptions import NotFittedError
from sklearn.metrics._scorer import _PassthroughScorer
from sklearn.model_selection import ParameterGrid
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples, check_is_fitted

from .._text import config_words, metric_words
from .._utils import did_you_mean
from .._warnings import duration, hold_warnings, release_warnings, warn_user
from ..exceptions import IntervalWarning, RecordingWarning
from ..intervals._base import BaseInterval
from ..intervals._bbc import BBC
from ..intervals._bbcf import BBCF, NaiveBootstrap
from ..intervals._notes import lonely_configuration
from ..intervals._recommend import as_interval
from ..intervals._rescaled_bbc import RescaledBBC
from ..metrics._metric import Metric, as_metric
from ..metrics._replay import ReplayError
from ..predictions._predictions import OOFPredictions
from ..results._results import ConfidenceInterval
from ..selection._base import AsRefit, FoldTable, Selection
from ..selection._rules import (
    BestScore,
    RefitCallable,
    SelectedBy,
    can_be_selected_by,
    complexity_ranks,
)
from ._assembly import held_out_of
from ._metrics import SCORE, metric_names, metrics_of_search, name_of_default_score
from ._optimism import with_parts, with_why_better
from ._racing import RacingSearch
from ._recording import Recording
from ._verify import NOT_SCORED, checked_predictions, kept_predictions, scorer_failures

T = TypeVar("T")


class ExplainedAttribute(Generic[T]):
    """Attribute of the instance that, where it is missing, says why instead of just failing.

    The value is kept in the ``__dict__`` of the search, as that of any other attribute, so
    that copies, pickles and `sklearn.utils.validation.check_is_fitted` see nothing unusual.
    The search has ``_why_missing(name)``, which returns the exception to raise.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, search: None, owner: type) -> Self: ...

    @overload
    def __get__(self, search: object, owner: type | None = None) -> T: ...

    def __get__(self, search: Any, owner: type | None = None) -> Any:
        if search is None:
            return self
        if self.name not in vars(search):
            raise search._why_missing(self.name)
        return vars(search)[self.name]

    def __set__(self, search: Any, value: T) -> None:
        vars(search)[self.name] = value

    def __delete__(self, search: Any) -> None:
        if self.name not in vars(search):
            raise AttributeError(self.name)
        del vars(search)[self.name]


REPEATING = (BBC, BBCF, RescaledBBC, NaiveBootstrap)
"""Methods that take `selection`."""


DRAWS = 2000
MOST_SECONDS = 60
"""A function that would take longer is not called in every draw unasked: no number then."""


@dataclass(frozen=True, kw_only=True)
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
    """Raise a ValueError, before the search, for a rule that cannot be a `refit`."""
    several = isinstance(scoring, (list, tuple, set, Mapping))
    named = refit if isinstance(refit, str) else None
    if several and (refit is True or (named is not None and named not in scoring)):
        raise ValueError(
            "For multi-metric scoring, the parameter refit must be set to a scorer key, one of "
            f"{list(scoring)}, to a rule or a function that selects, or to False; got {refit!r}."
            f"{did_you_mean(named, map(str, scoring))}"
        )
    if named is not None and (scoring is None or isinstance(scoring, str)) and named != scoring:
        raise ValueError(
            f"refit={named!r} is not the metric of this search, scoring={scoring!r}. Use "
            "refit=True, or give both metrics as scoring."
        )
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
    if several and rule is refit and not isinstance(rule, RefitCallable):
        name = next(iter(scoring), "roc_auc")
        raise ValueError(
            f"With several metrics refit must say which one {rule!r} is about: "
            f"refit=AsRefit({rule!r}, {name!r}), from sklearn_bbc.selection."
        )


def check_complexity_in(refit: Any, grid: Any, n_iter: int | None) -> None:
    """Raise, before the search, where a rule orders by a parameter that it cannot order by."""
    rule = refit.selection if isinstance(refit, AsRefit) else refit
    complexity = getattr(rule, "complexity", None)
    if not isinstance(rule, Selection) or complexity is None or grid is None:
        return
    if n_iter is None:
        complexity_ranks(complexity, list(ParameterGrid(grid)))
    elif not callable(complexity):  # of distributions only the names are known
        grids = [grid] if isinstance(grid, Mapping) else grid
        complexity_ranks(complexity, [dict.fromkeys(each, 0) for each in grids])


def refit_metric(refit: Any, multimetric: bool) -> str | None:
    """Name in ``cv_results_`` of the metric that selects; None where no single one does."""
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
    """Make the rule of a `refit` that is an object or a function, and try whether it repeats."""
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


class StageProgress:
    """Lines for ``verbose``, and a bar of its own for each progress bar of the search.

    scikit-learn closes its bars at the end of its own ``fit``. Other callbacks are told
    nothing, so that they hear what they hear from `GridSearchCV`.

    Parameters
    ----------
    search : BaseSearchCV
        The search.
    n_intervals : int
        Number of intervals that are going to be computed.
    """

    def __init__(self, search: Any, n_intervals: int) -> None:
        self._search, self._n_intervals = search, n_intervals
        self._verbose = search.verbose > 0
        self._n_begun = 0
        self._bars: list[Any] = []
        self._context: Any = None

    def __enter__(self) -> StageProgress:
        with suppress(Exception):  # a picture must not cost an interval
            self._open_bars()
        return self

    def begin(self, method: str, metric: str) -> None:
        """Tell that an interval is computed next."""
        self._finish_one()
        self._n_begun += 1
        if self._verbose:
            print(f"Interval {self._n_begun} of {self._n_intervals}: {method} for {metric}")

    def __exit__(self, *error: Any) -> None:
        self._finish_one()
        for bar in self._bars:
            with suppress(Exception):
                bar.on_fit_task_end(self._search, self._context)
            with suppress(Exception):
                bar.teardown(self._search, self._context)
        self._bars = []

    def _open_bars(self) -> None:
        bars = _bars_of(self._search)
        if not bars:
            return
        from sklearn.callback._callback_context import CallbackContext

        self._context = CallbackContext._from_estimator(
            estimator=self._search,
            task_name="intervals",
            task_id=0,
            max_subtasks=self._n_intervals,
            sequential_subtasks=True,
        )
        for bar in bars:
            bar.setup(self._search, self._context)
            self._bars.append(bar)
            bar.on_fit_task_begin(self._search, self._context)

    def _finish_one(self) -> None:
        if not self._n_begun or not self._bars:
            return
        with suppress(Exception):
            one = self._context.subcontext(task_name="interval", max_subtasks=0)
            for bar in self._bars:
                bar.on_fit_task_end(self._search, one)


def _bars_of(search: Any) -> list[Any]:
    """Progress bars that were set on the search itself."""
    callbacks = getattr(search, "_skl_callbacks", None)
    if not callbacks or hasattr(search, "_parent_callback_ctx"):
        return []
    from sklearn.callback import ProgressBar  # since 1.9, as callbacks are

    return [each for each in callbacks if isinstance(each, ProgressBar)]


MEMORY_SHARE = 0.2
"""Memory that intervals take in a search, as a share of the predictions'."""
UNCORRECTED = (
    "Not corrected for selection: the configuration was looked at as if it were the only one. "
    "Where it was chosen by its scores on these samples, this is too good; interval() without "
    "config corrects for that."
)
LEAST_MEMORY = 16
"""Megabytes that they may take in any case."""


@dataclass(kw_only=True)
class SearchState:
    """A finished search as the interval methods see it."""

    oof: OOFPredictions
    metrics: Mapping[str, Metric]
    """By their own names."""
    mean_scores: Mapping[str, np.ndarray]
    """Metric -> mean score (n_configs,) over the splits, as in ``cv_results_``."""
    primary: str | None
    """The metric that selects; None with several metrics and no refit metric."""
    seed: int
    """For methods without a seed of their own."""
    n_jobs: int | None
    """For methods without one of their own."""
    best_index: int | None = None
    """Configuration that the search itself selected; None when it selected none."""
    unweighted: set[str] = field(default_factory=set)
    """Metrics whose scorer was given no sample weights."""
    notes: list[str] = field(default_factory=list)
    """Remarks that belong to every result."""
    failures: dict[str, str] = field(default_factory=dict)
    """Metric of which every score failed -> why."""
    why_unrecorded: str = ""
    """Why there are only scores per fold, where that is so."""
    asked: bool = True
    """Whether predictions were to be recorded; if not, nobody is warned that there are none."""
    rule: RefitRule | None = None
    """By what `refit` selects, where it is not the best mean score."""
    held_out: np.ndarray | None = None
    """Mask (n_samples,) of the samples that were held out, where there are no rows to show it."""

    def estimate(
        self,
        method: BaseInterval,
        metric: Metric,
        config: int | None = None,
        tuned_by: Metric | None = None,
    ) -> ConfidenceInterval:
        """Run one method on one metric."""
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
        """Rule that each draw repeats when `metric` is reported; None for the best by `metric`."""
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
        return replace(result, details={**details, "notes": [*notes, UNCORRECTED]})

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
        return _with_notes(replace(result, details=details), [*self.notes, note])

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
        """Run methods on all metrics of the search and warn of those that failed."""
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
        return _with_notes(replace(result, details=details), [note])

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
    return replace(result, details={**result.details, "notes": notes})


def distinct_names(methods: Iterable[BaseInterval]) -> list[str]:
    """Name of each method; the second of the same name gets ``_2``, and so on."""
    names: list[str] = []
    seen: dict[str, int] = {}
    for method in methods:
        seen[method.name] = seen.get(method.name, 0) + 1
        count = seen[method.name]
        names.append(method.name if count == 1 else f"{method.name}_{count}")
    return names


UNSELECTED_NOTE = (
    "No configuration has a score in every fold, so the search returned the first one without "
    "comparing scores, and there is no selection to correct for. {advice} "
    "interval(tuned_by={metric!r}) is about the configuration with the best score on all held-out "
    "predictions together."
)
STRATIFY = (
    "Fold {fold} holds no sample of class {label}: use stratified folds, cv=StratifiedKFold"
    "({n_folds}). KFold without shuffle cuts sorted labels into folds of one class."
)
DYNAMIC_NOTE = (
    "The search chose configurations by looking at the scores of earlier ones; the method "
    "assumes that they are fixed beforehand, so some optimism may remain."
)
SWITCHED_OFF = "ci=[] switched the interval stage off; `interval()` computes one at any time."
CORRECTED = ("bbc", "bbcf")
"""Methods behind the attributes ``bbc_score_`` and ``bbcf_score_``."""
NO_PARTS = (
    "the winner's mean over the folds or its pooled score is not a number. The notes of ci_ say "
    "more."
)
NOT_REPEATED = (
    "The rule of `refit` cannot be repeated in the draws: {}. They select by the best score "
    "instead, which selects the same configuration on all samples."
)
OPTIMISM = ("optimism_", "optimism_parts_")
SCORES = ("bbc_score_", "bbcf_score_", *OPTIMISM)
"""Attributes that a search has when they can be computed."""


class AfterSearch(RacingSearch):
    """A search that looks at its predictions when it is finished.

    Whatever fails here warns; the results of the search stay.
    """

    bbc_score_ = ExplainedAttribute[float]()
    bbcf_score_ = ExplainedAttribute[float]()
    optimism_ = ExplainedAttribute[float]()
    optimism_parts_ = ExplainedAttribute[dict[str, float]]()
    ci_ = ExplainedAttribute[ConfidenceInterval]()
    ci_results_ = ExplainedAttribute[dict[str, dict[str, ConfidenceInterval]]]()

    oof_ = ExplainedAttribute[OOFPredictions]()
    interval_time_: float
    _state: SearchState
    _reasons: dict[str, str]
    """Attribute -> why it is missing."""

    def _finish_fit(self, recording: Recording, X: Any, y: Any) -> None:
        self._reasons, collected = {}, False
        with hold_warnings() as held:
            for told in [] if recording.store is None else recording.store.notes():
                warn_user(told, RecordingWarning)
            try:
                self._collect_predictions(recording, X, y)
                collected = True
                self._run_stage(recording)
            # A search may have taken days, and is complete.
            except Exception as error:
                self._lose_intervals(error)
            except BaseException:  # an interrupt
                if not collected:  # nothing half-fitted
                    self._forget_fit()
                raise
        # Only now, when nothing is lost where warnings are errors.
        release_warnings(held)

    def _lose_intervals(self, error: Exception) -> None:
        """After a fault that nothing foresaw: say it, keep the search."""
        why = f"{type(error).__name__}: {error}"
        for name in (*SCORES, "ci_", "ci_results_", "oof_"):
            self._reasons.setdefault(name, why)
        message = f"No interval was computed: {why}. The search itself is complete."
        warn_user(message, RecordingWarning)

    def _run_stage(self, recording: Recording) -> None:
        """Set `interval_time_` and what the intervals give."""
        methods, stage = self._requested_methods(), self._stage()
        self.interval_time_ = 0.0
        too_slow = "" if stage.rule is None else stage.rule.too_slow
        if not methods or too_slow:
            why = too_slow if methods else SWITCHED_OFF
            self._reasons.update(dict.fromkeys((*SCORES, "ci_", "ci_results_"), why))
            if methods:
                warn_user(f"No interval was computed: {too_slow}", IntervalWarning)
            return
        if len(recording.rounds) > 1:
            stage.notes.append(DYNAMIC_NOTE)
        for note in [*stage.notes, *self.oof_._grave_notes()]:
            warn_user(note, IntervalWarning)
        started = time.perf_counter()
        by_default = getattr(self, "ci", None) is None
        with stage.sparing(), StageProgress(self, len(methods) * len(stage.metrics)) as progress:
            self._compute_intervals(stage, None if by_default else methods, progress.begin)
        self.interval_time_ = time.perf_counter() - started
        if self.verbose > 0:
            print(f"Intervals took {self.interval_time_:.1f} s")

    def _collect_predictions(self, recording: Recording, X: Any, y: Any) -> None:
        """Set `oof_` and the state from which intervals are computed."""
        classifier = is_classifier(self.estimator) or is_outlier_detector(self.estimator)
        classifier = classifier or any(
            cell is not None and cell.classes is not None for cell in recording.cells
        )
        selected: Any = getattr(self, "best_index_", None)
        remarks = self._note_dropped(recording)
        oof, why = kept_predictions(
            recording, X, y, self.cv_results_, selected=selected, classifier=classifier
        )
        default_score = None
        if isinstance(self.scorer_, _PassthroughScorer):
            default_score = name_of_default_score(oof, oof.fold_scores[SCORE], self.estimator)
        survival = oof.y_true.dtype.names is not None
        seed = self._draw_seed(recording)
        failures = scorer_failures(self, recording, oof, X, y)
        names = metric_names(self.cv_results_)
        metrics = metrics_of_search(self.scoring, self.scorer_, names, default_score, survival)
        weights = recording.score_weights
        primary = refit_metric(self.refit, self.multimetric_)
        fold_scores = {metric.name: oof.fold_scores[name] for name, metric in metrics.items()}
        self.oof_ = oof._with_fields(fold_scores=MappingProxyType(fold_scores))
        state = self._state = SearchState(
            oof=self.oof_,
            metrics={metric.name: metric for metric in metrics.values()},
            mean_scores={m.name: self.cv_results_[f"mean_test_{k}"] for k, m in metrics.items()},
            primary=None if primary is None else metrics[primary].name,
            seed=seed,
            n_jobs=self.n_jobs,
            best_index=selected,
            unweighted={
                metric.name
                for name, metric in metrics.items()
                if weights.get(name, weights.get(SCORE)) is None
            },
            notes=remarks,
            failures={metrics[name].name: failed for name, failed in failures.items()},
            why_unrecorded=why,
            asked=getattr(self, "record", True),
        )
        if not oof.n_rows:  # else the rows tell
            state.held_out = held_out_of(recording, selected, _num_samples(X))
        self._check_predictions(state, recording)
        if callable(self.refit):
            state.rule = rule_of_refit(
                self._repeatable_refit(),
                metrics,
                {name: state._view(metric, None) for name, metric in metrics.items()},
                self.cv_results_,
                primary,
                int(selected),
            )
        if state.no_scores:
            state.notes.append(_unselected_note(self.oof_, state.primary))
        elif state.rule is not None and state.rule.why_not and state.primary is not None:
            if state.is_best(state.primary, selected):
                state.notes.append(NOT_REPEATED.format(state.rule.why_not))
        selected = None if selected is None else int(selected)
        state.oof = self.oof_ = self.oof_.with_selected(selected, by="the search")

    def _check_predictions(self, state: SearchState, recording: Recording) -> None:
        """Compare the predictions with the scores of the search, and leave out what differs."""
        views = {name: (each, state._view(each, None)) for name, each in state.metrics.items()}
        best = {name: state.best_by_mean(name) for name in views}
        checked = checked_predictions(state.oof, views, best, self.error_score, recording)
        if state.oof.responses and not checked.responses:
            state.why_unrecorded = NOT_SCORED
        state.oof = self.oof_ = checked

    def _compute_intervals(
        self,
        stage: SearchState,
        methods: list[BaseInterval] | None,
        begin: Callable[[str, str], None],
    ) -> None:
        """Set `ci_results_` and, where they are defined, `ci_` and the corrected scores."""
        reasons = self._reasons
        results = stage.run(methods, begin)
        scores, corrected, parts = {}, {}, None
        if stage.primary is None:
            why = (
                f"several metrics were scored and none of them selects (refit={self.refit!r}). "
                "The results of each metric are in ci_results_."
            )
            reasons.update(dict.fromkeys((*SCORES, "ci_"), why))
        else:
            for name in CORRECTED:
                result = stage.corrected(name, results[stage.primary].values())
                if "error" in result.details:
                    reasons[f"{name}_score_"] = result.details["error"]
                    continue
                scores[name], corrected[name] = result.estimate, result
            if "bbc" in corrected:
                parts = corrected["bbc"].details.get("optimism_parts")
            self.ci_ = next(iter(results[stage.primary].values()))
        # Only now, so that an interrupted stage leaves nothing half done.
        self.ci_results_ = results
        for name, score in scores.items():
            setattr(self, f"{name}_score_", score)
        if "bbc" not in scores:
            for name in OPTIMISM:
                reasons.setdefault(name, reasons["bbc_score_"])
        elif parts is None:
            reasons.update(dict.fromkeys(OPTIMISM, NO_PARTS))
        else:
            self.optimism_parts_ = parts
            # The difference itself, not the sum of the parts, which may round differently.
            self.optimism_ = stage.reported_score(corrected["bbc"]) - scores["bbc"]

    def _stage(self) -> SearchState:
        """The state with the parameters that the search has now."""
        check_is_fitted(self, "oof_")
        return replace(self._state, oof=self.oof_, n_jobs=self.n_jobs)

    def _metric(self, stage: SearchState, scoring: Any) -> Metric:
        if scoring is None and stage.primary is None:
            raise ValueError(
                f"scoring must be given, since no metric of this search selects the winner. Its "
                f"metrics are {list(stage.metrics)}; any other scorer works too."
            )
        name = stage.primary if scoring is None else scoring
        if isinstance(name, str) and name in stage.metrics:
            return stage.metrics[name]
        return as_metric(scoring)

    def _requested_methods(self) -> list[BaseInterval]:
        ci = getattr(self, "ci", None)
        if ci is None:
            ci = "bbc"
        return [as_interval(method) for method in (ci if isinstance(ci, (list, tuple)) else [ci])]

    def _draw_seed(self, recording: Recording | None = None) -> int:
        random_state = getattr(self, "random_state", None)
        if random_state is None and (seed := self._seed_of_store(recording)) is not None:
            return seed
        if isinstance(random_state, Integral):
            return int(random_state)
        # From a copy of the generator: the next one to draw from it gets the
        # numbers that GridSearchCV would have left.
        return int(deepcopy(check_random_state(random_state)).randint(2**31))

    def _forget_fit(self) -> None:
        super()._forget_fit()
        for name in ("_state", "_reasons"):
            self.__dict__.pop(name, None)

    def _why_missing(self, attribute: str) -> Exception:
        owner = type(self).__name__
        if "_reasons" not in vars(self):
            return NotFittedError(f"This {owner} has no {attribute} yet: call fit first.")
        interrupted = "the interval stage was interrupted; `interval()` computes one."
        reason = self._reasons.get(attribute, interrupted)
        return AttributeError(f"This {owner} has no {attribute}: {reason}")


def _unselected_note(oof: OOFPredictions, metric: str | None) -> str:
    """Why there was no score to select by, and which splits would give one."""
    advice = "Use fewer folds."
    if oof.classes_ is not None and oof.n_rows and oof.is_partition:
        n_folds = oof.n_splits // oof.n_repeats
        sizes = np.array([np.count_nonzero(oof.y_true == label) for label in oof.classes_])
        for fold in range(oof.n_splits):
            lacking = np.setdiff1d(oof.classes_, oof.y_true[oof.sample[oof.fold == fold]])
            if len(lacking) and sizes.min() >= n_folds:
                advice = STRATIFY.format(fold=fold, label=lacking[0], n_folds=n_folds)
                break
    return UNSELECTED_NOTE.format(advice=advice, metric=metric)


def predictions_for(stage: SearchState, metric: Metric, needed_by: str) -> OOFPredictions:
    """Predictions of a finished search, as one of its metrics sees them."""
    oof = stage._view(metric, tuned_by=metric if stage.selects_nothing else None)
    if metric.name in stage.failures and metric.name in stage.metrics:
        raise ValueError(stage.failures[metric.name])
    if not oof.responses and stage.why_unrecorded:
        raise ValueError(
            f"{needed_by} needs out-of-fold predictions, but there are only fold scores: "
            f"{stage.why_unrecorded}."
        )
    return oof
