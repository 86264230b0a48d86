"""Methods for tied sets: p-values from the values of units, whose mean is a score."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student
from sklearn.base import BaseEstimator

from .._lazy import whole
from .._parameters import By, Constraints, Number, OneOf, Whole, check_parameters
from .._rounding import TERMS, levelled, rounding, without_rounding
from .._text import name_method
from .._utils import explain_init, register, with_parameters
from ..contest._unit_values import unit_values
from ..exceptions import UndefinedIntervalError
from ..metrics._alike import first_same
from ..metrics._metric import BoundMetric
from ..metrics._scored import Scored
from ..resampling import (
    STREAM_BLOCK,
    Streams,
    Units,
    check_random_state,
    draw_with_replacement,
    entropy_of,
)
from ..selection._rules import Tied

AT_ONCE = 256
"""Units that are left out in one call of the kernel."""

BY_SAMPLE = "value of each sample"
LEAVING_OUT = "leaving out one unit at a time"


class BoundTies(Tied):
    """Values of units for all configurations, and which configurations are tied in a draw.

    The mean of `values` (n_units, n_valid) over the units is the score of each of `configs`
    (n_valid,), those with a defined score; `fold` (n_units,) is None where a unit is held out in
    several folds. In a draw the units have these values, moved for each configuration so that
    their mean is its score in the draw.

    A metric that is a mean over samples has the value of each sample; of repeated
    cross-validation they are averaged. With groups or sample weights the values are linear
    approximations, ``v_u = s + (n / W) sum(w_i (x_i - s))`` over the rows i of unit u, where
    s is the score, n the number of units and W the sum of all weights.

    Any other metric has pseudo-values from leaving out one unit at a time,
    ``v_u = s + (n - 1) (s - s_without_u)``, moved so that their mean is s. For the area under
    the ROC curve these are DeLong's placements, times a factor next to 1: ``(n - 1) / (n_c - 1)``
    in place of ``n / n_c`` for a sample of a class of n_c.
    """

    def __init__(self, method: TiedMethod, kernel: BoundMetric, name: str) -> None:
        oof = kernel.oof
        units = Units.of(oof)
        if units.n_units < 3:
            raise UndefinedIntervalError(
                f"{name} compares configurations by their spread over {units.kind}s, and needs at "
                f"least 3 of them, got {units.n_units}."
            )
        self.method, self.units = method, units
        scores = kernel.on_data()
        self.configs = np.flatnonzero(np.isfinite(scores))
        if kernel.is_pointwise:
            self.how, self.values = BY_SAMPLE, _of_means(kernel, units, self.configs)
        else:
            self.how, self.values = (
                LEAVING_OUT,
                _without_worst(kernel, units, scores, self.configs),
            )
        first = first_same(kernel)[self.configs]
        self.values = self.values[:, np.searchsorted(self.configs, first)]
        self.fold: np.ndarray | None = None
        if oof.n_repeats == 1 and oof.n_splits > 1:
            unit = units.of_sample[oof.sample]
            fold = np.full(units.n_units, -1)
            fold[unit] = oof.fold
            self.fold = fold if np.array_equal(fold[unit], oof.fold) else None

    def members(self, weights: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Find the configurations that are tied with the best of each draw.

        `weights` (n_draws, n_samples), `scores` (n_draws, n_configs) -> (n_draws, n_configs).
        """
        result = np.zeros(scores.shape, dtype=bool)
        # One sample of each unit shows how often a draw holds it.
        known, sample = np.unique(self.units.of_sample, return_index=True)
        counts = np.asarray(weights)[:, sample[known >= 0]].astype(np.intp)
        for members, count, of_draw in zip(result, counts, scores):
            defined = np.isfinite(of_draw[self.configs])
            if not defined.any():
                continue
            drawn = np.repeat(np.arange(len(count)), count)
            values, here = self.values[drawn][:, defined], of_draw[self.configs[defined]]
            values += here - values.mean(axis=0)
            fold = None if self.fold is None else self.fold[drawn]
            p_values = self.method.p_values(values, fold)
            tied = (p_values > 1 - self.method.confidence_level) | (here == here.max())
            members[self.configs[defined]] = tied
        return result


