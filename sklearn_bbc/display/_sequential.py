"""Plot of systems that are scored item by item: the evidence that each is not the best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._parameters import SHARE_RANGE
from .._text import digits
from .._utils import got
from ._base import BaseDisplay
from ._layout import fitted, framed, label_x, label_y, legend_above, size_of, text_size

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST = 0.1
"""Smallest evidence that is drawn; less is drawn there."""
MOST_NAMED = 5
"""Systems with a colour and a line in the legend."""
NOT_NAMED = "0.7"


class SequentialDisplay(BaseDisplay):
    """How strongly the scores say, item by item, that a system is not the best one.

    A line is a system. It ends where the system was dropped, at the dashed line.

    Parameters
    ----------
    evidence : DataFrame
        A row for each item, a column for each system, NaN once it is dropped.
    alpha : float in (0, 1), default=0.05
        A system is dropped when its evidence reaches ``1 / alpha``.

    See Also
    --------
    sklearn_bbc.SequentialBestOf : Its `plot` draws it.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from sklearn_bbc import SequentialBestOf
    >>> right = np.random.default_rng(0).random((150, 3)) < [0.4, 0.6, 0.8]
    >>> run = SequentialBestOf(["a", "b", "c"])
    >>> run = run.update(pd.DataFrame(right, columns=run.systems), order="random")
    >>> run.plot().ax_.get_xlabel()
    'items'
    """

    name = "sequential"
    shows = "evidence"
    why_no_search = "it shows systems that are fixed, scored item by item"

    def __init__(self, *, evidence: pd.DataFrame, alpha: float = 0.05) -> None:
        if not isinstance(evidence, pd.DataFrame) or evidence.empty:
            raise ValueError(
                "evidence must be a DataFrame with a row for each item, at least one, such as "
                f"run.evidence of a SequentialBestOf, got {got(evidence)}."
            )
        SHARE_RANGE.check("alpha", alpha)
        self.evidence = evidence
        self.alpha = alpha

    def frame(self) -> pd.DataFrame:
        """Return the evidence, a row for each item, a column for each system."""
        return self.evidence

    def plot(self, ax: Axes | None = None) -> SequentialDisplay:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            See `BaseDisplay.plot`.
        """
        frame = self.frame()
        ax = self._axes(ax, height=4.2)
        ax.set_yscale("log")
        limit, width = 1 / self.alpha, 0.35 * size_of(ax)[0]
        ax.set_ylim(LEAST, limit * 3)
        values, items = frame.to_numpy(dtype=float), np.arange(len(frame) + 1)
        values = np.vstack([np.ones(values.shape[1]), values]).clip(LEAST)
        reached = np.isfinite(values).sum(axis=0)
        # Those that lasted longest, the least evidence first.
        order = np.lexsort([values[reached - 1, np.arange(len(reached))], -reached])
        for place, column in reversed(list(enumerate(order))):
            named = place < MOST_NAMED
            n, text = reached[column], fitted(str(frame.columns[column]), width, text_size(ax), 1)
            ax.plot(
                items[:n], values[:n, column], lw=1.6 if named else 0.8, zorder=3 if named else 2,
                color=f"C{place}" if named else NOT_NAMED,
                label=text if named else None,
            )  # fmt: skip
            if n < len(items) or values[n - 1, column] >= limit:
                ax.plot(items[n - 1], values[n - 1, column], "x", color="0.3", zorder=4)
        ax.axhline(limit, color="0.3", ls="--", lw=1, label=f"dropped from {digits(limit)}")
        framed(ax)
        legend_above(ax, columns=2)
        n_more = len(order) - MOST_NAMED
        label_x(ax, "items", *([f"{n_more:,} more systems in grey"] if n_more > 0 else []))
        label_y(ax, "evidence against being the best")
        return self
