"""Estimate what a finished search selects: the rule of `refit`, intervals, corrected scores."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from sklearn import config_context, get_config
from sklearn.base import clone, is_classifier, is_outlier_detector
from sklearn.metrics import d2_absolute_error_score, explained_variance_score, r2_score
from sklearn.metrics._scorer import _PassthroughScorer
from sklearn.model_selection import ParameterGrid
from sklearn.utils.validation import _num_samples

from .._scorers import scorer_named
from .._text import POOLING_ALONE, config_words, metric_words, printed_result, shown
from .._utils import did_you_mean
from .._warnings import duration, hold_warnings, warn_user
from ..exceptions import BBCWarning, IntervalWarning
from ..intervals._base import BaseInterval
from ..intervals._bbc import BBC
from ..intervals._bbcf import BBCF, NaiveBootstrap
from ..intervals._notes import POOLED, UNSCORED, lonely_configuration
from ..intervals._recommend import as_interval
from ..intervals._shrunken_bbc import ShrunkenBBC
from ..metrics._base import needs_spread
from ..metrics._calibration import check_has_direction
from ..metrics._metric import Metric, as_metric
from ..metrics._replay import ReplayError
from ..predictions._predictions import OOFPredictions
from ..predictions._sources import ADAPTIVE
from ..results._results import ConfidenceInterval
from ..selection._base import FoldTable, Selection
from ..selection._rules import (
    BestScore,
    RefitCallable,
    SelectedBy,
    can_be_selected_by,
    complexity_ranks,
    rule_of,
)
from ._assembly import NOT_SCORED, held_out_of, kept_predictions, scorer_failures, verified
from ._metrics import SCORE, SEVERAL, metric_names, metrics_of_search, name_of_default_score
from ._racing import dropped_of, note_dropped, refit_among
from ._recording import Recording

REPEATING = (BBC, BBCF, ShrunkenBBC, NaiveBootstrap)
"""Methods that take `selection`."""
DRAWS = 2000
MOST_SECONDS = 60
"""A function that would take longer is not called in every draw unasked: no number then."""
MEMORY_SHARE = 0.2
"""Memory that intervals take in a search, as a share of the predictions'."""
LEAST_MEMORY = 16
"""Megabytes that they may take in any case."""
UNCORRECTED = (
    "Not corrected for selection: the configuration was looked at as if it were the only one. "
    "Where it was chosen by its scores on these samples, this is too good; interval() without "
    "config corrects for that."
)
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
DYNAMIC_NOTE = ADAPTIVE.format("The search chose")
NOT_REPEATED = (
    "The rule of `refit` cannot be repeated in the draws: {}. They select by the best score "
    "instead, which selects the same configuration on all samples."
)
NO_PARTS = (
    "the winner's mean over the folds or its pooled score is not a number. The notes of ci_ say "
    "more."
)
SWITCHED_OFF = "ci=[] switched the interval stage off; `interval()` computes one at any time."
INTERRUPTED = "the interval stage was interrupted; `interval()` computes one."
OPTIMISM = ("optimism_", "optimism_parts_")
SCORES = ("bbc_score_", "bbcf_score_", *OPTIMISM)
INTERVALS = ("ci_", "ci_results_")
EXPLAINED = (*SCORES, *INTERVALS, "oof_")
"""Attributes that say why they are missing where they could not be computed."""


class RefitRule(NamedTuple):
    """Rule of a `refit` that does not select the best mean score, and whether it repeats."""

    selection: Selection
    # Why draws cannot repeat it; empty where they can.
    why_not: str = ""
    # Why a function is not repeated unasked; empty where it is.
    too_slow: str = ""


