"""Friedman's test with the correction of Iman and Davenport."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import chi2, f

from ...results import RankingResult
from ._base import DataSetsComparison, RankTable

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

    See Also
    --------
    Nemenyi : Which pairs differ.
    BonferroniDunn : Which differ from a control.

    Notes
    -----
    Ranks are given within each data set, 1 is the best, ties share their mean; with ranks R_ij,
    n data sets and k learners the statistic is
    ``n sum_j (R_j - (k + 1) / 2)**2`` over ``sum_ij (R_ij - (k + 1) / 2)**2 / (n (k - 1))``,
    which corrects for ties, chi-squared with k - 1 degrees of freedom; then
    ``F = (n - 1) chi2 / (n (k - 1) - chi2)`` with (k - 1) and (k - 1)(n - 1). Where all data
    sets rank alike F is infinite; the p-value is then the probability of that, ``k!**(1 - n)``.
    Where all learners tie on every data set the p-value is 1.

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

    def _validate(self) -> None:
        super()._validate()
        if not isinstance(self.corrected, (bool, np.bool_)):
            raise ValueError(f"corrected must be True or False, got {self.corrected!r}.")

    def _compare(self, table: RankTable) -> RankingResult:
        values = friedman_test(table)
        if values["chi2"] == 0 and not np.ptp(table.ranks) > 0:
            table.details["notes"].append(ALL_TIED)
        kind = "f" if self.corrected else "chi2"
        label = f"{self.label}, Iman and Davenport's F" if self.corrected else self.label
        return self._result(
            table,
            statistic=values[kind],
            p_value=values[f"{kind}_p_value"],
            label=label,
            details={**table.details, **values, "ranks": table.ranks},
        )


def friedman_test(table: RankTable) -> dict[str, float]:
    """Both statistics with their p-values.

    Parameters
    ----------
    table : RankTable
        The ranks.
    """
    n, k = table.ranks.shape
    middle = (k + 1) / 2
    between = float(n * np.square(table.mean_ranks - middle).sum())
    within = float(np.square(table.ranks - middle).sum() / (n * (k - 1)))
    if within == 0:
        return {"chi2": 0.0, "chi2_p_value": 1.0, "f": 0.0, "f_p_value": 1.0}
    statistic = between / within
    rest = n * (k - 1) - statistic
    if rest <= 1e-9 * n * k:
        of_agreement = float(math.exp((1 - n) * math.lgamma(k + 1)))
        ratio, p_value = np.inf, of_agreement
    else:
        ratio = (n - 1) * statistic / rest
        p_value = float(f.sf(ratio, k - 1, (k - 1) * (n - 1)))
    return {
        "chi2": statistic,
        "chi2_p_value": float(chi2.sf(statistic, k - 1)),
        "f": ratio,
        "f_p_value": p_value,
    }
