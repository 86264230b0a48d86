"""How every comparison turns numbers into a result: sides, quantiles, p-values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from scipy.stats import norm, t

from .._warn import warn_user
from ..exceptions import IntervalWarning
from ..intervals._bounds import IntervalRules
from ..intervals._caveats import no_spread
from ..intervals._quantiles import OrderStatistic, QuantileRule, halve_ties, smallest_level
from ..results import ComparisonResult, ConfidenceInterval
from ._pairs import Compared, difference_of

__all__ = ["ComparisonRules", "p_of_certain", "p_of_draws", "p_of_statistic"]

SAME = "Both sides score the same everywhere: there is no difference to test."
NO_SPREAD = (
    "The difference is the same everywhere, so no spread can be seen: the interval is a point and "
    "certainly wrong, and so is the p-value."
)


class ComparisonRules(IntervalRules):
    """Parameters and facts that every comparison has, and how it makes its result.

    Sidedness, levels, quantiles of draws and the ends of the range are those of the interval
    methods; the range is that of a difference.

    Attributes
    ----------
    name : str
        Registered name.
    label : str
        The method in a sentence, such as ``"paired t test"``.
    estimand : str
        What is compared, in words.
    assumptions : tuple of str
        What the result rests on, a sentence each.
    meant_for, cost, limits : str
        For whom it is, what it costs, where it fails.
    """

    label: ClassVar[str]
    assumptions: ClassVar[tuple[str, ...]]
    interval_of = "difference"

    def _from_standard_error(
        self,
        pair: Compared,
        difference: float,
        standard_error: float,
        *,
        degrees: float | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> ComparisonResult:
        """Result of a difference and its standard error.

        The statistic is their ratio, its distribution Student's with `degrees` degrees of
        freedom, or the normal one without. Where the standard error is zero, the p-value is 1
        for a difference of zero, which a note tells, and 0 else, with a warning.

        Parameters
        ----------
        pair : Compared
            The two sides.
        difference, standard_error : float
            In scorer orientation.
        degrees : float, default=None
            Degrees of freedom; None takes the normal distribution.
        details : mapping, default=None
            By-products to report, besides those of the pair.
        """
        told: dict[str, Any] = {**pair.details, **(details or {}), "degenerate": False}
        told["notes"] = list(told.get("notes", []))
        told["standard_error"] = float(standard_error)
        if degrees is not None:
            told["degrees"] = float(degrees)
        if no_spread(standard_error, difference) and not np.isnan(standard_error):
            return self._without_spread(pair, difference, told)
        statistic = difference / standard_error
        level = 1 - self._tail()
        quantile = norm.ppf(level) if degrees is None else t.ppf(level, degrees)
        half = float(quantile) * standard_error
        return self._of_bounds(
            pair, difference, difference - half, difference + half, told,
            statistic=statistic, p_value=p_of_statistic(statistic, self.alternative, degrees),
        )  # fmt: skip

    def _without_spread(
        self, pair: Compared, difference: float, details: dict[str, Any]
    ) -> ComparisonResult:
        """Result where every sample or fold shows the same difference."""
        self._tell_no_spread(difference, details)
        statistic = 0.0 if difference == 0 else float(np.copysign(np.inf, difference))
        return self._of_bounds(
            pair, difference, difference, difference, details,
            statistic=statistic, p_value=p_of_certain(difference, self.alternative),
        )  # fmt: skip

    def _tell_no_spread(self, difference: float, details: dict[str, Any]) -> None:
        """Mark a result without spread; a note tells, and a warning unless both are the same."""
        same = difference == 0
        details["degenerate"] = True
        details["notes"] = [*details.get("notes", []), SAME if same else NO_SPREAD]
        if not same:
            warn_user(f"{type(self).__name__}: {NO_SPREAD}", IntervalWarning)

    def _from_difference_draws(
        self,
        pair: Compared,
        draws: np.ndarray,
        *,
        details: Mapping[str, Any] | None = None,
    ) -> ComparisonResult:
        """Mean, percentile interval and p-value of draws of the difference.

        Parameters
        ----------
        pair : Compared
            The two sides.
        draws : ndarray of shape (n_draws,)
            Difference in each draw; NaN is left out and counted in ``n_undefined``.
        details : mapping, default=None
            By-products to report, besides those of the pair.
        """
        told: dict[str, Any] = {**pair.details, **(details or {}), "degenerate": False}
        interval = self._from_draws(
            draws, difference_of(pair.metric), n_bootstraps=len(draws), halved=True
        )
        defined = draws[~np.isnan(draws)]
        told["standard_error"] = float(np.std(defined, ddof=1)) if len(defined) > 1 else np.nan
        told = {**told, **interval.details}
        if not np.ptp(defined) > 0:
            self._tell_no_spread(interval.estimate, told)
        p_value = p_of_draws(defined, self.alternative, self.quantile)
        return self._of_interval(pair, interval, told, p_value=p_value)

    def _of_bounds(
        self,
        pair: Compared,
        difference: float,
        low: float,
        high: float,
        details: Mapping[str, Any],
        *,
        statistic: float = np.nan,
        p_value: float = np.nan,
        **fields: Any,
    ) -> ComparisonResult:
        """Result of bounds, of which the open side is replaced by the end of the range.

        Parameters
        ----------
        pair : Compared
            The two sides.
        difference, low, high : float
            In scorer orientation.
        details : mapping
            All by-products to report.
        statistic, p_value : float, default=nan
            Of the test.
        **fields
            Other fields of the result, such as `draws`.
        """
        metric = difference_of(pair.metric)
        low, high = self._sided(low, high, metric.bounds)
        interval = self._result(metric, difference, low, high, details=details)
        return self._of_interval(
            pair, interval, interval.details, statistic=statistic, p_value=p_value, **fields
        )

    def _of_interval(
        self,
        pair: Compared,
        interval: ConfidenceInterval,
        details: Mapping[str, Any],
        *,
        statistic: float = np.nan,
        p_value: float = np.nan,
        **fields: Any,
    ) -> ComparisonResult:
        """Result of an interval of the difference, as the paired forms of intervals give it.

        Parameters
        ----------
        pair : Compared
            The two sides.
        interval : ConfidenceInterval
            Of the difference, with its draws if it has any.
        details : mapping
            All by-products to report.
        statistic, p_value : float, default=nan
            Of the test.
        **fields
            Other fields of the result.
        """
        return ComparisonResult(
            **{
                "difference": interval.estimate,
                "low": interval.low,
                "high": interval.high,
                "statistic": statistic,
                "p_value": p_value,
                "confidence_level": self.confidence_level,
                "alternative": self.alternative,
                "method": self.name,
                "metric": pair.metric.name,
                "estimand": self.estimand,
                "names": pair.names,
                "assumptions": self.assumptions,
                "label": self.label,
                "n_bootstraps": interval.n_bootstraps,
                "draws": interval.draws,
                "details": details,
                **fields,
            }
        )


def p_of_statistic(statistic: float, alternative: str, degrees: float | None = None) -> float:
    """Probability of a statistic at least as extreme, of a normal or Student distribution.

    Parameters
    ----------
    statistic : float
        Positive where the first side is better.
    alternative : {"two-sided", "greater", "less"}
        What counts as extreme.
    degrees : float, default=None
        Degrees of freedom; None takes the normal distribution.
    """
    beyond = norm.sf if degrees is None else (lambda x: t.sf(x, degrees))
    if alternative == "two-sided":
        return float(min(1.0, 2 * beyond(abs(statistic))))
    return float(beyond(statistic if alternative == "greater" else -statistic))


def p_of_draws(draws: np.ndarray, alternative: str, rule: QuantileRule | None = None) -> float:
    """p-value of no difference from bootstrap draws of the difference.

    It is the smallest level at which the percentile interval of the same draws excludes zero;
    half of the draws that equal zero count for either side.

    Parameters
    ----------
    draws : ndarray of shape (n_draws,)
        All defined.
    alternative : {"two-sided", "greater", "less"}
        What speaks against no difference.
    rule : QuantileRule, default=None
        How the bounds are read off the draws; None is `OrderStatistic`.
    """
    rule = rule or OrderStatistic()
    for_low, for_high = halve_ties(np.sort(draws))
    greater, less = smallest_level(for_low, rule), smallest_level(-for_high[::-1], rule)
    both = min(1.0, 2 * min(greater, less))
    return {"greater": greater, "less": less}.get(alternative, both)


def p_of_certain(difference: float, alternative: str) -> float:
    """Probability where there is no spread at all: 1 for no difference, else 0 or 1.

    Parameters
    ----------
    difference : float
        Positive where the first side is better.
    alternative : {"two-sided", "greater", "less"}
        What speaks against no difference.
    """
    if difference == 0:
        return 1.0
    if alternative == "two-sided":
        return 0.0
    return 0.0 if (difference > 0) == (alternative == "greater") else 1.0
