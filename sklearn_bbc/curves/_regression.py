"""The calibration curve of a regression."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..metrics._calibration import spline, times, weighted_squares
from ._base import Curve


def _rounding(values: np.ndarray) -> float:
    """Bound the spread that rounding leaves of equal values."""
    return 1e-12 * float(np.abs(values).max())


class RegressionCalibration(Curve):
    """Mean of the target by the predicted value, of a regression.

    Parameters
    ----------
    n_points : int, default=51
        Points of the curve, evenly between the 1% and 99% quantile of the predictions.

    Notes
    -----
    The curve is a least-squares fit of a restricted cubic spline with three knots, at the 10%,
    50% and 90% quantile of the predictions.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.curves import RegressionCalibration
    >>> predicted = np.arange(8.0)
    >>> shrunk = RegressionCalibration().values(
    ...     2 * predicted, predicted, np.ones((1, 8)), np.array([1.0, 3.0])
    ... )
    >>> shrunk.round(6)
    array([[2., 6.]])
    """

    name = "regression_calibration"
    x_label = "predicted"
    y_label = "observed"
    needs = "values"
    bounds = (-np.inf, np.inf)

    def __init__(self, *, n_points: int = 51) -> None:
        self.n_points = n_points

    def grid_of(self, y: np.ndarray, scores: np.ndarray) -> np.ndarray:
        low, high = np.quantile(scores, [0.01, 0.99])
        if high - low <= _rounding(scores):
            return np.array([low])
        return np.linspace(low, high, self.n_points)

    def values(
        self, y: np.ndarray, scores: np.ndarray, weights: np.ndarray, grid: np.ndarray
    ) -> np.ndarray:
        basis, at_grid = spline(scores, grid, same=_rounding(scores))
        squares = weighted_squares(basis, weights)
        moments = times(weights * y, basis)
        return times(np.linalg.solve(squares, moments[..., None])[..., 0], at_grid.T)

    def references(
        self, y: np.ndarray, weights: np.ndarray, grid: np.ndarray
    ) -> Mapping[str, np.ndarray]:
        return {"calibrated": grid}
