"""Influence-curve interval for the cross-validated area under the ROC curve."""

from __future__ import annotations

import numpy as np

from ...exceptions import UndefinedIntervalError
from ...metrics import BoundKernel
from ...predictions import OOFPredictions
from ...results import ConfidenceInterval
from .._caveats import tell_degenerate
from ._base import OneConfigInterval

OF_FOLD_MODELS = (
    "mean score on new samples of the models of the folds, of one configuration fixed in advance"
)


class CVAUC(OneConfigInterval):
    """Influence-curve interval for the cross-validated area under the ROC curve.

    The estimate is the mean of the areas of the folds, so scores of different models are
    never compared with each other.

    Parameters
    ----------
    half_credit : bool, default=True
        Count tied scores one half in the influence curve, as in the area itself. False
        counts them not at all, as the published code does; the two agree without ties.
    config : int, default=None
        Configuration of interest. None takes the winner; the interval does not account
        for its selection, and `details` says so.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, ``"less"`` only the upper one.

    Raises
    ------
    UndefinedIntervalError
        If a fold lacks a class; the message names the fold.

    See Also
    --------
    DeLong : For predictions of all folds on one scale.

    Notes
    -----
    In fold v with area a_v the influence of a positive sample is
    ``(n / n_pos) * (share of the fold's negatives with a smaller score - a_v)``, that of
    a negative sample ``(n / n_neg) * (share of the fold's positives with a larger score -
    a_v)``. The variance is the mean over the folds of their mean squared influence,
    divided by n. With groups, which no two folds may share, influences are added up
    within a group first. Bounds are cut at 0 and 1, the uncut ones are in
    ``details["unclipped"]``. Of repeated cross-validation, areas and influences are
    averaged over the repeats. Time O(n log n).

    `details` of the result: ``standard_error``, ``fold_scores``, ``degenerate``,
    ``config``, ``winner``, ``winner_by``, ``selection_accounted_for``, ``unit``,
    ``n_untested``, ``n_configs``, ``n_valid``, ``kernel``, ``response``, ``notes``.

    References
    ----------
    .. [1] E. LeDell, M. Petersen, M. van der Laan, "Computationally efficient confidence
       intervals for cross-validated area under the ROC curve estimates", Electronic
       Journal of Statistics 9, 1583-1607 (2015). :doi:`10.1214/15-EJS1035`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import CVAUC
    >>> y = np.array([0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0])
    >>> scores = np.array([0.2, 0.7, 0.4, 0.3, 0.9, 0.1, 0.5, 0.6, 0.8, 0.35, 0.45, 0.55])
    >>> oof = OOFPredictions(y_true=y, y_pred=scores, fold=np.repeat([0, 1], 6))
    >>> result = CVAUC().estimate(oof, "roc_auc")
    >>> print(f"{result.estimate:.4f}, {result.details['standard_error']:.4f}, {result.low:.4f}")
    0.8333, 0.1200, 0.5981
    """

    name = "cvauc"
    abbreviation = "cvAUC"
    requires = frozenset({"predictions", "folds", "binary", "auc", "unweighted"})
    estimand = OF_FOLD_MODELS
    meant_for = (
        "the area under the ROC curve of the models of the folds, compared within folds only"
    )
    cost = "O(N log N)"
    limits = "folds without a class are refused, with fewer than about 5 of each it is unstable"

    def __init__(
        self,
        *,
        half_credit: bool = True,
        config: int | None = None,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
    ) -> None:
        self.half_credit = half_credit
        self.config = config
        self.confidence_level = confidence_level
        self.alternative = alternative

    def _estimate(self, oof: OOFPredictions, kernel: BoundKernel) -> ConfidenceInterval:
        target = self._target(oof, kernel)
        parts = kernel.held_out(np.array([target.config]))
        n_rows = sum(len(part.sample) for part in parts) / len(parts)
        influence = np.zeros(oof.n_samples)
        variance_of_fold, areas = [], []
        for part in parts:
            positive = part.rows.y_codes() == 1
            # Only their order counts, and ranks can be negated where booleans cannot.
            scores = np.unique(part.rows.pred[0], return_inverse=True)[1]
            weight = {
                True: len(positive) / max(positive.sum(), 1),
                False: len(positive) / max((~positive).sum(), 1),
            }
            for fold in np.unique(part.fold):
                here = np.flatnonzero(part.fold == fold)
                self._check_classes(positive[here], int(fold))
                above, below = scores[here][positive[here]], scores[here][~positive[here]]
                wins = placements(above, below, self.half_credit)
                losses = placements(-below, -above, self.half_credit)
                area = placements(above, below, True).mean()
                areas.append(float(area))
                curve = np.empty(len(here))
                curve[positive[here]] = weight[True] * (wins - area)
                curve[~positive[here]] = weight[False] * (losses - area)
                influence[part.sample[here]] += curve / len(parts)
        groups = (
            np.arange(oof.n_samples)
            if oof.groups is None
            else np.unique(oof.groups, return_inverse=True)[1]
        )
        for fold in np.unique(parts[0].fold):
            samples = parts[0].sample[parts[0].fold == fold]
            unit = np.unique(groups[samples], return_inverse=True)[1]
            variance_of_fold.append(np.mean(np.bincount(unit, influence[samples]) ** 2))
        n_units = len(np.unique(groups[oof.tested]))
        size = n_rows / n_units  # mean number of samples per unit
        variance = float(np.mean(variance_of_fold)) / size**2 / n_units
        target.details.update(fold_scores=areas)
        seen = f"around an area of {np.mean(areas):g}"
        tell_degenerate(target.details, "CVAUC", not variance > 0, seen)
        return self._normal(target, float(np.mean(areas)), float(np.sqrt(variance)))

    @staticmethod
    def _check_classes(positive: np.ndarray, fold: int) -> None:
        if positive.all() or not positive.any():
            raise UndefinedIntervalError(
                f"CVAUC needs both classes in every fold, but fold {fold} has only class "
                f"{int(positive[0])} in {len(positive)} samples. Use fewer, stratified folds."
            )


def placements(scores: np.ndarray, others: np.ndarray, half_credit: bool) -> np.ndarray:
    """Share of `others` below each score; ties count one half or nothing."""
    ordered = np.sort(others)
    below = np.searchsorted(ordered, scores, side="left")
    if not half_credit:
        return below / len(others)
    up_to = np.searchsorted(ordered, scores, side="right")
    return (below + up_to) / (2 * len(others))
