"""Ways to turn bootstrap replicates of an estimate into bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm

from ...exceptions import UndefinedIntervalError
from .._caveats import tell_degenerate
from .._quantiles import NormalScoreQuantile, QuantileRule
from ..tilting._tilt import share_above

ROUNDING = 1e-6
"""Standard errors of draws below this part of the one on the data are zeros."""


@dataclass(frozen=True, eq=False)
class Replicates:
    """Bootstrap replicates of an estimate, and what some forms need besides.

    Attributes
    ----------
    estimate : float
        The estimate on the data.
    draws : ndarray of shape (n_draws,)
        The estimate on each resample, all defined.
    standard_error : callable or None
        Gives the standard error on the data and on each resample (float and ndarray of
        shape (n_draws,)); a callable, since only the studentised form needs it.
    influence : callable or None
        Gives the empirical influence value of each resampled unit; only for BCa.
    rule : QuantileRule or None
        How quantiles are read off the draws; None interpolates on the normal scale.
    """

    estimate: float
    draws: np.ndarray
    standard_error: Callable[[], tuple[float, np.ndarray]] | None = None
    influence: Callable[[], np.ndarray] | None = None
    rule: QuantileRule | None = None


def quantile(draws: np.ndarray, level: float, rule: QuantileRule | None = None) -> float:
    """Quantile of replicates.

    Parameters
    ----------
    draws : ndarray of shape (n_draws,)
        Replicates.
    level : float
        Between 0 and 1.
    rule : QuantileRule, default=None
        None interpolates on the normal scale.
    """
    return (rule or NormalScoreQuantile()).between(np.sort(draws), level)


def percentile(replicates: Replicates, tail: float) -> tuple[float, float]:
    """Quantiles of the replicates."""
    draws, rule = replicates.draws, replicates.rule
    return quantile(draws, tail, rule), quantile(draws, 1 - tail, rule)


def basic(replicates: Replicates, tail: float) -> tuple[float, float]:
    """Quantiles of the replicates, mirrored at the estimate."""
    low, high = percentile(replicates, tail)
    return 2 * replicates.estimate - high, 2 * replicates.estimate - low


def normal(replicates: Replicates, tail: float) -> tuple[float, float]:
    """Normal interval with the bias and the standard deviation of the replicates."""
    infinite = np.count_nonzero(np.isinf(replicates.draws))
    if infinite:
        raise UndefinedIntervalError(
            f"The normal form is undefined: {infinite} of {len(replicates.draws)} draws have an "
            "infinite score, and so no standard deviation. Use another form, such as percentile."
        )
    centre = 2 * replicates.estimate - replicates.draws.mean()
    half = norm.ppf(1 - tail) * replicates.draws.std(ddof=1)
    return float(centre - half), float(centre + half)


def studentised(replicates: Replicates, tail: float) -> tuple[float, float]:
    """Quantiles of the replicates in units of their own standard errors."""
    on_data, pivots = pivots_of(replicates)
    return (
        replicates.estimate - on_data * quantile(pivots, 1 - tail, replicates.rule),
        replicates.estimate - on_data * quantile(pivots, tail, replicates.rule),
    )


def pivots_of(replicates: Replicates) -> tuple[float, np.ndarray]:
    """Standard error on the data, and deviations of the replicates in units of their own."""
    assert replicates.standard_error is not None
    on_data, on_draws = replicates.standard_error()
    # Equal scores leave a rounding error as their spread, which would blow the pivot up.
    usable = on_draws > ROUNDING * on_data
    if np.count_nonzero(usable) < 0.5 * len(on_draws) or not on_data > 0:
        raise UndefinedIntervalError(
            "The studentised form needs standard errors, but they are zero on the data or in more "
            "than half of the draws. Use another form, such as percentile."
        )
    return on_data, (replicates.draws[usable] - replicates.estimate) / on_draws[usable]


def bca(replicates: Replicates, tail: float) -> tuple[float, float]:
    """Quantiles of the replicates at levels corrected for bias and acceleration."""
    share, acceleration = share_and_acceleration(replicates)
    bias = norm.ppf(share)
    shifted = bias + norm.ppf([tail, 1 - tail])
    if not (acceleration * shifted < 1).all():
        raise UndefinedIntervalError(
            f"The bca form is undefined: its acceleration of {acceleration:.3g} is "
            f"{'undefined' if np.isnan(acceleration) else 'too large'} for a share of {share:.3g} "
            "of the draws below the estimate. Use another form, such as percentile."
        )
    levels = norm.cdf(bias + shifted / (1 - acceleration * shifted))
    draws, rule = replicates.draws, replicates.rule
    return quantile(draws, levels[0], rule), quantile(draws, levels[1], rule)


def share_and_acceleration(replicates: Replicates) -> tuple[float, float]:
    """Share of the replicates below the estimate, and their acceleration, of the bca form."""
    assert replicates.influence is not None
    # Equal draws count one half, or scores with few values would all seem biased upwards.
    above = share_above(replicates.draws, replicates.estimate)
    for side, farthest in (("below", above.min()), ("above", 1 - above.max())):
        if farthest > 0:
            raise UndefinedIntervalError(
                f"The bca form is undefined: 0% of the draws lie {side} the estimate, so their "
                "bias cannot be corrected. Use another form, such as percentile."
            )
    share = 1 - above.mean()
    influence = replicates.influence()
    # Only their proportions count; a power of two changes no digit and prevents overflow.
    influence = np.ldexp(influence, -np.frexp(np.abs(influence).max())[1])
    scale = (influence**2).sum() ** 1.5
    return share, (influence**3).sum() / (6 * scale) if scale > 0 else 0.0


FORMS: dict[str, Callable[[Replicates, float], tuple[float, float]]] = {
    "percentile": percentile,
    "basic": basic,
    "normal": normal,
    "studentised": studentised,
    "bca": bca,
}


def bounds_of(
    form: str, replicates: Replicates, tail: float, details: dict[str, Any], method: str
) -> tuple[float, float]:
    """Bounds by one of `FORMS`; replicates without any spread are a point, with a warning.

    Parameters
    ----------
    form : str
        One of `FORMS`.
    replicates : Replicates
        The replicates.
    tail : float
        Error rate of one side.
    details : dict
        Gets ``degenerate``, and a note where there is no spread.
    method : str
        Name for the warning.
    """
    estimate = replicates.estimate
    degenerate = not has_spread(replicates)
    tell_degenerate(details, method, degenerate, f"Every draw scores {estimate:g}")
    return (estimate, estimate) if degenerate else FORMS[form](replicates, tail)


def has_spread(replicates: Replicates) -> bool:
    """Whether any replicate differs from the estimate by more than rounding."""
    farthest = float(np.abs(replicates.draws - replicates.estimate).max())
    return farthest > 1e-12 * max(1.0, abs(replicates.estimate))


def tell_outside(estimate: float, low: float, high: float, notes: list[str]) -> None:
    """Add a note where the estimate lies outside its own interval."""
    rounding = 1e-9 * (1 + abs(estimate))
    if estimate < low - rounding or estimate > high + rounding:
        notes.append(
            "The estimate is outside the interval: nearly all resamples score worse, or nearly "
            "all better, than the data, as with metrics that divide by a spread and few samples. "
            "Take more samples, or an error that divides by nothing."
        )


def bias_and_error(replicates: Replicates) -> dict[str, float]:
    """Bias and standard error of replicates for `details`; NaN where a draw is infinite."""
    if np.isinf(replicates.draws).any():
        return {"bias": np.nan, "standard_error": np.nan}
    return {
        "bias": float(replicates.draws.mean() - replicates.estimate),
        "standard_error": float(replicates.draws.std(ddof=1)),
    }


def check_form(form: str, rule: QuantileRule | None = None) -> None:
    """Raise unless `form` is one of `FORMS`, and takes quantiles if there is a rule for them."""
    if form not in FORMS:
        raise ValueError(f"form must be one of {list(FORMS)}, got {form!r}.")
    if form == "normal" and rule is not None:
        raise ValueError(
            f"quantile={rule!r} is about quantiles of draws, but form='normal' takes their "
            "standard deviation. Use another form, or quantile=None."
        )
