"""What results say about the predictions that they rest on, whatever the method."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from .._warn import warn_user
from ..exceptions import IntervalWarning
from ..metrics import BoundKernel, concordance_index_score
from ..metrics.ranking._concordance import survival_target
from ..predictions import OOFPredictions

ONE_CONFIGURATION = "One configuration: there is no selection to correct for."
"""What results of methods that correct for selection say where there was no selection."""

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
    note = " ".join([known, "the interval is a point and certainly wrong.", *filter(None, [hint])])
    if note not in details["notes"]:  # repeats of cross-validation may all say it
        details["notes"].append(note)
        warn_user(f"{method}: {note}", IntervalWarning)


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
    reverse = _reverse_order(oof, kernel)
    return caveats_of_folds(oof, kernel.valid) + ([] if reverse is None else [reverse])


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
    n_failed = int(np.count_nonzero(oof.failed))
    n_undefined = int(np.count_nonzero(~valid & ~oof.failed))
    if n_undefined:
        which = ", ".join(map(str, np.flatnonzero(~valid & ~oof.failed)[:5]))
        dots = ", ..." if n_undefined > 5 else ""
        notes.append(
            f"{n_undefined} of {oof.n_configs} configurations ({which}{dots}) lack a prediction "
            "(NaN) or have an undefined score: they cannot win and are left out."
        )
    # Of a search one configuration may be looked at, with all others set aside.
    looked_at = n_failed == oof.n_configs - 1 and oof.selected_by == "given"
    if n_failed and not looked_at:
        notes.append(
            f"{n_failed} of {oof.n_configs} configurations are marked as failed or dropped: they "
            "cannot win and are left out."
        )
    return notes


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
    return (
        f"Every configuration ranks in reverse: the best {kernel.metric.name} is {best:.3g}, "
        f"clearly below 0.5. Check the order of the predictions: {hint}. Models without any "
        "signal do the same in leave-one-out and other tiny folds, by their training means."
    )