def check_refit(refit: Any, scoring: Any, grid: Any, n_iter: int | None) -> None:
    """Raise a ValueError, before the search, for a rule that cannot be a `refit`."""
    several = isinstance(scoring, (*SEVERAL, Mapping))
    named = refit if isinstance(refit, str) else None
    if several and (refit is True or (named is not None and named not in scoring)):
        raise ValueError(
            "For multi-metric scoring, the parameter refit must be set to a scorer key, one of "
            f"{list(scoring)}, to a rule or a function that selects, or to False; got {refit!r}."
            f"{did_you_mean(named, map(str, scoring))}"
        )
    if named is not None and (scoring is None or isinstance(scoring, str)) and named != scoring:
        warn_user(  # scikit-learn takes any text for True
            f"refit={named!r} is not the metric of this search: scoring={scoring!r} selects. Use "
            "refit=True, or give both metrics as scoring.",
            BBCWarning,
        )
    selects = named if several and not isinstance(scoring, Mapping) else scoring
    if isinstance(scoring, Mapping):
        selects = None if named is None else scoring[named]
    if selects is not None:
        name = named or str(selects)
        scorer = scorer_named(selects) if isinstance(selects, str) else selects
        check_has_direction(getattr(scorer, "_score_func", None), name)
    rule = rule_of(refit)
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
            f"With several metrics refit must name the one that {rule!r} is about: "
            f"refit=SelectedBy({name!r}, {rule!r}), from sklearn_bbc.selection."
        )
    known = list(scoring) if several else ["score"]
    if isinstance(refit, SelectedBy) and not callable(scoring) and refit.scoring not in known:
        raise ValueError(
            f"refit={refit!r} selects by {refit.scoring!r}, but this search calls its "
            f"metrics {known}."
        )
    complexity = getattr(rule, "complexity", None)
    if complexity is None or grid is None:
        return
    if n_iter is None:
        complexity_ranks(complexity, list(ParameterGrid(grid)))
    elif not callable(complexity):  # of distributions only the names are known
        grids = [grid] if isinstance(grid, Mapping) else grid
        complexity_ranks(complexity, [dict.fromkeys(each, 0) for each in grids])


def rule_of_refit(
    refit: Any,
    state: SearchState,
    metrics: Mapping[str, Metric],
    cv_results: Mapping[str, Any],
    primary: str | None,
) -> RefitRule | None:
    """Make the rule of a `refit` that is an object or a function, and try whether it repeats.

    `metrics` and `primary` have the names of ``cv_results_``.
    """
    rule = rule_of(refit)
    if not callable(rule) or isinstance(rule, BestScore):
        return None
    views = {name: state._view(metric) for name, metric in metrics.items()}
    if not isinstance(rule, Selection):
        rule = RefitCallable(rule)
    if isinstance(rule, RefitCallable):
        scoring = rule.scoring
        if scoring is None:
            scoring = {n: m for n, m in metrics.items() if _kernel(m, views[n]) is not None}
        columns = cv_results if rule.cv_results is None else rule.cv_results
        of_draws = ("split", "mean_t", "std_t", "rank_t")  # all others are the same in each
        fixed = {name: each for name, each in columns.items() if not name.startswith(of_draws)}
        rule = RefitCallable(rule.function, scoring=scoring or None, cv_results=fixed)
    else:
        rule = clone(rule)
    name = next(iter(metrics)) if primary is None else primary
    kernel = _kernel(metrics[name], views[name])
    if kernel is None:
        why = f"{metrics[name].name} can be computed neither from predictions nor from folds"
        return RefitRule(rule, why)
    try:
        bound = rule.bind(views[name], kernel)
        config = int(bound.on_all()["config"][0])
    # A function may raise anything, and the search must not be lost to it.
    except Exception as error:
        return RefitRule(rule, f"{type(error).__name__}: {error}".rstrip("."))
    if config != state.best_index:
        what = "nothing" if config < 0 else f"configuration {config}"
        return RefitRule(
            rule, f"applied once more to the scores of all samples, it selects {what}"
        )
    seconds = DRAWS * bound.seconds_per_draw
    if isinstance(refit, Selection) or seconds <= MOST_SECONDS:
        return RefitRule(rule)
    return RefitRule(
        rule,
        too_slow=f"{DRAWS:,} calls of the refit function would take about {duration(seconds)}. "
        "interval() makes them, and refit=RefitCallable(function) does it in each fit.",
    )


def _kernel(metric: Metric, oof: OOFPredictions) -> Any:
    """Bind the metric to predictions, else to its fold scores; None where neither works."""
    # Own scores that cannot be replayed, or no predictions: the scores per fold are left.
    with suppress(Exception):
        return metric.bind(oof)
    with suppress(Exception):
        return FoldTable(metric, np.where(oof.failed, np.nan, metric.fold_scores(oof)))
    return None


