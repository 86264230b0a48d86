"""Measures of calibration: slope, intercept, and distance of risks from observed shares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, logit
from sklearn.metrics import make_scorer
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from .._parameters import Whole, constrained
from .._scorers import OUR_SCORERS
from .._utils import check_arrays, check_integer, lowest_reaching
from ._base import MetricKernel, RowData

SAME_PROBABILITY = 1e-9
"""Log odds that differ by less are the same: a probability of 0.9 or 1 - 0.1."""
CERTAIN = 1e-6
"""Risks are kept this far from 0 and 1 on the logit scale."""
KNOTS = (0.1, 0.5, 0.9)
"""Quantiles at which a spline has its knots."""
RIDGE = 1e-9
"""Share of the weight added to the diagonal, so that draws with few distinct values have a fit."""
MOST_STEPS = 100
SEPARATED = (
    "Where the risks of all positives lie above, or below, those of all negatives, no slope is "
    "the best one: it grows without end. Such draws are common with few samples or a model that "
    "is nearly always right. The calibration curve, 'calibration_intercept' and "
    "'neg_integrated_calibration_index' have a value there."
)


def times(rows: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Multiply matrices so that no row depends on how many there are, as it may with BLAS."""
    return np.einsum("bn,nk->bk", rows, matrix)


def spline(
    x: np.ndarray,
    grid: np.ndarray,
    weights: np.ndarray | None = None,
    *,
    same: float = SAME_PROBABILITY,
) -> tuple[np.ndarray, np.ndarray]:
    """Compute columns of a restricted cubic spline at `x` and at `grid`, (n, n_columns) each.

    With `weights` (n,) the knots are those of so many copies of each value. Values whose spread is
    at most `same` are equal: rounding leaves one.
    """
    center, scale = x.mean(), x.std()
    if scale <= same:
        return np.ones((len(x), 1)), np.ones((len(grid), 1))
    knots = np.quantile(x, KNOTS, weights=weights, method="inverted_cdf")
    first, middle, last = (knots - center) / scale
    columns = []
    for values in ((x - center) / scale, (grid - center) / scale):
        parts = [np.ones_like(values), values]
        if first + SAME_PROBABILITY < middle < last - SAME_PROBABILITY:
            cubes = [np.maximum(values - knot, 0) ** 3 for knot in (first, middle, last)]
            right = (last - first) / (last - middle)
            bend = cubes[0] - right * cubes[1] + (right - 1) * cubes[2]
            parts.append(bend / (last - first) ** 2)
        columns.append(np.column_stack(parts))
    return columns[0], columns[1]


