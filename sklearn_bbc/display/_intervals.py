"""Plots of intervals and of their draws, with the scores of the search marked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from .._parameters import Number, Whole, constrained
from .._text import MetricWords, count
from ..results._results import ConfidenceInterval
from ._base import BaseDisplay
from ._layout import (
    INTERVAL,
    SCORE_MARKS,
    bare,
    direction,
    draw_interval,
    draw_marks,
    in_print,
    interval_text,
    is_narrow,
    label_in_search,
    label_x,
    labelled,
    level_text,
    limits,
    name_rows,
    words_of,
    write_beside,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


INTERVAL_COLUMNS = [
    "method",
    "metric",
    "estimate",
    "low",
    "high",
    "confidence_level",
    "alternative",
]


class MarkedDisplay(BaseDisplay):
    """Base of the plots with a row for each interval and lines across them for scores.

    Parameters
    ----------
    results : mapping of str to ConfidenceInterval
        Label of the row -> result, from top to bottom.
    best_score : float or None, default=None
        Cross-validated score of the selected configuration, drawn as a dashed line.
    held_out_score : float or None, default=None
        Its score on data that took no part in tuning, drawn as a solid line.
    pooled_score : float or None, default=None
        Its score on the predictions of all folds together, drawn as a dotted line.
    """

    def __init__(
        self,
        *,
        results: Mapping[str, ConfidenceInterval],
        best_score: float | None = None,
        held_out_score: float | None = None,
        pooled_score: float | None = None,
    ) -> None:
        self.results = labelled(results)
        for label, result in self.results.items():
            self._check(label, result)
        for name in ("best_score", "held_out_score", "pooled_score"):
            Number(or_none=True).check(name, locals()[name])
        self.best_score = best_score
        self.held_out_score = held_out_score
        self.pooled_score = pooled_score
        self.words: MetricWords | None = None  # of a report, which knows more scores

    @staticmethod
    def _check(label: str, result: ConfidenceInterval) -> None:
        """Raise where a result lacks what the plot shows."""

    @classmethod
    def from_search(
        cls,
        search: Any,
        *,
        metric: str | None = None,
        held_out_score: float | None = None,
    ) -> Self:
        """Build the plot of all intervals of a fitted search for one metric.

        Parameters
        ----------
        search : fitted BBCSearchCV
            Only its public attributes are read.
        metric : str or None, default=None
            One of the metrics of the search; None takes the one that selects.
        held_out_score : float or None, default=None
            Score of the winner on data that took no part in tuning.

        Returns
        -------
        BaseDisplay
            With the score that the search reports marked, not yet drawn.
        """
        results, best_score = results_of_search(search, metric)
        return cls(results=results, best_score=best_score, held_out_score=held_out_score)

    def frame(self) -> pd.DataFrame:
        """Return the numbers that the plot shows, in scorer orientation: greater is better.

        Returns
        -------
        DataFrame
            One row per result, from top to bottom, then one per marked score.
        """
        rows: list[list[Any]] = [
            [r.method, r.metric, r.estimate, r.low, r.high, r.confidence_level, r.alternative]
            for r in self.results.values()
        ]
        metrics = {result.metric for result in self.results.values()}
        metric = metrics.pop() if len(metrics) == 1 else None
        marks = self._marks()
        rows += [[None, metric, value, np.nan, np.nan, np.nan, None] for value in marks.values()]
        # A result may have the label of a mark: both have a row then.
        labels = pd.Index([*self.results, *marks], name="label")
        return pd.DataFrame(rows, index=labels, columns=INTERVAL_COLUMNS)

    def _marks(self) -> dict[str, float]:
        """Collect the given scores that are marked across the rows, in scorer orientation."""
        scores = zip(
            SCORE_MARKS, (self.best_score, self.pooled_score, self.held_out_score), strict=True
        )
        return {label: float(value) for label, value in scores if value is not None}

    def _in_print(
        self,
    ) -> tuple[MetricWords, dict[str, ConfidenceInterval], dict[str, float]]:
        """Return the metric, and the results and marks with the sign that people print."""
        words = words_of(self.results.values(), self.words)
        results = {label: in_print(result, words) for label, result in self.results.items()}
        return words, results, {name: words.natural(v) for name, v in self._marks().items()}


def results_of_search(
    search: Any, metric: str | None = None
) -> tuple[dict[str, ConfidenceInterval], float]:
    """Return the results of a fitted search for one metric, and the score that it reports."""
    by_metric = getattr(search, "ci_results_", None)
    if by_metric is None:
        raise ValueError(
            f"{type(search).__name__} has no intervals (ci_results_): give a BBCSearchCV that was "
            "fitted."
        )
    if metric is None:
        refit = getattr(search, "refit", None)
        metric = refit if isinstance(refit, str) and refit in by_metric else next(iter(by_metric))
    if metric not in by_metric:
        known = list(by_metric)
        raise ValueError(
            f"metric={metric!r} is not a metric of this search; its metrics are {known}."
        )
    results = {label_in_search(name, r): r for name, r in by_metric[metric].items()}
    about = [result for result in results.values() if "winner" in result.details]
    return results, best_score_of(search, metric, about[0] if about else None)


def best_score_of(search: Any, metric: str, result: ConfidenceInterval | None) -> float:
    """Find the score that a search reports for what a result is about."""
    details = {} if result is None else result.details
    if "apparent_score" in details:
        return float(details["apparent_score"])
    means = search.cv_results_.get(
        f"mean_test_{metric}", search.cv_results_.get("mean_test_score")
    )
    return float(means[details["winner"]] if "winner" in details else np.nanmax(means))


DRAWS_ROW = 1.15
"""Height of a row in inches."""
HISTOGRAM = 0.7
"""Height of the highest bar, in rows."""
POOLING = "dashed to dotted: pooling of the folds, not selection; within_folds leaves it out"


class DrawsDisplay(MarkedDisplay):
    """Distribution of the draws, with the interval that was taken from it.

    Each result has a row: a histogram of its draws, darker inside the interval, and below
    it the interval with a dot for the estimate. The score that the search reports and the
    score on held-out data are lines across all rows.

    Parameters
    ----------
    results : mapping of str to ConfidenceInterval
        Label of the row -> result with `draws`, from top to bottom.
    best_score : float or None, default=None
        Cross-validated score of the selected configuration, drawn as a dashed line.
    held_out_score : float or None, default=None
        Its score on data that took no part in tuning, drawn as a solid line.
    pooled_score : float or None, default=None
        Its score on the predictions of all folds together, drawn as a dotted line, with a
        sentence: from the dashed line to the dotted one is pooling, from there to the
        estimate is selection.

    Raises
    ------
    ValueError
        If a result has no draws.

    See Also
    --------
    IntervalsDisplay : For methods without draws, or many of them.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.display import DrawsDisplay
    >>> from sklearn_bbc.intervals import BBC
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 30)
    >>> scores = rng.normal(size=(60, 20)) + y[:, None]
    >>> oof = OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(60) // 6)
    >>> result = BBC(random_state=0).estimate(oof, "roc_auc")
    >>> display = DrawsDisplay.from_results({"BBC": result}, best_score=0.9)
    >>> display.plot().ax_.get_yticklabels()[0].get_text().splitlines()[0]
    'BBC'
    >>> display.frame()["n_draws"]
    label
    BBC              2000
    best CV score    <NA>
    Name: n_draws, dtype: Int64
    """

    name = "draws"

    @staticmethod
    def _check(label: str, result: ConfidenceInterval) -> None:
        if result.draws is None:
            raise ValueError(
                f"The result {label!r} of the method {result.method!r} has no draws to show; "
                "IntervalsDisplay shows intervals without draws."
            )

    @classmethod
    def from_search(
        cls, search: Any, *, metric: str | None = None, held_out_score: float | None = None
    ) -> DrawsDisplay:
        """Build the plot of the intervals with draws of a fitted search, for one metric.

        The score that the search reports is marked. The pooled score is marked too where a
        result notes that most of the optimism comes from pooling.
        """
        results, best_score = results_of_search(search, metric)
        with_draws = {label: r for label, r in results.items() if r.draws is not None}
        if not with_draws:
            raise ValueError(
                f"None of the intervals of the search ({list(results)}) has draws to show; "
                "IntervalsDisplay shows intervals without draws."
            )
        pooled = [
            r.details["pooled_score"]
            for r in with_draws.values()
            if r.details.get("mostly_pooling") and "pooled_score" in r.details
        ]
        return cls(
            results=with_draws,
            best_score=best_score,
            held_out_score=held_out_score,
            pooled_score=pooled[0] if pooled else None,
        )

    def frame(self) -> pd.DataFrame:
        frame = super().frame()
        n_draws = [len(r.draws) for r in self.results.values() if r.draws is not None]
        n_marks = len(frame) - len(n_draws)
        frame["n_draws"] = pd.array([*n_draws, *[None] * n_marks], dtype="Int64")
        return frame

    @constrained(bins=Whole(1))
    def plot(self, ax: Axes | None = None, *, bins: int = 40) -> DrawsDisplay:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            See `BaseDisplay.plot`.
        bins : int, default=40
            Number of bins over the range of all draws. Each histogram is as high as its row,
            whatever the number of draws.
        """
        words, results, marks = self._in_print()
        n_rows = len(results)
        ax = self._axes(ax, height=0.95 + DRAWS_ROW * n_rows + 0.2 * bool(marks))
        every = np.concatenate([r.draws for r in results.values() if r.draws is not None])
        finite = every[np.isfinite(every)]
        values = [float(finite.min()), float(finite.max())] if len(finite) else []
        ends = [value for r in results.values() for value in (r.low, r.estimate, r.high)]
        ax.set_xlim(limits(values + ends + list(marks.values())))
        bare(ax)
        above = draw_marks(ax, marks)
        explained = f"histogram: draws;  dot: estimate;  bar: {level_text(results)}"
        pooling = "" if self.pooled_score is None else POOLING
        n_left_out = len(every) - len(finite)
        left_out = f"not shown: {count(n_left_out, 'draw')} without a finite score"
        below = label_x(ax, direction(words), explained, left_out * (n_left_out > 0), pooling)
        ax.set_ylim(-n_rows + 0.7, HISTOGRAM + 0.08)
        # Draws that are all the same have no range of their own.
        span = (values[0], values[1]) if values and values[0] < values[1] else ax.get_xlim()
        for k, result in enumerate(results.values()):
            self._histogram(ax, -k, result, bins, span)
            draw_interval(ax, -k - 0.13, result)
        name_rows(
            ax, [-k + 0.15 for k in range(n_rows)], list(results),
            [[interval_text(result)] for result in results.values()], reserved=above + below,
        )  # fmt: skip
        return self

    @staticmethod
    def _histogram(
        ax: Axes, y: float, result: ConfidenceInterval, bins: int, span: tuple[float, float]
    ) -> None:
        """Draw a histogram at height `y`: pale, and once more, darker, inside the interval."""
        from matplotlib.patches import Rectangle

        assert result.draws is not None
        finite = result.draws[np.isfinite(result.draws)]
        heights, edges = np.histogram(finite, bins=bins, range=span)
        tops = y + HISTOGRAM * heights / max(heights.max(), 1)
        style: dict[str, Any] = {"baseline": y, "fill": True, "facecolor": INTERVAL, "lw": 0}
        ax.stairs(tops, edges, alpha=0.3, **style)
        if not np.isnan(result.width):
            low, high = np.clip([*result], *ax.get_xlim())
            inside = Rectangle((low, y), high - low, 1, transform=ax.transData)
            ax.stairs(tops, edges, alpha=0.45, **style).set_clip_path(inside)
        ax.axhline(y, color="0.75", linewidth=0.8, zorder=1)


