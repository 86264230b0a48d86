"""Forest plots: differences of two sides, and several searches or metrics."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from .._parameters import Number, constrained
from .._text import metric_words, p_value_text, percent
from .._utils import got
from ..results._results import ComparisonResult, ConfidenceInterval
from ._base import BaseDisplay
from ._intervals import best_score_of, results_of_search
from ._layout import (
    LINE,
    NAMES_SHARE,
    READABLE,
    SCORE_MARKS,
    axis_numbers,
    bare,
    bounds_text,
    direction,
    distinct,
    draw_bar,
    draw_interval,
    in_print,
    is_narrow,
    label_in_search,
    label_x,
    labelled,
    labelled_results,
    legend_above,
    limits,
    name_rows,
    panels,
    size_of,
    words_of,
    write_beside,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


DIFFERENCE_ROW = 0.48
"""Height of a row in inches."""
EQUIVALENT = "0.88"


class DifferencesDisplay(BaseDisplay):
    """Forest plot of differences between two sides, one row for each comparison.

    A dot is the estimated difference, positive where the first side is better, and a bar its
    interval. A side without a bound ends in an arrow, whatever the range of the metric is; a
    difference without an interval is an open dot. Beside a row stand the numbers, the p-value and
    the method; a method that all rows share stands below the axis instead. Where there is little
    space, texts are smaller, and first the method and then the p-value are left out.

    Parameters
    ----------
    results : ComparisonResult, mapping of str to ComparisonResult, or iterable of them
        Label of the row -> result, from top to bottom. Without a mapping labels are made of both
        sides' names, followed by as much as distinguishes the results.
    rope : float or None, default=None
        Half the width of the region of practical equivalence around zero, shaded in all rows, in
        the metric's unit. None shades it in the rows whose result has one
        (``details["rope"]``, from `BayesianCorrelatedT`).

    Raises
    ------
    ValueError
        If there is no result, something is not one, or `rope` is not a finite number of at least
        0.

    See Also
    --------
    IntervalsDisplay : Intervals of scores, not of differences.
    sklearn_bbc.BBCSearchCV.compare : Compares a search with a baseline.

    Notes
    -----
    Each interval and each p-value is for one comparison by itself. Many of them together find
    something by chance; the plot corrects nothing.

    Examples
    --------
    >>> from sklearn_bbc import compare
    >>> from sklearn_bbc.comparison import Side
    >>> from sklearn_bbc.display import DifferencesDisplay
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> results = {
    ...     f"winner or {k}": compare(oof, Side(oof=oof, config=k), "roc_auc", random_state=0)
    ...     for k in (0, 1)
    ... }
    >>> display = DifferencesDisplay.from_results(results)
    >>> display.frame()[["difference", "low", "high"]].round(2)
                 difference   low  high
    label
    winner or 0        0.11 -0.07  0.30
    winner or 1       -0.02 -0.13  0.08
    >>> print(display.plot().ax_.get_xlabel())
    difference in ROC AUC, 95% intervals
    (positive: the first is better)
    BBC difference, each selection repeated
    """

    name = "differences"
    why_no_search = "it shows comparisons, which need a baseline each: search.compare(baseline)"

    @constrained(rope=Number(least=0, or_none=True, hint="It has the unit of the metric."))
    def __init__(self, *, results: Any, rope: float | None = None) -> None:
        self.results: dict[str, ComparisonResult] = labelled_results(
            results, ComparisonResult, _labels_of, "search.compare(baseline) makes one."
        )
        self.rope = rope

    def frame(self) -> pd.DataFrame:
        """Return the numbers that the plot shows.

        Returns
        -------
        DataFrame
            One row per comparison, from top to bottom. `rope` is NaN where there is none.
        """
        rows = [
            {
                "first": r.names[0], "second": r.names[1], "metric": r.metric,
                "difference": r.difference, "low": r.low, "high": r.high, "p_value": r.p_value,
                "confidence_level": r.confidence_level, "alternative": r.alternative,
                "method": r.method, "rope": self._rope_of(r),
            }
            for r in self.results.values()
        ]  # fmt: skip
        return pd.DataFrame(rows, index=pd.Index(list(self.results), name="label"))

    def plot(self, ax: Axes | None = None) -> DifferencesDisplay:
        n_rows = len(self.results)
        ax = self._axes(ax, height=1.1 + DIFFERENCE_ROW * n_rows)
        ax.set_xlim(*_limits(self.results.values(), list(self.frame()["rope"])))
        ax.set_ylim(-n_rows + 0.5, 0.5)
        bare(ax)
        for k, result in enumerate(self.results.values()):
            self._shade(ax, -k, self._rope_of(result))
            draw_bar(ax, -k, result.difference, _bounds_or_infinite(result))
        ax.axvline(0, color="0.3", linewidth=1, zorder=2)
        self._write(ax, label_x(ax, *self._label()))
        return self

    def _rope_of(self, result: ComparisonResult) -> float:
        rope = result.details.get("rope", math.nan) if self.rope is None else self.rope
        return float(rope)

    @staticmethod
    def _shade(ax: Axes, y: float, rope: float) -> None:
        if rope > 0:
            ax.fill_betweenx(
                [y - 0.5, y + 0.5], -rope, rope, color=EQUIVALENT, linewidth=0, zorder=0.5
            )

    def _write(self, ax: Axes, below: float) -> None:
        """Write names and numbers, where `below` are the points that the label takes."""
        narrow = is_narrow(ax)
        at = [-k for k in range(len(self.results))]
        row = (size_of(ax)[1] - below * narrow) / len(at)
        # From all texts to those that there must be.
        for how in (_p_value if self._shared_method() else _how, _p_value, lambda _: ""):
            lines = [
                [_bounds_shown(result), *textwrap.wrap(how(result), 28 if narrow else 38)]
                for result in self.results.values()
            ]
            size = row / LINE / (max(map(len, lines)) + narrow)
            if size >= READABLE:
                break
        under, share = (lines, NAMES_SHARE) if narrow else ([], 0.3)
        name_rows(ax, at, list(self.results), under, reserved=below * narrow, share=share)
        ax.tick_params(axis="y", pad=8)  # room for an arrow between the axes and the names
        for y, texts in zip(at, [] if narrow else lines):
            write_beside(ax, y, "\n".join(texts), min(size, 9.0))

    def _shared_method(self) -> str:
        """Return the method that several rows share, which is written once; else empty."""
        methods = {result.label or result.method for result in self.results.values()}
        return methods.pop() if len(methods) == 1 < len(self.results) else ""

    def _label(self) -> list[str]:
        """Write the metric and level, what is positive, the shared method, and what is shaded."""
        results = list(self.results.values())
        metrics = {metric_words(result.metric).name for result in results}
        levels = {percent(result.confidence_level) for result in results}
        what = f"difference in {metrics.pop()}" if len(metrics) == 1 else "difference in score"
        level = f"{levels.pop()} intervals" if len(levels) == 1 else "intervals"
        ropes = set(self.frame()["rope"].dropna()) - {0.0}
        size = f" (±{axis_numbers(ropes.pop())[0]})" if len(ropes) == 1 else ""
        shaded = (
            f"shaded: equivalent in practice{size}" if self.frame()["rope"].gt(0).any() else ""
        )
        first = "(positive: the first is better)"
        return [f"{what}, {level}", first, self._shared_method(), shaded]


def _labels_of(results: list[ComparisonResult]) -> list[str]:
    """Label results by both sides' names, followed by as much as distinguishes the results."""
    sides = [f"{one} \N{MINUS SIGN} {other}" for one, other in (r.names for r in results)]
    return distinct(sides, results, [f", {result.label or result.method}" for result in results])


