"""The curves of two classes: ROC, precision-recall, net benefit, calibration."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .._parameters import Number, Whole
from .._utils import lowest_reaching
from ..metrics._calibration import bins_of, highest_in_bins, smooth_shares, times
from ._base import TINY_WIDTH, Curve


def counts_above(
    y: np.ndarray, scores: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sum weights of positives and negatives at or above each distinct score, in descending order.

    Returns the sums after a 0, (n_draws, n_distinct + 1), and the scores (n_distinct,).
    """
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    weights = weights[:, order].astype(float)
    positive = y[order]
    totals = []
    for mask in (positive, ~positive):
        running = np.cumsum(weights * mask, axis=1)[:, ends]
        totals.append(np.pad(running, ((0, 0), (1, 0))))
    return totals[0], totals[1], ordered[ends]


def _check_within(name: str, what: str, grid: np.ndarray, low: float, high: float) -> None:
    """Raise where points of an ascending grid lie outside of a range."""
    if grid[0] < low or grid[-1] > high:
        ends = f"from {low:g}" if low == 0 else "above 0"
        percent = " In per cent? Divide them by 100." * bool(low <= grid[0] and grid[-1] <= 100)
        raise ValueError(
            f"grid of {name} must be {what} {ends} up to {high:g}, got {grid[0]:g} to "
            f"{grid[-1]:g}.{percent}"
        )


