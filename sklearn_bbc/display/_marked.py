"""Pictures of intervals across which the scores of the search are marked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from .._wording import MetricWords
from ..results import ConfidenceInterval
from ._artists import marks_of
from ._base import BaseDisplay
from ._labels import in_print, label_in_search, labelled, words_of

COLUMNS = ["method", "metric", "estimate", "low", "high", "confidence_level", "alternative"]

Picture = TypeVar("Picture", bound="MarkedDisplay")


class MarkedDisplay(BaseDisplay):
    """Base of the pictures with a row for each interval and lines across them for scores.

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
        self.best_score = best_score
        self.held_out_score = held_out_score
        self.pooled_score = pooled_score
        self._words: MetricWords | None = None

    @staticmethod
    def _check(label: str, result: ConfidenceInterval) -> None:
        """Raise where a result lacks what the picture shows."""

    @classmethod
    def from_results(
        cls: type[Picture],
        results: Any,
        *,
        best_score: float | None = None,
        held_out_score: float | None = None,
        pooled_score: float | None = None,
    ) -> Picture:
        """Build the picture of one or more results.

        Parameters
        ----------
        results : ConfidenceInterval, mapping of str to ConfidenceInterval, or iterable of them
            A mapping brings its labels; otherwise they are made of what tells the results
            apart: method, metric, level and sidedness.
        best_score, held_out_score, pooled_score : float or None, default=None
            Scores to mark across the rows, in scorer orientation as the results.

        Returns
        -------
        BaseDisplay
            The picture, not yet drawn.
        """
        return cls(
            results=labelled(results),
            best_score=best_score,
            held_out_score=held_out_score,
            pooled_score=pooled_score,
        )

    @classmethod
    def from_search(
        cls: type[Picture],
        search: Any,
        *,
        metric: str | None = None,
        held_out_score: float | None = None,
    ) -> Picture:
        """Build the picture of all intervals of a fitted search for one metric.

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
        """Return the numbers that the picture shows, in scorer orientation: greater is better.

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
        return pd.DataFrame(rows, index=labels, columns=COLUMNS)

    def _marks(self) -> dict[str, float]:
        """Scores that are marked, in scorer orientation."""
        return marks_of(self.best_score, self.held_out_score, self.pooled_score)

    def _in_print(
        self,
    ) -> tuple[MetricWords, dict[str, ConfidenceInterval], dict[str, float]]:
        """Metric, results and marks with the sign that people print."""
        words = words_of(self.results.values(), self._words)
        results = {label: in_print(result, words) for label, result in self.results.items()}
        return words, results, {name: words.natural(v) for name, v in self._marks().items()}


def results_of_search(
    search: Any, metric: str | None = None
) -> tuple[dict[str, ConfidenceInterval], float]:
    """Results of a fitted search for one metric, and the score that the search reports.

    Parameters
    ----------
    search : fitted BBCSearchCV
        Only public attributes are read.
    metric : str or None, default=None
        One of the metrics of the search; None takes the one that selects.

    Returns
    -------
    results : dict of str to ConfidenceInterval
        By the method's printed name.
    best_score : float
        Mean score of the winner over the folds, as in ``cv_results_``; of a threshold or an
        ensemble the score on the predictions that chose it.

    Raises
    ------
    ValueError
        If the search is not fitted or has no such metric.
    """
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
    """Score that a search reports for what a result is about.

    Parameters
    ----------
    search : fitted BBCSearchCV
        Only public attributes are read.
    metric : str
        One of the metrics of the search.
    result : ConfidenceInterval or None
        One of its results; None is the winner, where there is no interval.

    Returns
    -------
    float
        Mean over the folds, as in ``cv_results_``; a threshold or an ensemble has none, and
        gets its score on the predictions that chose it.
    """
    details = {} if result is None else result.details
    if "apparent_score" in details:
        return float(details["apparent_score"])
    means = search.cv_results_.get(
        f"mean_test_{metric}", search.cv_results_.get("mean_test_score")
    )
    return float(means[details["winner"]] if "winner" in details else np.nanmax(means))
