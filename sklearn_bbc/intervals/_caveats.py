"""What results say about the predictions that they rest on, whatever the method."""

from __future__ import annotations

from collections.abc import Callable
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

from .._warn import warn_user
from .._wording import (
    config_words,
    count,
    is_usual_positive,
    metric_words,
    percent,
    shown,
)
from ..exceptions import IntervalWarning
from ..metrics import BoundKernel, Metric, concordance_index_score
from ..metrics.ranking._concordance import survival_target
from ..predictions import OOFPredictions
from ..results import ConfidenceInterval

OF_SAMPLES = {accuracy_score: "normalize", top_k_accuracy_score: "normalize",
              zero_one_loss: "normalize"}  # fmt: skip
"""Functions that are a share of the samples, unless this argument is false."""
IS_A_POINT = "the interval is a point and certainly wrong."
TURNED = {"greater": "less", "less": "greater"}
MOST_NAMED = 3
"""Configurations that a note names."""

_CLEARLY = 3.0
"""Standard errors below chance from which an order counts as reversed."""


def unit_word(groups: object) -> str:
    """What is independent of each other, for ``details["unit"]`` and messages."""
    return "sample" if groups is None else "group"


def no_spread(spread: float, around: float) -> bool:
    """Whether a standard deviation or error is zero apart from rounding."""
    return not spread > 1e-12 * abs(around)


def tell_degenerate(
    details: dict[str, Any], method: str, degenerate: bool, seen: str, *, hint: str = ""
) -> None:
    """Set ``details["degenerate"]``; an interval without width gets a note and a warning.

    Parameters
    ----------
    details : dict
        By-products of the result, with its notes.
    method : str
        Name for the warning.
    degenerate : bool
        Whether the data show no spread.
    seen : str
        What shows that: where the interval stands (``"around 0.5"``), or a sentence without its
        full stop.
    hint : str, default=""
        What to do about it.
    """
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
    result: ConfidenceInterval,
    oof: OOFPredictions,
    metric: Metric,
    *,
    is_difference: bool = False,
) -> ConfidenceInterval:
    """Add to a result what every method says of its data.

    Parameters
    ----------
    result : ConfidenceInterval
        Of any method.
    oof : OOFPredictions
        What it was computed from.
    metric : Metric
        By which they were scored; a threshold reports another one.
    is_difference : bool, default=False
        Whether the result is the difference of two scores, which is no share of anything.
    """
    scored = oof.tested if oof.n_rows else np.ones(oof.n_samples, dtype=bool)
    groups = None if oof.groups is None else oof.groups[scored]
    result = explain_no_width(
        result, metric, oof.y_true[scored], groups,
        is_share=oof.sample_weight is None and not is_difference,
    )  # fmt: skip
    details = result.details
    if "threshold" in details:
        positive = _plain(details.get("pos_label"))
    else:
        positive = metric.positive_class(oof) if result.metric == metric.name else None
    if positive is None:
        return result
    notes = [*details.get("notes", []), *_guessed_class(oof, positive, metric)]
    return replace(result, details={**details, "notes": notes, "positive_class": positive})


def _plain(label: Any) -> Any:
    """Return a label as Python prints it."""
    return label.item() if isinstance(label, np.generic) else label


