"""Bootstrap tilting: influence values, tilted distributions, the root search, two methods.

A tilted distribution keeps the samples but weighs sample i by ``exp(tau * g_i)``, where g
points in the direction in which the score rises fastest. A bound is the score under the
tilted distribution for which the observed score is just not too surprising. How surprising
it is comes from one set of ordinary resamples, reweighted by their likelihood ratio.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import logsumexp
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from .._utils import with_parameters
from .._warnings import warn_user
from ..contest._contest import Contest
from ..exceptions import IntervalWarning, UndefinedIntervalError
from ..metrics._metric import BoundMetric
from ..predictions._predictions import taken
from ..resampling import IID, Draws, Stratified, Units, entropy_of
from ..results._results import ConfidenceInterval
from ._auc import auc_parts_of
from ._base import BaseInterval, BootstrapInterval, count_undefined
from ._bootstrap import needed_strata, share_above
from ._learn_evaluate import LearnEvaluate
from ._single_base import OneConfigInterval, OneConfigTask

N_STEPS, REACH = 200, 10.0
"""Grid of the root search, in units of one standard error of the score."""
MIN_ESS = 50
"""Effective number of resamples below which a bound rests on a handful of them."""
NOTHING_TO_TILT = "every sample moves the score alike, so no tilt changes it"


class NoBound(Exception):
    """Error raised where there is no bound; its message explains why."""


@dataclass(frozen=True, eq=False)
class Strata:
    """Drawn samples, the stratum within which each is drawn, shape (n,), and sizes of strata."""

    sample: np.ndarray
    code: np.ndarray
    size: np.ndarray

    @classmethod
    def of(cls, kernel: BoundMetric) -> Strata:
        """Take each class as a stratum where the metric ignores class shares, else all samples.

        Samples without weight have no influence and are not drawn.
        """
        oof = kernel.oof
        drawn = oof.tested
        if oof.sample_weight is not None:
            drawn = drawn & (oof.sample_weight > 0)
        sample = np.flatnonzero(drawn)
        code = np.zeros(len(sample), dtype=np.intp)
        if kernel.conditions_on_class:
            code = np.unique(oof.y_true[sample], return_inverse=True)[1]
        return cls(sample, code, np.bincount(code))

    @cached_property
    def of_one_size(self) -> list[np.ndarray]:
        """Drawn samples of the strata of each size, arrays of shape (n_strata, size)."""
        order = np.argsort(self.code, kind="stable")
        start = np.cumsum(self.size) - self.size
        return [
            order[start[self.size == size][:, None] + np.arange(size)]
            for size in np.unique(self.size)
        ]

    def expand(self, values: np.ndarray, n_samples: int) -> np.ndarray:
        """Expand values per drawn sample to values per sample, 0 for the others."""
        if len(self.sample) == n_samples:
            return values
        expanded = np.zeros((len(values), n_samples), dtype=values.dtype)
        expanded[:, self.sample] = values
        return expanded

    def centred(self, values: np.ndarray) -> np.ndarray:
        """Subtract from each value the mean of its stratum."""
        return values - (np.bincount(self.code, values) / self.size)[self.code]


def influence(kernel: BoundMetric, config: int, strata: Strata) -> np.ndarray:
    """Compute the change of the score per unit of weight that each sample gains, shape (n,).

    Exact for means over samples and for the area under the ROC curve; otherwise the change when a
    sample is there twice, which needs whole numbers only, so it works with any metric.
    """
    oof = kernel.oof
    if kernel.metric.score_func is roc_auc_score and len(strata.size) == 2:
        parts = auc_parts_of(kernel, np.array([config]))
        units = Units.of(oof).of_sample[strata.sample]
        contribution = (parts.positive + parts.negative)[0, units]
        return strata.centred(contribution * strata.size[strata.code])
    row_weight = None if oof.sample_weight is None else oof.sample_weight[oof.sample]
    mass = np.bincount(oof.sample, row_weight)[strata.sample].astype(float)
    total = np.bincount(strata.code, mass)[strata.code]
    values = kernel.pointwise(config)
    if values is not None:
        values = values if row_weight is None else values * row_weight
        sums = np.bincount(oof.sample, values)[strata.sample]
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
    """Distributions that weigh sample i by ``exp(tau * direction_i)``, `direction` (n,)."""

    direction: np.ndarray
    strata: Strata

    @property
    def unit(self) -> float:
        """Change of `tau` that moves the score by about one standard error."""
        # Standard deviation of the log likelihood ratio of a resample at tau = 1.
        spread = float(np.sqrt((self.direction**2).sum()))
        return 1 / spread if spread > 0 else np.inf

    def weights(self, tau: float) -> np.ndarray:
        """Compute the weight of each sample, summing to the size of its stratum, shape (n,)."""
        exponent = tau * self.direction
        weights = np.exp(exponent - exponent.max())
        for inside in self.strata.of_one_size:
            weights[inside] /= weights[inside].mean(axis=1, keepdims=True)
        return weights

    def log_ratios(self, taus: np.ndarray, projections: np.ndarray) -> np.ndarray:
        """Compute log likelihood ratios of resamples, tilted against the observed distribution.

        `taus` (n_taus,), `projections` (n_draws,) -> (n_taus, n_draws).
        """
        exponents = taus[:, None] * self.direction  # (n_taus, n)
        return taus[:, None] * projections - self._log_norm(exponents)[:, None]

    def _log_norm(self, exponents: np.ndarray) -> np.ndarray:
        """Compute the log of the divisor by which weights sum to one per stratum, (n_taus,)."""
        norm = np.zeros(len(exponents))
        for inside in self.strata.of_one_size:
            n = inside.shape[1]
            sums = logsumexp(np.take(exponents, inside, axis=1), axis=2)  # (n_taus, n_strata)
            norm += n * (sums - np.log(n)).sum(axis=1)
        return norm


Tail = Callable[[np.ndarray], np.ndarray]
"""Probability of a score above the observed one under members `taus` (n_taus,) of the family."""


def largest_root(tail: Tail, alpha: float, grid: np.ndarray, *, tolerance: float) -> float:
    """Find the family member nearest to the observed distribution with a tail of `alpha`.

    The tail is computed on `grid` (n_taus,), then a bracket is halved.
    """
    tails = tail(grid)
    # What is equal but for rounding is not above alpha.
    enough = tails <= alpha * (1 + 1e-9)
    check_root(tails, enough, start=alpha, stop=alpha)
    first = int(np.flatnonzero(enough)[0])
    return bisected(tail, alpha, grid[first], grid[first - 1], tolerance)


def check_root(tails: np.ndarray, enough: np.ndarray, *, start: float, stop: float) -> None:
    """Raise NoBound where `tails` and `enough` (n_taus,) of a grid do not bracket a root."""
    if not tails[0] > start:
        raise NoBound(
            f"a score above the observed one has probability {tails[0]:.3g} even without "
            f"tilt, which is not above {start:.3g}"
        )
    if not enough.any():
        raise NoBound(
            "the probability of a score above the observed one does not fall below "
            f"{stop:.3g}, whatever the tilt"
        )


def bisected(tail: Tail, alpha: float, low: float, high: float, tolerance: float) -> float:
    """Halve a bracket until it is narrower than `tolerance`; its lower end is the root."""
    while high - low > tolerance:
        middle = (low + high) / 2
        low, high = (middle, high) if tail(np.array([middle]))[0] <= alpha else (low, middle)
    return float(low)


def mean_over(values: np.ndarray, log_ratios: np.ndarray) -> np.ndarray:
    """Average values per resample under each tilted distribution, shape (n_taus,)."""
    # Ratios of resamples above the observed score are small where it matters, so their plain
    # mean is more precise than one divided by the mean of all ratios.
    return np.exp(np.minimum(log_ratios, 700.0)) @ values / len(values)


def effective_size(log_ratios: np.ndarray) -> float:
    """Compute the number of equally weighted resamples that carry as much information."""
    return float(np.exp(2 * logsumexp(log_ratios) - logsumexp(2 * log_ratios)))


def check_not_lonely(target: OneConfigTask, strata: Strata) -> None:
    """Raise NoBound where a class has a single sample, which resamples cannot vary."""
    if len(strata.size) > 1 and strata.size.min() == 1:
        sample = strata.sample[np.flatnonzero(strata.code == int(strata.size.argmin()))[0]]
        label = np.asarray(target.oof.y_true)[sample]
        raise NoBound(
            f"class {label} has a single sample, which resamples within classes cannot vary"
        )
    needed, names = needed_strata(target.kernel)
    for name, members in zip(names, () if needed is None else needed, strict=False):
        if members[strata.sample].sum() == 1:
            raise NoBound(
                f"{name} has a single sample, which every resample needs and so cannot leave out"
            )


@dataclass(frozen=True, eq=False)
class Resamples:
    """Ordinary resamples, and the tilted distributions of one of the configurations.

    `scores` (n_draws, n_columns) are those of the configurations that matter, `observed`
    (n_columns,) their scores on the samples themselves, `column` is the one of interest, whose
    score rises with `tau`; likelihood ratios depend on `projections` (n_draws,).
    """

    scores: np.ndarray
    observed: np.ndarray
    column: int
    tilt: Tilt
    projections: np.ndarray

    @cached_property
    def above(self) -> np.ndarray:
        """1 for each resample that scores above the observed score, 1/2 for an equal one."""
        return share_above(self.scores[:, self.column], self.observed[self.column])

    def mirrored(self) -> Resamples:
        """Reverse the sign of every score."""
        tilt = replace(self.tilt, direction=-self.tilt.direction)
        return Resamples(-self.scores, -self.observed, self.column, tilt, -self.projections)


class TiltedInterval(BootstrapInterval, OneConfigInterval):
    """Base of the methods that tilt the observed distribution."""

    requires = frozenset({"predictions", "ungrouped"})

    fallback: BaseInterval | None
    _mean_over = staticmethod(mean_over)

    @abstractmethod
    def _columns(self, target: OneConfigTask) -> np.ndarray:
        """Choose the configurations to resample, counted in the target's predictions."""

    @abstractmethod
    def _level(self, target: OneConfigTask) -> float:
        """Return the confidence level of the tilt."""

    @abstractmethod
    def _above(self, resamples: Resamples) -> Tail:
        """Return a function from log likelihood ratios to the probability of a higher score.

        It takes (n_taus, n_draws) and gives (n_taus,), in [0, 1] up to Monte-Carlo error.
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

    def _estimate(self, contest: Contest) -> ConfidenceInterval:
        entropy = entropy_of(self.random_state)
        target = self._target(contest, entropy)
        self._check_takes_weights(target)
        estimate, metric = target.estimate, target.kernel.metric  # an error if nothing to tilt
        resamples, n_redrawn = self._resample(target, entropy)
        alpha = self._tail(self._level(target))
        sides = {"low": resamples, "high": resamples.mirrored()}
        if self.alternative != "two-sided":
            del sides["high" if self.alternative == "greater" else "low"]
        bounds, taus, sizes = (dict.fromkeys(sides, np.nan) for _ in range(3))
        reasons = {}
        for side, problem in sides.items():
            try:
                taus[side] = tau = self._root(target, problem, alpha)
            except NoBound as none:
                reasons[side] = str(none)
                continue
            ratios = problem.tilt.log_ratios(np.array([tau]), problem.projections)[0]
            sizes[side] = effective_size(ratios)
            bounds[side] = self._bound_at(target, problem.tilt, tau, entropy)
        if bounds.get("low", -np.inf) > bounds.get("high", np.inf):
            bounds = dict.fromkeys(bounds, np.nan)
            reasons = dict.fromkeys(bounds, "the tilts of the two sides cross")
        details = {**target.details, "tau": taus, "ess": sizes, "seed": entropy}
        details |= {"n_bootstraps_used": len(resamples.scores), "n_redrawn": n_redrawn}
        self._report(details, sizes, reasons)
        if reasons and self.fallback is not None:
            bounds = self._fall_back(target, bounds, details)
        low, high = (bounds.get(side, np.nan) for side in ("low", "high"))
        return self._result(
            metric, estimate, *self._sided(low, high, metric.bounds),
            n_bootstraps=self.n_bootstraps, draws=resamples.scores[:, resamples.column],
            details=details, **self._names(target),
        )  # fmt: skip

    def _check_takes_weights(self, target: OneConfigTask) -> None:
        """Raise where the metric takes whole copies of samples only, not weights."""
        metric, halves = target.kernel.metric, np.full((1, target.oof.n_samples), 0.5)
        try:
            target.kernel.score_of(halves, np.array([target.config]))
        except ValueError as error:
            raise ValueError(
                f"{type(self).__name__} weighs the samples, but {metric.name} takes no weights. "
                "Give its function a sample_weight parameter, or use BBC."
            ) from error

    def _resample(self, target: OneConfigTask, entropy: int) -> tuple[Resamples, int]:
        """Draw within classes or from all samples; count the draws that lacked a class."""
        kernel, strata = target.kernel, Strata.of(target.kernel)
        columns, stratified = self._columns(target), len(strata.size) > 1
        needed = None if stratified else needed_strata(kernel)[0]
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
        tilt = self._tilt(target, strata, draws)

        def score(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            expanded = strata.expand(counts, target.oof.n_samples)
            return self._scores(kernel, columns, expanded), counts @ tilt.direction

        scores, projections = draws.map(score)
        defined = ~np.isnan(scores).any(axis=1)
        count_undefined(self, np.where(defined, 0.0, np.nan), kernel.metric)
        column = int(np.flatnonzero(columns == target.config)[0])
        observed = kernel.on_data()[columns]
        resamples = Resamples(scores[defined], observed, column, tilt, projections[defined])
        return resamples, draws.n_redrawn

    def _scores(self, kernel: BoundMetric, columns: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Score some configurations on resamples, NaN where undefined.

        `columns` (n_columns,), `counts` (n_draws, n_samples) -> (n_draws, n_columns).
        """
        if len(columns) == 1:
            return kernel.score_of(counts, np.full(len(counts), columns[0]))[:, None]
        return kernel.scores(counts)[:, columns]

    def _tilt(self, target: OneConfigTask, strata: Strata, draws: Draws) -> Tilt:
        """Build the family of tilted distributions: the steepest direction for draws in strata."""
        values = influence(target.kernel, target.config, strata)
        return Tilt(values * (len(values) / strata.size[strata.code]), strata)

    def _tail_of(self, resamples: Resamples) -> Tail:
        """Return the probability of a score above the observed one as a function of `tau`."""
        if not np.isfinite(resamples.tilt.unit):
            raise NoBound(NOTHING_TO_TILT)
        above = self._above(resamples)
        return lambda taus: above(resamples.tilt.log_ratios(taus, resamples.projections))

    def _root(self, target: OneConfigTask, resamples: Resamples, alpha: float) -> float:
        """Find the member of the family at which the tail is `alpha`, or raise NoBound."""
        tilt = resamples.tilt
        check_not_lonely(target, tilt.strata)
        tail = self._tail_of(resamples)
        if (resamples.above == 0.5).all():
            # Influence values are rounding errors then (a regression never gives exact
            # zeros), which a grid in units of their spread would take for real.
            raise NoBound(NOTHING_TO_TILT)
        grid = -np.linspace(0, REACH * tilt.unit, N_STEPS + 1)
        return largest_root(tail, alpha, grid, tolerance=1e-6 * tilt.unit)

    def _bound_at(self, target: OneConfigTask, tilt: Tilt, tau: float, entropy: int) -> float:
        """Score the configuration under the member `tau` of the family."""
        weighted = tilt.strata.expand(tilt.weights(tau)[None], target.oof.n_samples)
        return float(target.kernel.score_of(weighted, np.array([target.config]))[0])

    def _report(self, details: dict, sizes: dict[str, float], reasons: dict[str, str]) -> None:
        """Note which bounds rest on few resamples and which do not exist."""
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

    def _fall_back(self, target: OneConfigTask, bounds: dict[str, float], details: dict) -> dict:
        """Replace missing bounds by those of another method on the same samples."""
        method = clone(self.fallback)
        method.set_params(confidence_level=target.confidence_level, alternative=self.alternative)
        everything = np.ones(target.oof.n_samples, dtype=bool)
        alone = taken(target.oof, configs=np.array([target.config]), samples=everything)
        try:
            other = method.estimate(alone, target.kernel.metric)
        except UndefinedIntervalError as error:
            details["notes"].append(f"The fallback failed too: {error}")
            return bounds
        missing = [side for side, bound in bounds.items() if np.isnan(bound)]
        details["fallback"] = {side: other.method for side in missing}
        return {**bounds, **{side: getattr(other, side) for side in missing}}


