"""The steps of tilting that other code does differently."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.base import BaseEstimator

from ...metrics import BoundKernel
from .._base import BootstrapInterval
from ..single._base import Target
from ..single._replicate import needed_strata
from ._tilt import (
    N_STEPS,
    REACH,
    Root,
    Strata,
    Tilt,
    influence,
    largest_root,
    mean_over,
    share_above,
)

NOTHING_TO_TILT = "every sample moves the score alike, so no tilt changes it"


class TiltingSteps(BaseEstimator):
    """How the tilting methods go about it, step by step.

    A subclass repeats what other code does, and is passed as ``replicate=``.
    """

    def validate(self) -> None:
        """Raise ValueError unless the parameters are in range."""

    def check_samples(self, target: Target, columns: np.ndarray) -> None:
        """Raise ValueError when these samples cannot be resampled in this way.

        Parameters
        ----------
        target : Target
            The configuration of interest.
        columns : ndarray of shape (n_columns,) of int
            Configurations that are scored on the resamples.
        """

    def why_no_bound(self, target: Target, strata: Strata) -> str | None:
        """Tell why there can be no bound, before the search; None when there can.

        Parameters
        ----------
        target : Target
            The configuration of interest.
        strata : Strata
            What is resampled.
        """
        return lonely_class(target, strata)

    def scores(self, kernel: BoundKernel, columns: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Scores of some configurations on resamples.

        Parameters
        ----------
        kernel : BoundKernel
            Metric bound to predictions.
        columns : ndarray of shape (n_columns,) of int
            Configurations.
        counts : ndarray of shape (n_draws, n_samples) of int
            How often each sample was drawn.

        Returns
        -------
        ndarray of shape (n_draws, n_columns)
            Scores, NaN where undefined.
        """
        if len(columns) == 1:
            return kernel.score_of(counts, np.full(len(counts), columns[0]))[:, None]
        return kernel.scores(counts)[:, columns]

    def influence(self, target: Target, strata: Strata, n_bootstraps: int) -> np.ndarray | None:
        """Influence values of the samples.

        Parameters
        ----------
        target : Target
            The configuration of interest.
        strata : Strata
            What is resampled.
        n_bootstraps : int
            Number of resamples.

        Returns
        -------
        ndarray of shape (n,) or None
            None leaves it to `influence_from_draws`.
        """
        return influence(target.oof, target.kernel, target.config, strata)

    def influence_from_draws(
        self, scores: np.ndarray, counts: np.ndarray, strata: Strata
    ) -> np.ndarray:
        """Influence values from the resamples themselves, where `influence` gives None.

        Parameters
        ----------
        scores : ndarray of shape (n_draws,)
            Score of each resample.
        counts : ndarray of shape (n_draws, n)
            How often each sample was drawn.
        strata : Strata
            What is resampled.

        Returns
        -------
        ndarray of shape (n,)
            Centred within each stratum.
        """
        raise NotImplementedError

    def tilt(self, influence_values: np.ndarray, strata: Strata) -> Tilt:
        """Make the family of tilted distributions.

        Parameters
        ----------
        influence_values : ndarray of shape (n,)
            Influence of each sample on the score.
        strata : Strata
            What is resampled.
        """
        return Tilt.by_influence(influence_values, strata)

    def probability(
        self, method: BootstrapInterval, above: np.ndarray, log_ratios: np.ndarray
    ) -> np.ndarray:
        """Probability under tilted distributions of a score above the observed one.

        Parameters
        ----------
        method : BootstrapInterval
            Method that asks.
        above : ndarray of shape (n_draws,)
            1 for each resample with a score above the observed one, else 0 (equal scores may
            count one half).
        log_ratios : ndarray of shape (n_taus, n_draws)
            Log likelihood ratios, tilted against observed distribution.

        Returns
        -------
        ndarray of shape (n_taus,)
            Probabilities, up to Monte-Carlo error.
        """
        # Ratios of resamples above the observed score are small where it matters, so their plain
        # mean is more precise than one divided by the mean of all ratios.
        return mean_over(above, log_ratios)

    def complement(
        self, method: BootstrapInterval, above: np.ndarray, log_ratios: np.ndarray
    ) -> np.ndarray:
        """One minus `probability`, of which it takes the parameters.

        Parameters
        ----------
        method : BootstrapInterval
            Method that asks.
        above : ndarray of shape (n_draws,)
            As in `probability`.
        log_ratios : ndarray of shape (n_taus, n_draws)
            As in `probability`.

        Returns
        -------
        ndarray of shape (n_taus,)
            Probabilities, up to Monte-Carlo error.
        """
        return 1 - mean_over(above, log_ratios)

    def root(
        self,
        method: BootstrapInterval,
        target: Target,
        tilt: Tilt,
        scores: np.ndarray,
        observed: float,
        tail: Callable[[np.ndarray], np.ndarray],
        alpha: float,
    ) -> Root:
        """Search the member of the family at which the tail is `alpha`.

        Parameters
        ----------
        method : BootstrapInterval
            Method that asks.
        target : Target
            The configuration of interest.
        tilt : Tilt
            The family.
        scores : ndarray of shape (n_draws,)
            Scores of the configuration on the resamples.
        observed : float
            Its score on the samples themselves.
        tail : callable
            Probability of a score above the observed one for each of several members.
        alpha : float
            Error rate.

        Returns
        -------
        Root
            The member, or the reason why there is none.
        """
        if (share_above(scores, observed) == 0.5).all():
            # Influence values are rounding errors then (a regression never gives exact
            # zeros), which a grid in units of their spread would take for real.
            return Root(reason=NOTHING_TO_TILT)
        grid = -np.linspace(0, REACH * tilt.unit, N_STEPS + 1)
        return largest_root(tail, alpha, grid, tolerance=1e-6 * tilt.unit)

    def bound(
        self, method: BootstrapInterval, target: Target, tilt: Tilt, tau: float, entropy: int
    ) -> float:
        """Score of the configuration under a tilted distribution.

        Parameters
        ----------
        method : BootstrapInterval
            Method that asks.
        target : Target
            The configuration of interest.
        tilt : Tilt
            The family.
        tau : float
            Its member.
        entropy : int
            Seed of the method.
        """
        weighted = tilt.strata.expand(tilt.weights(tau)[None], target.oof.n_samples)
        return float(target.kernel.score_of(weighted, np.array([target.config]))[0])


def lonely_class(target: Target, strata: Strata) -> str | None:
    """Why resamples that hold each class cannot show the spread; None when they can."""
    if len(strata.size) > 1 and strata.size.min() == 1:
        sample = strata.sample[np.flatnonzero(strata.code == int(strata.size.argmin()))[0]]
        label = np.asarray(target.oof.y_true)[sample]
        return f"class {label} has a single sample, which resamples within classes cannot vary"
    needed, names = needed_strata(target.oof, target.kernel)
    if needed is None:
        return None
    sizes = needed[:, strata.sample].sum(axis=1)
    alone = [name for name, size in zip(names, sizes, strict=True) if size == 1]
    if not alone:
        return None
    return f"{alone[0]} has a single sample, which every resample needs and so cannot leave out"
