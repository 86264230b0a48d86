"""Comparisons of learners by their scores on several data sets."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.stats import chi2, f, norm, rankdata, studentized_range, wilcoxon
from sklearn.base import BaseEstimator

from .._lazy import whole
from .._parameters import (
    SHARE_RANGE,
    By,
    Constraints,
    Number,
    Whole,
    check_parameters,
    constrained,
)
from .._rounding import TERMS, made_equal, rounding, without_rounding
from .._utils import (
    check_arrays,
    check_flag,
    explain_init,
    got,
    is_integer,
    register,
    with_parameters,
)
from ..resampling import check_random_state, entropy_of
from ..results._rankings import RankingResult
from ._base import ROPE

Names = tuple[str, ...]
Fields = dict[str, Any]

_DATA_SETS_COMPARISONS: dict[str, type[DataSetsComparison]] = {}
FEWEST_DATA_SETS = 5
"""Data sets below which ranks can hardly show anything, and no approximation holds."""


class DataSetsComparison(BaseEstimator, ABC):
    """Base of comparisons over data sets: `compare` validates, `_compare` computes.

    A subclass has a `name`, the facts (`label`, `estimand`, `assumptions`, `meant_for`, `cost`,
    `limits`), an ``__init__`` that stores its parameters, and ``_compare(scores, ranks, names)``,
    which returns fields of `RankingResult`. It registers itself by `name`.

    Attributes
    ----------
    name, label, estimand, meant_for, cost, limits : str
        As of `BaseComparison`.
    assumptions : tuple of str
        What the result rests on, a sentence each.
    fewest_learners, most_learners : int or None
        How many learners it can compare.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    estimand: ClassVar[str] = "which learners have better scores over a population of data sets"
    assumptions: ClassVar[tuple[str, ...]] = (
        "The data sets are independent, and drawn from the population of interest.",
    )
    meant_for: ClassVar[str]
    cost: ClassVar[str] = "O(n k log k) for n data sets and k learners"
    limits: ClassVar[str]
    fewest_learners: ClassVar[int] = 3
    most_learners: ClassVar[int | None] = None

    confidence_level: float

    _constraints: ClassVar[Constraints] = {
        "confidence_level": Number(above=0, below=1, hint="For tests at 5% use 0.95."),
        "random_state": By(check_random_state),
    }

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        explain_init(cls)
        if "name" in cls.__dict__:
            register(_DATA_SETS_COMPARISONS, cls, "comparison")

    def compare(
        self, scores: Any, *, names: Sequence[str] | None = None, greater_is_better: bool = True
    ) -> RankingResult:
        """Compare learners by their scores on several data sets.

        Parameters
        ----------
        scores : array-like of shape (n_data_sets, n_learners)
            One score per data set and learner. The columns of a DataFrame name the learners.
        names : sequence of str, default=None
            Names of the learners.
        greater_is_better : bool, default=True
            False for losses.

        Returns
        -------
        RankingResult
            Mean ranks, 1 is the best, and p-values.

        Raises
        ------
        ValueError
            If there are fewer than five data sets, too few learners, missing scores, or a
            parameter is out of range.
        """
        check_parameters(self)
        check_flag("greater_is_better", greater_is_better)
        check_arrays(names=names)
        if names is None and isinstance(scores, pd.DataFrame):
            names = [str(name) for name in scores.columns]
        array, named = self._table(scores, names)
        array = array if greater_is_better else -array
        array = np.array([made_equal(*each) for each in zip(array, rounding_sizes(array))])
        ranks = rankdata(-array, axis=1)
        found = self._compare(array, ranks, named)
        return RankingResult(
            **{
                "names": named,
                "mean_ranks": ranks.mean(axis=0),
                "n_data_sets": len(ranks),
                "statistic": np.nan,
                "p_value": np.nan,
                "confidence_level": self.confidence_level,
                "method": self.name,
                "label": self.label,
                "assumptions": self.assumptions,
                **found,
                "details": {"notes": [], **found["details"]},
            }
        )

    @abstractmethod
    def _compare(self, scores: np.ndarray, ranks: np.ndarray, names: Names) -> Fields:
        """Compute fields of the result; `scores` and `ranks` (n_data_sets, n_learners)."""

    def _table(self, scores: Any, names: Sequence[str] | None) -> tuple[np.ndarray, Names]:
        """Return the scores as floats, (n_data_sets, n_learners), and a name of each learner."""
        try:
            array = np.asarray(scores, dtype=float)
        except (TypeError, ValueError):
            raise ValueError(
                f"scores must hold numbers of shape (n_data_sets, n_learners), got {got(scores)}."
            ) from None
        if array.ndim != 2:
            raise ValueError(
                f"scores has shape {array.shape}, expected (n_data_sets, n_learners)."
            )
        n, k = array.shape
        if n < FEWEST_DATA_SETS:
            hint = " It looks transposed: pass scores.T." if k >= FEWEST_DATA_SETS else ""
            raise ValueError(
                f"{type(self).__name__} needs at least {FEWEST_DATA_SETS} data sets (rows), got "
                f"{n}: with "
                f"fewer, ranks can hardly show any difference.{hint}"
            )
        if np.isnan(array).any():
            row, column = np.argwhere(np.isnan(array))[0]
            raise ValueError(
                f"scores are missing (NaN), first in row {row}, column {column}. Leave out data "
                "sets on which some learner has no score."
            )
        named = [f"learner {j}" for j in range(k)] if names is None else list(names)
        if len(named) != k or len(set(named)) != k:
            raise ValueError(f"names must be {k} different names, one per learner, got {named}.")
        fewest, most = self.fewest_learners, self.most_learners
        if k < fewest or k > (most or k):
            hint = "For two learners use Wilcoxon." if k == 2 else "Use Nemenyi for more than two."
            raise ValueError(
                f"{type(self).__name__} compares {fewest}{'' if most == fewest else ' or more'} "
                f"learners, got {k}: scores must have one column per learner. {hint}"
            )
        return array, tuple(named)


