"""Corrected resampled t test."""

from __future__ import annotations

import numpy as np

from ...intervals.single._corrected_t import size_ratio
from ...results import ComparisonResult
from .._pairs import Pair
from ._base import FoldComparison, differences


class CorrectedResampledT(FoldComparison):
    """Corrected resampled t test of the differences per fold.

    The paired t test over folds takes their differences as independent, although their
    training sets overlap. The correction adds the share of test to training samples to the
    variance.

    Parameters
    ----------
    test_over_train : float, default=None
        Ratio of test to training samples of a split. None takes the mean over the splits: the
        recorded sizes, or ``1 / (n_folds - 1)`` of K-fold when there are none. 0 gives the
        paired t test over folds.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What speaks against no difference; ``"greater"`` is that the first side is better.

    See Also
    --------
    BayesianCorrelatedT : The same spread, with posterior probabilities.
    KFoldPairedT : Without the correction; not recommended.

    Notes
    -----
    With J differences of standard deviation S the standard error is
    ``S * sqrt(1 / J + n_test / n_train)``, and the distribution Student's with J - 1 degrees of
    freedom; J counts the folds of all repeats. The ratio is a heuristic that takes the overlap of
    training sets as a correlation: the test tends to be liberal on few repeats. Any metric.

    `details` of the result: ``scores``, ``configs``, ``unit``, ``n_folds``, ``n_repeats``,
    ``n_folds_lacking_class``, ``test_over_train``, ``standard_error``, ``degrees``,
    ``degenerate``, ``notes``.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine
       Learning 52, 239-281 (2003). :doi:`10.1023/A:1024068626366`

    Examples
    --------
    >>> from sklearn_bbc.comparison import CorrectedResampledT, Side
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> best, worst = Side(oof=oof, config=3), Side(oof=oof, config=0)
    >>> result = CorrectedResampledT().compare(best, worst, "roc_auc")
    >>> print(f"{result.difference:.3f}, p = {result.p_value:.3f}")
    0.120, p = 0.318
    """

    name = "corrected_resampled_t"
    label = "corrected resampled t test"
    assumptions = (
        "The differences per fold are about normally distributed.",
        "The overlap of the training sets correlates the folds by the share of test samples.",
        "Both sides were fixed before the folds were looked at.",
    )
    meant_for = "two configurations or learners of which the scores per fold are known, any metric"
    cost = "O(F)"
    limits = "few folds: little power; a heuristic that tends to be too liberal; no selection"

    def __init__(
        self,
        *,
        test_over_train: float | None = None,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
    ) -> None:
        self.test_over_train = test_over_train
        self.confidence_level = confidence_level
        self.alternative = alternative

    def _validate(self) -> None:
        super()._validate()
        check_ratio(self.test_over_train)

    def _compare(self, pair: Pair) -> ComparisonResult:
        values = differences(pair)  # (n_splits,)
        ratio = self.test_over_train
        if ratio is None:
            ratio = size_ratio(pair.oof, type(self).__name__)
        error = float(np.std(values, ddof=1) * np.sqrt(1 / len(values) + ratio))
        return self._from_standard_error(
            pair, float(values.mean()), error, degrees=len(values) - 1,
            details={"test_over_train": ratio},
        )  # fmt: skip


def check_ratio(ratio: object) -> None:
    """Raise unless it is a ratio of test to training samples, or None.

    Parameters
    ----------
    ratio : object
        What was given as `test_over_train`.
    """
    number = isinstance(ratio, (int, float)) and not isinstance(ratio, bool)
    if ratio is not None and not (number and ratio >= 0):  # type: ignore[operator]
        raise ValueError(
            f"test_over_train must be a number >= 0 or None, got {ratio!r}. For 10-fold "
            "cross-validation it is 1 / 9."
        )
