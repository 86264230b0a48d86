"""Plots over several data sets: critical differences, scores, ranks, coverage."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from scipy.stats import binom

from .._parameters import SHARE_RANGE, Text, constrained
from .._text import MetricWords, fixed, metric_words, p_value_text, percent
from .._utils import got
from ..results._rankings import RankingResult
from ._base import BaseDisplay
from ._layout import (
    INTERVAL,
    SCORE_MARKS,
    bare,
    beside_each_other,
    check_kind,
    direction,
    fit_names,
    is_narrow,
    label_x,
    legend_above,
    limits,
    name_rows,
    size_of,
    text_size,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


RANK_ROW = 0.24
"""Height of a row in inches."""


class CriticalDifferenceDisplay(BaseDisplay):
    """Critical difference diagram of learners over several data sets.

    The axis holds the mean ranks, the best (1) on the left unless `plot` turns it. Thick
    bars join learners that are not shown to differ; with a control the bar is the region around
    it in which a learner is not shown to differ from the control.

    Parameters
    ----------
    ranking : RankingResult
        From `Nemenyi`, `Holm`, `BonferroniDunn` or another comparison of pairs.

    Notes
    -----
    Where the p-value of Friedman's test (``details["friedman_p_value"]``) shows no
    difference, the plot says "not significant", and its bars are grey.

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
    shows = "ranking"
    why_no_search = "a search has seen one data set, and the diagram takes several"

    def __init__(self, *, ranking: RankingResult) -> None:
        check_kind("ranking", ranking, RankingResult, "Nemenyi().compare(scores)")
        if ranking.pair_p_values is None:
            raise ValueError(
                f"The ranking by {ranking.method!r} compares no pairs, so there is nothing to "
                "join. Use Nemenyi, Holm or BonferroniDunn."
            )
        self.ranking = ranking

    @property
    def is_significant(self) -> bool | None:
        """Whether Friedman's test shows a difference; None where it was not made."""
        p = self._p_value
        return None if math.isnan(p) else bool(p <= self.ranking.alpha)

    @property
    def _p_value(self) -> float:
        return float(self.ranking.details.get("friedman_p_value", self.ranking.p_value))

    def frame(self) -> pd.DataFrame:
        """Return the numbers that the plot shows.

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

    @constrained()
    def plot(
        self, ax: Axes | None = None, *, best_on_left: bool = True
    ) -> CriticalDifferenceDisplay:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            See `BaseDisplay.plot`.
        best_on_left : bool, default=True
            Whether ranks grow from left to right; False turns the axis round.
        """
        ranking = self.ranking
        frame = ranking.frame()
        k = len(frame)
        bars = self._bars()
        n_left = (k + 1) // 2
        depth = len(bars) * 0.45 + 0.4
        bottom = depth + n_left
        ax = self._axes(ax, height=0.5 + RANK_ROW * (bottom + 2.4))
        ax.set_xlim((0.9, k + 0.1) if best_on_left else (k + 0.1, 0.9))
        ax.set_ylim(bottom, -2.5)
        color = INTERVAL if self.is_significant is not False else "0.6"
        for place, (low, high) in enumerate(bars):
            y = 0.4 + 0.45 * place
            ax.plot(
                [max(low, 0.9), min(high, k + 0.1)], [y, y], color=color, linewidth=3.5,
                solid_capstyle="butt", zorder=2,
            )  # fmt: skip
        width, height = size_of(ax)
        ranked = list(zip(frame["learner"], frame["mean_rank"], strict=True))
        named = [f"{name} ({fixed(rank, 2)})" for name, rank in ranked]
        # A bit less than a row, since rows may be at the same height left and right.
        texts, size = fit_names(named, 0.42 * width, 0.9 * height / (bottom + 2.5), 9.0)
        for place, (name, rank) in enumerate(ranked):
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
        for rank in _rank_ticks(k):
            ax.plot([rank, rank], [0, -0.15], color="0.3", linewidth=1, zorder=1)
            ax.annotate(
                str(rank), (rank, -0.15), (0, 1), textcoords="offset points", ha="center",
                va="bottom", fontsize=text_size(ax, 8.0),
            )  # fmt: skip
        ax.axhline(0, color="0.3", linewidth=1, zorder=1)
        ax.xaxis.set_label_position("top")
        ax.set_xlabel(f"mean rank, {ranking.n_data_sets} data sets", fontsize=text_size(ax))
        ax.set_xticks([])
        ax.set_yticks([])
        for spine in ax.spines.values():
            spine.set_visible(False)
        return self

    def _bars(self) -> list[tuple[float, float]]:
        """Find the ends of the bars: of each group, or around the control."""
        ranking = self.ranking
        if ranking.control is not None:
            middle, half = ranking.mean_ranks[ranking.control], ranking.critical_difference
            return [] if math.isnan(half) else [(float(middle - half), float(middle + half))]
        rank_of = dict(zip(ranking.names, ranking.mean_ranks.tolist(), strict=True))
        return [
            (rank_of[group[0]] - 0.04, rank_of[group[-1]] + 0.04) for group in ranking.groups()
        ]

    def _head(self, ax: Axes, best: str) -> None:
        """Draw the critical difference, and note where Friedman's test is not significant."""
        ranking = self.ranking
        difference = ranking.critical_difference
        if not math.isnan(difference):
            stop = min(1 + difference, len(ranking.names) + 0.1)
            ax.plot([1, stop], [-1.6, -1.6], "|-", color="0.3", linewidth=1, markersize=6)
            ax.annotate(
                f"CD = {fixed(difference, 2)}", (1, -1.6), (0, 5), textcoords="offset points",
                fontsize=text_size(ax, 8.0), color="0.3", ha=best, va="bottom",
            )  # fmt: skip
        if self.is_significant is False:
            why = f"not significant (Friedman's test, {p_value_text(self._p_value)})"
            ax.annotate(
                why, (0.5, 0), (0, -2),
                xycoords="axes fraction", textcoords="offset points", ha="center", va="top",
                fontsize=text_size(ax, 8.0), color="#D55E00", annotation_clip=False,
            )  # fmt: skip


