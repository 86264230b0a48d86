"""Curves: scores by the number of training samples, and by the number of configurations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .._text import metric_words, number, percent
from ..results._curves import CurveResult, StabilityResult
from ..results._learning_curves import LearningCurveResult, OptimismCurve
from ._base import BaseDisplay
from ._layout import (
    INTERVAL,
    SCORE_MARKS,
    check_kind,
    direction,
    framed,
    is_narrow,
    label_x,
    label_y,
    legend_above,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


TRAINING = "#D55E00"
TURNED_BOUNDS = {
    "low": "high",
    "high": "low",
    "train_low": "train_high",
    "train_high": "train_low",
}
"""Bounds change places where the sign of a loss is turned."""
SHOWN = ("test_score", "train_score", *TURNED_BOUNDS)


class LearningCurveDisplay(BaseDisplay):
    r"""Learning curve with the intervals of training and test scores.

    Parameters
    ----------
    result : LearningCurveResult
        From `learning_curve_intervals`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn_bbc.comparison import learning_curve_intervals
    >>> from sklearn_bbc.display import LearningCurveDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> result = learning_curve_intervals(
    ...     KNeighborsClassifier(3), X, y, train_sizes=[12, 30, 60, 120], random_state=0
    ... )
    >>> LearningCurveDisplay.from_results(result).plot().ax_.get_ylabel()
    'accuracy\n(greater is better)'
    """

    name = "learning_curve"
    shows = "result"
    why_no_search = "it was fitted on one size; pass the search to learning_curve_intervals"

    def __init__(self, *, result: LearningCurveResult) -> None:
        check_kind("result", result, LearningCurveResult, "learning_curve_intervals")
        self.result = result

    def frame(self) -> pd.DataFrame:
        """Return one row for each size, see `LearningCurveResult.frame`."""
        return self.result.frame()

    def plot(self, ax: Axes | None = None) -> LearningCurveDisplay:
        result, frame = self.result, self.frame()
        values = [value for name in SHOWN for value in frame[name] if not np.isnan(value)]
        words = metric_words(result.metric, values)
        if words.is_loss:
            turned = frame[list(SHOWN)].rename(columns=TURNED_BOUNDS)
            frame[list(turned)] = 0.0 - turned
        ax = self._axes(ax, height=3.8)
        sizes = result.sizes
        for label, column, prefix, color, mark in (
            ("training", "train_score", "train_", TRAINING, "s"),
            ("test", "test_score", "", INTERVAL, "o"),
        ):
            low, high = frame[f"{prefix}low"], frame[f"{prefix}high"]
            ax.fill_between(sizes, low, high, color=color, alpha=0.15, linewidth=0)
            joined = "" if label == "test" and result.curve is not None else "-"
            ax.plot(
                sizes, frame[column], mark, linestyle=joined, color=color, label=label,
                markersize=5, zorder=3,
            )  # fmt: skip
        if result.curve is not None:
            a, b, c = result.curve
            between = np.geomspace(sizes[0], sizes[-1], 100)
            ax.plot(
                between, words.sign * (a + b * between**-c), "--", color=INTERVAL, label="fitted"
            )
        framed(ax)
        ax.locator_params(nbins=5)
        ax.ticklabel_format(style="plain", useOffset=False)
        label_x(ax, "training samples")
        label_y(ax, direction(words).replace(" (", "\n("))
        legend_above(ax)
        return self


LINES = (
    (
        "best",
        "uncorrected",
        {"color": SCORE_MARKS["best CV score"]["color"], "linestyle": (0, (5, 2))},
    ),
    ("corrected", "corrected (BBC)", {"color": INTERVAL, "linestyle": "-"}),
)
BAND_LABEL = "band: 5% to 95% of random subsets"


class OptimismDisplay(BaseDisplay):
    r"""Best and corrected score by the number of configurations that were tried.

    The gap between the lines is the optimism that selection makes. A line is the mean over
    random subsets of the configurations, its band holds 90% of these.

    Parameters
    ----------
    curve : OptimismCurve
        From `search.optimism_curve()`.

    See Also
    --------
    sklearn_bbc.intervals.optimism_curve : Makes such a curve.
    DrawsDisplay : The optimism of the whole search, with its uncertainty.

    Notes
    -----
    The bands are no confidence intervals: they say how much it matters which configurations
    are tried. Subsets that are nearly the whole are nearly the same, so bands end in a point.

    Examples
    --------
    >>> from sklearn_bbc.display import OptimismDisplay
    >>> from sklearn_bbc.intervals import BBC, optimism_curve
    >>> from sklearn_bbc.testing import example_predictions
    >>> method = BBC(n_bootstraps=500, random_state=0)
    >>> curve = optimism_curve(example_predictions(), "roc_auc", method=method)
    >>> display = OptimismDisplay.from_results(curve).plot()
    >>> display.ax_.get_ylabel()
    'ROC AUC\n(greater is better)'
    """

    name = "optimism"
    shows = "curve"

    def __init__(self, *, curve: OptimismCurve) -> None:
        check_kind("curve", curve, OptimismCurve, "search.optimism_curve()")
        self.curve = curve

    @classmethod
    def from_search(cls, search: Any, **options: Any) -> OptimismDisplay:
        """Build the plot of a fitted search.

        Parameters
        ----------
        search : fitted BBCSearchCV
            Its `optimism_curve` is called.
        **options : dict
            Arguments of it, for example ``n_subsets=100``.

        Returns
        -------
        OptimismDisplay
            The plot, not yet drawn.
        """
        return cls(curve=search.optimism_curve(**options))

    def frame(self) -> pd.DataFrame:
        """Return one row for each number of configurations, see `OptimismCurve.frame`."""
        return self.curve.frame()

    def plot(self, ax: Axes | None = None) -> OptimismDisplay:
        frame = self.frame()
        scores = self.curve.best
        words = metric_words(self.curve.metric, scores[np.isfinite(scores)])
        ax = self._axes(ax, height=3.8)
        sizes = self.curve.sizes
        for column, label, style in LINES:
            low, high = frame[f"{column}_low"], frame[f"{column}_high"]
            ax.fill_between(
                sizes, words.sign * low, words.sign * high, color=style["color"], alpha=0.15,
                linewidth=0,
            )  # fmt: skip
            ax.plot(
                sizes, words.sign * frame[column], marker="o", markersize=4, label=label, zorder=3,
                **style,
            )  # fmt: skip
        framed(ax)
        ax.locator_params(axis="y", nbins=5)
        ax.ticklabel_format(axis="y", style="plain", useOffset=False)
        label_x(ax, "configurations tried", BAND_LABEL)
        ax.set_xscale("log")
        ticks = _size_ticks(int(sizes[-1]), 3 if is_narrow(ax) else 7)
        ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        ax.set_xticks([], minor=True)
        ax.set_xlim(0.85, max(1.2 * sizes[-1], 1.5))
        label_y(ax, direction(words).replace(" (", "\n("))
        legend_above(ax)
        return self


def _size_ticks(largest: int, most: int) -> list[int]:
    """Choose round numbers below the largest, and the largest itself as the last."""
    for steps in ((1, 2, 5), (1, 3), (1,)):
        round_ones = [step * 10**k for k in range(len(str(largest))) for step in steps]
        # None so near to the last one that the numbers could touch.
        ticks = [tick for tick in round_ones if 1.6 * tick < largest]
        if len(ticks) < most:
            break
    every = -(-len(ticks) // max(most - 1, 1)) if ticks else 1
    return [*ticks[::every], largest]


class CurveDisplay(BaseDisplay):
    """Curve of the selected configuration, corrected, with its limits.

    The darker band has the pointwise limits, the lighter one the joint limits. The apparent curve
    is dashed, curves of no skill are dotted. Bars below a calibration curve count the risks.

    Parameters
    ----------
    result : CurveResult
        From `search.curve()` or `sklearn_bbc.curves.corrected_curve`.
    difference_to : str, default=None
        Draw by how much the curve is above this one, ``"treat all"`` or ``"treat none"`` of
        a decision curve, with the limits of the difference. None draws the curve itself.

    Raises
    ------
    ValueError
        If there is no such difference.

    Examples
    --------
    >>> from sklearn_bbc import BBC
    >>> from sklearn_bbc.curves import corrected_curve
    >>> from sklearn_bbc.display import CurveDisplay
    >>> from sklearn_bbc.testing import example_predictions
    >>> method = BBC(random_state=0)
    >>> result = corrected_curve(example_predictions(), "roc_auc", "roc", method=method)
    >>> CurveDisplay.from_results(result).plot().ax_.get_ylabel()
    'sensitivity'
    """

    name = "curve"
    shows = "result"

    def __init__(self, *, result: CurveResult, difference_to: str | None = None) -> None:
        check_kind("result", result, CurveResult, "search.curve()")
        result.frame(difference_to)  # raises where there is none
        self.result = result
        self.difference_to = difference_to

    @classmethod
    def from_search(
        cls,
        search: Any,
        curve: Any = "roc",
        *,
        difference_to: str | None = None,
        **options: Any,
    ) -> CurveDisplay:
        """Build the plot of a fitted search.

        Parameters
        ----------
        search : fitted BBCSearchCV
            Its `curve` is called.
        curve : str or Curve, default="roc"
            Which curve.
        difference_to : str, default=None
            As of the class.
        **options : dict
            Further arguments of it, for example ``grid=[0.1, 0.2]``.

        Returns
        -------
        CurveDisplay
            The plot, not yet drawn.
        """
        return cls(result=search.curve(curve, **options), difference_to=difference_to)

    def frame(self) -> pd.DataFrame:
        """Return one row for each point of the grid, see `CurveResult.frame`."""
        return self.result.frame(self.difference_to)

    def plot(self, ax: Axes | None = None) -> CurveDisplay:
        result, level = self.result, percent(self.result.confidence_level)
        shown = self.frame()
        square = result.curve in SQUARE
        ax = self._axes(ax, height=5.2 if square else 4.2, width=5.2 if square else 7.2)
        grid = result.grid
        drawn = "o-" if len(grid) <= FEW_POINTS else "-"
        for ends, alpha, label in (("_joint", 0.12, "whole curve"), ("", 0.25, "each point")):
            ax.fill_between(
                grid, shown[f"low{ends}"], shown[f"high{ends}"], color=INTERVAL, alpha=alpha,
                linewidth=0, label=f"{level}, {label}",
            )  # fmt: skip
        alone = not result.details.get("selection_accounted_for", True)
        name = "mean of draws" if alone else "corrected"
        ax.plot(grid, shown["estimate"], drawn, color=INTERVAL, markersize=4, label=name)
        dashed = {"color": SCORE_MARKS["best CV score"]["color"], "linestyle": (0, (5, 2))}
        ax.plot(grid, shown["apparent"], label="apparent", **dashed)
        references = result.references
        if self.difference_to is not None:
            references = {self.difference_to: np.zeros(len(grid))}
        for (name, values), color in zip(references.items(), ("0.35", "0.6")):
            ax.plot(grid, values, ":", color=color, label=name)
        limits = shown[["apparent", "low_joint", "high_joint"]].to_numpy()
        bottom, top = float(np.nanmin(limits)), float(np.nanmax(limits))
        if self.difference_to is not None:
            bottom, top = _around_zero(limits, result.references)
        elif result.curve in DECISIONS:
            most = float(np.nanmax(result.references["treat all"]))
            bottom, top = max(bottom, -0.3 * most), max(top, most)
        elif square:
            bottom, top = 0.0, 1.0
        elif result.curve in OVER_TIME:  # how far it is from no skill
            bottom = min(bottom, float(np.nanmin(result.references["no skill"])))
            top = max(top, float(np.nanmax(result.references["no skill"])))
        room = 0.03 * (top - bottom) or 0.03
        ax.set_ylim(bottom - room, top + room)
        if square:
            ax.set_xlim(-0.03, 1.03)
            ax.set_aspect("equal")
        if result.curve in CALIBRATIONS:
            _bars(ax, result.predicted)
        framed(ax)
        ax.set_xlabel(result.x_label)
        ax.set_ylabel(result.y_label)
        if self.difference_to is not None:
            ax.set_ylabel(f"{result.y_label}, difference to {self.difference_to}")
        ax.legend(loc="best", fontsize=8, frameon=False)
        return self


OVER_TIME = ("brier_over_time", "auc_over_time")
CALIBRATIONS = ("calibration", "survival_calibration")
DECISIONS = ("net_benefit", "survival_net_benefit")
SQUARE = ("roc", "precision_recall", *CALIBRATIONS)
FEW_POINTS = 20
"""Up to so many points are marked."""


def _around_zero(limits: np.ndarray, references: Mapping[str, np.ndarray]) -> tuple[float, float]:
    """Find a range of the axis for a difference whose `limits` (n_points, 3) are drawn.

    Towards high thresholds treating all loses without bound, and nothing else would be seen.
    """
    treated = references.get("treat all", np.zeros(len(limits)))
    near = treated >= -np.nanmax(treated)
    seen = limits[near] if near.any() and not np.isnan(limits[near]).all() else limits
    return min(float(np.nanmin(seen)), 0.0), max(float(np.nanmax(seen)), 0.0)


def _bars(ax: Axes, risks: np.ndarray) -> None:
    """Draw how often each risk was predicted, at the bottom of the axes."""
    counts, edges = np.histogram(risks[~np.isnan(risks)], bins=25, range=(0, 1))
    ax.bar(
        edges[:-1], 0.12 * counts / max(counts.max(), 1), np.diff(edges), align="edge",
        color="0.8", transform=ax.get_xaxis_transform(), zorder=0,
    )  # fmt: skip


class StabilityDisplay(BaseDisplay):
    """Predictions of each sample by the configurations that bootstrap draws select.

    A line goes from the 2.5% to the 97.5% quantile of the draws, above the prediction by the
    selected configuration; a dot is that prediction itself. Long lines are samples whose
    prediction depends on which configuration is selected.

    Parameters
    ----------
    result : StabilityResult
        From `search.prediction_stability()`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_bbc import BBCSearchCV
    >>> from sklearn_bbc.display import StabilityDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> search = BBCSearchCV(Ridge(), {"alpha": [0.01, 0.1, 1]}, random_state=0).fit(X, y)
    >>> StabilityDisplay.from_search(search).plot().ax_.get_ylabel()
    'value by the configurations selected in the draws'
    """

    name = "stability"
    shows = "result"

    def __init__(self, *, result: StabilityResult) -> None:
        check_kind("result", result, StabilityResult, "search.prediction_stability()")
        self.result = result

    @classmethod
    def from_search(cls, search: Any, **options: Any) -> StabilityDisplay:
        """Build the plot of a fitted search.

        Parameters
        ----------
        search : fitted BBCSearchCV
            Its `prediction_stability` is called.
        **options : dict
            Arguments of it, for example ``method=BBC(n_bootstraps=1000)``.

        Returns
        -------
        StabilityDisplay
            The plot, not yet drawn.
        """
        return cls(result=search.prediction_stability(**options))

    def frame(self) -> pd.DataFrame:
        """Return one row for each sample, see `StabilityResult.frame`."""
        return self.result.frame()

    def plot(self, ax: Axes | None = None) -> StabilityDisplay:
        result = self.result
        ax = self._axes(ax, height=5.2, width=5.2)
        ax.vlines(result.predicted, result.low, result.high, color=INTERVAL, alpha=0.4)
        ax.plot(result.predicted, result.predicted, ".", color=INTERVAL, markersize=3)
        framed(ax)
        mean = f"mean absolute difference {number(result.mean_difference)}"
        label_x(ax, f"predicted {result.label} by the selected configuration", mean)
        label_y(ax, f"{result.label} by the configurations selected in the draws")
        return self
