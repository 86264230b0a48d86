"""Estimate what a finished search selects: intervals and corrected scores."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn import config_context, get_config
from sklearn.metrics import d2_absolute_error_score, explained_variance_score, r2_score

import sklearn_bbc.curves as curves
import sklearn_bbc.intervals as intervals

from .._notes import has_kind, warned, with_notes, without_kind
from .._rounding import TERMS, rounding, without_rounding
from .._text import POOLING_ALONE, metric_words, printed_result, shown
from .._utils import suppress_fp_warnings
from .._warnings import hold_warnings, warn_user
from ..contest._contest import Contest
from ..contest._notes import LONELY, POOLED
from ..contest._question import Question
from ..exceptions import IntervalWarning
from ..intervals._base import BaseInterval, contest_for
from ..intervals._bbc import BBC, draws_by
from ..metrics._base import needs_spread
from ..metrics._metric import Metric
from ..metrics._replay import ReplayError
from ..predictions._predictions import OOFPredictions, notes_to_warn_of
from ..predictions._validation import INDEPENDENT
from ..recording._finished import FinishedSearch
from ..results._results import ConfidenceInterval
from ..selection._base import Selection

MEMORY_SHARE = 0.2
"""Memory that intervals take in a search, as a share of the predictions'."""
LEAST_MEMORY = 16
"""Megabytes that they may take in any case."""
UNCORRECTED = (
    "Not corrected for selection: the configuration was looked at as if it were the only one. "
    "Where it was chosen by its scores on these samples, this is too good; {}() without "
    "config corrects for that."
)
NO_PARTS = (
    "the winner's mean over the folds or its pooled score is not a number. The notes of ci_ say "
    "more."
)
SWITCHED_OFF = "ci=[] switched the interval stage off; `interval()` computes one at any time."
INTERRUPTED = "the interval stage was interrupted; `interval()` computes one."
OPTIMISM_ATTRIBUTES = ("optimism_", "optimism_parts_")
SCORE_ATTRIBUTES = ("bbc_score_", "bbcf_score_", *OPTIMISM_ATTRIBUTES)
INTERVALS = ("ci_", "ci_results_")
EXPLAINED = (*SCORE_ATTRIBUTES, *INTERVALS, "oof_")
"""Attributes that say why they are missing where they could not be computed."""


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
    if ci is None:
        return [BBC()]
    try:
        several = ci if isinstance(ci, (list, tuple)) else [ci]
        return [intervals.as_interval(method) for method in several]
    except ValueError as error:
        raise ValueError(f"ci: {error}") from None


def own_draws(
    finished: FinishedSearch,
    method: BBC | None,
    asked: str,
    unused: Sequence[str],
    *,
    n_bootstraps: int = 2000,
    name: str = "method",
) -> BBC:
    """Return the settings of draws of a question, with the seed and threads of the search.

    The rule that selects is that of the search, so `method` has none.
    """
    method = BBC(n_bootstraps=n_bootstraps) if method is None else method
    own: BBC = finished.seeded(draws_by(method, asked, ("selection", *unused), name))
    return own


def estimate(
    finished: FinishedSearch, question: Question, method: BaseInterval
) -> ConfidenceInterval:
    """Answer a question about a finished search by one method."""
    metric, oof = question.metric, question.oof
    if "predictions" in method.requires and not oof.responses and question.why_unrecorded:
        raise ValueError(
            f"{type(method).__name__} needs out-of-fold predictions, but there are only fold "
            f"scores: {question.why_unrecorded}. They are enough for BBC-F: "
            f"search.interval('bbcf', scoring={metric.name!r})."
        )
    method = finished.seeded(method)
    params = method.get_params(deep=False)
    if question.config is not None:
        one: ConfidenceInterval = of_one(method.estimate(oof, metric), oof.n_configs, "interval")
        return one
    own = params.get("selection")
    if isinstance(own, Selection):
        result = method.answer(replace(question, rule=question.by(own), why_not=""))
    elif method.selection_aware and "selection" in params:
        result = method.answer(question)
    else:  # it repeats no rule
        if method.selection_aware:
            _ = question.selection  # raises where it cannot be repeated
        result = method.estimate(oof, metric, selected_by=question.other_metric)
    result = _with_remarks(finished, question, result, method)
    winner = result.details.get("winner")
    if winner is None or not finished.is_own(metric):
        return result
    fold_scores = finished.oof.fold_scores.get(metric.name)
    of_winner = np.empty(0) if fold_scores is None else fold_scores[:, winner]
    return with_optimism(
        result, metric, float(finished.mean_scores[metric.name][winner]), of_winner
    )


