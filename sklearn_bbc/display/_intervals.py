"""Forest plot: several intervals, one row each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from ._artists import (
    LINE_HEIGHT,
    bare,
    draw_interval,
    draw_marks,
    interval_text,
    level_text,
    limits,
)
from ._labels import direction
from ._marked import MarkedDisplay
from ._room import is_narrow, name_rows, rows_of, say_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 0.42
"""Height of a row in inches."""


class IntervalsDisplay(MarkedDisplay):
    """Forest plot of several intervals, one row each, numbers beside them.

    Parameters
    ----------
    results : mapping of str to ConfidenceInterval
        Label of the row -> result, from top to bottom.
    best_score : float or None, default=None
        Cross-validated score of the selected configuration, drawn as a dashed line.
    held_out_score : float or None, default=None
        Its score on data that took no part in tuning, drawn as a solid line.
    pooled_score : float or None, default=None
        Its score on the predictions of all folds together, drawn as a dotted line.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the picture is, after `plot`.
    figure_ : matplotlib Figure
        The figure around it, after `plot`.

    See Also
    --------
    DrawsDisplay : The distribution of the draws behind an interval.
    DifferencesDisplay : Differences of two sides each, beside zero.

    Examples
    --------
    >>> from sklearn_bbc import ConfidenceInterval
    >>> from sklearn_bbc.display import IntervalsDisplay
    >>> bbc, delong = (
    ...     ConfidenceInterval(
    ...         estimate=estimate, low=low, high=high, confidence_level=0.95,
    ...         alternative="two-sided", method=method, metric="roc_auc", estimand="winner",
    ...     )
    ...     for method, estimate, low, high in
    ...     [("bbc", 0.90, 0.84, 0.95), ("delong", 0.93, 0.89, 0.97)]
    ... )
    >>> display = IntervalsDisplay.from_results([bbc, delong], best_score=0.93)
    >>> display.frame()[["estimate", "low", "high", "width"]]
                   estimate   low  high  width
    label
    BBC                0.90  0.84  0.95   0.11
    DeLong             0.93  0.89  0.97   0.08
    best CV score      0.93   NaN   NaN    NaN
    >>> display.plot().ax_.get_xlabel()
    'ROC AUC (greater is better)'
    """

    name = "intervals"

    def frame(self) -> pd.DataFrame:
        frame = super().frame()
        frame.insert(5, "width", frame["high"] - frame["low"])
        return frame

    def plot(self, ax: Axes | None = None, *, numbers: bool = True) -> IntervalsDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure that is as high as the rows need.
        numbers : bool, default=True
            Whether estimate and bounds are written to the right of the rows.

        Returns
        -------
        self : IntervalsDisplay
            With `ax_` and `figure_`.
        """
        words, results, marks = self._in_print()
        n_rows = len(results)
        height = 0.8 + ROW * (n_rows + 0.5) + LINE_HEIGHT * max(1, len(marks)) / 72
        ax = self._axes(ax, height=height)
        ends = [value for r in results.values() for value in (r.low, r.estimate, r.high)]
        ax.set_xlim(limits(ends + list(marks.values())))
        narrow = is_narrow(ax)
        level = f"estimate  [{level_text(results)}]" if numbers else ""
        bare(ax)
        above = draw_marks(ax, marks)
        below = say_below(ax, direction(words), level if narrow else "")
        # What the marks, or the head of the numbers, need above the first row.
        head = 0.1 if narrow else rows_of(ax, max(len(marks), 1) * LINE_HEIGHT + 4, n_rows)
        ax.set_ylim(-n_rows + 0.4, 0.5 + head)
        for k, result in enumerate(results.values()):
            draw_interval(ax, -k, result)
        texts = [interval_text(result) for result in results.values()] if numbers else []
        under = [[text] for text in texts] if narrow else []
        name_rows(ax, [-k for k in range(n_rows)], list(results), under, reserved=above + below)
        if texts and not narrow:
            for k, text in enumerate(texts):
                self._beside(ax, -k, text)
            self._beside(ax, 0.5 + head / 2, level, color="0.4")
        return self

    @staticmethod
    def _beside(ax: Axes, y: float, text: str, color: str = "black") -> None:
        ax.annotate(
            text,
            xy=(1, y),
            xycoords=("axes fraction", "data"),
            xytext=(10, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
            color=color,
            annotation_clip=False,
        )
