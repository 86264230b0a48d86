"""Paired t test over folds, as it is often done and should not be."""

from __future__ import annotations

import numpy as np

from ...results import ComparisonResult
from .._pairs import Pair
from ._base import FoldComparison, differences

NOT_RECOMMENDED = (
    "Not recommended: training sets of different folds overlap, so the test finds differences "
    "that are not there too often. Use CorrectedResampledT."
)


class KFoldPairedT(FoldComparison):
    """Paired t test of the differences per fold; not recommended.

    It takes the folds as independent samples. Their training sets overlap, so it rejects true
    hypotheses too often [1]_. It is here to repeat published analyses.

    Parameters
    ----------
    confidence_level : float in (0, 1), default=0.95
        {level} It holds it less often.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What speaks against no difference; ``"greater"`` is that the first side is better.

    See Also
    --------
    CorrectedResampledT : The test to use instead.

    Notes
    -----
    With J differences of mean m and standard deviation S the statistic is
    ``m / (S / sqrt(J))``, with J - 1 degrees of freedom.

    `details` of the result: ``scores``, ``configs``, ``unit``, ``n_folds``, ``n_repeats``,
    ``n_folds_lacking_class``, ``standard_error``, ``degrees``, ``degenerate``, ``notes``.

    References
    ----------
    .. [1] T. G. Dietterich, "Approximate statistical tests for comparing supervised
       classification learning algorithms", Neural Computation 10, 1895-1923 (1998).
       :doi:`10.1162/089976698300017197`

    Examples
    --------
    >>> from sklearn_bbc.comparison import KFoldPairedT, Side
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> best, worst = Side(oof=oof, config=3), Side(oof=oof, config=0)
    >>> result = KFoldPairedT().compare(best, worst, "roc_auc")
    >>> result.details["notes"][0][:16]
    'Not recommended:'
    """

    name = "k_fold_paired_t"
    label = "paired t test over folds (not recommended)"
    assumptions = (
        "The differences per fold are independent, which they are not: training sets overlap.",
        "The differences per fold are about normally distributed.",
        "Both sides were fixed before the folds were looked at.",
    )
    meant_for = "repeating published analyses only; CorrectedResampledT is the test to use"
    cost = "O(F)"
    limits = "finds differences that are not there too often: training sets overlap"

    def __init__(self, *, confidence_level: float = 0.95, alternative: str = "two-sided") -> None:
        self.confidence_level = confidence_level
        self.alternative = alternative

    def _compare(self, pair: Pair) -> ComparisonResult:
        values = differences(pair)  # (n_splits,)
        error = float(np.std(values, ddof=1) / np.sqrt(len(values)))
        pair.details["notes"].insert(0, NOT_RECOMMENDED)
        return self._from_standard_error(
            pair, float(values.mean()), error, degrees=len(values) - 1
        )