def of_one(result: Any, n_configs: int, asked: str) -> Any:
    """Note that one configuration was looked at alone, by the method `asked` of a search."""
    if n_configs == 1:
        return result
    notes = without_kind(result.details.get("notes", []), LONELY)
    more = {"selection_accounted_for": False, "notes": [*notes, UNCORRECTED.format(asked)]}
    return replace(result, details={**result.details, **more})


def _with_remarks(
    finished: FinishedSearch, question: Question, result: ConfidenceInterval, method: BaseInterval
) -> ConfidenceInterval:
    """Add the notes of the search, and name another configuration than it selected."""
    details, notes, best = dict(result.details), finished.notes, finished.best_index
    about = winner = details.get("winner")
    tuned_by = question.tuned_by
    if tuned_by is not None:
        details["tuned_by"] = tuned_by.name
        own = finished.metrics.get(tuned_by.name)
        words = metric_words(tuned_by.name, sign=None if own is None else own.sign)
        begin = f"As if tuned by {words.name}"
        note = f"{begin}: the draws select by it."
        if best is None:
            note += " The search itself selected no model."
        elif winner is not None and winner != best:
            details["best_index"] = int(best)
            note = (
                f"{begin}, which selects {finished.described(winner)}: this is not about "
                f"{finished.described(best)}, which the search returns."
            )
        notes.append(note)
    else:
        about = details.get("config", winner)
        named = getattr(method, "config", None)
        if best is not None and about is not None and named is None and about != best:
            details["best_index"] = int(best)
            notes.append(
                f"This is about {finished.described(about)}, which {type(method).__name__} "
                f"selects; the search returns {finished.described(best)}."
            )
    return with_notes(replace(result, details=details), notes)


def estimate_or_explain(
    finished: FinishedSearch, metric: Metric, method: BaseInterval
) -> ConfidenceInterval:
    """Run `estimate`; a failure gives NaN and its reason in ``details["error"]``."""
    try:
        return estimate(finished, finished.ask(metric), method)
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


def sparing(oof: OOFPredictions) -> AbstractContextManager[None]:
    """Let scikit-learn's ``working_memory`` be a share of what the predictions take.

    A search should not need much more memory than its predictions. The intervals take
    longer for it, which is little beside the time of the search.
    """
    size = sum(array.nbytes for array in oof.responses.values()) / 2**20
    share = max(LEAST_MEMORY, int(MEMORY_SHARE * size))
    return config_context(working_memory=min(get_config()["working_memory"], share))


def intervals_of(
    finished: FinishedSearch,
    methods: list[BaseInterval] | None,
    begin: Callable[[str, str], None],
) -> dict[str, dict[str, ConfidenceInterval]]:
    """Run methods, by default BBC, on all metrics of the search and warn of failures.

    A second method of the same name gets ``_2``, and so on.
    """
    results: dict[str, dict[str, ConfidenceInterval]] = {}
    warned: set[tuple[str, str]] = set()
    for metric in finished.metrics.values():
        of_metric: dict[str, ConfidenceInterval] = {}
        seen: Counter[str] = Counter()
        warn = True
        if methods is None:
            begin("bbc", metric.name)
            result, warn = _by_default(finished, metric)
            of_metric[result.method] = result
        for method in methods or ():
            seen[method.name] += 1
            again = f"_{seen[method.name]}" if seen[method.name] > 1 else ""
            begin(method.name + again, metric.name)
            of_metric[method.name + again] = estimate_or_explain(finished, metric, method)
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


IN_ORDER = (
    "Every model was trained on samples that come before those it predicts, as in a time series, "
    "but draws take single samples: where they depend on their neighbours in time, intervals are "
    "too narrow. Pass block_length='auto' to the search, which draws blocks of samples that "
    "follow each other, or block_length=1 where samples are independent."
)