@contextmanager
def interval_progress(search: Any, n_intervals: int) -> Iterator[Callable[[str, str], None]]:
    """Print lines for ``verbose``, and give each progress bar of the search one of its own.

    scikit-learn closes its bars at the end of its own ``fit``. Other callbacks are not called, so
    that they see what they see of `GridSearchCV`. The value is called before each interval.
    """
    bars: list[Any] = []
    context: Any = None
    n_begun = 0
    with suppress(Exception):  # a bar must not cost an interval
        if getattr(search, "_skl_callbacks", None) and not hasattr(search, "_parent_callback_ctx"):
            from sklearn.callback import ProgressBar  # since 1.9, as callbacks are
            from sklearn.callback._callback_context import CallbackContext

            own = [each for each in search._skl_callbacks if isinstance(each, ProgressBar)]
            if own:
                context = CallbackContext._from_estimator(
                    estimator=search,
                    task_name="intervals",
                    task_id=0,
                    max_subtasks=n_intervals,
                    sequential_subtasks=True,
                )
            for bar in own:
                bar.setup(search, context)
                bars.append(bar)
                bar.on_fit_task_begin(search, context)

    def end_one() -> None:
        with suppress(Exception):
            if n_begun and bars:
                one = context.subcontext(task_name="interval", max_subtasks=0)
                for bar in bars:
                    bar.on_fit_task_end(search, one)

    def begin(method: str, metric: str) -> None:
        nonlocal n_begun
        end_one()
        n_begun += 1
        if search.verbose > 0:
            print(f"Interval {n_begun} of {n_intervals}: {method} for {metric}")

    try:
        yield begin
    finally:
        end_one()
        for bar in bars:
            with suppress(Exception):
                bar.on_fit_task_end(search, context)
            with suppress(Exception):
                bar.teardown(search, context)


def requested_methods(search: Any) -> list[BaseInterval]:
    """List the methods that `ci` of a search names."""
    ci = getattr(search, "ci", None)
    ci = "bbc" if ci is None else ci
    return [as_interval(method) for method in (ci if isinstance(ci, (list, tuple)) else [ci])]


