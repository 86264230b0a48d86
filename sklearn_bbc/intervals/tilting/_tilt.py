"""Numerics of bootstrap tilting: influence values, tilted distributions, the root search.

A tilted distribution keeps the samples but weighs sample i by ``exp(tau * g_i)``, where g
points in the direction in which the score rises fastest. A bound is the score under the
tilted distribution for which the observed score is just not too surprising. How surprising
it is comes from one set of ordinary resamples, reweighted by their likelihood ratio.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp
from sklearn.metrics import roc_auc_score

from ...metrics import BoundKernel
from ...predictions import OOFPredictions
from ..single._placements import AUCParts, auc_parts

N_STEPS, REACH = 200, 10.0
"""Grid of the root search, in units of one standard error of the score."""
MIN_ESS = 50
"""Effective number of resamples below which a bound rests on a handful of them."""


@dataclass(frozen=True, eq=False)
class Strata:
    """Samples that are drawn from, and the class within which each is drawn.

    Attributes
    ----------
    sample : ndarray of shape (n,)
        Index of each sample.
    code : ndarray of shape (n,)
        Stratum of each; all 0 unless the metric is made of scores within classes.
    size : ndarray of shape (n_strata,)
        Samples per stratum.
    """

    sample: np.ndarray
    code: np.ndarray
    size: np.ndarray

    @classmethod
    def of(cls, oof: OOFPredictions, kernel: BoundKernel) -> Strata:
        """Classes, where the metric does not depend on their shares; else all together.

        Samples without weight tell nothing and are not drawn.
        """
        drawn = oof.tested
        if oof.sample_weight is not None:
            drawn = drawn & (oof.sample_weight > 0)
        sample = np.flatnonzero(drawn)
        if not kernel.conditions_on_class:
            return cls(sample, np.zeros(len(sample), dtype=np.intp), np.array([len(sample)]))
        code = np.unique(oof.y_true[sample], return_inverse=True)[1]
        return cls(sample, code, np.bincount(code))

    def expand(self, values: np.ndarray, n_samples: int) -> np.ndarray:
        """Values per drawn sample to values per sample, 0 for the others."""
        if len(self.sample) == n_samples:
            return values
        expanded = np.zeros((len(values), n_samples), dtype=values.dtype)
        expanded[:, self.sample] = values
        return expanded

    def centred(self, values: np.ndarray) -> np.ndarray:
        """Values minus the mean of their stratum."""
        means = np.bincount(self.code, values, minlength=len(self.size)) / self.size
        return values - means[self.code]


def influence(oof: OOFPredictions, kernel: BoundKernel, config: int, strata: Strata) -> np.ndarray:
    """By how much the score changes per unit of weight that a sample gains.

    Exact for means over samples and for the area under the ROC curve; otherwise the change
    when a sample is there twice, which needs whole numbers only, so every metric can do it.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions.
    kernel : BoundKernel
        Metric bound to them.
    config : int
        Configuration.
    strata : Strata
        Samples.

    Returns
    -------
    ndarray of shape (n,)
        Centred within each stratum.
    """
    if kernel.metric.score_func is roc_auc_score and len(strata.size) == 2:
        parts = AUCParts.mean(
            [
                auc_parts(
                    part.rows.pred,
                    part.rows.y_codes() == 1,
                    unit=part.sample,
                    n_units=oof.n_samples,
                    weight=part.weight,
                )
                for part in kernel.held_out(np.array([config]))
            ]
        )
        contribution = (parts.positive + parts.negative)[0, strata.sample]
        return strata.centred(contribution * strata.size[strata.code])
    mass = np.bincount(
        oof.sample,
        None if oof.sample_weight is None else oof.sample_weight[oof.sample],
        minlength=oof.n_samples,
    )[strata.sample].astype(float)
    total = np.bincount(strata.code, mass)[strata.code]
    values = kernel.pointwise(config)
    if values is not None:
        weight = 1.0 if oof.sample_weight is None else oof.sample_weight[oof.sample]
        sums = np.bincount(oof.sample, values * weight, minlength=oof.n_samples)[strata.sample]
        deviation = (sums - mass * sums.sum() / mass.sum()) / mass.sum()
        return strata.centred(deviation * strata.size[strata.code])
    score = kernel.score_on_data(config)
    change = np.empty(len(strata.sample))
    for start in range(0, len(change), 512):
        chosen = strata.sample[start : start + 512]
        twice = np.repeat(kernel.everything, len(chosen), axis=0)
        twice[np.arange(len(chosen)), chosen] = 2
        change[start : start + 512] = kernel.score_of(twice, np.full(len(chosen), config)) - score
    change[~np.isfinite(change)] = 0.0  # twice this sample has no score: nothing is known of it
    # A sample of mass m that is doubled moves a mean over total mass M by m / (M + m).
    return strata.centred(change * strata.size[strata.code] * (total + mass) / total)


@dataclass(frozen=True, eq=False)
class Tilt:
    """Distributions that weigh sample i by ``exp(tau * direction_i)``.

    Attributes
    ----------
    direction : ndarray of shape (n,)
        Exponent of each sample per unit of `tau`.
    strata : Strata
        Samples.
    """

    direction: np.ndarray
    strata: Strata

    @classmethod
    def by_influence(cls, influence: np.ndarray, strata: Strata) -> Tilt:
        """Steepest direction for samples drawn within strata."""
        scale = len(influence) / strata.size[strata.code]
        return cls(influence * scale, strata)

    @property
    def unit(self) -> float:
        """Change of `tau` that moves the score by about one standard error."""
        # Standard deviation of the log likelihood ratio of a resample at tau = 1.
        spread = float(np.sqrt((self.direction**2).sum()))
        return 1 / spread if spread > 0 else np.inf

    def weights(self, tau: float) -> np.ndarray:
        """Weight of each sample, summing to the size of its stratum, shape (n,)."""
        exponent = tau * self.direction
        weights = np.exp(exponent - exponent.max())
        for stratum in range(len(self.strata.size)):
            inside = self.strata.code == stratum
            weights[inside] /= weights[inside].mean()
        return weights

    def log_ratios(self, taus: np.ndarray, projections: np.ndarray) -> np.ndarray:
        """Log likelihood ratio of resamples, tilted against observed distribution.

        Parameters
        ----------
        taus : ndarray of shape (n_taus,)
            Members of the family.
        projections : ndarray of shape (n_draws,)
            Counts of each resample times `direction`.

        Returns
        -------
        ndarray of shape (n_taus, n_draws)
            Their exponentials have mean one.
        """
        exponents = taus[:, None] * self.direction  # (n_taus, n)
        return taus[:, None] * projections - self._log_norm(exponents)[:, None]

    def _log_norm(self, exponents: np.ndarray) -> np.ndarray:
        """Logarithm of what the weights are divided by, shape (n_taus,).

        Weights sum to one in each stratum, as the resamples are drawn.
        """
        norm = sum(
            n * (logsumexp(exponents[:, self.strata.code == k], axis=1) - np.log(n))
            for k, n in enumerate(self.strata.size)
        )
        return np.asarray(norm)


@dataclass(frozen=True)
class Root:
    """Where the root search ended: `tau`, or the `reason` why there is none."""

    tau: float = np.nan
    reason: str = ""


def largest_root(
    tail: Callable[[np.ndarray], np.ndarray],
    alpha: float,
    grid: np.ndarray,
    *,
    tolerance: float,
) -> Root:
    """Member of the family nearest to the observed distribution with a tail of `alpha`.

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
    # What is equal but for rounding is not above alpha.
    enough = tails <= alpha * (1 + 1e-9)
    reason = why_no_root(tails, enough, start=alpha, stop=alpha)
    if reason:
        return Root(reason=reason)
    first = int(np.flatnonzero(enough)[0])
    return bisected(tail, alpha, grid[first], grid[first - 1], tolerance)