def rounding_sizes(scores: np.ndarray) -> np.ndarray:
    """Find the size that rounding of each score is relative to, of the shape of `scores`.

    A score near zero is a difference of larger numbers: of 1, or of others in the table.
    """
    own = np.where(np.isfinite(scores), np.abs(scores), 0.0)
    return np.asarray(np.maximum(own, min(1.0, own.max())))


def check_control(control: Any, names: Names) -> int:
    """Return the column of the control, given by its name or its position."""
    if isinstance(control, str) and control in names:
        return names.index(control)
    if is_integer(control, 0) and control < len(names):
        return int(control)
    raise ValueError(
        f"control must be the name or the position of a learner, got {control!r}. The learners "
        f"are {list(names)}."
    )


def registered_on_data_sets() -> dict[str, type[DataSetsComparison]]:
    """Return the registered comparisons over data sets, name -> class."""
    return whole(__package__, _DATA_SETS_COMPARISONS)


CHUNK = 1000


@with_parameters
class BayesianSignedRank(DataSetsComparison):
    """Bayesian signed rank test: how likely each of two learners is better, or both equivalent.

    Parameters
    ----------
    rope : float, default=0.01
        Half the width of the region of practical equivalence, in the unit of the scores:
        smaller differences do not matter.
    prior_strength : float, default=0.5
        Weight of one made-up data set without any difference, which is the prior.
    n_draws : int, default=50000
        Draws from the posterior.
    confidence_level : float in (0, 1), default=0.95
        Probability from which on `details` call a learner better.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.

    Notes
    -----
    The distribution of differences d has a Dirichlet process prior. In a draw of weights w the
    mass for the first learner is ``sum_ij w_i w_j [d_i + d_j > 2 rope]``, for the second and for
    equivalence accordingly; the probability of each is the share of the draws in which it has the
    most mass.

    `details` of the result: ``probabilities`` (of ``first``, ``equivalent`` and ``second``),
    ``rope``, ``better`` (name of a learner, or None), ``seed``, ``notes``.

    References
    ----------
    .. [1] A. Benavoli, G. Corani, J. Demsar, M. Zaffalon, "Time for a change: a tutorial for
       comparing multiple classifiers through Bayesian analysis", Journal of Machine Learning
       Research 18, 1-36 (2017).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.comparison import BayesianSignedRank
    >>> scores = 0.8 + 0.02 * np.random.default_rng(0).normal(size=(12, 2)) + [0, 0.03]
    >>> result = BayesianSignedRank(random_state=0).compare(scores, names=["A", "B"])
    >>> result.details["better"]
    'B'
    """

    name = "bayesian_signed_rank"
    label = "Bayesian signed rank test"
    assumptions = (
        "The data sets are independent, and drawn from the population of interest.",
        "Differences of scores are comparable between data sets.",
    )
    meant_for = "two learners over data sets, with a region of practical equivalence"
    cost = "O(draws n^2) for n data sets"
    limits = "few data sets: the prior counts; scores on different scales"
    fewest_learners = 2
    most_learners = 2

    rope: float = 0.01
    prior_strength: float = 0.5
    n_draws: int = 50000
    confidence_level: float = 0.95
    random_state: Any = None

    _constraints = {
        "rope": ROPE,
        "prior_strength": Number(above=0),
        "n_draws": Whole(100),
    }

    def _compare(self, scores: np.ndarray, ranks: np.ndarray, names: Names) -> Fields:
        entropy = entropy_of(self.random_state)
        rng = np.random.default_rng(entropy)
        difference = scores[:, 0] - scores[:, 1]
        sizes = np.concatenate([[0.0], rounding_sizes(scores).max(axis=1)])
        weights = np.concatenate([[self.prior_strength], np.ones(len(difference))])
        wins = np.zeros(3)
        for start in range(0, self.n_draws, CHUNK):
            drawn = rng.dirichlet(weights, min(CHUNK, self.n_draws - start))
            wins += np.bincount(most_mass(difference, drawn, float(self.rope), sizes), minlength=3)
        first, equivalent, second = (wins / self.n_draws).tolist()
        better = None
        if max(first, second) >= self.confidence_level:
            better = names[0] if first >= self.confidence_level else names[1]
        return {
            "details": {
                "probabilities": {"first": first, "equivalent": equivalent, "second": second},
                "rope": float(self.rope),
                "better": better,
                "seed": entropy,
            }
        }


