"""Distribution of the draws behind one or more intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .._wording import count
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
)
from ._labels import direction
from ._marked import MarkedDisplay, results_of_search
from ._room import is_narrow, name_rows, rows_of, say_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 1.15
"""Height of a row in inches."""
HISTOGRAM = 0.7
"""Height of the highest bar, in rows."""
POOLING = "dashed to dotted: pooling of the folds, not selection; within_folds leaves it out"


class DrawsDisplay(MarkedDisplay):
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

    @staticmethod
    def _check(label: str, result: ConfidenceInterval) -> None:
        if result.draws is None:
            raise ValueError(
                f"The result {label!r} of the method {result.method!r} has no draws to show; "
                "IntervalsDisplay shows intervals without draws."
            )

    @classmethod
    def from_search(
        cls, search: Any, *, metric: str | None = None, held_out_score: float | None = None
    ) -> DrawsDisplay:
        """Build the picture of the intervals with draws of a fitted search, for one metric.

        The score that the search reports is marked. The pooled score is marked too where a
        result says that most of the optimism comes from pooling.
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
        frame = super().frame()
        n_draws = [len(r.draws) for r in self.results.values() if r.draws is not None]
        n_marks = len(frame) - len(n_draws)
        frame["n_draws"] = pd.array([*n_draws, *[None] * n_marks], dtype="Int64")
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
        words, results, marks = self._in_print()
        n_rows = len(results)
        ax = self._axes(ax, height=0.85 + ROW * n_rows + (6 + len(marks) * LINE_HEIGHT) / 72)
        every = np.concatenate([r.draws for r in results.values() if r.draws is not None])
        finite = every[np.isfinite(every)]
        values = [float(finite.min()), float(finite.max())] if len(finite) else []
        ends = [value for r in results.values() for value in (r.low, r.estimate, r.high)]
        ax.set_xlim(limits(values + ends + list(marks.values())))
        bare(ax)
        above = draw_marks(ax, marks)
        explained = f"histogram: draws;  dot: estimate;  bar: {level_text(results)}"
        pooling = "" if self.pooled_score is None else POOLING
        n_left_out = len(every) - len(finite)
        left_out = f"not shown: {count(n_left_out, 'draw')} without a finite score"
        below = say_below(ax, direction(words), explained, left_out * (n_left_out > 0), pooling)
        head = 0.0 if is_narrow(ax) else rows_of(ax, 6 + len(marks) * LINE_HEIGHT, n_rows)
        ax.set_ylim(-n_rows + 0.7, HISTOGRAM + 0.08 + head)
        # Draws that are all the same have no range of their own.
        span = (values[0], values[1]) if values and values[0] < values[1] else ax.get_xlim()
        for k, result in enumerate(results.values()):
            self._histogram(ax, -k, result, bins, span)
            draw_interval(ax, -k - 0.13, result)
        name_rows(
            ax, [-k + 0.15 for k in range(n_rows)], list(results),
            [[interval_text(result)] for result in results.values()], reserved=above + below,
        )  # fmt: skip
        return self

    @staticmethod
    def _histogram(
        ax: Axes, y: float, result: ConfidenceInterval, bins: int, span: tuple[float, float]
    ) -> None:
        """Histogram that stands at height `y`: pale, and once more darker inside the interval."""
        from matplotlib.patches import Rectangle

        assert result.draws is not None
        finite = result.draws[np.isfinite(result.draws)]
        heights, edges = np.histogram(finite, bins=bins, range=span)
        tops = y + HISTOGRAM * heights / max(heights.max(), 1)
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
