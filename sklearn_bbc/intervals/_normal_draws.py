"""Draws of samples by their normal approximation, from means and covariance of the scores."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._parameters import check_parameters
from .._rounding import levelled
from .._text import digits, of_systems, percent_of
from ..contest._contest import Contest, Repeated
from ..contest._notes import lonely_configuration, shares_won
from ..contest._score_moments import (
    AUC,
    ENOUGH_UNITS,
    effective_class_size,
    moments_are_known,
    moments_of,
)
from ..contest._strata import DrawStrata
from ..exceptions import UndefinedIntervalError
from ..metrics._metric import BoundMetric, Metric, as_metric
from ..predictions._moments import ScoreMoments
from ..predictions._predictions import OOFPredictions
from ..resampling import STREAM_BLOCK, Streams, Units, entropy_of, joined_batches
from ..results._results import ConfidenceInterval
from ..selection._base import BestScore, BoundBestScore, Outcome, as_selection
from ._base import OF_TUNING, TARGET_OF_SYSTEMS, BootstrapInterval
from ._notes import explain_no_width

WAYS = ("samples", "normal")
NORMAL = "normal approximation of the draws"
FEWEST_UNITS = 500
"""Units below which the approximation is refused."""
FEWEST_EFFECTIVE = 100
"""Units of equal weight that weigh as much as all, or as those of a class, below which it is:
with 25 intervals were 8% too narrow, with 50 up to 7%."""
MOST_SHARE = 0.2
"""Largest share of a unit in the variance of what wins draws, above which it is."""
MOST_SKEWED = 0.15
"""Size of the skewness, over draws, of the mean of what wins draws, above which it is."""
OFTEN = 0.01
"""Share of draws that something must win to be looked at: it can make up a tail."""
MOST_VALUES = 2**26
"""Values that are kept for that, of areas and means over repeats."""
MOST_APART = 0.01
"""Largest share of a unit in the variance of a difference between configurations that win draws:
those that differ in few units are equal in many draws of samples, and normal ones never."""
FEWEST_OF_LABELS = 2000
"""Units of the rarest class from which draws of scores of labels are normal by themselves: these
are curved, and of F1 with 1,000 a limit was off by 0.028 of the width."""
_KEY, _KEY_OF_ALL = 7, 8
"""Of the streams, which are not those of counts."""
_RIDGE = 1e-9
"""Added to a correlation matrix, which may be singular: 3e-5 of a standard deviation."""


def of_left_out(n_units: int) -> tuple[float, float]:
    """Compute how scores out-of-bag follow those in-bag, and how they spread beside that.

    With the mean m, the in-bag mean is ``m + Z1``, that of what is not drawn ``m - a Z1 +
    sqrt(r) Z2``, where Z1 and Z2 are independent and have the same law; returns a and r. Exact
    for multinomial counts, but for terms of the order 1 / n^3 in r: of n units with the
    covariance S, k are not drawn, which are k of them at random. So their mean has the covariance
    ``E(1 / k - 1 / n) n / (n - 1) S``, and ``-S / (n - 1)`` with the in-bag mean.
    """
    n = float(n_units)
    share, both = np.exp(n * np.log1p(-1 / n)), np.exp(n * np.log1p(-2 / n))
    mean = n * share
    spread = (mean + n * (n - 1) * both - mean**2) / mean**2
    inverse = (1 + spread + 3 * spread**2) / mean  # of the number that is not drawn, on average
    slope = n / (n - 1)
    return slope, float(n * slope * (inverse - 1 / n) - slope**2)


class NormalDraws:
    """Draws of scores in-bag and out-of-bag, by their normal approximation.

    Configurations with equal scores are one: places are those of `distinct`.
    """

    n_redrawn = 0
    n_lacking = 0

    def __init__(
        self,
        moments: ScoreMoments,
        n_draws: int,
        entropy: int,
        strata: DrawStrata | None = None,
    ) -> None:
        self.moments, self.n_draws, self.entropy, self.strata = moments, n_draws, entropy, strata
        first = moments.first_alike
        self.distinct, self.place = np.unique(first, return_inverse=True)
        self.means = levelled(moments.means)[self.distinct]
        cov = moments.covariance[np.ix_(self.distinct, self.distinct)] / moments.n_units
        self.covariance = cov
        self.error = np.sqrt(np.maximum(cov.diagonal(), 0.0))
        scale = np.where(self.error > 0, self.error, 1.0)
        correlation = cov / np.multiply.outer(scale, scale)
        correlation[np.diag_indices_from(correlation)] += _RIDGE
        self._factor = self.error[:, None] * np.linalg.cholesky(
            np.where(np.isfinite(correlation), correlation, 0.0)
        )

    @property
    def selected(self) -> int:
        """Place of the configuration with the best mean."""
        return int(self.means.argmax())

    def _blocks(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield deviations in-bag (n_draws, n_distinct), and normal numbers (n_draws,)."""
        streams, left = Streams(self.entropy, _KEY), self.n_draws
        for k in range(-(-self.n_draws // STREAM_BLOCK)):
            rng, n = streams.of(k), min(STREAM_BLOCK, left)
            yield (
                rng.standard_normal((n, len(self.means))) @ self._factor.T,
                rng.standard_normal(n),
            )
            left -= n

    def map(self, function: Callable[[np.ndarray], tuple[np.ndarray, ...]]) -> Any:
        """Call a function with scores in-bag (n_draws, n_configs), some draws at a time."""
        found = [function((self.means + noise)[:, self.place]) for noise, _ in self._blocks()]
        return joined_batches(found)

    def out_of_bag(self) -> tuple[np.ndarray, np.ndarray]:
        """Choose in-bag and score out-of-bag, (n_draws,) each: configurations and scores."""
        slope, rest = of_left_out(self.moments.n_units)
        scores, winners = [], []
        for noise, other in self._blocks():
            chosen = (self.means + noise).argmax(axis=1)
            own = noise[np.arange(len(noise)), chosen]
            scores.append(
                self.means[chosen] - slope * own + np.sqrt(rest) * self.error[chosen] * other
            )
            winners.append(self.distinct[chosen])
        return np.concatenate(winners), np.concatenate(scores)

    def of_all(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield scores in-bag and out-of-bag (n_draws, n_distinct), some draws at a time.

        In-bag they are those of the other draws; out-of-bag all configurations vary together.
        """
        slope, rest = of_left_out(self.moments.n_units)
        streams = Streams(self.entropy, _KEY_OF_ALL)
        for k, (noise, _) in enumerate(self._blocks()):
            other = streams.of(k).standard_normal(noise.shape) @ self._factor.T
            yield self.means + noise, self.means - slope * noise + np.sqrt(rest) * other

    def often(self, winners: np.ndarray) -> np.ndarray:
        """Find what wins draws often, or is selected on all samples, (n_configs,)."""
        found = np.bincount(winners, minlength=self.moments.n_configs) >= OFTEN * len(winners)
        found[self.distinct[self.selected]] = True
        return found

    def why_not(self, winners: np.ndarray, strictly: float = 1.0) -> str | None:
        """Explain why the approximation does not hold; None where it does.

        `winners` (n_draws,) are the configurations that win, and the worst of them counts: with
        a heavy tail it wins where its worst units are not drawn, which are then out-of-bag.
        Limits are divided by `strictly`.
        """
        n, unit = self.moments.n_units, self.moments.unit
        often = self.often(winners)
        effective = min(self.moments.effective_units, self.moments.class_size)
        largest = float(self.moments.largest_shares[often].max())
        skewed = float(np.abs(self.moments.skewness[often]).max())
        if n < FEWEST_UNITS:
            return f"There are {n:,} {unit}s, and it takes {FEWEST_UNITS} at least."
        if not effective >= FEWEST_EFFECTIVE * strictly:
            of = "of the rarest class " if effective == self.moments.class_size else ""
            return (
                f"The {unit}s {of}weigh as much as {digits(effective, 3)} of equal weight, and it "
                f"takes {FEWEST_EFFECTIVE} at least."
            )
        if not largest <= MOST_SHARE / strictly:
            return (
                f"One of {n:,} {unit}s has {percent_of(largest)} of the variance of a score "
                "that wins draws: much depends on whether it is drawn."
            )
        if not skewed <= MOST_SKEWED / strictly:
            return (
                "The scores are too skewed for the normal law: a mean that wins draws has the "
                f"skewness {digits(skewed, 2)} over them, and may have {MOST_SKEWED:g}."
            )
        return None


def details_of_moments(moments: ScoreMoments, winners: np.ndarray, entropy: int) -> dict[str, Any]:
    """Collect what the `details` of a result say of sums; `winners` (n_draws,) of the draws."""
    first, columns, noun = moments.first_alike, moments.columns, noun_of_moments(moments)
    won = shares_won(first[winners])
    best = moments.winner
    n = moments.n_tried
    return {
        "winner": int(columns[best]),
        "winner_by": "mean score",
        "winner_share": won.get(int(first[best]), 0.0),
        "won": {int(columns[config]): share for config, share in won.items()},
        "winner_name": name_of(moments, best),
        "noun": noun,
        "unit": moments.unit,
        "n_samples": moments.n_samples,
        "n_units": moments.n_units,
        "n_configs": n,
        "n_valid": n,
        "n_redrawn": 0,
        "kernel": "moments",
        "pooled_score": float(moments.means[best]),
        "draws": NORMAL,
        "seed": entropy,
        "notes": [lonely_configuration(1, noun)] if n == 1 else [],
    }


def noun_of_moments(moments: ScoreMoments) -> str:
    """Name what one is selected of."""
    return "system" if moments.is_fixed else "configuration"


def name_of(moments: ScoreMoments, config: int) -> str:
    """Name one of the configurations of sums."""
    if moments.names is not None:
        return moments.names[config]
    return f"{noun_of_moments(moments)} {moments.columns[config]}"


class SumsInterval(BootstrapInterval):
    """Base of methods that take sums of scores in place of predictions as well."""

    def estimate(
        self, oof: OOFPredictions | ScoreMoments, scoring: Any = None, *, selected_by: Any = None
    ) -> ConfidenceInterval:
        """Estimate the score of the selected configuration, with an interval.

        Parameters
        ----------
        oof : OOFPredictions or ScoreMoments
            Out-of-fold predictions of every configuration; or sums of their scores, from which
            draws are normal approximations.
        scoring : str, scorer or Metric
            The metric: a scorer's name, a scorer, or any callable
            ``scorer(estimator, X, y)``. It must be given for predictions.
        selected_by : str, scorer or Metric, default=None
            The metric by which the configuration was selected, where that is another one. None is
            `scoring`.

        Returns
        -------
        ConfidenceInterval
            In scorer orientation: greater is better.

        Raises
        ------
        ValueError
            If a parameter is out of range or the method needs what is not there.
        UndefinedIntervalError
            If the data cannot support the interval, for example with one sample in a
            class, or sums of scores of which a few samples have nearly all of the variance.
        """
        if not isinstance(oof, ScoreMoments):
            return super().estimate(oof, scoring, selected_by=selected_by)
        check_moments(self, oof, scoring, selected_by)
        return self._of_sums(oof)

    @abstractmethod
    def _of_sums(self, moments: ScoreMoments) -> ConfidenceInterval:
        """Compute the result from sums that can answer what is asked."""


def check_moments(method: Any, moments: ScoreMoments, scoring: Any, selected_by: Any) -> None:
    """Raise where sums cannot answer what is asked."""
    check_parameters(method)
    label = type(method).__name__
    if scoring is not None and as_metric(scoring).name != moments.metric:
        raise ValueError(
            f"scoring={scoring!r} cannot be computed from sums of {moments.metric}: leave scoring "
            "out, or make ScoreMoments of it."
        )
    if not isinstance(as_selection(getattr(method, "selection", None)), BestScore) or selected_by:
        raise ValueError(
            f"{label} selects by the best mean from ScoreMoments: leave selection and selected_by "
            "out. Other rules need the predictions: OOFPredictions."
        )
    for name, plain in (("below_median", False), ("degenerate", None)):
        if getattr(method, name, plain) != plain:
            raise ValueError(
                f"{label} has no use for {name} with ScoreMoments, which hold no samples. Leave "
                "it out, or give OOFPredictions."
            )
    if getattr(method, "draws", None) == "samples":
        raise ValueError(
            "draws='samples' needs the samples, and ScoreMoments hold their sums. Leave it out."
        )


def draws_of_moments(method: Any, moments: ScoreMoments) -> NormalDraws:
    """Prepare the draws of a method from sums."""
    return NormalDraws(moments, method.n_bootstraps, entropy_of(method.random_state))


def check_normal(draws: NormalDraws, winners: np.ndarray) -> None:
    """Raise where the approximation does not hold; `winners` (n_draws,) of the draws."""
    if (why := draws.why_not(winners)) is not None:
        raise UndefinedIntervalError(
            f"The normal approximation of the draws does not hold here. {why} Use BBC(draws="
            "'samples') on the samples themselves."
        )


def finished_of_moments(result: ConfidenceInterval, moments: ScoreMoments) -> ConfidenceInterval:
    """Add what is said of every method: what it is about, and an interval without width."""
    if moments.is_fixed:
        about = TARGET_OF_SYSTEMS if result.estimand == OF_TUNING else of_systems(result.estimand)
        result = replace(result, estimand=about)
    metric = MetricOfMoments.of(moments)
    return explain_no_width(result, metric, np.zeros(0), is_share=False)


def normal_draws(method: Any, contest: Contest) -> Repeated | None:
    """Decide how a method draws: repeat a contest by the normal approximation, or return None.

    This is the one place that decides. Where a method leaves `draws` open, they are normal from
    `ENOUGH_UNITS` on, where the check holds with a margin, see ``coverage.py moments``.
    """
    is_open = method.draws is None
    if method.draws == "samples" or (is_open and not _is_large(contest, method.n_bootstraps)):
        return None
    scored = contest.scored
    if (why := _unsuited(method, contest)) is not None:
        if is_open:
            return None
        raise ValueError(f"draws='normal' is for {why} Use draws='samples'.")
    strata = DrawStrata.of(
        scored, Units.drawn(contest.oof), out_of_bag=True, degenerate=method.degenerate
    )
    strata.check_possible(type(method).__name__, scored.metric.name, method.degenerate)
    configs = scored.distinct
    moments = moments_of(scored, configs)  # scores on the data, by which one wins, are made of it
    contest.check_scored()
    entropy = entropy_of(method.random_state)
    draws = NormalDraws(moments, method.n_bootstraps, entropy, strata)
    winners, scores = draws.out_of_bag()
    if not is_open:
        check_normal(draws, winners)
    elif draws.why_not(winners, strictly=2.0) is not None or not _differ(scored, draws, winners):
        return None
    as_drawn: Any = draws  # what `Repeated` asks of draws of samples, it knows
    return Repeated(contest, method, as_drawn, scores, Outcome({"config": configs[winners]}))


def _differ(scored: BoundMetric, draws: NormalDraws, winners: np.ndarray) -> bool:
    """Check that what wins draws differs in many units from what is selected on all samples.

    A sum of cubes is at most that of squares times the largest size: often bounds will do.
    """
    most_skewed = MOST_SKEWED / 2.0
    often = np.flatnonzero(draws.often(winners))
    config = int(draws.distinct[draws.selected])
    if (draws.moments.bounds_of_shares(config)[often] <= min(MOST_APART, most_skewed**2)).all():
        return True
    selected = int(np.searchsorted(often, config))
    apart = moments_of(scored, scored.distinct[often], apart_from=selected)
    return bool(
        (apart.largest_shares <= MOST_APART).all()
        and (np.abs(apart.skewness) <= most_skewed).all()
    )


def _is_large(contest: Contest, n_draws: int) -> bool:
    """Check for so many samples that nobody sees a difference, and work is saved."""
    scored, n_units = contest.scored, contest.units.n_units
    if n_units < ENOUGH_UNITS or scored.n_distinct > n_draws:
        return False
    if not moments_are_known(scored):
        return False
    if (
        not scored.is_pointwise
        and scored.family != AUC
        and (effective_class_size(scored) < FEWEST_OF_LABELS)
    ):
        return False
    plain = scored.is_pointwise and contest.oof.n_repeats == 1
    return plain or n_units * scored.n_distinct <= MOST_VALUES


def _unsuited(method: Any, contest: Contest) -> str | None:
    """Say what the approximation is for, where a question is another one."""
    scored = contest.scored
    if method.below_median:
        return "the score of the winner, and below_median=True asks for those of all."
    if not moments_are_known(scored):
        return (
            "scores whose influence values are known: means over samples, the area under the ROC "
            "curve, concordance, RMSE, R2, and scores of labels such as F1 and kappa (of one "
            f"output and few classes); not for {scored.metric.name}."
        )
    if not isinstance(contest.rule, BoundBestScore) or contest.selecting is not scored:
        return "the best score as rule, by the metric that is reported."
    if contest.oof.block_length is not None:
        return "samples or groups that are independent, not for blocks in time."
    return None


@dataclass(frozen=True, kw_only=True)
class MetricOfMoments(Metric):
    """Metric of which only sums of its scores are there, by its name and range."""

    range: tuple[float, float] = (-np.inf, np.inf)

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest score in scorer orientation."""
        return self.range

    @classmethod
    def of(cls, moments: ScoreMoments) -> MetricOfMoments:
        """Take name and range from the sums."""
        return cls(
            name=moments.metric, scorer=_no_predictions, sign=moments.sign, range=moments.bounds
        )


def _no_predictions(*given: Any) -> float:
    raise ValueError("ScoreMoments hold sums of scores, and no predictions to score.")
