"""A corrected score from in-bag scores of all configurations, with shrinkage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from .._utils import is_indicator, with_parameters
from ..contest._contest import Contest, Repeated
from ..contest._strata import DrawStrata
from ..contest._unit_values import ValuesOfUnits
from ..metrics._metric import BoundMetric, Metric
from ..predictions._moments import ScoreMoments
from ..predictions._predictions import OOFPredictions
from ..resampling import Units
from ..results._results import ConfidenceInterval
from ..selection._base import BoundBestScore, BoundSelection, Outcome, Selection
from ..selection._rules import BoundSelectedBy
from ._analytic import wilson
from ._base import OF_TUNING, count_undefined, finished
from ._normal_draws import (
    MetricOfMoments,
    SumsInterval,
    check_normal,
    details_of_moments,
    draws_of_moments,
    finished_of_moments,
)

TINY_VARIANCE = 1e-300
"""Distance from the best score that is told apart from zero."""

OF_CONTENDERS = 1.5
"""Where systems are fixed, the empirical Bayes estimate is weighted by this over the root of the
number of contenders, at most one half: the more they are, the more it is too high."""


Look = Callable[[np.ndarray], tuple[np.ndarray, ...]]
"""Takes scores (n_draws, n_systems), returns arrays (n_draws,)."""


@dataclass(frozen=True)
class Scale:
    """Scale on which the spread of a score hardly depends on the score, by the metric's range."""

    low: float
    high: float
    of_shares: bool = False
    """Whether it is a share, so that the end of losses at 0 is not that of distances."""

    @classmethod
    def of(cls, metric: Metric, bounds: tuple[float, float] | None, scores: np.ndarray) -> Scale:
        """Choose the scale for the range of a metric, or for the range that is given.

        `scores` (n_configs,) of the metric, NaN where undefined.
        """
        low, high = metric.bounds if bounds is None else bounds
        if bounds is None and np.isinf(high):
            raise ValueError(
                "ShrunkenBBC chooses its scale by the range of the metric, which is not known for "
                f"{metric.name}. Give it as bounds=(low, high): (0, 1) for a share or an area, "
                "(-inf, 0) for a negative loss, (-inf, 1) for a score like R2, (-inf, inf) for "
                "scores without any limit."
            )
        ends = [] if bounds is None else [end for end in metric.bounds if np.isfinite(end)]
        found = np.array([*ends, *scores[np.isfinite(scores)]])
        slack = 1e-9 * np.abs([end for end in (low, high) if np.isfinite(end)]).max(initial=0)
        outside = found[(found < low - slack) | (found > high + slack)]
        if len(outside):
            raise ValueError(
                f"bounds=({low:g}, {high:g}) does not hold every score: {metric.name} can be "
                f"{outside[0]:g}. Losses are negative in scorer orientation."
            )
        return cls(float(low), float(high))

    @property
    def name(self) -> str:
        """Name of the scale in `details`."""
        if np.isinf(self.high):
            return "identity"
        if self.of_shares:
            return "arcsine"
        return "logarithm" if np.isinf(self.low) or self.high == 0 else "arcsine"

    def forward(self, score: float) -> float:
        """Transform a score to the scale."""
        score = float(np.clip(score, self.low, self.high))
        if self.name == "identity":
            return score
        if self.name == "logarithm":
            return float(-np.log(max(self.high - score, TINY_VARIANCE)))
        return float(np.arcsin(np.sqrt((score - self.low) / (self.high - self.low))))

    def backward(self, value: float) -> float:
        """Transform a value back to a score; values beyond the ends give the extreme scores."""
        if self.name == "identity":
            return value
        if self.name == "logarithm":
            distance = float(np.exp(-value))
            # What `forward` took for a perfect score is one again.
            return self.high - (distance if distance > 2 * TINY_VARIANCE else 0.0)
        share = np.sin(np.clip(value, 0, np.pi / 2)) ** 2
        return float(self.low + (self.high - self.low) * share)

    def slope(self, scores: np.ndarray) -> np.ndarray:
        """Compute the change of the score per unit of the scale at `scores` (n,), shape (n,)."""
        if self.name == "identity":
            return np.ones_like(scores)
        if self.name == "logarithm":
            return np.maximum(self.high - scores, 0)
        return 2 * np.sqrt(np.maximum((scores - self.low) * (self.high - scores), 0))


