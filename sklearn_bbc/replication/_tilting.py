"""Numerics of the published tilting code: influence, normalisation, root search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from ..intervals.tilting._tilt import Root, Strata, Tilt, bisected, why_no_root


def regression_influence(scores: np.ndarray, counts: np.ndarray, strata: Strata) -> np.ndarray:
    """Influence values by regressing the scores of resamples on what they hold.

    As R's ``boot::empinf`` does by default; noisier than the exact values.

    Parameters
    ----------
    scores : ndarray of shape (n_draws,)
        Score of each resample.
    counts : ndarray of shape (n_draws, n)
        How often each sample was drawn; more draws than samples.
    strata : Strata
        Samples.

    Returns
    -------
    ndarray of shape (n,)
        Centred within each stratum.
    """
    # Counts sum to the size of their stratum: one sample of each cannot be told apart.
    first = np.unique(strata.code, return_index=True)[1]
    kept = np.setdiff1d(np.arange(len(strata.code)), first)
    frequency = counts[:, kept] / strata.size[strata.code[kept]]
    design = np.column_stack([np.ones(len(scores)), frequency])
    slope = np.zeros(len(strata.code))
    slope[kept] = np.linalg.lstsq(design, scores, rcond=None)[0][1:]
    return strata.centred(slope)


@dataclass(frozen=True, eq=False)
class TiltAcrossClasses(Tilt):
    """As `Tilt`, with weights that sum to one over all samples together.

    The direction is the influence itself, which is not the steepest one for samples that are drawn
    within strata, and likelihood ratios do not have mean one.
    """

    @property
    def unit(self) -> float:
        """Change of `tau` that moves the score by about one standard error."""
        size = self.strata.size
        variance = np.bincount(self.strata.code, self.direction**2, minlength=len(size)) / size
        slope = float(variance.sum())
        return float(np.sqrt((variance / size).sum())) / slope if slope > 0 else np.inf

    def _log_norm(self, exponents: np.ndarray) -> np.ndarray:
        n = self.strata.size.sum()
        return np.asarray(n * (logsumexp(exponents, axis=1) - np.log(n)))


def coarse_root(
    tail: Callable[[np.ndarray], np.ndarray],
    alpha: float,
    grid: np.ndarray,
    *,
    tolerance: float,
) -> Root:
    """As `largest_root`, by the rule of the published code.

    It asks for more than twice `alpha` at 0, walks down until the tail is below half of it, and
    bisects the whole way back. Found members differ from those of `largest_root` only where the
    tail is not monotone.

    Parameters
    ----------
    tail : callable
        Probability of a score above the observed one for each of several members.
    alpha : float
        Error rate.
    grid : ndarray of shape (n_taus,)
        Members to try, from 0 downwards.
    tolerance : float
        Width of the last bracket.

    Returns
    -------
    Root
        A member whose tail does not exceed `alpha`.
    """
    tails = tail(grid)
    start, stop = 2 * alpha, alpha / 2
    # What is equal apart from rounding is not below one half.
    enough = tails < stop * (1 - 1e-9)
    reason = why_no_root(tails, enough, start=start, stop=stop)
    if reason:
        return Root(reason=reason)
    return bisected(tail, alpha, grid[np.flatnonzero(enough)[0]], 0.0, tolerance)


def relative_mean_over(values: np.ndarray, log_ratios: np.ndarray) -> np.ndarray:
    """As `mean_over`, with the ratios scaled to mean one."""
    ratios = np.exp(log_ratios - log_ratios.max(axis=1, keepdims=True))
    return ratios @ values / ratios.sum(axis=1)
