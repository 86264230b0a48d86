"""P-values of no difference from bootstrap replicates, by the form of the interval.

Each is one minus the highest confidence level at which the interval of that form excludes zero,
but for the steps between draws. So a test never contradicts its interval.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.stats import norm

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
    With a difference d and B draws, and for ``"greater"`` (``"less"`` is its mirror image):
    percentile ``(1 + #{draws <= 0}) / (B + 1)``; basic ``(1 + #{draws >= 2 d}) / (B + 1)``;
    normal the tail of the normal distribution; studentised ``(1 + #{pivots >= d / se}) /
    (B + 1)`` [2]_; bca the percentile one on the scale corrected for bias and acceleration [1]_.
    Draws that equal the bound count against a difference. Without any spread it is the one of
    the percentile form.

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
    influence = replicates.influence
    return replace(
        replicates,
        estimate=-replicates.estimate,
        draws=-replicates.draws,
        influence=None if influence is None else lambda: -influence(),
    )


def _share(extreme: np.ndarray) -> float:
    """Share of draws, the data themselves counted as one more."""
    return float((1 + np.count_nonzero(extreme)) / (len(extreme) + 1))


def _percentile(replicates: Replicates) -> float:
    return _share(replicates.draws <= 0)


def _basic(replicates: Replicates) -> float:
    return _share(replicates.draws >= 2 * replicates.estimate)


def _normal(replicates: Replicates) -> float:
    centre = 2 * replicates.estimate - replicates.draws.mean()
    return float(norm.sf(centre / replicates.draws.std(ddof=1)))


def _studentised(replicates: Replicates) -> float:
    on_data, pivots = pivots_of(replicates)
    return _share(pivots >= replicates.estimate / on_data)


def _bca(replicates: Replicates) -> float:
    share, acceleration = share_and_acceleration(replicates)
    bias = norm.ppf(share)
    shifted = norm.ppf(_percentile(replicates)) - bias
    stretch = 1 + acceleration * shifted
    # Beyond the pole of the correction no level reaches zero.
    corrected = shifted / stretch if stretch > 0 else np.copysign(np.inf, shifted)
    return float(norm.cdf(corrected - bias))


_GREATER: dict[str, Callable[[Replicates], float]] = {
    "percentile": _percentile,
    "basic": _basic,
    "normal": _normal,
    "studentised": _studentised,
    "bca": _bca,
}
