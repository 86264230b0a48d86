"""Critical difference diagram: mean ranks, and which learners are not shown to differ."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .._wording import p_value
from ..results import RankingResult
from ._artists import INTERVAL
from ._base import BaseDisplay
from ._labels import check_kind
from ._room import fit_names, letters, rows_in_points, size_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 0.24
"""Height of a row in inches."""


class CriticalDifferenceDisplay(BaseDisplay):
    """Critical difference diagram of learners over several data sets.

    The axis holds the mean ranks, the best (1) on the left unless `plot` is told otherwise. Thick
    bars join learners that are not shown to differ; with a control the bar is the region around
    it in which a learner is not shown to differ from the control.

    Parameters
    ----------
    ranking : RankingResult
        From `Nemenyi`, `Holm`, `BonferroniDunn` or another comparison of pairs.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the picture is, after `plot`.
    figure_ : matplotlib Figure
        The figure around it, after `plot`.

    Notes
    -----
    Where the p-value of Friedman's test (``details["friedman_p_value"]``) shows no
    difference, the picture says "not significant", and its bars are grey.

    References
    ----------
    .. [1] J. Demsar, "Statistical comparisons of classifiers over multiple data sets",
       Journal of Machine Learning Research 7, 1-30 (2006).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.comparison import Nemenyi
    >>> from sklearn_bbc.display import CriticalDifferenceDisplay
    >>> scores = np.array([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.5],
    ...                    [0.7, 0.6, 0.5], [0.8, 0.7, 0.5], [0.9, 0.8, 0.6]])
    >>> ranking = Nemenyi().compare(scores, names=["A", "B", "C"])
    >>> display = CriticalDifferenceDisplay.from_results(ranking).plot()
    >>> display.ax_.get_xlabel()
    'mean rank, 6 data sets'
    """

    name = "critical_difference"
    why_no_search = "a search has seen one data set, and the diagram takes several"

    def __init__(self, *, ranking: RankingResult) -> None:
        check_kind("ranking", ranking, RankingResult, "Nemenyi().compare(scores)")
        if ranking.pair_p_values is None:
            raise ValueError(
                f"The ranking by {ranking.method!r} compares no pairs, so there is nothing to "
                "join. Use Nemenyi, Holm or BonferroniDunn."
            )
        self.ranking = ranking

    @classmethod
    def from_results(cls, results: Any) -> CriticalDifferenceDisplay:
        """Build the picture of a `RankingResult` with p-values of pairs."""
        return cls(ranking=results)

    @property
    def is_significant(self) -> bool | None:
        """Whether Friedman's test shows a difference; None where it was not made."""
        p = self._p_value
        return None if math.isnan(p) else bool(p <= self.ranking.alpha)

    @property
    def _p_value(self) -> float:
        return float(self.ranking.details.get("friedman_p_value", self.ranking.p_value))

    def frame(self) -> pd.DataFrame:
        """Return the numbers that the picture shows.

        Returns
        -------
        DataFrame
            One row per learner, best mean rank first, and the numbers of the bars it is in.
        """
        frame = self.ranking.frame()
        groups = self.ranking.groups()
        frame["groups"] = [
            tuple(k for k, group in enumerate(groups) if name in group)
            for name in frame["learner"]
        ]
        return frame

    def plot(
        self, ax: Axes | None = None, *, best_on_left: bool = True
    ) -> CriticalDifferenceDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure that is as high as the learners need.
        best_on_left : bool, default=True
            Whether ranks grow from left to right; False turns the axis round.

        Returns
        -------
        self : CriticalDifferenceDisplay
            With `ax_` and `figure_`.
        """
        ranking = self.ranking
        frame = ranking.frame()
        k = len(frame)
        bars = self._bars()
        n_left = (k + 1) // 2
        depth = len(bars) * 0.45 + 0.4
        bottom = depth + n_left
        ax = self._axes(ax, height=0.5 + ROW * (bottom + 2.4))
        ax.set_xlim((0.9, k + 0.1) if best_on_left else (k + 0.1, 0.9))
        ax.set_ylim(bottom, -2.5)
        color = INTERVAL if self.is_significant is not False else "0.6"
        for place, (low, high) in enumerate(bars):
            y = 0.4 + 0.45 * place
            ax.plot(
                [max(low, 0.9), min(high, k + 0.1)], [y, y], color=color, linewidth=3.5,
                solid_capstyle="butt", zorder=2,
            )  # fmt: skip
        width, _ = size_of(ax)
        told = [f"{name} ({rank:.2f})" for name, rank in zip(frame["learner"], frame["mean_rank"])]
        # A bit less than a row, since rows may be at the same height left and right.
        texts, size = fit_names(told, 0.42 * width, rows_in_points(ax, 0.9), 9.0)
        for place, (name, rank) in enumerate(zip(frame["learner"], frame["mean_rank"])):
            better = place < n_left
            # Towards the middle rows go down, so that no line crosses another.
            y = depth + (place if better else k - 1 - place) + 0.3
            end = 0.9 if better else k + 0.1
            left = better == best_on_left
            ax.plot([rank, rank, end], [0, y, y], color="0.3", linewidth=1, zorder=1)
            ax.plot([rank], [0], "o", color="0.1", markersize=4, zorder=3, clip_on=False)
            is_control = ranking.control is not None and name == ranking.names[ranking.control]
            ax.annotate(
                texts[place], (end, y), (-4 if left else 4, 0),
                textcoords="offset points", ha="right" if left else "left", va="center",
                fontsize=size, fontweight="bold" if is_control else "normal",
                annotation_clip=False,
            )  # fmt: skip
        self._head(ax, "left" if best_on_left else "right")
        for rank in _ticks(k):
            ax.plot([rank, rank], [0, -0.15], color="0.3", linewidth=1, zorder=1)
            ax.annotate(
                str(rank), (rank, -0.15), (0, 1), textcoords="offset points", ha="center",
                va="bottom", fontsize=letters(ax, 8.0),
            )  # fmt: skip
        ax.axhline(0, color="0.3", linewidth=1, zorder=1)
        ax.xaxis.set_label_position("top")
        ax.set_xlabel(f"mean rank, {ranking.n_data_sets} data sets", fontsize=letters(ax))
        ax.set_xticks([])
        ax.set_yticks([])
        for spine in ax.spines.values():
            spine.set_visible(False)
        return self

    def _bars(self) -> list[tuple[float, float]]:
        """Ends of the bars: of each group, or around the control."""
        ranking = self.ranking
        if ranking.control is not None:
            middle, half = ranking.mean_ranks[ranking.control], ranking.critical_difference
            return [] if math.isnan(half) else [(float(middle - half), float(middle + half))]
        rank_of = dict(zip(ranking.names, ranking.mean_ranks.tolist(), strict=True))
        return [
            (rank_of[group[0]] - 0.04, rank_of[group[-1]] + 0.04) for group in ranking.groups()
        ]

    def _head(self, ax: Axes, best: str) -> None:
        """Length of the critical difference, and whether Friedman's test shows anything."""
        ranking = self.ranking
        difference = ranking.critical_difference
        if not math.isnan(difference):
            stop = min(1 + difference, len(ranking.names) + 0.1)
            ax.plot([1, stop], [-1.6, -1.6], "|-", color="0.3", linewidth=1, markersize=6)
            ax.annotate(
                f"CD = {difference:.2f}", (1, -1.6), (0, 5), textcoords="offset points",
                fontsize=letters(ax, 8.0), color="0.3", ha=best, va="bottom",
            )  # fmt: skip
        if self.is_significant is False:
            ax.annotate(
                f"not significant (Friedman's test, {p_value(self._p_value)})", (0.5, 0), (0, -2),
                xycoords="axes fraction", textcoords="offset points", ha="center", va="top",
                fontsize=letters(ax, 8.0), color="#D55E00", annotation_clip=False,
            )  # fmt: skip


def _ticks(n_learners: int) -> list[int]:
    """At most six whole ranks."""
    return np.arange(1, n_learners + 1, max(1, -(-n_learners // 6))).tolist()