def _bounds_or_infinite(result: ComparisonResult) -> tuple[float, float]:
    """Return both bounds, infinite on a side that has none; NaN where there is no interval."""
    if math.isnan(result.low) or math.isnan(result.high):
        return math.nan, math.nan
    return (
        -math.inf if result.alternative == "less" else result.low,
        math.inf if result.alternative == "greater" else result.high,
    )


def _limits(results: Iterable[ComparisonResult], ropes: list[float]) -> tuple[float, float]:
    """Find limits around zero, all differences, bounds and regions, with space for arrows."""
    values = [0.0]
    for rope in ropes:
        values += [-rope, rope]
    for result in results:
        values += [result.difference, *_bounds_or_infinite(result)]
    return limits(values, margin=0.1)


def _bounds_shown(result: ComparisonResult) -> str:
    """Write the difference and bounds; of a one-sided interval only the bound asked for."""
    if math.isnan(result.difference):
        return "undefined"
    return bounds_text(result.difference, result.low, result.high, result.alternative)


def _p_value(result: ComparisonResult) -> str:
    return "" if math.isnan(result.p_value) else p_value_text(result.p_value)


def _how(result: ComparisonResult) -> str:
    """Write the p-value and the method."""
    return ", ".join(filter(None, [_p_value(result), result.label or result.method]))