def attributes(search: Any, finished: FinishedSearch) -> tuple[dict[str, Any], dict[str, str]]:
    """Compute the attributes that `fit` adds to a search, and why others are missing."""
    methods = requested_methods(search)
    too_slow = "" if finished.rule is None else finished.rule.too_slow
    if not methods or too_slow:
        if methods:
            warn_user(f"No interval was computed: {too_slow}", IntervalWarning)
        why = too_slow if methods else SWITCHED_OFF
        return {"interval_time_": 0.0}, dict.fromkeys((*SCORE_ATTRIBUTES, *INTERVALS), why)
    in_time = [IN_ORDER] if has_kind(finished.oof.notes, INDEPENDENT.kind) else []
    for note in [*finished.notes, *notes_to_warn_of(finished.oof), *in_time]:
        warn_user(note, IntervalWarning)
    started = time.perf_counter()
    found: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    n_intervals = len(methods) * len(finished.metrics)
    with sparing(finished.oof), interval_progress(search, n_intervals) as begin:
        by_default = getattr(search, "ci", None) is None
        results = intervals_of(finished, None if by_default else methods, begin)
        found["ci_results_"] = results
        if finished.primary is None:
            why = (
                "several metrics were scored and none of them selects "
                f"(refit={search.refit!r}). The results of each metric are in ci_results_."
            )
            reasons |= dict.fromkeys((*SCORE_ATTRIBUTES, "ci_"), why)
        else:
            own = list(results[finished.primary].values())
            found["ci_"] = own[0]
            result = corrected_by("bbc", finished, own)
            if "error" in result.details:
                reasons["bbc_score_"] = result.details["error"]
            else:
                found["bbc_score_"] = result.estimate
                if "optimism_parts" in result.details:
                    found["optimism_parts_"] = result.details["optimism_parts"]
                    # The difference itself: the sum of the parts may round differently.
                    found["optimism_"] = finished.reported_score(result) - result.estimate
    found["interval_time_"] = time.perf_counter() - started
    if search.verbose > 0:
        print(f"Intervals took {found['interval_time_']:.1f} s")
    return found, dict.fromkeys(OPTIMISM_ATTRIBUTES, reasons.get("bbc_score_", NO_PARTS)) | reasons


def _by_default(finished: FinishedSearch, metric: Metric) -> tuple[ConfidenceInterval, bool]:
    """Run BBC, or BBC-F without predictions; also return whether to warn of a failure."""
    result = estimate_or_explain(finished, metric, BBC())
    if metric.name in finished.failures or "error" not in result.details:
        return result, True
    needed = [metric, finished.primary_metric or metric]
    if all(_can_be_computed(finished, each) for each in needed):
        return result, True
    if not np.isfinite(finished.oof.fold_scores[metric.name]).all():
        # scikit-learn has warned of these scores. Nothing can be made of them, and
        # nobody asked for it by name.
        return result, False
    by_folds = estimate_or_explain(finished, metric, intervals.BBCF())
    if "error" in by_folds.details:
        return result, True
    note = (
        "The interval is BBC-F's, from the scores per fold, since there are no predictions "
        f"that BBC could work on: {result.details['error']}"
    )
    return with_notes(by_folds, [warned(note) if finished.asked_to_record else note]), True


def _can_be_computed(finished: FinishedSearch, metric: Metric) -> bool:
    """Check whether a metric can be computed from the recorded predictions."""
    if not finished.oof.responses or metric.score_func is None:
        return False
    try:
        metric.bind(finished.view(metric))
    except ReplayError:
        return False
    except Exception:  # named with the interval
        pass
    return True


def corrected_by(
    name: str, finished: FinishedSearch, results: Iterable[ConfidenceInterval]
) -> ConfidenceInterval:
    """Return the result of a method for the selecting metric, from `results` when it is there.

    A result by a rule of the method's own is about another selection than the search's.
    """
    for result in results:
        details = result.details
        if result.method == name and not {"error", "tuned_by"} & details.keys():
            if ("rule" in details) == (finished.repeated is not None):
                return result
    assert finished.primary_metric is not None
    with hold_warnings():  # nobody asked for this interval, only for its estimate
        return estimate_or_explain(finished, finished.primary_metric, intervals.as_interval(name))