@dataclass(kw_only=True)
class SearchState:
    """A finished search as the interval methods see it."""

    oof: OOFPredictions
    # By their own names.
    metrics: Mapping[str, Metric]
    # Metric -> mean score (n_configs,) over the splits, as in ``cv_results_``.
    mean_scores: Mapping[str, np.ndarray]
    # The metric that selects; None with several metrics and no refit metric.
    primary: str | None
    # For methods without a seed of their own.
    seed: int
    # For methods without one of their own.
    n_jobs: int | None
    # Configuration that the search itself selected; None when it selected none.
    best_index: int | None = None
    # Metrics whose scorer was given no sample weights.
    unweighted: set[str] = field(default_factory=set)
    # Remarks that belong to every result.
    notes: list[str] = field(default_factory=list)
    # Metric of which every score failed -> why.
    failures: dict[str, str] = field(default_factory=dict)
    # Why there are only scores per fold, where that is so.
    why_unrecorded: str = ""
    # Whether predictions were to be recorded; if not, nobody is warned that there are none.
    asked: bool = True
    # By what `refit` selects, where it is not the best mean score.
    rule: RefitRule | None = None
    # Mask (n_samples,) of the samples that were held out, where there are no rows to show it.
    held_out: np.ndarray | None = None

    @classmethod
    def of(cls, search: Any, recording: Recording, X: Any, y: Any) -> SearchState:
        """Assemble and check what was recorded of a search that has just been fitted."""
        classifier = is_classifier(search.estimator) or is_outlier_detector(search.estimator)
        classifier = classifier or any(
            cell is not None and cell.classes is not None for cell in recording.cells
        )
        selected: int | None = getattr(search, "best_index_", None)
        selected = None if selected is None else int(selected)
        remarks, cv_results = note_dropped(search, recording), search.cv_results_
        oof, why = kept_predictions(
            recording, X, y, cv_results, selected=selected, classifier=classifier
        )
        default_score = None
        if isinstance(search.scorer_, _PassthroughScorer):
            default_score = name_of_default_score(oof, oof.fold_scores[SCORE], search.estimator)
        seed = recording.draw_seed(search)
        failures = scorer_failures(search, recording, oof, X, y)
        metrics = metrics_of_search(
            search.scoring,
            search.scorer_,
            metric_names(cv_results),
            default_score,
            oof.y_true.dtype.names is not None,
        )
        primary: str | None = SCORE  # in `cv_results_`
        if isinstance(search.refit, SelectedBy):
            primary = search.refit.scoring
        elif search.multimetric_:
            primary = search.refit if isinstance(search.refit, str) else None
        weights = recording.score_weights
        fold_scores = {metric.name: oof.fold_scores[name] for name, metric in metrics.items()}
        oof = oof._with_fields(fold_scores=MappingProxyType(fold_scores))
        state = cls(
            oof=oof,
            metrics={metric.name: metric for metric in metrics.values()},
            mean_scores={m.name: cv_results[f"mean_test_{k}"] for k, m in metrics.items()},
            primary=None if primary is None else metrics[primary].name,
            seed=seed,
            n_jobs=search.n_jobs,
            best_index=selected,
            unweighted={
                metric.name
                for name, metric in metrics.items()
                if weights.get(name, weights.get(SCORE)) is None
            },
            notes=remarks,
            failures={metrics[name].name: failed for name, failed in failures.items()},
            why_unrecorded=why,
            asked=getattr(search, "record", True),
        )
        if not oof.n_rows:  # else the rows show it
            state.held_out = held_out_of(recording, selected, _num_samples(X))
        views = {name: (each, state._view(each)) for name, each in state.metrics.items()}
        best = {name: state.best_by_mean(name) for name in views}
        state.oof = verified(oof, views, best, search.error_score, recording)
        if oof.responses and not state.oof.responses:
            state.why_unrecorded = NOT_SCORED
        if callable(refit := search.refit):
            if (dropped := dropped_of(cv_results)).any():
                refit = refit_among(refit, np.flatnonzero(~dropped))
            state.rule = rule_of_refit(refit, state, metrics, cv_results, primary)
        if state.no_scores:
            state.notes.append(_unselected_note(state.oof, state.primary))
        elif state.rule is not None and state.rule.why_not and state.primary is not None:
            if selected is not None and state.is_best(state.primary, selected):
                state.notes.append(NOT_REPEATED.format(state.rule.why_not))
        if len(recording.rounds) > 1:
            state.notes.append(DYNAMIC_NOTE)
        state.oof = state.oof.with_selected(selected, by="the search")
        return state

    def metric(self, scoring: Any) -> Metric:
        """Return a metric of the search by its name, any other one, or that which selects."""
        if scoring is None and self.primary is None:
            raise ValueError(
                f"scoring must be given, since no metric of this search selects the winner. Its "
                f"metrics are {list(self.metrics)}; any other scorer works too."
            )
        name = self.primary if scoring is None else scoring
        own = self.metrics.get(name) if isinstance(name, str) else None
        return as_metric(scoring) if own is None else own

    def offered(self, **params: Any) -> dict[str, Any]:
        """Add the seed and the number of threads of the search where none is given."""
        own = {"random_state": self.seed, "n_jobs": self.n_jobs}
        return params | {name: v for name, v in own.items() if params.get(name) is None}

    def seeded(self, method: Any) -> Any:
        """Copy a method, with the seed and the number of threads of the search if it has none."""
        method = clone(method)
        params = method.get_params(deep=False)
        return method.set_params(
            **{k: v for k, v in self.offered().items() if params.get(k, 0) is None}
        )

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
        selects = None if config is not None else self.selecting(metric, tuned_by)
        for each in (metric, selects):
            if each is not None and self._is_own(each) and each.name in self.failures:
                raise ValueError(self.failures[each.name])
        oof = self._view(metric, config, tuned_by)
        if "predictions" in method.requires and not oof.responses and self.why_unrecorded:
            raise ValueError(
                f"{type(method).__name__} needs out-of-fold predictions, but there are only fold "
                f"scores: {self.why_unrecorded}. They are enough for BBC-F: "
                f"search.interval('bbcf', scoring={metric.name!r})."
            )
        method = self.seeded(method)
        params = method.get_params(deep=False)
        if config is not None:
            result = method.estimate(oof, metric)
            if self.oof.n_configs == 1:
                return result
            lonely = lonely_configuration(self.oof.n_configs)
            notes = [each for each in result.details.get("notes", []) if each != lonely]
            more = {"selection_accounted_for": False, "notes": [*notes, UNCORRECTED]}
            return replace(result, details={**result.details, **more})
        own, selected_by = params.get("selection"), None
        if not isinstance(own, Selection) and isinstance(method, REPEATING):
            # As it is: a clone of a function's ``cv_results_`` would be a copy.
            method.set_params(selection=self.selection(metric, tuned_by))
        elif not isinstance(own, Selection) or can_be_selected_by(own):
            if method.selection_aware and own is None:
                self.selection(metric, tuned_by)  # raises where it cannot be repeated
            selected_by = None if selects is metric else selects
        result = method.estimate(oof, metric, selected_by=selected_by)
        result = self._with_remarks(result, tuned_by, type(method).__name__, params.get("config"))
        winner = result.details.get("winner")
        if winner is None or not self._is_own(metric):
            return result
        fold_scores = self.oof.fold_scores.get(metric.name)
        of_winner = np.empty(0) if fold_scores is None else fold_scores[:, winner]
        mean = float(self.mean_scores[metric.name][winner])
        return with_optimism(result, metric, mean, of_winner)

    def _with_remarks(
        self, result: ConfidenceInterval, tuned_by: Metric | None, method: str, named: Any
    ) -> ConfidenceInterval:
        """Add the notes of the search, and name another configuration than it selected."""
        details, notes, best = dict(result.details), list(self.notes), self.best_index
        about = winner = details.get("winner")
        if tuned_by is not None:
            details["tuned_by"] = tuned_by.name
            own = self.metrics.get(tuned_by.name)
            words = metric_words(tuned_by.name, sign=None if own is None else own.sign)
            begin = f"As if tuned by {words.name}"
            note = f"{begin}: the draws select by it."
            if best is None:
                note += " The search itself selected no model."
            elif winner is not None and winner != best:
                details["best_index"] = int(best)
                note = (
                    f"{begin}, which selects {self._described(winner)}: this is not about "
                    f"{self._described(best)}, which the search returns."
                )
            notes.append(note)
        else:
            about = details.get("config", winner)
            if best is not None and about is not None and named is None and about != best:
                details["best_index"] = int(best)
                notes.append(
                    f"This is about {self._described(about)}, which {method} selects; the search "
                    f"returns {self._described(best)}."
                )
        return _with_notes(replace(result, details=details), notes)

    def _described(self, config: int) -> str:
        return config_words(config, self.oof.params)

    def selection(self, metric: Metric, tuned_by: Metric | None = None) -> Selection | None:
        """Return the rule that draws repeat when `metric` is reported; None for its best."""
        rule = None if tuned_by is not None or self.repeated is None else self.repeated.selection
        if isinstance(rule, RefitCallable):
            return rule
        if rule is None and tuned_by is None and self.best_index is not None:
            self._check_repeatable(self.best_index)
        selects = self.selecting(metric, tuned_by)
        if selects is None or selects is metric:
            return rule
        # Each metric has its own weights: a scorer may have been given none.
        return SelectedBy(selects, rule)._on(self._view(selects, None, tuned_by))

    def _check_repeatable(self, best: int) -> None:
        """Raise where the best mean score is not what the search selected."""
        if self.primary is not None and (
            self.no_scores or self.oof.failed[best] or self.is_best(self.primary, best)
        ):
            return  # a failed one is named by the method
        why = "" if self.rule is None else self.rule.why_not
        name = self.primary or next(iter(self.metrics))
        raise ValueError(
            f"The search selected {self._described(best)}, and the draws cannot repeat how: "
            f"{why or 'another configuration has a better mean score'}. So there is no corrected "
            f"score of that model. "
            f"interval(tuned_by={name!r}) corrects the score of what the best mean score selects; "
            f"interval(config={best}) looks at this one, uncorrected."
        )

    def selecting(self, metric: Metric, tuned_by: Metric | None = None) -> Metric | None:
        """Return the metric that selects: what was asked for, else that of the search.

        Where the search selects nothing, each metric selects for itself.
        """
        if tuned_by is None and self.selects_nothing:
            return metric
        if tuned_by is not None or self.primary is None:
            return metric if tuned_by is not None and tuned_by.name == metric.name else tuned_by
        return metric if metric.name == self.primary else self.metrics[self.primary]

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

    @property
    def repeated(self) -> RefitRule | None:
        """Rule of `refit`, where draws can repeat it; else None."""
        return self.rule if self.rule is not None and not self.rule.why_not else None

    def estimate_or_explain(self, method: BaseInterval, metric: Metric) -> ConfidenceInterval:
        """Run `estimate`; a failure gives NaN and its reason in ``details["error"]``."""
        try:
            return self.estimate(method, metric)
        # A search may have taken days. Whatever stops an interval, a lack of memory
        # included, is noted and not raised; `search.interval(...)` raises it again.
        except Exception as error:
            return ConfidenceInterval(
                estimate=np.nan,
                low=np.nan,
                high=np.nan,
                confidence_level=method.confidence_level,
                alternative=method.alternative,
                method=method.name,
                metric=metric.name,
                estimand=method.estimand,
                details={"error": f"{type(error).__name__}: {error}"},
            )

    def sparing(self) -> AbstractContextManager[None]:
        """Let scikit-learn's ``working_memory`` be a share of what the predictions take.

        A search should not need much more memory than its predictions. The intervals take
        longer for it, which is little beside the time of the search.
        """
        size = sum(array.nbytes for array in self.oof.responses.values()) / 2**20
        share = max(LEAST_MEMORY, int(MEMORY_SHARE * size))
        return config_context(working_memory=min(get_config()["working_memory"], share))

    def run(
        self, methods: list[BaseInterval] | None, begin: Callable[[str, str], None]
    ) -> dict[str, dict[str, ConfidenceInterval]]:
        """Run methods, by default BBC, on all metrics of the search and warn of failures.

        A second method of the same name gets ``_2``, and so on.
        """
        results: dict[str, dict[str, ConfidenceInterval]] = {}
        warned: set[tuple[str, str]] = set()
        for metric in self.metrics.values():
            of_metric: dict[str, ConfidenceInterval] = {}
            seen: Counter[str] = Counter()
            warn = True
            if methods is None:
                begin("bbc", metric.name)
                result, warn = self._by_default(metric)
                of_metric[result.method] = result
            for method in methods or ():
                seen[method.name] += 1
                again = f"_{seen[method.name]}" if seen[method.name] > 1 else ""
                begin(method.name + again, metric.name)
                of_metric[method.name + again] = self.estimate_or_explain(method, metric)
            for name, result in of_metric.items():
                why = result.details.get("error", "")
                if warn and why and (name, why) not in warned:
                    warned.add((name, why))  # what selects may fail for every metric
                    warn_user(
                        f"No {name!r} interval for {metric.name}: {why} "
                        "The search itself is complete.",
                        IntervalWarning,
                    )
            results[metric.name] = of_metric
        return results

    def attributes(self, search: Any) -> tuple[dict[str, Any], dict[str, str]]:
        """Compute the attributes that `fit` adds to a search, and why others are missing."""
        methods = requested_methods(search)
        too_slow = "" if self.rule is None else self.rule.too_slow
        if not methods or too_slow:
            if methods:
                warn_user(f"No interval was computed: {too_slow}", IntervalWarning)
            why = too_slow if methods else SWITCHED_OFF
            return {"interval_time_": 0.0}, dict.fromkeys((*SCORES, *INTERVALS), why)
        for note in [*self.notes, *self.oof._grave_notes()]:
            warn_user(note, IntervalWarning)
        started = time.perf_counter()
        found: dict[str, Any] = {}
        reasons: dict[str, str] = {}
        n_intervals = len(methods) * len(self.metrics)
        with self.sparing(), interval_progress(search, n_intervals) as begin:
            by_default = getattr(search, "ci", None) is None
            found["ci_results_"] = results = self.run(None if by_default else methods, begin)
            if self.primary is None:
                why = (
                    "several metrics were scored and none of them selects "
                    f"(refit={search.refit!r}). The results of each metric are in ci_results_."
                )
                reasons |= dict.fromkeys((*SCORES, "ci_"), why)
            else:
                own = list(results[self.primary].values())
                found["ci_"] = own[0]
                for name in ("bbc", "bbcf"):
                    result = self.corrected(name, own)
                    if "error" in result.details:
                        reasons[f"{name}_score_"] = result.details["error"]
                        continue
                    found[f"{name}_score_"] = result.estimate
                    if name == "bbc" and "optimism_parts" in result.details:
                        found["optimism_parts_"] = result.details["optimism_parts"]
                        # The difference itself: the sum of the parts may round differently.
                        found["optimism_"] = self.reported_score(result) - result.estimate
        found["interval_time_"] = time.perf_counter() - started
        if search.verbose > 0:
            print(f"Intervals took {found['interval_time_']:.1f} s")
        return found, dict.fromkeys(OPTIMISM, reasons.get("bbc_score_", NO_PARTS)) | reasons

    def _by_default(self, metric: Metric) -> tuple[ConfidenceInterval, bool]:
        """Run BBC, or BBC-F without predictions; also return whether to warn of a failure."""
        result = self.estimate_or_explain(as_interval("bbc"), metric)
        needed = {metric, self.selecting(metric) or metric}
        if metric.name in self.failures or "error" not in result.details:
            return result, True
        if all(map(self._predicts, needed)):
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

    def _predicts(self, metric: Metric) -> bool:
        """Check whether the metric can be computed from the recorded predictions."""
        if not self.oof.responses or metric.score_func is None:
            return False
        try:
            metric.bind(self._view(metric))
        except ReplayError:
            return False
        except Exception:  # named with the interval
            pass
        return True

    def corrected(self, name: str, results: Iterable[ConfidenceInterval]) -> ConfidenceInterval:
        """Return the result of a method for the selecting metric, from `results` when it is there.

        A result by a rule of the method's own is about another selection than the search's.
        """
        assert self.primary is not None
        for result in results:
            details = result.details
            if result.method == name and not {"error", "tuned_by"} & details.keys():
                if ("rule" in details) == (self.repeated is not None):
                    return result
        with hold_warnings():  # nobody asked for this interval, only for its estimate
            return self.estimate_or_explain(as_interval(name), self.metrics[self.primary])

    def best_by_mean(self, name: str) -> int | None:
        """Find the configuration with the best mean score among those that failed in no fold."""
        means = np.where(self.oof.failed, np.nan, self.mean_scores[name])
        return None if np.isnan(means).all() else int(np.nanargmax(means))

    def is_best(self, name: str, config: int) -> bool:
        """Check whether a configuration did not fail and has the best mean score."""
        best, means = self.best_by_mean(name), self.mean_scores[name]
        return best is not None and bool(
            not self.oof.failed[config] and means[config] == means[best]
        )

    def reported_score(self, result: ConfidenceInterval) -> float:
        """Return the mean score over the splits of the configuration that a result is about.

        A threshold or an ensemble has none: its score on the predictions that chose it.
        """
        if "apparent_score" in result.details:
            return float(result.details["apparent_score"])
        if result.metric not in self.mean_scores:  # the search has not scored by it
            return np.nan
        winner = result.details.get("winner")
        if winner is None:
            winner = self.best_by_mean(result.metric)
        return np.nan if winner is None else float(self.mean_scores[result.metric][winner])

    def predictions_for(self, metric: Metric, needed_by: str) -> OOFPredictions:
        """Return the predictions as one metric sees them; raise where there are none."""
        oof = self._view(metric)
        if metric.name in self.failures and metric.name in self.metrics:
            raise ValueError(self.failures[metric.name])
        if not oof.responses and self.why_unrecorded:
            raise ValueError(
                f"{needed_by} needs out-of-fold predictions, but there are only fold scores: "
                f"{self.why_unrecorded}."
            )
        return oof

    def _is_own(self, metric: Metric) -> bool:
        own = self.metrics.get(metric.name)
        return own is not None and own.scorer is metric.scorer

    def _view(
        self, metric: Metric, config: int | None = None, tuned_by: Metric | None = None
    ) -> OOFPredictions:
        """Return the predictions with the winner, weights and fold scores of one metric."""
        fields: dict[str, Any] = {}
        if tuned_by is None and config is None and self.selects_nothing:
            tuned_by = metric
        if not self._is_own(metric):
            others = {k: v for k, v in self.oof.fold_scores.items() if k != metric.name}
            fields["fold_scores"] = MappingProxyType(others)
            known = self.oof.metadata.keys()
            lacking = set(metric.requests.values()) - known - {"sample_weight"}
            if lacking:
                raise ValueError(
                    f"{metric.name} asks for {', '.join(map(repr, sorted(lacking)))} by "
                    "set_score_request, which no scorer of this search was given. Known are "
                    f"{sorted(known)}; fit the search with the scorer to have it recorded."
                )
        elif metric.name in self.unweighted:
            fields["sample_weight"] = None
        by = "given"
        if tuned_by is not None:
            own = self._is_own(tuned_by)
            fields["selected"] = self.best_by_mean(tuned_by.name) if own else None
            fields["selected_by"] = f"mean over folds of {tuned_by.name}"
        elif config is None and self.no_scores:
            config, by = self.best_index, UNSCORED
        if config is not None:
            failed = np.ones(self.oof.n_configs, dtype=bool)
            failed[config] = self.oof.failed[config]
            fields.update(selected=config, selected_by=by, failed=failed)
        return metric.weighted(self.oof._with_fields(**fields) if fields else self.oof)


