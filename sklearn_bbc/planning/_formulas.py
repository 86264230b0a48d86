"""How many samples it takes to develop or to validate a model, where there are no data yet."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit
from scipy.stats import chi2

from .._parameters import POSITIVE, SHARE_RANGE, Number, Whole, constrained
from .._text import count
from .._utils import explain_arguments, got, is_number
from ..results._planning import CriteriaResult

Z = 1.96
"""Of a 95% interval, as in the publications, whose numbers depend on its digits."""
SMALL_OPTIMISM = 0.05
"""Difference of the apparent and the adjusted R2 that is small."""
RISK_ERROR = 0.05
"""Half width of the interval of the overall risk."""
SPREAD_ERROR = 1.1
"""Factor within which a standard deviation is known."""
LARGEST = 10**9
SHARE_OR_NONE = Number(above=0, below=1, or_none=True)
SHRINKAGE = "small overfitting (expected shrinkage of {:g})"
APPARENT = "small optimism (0.05 in {})"
DEVELOP = "Developing a model of {} with {}"
VALIDATE = "Validating a model of {}"


@explain_arguments()
@constrained(n_parameters=Whole(1), prevalence=SHARE_RANGE, shrinkage=SHARE_RANGE)
def develop_binary(
    *, n_parameters: int, prevalence: float, r2_cox_snell: float, shrinkage: float = 0.9
) -> CriteriaResult:
    """Find how many samples it takes to develop a model of a binary outcome.

    Parameters
    ----------
    n_parameters : int
        Parameters of all candidate predictors; a predictor may have several.
    prevalence : float in (0, 1)
        Share of the samples with the event.
    r2_cox_snell : float
        R2 of Cox and Snell that is expected of the model, as of an earlier one; rather small.
    shrinkage : float in (0, 1), default=0.9
        Expected factor by which effects would have to be shrunken; 0.9 is little overfitting.

    Returns
    -------
    CriteriaResult
        The number of samples and that of each criterion.

    Raises
    ------
    ValueError
        If a value is out of range; R2 of Cox and Snell has a largest value below 1.

    See Also
    --------
    samples_for_width : From the predictions of a finished search.
    validate_binary : For a study that validates a model.

    Notes
    -----
    Criteria 1 to 3 of [1]_, [2]_: a shrinkage of `shrinkage`, a difference of 0.05 between the
    apparent and the adjusted R2 of Nagelkerke, and the overall risk within 0.05 of the truth
    (95%). They are those of the R package pmsampsize, and are made for regression without
    penalty and without tuning: models that learn more freely need more.

    References
    ----------
    .. [1] R. D. Riley, K. I. E. Snell, J. Ensor, D. L. Burke, F. E. Harrell, K. G. M. Moons,
       G. S. Collins, "Minimum sample size for developing a multivariable prediction model: part
       II, binary and time-to-event outcomes", Statistics in Medicine 38, 1276-1296 (2019).
       :doi:`10.1002/sim.7992`
    .. [2] R. D. Riley, J. Ensor, K. I. E. Snell, and others, "Calculating the sample size required
       for developing a clinical prediction model", BMJ 368, m441 (2020). :doi:`10.1136/bmj.m441`

    Examples
    --------
    >>> from sklearn_bbc.planning import develop_binary
    >>> result = develop_binary(n_parameters=24, prevalence=0.174, r2_cox_snell=0.288)
    >>> result.frame()["n_samples"].tolist(), result.n_samples
    ([623, 662, 221], 662)
    """
    null = prevalence * math.log(prevalence) + (1 - prevalence) * math.log(1 - prevalence)
    criteria = _overfitting(n_parameters, r2_cox_snell, 1 - math.exp(2 * null), shrinkage)
    criteria["overall risk within 0.05"] = _up(
        prevalence * (1 - prevalence) * (Z / RISK_ERROR) ** 2
    )
    n = max(criteria.values())
    return CriteriaResult(
        n_samples=n, criteria=criteria, n_events=n * prevalence,
        purpose=DEVELOP.format("a binary outcome", count(n_parameters, "parameter")),
        details={"largest_r2": 1 - math.exp(2 * null)},
    )  # fmt: skip


@explain_arguments()
@constrained(
    n_parameters=Whole(1),
    rate=POSITIVE,
    mean_follow_up=POSITIVE,
    time=POSITIVE,
    shrinkage=SHARE_RANGE,
)
def develop_survival(
    *,
    n_parameters: int,
    rate: float,
    mean_follow_up: float,
    time: float,
    r2_cox_snell: float,
    shrinkage: float = 0.9,
) -> CriteriaResult:
    """Find how many samples it takes to develop a model of the time to an event.

    Parameters
    ----------
    n_parameters : int
        Parameters of all candidate predictors; a predictor may have several.
    rate : float
        Events per sample and unit of time.
    mean_follow_up : float
        Mean time for which samples are followed.
    time : float
        Time at which risks are predicted.
    r2_cox_snell : float
        R2 of Cox and Snell that is expected of the model; rather small.
    shrinkage : float in (0, 1), default=0.9
        As in `develop_binary`.

    Returns
    -------
    CriteriaResult
        The number of samples and that of each criterion.

    Raises
    ------
    ValueError
        If a value is out of range; R2 of Cox and Snell has a largest value below 1.

    See Also
    --------
    develop_binary : For outcomes that are known for all samples.

    Notes
    -----
    Criteria 1 to 3 of [1]_. The largest R2 is that of a constant rate. The third criterion, the
    risk at `time` within 0.05 of the truth, takes times as exponential.

    References
    ----------
    .. [1] R. D. Riley, K. I. E. Snell, J. Ensor, D. L. Burke, F. E. Harrell, K. G. M. Moons,
       G. S. Collins, "Minimum sample size for developing a multivariable prediction model: part
       II, binary and time-to-event outcomes", Statistics in Medicine 38, 1276-1296 (2019).
       :doi:`10.1002/sim.7992`

    Examples
    --------
    >>> from sklearn_bbc.planning import develop_survival
    >>> develop_survival(
    ...     n_parameters=30, rate=0.065, mean_follow_up=2.07, time=2, r2_cox_snell=0.051
    ... ).n_samples
    5143
    """
    events = rate * mean_follow_up  # of one sample
    if events >= math.e:
        raise ValueError(
            f"rate={rate:g} and mean_follow_up={mean_follow_up:g} are {events:.3g} events per "
            "sample: these formulas are made for less than 2.7. Take a shorter mean follow-up, as "
            "to the first event."
        )
    largest = 1 - math.exp(2 * events * (math.log(events) - 1))
    criteria = _overfitting(n_parameters, r2_cox_snell, largest, shrinkage)
    risk = 1 - math.exp(-rate * time)

    def error(n: float) -> float:
        half = Z * math.sqrt(rate / (n * mean_follow_up))
        ends = (1 - math.exp(-max(rate + side * half, 0) * time) for side in (-1, 1))
        return max(abs(risk - end) for end in ends)

    criteria[f"risk at {time:g} within 0.05"] = _smallest_size(lambda n: error(n) <= RISK_ERROR)
    n = max(criteria.values())
    return CriteriaResult(
        n_samples=n, criteria=criteria, n_events=n * events,
        purpose=DEVELOP.format("the time to an event", count(n_parameters, "parameter")),
        details={"largest_r2": largest},
    )  # fmt: skip


@explain_arguments()
@constrained(
    n_parameters=Whole(1), r2=SHARE_RANGE, mean=Number(), sd=POSITIVE, shrinkage=SHARE_RANGE
)
def develop_continuous(
    *, n_parameters: int, r2: float, mean: float, sd: float, shrinkage: float = 0.9
) -> CriteriaResult:
    """Find how many samples it takes to develop a model of a continuous outcome.

    Parameters
    ----------
    n_parameters : int
        Parameters of all candidate predictors; a predictor may have several.
    r2 : float in (0, 1)
        Adjusted R2 that is expected of the model; rather small.
    mean, sd : float
        Mean and standard deviation of the outcome.
    shrinkage : float in (0, 1), default=0.9
        As in `develop_binary`.

    Returns
    -------
    CriteriaResult
        The number of samples and that of each criterion.

    Raises
    ------
    ValueError
        If a value is out of range.

    See Also
    --------
    validate_continuous : For a study that validates a model.

    Notes
    -----
    Criteria 1 to 4 of [1]_: shrinkage, a difference of 0.05 between apparent and adjusted R2, the
    residual standard deviation within 10%, and the mean outcome within 10% (95%), the last by
    the number that the others ask for at least.

    References
    ----------
    .. [1] R. D. Riley, K. I. E. Snell, J. Ensor, D. L. Burke, F. E. Harrell, K. G. M. Moons,
       G. S. Collins, "Minimum sample size for developing a multivariable prediction model: part
       I, continuous outcomes", Statistics in Medicine 38, 1262-1275 (2019).
       :doi:`10.1002/sim.7993`

    Examples
    --------
    >>> from sklearn_bbc.planning import develop_continuous
    >>> develop_continuous(n_parameters=25, r2=0.2, mean=1.9, sd=0.6).n_samples
    918
    """
    if mean == 0:
        raise ValueError("mean must not be 0, got 0: it is to be known within 10%.")
    p = n_parameters

    def shrinks(n: float) -> bool:
        apparent = (r2 * (n - p - 1) + p) / (n - 1)
        return 1 + (p - 2) / (n * math.log(1 - apparent)) >= shrinkage

    def centred(n: float) -> bool:
        return Z * math.sqrt(sd**2 * (1 - r2) / n) <= 0.1 * abs(mean)

    criteria = {
        SHRINKAGE.format(shrinkage): _smallest_size(shrinks, p + 2),
        APPARENT.format("R2"): _up(1 + p * (1 - r2) / SMALL_OPTIMISM),
        "residual standard deviation within 10%": _degrees_of_spread() + p + 1,
        "mean outcome within 10%": _smallest_size(centred, p + 2),
    }
    return CriteriaResult(
        n_samples=max(criteria.values()), criteria=criteria,
        purpose=DEVELOP.format("a continuous outcome", count(n_parameters, "parameter")),
    )  # fmt: skip


@explain_arguments()
@constrained(
    prevalence=SHARE_RANGE,
    c_statistic=Number(above=0.5, below=1, hint="Below 0.5 scores are upside down."),
    threshold=SHARE_OR_NONE, sensitivity=SHARE_OR_NONE, specificity=SHARE_OR_NONE,
    width_of_ratio=POSITIVE, width_of_slope=POSITIVE, width_of_c=POSITIVE,
    width_of_net_benefit=POSITIVE,
)  # fmt: skip
def validate_binary(
    *,
    prevalence: float,
    c_statistic: float,
    linear_predictor: Any = None,
    width_of_ratio: float = 0.2,
    width_of_slope: float = 0.2,
    width_of_c: float = 0.1,
    threshold: float | None = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
    width_of_net_benefit: float = 0.2,
) -> CriteriaResult:
    """Find how many samples it takes to validate a model of a binary outcome.

    Parameters
    ----------
    prevalence : float in (0, 1)
        Share of the samples with the event.
    c_statistic : float in (0.5, 1)
        C statistic (area under the ROC curve) that is expected.
    linear_predictor : (float, float) or array-like of shape (n_samples,), default=None
        Log odds that the model predicts: mean and standard deviation, taken as normal, or the
        values for many samples. They decide how many samples the calibration slope takes. None
        leaves it out.
    width_of_ratio, width_of_slope, width_of_c : float
        Widths of the 95% intervals of observed by expected events, of the calibration slope, and
        of the C statistic.
    threshold, sensitivity, specificity : float in (0, 1), default=None
        Risk from which on one acts, and what the model reaches there; together they add the
        standardised net benefit.
    width_of_net_benefit : float, default=0.2
        Width of its interval.

    Returns
    -------
    CriteriaResult
        The number of samples and that of each criterion.

    Raises
    ------
    ValueError
        If a value is out of range, or only some of `threshold`, `sensitivity` and `specificity`
        are given.

    See Also
    --------
    samples_for_width : From the predictions of a finished search.

    Notes
    -----
    Criteria of [1]_ for a model that is well calibrated (ratio and slope of 1), as in the R
    package pmvalsampsize. Where that simulates the linear predictor, an integral is computed
    here. The standard error of the C statistic is that of Newcombe.

    References
    ----------
    .. [1] R. D. Riley, T. P. A. Debray, G. S. Collins, L. Archer, J. Ensor, M. van Smeden,
       K. I. E. Snell, "Minimum sample size for external validation of a clinical prediction model
       with a binary outcome", Statistics in Medicine 40, 4230-4251 (2021).
       :doi:`10.1002/sim.9025`

    Examples
    --------
    >>> from sklearn_bbc.planning import validate_binary
    >>> result = validate_binary(prevalence=0.018, c_statistic=0.8, width_of_ratio=1)
    >>> result.frame()["n_samples"].tolist()
    [905, 4252]
    """
    # exp(z s) - exp(-z s) is the width; s is rounded up to 4 decimals, as published.
    error = _up(math.asinh(width_of_ratio / 2) / Z * 10_000) / 10_000
    criteria = {
        "observed by expected events": _up((1 - prevalence) / (prevalence * error**2)),
    }
    details: dict[str, Any] = {}
    if linear_predictor is not None:
        variance = _variance_of_slope(*_points_and_weights(linear_predictor))
        criteria["calibration slope"] = _up(variance / (width_of_slope / (2 * Z)) ** 2)

    def is_narrow(n: float) -> bool:
        return 2 * Z * _error_of_c(n, c_statistic, prevalence) <= width_of_c

    criteria["C statistic"] = _smallest_size(is_narrow)
    given = {"threshold": threshold, "sensitivity": sensitivity, "specificity": specificity}
    known = [name for name, value in given.items() if value is not None]
    if known and len(known) < 3:
        raise ValueError(
            f"{', '.join(given)} belong together, but only {', '.join(known)} were given."
        )
    if threshold is not None and sensitivity is not None and specificity is not None:
        weight = (1 - prevalence) / prevalence * threshold / (1 - threshold)
        of_benefit = (
            sensitivity * (1 - sensitivity) / prevalence
            + weight**2 * specificity * (1 - specificity) / (1 - prevalence)
            + weight**2 * (1 - specificity) ** 2 / (prevalence * (1 - prevalence))
        )
        details["net_benefit"] = sensitivity - (1 - specificity) * weight
        criteria["standardised net benefit"] = _up(
            of_benefit / (width_of_net_benefit / (2 * Z)) ** 2
        )
    n = max(criteria.values())
    return CriteriaResult(
        n_samples=n, criteria=criteria, n_events=n * prevalence,
        purpose=VALIDATE.format("a binary outcome"), details=details,
    )  # fmt: skip


@explain_arguments()
@constrained(
    r2=SHARE_RANGE, variance=POSITIVE, width_of_mean=POSITIVE, width_of_r2=POSITIVE,
    width_of_slope=POSITIVE,
)  # fmt: skip
def validate_continuous(
    *,
    r2: float,
    variance: float,
    width_of_mean: float,
    width_of_r2: float = 0.1,
    width_of_slope: float = 0.2,
) -> CriteriaResult:
    """Find how many samples it takes to validate a model of a continuous outcome.

    Parameters
    ----------
    r2 : float in (0, 1)
        R2 that is expected.
    variance : float
        Variance of the outcome.
    width_of_mean : float
        Width of the 95% interval of the mean difference between outcomes and predictions
        (calibration in the large), in the unit of the outcome.
    width_of_r2, width_of_slope : float
        Widths of the 95% intervals of R2 and of the calibration slope.

    Returns
    -------
    CriteriaResult
        The number of samples and that of each criterion.

    Raises
    ------
    ValueError
        If a value is out of range.

    See Also
    --------
    develop_continuous : For a study that develops a model.

    Notes
    -----
    Criteria of [1]_ for a model that is well calibrated (difference of 0, slope of 1). The fourth
    is that the residual standard deviation is known within 10%.

    References
    ----------
    .. [1] L. Archer, K. I. E. Snell, J. Ensor, M. T. Hudda, G. S. Collins, R. D. Riley, "Minimum
       sample size for external validation of a clinical prediction model with a continuous
       outcome", Statistics in Medicine 40, 133-146 (2021). :doi:`10.1002/sim.8766`

    Examples
    --------
    >>> from sklearn_bbc.planning import validate_continuous
    >>> validate_continuous(r2=0.9, variance=0.089, width_of_mean=0.08).n_samples
    235
    """
    errors = {
        name: width / (2 * Z)
        for name, width in (
            ("r2", width_of_r2),
            ("mean", width_of_mean),
            ("slope", width_of_slope),
        )
    }
    criteria = {
        "R2": _up(4 * r2 * (1 - r2) ** 2 / errors["r2"] ** 2),
        "calibration in the large": _up(variance * (1 - r2) / errors["mean"] ** 2),
        "calibration slope": _up((1 - r2) / (errors["slope"] ** 2 * r2) + 1),
        "residual standard deviation within 10%": _degrees_of_spread() + 2,
    }
    return CriteriaResult(
        n_samples=max(criteria.values()), criteria=criteria,
        purpose=VALIDATE.format("a continuous outcome"),
    )  # fmt: skip


def _overfitting(n_parameters: int, r2: float, largest: float, shrinkage: float) -> dict[str, int]:
    """Compute the criteria on shrinkage and optimism, by R2 of Cox and Snell."""
    if not (is_number(r2) and 0 < r2 < largest):
        raise ValueError(
            f"r2_cox_snell must be above 0 and below {largest:.3g}, its largest value for such an "
            f"outcome, got {r2!r}. R2 of Nagelkerke times that value is R2 of Cox and Snell."
        )
    if r2 >= shrinkage:
        raise ValueError(
            f"r2_cox_snell={r2:g} must be below shrinkage={shrinkage:g}: with so good a model "
            "overfitting is not what decides."
        )
    of_optimism = r2 / (r2 + SMALL_OPTIMISM * largest)

    def number(factor: float) -> int:
        return _up(n_parameters / ((factor - 1) * math.log(1 - r2 / factor)))

    return {
        SHRINKAGE.format(shrinkage): number(shrinkage),
        APPARENT.format("Nagelkerke's R2"): number(of_optimism),
    }


def _error_of_c(n: float, c: float, prevalence: float) -> float:
    """Compute the standard error of the C statistic by Newcombe's formula."""
    half = n / 2 - 1
    inner = 1 + half * (1 - c) / (2 - c) + half * c / (1 + c)
    return math.sqrt(c * (1 - c) * inner / (n**2 * prevalence * (1 - prevalence)))


