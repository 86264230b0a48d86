"""The value of each unit for each configuration: what a score is the mean of."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student
from sklearn.base import BaseEstimator

from .._utils import check_integer, explain_init, register
from ..exceptions import UndefinedIntervalError
from ..metrics._bound import BoundKernel
from ..predictions._predictions import OOFPredictions
from ..resampling import BLOCK, Streams, Units, draw_with_replacement, entropy_of
from ..selection._rules import Tied

AT_ONCE = 256
"""Units that are left out in one call of the kernel."""

BY_SAMPLE = "value of each sample"
LEAVING_OUT = "leaving out one unit at a time"


@dataclass(frozen=True, eq=False)
class UnitValues:
    """Values whose mean over the units is the score.

    Attributes
    ----------
    values : ndarray of shape (n_units, n_valid)
        Greater is better. Each column has the score of its configuration as mean.
    configs : ndarray of shape (n_valid,)
        Configurations with a defined score.
    fold : ndarray of shape (n_units,) or None
        Fold of each unit; None where a unit is held out in several, or there are no folds.
    units : Units
        What a unit is, and where its samples are.
    how : str
        How the values came about.
    """

    values: np.ndarray
    configs: np.ndarray
    fold: np.ndarray | None
    units: Units
    how: str


def unit_values(oof: OOFPredictions, kernel: BoundKernel, method: str) -> UnitValues:
    """Take the scores of all configurations apart into the contributions of units.

    A metric that is a mean over samples has the value of each sample; of repeated
    cross-validation they are averaged. With groups or sample weights the values are linear
    approximations, ``v_u = s + (n / W) sum(w_i (x_i - s))`` over the rows i of unit u, where
    s is the score, n the number of units and W the sum of all weights.

    Any other metric has pseudo-values from leaving out one unit at a time,
    ``v_u = s + (n - 1) (s - s_without_u)``, moved so that their mean is s. For the area under
    the ROC curve these are DeLong's placements, times a factor next to 1: ``(n - 1) / (n_c - 1)``
    in place of ``n / n_c`` for a sample of a class of n_c.
    """
    units = Units.of(oof)
    if units.n_units < 3:
        raise UndefinedIntervalError(
            f"{method} compares configurations by their spread over {units.kind}s, and needs at "
            f"least 3 of them, got {units.n_units}."
        )
    scores = kernel.on_data()
    configs = np.flatnonzero(np.isfinite(scores))
    if kernel.is_pointwise:
        values, how = _of_means(oof, kernel, units, configs), BY_SAMPLE
    else:
        values, how = _left_out(kernel, units, scores, configs), LEAVING_OUT
    return UnitValues(values, configs, _fold_of(oof, units), units, how)


def _of_means(
    oof: OOFPredictions, kernel: BoundKernel, units: Units, configs: np.ndarray
) -> np.ndarray:
    rows = kernel.pointwise(configs)  # (n_configs, n_rows)
    assert rows is not None
    total = np.zeros((units.n_units, len(configs)))
    for repeat in range(oof.n_repeats):
        here = np.flatnonzero(oof.repeat == repeat)
        sample = oof.sample[here]
        of_repeat = rows[:, here].T
        once = len(here) == units.n_units and units.kind == "sample"
        if once and oof.sample_weight is None:  # exactly the values, not nearly
            values = np.empty_like(total)
            values[units.of_sample[sample]] = of_repeat
        else:
            weight = np.ones(len(here)) if oof.sample_weight is None else oof.sample_weight[sample]
            score = weight @ of_repeat / weight.sum()
            deviation = (of_repeat - score) * (weight * units.n_units / weight.sum())[:, None]
            values = np.zeros_like(total)
            np.add.at(values, units.of_sample[sample], deviation)
            values += score
        total += values
    return total / oof.n_repeats


def _left_out(
    kernel: BoundKernel, units: Units, scores: np.ndarray, configs: np.ndarray
) -> np.ndarray:
    _check_classes(kernel, units)
    n = units.n_units
    kernel.warn_if_slow((n + 1) * kernel.n_distinct)
    values = np.empty((n, len(configs)))
    for start in range(0, n, AT_ONCE):
        out = np.arange(start, min(start + AT_ONCE, n))
        kept = np.ones((len(out), n), dtype=np.uint8)
        kept[np.arange(len(out)), out] = 0
        values[out] = kernel.scores(units.expand(kept))[:, configs]
    of_all = scores[configs]
    undefined = ~np.isfinite(values).all(axis=1)
    if undefined.any():
        unit = int(np.flatnonzero(undefined)[0])
        raise UndefinedIntervalError(
            f"{kernel.metric.name} is undefined without {units.kind} {unit}, so its spread over "
            f"{units.kind}s cannot be seen."
        )
    values = (n - 1) * (of_all - values)
    return of_all + (values - values.mean(axis=0))


def _check_classes(kernel: BoundKernel, units: Units) -> None:
    """Raise where a class that the metric cannot do without is in one unit."""
    if kernel.strata is None:
        return
    sizes = units.indicator(kernel.strata).sum(axis=0).astype(int)
    for name, size in zip(kernel.strata_names, sizes, strict=True):
        if size < 2:
            raise UndefinedIntervalError(
                f"{kernel.metric.name} is undefined without {name}, which has {size} "
                f"{units.kind}: its spread over {units.kind}s cannot be seen. At least 2 "
                f"{units.kind}s are needed."
            )


def _fold_of(oof: OOFPredictions, units: Units) -> np.ndarray | None:
    """Fold of each unit, where each is held out in one fold and there are two folds at least."""
    if oof.n_repeats > 1 or oof.n_splits < 2:
        return None
    unit = units.of_sample[oof.sample]
    fold = np.full(units.n_units, -1)
    fold[unit] = oof.fold
    return fold if np.array_equal(fold[unit], oof.fold) else None


class BoundTies(Tied):
    """Which configurations are tied with the best of a draw.

    The units of a draw have the values that they have on all data, moved for each
    configuration so that their mean is its score in the draw.

    Parameters
    ----------
    p_values : callable
        Of a method: values and folds -> p values.
    confidence_level : float
        Level of the set.
    units : UnitValues
        Values on all data.
    """

    def __init__(
        self, p_values: Callable[..., np.ndarray], confidence_level: float, units: UnitValues
    ) -> None:
        self._p_values, self._level, self._units = p_values, confidence_level, units
        # One sample of each unit tells how often a draw holds it.
        of_sample = units.units.of_sample
        known, first = np.unique(of_sample, return_index=True)
        self._sample = first[known >= 0]

    def members(self, kernel: Any, weights: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Configurations that are tied with the best of each draw.

        `weights` (n_draws, n_samples), `scores` (n_draws, n_configs) -> (n_draws, n_configs).
        """
        result = np.zeros(scores.shape, dtype=bool)
        of_units = np.asarray(weights)[:, self._sample].astype(np.intp)
        for draw, counts in enumerate(of_units):
            result[draw] = self._of_draw(counts, scores[draw])
        return result

    def _of_draw(self, counts: np.ndarray, scores: np.ndarray) -> np.ndarray:
        configs = self._units.configs
        defined = np.isfinite(scores[configs])
        members = np.zeros(len(scores), dtype=bool)
        if not defined.any():
            return members
        drawn = np.repeat(np.arange(len(counts)), counts)
        fold = self._units.fold
        fold = None if fold is None else fold[drawn]
        values = self._units.values[drawn][:, defined]
        here = scores[configs[defined]]
        values += here - values.mean(axis=0)
        members[configs[defined]] = self._p_values(values, fold) > 1 - self._level
        members[configs[defined][here == here.max()]] = True
        return members


