"""Forest plot of paired differences: several comparisons, one row each."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable
from numbers import Real
from typing import TYPE_CHECKING, Any

import pandas as pd

from .._wording import metric_words, p_value
from ..results import ComparisonResult
from ._artists import INTERVAL, bare, bounds_text, limits, number
from ._base import BaseDisplay
from ._labels import SIDES, first_that_differ, labelled_results
from ._room import LINE, fitted, is_narrow, size_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 0.48
"""Height of a row in inches."""
LARGEST, READABLE, SMALLEST = 9.0, 6.0, 4.0
"""Sizes of the texts in points: what is hard to read gives way to fewer texts."""
EQUIVALENT = "0.88"


class DifferencesDisplay(BaseDisplay):
    """Forest plot of differences between two sides, one row for each comparison.

    A dot is the estimated difference, positive where the first side is better, and a bar its
    interval. A side without a bound ends in an arrow, whatever the range of the metric is; a
    difference without an interval is an open dot. Beside a row stand the numbers, the p-value and
    the method; a method that all rows share stands below the axis instead.

    Parameters
    ----------
    results : ComparisonResult, mapping of str to ComparisonResult, or iterable of them
        Label of the row -> result, from top to bottom. Without a mapping labels are made of both
        sides' names, followed by as much as it takes to tell the results apart.
    rope : float or None, default=None
        Half the width of the region of practical equivalence around zero, shaded in all rows, in
        the metric's unit. None shades it in the rows whose result has one
        (``details["rope"]``, from `BayesianCorrelatedT`).

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the picture is, after `plot`.
    figure_ : matplotlib Figure
        The figure around it, after `plot`.

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
    something by chance; the picture corrects nothing.

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

    def __init__(self, *, results: Any, rope: float | None = None) -> None:
        self.results: dict[str, ComparisonResult] = labelled_results(
            results, ComparisonResult, _labels_of, "search.compare(baseline) makes one."
        )
        is_number = isinstance(rope, Real) and not isinstance(rope, bool)
        if rope is not None and not (is_number and 0 <= rope < math.inf):
            raise ValueError(
                f"rope must be a finite number of at least 0 in the unit of the metric or None, "
                f"got {rope!r}."
            )
        self.rope = rope

    @classmethod
    def from_results(cls, results: Any, *, rope: float | None = None) -> DifferencesDisplay:
        """Build the picture of one or more comparisons.

        Parameters
        ----------
        results : ComparisonResult, mapping of str to ComparisonResult, or iterable of them
            A mapping brings its labels.
        rope : float or None, default=None
            Half the width of the region of practical equivalence, for all rows.

        Returns
        -------
        DifferencesDisplay
            The picture, not yet drawn.
        """
        return cls(results=results, rope=rope)

    def frame(self) -> pd.DataFrame:
        """Return the numbers that the picture shows.

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
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure that is as high as the rows need. Where there is
            little room, texts are smaller and stand below each other, and first the method and
            then the p-value are left out.

        Returns
        -------
        self : DifferencesDisplay
            With `ax_` and `figure_`.
        """
        n_rows = len(self.results)
        ax = self._axes(ax, height=1.1 + ROW * n_rows)
        ax.set_xlim(*_limits(self.results.values(), list(self.frame()["rope"])))
        ax.set_ylim(-n_rows + 0.5, 0.5)
        bare(ax)
        for k, result in enumerate(self.results.values()):
            self._shade(ax, -k, self._rope_of(result))
            _draw(ax, -k, result)
        ax.axvline(0, color="0.3", linewidth=1, zorder=2)
        size = self._texts(ax)
        # To the right, since the names leave room at its left that the label may need.
        ax.set_xlabel("\n".join(self._label_lines(ax, size)), fontsize=size, loc="right")
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

    def _texts(self, ax: Axes) -> float:
        """Write names and numbers, and give the size of the letters."""
        _, height = size_of(ax)
        narrow = is_narrow(ax)
        # In a small figure the labels below the axes take what is not there any more.
        below = len(self._label_lines(ax, READABLE)) if narrow else 0
        results = self.results.values()
        full = _p_value if self._shared_method() else _how
        names = [textwrap.fill(label, 26 if narrow else 30) for label in self.results]
        beside: list[list[str]] = []
        # From all that there is to say to what there must be.
        for how in (full, _p_value, None):
            beside = [[_numbers(r), *_filled(how, r, 28 if narrow else 38)] for r in results]
            if narrow:
                left = ["\n".join([name, *lines]) for name, lines in zip(names, beside)]
                right = []
            else:
                left, right = names, ["\n".join(lines) for lines in beside]
            n_lines = max(1 + text.count("\n") for text in [*left, *right])
            size = height / (n_lines * len(names) + below) / LINE
            if size >= READABLE:
                break
        size = min(LARGEST - narrow, max(SMALLEST, size))
        # Room for an arrow between the axes and the names.
        ax.tick_params(axis="y", pad=8)
        ax.set_yticks([-k for k in range(len(left))], left, fontsize=size)
        for k, text in enumerate(right):
            ax.annotate(
                text, (1, -k), (12, 0), xycoords=("axes fraction", "data"), va="center",
                textcoords="offset points", fontsize=size, annotation_clip=False,
            )  # fmt: skip
        ax.tick_params(axis="x", labelsize=size)
        if narrow:
            ax.locator_params(axis="x", nbins=3)
        return size

    def _shared_method(self) -> str:
        """The method, where several rows have the same: it is told once."""
        methods = {result.label or result.method for result in self.results.values()}
        return methods.pop() if len(methods) == 1 < len(self.results) else ""

    def _label_lines(self, ax: Axes, size: float) -> list[str]:
        return fitted(self._label(), 1.1 * size_of(ax)[0], size).split("\n")

    def _label(self) -> str:
        """Metric and level, what is positive, the method of all rows, and what is shaded."""
        results = list(self.results.values())
        metrics = {metric_words(result.metric).name for result in results}
        levels = {f"{100 * result.confidence_level:g}%" for result in results}
        what = f"difference in {metrics.pop()}" if len(metrics) == 1 else "difference in score"
        level = f"{levels.pop()} intervals" if len(levels) == 1 else "intervals"
        ropes = set(self.frame()["rope"].dropna()) - {0.0}
        lines = [f"{what}, {level}", "(positive: the first is better)", self._shared_method()]
        if ropes:
            size = f" (±{number(ropes.pop())})" if len(ropes) == 1 else ""
            lines.append(f"shaded: equivalent in practice{size}")
        return "\n".join(filter(None, lines))


