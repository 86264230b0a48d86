"""Plot of the width of an interval, or of a power, against the number of samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .._text import metric_words, percent
from ..results._planning import SampleSizeResult
from ._base import BaseDisplay
from ._layout import INTERVAL, check_kind, framed, is_narrow, label_x, label_y, legend_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TARGET_COLOR = "#D55E00"


class SampleSizeDisplay(BaseDisplay):
    """Width of an interval against the number of samples, or the power to show a difference.

    Of a width, the band holds 80% of the studies of a size, and the dotted line is the width at
    hand, scaled by the square root of the number. The target and the number that reaches it are
    marked.

    Parameters
    ----------
    result : SampleSizeResult
        From `samples_for_width` or `samples_for_power`.

    Examples
    --------
    >>> from sklearn_bbc import samples_for_width
    >>> from sklearn_bbc.display import SampleSizeDisplay
    >>> from sklearn_bbc.testing import example_predictions
    >>> result = samples_for_width(
    ...     example_predictions(), n_samples=[60, 120], scoring="roc_auc", n_studies=20,
    ...     random_state=0,
    ... )
    >>> SampleSizeDisplay.from_results(result).plot().ax_.get_ylabel()
    'width of the 95% interval of the ROC AUC'
    """

    name = "sample_size"
    shows = "result"
    why_no_search = "it shows what samples_for_width(search) returns"

    def __init__(self, *, result: SampleSizeResult) -> None:
        check_kind("result", result, SampleSizeResult, "samples_for_width")
        self.result = result

    def frame(self) -> pd.DataFrame:
        """Return one row for each number of samples, see `SampleSizeResult.frame`."""
        return self.result.frame()

    def plot(self, ax: Axes | None = None) -> SampleSizeDisplay:
        result, frame = self.result, self.frame()
        frame = frame[np.isfinite(frame["reached"])]
        ax = self._axes(ax, height=3.8)
        sizes = frame.index.to_numpy()
        name = metric_words(result.metric, sign=result.details.get("sign")).name
        drawn: dict[str, Any] = {"marker": "o", "markersize": 4, "color": INTERVAL, "zorder": 3}
        level = percent(result.confidence_level)
        if result.excludes is not None:
            ax.plot(sizes, frame["power"], label="power", **drawn)
            ax.set_ylim(-0.03, 1.03)
            text = f"power to show the difference in {name}"
        else:
            high = frame["width_high"].where(np.isfinite(frame["width_high"]))
            ax.fill_between(
                sizes, frame["width_low"], high, color=INTERVAL, alpha=0.15, linewidth=0,
                label="80% of studies",
            )  # fmt: skip
            share = result.assurance
            label = "median" if share == 0.5 else f"{percent(share)} are at most so wide"
            ax.plot(sizes, frame["reached"], label=label, **drawn)
            ax.plot(sizes, frame["root_n"], ":", color="0.35", label="square root law")
            text = f"width of the {level} interval of the {name}"
        if result.target is not None:
            bottom = min(ax.get_ylim()[0], 0.9 * result.target)
            ax.set_ylim(bottom, ax.get_ylim()[1])
            ax.plot(
                [sizes.min(), result.n_samples, result.n_samples],
                [result.target, result.target, bottom],
                "--", color=TARGET_COLOR, linewidth=1, zorder=2,
                label=f"target: {result.n_samples:,}",
            )  # fmt: skip
        framed(ax)
        ax.set_xscale("log")
        ends = min(sizes.min(), result.n_samples), max(sizes.max(), result.n_samples)
        ticks = round_numbers(*ends, 3 if is_narrow(ax) else 6)
        ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        ax.set_xticks([], minor=True)
        ax.set_xlim(0.9 * ends[0], 1.1 * ends[1])
        ax.locator_params(axis="y", nbins=5)
        label_x(ax, f"{result.details.get('noun', 'sample')}s")
        label_y(ax, text)
        legend_above(ax)
        return self


def round_numbers(low: float, high: float, most: int) -> list[int]:
    """Choose at most so many round numbers between two, on a logarithmic scale."""
    for steps in ((1, 1.5, 2, 3, 4, 5, 7), (1, 2, 5), (1, 3), (1,)):
        powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
        every = [round(step * 10**k) for k in powers for step in steps]
        ticks = [tick for tick in dict.fromkeys(every) if low <= tick <= high]
        if len(ticks) <= most:
            return ticks or [round(low)]
    return ticks[:: -(-len(ticks) // most)]
