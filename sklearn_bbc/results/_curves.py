"""A curve of the selected configuration, corrected for the selection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from .._text import metric_words, percent
from ._results import Result, floats, read_only

NOUNS = {
    "roc": "ROC curve",
    "precision_recall": "precision-recall curve",
    "calibration": "calibration curve",
    "net_benefit": "decision curve",
    "regression_calibration": "calibration curve",
}
LIMITS = ("apparent", "estimate", "low", "high", "low_joint", "high_joint")


def _arrays(values: Mapping[str, Any]) -> Mapping[str, np.ndarray]:
    return read_only({name: floats(array) for name, array in values.items()})


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CurveResult(Result):
    """A curve of the selected configuration, as it looks and corrected for the selection.

    Parameters
    ----------
    curve : str
        Name of the curve, for example ``"roc"``.
    x_label, y_label : str
        Labels of the axes.
    grid : ndarray of shape (n_points,)
        Points at which the curve is read.
    apparent : ndarray of shape (n_points,)
        Curve of the selected configuration's out-of-fold predictions, not corrected.
    estimate : ndarray of shape (n_points,)
        Corrected curve: mean over the draws of the winner's curve on the samples left out.
    low, high : ndarray of shape (n_points,)
        Limits at each point by itself.
    low_joint, high_joint : ndarray of shape (n_points,)
        Limits for the whole curve at once.
    predicted : ndarray of shape (n_rows,)
        Predictions of the selected configuration, out-of-fold.
    metric : str
        Name of the metric that selects.
    confidence_level : float
        Promised share of data sets in which the limits hold the true value.
    n_bootstraps : int
        Number of draws.
    references : mapping of str to ndarray of shape (n_points,), default={}
        Curves of no skill, such as ``"treat all"``.
    details : mapping, default={}
        By-products: ``winner``, ``winner_share``, ``positive_class``, ``n_undefined`` (draws
        without a value at some point), ``seed``, ``unit``, ``notes``, ...

    Notes
    -----
    Two results are equal when all their fields hold the same, with NaN equal to NaN. They can be
    hashed and pickled.

    Examples
    --------
    >>> from sklearn_bbc.curves import corrected_curve
    >>> from sklearn_bbc.testing import example_predictions
    >>> result = corrected_curve(example_predictions(), "roc_auc", grid=[0.2, 0.5], random_state=0)
    >>> bool((result.low_joint <= result.low).all())
    True
    """

    curve: str
    x_label: str
    y_label: str
    grid: np.ndarray
    apparent: np.ndarray
    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray
    low_joint: np.ndarray
    high_joint: np.ndarray
    predicted: np.ndarray
    metric: str
    confidence_level: float
    n_bootstraps: int
    references: Mapping[str, np.ndarray] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    _types = {
        **dict.fromkeys(("grid", *LIMITS, "predicted"), floats),
        "confidence_level": float,
        "references": _arrays,
        "details": read_only,
    }

    @property
    def _noun(self) -> str:
        """What people call the curve."""
        return NOUNS.get(self.curve, f"{self.y_label} by {self.x_label}")

    def frame(self) -> pd.DataFrame:
        """Return the curve as a table.

        Returns
        -------
        DataFrame
            Indexed by the grid: ``apparent``, ``estimate``, ``low``, ``high``, ``low_joint``,
            ``high_joint`` and a column for each curve of no skill.
        """
        columns = {name: getattr(self, name) for name in LIMITS} | dict(self.references)
        return pd.DataFrame(columns, index=pd.Index(self.grid, name=self.x_label))

    def summary(self) -> str:
        """Write a sentence on how the curve was corrected.

        Returns
        -------
        str
            What was selected by which metric, the draws and the level of the limits.
        """
        unit = self.details.get("unit", "sample")
        return (
            f"{self.y_label.capitalize()} by {self.x_label} of the configuration selected by "
            f"{metric_words(self.metric).name}, corrected for the selection by bootstrap bias "
            f"correction ({self.n_bootstraps:,} draws of {unit}s), with "
            f"{percent(self.confidence_level)} limits."
        )

    def __repr__(self) -> str:
        return (
            f"CurveResult({self.curve!r}, {len(self.grid)} points, metric={self.metric!r}, "
            f"confidence_level={self.confidence_level:g})"
        )