def most_mass(
    differences: np.ndarray, weights: np.ndarray, rope: float, sizes: Any = 0.0
) -> np.ndarray:
    """Find which of first (0), equivalent (1) and second (2) has the most mass in each draw.

    `differences` (n_data_sets,), `weights` (n_draws, 1 + n_data_sets), and `sizes` of the scores,
    (1 + n_data_sets,), to which rounding is relative.
    """
    values = np.concatenate([[0.0], differences])
    sums = values[:, None] + values
    size = np.maximum.outer(sizes, sizes)
    # Ties of the limits count one half, as in the published code.
    first, second = (
        0.5 * (np.sign(without_rounding(beyond, size, rounding(TERMS))) + 1)
        for beyond in (sums - 2 * rope, -sums - 2 * rope)
    )
    for_first = ((weights @ first) * weights).sum(axis=1)
    for_second = ((weights @ second) * weights).sum(axis=1)
    if rope == 0:
        # Half of the mass each, but for rounding: neither side has the most.
        side = np.where(for_first > for_second, 0, 2)
        return np.where(np.isclose(for_first, for_second, rtol=0, atol=1e-12), 1, side)
    mass = np.stack([for_first, 1 - for_first - for_second, for_second])
    return (mass >= mass.max(axis=0) - 1e-12).argmax(axis=0)


ALL_TIED = "All learners have the same score on every data set: there is nothing to rank."


