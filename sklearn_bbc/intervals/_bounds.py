"""Quantiles, sidedness and bounds: the rules by which every method makes its interval."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy.stats import norm

from .._integers import check_integer
from .._nearest import did_you_mean, explain_init
from .._warn import warn_user
from ..exceptions import IntervalWarning, UndefinedIntervalError
from ..metrics import Metric
from ..resampling._streams import check_random_state
from ..results import ConfidenceInterval
from ._level import says_level
from ._quantiles import OrderStatistic, QuantileRule, halve_ties, interpolated

ALTERNATIVES = ("two-sided", "greater", "less")
MAX_UNDEFINED = 0.1
"""Share of draws without a defined score above which an interval would mislead."""
OF_TUNING = (
    "score on new samples of the configuration that tuning selects, trained on as many samples as "
    "a training fold has"
)
"""What methods estimate that repeat the selection; the others say what differs."""
MAX_KEPT = 10_000
"""Draws of an enumeration that a result keeps, evenly over the distribution."""


class IntervalRules:
    """Parameters that every method has, and how it turns numbers into a result."""

    name: ClassVar[str]
    estimand: ClassVar[str]
    meant_for: ClassVar[str]
    cost: ClassVar[str]
    limits: ClassVar[str]

    confidence_level: float
    alternative: str
    quantile: QuantileRule | None = None
    """How bounds are read off draws; None is `OrderStatistic`."""
    interval_of: ClassVar[str] = "score"
    """What the interval is about, for the docstring."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        explain_init(cls)
        says_level(cls.interval_of)(cls)

    @property
    def _label(self) -> str:
        """What messages call the method."""
        return type(self).__name__

    def _validate(self) -> None:
        level = self.confidence_level
        if not isinstance(level, Real) or not 0 < level < 1:  # no truth value is between them
            raise ValueError(
                f"confidence_level must be a number strictly between 0 and 1, got {level!r}. "
                "For a 95% interval use 0.95."
            )
        if level < 0.5:
            warn_user(
                f"{self._label}: confidence_level={level:g} asks for an interval that "
                f"holds the true score for {100 * float(level):g}% of data sets only. Did you "
                f"mean {1 - float(level):g}?",
                IntervalWarning,
            )
        if self.alternative not in ALTERNATIVES:
            raise ValueError(
                f"alternative must be one of {list(ALTERNATIVES)}, got {self.alternative!r}."
                f'{did_you_mean(self.alternative, ALTERNATIVES)} "greater" keeps only the lower '
                'bound, "less" only the upper one.'
            )
        check_random_state(getattr(self, "random_state", None))
        check_integer("n_jobs", getattr(self, "n_jobs", None), or_none=True)
        if self.quantile is not None and not isinstance(self.quantile, QuantileRule):
            raise ValueError(
                "quantile must be an object of a QuantileRule, such as LinearQuantile(), or None, "
                f"got {self.quantile!r}."
            )

    def _tail(self, confidence_level: float | None = None) -> float:
        """Error rate of one tail; at another level than the method's own when one is given."""
        alpha = 1 - (self.confidence_level if confidence_level is None else confidence_level)
        return alpha / 2 if self.alternative == "two-sided" else alpha

    def _sided(self, low: float, high: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Replace the open side by the end of the metric's range."""
        if self.alternative == "greater":
            return low, bounds[1]
        if self.alternative == "less":
            return bounds[0], high
        return low, high

    def _from_draws(
        self,
        scores: np.ndarray,
        metric: Metric,
        *,
        multiplicity: np.ndarray | None = None,
        estimate: float | None = None,
        details: Mapping[str, Any] | None = None,
        n_bootstraps: int | None = None,
        halved: bool = False,
    ) -> ConfidenceInterval:
        """Percentile interval of a distribution of scores.

        Where the lower bound lies among the sorted draws, `quantile` says; the upper one is
        its mirror image.

        Parameters
        ----------
        scores : ndarray of shape (n_draws,)
            Score of each draw; NaN is left out and counted.
        metric : Metric
            For its name and range.
        multiplicity : ndarray of shape (n_draws,) of int, default=None
            How often each draw counts, in an enumeration.
        estimate : float, default=None
            Point estimate; None takes the mean of the draws.
        details : mapping, default=None
            By-products to report.
        n_bootstraps : int, default=None
            Number of draws to report; None for an enumeration.
        halved : bool, default=False
            Whether draws are differences, of which half of those that equal zero count for
            either side, as in the test.
        """
        defined = ~np.isnan(scores)
        n_undefined = self._count_undefined(scores, metric)
        enumerated = multiplicity is not None
        if multiplicity is None:
            multiplicity = np.ones(len(scores), dtype=np.int64)
        scores, multiplicity = scores[defined], multiplicity[defined]
        order = np.argsort(scores, kind="stable")
        ranked, cumulated = scores[order], np.cumsum(multiplicity[order])
        total = int(cumulated[-1])
        rank, share = (self.quantile or OrderStatistic()).checked_place(total, self._tail())
        # Both bounds and, for a rule that interpolates, their neighbours towards the middle.
        places = np.array([rank, rank + 1, total - 1 - rank, total - 2 - rank])
        at = np.searchsorted(cumulated, places.clip(0, total - 1), side="right")
        for_low, for_high = halve_ties(ranked) if halved else (ranked, ranked)
        low = interpolated(for_low[at[0]], for_low[at[1]], share)
        high = interpolated(for_high[at[2]], for_high[at[3]], share)
        if estimate is None:
            # Relative to one draw, so that a constant distribution has exactly its mean.
            origin = ranked[0] if np.isfinite(ranked[0]) else 0.0
            estimate = origin + ((ranked - origin) * multiplicity[order]).sum() / total
        if enumerated:  # as many values as there are draws, or a fair share of them
            n_kept = min(total, MAX_KEPT)
            places = (2 * np.arange(n_kept) + 1) * (total / (2 * n_kept))
            scores = ranked[np.searchsorted(cumulated, places, side="right")]
        low, high = self._sided(float(low), float(high), metric.bounds)
        return self._result(
            metric,
            float(estimate),
            low,
            high,
            details={"n_undefined": n_undefined, **(details or {})},
            n_bootstraps=n_bootstraps,
            draws=scores,
        )

    def _count_undefined(self, scores: np.ndarray, metric: Metric) -> int:
        """Number of draws without a score; too many of them would mislead."""
        n_undefined = int(np.count_nonzero(np.isnan(scores)))
        if n_undefined > MAX_UNDEFINED * len(scores):
            raise UndefinedIntervalError(
                f"{self._label} cannot bootstrap {metric.name}: it is undefined in "
                f"{n_undefined} of {len(scores)} draws."
            )
        return n_undefined

    def _from_se(
        self,
        estimate: float,
        standard_error: float,
        metric: Metric,
        *,
        quantile: float | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> ConfidenceInterval:
        """Interval of an estimate plus and minus a multiple of its standard error.

        Parameters
        ----------
        estimate, standard_error : float
            In scorer orientation.
        metric : Metric
            For its name and range.
        quantile : float, default=None
            The multiple; None takes the normal quantile of one tail.
        details : mapping, default=None
            By-products to report.
        """
        multiple = float(norm.ppf(1 - self._tail())) if quantile is None else quantile
        half = multiple * standard_error
        details = {"standard_error": float(standard_error), **(details or {})}
        if not np.isfinite(half):
            half = np.nan
            details.setdefault("reason", "The standard error is undefined, so bounds are too.")
        low, high = self._sided(estimate - half, estimate + half, metric.bounds)
        return self._result(metric, estimate, low, high, details=details)

    def _result(
        self,
        metric: Metric,
        estimate: float,
        low: float,
        high: float,
        *,
        bounds: tuple[float, float] | None = None,
        details: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> ConfidenceInterval:
        """Result of a method; nothing in it lies beyond the metric's range.

        No true score is out there, so cutting loses none. What was cut stays in `details`:
        ``unclipped`` has both bounds as they were, ``unclipped_estimate`` the estimate.

        Parameters
        ----------
        metric : Metric
            For its name and range.
        estimate, low, high : float
            In scorer orientation. An estimate that is not finite becomes NaN, with the reason
            in `details`; bounds may be infinite or NaN.
        bounds : tuple of float, default=None
            Smallest and largest possible value, where that is not the metric's own range, as
            for a difference.
        details : mapping, default=None
            By-products to report.
        **fields
            Other fields of the result.
        """
        details = dict(details or {})
        if not np.isfinite(estimate):
            details["reason"] = _why_not_finite(estimate, metric.name, details.get("reason"))
            estimate = np.nan
        elif np.isnan([low, high]).any():
            details.setdefault(
                "reason", "The bounds are undefined: the spread of the scores is not a number."
            )
        if metric.sign < 0:  # how a scorer's own name is printed
            details["sign"] = -1
        ends = metric.bounds if bounds is None else bounds
        within = [float(np.clip(value, *ends)) for value in (estimate, low, high)]
        if within[0] != estimate and not np.isnan(estimate):
            details["unclipped_estimate"] = float(estimate)
        if self.alternative == "two-sided" and np.isinf(within[1:]).any():
            details.setdefault(
                "reason",
                f"A bound is infinite: scores of {metric.name} in the tail of the distribution "
                "are infinite, or too large for a floating point number.",
            )
        if (within[1] != low and not np.isnan(low)) or (within[2] != high and not np.isnan(high)):
            details["unclipped"] = (float(low), float(high))
        return ConfidenceInterval(
            estimate=within[0],
            low=within[1],
            high=within[2],
            confidence_level=self.confidence_level,
            alternative=self.alternative,
            metric=metric.name,
            details=details,
            **{"method": self.name, "estimand": self.estimand, **fields},
        )


def _why_not_finite(estimate: float, metric: str, known: str | None) -> str:
    """Why there is no number to report, following the reason known so far."""
    if np.isnan(estimate):
        return known or f"The estimate is undefined: {metric} is NaN on these data."
    why = (
        f"The estimate would be {estimate:g}: some score of {metric} is infinite, or their sum is "
        "too large for a floating point number."
    )
    return f"{known} {why}" if known else why
