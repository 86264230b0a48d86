"""Nemenyi's test of all pairs of learners."""

from __future__ import annotations

import numpy as np
from scipy.stats import studentized_range

from ...results import RankingResult
from ._base import DataSetsComparison, RankTable
from ._friedman import friedman_test

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

    See Also
    --------
    Friedman : Whether any differ; to be looked at first.
    Holm : More power.

    Notes
    -----
    The critical difference is ``q sqrt(k (k + 1) / (6 n))`` with the quantile q of the
    studentised range of k groups and infinite degrees of freedom, divided by the root of two;
    p-values are from the same distribution. Ranks of two learners depend on which others are in
    the table. `RankingResult.groups` gives the bars of a critical difference diagram.

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

    def _compare(self, table: RankTable) -> RankingResult:
        n, k = table.n_data_sets, table.n_learners
        omnibus = friedman_test(table)["f_p_value"]
        distance = np.abs(table.mean_ranks[:, None] - table.mean_ranks)
        p_values = studentized_range.sf(distance / np.sqrt(k * (k + 1) / (12 * n)), k, np.inf)
        np.fill_diagonal(p_values, 1.0)
        return self._result(
            table,
            pair_p_values=p_values,
            critical_difference=critical_difference(k, n, 1 - self.confidence_level),
            details=told_of_omnibus(table, omnibus, self.confidence_level),
        )


def critical_difference(n_learners: int, n_data_sets: int, alpha: float = 0.05) -> float:
    """Nemenyi's critical difference of mean ranks.

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
    return float(q * np.sqrt(n_learners * (n_learners + 1) / (6 * n_data_sets)))


def told_of_omnibus(
    table: RankTable, p_value: float, confidence_level: float
) -> dict[str, object]:
    """Details with Friedman's p-value, and a note where it shows nothing.

    Parameters
    ----------
    table : RankTable
        With its details.
    p_value : float
        Of Friedman's test.
    confidence_level : float
        One minus its level.
    """
    notes = list(table.details["notes"])
    if p_value > 1 - confidence_level:
        notes.append(NOT_SHOWN.format(p_value))
    return {**table.details, "friedman_p_value": p_value, "notes": notes}