def _rank_ticks(n_learners: int) -> list[int]:
    """Choose at most six whole ranks for the ticks."""
    return np.arange(1, n_learners + 1, max(1, -(-n_learners // 6))).tolist()


BOX_ROW = 0.42
"""Height of a row in inches."""
BOX, HALF = "#9ecae1", 0.27
"""Colour of a box, and half of its height in rows."""
BOX_BINS = 60
"""Dots closer than one part of so many of the axis are put beside each other."""


def _checked_scores(scores: Any, names: Sequence[str] | None) -> pd.DataFrame:
    frame = scores if isinstance(scores, pd.DataFrame) else None
    try:
        array = np.asarray(scores, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            f"scores must hold numbers of shape (n_data_sets, n_learners), got {got(scores)}."
        ) from None
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
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ValueError(f"names must be a list, one name per learner, got {got(names)}.")
    names = [str(name) for name in names]
    if len(names) != array.shape[1] or len(set(names)) != len(names):
        raise ValueError(
            f"names must be {array.shape[1]} different names, one per learner, got {names}."
        )
    return pd.DataFrame(array, columns=names, index=None if frame is None else frame.index)


def _draw_box(ax: Axes, y: float, values: np.ndarray) -> None:
    """Draw quartiles as a box with the median, and whiskers to the last value within 1.5 boxes."""
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


class BoxesDisplay(BaseDisplay):
    """Box plot of the scores of several learners over several data sets, or of their ranks.

    A box holds the middle half of a learner's scores, the line in it is the median, whiskers
    reach to the last score within one and a half boxes, and every data set is a dot. The
    learner with the best median (of ranks: the best mean) is on top.

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
    ranks : bool, default=False
        Whether to show ranks within each data set, for data sets whose scores have different
        scales. The best learner has rank 1; ties share their mean.

    Raises
    ------
    ValueError
        If `scores` is no table of finite numbers, or names do not fit.

    See Also
    --------
    CriticalDifferenceDisplay : Mean ranks, and which learners are shown to differ.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_bbc.display import BoxesDisplay
    >>> scores = pd.DataFrame({"tree": [0.7, 0.8, 0.6], "forest": [0.8, 0.9, 0.7]})
    >>> display = BoxesDisplay.from_results(scores, metric="roc_auc").plot()
    >>> display.frame().median()
    forest    0.8
    tree      0.7
    dtype: float64
    >>> display.ax_.get_xlabel().splitlines()[0]
    'ROC AUC (greater is better)'
    >>> BoxesDisplay.from_results(scores, ranks=True).frame().mean().tolist()
    [1.0, 2.0]
    """

    name = "boxes"
    shows = "scores"
    why_no_search = "a search has seen one data set, and the plot takes several"

    @constrained(metric=Text())
    def __init__(
        self,
        *,
        scores: Any,
        names: Sequence[str] | None = None,
        metric: str = "",
        greater_is_better: bool = True,
        ranks: bool = False,
    ) -> None:
        frame = _checked_scores(scores, names)
        oriented = frame if greater_is_better else 0.0 - frame
        words = metric_words(metric or "score", oriented.to_numpy().ravel())
        if not greater_is_better and not words.is_loss:
            words = MetricWords(words.name, -1)
        self.metric, self._words, self.ranks = metric, words, ranks
        self._scores = oriented  # greater is better

    def frame(self) -> pd.DataFrame:
        """Return the numbers that the plot shows: data sets by learners, the best first."""
        if self.ranks:
            ranks = self._scores.rank(axis=1, ascending=False)
            return ranks[ranks.mean().sort_values(kind="stable").index]
        scores = self._scores[(-self._scores.median()).sort_values(kind="stable").index]
        return 0.0 - scores if self._words.is_loss else scores

    def plot(self, ax: Axes | None = None) -> Self:
        frame = self.frame()
        values = frame.to_numpy()
        n_rows = frame.shape[1]
        ax = self._axes(ax, height=1.0 + BOX_ROW * n_rows)
        low, high = limits(values.ravel().tolist())
        ax.set_xlim(low, high)
        at = [-row for row in range(n_rows)]
        ax.set_ylim(at[-1] - 0.6, 0.6)
        bare(ax)
        for y, column in zip(at, values.T, strict=True):
            _draw_box(ax, y, column)
            up = 0.7 * beside_each_other(column, (high - low) / BOX_BINS)
            ax.plot(column, y + up, "o", color=INTERVAL, markersize=3, alpha=0.75, zorder=4)
        label = direction(self._words)
        if self.ranks:
            by = f"rank by {self._words.name}" if self.metric else "rank"
            label = f"{by} (1 is the best of {n_rows})"
        below = label_x(ax, label, f"box: quartiles;  dot: {len(frame)} data sets")
        name_rows(ax, at, [str(name) for name in frame.columns], reserved=below)
        return self


COVERAGE_ROW = 0.5
"""Height of a row in inches."""
COVERAGE_BINS = 70
"""Dots closer than one part of so many of the axis are put beside each other."""
OUTSIDE_BY_CHANCE = 0.05
"""Share of settings that chance alone puts outside, of a method that covers exactly."""
BELOW, WITHIN, ABOVE = "too low", "as promised", "higher than promised"
COVERAGE_STYLES: dict[str, dict[str, Any]] = {
    BELOW: {"color": SCORE_MARKS["best CV score"]["color"], "marker": "v"},
    WITHIN: {"color": INTERVAL, "marker": "o"},
    ABOVE: {"color": "0.55", "marker": "^"},
}


class CoverageDisplay(BaseDisplay):
    """Swarm of the coverage that interval methods reach, one dot for each setting.

    A row is a method. Its dots are data sets or settings of a study, the line across all
    rows is the promised level, and the short line in a row is the mean over the settings.
    Colours show which dots differ from the promise by more than chance.

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
    shows = "study"
    why_no_search = "a search has one data set, and coverage is counted over many"

    @constrained(level=SHARE_RANGE, coverage=Text(), method=Text(), runs=Text(or_none=True))
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
            raise ValueError(f"study must be a DataFrame, got {got(study)}.")
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

    def frame(self) -> pd.DataFrame:
        """Return the numbers that the plot shows.

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
            below = binom.cdf(k, n, self.level) < OUTSIDE_BY_CHANCE / 2
            above = binom.sf(k - 1, n, self.level) < OUTSIDE_BY_CHANCE / 2
            words = np.select([below, above], [BELOW, ABOVE], WITHIN)
            verdicts = [word if ok else None for word, ok in zip(words.tolist(), known)]
            # Of dtype object, or newer releases of pandas turn None into NaN.
            frame["verdict"] = pd.Series(verdicts, dtype=object)
        return frame

    def plot(self, ax: Axes | None = None) -> CoverageDisplay:
        frame = self.frame()
        methods = list(dict.fromkeys(frame[self.method]))
        ax = self._axes(ax, height=1.2 + COVERAGE_ROW * len(methods))
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
            up = beside_each_other(values, (high - low) / COVERAGE_BINS)
            dots += list(zip(values, y + up, here["verdict"], strict=True))
            ax.plot([values.mean()] * 2, [y - 0.4, y + 0.4], color="0.1", linewidth=2, zorder=3)
        self._dots(ax, dots)
        above = legend_above(ax)
        below = label_x(ax, f"coverage ({percent(self.level)} is promised)")
        ax.xaxis.set_major_formatter(lambda share, _: f"{100 * share:.4g}%")
        name_rows(ax, at, names, reserved=above + below)
        return self

    @staticmethod
    def _dots(ax: Axes, dots: list[tuple[float, float, Any]]) -> None:
        size = 3.5 if is_narrow(ax) else 5.0
        for verdict, style in [
            *COVERAGE_STYLES.items(),
            (None, {"color": INTERVAL, "marker": "o"}),
        ]:
            these = [(x, y) for x, y, found in dots if found == verdict]
            if these:
                ax.plot(
                    *np.transpose(these), linestyle="", markersize=size, alpha=0.8, zorder=4,
                    label=verdict, **style,
                )  # fmt: skip
