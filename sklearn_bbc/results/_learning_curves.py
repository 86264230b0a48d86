"""Curves over the number of samples, or of configurations that were tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from .._text import count, metric_words, printed_score, shown
from .._warnings import warn_user
from ..exceptions import IntervalWarning
from ._results import (
    ComparisonResult,
    ConfidenceInterval,
    Result,
    floats,
    frozen_array,
    indices,
    read_only,
)

FARTHEST_SIZE = 4
"""Times the largest size up to which the fitted curve is read without a warning."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LearningCurveResult(Result):
    """Scores on training and test samples by the number of training samples.

    Parameters
    ----------
    sizes : ndarray of shape (n_sizes,)
        Numbers of training samples, increasing.
    test, train : tuple of ConfidenceInterval, one per size
        Mean scores with their intervals, in scorer orientation: greater is better.
    gap : tuple of ComparisonResult, one per size
        Training score minus test score.
    test_scores, train_scores : ndarray of shape (n_sizes, n_splits)
        Scores of the single splits: all folds of the first repeat, then of the second.
    metric : str
        Name of the metric.
    n_repeats, n_folds : int
        Their product is the number of splits.
    curve : tuple of (float, float, float) or None, default=None
        a, b and c of ``a + b * n ** -c``, fitted to the mean test scores; None without a fit.
    flags : mapping of str to str, default={}
        What the curve shows, in words: ``"high_bias"``, ``"high_variance"``, ``"plateau"``,
        ``"rising"``, those that apply.
    details : mapping, default={}
        By-products: ``seed``, ``n_fits``, ``tolerance``, ``acceptable``, ``rmse`` of the fit,
        ``notes``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn_bbc.comparison import learning_curve_intervals
    >>> X, y = load_iris(return_X_y=True)
    >>> result = learning_curve_intervals(
    ...     KNeighborsClassifier(3), X, y, train_sizes=[12, 30, 60, 120], random_state=0
    ... )
    >>> result.frame()[["test_score", "low", "high"]].round(3).reset_index()
       train_size  test_score    low   high
    0          12       0.909  0.750  1.000
    1          30       0.956  0.864  1.000
    2          60       0.947  0.886  1.000
    3         120       0.962  0.932  0.992
    """

    sizes: np.ndarray
    test: tuple[ConfidenceInterval, ...]
    train: tuple[ConfidenceInterval, ...]
    gap: tuple[ComparisonResult, ...]
    test_scores: np.ndarray
    train_scores: np.ndarray
    metric: str
    n_repeats: int
    n_folds: int
    curve: tuple[float, float, float] | None = None
    flags: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    _types = {
        "sizes": partial(frozen_array, dtype=int),
        **dict.fromkeys(("test_scores", "train_scores"), floats),
        **dict.fromkeys(("test", "train", "gap"), tuple),
        "curve": lambda values: tuple(map(float, values)),
        **dict.fromkeys(("flags", "details"), read_only),
    }

    def frame(self) -> pd.DataFrame:
        """Return one row per size.

        Returns
        -------
        DataFrame
            Indexed by `train_size`: the test score with its bounds (`low`, `high`), the same
            of the training score (`train_score`, ...) and of the gap, and the `fitted` score
            where there is a fit.
        """
        table: dict[str, Any] = {}
        for name, prefix, results in (
            ("test_score", "", self.test),
            ("train_score", "train_", self.train),
            ("gap", "gap_", self.gap),
        ):
            field = "difference" if name == "gap" else "estimate"
            for column, of in ((name, field), (f"{prefix}low", "low"), (f"{prefix}high", "high")):
                table[column] = [getattr(each, of) for each in results]
        if self.curve is not None:
            table["fitted"] = self._on_curve(self.sizes)
        return pd.DataFrame(table, index=pd.Index(self.sizes, name="train_size"))

    def predict(self, n: Any) -> Any:
        """Predict the test score at another number of training samples, by the fitted curve.

        Parameters
        ----------
        n : int or array-like of int
            Numbers of training samples.

        Returns
        -------
        float or ndarray
            In scorer orientation. It may lie outside the range of the metric.

        Raises
        ------
        ValueError
            If there is no fitted curve, or `n` is not positive.

        Warns
        -----
        IntervalWarning
            If `n` is more than four times the largest size: what happens so far from the data
            rests on the shape of the curve alone.
        """
        if self.curve is None:
            raise ValueError(
                "There is no fitted curve: pass fit=True and at least three train_sizes to "
                "learning_curve_intervals."
            )
        sizes = np.asarray(n, dtype=float)
        if not (np.isfinite(sizes) & (sizes > 0)).all():
            raise ValueError(f"n must be positive numbers of training samples, got {n!r}.")
        largest = int(self.sizes[-1])
        if (sizes > FARTHEST_SIZE * largest).any():
            warn_user(
                f"The curve is read at {sizes.max():.0f} training samples, more than "
                f"{FARTHEST_SIZE} times the largest size that was tried ({largest}). Such a value "
                "rests on the assumed shape alone.",
                IntervalWarning,
            )
        values = self._on_curve(sizes)
        return float(values) if values.ndim == 0 else values

    def _on_curve(self, sizes: np.ndarray) -> np.ndarray:
        a, b, c = self.curve  # type: ignore[misc]
        return np.asarray(a + b * np.asarray(sizes, dtype=float) ** -c)

    def summary(self) -> str:
        """Describe in a few sentences what was found.

        Returns
        -------
        str
            The test score at the largest size, and what the curve shows.
        """
        last = self.test[-1]
        values = (last.estimate, last.low, last.high, self.train[-1].estimate)
        words = metric_words(self.metric, values)
        printed = printed_score(
            words, last.estimate, last.low, last.high,
            confidence_level=last.confidence_level, alternative=last.alternative,
            others=[self.train[-1].estimate],
        )  # fmt: skip
        begin = (
            f"With {self.sizes[-1]:,} training samples the {words.name} is {printed.estimate} on "
            f"test samples ({printed.interval()}) and {printed.others[0]} on training samples."
        )
        return " ".join([begin, *self.flags.values()])

    def __repr__(self) -> str:
        return (
            f"LearningCurveResult(sizes={self.sizes.tolist()}, metric={self.metric!r}, "
            f"n_repeats={self.n_repeats}, n_folds={self.n_folds}, flags={list(self.flags)})"
        )


