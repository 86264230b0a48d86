"""Which configurations may be the best, family by family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..results import TiedSet
from ._artists import INTERVAL, MARKS, bare, limits
from ._base import BaseDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 0.5
"""Height of a row in inches."""
ALL = "all configurations"
"""Label of the only row where families are not known."""
OTHER, SIMPLEST = "0.72", MARKS["best CV score"]["color"]
N_BINS = 90
"""Dots closer than one part of so many of the axis are put beside each other."""


class TiedSetDisplay(BaseDisplay):
    """Scores of all configurations by family, those that may be the best in colour.

    A row is a family; beside it stands how many of its configurations are members, and which
    values these have.

    Parameters
    ----------
    tied : TiedSet
        What to show.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the picture is, after `plot`.
    figure_ : matplotlib Figure
        The figure around it, after `plot`.

    See Also
    --------
    sklearn_bbc.comparison.tied_with_best : Makes such a set.

    Examples
    --------
    >>> from sklearn_bbc.comparison import tied_with_best
    >>> from sklearn_bbc.display import TiedSetDisplay
    >>> from sklearn_bbc.testing import example_predictions
    >>> tied = tied_with_best(example_predictions(), "roc_auc", random_state=0)
    >>> display = TiedSetDisplay.from_results(tied)
    >>> display.frame()[["score", "member"]].round(2)
            score  member
    config
    3        0.95    True
    2        0.93    True
    1        0.92    True
    0        0.80   False
    >>> display.plot().ax_.get_xlabel()
    'roc_auc (greater is better)'
    """

    name = "tied_set"

    def __init__(self, *, tied: TiedSet) -> None:
        if not isinstance(tied, TiedSet):
            raise ValueError(
                f"tied must be a TiedSet, got {type(tied).__name__}. "
                "search.tied_with_best() makes one."
            )
        self.tied = tied

    @classmethod
    def from_results(cls, results: Any) -> TiedSetDisplay:
        """Build the picture of a tied set.

        Parameters
        ----------
        results : TiedSet
            From `tied_with_best`.

        Returns
        -------
        TiedSetDisplay
            The picture, not yet drawn.
        """
        return cls(tied=results)

    @classmethod
    def from_search(cls, search: Any, **options: Any) -> TiedSetDisplay:
        """Build the picture of a fitted search.

        Parameters
        ----------
        search : fitted BBCSearchCV
            Its `tied_with_best` is called.
        **options : dict
            Arguments of it, for example ``complexity="max_depth"``.

        Returns
        -------
        TiedSetDisplay
            The picture, not yet drawn.
        """
        return cls(tied=search.tied_with_best(**options))

    def frame(self) -> pd.DataFrame:
        """Return the numbers that the picture shows.

        Returns
        -------
        DataFrame
            All configurations, best score first, see `TiedSet.frame`.
        """
        return self.tied.frame()

    def plot(self, ax: Axes | None = None, *, max_families: int = 12) -> TiedSetDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure that is as high as the rows need.
        max_families : int, default=12
            Families with a row of their own, those with the best scores; the others share one.

        Returns
        -------
        self : TiedSetDisplay
            With `ax_` and `figure_`.
        """
        rows = self._rows(max_families)
        ax = self._axes(ax, height=1.25 + ROW * len(rows))
        low, high = self._limits()
        # Room on the left for how many are worse than what is shown.
        room = 0.17 * (high - low) if np.nanmin(self.tied.scores) < low else 0.0
        ax.set_xlim(low - room, high)
        tied = self.tied
        shown: dict[bool, list[tuple[float, float, int]]] = {True: [], False: []}
        for height, (_, configs) in enumerate(rows):
            inside = configs[tied.scores[configs] >= low]
            offset = _beside_each_other(tied.scores[inside], (high - low) / N_BINS)
            for config, up in zip(inside.tolist(), offset, strict=True):
                shown[config in tied].append((tied.scores[config], up - height, config))
            left_out = int(np.isfinite(tied.scores[configs]).sum()) - len(inside)
            self._texts(ax, height, configs, left_out)
        self._dots(ax, shown)
        ax.set_yticks([-height for height in range(len(rows))], [name for name, _ in rows])
        ax.set_ylim(-len(rows) + 0.4, 0.6)
        ax.set_xlabel(f"{tied.metric} (greater is better)")
        bare(ax)
        ax.legend(
            loc="lower right", bbox_to_anchor=(1, 1), ncols=4, frameon=False, fontsize=9,
            borderaxespad=0.2, handletextpad=0.2, columnspacing=1.2,
        )  # fmt: skip
        return self

    def _rows(self, max_families: int) -> list[tuple[str, np.ndarray]]:
        """Label and configurations of each row, from top to bottom."""
        tied = self.tied
        if not tied.families or len(set(tied.families)) == 1:
            return [(ALL, np.arange(tied.n_configs))]
        family = np.array(tied.families)
        names = list(tied.by_family().index)
        own = names if len(names) <= max_families else names[: max(1, max_families - 1)]
        # "model=" says nothing where every label begins so.
        begin = {name.partition("=")[0] for name in names}
        cut = len(begin.pop()) + 1 if len(begin) == 1 and "=" in names[0] else 0
        rows = [(name[cut:], np.flatnonzero(family == name)) for name in own]
        if len(own) < len(names):
            rest = np.flatnonzero(~np.isin(family, own))
            rows.append((f"{len(names) - len(own)} other families", rest))
        return rows

    def _limits(self) -> tuple[float, float]:
        """Room for the members and as much below them; what is worse is only counted."""
        scores = self.tied.scores[np.isfinite(self.tied.scores)]
        members = self.tied.scores[self.tied.members]
        spread = members.max() - members.min() or np.ptp(scores)
        worst = members.min() - 1.5 * spread
        return limits([float(max(worst, scores.min())), float(scores.max())])

    def _texts(self, ax: Axes, height: int, configs: np.ndarray, left_out: int) -> None:
        """Beside a row: how many are members, and their values; at its left end what is worse."""
        tied = self.tied
        scored = int(np.isfinite(tied.scores[configs]).sum())
        text = f"{sum(int(config) in tied for config in configs)} of {scored}"
        values = ""
        if tied.families:
            members = tied.by_family()["members"]
            names = {tied.families[config] for config in configs}
            values = members[names.pop()] if len(names) == 1 else ""
        place: dict[str, Any] = {
            "xycoords": ("axes fraction", "data"), "textcoords": "offset points",
            "annotation_clip": False,
        }  # fmt: skip
        color = "0.45" if text.startswith("0 ") else INTERVAL
        up = 6 if values else 0
        ax.annotate(text, (1, -height), (10, up), va="center", fontsize=9, color=color, **place)
        if values:
            values = values if len(values) <= 44 else values[:41] + "..."
            ax.annotate(
                values, (1, -height), (10, -6), va="center", fontsize=8, color="0.35", **place
            )
        if left_out:
            ax.annotate(
                f"\N{LEFTWARDS ARROW} {left_out} more", (0, -height), (2, 0), va="center",
                fontsize=8, color="0.45", **place,
            )  # fmt: skip

    def _dots(self, ax: Axes, shown: dict[bool, list[tuple[float, float, int]]]) -> None:
        tied = self.tied
        for is_member, label in ((False, "shown to be worse"), (True, "may be the best")):
            at = [(x, y) for x, y, _ in shown[is_member]]
            style: dict[str, Any] = {"color": INTERVAL} if is_member else {
                "markerfacecolor": "white", "markeredgecolor": OTHER,
            }  # fmt: skip
            if at:
                ax.plot(*zip(*at, strict=True), "o", markersize=5, label=label, zorder=3, **style)
        places = {config: (x, y) for x, y, config in [*shown[True], *shown[False]]}
        marks: list[tuple[str, int, dict[str, Any]]]
        marks = [("best score", tied.best, {"marker": "*", "markersize": 13, "color": "0.1"})]
        if tied.simplest is not None:
            marks.append(
                ("simplest", tied.simplest,
                 {"marker": "D", "markersize": 7, "color": SIMPLEST, "markeredgecolor": "white"})
            )  # fmt: skip
        for label, config, style in marks:
            ax.plot(*places[config], linestyle="", label=label, zorder=4, **style)


def _beside_each_other(scores: np.ndarray, width: float) -> np.ndarray:
    """Heights between -0.32 and 0.32 that keep dots with nearly equal scores apart."""
    bins = np.floor(scores / width) if width > 0 else np.zeros(len(scores))
    heights = np.zeros(len(scores))
    for each in np.unique(bins):
        here = np.flatnonzero(bins == each)
        ranks = np.arange(len(here)) - (len(here) - 1) / 2
        step = min(0.16, 0.64 / max(len(here) - 1, 1))
        heights[here[np.argsort(scores[here], kind="stable")]] = step * ranks
    return heights