INTERVAL_ROW = 0.42
"""Height of a row in inches."""


class IntervalsDisplay(MarkedDisplay):
    """Forest plot of several intervals, one row each, numbers beside them.

    Parameters
    ----------
    results : mapping of str to ConfidenceInterval
        Label of the row -> result, from top to bottom.
    best_score : float or None, default=None
        Cross-validated score of the selected configuration, drawn as a dashed line.
    held_out_score : float or None, default=None
        Its score on data that took no part in tuning, drawn as a solid line.
    pooled_score : float or None, default=None
        Its score on the predictions of all folds together, drawn as a dotted line.

    See Also
    --------
    DrawsDisplay : The distribution of the draws behind an interval.
    DifferencesDisplay : Differences of two sides each, beside zero.

    Examples
    --------
    >>> from sklearn_bbc import ConfidenceInterval
    >>> from sklearn_bbc.display import IntervalsDisplay
    >>> bbc, delong = (
    ...     ConfidenceInterval(
    ...         estimate=estimate, low=low, high=high, confidence_level=0.95,
    ...         alternative="two-sided", method=method, metric="roc_auc", estimand="winner",
    ...     )
    ...     for method, estimate, low, high in
    ...     [("bbc", 0.90, 0.84, 0.95), ("delong", 0.93, 0.89, 0.97)]
    ... )
    >>> display = IntervalsDisplay.from_results([bbc, delong], best_score=0.93)
    >>> display.frame()[["estimate", "low", "high", "width"]]
                   estimate   low  high  width
    label
    BBC                0.90  0.84  0.95   0.11
    DeLong             0.93  0.89  0.97   0.08
    best CV score      0.93   NaN   NaN    NaN
    >>> display.plot().ax_.get_xlabel()
    'ROC AUC (greater is better)'
    """

    name = "intervals"

    def frame(self) -> pd.DataFrame:
        frame = super().frame()
        frame.insert(5, "width", frame["high"] - frame["low"])
        return frame

    @constrained()
    def plot(self, ax: Axes | None = None, *, numbers: bool = True) -> IntervalsDisplay:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            See `BaseDisplay.plot`.
        numbers : bool, default=True
            Whether estimate and bounds are written to the right of the rows.
        """
        words, results, marks = self._in_print()
        n_rows = len(results)
        ax = self._axes(ax, height=1.1 + INTERVAL_ROW * (n_rows + 0.5))
        ends = [value for r in results.values() for value in (r.low, r.estimate, r.high)]
        ax.set_xlim(limits(ends + list(marks.values())))
        narrow = is_narrow(ax)
        level = f"estimate  [{level_text(results)}]" if numbers else ""
        bare(ax)
        above = draw_marks(ax, marks)
        below = label_x(ax, direction(words), level if narrow else "")
        head = 0.1 if narrow or not numbers else 0.5  # of the numbers
        ax.set_ylim(-n_rows + 0.4, 0.5 + head)
        for k, result in enumerate(results.values()):
            draw_interval(ax, -k, result)
        texts = [interval_text(result) for result in results.values()] if numbers else []
        under = [[text] for text in texts] if narrow else []
        name_rows(ax, [-k for k in range(n_rows)], list(results), under, reserved=above + below)
        if texts and not narrow:
            for k, text in enumerate(texts):
                write_beside(ax, -k, text)
            write_beside(ax, 0.5 + head / 2, level, color="0.4")
        return self
