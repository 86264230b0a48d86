"""Learning curve: scores by the number of training samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .._wording import metric_words
from ..results import LearningCurveResult
from ._artists import INTERVAL, framed
from ._base import BaseDisplay
from ._labels import check_kind, direction
from ._room import legend_above, say_below, say_beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TRAINING = "#D55E00"
TURNED = {"low": "high", "high": "low", "train_low": "train_high", "train_high": "train_low"}
"""Bounds change places where the sign of a loss is turned."""
SHOWN = ("test_score", "train_score", *TURNED)


class LearningCurveDisplay(BaseDisplay):
    r"""Learning curve with the intervals of training and test scores.

    Parameters
    ----------
    result : LearningCurveResult
        From `learning_curve_intervals`.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the picture is, after `plot`.
    figure_ : matplotlib Figure
        The figure around it, after `plot`.

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
    why_no_search = "it was fitted on one size; pass the search to learning_curve_intervals"

    def __init__(self, *, result: LearningCurveResult) -> None:
        check_kind("result", result, LearningCurveResult, "learning_curve_intervals")
        self.result = result

    @classmethod
    def from_results(cls, results: Any) -> LearningCurveDisplay:
        """Build the picture of a `LearningCurveResult`."""
        return cls(result=results)

    def frame(self) -> pd.DataFrame:
        """Return one row for each size, see `LearningCurveResult.frame`."""
        return self.result.frame()

    def plot(self, ax: Axes | None = None) -> LearningCurveDisplay:
        result, frame = self.result, self.frame()
        values = [value for name in SHOWN for value in frame[name] if not np.isnan(value)]
        words = metric_words(result.metric, values)
        if words.is_loss:
            turned = frame[list(SHOWN)].rename(columns=TURNED)
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
        say_below(ax, "training samples")
        say_beside(ax, direction(words).replace(" (", "\n("))
        legend_above(ax)
        return self
