"""Analytic intervals for precision, recall and F1."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import f1_score, precision_score, recall_score

from ...exceptions import UndefinedIntervalError
from ...metrics import BoundKernel
from ...predictions import OOFPredictions
from ...results import ConfidenceInterval
from .._caveats import tell_degenerate
from ._base import OneConfigInterval
from ._proportions import position_of

SCORES = {precision_score: "precision", recall_score: "recall", f1_score: "f1"}
AVERAGES = ("binary", "micro", "macro", "weighted")


class Takahashi(OneConfigInterval):
    """Analytic interval for precision, recall or F1: binary, micro, macro or weighted.

    The cells of the confusion matrix are multinomial, and the score is a smooth function
    of them, so its standard error follows from the delta method.

    Parameters
    ----------
    config : int, default=None
        Configuration of interest. None takes the winner; the interval does not account
        for its selection, and `details` says so.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, ``"less"`` only the upper one.

    Raises
    ------
    ValueError
        If the metric is not one of these scores, or has an argument (``labels``,
        ``zero_division``...) that the formulas do not know.
    UndefinedIntervalError
        If a class that the score needs is neither true nor predicted anywhere.

    See Also
    --------
    PooledBootstrap : For any metric.

    Notes
    -----
    With shares p_ij of true class i predicted as j, the variance of a score g is
    ``(sum p_ij g_ij**2 - (sum p_ij g_ij)**2) / n`` with ``g_ij = dg / dp_ij``. For micro
    and macro F1 these are the formulas of [1]_. Class shares count as random, as in a
    sample of the population. Near 0 and 1 and for rare classes the normal approximation
    is poor. Bounds are cut at 0 and 1, the uncut ones are in ``details["unclipped"]``.

    `details` of the result: ``standard_error``, ``average``, ``n``, ``degenerate``,
    ``config``, ``winner``, ``winner_by``, ``selection_accounted_for``, ``unit``,
    ``n_untested``, ``n_configs``, ``n_valid``, ``kernel``, ``response``, ``notes``.

    References
    ----------
    .. [1] K. Takahashi, K. Yamamoto, A. Kuchiba, T. Koyama, "Confidence interval for
       micro-averaged F1 and macro-averaged F1 scores", Applied Intelligence 52, 4961-4972
       (2022). :doi:`10.1007/s10489-021-02635-5`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import Takahashi
    >>> y = np.repeat([0, 0, 1, 1], [40, 10, 5, 45])
    >>> y_pred = np.repeat([0, 1, 0, 1], [40, 10, 5, 45])
    >>> result = Takahashi().estimate(OOFPredictions(y_true=y, y_pred=y_pred), "f1")
    >>> print(f"{result.estimate:.4f} from {result.low:.4f} to {result.high:.4f}")
    0.8571 from 0.7856 to 0.9287
    """

    name = "takahashi"
    meant_for = "F1 scores and other ratios of counts of one model on samples that it has not seen"
    cost = "O(N)"
    limits = "scores near 0 or 1; rare classes; a class that is never predicted"
    requires = frozenset({"predictions", "ungrouped", "unweighted"})

    def __init__(
        self,
        *,
        config: int | None = None,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
    ) -> None:
        self.config = config
        self.confidence_level = confidence_level
        self.alternative = alternative

    def _estimate(self, oof: OOFPredictions, kernel: BoundKernel) -> ConfidenceInterval:
        score, average, pos_label = score_and_average(kernel)
        target = self._target(oof, kernel)
        variances, estimates = [], []
        for part in kernel.held_out(np.array([target.config])):
            y_codes, pred_codes, classes = part.rows.labels()
            n_classes = len(classes)
            cells = np.bincount(y_codes * n_classes + pred_codes[0], minlength=n_classes**2)
            shares = cells.reshape(n_classes, n_classes) / cells.sum()
            positive = position_of(classes, pos_label) if average == "binary" else None
            if average == "binary" and positive is None:
                raise UndefinedIntervalError(
                    f"The {score} of class {pos_label} is undefined: it is never true or "
                    f"predicted, there is only class {', '.join(map(str, classes))}."
                )
            value, gradient = value_and_gradient(shares, score, average, positive)
            estimates.append(value)
            variances.append((shares * gradient**2).sum() - (shares * gradient).sum() ** 2)
        n = oof.n_samples - oof.n_untested
        # Repeats are predictions of the same samples: their variances do not add up.
        standard_error = float(np.sqrt(max(float(np.mean(variances)), 0.0) / n))
        target.details.update(average=average, n=n)
        seen = f"around {np.mean(estimates):g}"
        tell_degenerate(target.details, "Takahashi", not standard_error > 1e-12, seen)
        return self._normal(target, float(np.mean(estimates)), standard_error)


def score_and_average(kernel: BoundKernel) -> tuple[str, str, Any]:
    """Which score, which average and which positive label a metric stands for."""
    metric = kernel.metric
    kwargs = dict(metric.kwargs)
    pos_label = kwargs.pop("pos_label", 1)
    average = kwargs.pop("average", "binary")
    if metric.score_func not in SCORES or kwargs or average not in AVERAGES:
        extra = f" with {sorted(kwargs)}" if kwargs else ""
        raise ValueError(
            f"Takahashi is for precision, recall and F1 with average in {list(AVERAGES)}, got "
            f"{metric.name}{extra}. Use PooledBootstrap, which takes any metric."
        )
    return SCORES[metric.score_func], average, pos_label


def value_and_gradient(
    shares: np.ndarray, score: str, average: str, positive: int | None
) -> tuple[float, np.ndarray]:
    """Score of a confusion matrix and its derivatives.

    Parameters
    ----------
    shares : ndarray of shape (n_classes, n_classes)
        Share of samples of true class i that are predicted as j; adds up to 1.
    score : {"precision", "recall", "f1"}
        The score.
    average : {"binary", "micro", "macro", "weighted"}
        How classes are put together.
    positive : int or None
        Class of the binary score.

    Returns
    -------
    value : float
        The score.
    gradient : ndarray of shape (n_classes, n_classes)
        Derivative by each share.
    """
    n_classes = len(shares)
    if average == "micro":
        # Over all classes precision, recall and F1 are the share of right predictions.
        return float(np.trace(shares)), np.eye(n_classes)
    chosen = np.arange(n_classes) if positive is None else np.array([positive])
    true, predicted = shares.sum(axis=1), shares.sum(axis=0)
    value, gradient = 0.0, np.zeros_like(shares)
    weights = true if average == "weighted" else np.full(n_classes, 1 / len(chosen))
    for k in chosen:
        right = shares[k, k]
        # Each score is 2 p_kk / (a + b) with a, b among the true and the predicted share.
        by_row = {"precision": 0, "recall": 2, "f1": 1}[score]
        by_column = 2 - by_row
        whole = by_row * true[k] + by_column * predicted[k]
        if whole == 0:
            what = {"precision": "predicted", "recall": "true", "f1": "true or predicted"}[score]
            raise UndefinedIntervalError(
                f"The {score} of class number {k} is undefined: it is never {what}, so there is "
                "no variance to compute."
            )
        of_class = 2 * right / whole
        derivative = np.zeros_like(shares)
        derivative[k, :] -= by_row * 2 * right / whole**2
        derivative[:, k] -= by_column * 2 * right / whole**2
        derivative[k, k] += 2 / whole
        value += weights[k] * of_class
        gradient += weights[k] * derivative
        if average == "weighted":  # the weight is a share too
            gradient[k, :] += of_class
    return float(value), gradient
