"""Coverage of interval methods over many settings, beside what they promise."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.stats import binom

from ..._wording import percent
from .._artists import INTERVAL, MARKS, bare, beside_each_other, limits
from .._base import BaseDisplay
from .._room import is_narrow, legend_above, name_rows, say_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 0.5
"""Height of a row in inches."""
N_BINS = 70
"""Dots closer than one part of so many of the axis are put beside each other."""
CHANCE = 0.05
"""Share of settings that chance alone puts outside, of a method that covers exactly."""
BELOW, WITHIN, ABOVE = "too low", "as promised", "higher than promised"
STYLES: dict[str, dict[str, Any]] = {
    BELOW: {"color": MARKS["best CV score"]["color"], "marker": "v"},
    WITHIN: {"color": INTERVAL, "marker": "o"},
    ABOVE: {"color": "0.55", "marker": "^"},
}


class CoverageDisplay(BaseDisplay):
    """Swarm of the coverage that interval methods reach, one dot for each setting.

    A row is a method. Its dots are data sets or settings of a study, the line across all
    rows is the promised level, and the short line in a row is the mean over the settings.
    Colours say which dots differ from the promise by more than chance.

    Parameters
    ----------
    study : DataFrame
        One row per method and setting, with a column `method` and one of coverages.
    level : float in (0, 1), default=0.95
        What is promised.
    coverage : str, default="coverage"
        Column of the share of data sets whose interval held the truth.
    method : str, default="method"
        Column of the methods' names.
    runs : str or None, default=None
        Column of the number of data sets behind each coverage; None takes ``"runs"`` where
        there is one. Without it all dots look the same.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the picture is, after `plot`.
    figure_ : matplotlib Figure
        The figure around it, after `plot`.

    Raises
    ------
    ValueError
        If a column is missing, a coverage is not between 0 and 1, or all of them are missing.

    Notes
    -----
    A dot is outside chance where a method that covers exactly would be as far below, or above,
    in less than 2.5% of studies of this size. Settings without a coverage (NaN) are counted
    beside the method's name and not drawn.

    References
    ----------
    .. [1] K. Paraschakis, A. Castellani, G. Borboudakis, I. Tsamardinos, "Confidence
       interval estimation of predictive performance in the context of AutoML",
       International Conference on Automated Machine Learning (2024), Figure 2.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_bbc.display import CoverageDisplay
    >>> study = pd.DataFrame({
    ...     "method": ["BBC", "BBC", "naive", "naive"], "N": [50, 500, 50, 500],
    ...     "coverage": [0.98, 0.96, 0.42, 0.81], "runs": 200,
    ... })
    >>> display = CoverageDisplay.from_results(study, level=0.95)
    >>> display.frame()[["method", "coverage", "verdict"]]
      method  coverage      verdict
    0    BBC      0.98  as promised
    1    BBC      0.96  as promised
    2  naive      0.42      too low
    3  naive      0.81      too low
    >>> display.plot().ax_.get_xlabel()
    'coverage (95% is promised)'
    """

    name = "coverage"
    why_no_search = "a search has one data set, and coverage is counted over many"

    def __init__(
        self,
        *,
        study: pd.DataFrame,
        level: float = 0.95,
        coverage: str = "coverage",
        method: str = "method",
        runs: str | None = None,
    ) -> None:
        if not isinstance(study, pd.DataFrame):
            raise ValueError(f"study must be a DataFrame, got {type(study).__name__}.")
        is_number = isinstance(level, Real) and not isinstance(level, bool)
        if not (is_number and 0 < level < 1):
            raise ValueError(f"level must be a number between 0 and 1, got {level!r}.")
        if runs is None and "runs" in study:
            runs = "runs"
        missing = [name for name in (method, coverage, runs) if name and name not in study]
        if missing:
            raise ValueError(
                f"study has no column {missing[0]!r}; its columns are {list(study.columns)}."
            )
        values = study[coverage].to_numpy(dtype=float)
        wrong = values[(values < 0) | (values > 1)]
        if len(wrong):
            raise ValueError(f"coverages must be between 0 and 1, got {wrong[0]}.")
        if np.isnan(values).all():
            raise ValueError(f"the column {coverage!r} has no coverage to show.")
        self.study, self.level = study, float(level)
        self.coverage, self.method, self.runs = coverage, method, runs

    @classmethod
    def from_results(
        cls,
        results: Any,
        *,
        level: float = 0.95,
        coverage: str = "coverage",
        method: str = "method",
        runs: str | None = None,
    ) -> CoverageDisplay:
        """Build the picture of a coverage study.

        Parameters
        ----------
        results : DataFrame
            One row per method and setting.
        level : float in (0, 1), default=0.95
            What is promised.
        coverage, method : str, default="coverage" and "method"
            Names of the columns.
        runs : str or None, default=None
            Column of the number of data sets; None takes ``"runs"`` where there is one.

        Returns
        -------
        CoverageDisplay
            The picture, not yet drawn.
        """
        return cls(study=results, level=level, coverage=coverage, method=method, runs=runs)

    def frame(self) -> pd.DataFrame:
        """Return the numbers that the picture shows.

        Returns
        -------
        DataFrame
            The study with a column ``verdict``: ``"too low"``, ``"as promised"``, ``"higher
            than promised"``, or missing where the number of data sets is not known.
        """
        frame = self.study.reset_index(drop=True).copy()
        frame["verdict"] = None
        if self.runs is not None:
            held = frame[self.coverage].to_numpy(dtype=float)
            n = frame[self.runs].to_numpy(dtype=float)
            known = ~np.isnan(held) & (n > 0)
            k = np.round(held * n)
            below = binom.cdf(k, n, self.level) < CHANCE / 2
            above = binom.sf(k - 1, n, self.level) < CHANCE / 2
            words = np.select([below, above], [BELOW, ABOVE], WITHIN)
            verdicts = [word if ok else None for word, ok in zip(words.tolist(), known)]
            # Of dtype object, or newer releases of pandas turn None into NaN.
            frame["verdict"] = pd.Series(verdicts, dtype=object)
        return frame

    def plot(self, ax: Axes | None = None) -> CoverageDisplay:
        frame = self.frame()
        methods = list(dict.fromkeys(frame[self.method]))
        ax = self._axes(ax, height=1.2 + ROW * len(methods))
        drawn = frame[frame[self.coverage].notna()]
        low, high = limits([*drawn[self.coverage], self.level])
        ax.set_xlim(low, high)
        at = [-row for row in range(len(methods))]
        ax.set_ylim(at[-1] - 0.6, 0.6)
        bare(ax)
        ax.axvline(self.level, color="0.1", linewidth=1.2, linestyle=(0, (5, 2)), zorder=2)
        names, dots = [], []
        for y, name in zip(at, methods, strict=True):
            every = frame[frame[self.method] == name]
            here = every[every[self.coverage].notna()]
            values = here[self.coverage].to_numpy(dtype=float)
            n_missing = len(every) - len(here)
            names.append(f"{name} ({n_missing} undefined)" if n_missing else str(name))
            if not len(values):
                continue
            up = beside_each_other(values, (high - low) / N_BINS)
            dots += list(zip(values, y + up, here["verdict"], strict=True))
            ax.plot([values.mean()] * 2, [y - 0.4, y + 0.4], color="0.1", linewidth=2, zorder=3)
        self._dots(ax, dots)
        above = legend_above(ax)
        below = say_below(ax, f"coverage ({percent(self.level)} is promised)")
        ax.xaxis.set_major_formatter(lambda share, _: f"{100 * share:.4g}%")
        name_rows(ax, at, names, reserved=above + below)
        return self

    @staticmethod
    def _dots(ax: Axes, dots: list[tuple[float, float, Any]]) -> None:
        size = 3.5 if is_narrow(ax) else 5.0
        for verdict, style in [*STYLES.items(), (None, {"color": INTERVAL, "marker": "o"})]:
            these = [(x, y) for x, y, found in dots if found == verdict]
            if these:
                ax.plot(
                    *np.transpose(these), linestyle="", markersize=size, alpha=0.8, zorder=4,
                    label=verdict, **style,
                )  # fmt: skip
