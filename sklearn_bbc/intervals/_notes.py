"""Notes of results on their predictions, and the winner that methods take as selected."""

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

from .._notes import Note, has_kind, warned, with_notes
from .._text import config_words, count, digits, is_usual_positive, percent, shown
from ..contest._notes import noun_of, unit_of, unit_word
from ..metrics._base import class_members
from ..metrics._consumed import OfMetric, takes_given_scores
from ..metrics._metric import Metric
from ..metrics._scored import Scored
from ..results._results import ConfidenceInterval

OF_SAMPLES = {accuracy_score: "normalize", top_k_accuracy_score: "normalize",
              zero_one_loss: "normalize"}  # fmt: skip
"""Functions that are a share of the samples, unless this argument is false."""
A_POINT = "a point"
"""Kind of the note that an interval is a point."""
SAME_SCORES = Note(
    "Both sides score the same everywhere: there is no difference to test.", "the same"
)
OTHER_SIDE = {"greater": "less", "less": "greater"}


def no_spread(spread: float, around: float) -> bool:
    """Check whether a standard deviation or error is zero apart from rounding."""
    return not spread > 1e-12 * abs(around)


def note_degenerate(
    details: dict[str, Any],
    method: str,
    degenerate: bool,
    *,
    seen: str = "",
    around: str = "",
    hint: str = "",
    is_same: bool = False,
) -> None:
    """Set ``details["degenerate"]``; an interval without width gets a note and a warning.

    The note says what is `seen`, or `around` what no spread is. Of a difference between what is
    the same it gets another note, and no warning.
    """
    details["degenerate"] = degenerate
    if not degenerate:
        return
    if is_same:
        details["notes"].append(SAME_SCORES)
        return
    begin = f"No spread can be seen around {around}:"
    if seen:
        begin = f"{seen}: no spread can be seen,"
    note = Note(f"{begin} the interval is a point and certainly wrong. {hint}".rstrip(), A_POINT)
    if note not in details["notes"]:  # repeats of cross-validation may all say it
        details["notes"].append(warned(note, method))


def explained(
    result: ConfidenceInterval, scored: Scored, *, is_difference: bool = False
) -> ConfidenceInterval:
    """Add to a result the details and notes on the data that all methods give."""
    oof, metric = scored.oof, scored.metric
    tested = oof.tested if oof.n_rows else np.ones(oof.n_samples, dtype=bool)
    labels = oof.clusters if isinstance(oof.block_length, int) else oof.groups
    groups = None if labels is None else labels[tested]
    result = explain_no_width(
        result, metric, oof.y_true[tested], groups,
        is_share=oof.sample_weight is None and not is_difference, unit=unit_of(oof),
    )  # fmt: skip
    details: dict[str, Any] = {}
    if oof.score_sign is not None:
        details = {"unit": unit_of(oof), "noun": noun_of(oof)}
    winner = result.details.get("winner")
    if winner is not None and winner >= 0:  # an ensemble has none
        details["winner_name"] = config_words(winner, oof.params)
    positive = None
    if "threshold" in result.details:
        positive = result.details.get("pos_label")
        positive = positive.item() if isinstance(positive, np.generic) else positive
    elif result.metric == metric.name:
        positive = metric.positive_class(oof)
    if positive is None:
        return with_notes(result, (), **details)
    notes = _guessed_class(scored, positive)
    return with_notes(result, notes, **details, positive_class=positive)


def _guessed_class(scored: Scored, positive: Any) -> list[str]:
    """Note which class given scores were taken to be for, where it is not stated."""
    oof, metric = scored.oof, scored.metric
    noted = oof.pos_label is not None or metric.pos_label is not None
    if oof.classes_ is None or noted or not takes_given_scores(scored):
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
    if has_kind(result.details.get("notes", ()), SAME_SCORES.kind):
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
        side = result.alternative if metric.sign > 0 else OTHER_SIDE.get(result.alternative, "")
        tail = (1 - result.confidence_level) / (1 if side in OTHER_SIDE else 2)
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
    note += exact or " Report the score without it."
    # A method without draws has noted that already.
    notes += [text for text in [exact.strip() if has_kind(notes, A_POINT) else note] if text]
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
        n_units = _n_units_marked(everyone, groups) if n_evaluate is None else n_evaluate
        return n_units, count(n_units, unit)
    if n_evaluate is not None or y_true.ndim != 1:
        return None
    labels = _labels_of_share(function, kwargs, y_true)
    if not labels:
        return None
    sizes = [_n_units_marked(y_true == label, groups) for label in labels]
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


def _n_units_marked(mask: np.ndarray, groups: np.ndarray | None) -> int:
    """Count the samples of a mask, or the groups that contain one of them."""
    return int(mask.sum()) if groups is None else len(np.unique(groups[mask]))


def clopper_pearson(successes: float, n: float, tail: float) -> tuple[float, float]:
    """Compute the exact interval: shares that neither tail of the binomial test rejects."""
    failures = n - successes
    low = beta.ppf(tail, successes, failures + 1) if successes > 0 else 0.0
    high = beta.ppf(1 - tail, successes + 1, failures) if failures > 0 else 1.0
    return float(low), float(high)


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
    return with_notes(result, [note], median=median)


def lacking_note(scored: OfMetric) -> tuple[int, list[str]]:
    """Count and note the folds that lack some class, for metrics that treat classes apart."""
    oof = scored.oof
    classes = class_members(scored)  # of tested samples: none where there are only scores
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
        f"{len(lacking)} of {oof.n_splits} folds {'lacks' if len(lacking) == 1 else 'lack'} a "
        f"class (fold {fold}: {lacking[fold]}): "
        "where the metric has a value there, it is one by convention (0 for 0/0, or the class "
        "left out), which is not a score of the model. Use stratified or fewer folds, or BBC, "
        "which draws samples."
    ]
