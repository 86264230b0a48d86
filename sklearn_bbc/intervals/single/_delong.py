"""DeLong's interval for the area under the ROC curve."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from ...exceptions import UndefinedIntervalError
from ...metrics import BoundKernel
from ...predictions import OOFPredictions
from ...resampling._units import Units
from ...results import ConfidenceInterval
from .._caveats import tell_degenerate, unit_word
from ..test_set._roles import PAIR
from ..tilting._learn_evaluate import LearnEvaluate
from ._base import OF_TWO, OneConfigInterval
from ._placements import AUCParts, auc_parts


class DeLong(OneConfigInterval):
    """DeLong's interval for the area under the ROC curve of one configuration.

    Parameters
    ----------
    config : int, default=None
        Configuration of interest. None takes the winner; the interval does not account
        for its selection, and `details` says so.
    selection : LearnEvaluate, default=None
        Select on one part of the samples and compute the interval on the other, at
        Šidák's level for the number of candidates. The method is then called ``"DL"``
        (one candidate) or ``"DL10p"`` (the top tenth).
    logit : bool, default=False
        Compute the bounds for the log odds of the area: they stay between 0 and 1 and
        are asymmetric, which is closer to the truth for areas near 1.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, ``"less"`` only the upper one.

    See Also
    --------
    HanleyMcNeil : From the area and the class sizes alone.
    BBC : Accounts for the selection of the winner, for any metric.

    Notes
    -----
    The variance comes from the placements of the positive samples among the negative ones
    and the reverse [1]_. It takes the scores as fixed before these samples were seen, and
    the samples as independent. With groups the units are groups [2]_; with repeated
    cross-validation the area is the mean over the repeats, and its variance that of the
    mean. Ties count one half; the direction is fixed: larger scores speak for the second
    class. Bounds are cut at 0 and 1, the uncut ones are in ``details["unclipped"]``.

    A perfect ranking has variance 0 and bounds at 1, which is certainly wrong: it is
    marked by ``details["degenerate"]`` and a warning; with `logit` the bounds are NaN. So is
    a `difference` without variance; its p-value is 1 where the areas are equal, else 0.

    `details` of the result: ``standard_error``, ``degenerate``, ``config``, ``winner``,
    ``winner_by``, ``selection_accounted_for``, ``unit``, ``n_positive``, ``n_negative``
    (units), ``n_untested``, ``n_configs``, ``n_valid``, ``kernel``, ``response``,
    ``notes``; with `selection` also ``candidates``, ``n_learn``, ``n_evaluate``,
    ``adjusted_level``, ``learn_score``, ``selection_seed``. Time O(n_samples log
    n_samples).

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, "Comparing the areas under
       two or more correlated receiver operating characteristic curves: a nonparametric
       approach", Biometrics 44, 837-845 (1988). :doi:`10.2307/2531595`
    .. [2] N. A. Obuchowski, "Nonparametric analysis of clustered ROC curve data",
       Biometrics 53, 567-578 (1997). :doi:`10.2307/2533958`
    .. [3] P. Rink, W. Brannath, "Post-selection confidence bounds for prediction
       performance", Machine Learning 114, 82 (2025). :doi:`10.1007/s10994-024-06632-w`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import DeLong
    >>> y = np.array([0, 0, 0, 1, 1, 1])
    >>> scores = np.array([0.1, 0.4, 0.35, 0.8, 0.4, 0.9])
    >>> oof = OOFPredictions(y_true=y, y_pred=scores)
    >>> result = DeLong(confidence_level=0.9).estimate(oof, "roc_auc")
    >>> print(f"{result.estimate:.4f} from {result.low:.4f} to {result.high:.4f}")
    0.9444 from 0.8152 to 1.0000
    """

    name = "delong"
    meant_for = "the area under the ROC curve of one model on samples that it has not seen"
    cost = "O(N log N)"
    limits = (
        "the winner of several; perfect rankings (width 0, marked); predictions of different "
        "folds on different scales"
    )
    abbreviation = "DL"
    pairs = True
    not_for_pairs = ("logit", "config", "selection")
    requires = frozenset({"predictions", "binary", "auc"})

    def __init__(
        self,
        *,
        config: int | None = None,
        selection: LearnEvaluate | None = None,
        logit: bool = False,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
    ) -> None:
        self.config = config
        self.selection = selection
        self.logit = logit
        self.confidence_level = confidence_level
        self.alternative = alternative

    def _estimate(self, oof: OOFPredictions, kernel: BoundKernel) -> ConfidenceInterval:
        target = self._target(oof, kernel)
        check_repeats(target.oof, "DeLong")
        parts = parts_of(target.oof, target.kernel, np.array([target.config]))
        check_both_classes(parts, target.kernel, target.details["unit"], "DeLong")
        variance = float(parts.covariance()[0, 0])
        target.details.update(n_positive=parts.n_positive, n_negative=parts.n_negative)
        seen = f"around an area of {target.estimate:g}"
        tell_degenerate(target.details, "DeLong", variance <= 0, seen)
        return self._normal(
            target,
            target.estimate,
            float(np.sqrt(max(variance, 0.0))),
            on_logit_scale=self.logit,
        )

    def _difference(self, oof: OOFPredictions, kernel: BoundKernel) -> ConfidenceInterval:
        unit = unit_word(oof.groups)
        parts, standard_error = paired_areas(oof, kernel, "DeLong")
        difference = float(parts.auc[0] - parts.auc[1])
        statistic = difference / standard_error if standard_error > 0 else 0.0
        if not standard_error > 0 and difference != 0:
            statistic = float(np.copysign(np.inf, difference))
        half = float(norm.ppf(1 - self._tail())) * standard_error
        bounds = PAIR.bounds(kernel.metric)
        low, high = self._sided(difference - half, difference + half, bounds)
        details = {
            "scores": parts.auc.tolist(),
            "standard_error": standard_error,
            "statistic": statistic,
            "p_value": float(2 * norm.sf(abs(statistic))),
            "unit": unit,
            "notes": [],
        }
        seen = f"around a difference of {difference:g}"
        tell_degenerate(details, "DeLong", not standard_error > 0, seen)
        return self._result(
            kernel.metric,
            difference,
            low,
            high,
            bounds=bounds,
            estimand=OF_TWO,
            details=details,
        )


def paired_areas(oof: OOFPredictions, kernel: BoundKernel, method: str) -> tuple[AUCParts, float]:
    """Areas of two configurations, and DeLong's standard error of their difference.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions of two configurations.
    kernel : BoundKernel
        ``roc_auc`` bound to them.
    method : str
        Name for messages.
    """
    check_repeats(oof, method)
    parts = parts_of(oof, kernel, np.array([0, 1]))
    check_both_classes(parts, kernel, unit_word(oof.groups), method)
    covariance = parts.covariance()
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    return parts, float(np.sqrt(max(variance, 0.0)))


def check_both_classes(parts: AUCParts, kernel: BoundKernel, unit: str, method: str) -> None:
    """Raise when a class is too small to show how its placements vary."""
    sizes = (parts.n_negative, parts.n_positive)
    if min(sizes) < 2:
        found = ", ".join(
            f"{name} has {size}" for name, size in zip(kernel.strata_names, sizes, strict=True)
        )
        raise UndefinedIntervalError(
            f"{method} needs at least 2 {unit}s with each class, but {found}."
        )


def check_repeats(oof: OOFPredictions, method: str) -> None:
    """Raise when some repeat holds samples of one class only: it has no area."""
    for repeat in range(oof.n_repeats):
        found = np.unique(oof.y_true[oof.sample[oof.repeat == repeat]])
        if len(found) < 2:
            raise UndefinedIntervalError(
                f"{method} needs both classes in every repeat, but repeat {repeat} has only "
                f"samples of class {', '.join(map(str, found))}. Leave that repeat out."
            )


def parts_of(oof: OOFPredictions, kernel: BoundKernel, configs: np.ndarray) -> AUCParts:
    """Areas of some configurations, taken apart by resampled unit, mean over repeats.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions of a binary target.
    kernel : BoundKernel
        ``roc_auc`` bound to them.
    configs : ndarray of shape (n_chosen,) of int
        Configurations.
    """
    units = Units.of(oof)
    return AUCParts.mean(
        [
            auc_parts(
                part.rows.pred,
                part.rows.y_codes() == 1,
                unit=units.of_sample[part.sample],
                n_units=units.n_units,
                weight=part.weight,
            )
            for part in kernel.held_out(configs)
        ]
    )