@with_parameters
class BootstrapTilting(TiltedInterval):
    """Bootstrap tilting interval of one configuration, for any metric that takes weights.

    The lower bound is the score that the configuration would have if its samples were
    weighted so much to its disadvantage that a score as high as the observed one were only
    just possible by chance.

    Parameters
    ----------
    {config}
    selection : LearnEvaluate, default=None
        Select on one part of the samples and compute the interval on the other, at
        Šidák's level for the number of candidates. The method is then called ``"BT"``
        (one candidate) or ``"BT10p"`` (the top tenth).
    n_bootstraps : int, default=2000
        Number of resamples, at least 20.
    fallback : BaseInterval, default=None
        Method that gives the bounds where tilting has none, on the same samples and at
        the same level; ``DeLong()`` for the area under the ROC curve, for example. None
        gives NaN, the reason in `details`, and a warning.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, for which the method was published;
        the upper one is its mirror image, and both sides together take half of the error
        rate each.
    random_state : int, RandomState instance or None, default=None
        Seed of the resamples, and of a selection step without a seed. Inside a search,
        None takes the search's own seed.
    {threads}

    See Also
    --------
    MABT : Adjusts for the choice among several candidates.

    Notes
    -----
    Sample i gets the weight ``exp(tau * g_i)``, where g is its influence on the score
    (exact for means over samples and for ``roc_auc``, else from doubling the sample). Samples
    are drawn, and weights normalised, within classes where the metric is made of scores within
    classes (``roc_auc``, ``balanced_accuracy``). Any other metric depends on how often each
    class occurs, and class sizes that never vary would hide that part of its spread: samples
    are drawn as they come, and draws that lack a class that is needed are drawn again. The
    probability of a score above the observed one, ties
    counting one half, is estimated for every `tau` from one set of ordinary resamples and
    their likelihood ratios [1]_. The bound is the score with the weights of the negative
    `tau` nearest to 0 for which that probability is the error rate.

    There is no bound when even without tilt the probability is not above the error rate, or
    when no tilt brings it down to it: separable classes, constant or nearly constant scores,
    very few samples of a class.

    `details` of the result: ``tau`` and ``ess`` (effective number of resamples at the
    bound) by side, ``reason`` (why there is no bound), ``fallback``, ``config``,
    ``winner``, ``winner_by``, ``selection_accounted_for``, ``seed``, ``unit``,
    ``n_untested``, ``n_configs``, ``n_valid``, ``kernel``, ``response``,
    ``n_bootstraps_used``, ``n_redrawn``, ``notes`` (an ``ess`` below 50 is among them);
    with `selection` also ``candidates``, ``n_learn``, ``n_evaluate``,
    ``adjusted_level``, ``learn_score``, ``selection_seed``. Groups are refused: their
    samples are not independent. Time O(n_bootstraps * n_samples).

    References
    ----------
    .. [1] B. Efron, "Nonparametric standard errors and confidence intervals", Canadian
       Journal of Statistics 9, 139-158 (1981). :doi:`10.2307/3314608`
    .. [2] P. Rink, W. Brannath, "Post-selection confidence bounds for prediction
       performance", Machine Learning 114, 82 (2025). :doi:`10.1007/s10994-024-06632-w`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import BootstrapTilting
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 100)
    >>> oof = OOFPredictions(y_true=y, y_pred=rng.normal(size=200) + y)
    >>> result = BootstrapTilting(alternative="greater", random_state=0).estimate(oof, "roc_auc")
    >>> print(f"{result.estimate:.2f}, at least {result.low:.2f}")
    0.80, at least 0.75
    """

    name = "tilting"
    label = ("bootstrap tilting", "bootstrap tilting")
    meant_for = (
        "a one-sided bound for one model on samples that it has not seen, by any metric that "
        "takes weights"
    )
    cost = "O(B N), and the search of the tilt, O(B) per step"
    limits = (
        "separable or constant scores, a class with one sample: no bound, with a warning; the "
        "winner of several"
    )
    abbreviation = "BT"
    config: int | None = None
    selection: LearnEvaluate | None = None
    n_bootstraps: int = 2000
    fallback: BaseInterval | None = None
    confidence_level: float = 0.95
    alternative: str = "two-sided"
    random_state: Any = None
    n_jobs: int | None = None

    def _columns(self, target: OneConfigTask) -> np.ndarray:
        return np.array([target.config])

    def _level(self, target: OneConfigTask) -> float:
        return target.confidence_level

    def _above(self, resamples: Resamples) -> Tail:
        return lambda log_ratios: self._mean_over(resamples.above, log_ratios)