class Friedman(DataSetsComparison):
    """Friedman's test: whether all learners are alike over the data sets.

    Parameters
    ----------
    corrected : bool, default=True
        Whether to take the F statistic of Iman and Davenport, which is less conservative than
        Friedman's chi-squared.
    confidence_level : float in (0, 1), default=0.95
        One minus the level of the test.

    Notes
    -----
    With ranks R_ij within n data sets of k learners (ties, up to rounding, share their mean) the
    statistic is
    ``n sum_j (R_j - (k + 1) / 2)**2`` over ``sum_ij (R_ij - (k + 1) / 2)**2 / (n (k - 1))``,
    chi-squared with k - 1 degrees of freedom; ``F = (n - 1) chi2 / (n (k - 1) - chi2)`` has
    (k - 1) and (k - 1)(n - 1). Where all data sets rank alike F is infinite and the p-value the
    probability of that, ``k!**(1 - n)``; where all learners tie everywhere it is 1.

    `details` of the result: ``chi2``, ``chi2_p_value``, ``f``, ``f_p_value``, ``ranks`` (of each
    data set), ``notes``.

    References
    ----------
    .. [1] M. Friedman, "The use of ranks to avoid the assumption of normality implicit in the
       analysis of variance", Journal of the American Statistical Association 32, 675-701
       (1937). :doi:`10.1080/01621459.1937.10503522`
    .. [2] R. L. Iman, J. M. Davenport, "Approximations of the critical region of the Friedman
       statistic", Communications in Statistics 9, 571-595 (1980).
       :doi:`10.1080/03610928008827904`
    .. [3] J. Demsar, "Statistical comparisons of classifiers over multiple data sets", Journal
       of Machine Learning Research 7, 1-30 (2006).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.comparison import Friedman
    >>> scores = np.random.default_rng(0).normal(size=(12, 4)) + [0, 0, 0, 2]
    >>> result = Friedman().compare(scores)
    >>> bool(result.p_value < 0.01), int(result.mean_ranks.argmin())
    (True, 3)
    """

    name = "friedman"
    label = "Friedman test"
    meant_for = "whether any of three or more learners differ over data sets"
    limits = "few data sets or learners; says that some differ, not which"

    def __init__(self, *, corrected: bool = True, confidence_level: float = 0.95) -> None:
        self.corrected = corrected
        self.confidence_level = confidence_level

    def _compare(self, scores: np.ndarray, ranks: np.ndarray, names: Names) -> Fields:
        values = friedman_test(ranks)
        notes = [] if values["chi2"] or np.ptp(ranks) > 0 else [ALL_TIED]
        kind = "f" if self.corrected else "chi2"
        return {
            "statistic": values[kind],
            "p_value": values[f"{kind}_p_value"],
            "label": self.label + (", Iman and Davenport's F" if self.corrected else ""),
            "details": {"notes": notes, **values, "ranks": ranks},
        }


def friedman_test(ranks: np.ndarray) -> dict[str, float]:
    """Compute both statistics with their p-values; `ranks` (n_data_sets, n_learners)."""
    n, k = ranks.shape
    middle = (k + 1) / 2
    within = float(np.square(ranks - middle).sum() / (n * (k - 1)))
    if within == 0:
        return {"chi2": 0.0, "chi2_p_value": 1.0, "f": 0.0, "f_p_value": 1.0}
    statistic = float(n * np.square(ranks.mean(axis=0) - middle).sum()) / within
    rest = n * (k - 1) - statistic
    if rest <= 1e-9 * n * k:  # all data sets rank alike
        ratio, p_value = np.inf, math.exp((1 - n) * math.lgamma(k + 1))
    else:
        ratio = (n - 1) * statistic / rest
        p_value = float(f.sf(ratio, k - 1, (k - 1) * (n - 1)))
    chi2_p_value = float(chi2.sf(statistic, k - 1))
    return {"chi2": statistic, "chi2_p_value": chi2_p_value, "f": ratio, "f_p_value": p_value}


NOT_SHOWN = (
    "Friedman's test does not show that any learners differ (p = {:.3f}): do not read much into "
    "single pairs."
)


