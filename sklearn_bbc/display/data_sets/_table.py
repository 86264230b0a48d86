"""A table of scores, data sets by learners, and boxes of what is in its columns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd

from ..._wording import MetricWords, metric_words
from .._artists import INTERVAL, bare, beside_each_other, limits
from .._base import BaseDisplay
from .._room import name_rows, say_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 0.42
"""Height of a row in inches."""
BOX, HALF = "#9ecae1", 0.27
"""Colour of a box, and half of its height in rows."""
N_BINS = 60
"""Dots closer than one part of so many of the axis are put beside each other."""

Picture = TypeVar("Picture", bound="TableDisplay")


class TableDisplay(BaseDisplay):
    """Base of the pictures with a box for each learner and a dot for each data set.

    Parameters
    ----------
    scores : DataFrame or array-like of shape (n_data_sets, n_learners)
        One score per data set and learner. Columns and index of a DataFrame are their names.
    names : sequence of str, default=None
        Names of the learners.
    metric : str, default=""
        Name of the scores, for example ``"roc_auc"``.
    greater_is_better : bool, default=True
        False for losses with their natural sign.
    """

    why_no_search = "a search has seen one data set, and the picture takes several"

    def __init__(
        self,
        *,
        scores: Any,
        names: Sequence[str] | None = None,
        metric: str = "",
        greater_is_better: bool = True,
    ) -> None:
        frame = _checked(scores, names)
        oriented = frame if greater_is_better else 0.0 - frame
        words = metric_words(metric or "score", oriented.to_numpy().ravel())
        if not greater_is_better and not words.is_loss:
            words = MetricWords(words.name, -1)
        self.metric, self._words = metric, words
        self._scores = oriented  # greater is better

    @classmethod
    def from_results(
        cls: type[Picture],
        results: Any,
        *,
        names: Sequence[str] | None = None,
        metric: str = "",
        greater_is_better: bool = True,
    ) -> Picture:
        """Build the picture of a table of scores.

        Parameters
        ----------
        results : DataFrame or array-like of shape (n_data_sets, n_learners)
            As for `Nemenyi().compare`.
        names : sequence of str, default=None
            Names of the learners.
        metric : str, default=""
            Name of the scores.
        greater_is_better : bool, default=True
            False for losses with their natural sign.

        Returns
        -------
        BaseDisplay
            The picture, not yet drawn.
        """
        return cls(scores=results, names=names, metric=metric, greater_is_better=greater_is_better)

    @abstractmethod
    def frame(self) -> pd.DataFrame:
        """Return the numbers that the picture shows: data sets by learners, the best first."""

    @abstractmethod
    def _label(self) -> str:
        """Label of the axis."""

    def plot(self: Picture, ax: Axes | None = None) -> Picture:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure that is as high as the learners need.

        Returns
        -------
        self : BaseDisplay
            With `ax_` and `figure_`.
        """
        frame = self.frame()
        values = frame.to_numpy()
        n_rows = frame.shape[1]
        ax = self._axes(ax, height=1.0 + ROW * n_rows)
        low, high = limits(values.ravel().tolist())
        ax.set_xlim(low, high)
        at = [-row for row in range(n_rows)]
        ax.set_ylim(at[-1] - 0.6, 0.6)
        bare(ax)
        for y, column in zip(at, values.T, strict=True):
            _draw_box(ax, y, column)
            up = 0.7 * beside_each_other(column, (high - low) / N_BINS)
            ax.plot(column, y + up, "o", color=INTERVAL, markersize=3, alpha=0.75, zorder=4)
        below = say_below(ax, self._label(), f"box: quartiles;  dot: {len(frame)} data sets")
        name_rows(ax, at, [str(name) for name in frame.columns], reserved=below)
        return self


def _checked(scores: Any, names: Sequence[str] | None) -> pd.DataFrame:
    frame = scores if isinstance(scores, pd.DataFrame) else None
    try:
        array = np.asarray(scores, dtype=float)
    except (TypeError, ValueError):
        raise ValueError("scores must hold numbers of shape (n_data_sets, n_learners).") from None
    if array.ndim != 2 or not array.size:
        raise ValueError(f"scores has shape {array.shape}, expected (n_data_sets, n_learners).")
    if not np.isfinite(array).all():
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise ValueError(
            f"scores must be finite, but there is {array[row, column]} in row {row}, column "
            f"{column}. Leave out data sets on which some learner has no score."
        )
    if names is None:
        names = [f"learner {j}" for j in range(array.shape[1])] if frame is None else frame.columns
    names = [str(name) for name in names]
    if len(names) != array.shape[1] or len(set(names)) != len(names):
        raise ValueError(
            f"names must be {array.shape[1]} different names, one per learner, got {names}."
        )
    return pd.DataFrame(array, columns=names, index=None if frame is None else frame.index)


def _draw_box(ax: Axes, y: float, values: np.ndarray) -> None:
    """Quartiles as a box, the median in it, and whiskers to the last value within 1.5 boxes."""
    from matplotlib.patches import Rectangle

    low, middle, high = np.percentile(values, [25, 50, 75])
    reach = 1.5 * (high - low)
    inside = values[(values >= low - reach) & (values <= high + reach)]
    style: dict[str, Any] = {"color": "0.25", "linewidth": 1.2, "zorder": 3}
    # A quartile between two values may be nearer to the middle than any value that is near enough.
    for one, other in ((min(inside.min(), low), low), (high, max(inside.max(), high))):
        ax.plot([one, other], [y, y], **style)
    ax.add_patch(Rectangle((low, y - HALF), high - low, 2 * HALF, facecolor=BOX, zorder=2))
    ax.plot([middle, middle], [y - HALF, y + HALF], **{**style, "linewidth": 2.2})
