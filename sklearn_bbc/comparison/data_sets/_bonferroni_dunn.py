"""Bonferroni-Dunn test of all learners against a control."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import norm

from ...results import RankingResult
from ._base import DataSetsComparison, RankTable, check_control
from ._friedman import friedman_test
from ._nemenyi import told_of_omnibus


class BonferroniDunn(DataSetsComparison):
    """Bonferroni-Dunn test: which learners differ from a control over the data sets.

    Parameters
    ----------
    control : str or int, default=0
        Name or position of the learner that the others are compared with.
    confidence_level : float in (0, 1), default=0.95
        One minus the level of all comparisons together.

    See Also
    --------
    Holm : The same comparisons with more power.

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

    def _compare(self, table: RankTable) -> RankingResult:
        control = check_control(self.control, table)
        k = table.n_learners
        p_values = np.minimum(1.0, (k - 1) * rank_p_values(table))
        quantile = norm.ppf(1 - (1 - self.confidence_level) / (2 * (k - 1)))
        return self._result(
            table,
            pair_p_values=with_control_only(p_values, control),
            control=control,
            critical_difference=float(quantile * rank_error(table)),
            details=told_of_omnibus(
                table, friedman_test(table)["f_p_value"], self.confidence_level
            ),
        )


def rank_error(table: RankTable) -> float:
    """Standard error of a difference of two mean ranks, where all learners are alike.

    Parameters
    ----------
    table : RankTable
        For its size.
    """
    n, k = table.n_data_sets, table.n_learners
    return float(np.sqrt(k * (k + 1) / (6 * n)))


def rank_p_values(table: RankTable) -> np.ndarray:
    """Two-sided p-values of the differences of mean ranks, not adjusted.

    Parameters
    ----------
    table : RankTable
        The ranks.

    Returns
    -------
    ndarray of shape (n_learners, n_learners)
        1 on the diagonal.
    """
    z = np.abs(table.mean_ranks[:, None] - table.mean_ranks) / rank_error(table)
    return 2 * norm.sf(z)


def with_control_only(p_values: np.ndarray, control: int) -> np.ndarray:
    """NaN for pairs without the control; 1 on the diagonal.

    Parameters
    ----------
    p_values : ndarray of shape (n_learners, n_learners)
        Of all pairs.
    control : int
        The control.
    """
    kept = np.full_like(p_values, np.nan)
    kept[control], kept[:, control] = p_values[control], p_values[:, control]
    np.fill_diagonal(kept, 1.0)
    return kept