class Nemenyi(DataSetsComparison):
    """Nemenyi's test: which pairs of learners differ over the data sets.

    Two learners differ where their mean ranks are at least the critical difference apart.

    Parameters
    ----------
    confidence_level : float in (0, 1), default=0.95
        One minus the level of all pairs together.

    Notes
    -----
    The critical difference is ``q sqrt(k (k + 1) / (6 n))`` with the quantile q of the
    studentised range of k groups, divided by the root of two; p-values are from the same
    distribution. `RankingResult.groups` gives the bars of a critical difference diagram.

    `details` of the result: ``friedman_p_value`` (Iman and Davenport's), ``notes``.

    References
    ----------
    .. [1] P. B. Nemenyi, "Distribution-free multiple comparisons", PhD thesis, Princeton
       University (1963).
    .. [2] J. Demsar, "Statistical comparisons of classifiers over multiple data sets", Journal
       of Machine Learning Research 7, 1-30 (2006).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.comparison import Nemenyi
    >>> scores = np.random.default_rng(0).normal(size=(14, 4)) + [0, 0, 0, 2]
    >>> result = Nemenyi().compare(scores, names=["A", "B", "C", "D"])
    >>> print(f"{result.critical_difference:.4f}")
    1.2536
    >>> result.pairs()["is_shown"].tolist()
    [True, True, True, False, False, False]
    """

    name = "nemenyi"
    label = "Nemenyi test"
    meant_for = "which pairs of three or more learners differ over data sets, for a diagram"
    limits = "little power with many learners; depends on which others are in the table"

    def __init__(self, *, confidence_level: float = 0.95) -> None:
        self.confidence_level = confidence_level

    def _compare(self, scores: np.ndarray, ranks: np.ndarray, names: Names) -> Fields:
        n, k = ranks.shape
        p_values = studentized_range.sf(np.sqrt(2) * standardised_differences(ranks), k, np.inf)
        np.fill_diagonal(p_values, 1.0)
        return {
            "pair_p_values": p_values,
            "critical_difference": critical_difference(k, n, 1 - self.confidence_level),
            "details": of_omnibus(ranks, self.confidence_level),
        }


@constrained(n_learners=Whole(2), n_data_sets=Whole(1), alpha=SHARE_RANGE)
def critical_difference(n_learners: int, n_data_sets: int, alpha: float = 0.05) -> float:
    """Compute Nemenyi's critical difference of mean ranks.

    Parameters
    ----------
    n_learners, n_data_sets : int
        Size of the table.
    alpha : float, default=0.05
        Level of all pairs together.

    Returns
    -------
    float
        In ranks.

    Examples
    --------
    >>> from sklearn_bbc.comparison import critical_difference
    >>> print(f"{critical_difference(4, 14):.4f}")
    1.2536
    """
    q = studentized_range.ppf(1 - alpha, n_learners, np.inf) / np.sqrt(2)
    return float(q * rank_error(n_data_sets, n_learners))


def of_omnibus(ranks: np.ndarray, confidence_level: float) -> Fields:
    """Return details with Friedman's p-value, and a note where it is not significant."""
    p_value = friedman_test(ranks)["f_p_value"]
    notes = [NOT_SHOWN.format(p_value)] if p_value > 1 - confidence_level else []
    return {"friedman_p_value": p_value, "notes": notes}


def rank_error(n: int, k: int) -> float:
    """Compute the standard error of a difference of two mean ranks of learners that are alike."""
    return float(np.sqrt(k * (k + 1) / (6 * n)))


def standardised_differences(ranks: np.ndarray) -> np.ndarray:
    """Divide differences of mean ranks by their standard error, (n_learners, n_learners)."""
    means = ranks.mean(axis=0)
    return np.asarray(np.abs(means[:, None] - means) / rank_error(*ranks.shape))


