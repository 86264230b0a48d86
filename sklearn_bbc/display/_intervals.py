"""Forest plot: several intervals, one row each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..results import ConfidenceInterval
from ._artists import (
    LINE_HEIGHT,
    bare,
    draw_interval,
    draw_marks,
    interval_text,
    level_text,
    limits,
    marks_of,
    score_label,
)
from ._base import BaseDisplay, frame_of, labelled, results_of_search

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 0.42
"""Height of a row in inches."""


class IntervalsDisplay(BaseDisplay):
    """Forest plot of several intervals, one row each, numbers beside them.

    Parameters
    ----------
    results : mapping of str to ConfidenceInterval
        Label of the row -> result, from top to bottom.
    best_score : float or None, default=None
        Cross-validated score of the selected configuration, drawn as a dashed line.
    held_out_score : float or None, default=None
        Its score on data that took no part in tuning, drawn as a solid line.

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
    bbc                0.90  0.84  0.95   0.11
    delong             0.93  0.89  0.97   0.08
    best CV score      0.93   NaN   NaN    NaN
    >>> display.plot().ax_.get_xlabel()
    'roc_auc (greater is better)'
    """

    name = "intervals"

    def __init__(
        self,
        *,
        results: Mapping[str, ConfidenceInterval],
        best_score: float | None = None,
        held_out_score: float | None = None,
    ) -> None:
        self.results = labelled(results)
        self.best_score = best_score
        self.held_out_score = held_out_score

    @classmethod
    def from_results(
        cls,
        results: Any,
        *,
        best_score: float | None = None,
        held_out_score: float | None = None,
    ) -> IntervalsDisplay:
        """Build the picture of one or more results.

        Parameters
        ----------
        results : ConfidenceInterval, mapping of str to ConfidenceInterval, or iterable of them
            A mapping brings its labels; otherwise they are made of what tells the results
            apart: method, metric, level and sidedness.
        best_score, held_out_score : float or None, default=None
            Scores to mark across the rows.

        Returns
        -------
        IntervalsDisplay
            The picture, not yet drawn.
        """
        return cls(results=labelled(results), best_score=best_score, held_out_score=held_out_score)

    @classmethod
    def from_search(
        cls, search: Any, *, metric: str | None = None, held_out_score: float | None = None
    ) -> IntervalsDisplay:
        """Build the picture of all intervals of a fitted search for one metric.

        Parameters
        ----------
        search : fitted BBCSearchCV
            Only its public attributes are read.
        metric : str or None, default=None
            One of the metrics of the search; None takes the one that selects.
        held_out_score : float or None, default=None
            Score of the winner on data that took no part in tuning.

        Returns
        -------
        IntervalsDisplay
            With the score that the search reports marked, not yet drawn.
        """
        results, best_score = results_of_search(search, metric)
        return cls(results=results, best_score=best_score, held_out_score=held_out_score)

    def frame(self) -> pd.DataFrame:
        """Return the numbers that the picture shows.

        Returns
        -------
        DataFrame
            One row per result, from top to bottom, then one per marked score.
        """
        frame = frame_of(self.results, marks_of(self.best_score, self.held_out_score))
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
        marks = marks_of(self.best_score, self.held_out_score)
        n_rows = len(self.results)
        head = (4 + max(1, len(marks)) * LINE_HEIGHT) / 72 / ROW  # in rows
        ax = self._axes(ax, height=0.8 + ROW * (n_rows + head))
        ends = [value for r in self.results.values() for value in (r.low, r.estimate, r.high)]
        ax.set_xlim(limits(ends + list(marks.values())))
        for k, result in enumerate(self.results.values()):
            draw_interval(ax, -k, result)
            if numbers:
                self._beside(ax, -k, interval_text(result))
        if numbers:
            self._beside(
                ax, 0.5 + head / 2, f"estimate  [{level_text(self.results)}]", color="0.4"
            )
        ax.set_yticks([-k for k in range(n_rows)], list(self.results))
        ax.set_ylim(-n_rows + 0.4, 0.5 + head)
        ax.set_xlabel(score_label(self.results))
        bare(ax)
        draw_marks(ax, marks)
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