def _with_notes(result: ConfidenceInterval, notes: list[str]) -> ConfidenceInterval:
    """Add remarks to ``details["notes"]`` of a result."""
    if not notes:
        return result
    notes = [*result.details.get("notes", []), *notes]
    return replace(result, details={**result.details, "notes": notes})


CHANCE = 2.0
"""Standard errors of the mean of the draws within which its distance is chance."""
HOW = "because of how the two are computed:"
CONSTANTS = {
    r2_score: "mean", explained_variance_score: "mean", d2_absolute_error_score: "median",
}  # fmt: skip
"""Function of a metric -> the constant with which it compares predictions."""


def with_optimism(
    result: ConfidenceInterval, metric: Metric, mean: float, fold_scores: np.ndarray
) -> ConfidenceInterval:
    """Add to a result the parts of its difference from the score of the search.

    `mean` and `fold_scores` (n_splits,) are those of the winner. Selection makes scores look
    better than they are, so a reader expects an estimate below `mean`: where it is above, a note
    gives the reason.
    """
    details, note, replaced = dict(result.details), "", ""
    pooled, estimate = details.get("pooled_score", np.nan), result.estimate
    words = metric_words(result.metric, (mean, estimate), details.get("sign"))
    advice = (
        " within_folds of sklearn_bbc.metrics scores each fold by itself: "
        f"interval(scoring=within_folds({result.metric!r}))."
    )
    parts: dict[str, float] = {}
    if np.isfinite([mean, pooled, estimate]).all():
        parts = {"pooling": float(mean - pooled), "selection": float(pooled - estimate)}
        pooling, both = abs(parts["pooling"]), abs(sum(parts.values()))
        error = np.nan
        if len(fold_scores) > 1:
            error = float(np.std(fold_scores, ddof=1) / np.sqrt(len(fold_scores)))
        mostly = bool(pooling > error and pooling > both / 2)
        details |= {"optimism_parts": parts, "mostly_pooling": mostly}
        if mostly:
            mean_text, estimate_text, both_text, *each = shown(
                words.natural(mean), words.natural(estimate), sum(parts.values()), *parts.values()
            )
            replaced = POOLED
            of_both = (
                f"differ by {both_text}. Of that, {each[0]} comes from scoring the predictions of "
                f"all folds together and {each[1]} from the selection."
            )
            if parts["pooling"] * parts["selection"] < 0:  # no shares of their difference
                of_both = f"differ {POOLING_ALONE.format(each[0])}."
            note = (
                f"Mostly pooling: the mean {words.name} over the folds, {mean_text}, and the "
                f"corrected one, {estimate_text}, {of_both}{advice}"
            )
    if estimate > mean and (parts or details.get("unit") == "fold"):
        by_pooling = (
            bool(parts) and parts["pooling"] < 0 and parts["pooling"] <= parts["selection"]
        )
        printed = printed_result(words, result, [mean, *([pooled] if parts else [])])
        chance = not by_pooling and estimate - mean <= CHANCE * _error_of_draws(result)
        if printed.others[0] != printed.estimate and not chance:
            why = _why_pooled(metric, printed.others[1]) if by_pooling else _why_draws(result)
            details["why_better"] = note = (
                f"The estimate of {printed.estimate} is better than the cross-validated "
                f"{words.name} of {printed.others[0]} {HOW} the cross-validated one {why}"
            )
            # Few samples in a fold are too few for a spread of their own, out-of-bag all the more.
            if by_pooling:
                replaced = POOLED
                note += "" if needs_spread(metric) else advice
    if note:
        notes = details.get("notes", [])
        kept = [each for each in notes if not (replaced and each.startswith(replaced))]
        details["notes"] = [*kept, note]
    return replace(result, details=details)