_REGISTRY: dict[str, type[TiedMethod]] = {}


class TiedMethod(Tied, BaseEstimator):
    """Base of methods for the set of configurations that may be the best.

    A method is one file with one subclass: a `name`, what a reader must know of it, an
    ``__init__`` that stores its parameters, and `_p_values`. It registers itself by `name`.
    `tied_with_best` calls it; as the `margin` of `SimplestTied` it decides in every draw
    of samples (at B times its cost: methods that draw themselves take long).

    Attributes
    ----------
    name : str
        Registered name.
    meant_for : str
        For which data and questions the method is the one to take.
    cost : str
        What it costs, of n units, C configurations and B draws.
    limits : str
        Where it fails or misleads.
    confidence_level : float
        Share of data sets for which the set should hold the best configuration.
    """

    name: ClassVar[str]
    meant_for: ClassVar[str]
    cost: ClassVar[str]
    limits: ClassVar[str]

    needs_samples = True

    confidence_level: float

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        explain_init(cls)
        if "name" in cls.__dict__:
            register(_REGISTRY, cls, "method for tied sets")

    def p_values(self, values: Any, fold: Any = None) -> np.ndarray:
        """P value of each configuration, of the hypothesis that it is the best.

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
        self._validate()
        array = np.asarray(values, dtype=float)
        if array.ndim != 2 or array.shape[0] < 3 or array.shape[1] < 1:
            raise ValueError(
                "values must have shape (n_units, n_configs) with at least 3 units and 1 "
                f"configuration, got shape {array.shape}."
            )
        if not np.isfinite(array).all():
            raise ValueError(
                f"values must be finite, but configuration {_first_not_finite(array)} has NaN or "
                "infinity. Leave configurations without a score out."
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
        """Compute the p values.

        Parameters
        ----------
        values : ndarray of shape (n_units, n_configs)
            At least 3 units and 2 configurations, no two columns equal.
        fold : ndarray of shape (n_units,) or None
            Fold of each unit, numbered from 0.

        Returns
        -------
        ndarray of shape (n_configs,)
            Between 0 and 1.
        """

    def _validate(self) -> None:
        level = self.confidence_level
        if isinstance(level, bool) or not isinstance(level, Real) or not 0 < level < 1:
            raise ValueError(
                f"confidence_level must be a number strictly between 0 and 1, got {level!r}. "
                "For a set that holds the best configuration in 95% of data sets use 0.95."
            )

    def bind(self, oof: OOFPredictions, kernel: Any) -> BoundTies:
        """Prepare for the draws of a rule of selection, see `selection.Tied`.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions.
        kernel : BoundKernel
            Metric bound to them.

        Returns
        -------
        BoundTies
            Decides in every draw.
        """
        self._validate()
        units = unit_values(oof, kernel, type(self).__name__)
        return BoundTies(self.p_values, self.confidence_level, units)

    def members(self, kernel: Any, weights: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Refuse: only what `bind` returns knows the units, see `selection.Tied`.

        Parameters
        ----------
        kernel : BoundKernel
            Metric bound to predictions.
        weights : ndarray of shape (n_draws, n_samples)
            The draws.
        scores : ndarray of shape (n_draws, n_configs)
            Scores of the draws.
        """
        raise TypeError(f"Call {type(self).__name__}.bind(oof, kernel) first, then its members.")