@with_parameters
class MABT(TiltedInterval):
    """Multiplicity-adjusted bootstrap tilting, for the best of several candidates.

    One part of the samples proposes candidates, the other part reports the best of them.
    Its bound comes from tilting, with an error rate that holds for all candidates at once:
    the joint distribution of their scores shows how much the choice among them matters.

    Parameters
    ----------
    selection : LearnEvaluate, default=None
        Splits the samples and proposes candidates. None is ``LearnEvaluate(TopShare(0.1))``.
    n_bootstraps : int, default=2000
        Number of resamples, at least 20.
    fallback : BaseInterval, default=None
        Method that gives the bounds where tilting has none, on the same samples and at
        Šidák's level for the candidates; ``DeLong()`` for the area under the ROC curve, for
        example. None gives NaN, the reason in `details`, and a warning.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, for which the method was published;
        the upper one is its mirror image, and both sides together take half of the error
        rate each.
    random_state : int, RandomState instance or None, default=None
        Seed of the resamples, and of a selection step without a seed. Inside a search,
        None takes the search's own seed.
    {threads}

    See Also
    --------
    BootstrapTilting : The same for one configuration.
    BBC : Accounts for the selection without giving up samples.

    Notes
    -----
    All candidates are scored on the same resamples, and their scores replaced by ranks
    among the resamples. The distribution G of the largest rank of a resample takes the
    dependence of the candidates into account. Where `BootstrapTilting` asks for the
    probability u that the reported candidate's score does not exceed the observed one under
    the tilted distribution to be ``confidence_level``, here ``G(u)`` has to be [1]_.

    u is computed from likelihood ratios of resamples from the untilted distribution. The
    default is one minus their mean over the resamples above the observed score; the
    published code divides a sum over the others by the sum of all, in which a handful of
    ratios decide as soon as classes are unequal (see ``details["ess"]``). Samples are drawn
    within classes where the metric is made of scores within classes, see `BootstrapTilting`.

    `details` of the result: ``tau`` and ``ess`` (effective number of resamples at the
    bound) by side, ``reason`` (why there is no bound), ``fallback``, ``config`` (the
    reported one), ``candidates``, ``winner`` (of all samples), ``winner_by``, ``n_learn``,
    ``n_evaluate``, ``learn_score``, ``selection_seed``, ``seed``, ``unit``, ``n_untested``,
    ``n_configs``, ``n_valid``, ``kernel``, ``response``, ``selection_accounted_for``,
    ``adjusted_level``, ``n_bootstraps_used``, ``n_redrawn``, ``notes`` (an ``ess`` below 50
    is among them). Groups are refused: their samples are not independent. Time
    O(n_bootstraps * n_evaluate * n_candidates).

    References
    ----------
    .. [1] P. Rink, W. Brannath, "Post-selection confidence bounds for prediction
       performance", Machine Learning 114, 82 (2025). :doi:`10.1007/s10994-024-06632-w`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import MABT
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 100)
    >>> scores = rng.normal(size=(200, 50)) + y[:, None]
    >>> oof = OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(200) // 40)
    >>> result = MABT(alternative="greater", random_state=0).estimate(oof, "roc_auc")
    >>> print(f"{result.estimate:.2f}, at least {result.low:.2f}")
    0.86, at least 0.71
    """

    name = "mabt"
    label = ("multiplicity-adjusted bootstrap tilting (MABT)", "MABT")
    meant_for = (
        "a lower bound for the best of several preselected models, by any metric that takes "
        "weights"
    )
    cost = "O(B N) for each candidate, and the search of the tilt, O(B) per step"
    limits = (
        "few samples of a class, separable or constant scores: no bound, with a warning; needs "
        "a quarter of the data for itself"
    )
    abbreviation = "MABT"
    selection_aware = True
    config = None
    selection: LearnEvaluate | None = None
    n_bootstraps: int = 2000
    fallback: BaseInterval | None = None
    confidence_level: float = 0.95
    alternative: str = "two-sided"
    random_state: Any = None
    n_jobs: int | None = None

    def _step(self) -> LearnEvaluate:
        return LearnEvaluate() if self.selection is None else self.selection

    def _names(self, target: OneConfigTask) -> dict[str, str]:
        return {**super()._names(target), "method": self.abbreviation}

    def _columns(self, target: OneConfigTask) -> np.ndarray:
        return np.flatnonzero(target.kernel.valid)

    def _level(self, target: OneConfigTask) -> float:
        return self.confidence_level

    def _above(self, resamples: Resamples) -> Tail:
        n_draws = len(resamples.scores)
        ranks = rankdata(resamples.scores, method="max", axis=0) / (n_draws + 1)
        largest = np.sort(ranks.max(axis=1))
        above = (resamples.above == 1).astype(float)  # equal scores do not exceed

        def adjusted(log_ratios: np.ndarray) -> np.ndarray:
            not_above = 1 - self._mean_over(above, log_ratios)
            return 1 - np.searchsorted(largest, not_above, side="right") / n_draws

        return adjusted
