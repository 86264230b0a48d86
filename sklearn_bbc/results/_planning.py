"""How many samples: the width of an interval by their number, and the criteria of formulas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from .._text import card, count, digits, method_words, metric_words, number, percent, shown
from ._results import Result, floats, indices, read_only

SPREAD = (0.1, 0.9)
"""Quantiles of the studies between which their widths are said to lie."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SampleSizeResult(Result):
    """Widths of intervals by the number of samples, and the number that reaches a target.

    Parameters
    ----------
    n_samples : int
        Number of samples that reaches the target, or the largest of the numbers that were given.
    value : float
        Predicted width, or power, at `n_samples`.
    sizes : ndarray of shape (n_sizes,)
        Numbers of units that were looked at, ascending: samples, or groups where there are some.
    widths : ndarray of shape (n_sizes, n_studies)
        Width of the interval in each study of that size; NaN where it has none.
    at_hand : float
        Width of the interval on the data at hand.
    n_at_hand : int
        Number of units at hand.
    metric, method : str
        Names of the metric and the method.
    confidence_level : float
        Level of the intervals.
    target : float or None, default=None
        Width or power that was asked for; None where the numbers of samples were given.
    excludes : ndarray of shape (n_sizes, n_studies) or None, default=None
        Of a difference: whether the interval of the study lies on the observed side of zero.
    assurance : float, default=0.5
        Share of the studies whose interval is at most as wide as `target`.
    details : mapping, default={}
        By-products: ``unit``, ``samples_per_unit``, ``difference`` (that at hand, of two sides),
        ``names``, ``n_configs``, ``seed``, ``notes``.

    Examples
    --------
    >>> from sklearn_bbc import samples_for_width
    >>> from sklearn_bbc.testing import example_predictions
    >>> result = samples_for_width(
    ...     example_predictions(), n_samples=[50, 100, 200], scoring="roc_auc", n_studies=20,
    ...     random_state=0,
    ... )
    >>> result.frame()[["width", "root_n"]].round(2)
               width  root_n
    n_samples
    50          0.22    0.21
    100         0.14    0.15
    200         0.10    0.10
    """

    n_samples: int
    value: float
    sizes: np.ndarray
    widths: np.ndarray
    at_hand: float
    n_at_hand: int
    metric: str
    method: str
    confidence_level: float
    target: float | None = None
    excludes: np.ndarray | None = None
    assurance: float = 0.5
    details: Mapping[str, Any] = field(default_factory=dict)

    _drawn_by = "SampleSizeDisplay.from_results({})"
    _types = {
        "target": float,
        "n_samples": int,
        **dict.fromkeys(("value", "at_hand"), float),
        "sizes": indices,
        **dict.fromkeys(("widths", "excludes"), floats),
        "details": read_only,
    }
    noun = "number of samples"

    def frame(self) -> pd.DataFrame:
        """Return one row for each number of samples that was looked at.

        Returns
        -------
        DataFrame
            Indexed by ``n_samples`` (with groups: their number times their mean size, beside
            ``n_groups``): the ``width`` of the interval (median of the studies), ``width_low`` and
            ``width_high`` (between them lie 80% of the studies), ``reached`` (the quantile of
            `assurance`), ``root_n`` (the width at hand, scaled by the square root of the number),
            ``undefined`` (share of the studies without an interval) and, of a difference,
            ``power`` (share of the studies whose interval lies on the observed side of zero).
        """
        low, high = (quantiles(self.widths, level) for level in SPREAD)
        columns: dict[str, Any] = {
            "width": quantiles(self.widths, 0.5),
            "width_low": low,
            "width_high": high,
            "reached": quantiles(self.widths, self.assurance),
            "root_n": self.at_hand * np.sqrt(self.n_at_hand / self.sizes),
            "undefined": np.isnan(self.widths).mean(axis=1),
        }
        if self.excludes is not None:
            columns["power"] = self.excludes.mean(axis=1)
        each = self.details.get("samples_per_unit", 1.0)
        if self.details.get("unit", "sample") == "group":
            columns = {"n_groups": self.sizes, **columns}
        index = pd.Index(np.ceil(self.sizes * each - 1e-9).astype(int), name="n_samples")
        return pd.DataFrame(columns, index=index)

    def summary(self) -> str:
        """Write what was found in a few sentences.

        Returns
        -------
        str
            The number of samples and what it reaches, the width at hand, and what it rests on.
        """
        level, n_samples = percent(self.confidence_level), self._count(self.n_samples)
        value, width = shown(self.value, self.at_hand)
        name = metric_words(self.metric, sign=self.details.get("sign")).name
        at_hand = f"With the {self._count_at_hand()} at hand it is {width} wide."
        if self.excludes is not None:
            one, other = self.details["names"]
            (difference,) = shown(abs(self.details["difference"]))
            lead = (
                f"With {n_samples} the {level} interval of the difference in {name} between {one} "
                f"and {other} excludes zero with a probability of {self.value:.0%}, if the true "
                f"difference is that at hand, {difference}."
            )
        elif self.target is None:
            by = method_words(self.method).sentence
            lead = (
                f"With {n_samples} the {level} interval of the {name} by {by} is expected to be "
                f"{value} wide."
            )
        else:
            by = method_words(self.method).sentence
            share = "half" if self.assurance == 0.5 else percent(self.assurance)
            lead = (
                f"For a {level} interval of the {name} by {by} that is at most {self.target:g} "
                f"wide it takes about {n_samples}: {share} of the studies of that size have one."
            )
        return " ".join([lead, at_hand, *self.details["notes"][:1]])

    def _count(self, n_samples: int) -> str:
        """Count samples, with the number of groups where groups are drawn."""
        noun = self.details.get("noun", "sample")
        if self.details.get("unit", "sample") != "group":
            return count(n_samples, noun)
        groups = round(n_samples / self.details["samples_per_unit"])
        return f"{count(n_samples, noun)} in {count(groups, 'group')}"

    def _repr_html_(self) -> str:
        """Write a card for notebooks."""
        name = metric_words(self.metric, sign=self.details.get("sign")).name
        what = "power" if self.excludes is not None else "width"
        rows = [
            (what, number(self.value)),
            ("metric", name),
            ("width at hand", f"{number(self.at_hand)} ({self._count_at_hand()})"),
        ]
        title = "Number of samples"
        return card(title, self._count(self.n_samples), rows, self.details.get("notes", ()))

    def _count_at_hand(self) -> str:
        return self._count(round(self.n_at_hand * self.details.get("samples_per_unit", 1.0)))

    def __repr__(self) -> str:
        what = "power" if self.excludes is not None else "width"
        return (
            f"SampleSizeResult(n_samples={self.n_samples}, {what}={digits(self.value, 4)}, "
            f"metric={self.metric!r}, method={self.method!r}, {len(self.sizes)} sizes)"
        )


