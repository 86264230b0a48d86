"""What the two tilting methods share: resamples, both sides, fallbacks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.base import clone

from ..._warn import warn_user
from ...exceptions import IntervalWarning, UndefinedIntervalError
from ...metrics import BoundKernel
from ...predictions import OOFPredictions
from ...predictions._subset import part_of
from ...resampling import IID, Draws, Stratified
from ...results import ConfidenceInterval
from .._base import BaseInterval, BootstrapInterval
from .._replicate import needed_strata
from ..single._base import OneConfigInterval, Target
from ._proc_direction import turned_in_draws
from ._published_tilting import NO_DEVIATION, PublishedTilting
from ._tilt import (
    MIN_ESS,
    N_STEPS,
    REACH,
    Root,
    Strata,
    Tilt,
    effective_size,
    influence,
    largest_root,
    regression_influence,
    share_above,
)

_STREAM = 0x54494C54
"""Keeps resamples from a tilted distribution apart from the bootstrap blocks."""


@dataclass(frozen=True, eq=False)
class Resamples:
    """Ordinary resamples, and the tilted distributions of one configuration.

    Attributes
    ----------
    scores : ndarray of shape (n_draws, n_columns)
        Scores of the configurations that matter.
    observed : ndarray of shape (n_columns,)
        Their scores on the samples themselves.
    column : int
        The configuration of interest.
    tilt : Tilt
        Distributions; positive `tau` raises its score.
    projections : ndarray of shape (n_draws,)
        What the likelihood ratio of each resample depends on.
    """

    scores: np.ndarray
    observed: np.ndarray
    column: int
    tilt: Tilt
    projections: np.ndarray

    def mirrored(self) -> Resamples:
        """The same with the sign of every score reversed."""
        tilt = Tilt(-self.tilt.direction, self.tilt.strata, self.tilt.within)
        return Resamples(-self.scores, -self.observed, self.column, tilt, -self.projections)


class TiltedInterval(BootstrapInterval, OneConfigInterval):
    """Base of the methods that tilt the observed distribution.

    Attributes
    ----------
    published_step : float
        Step of the published root search.
    published_self_normalised : bool
        Whether published code divides by the sum of all likelihood ratios.
    """

    requires = frozenset({"predictions", "ungrouped"})
    published_step: ClassVar[float]
    published_self_normalised: ClassVar[bool]

    fallback: BaseInterval | None
    replicate: PublishedTilting | None

    @property
    def _deviations(self) -> PublishedTilting:
        """What to do differently, as published code does."""
        return NO_DEVIATION if self.replicate is None else self.replicate

    @property
    def _self_normalised(self) -> bool:
        """Whether probabilities are divided by the sum of all likelihood ratios."""
        chosen = self._deviations.self_normalised
        return self.published_self_normalised if chosen is None else chosen

    @abstractmethod
    def _columns(self, target: Target) -> np.ndarray:
        """Configurations to resample, counted in the target's predictions."""

    @abstractmethod
    def _level(self, target: Target) -> float:
        """Confidence level of the tilt."""

    @abstractmethod
    def _above(self, resamples: Resamples) -> Callable[[np.ndarray], np.ndarray]:
        """Make the function that tells how probable a score above the observed one is.

        Parameters
        ----------
        resamples : Resamples
            Resamples from the observed distribution.

        Returns
        -------
        callable
            From log likelihood ratios, tilted against observed, of shape (n_taus, n_draws)
            to probabilities under the tilted distributions of shape (n_taus,), which are
            between 0 and 1 up to Monte-Carlo error.
        """

    def _validate(self) -> None:
        super()._validate()
        if self.fallback is not None and (
            not isinstance(self.fallback, BaseInterval)
            or isinstance(self.fallback, TiltedInterval)
        ):
            raise ValueError(
                "fallback must be None or an interval method that does not tilt, such as "
                f"DeLong(), got {self.fallback!r}."
            )
        if self.replicate is None:
            return
        if not isinstance(self.replicate, PublishedTilting):
            raise ValueError(
                f"replicate must be PublishedTilting() or None, got {self.replicate!r}."
            )
        self.replicate._validate()

    def _estimate(self, oof: OOFPredictions, kernel: BoundKernel) -> ConfidenceInterval:
        entropy = self._entropy()
        target = self._target(oof, kernel, entropy)
        self._check_takes_weights(target)
        estimate = target.estimate  # an error where there is nothing to tilt
        resamples, n_redrawn = self._resample(target, entropy)
        # The published search has a rule of its own for when there is a bound.
        coarse = self._deviations.coarse_search
        alone = None if coarse else _lonely_class(target, resamples.tilt.strata)
        alpha = self._tail(self._level(target))
        sides = {"low": resamples, "high": resamples.mirrored()}
        if self.alternative != "two-sided":
            del sides["high" if self.alternative == "greater" else "low"]
        bounds, taus, sizes, reasons = {}, {}, {}, {}
        for side, problem in sides.items():
            root = self._root(problem, alpha, target) if alone is None else Root(reason=alone)
            taus[side] = root.tau
            if root.reason:
                bounds[side], sizes[side], reasons[side] = np.nan, np.nan, root.reason
                continue
            ratios = problem.tilt.log_ratios(np.array([root.tau]), problem.projections)[0]
            sizes[side] = effective_size(ratios)
            bounds[side] = self._score_under(problem.tilt, root.tau, target, entropy)
        if bounds.get("low", -np.inf) > bounds.get("high", np.inf):
            crossed = "the tilts of the two sides cross"
            bounds, reasons = dict.fromkeys(bounds, np.nan), dict.fromkeys(bounds, crossed)
        details = {**target.details, "tau": taus, "ess": sizes, "seed": entropy}
        details |= {"n_bootstraps_used": len(resamples.scores), "n_redrawn": n_redrawn}
        self._report(details, sizes, reasons)
        if reasons and self.fallback is not None:
            bounds = self._fall_back(target, bounds, details)
        low, high = self._sided(
            bounds.get("low", np.nan), bounds.get("high", np.nan), target.kernel.metric.bounds
        )
        return self._result(
            target.kernel.metric,
            estimate,
            low,
            high,
            n_bootstraps=self.n_bootstraps,
            draws=resamples.scores[:, resamples.column],
            details=details,
            **self._names(target),
        )

    def _check_takes_weights(self, target: Target) -> None:
        """A metric without a kernel may know whole copies of samples only."""
        metric, halves = target.kernel.metric, np.full((1, target.oof.n_samples), 0.5)
        try:
            target.kernel.score_of(halves, np.array([target.config]))
        except ValueError as error:
            raise ValueError(
                f"{type(self).__name__} weighs the samples, but {metric.name} takes no weights. "
                "Give its function a sample_weight parameter, or use BBC."
            ) from error

    def _resample(self, target: Target, entropy: int) -> tuple[Resamples, int]:
        """Draws within classes or of all samples, and how many of them lacked a class."""
        kernel, strata = target.kernel, Strata.of(target.oof, target.kernel)
        n_samples, columns = target.oof.n_samples, self._columns(target)
        stratified = len(strata.size) > 1
        needed = None if stratified else needed_strata(target.oof, kernel)[0]
        draws = Draws(
            Stratified(strata.code) if stratified else IID(len(strata.code)),
            self.n_bootstraps,
            entropy,
            indicator=None if needed is None else needed[:, strata.sample].T,
            out_of_bag=False,
            bytes_per_draw=kernel.bytes_per_draw,
            n_jobs=self.n_jobs,
            prefer=kernel.prefers,
        )
        kernel.warn_if_slow(self.n_bootstraps * len(columns) + len(strata.code), self.n_jobs)
        by_regression = self._deviations.by_regression and not kernel.is_pointwise
        exact = None if by_regression else influence(target.oof, kernel, target.config, strata)
        if by_regression and self.n_bootstraps <= len(strata.code):
            raise ValueError(
                f"by_regression=True regresses the resamples on {len(strata.code)} samples and "
                f"needs more resamples than that, got n_bootstraps={self.n_bootstraps}. Draw "
                "more, or take by_regression=False."
            )
        tilt = None if exact is None else self._tilt(exact, strata)

        self._check_direction(target, columns)

        def score(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            scores = self._scores(kernel, columns, strata.expand(counts, n_samples))
            return scores, counts if tilt is None else counts @ tilt.direction

        scores, second = draws.map(score)
        defined = ~np.isnan(scores).any(axis=1)
        self._count_undefined(np.where(defined, 0.0, np.nan), kernel.metric)
        scores, second = scores[defined], second[defined]
        column = int(np.flatnonzero(columns == target.config)[0])
        if tilt is None:
            slopes = regression_influence(scores[:, column], second, strata)
            tilt = self._tilt(slopes, strata)
            second = second @ tilt.direction
        observed = kernel.on_data()[columns]
        return Resamples(scores, observed, column, tilt, second), draws.n_redrawn

    def _scores(self, kernel: BoundKernel, columns: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Scores of some configurations on resamples, shape (n_draws, n_columns)."""
        if len(columns) == 1:
            scores = kernel.score_of(counts, np.full(len(counts), columns[0]))[:, None]
        else:
            scores = kernel.scores(counts)[:, columns]
        if self._deviations.auto_direction:
            scores = np.where(turned_in_draws(kernel, columns, counts), 1 - scores, scores)
        return scores

    def _check_direction(self, target: Target, columns: np.ndarray) -> None:
        """Resamples can be turned only where the samples themselves are as they should be."""
        if not self._deviations.auto_direction:
            return
        kernel = target.kernel
        if kernel.family != "roc_auc":
            raise ValueError(
                "PublishedTilting(auto_direction=True) reverses scores of roc_auc of two classes, "
                f"got the metric {kernel.metric.name}. Leave it at False."
            )
        everything = np.ones((1, target.oof.n_samples), dtype=np.uint8)
        if turned_in_draws(kernel, columns, everything).any():
            raise ValueError(
                "PublishedTilting(auto_direction=True) reverses resamples, but already on the "
                "samples themselves the median of the negative ones is the larger one. Select "
                "with LearnEvaluate(auto_direction=True), or leave it at False."
            )

    def _tilt(self, influence_values: np.ndarray, strata: Strata) -> Tilt:
        if self._deviations.across_classes:
            return Tilt(influence_values, strata, within=False)
        return Tilt.by_influence(influence_values, strata)

    def _root(self, resamples: Resamples, alpha: float, target: Target) -> Root:
        tilt, coarse = resamples.tilt, self._deviations.coarse_search
        nothing_to_tilt = Root(reason="every sample moves the score alike, so no tilt changes it")
        if not np.isfinite(tilt.unit):
            return nothing_to_tilt
        if coarse:
            reach = 10 if target.kernel.is_pointwise else 20
            grid = -np.arange(0, reach + self.published_step / 2, self.published_step)
            tolerance = 1.2e-4
        else:
            scores, observed = resamples.scores[:, resamples.column], resamples.observed
            if (share_above(scores, observed[resamples.column]) == 0.5).all():
                # Influence values are rounding errors then (a regression never gives exact
                # zeros), which a grid in units of their spread would take for real.
                return nothing_to_tilt
            grid = -np.linspace(0, REACH * tilt.unit, N_STEPS + 1)
            tolerance = 1e-6 * tilt.unit

        above = self._above(resamples)
        return largest_root(
            lambda taus: above(tilt.log_ratios(taus, resamples.projections)),
            alpha,
            grid,
            coarse=coarse,
            tolerance=tolerance,
        )

    def _score_under(self, tilt: Tilt, tau: float, target: Target, entropy: int) -> float:
        """Score of the configuration under a tilted distribution."""
        kernel, strata, n_samples = target.kernel, tilt.strata, target.oof.n_samples
        weights = tilt.weights(tau)
        if self._deviations.resampled_bound and not kernel.is_pointwise:
            # The score with weights plus Monte-Carlo noise.
            rng = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(_STREAM,)))
            counts = np.zeros((self.n_bootstraps, len(weights)), dtype=np.int64)
            for k, size in enumerate(strata.size):
                inside = strata.code == k
                counts[:, inside] = rng.multinomial(
                    size, weights[inside] / weights[inside].sum(), size=self.n_bootstraps
                )
            column = np.array([target.config])
            return float(np.mean(self._scores(kernel, column, strata.expand(counts, n_samples))))
        weighted = strata.expand(weights[None], n_samples)
        return float(kernel.score_of(weighted, np.array([target.config]))[0])

    def _report(self, details: dict, sizes: dict[str, float], reasons: dict[str, str]) -> None:
        """Say which bounds rest on few resamples and which do not exist."""
        few = [f"{side} bound: {size:.0f}" for side, size in sizes.items() if size < MIN_ESS]
        if few:
            details["notes"].append(
                f"Few resamples carry the weight of the tilt ({', '.join(few)} effective ones, "
                f"fewer than {MIN_ESS}); more n_bootstraps help."
            )
        if reasons:
            text = "; ".join(f"no {side} bound: {reason}" for side, reason in reasons.items())
            details["reason"] = text
            details["notes"].append(text)
            if self.fallback is None:
                warn_user(f"{type(self).__name__}: {text}.", IntervalWarning)

    def _fall_back(self, target: Target, bounds: dict[str, float], details: dict) -> dict:
        """Bounds of another method on the same samples, where there are none."""
        method = clone(self.fallback)
        method.set_params(confidence_level=target.confidence_level, alternative=self.alternative)
        everything = np.ones(target.oof.n_samples, dtype=bool)
        alone = part_of(target.oof, everything, np.array([target.config]))
        try:
            other = method.estimate(alone, target.kernel.metric)
        except UndefinedIntervalError as error:
            details["notes"].append(f"The fallback failed too: {error}")
            return bounds
        missing = [side for side, bound in bounds.items() if np.isnan(bound)]
        details["fallback"] = {side: other.method for side in missing}
        return {**bounds, **{side: getattr(other, side) for side in missing}}


def _lonely_class(target: Target, strata: Strata) -> str | None:
    """Why resamples that hold each class cannot show the spread; None when they can."""
    if len(strata.size) > 1 and strata.size.min() == 1:
        sample = strata.sample[np.flatnonzero(strata.code == int(strata.size.argmin()))[0]]
        label = np.asarray(target.oof.y_true)[sample]
        return f"class {label} has a single sample, which resamples within classes cannot vary"
    needed, names = needed_strata(target.oof, target.kernel)
    if len(strata.size) > 1 or needed is None:
        return None
    sizes = needed[:, strata.sample].sum(axis=1)
    alone = [name for name, size in zip(names, sizes, strict=True) if size == 1]
    if not alone:
        return None
    return f"{alone[0]} has a single sample, which every resample needs and so cannot leave out"