@with_parameters
class ShrunkenBBC(SumsInterval):
    """Corrected score of the configuration that tuning selects, from all samples in every draw.

    `BBC` scores the winner of a draw on the samples that the draw leaves out, about 0.37 of
    them. Here the winner is scored on all samples, less what the draw adds to its score. The
    mean over the draws is averaged with the winner's score shrunken towards those of the
    configurations that compete with it. Nothing is refitted.

    Parameters
    ----------
    bounds : tuple of 2 floats, default=None
        Smallest and largest value of the score, infinite where there is none: they decide on
        which scale the interval is computed, see Notes. None takes those of the metric; they
        must be given for metrics whose range is not known.
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
        Rule by which tuning selects, repeated in every draw. None is the best score; others
        must select one configuration and report its score by the metric.

    Raises
    ------
    ValueError
        If the range of the metric is not known and no `bounds` are given, if scores lie outside
        of them, or if the rule reports something else than the score of one configuration, such
        as a threshold or an ensemble.

    See Also
    --------
    BBC : The published correction; takes any metric and any rule.

    Notes
    -----
    Draws and what they select are those of BBC [1]_. With the scores S(c) on all samples, S_b(c)
    on those of draw b, their noise ``e_b(c) = S_b(c) - mean_b S_b(c)``, the winner J on all
    samples and w_b of draw b:

    - ``A = mean_b(S(w_b) - e_b(w_b))``, the coupled bootstrap [2]_: for Gaussian scores
      ``S - e_b`` is independent of ``S + e_b``, by which w_b is selected, so that no optimism is
      left. Low where one configuration is truly better than the others.
    - P, empirical Bayes in the form of [3]_: S(J) shrunken towards the mean of S over the
      contenders by the factor ``max(0, 1 - d / v)``, where v is the variance of S over the
      contenders and d the mean variance of ``e_b`` over them. Contenders are the configurations
      whose score differs from that of J by at most two standard deviations, over the draws, of
      the difference. High where many independent configurations compete.
    - The estimate is ``(A + P) / 2``. When the best score selects, it is never above S(J).

    The interval is computed on a scale g: the arcsine of the root for scores between two
    bounds, minus the logarithm for losses, ``-log(1 - R2)`` for R2, the score itself for scores
    without any limit. With s, the standard error on this scale pooled over the winners of the
    draws (for scores between two bounds at least ``1 / (2 sqrt(n))``), rho, the mean correlation
    of the noise of two winners, and quantiles t and z, the lower bound is
    ``g(estimate) - t * s * sqrt(1 + rho)``, the upper one the larger of
    ``g(estimate) + t * s * sqrt(1 + rho)`` and ``g(S(J)) + z * s``. t has one degree of freedom
    less than there are units: all of them for means over samples, those of the smallest class
    for metrics such as AUC and F1. z is that of a one-sided bound even where there are two: a
    winner that is truly the best leaves nothing to miss below. So the upper bound is not that of
    a one-sided interval with half the error rate. The factor ``sqrt(1 + rho)`` and the two
    standard deviations were tuned on simulations, not derived.

    Where another metric selects, J, w_b and the contenders are those of the metric that
    selects, and all S are scores by the metric that is reported.

    Where nothing is trained (`OOFPredictions.from_scores`), ``mean_b S_b`` is S, and the noise of
    J is taken out of each draw: ``A = S(J) - mean_b(S_b(w_b) - S_b(J) + 2 (S(J) - S(w_b)))``,
    which is S(J) itself where J wins every draw. The factor is left out, P is weighted by at most
    ``1.5 / sqrt(contenders)``, and z is multiplied by ``sqrt(min(1, 2 p))``, where p is the share
    of draws that J wins; moments are those of the values of the items, without draws. The scale
    is the arcsine for right and wrong, whose limits are at least as far as Wilson's, else the
    score itself.

    Equal predictions count once. Configurations that a draw leaves without a score are left out
    of the moments of that draw.

    `details` of the result: as `BBC` ``winner``, ``winner_by``, ``winner_share``, ``won``,
    ``pooled_score``, ``n_redrawn``, ``n_lacking_class``, ``n_undefined``, ``unit``,
    ``n_untested``, ``n_configs``, ``n_valid``, ``kernel``, ``response``, ``seed``, ``notes``;
    also ``coupled`` (A), ``empirical_bayes`` (P), ``contenders`` (their indices), ``rho``,
    ``standard_error`` (s), ``scale``. There are no `draws`: those of A are not the distribution
    of the estimate.

    Time O(n_bootstraps * n_samples * n_configs), without early stopping; for metrics without a
    kernel as `BBC`. Memory O(n_bootstraps * n_configs).

    References
    ----------
    .. [1] I. Tsamardinos, E. Greasidou, G. Borboudakis, "Bootstrapping the
       out-of-sample predictions for efficient and accurate cross-validation",
       Machine Learning 107, 1895-1922 (2018). :doi:`10.1007/s10994-018-5714-4`
    .. [2] N. L. Oliveira, J. Lei, R. J. Tibshirani, "Unbiased risk estimation in the normal
       means problem via coupled bootstrap techniques", arXiv:2111.09447 (2021).
    .. [3] B. Efron, C. Morris, "Stein's estimation rule and its competitors: an empirical
       Bayes approach", Journal of the American Statistical Association 68, 117-130 (1973).
       :doi:`10.1080/01621459.1973.10481350`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import BBC, ShrunkenBBC
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 50)
    >>> scores = rng.normal(size=(100, 20)) + y[:, None]
    >>> oof = OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(100) // 10)
    >>> bbc, shrunken = (method(random_state=0).estimate(oof, "roc_auc")
    ...                  for method in (BBC, ShrunkenBBC))
    >>> shrunken.estimate < shrunken.details["pooled_score"], shrunken.width < bbc.width
    (True, True)
    """

    name = "shrunken_bbc"
    label = ("bootstrap bias correction with shrinkage (ShrunkenBBC)", "ShrunkenBBC")
    estimand = OF_TUNING
    meant_for = (
        "the winner of a search, for a smaller error and mostly a narrower interval than BBC"
    )
    halves = False
    cost = "O(B N C), up to 3 times BBC"
    limits = (
        "tuned on simulations, not derived; one configuration far above all others and nearly "
        "perfect scores, where it is too low; many independent configurations of equal worth; "
        "searches that choose what to try next by the scores"
    )

    bounds: tuple[float, float] | None = None
    n_bootstraps: int = 2000
    confidence_level: float = 0.95
    alternative: str = "two-sided"
    random_state: Any = None
    n_jobs: int | None = None
    selection: Selection | None = None

    def _validate(self) -> None:
        super()._validate()
        if self.bounds is None:
            return
        try:
            low, high = (float(end) if isinstance(end, Real) else np.nan for end in self.bounds)
        except (TypeError, ValueError):
            low, high = 0.0, 0.0
        if not low < high or (np.isfinite(low) and np.isinf(high)):
            raise ValueError(
                "bounds must be the smallest and the largest value of the score, such as (0, 1), "
                f"(-inf, 0) or (-inf, inf), got {self.bounds!r}."
            )

    def _n_scores(self, kernel: BoundMetric, units: Units) -> int:
        return self.n_bootstraps * kernel.n_distinct

    def _estimate(self, contest: Contest) -> ConfidenceInterval:
        return self._estimate_beside(contest)[0]

    def _estimate_beside(
        self, contest: Contest, look: Look | None = None
    ) -> tuple[ConfidenceInterval, list[np.ndarray]]:
        """See `estimate_beside`."""
        oof, kernel, rule = contest.oof, contest.scored, contest.rule
        if not rule.of_configurations:
            raise ValueError(
                "ShrunkenBBC needs the scores of fixed configurations in every draw; "
                f"{contest.selection!r} reports the score of something else. Use BBC."
            )
        selecting = contest.selecting
        draws = self.draws_for(contest)
        selected = int(rule.on_all()["config"][0])
        for winner in (contest.winner, selected):
            contest.check_scored(winner)
        configs, place = _different(kernel, selecting)
        on_all, chosen_by = kernel.on_data()[configs], selecting.on_data()[configs]
        is_fixed = oof.score_sign is not None
        if is_fixed and self.bounds is None:
            scale = scale_of_scores(oof)
        else:
            scale = Scale.of(kernel.metric, self.bounds, on_all)
        if rule.seconds_per_draw:
            rule.warn_if_slow(draws.n_draws)

        names = list(rule.on_all().columns)
        of_means = is_fixed and selecting is kernel
        on_selected = float(kernel.on_data()[selected])

        def in_bag(counts: np.ndarray) -> tuple[np.ndarray, ...]:
            scores = kernel.scores(counts)
            own = scores if selecting is kernel else selecting.scores(counts)
            # The best scores are there already; other rules look for themselves.
            if _is_best_score(rule):
                outcome = Outcome({"config": selecting.first_best(own)})
            else:
                outcome = rule.choose(counts)
            columns = (outcome[name] for name in names)
            if of_means:  # their moments are known: the winners of the draws are enough
                winners = outcome["config"]
                best = scores_of_winners(scores, winners, selected, on_selected)
                also = () if look is None else look(scores)
                return best, best, *columns, *also
            return scores[:, configs], own[:, configs], *columns

        drawn, chosen_in_bag, *columns = draws.map(in_bag)
        outcome = Outcome(dict(zip(names, columns)))
        here, winners = int(place[selected]), outcome["config"]
        winners = np.where(winners < 0, -1, place[winners])
        noise: MomentsOfDraws | MomentsOfMeans
        if of_means:
            noise, of_winners = MomentsOfMeans(kernel, configs, here), drawn
        else:
            noise = MomentsOfDraws(drawn, chosen_in_bag, here)
            of_winners = noise.drawn[np.arange(len(drawn)), winners]
            of_winners = np.where(winners < 0, np.nan, of_winners)
        found = corrected(
            on_all, noise, of_winners, winners, here,
            gaps=selecting.difference(chosen_by, chosen_by[here]), is_fixed=is_fixed,
        )  # fmt: skip
        details = Repeated(contest, self, draws, drawn, outcome).details(of_pooling=True)
        details["pooled_score"] = kernel.score_on_data(details["winner"])
        labels = None
        if oof.n_effective is not None:
            labels = float(oof.n_effective[selected]), 0.0 if oof.score_sign == 1 else -1.0
        result = self._from_corrected(
            found, kernel.metric, scale, on_all, int(place[selected]), configs, _sample_size(oof),
            _n_units_of_class(contest), is_fixed=is_fixed, details=details, labels=labels,
        )  # fmt: skip
        return result, columns[len(names) :]

    def _from_corrected(
        self,
        found: Corrected,
        metric: Metric,
        scale: Scale,
        on_all: np.ndarray,
        selected: int,
        configs: np.ndarray,
        n_samples: float,
        n_units: int,
        *,
        is_fixed: bool,
        details: dict[str, Any],
        labels: tuple[float, float] | None = None,
    ) -> ConfidenceInterval:
        """Make the result of a corrected score.

        `on_all` (n_configs,) scores on all samples, `selected` a place among them, `configs`
        (n_configs,) what they are scores of. Where people said right or wrong to correct a judge,
        `labels` are how many of theirs would tell as much, and the smallest score.
        """
        error = found.error(scale, on_all, n_samples)
        low, high = self._bounds(found, scale, error, float(on_all[selected]), n_units - 1)
        estimate = found.estimate
        if is_fixed and (scale.name == "arcsine" or labels is not None):
            # Where nearly everything is right, errors that did not occur may still be there.
            n, least = (n_samples, scale.low) if labels is None else labels
            share = min(max(found.estimate - least, 0.0), 1.0)
            ends = np.add(wilson(share * n, n, self._tail()), least)
            low, high = min(low, float(ends[0])), max(high, float(ends[1]))
            if labels is not None:  # of a judge means can lie beyond 0 and 1
                low, high = max(low, least), min(high, least + 1)
                estimate = least + share
        details = {
            **details,
            "n_undefined": count_undefined(self, found.of_winners, metric),
            "coupled": found.coupled,
            "empirical_bayes": found.empirical_bayes,
            "contenders": configs[found.contenders].tolist(),
            "rho": found.rho,
            "standard_error": error,
            "scale": scale.name,
        }
        return self._result(
            metric, estimate, *self._sided(low, high, metric.bounds),
            details=details, n_bootstraps=self.n_bootstraps,
        )  # fmt: skip

    def _of_sums(self, moments: ScoreMoments) -> ConfidenceInterval:
        return estimate_of_moments(self, moments)[0]

    def _estimate_of_moments(
        self, moments: ScoreMoments, look: Look | None
    ) -> tuple[ConfidenceInterval, list[np.ndarray]]:
        """See `estimate_of_moments`."""
        draws = draws_of_moments(self, moments)
        here, on_all, is_fixed = draws.selected, draws.means, moments.is_fixed

        def in_bag(scores: np.ndarray) -> tuple[np.ndarray, ...]:
            also = () if look is None else look(scores)
            scores = scores[:, draws.distinct]
            winners = scores.argmax(axis=1)
            if is_fixed:
                found = scores_of_winners(scores, winners, here, float(on_all[here]))
            else:
                found = scores[np.arange(len(scores)), winners]
            return winners, found, *also

        winners, of_winners, *seen = draws.map(in_bag)
        check_normal(draws, draws.distinct[winners])
        metric = MetricOfMoments.of(moments)
        noise = MomentsOfCovariance(draws.covariance, on_all, here)
        found = corrected(
            on_all, noise, of_winners, winners, here, gaps=on_all - on_all[here],
            is_fixed=is_fixed,
        )  # fmt: skip
        if is_fixed and self.bounds is None:
            scale = scale_of_zeros_and_ones(moments.holds_zeros_and_ones, moments.sign)
        else:
            scale = Scale.of(metric, self.bounds, on_all)
        result = self._from_corrected(
            found, metric, scale, on_all, here, moments.columns[draws.distinct],
            moments.effective_size, moments.n_units, is_fixed=is_fixed,
            details=details_of_moments(moments, draws.distinct[winners], draws.entropy),
        )  # fmt: skip
        return result, seen

    def _bounds(
        self, found: Corrected, scale: Scale, error: float, best: float, degrees: int
    ) -> tuple[float, float]:
        """Compute both bounds; `best` is the score on all samples of what is selected on them."""
        quantile = float(student.isf(self._tail(), max(degrees, 1)))
        centre, reach = scale.forward(found.estimate), quantile * error * found.factor
        # Where the winner is truly the best its own score has no optimism.
        beyond = norm.ppf(self.confidence_level) * found.trust
        of_winner = scale.forward(best) + beyond * error
        return scale.backward(centre - reach), scale.backward(max(centre + reach, of_winner))


