"""Holm's step-down procedure on differences of mean ranks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...results import RankingResult
from ._base import DataSetsComparison, RankTable, check_control
from ._bonferroni_dunn import rank_p_values, with_control_only
from ._friedman import friedman_test
from ._nemenyi import told_of_omnibus


class Holm(DataSetsComparison):
    """Holm's procedure on mean ranks: all learners against a control, or all pairs.

    Parameters
    ----------
    control : str, int or None, default=None
        Name or position of the learner that the others are compared with; None compares all
        pairs.
    confidence_level : float in (0, 1), default=0.95
        One minus the level of all comparisons together.

    See Also
    --------
    Nemenyi : All pairs with one critical difference.

    Notes
    -----
    Differences of mean ranks are divided by ``sqrt(k (k + 1) / (6 n))``, normal where the
    learners are alike. The m p-values, sorted, are multiplied by m, m - 1, ..., 1, and
    none is smaller than the one before.

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

    def _compare(self, table: RankTable) -> RankingResult:
        control = None if self.control is None else check_control(self.control, table)
        return self._result(
            table,
            pair_p_values=adjusted_pairs(rank_p_values(table), control),
            control=control,
            details=told_of_omnibus(
                table, friedman_test(table)["f_p_value"], self.confidence_level
            ),
        )


def adjusted_pairs(p_values: np.ndarray, control: int | None) -> np.ndarray:
    """p-values of pairs, adjusted by Holm's procedure.

    Parameters
    ----------
    p_values : ndarray of shape (n_learners, n_learners)
        Symmetric, not adjusted.
    control : int or None
        Only pairs with this learner are compared; None compares all.
    """
    k = len(p_values)
    rows, columns = np.triu_indices(k, 1)
    if control is not None:
        wanted = (rows == control) | (columns == control)
        rows, columns = rows[wanted], columns[wanted]
    adjusted = np.ones_like(p_values)
    adjusted[rows, columns] = adjusted[columns, rows] = holm(p_values[rows, columns])
    return adjusted if control is None else with_control_only(adjusted, control)


def holm(p_values: np.ndarray) -> np.ndarray:
    """Holm's adjusted p-values.

    Parameters
    ----------
    p_values : ndarray of shape (n_tests,)
        Of single tests.

    Returns
    -------
    ndarray of shape (n_tests,)
        Adjusted, at most 1.
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * p_values[order]))
    return adjusted