def _labels_of(results: list[ComparisonResult]) -> list[str]:
    """Both sides' names, followed by as much as it takes to tell the results apart."""
    sides = [f"{one} \N{MINUS SIGN} {other}" for one, other in (r.names for r in results)]
    methods = [f", {result.label or result.method}" for result in results]
    metrics = [f", {metric_words(result.metric).name}" for result in results]
    levels = [f", {100 * r.confidence_level:g}% {SIDES[r.alternative]}" for r in results]
    return first_that_differ(sides, methods, metrics, levels)


def _bounds(result: ComparisonResult) -> tuple[float, float] | None:
    """Both bounds, infinite on a side that has none; None where there is no interval."""
    if math.isnan(result.low) or math.isnan(result.high):
        return None
    return (
        -math.inf if result.alternative == "less" else result.low,
        math.inf if result.alternative == "greater" else result.high,
    )


def _limits(results: Iterable[ComparisonResult], ropes: list[float]) -> tuple[float, float]:
    """Zero, all differences, bounds and regions, and room for an arrow on either side."""
    values = [0.0]
    for rope in ropes:
        values += [-rope, rope]
    for result in results:
        values += [result.difference, *(_bounds(result) or ())]
    return limits(values, margin=0.1)


def _draw(ax: Axes, y: float, result: ComparisonResult) -> None:
    """Dot and bar, with a cap at each bound and an arrow at the edge where there is none."""
    bounds = _bounds(result)
    style: dict[str, Any] = {"color": INTERVAL, "zorder": 3}
    if bounds is not None:
        ends = []
        for bound, edge, arrow in zip(bounds, ax.get_xlim(), "<>", strict=True):
            if math.isinf(bound):
                ax.plot([edge], [y], arrow, markersize=7, clip_on=False, **style)
            else:
                ax.plot([bound], [y], "|", markersize=10, markeredgewidth=2, **style)
            ends.append(edge if math.isinf(bound) else bound)
        ax.plot(ends, [y, y], linewidth=2, solid_capstyle="butt", **style)
    if not math.isnan(result.difference):
        face = INTERVAL if bounds is not None else "white"
        edge_of_dot = "white" if bounds is not None else INTERVAL
        ax.plot(
            [result.difference], [y], "o", markersize=6.5, color=face, mec=edge_of_dot, zorder=4
        )


def _numbers(result: ComparisonResult) -> str:
    """Difference and bounds; of a one-sided interval only the bound that was asked for."""
    if math.isnan(result.difference):
        return "undefined"
    return bounds_text(result.difference, result.low, result.high, result.alternative)


def _how(result: ComparisonResult) -> str:
    """p-value and method."""
    how = result.label or result.method
    chance = _p_value(result)
    return f"{chance}, {how}" if chance else how


def _p_value(result: ComparisonResult) -> str:
    return "" if math.isnan(result.p_value) else p_value(result.p_value)


def _filled(
    text_of: Callable[[ComparisonResult], str] | None, result: ComparisonResult, width: int
) -> list[str]:
    """Lines of a text, none where there is nothing to say."""
    return textwrap.wrap(text_of(result), width) if text_of is not None else []
