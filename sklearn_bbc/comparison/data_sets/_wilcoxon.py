"""Wilcoxon's signed rank test of pairs of learners."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import wilcoxon

from ...results import RankingResult
from ._base import DataSetsComparison, RankTable, check_control
from ._holm import adjusted_pairs


class Wilcoxon(DataSetsComparison):
    """Wilcoxon's signed rank test: two learners over data sets, or pairs of several.

    Parameters
    ----------
    control : str, int or None, default=None
        Name or position of the learner that the others are compared with; None compares all
        pairs.
    confidence_level : float in (0, 1), default=0.95
        One minus the level of all comparisons together.

    See Also
    --------
    BayesianSignedRank : How likely two learners are equivalent in practice.

    Notes
    -----
    Differences of scores count by their size, so data sets should have scores on a common
    scale. `scipy.stats.wilcoxon` computes the p-values: exact for up to 50 data sets without
    ties, else normal. Data sets without a difference count half for either side
    (``zero_method="zsplit"``); where there is no difference at all the p-value is 1. Those of
    several pairs are adjusted by Holm's procedure.

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
        "The data sets are independent, and drawn from those that one wants to speak about.",
        "Differences of scores are about symmetric, and comparable between data sets.",
    )
    meant_for = "two learners over data sets; pairs of several"
    limits = "scores on different scales; fewer than about 6 data sets can show nothing at 5%"
    fewest_learners = 2

    def __init__(self, *, control: Any = None, confidence_level: float = 0.95) -> None:
        self.control = control
        self.confidence_level = confidence_level

    def _compare(self, table: RankTable) -> RankingResult:
        control = None if self.control is None else check_control(self.control, table)
        k = table.n_learners
        p_values = np.ones((k, k))
        for i in range(k):
            for j in range(i + 1, k):
                difference = table.scores[:, i] - table.scores[:, j]
                p_values[i, j] = p_values[j, i] = signed_rank_p(difference)
        return self._result(
            table,
            pair_p_values=adjusted_pairs(p_values, control),
            control=control,
            details={**table.details, "unadjusted_p_values": p_values},
        )


def signed_rank_p(differences: np.ndarray) -> float:
    """Two-sided p-value of the signed rank test; 1 where nothing differs.

    Parameters
    ----------
    differences : ndarray of shape (n_data_sets,)
        Of the scores.
    """
    if not differences.any():
        return 1.0
    return float(wilcoxon(differences, zero_method="zsplit").pvalue)
