"""Forest plot of several searches or data sets, a panel for each metric."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..results import ConfidenceInterval
from ._artists import MARKS, bare, draw_interval, limits
from ._base import BaseDisplay
from ._labels import direction, in_print, label_in_search, labelled, words_of
from ._marked import best_score_of, results_of_search
from ._room import SHARE, legend_above, name_rows, panels, say_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 0.42
"""Height of a row in inches."""
BEST = "best CV score"

Rows = dict[str, dict[str, ConfidenceInterval]]


class ForestDisplay(BaseDisplay):
    r"""Forest plot of several searches, data sets or methods, with a panel for each metric.

    A row is a search or a data set. Metrics of different scale have panels of their own, each
    with its own axis and the sign that people print. The uncorrected score of each search is
    an open diamond.

    Parameters
    ----------
    results : mapping
        Label of the row -> ConfidenceInterval, or several of them, one for each metric.
    best_scores : mapping of str to mapping of str to float, default=None
        Label of the row -> metric -> score that the search reports, in scorer orientation.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The first panel, after `plot`.
    axes_ : list of matplotlib Axes
        All panels, after `plot`.
    figure_ : matplotlib Figure
        The figure around them, after `plot`.

    Raises
    ------
    ValueError
        If there is no result, something is not one, or a row has two of one metric.

    See Also
    --------
    IntervalsDisplay : Intervals of one metric, with numbers beside them.

    Examples
    --------
    >>> from sklearn_bbc.display import ForestDisplay
    >>> from sklearn_bbc.intervals import BBC
    >>> from sklearn_bbc.testing import example_predictions
    >>> bbc = BBC(random_state=0)
    >>> results = {
    ...     f"{n} samples": [
    ...         bbc.estimate(example_predictions(n_samples=n), metric)
    ...         for metric in ("roc_auc", "neg_log_loss")
    ...     ]
    ...     for n in (60, 120)
    ... }
    >>> display = ForestDisplay.from_results(results).plot()
    >>> [ax.get_xlabel().replace("\n", " ") for ax in display.axes_]
    ['ROC AUC (greater is better)', 'log loss (smaller is better)']
    """

    name = "forest"

    axes_: list[Axes]

    def __init__(
        self,
        *,
        results: Any,
        best_scores: Mapping[str, Mapping[str, float]] | None = None,
    ) -> None:
        self.results = _rows(results)
        self.best_scores = {
            str(label): {str(metric): float(score) for metric, score in scores.items()}
            for label, scores in (best_scores or {}).items()
        }
        unknown = set(self.best_scores) - set(self.results)
        if unknown:
            raise ValueError(
                f"best_scores has the rows {sorted(unknown)}, which results does not have; its "
                f"rows are {list(self.results)}."
            )
        for label, scores in self.best_scores.items():
            unknown = set(scores) - set(self.results[label])
            if unknown:
                raise ValueError(
                    f"best_scores has {sorted(unknown)} for the row {label!r}, which has no such "
                    f"metric; its metrics are {list(self.results[label])}."
                )

    @classmethod
    def from_results(
        cls, results: Any, *, best_scores: Mapping[str, Mapping[str, float]] | None = None
    ) -> ForestDisplay:
        """Build the picture of results.

        Parameters
        ----------
        results : mapping, ConfidenceInterval, or iterable of them
            A mapping has labels of rows, and for each a result, or several with different
            metrics. Without a mapping the rows are methods.
        best_scores : mapping of str to mapping of str to float, default=None
            Label of the row -> metric -> score that the search reports.

        Returns
        -------
        ForestDisplay
            The picture, not yet drawn.
        """
        return cls(results=results, best_scores=best_scores)

    @classmethod
    def from_search(cls, search: Any) -> ForestDisplay:
        """Build the picture of all intervals of a fitted search, its metrics side by side.

        Parameters
        ----------
        search : fitted BBCSearchCV
            Only its public attributes are read.

        Returns
        -------
        ForestDisplay
            A row for each method, not yet drawn.
        """
        results_of_search(search)  # says what is missing
        rows: Rows = {}
        best: dict[str, dict[str, float]] = {}
        for metric, by_name in search.ci_results_.items():
            for name, result in by_name.items():
                label = label_in_search(name, result)
                rows.setdefault(label, {})[result.metric] = result
                best.setdefault(label, {})[result.metric] = best_score_of(search, metric, result)
        return cls(results=rows, best_scores=best)

    @classmethod
    def from_searches(
        cls, searches: Mapping[str, Any], *, method: str | None = None
    ) -> ForestDisplay:
        """Build the picture of several fitted searches, of the same data or of others.

        Parameters
        ----------
        searches : mapping of str to fitted BBCSearchCV
            Label of the row -> search.
        method : str or None, default=None
            Name of the interval method, as in ``ci_results_``; None takes the first of each.

        Returns
        -------
        ForestDisplay
            A row for each search, not yet drawn.

        Raises
        ------
        ValueError
            If a search is not fitted, or has no interval by `method`.
        """
        rows: Rows = {}
        best: dict[str, dict[str, float]] = {}
        for label, search in searches.items():
            results_of_search(search)
            for metric, by_name in search.ci_results_.items():
                name = next(iter(by_name)) if method is None else method
                if name not in by_name:
                    raise ValueError(
                        f"method={method!r} is not among the intervals of {label!r}; these are "
                        f"{list(by_name)}."
                    )
                result = by_name[name]
                rows.setdefault(label, {})[result.metric] = result
                best.setdefault(label, {})[result.metric] = best_score_of(search, metric, result)
        return cls(results=rows, best_scores=best)

    @property
    def metrics(self) -> list[str]:
        """Metrics of the panels, from left to right."""
        return list(dict.fromkeys(metric for row in self.results.values() for metric in row))

    def frame(self) -> pd.DataFrame:
        """Return the numbers that the picture shows, in scorer orientation: greater is better.

        Returns
        -------
        DataFrame
            One row per row of the picture and metric, from top to bottom.
        """
        return pd.DataFrame([
            {
                "label": label, "metric": metric, "method": r.method, "estimate": r.estimate,
                "low": r.low, "high": r.high, "confidence_level": r.confidence_level,
                "alternative": r.alternative, "best_score": self._best(label, metric),
            }
            for label, row in self.results.items() for metric, r in row.items()
        ])  # fmt: skip

    def plot(self, ax: Axes | None = None) -> ForestDisplay:
        metrics, n_rows = self.metrics, len(self.results)
        first = self._axes(
            ax, height=1.1 + ROW * n_rows, width=max(6.0, min(3.0 + 2.4 * len(metrics), 11.0))
        )
        self.axes_ = panels(first, len(metrics))
        at = [-k for k in range(n_rows)]
        below = above = 0.0
        for panel, metric in zip(self.axes_, metrics, strict=True):
            below = max(below, self._panel(panel, metric, at))
            panel.set_yticks(at, [""] * n_rows)
        for panel in reversed(self.axes_):  # the last one that has a diamond
            if above := legend_above(panel):
                break
        share = SHARE * (1 + 0.6 * (len(metrics) - 1))
        name_rows(first, at, list(self.results), reserved=above + below, share=share)
        return self

    def _panel(self, ax: Axes, metric: str, at: list[int]) -> float:
        """Draw the results of one metric; the points that the label below takes."""
        rows = {label: row[metric] for label, row in self.results.items() if metric in row}
        words = words_of(rows.values())
        shown = {label: in_print(result, words) for label, result in rows.items()}
        best = {label: words.natural(self._best(label, metric)) for label in shown}
        ends = [v for r in shown.values() for v in (r.low, r.estimate, r.high)]
        ax.set_xlim(limits([*ends, *best.values()]))
        ax.set_ylim(at[-1] - 0.6, 0.6)
        marked = []
        for y, label in zip(at, self.results):
            if label in shown:
                draw_interval(ax, y, shown[label])
                if math.isfinite(best[label]):
                    marked.append((best[label], y))
        bare(ax)
        if marked:
            ax.plot(
                *np.transpose(marked), "D", label=BEST, markersize=5, color=MARKS[BEST]["color"],
                markerfacecolor="none", markeredgewidth=1.4, zorder=5,
            )  # fmt: skip
        return say_below(ax, direction(words).replace(" (", "\n("), centred=len(self.metrics) > 1)

    def _best(self, label: str, metric: str) -> float:
        return self.best_scores.get(label, {}).get(metric, math.nan)


def _rows(results: Any) -> Rows:
    """Results by row and metric."""
    if not isinstance(results, Mapping):
        rows: Rows = {}
        several = _listed(results)
        by_metric: dict[str, list[Any]] = {}
        for result in several:
            by_metric.setdefault(getattr(result, "metric", ""), []).append(result)
        # Within a metric, methods tell results apart.
        for each in by_metric.values() or [[]]:
            for label, result in labelled(each).items():
                rows.setdefault(label, {})[result.metric] = result
        return rows
    return {str(label): _row(str(label), row) for label, row in results.items()} or _nothing()


def _row(label: str, row: Any) -> dict[str, ConfidenceInterval]:
    found: dict[str, ConfidenceInterval] = {}
    for result in labelled(_listed(row.values() if isinstance(row, Mapping) else row)).values():
        if result.metric in found:
            raise ValueError(
                f"The row {label!r} has two results of {result.metric!r}; give each a row of its "
                "own."
            )
        found[result.metric] = result
    return found


def _listed(results: Any) -> list[Any]:
    # An interval is iterable itself, it unpacks into its bounds.
    single = isinstance(results, ConfidenceInterval) or not isinstance(results, Iterable)
    return [results] if single else list(results)


def _nothing() -> Rows:
    raise ValueError("results is empty: give at least one ConfidenceInterval.")
