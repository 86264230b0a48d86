"""Distribution of the draws behind one or more intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..results import ConfidenceInterval
from ._artists import (
    INTERVAL,
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

ROW = 1.15
"""Height of a row in inches."""
HISTOGRAM = 0.7
"""Height of the highest bar, in rows."""
POOLING = "dashed to dotted: pooling of the folds, not selection; within_folds leaves it out"


class DrawsDisplay(BaseDisplay):
    """Distribution of the draws, with the interval that was taken from it.

    Each result has a row: a histogram of its draws, darker inside the interval, and below
    it the interval with a dot for the estimate. The score that the search reports and the
    score on held-out data are lines across all rows.

    Parameters
    ----------
    results : mapping of str to ConfidenceInterval
        Label of the row -> result with `draws`, from top to bottom.
    best_score : float or None, default=None
        Cross-validated score of the selected configuration, drawn as a dashed line.
    held_out_score : float or None, default=None
        Its score on data that took no part in tuning, drawn as a solid line.
    pooled_score : float or None, default=None
        Its score on the predictions of all folds together, drawn as a dotted line, with a
        sentence: from the dashed line to the dotted one is pooling, from there to the
        estimate is selection.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the picture is, after `plot`.
    figure_ : matplotlib Figure
        The figure around it, after `plot`.

    Raises
    ------
    ValueError
        If a result has no draws.

    See Also
    --------
    IntervalsDisplay : For methods without draws, or many of them.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.display import DrawsDisplay
    >>> from sklearn_bbc.intervals import BBC
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 30)
    >>> scores = rng.normal(size=(60, 20)) + y[:, None]
    >>> oof = OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(60) // 6)
    >>> result = BBC(random_state=0).estimate(oof, "roc_auc")
    >>> display = DrawsDisplay.from_results({"BBC": result}, best_score=0.9)
    >>> display.plot().ax_.get_yticklabels()[0].get_text().splitlines()[0]
    'BBC'
    >>> display.frame()["n_draws"]
    label
    BBC              2000
    best CV score    <NA>
    Name: n_draws, dtype: Int64
    """

    name = "draws"

    def __init__(
        self,
        *,
        results: Mapping[str, ConfidenceInterval],
        best_score: float | None = None,
        held_out_score: float | None = None,
        pooled_score: float | None = None,
    ) -> None:
        self.results = labelled(results)
        self.best_score = best_score
        self.held_out_score = held_out_score
        self.pooled_score = pooled_score
        self._draws: dict[str, np.ndarray] = {}
        for label, result in self.results.items():
            if result.draws is None:
                raise ValueError(
                    f"The result {label!r} of the method {result.method!r} has no draws to show; "
                    "IntervalsDisplay shows intervals without draws."
                )
            self._draws[label] = result.draws

    @classmethod
    def from_results(
        cls,
        results: Any,
        *,
        best_score: float | None = None,
        held_out_score: float | None = None,
        pooled_score: float | None = None,
    ) -> DrawsDisplay:
        """Build the picture of one or more results.

        Parameters
        ----------
        results : ConfidenceInterval, mapping of str to ConfidenceInterval, or iterable of them
            A mapping brings its labels; otherwise they are made of what tells the results
            apart: method, metric, level and sidedness.
        best_score, held_out_score, pooled_score : float or None, default=None
            Scores to mark across the rows.

        Returns
        -------
        DrawsDisplay
            The picture, not yet drawn.
        """
        return cls(
            results=labelled(results),
            best_score=best_score,
            held_out_score=held_out_score,
            pooled_score=pooled_score,
        )

    @classmethod
    def from_search(
        cls, search: Any, *, metric: str | None = None, held_out_score: float | None = None
    ) -> DrawsDisplay:
        """Build the picture of a fitted search for one metric.

        Parameters
        ----------
        search : fitted BBCSearchCV
            Only its public attributes are read. Its intervals without draws are left out.
        metric : str or None, default=None
            One of the metrics of the search; None takes the one that selects.
        held_out_score : float or None, default=None
            Score of the winner on data that took no part in tuning.

        Returns
        -------
        DrawsDisplay
            With the score that the search reports marked, not yet drawn. The pooled score is
            marked too where a result says that most of the optimism comes from pooling.

        Raises
        ------
        ValueError
            If no interval of the search has draws.
        """
        results, best_score = results_of_search(search, metric)
        with_draws = {label: r for label, r in results.items() if r.draws is not None}
        if not with_draws:
            raise ValueError(
                f"None of the intervals of the search ({list(results)}) has draws to show; "
                "IntervalsDisplay shows intervals without draws."
            )
        pooled = [
            r.details["pooled_score"]
            for r in with_draws.values()
            if r.details.get("mostly_pooling") and "pooled_score" in r.details
        ]
        return cls(
            results=with_draws,
            best_score=best_score,
            held_out_score=held_out_score,
            pooled_score=pooled[0] if pooled else None,
        )

    def frame(self) -> pd.DataFrame:
        """Return the numbers that the picture shows, the draws themselves left out.

        Returns
        -------
        DataFrame
            One row per result, from top to bottom, then one per marked score.
        """
        frame = frame_of(
            self.results, marks_of(self.best_score, self.held_out_score, self.pooled_score)
        )
        n_draws = {label: len(draws) for label, draws in self._draws.items()}
        frame["n_draws"] = pd.Series(n_draws, dtype="Int64")
        return frame

    def plot(self, ax: Axes | None = None, *, bins: int = 40) -> DrawsDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure that is as high as the rows need.
        bins : int, default=40
            Number of bins over the range of all draws. Each histogram is as high as its row,
            whatever the number of draws.

        Returns
        -------
        self : DrawsDisplay
            With `ax_` and `figure_`.
        """
        marks = marks_of(self.best_score, self.held_out_score, self.pooled_score)
        n_rows = len(self.results)
        head = (6 + len(marks) * LINE_HEIGHT) / 72 / ROW  # in rows
        ax = self._axes(ax, height=0.85 + ROW * (n_rows + head))
        values = [float(end) for d in self._draws.values() for end in (d.min(), d.max())]
        ends = [value for r in self.results.values() for value in (r.low, r.estimate, r.high)]
        ax.set_xlim(limits(values + ends + list(marks.values())))
        # Draws that are all the same have no range of their own.
        span = (min(values), max(values)) if min(values) < max(values) else ax.get_xlim()
        for k, (label, result) in enumerate(self.results.items()):
            self._histogram(ax, -k, label, bins, span)
            draw_interval(ax, -k - 0.13, result)
        labels = [f"{label}\n{interval_text(r)}" for label, r in self.results.items()]
        ax.set_yticks([-k + 0.15 for k in range(n_rows)], labels)
        ax.set_ylim(-n_rows + 0.7, HISTOGRAM + 0.08 + head)
        explained = f"histogram: draws;  dot: estimate;  bar: {level_text(self.results)}"
        if self.pooled_score is not None:
            explained += f"\n{POOLING}"
        ax.set_xlabel(f"{score_label(self.results)}\n{explained}")
        bare(ax)
        draw_marks(ax, marks)
        return self

    def _histogram(
        self, ax: Axes, y: float, label: str, bins: int, span: tuple[float, float]
    ) -> None:
        """Histogram that stands at height `y`: pale, and once more darker inside the interval."""
        from matplotlib.patches import Rectangle

        result = self.results[label]
        heights, edges = np.histogram(self._draws[label], bins=bins, range=span)
        tops = y + HISTOGRAM * heights / heights.max()
        style: dict[str, Any] = {
            "baseline": y,
            "fill": True,
            "facecolor": INTERVAL,
            "linewidth": 0,
        }
        ax.stairs(tops, edges, alpha=0.3, **style)
        if not np.isnan(result.width):
            low, high = np.clip([*result], *ax.get_xlim())
            inside = Rectangle((low, y), high - low, 1, transform=ax.transData)
            ax.stairs(tops, edges, alpha=0.45, **style).set_clip_path(inside)
        ax.axhline(y, color="0.75", linewidth=0.8, zorder=1)