def estimate_beside(
    method: ShrunkenBBC, contest: Contest, look: Look
) -> tuple[ConfidenceInterval, list[np.ndarray]]:
    """Estimate the score of fixed systems, and let `look` see the scores of the same draws.

    Returns the result and what `look` returned, over all draws.
    """
    result, seen = method._estimate_beside(contest, look)
    return finished(result, contest, method), seen


def estimate_of_moments(
    method: ShrunkenBBC, moments: ScoreMoments, look: Look | None = None
) -> tuple[ConfidenceInterval, list[np.ndarray]]:
    """Estimate the score of what is selected from sums, and let `look` see the draws of scores.

    Returns the result and what `look` returned, over all draws.
    """
    result, seen = method._estimate_of_moments(moments, look)
    return finished_of_moments(result, moments), seen


@dataclass(frozen=True, eq=False)
class Corrected:
    """Corrected score of the selected configuration, with its parts and moments."""

    coupled: float
    empirical_bayes: float
    contenders: np.ndarray  # places among the configurations that differ
    share: np.ndarray  # of the draws that each configuration wins, (n_configs,)
    variance: float  # of a score over the draws, mean over their winners
    rho: float  # mean correlation of the noise of two winners
    of_winners: np.ndarray  # in-bag score of each draw's winner, (n_draws,)
    weight: float  # of the empirical Bayes estimate
    factor: float  # of the standard error
    trust: float  # in the selected one's own score, by how often it wins

    @property
    def estimate(self) -> float:
        """Weighted mean of the two corrected scores."""
        return (1 - self.weight) * self.coupled + self.weight * self.empirical_bayes

    def error(self, scale: Scale, on_all: np.ndarray, n_samples: float) -> float:
        """Compute the standard error on a scale, pooled over the configurations that win.

        `on_all` (n_configs,) are their scores on all samples.
        """
        won = self.share > 0
        slope = float(self.share[won] @ scale.slope(on_all[won]) ** 2)
        error = float(np.sqrt(self.variance / slope)) if slope > 0 else 0.0
        return max(error, 0.5 / np.sqrt(n_samples)) if scale.name == "arcsine" else error


