"""Plots of configurations: how often each is selected, and which may be the best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .._parameters import Text, Whole, constrained
from .._text import MetricWords, count, fixed, metric_words, params_that_vary
from ..results._rankings import TiedSet
from ..results._results import ConfidenceInterval
from ._base import BaseDisplay
from ._intervals import results_of_search
from ._layout import (
    INTERVAL,
    SCORE_MARKS,
    bare,
    beside_each_other,
    check_kind,
    direction,
    fitted,
    is_narrow,
    label_x,
    legend_above,
    limits,
    name_rows,
    size_of,
    write_beside,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


CONFIG_ROW = 0.32
"""Height of a row in inches."""
LOWEST = 24.0
"""Points that a row of a small plot should have at least."""
OTHER = "0.72"
WINNER = "winner on all samples"
NO_SHARES = (
    "There are no shares of draws to show: {}. They are in details['won'] of a result of BBC, "
    "BBCF or ShrunkenBBC that selects configurations, and in TiedSet.won."
)


class SelectionFrequencyDisplay(BaseDisplay):
    """Share of the bootstrap draws in which each configuration is selected.

    A row is a configuration, the most frequent winner on top; the rest share one row. Bars
    that are all short mean that the data do not determine the winner.

    Parameters
    ----------
    shares : mapping of int to float
        Configuration -> share of draws that it wins.
    winner : int or None, default=None
        Configuration that was selected on all samples, drawn in colour. It has a row of its own
        even where it wins few draws, or none.
    params : sequence of dict, default=()
        Parameters of each configuration: they name the rows. Without them rows have numbers.
    metric : str, default=""
        By what is selected.

    Raises
    ------
    ValueError
        If there are no shares, one is not between 0 and 1, or `winner` is no configuration.

    See Also
    --------
    TiedSetDisplay : Which configurations may be the best: winning often does not prove that.

    Notes
    -----
    The share is not the probability that a configuration is the best one. Of two that are
    nearly the same, each wins half of the draws that one of them would win alone.

    Examples
    --------
    >>> from sklearn_bbc.display import SelectionFrequencyDisplay
    >>> from sklearn_bbc.intervals import BBC
    >>> from sklearn_bbc.testing import example_predictions
    >>> result = BBC(random_state=0).estimate(example_predictions(), "roc_auc")
    >>> display = SelectionFrequencyDisplay.from_results(result)
    >>> display.frame()[["config", "share"]].round(2)
       config  share
    0       3   0.48
    1       2   0.31
    2       1   0.21
    3       0   0.00
    >>> display.plot().ax_.get_xlabel()
    'share of draws with the best ROC AUC'
    """

    name = "selection_frequency"
    _noun = "configuration"

    @constrained(winner=Whole(0, or_none=True), metric=Text())
    def __init__(
        self,
        *,
        shares: Mapping[int, float],
        winner: int | None = None,
        params: Sequence[Mapping[str, Any]] = (),
        metric: str = "",
    ) -> None:
        if not isinstance(shares, Mapping) or not shares:
            raise ValueError(
                f"shares must be a mapping of configurations to shares of draws, got {shares!r}."
            )
        wrong = [share for share in shares.values() if not 0 <= share <= 1]
        if wrong:
            raise ValueError(f"shares must be between 0 and 1, got {wrong[0]!r}.")
        self.shares = {int(config): float(share) for config, share in shares.items()}
        if winner is not None:
            self.shares.setdefault(int(winner), 0.0)
        self.winner = winner
        if not isinstance(params, Iterable):
            raise ValueError(f"params must be a list, one for each configuration, got {params!r}.")
        self.params = tuple(map(dict, params))
        self.metric = metric

    @classmethod
    def from_results(  # type: ignore[override]
        cls, results: Any, *, params: Sequence[Mapping[str, Any]] | None = None
    ) -> SelectionFrequencyDisplay:
        """Build the plot of a result that knows its draws.

        Parameters
        ----------
        results : ConfidenceInterval or TiedSet
            Of `BBC`, `BBCF` or `ShrunkenBBC`, or from `tied_with_best`.
        params : sequence of dict, default=None
            Parameters of each configuration; None takes those of a `TiedSet`.

        Returns
        -------
        SelectionFrequencyDisplay
            The plot, not yet drawn.

        Raises
        ------
        ValueError
            If the result does not know who won the draws.
        """
        if isinstance(results, TiedSet):
            shares = {k: share for k, share in enumerate(results.won) if share > 0}
            if not shares:
                raise ValueError(NO_SHARES.format("no draw of the set could be scored"))
            given = results.params if params is None else params
            made = cls(shares=shares, winner=results.best, params=given, metric=results.metric)
            made._noun = results.noun
            return made
        if not isinstance(results, ConfidenceInterval):
            raise ValueError(
                "results must be a ConfidenceInterval, such as search.ci_, or a TiedSet, got "
                f"{type(results).__name__}."
            )
        if not results.details.get("won"):
            raise ValueError(NO_SHARES.format(f"the method is {results.method!r}"))
        made = cls(
            shares=results.details["won"], winner=results.details["winner"],
            params=() if params is None else params, metric=results.metric,
        )  # fmt: skip
        made._noun = results.details.get("noun", made._noun)
        return made

    @classmethod
    def from_search(cls, search: Any, *, metric: str | None = None) -> SelectionFrequencyDisplay:
        """Build the plot of a fitted search.

        Parameters
        ----------
        search : fitted BBCSearchCV
            Only its public attributes are read.
        metric : str or None, default=None
            One of the metrics of the search; None takes the one that selects.

        Returns
        -------
        SelectionFrequencyDisplay
            Of the first of its intervals that knows who won the draws; not yet drawn.

        Raises
        ------
        ValueError
            If none does.
        """
        results, _ = results_of_search(search, metric)
        known = [result for result in results.values() if result.details.get("won")]
        if not known:
            raise ValueError(NO_SHARES.format(f"the intervals of the search are {list(results)}"))
        return cls.from_results(known[0], params=search.cv_results_["params"])

    def frame(self) -> pd.DataFrame:
        """Return the numbers that the plot shows.

        Returns
        -------
        DataFrame
            One row per configuration that wins a draw, and one for the winner on all samples,
            the most frequent first: `config`, its `params` as far as they vary, `share`, and
            whether it `is_winner`.
        """
        names = params_that_vary(self.params)
        order = sorted(self.shares, key=lambda config: (-self.shares[config], config))
        return pd.DataFrame({
            "config": order,
            "params": [names[config] if config < len(names) else "" for config in order],
            "share": [self.shares[config] for config in order],
            "is_winner": [config == self.winner for config in order],
        })  # fmt: skip

    @constrained(max_configs=Whole(1))
    def plot(self, ax: Axes | None = None, *, max_configs: int = 10) -> SelectionFrequencyDisplay:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            See `BaseDisplay.plot`.
        max_configs : int, default=10
            Configurations with a row of their own. Small axes have fewer.

        Raises
        ------
        ValueError
            If `max_configs` is not a whole number of at least 1.
        """
        frame = self.frame()
        ax = self._axes(ax, height=0.9 + CONFIG_ROW * min(len(frame), max_configs + 1))
        own, rest = self._divided(
            frame, min(max_configs, max(2, int(size_of(ax)[1] / LOWEST) - 1))
        )
        names = [
            text or f"{self._noun} {config}" for config, text in zip(own["config"], own["params"])
        ]
        shares, in_color = own["share"].tolist(), own["is_winner"].tolist()
        if len(rest):
            names.append(f"{len(rest):,} other {self._noun}s")
            shares.append(float(rest["share"].sum()))
            in_color.append(False)
        at = [-row for row in range(len(names))]
        for is_winner, color, label in ((True, INTERVAL, WINNER), (False, OTHER, None)):
            these = [k for k, colored in enumerate(in_color) if colored == is_winner]
            if these:
                ax.barh(
                    [at[k] for k in these], [shares[k] for k in these], height=0.62, color=color,
                    label=label, zorder=3,
                )  # fmt: skip
        ax.set_ylim(-len(names) + 0.4, 0.6)
        ax.set_xlim(0, (max(shares) or 1.0) * 1.04)
        bare(ax)
        ax.xaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
        metric = metric_words(self.metric).name if self.metric else "score"
        below = label_x(ax, f"share of draws with the best {metric}")
        above = legend_above(ax)
        texts = [f"{fixed(100 * share, 1)}%" for share in shares]
        if is_narrow(ax):
            names = [f"{name} ({text})" for name, text in zip(names, texts)]
        else:
            for y, text in zip(at, texts):
                write_beside(ax, y, text)
        name_rows(ax, at, names, reserved=above + below)
        for name, colored in zip(ax.get_yticklabels(), in_color, strict=True):
            if colored:  # its bar may be too short to be seen
                name.set_color(INTERVAL)
        return self

    @staticmethod
    def _divided(frame: pd.DataFrame, most: int) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Separate configurations with a row of their own from those that share one, if any."""
        if len(frame) <= most + 1:
            return frame, frame[:0]
        single = frame[:most]
        if frame["is_winner"][most:].any():
            single = pd.concat([frame[: most - 1], frame[frame["is_winner"]]])
        return single, frame.drop(single.index)


FAMILY_ROW = 0.5
"""Height of a row in inches."""
SIMPLEST = SCORE_MARKS["best CV score"]["color"]
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

    See Also
    --------
    sklearn_bbc.tied_with_best : Makes such a set.

    Examples
    --------
    >>> from sklearn_bbc import BBC, tied_with_best
    >>> from sklearn_bbc.display import TiedSetDisplay
    >>> from sklearn_bbc.testing import example_predictions
    >>> draws = BBC(n_bootstraps=1000, random_state=0)
    >>> tied = tied_with_best(example_predictions(), "roc_auc", draws=draws)
    >>> display = TiedSetDisplay.from_results(tied)
    >>> display.frame()[["score", "member"]].round(2)
            score  member
    config
    3        0.95    True
    2        0.93    True
    1        0.92    True
    0        0.80   False
    >>> display.plot().ax_.get_xlabel()
    'ROC AUC (greater is better)'
    """

    name = "tied_set"
    shows = "tied"

    def __init__(self, *, tied: TiedSet) -> None:
        check_kind("tied", tied, TiedSet, "search.tied_with_best()")
        self.tied = tied
        self.words: MetricWords | None = None  # of a report, which knows more scores

    @classmethod
    def from_search(cls, search: Any, **options: Any) -> TiedSetDisplay:
        """Build the plot of a fitted search.

        Parameters
        ----------
        search : fitted BBCSearchCV
            Its `tied_with_best` is called.
        **options : dict
            Arguments of it, for example ``complexity="max_depth"``.

        Returns
        -------
        TiedSetDisplay
            The plot, not yet drawn.
        """
        return cls(tied=search.tied_with_best(**options))

    def frame(self) -> pd.DataFrame:
        """Return all configurations, best score first, see `TiedSet.frame`."""
        return self.tied.frame()

    @constrained(max_families=Whole(1))
    def plot(self, ax: Axes | None = None, *, max_families: int = 12) -> TiedSetDisplay:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            See `BaseDisplay.plot`.
        max_families : int, default=12
            Families with a row of their own, those with the best scores; the others share one.

        Raises
        ------
        ValueError
            If `max_families` is not a whole number of at least 1.
        """
        rows = self._rows(max_families)
        ax = self._axes(ax, height=1.25 + FAMILY_ROW * len(rows))
        tied = self.tied
        words = self.words or metric_words(tied.metric, tied.scores)
        scores = 0.0 - tied.scores if words.is_loss else tied.scores
        low, high, shown = self._limits(words)
        # Room for how many are worse than what is shown.
        space = 0.17 * (high - low) if np.isfinite(tied.scores[~shown]).any() else 0.0
        ax.set_xlim(low - space * (words.sign > 0), high + space * (words.sign < 0))
        ax.set_ylim(-len(rows) + 0.4, 0.6)
        bare(ax)
        dots: dict[bool, list[tuple[float, float, int]]] = {True: [], False: []}
        for height, (_, configs) in enumerate(rows):
            inside = configs[shown[configs]]
            offset = beside_each_other(scores[inside], (high - low) / N_BINS)
            for config, up in zip(inside.tolist(), offset, strict=True):
                dots[config in tied].append((scores[config], up - height, config))
        self._dots(ax, dots)
        above = legend_above(ax, columns=2)
        below = label_x(ax, direction(words))
        texts = [self._counted(configs) for _, configs in rows]
        narrow = is_narrow(ax)
        # Under each name in narrow axes: how many are members, or their values with them.
        width = 0.6 * size_of(ax)[0]
        under = [fitted(", ".join(filter(None, each)), width, 5, 2).split("\n") for each in texts]
        size = name_rows(
            ax, [-height for height in range(len(rows))], [name for name, _ in rows],
            under if narrow else [], reserved=above + below,
        )  # fmt: skip
        for height, (_, configs) in enumerate(rows):
            if not narrow:
                self._beside(ax, height, *texts[height])
            left_out = int(np.isfinite(tied.scores[configs[~shown[configs]]]).sum())
            if left_out:
                _write_worse(ax, height, left_out, words.is_loss, min(8.0, size))
        return self

    def _rows(self, max_families: int) -> list[tuple[str, np.ndarray]]:
        """List the label and configurations of each row, from top to bottom."""
        tied = self.tied
        if not tied.families or len(set(tied.families)) == 1:
            return [(f"all {tied.noun}s", np.arange(tied.n_configs))]
        family = np.array(tied.families)
        names = list(tied.by_family().index)
        named = names if len(names) <= max_families else names[: max(1, max_families - 1)]
        # "model=" is left out where every label begins so.
        begin = {name.partition("=")[0] for name in names}
        cut = len(begin.pop()) + 1 if len(begin) == 1 and "=" in names[0] else 0
        rows = [(name[cut:], np.flatnonzero(family == name)) for name in named]
        if len(named) < len(names):
            others = np.flatnonzero(~np.isin(family, named))
            rows.append((count(len(names) - len(named), "other family", "other families"), others))
        return rows

    def _limits(self, words: MetricWords) -> tuple[float, float, np.ndarray]:
        """Choose limits around the members and some way below; mark configurations inside.

        Worse configurations are only counted.
        """
        every = self.tied.scores
        scores, members = every[np.isfinite(every)], every[self.tied.members]
        spread = members.max() - members.min() or np.ptp(scores)
        worst = max(float(members.min() - 1.5 * spread), float(scores.min()))
        low, high = limits([worst, float(scores.max())])
        shown = np.isfinite(every) & (every >= low)
        return (*words.natural_bounds(low, high), shown)

    def _counted(self, configs: np.ndarray) -> tuple[str, str]:
        """Count the members of a row, and write their values."""
        tied = self.tied
        scored = int(np.isfinite(tied.scores[configs]).sum())
        text = f"{sum(int(config) in tied for config in configs)} of {scored}"
        names = {tied.families[config] for config in configs} if tied.families else set()
        values = tied.by_family()["members"][names.pop()] if len(names) == 1 else ""
        return text, values

    @staticmethod
    def _beside(ax: Axes, height: int, text: str, values: str) -> None:
        color = "0.45" if text.startswith("0 ") else INTERVAL
        write_beside(ax, -height, text, color=color, down=-6 if values else 0)
        if values:
            values = fitted(values, 0.45 * size_of(ax)[0], 8, 1)
            write_beside(ax, -height, values, 8, "0.35", down=6)

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


def _write_worse(ax: Axes, height: int, n: int, to_the_right: bool, size: float) -> None:
    """Write at the edge of a row how many much worse configurations are not shown."""
    arrow = "\N{RIGHTWARDS ARROW}" if to_the_right else "\N{LEFTWARDS ARROW}"
    ax.annotate(
        f"{n} more {arrow}" if to_the_right else f"{arrow} {n} more",
        (float(to_the_right), -height), (-2 if to_the_right else 2, 0),
        xycoords=("axes fraction", "data"), textcoords="offset points", va="center",
        ha="right" if to_the_right else "left", fontsize=size, color="0.45",
    )  # fmt: skip
