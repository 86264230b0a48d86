"""Scores of labels that have no scorer in scikit-learn, as functions of the four cells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._wording import metric_words
from ._demand import Demand

REPORTS = ("sensitivity", "specificity")


class MeanCost:
    """Mean cost of a decision, with a minus.

    Parameters
    ----------
    costs : array-like of shape (2, 2)
        Cost of each cell as in `sklearn.metrics.confusion_matrix`: true class by predicted
        class, ``[[true negative, false positive], [false negative, true positive]]``, where
        the second of the sorted classes is the positive one.

    Raises
    ------
    ValueError
        If `costs` are not four finite numbers, or an error is cheaper than being right.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.selection import MeanCost
    >>> cost = MeanCost([[0, 1], [10, 0]])
    >>> cost(np.array([50]), np.array([10]), np.array([2]), np.array([38]))
    array([-0.3])
    """

    __name__ = "neg_mean_cost"

    def __init__(self, costs: Any) -> None:
        try:
            array = np.asarray(costs, dtype=float)
        except (TypeError, ValueError):
            array = np.empty(0)
        if array.shape != (2, 2) or not np.isfinite(array).all():
            raise ValueError(
                "A cost matrix must be four finite numbers, [[true negative, false positive], "
                f"[false negative, true positive]], got {costs!r}."
            )
        (tn, fp), (fn, tp) = array.tolist()
        for wrong, right, cell in ((fp, tn, "negative"), (fn, tp, "positive")):
            if wrong < right:
                other = "positive" if cell == "negative" else "negative"
                raise ValueError(
                    f"In the cost matrix {array.tolist()} a false {other} ({wrong:g}) is cheaper "
                    f"than a true {cell} ({right:g}). A cost matrix is [[true negative, false "
                    "positive], [false negative, true positive]], and an error costs at least as "
                    "much as being right; gains are costs below 0."
                )
        self.costs = array

    def __call__(self, tn: Any, fp: Any, fn: Any, tp: Any) -> np.ndarray:
        """Score confusion matrices.

        Parameters
        ----------
        tn, fp, fn, tp : ndarray of shape (n,)
            Weights of the cells.

        Returns
        -------
        ndarray of shape (n,)
            At most 0 where no cost is negative.
        """
        (of_tn, of_fp), (of_fn, of_tp) = self.costs
        total = of_tn * tn + of_fp * fp + of_fn * fn + of_tp * tp
        return -total / (tn + fp + fn + tp)

    def __repr__(self) -> str:
        return f"MeanCost({self.costs.tolist()})"


class SensitivityAt:
    """Best sensitivity among the thresholds that keep a specificity.

    Parameters
    ----------
    specificity : float in (0, 1]
        At least this share of the negatives must be called negative where the threshold is
        chosen; with repeated cross-validation, on average over the repeats. Where no threshold
        reaches it, the one with the best specificity is chosen, and a warning says so.
    report : {"sensitivity", "specificity"}, default="sensitivity"
        What is reported of the chosen threshold. On other samples the specificity is usually a
        little below the demanded one; ``"specificity"`` says how much. The threshold is the same.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.selection import SensitivityAt
    >>> score = SensitivityAt(specificity=0.9)
    >>> score(np.array([9, 8]), np.array([1, 2]), np.array([3, 0]), np.array([7, 10]))
    array([ 0.7, -0.2])
    """

    def __init__(self, specificity: float, *, report: str = "sensitivity") -> None:
        number = isinstance(specificity, (int, float, np.number))
        if not number or isinstance(specificity, bool) or not 0 < specificity <= 1:
            raise ValueError(
                f"specificity must be above 0 and at most 1, such as 0.9, got {specificity!r}."
            )
        if report not in REPORTS:
            raise ValueError(f"report must be one of {list(REPORTS)}, got {report!r}.")
        self.specificity = float(specificity)
        self.report = report
        self.__name__ = f"{report}_at_specificity_{self.specificity:g}"

    @property
    def reported(self) -> Callable[..., np.ndarray]:
        """What is reported, a function of the four cells."""
        return _sensitivity if self.report == "sensitivity" else _specificity

    @property
    def demand(self) -> Demand:
        """The specificity that must be reached where the threshold is chosen."""
        level = f"{self.specificity:g}"
        ask = f"SensitivityAt({level}, report='specificity')"
        return Demand(
            name="specificity",
            level=self.specificity,
            rate=_specificity,
            gain=_sensitivity,
            by=metric_words(f"sensitivity_at_specificity_{level}").name,
            ask="" if self.report == "specificity" else ask,
        )

    def __call__(self, tn: Any, fp: Any, fn: Any, tp: Any) -> np.ndarray:
        """Score confusion matrices for the choice.

        Parameters
        ----------
        tn, fp, fn, tp : ndarray of shape (n,)
            Weights of the cells.

        Returns
        -------
        ndarray of shape (n,)
            Sensitivity where the specificity is reached, else specificity minus 1: below every
            sensitivity.
        """
        return self.demand.score([(tn, fp, fn, tp)])

    def __repr__(self) -> str:
        return f"SensitivityAt({self.specificity:g}, report={self.report!r})"


def _sensitivity(tn: Any, fp: Any, fn: Any, tp: Any) -> np.ndarray:
    return np.asarray(tp / (tp + fn))


def _specificity(tn: Any, fp: Any, fn: Any, tp: Any) -> np.ndarray:
    return np.asarray(tn / (tn + fp))