def weighted_squares(basis: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Compute the matrices X'WX (n_draws, n_columns, n_columns), with a small ridge."""
    n_columns = basis.shape[1]
    products = (basis[:, :, None] * basis[:, None, :]).reshape(len(basis), -1)
    squares = times(weights, products).reshape(-1, n_columns, n_columns)
    ridge = RIDGE * weights.sum(axis=1)[:, None, None] + np.finfo(float).tiny
    return squares + ridge * np.eye(n_columns)


def logistic_fits(
    y: np.ndarray, basis: np.ndarray, weights: np.ndarray, offset: np.ndarray | float = 0.0
) -> np.ndarray:
    """Fit coefficients (n_draws, n_columns) by Newton's method; a step that loses is halved.

    Where classes are separated the coefficients grow until the steps end: risks near 0 and 1.
    """
    found = np.zeros((len(weights), basis.shape[1]))
    step = np.zeros_like(found)
    best = np.full(len(weights), -np.inf)
    left = np.arange(len(weights))  # each draw takes its own number of steps
    turned = np.where(y, 1.0, -1.0)
    for _ in range(MOST_STEPS):
        tried = found[left] + step[left]
        linear = times(tried, basis.T) + offset
        likelihood = -np.einsum("bn,bn->b", weights[left], np.logaddexp(0, -turned * linear))
        # Near the maximum only rounding tells values apart.
        better = likelihood >= best[left] - 1e-12 * np.abs(likelihood)
        step[left[~better]] /= 2
        best[left[better]] = likelihood[better]
        found[left[better]] = tried[better]
        of, fitted = left[better], expit(linear[better])
        gradient = times(weights[of] * (y - fitted), basis)
        squares = weighted_squares(basis, weights[of] * (fitted * (1 - fitted) + 1e-12))
        step[of] = np.linalg.solve(squares, gradient[..., None])[..., 0]
        length = np.abs(step[left]).max(axis=1)
        left = left[length > 1e-10 * np.maximum(1, np.abs(found[left]).max(axis=1))]
        if not len(left):
            break
    return found


def highest_in_bins(n_bins: int, risks: np.ndarray) -> np.ndarray:
    """Find the highest risk in each bin of equal width but the last, (n_bins - 1,).

    A risk on an edge belongs to the bin below, up to rounding: 0.1 * 3 is more than 0.3. `risks`
    (n_rows,) tell the precision.
    """
    return -lowest_reaching(-np.arange(1, n_bins) / n_bins, risks, turned=True)


def bins_of(risks: np.ndarray, n_bins: int) -> np.ndarray:
    """Find the bin of equal width of each risk, (n_rows,), see `highest_in_bins`."""
    return np.searchsorted(highest_in_bins(n_bins, risks), risks)


def log_odds(risks: np.ndarray) -> np.ndarray:
    """Compute the log odds of risks, keeping those of 0 and 1 finite."""
    return logit(np.clip(risks, CERTAIN, 1 - CERTAIN))


def smooth_shares(
    y: np.ndarray, risks: np.ndarray, weights: np.ndarray, grid: np.ndarray
) -> np.ndarray:
    """Predict at `grid` by a logistic regression per draw of `y` on a spline of the log odds."""
    basis, at_grid = spline(log_odds(risks), log_odds(grid))
    return expit(times(logistic_fits(y, basis, weights), at_grid.T))


def _overlap(y: np.ndarray, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Check whether values of both classes overlap in each draw, so that a slope exists.

    A value that both share, up to rounding, is no overlap: (n_draws,).
    """
    ends = []
    for mask in (y, ~y):
        held = (weights > 0) & mask
        lowest = np.where(held, x, np.inf).min(axis=1)
        ends.append((lowest, np.where(held, x, -np.inf).max(axis=1)))
    (low, high), (other_low, other_high) = ends
    return (low < other_high - SAME_PROBABILITY) & (other_low < high - SAME_PROBABILITY)


def _slopes(y: np.ndarray, risks: np.ndarray, weights: np.ndarray) -> np.ndarray:
    x = log_odds(risks)
    slopes = np.full(len(weights), np.nan)
    exists = _overlap(y, x, weights)
    scale = x.std() or 1.0  # so that lengths of steps are comparable
    basis = np.column_stack([np.ones_like(x), (x - x.mean()) / scale])
    slopes[exists] = logistic_fits(y, basis, weights[exists])[:, 1] / scale
    return slopes


def _intercepts(y: np.ndarray, risks: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return logistic_fits(y, np.ones((len(risks), 1)), weights, log_odds(risks))[:, 0]


def _integrated(y: np.ndarray, risks: np.ndarray, weights: np.ndarray) -> np.ndarray:
    x, shares = log_odds(risks), np.empty(weights.shape)
    for draw, weight in enumerate(weights):  # each has knots of its own
        basis, _ = spline(x, x, weight)
        shares[draw] = expit(times(logistic_fits(y, basis, weight[None]), basis.T))[0]
    return np.einsum("bn,bn->b", weights, np.abs(shares - risks)) / weights.sum(axis=1)


def _expected(
    y: np.ndarray, risks: np.ndarray, weights: np.ndarray, n_bins: int = 10
) -> np.ndarray:
    of_bin = bins_of(risks, n_bins)
    inside = (of_bin[:, None] == np.unique(of_bin)).astype(float)
    distance = np.abs(times(weights * (y - risks), inside)).sum(axis=1)
    return distance / weights.sum(axis=1)


def _calibration_score(
    compute: Callable[..., np.ndarray],
    y_true: Any,
    y_prob: Any,
    pos_label: Any,
    sample_weight: Any,
    **options: Any,
) -> float:
    """Check the arguments of a measure of calibration and compute it."""
    check_arrays(y_true=y_true, y_prob=y_prob, sample_weight=sample_weight)
    y, risks = column_or_1d(y_true), check_array(y_prob, ensure_2d=False)
    if risks.ndim > 1 and risks.shape[1] > 1:
        raise ValueError(
            f"y_prob must be the probabilities of one class, got {risks.shape[1]} columns. Take a "
            "class against the rest: y_true == label, and its column."
        )
    risks = column_or_1d(risks)
    check_consistent_length(y, risks, sample_weight)
    classes = np.unique(y)
    if len(classes) != 2:
        raise ValueError(f"y_true must have 2 classes, got {len(classes)}.")
    if pos_label is not None and pos_label not in classes.tolist():
        raise ValueError(f"pos_label={pos_label!r} is not a class: {classes.tolist()}.")
    if ((risks < 0) | (risks > 1)).any():
        raise ValueError(
            f"y_prob must be probabilities, got values from {risks.min():g} to {risks.max():g}."
        )
    weights = np.ones(len(y)) if sample_weight is None else column_or_1d(sample_weight)
    weights = weights.astype(float)
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ValueError(
            "sample_weight must be numbers of at least 0, and one above, got values from "
            f"{weights.min():g} to {weights.max():g}."
        )
    positive = y == (classes[1] if pos_label is None else pos_label)
    return float(compute(positive, risks, weights[None], **options)[0])


def calibration_slope(
    y_true: Any, y_prob: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> float:
    """Compute the slope of a logistic regression of the outcome on the log odds of the risks.

    It is 1 for a calibrated model, and below 1 where risks are too extreme: nearer to 0 and to 1
    than the outcomes. Neither more nor less of it is better, so nothing can be selected by it.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Two classes.
    y_prob : array-like of shape (n_samples,)
        Probabilities of the positive class. 0 and 1 count as 1e-6 away from there.
    pos_label : label, default=None
        The positive class; None takes the second one in sorted order.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights.

    Returns
    -------
    float
        NaN where the classes are separated: no risk of a positive is below that of a negative, or
        none is above. A regression has no slope there; it grows with every step.

    Raises
    ------
    ValueError
        If there are not two classes, `y_prob` are not probabilities, or a weight is negative.

    References
    ----------
    .. [1] B. Van Calster, D. J. McLernon, M. van Smeden, et al., "Calibration: the Achilles heel
       of predictive analytics", BMC Medicine 17, 230 (2019). :doi:`10.1186/s12916-019-1466-7`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.metrics import calibration_slope
    >>> y = np.repeat([0, 1, 0, 1], [9, 1, 1, 9])
    >>> too_extreme = np.repeat([0.01, 0.01, 0.99, 0.99], [9, 1, 1, 9])
    >>> round(calibration_slope(y, too_extreme), 3)
    0.478
    """
    return _calibration_score(_slopes, y_true, y_prob, pos_label, sample_weight)


def calibration_intercept(
    y_true: Any, y_prob: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> float:
    """Compute the calibration in the large: how much the log odds are too low on average.

    It is the intercept of a logistic regression of the outcome with the log odds of the risks as
    an offset: 0 for a calibrated model, negative where risks are too high. Neither more nor less
    of it is better, so nothing can be selected by it.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Two classes.
    y_prob : array-like of shape (n_samples,)
        Probabilities of the positive class. 0 and 1 count as 1e-6 away from there.
    pos_label : label, default=None
        The positive class; None takes the second one in sorted order.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights.

    Returns
    -------
    float
        The intercept.

    Raises
    ------
    ValueError
        If there are not two classes, `y_prob` are not probabilities, or a weight is negative.

    References
    ----------
    .. [1] B. Van Calster, D. J. McLernon, M. van Smeden, et al., "Calibration: the Achilles heel
       of predictive analytics", BMC Medicine 17, 230 (2019). :doi:`10.1186/s12916-019-1466-7`

    Examples
    --------
    >>> from sklearn_bbc.metrics import calibration_intercept
    >>> round(calibration_intercept([0, 0, 0, 1], [0.5, 0.5, 0.5, 0.5]), 3)  # log(1 / 3)
    -1.099
    """
    return _calibration_score(_intercepts, y_true, y_prob, pos_label, sample_weight)


def integrated_calibration_index(
    y_true: Any, y_prob: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> float:
    """Compute the mean distance of the risks from a smooth calibration curve (ICI).

    The curve is the one of `sklearn_bbc.curves.Calibration`: a logistic regression on a restricted
    cubic spline of the log odds. The original uses loess.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Two classes.
    y_prob : array-like of shape (n_samples,)
        Probabilities of the positive class.
    pos_label : label, default=None
        The positive class; None takes the second one in sorted order.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights.

    Returns
    -------
    float
        Between 0 and 1; smaller is better.

    Raises
    ------
    ValueError
        If there are not two classes, `y_prob` are not probabilities, or a weight is negative.

    References
    ----------
    .. [1] P. C. Austin, E. W. Steyerberg, "The Integrated Calibration Index (ICI) and related
       metrics for quantifying the calibration of logistic regression models", Statistics in
       Medicine 38, 4051-4065 (2019). :doi:`10.1002/sim.8281`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.metrics import integrated_calibration_index
    >>> y = np.repeat([0, 1, 0, 1], [9, 1, 1, 9])
    >>> too_extreme = np.repeat([0.01, 0.01, 0.99, 0.99], [9, 1, 1, 9])
    >>> round(integrated_calibration_index(y, too_extreme), 3)
    0.09
    """
    return _calibration_score(_integrated, y_true, y_prob, pos_label, sample_weight)


@constrained(n_bins=Whole(1))
def expected_calibration_error(
    y_true: Any,
    y_prob: Any,
    *,
    n_bins: int = 10,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    """Compute the mean distance between mean risk and observed share of equal-width bins (ECE).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Two classes.
    y_prob : array-like of shape (n_samples,)
        Probabilities of the positive class.
    n_bins : int, default=10
        Bins between 0 and 1; each counts by the weight of its samples. A risk on an edge, up to
        rounding, belongs to the bin below.
    pos_label : label, default=None
        The positive class; None takes the second one in sorted order.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights.

    Returns
    -------
    float
        Between 0 and 1; smaller is better. It grows with the number of bins and shrinks with
        that of the samples, so values of different bins or data sets are not comparable.

    Raises
    ------
    ValueError
        If there are not two classes, `y_prob` are not probabilities, or a weight is negative.

    References
    ----------
    .. [1] M. Pakdaman Naeini, G. Cooper, M. Hauskrecht, "Obtaining well calibrated probabilities
       using Bayesian binning", AAAI (2015).

    Examples
    --------
    >>> from sklearn_bbc.metrics import expected_calibration_error
    >>> round(expected_calibration_error([0, 1, 1, 1], [0.1, 0.1, 0.7, 0.8]), 3)
    0.325
    """
    return _calibration_score(_expected, y_true, y_prob, pos_label, sample_weight, n_bins=n_bins)


WHY_UNDEFINED: dict[Any, str] = {calibration_slope: SEPARATED}
"""Functions without a value on some samples of both classes, and why."""
WITHOUT_DIRECTION = {calibration_slope: "1", calibration_intercept: "0"}
"""Functions of which neither more nor less is better, and their value for a calibrated model."""


class CalibrationNumbers(MetricKernel):
    """Slope, intercept and expected calibration error; the integrated index is replayed."""

    name = "calibration"
    example = ("neg_expected_calibration_error", "two classes")
    by_class = True
    score_funcs: ClassVar = {
        calibration_slope: (-np.inf, np.inf),
        calibration_intercept: (-np.inf, np.inf),
        expected_calibration_error: (0.0, 1.0),
    }
    _computed: ClassVar = dict(zip(score_funcs, (_slopes, _intercepts, _expected)))

    def __init__(self, score_func: Callable[..., float], rows: RowData) -> None:
        super().__init__(score_func, rows)
        classes = np.unique(rows.y)
        positive = rows.kwargs.get("pos_label")
        self._y = np.array(rows.y == (classes[1] if positive is None else positive))
        self._options = {k: v for k, v in rows.kwargs.items() if k != "pos_label"}
        check_integer("n_bins", self._options.get("n_bins", 10), 1)
        self.strata = np.array([rows.y == label for label in classes])
        self.strata_names = [f"class {label}" for label in classes]
        self.defined = np.asarray(((rows.pred >= 0) & (rows.pred <= 1)).all(axis=1))

    @classmethod
    def handles(cls, score_func: Callable[..., float], rows: RowData) -> bool:
        """Check for probabilities of one of two classes."""
        return (
            rows.pred.ndim == 2
            and rows.pred.dtype.kind in "biuf"
            and not rows.codes_given
            and rows.y.ndim == 1
            and len(np.unique(rows.y)) == 2
            and set(rows.kwargs) <= {"pos_label", "n_bins"}
        )

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that scoring one draw needs."""
        return 64 * self.rows.n_rows + 8 * self.rows.n_configs

    def scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        compute, weights = self._computed[self.score_func], weights.astype(float)
        scores = np.full((len(weights), len(configs)), np.nan)
        one, other = ((weights[:, y] > 0).any(axis=1) for y in (self._y, ~self._y))
        draws = np.flatnonzero(one & other)
        for column, config in enumerate(configs):
            risks = self.rows.pred[config].astype(float)
            scores[draws, column] = compute(self._y, risks, weights[draws], **self._options)
        return scores


for _function, _greater in (
    (calibration_slope, True),
    (calibration_intercept, True),
    (integrated_calibration_index, False),
    (expected_calibration_error, False),
):
    _prefix = "" if _greater else "neg_"
    OUR_SCORERS[f"{_prefix}{_function.__name__}"] = make_scorer(
        _function, response_method="predict_proba", greater_is_better=_greater
    )


def nothing_selected_by(score_func: Any, name: str) -> str:
    """Explain that configurations cannot be selected by a metric without a direction."""
    return (
        f"Nothing can be selected by {name}: neither more nor less of it is better, a calibrated "
        f"model has {WITHOUT_DIRECTION[score_func]}. Select by another metric, such as "
        f"'neg_log_loss', and ask for this one: search.interval(scoring={name!r}), or "
        f"estimate(oof, {name!r}, selected_by='neg_log_loss')."
    )
