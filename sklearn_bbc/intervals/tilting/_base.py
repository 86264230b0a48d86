"""What the two tilting methods share: resamples, both sides, fallbacks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import clone

from ..._warn import warn_user
from ...exceptions import IntervalWarning, UndefinedIntervalError
from ...metrics import BoundKernel
from ...predictions import OOFPredictions
from ...predictions._subset import part_of
from ...resampling import IID, Stratified
from ...resampling._draws import Draws
from ...results import ConfidenceInterval
from .._base import BaseInterval, BootstrapInterval
from ..single._base import OneConfigInterval, Target
from ..single._replicate import needed_strata
from ._steps import NOTHING_TO_TILT, TiltingSteps
from ._tilt import MIN_ESS, Root, Strata, Tilt, effective_size


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
        tilt = replace(self.tilt, direction=-self.tilt.direction)
        return Resamples(-self.scores, -self.observed, self.column, tilt, -self.projections)


class TiltedInterval(BootstrapInterval, OneConfigInterval):
    """Base of the methods that tilt the observed distribution."""

    requires = frozenset({"predictions", "ungrouped"})

    fallback: BaseInterval | None
    replicate: TiltingSteps | None

    @property
    def _steps(self) -> TiltingSteps:
        """How to go about it; published code does some steps differently."""
        return TiltingSteps() if self.replicate is None else self.replicate

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
        if not isinstance(self.replicate, TiltingSteps):
            raise ValueError(
                f"replicate must be PublishedTilting() or None, got {self.replicate!r}."
            )
        self.replicate.validate()

    def _estimate(self, oof: OOFPredictions, kernel: BoundKernel) -> ConfidenceInterval:
        entropy = self._entropy()
        target = self._target(oof, kernel, entropy)
        self._check_takes_weights(target)
        estimate = target.estimate  # an error where there is nothing to tilt
        resamples, n_redrawn = self._resample(target, entropy)
        alone = self._steps.why_no_bound(target, resamples.tilt.strata)
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
            bounds[side] = self._steps.bound(self, target, problem.tilt, root.tau, entropy)
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
        steps = self._steps
        exact = steps.influence(target, strata, self.n_bootstraps)
        tilt = None if exact is None else steps.tilt(exact, strata)
        steps.check_samples(target, columns)

        def score(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            scores = steps.scores(kernel, columns, strata.expand(counts, n_samples))
            return scores, counts if tilt is None else counts @ tilt.direction

        scores, second = draws.map(score)
        defined = ~np.isnan(scores).any(axis=1)
        self._count_undefined(np.where(defined, 0.0, np.nan), kernel.metric)
        scores, second = scores[defined], second[defined]
        column = int(np.flatnonzero(columns == target.config)[0])
        if tilt is None:
            fitted = steps.influence_from_draws(scores[:, column], second, strata)
            tilt = steps.tilt(fitted, strata)
            second = second @ tilt.direction
        observed = kernel.on_data()[columns]
        return Resamples(scores, observed, column, tilt, second), draws.n_redrawn

    def _root(self, resamples: Resamples, alpha: float, target: Target) -> Root:
        if not np.isfinite(resamples.tilt.unit):
            return Root(reason=NOTHING_TO_TILT)
        above = self._above(resamples)

        def tail(taus: np.ndarray) -> np.ndarray:
            return above(resamples.tilt.log_ratios(taus, resamples.projections))

        own = resamples.scores[:, resamples.column], resamples.observed[resamples.column]
        return self._steps.root(self, target, resamples.tilt, *own, tail, alpha)

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
