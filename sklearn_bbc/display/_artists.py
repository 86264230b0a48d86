"""Marks that several pictures share, drawn the same way in each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .._wording import shown
from ..results import ConfidenceInterval
from ._room import is_narrow, legend_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's palette: told apart with every kind of colour vision, and in grey by the
# line styles that go with them.
INTERVAL = "#0072B2"
MARKS: dict[str, dict[str, Any]] = {
    "best CV score": {"color": "#D55E00", "linestyle": (0, (5, 2))},
    "its folds pooled": {"color": "#CC79A7", "linestyle": (0, (1, 1.5))},
    "held-out score": {"color": "#1A1A1A", "linestyle": "-"},
}
LINE_HEIGHT = 13.0
"""Points from one line of text to the next."""


def marks_of(
    best_score: float | None, held_out_score: float | None, pooled_score: float | None = None
) -> dict[str, float]:
    """Scores that are marked across the picture, those that are given."""
    given = {
        "best CV score": best_score,
        "its folds pooled": pooled_score,
        "held-out score": held_out_score,
    }
    return {label: float(value) for label, value in given.items() if value is not None}


def numbers(*values: float) -> list[str]:
    """Numbers that stand side by side as texts print them, with the axis's minus."""
    texts = iter(shown(*(value for value in values if not math.isnan(value))))
    given = ["undefined" if math.isnan(value) else next(texts) for value in values]
    return [text.replace("-", "\N{MINUS SIGN}") for text in given]


def number(value: float) -> str:
    """One number, with three digits."""
    return numbers(value)[0]


def bounds_text(estimate: float, low: float, high: float, alternative: str) -> str:
    """Estimate and bounds; of a one-sided interval only the bound that was asked for."""
    if math.isnan(low) or math.isnan(high):
        return f"{number(estimate)}  no interval"
    # A bound that is not shown is the end of a range, and must not cost decimals.
    if alternative == "greater":
        one, bound = numbers(estimate, low)
        return f"{one}  [≥ {bound}]"
    if alternative == "less":
        one, bound = numbers(estimate, high)
        return f"{one}  [≤ {bound}]"
    one, first, last = numbers(estimate, low, high)
    return f"{one}  [{first}, {last}]"


def interval_text(result: ConfidenceInterval) -> str:
    """Estimate and bounds of a result."""
    return bounds_text(result.estimate, result.low, result.high, result.alternative)


def level_text(results: Mapping[str, ConfidenceInterval]) -> str:
    """What the brackets of `interval_text` hold, for all results together."""
    levels = {f"{100 * result.confidence_level:g}%" for result in results.values()}
    return f"{levels.pop()} interval" if len(levels) == 1 else "interval"


def draw_interval(ax: Axes, y: float, result: ConfidenceInterval) -> None:
    """Draw a dot for the estimate and a bar for the interval at height `y`.

    A side that the interval leaves open has no cap; where its bound is infinite too, an
    arrow leaves the picture.
    """
    style: dict[str, Any] = {"color": INTERVAL, "zorder": 3, "clip_on": False}
    if not (math.isnan(result.low) or math.isnan(result.high)):
        ends = []
        for bound, side_is_open, edge, arrow in (
            (result.low, result.alternative == "less", ax.get_xlim()[0], "<"),
            (result.high, result.alternative == "greater", ax.get_xlim()[1], ">"),
        ):
            if math.isinf(bound):
                ax.plot([edge], [y], arrow, **style)
            elif not side_is_open:
                # In points, so that caps look the same whatever the height of a row is.
                ax.plot([bound], [y], "|", markersize=11, markeredgewidth=2, **style)
            ends.append(edge if math.isinf(bound) else bound)
        ax.plot(ends, [y, y], linewidth=2, solid_capstyle="butt", **style)
    if not math.isnan(result.estimate):
        ax.plot([result.estimate], [y], "o", color=INTERVAL, markersize=6.5, mec="white", zorder=4)


def limits(values: list[float], margin: float = 0.04) -> tuple[float, float]:
    """Limits of the axis of scores around all finite values."""
    finite = [value for value in values if math.isfinite(value)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    pad = margin * (high - low) or 0.05 * abs(high) or 0.05
    return low - pad, high + pad


def draw_marks(ax: Axes, marks: Mapping[str, float]) -> float:
    """Draw a line across the picture for each mark, and give the points that names take above.

    In narrow axes the names stand above them. Otherwise they are at the top: each name has a
    line of text of its own and stands on the side of its mark where there is more room. Lines
    end at their names, the outermost on top, so none crosses a name.
    """
    from matplotlib.transforms import ScaledTranslation

    if is_narrow(ax):
        for label, value in marks.items():
            text = f"{label} {number(value)}"
            ax.axvline(value, linewidth=1.6, zorder=2, label=text, **MARKS[label])
        return legend_above(ax, columns=2)
    middle = float(sum(ax.get_xlim())) / 2
    to_the_left = 2 * sum(value > middle for value in marks.values()) > len(marks)
    order = sorted(marks.items(), key=lambda mark: mark[1], reverse=to_the_left)
    for k, (label, value) in enumerate(order):
        style = MARKS[label]
        down = -4 - k * LINE_HEIGHT
        shift = ScaledTranslation(0, down / 72, ax.figure.dpi_scale_trans)
        below = ax.get_xaxis_transform() + shift
        # What the shift pushes out of the axes at the bottom is clipped.
        ax.plot([value, value], [0, 1], linewidth=1.6, zorder=2, transform=below, **style)
        ax.annotate(
            f"{label} {number(value)}",
            xy=(value, 1),
            xycoords=("data", "axes fraction"),
            xytext=(-5 if value > middle else 5, down),
            textcoords="offset points",
            ha="right" if value > middle else "left",
            va="top",
            fontsize=9,
            color=style["color"],
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1},
            zorder=5,
        )
    return 0.0


def beside_each_other(values: np.ndarray, width: float) -> np.ndarray:
    """Heights between -0.32 and 0.32 that keep dots with nearly equal values apart.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Places of the dots along the axis.
    width : float
        Dots within the same bin of this width are put beside each other.
    """
    bins = np.floor(values / width) if width > 0 else np.zeros(len(values))
    heights = np.zeros(len(values))
    for each in np.unique(bins):
        here = np.flatnonzero(bins == each)
        ranks = np.arange(len(here)) - (len(here) - 1) / 2
        step = min(0.16, 0.64 / max(len(here) - 1, 1))
        heights[here[np.argsort(values[here], kind="stable")]] = step * ranks
    return heights


def framed(ax: Axes) -> None:
    """Leave the frame of a curve open at the top and the right, with a faint grid."""
    for side in ("right", "top"):
        ax.spines[side].set_visible(False)
    ax.grid(color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)


def bare(ax: Axes) -> None:
    """Leave only what carries information: the axis of scores and a faint grid."""
    for side in ("left", "right", "top"):
        ax.spines[side].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.locator_params(axis="x", nbins=6)  # long numbers need room
    ax.ticklabel_format(axis="x", style="plain", useOffset=False)  # nothing to add in the head
    ax.grid(axis="x", color="0.9", linewidth=0.8)
    ax.set_axisbelow(True)