class MomentsOfDraws:
    """Moments of the noise of scores, as draws show it.

    `drawn` and `selecting` (n_draws, n_configs) are in-bag scores by the metric that is reported
    and the one that selects, `selected` the place of what is selected on all samples.
    """

    def __init__(self, drawn: np.ndarray, selecting: np.ndarray, selected: int) -> None:
        self.drawn = np.where(np.isfinite(drawn), drawn, np.nan)
        self.mean, self.variance = _moments(self.drawn)
        _, self.of_gaps = _moments(selecting[:, [selected]] - selecting)

    def among(self, near: np.ndarray) -> float:
        """Average over draws the variance of the noise over configurations, (n_configs,) bool."""
        _, by_draw = _moments((self.drawn - self.mean)[:, near].T)
        return float(_moments(by_draw)[0])

    def correlation(self, share: np.ndarray, size: float) -> float:
        """Average the correlation of the noise of the winners of two draws."""
        wins = share > 0
        return mean_correlation(np.nan_to_num(self.drawn - self.mean)[:, wins], share[wins], size)


class MomentsOfMeans:
    """Moments of the noise of means of items over bootstrap draws, which need no draws.

    They are those of the values of the units, over the number of units. `configs` (n_distinct,)
    are the configurations, `selected` the place of one among them. Values are looked at some
    configurations at a time: all of them can take gigabytes.
    """

    def __init__(self, kernel: BoundMetric, configs: np.ndarray, selected: int) -> None:
        self._values, self._configs = ValuesOfUnits(kernel), configs
        self.mean = kernel.on_data()[configs]
        own = self._values.of(configs[[selected]])
        self.variance, self.of_gaps = np.empty((2, len(configs)))
        for places, values in self._parts(np.arange(len(configs))):
            self.variance[places] = values.var(axis=0) / len(values)
            self.of_gaps[places] = (own - values).var(axis=0) / len(values)

    def _parts(self, places: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield places of some configurations with the values of the units."""
        for part in self._values.parts(len(places)):
            yield places[part], self._values.of(self._configs[places[part]])

    def among(self, near: np.ndarray) -> float:
        """See `MomentsOfDraws.among`."""
        total = np.zeros(self._values.n_units)
        for _, values in self._parts(np.flatnonzero(near)):
            total += values.sum(axis=1)
        of_mean = float(np.var(total / np.count_nonzero(near)) / len(total))
        return max(float(self.variance[near].mean()) - of_mean, 0.0)

    def correlation(self, share: np.ndarray, size: float) -> float:
        """See `MomentsOfDraws.correlation`."""
        weight = np.where(self.variance > (1e-12 * size) ** 2, share, 0.0)
        if not weight.any():
            return 1.0
        weight /= weight.sum()
        mixed = np.zeros(self._values.n_units)
        for places, values in self._parts(np.flatnonzero(weight)):
            mixed += (values - values.mean(axis=0)) / values.std(axis=0) @ weight[places]
        return without_pairs_of_one(float((mixed**2).mean()), weight)


class MomentsOfCovariance:
    """Moments of the noise of means over draws, from their covariance (n_configs, n_configs).

    `mean` (n_configs,) are the means, `selected` is the place of one of them.
    """

    def __init__(self, covariance: np.ndarray, mean: np.ndarray, selected: int) -> None:
        self.covariance, self.mean = covariance, mean
        self.variance = np.maximum(covariance.diagonal(), 0.0)
        apart = self.variance + self.variance[selected] - 2 * covariance[selected]
        self.of_gaps = np.maximum(apart, 0.0)

    def among(self, near: np.ndarray) -> float:
        """See `MomentsOfDraws.among`."""
        of_mean = float(self.covariance[np.ix_(near, near)].mean())
        return max(float(self.variance[near].mean()) - of_mean, 0.0)

    def correlation(self, share: np.ndarray, size: float) -> float:
        """See `MomentsOfDraws.correlation`."""
        weight = np.where(self.variance > (1e-12 * size) ** 2, share, 0.0)
        if not weight.any():
            return 1.0
        weight /= weight.sum()
        there = weight > 0
        of_error = weight[there] / np.sqrt(self.variance[there])
        total = float(of_error @ self.covariance[np.ix_(there, there)] @ of_error)
        return without_pairs_of_one(total, weight)


def corrected(
    on_all: np.ndarray,
    noise: MomentsOfDraws | MomentsOfMeans | MomentsOfCovariance,
    of_winners: np.ndarray,
    winners: np.ndarray,
    selected: int,
    *,
    gaps: np.ndarray,
    is_fixed: bool = False,
) -> Corrected:
    """Correct the score of what is selected on all samples.

    `on_all` (n_configs,) scores on all samples, `of_winners` (n_draws,) in-bag scores of the
    `winners` (n_draws,) of the draws (see `scores_of_winners`), -1 for none, `selected` on all
    samples; by the metric that selects, `gaps` (n_configs,) between the scores of each
    configuration and `selected`.
    """
    won = winners[~np.isnan(of_winners)]
    coupled, _ = _moments(on_all[winners] - of_winners + noise.mean[winners])
    near = np.isfinite(on_all) & (np.abs(gaps) <= 2 * np.sqrt(noise.of_gaps))
    near[selected] = True
    middle, spread = on_all[near].mean(), on_all[near].var()
    shrink = max(0.0, 1 - noise.among(near) / spread) if spread > 0 else 0.0
    share = np.bincount(won, minlength=len(on_all)) / max(len(won), 1)
    wins = share > 0
    rho = noise.correlation(share, float(np.abs(on_all[wins]).max(initial=0)))
    return Corrected(
        coupled=float(coupled),
        empirical_bayes=float(middle + shrink * (on_all[selected] - middle)),
        contenders=np.flatnonzero(near),
        share=share,
        variance=float(share[wins] @ noise.variance[wins]),
        rho=rho,
        of_winners=of_winners,
        weight=min(0.5, OF_CONTENDERS / np.sqrt(np.count_nonzero(near))) if is_fixed else 0.5,
        factor=1.0 if is_fixed else float(np.sqrt(1 + rho)),
        trust=float(np.sqrt(min(1.0, 2 * share[selected]))) if is_fixed else 1.0,
    )


def scores_of_winners(
    scores: np.ndarray, winners: np.ndarray, selected: int, on_all: float
) -> np.ndarray:
    """Take the scores of the winners of draws less the noise of what is selected, (n_draws,).

    `scores` (n_draws, n_configs), `winners` (n_draws,), `on_all` the score of `selected` on all
    samples. That noise has the mean 0, so the corrected score is the same on average. But with
    one winner in all draws nothing is corrected, however few draws there are.
    """
    found = scores[np.arange(len(scores)), winners] - (scores[:, selected] - on_all)
    found[winners < 0] = np.nan
    return found


def scale_of_scores(oof: OOFPredictions) -> Scale:
    """Choose the scale for scores per item: arcsine for right and wrong, else the score."""
    return scale_of_zeros_and_ones(is_indicator(oof.responses["plain"]), oof.score_sign)


def scale_of_zeros_and_ones(holds: bool, sign: int | None) -> Scale:
    """Choose the scale for scores per item by whether they hold nothing but 0 and 1."""
    if not holds:
        return Scale(-np.inf, np.inf)
    return Scale(0.0, 1.0) if sign == 1 else Scale(-1.0, 0.0, of_shares=True)


def _moments(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute mean and variance over the first axis, ignoring NaN; NaN where all is NaN."""
    there = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        mean = np.where(there, values, 0).sum(axis=0) / there.sum(axis=0)
        apart = np.where(there, values - mean, 0)
        return mean, (apart**2).sum(axis=0) / there.sum(axis=0)


def mean_correlation(noise: np.ndarray, share: np.ndarray, size: float) -> float:
    """Average the noise correlation of the winners of two draws, in [0, 1]; 1 if they agree.

    `noise` (n_draws, n_configs) and `share` (n_configs,) of the draws that each wins; `size` of
    the scores separates noise from rounding.
    """
    length = np.sqrt((noise**2).sum(axis=0))
    varies = length > 1e-12 * np.sqrt(len(noise)) * size
    if not varies.any():
        return 1.0
    share = share[varies] / share[varies].sum()
    return without_pairs_of_one(
        float(((noise[:, varies] / length[varies] @ share) ** 2).sum()), share
    )


def without_pairs_of_one(total: float, share: np.ndarray) -> float:
    """Take pairs of a configuration with itself out of a mean correlation over pairs."""
    with_itself = float((share**2).sum())
    if 1 - with_itself < 1e-9:
        return 1.0
    return float(np.clip((total - with_itself) / (1 - with_itself), 0, 1))


def _is_best_score(rule: BoundSelection) -> bool:
    """Check whether the best score selects, by whatever metric."""
    rule = rule.rule if isinstance(rule, BoundSelectedBy) else rule
    return isinstance(rule, BoundBestScore)


def _different(kernel: BoundMetric, selecting: BoundMetric) -> tuple[np.ndarray, np.ndarray]:
    """Find configurations with different predictions for either metric, the first of equals.

    Returns shape `configs` (n_distinct,), `place` (n_configs,) of each among them.
    """
    valid = np.flatnonzero(kernel.valid & selecting.valid)
    alike = kernel.first_alike[valid] * kernel.n_configs + selecting.first_alike[valid]
    _, first, group = np.unique(alike, return_index=True, return_inverse=True)
    place = np.full(kernel.n_configs, -1)
    place[valid] = np.searchsorted(np.sort(first), first)[group]
    return valid[np.sort(first)], place


def _sample_size(oof: OOFPredictions) -> float:
    """Count the samples that were held out; with weights, compute their effective number."""
    if oof.sample_weight is None:
        return float(np.count_nonzero(oof.tested))
    weight = oof.sample_weight[oof.tested]
    return float(weight.sum() ** 2 / (weight**2).sum())


def _n_units_of_class(contest: Contest) -> int:
    """Count the units; those of the smallest class where the metric is not a mean over samples."""
    if contest.scored.is_pointwise:
        return contest.oof.n_labelled_units or contest.units.n_units
    strata = DrawStrata.of(contest.scored, contest.units)
    return int(strata.indicator.sum(axis=0).min())