class ROC(Curve):
    """Sensitivity by 1 - specificity.

    Parameters
    ----------
    n_points : int, default=101
        Points of the grid, evenly from 0 to 1.

    See Also
    --------
    sklearn.metrics.roc_curve : The curve of one set of predictions.

    Notes
    -----
    Between the points of a curve it is a straight line, so the area under it is the AUC. Draws
    are averaged at fixed 1 - specificity (vertical averaging) [1]_.

    References
    ----------
    .. [1] T. Fawcett, "An introduction to ROC analysis", Pattern Recognition Letters 27, 861-874
       (2006). :doi:`10.1016/j.patrec.2005.10.010`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.curves import ROC
    >>> y, scores = np.array([False, False, True, True]), np.array([0.1, 0.4, 0.35, 0.8])
    >>> ROC().values(y, scores, np.ones((1, 4)), np.array([0.0, 0.5, 1.0]))
    array([[0.5, 1. , 1. ]])
    """

    name = "roc"
    x_label = "1 - specificity"
    y_label = "sensitivity"

    def __init__(self, *, n_points: int = 101) -> None:
        self.n_points = n_points

    def grid_of(self, y: np.ndarray, scores: np.ndarray) -> np.ndarray:
        return np.arange(self.n_points) / (self.n_points - 1)

    def _check_grid(self, grid: np.ndarray) -> None:
        _check_within("ROC", "values of 1 - specificity", grid, 0, 1)

    def values(
        self, y: np.ndarray, scores: np.ndarray, weights: np.ndarray, grid: np.ndarray
    ) -> np.ndarray:
        true, false, _ = counts_above(y, scores, weights)
        found = np.full((len(weights), len(grid)), np.nan)
        # Without one of the classes the shares are 0/0.
        for draw in np.flatnonzero((true[:, -1] > 0) & (false[:, -1] > 0)):
            x, up = false[draw] / false[draw, -1], true[draw] / true[draw, -1]
            # A point at which the curve rises, up to rounding, is that point: 1 - 0.9 is 0.1.
            reached = x[np.searchsorted(x, grid + 1e-12, side="right") - 1]
            found[draw] = np.interp(np.maximum(grid, reached), x, up)
        return found

    def references(
        self, y: np.ndarray, weights: np.ndarray, grid: np.ndarray
    ) -> Mapping[str, np.ndarray]:
        return {"no skill": grid}

    def _unseen(
        self,
        grid: np.ndarray,
        estimate: np.ndarray,
        shares: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> tuple[np.ndarray, np.ndarray]:
        positives, negatives, _ = shares
        before = np.interp(grid - negatives, grid, estimate)
        after = np.interp(grid + negatives, grid, estimate)
        low = np.where(grid < negatives, 0.0, before - positives)
        high = np.where(grid + negatives > 1, 1.0, after + positives)
        return np.where(grid < 1, low, estimate), high


class PrecisionRecall(Curve):
    """Precision (positive predictive value) by recall (sensitivity).

    Parameters
    ----------
    n_points : int, default=100
        Points of the grid, evenly from ``1 / n_points`` to 1.

    See Also
    --------
    sklearn.metrics.precision_recall_curve : The curve of one set of predictions.

    Notes
    -----
    The precision at a recall is that of the highest threshold which reaches it, so the area is
    the average precision. Between such points precision is not a straight line.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.curves import PrecisionRecall
    >>> y, scores = np.array([False, False, True, True]), np.array([0.1, 0.4, 0.35, 0.8])
    >>> PrecisionRecall().values(y, scores, np.ones((1, 4)), np.array([0.5, 1.0])).round(3)
    array([[1.   , 0.667]])
    """

    name = "precision_recall"
    x_label = "recall"
    y_label = "precision"

    def __init__(self, *, n_points: int = 100) -> None:
        self.n_points = n_points

    def grid_of(self, y: np.ndarray, scores: np.ndarray) -> np.ndarray:
        return np.arange(1, self.n_points + 1) / self.n_points

    def _check_grid(self, grid: np.ndarray) -> None:
        _check_within("PrecisionRecall", "recalls", grid, np.nextafter(0, 1), 1)

    def values(
        self, y: np.ndarray, scores: np.ndarray, weights: np.ndarray, grid: np.ndarray
    ) -> np.ndarray:
        true, false, _ = counts_above(y, scores, weights)
        with np.errstate(invalid="ignore"):  # no positives; above the first sample with a weight
            recall = np.where(true[:, -1:] > 0, true / true[:, -1:], 1.0)
            precision = np.where(true[:, -1:] > 0, true / (true + false), np.nan)
        # Recalls are sums of weights: equal ones may differ by rounding.
        first = np.array([np.searchsorted(each, grid - 1e-12) for each in recall])
        return np.take_along_axis(precision, first, axis=1)

    def references(
        self, y: np.ndarray, weights: np.ndarray, grid: np.ndarray
    ) -> Mapping[str, np.ndarray]:
        return {"no skill": np.full(len(grid), np.average(y, weights=weights))}

    def _unseen(
        self,
        grid: np.ndarray,
        estimate: np.ndarray,
        shares: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> tuple[np.ndarray, np.ndarray]:
        odds = shares[0] / (1 - shares[0])  # of one more negative, to all positives
        return grid * estimate / (grid + odds * estimate), estimate


def net_benefit(
    y: np.ndarray,
    scores: np.ndarray,
    weights: np.ndarray,
    grid: np.ndarray,
    total: np.ndarray | None = None,
) -> np.ndarray:
    """Compute the net benefit at thresholds, (n_draws, n_points), as a share of `total`.

    `total` (n_draws, 1) is the sum of the weights where None is given.
    """
    true, false, distinct = counts_above(y, scores, weights)
    reached = lowest_reaching(grid, scores, turned=True)  # risks of the first class may be
    n_above = np.searchsorted(-distinct, -reached, side="right")
    total = true[:, -1:] + false[:, -1:] if total is None else total
    return np.asarray((true[:, n_above] - false[:, n_above] * grid / (1 - grid)) / total)


class NetBenefit(Curve):
    r"""Net benefit by the threshold of risk above which somebody is treated.

    Parameters
    ----------
    low, high : float, default=0.01 and 0.99
        First and last threshold of the grid, inside (0, 1).
    n_points : int, default=99
        Points of the grid, evenly between them.

    Notes
    -----
    At a threshold :math:`t` the net benefit is
    :math:`\mathrm{TP}/n - \mathrm{FP}/n \cdot t / (1 - t)`, where those with a risk of at least
    :math:`t`, up to rounding, are treated [1]_. It is compared with treating all and treating
    none.

    The net benefit of a draw moves with its share of positives, and so does that of treating
    all. What a reader asks is their difference, which has limits of its own, see
    `CurveResult.frame`. To treating none it is the net benefit itself.

    References
    ----------
    .. [1] A. J. Vickers, E. B. Elkin, "Decision curve analysis: a novel method for evaluating
       prediction models", Medical Decision Making 26, 565-574 (2006).
       :doi:`10.1177/0272989X06295361`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.curves import NetBenefit
    >>> y, risks = np.array([False, False, True, True]), np.array([0.1, 0.4, 0.35, 0.8])
    >>> NetBenefit().values(y, risks, np.ones((1, 4)), np.array([0.2, 0.5]))
    array([[0.4375, 0.25  ]])
    """

    name = "net_benefit"
    x_label = "threshold of the risk"
    y_label = "net benefit"
    needs = "risks"
    bounds = (-np.inf, 1.0)
    compared = ("treat all", "treat none")

    _constraints = {"low": Number(above=0, below=1), "high": Number(above=0, below=1)}

    def __init__(self, *, low: float = 0.01, high: float = 0.99, n_points: int = 99) -> None:
        self.low = low
        self.high = high
        self.n_points = n_points

    def grid_of(self, y: np.ndarray, scores: np.ndarray) -> np.ndarray:
        grid = np.linspace(self.low, self.high, self.n_points).round(12)  # 0.1, not 0.0999...
        self._check_grid(grid)
        return grid

    def _check_grid(self, grid: np.ndarray) -> None:
        """Raise where a threshold is not in (0, 1)."""
        if grid[0] <= 0 or grid[-1] >= 1 or (np.diff(grid) <= 0).any():
            raise ValueError(
                "Thresholds of NetBenefit must be above 0, below 1 and ascending, got "
                f"{grid[0]:g} to {grid[-1]:g}."
            )

    def values(
        self, y: np.ndarray, scores: np.ndarray, weights: np.ndarray, grid: np.ndarray
    ) -> np.ndarray:
        return net_benefit(y, scores, weights, grid)

    def references(
        self, y: np.ndarray, weights: np.ndarray, grid: np.ndarray
    ) -> Mapping[str, np.ndarray]:
        share = np.average(y, weights=weights)
        return {
            "treat all": share - (1 - share) * grid / (1 - grid),
            "treat none": np.zeros(len(grid)),
        }

    def _unseen(
        self,
        grid: np.ndarray,
        estimate: np.ndarray,
        shares: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> tuple[np.ndarray, np.ndarray]:
        share = shares[2]
        return estimate - share * grid / (1 - grid), estimate + share

    def _unseen_difference(
        self,
        name: str,
        grid: np.ndarray,
        estimate: np.ndarray,
        shares: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> tuple[np.ndarray, np.ndarray]:
        # Treating all, only those below the threshold are treated otherwise.
        gain, loss = shares[2], shares[2] * grid / (1 - grid)
        if name == "treat all":
            return estimate - gain, estimate + loss
        return estimate - loss, estimate + gain


class Calibration(Curve):
    """Observed share of positives by the predicted risk.

    Parameters
    ----------
    bins : int or None, default=None
        Number of bins of equal width, whose observed shares are the curve; a risk on an edge, up
        to rounding, belongs to the bin below. None fits a smooth curve.
    n_points : int, default=51
        Points of the smooth curve, evenly between the 1% and 99% quantile of the risks.

    See Also
    --------
    sklearn.calibration.calibration_curve : The bins of one set of predictions.

    Notes
    -----
    The smooth curve is a logistic regression on the logit of the risk, as a restricted cubic
    spline with three knots at the 10%, 50% and 90% quantile of the risks [1]_ [2]_. On a
    calibrated model it is the diagonal. A bin stands at the mean risk of the selected
    configuration in it; where it is empty in a draw, that draw has no value there.

    References
    ----------
    .. [1] P. C. Austin, E. W. Steyerberg, "Graphical assessment of internal and external
       calibration of logistic regression models by using loess smoothers", Statistics in
       Medicine 33, 517-535 (2014). :doi:`10.1002/sim.5941`
    .. [2] B. Van Calster, D. J. McLernon, M. van Smeden, et al., "Calibration: the Achilles heel
       of predictive analytics", BMC Medicine 17, 230 (2019). :doi:`10.1186/s12916-019-1466-7`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.curves import Calibration
    >>> y = np.array([False, False, True, False, True, True])
    >>> risks = np.array([0.1, 0.2, 0.3, 0.7, 0.8, 0.9])
    >>> halves = Calibration(bins=2)
    >>> halves.values(y, risks, np.ones((1, 6)), halves.grid_of(y, risks)).round(3)
    array([[0.333, 0.667]])
    """

    name = "calibration"
    x_label = "predicted risk"
    y_label = "observed share"
    needs = "risks"

    _constraints = {"bins": Whole(2, or_none=True)}

    def __init__(self, *, bins: int | None = None, n_points: int = 51) -> None:
        self.bins = bins
        self.n_points = n_points

    def grid_of(self, y: np.ndarray, scores: np.ndarray) -> np.ndarray:
        if self.bins is None:
            low, high = np.quantile(scores, [0.01, 0.99])
            # Of risks that are all the same, up to rounding, there is one point.
            return (
                np.linspace(low, high, self.n_points)
                if high - low > TINY_WIDTH
                else np.array([low])
            )
        return self._grid_of_weighted(y, scores, np.ones(len(scores)))

    def _grid_of_weighted(
        self, y: np.ndarray, scores: np.ndarray, weights: np.ndarray
    ) -> np.ndarray:
        if self.bins is None:
            return self.grid_of(y, scores)
        of_bin = bins_of(scores, self.bins)
        there = np.unique(of_bin)
        masks = [of_bin == k for k in there]
        means = np.array([np.average(scores[mask], weights=weights[mask]) for mask in masks])
        # Where all stand on an edge, rounding of the mean must not carry it into the next bin.
        edges = highest_in_bins(self.bins, np.empty(0))
        low = np.nextafter(np.append(-np.inf, edges), np.inf)
        return np.clip(means, low[there], (there + 1) / self.bins)

    def values(
        self, y: np.ndarray, scores: np.ndarray, weights: np.ndarray, grid: np.ndarray
    ) -> np.ndarray:
        if self.bins is None:
            return smooth_shares(y, scores, weights, grid)
        points = np.searchsorted(highest_in_bins(self.bins, np.empty(0)), grid)
        inside = bins_of(scores, self.bins)[:, None] == points
        with np.errstate(invalid="ignore"):  # a bin that is empty
            return times(weights * y, inside) / times(weights, inside)

    def _check_grid(self, grid: np.ndarray) -> None:
        _check_within("Calibration", "risks", grid, 0, 1)

    def references(
        self, y: np.ndarray, weights: np.ndarray, grid: np.ndarray
    ) -> Mapping[str, np.ndarray]:
        return {"calibrated": grid}
