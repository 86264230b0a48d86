"""What every picture shares: data in the constructor, `plot` returns self, `frame` the numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.utils._optional_dependencies import check_matplotlib_support

from .._registry import register
from ..results import ConfidenceInterval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SIDES = {"two-sided": "two-sided", "greater": "lower bound", "less": "upper bound"}

_REGISTRY: dict[str, type[BaseDisplay]] = {}


class BaseDisplay(ABC):
    """Base of all pictures: a picture computes nothing, it shows values.

    A picture is one file with one subclass: a `name`, a constructor that takes the values,
    `from_results` and `from_search` that build it, `frame` and `plot`. It registers itself by
    `name`. In `plot`, `_axes` gives the axes to draw on and sets the attributes below.

    Attributes
    ----------
    name : str
        Registered name.
    ax_ : matplotlib Axes
        Where the picture is, after `plot`.
    figure_ : matplotlib Figure
        The figure around it, after `plot`.

    Examples
    --------
    >>> from sklearn_bbc.display import BaseDisplay
    >>> import pandas as pd
    >>> class EstimateDisplay(BaseDisplay):
    ...     def __init__(self, *, value):
    ...         self.value = value
    ...
    ...     @classmethod
    ...     def from_results(cls, results):
    ...         return cls(value=results.estimate)
    ...
    ...     @classmethod
    ...     def from_search(cls, search):
    ...         return cls.from_results(search.ci_)
    ...
    ...     def frame(self):
    ...         return pd.DataFrame({"estimate": [self.value]})
    ...
    ...     def plot(self, ax=None):
    ...         self._axes(ax, height=1.0).axvline(self.value)
    ...         return self
    >>> EstimateDisplay(value=0.9).plot().frame()
       estimate
    0       0.9
    """

    name: ClassVar[str]
    why_no_search: ClassVar[str] = "it shows results that one search does not have"

    ax_: Axes
    figure_: Figure | SubFigure

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" in cls.__dict__:
            register(_REGISTRY, cls, "display")

    @classmethod
    @abstractmethod
    def from_results(cls, results: Any) -> BaseDisplay:
        """Build the picture of one or more results.

        Parameters
        ----------
        results : object
            Values of this package.

        Returns
        -------
        BaseDisplay
            The picture, not yet drawn.
        """

    @classmethod
    def from_search(cls, search: Any) -> BaseDisplay:
        """Build the picture of a fitted search.

        Parameters
        ----------
        search : fitted BBCSearchCV
            Only its public attributes are read.

        Returns
        -------
        BaseDisplay
            The picture, not yet drawn.

        Raises
        ------
        ValueError
            If the picture shows what no single search knows; `why_no_search` says why.
        """
        raise ValueError(
            f"A {type(search).__name__} cannot be shown as {cls.__name__}: {cls.why_no_search}. "
            f"Use {cls.__name__}.from_results."
        )

    @abstractmethod
    def frame(self) -> pd.DataFrame:
        """Return the numbers that the picture shows.

        Returns
        -------
        DataFrame
            One row for each thing that is drawn.
        """

    @abstractmethod
    def plot(self, ax: Axes | None = None) -> BaseDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        self : BaseDisplay
            With `ax_` and `figure_`.
        """

    def _axes(self, ax: Axes | None, *, height: float, width: float = 7.2) -> Axes:
        """Axes to draw on, of a new figure of this size in inches when there are none."""
        check_matplotlib_support(f"{type(self).__name__}.plot")
        if ax is None:
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(figsize=(width, height), layout="constrained")
        self.ax_ = ax
        self.figure_ = ax.figure
        return ax


def registered() -> dict[str, type[BaseDisplay]]:
    """Registered pictures by name.

    Returns
    -------
    dict of str to type
        Name -> class.

    Examples
    --------
    >>> from sklearn_bbc import display
    >>> display.registered()["intervals"].__name__
    'IntervalsDisplay'
    """
    return dict(_REGISTRY)


def labelled(results: Any) -> dict[str, ConfidenceInterval]:
    """Give each result the label under which it is shown.

    Parameters
    ----------
    results : ConfidenceInterval, mapping of str to ConfidenceInterval, or iterable of them
        The labels of a mapping stay. Others are the method's name, followed by as much as it
        takes to tell the results apart.

    Returns
    -------
    dict of str to ConfidenceInterval
        In the given order.

    Raises
    ------
    ValueError
        If there is no result, or something is not one.
    """
    if isinstance(results, ConfidenceInterval):
        results = [results]
    if isinstance(results, Mapping):
        named = {str(label): result for label, result in results.items()}
        _check(named.values())
        return named
    results = list(results)
    _check(results)
    methods = [result.method for result in results]
    metrics = [f", {result.metric}" for result in results]
    levels = [f", {100 * r.confidence_level:g}% {SIDES[r.alternative]}" for r in results]
    labels = first_that_differ(methods, metrics, levels)
    return dict(zip(labels, results, strict=True))


def first_that_differ(names: list[str], *parts: list[str]) -> list[str]:
    """Labels of as few parts as tell all results apart.

    Parameters
    ----------
    names : list of str
        What each label begins with.
    *parts : lists of str
        What may follow: each of them by itself is tried, then more and more of them. Where all
        together do not help, names are numbered.
    """
    several = [parts[:k] for k in range(2, len(parts) + 1)]
    for following in ([], *([part] for part in parts), *several):
        labels = ["".join(texts) for texts in zip(names, *following, strict=True)]
        if len(set(labels)) == len(labels):
            return labels
    return [f"{k + 1}: {name}" for k, name in enumerate(names)]


def _check(results: Iterable[Any]) -> None:
    results = list(results)
    if not results:
        raise ValueError("results is empty: give at least one ConfidenceInterval.")
    for result in results:
        if not isinstance(result, ConfidenceInterval):
            raise ValueError(
                f"results must be ConfidenceInterval objects, got {type(result).__name__}."
            )


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
        By method name.
    best_score : float
        Mean score of the winner over the folds, as in ``cv_results_``.

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
    results = dict(by_metric[metric])
    means = search.cv_results_.get(
        f"mean_test_{metric}", search.cv_results_.get("mean_test_score")
    )
    winners = [r.details["winner"] for r in results.values() if "winner" in r.details]
    # Without any interval there is no winner, but the best score is still there.
    best = means[winners[0]] if winners else np.nanmax(means)
    return results, float(best)


COLUMNS = ["method", "metric", "estimate", "low", "high", "confidence_level", "alternative"]


def frame_of(
    results: Mapping[str, ConfidenceInterval], marks: Mapping[str, float]
) -> pd.DataFrame:
    """One row per result and one per mark, indexed by label; a mark has an estimate only."""
    rows: dict[str, list[Any]] = {
        label: [r.method, r.metric, r.estimate, r.low, r.high, r.confidence_level, r.alternative]
        for label, r in results.items()
    }
    metrics = {result.metric for result in results.values()}
    metric = metrics.pop() if len(metrics) == 1 else None
    for label, value in marks.items():
        rows[label] = [None, metric, value, np.nan, np.nan, np.nan, None]
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=COLUMNS)
    return frame.rename_axis("label")