def _first_not_finite(values: np.ndarray) -> int:
    return int(np.flatnonzero(~np.isfinite(values).all(axis=0))[0])


def registered_tied() -> dict[str, type[TiedMethod]]:
    """Registered methods for tied sets by name.

    Returns
    -------
    dict of str to type
        Name -> class.

    Examples
    --------
    >>> from sklearn_bbc.comparison import registered_tied
    >>> registered_tied()["bonferroni"].__name__
    'Bonferroni'
    """
    return dict(_REGISTRY)


CANCELS = 1e-6
"""Where less of the two variances than this share is left over, differences are formed."""

AT_ONCE_OF_PAIRS = 2**22
"""Differences that are formed at once: 32 MB."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Differences of pairs of configurations.

    Attributes
    ----------
    lead : ndarray of shape (n_configs, n_configs) or (n_configs,)
        ``lead[i, j]``: by how much j is better than i, mean over the units; or the lead of
        one configuration over each.
    deviation : ndarray of the same shape
        Root of the mean square deviation of that difference; 0 where it is the same in all
        units, up to rounding.
    n_units : int
        Number of units.
    """

    lead: np.ndarray
    deviation: np.ndarray
    n_units: int

    @classmethod
    def of(cls, values: np.ndarray, centred: np.ndarray | None = None) -> Pairs:
        """Compare all pairs.

        `values` (n_units, n_configs), `centred` (n_units, n_configs).
        """
        mean = values.mean(axis=0)
        centred = values - mean if centred is None else centred
        covariance = centred.T @ centred / len(values)
        variance = np.diag(covariance)
        together = variance[:, None] + variance
        squares = together - 2 * covariance
        first, second = np.nonzero(np.triu(squares <= CANCELS * together, 1))
        step = max(1, AT_ONCE_OF_PAIRS // len(values))
        for start in range(0, len(first), step):
            one, other = first[start : start + step], second[start : start + step]
            square = ((centred[:, one] - centred[:, other]) ** 2).mean(axis=0)
            squares[one, other] = squares[other, one] = square
        np.fill_diagonal(squares, 0.0)
        size = _sizes(values)
        return cls._cleared(
            mean - mean[:, None],
            np.sqrt(squares),
            np.maximum(size[:, None], size),
            len(values),
        )

    @classmethod
    def with_best(cls, values: np.ndarray) -> Pairs:
        """Compare each configuration with that of the best mean.

        `values` (n_units, n_configs).
        """
        best = int(values.mean(axis=0).argmax())
        difference = values[:, [best]] - values
        lead = difference.mean(axis=0)
        size = _sizes(values)
        deviation = np.sqrt(((difference - lead) ** 2).mean(axis=0))
        return cls._cleared(lead, deviation, np.maximum(size[best], size), len(values))

    @classmethod
    def _cleared(
        cls, lead: np.ndarray, deviation: np.ndarray, size: np.ndarray, n_units: int
    ) -> Pairs:
        """Without the spread, and then the lead, that are only rounding."""
        rounding = 16 * np.finfo(float).eps * size
        deviation[deviation <= rounding] = 0.0
        lead[(deviation == 0) & (np.abs(lead) <= rounding)] = 0.0
        return cls(lead, deviation, n_units)

    def t(self) -> np.ndarray:
        """Leads over their standard errors, from the unbiased variance.

        A lead without spread is infinite; 0 where there is no lead either.
        """
        return studentised(self.lead, self.deviation) * np.sqrt(self.n_units - 1)


def studentised(lead: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """Leads over their deviations; 0 where there is neither."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = lead / deviation
    ratio[np.isnan(ratio)] = 0.0
    return ratio


def _sizes(values: np.ndarray) -> np.ndarray:
    return np.abs(values).max(axis=0, initial=0.0)


class Bonferroni(TiedMethod):
    """Configurations that a paired t test with Bonferroni's correction keeps beside the best.

    Parameters
    ----------
    confidence_level : float in (0, 1), default=0.95
        Share of data sets for which the set should hold the best configuration.

    See Also
    --------
    SoftminLeaveOneOut : Not corrected for the number of configurations; often smaller sets.

    Notes
    -----
    Of C configurations with distinct values, configuration c has the p value

    .. math:: p_c = \\min\\bigl(1, (C - 1) \\, P(T_{n-1} > t_c)\\bigr), \\qquad
              t_c = \\frac{\\bar v_w - \\bar v_c}{s_{wc} / \\sqrt n},

    where w has the best mean, s is the standard deviation of the paired differences and T has
    Student's t distribution. The configuration w is itself chosen by the data; the correction
    for the C - 1 others with which c could have been compared pays for that. Nothing is drawn.
    Time O(n C).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.comparison import Bonferroni
    >>> losses = np.array([[1, 2, 3], [2, 2, 5], [0, 1, 3], [1, 1, 4], [2, 3, 6.0]])
    >>> Bonferroni().p_values(-losses).round(3)
    array([1.   , 0.07 , 0.001])
    """

    name = "bonferroni"
    meant_for = "few configurations, or a result without random numbers"
    cost = "O(n C)"
    limits = "sets grow with the number of configurations, however alike they are"

    def __init__(self, *, confidence_level: float = 0.95) -> None:
        self.confidence_level = confidence_level

    def _p_values(self, values: np.ndarray, fold: np.ndarray | None) -> np.ndarray:
        n_units, n_configs = values.shape
        pairs = Pairs.with_best(values)
        p_values = np.minimum(1.0, (n_configs - 1) * student.sf(pairs.t(), n_units - 1))
        p_values[(pairs.lead == 0) & (pairs.deviation == 0)] = 1.0  # the best itself
        return np.asarray(p_values)


def check_draws(n_bootstraps: Any) -> None:
    """Raise where p values would be too coarse for the usual levels."""
    why = ": the smallest p value is 1 / (n_bootstraps + 1). 1000 or more are recommended."
    check_integer("n_bootstraps", n_bootstraps, 100, why=why)


def multiplier_means(centred: np.ndarray, n_draws: int, random_state: Any) -> np.ndarray:
    """Means of the values times standard normal numbers, one for each unit.

    `centred` (n_units, n_configs) -> (n_draws, n_configs).
    """
    return _blockwise(
        centred, n_draws, random_state, lambda rng, n: rng.standard_normal((n, len(centred)))
    )


def bootstrap_means(centred: np.ndarray, n_draws: int, random_state: Any) -> np.ndarray:
    """Means of values that are drawn with replacement.

    `centred` (n_units, n_configs) -> (n_draws, n_configs).
    """
    return _blockwise(
        centred,
        n_draws,
        random_state,
        lambda rng, n: draw_with_replacement(rng, n, len(centred)).astype(float),
    )


def _blockwise(
    centred: np.ndarray,
    n_draws: int,
    random_state: Any,
    weights: Callable[[np.random.Generator, int], np.ndarray],
) -> np.ndarray:
    """Each block of draws has a stream of its own, and is one product of matrices."""
    streams = Streams(entropy_of(random_state))
    means = np.empty((n_draws, centred.shape[1]))
    for k, start in enumerate(range(0, n_draws, BLOCK)):
        stop = min(start + BLOCK, n_draws)
        means[start:stop] = weights(streams.of(k), stop - start) @ centred
    return means / len(centred)


def exceedance(draws: np.ndarray, observed: float) -> float:
    """Monte-Carlo p value: share of draws that are as large, the observed one included."""
    return float((1 + np.count_nonzero(draws >= observed)) / (1 + len(draws)))


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

    See Also
    --------
    SoftminLeaveOneOut : Nothing is drawn, and it holds more at small sizes.

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
    (repeats) or folds have one unit, the values are centred together. The optional screening
    of section 3.4 is not done. Time O(C^2 B + n C B).

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
    meant_for = "a thousand samples or more, by any metric"
    cost = "O(C^2 B + n C B)"
    limits = "too small sets with few samples, the more so with many folds"

    def __init__(
        self,
        *,
        n_bootstraps: int = 1000,
        confidence_level: float = 0.95,
        random_state: Any = None,
    ) -> None:
        self.n_bootstraps = n_bootstraps
        self.confidence_level = confidence_level
        self.random_state = random_state

    def _validate(self) -> None:
        super()._validate()
        check_draws(self.n_bootstraps)

    def _p_values(self, values: np.ndarray, fold: np.ndarray | None) -> np.ndarray:
        centred = _centred_by_fold(values, fold)
        pairs = Pairs.of(values, centred)
        statistics = studentised(pairs.lead, pairs.deviation)  # over sqrt(n), as are the draws
        statistics[(pairs.lead == 0) & (pairs.deviation == 0)] = -np.inf  # no other one
        means = multiplier_means(centred, self.n_bootstraps, self.random_state)
        p_values = np.empty(len(statistics))
        for config, deviation in enumerate(pairs.deviation):
            vary = deviation > 0
            drawn = np.full(self.n_bootstraps, -np.inf)
            if vary.any():
                leads = means[:, vary] - means[:, [config]]  # (n_bootstraps, n_vary)
                leads /= deviation[vary]
                drawn = leads.max(axis=1)
            p_values[config] = exceedance(drawn, statistics[config].max())
        return p_values


def _centred_by_fold(values: np.ndarray, fold: np.ndarray | None) -> np.ndarray:
    if fold is None or np.bincount(fold).min() < 2:
        return values - values.mean(axis=0)
    centred = np.empty_like(values)
    for k in range(int(fold.max()) + 1):
        here = fold == k
        centred[here] = values[here] - values[here].mean(axis=0)
    return centred


STATISTICS = ("max", "range")


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

    See Also
    --------
    SoftminLeaveOneOut : Tests each configuration for itself, so its sets are smaller.

    Notes
    -----
    The procedure of [1]_ for independent units, that is, with blocks of one. While the
    configurations that are left over are not all equal by a bootstrap test, the one that is
    furthest behind in standard errors is removed. The p value of a configuration is the
    largest of the tests up to its removal; the last one has 1. Standard errors are those of
    the draws. The set promises more than the others: that it holds all configurations that
    are equally good and the best. Time O(C^2 B).

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
    meant_for = "a set that holds every one of several equally good configurations"
    cost = "O(C^2 B)"
    limits = (
        "large sets; by the mean of all, one that is better than many equal ones is lost in it"
    )

    def __init__(
        self,
        *,
        statistic: str = "max",
        n_bootstraps: int = 1000,
        confidence_level: float = 0.95,
        random_state: Any = None,
    ) -> None:
        self.statistic = statistic
        self.n_bootstraps = n_bootstraps
        self.confidence_level = confidence_level
        self.random_state = random_state

    def _validate(self) -> None:
        super()._validate()
        check_draws(self.n_bootstraps)
        if self.statistic not in STATISTICS:
            raise ValueError(
                f"statistic must be one of {list(STATISTICS)}, got {self.statistic!r}."
            )

    def _p_values(self, values: np.ndarray, fold: np.ndarray | None) -> np.ndarray:
        mean = values.mean(axis=0)
        draws = bootstrap_means(values - mean, self.n_bootstraps, self.random_state)
        rounding = 16 * np.finfo(float).eps * float(np.abs(values).max())
        remove = by_range if self.statistic == "range" else by_max
        order, p_values = remove(mean, draws, rounding)
        result = np.empty(len(mean))
        result[order] = np.maximum.accumulate(p_values)
        return result


def by_max(mean: np.ndarray, draws: np.ndarray, rounding: float) -> tuple[np.ndarray, np.ndarray]:
    """Remove by the distance from the mean of what is left over.

    `mean` (n_configs,), `draws` (n_draws, n_configs) -> `order` (n_configs,), `p_values`
    (n_configs,).
    """
    left = np.arange(len(mean))
    order, p_values = [], []
    drawn = draws
    while len(left) > 1:
        behind = mean[left].mean() - mean[left]
        spread = drawn.mean(axis=1, keepdims=True) - drawn  # (n_draws, n_left)
        deviation = np.sqrt((spread**2).mean(axis=0))
        deviation[deviation <= rounding] = 0.0
        behind[(deviation == 0) & (np.abs(behind) <= rounding)] = 0.0
        statistics = studentised(behind, deviation)
        vary = deviation > 0
        largest = np.zeros(len(draws))
        if vary.any():
            largest = (spread[:, vary] / deviation[vary]).max(axis=1)
        worst = int(statistics.argmax())
        order.append(int(left[worst]))
        p_values.append(exceedance(largest, float(statistics[worst])))
        left, drawn = np.delete(left, worst), np.delete(drawn, worst, axis=1)
    return np.array([*order, *left]), np.array([*p_values, 1.0])


def by_range(
    mean: np.ndarray, draws: np.ndarray, rounding: float
) -> tuple[np.ndarray, np.ndarray]:
    """Remove by the largest lead of another one; parameters and result as in `by_max`."""
    n_configs = len(mean)
    lead = mean - mean[:, None]  # [i, j]: of j over i
    deviation = _deviations(draws)
    deviation[deviation <= rounding] = 0.0
    lead[(deviation == 0) & (np.abs(lead) <= rounding)] = 0.0
    statistics = studentised(lead, deviation)
    np.fill_diagonal(statistics, -np.inf)
    # No test is needed to know the order, so draws are compared from the last one back:
    # each pair once.
    left = np.ones(n_configs, dtype=bool)
    order, observed = [], []
    for _ in range(n_configs - 1):
        largest = statistics.max(axis=1)
        worst = int(largest.argmax())
        order.append(worst)
        observed.append(float(largest[worst]))
        left[worst] = False
        statistics[worst] = statistics[:, worst] = -np.inf
    order.append(int(np.flatnonzero(left)[0]))
    p_values = np.ones(n_configs)
    among = np.zeros(len(draws))  # largest of the pairs so far
    for place in range(n_configs - 2, -1, -1):
        config, others = order[place], np.array(order[place + 1 :])
        others = others[deviation[config, others] > 0]
        if len(others):
            apart = np.abs(draws[:, others] - draws[:, [config]]) / deviation[config, others]
            among = np.maximum(among, apart.max(axis=1))
        p_values[place] = exceedance(among, observed[place])
    return np.array(order), p_values


def _deviations(draws: np.ndarray) -> np.ndarray:
    """Root mean square of the difference of every two columns."""
    squares = np.empty((draws.shape[1], draws.shape[1]))
    for config in range(draws.shape[1]):
        squares[config] = ((draws - draws[:, [config]]) ** 2).mean(axis=0)
    return np.sqrt(squares)


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

    See Also
    --------
    CrossValidationWithConfidence : The largest lead of any other instead of an average.

    Notes
    -----
    For configuration c let :math:`x_{ij}` be by how much configuration j is better in unit i,
    divided by the standard deviation over the units. Another configuration is weighted by the
    softmax of its mean lead over all units but i [1]_,

    .. math:: w_{ij} \\propto \\exp(\\lambda \\bar x_j^{(-i)}), \\quad j \\ne c, \\qquad
              d_i = \\sum_j w_{ij} x_{ij},

    and the p value of c is :math:`1 - \\Phi(\\sqrt n \\, \\bar d / s_d)`. As the weights do not
    know the unit that they are applied to, the statistic is nearly normal even where many
    configurations are equally good. :math:`\\lambda = \\sqrt n / (2.5 \\, s)` is the paper's
    first choice from the data, where s is the standard deviation over the units of
    :math:`x_{ij}` for the j with the largest mean lead without unit i; its further search for a
    larger one is not done. (The paper is about losses, so it has the softmin.) Nothing is
    drawn. Time O(n C^2); O(n C) without standardising where few configurations ever lead.

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
    meant_for = "any number of configurations and any metric, without random numbers"
    cost = "O(n C^2)"
    limits = "asymptotic: with few samples the set is slightly too small"

    def __init__(
        self, *, confidence_level: float = 0.95, scale: float = 2.5, standardized: bool = True
    ) -> None:
        self.confidence_level = confidence_level
        self.scale = scale
        self.standardized = standardized

    def _validate(self) -> None:
        super()._validate()
        number = isinstance(self.scale, Real) and not isinstance(self.scale, bool)
        if not number or not 0 < self.scale < np.inf:
            raise ValueError(
                f"scale must be a positive number, got {self.scale!r}. The paper's value is 2.5."
            )
        if not isinstance(self.standardized, (bool, np.bool_)):
            raise ValueError(f"standardized must be True or False, got {self.standardized!r}.")

    def _p_values(self, values: np.ndarray, fold: np.ndarray | None) -> np.ndarray:
        return self._standardized(values) if self.standardized else self._plain(values)

    def _standardized(self, values: np.ndarray) -> np.ndarray:
        pairs = Pairs.of(values)
        average = np.empty_like(values)
        certain, alone = np.zeros((2, values.shape[1]), dtype=bool)
        for config, deviation in enumerate(pairs.deviation):
            vary = deviation > 0
            # Another one that is better by the same in every unit; or no other one at all.
            certain[config] = (pairs.lead[config][~vary] > 0).any()
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
        n_configs = values.shape[1]
        sums = values.sum(axis=0) - values  # without each unit
        leads = np.zeros(n_configs, dtype=bool)
        leads[sums.argmax(axis=1)] = True
        average = np.empty_like(values)
        never = np.flatnonzero(~leads)
        # Those that never lead share the weights of the others, but for their own part.
        if len(never):
            weights = self._weights(values, sums)
            total, weighted = weights.sum(axis=1), (weights * values).sum(axis=1)
            own = weights[:, never]
            average[:, never] = weighted[:, None] - own * values[:, never]
            average[:, never] /= total[:, None] - own
        for config in np.flatnonzero(leads):
            others = np.arange(n_configs) != config
            average[:, config] = self._average(values[:, others], sums[:, others])
        return _normal_tails(average - values, float(np.abs(values).max()))

    def _average(self, values: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """Softmax average of each unit, with weights that do not know it, (n_units,)."""
        weights = self._weights(values, sums)
        return np.asarray(np.einsum("ij,ij->i", weights, values) / weights.sum(axis=1))

    def _weights(self, values: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """Softmax weights by the sums without each unit, the largest weight being 1."""
        n_units = len(values)
        units, leader = np.arange(n_units), sums.argmax(axis=1)
        largest = values[units, leader]
        deviation = largest.std(ddof=1)
        behind = sums - sums[units, leader][:, None]  # <= 0
        rounding = 16 * np.finfo(float).eps * np.abs(largest).max()
        if deviation <= rounding:  # infinitely sharp
            return (behind >= -rounding * n_units).astype(float)
        behind *= np.sqrt(n_units) / (self.scale * deviation * (n_units - 1))
        return np.asarray(np.exp(behind, out=behind))


def _normal_tails(differences: np.ndarray, size: float) -> np.ndarray:
    """One-sided p values of the means of columns; 1/2 for a mean of 0 without spread."""
    rounding = 16 * np.finfo(float).eps * size
    mean, deviation = differences.mean(axis=0), differences.std(axis=0, ddof=1)
    deviation[deviation <= rounding] = 0.0
    mean[(deviation == 0) & (np.abs(mean) <= rounding)] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.sqrt(len(differences)) * mean / deviation
    statistic[np.isnan(statistic)] = 0.0
    return np.asarray(norm.sf(statistic))