def _of_means(kernel: BoundMetric, units: Units, configs: np.ndarray) -> np.ndarray:
    oof = kernel.oof
    rows = kernel.pointwise(configs)  # (n_configs, n_rows)
    assert rows is not None
    unit = units.of_sample[oof.sample]
    n_rows = np.bincount(unit, minlength=units.n_units)
    if units.kind == "sample" and oof.sample_weight is None and (n_rows == oof.n_repeats).all():
        # Exactly the values, not nearly: rows of a unit are put behind each other.
        of_units = rows.T[np.argsort(unit, kind="stable")]
        return of_units.reshape(units.n_units, oof.n_repeats, -1).mean(axis=1)
    return unit_values(oof, units, rows)[1].T


def _without_worst(
    kernel: BoundMetric, units: Units, scores: np.ndarray, configs: np.ndarray
) -> np.ndarray:
    if kernel.strata is not None:
        sizes = units.indicator(kernel.strata).sum(axis=0).astype(int)
        for name, size in zip(kernel.strata_names, sizes, strict=True):
            if size < 2:
                raise UndefinedIntervalError(
                    f"{kernel.metric.name} is undefined without {name}, which has {size} "
                    f"{units.kind}: its spread over {units.kind}s cannot be seen. At least 2 "
                    f"{units.kind}s are needed."
                )
    n = units.n_units
    kernel.warn_if_slow((n + 1) * kernel.n_distinct)
    values = np.empty((n, len(configs)))
    for start in range(0, n, AT_ONCE):
        out = np.arange(start, min(start + AT_ONCE, n))
        kept = (np.arange(n) != out[:, None]).astype(np.uint8)
        values[out] = kernel.scores(units.expand(kept))[:, configs]
    undefined = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(undefined):
        raise UndefinedIntervalError(
            f"{kernel.metric.name} is undefined without {units.kind} {undefined[0]}, so its "
            f"spread over {units.kind}s cannot be seen."
        )
    values = (n - 1) * (scores[configs] - values)
    return scores[configs] + (values - values.mean(axis=0))


_TIED_METHODS: dict[str, type[TiedMethod]] = {}