def _guessed_class(oof: OOFPredictions, positive: Any, metric: Metric) -> list[str]:
    """Say which class given scores were taken to be for, where nothing tells."""
    told = oof.pos_label is not None or metric.pos_label is not None
    if oof.classes_ is None or told or not metric._takes_given_scores(oof):
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
) -> ConfidenceInterval:
    """Add a note to an interval without width, with what the data can exclude.

    Parameters
    ----------
    result : ConfidenceInterval
        Given back as it is where the bounds differ from the estimate.
    metric : Metric
        What was scored.
    y_true : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Target of the samples that were scored.
    groups : ndarray of shape (n_samples,), default=None
        Their groups, which are then the independent units.
    is_share : bool, default=True
        Whether the score may be a share of the samples: not with weights, and not a difference.
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
        units = _units_of_share(metric, np.asarray(y_true), groups, details.get("n_evaluate"))
    exact = ""
    if units is not None:
        n_units, named = units
        share = metric.sign * estimate
        side = result.alternative if metric.sign > 0 else TURNED.get(result.alternative, "")
        low, high = _clopper_pearson(share, n_units, result.confidence_level, side)
        ends = (low, high) if metric.sign > 0 else (0.0 - high, 0.0 - low)
        details["exact_bounds"] = ends
        limits = shown(max(share, 0.5), low, high)[1:]
        sided = "" if result.alternative == "two-sided" else "one-sided "
        exact = (
            f" An exact binomial (Clopper-Pearson) {sided}{percent(result.confidence_level)} "
            f"interval for {named} goes from {limits[0]} to {limits[1]}."
        )
    notes = list(details.get("notes", []))
    said = any(IS_A_POINT in each for each in notes)  # by a method without draws
    notes += [text for text in ([exact.strip()] if said else [note + exact]) if text]
    details.update(notes=notes, no_width=note + exact)
    return replace(result, details=details)


def _units_of_share(
    metric: Metric, y_true: np.ndarray, groups: np.ndarray | None, n_evaluate: int | None
) -> tuple[int, str] | None:
    """Number of independent units of which a score is a share, and their name; None if of none.

    Of a score within classes these are the units of the smallest class, which decides.
    """
    function, kwargs = metric.score_func, metric.kwargs
    unit = unit_word(groups)
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
    """Classes within which a score is a share of samples or pairs; empty where it is none."""
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
    """Number of samples of a mask, or of the groups that hold one of them."""
    return int(mask.sum()) if groups is None else len(np.unique(groups[mask]))


def _clopper_pearson(
    share: float, n_units: int, confidence_level: float, alternative: str
) -> tuple[float, float]:
    """Exact binomial limits of a share; "greater" and "less" leave one side at 1 or 0."""
    tail = (1 - confidence_level) / (1 if alternative in TURNED else 2)
    hits = share * n_units
    low = beta.ppf(tail, hits, n_units - hits + 1) if hits > 0 else 0.0
    high = beta.ppf(1 - tail, hits + 1, n_units - hits) if hits < n_units else 1.0
    return (0.0 if alternative == "less" else float(low),
            1.0 if alternative == "greater" else float(high))  # fmt: skip


def lonely_configuration(n_configs: int) -> str:
    """Say why a method that corrects for selection repeats none.

    Parameters
    ----------
    n_configs : int
        How many were tried, of which one can be scored.
    """
    if n_configs == 1:
        return "Only one configuration was tried, so there is no selection to correct for."
    return (
        f"Of {n_configs:,} configurations only one can be scored here, so the draws repeat no "
        "selection. If it was chosen by these scores, its score is too good."
    )


def notes_on_splits(oof: OOFPredictions, *, by_folds: bool = False) -> list[str]:
    """Say which samples count how often where the splits are no whole passes over them."""
    if not oof.n_rows or oof.is_partition:
        return []
    times = np.bincount(oof.sample, minlength=oof.n_samples)
    n_tested = int(np.count_nonzero(times))
    if times.max() == 1:
        rest = oof.n_samples - n_tested
        return [
            f"The result rests on the {n_tested:,} of {oof.n_samples:,} samples that were held "
            f"out; the other {rest:,} never were."
        ]
    how = "the scores of folds that share samples depend on each other"
    if not by_folds:
        how = "all held-out predictions of a sample are scored together"
    return [
        f"The splits overlap: samples were held out {times.min()} to {times.max()} times, and "
        f"{how}."
    ]


def caveats(oof: OOFPredictions, kernel: BoundKernel) -> list[str]:
    """Notes on the predictions, for ``details["notes"]`` of methods that score them.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions.
    kernel : BoundKernel
        Metric bound to them.

    Returns
    -------
    list of str
        The notes that `oof` carries, configurations that cannot win, and a reversed order.
    """
    found = [_one_class(oof), _reverse_order(oof, kernel)]
    return caveats_of_folds(oof, kernel.valid) + [note for note in found if note is not None]


def caveats_of_folds(oof: OOFPredictions, valid: np.ndarray) -> list[str]:
    """The same for methods that have scores per fold only.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions, or fold scores alone.
    valid : ndarray of shape (n_configs,), bool
        Configurations that can win.
    """
    notes = list(oof.notes)
    undefined = np.flatnonzero(~valid & ~oof.failed)
    if len(undefined):
        notes.append(
            f"{_left_out(undefined, oof)} left out: a prediction is missing (NaN) or the score is "
            "undefined."
        )
    # Of a search one configuration may be looked at, with all others set aside.
    failed = np.flatnonzero(oof.failed)
    looked_at = len(failed) == oof.n_configs - 1 and oof.selected_by == "given"
    if len(failed) and not looked_at:
        notes.append(
            f"{_left_out(failed, oof)} left out, since there are not scores of every fold."
        )
    return notes


def _left_out(configs: np.ndarray, oof: OOFPredictions) -> str:
    """Name some configurations as the subject of a sentence, with its verb."""
    names = [config_words(config, oof.params) for config in configs[:MOST_NAMED].tolist()]
    if len(configs) == 1:
        return f"{names[0][0].upper()}{names[0][1:]} is"
    names = [name.removeprefix("configuration ") for name in names]
    dots = ", ..." if len(configs) > MOST_NAMED else ""
    return f"{len(configs):,} of {oof.n_configs:,} configurations ({'; '.join(names)}{dots}) are"


def _one_class(oof: OOFPredictions) -> str | None:
    """Say that every sample is of one class, so that nothing is known of another."""
    if oof.classes_ is None or oof.y_true.ndim != 1 or not oof.n_rows:
        return None
    labels = np.unique(oof.y_true[oof.sample])
    if len(labels) > 1:
        return None
    return (
        f"Every held-out sample is of class {labels[0]}: the score says nothing about samples of "
        "another class."
    )


def _reverse_order(oof: OOFPredictions, kernel: BoundKernel) -> str | None:
    """What to say when every configuration ranks the samples clearly worse than chance."""
    function = kernel.metric.score_func
    if function is roc_auc_score and oof.classes_ is not None and len(oof.classes_) == 2:
        _, (n_one, n_other) = np.unique(oof.y_true[oof.sample], return_counts=True)
        n_one, n_other = n_one / oof.n_repeats, n_other / oof.n_repeats
        # Variance of the Mann-Whitney statistic without any signal.
        spread = np.sqrt((n_one + n_other + 1) / (12 * n_one * n_other))
        hint = "the scores may be those of the other class"
    elif function is concordance_index_score:
        event, _ = survival_target(oof.y_true)
        n_events = max(int(event.sum()), 2)
        # Variance of Kendall's tau without any signal, from the events alone.
        spread = np.sqrt((2 * n_events + 5) / (18 * n_events * (n_events - 1)))
        hint = (
            "they may be survival times instead of risks (make_scorer(concordance_index_score, "
            "predicts='time'))"
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
        f"Every configuration ranks in reverse: the best {name} is {best:.3g}, "
        f"clearly below 0.5. Check the order of the predictions: {hint}. Models without any "
        "signal do the same in leave-one-out and other tiny folds, by their training means."
    )
