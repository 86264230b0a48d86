"""How often each configuration is the one that selection chooses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from .._integers import check_integer
from .._wording import metric_words, params_that_vary
from ..results import ConfidenceInterval, TiedSet
from ._artists import INTERVAL, bare
from ._base import BaseDisplay
from ._marked import results_of_search
from ._room import is_narrow, legend_above, name_rows, say_below, size_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 0.32
"""Height of a row in inches."""
LOWEST = 24.0
"""Points that a row of a small picture should have at least."""
OTHER = "0.72"
WINNER = "winner on all samples"
MISSING = (
    "There are no shares of draws to show: {}. They are in details['won'] of a result of BBC, "
    "BBCF or RescaledBBC that selects configurations, and in TiedSet.won."
)


class SelectionFrequencyDisplay(BaseDisplay):
    """Share of the bootstrap draws in which each configuration is selected.

    A row is a configuration, the most frequent winner on top; the rest share one row. Bars
    that are all short say that the data do not determine the winner.

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

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the picture is, after `plot`.
    figure_ : matplotlib Figure
        The figure around it, after `plot`.

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
            check_integer("winner", winner, 0)
            self.shares.setdefault(int(winner), 0.0)
        self.winner = winner
        self.params = tuple(map(dict, params))
        self.metric = metric

    @classmethod
    def from_results(
        cls, results: Any, *, params: Sequence[Mapping[str, Any]] | None = None
    ) -> SelectionFrequencyDisplay:
        """Build the picture of a result that knows its draws.

        Parameters
        ----------
        results : ConfidenceInterval or TiedSet
            Of `BBC`, `BBCF` or `RescaledBBC`, or from `tied_with_best`.
        params : sequence of dict, default=None
            Parameters of each configuration; None takes those of a `TiedSet`.

        Returns
        -------
        SelectionFrequencyDisplay
            The picture, not yet drawn.

        Raises
        ------
        ValueError
            If the result does not know who won the draws.
        """
        if isinstance(results, TiedSet):
            shares = {k: share for k, share in enumerate(results.won) if share > 0}
            if not shares:
                raise ValueError(MISSING.format("no draw of the set could be scored"))
            given = results.params if params is None else params
            return cls(shares=shares, winner=results.best, params=given, metric=results.metric)
        if not isinstance(results, ConfidenceInterval):
            raise ValueError(
                "results must be a ConfidenceInterval, such as search.ci_, or a TiedSet, got "
                f"{type(results).__name__}."
            )
        if not results.details.get("won"):
            raise ValueError(MISSING.format(f"the method is {results.method!r}"))
        return cls(
            shares=results.details["won"], winner=results.details["winner"],
            params=() if params is None else params, metric=results.metric,
        )  # fmt: skip

    @classmethod
    def from_search(cls, search: Any, *, metric: str | None = None) -> SelectionFrequencyDisplay:
        """Build the picture of a fitted search.

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
            raise ValueError(MISSING.format(f"the intervals of the search are {list(results)}"))
        return cls.from_results(known[0], params=search.cv_results_["params"])

    def frame(self) -> pd.DataFrame:
        """Return the numbers that the picture shows.

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

    def plot(self, ax: Axes | None = None, *, max_configs: int = 10) -> SelectionFrequencyDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure that is as high as the rows need.
        max_configs : int, default=10
            Configurations with a row of their own. Small axes have fewer.

        Returns
        -------
        self : SelectionFrequencyDisplay
            With `ax_` and `figure_`.

        Raises
        ------
        ValueError
            If `max_configs` is not a whole number of at least 1.
        """
        check_integer("max_configs", max_configs, 1)
        frame = self.frame()
        ax = self._axes(ax, height=0.9 + ROW * min(len(frame), max_configs + 1))
        own, rest = self._divided(
            frame, min(max_configs, max(2, int(size_of(ax)[1] / LOWEST) - 1))
        )
        names = [
            text or f"configuration {config}" for config, text in zip(own["config"], own["params"])
        ]
        shares, in_color = own["share"].tolist(), own["is_winner"].tolist()
        if len(rest):
            names.append(f"{len(rest):,} other configurations")
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
        below = say_below(ax, f"share of draws with the best {metric}")
        above = legend_above(ax)
        texts = [f"{100 * share:.1f}%" for share in shares]
        if is_narrow(ax):
            names = [f"{name} ({text})" for name, text in zip(names, texts)]
        else:
            for y, text in zip(at, texts):
                ax.annotate(
                    text, (1, y), (8, 0), xycoords=("axes fraction", "data"),
                    textcoords="offset points", va="center", fontsize=9, annotation_clip=False,
                )  # fmt: skip
        name_rows(ax, at, names, reserved=above + below)
        for name, colored in zip(ax.get_yticklabels(), in_color, strict=True):
            if colored:  # its bar may be too short to be seen
                name.set_color(INTERVAL)
        return self

    @staticmethod
    def _divided(frame: pd.DataFrame, most: int) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Configurations with a row of their own, and those that share one: none or several."""
        if len(frame) <= most + 1:
            return frame, frame[:0]
        own = frame[:most]
        if frame["is_winner"][most:].any():
            own = pd.concat([frame[: most - 1], frame[frame["is_winner"]]])
        return own, frame.drop(own.index)