def quantiles(widths: np.ndarray, level: float) -> np.ndarray:
    """Compute a quantile of the studies of each size; one without an interval is the widest.

    `widths` (n_sizes, n_studies) -> (n_sizes,), infinite where it falls on such a study.
    """
    ordered = np.sort(np.where(np.isnan(widths), np.inf, widths), axis=1)
    place = level * (ordered.shape[1] - 1)
    below, above = int(np.floor(place)), int(np.ceil(place))
    share = place - below
    if not share:
        return np.asarray(ordered[:, below])
    return np.asarray((1 - share) * ordered[:, below] + share * ordered[:, above])


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CriteriaResult(Result):
    """Number of samples that a formula asks for, with the number of each criterion.

    Parameters
    ----------
    n_samples : int
        Largest of the numbers of the criteria.
    criteria : mapping of str to int
        Criterion -> smallest number of samples that meets it.
    purpose : str
        What the samples are for, in words.
    n_events : float or None, default=None
        Events that are expected among them; None for continuous outcomes.
    details : mapping, default={}
        By-products, and ``assumptions``: what was given.

    Examples
    --------
    >>> from sklearn_bbc.planning import develop_binary
    >>> develop_binary(n_parameters=24, prevalence=0.174, r2_cox_snell=0.288).n_samples
    662
    """

    n_samples: int
    criteria: Mapping[str, int]
    purpose: str
    n_events: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    _types = {
        "n_samples": int,
        "criteria": read_only,
        "n_events": float,
        "details": read_only,
    }

    def frame(self) -> pd.DataFrame:
        """Return one row for each criterion.

        Returns
        -------
        DataFrame
            Indexed by ``criterion``: ``n_samples``, and ``decides`` where it is the largest.
        """
        index = pd.Index(list(self.criteria), name="criterion")
        numbers = np.array(list(self.criteria.values()))
        columns = {"n_samples": numbers, "decides": numbers == self.n_samples}
        return pd.DataFrame(columns, index=index)

    def summary(self) -> str:
        """Write the number and what decides it in a sentence.

        Returns
        -------
        str
            The number of samples, of events where there are some, and the criterion.
        """
        deciding = [name for name, n in self.criteria.items() if n == self.n_samples]
        events = ""
        if self.n_events is not None:
            events = f" with about {count(int(np.ceil(self.n_events - 1e-9)), 'event')}"
        return (
            f"{self.purpose} takes {count(self.n_samples, 'sample')}{events}, for "
            f"{' and '.join(deciding)}."
        )

    def __repr__(self) -> str:
        return f"CriteriaResult(n_samples={self.n_samples}, criteria={dict(self.criteria)})"
