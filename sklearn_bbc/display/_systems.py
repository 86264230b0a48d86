"""Plot of the best of several systems: a ranking that shows how little it may mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._parameters import Whole, constrained
from .._text import count, is_are
from ..results._systems import BestOfResult
from ._base import BaseDisplay
from ._layout import (
    INTERVAL,
    bare,
    check_kind,
    direction,
    draw_interval,
    in_print,
    label_x,
    legend_above,
    limits,
    name_rows,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 0.3
"""Height of a row in inches."""
ALONE = "0.45"


class SystemsDisplay(BaseDisplay):
    """Mean scores of several systems, those that may be the best shaded, the winner corrected.

    A row is a system, the best one on top, with the interval for it alone. The top row is the
    selected one's score, corrected for the selection. Crosses are the means that a tool shows
    itself, where a reader such as `OOFPredictions.from_inspect` found them.

    Parameters
    ----------
    result : BestOfResult
        What to show.

    See Also
    --------
    sklearn_bbc.best_of : Makes such a result.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import best_of
    >>> from sklearn_bbc.display import SystemsDisplay
    >>> right = np.random.default_rng(0).random((200, 3)) < [0.4, 0.6, 0.7]
    >>> result = best_of(right, names=["a", "b", "c"], random_state=0)
    >>> display = SystemsDisplay.from_results(result).plot()
    >>> display.ax_.get_xlabel()
    'mean score (greater is better)'
    """

    name = "systems"
    shows = "result"
    why_no_search = "it shows systems that are fixed, from a table of scores per item"

    def __init__(self, *, result: BestOfResult) -> None:
        check_kind("result", result, BestOfResult, "best_of(scores)")
        self.result = result

    def frame(self) -> pd.DataFrame:
        """Return all systems, the best one first, see `BestOfResult.frame`."""
        return self.result.frame()

    @constrained(max_systems=Whole(1))
    def plot(self, ax: Axes | None = None, *, max_systems: int = 30) -> SystemsDisplay:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            See `BaseDisplay.plot`.
        max_systems : int, default=30
            Systems with a row, those with the best scores.

        Raises
        ------
        ValueError
            If `max_systems` is not a whole number of at least 1.
        """
        result, frame = self.result, self.frame()
        drawn = frame.head(max_systems)
        corrected = in_print(result.interval, result.words)
        ax = self._axes(ax, height=1.5 + ROW * (len(drawn) + 1))
        ends = [*drawn["low"], *drawn["high"], corrected.low, corrected.high]
        by_tool = drawn.get("tool_score", pd.Series(dtype=float)).to_numpy()
        ends += by_tool.tolist()
        ax.set_xlim(*limits([float(end) for end in ends if np.isfinite(end)]))
        ax.set_ylim(-len(drawn) - 0.6, 0.6)
        bare(ax)
        heights = -1.0 - np.arange(len(drawn))
        tied = drawn["tied"].to_numpy()
        # Systems that may be the best need not be neighbours: a band for each.
        for number, height in enumerate(heights[tied]):
            label = "may be the best" if number == 0 else None
            ax.axhspan(height - 0.5, height + 0.5, color="0.92", lw=0, zorder=0, label=label)
        ax.hlines(heights, drawn["low"], drawn["high"], color=ALONE, lw=1.2, zorder=2)
        ax.plot(
            drawn["score"], heights, "o", markersize=4.5, color=ALONE, zorder=3,
            label="as measured, with an interval for it alone",
        )  # fmt: skip
        if np.isfinite(by_tool).any():
            ax.plot(
                by_tool, heights, "x", markersize=6, color="0.2", zorder=3,
                label=f"as {result.details['tool']} has it",
            )  # fmt: skip
        draw_interval(ax, 0.0, corrected)
        ax.plot(
            [corrected.estimate], [0], "D", markersize=6, color=INTERVAL, zorder=4,
            label="corrected for the selection",
        )  # fmt: skip
        n_left_out = len(frame) - len(drawn)
        below = (
            f"{count(n_left_out, 'more system')} with lower places {is_are(n_left_out)} not shown"
            if n_left_out
            else ""
        )
        above = legend_above(ax, columns=2)
        reserved = above + label_x(ax, direction(result.words), *([below] if below else []))
        names = [f"{result.selected}, corrected", *map(str, drawn.index)]
        name_rows(ax, [0.0, *heights.tolist()], names, [], reserved=reserved)
        return self