class BonferroniDunn(DataSetsComparison):
    """Bonferroni-Dunn test: which learners differ from a control over the data sets.

    Parameters
    ----------
    control : str or int, default=0
        Name or position of the learner that the others are compared with.
    confidence_level : float in (0, 1), default=0.95
        One minus the level of all comparisons together.

    Notes
    -----
    The critical difference is ``z sqrt(k (k + 1) / (6 n))`` with the normal quantile z of level
    ``1 - alpha / (2 (k - 1))``; p-values are multiplied by k - 1. A widely copied table of
    the quantiles has 2.724 for k = 9 at 5%, which is a misprint of 2.734.

    `details` of the result: ``friedman_p_value`` (Iman and Davenport's), ``notes``.

    References
    ----------
    .. [1] O. J. Dunn, "Multiple comparisons among means", Journal of the American Statistical
       Association 56, 52-64 (1961). :doi:`10.1080/01621459.1961.10482090`
    .. [2] J. Demsar, "Statistical comparisons of classifiers over multiple data sets", Journal
       of Machine Learning Research 7, 1-30 (2006).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.comparison import BonferroniDunn
    >>> scores = np.random.default_rng(0).normal(size=(14, 4)) + [0, 0, 0, 2]
    >>> result = BonferroniDunn(control=3).compare(scores)
    >>> print(f"{result.critical_difference:.3f}")
    1.168
    """

    name = "bonferroni_dunn"
    label = "Bonferroni-Dunn test"
    meant_for = "a new learner against several others over data sets, for a diagram"
    limits = "less power than Holm; depends on which others are in the table"

    def __init__(self, *, control: Any = 0, confidence_level: float = 0.95) -> None:
        self.control = control
        self.confidence_level = confidence_level

    def _compare(self, scores: np.ndarray, ranks: np.ndarray, names: Names) -> Fields:
        control, (n, k) = check_control(self.control, names), ranks.shape
        p_values = np.minimum(1.0, (k - 1) * 2 * norm.sf(standardised_differences(ranks)))
        quantile = norm.ppf(1 - (1 - self.confidence_level) / (2 * (k - 1)))
        return {
            "pair_p_values": with_control_only(p_values, control),
            "control": control,
            "critical_difference": float(quantile * rank_error(n, k)),
            "details": of_omnibus(ranks, self.confidence_level),
        }


class Holm(DataSetsComparison):
    """Holm's procedure on mean ranks: all learners against a control, or all pairs.

    Parameters
    ----------
    control : str, int or None, default=None
        Name or position of the learner that the others are compared with; None compares all
        pairs.
    confidence_level : float in (0, 1), default=0.95
        One minus the level of all comparisons together.

    Notes
    -----
    Differences of mean ranks over ``sqrt(k (k + 1) / (6 n))`` are normal where learners are
    alike. The m p-values, sorted, are multiplied by m, ..., 1, and none is smaller than the one
    before.

    `details` of the result: ``friedman_p_value`` (Iman and Davenport's), ``notes``.

    References
    ----------
    .. [1] S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian
       Journal of Statistics 6, 65-70 (1979).
    .. [2] J. Demsar, "Statistical comparisons of classifiers over multiple data sets", Journal
       of Machine Learning Research 7, 1-30 (2006).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.comparison import Holm
    >>> scores = np.random.default_rng(0).normal(size=(14, 4)) + [0, 0, 0, 2]
    >>> Holm(control=3).compare(scores).pairs()["is_shown"].tolist()
    [True, True, True]
    """

    name = "holm"
    label = "Holm's procedure on mean ranks"
    meant_for = "a control against several learners, or all pairs, over data sets"
    limits = "depends on which others are in the table; no critical difference"

    def __init__(self, *, control: Any = None, confidence_level: float = 0.95) -> None:
        self.control = control
        self.confidence_level = confidence_level

    def _compare(self, scores: np.ndarray, ranks: np.ndarray, names: Names) -> Fields:
        control = None if self.control is None else check_control(self.control, names)
        p_values = 2 * norm.sf(standardised_differences(ranks))
        return {
            "pair_p_values": adjusted_pairs(p_values, control),
            "control": control,
            "details": of_omnibus(ranks, self.confidence_level),
        }