def _variance_of_slope(predictor: np.ndarray, weights: np.ndarray) -> float:
    """Compute the variance of the calibration slope, times the number of samples.

    From the information matrix of a logistic regression on the linear predictor; both arguments
    are of shape (n_points,).
    """
    risk = expit(predictor)
    spread = weights * risk * (1 - risk)
    a, ab, b = spread.sum(), (spread * predictor).sum(), (spread * predictor**2).sum()
    return float(a / (a * b - ab**2))


def _points_and_weights(values: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return points and weights, (n_points,) each: of a normal distribution, or of values."""
    try:
        points = np.ravel(np.asarray(values, dtype=float))
    except (TypeError, ValueError):
        points = np.empty(0)
    if len(points) < 2 or not np.isfinite(points).all() or np.ndim(values) != 1:
        raise ValueError(
            "linear_predictor must be the mean and the standard deviation of the log odds, or the "
            f"log odds of many samples, got {got(values)}."
        )
    if len(points) > 2:
        if np.ptp(points) == 0:
            raise ValueError("linear_predictor is constant: there is no slope to estimate.")
        return points, np.full(len(points), 1 / len(points))
    if points[1] <= 0:
        raise ValueError(
            f"The standard deviation of linear_predictor must be positive, got {points[1]:g}."
        )
    nodes, weights = np.polynomial.hermite_e.hermegauss(200)
    return points[0] + points[1] * nodes, weights / weights.sum()


def _degrees_of_spread() -> int:
    """Find the degrees of freedom at which a standard deviation is known within 10%."""

    def is_known(degrees: float) -> bool:
        above = chi2.ppf(0.975, degrees) / degrees
        below = degrees / chi2.ppf(0.025, degrees)
        return math.sqrt(max(above, below)) <= SPREAD_ERROR

    return _smallest_size(is_known)


def _smallest_size(is_met: Callable[[float], bool], least: int = 2) -> int:
    """Find the smallest number from which on a criterion is met."""
    high = least
    while not is_met(high):
        high *= 2
        if high > LARGEST:
            raise ValueError("More than a billion samples: no study is so large. Ask for less.")
    low = max(least - 1, high // 2)
    while high > low + 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_met(middle) else (middle, high)
    return high


def _up(value: float) -> int:
    """Round up, but not for the last bits of a whole number."""
    return math.ceil(value - 1e-9)
