"""Compare each sample's prediction with those by the winners of the draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._text import count, percent
from .._utils import got
from ..contest._question import Question
from ..curves._base import of_survival, positive_details, target_of, wanted_by
from ..curves._survival import response_with, risks_of_survival, time_named
from ..exceptions import UndefinedIntervalError
from ..intervals._base import MAX_UNDEFINED, too_often_undefined
from ..intervals._bbc import BBC
from ..predictions._predictions import OOFPredictions
from ..recording._finished import FinishedSearch
from ..results._curves import StabilityResult
from ._estimate import estimate

EDGE = 0.025
"""Share of the draws beyond each of the limits of a prediction."""
ROUNDING = 1e-9


def time_compared(oof: OOFPredictions, time: Any) -> float | None:
    """Return the time by which risks are compared, of survival times; else None."""
    if of_survival(oof):
        return time_named(time, oof, "prediction_stability", "prediction_stability(time={})")
    if time is not None:
        raise ValueError(
            f"time is for survival times, event and time as the target, got time={got(time)}."
        )
    return None


def responses_compared(oof: OOFPredictions, time: float | None) -> tuple[str, ...]:
    """List the response methods whose predictions are compared, preferred first."""
    if time is not None:
        return (response_with(oof, np.array([time])),)
    return wanted_by("values" if oof.classes_ is None else "risks", oof)


def _compared(
    oof: OOFPredictions, pos_label: Any, time: float | None
) -> tuple[np.ndarray, str, Any]:
    """Read the predictions (n_configs, n_rows), what they are, and the positive class."""
    what = "prediction_stability"
    if time is None:
        needs, label = ("values", "value") if oof.classes_ is None else ("risks", "risk")
        _, predictions, positive = target_of(oof, needs, what, pos_label)
        return predictions, label, positive
    if pos_label is not None:
        raise ValueError(f"Survival times have no positive class, got pos_label={pos_label!r}.")
    risks = risks_of_survival(oof, np.array([time]), what)[..., 0]
    return risks, f"risk at {time:g}", None


def stability_of(
    finished: FinishedSearch,
    question: Question,
    method: BBC,
    pos_label: Any = None,
    time: float | None = None,
) -> StabilityResult:
    """Compare each sample's prediction by the winner with those by the winners of the draws."""
    oof = question.predictions("prediction_stability")
    predictions, label, positive = _compared(oof, pos_label, time)
    details = dict(estimate(finished, question, method).details)
    configs, shares = np.array(list(details["won"])), np.array(list(details["won"].values()))
    shares = shares / shares.sum()
    tested = np.flatnonzero(oof.tested)
    times = np.bincount(oof.sample, minlength=oof.n_samples)[tested]

    def of_samples(config: int) -> np.ndarray:
        """Average predictions over the times that a sample was held out, (n_tested,)."""
        total = np.bincount(oof.sample, predictions[config], minlength=oof.n_samples)
        return total[tested] / times

    own = of_samples(details["winner"])
    if np.isnan(own).all():
        raise UndefinedIntervalError(
            f"prediction_stability needs a {label} of each sample, which configuration "
            f"{details['winner']}, which is selected, did not predict."
            + " A CalibratedClassifierCV around it has predict_proba."
            * (time is None)
        )
    others = np.stack([of_samples(config) for config in configs])  # (n_won, n_tested)
    missing = np.isnan(others) | np.isnan(own)
    undefined = shares @ missing  # (n_tested,)
    there = ~too_often_undefined(undefined)
    n_undefined = round(method.n_bootstraps * float(shares[missing.any(axis=1)].sum()))
    if not there.any():
        raise UndefinedIntervalError(
            f"prediction_stability is undefined in {n_undefined} of {method.n_bootstraps} draws, "
            f"in which configurations win that predict no {label}."
        )
    # Each sample has the shares of the configurations that predict it.
    of_each = np.where(missing, 0.0, shares[:, None]) / np.where(there, 1 - undefined, np.nan)
    difference = np.where(missing, 0.0, of_each * np.abs(others - own)).sum(axis=0)
    order = np.argsort(others, axis=0)
    below = np.cumsum(np.take_along_axis(of_each, order, axis=0), axis=0)
    ranked = np.take_along_axis(others, order, axis=0)
    low, high = (
        np.take_along_axis(ranked, (below < share - ROUNDING).sum(axis=0)[None], axis=0)[0]
        for share in (EDGE, 1 - EDGE)
    )
    difference[~there] = low[~there] = high[~there] = np.nan
    if n_undefined:
        details["n_undefined"] = n_undefined
        details["notes"] = [*details["notes"], _note_on_stability(n_undefined, method, there)]
    weights = np.ones(oof.n_samples) if oof.sample_weight is None else oof.sample_weight
    kept = (
        "winner", "winner_share", "won", "n_undefined", "seed", "notes", "unit", "block_length",
        "n_blocks", "block_kind",
    )  # fmt: skip
    return StabilityResult(
        sample=tested,
        predicted=own,
        difference=difference,
        low=low,
        high=high,
        mean_difference=float(np.average(difference[there], weights=weights[tested][there])),
        label=label,
        metric=details.get("selected_by", question.metric.name),
        n_bootstraps=method.n_bootstraps,
        details={name: details[name] for name in kept if name in details}
        | positive_details(oof, positive),
    )


def _note_on_stability(n_undefined: int, method: BBC, there: np.ndarray) -> str:
    """Compose the note on draws whose winner lacks predictions; `there` (n_tested,)."""
    left = int((~there).sum())
    return (
        f"In {n_undefined} of {method.n_bootstraps} draws a configuration is selected that did "
        "not predict every sample; there the other draws count."
        + f" {count(left, 'sample')} without a prediction in more than {percent(MAX_UNDEFINED)} "
        "of the draws have no limits." * bool(left)
    )
