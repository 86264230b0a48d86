"""What an interval method returns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

import numpy as np

from .._equality import same
from .._wording import (
    MetricWords,
    PrintedScore,
    card,
    count,
    is_usual_positive,
    method_words,
    metric_words,
    printed_score,
)
from ._arrays import frozen_array

__all__ = ["ConfidenceInterval"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ConfidenceInterval:
    """An estimate of a score with the interval around it.

    Iterates as ``(low, high)``, so ``low, high = result`` works, and ``value in result``
    tells whether the interval holds a value. All scores are in scorer orientation:
    greater is better, losses are negative, exactly as in ``cv_results_``.

    Parameters
    ----------
    estimate : float
        Point estimate of the score, in the scorer's unit; NaN where it would be infinite.
    low, high : float
        Bounds of the interval. With ``alternative="greater"``, `high` is the largest
        value the metric can take; with ``"less"``, `low` is the smallest. NaN when the
        method gives no interval.
    confidence_level : float
        Promised share of data sets for which the interval holds the true score.
    alternative : {"two-sided", "greater", "less"}
        Sidedness, in scipy's words: ``"greater"`` keeps only the lower bound.
    method : str
        Name of the method, for example ``"bbc"``.
    metric : str
        Name of the metric, for example ``"roc_auc"``.
    estimand : str
        What is being estimated, in words.
    n_bootstraps : int or None, default=None
        Number of draws behind the interval; None for methods without draws.
    draws : ndarray of shape (n_draws,) or None, default=None
        Distribution of the score over the draws.
    details : mapping, default={}
        By-products: winner, n_redrawn, n_undefined, unit, seed, warnings... No result
        lies beyond the metric's range: where a formula went there, ``unclipped`` has both
        bounds as they were before they were cut, and ``unclipped_estimate`` the estimate.
        Where the estimate or a bound is NaN, or a bound of two infinite, ``reason`` says why.
        Where the interval has no width, ``no_width`` says what the data can exclude, and
        ``exact_bounds`` are binomial bounds if the score is a share of samples. Metrics that
        treat two classes apart have the ``positive_class``, losses a ``sign`` of -1.

    Notes
    -----
    Two results are equal when all their fields hold the same, `draws` and `details` included,
    with NaN equal to NaN; so a result equals its unpickled copy. It can be hashed.

    Examples
    --------
    >>> from sklearn_bbc import ConfidenceInterval
    >>> result = ConfidenceInterval(
    ...     estimate=0.9, low=0.84, high=0.95, confidence_level=0.95,
    ...     alternative="two-sided", method="bbc", metric="roc_auc", estimand="winner",
    ... )
    >>> low, high = result
    >>> low, high
    (0.84, 0.95)
    >>> 0.9 in result, 0.99 in result
    (True, False)
    """

    estimate: float
    low: float
    high: float
    confidence_level: float
    alternative: str
    method: str
    metric: str
    estimand: str
    n_bootstraps: int | None = None
    draws: np.ndarray | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("estimate", "low", "high", "confidence_level"):
            object.__setattr__(self, name, float(getattr(self, name)))
        if self.draws is not None:
            object.__setattr__(self, "draws", frozen_array(self.draws, dtype=float))
        object.__setattr__(self, "details", MappingProxyType(dict(self.details)))

    @property
    def width(self) -> float:
        """Distance between the bounds, in the scorer's unit."""
        return self.high - self.low

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        return bool(self.low <= value <= self.high)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields but the draws as a plain dictionary.

        Returns
        -------
        dict
            One entry per field, `details` included, `draws` left out for its size.
        """
        result = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "draws"}
        result["details"] = dict(self.details)
        return result

    def _printed(self, others: Sequence[float] = ()) -> tuple[MetricWords, PrintedScore]:
        """Name of the metric, and the texts of the scores; `others` are of the same metric."""
        scores = (self.estimate, self.low, self.high, *others)
        words = metric_words(self.metric, scores, self.details.get("sign"))
        return words, printed_score(
            words, self.estimate, self.low, self.high, confidence_level=self.confidence_level,
            alternative=self.alternative, others=others,
        )  # fmt: skip

    def _repr_html_(self) -> str:
        """Card for notebooks."""
        words, printed = self._printed()
        method = method_words(self.method).short
        if "error" in self.details:
            rows = [("method", method), ("why", str(self.details["error"]))]
            return card(words.name, "no interval could be computed", rows)
        rows = [("interval", printed.interval()), ("method", method)]
        rows.append(("about", self.estimand))
        if "tuned_by" in self.details:
            rows.append(("as if tuned by", metric_words(self.details["tuned_by"]).name))
        if self.n_bootstraps is not None:
            unit = self.details.get("unit", "sample")
            rows.append(("draws", f"{count(self.n_bootstraps, 'draw')} of {unit}s"))
        positive = self.details.get("positive_class")
        if positive is not None and not is_usual_positive(positive):
            rows.append(("positive class", repr(positive)))
        if not math.isnan(self.estimate) and words.is_loss:
            rows.append(("scale", "smaller is better"))
        notes = [str(note) for note in self.details.get("notes", ())]
        return card(words.name, printed.cell(), rows, notes)

    def __repr__(self) -> str:
        level = f"{100 * self.confidence_level:g}%"
        tuned = f", tuned_by={self.details['tuned_by']!r}" if "tuned_by" in self.details else ""
        return (
            f"ConfidenceInterval(low={self.low:.4g}, high={self.high:.4g}, "
            f"estimate={self.estimate:.4g}, {level} {self.alternative}, "
            f"method={self.method!r}, metric={self.metric!r}{tuned})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConfidenceInterval):
            return NotImplemented
        return all(same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    # Of what cannot be NaN: NaN equals NaN here, but not every NaN has the same hash.
    def __hash__(self) -> int:
        level = self.confidence_level
        return hash((self.method, self.metric, self.alternative, level, self.n_bootstraps))

    # A mapping proxy cannot be pickled, and unpickled arrays come back writeable.
    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "details": dict(self.details)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        ConfidenceInterval.__post_init__(self)