CURVE_COLUMNS = ("best", "corrected")
BAND_QUANTILES = (0.05, 0.95)
"""Quantiles of the subsets between which a band lies."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OptimismCurve(Result):
    """Best and corrected scores of random subsets of the configurations that a search tried.

    All scores are in scorer orientation: greater is better.

    Parameters
    ----------
    sizes : ndarray of shape (n_sizes,)
        Numbers of configurations, ascending; the last one is that of all of them.
    best : ndarray of shape (n_sizes, n_subsets)
        Score of the subset's best configuration on all held-out predictions together; NaN where a
        size has fewer subsets.
    corrected : ndarray of shape (n_sizes, n_subsets)
        The same, with the selection repeated in every bootstrap draw, as `BBC` does.
    metric : str
        Name of the metric, for example ``"roc_auc"``.
    n_bootstraps : int
        Number of draws.
    details : mapping, default={}
        By-products: ``seed``, ``n_redrawn``, ``unit``, ``notes``, ``selected_by`` (the metric that
        selects, where it is another one).

    Examples
    --------
    >>> from sklearn_bbc.intervals import BBC, optimism_curve
    >>> from sklearn_bbc.testing import example_predictions
    >>> draws = BBC(n_bootstraps=500, random_state=0)
    >>> curve = optimism_curve(example_predictions(), "roc_auc", method=draws)
    >>> curve.sizes
    array([1, 2, 3, 4])
    >>> curve.frame()[["n_subsets", "best", "corrected"]].round(2)
               n_subsets  best  corrected
    n_configs
    1                  4  0.90       0.90
    2                 50  0.94       0.93
    3                 50  0.94       0.92
    4                  1  0.95       0.91
    """

    sizes: np.ndarray
    best: np.ndarray
    corrected: np.ndarray
    metric: str
    n_bootstraps: int
    details: Mapping[str, Any] = field(default_factory=dict)

    _drawn_by = "OptimismDisplay.from_results({})"
    _types = {"sizes": indices, "best": floats, "corrected": floats, "details": read_only}

    def frame(self) -> pd.DataFrame:
        """Return the curve as a table.

        Returns
        -------
        DataFrame
            Indexed by the number of configurations: ``n_subsets``, and the mean, the 5% and the
            95% percentile over the subsets of the ``best`` score, the ``corrected`` score and
            their difference, the ``optimism``.
        """
        best, corrected = pd.DataFrame(self.best.T), pd.DataFrame(self.corrected.T)
        columns: dict[str, Any] = {"n_subsets": best.count()}
        for name, of_subsets in (
            ("best", best), ("corrected", corrected), ("optimism", best - corrected),
        ):  # fmt: skip
            columns[name] = of_subsets.mean()
            columns[f"{name}_low"], columns[f"{name}_high"] = map(
                of_subsets.quantile, BAND_QUANTILES
            )
        return pd.DataFrame(columns).set_index(pd.Index(self.sizes, name="n_configs"))

    def summary(self) -> str:
        """Describe in a sentence how the optimism grows.

        Returns
        -------
        str
            The best and the corrected score of all configurations, and of the fewest.
        """
        frame = self.frame()
        words = metric_words(self.metric, self.best[np.isfinite(self.best)])
        first, last = frame.iloc[0], frame.iloc[-1]
        values = [words.natural(row[name]) for row in (first, last) for name in CURVE_COLUMNS]
        one, one_corrected, every, every_corrected = shown(*values)
        n_fewest = int(self.sizes[0])
        selected_by = self.details.get("selected_by")
        by = "" if selected_by is None else f" by {metric_words(selected_by).name}"
        fewest = (
            "a single one, taken at random," if n_fewest == 1
            else f"the best of {n_fewest:,}, taken at random,"
        )  # fmt: skip
        return (
            f"The best of {count(int(self.sizes[-1]), 'configuration')}{by} has {words.name} "
            f"{every} on the predictions that chose it, and {every_corrected} when it is "
            f"corrected; {fewest} has {one} and {one_corrected}."
        )

    def __repr__(self) -> str:
        return (
            f"OptimismCurve({self.sizes[-1]} configurations, {len(self.sizes)} sizes, "
            f"metric={self.metric!r}, n_bootstraps={self.n_bootstraps})"
        )