FACTOR_OF_CHANCE = 2.0
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
    details, note, says_why_pooled = dict(result.details), "", False
    pooled, estimate = details.get("pooled_score", np.nan), result.estimate
    words = metric_words(result.metric, (mean, estimate), details.get("sign"))
    advice = (
        " within_folds of sklearn_bbc.metrics scores each fold by itself: "
        f"interval(scoring=within_folds({result.metric!r}))."
    )
    parts: dict[str, float] = {}
    if np.isfinite([mean, pooled, estimate]).all():
        moved, size = np.array([mean - pooled, pooled - estimate]), max(abs(mean), abs(pooled))
        moved = without_rounding(moved, size, rounding(TERMS))
        parts = dict(zip(("pooling", "selection"), moved.tolist()))
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
            says_why_pooled = True
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
        chance = not by_pooling and estimate - mean <= FACTOR_OF_CHANCE * _error_of_draws(result)
        if printed.others[0] != printed.estimate and not chance:
            why = _why_pooled(metric, printed.others[1]) if by_pooling else _why_draws(result)
            details["why_better"] = note = (
                f"The estimate of {printed.estimate} is better than the cross-validated "
                f"{words.name} of {printed.others[0]} {HOW} the cross-validated one {why}"
            )
            # Few samples in a fold are too few for a spread of their own, out-of-bag all the more.
            if by_pooling:
                says_why_pooled = True
                note += "" if needs_spread(metric) else advice
    if note:
        notes = details.get("notes", [])
        details["notes"] = [*(without_kind(notes, POOLED) if says_why_pooled else notes), note]
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
    unit = result.details.get("unit", "sample")
    each = f"each scored on the {'sample' if unit == 'block' else unit}s that it leaves out"
    if others > 0.5:  # a rule of `refit` may have had bad luck
        each = f"of which {others:.0%} select another configuration"
    return f"is the mean over the folds, and the estimate is the mean over draws, {each}."


def _error_of_draws(result: ConfidenceInterval) -> float:
    """Compute the standard error of the mean of the draws; 0 where all possible were taken."""
    if result.draws is None or not result.n_bootstraps:
        return 0.0
    draws = np.asarray(result.draws)
    return float(np.nanstd(draws) / np.sqrt(np.isfinite(draws).sum()))


def with_joint_limits(frame: pd.DataFrame, search: Any, finished: FinishedSearch) -> pd.DataFrame:
    """Add limits for all metrics at once, from draws that they share, to the rows of BBC."""
    methods = [each for each in requested_methods(search) if each.name == "bbc"]
    results = {
        name: by_method["bbc"]
        for name, by_method in search.ci_results_.items()
        if "bbc" in by_method and "error" not in by_method["bbc"].details
    }
    plain = {"selection": None, "alternative": "two-sided"}
    if not (results and methods and plain.items() <= methods[0].get_params().items()):
        raise ValueError(
            "joint=True needs a two-sided interval of BBC, without a rule of its own, for some "
            "metric of the search. Fit it with ci='bbc' among its methods."
        )
    method = finished.seeded(methods[0])
    contests: list[Contest] = []
    for name in results:
        question = finished.ask(name)
        oof = question.predictions("intervals_frame(joint=True)")
        contests.append(contest_for(method, question))

    def scores(counts: np.ndarray) -> np.ndarray:
        found, outcome, left_out = [], None, counts == 0
        for rule in (contest.rule for contest in contests):
            if outcome is None or finished.selects_nothing:  # else each would choose the same
                outcome = rule.choose(counts)
            found.append(rule.score(outcome, left_out))
        return np.stack(found, axis=1)

    first, *others = contests
    with suppress_fp_warnings():
        values = method.draws_for(first, *(other.scored for other in others)).map(scores)
    limits = curves.limits_of(values, method.confidence_level, (-np.inf, np.inf))
    low, high = np.full((2, len(frame)), np.nan)
    for k, name in enumerate(results):
        bounds = finished.metrics[name].with_classes(oof.classes_).bounds
        rows = (frame["metric"] == name) & (frame["method"] == "bbc")
        ends = np.clip((limits["low_joint"][k], limits["high_joint"][k]), *bounds)
        low[rows] = min(ends[0], results[name].low)
        high[rows] = max(ends[1], results[name].high)
    return frame.assign(low_joint=low, high_joint=high)