class TiedMethod(Tied, BaseEstimator):
    """Base of methods for the set of configurations that may be the best.

    A subclass has a `name`, what a reader must know of it, an ``__init__`` that stores its
    parameters, and `_p_values`. It registers itself by `name`.
    `tied_with_best` calls it; as the `margin` of `SimplestTied` it decides in every draw
    of samples (at B times its cost: methods that draw themselves take long).

    Attributes
    ----------
    name : str
        Registered name.
    label : tuple of str
        How it is called in print: in a sentence, and in a table.
    meant_for, cost, limits : str
        For whom it is, what it costs (of n units, C configurations and B draws), where it fails.
    confidence_level : float
        Share of data sets for which the set should hold the best configuration.
    """

    name: ClassVar[str]
    label: ClassVar[tuple[str, str]]
    meant_for: ClassVar[str]
    cost: ClassVar[str]
    limits: ClassVar[str]

    needs_samples = True

    confidence_level: float

    _constraints: ClassVar[Constraints] = {
        "confidence_level": Number(
            above=0,
            below=1,
            hint="For a set that holds the best configuration in 95% of data sets use 0.95.",
        ),
        "n_bootstraps": Whole(
            100,
            hint=": the smallest p value is 1 / (n_bootstraps + 1). 1000 or more are recommended.",
        ),
        "random_state": By(check_random_state),
    }

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        explain_init(cls)
        if "name" in cls.__dict__:
            register(_TIED_METHODS, cls, "method for tied sets")
            if "label" in vars(cls):
                name_method(cls.name, cls.label)

    def p_values(self, values: Any, fold: Any = None) -> np.ndarray:
        """Compute the p value of each configuration, of the hypothesis that it is the best.

        Parameters
        ----------
        values : array-like of shape (n_units, n_configs)
            Value of each independent unit (sample, group) for each configuration, greater is
            better: minus the loss, for example. Their means are what is compared.
        fold : array-like of shape (n_units,), default=None
            Fold of each unit, for methods that use it.

        Returns
        -------
        ndarray of shape (n_configs,)
            Small where another configuration is better beyond chance. Configurations with
            equal values have equal p values and count once.

        Raises
        ------
        ValueError
            If a parameter is out of range, or values are missing or fewer than three.
        """
        check_parameters(self)
        array = np.asarray(values, dtype=float)
        if array.ndim != 2 or array.shape[0] < 3 or array.shape[1] < 1:
            raise ValueError(
                "values must have shape (n_units, n_configs) with at least 3 units and 1 "
                f"configuration, got shape {array.shape}."
            )
        wrong = np.flatnonzero(~np.isfinite(array).all(axis=0))
        if len(wrong):
            raise ValueError(
                f"values must be finite, but configuration {wrong[0]} has NaN or infinity. Leave "
                "configurations without a score out."
            )
        if fold is not None:
            fold = np.unique(np.asarray(fold), return_inverse=True)[1].reshape(-1)
            if len(fold) != len(array):
                raise ValueError(
                    f"fold must have one entry per unit, got {len(fold)} for {len(array)} units."
                )
        # Sorted columns: the order of the configurations cannot matter, nor how often one occurs.
        distinct, place = np.unique(array, axis=1, return_inverse=True)
        if distinct.shape[1] == 1:
            return np.ones(array.shape[1])
        p_values = self._p_values(np.ascontiguousarray(distinct), fold)
        return np.asarray(p_values[place.reshape(-1)])

    @abstractmethod
    def _p_values(self, values: np.ndarray, fold: np.ndarray | None) -> np.ndarray:
        """Compute the p values, (n_configs,), between 0 and 1.

        `values` (n_units, n_configs) with at least 3 units and 2 configurations, no two columns
        equal; `fold` (n_units,) from 0 on, or None.
        """

    def bind(self, scored: Scored) -> BoundTies:
        """Prepare for the draws of a rule of selection, see `selection.Tied`."""
        assert isinstance(scored, BoundMetric)  # it needs samples
        oof = scored.oof
        check_parameters(self)
        if oof.block_length is not None and oof.block_kind != "consecutive":
            raise ValueError(
                f"{type(self).__name__} as the margin of a rule needs draws of whole units, but "
                f"{oof.block_kind} blocks begin anywhere. Use with_blocks(..., "
                "kind='consecutive')."
            )
        return BoundTies(self, scored, type(self).__name__)

    def members(self, weights: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Refuse: only what `bind` returns knows the units, see `selection.Tied`."""
        raise TypeError(f"Call {type(self).__name__}.bind(scored) first, then its members.")


def registered_tied() -> dict[str, type[TiedMethod]]:
    """Return the registered methods for tied sets, name -> class."""
    return whole(__package__, _TIED_METHODS)


CANCELS = 1e-6
"""Where less of the two variances than this share is left over, differences are formed."""


def studentised(lead: np.ndarray, deviation: np.ndarray, size: Any) -> np.ndarray:
    """Divide leads by their deviations; 0 where there is neither.

    Deviations, and leads without any, that are only rounding of values of `size` are set to 0 in
    place first.
    """
    deviation[:] = without_rounding(deviation, size, rounding(0))
    none = deviation == 0
    lead[none] = without_rounding(lead, size, rounding(TERMS))[none]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = lead / deviation
    ratio[np.isnan(ratio)] = 0.0
    return ratio


def all_pairs(
    values: np.ndarray, centred: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compare all pairs: lead of j over i, its deviation, their ratio, (n_configs, n_configs).

    `values` (n_units, n_configs); deviations are those of `centred`, of the same shape.
    """
    mean = values.mean(axis=0)
    centred = values - mean if centred is None else centred
    covariance = centred.T @ centred / len(values)
    together = np.diag(covariance)[:, None] + np.diag(covariance)
    squares = together - 2 * covariance
    cancel = np.triu(squares <= CANCELS * together, 1)
    for i in np.flatnonzero(cancel.any(axis=1)):
        j = np.flatnonzero(cancel[i])
        squares[i, j] = squares[j, i] = ((centred[:, [i]] - centred[:, j]) ** 2).mean(axis=0)
    np.fill_diagonal(squares, 0.0)
    size = np.abs(values).max(axis=0)
    lead, deviation = mean - mean[:, None], np.sqrt(squares)
    return lead, deviation, studentised(lead, deviation, np.maximum(size[:, None], size))


def against_best(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compare with the best mean: t statistic of each configuration, and which are the same.

    `values` (n_units, n_configs) -> (n_configs,) each. A lead without spread is infinite.
    """
    best = int(values.mean(axis=0).argmax())
    difference = values[:, [best]] - values
    lead = difference.mean(axis=0)
    deviation = np.sqrt(((difference - lead) ** 2).mean(axis=0))
    size = np.abs(values).max(axis=0)
    statistics = studentised(lead, deviation, np.maximum(size[best], size))
    return statistics * np.sqrt(len(values) - 1), (lead == 0) & (deviation == 0)


class Bonferroni(TiedMethod):
    """Configurations that a paired t test with Bonferroni's correction keeps beside the best.

    Parameters
    ----------
    confidence_level : float in (0, 1), default=0.95
        Share of data sets for which the set should hold the best configuration.

    Notes
    -----
    Of C configurations with distinct values, configuration c has the p value

    .. math:: p_c = \\min\\bigl(1, (C - 1) \\, P(T_{n-1} > t_c)\\bigr), \\qquad
              t_c = \\frac{\\bar v_w - \\bar v_c}{s_{wc} / \\sqrt n},

    where w has the best mean, s is the standard deviation of the paired differences and T has
    Student's t distribution. The data choose w; the correction for the C - 1 others with which c
    could have been compared pays for that.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.comparison import Bonferroni
    >>> losses = np.array([[1, 2, 3], [2, 2, 5], [0, 1, 3], [1, 1, 4], [2, 3, 6.0]])
    >>> Bonferroni().p_values(-losses).round(3)
    array([1.   , 0.07 , 0.001])
    """

    name = "bonferroni"
    label = ("Bonferroni's correction", "Bonferroni")
    meant_for = "few configurations, or a result without random numbers"
    cost = "O(n C)"
    limits = "sets grow with the number of configurations, however alike they are"

    def __init__(self, *, confidence_level: float = 0.95) -> None:
        self.confidence_level = confidence_level

    def _p_values(self, values: np.ndarray, fold: np.ndarray | None) -> np.ndarray:
        n_units, n_configs = values.shape
        statistics, same = against_best(values)
        p_values = np.minimum(1.0, (n_configs - 1) * student.sf(statistics, n_units - 1))
        p_values[same] = 1.0  # the best itself
        return np.asarray(p_values)


def drawn_means(
    centred: np.ndarray,
    n_draws: int,
    random_state: Any,
    weights: Callable[[np.random.Generator, int, int], np.ndarray],
) -> np.ndarray:
    """Draw weighted means of values, each block of draws from a stream of its own.

    `centred` (n_units, n_configs), `weights` (generator, n_draws, n_units) -> (n_draws, n_units)
    -> (n_draws, n_configs).
    """
    streams, n_units = Streams(entropy_of(random_state)), len(centred)
    blocks = [
        weights(streams.of(k), min(STREAM_BLOCK, n_draws - start), n_units) @ centred
        for k, start in enumerate(range(0, n_draws, STREAM_BLOCK))
    ]
    return np.concatenate(blocks) / n_units


def exceedance(draws: np.ndarray, observed: float) -> float:
    """Compute the Monte-Carlo p value: share of draws as large, the observed one included.

    As large up to rounding: draws of few samples have few values, and the observed one is often
    among them.
    """
    least = observed - 1e-9 * abs(observed) if np.isfinite(observed) else observed
    return float((1 + np.count_nonzero(draws >= least)) / (1 + len(draws)))


@with_parameters
class CrossValidationWithConfidence(TiedMethod):
    """Configurations that no other beats by more than the multiplier bootstrap explains.

    Parameters
    ----------
    n_bootstraps : int, default=1000
        Number of draws, at least 100.
    confidence_level : float in (0, 1), default=0.95
        Share of data sets for which the set should hold the best configuration.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.

    Notes
    -----
    Algorithm 2 of the paper [1]_. For configuration c the statistic is the largest
    studentised lead of any other,

    .. math:: T_c = \\max_{j \\ne c} \\sqrt n \\, \\frac{\\bar v_j - \\bar v_c}{\\hat\\sigma_{cj}},

    and its distribution that of the same maximum of :math:`n^{-1/2} \\sum_i \\zeta_i
    (\\tilde v_{ij} - \\tilde v_{ic}) / \\hat\\sigma_{cj}` with standard normal
    :math:`\\zeta_i`. The values :math:`\\tilde v` are those less the mean of their fold, as is
    the standard deviation :math:`\\hat\\sigma`, which the paper does not correct for the number
    of folds: with few samples per fold the sets are too small. Where a unit has no single fold
    (repeats) or folds have one unit, the values are centred together. Section 3.4 is left out.

    References
    ----------
    .. [1] J. Lei, "Cross-validation with confidence", Journal of the American Statistical
       Association 115, 1978-1997 (2020). :doi:`10.1080/01621459.2019.1672556`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.comparison import CrossValidationWithConfidence
    >>> losses = np.random.default_rng(0).exponential([1.0, 1.1, 2.0], size=(100, 3))
    >>> fold = np.arange(100) % 5
    >>> method = CrossValidationWithConfidence(random_state=0)
    >>> method.p_values(-losses, fold) > 0.05
    array([ True,  True, False])
    """

    name = "cvc"
    label = ("cross-validation with confidence", "CV with confidence")
    meant_for = "a thousand samples or more, by any metric"
    cost = "O(C^2 B + n C B)"
    limits = "too small sets with few samples, the more so with many folds"

    n_bootstraps: int = 1000
    confidence_level: float = 0.95
    random_state: Any = None

    def _p_values(self, values: np.ndarray, fold: np.ndarray | None) -> np.ndarray:
        centred = values - values.mean(axis=0)
        if fold is not None and np.bincount(fold).min() > 1:  # one unit would have no spread
            for k in range(fold.max() + 1):
                centred[fold == k] = values[fold == k] - values[fold == k].mean(axis=0)
        # Both statistics and draws are over sqrt(n).
        lead, deviations, statistics = all_pairs(values, centred)
        statistics[(lead == 0) & (deviations == 0)] = -np.inf  # no other one
        means = drawn_means(
            centred, self.n_bootstraps, self.random_state,
            lambda rng, n, n_units: rng.standard_normal((n, n_units)),
        )  # fmt: skip
        p_values = np.empty(len(statistics))
        for config, deviation in enumerate(deviations):
            vary = deviation > 0
            leads = (means[:, vary] - means[:, [config]]) / deviation[vary]
            largest = leads.max(axis=1, initial=-np.inf)  # (n_bootstraps,)
            p_values[config] = exceedance(largest, statistics[config].max())
        return p_values


STATISTICS = ("max", "range")


@with_parameters
class ModelConfidenceSet(TiedMethod):
    """Configurations that remain when the worst is removed until the rest may be equal.

    Parameters
    ----------
    statistic : {"max", "range"}, default="max"
        ``"max"`` compares each configuration with the mean of all, ``"range"`` every two.
    n_bootstraps : int, default=1000
        Number of draws, at least 100.
    confidence_level : float in (0, 1), default=0.95
        Share of data sets for which the set should hold all configurations that are the best.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.

    Notes
    -----
    The procedure of [1]_ with blocks of one. While the configurations that are left over are not
    all equal by a bootstrap test, the one that is furthest behind in standard errors (of the
    draws) is removed. The p value of a configuration is the largest of the tests up to its
    removal; the last one has 1. The set promises more than the others: all configurations that
    are equally good and the best.

    References
    ----------
    .. [1] P. R. Hansen, A. Lunde, J. M. Nason, "The model confidence set", Econometrica 79,
       453-497 (2011). :doi:`10.3982/ECTA5771`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.comparison import ModelConfidenceSet
    >>> losses = np.random.default_rng(0).exponential([1.0, 1.1, 2.0], size=(100, 3))
    >>> ModelConfidenceSet(random_state=0).p_values(-losses) > 0.05
    array([ True,  True, False])
    """

    name = "model_confidence_set"
    label = ("the model confidence set", "model confidence set")
    meant_for = "a set that holds every one of several equally good configurations"
    cost = "O(C^2 B)"
    limits = (
        "large sets; by the mean of all, one that is better than many equal ones is lost in it"
    )

    statistic: str = "max"
    n_bootstraps: int = 1000
    confidence_level: float = 0.95
    random_state: Any = None

    _constraints = {"statistic": OneOf(STATISTICS)}

    def _p_values(self, values: np.ndarray, fold: np.ndarray | None) -> np.ndarray:
        mean = values.mean(axis=0)
        draws = drawn_means(
            values - mean, self.n_bootstraps, self.random_state,
            lambda rng, n, n_units: draw_with_replacement(rng, n, n_units).astype(float),
        )  # fmt: skip
        remove = by_range if self.statistic == "range" else by_max
        order, p_values = remove(mean, draws, float(np.abs(values).max()))
        result = np.empty(len(mean))
        result[order] = np.maximum.accumulate(p_values)
        return result


def by_max(mean: np.ndarray, draws: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Remove by the distance from the mean of what is left over.

    `mean` (n_configs,), `draws` (n_draws, n_configs) -> `order` (n_configs,), `p_values`
    (n_configs,).
    """
    left = np.arange(len(mean))
    order, p_values = [], []
    while len(left) > 1:
        behind = mean[left].mean() - mean[left]
        spread = draws.mean(axis=1, keepdims=True) - draws  # (n_draws, n_left)
        deviation = np.sqrt((spread**2).mean(axis=0))
        statistics = studentised(behind, deviation, size)
        vary = deviation > 0
        largest = (
            (spread[:, vary] / deviation[vary]).max(axis=1) if vary.any() else 0 * spread[:, 0]
        )
        worst = int(levelled(statistics).argmax())
        order.append(left[worst])
        p_values.append(exceedance(largest, float(statistics[worst])))
        left, draws = np.delete(left, worst), np.delete(draws, worst, axis=1)
    return np.array([*order, *left]), np.array([*p_values, 1.0])


def by_range(mean: np.ndarray, draws: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Remove by the largest lead of another one; parameters and result as in `by_max`."""
    lead = mean - mean[:, None]  # [i, j]: of j over i
    deviation = np.array([np.sqrt(((draws.T - one) ** 2).mean(axis=1)) for one in draws.T])
    statistics = studentised(lead, deviation, size)
    np.fill_diagonal(statistics, -np.inf)
    # No test is needed to know the order, so draws are compared from the last one back:
    # each pair once.
    left, order, observed = list(range(len(mean))), [], []
    while len(left) > 1:
        largest = statistics.max(axis=1)
        worst = int(levelled(largest).argmax())
        order.append(worst)
        observed.append(float(largest[worst]))
        left.remove(worst)
        statistics[worst] = statistics[:, worst] = -np.inf
    order += left
    p_values = np.ones(len(mean))
    among = np.zeros(len(draws))  # largest of the pairs so far
    for place in range(len(mean) - 2, -1, -1):
        config, others = order[place], np.array(order[place + 1 :])
        others = others[deviation[config, others] > 0]
        apart = np.abs(draws[:, others] - draws[:, [config]]) / deviation[config, others]
        among = np.maximum(among, apart.max(axis=1, initial=0))
        p_values[place] = exceedance(among, observed[place])
    return np.array(order), p_values


@with_parameters
class SoftminLeaveOneOut(TiedMethod):
    """Configurations that are not worse than a weighted average of the others.

    For each sample the weights favour the configurations that are best on the other samples.

    Parameters
    ----------
    confidence_level : float in (0, 1), default=0.95
        Share of data sets for which the set should hold the best configuration.
    scale : float, default=2.5
        How evenly the others are averaged: larger is more even, more stable, and less able to
        tell configurations apart. The paper's value.
    standardized : bool, default=True
        Whether each difference of two configurations is divided by its standard deviation
        before it is averaged, as the authors' software does. False is faster, and lets the
        configurations with the most variable losses decide.

    Notes
    -----
    For configuration c let :math:`x_{ij}` be by how much configuration j is better in unit i,
    divided by the standard deviation over the units. Another configuration is weighted by the
    softmax of its mean lead over all units but i [1]_,

    .. math:: w_{ij} \\propto \\exp(\\lambda \\bar x_j^{(-i)}), \\quad j \\ne c, \\qquad
              d_i = \\sum_j w_{ij} x_{ij},

    and the p value of c is :math:`1 - \\Phi(\\sqrt n \\, \\bar d / s_d)`. The weights do not know
    the unit that they are applied to, so the statistic is nearly normal even where many
    configurations are equally good. :math:`\\lambda = \\sqrt n / (2.5 \\, s)` is the paper's first
    choice from the data, where s is the standard deviation over the units of :math:`x_{ij}` for
    the j with the largest mean lead without unit i. (The paper is about losses.) Without
    standardising the time is O(n C) where few configurations ever lead.

    References
    ----------
    .. [1] T. Zhang, H. Lee, J. Lei, "Winners with confidence: Discrete argmin inference with
       an application to model selection" (2024). arXiv:2408.02060

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.comparison import SoftminLeaveOneOut
    >>> losses = np.random.default_rng(0).exponential([1.0, 1.1, 2.0], size=(100, 3))
    >>> SoftminLeaveOneOut().p_values(-losses) > 0.05
    array([ True,  True, False])
    """

    name = "softmin"
    label = ("softmin with leave-one-out means", "softmin")
    meant_for = "any number of configurations and any metric, without random numbers"
    cost = "O(n C^2)"
    limits = "asymptotic: with few samples the set is slightly too small"

    confidence_level: float = 0.95
    scale: float = 2.5
    standardized: bool = True

    _constraints = {"scale": Number(above=0, hint="The paper's value is 2.5.")}

    def _p_values(self, values: np.ndarray, fold: np.ndarray | None) -> np.ndarray:
        return self._standardized(values) if self.standardized else self._plain(values)

    def _standardized(self, values: np.ndarray) -> np.ndarray:
        lead, deviations, _ = all_pairs(values)
        average = np.empty_like(values)
        certain, alone = np.zeros((2, values.shape[1]), dtype=bool)
        for config, deviation in enumerate(deviations):
            vary = deviation > 0
            # Another one that is better by the same in every unit; or no other one at all.
            certain[config] = (lead[config][~vary] > 0).any()
            alone[config] = not vary.any()
            leads = values - values[:, [config]]
            leads *= np.divide(1.0, deviation, out=np.zeros_like(deviation), where=vary)
            sums = leads.sum(axis=0) - leads
            sums[:, ~vary] = -np.inf
            average[:, config] = leads[:, 0] if alone[config] else self._average(leads, sums)
        p_values = _normal_tails(average, 1.0)
        p_values[alone], p_values[certain] = 1.0, 0.0
        return p_values

    def _plain(self, values: np.ndarray) -> np.ndarray:
        sums = values.sum(axis=0) - values  # without each unit
        leaders = np.unique(sums.argmax(axis=1))
        # Those that never lead share the weights of the others, but for their own part.
        weights = self._weights(values, sums)
        rest = (weights * values).sum(axis=1, keepdims=True) - weights * values
        with np.errstate(divide="ignore", invalid="ignore"):  # of leaders, replaced below
            average = rest / (weights.sum(axis=1, keepdims=True) - weights)
        for config in leaders:
            others = np.arange(values.shape[1]) != config
            average[:, config] = self._average(values[:, others], sums[:, others])
        return _normal_tails(average - values, float(np.abs(values).max()))

    def _average(self, values: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """Average each unit with softmax weights that do not know it, (n_units,)."""
        weights = self._weights(values, sums)
        return np.asarray(np.einsum("ij,ij->i", weights, values) / weights.sum(axis=1))

    def _weights(self, values: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """Compute softmax weights by the sums without each unit, the largest being 1."""
        n_units = len(values)
        units, most = np.arange(n_units), sums.max(axis=1, keepdims=True)
        leader = (sums >= most - rounding(n_units) * np.abs(most)).argmax(axis=1)
        largest = values[units, leader]
        deviation = largest.std(ddof=1)
        behind = sums - sums[units, leader][:, None]  # <= 0
        size = np.abs(largest).max()
        if without_rounding(deviation, size, rounding(0)) == 0:  # infinitely sharp
            return (without_rounding(behind, size * n_units, rounding(TERMS)) >= 0).astype(float)
        behind *= np.sqrt(n_units) / (self.scale * deviation * (n_units - 1))
        return np.asarray(np.exp(behind, out=behind))


def _normal_tails(differences: np.ndarray, size: float) -> np.ndarray:
    """Compute one-sided p values of means of columns; 1/2 for a mean of 0 without spread."""
    mean, deviation = differences.mean(axis=0), differences.std(axis=0, ddof=1)
    return np.asarray(norm.sf(np.sqrt(len(differences)) * studentised(mean, deviation, size)))
