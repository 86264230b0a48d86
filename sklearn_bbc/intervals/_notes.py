"""Notes of results on their predictions, and the winner that methods take as selected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.stats import beta
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    recall_score,
    roc_auc_score,
    top_k_accuracy_score,
    zero_one_loss,
)

from .._text import config_words, count, digits, is_usual_positive, metric_words, percent, shown
from .._warnings import warn_user
from ..exceptions import IntervalWarning
from ..metrics._base import class_members, first_best_sum
from ..metrics._bound import BoundKernel, takes_given_scores
from ..metrics._by_fold import TOO_LARGE, WithinFolds
from ..metrics._concordance import concordance_index_score, survival_target
from ..metrics._metric import Metric
from ..metrics._survival import (
    dynamic_auc_score,
    events_that_count,
    followed_to_tau,
    times_in,
    uno_concordance_score,
)
from ..predictions._predictions import OOFPredictions, part_of
from ..results._results import ConfidenceInterval
from ..selection._base import BoundSelection

OF_SAMPLES = {accuracy_score: "normalize", top_k_accuracy_score: "normalize",
              zero_one_loss: "normalize"}  # fmt: skip
"""Functions that are a share of the samples, unless this argument is false."""
IS_A_POINT = "the interval is a point and certainly wrong."
TURNED = {"greater": "less", "less": "greater"}
UNSCORED = "the first, without scores to compare"
"""By what a search selects where no configuration has a score in every fold."""
MOST_NAMED = 3
"""Configurations that a note names."""

FEW_EVENTS = 10
"""Events below which a result says how few they are."""

_CLEARLY = 3.0
"""Standard errors below chance from which an order counts as reversed."""


def unit_word(groups: object) -> str:
    """Name the independent unit, for ``details["unit"]`` and messages."""
    return "sample" if groups is None else "group"


def no_spread(spread: float, around: float) -> bool:
    """Check whether a standard deviation or error is zero apart from rounding."""
    return not spread > 1e-12 * abs(around)


def note_degenerate(
    details: dict[str, Any], method: str, degenerate: bool, seen: str, *, hint: str = ""
) -> None:
    """Set ``details["degenerate"]``; an interval without width gets a note and a warning."""
    details["degenerate"] = degenerate
    if not degenerate:
        return
    known = f"No spread can be seen {seen}:"
    if not seen.startswith("around "):
        known = f"{seen}: no spread can be seen,"
    note = " ".join([known, IS_A_POINT, *filter(None, [hint])])
    if note not in details["notes"]:  # repeats of cross-validation may all say it
        details["notes"].append(note)
        warn_user(f"{method}: {note}", IntervalWarning)


def explained(
    result: ConfidenceInterval, oof: OOFPredictions, metric: Metric, *, is_difference: bool = False
) -> ConfidenceInterval:
    """Add to a result the details and notes on the data that all methods give."""
    scored = oof.tested if oof.n_rows else np.ones(oof.n_samples, dtype=bool)
    labels = oof.clusters if isinstance(oof.block_length, int) else oof.groups
    groups = None if labels is None else labels[scored]
    result = explain_no_width(
        result, metric, oof.y_true[scored], groups,
        is_share=oof.sample_weight is None and not is_difference, unit=unit_of(oof),
    )  # fmt: skip
    if oof.score_sign is not None:
        own = {"unit": unit_of(oof), "noun": noun_of(oof)}
        result = replace(result, details={**result.details, **own})
    winner = result.details.get("winner")
    if winner is not None and winner >= 0:  # an ensemble has none
        named = {**result.details, "winner_name": config_words(winner, oof.params)}
        result = replace(result, details=named)
    details, positive = result.details, None
    if "threshold" in details:
        positive = details.get("pos_label")
        positive = positive.item() if isinstance(positive, np.generic) else positive
    elif result.metric == metric.name:
        positive = metric.positive_class(oof)
    if positive is None:
        return result
    notes = [*details.get("notes", []), *_guessed_class(oof, positive, metric)]
    return replace(result, details={**details, "notes": notes, "positive_class": positive})


def _guessed_class(oof: OOFPredictions, positive: Any, metric: Metric) -> list[str]:
    """Note which class given scores were taken to be for, where it is not stated."""
    noted = oof.pos_label is not None or metric.pos_label is not None
    if oof.classes_ is None or noted or not takes_given_scores(metric, oof):
        return []
    if is_usual_positive(positive, oof.classes_.tolist()):
        return []
    other = next(label for label in oof.classes_.tolist() if label != positive)
    return [
        f"The given scores are taken to be higher for class {positive!r}, the last one in sorted "
        f"order. If they are higher for {other!r}, pass pos_label={other!r} with them."
    ]


def explain_no_width(
    result: ConfidenceInterval,
    metric: Metric,
    y_true: np.ndarray,
    groups: np.ndarray | None = None,
    *,
    is_share: bool = True,
    unit: str | None = None,
) -> ConfidenceInterval:
    """Add a note to an interval without width, with exact bounds where they are known.

    `y_true` (n_samples,), `groups` (n_samples,), each of which is a `unit`.
    """
    estimate = result.estimate
    sides = {"greater": (result.low,), "less": (result.high,)}
    bounds = sides.get(result.alternative, (result.low, result.high))
    if not all(abs(bound - estimate) <= 1e-12 * max(1.0, abs(estimate)) for bound in bounds):
        return result
    why = "every draw has the same score" if result.n_bootstraps else "the scores do not vary"
    note = f"The interval has no width, since {why}: it does not say how uncertain the score is."
    details: dict[str, Any] = dict(result.details)
    units = None
    if is_share and result.metric == metric.name:
        unit = unit_word(groups) if unit is None else unit
        units = _units_of_share(
            metric, np.asarray(y_true), groups, details.get("n_evaluate"), unit
        )
    exact = ""
    if units is not None:
        n_units, named = units
        share = metric.sign * estimate
        side = result.alternative if metric.sign > 0 else TURNED.get(result.alternative, "")
        tail = (1 - result.confidence_level) / (1 if side in TURNED else 2)
        low, high = clopper_pearson(share * n_units, n_units, tail)
        low, high = 0.0 if side == "less" else low, 1.0 if side == "greater" else high
        ends = (low, high) if metric.sign > 0 else (0.0 - high, 0.0 - low)
        details["exact_bounds"] = ends
        limits = shown(max(share, 0.5), low, high)[1:]
        sided = "" if result.alternative == "two-sided" else "one-sided "
        exact = (
            f" An exact binomial (Clopper-Pearson) {sided}{percent(result.confidence_level)} "
            f"interval for {named} goes from {limits[0]} to {limits[1]}. Report that one."
        )
    notes = list(details.get("notes", []))
    said = any(IS_A_POINT in each for each in notes)  # by a method without draws
    note += exact or " Report the score without it."
    notes += [text for text in ([exact.strip()] if said else [note]) if text]
    details.update(notes=notes, no_width=note)
    return replace(result, details=details)


def _units_of_share(
    metric: Metric,
    y_true: np.ndarray,
    groups: np.ndarray | None,
    n_evaluate: int | None,
    unit: str,
) -> tuple[int, str] | None:
    """Count and name the independent units of which a score is a share; None if it is not one.

    For a score within classes these are the units of the smallest class, which decides.
    """
    function, kwargs = metric.score_func, metric.kwargs
    everyone = np.ones(len(y_true), dtype=bool)
    if not len(y_true) or (n_evaluate is not None and groups is not None):
        return None
    if function in OF_SAMPLES:
        if not kwargs.get(OF_SAMPLES[function], True):
            return None
        n_units = _n_units(everyone, groups) if n_evaluate is None else n_evaluate
        return n_units, count(n_units, unit)
    if n_evaluate is not None or y_true.ndim != 1:
        return None
    labels = _labels_of_share(function, kwargs, y_true)
    if not labels:
        return None
    sizes = [_n_units(y_true == label, groups) for label in labels]
    smallest = int(np.argmin(sizes))
    return sizes[smallest], f"{count(sizes[smallest], unit)} of class {labels[smallest]}"


def _labels_of_share(
    function: Callable[..., float] | None, kwargs: Any, y_true: np.ndarray
) -> list[Any]:
    """List the classes within which a score is a share of samples or pairs; empty if it is not."""
    every = np.unique(y_true).tolist()
    if function is balanced_accuracy_score:
        return [] if kwargs.get("adjusted") else every
    if function is roc_auc_score:
        return [] if kwargs.get("max_fpr") else every
    if function is recall_score and kwargs.get("labels") is None:
        average = kwargs.get("average", "binary")
        positive = [label for label in every if label == kwargs.get("pos_label", 1)]
        return positive if average == "binary" else every if average == "macro" else []
    return []


def _n_units(mask: np.ndarray, groups: np.ndarray | None) -> int:
    """Count the samples of a mask, or the groups that contain one of them."""
    return int(mask.sum()) if groups is None else len(np.unique(groups[mask]))


def clopper_pearson(successes: float, n: float, tail: float) -> tuple[float, float]:
    """Compute the exact interval: shares that neither tail of the binomial test rejects."""
    failures = n - successes
    low = beta.ppf(tail, successes, failures + 1) if successes > 0 else 0.0
    high = beta.ppf(1 - tail, successes + 1, failures) if failures > 0 else 1.0
    return float(low), float(high)


def noun_of(oof: OOFPredictions) -> str:
    """Name what one is selected of: configurations, or systems that are fixed."""
    return "configuration" if oof.score_sign is None else "system"


def unit_of(oof: OOFPredictions) -> str:
    """Name what is resampled: a sample or an item, or a group or block of them."""
    if oof.block_length is not None:
        return "block"
    return unit_word(oof.groups) if oof.score_sign is None or oof.groups is not None else "item"


def lonely_configuration(n_configs: int, noun: str = "configuration") -> str:
    """Explain why a method that corrects for selection has none to repeat."""
    if n_configs == 1:
        tried = "tried" if noun == "configuration" else "run"
        return f"Only one {noun} was {tried}, so there is no selection to correct for."
    return (
        f"Of {n_configs:,} {noun}s only one can be scored here, so the draws repeat no "
        "selection. If it was chosen by these scores, its score is too good."
    )


UNEQUAL = 1.5
"""Largest training set over the smallest, from which it is said."""


def unequal_amounts(oof: OOFPredictions) -> tuple[int, int] | None:
    """Find the sizes of the smallest and largest training set, where they differ much."""
    if oof.train_size is None:
        return None
    least, most = int(np.min(oof.train_size)), int(np.max(oof.train_size))
    return (least, most) if most >= UNEQUAL * least else None


def notes_on_splits(oof: OOFPredictions, *, by_folds: bool = False) -> list[str]:
    """Note how often samples were held out, and where folds learn from different amounts."""
    notes = _how_often_held_out(oof, by_folds)
    if (amounts := unequal_amounts(oof)) is not None:
        notes.append(
            f"The models of the folds learned from different amounts of data, {amounts[0]:,} to "
            f"{amounts[1]:,} of {oof.n_samples:,} samples. Those that learned from few usually "
            "score worse than the final model, which learns from all."
        )
    return notes


def _how_often_held_out(oof: OOFPredictions, by_folds: bool) -> list[str]:
    """Note where splits are not complete passes over the samples."""
    if not oof.n_rows or oof.is_partition:
        return []
    times = np.bincount(oof.sample, minlength=oof.n_samples)
    n_tested = int(np.count_nonzero(times))
    if times.max() == 1:
        n_before = int(np.argmax(times))
        if oof.n_splits > 1 and n_before == oof.n_samples - n_tested:
            return [
                f"The first {n_before:,} of {oof.n_samples:,} samples were never held out, so the "
                f"result rests on the other {n_tested:,}."
            ]
        return [
            f"The result rests on the {n_tested:,} of {oof.n_samples:,} samples that were held "
            "out; cross-validation would use all of them."
        ]
    how = "the scores of folds that share samples depend on each other"
    if not by_folds:
        how = "all held-out predictions of a sample are scored together"
    return [
        f"The splits overlap: samples were held out {times.min()} to {times.max()} times, and "
        f"{how}. Repeated K-fold cross-validation holds each out equally often."
    ]


def caveats(oof: OOFPredictions, kernel: BoundKernel) -> list[str]:
    """Collect notes on the predictions, for ``details["notes"]`` of methods that score them."""
    found = [
        _one_class(oof), _few_events(oof, kernel), _late_tau(oof, kernel),
        _reverse_order(oof, kernel),
    ]  # fmt: skip
    return caveats_of_folds(oof, kernel.valid) + [note for note in found if note is not None]


def caveats_of_folds(oof: OOFPredictions, valid: np.ndarray) -> list[str]:
    """Collect the notes for methods that have fold scores only; `valid` (n_configs,)."""
    notes = list(oof.notes)
    undefined = np.flatnonzero(~valid & ~oof.failed)
    if len(undefined):
        note = (
            f"{_left_out(undefined, oof)} left out: a prediction is missing (NaN) or the score is "
            "undefined."
        )
        notes.append(note)
        warn_user(note, IntervalWarning)
    # Of a search one configuration may be looked at, with all others set aside.
    failed = np.flatnonzero(oof.failed)
    looked_at = len(failed) == oof.n_configs - 1 and oof.selected_by in ("given", UNSCORED)
    # Of those that were dropped early there is a note of its own.
    dropped = f"{len(failed)} of {oof.n_configs} configurations were dropped"
    if len(failed) and not looked_at and not any(each.startswith(dropped) for each in oof.notes):
        notes.append(
            f"{_left_out(failed, oof)} left out, since there are not scores of every fold."
        )
    return notes


def _left_out(configs: np.ndarray, oof: OOFPredictions) -> str:
    """Name some configurations as the subject of a sentence, with its verb."""
    names = [config_words(config, oof.params) for config in configs[:MOST_NAMED].tolist()]
    if len(configs) == 1:
        own = names[0].startswith("configuration ")  # a column keeps the name that it has
        return f"{'C' if own else names[0][0]}{names[0][1:]} is"
    names = [name.removeprefix("configuration ") for name in names]
    dots = ", ..." if len(configs) > MOST_NAMED else ""
    return f"{len(configs):,} of {oof.n_configs:,} configurations ({'; '.join(names)}{dots}) are"


def _one_class(oof: OOFPredictions) -> str | None:
    """Note where every sample is of one class, so that nothing is known of another."""
    if oof.classes_ is None or oof.y_true.ndim != 1 or not oof.n_rows:
        return None
    labels = np.unique(oof.y_true[oof.sample])
    if len(labels) > 1:
        return None
    return (
        f"Every held-out sample is of class {labels[0]}: the score says nothing about samples of "
        "another class."
    )


def _few_events(oof: OOFPredictions, kernel: BoundKernel) -> str | None:
    """Note, and warn, where a survival metric rests on a handful of events."""
    found = events_that_count(kernel.metric, oof)
    if found is None or found[0].sum() >= FEW_EVENTS:
        return None
    n_events = int(found[0].sum())
    note = (
        f"Only {count(n_events, 'sample')} of {int(oof.tested.sum()):,} "
        f"{'has' if n_events == 1 else 'have'} an event{found[1]}. What did not happen among so "
        "few is in no draw, so the interval can be much too narrow."
    )
    warn_user(note, IntervalWarning)
    return note


def _late_tau(oof: OOFPredictions, kernel: BoundKernel) -> str | None:
    """Note where nobody was followed until the time up to which events count."""
    found = followed_to_tau(kernel.metric, oof)
    if found is None or found[0].any():
        return None
    return (
        f"Nobody was followed until tau={found[1]:g}, so all events count, as without it. Take an "
        "earlier tau, until which a good share of the samples was followed."
    )


def _reverse_order(oof: OOFPredictions, kernel: BoundKernel) -> str | None:
    """Note where every configuration ranks the samples clearly worse than chance."""
    function = kernel.metric.score_func
    if function is roc_auc_score and oof.classes_ is not None and len(oof.classes_) == 2:
        _, (n_one, n_other) = np.unique(oof.y_true[oof.sample], return_counts=True)
        n_one, n_other = n_one / oof.n_repeats, n_other / oof.n_repeats
        # Variance of the Mann-Whitney statistic without any signal.
        spread = np.sqrt((n_one + n_other + 1) / (12 * n_one * n_other))
        hint = "the scores may be those of the other class"
    elif function is dynamic_auc_score:
        event, time = survival_target(oof.y_true[oof.tested])
        times = times_in(kernel.metric.kwargs)[:, None]
        n_cases, n_controls = (event & (time <= times)).sum(axis=1), (time > times).sum(axis=1)
        n_pairs = np.maximum(n_cases * n_controls, 1)
        # As above; of several times that which tells least.
        spread = np.sqrt(((n_cases + n_controls + 1) / (12 * n_pairs)).max())
        hint = "they may be survival times instead of risks"
    elif function in (concordance_index_score, uno_concordance_score):
        events = events_that_count(kernel.metric, oof)
        assert events is not None
        n_events = max(int(events[0].sum()), 2)
        # Variance of Kendall's tau without any signal, from the events alone.
        spread = np.sqrt((2 * n_events + 5) / (18 * n_events * (n_events - 1)))
        hint = (
            "they may be survival times instead of risks"
            + " (make_scorer(concordance_index_score, predicts='time'))"
            * (function is concordance_index_score)
            if kernel.metric.kwargs.get("predicts", "risk") == "risk"
            else "they may be risks instead of survival times (predicts='risk')"
        )
    else:
        return None
    scores = kernel.on_data()
    best = scores.max(initial=-np.inf, where=~np.isnan(scores))
    if np.isinf(best) or not best < 0.5 - _CLEARLY * spread:
        return None
    name = metric_words(kernel.metric.name).name
    return (
        f"Every configuration ranks in reverse: the best {name} is {digits(best)}, "
        f"clearly below 0.5. Check the order of the predictions: {hint}. Models without any "
        "signal do the same in leave-one-out and other tiny folds, by their training means."
    )


BY_FOLDS = "mean over folds"


def best_by_folds(scores: np.ndarray, sizes: np.ndarray | None = None) -> int | None:
    """Find the configuration with the best mean over the folds; None if all lack some score.

    Means within rounding of the best one tie with it, and the first wins: sums of the same
    scores in another order are equal then, on every machine.

    `scores` (n_splits, n_configs), `sizes` (n_splits,).
    """
    weighted = scores if sizes is None else scores * sizes[:, None]
    complete = np.flatnonzero(np.isfinite(weighted.sum(axis=0)))
    if not len(complete):
        return None
    return int(complete[first_best_sum(np.ones((1, len(scores))), weighted[:, complete])[0]])


def some_fold_lacks_a_stratum(oof: OOFPredictions, kernel: BoundKernel) -> bool:
    """Check whether the metric is undefined in some fold, whatever is predicted there."""
    if kernel.strata is None:
        return False
    counts = (
        np.bincount(oof.fold, members[oof.sample], oof.n_splits) for members in kernel.strata
    )
    return any((count == 0).any() for count in counts)


ONLY = "the only one"
"""By what a winner was selected where there is nothing to select from."""


def selected_configuration(oof: OOFPredictions, kernel: BoundKernel) -> tuple[int, str]:
    """Find the configuration that tuning selects, and name the criterion.

    It is the search's own choice, else the best mean over the folds, as in a search; where no
    configuration has a score in every fold, the best score on the predictions of all folds.
    """
    if oof.selected is not None:
        return oof.selected, oof.selected_by
    if oof.n_configs == 1:
        return 0, ONLY
    if oof.n_splits > 1 and (winner := best_by_folds(fold_scores_of(oof, kernel))) is not None:
        return winner, BY_FOLDS
    return max(int(kernel.first_best(kernel.on_data()[None])[0]), 0), "pooled score"


def fold_scores_of(oof: OOFPredictions, kernel: BoundKernel) -> np.ndarray:
    """Return the scores per fold, recorded ones if there are any, (n_folds, n_configs)."""
    scores = kernel.metric.recorded_fold_scores(oof)
    if scores is None:
        if some_fold_lacks_a_stratum(oof, kernel):  # leave-one-out has many folds to score
            return np.full((1, oof.n_configs), np.nan)
        scores = kernel.fold_scores()
    return np.where(kernel.valid, scores, np.nan)


def winner_of(oof: OOFPredictions, rule: BoundSelection) -> int:
    """Find the configuration that a rule selects on all samples, -1 for none."""
    if rule.by:
        return int(rule.on_all()["config"][0])
    return selected_configuration(oof, rule.selecting)[0]


def with_winner_by(oof: OOFPredictions, metric: Metric) -> OOFPredictions:
    """Name the winner by a metric where the predictions name none."""
    if oof.selected is not None:
        return oof
    if oof.responses:
        winner, how = selected_configuration(oof, metric.bind(oof))
    else:
        best = best_by_folds(np.where(oof.failed, np.nan, metric.fold_scores(oof)))
        winner, how = (0 if best is None else best), BY_FOLDS
    return oof.with_selected(winner, by=how if how == ONLY else f"{how} of {metric.name}")


def selection_details(
    oof: OOFPredictions,
    kernel: BoundKernel,
    winners: np.ndarray,
    selecting: BoundKernel | None = None,
) -> dict[str, Any]:
    """Collect the by-products that every selection-aware method on predictions reports.

    `selecting` is the metric that selects, where it is not the one of `kernel`.
    """
    selecting = kernel if selecting is None else selecting
    winner, how = selected_configuration(oof, selecting)
    alike = selecting.first_alike  # what predicts the same as the winner wins for it
    winners = np.where((winners >= 0) & (alike[winners] == alike[winner]), winner, winners)
    notes = []
    replaced = any("replaced by a later" in note for note in oof.notes)  # a choice all the same
    if selecting.valid.sum() == 1 and not replaced and oof.selected_by != UNSCORED:
        notes.append(lonely_configuration(oof.n_configs, noun_of(oof)))
    if "derived" in kernel.response:
        notes.append("Labels were derived from the recorded scores.")
    notes.extend(notes_on_splits(oof))
    notes.extend(caveats(oof, kernel))
    of_other = {} if selecting is kernel else {"selected_by": selecting.metric.name}
    return {
        **of_other,
        "winner": winner,
        "winner_by": how,
        "winner_share": float(np.mean(winners == winner)),
        "won": shares_won(winners),
        **facts_of(oof, kernel),
        "n_valid": int(selecting.valid.sum()),
        "notes": notes,
    }


def facts_of(oof: OOFPredictions, kernel: BoundKernel) -> dict[str, Any]:
    """Collect the facts on the data that methods on predictions report."""
    return {
        "unit": unit_of(oof),
        "n_untested": oof.n_untested,
        "n_configs": oof.n_configs,
        "n_valid": int(kernel.valid.sum()),
        "kernel": kernel.family,
        "response": kernel.response,
    }


def shares_won(winners: np.ndarray, multiplicity: np.ndarray | None = None) -> dict[int, float]:
    """Compute the share of draws that each configuration wins, the most frequent winner first.

    `winners` (n_draws,), `multiplicity` (n_draws,).
    """
    if multiplicity is None:
        multiplicity = np.ones(len(winners))
    there = winners >= 0
    configs, place = np.unique(winners[there], return_inverse=True)
    n_won = np.bincount(place, multiplicity[there], minlength=len(configs))
    return _most_first(dict(zip(configs.tolist(), (n_won / multiplicity.sum()).tolist())))


def mean_shares(parts: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """Average the shares of several sets of draws, the most frequent winner first."""
    configs = sorted(set().union(*parts))
    return _most_first(
        {config: sum(part.get(config, 0.0) for part in parts) / len(parts) for config in configs}
    )


def _most_first(shares: dict[int, float]) -> dict[int, float]:
    return dict(sorted(shares.items(), key=lambda item: -item[1]))


POOLED = "Samples of different folds are compared"
"""How the note on pooling begins."""


def pooled_score(kernel: BoundKernel, winner: int) -> float:
    """Score one configuration on the predictions of all folds together."""
    if not kernel.valid[winner]:  # without a winner, -1, the score is NaN as well
        return np.nan
    return kernel.score_on_data(winner)


def pooling_note(oof: OOFPredictions, kernel: BoundKernel, winner: int) -> str | None:
    """Note where pooling the folds moves a rank metric by more than a standard error."""
    moved = None if isinstance(kernel.metric, WithinFolds) else _moved(oof, kernel, winner)
    if moved is None:
        return None
    name = metric_words(kernel.metric.name).name
    pooled_text, by_folds_text = shown(*moved)
    return (
        f"{POOLED} by the scores of different models: the winner's {name} on all predictions "
        f"together is {pooled_text}, its mean over the folds {by_folds_text}, and they differ by "
        "more than one standard error. within_folds of sklearn_bbc.metrics compares within folds "
        "only."
    )


def moved_by_pooling(oof: OOFPredictions, metric: Metric, config: int) -> bool:
    """Check whether pooling the folds moves a score by more than a standard error."""
    if oof.n_splits <= oof.n_repeats or metric.score_func is None:
        return False
    try:
        kernel = metric.bind(part_of(oof, np.ones(oof.n_samples, bool), np.array([config])))
    except ValueError:  # what was recorded is not what the metric consumes
        return False
    return _moved(oof, kernel, 0) is not None


def _moved(oof: OOFPredictions, kernel: BoundKernel, config: int) -> tuple[float, float] | None:
    """Return pooled score and fold mean where they differ by more than a standard error."""
    if not kernel.is_rank or oof.n_splits <= oof.n_repeats or not kernel.valid[config]:
        return None
    if some_fold_lacks_a_stratum(oof, kernel):
        return None
    scores = kernel.fold_scores(configs=np.array([config]))[:, config]
    error = float(scores.std(ddof=1) / np.sqrt(len(scores)))
    pooled, by_folds = kernel.score_on_data(config), float(scores.mean())
    return (pooled, by_folds) if abs(by_folds - pooled) > error else None


def outside_note(result: ConfidenceInterval) -> ConfidenceInterval:
    """Add a note to a result whose estimate lies outside its own interval."""
    if not (result.estimate < result.low or result.estimate > result.high):
        return result
    draws = np.asarray(result.draws)
    median = float(np.median(draws[~np.isnan(draws)]))
    note = (
        f"The estimate is outside the interval: it is the mean of the draws, which a few extreme "
        f"ones move. Report their median, {digits(median, 4)}, with the interval, or a metric "
        "whose scores do not diverge on few samples, such as an absolute error."
    )
    notes = [*result.details.get("notes", []), note]
    return replace(result, details={**result.details, "median": median, "notes": notes})


def lacking_note(oof: OOFPredictions, metric: Metric) -> tuple[int, list[str]]:
    """Count and note the folds that lack some class, for metrics that treat classes apart."""
    classes = class_members(metric, oof)  # of tested samples: none where there are only scores
    if classes is None:
        return 0, []
    lacking: dict[int, str] = {}
    for members, name in zip(*classes, strict=True):
        inside = np.bincount(oof.fold[members[oof.sample]], minlength=oof.n_splits)
        for fold in np.flatnonzero(inside == 0).tolist():
            lacking.setdefault(fold, name)
    if not lacking:
        return 0, []
    fold = min(lacking)
    return len(lacking), [
        f"{len(lacking)} of {oof.n_splits} folds lack a class (fold {fold}: {lacking[fold]}): "
        "where the metric has a value there, it is one by convention (0 for 0/0, or the class "
        "left out), which is not a score of the model. Use stratified or fewer folds, or BBC, "
        "which draws samples."
    ]


def why_undefined(scores: np.ndarray, metric: Metric, oof: OOFPredictions) -> str:
    """Name the fold that no configuration can be scored on, and the class that it lacks."""
    known = metric.recorded_fold_scores(oof)
    if known is not None and (np.abs(known[:, ~oof.failed]) >= TOO_LARGE).any():
        return (
            f"The scores per fold of {metric.name} are infinite, or too large to be added up, in "
            "some fold for every configuration that is defined, so none can be selected."
        )
    nowhere = np.flatnonzero(np.isnan(scores[:, ~oof.failed]).all(axis=1))
    if oof.failed.all() or not len(nowhere):
        return (
            f"Every configuration is undefined in some fold by {metric.name}, so none can be "
            "selected."
        )
    fold, reason = int(nowhere[0]), ""
    if len(oof.fold) and oof.classes_ is not None:
        labels = oof.y_true[oof.sample[oof.fold == fold]]
        lacking = np.setdiff1d(oof.classes_, labels).tolist()
        if len(oof.classes_) == 1:
            reason = f": every sample is of class {oof.classes_[0].item()!r}"
        elif lacking:
            reason = (
                f": it holds no sample of class {', '.join(map(str, lacking))}. Use stratified "
                "folds (StratifiedKFold; KFold without shuffle cuts sorted labels into folds of "
                "one class), fewer folds, or BBC, which pools the folds"
            )
    return f"{metric.name} is undefined in fold {fold} for every configuration{reason}."
