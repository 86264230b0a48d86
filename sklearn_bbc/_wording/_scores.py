"""An estimate and its interval as they are printed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ._metrics import MetricWords
from ._numbers import percent, shown

__all__ = ["PrintedScore", "printed_score"]

TURNED = {"greater": "less", "less": "greater"}


@dataclass(frozen=True)
class PrintedScore:
    """Texts of an estimate, its bounds and what stands beside it.

    Parameters
    ----------
    estimate, low, high : str
        With the same number of decimals.
    others : tuple of str
        Other scores of the same metric, with these decimals too.
    level : str
        Confidence level, for example ``"95%"``.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"`` shows the lower bound only. Of printed values: for a loss it is turned.
    has_interval : bool
        Whether the bounds that are to be shown are numbers.
    kind : str, default="confidence interval"
        What the interval is.
    """

    estimate: str
    low: str
    high: str
    others: tuple[str, ...]
    level: str
    alternative: str
    has_interval: bool
    kind: str = "confidence interval"

    def bounds(self, sign: str = "") -> str:
        """Bounds without the level; `sign` stands before "at least"."""
        if not self.has_interval:
            return "no interval"
        if self.alternative == "greater":
            return f"{sign}at least {self.low}"
        if self.alternative == "less":
            return f"{sign}at most {self.high}"
        return f"{self.low} to {self.high}"

    def interval(self) -> str:
        """Bounds with the level, for a sentence."""
        if not self.has_interval:
            return "no interval"
        if self.alternative == "two-sided":
            return f"{self.level} {self.kind} {self.bounds()}"
        return f"one-sided {self.level} {self.kind}: {self.bounds()}"

    def cell(self) -> str:
        """Estimate and bounds for a cell of a table."""
        return f"{self.estimate} ({self.bounds()})" if self.has_interval else self.estimate


def printed_score(
    metric: MetricWords,
    estimate: float,
    low: float,
    high: float,
    *,
    confidence_level: float,
    alternative: str = "two-sided",
    others: Sequence[float] = (),
    kind: str = "confidence interval",
) -> PrintedScore:
    """Write an estimate and its interval, both in scorer orientation, with the printed sign.

    Parameters
    ----------
    metric : MetricWords
        Name and sign of the metric.
    estimate, low, high : float
        As in a `ConfidenceInterval`.
    confidence_level : float
        Level of the interval.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Sidedness in scorer orientation.
    others : sequence of float, default=()
        Scores to be written with the same decimals.
    kind : str, default="confidence interval"
        What the interval is.

    Returns
    -------
    PrintedScore
        The texts.
    """
    side = TURNED.get(alternative, alternative) if metric.is_loss else alternative
    bounds = metric.natural_bounds(low, high)
    # A bound that is not shown is the end of a range, or none: it must not cost decimals.
    there = not math.isnan(low) and not math.isnan(high)
    kept = (there and side != "less", there and side != "greater")
    values = [metric.natural(estimate), *(b for b, keep in zip(bounds, kept) if keep)]
    texts = shown(*values, *map(metric.natural, others))
    first, rest = texts[0], texts[1:]
    given = [rest.pop(0) if keep else "" for keep in kept]
    return PrintedScore(
        estimate=first,
        low=given[0],
        high=given[1],
        others=tuple(rest),
        level=percent(confidence_level),
        alternative=side,
        has_interval=any(kept),
        kind=kind,
    )