def _why_pooled(metric: Metric, pooled: str) -> str:
    """Explain how a score of all predictions differs from a mean over the folds."""
    if needs_spread(metric):
        constant = CONSTANTS.get(metric.score_func, "best constant")
        how = (
            f"compares the predictions for each fold with the {constant} of that fold; the "
            f"estimate compares all predictions with one {constant}, which is easier to beat."
        )
    else:
        how = (
            "is the mean over the folds, and the estimate scores the predictions of all folds "
            "together."
        )
    return f"{how} Scored on all predictions together, the same configuration has {pooled}."


def _why_draws(result: ConfidenceInterval) -> str:
    """Explain how a mean over draws differs from a mean over the folds."""
    if result.draws is None and "coupled" in result.details:
        return (
            "is the mean over the folds, and the estimate is made of the scores of all "
            "configurations in the draws, some of which select another one."
        )
    others = 1 - result.details.get("winner_share", 1)
    each = f"each scored on the {result.details.get('unit', 'sample')}s that it leaves out"
    if others > 0.5:  # a rule of `refit` may have had bad luck
        each = f"of which {others:.0%} select another configuration"
    return f"is the mean over the folds, and the estimate is the mean over draws, {each}."


def _error_of_draws(result: ConfidenceInterval) -> float:
    """Compute the standard error of the mean of the draws; 0 where all possible were taken."""
    if result.draws is None or not result.n_bootstraps:
        return 0.0
    draws = np.asarray(result.draws)
    return float(np.nanstd(draws) / np.sqrt(np.isfinite(draws).sum()))


def _unselected_note(oof: OOFPredictions, metric: str | None) -> str:
    """Explain why there was no score to select by, and which splits would give one."""
    advice = "Use fewer folds."
    if oof.classes_ is not None and oof.n_rows and oof.is_partition:
        n_folds = oof.n_splits // oof.n_repeats
        sizes = [np.count_nonzero(oof.y_true == label) for label in oof.classes_]
        for fold in range(oof.n_splits):
            lacking = np.setdiff1d(oof.classes_, oof.y_true[oof.sample[oof.fold == fold]])
            if len(lacking) and min(sizes) >= n_folds:
                advice = STRATIFY.format(fold=fold, label=lacking[0], n_folds=n_folds)
                break
    return UNSELECTED_NOTE.format(advice=advice, metric=metric)
