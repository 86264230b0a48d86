"""Scales on which the spread of a score does not depend on the score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Any

import numpy as np
from scipy.stats import norm
from sklearn.base import BaseEstimator

from ..metrics._bound import BoundKernel
from ..metrics._by_fold import place_among_distinct
from ..predictions._predictions import OOFPredictions
from ..resampling import Units
from ..results._results import ConfidenceInterval
from ..selection._base import Selection, as_selection
from ._base import OF_TUNING, BootstrapInterval
from ._bbc import check_scored, rule_details, scores_of_draws
from ._notes import pooled_score, pooling_note, told_outside, winner_of

TINY = 1e-12
"""Smallest slope and distance that are told apart from zero."""


class Scale(BaseEstimator, ABC):
    """Base of the variance-stabilising scales.

    A subclass maps scores to the scale (`forward`, increasing) and back, tells the slope of
    the way back, and in `domain` which scores it takes.

    Examples
    --------
    >>> from sklearn_bbc.intervals import Arcsine, Identity, LogDistance, Scale
    >>> [issubclass(cls, Scale) for cls in (Arcsine, LogDistance, Identity)]
    [True, True, True]
    """

    @property
    def domain(self) -> tuple[float, float]:
        """Smallest and largest score that the scale takes."""
        return -np.inf, np.inf

    def check(
        self,
        scores: np.ndarray,
        metric: str,
        bounds: tuple[float, float] = (-np.inf, np.inf),
    ) -> None:
        """Raise unless a metric stays within `domain`.

        Parameters
        ----------
        scores : array-like of float
            Scores; NaN is left out.
        metric : str
            Name of the metric.
        bounds : tuple of float, default=(-inf, inf)
            Smallest and largest score of the metric, infinite where not known.

        Raises
        ------
        ValueError
            If some score, or a finite end of the metric's range, lies outside.
        """
        low, high = self.domain
        if not low < high:
            raise ValueError(f"scale={self!r} must have a smaller low than high.")
        known = [*bounds, *np.ravel(scores)]
        found = np.array([value for value in known if np.isfinite(value)])
        outside = found[(found < low - TINY) | (found > high + TINY)]
        if len(outside):
            raise ValueError(
                f"scale={self!r} takes scores from {low:g} to {high:g}, but {metric} can be "
                f"{outside[0]:g}. Losses are negative in scorer orientation. Give "
                "Arcsine(low, high) with the ends of the metric's range, LogDistance(best) with "
                "its best score, or Identity()."
            )

    @abstractmethod
    def forward(self, scores: np.ndarray) -> np.ndarray:
        """From scores to the scale.

        Parameters
        ----------
        scores : array-like of float
            Scores, greater is better.

        Returns
        -------
        ndarray of the same shape
            Finite values, rising with the score.
        """

    @abstractmethod
    def backward(self, values: np.ndarray) -> np.ndarray:
        """From the scale to scores.

        Parameters
        ----------
        values : array-like of float
            Values on the scale; those beyond its ends give the extreme scores.

        Returns
        -------
        ndarray of the same shape
            Scores.
        """

    @abstractmethod
    def slope(self, scores: np.ndarray) -> np.ndarray:
        """Change of the score per unit of the scale.

        Parameters
        ----------
        scores : array-like of float
            Scores, greater is better.

        Returns
        -------
        ndarray of the same shape
            At least 0.
        """

    def least_error(self, n_units: int) -> float:
        """Smallest standard error on the scale that is believed.

        Parameters
        ----------
        n_units : int
            Number of independent samples.

        Returns
        -------
        float
            0 unless the scale knows better.
        """
        return 0.0


class Arcsine(Scale):
    """Arcsine of the root, for scores between two bounds: areas, accuracies, F1.

    Parameters
    ----------
    low, high : float, default=0.0 and 1.0
        Smallest and largest score.

    Examples
    --------
    >>> from sklearn_bbc.intervals import Arcsine
    >>> scale = Arcsine()
    >>> float(round(scale.forward(0.5), 4)), float(round(scale.backward(0.7854), 4))
    (0.7854, 0.5)
    """

    def __init__(self, low: float = 0.0, high: float = 1.0) -> None:
        self.low = low
        self.high = high

    @property
    def domain(self) -> tuple[float, float]:
        """From `low` to `high`."""
        return self.low, self.high

    def forward(self, scores: np.ndarray) -> np.ndarray:
        """From scores to the arcsine of the root of their place between the bounds.

        Parameters
        ----------
        scores : array-like of float
            Scores.

        Returns
        -------
        ndarray of the same shape
            Between 0 and pi / 2.
        """
        return np.arcsin(np.sqrt(self._place(scores)))

    def backward(self, values: np.ndarray) -> np.ndarray:
        """From the scale to scores.

        Parameters
        ----------
        values : array-like of float
            Values; cut at 0 and pi / 2.

        Returns
        -------
        ndarray of the same shape
            Scores.
        """
        place = np.sin(np.clip(values, 0, np.pi / 2)) ** 2
        return self.low + (self.high - self.low) * place

    def slope(self, scores: np.ndarray) -> np.ndarray:
        """Change of the score per unit of the scale.

        Parameters
        ----------
        scores : array-like of float
            Scores.

        Returns
        -------
        ndarray of the same shape
            Twice the standard deviation of a proportion, in units of the range.
        """
        place = self._place(scores)
        return 2 * (self.high - self.low) * np.sqrt(place * (1 - place))

    def least_error(self, n_units: int) -> float:
        """Standard error of a proportion on this scale, whatever the proportion is.

        Parameters
        ----------
        n_units : int
            Number of independent samples.

        Returns
        -------
        float
            ``1 / (2 * sqrt(n_units))``.
        """
        return 0.5 / float(np.sqrt(n_units))

    def _place(self, scores: np.ndarray) -> np.ndarray:
        return np.clip((np.asarray(scores) - self.low) / (self.high - self.low), 0, 1)


class LogDistance(Scale):
    """Minus the logarithm of the distance from the best score, for losses and R2.

    Parameters
    ----------
    best : float, default=0.0
        Best possible score: 0 for a negative loss, 1 for R2.

    Examples
    --------
    >>> from sklearn_bbc.intervals import LogDistance
    >>> float(round(LogDistance().forward(-0.5), 4)), float(LogDistance(1.0).backward(0.0))
    (0.6931, 0.0)
    """

    def __init__(self, best: float = 0.0) -> None:
        self.best = best

    @property
    def domain(self) -> tuple[float, float]:
        """Everything up to `best`."""
        return -np.inf, self.best

    def forward(self, scores: np.ndarray) -> np.ndarray:
        """From scores to minus the logarithm of their distance from the best.

        Parameters
        ----------
        scores : array-like of float
            Scores.

        Returns
        -------
        ndarray of the same shape
            Finite: a distance of 0 counts as 1e-12.
        """
        return -np.log(np.maximum(self.best - np.asarray(scores), TINY))

    def backward(self, values: np.ndarray) -> np.ndarray:
        """From the scale to scores.

        Parameters
        ----------
        values : array-like of float
            Values.

        Returns
        -------
        ndarray of the same shape
            Scores.
        """
        with np.errstate(over="ignore"):  # beyond all numbers is minus infinity
            distance = np.exp(-np.asarray(values, dtype=float))
        # What `forward` took for a perfect score is one again.
        return self.best - np.where(distance > TINY * (1 + 1e-9), distance, 0.0)

    def slope(self, scores: np.ndarray) -> np.ndarray:
        """Change of the score per unit of the scale.

        Parameters
        ----------
        scores : array-like of float
            Scores.

        Returns
        -------
        ndarray of the same shape
            The distance itself.
        """
        return np.maximum(self.best - np.asarray(scores), 0)


class Identity(Scale):
    """The score itself.

    Examples
    --------
    >>> from sklearn_bbc.intervals import Identity
    >>> float(Identity().forward(3.0))
    3.0
    """

    def forward(self, scores: np.ndarray) -> np.ndarray:
        """Scores as they are.

        Parameters
        ----------
        scores : array-like of float
            Scores.

        Returns
        -------
        ndarray of the same shape
            Scores.
        """
        return np.asarray(scores, dtype=float)

    def backward(self, values: np.ndarray) -> np.ndarray:
        """Values as they are.

        Parameters
        ----------
        values : array-like of float
            Values.

        Returns
        -------
        ndarray of the same shape
            Values.
        """
        return np.asarray(values, dtype=float)

    def slope(self, scores: np.ndarray) -> np.ndarray:
        """One everywhere.

        Parameters
        ----------
        scores : array-like of float
            Scores.

        Returns
        -------
        ndarray of the same shape
            Ones.
        """
        return np.ones_like(np.asarray(scores, dtype=float))


def scale_for(bounds: tuple[float, float]) -> Scale | None:
    """Scale for scores within `bounds`; None where nothing is known about their spread."""
    low, high = bounds
    if not np.isfinite(high):
        return None
    if high == 0 or not np.isfinite(low):
        return LogDistance(high)
    return Arcsine(low, high)


SPREAD_DRAWS = 512
"""Draws on which all configurations are scored, to learn how their scores vary together."""


class RescaledBBC(BootstrapInterval):
    """BBC with a shorter interval around the same estimate (experimental).

    An out-of-bag score uses about 0.37 of the samples, so it spreads 1.31 times as much as
    a score on all of them, and `BBC` covers more often than promised. Here the distance of
    its bounds from the estimate is shortened, the more so the less the configurations that
    compete for the first place depend on each other, and never below what one
    configuration's own standard error asks for.

    Parameters
    ----------
    scale : Scale, default=None
        Scale on which distances are measured, see Notes. None chooses it by the range of
        the metric; give one for metrics whose range is not known.
    n_bootstraps : int, default=2000
        Number of draws, at least 20.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, ``"less"`` only the upper one.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws. Inside a search, None takes the search's own seed.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.
    selection : Selection, default=None
        Rule by which tuning selects, repeated in every draw. None is `BestScore`; others
        must select one configuration and report its score by the metric.

    Raises
    ------
    ValueError
        If the range of the metric is not known and no `scale` is given, or if scores lie
        outside what `scale` takes.

    See Also
    --------
    BBC : The published interval, with the same estimate.
    Arcsine, LogDistance, Identity : The scales.

    Notes
    -----
    **Experimental**: a heuristic that was tuned and tried on simulated and real data, not
    derived. With the scale g, the estimate m and the quantile q of the out-of-bag scores,
    the lower bound is at distance ``max(sqrt((1 + rho) / 2) * (g(m) - g(q)), z * s)`` below
    g(m). Here rho is the mean correlation of the configurations' in-bag scores over the
    draws, weighted by how often each wins (1 when only one does), z a normal quantile, and
    s the pooled in-bag standard error of a configuration on the scale: at least that of a
    proportion for the arcsine, at least that of the configurations that win for the other
    scales. rho and s are taken from the first 512 draws. The upper bound
    is the larger of the mirror image and the winner's own score plus ``z * s`` on the scale:
    the mirror image alone can be far too low.

    Scales: the arcsine of the root for scores between two bounds, minus the logarithm for
    losses, ``-log(1 - R2)`` for R2.

    On 136 settings that took no part in choosing it, one-sided at 95%, mean coverage was
    0.966 (BBC 0.967) with 0.84 of BBC's distance from the estimate: 0.91 for areas, 0.86 for
    accuracies. Known limits: log loss gains nothing (0.98); near-perfect scores of about 50
    samples are covered too rarely, by BBC as well.

    `details` of the result: those of `BBC` (``winner``, ``winner_by``, ``winner_share``,
    ``won``, ``n_redrawn``, ``n_lacking_class``, ``n_undefined``, ``median``, ``unit``,
    ``n_untested``, ``n_configs``, ``n_valid``, ``pooled_score``, ``kernel``, ``response``,
    ``seed``, ``notes``), and ``rho``, ``factor`` (what distances are multiplied by),
    ``standard_error`` (s, on the scale), ``scale``, ``bbc`` (the bounds of `BBC`, None for a
    side that is open). Time as `BBC`, plus O(512 * n_samples * n_configs).

    References
    ----------
    .. [1] I. Tsamardinos, E. Greasidou, G. Borboudakis, "Bootstrapping the
       out-of-sample predictions for efficient and accurate cross-validation",
       Machine Learning 107, 1895-1922 (2018). :doi:`10.1007/s10994-018-5714-4`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import BBC, RescaledBBC
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 50)
    >>> scores = rng.normal(size=(100, 20)) + y[:, None]
    >>> oof = OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(100) // 10)
    >>> bbc, rescaled = (method(random_state=0).estimate(oof, "roc_auc")
    ...                  for method in (BBC, RescaledBBC))
    >>> rescaled.estimate == bbc.estimate, rescaled.low > bbc.low
    (True, True)
    """

    name = "rescaled_bbc"
    estimand = OF_TUNING
    meant_for = "trials of a narrower interval for the winner of a search; experimental"
    cost = "as BBC, plus all scores in-bag of 512 draws"
    limits = "experimental; near-perfect scores at about 50 samples; gains nothing for log loss"

    def __init__(
        self,
        *,
        scale: Scale | None = None,
        n_bootstraps: int = 2000,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
        random_state: Any = None,
        n_jobs: int | None = None,
        selection: Selection | None = None,
    ) -> None:
        self.scale = scale
        self.n_bootstraps = n_bootstraps
        self.confidence_level = confidence_level
        self.alternative = alternative
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.selection = selection

    def _validate(self) -> None:
        super()._validate()
        if self.scale is not None and not isinstance(self.scale, Scale):
            raise ValueError(
                f"scale must be a Scale such as Arcsine(0, 1) or None, got {self.scale!r}."
            )
        as_selection(self.selection)

    def _estimate(self, oof: OOFPredictions, kernel: BoundKernel) -> ConfidenceInterval:
        scale = scale_for(kernel.metric.bounds) if self.scale is None else self.scale
        if scale is None:
            raise ValueError(
                "RescaledBBC chooses its scale by the range of the metric, but that of "
                f"{kernel.metric.name} is {kernel.metric.bounds}. Give scale=Arcsine(low, high) "
                "for scores between two bounds, LogDistance(best) for losses, or Identity()."
            )
        rule = as_selection(self.selection).bind(oof, kernel)
        draws = self._draws(oof, kernel, rule.selecting)
        check_scored(oof, kernel, winner_of(oof, rule))
        if not rule.of_configurations:
            raise ValueError(
                "RescaledBBC learns from the scores of fixed configurations how much it can "
                f"shorten; {self.selection!r} reports the score of something else. Use BBC."
            )
        on_all = kernel.on_data()[kernel.distinct]
        scale.check(on_all, kernel.metric.name, kernel.metric.bounds)
        few = copy(draws)
        few.n_draws = min(draws.n_draws, SPREAD_DRAWS)
        distinct = kernel.distinct
        in_bag = few.map(lambda counts: kernel.scores(counts)[:, distinct])  # (n, n_distinct)

        scores, outcome = scores_of_draws(rule, draws)
        winners = outcome["config"]
        bbc = self._from_draws(scores, kernel.metric, n_bootstraps=self.n_bootstraps)
        scale.check(scores, kernel.metric.name)
        # A rule may select any of several equal configurations; the kernel keeps the first.
        won = np.bincount(
            place_among_distinct(kernel, winners[winners >= 0]), minlength=len(distinct)
        )
        best = rule.score_on_all()
        defined = ~np.isnan(in_bag).any(axis=1)
        in_bag = in_bag[defined]
        rho = contender_correlation(in_bag, won)
        slope = scale.slope(on_all)
        # Where nothing is known about the least error, those that win have a say of their own.
        least = scale.least_error(Units.of(oof).n_units) or pooled_error(in_bag, won, slope)
        error = max(pooled_error(in_bag, np.ones(len(won)), slope), least)
        low, high = self._bounds(bbc, scale, rho, error, best=best)
        details = rule_details(oof, kernel, rule, outcome)
        details["pooled_score"] = pooled_score(kernel, details["winner"])
        pooling = pooling_note(oof, kernel, details["winner"])
        if pooling is not None:
            details["notes"].append(pooling)
        details = {
            **details,
            **bbc.details,
            **self._draw_details(oof, kernel, draws, details["notes"], rule.selecting),
            "seed": draws.entropy,
            "rho": rho,
            "factor": float(np.sqrt((1 + rho) / 2)),
            "standard_error": error,
            "scale": repr(scale),
            "bbc": (
                None if self.alternative == "less" else bbc.low,
                None if self.alternative == "greater" else bbc.high,
            ),
        }
        details["notes"] = ["RescaledBBC is experimental.", *details["notes"]]
        result = self._result(
            kernel.metric, bbc.estimate, low, high, details=details,
            n_bootstraps=bbc.n_bootstraps, draws=bbc.draws,
        )  # fmt: skip
        return told_outside(result)

    def _bounds(
        self, bbc: ConfidenceInterval, scale: Scale, rho: float, error: float, best: float
    ) -> tuple[float, float]:
        """Shortened bounds; `best` is the best score on all samples."""
        centre = scale.forward(np.array(bbc.estimate))
        factor = np.sqrt((1 + rho) / 2)
        reach = norm.ppf(1 - self._tail()) * error
        low, high = np.nan, np.nan
        if self.alternative != "less":
            below = factor * (centre - scale.forward(np.array(bbc.low)))
            low = float(scale.backward(centre - np.maximum(below, reach)))
        if self.alternative != "greater":
            above = factor * (scale.forward(np.array(bbc.high)) - centre)
            mirrored = centre + np.maximum(above, reach)
            of_winner = scale.forward(np.array(best)) + reach
            high = float(scale.backward(np.maximum(mirrored, of_winner)))
        return (bbc.low if self.alternative == "less" else low), (
            bbc.high if self.alternative == "greater" else high
        )


def contender_correlation(scores: np.ndarray, share: np.ndarray) -> float:
    """Mean correlation of the scores of two configurations that win now and then.

    `scores` (n_draws, n_configs), `share` (n_configs,).
    """
    centred = scores - scores.mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    varies = length > 1e-7 * np.sqrt(len(scores))
    weight = share * varies
    if not weight.any():
        return 1.0
    weight = weight / weight.sum()
    with_itself = float((weight**2).sum())
    if 1 - with_itself < 1e-6:
        return 1.0
    directions = centred[:, varies] / length[varies]
    total = float(((directions @ weight[varies]) ** 2).sum())
    return float(np.clip((total - with_itself) / (1 - with_itself), 0, 1))


def pooled_error(scores: np.ndarray, weight: np.ndarray, slope: np.ndarray) -> float:
    """Standard error of a configuration's score on the scale, pooled over configurations.

    `scores` (n_draws, n_configs), `weight` (n_configs,), `slope` (n_configs,).
    """
    squared_slope = float((weight * slope**2).sum())
    variance = float((weight * scores.var(axis=0, ddof=1)).sum())
    return float(np.sqrt(variance / squared_slope)) if squared_slope > 0 else 0.0