def adjusted_pairs(p_values: np.ndarray, control: int | None) -> np.ndarray:
    """Adjust p-values of pairs, (n_learners, n_learners), by Holm's procedure."""
    k = len(p_values)
    rows, columns = np.triu_indices(k, 1)
    if control is not None:
        wanted = (rows == control) | (columns == control)
        rows, columns = rows[wanted], columns[wanted]
    order = np.argsort(p_values[rows, columns], kind="stable")
    rows, columns = rows[order], columns[order]
    largest = np.maximum.accumulate(np.arange(len(rows), 0, -1) * p_values[rows, columns])
    adjusted = np.ones_like(p_values)
    adjusted[rows, columns] = adjusted[columns, rows] = np.minimum(1.0, largest)
    return adjusted if control is None else with_control_only(adjusted, control)


def with_control_only(p_values: np.ndarray, control: int) -> np.ndarray:
    """Put NaN for pairs without the control, 1 on the diagonal, (n_learners, n_learners)."""
    kept = np.full_like(p_values, np.nan)
    kept[control], kept[:, control] = p_values[control], p_values[:, control]
    np.fill_diagonal(kept, 1.0)
    return kept


class Wilcoxon(DataSetsComparison):
    """Wilcoxon's signed rank test: two learners over data sets, or pairs of several.

    Parameters
    ----------
    control : str, int or None, default=None
        Name or position of the learner that the others are compared with; None compares all
        pairs.
    confidence_level : float in (0, 1), default=0.95
        One minus the level of all comparisons together.

    Notes
    -----
    Differences count by their size, so data sets should have scores on a common scale.
    `scipy.stats.wilcoxon` computes the p-values with ``zero_method="zsplit"``; where there is no
    difference at all the p-value is 1. Sizes that are equal up to rounding have equal ranks.
    Those of several pairs are adjusted by Holm's procedure.

    `details` of the result: ``unadjusted_p_values``, ``notes``.

    References
    ----------
    .. [1] F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1,
       80-83 (1945). :doi:`10.2307/3001968`
    .. [2] J. Demsar, "Statistical comparisons of classifiers over multiple data sets", Journal
       of Machine Learning Research 7, 1-30 (2006).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.comparison import Wilcoxon
    >>> scores = np.random.default_rng(0).normal(size=(12, 2)) + [0, 2]
    >>> result = Wilcoxon().compare(scores, names=["A", "B"])
    >>> print(f"{result.pairs()['p_value'][0]:.4f}")
    0.0005
    """

    name = "wilcoxon"
    label = "Wilcoxon signed rank test"
    assumptions = (
        "The data sets are independent, and drawn from the population of interest.",
        "Differences of scores are about symmetric, and comparable between data sets.",
    )
    meant_for = "two learners over data sets; pairs of several"
    limits = "scores on different scales; fewer than about 6 data sets can show nothing at 5%"
    fewest_learners = 2

    def __init__(self, *, control: Any = None, confidence_level: float = 0.95) -> None:
        self.control = control
        self.confidence_level = confidence_level

    def _compare(self, scores: np.ndarray, ranks: np.ndarray, names: Names) -> Fields:
        control = None if self.control is None else check_control(self.control, names)
        p_values = np.ones((len(names), len(names)))
        for i, j in zip(*np.triu_indices(len(names), 1)):
            difference = scores[:, i] - scores[:, j]
            # 0.82 - 0.8 and 0.72 - 0.7 are equal differences, whose ranks tie.
            size = rounding_sizes(scores)[:, [i, j]].max(axis=1)
            difference = np.sign(difference) * made_equal(np.abs(difference), size)
            if difference.any():
                p_values[i, j] = p_values[j, i] = wilcoxon(difference, zero_method="zsplit").pvalue
        return {
            "pair_p_values": adjusted_pairs(p_values, control),
            "control": control,
            "details": {"unadjusted_p_values": p_values},
        }
