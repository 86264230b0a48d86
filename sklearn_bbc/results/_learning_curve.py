"""What a learning curve returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from .._equality import same
from .._warn import warn_user
from .._wording import metric_words, printed_score
from ..exceptions import IntervalWarning
from ._arrays import frozen_array
from ._comparison import ComparisonResult
from ._interval import ConfidenceInterval

__all__ = ["LearningCurveResult"]

FARTHEST = 4
"""Times the largest size up to which the fitted curve is read without a warning."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LearningCurveResult:
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

    Notes
    -----
    Two results are equal when all their fields hold the same, with NaN equal to NaN.

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

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", frozen_array(self.sizes, dtype=int))
        for name in ("test_scores", "train_scores"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), dtype=float))
        for name in ("test", "train", "gap"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if self.curve is not None:
            a, b, c = map(float, self.curve)
            object.__setattr__(self, "curve", (a, b, c))
        for name in ("flags", "details"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def frame(self) -> pd.DataFrame:
        """Table of the sizes.

        Returns
        -------
        DataFrame
            Indexed by `train_size`: the test score with its bounds (`low`, `high`), the same
            of the training score (`train_score`, ...) and of the gap, and the `fitted` score
            where there is a fit.
        """
        table: dict[str, Any] = {}
        for name, prefix, of in (
            ("test_score", "", [r.estimate for r in self.test]),
            ("train_score", "train_", [r.estimate for r in self.train]),
            ("gap", "gap_", [r.difference for r in self.gap]),
        ):
            bounds: Any = getattr(self, name.removesuffix("_score"))
            table[name] = of
            table[f"{prefix}low"] = [r.low for r in bounds]
            table[f"{prefix}high"] = [r.high for r in bounds]
        if self.curve is not None:
            table["fitted"] = self._on_curve(self.sizes)
        return pd.DataFrame(table, index=pd.Index(self.sizes, name="train_size"))

    def predict(self, n: Any) -> Any:
        """Test score at another number of training samples, by the fitted curve.

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
        if (sizes > FARTHEST * largest).any():
            warn_user(
                f"The curve is read at {sizes.max():.0f} training samples, more than {FARTHEST} "
                f"times the largest size that was tried ({largest}). Such a value rests on the "
                "assumed shape alone.",
                IntervalWarning,
            )
        values = self._on_curve(sizes)
        return float(values) if values.ndim == 0 else values

    def _on_curve(self, sizes: np.ndarray) -> np.ndarray:
        a, b, c = self.curve  # type: ignore[misc]
        return np.asarray(a + b * np.asarray(sizes, dtype=float) ** -c)

    def summary(self) -> str:
        """Say in a few sentences what was found.

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

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as a plain dictionary.

        Returns
        -------
        dict
            One entry per field.
        """
        return {**{f.name: getattr(self, f.name) for f in fields(self)}, **self._plain()}

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return (
            f"LearningCurveResult(sizes={self.sizes.tolist()}, metric={self.metric!r}, "
            f"n_repeats={self.n_repeats}, n_folds={self.n_folds}, flags={list(self.flags)})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LearningCurveResult):
            return NotImplemented
        return all(same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    def __hash__(self) -> int:
        return hash((self.metric, self.n_repeats, self.n_folds, *self.sizes.tolist()))

    def _plain(self) -> dict[str, Any]:
        return {"flags": dict(self.flags), "details": dict(self.details)}

    # A mapping proxy cannot be pickled, and unpickled arrays come back writeable.
    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, **self._plain()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        LearningCurveResult.__post_init__(self)