FOREST_ROW = 0.42
"""Height of a row in inches."""
BEST = "best CV score"

ResultsByRow = dict[str, dict[str, ConfidenceInterval]]


class ForestDisplay(BaseDisplay):
    r"""Forest plot of several searches, data sets or methods, with a panel for each metric.

    A row is a search or a data set. Metrics of different scale have panels of their own, each
    with its own axis and the sign that people print. The uncorrected score of each search is
    an open diamond.

    Parameters
    ----------
    results : mapping
        Label of the row -> ConfidenceInterval, or several of them, one for each metric.
    best_scores : mapping of str to mapping of str to float, default=None
        Label of the row -> metric -> score that the search reports, in scorer orientation.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The first panel, after `plot`.
    axes_ : list of matplotlib Axes
        All panels, after `plot`.
    figure_ : matplotlib Figure
        The figure around them, after `plot`.

    Raises
    ------
    ValueError
        If there is no result, something is not one, or a row has two of one metric.

    See Also
    --------
    IntervalsDisplay : Intervals of one metric, with numbers beside them.

    Examples
    --------
    >>> from sklearn_bbc.display import ForestDisplay
    >>> from sklearn_bbc.intervals import BBC
    >>> from sklearn_bbc.testing import example_predictions
    >>> bbc = BBC(random_state=0)
    >>> results = {
    ...     f"{n} samples": [
    ...         bbc.estimate(example_predictions(n_samples=n), metric)
    ...         for metric in ("roc_auc", "neg_log_loss")
    ...     ]
    ...     for n in (60, 120)
    ... }
    >>> display = ForestDisplay.from_results(results).plot()
    >>> [ax.get_xlabel().replace("\n", " ") for ax in display.axes_]
    ['ROC AUC (greater is better)', 'log loss (smaller is better)']
    """

    name = "forest"

    axes_: list[Axes]

    def __init__(
        self,
        *,
        results: Any,
        best_scores: Mapping[str, Mapping[str, float]] | None = None,
    ) -> None:
        self.results = _rows_of_results(results)
        if not isinstance(best_scores or {}, Mapping):
            raise ValueError(
                f"best_scores must map a row to the score of each metric, got {got(best_scores)}."
            )
        self.best_scores = {
            str(label): {str(metric): float(score) for metric, score in scores.items()}
            for label, scores in (best_scores or {}).items()
        }
        unknown = set(self.best_scores) - set(self.results)
        if unknown:
            raise ValueError(
                f"best_scores has the rows {sorted(unknown)}, which results does not have; its "
                f"rows are {list(self.results)}."
            )
        for label, scores in self.best_scores.items():
            unknown = set(scores) - set(self.results[label])
            if unknown:
                raise ValueError(
                    f"best_scores has {sorted(unknown)} for the row {label!r}, which has no such "
                    f"metric; its metrics are {list(self.results[label])}."
                )

    @classmethod
    def from_search(cls, search: Any) -> ForestDisplay:
        """Build the plot of all intervals of a fitted search, its metrics side by side.

        Parameters
        ----------
        search : fitted BBCSearchCV
            Only its public attributes are read.

        Returns
        -------
        ForestDisplay
            A row for each method, not yet drawn.
        """
        results_of_search(search)  # raises where something is missing
        return cls._of_entries(
            (label_in_search(name, result), search, metric, result)
            for metric, by_name in search.ci_results_.items()
            for name, result in by_name.items()
        )

    @classmethod
    def _of_entries(cls, entries: Iterable[tuple[str, Any, str, ConfidenceInterval]]) -> Self:
        """Build the plot of results, each with its label, its search and the metric there."""
        rows: ResultsByRow = {}
        best: dict[str, dict[str, float]] = {}
        for label, search, metric, result in entries:
            rows.setdefault(label, {})[result.metric] = result
            best.setdefault(label, {})[result.metric] = best_score_of(search, metric, result)
        return cls(results=rows, best_scores=best)

    @classmethod
    def from_searches(
        cls, searches: Mapping[str, Any], *, method: str | None = None
    ) -> ForestDisplay:
        """Build the plot of several fitted searches, on the same data or on different data.

        Parameters
        ----------
        searches : mapping of str to fitted BBCSearchCV
            Label of the row -> search.
        method : str or None, default=None
            Name of the interval method, as in ``ci_results_``; None takes the first of each.

        Returns
        -------
        ForestDisplay
            A row for each search, not yet drawn.

        Raises
        ------
        ValueError
            If a search is not fitted, or has no interval by `method`.
        """
        entries = []
        for label, search in searches.items():
            results_of_search(search)
            for metric, by_name in search.ci_results_.items():
                name = next(iter(by_name)) if method is None else method
                if name not in by_name:
                    raise ValueError(
                        f"method={method!r} is not among the intervals of {label!r}; these are "
                        f"{list(by_name)}."
                    )
                entries.append((label, search, metric, by_name[name]))
        return cls._of_entries(entries)

    @property
    def metrics(self) -> list[str]:
        """Metrics of the panels, from left to right."""
        return list(dict.fromkeys(metric for row in self.results.values() for metric in row))

    def frame(self) -> pd.DataFrame:
        """Return the numbers that the plot shows, in scorer orientation: greater is better.

        Returns
        -------
        DataFrame
            One row per row of the plot and metric, from top to bottom.
        """
        return pd.DataFrame([
            {
                "label": label, "metric": metric, "method": r.method, "estimate": r.estimate,
                "low": r.low, "high": r.high, "confidence_level": r.confidence_level,
                "alternative": r.alternative, "best_score": self._best(label, metric),
            }
            for label, row in self.results.items() for metric, r in row.items()
        ])  # fmt: skip

    def plot(self, ax: Axes | None = None) -> ForestDisplay:
        metrics, n_rows = self.metrics, len(self.results)
        first = self._axes(
            ax,
            height=1.1 + FOREST_ROW * n_rows,
            width=max(6.0, min(3.0 + 2.4 * len(metrics), 11.0)),
        )
        self.axes_ = panels(first, len(metrics))
        at = [-k for k in range(n_rows)]
        below = above = 0.0
        for panel, metric in zip(self.axes_, metrics, strict=True):
            below = max(below, self._panel(panel, metric, at))
            panel.set_yticks(at, [""] * n_rows)
        for panel in reversed(self.axes_):  # the last one that has a diamond
            if above := legend_above(panel):
                break
        share = NAMES_SHARE * (1 + 0.6 * (len(metrics) - 1))
        name_rows(first, at, list(self.results), reserved=above + below, share=share)
        return self

    def _panel(self, ax: Axes, metric: str, at: list[int]) -> float:
        """Draw the results of one metric; return the points that the label below takes."""
        rows = {label: row[metric] for label, row in self.results.items() if metric in row}
        words = words_of(rows.values())
        printed = {label: in_print(result, words) for label, result in rows.items()}
        best = {label: words.natural(self._best(label, metric)) for label in printed}
        ends = [v for r in printed.values() for v in (r.low, r.estimate, r.high)]
        ax.set_xlim(limits([*ends, *best.values()]))
        ax.set_ylim(at[-1] - 0.6, 0.6)
        marked = []
        for y, label in zip(at, self.results):
            if label in printed:
                draw_interval(ax, y, printed[label])
                if math.isfinite(best[label]):
                    marked.append((best[label], y))
        bare(ax)
        if marked:
            ax.plot(
                *np.transpose(marked), "D", label=BEST, markersize=5, markerfacecolor="none",
                color=SCORE_MARKS[BEST]["color"], markeredgewidth=1.4, zorder=5,
            )  # fmt: skip
        return label_x(ax, direction(words).replace(" (", "\n("), centred=len(self.metrics) > 1)

    def _best(self, label: str, metric: str) -> float:
        return self.best_scores.get(label, {}).get(metric, math.nan)


def _rows_of_results(results: Any) -> ResultsByRow:
    """Arrange results by row and metric."""
    rows: ResultsByRow = {}
    if isinstance(results, Mapping) and results:
        for label, of_row in results.items():
            row = rows[str(label)] = {}
            for result in labelled(of_row).values():
                if result.metric in row:
                    raise ValueError(
                        f"The row {str(label)!r} has two results of {result.metric!r}; give each "
                        "a row of its own."
                    )
                row[result.metric] = result
        return rows
    by_metric: dict[str, list[ConfidenceInterval]] = {}
    for result in labelled(results).values():
        by_metric.setdefault(result.metric, []).append(result)
    for each in by_metric.values():  # within a metric, methods distinguish results
        for label, result in labelled(each).items():
            rows.setdefault(label, {})[result.metric] = result
    return rows