def why_no_root(tails: np.ndarray, enough: np.ndarray, *, start: float, stop: float) -> str:
    """Why the members of a grid hold no root; empty when they do.

    Parameters
    ----------
    tails : ndarray of shape (n_taus,)
        Probability of a score above the observed one for each member.
    enough : ndarray of shape (n_taus,), bool
        Whether it is small enough.
    start, stop : float
        What it must exceed without tilt, and what it must come down to.
    """
    if not tails[0] > start:
        return (
            f"a score above the observed one has probability {tails[0]:.3g} even without "
            f"tilt, which is not above {start:.3g}"
        )
    if not enough.any():
        return (
            "the probability of a score above the observed one does not fall below "
            f"{stop:.3g}, whatever the tilt"
        )
    return ""


def bisected(
    tail: Callable[[np.ndarray], np.ndarray],
    alpha: float,
    low: float,
    high: float,
    tolerance: float,
) -> Root:
    """Halve a bracket until it is narrower than `tolerance`; its lower end is the root."""
    while high - low > tolerance:
        middle = (low + high) / 2
        low, high = (middle, high) if tail(np.array([middle]))[0] <= alpha else (low, middle)
    return Root(tau=float(low))


def share_above(scores: np.ndarray, observed: float) -> np.ndarray:
    """1 for each score above the observed one, 1/2 for equal ones, else 0."""
    # The same score computed from other counts may differ in the last bits.
    close = np.isclose(scores, observed, rtol=1e-12, atol=1e-12)
    return np.where(close, 0.5, scores > observed)


def mean_over(values: np.ndarray, log_ratios: np.ndarray) -> np.ndarray:
    """Mean under each tilted distribution, shape (n_taus,), of values per resample."""
    return np.exp(np.minimum(log_ratios, 700.0)) @ values / len(values)


def effective_size(log_ratios: np.ndarray) -> float:
    """Number of equally weighted resamples that carry as much information."""
    return float(np.exp(2 * logsumexp(log_ratios) - logsumexp(2 * log_ratios)))
