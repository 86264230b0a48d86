"""P-values of no difference from bootstrap replicates, by the form of the interval.

Each is one minus the highest confidence level at which the interval of that form excludes zero,
found on the same draws by the same rule for quantiles. So a test never contradicts its interval.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.stats import norm

from .._quantiles import NormalScoreQuantile, smallest_level
from ..single._bootstrap_forms import (
    Replicates,
    has_spread,
    pivots_of,
    share_and_acceleration,
)


def p_value(form: str, replicates: Replicates, alternative: str) -> float:
    """P-value of no difference.

    Parameters
    ----------
    form : str
        Form of the interval.
    replicates : Replicates
        Of the difference.
    alternative : {"two-sided", "greater", "less"}
        What speaks against no difference.

    Returns
    -------
    float
        Between 0 and 1; two-sided it is twice the smaller one of both sides, at most 1.

    Notes
    -----
    For ``"greater"`` (``"less"`` is its mirror image) it is the smallest error rate of one side
    at which the lower bound is above zero. percentile: the level of the draws at zero, about
    ``#{draws <= 0} / B`` of B draws. basic and studentised [2]_: the same of the draws mirrored
    at the estimate, and of the estimate less pivots times standard error. normal: the tail of the
    normal distribution. bca: the percentile one on the scale corrected for bias and acceleration
    [1]_. But for the normal form none is below ``1 / (B + 1)``, since the draws know nothing
    beyond. Draws that equal the bound count in full: with half of them, 3 samples of which only
    one side is right and none of which only the other is would be a difference at 5%. Without any
    spread it is the one of the percentile form.

    References
    ----------
    .. [1] B. Efron, R. J. Tibshirani, "An introduction to the bootstrap", section 15.4,
       Chapman and Hall (1993).
    .. [2] A. C. Davison, D. V. Hinkley, "Bootstrap methods and their application", section
       4.4, Cambridge University Press (1997). :doi:`10.1017/CBO9780511802843`
    """
    one_sided = _GREATER[form if has_spread(replicates) else "percentile"]
    if alternative == "greater":
        return one_sided(replicates)
    less = one_sided(_mirrored(replicates))
    if alternative == "less":
        return less
    return min(1.0, 2 * min(one_sided(replicates), less))


def _mirrored(replicates: Replicates) -> Replicates:
    """Replicates of the second model minus the first."""

    def influence() -> np.ndarray:
        assert replicates.influence is not None  # asked for by bca only
        return -replicates.influence()

    return replace(
        replicates,
        estimate=-replicates.estimate,
        draws=-replicates.draws,
        influence=influence,
    )


def _percentile(replicates: Replicates) -> float:
    return _of_bounds(replicates.draws, replicates)


def _of_bounds(values: np.ndarray, replicates: Replicates) -> float:
    """Smallest level of values whose quantile is the lower bound."""
    return smallest_level(np.sort(values), replicates.rule or NormalScoreQuantile())


def _basic(replicates: Replicates) -> float:
    return _of_bounds(2 * replicates.estimate - replicates.draws, replicates)


def _normal(replicates: Replicates) -> float:
    centre = 2 * replicates.estimate - replicates.draws.mean()
    return float(norm.sf(centre / replicates.draws.std(ddof=1)))


def _studentised(replicates: Replicates) -> float:
    on_data, pivots = pivots_of(replicates)
    return _of_bounds(replicates.estimate - on_data * pivots, replicates)


def _bca(replicates: Replicates) -> float:
    share, acceleration = share_and_acceleration(replicates)
    bias = norm.ppf(share)
    shifted = norm.ppf(_percentile(replicates)) - bias
    stretch = 1 + acceleration * shifted
    # Beyond the pole of the correction no level reaches zero.
    corrected = shifted / stretch if stretch > 0 else np.copysign(np.inf, shifted)
    return max(float(norm.cdf(corrected - bias)), 1 / (len(replicates.draws) + 1))


_GREATER: dict[str, Callable[[Replicates], float]] = {
    "percentile": _percentile,
    "basic": _basic,
    "normal": _normal,
    "studentised": _studentised,
    "bca": _bca,
}
