"""Hanley and McNeil's interval for the area under the ROC curve."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from sklearn.base import BaseEstimator

from ..._warn import warn_user
from ...exceptions import IntervalWarning
from ...metrics import BoundKernel
from ...predictions import OOFPredictions
from ...results import ConfidenceInterval
from ..tilting._learn_evaluate import LearnEvaluate
from ._base import OneConfigInterval, Target
from ._delong import check_repeats


def hanley_mcneil_variance(area: float, n_positive: int, n_negative: int) -> float:
    """Variance of an area under the ROC curve by Hanley and McNeil's formula of 1982.

    Parameters
    ----------
    area : float
        Area under the curve.
    n_positive, n_negative : int
        Sizes of the classes on which the area was computed.
    """
    return formula_with_counts(area, n_positive - 1, n_negative - 1, n_positive * n_negative)


def formula_with_counts(
    area: float, positive_pairs: float, negative_pairs: float, product: float
) -> float:
    """The formula with other counts than the sizes of the classes.

    Parameters
    ----------
    area : float
        Area under the curve.
    positive_pairs, negative_pairs : float
        Counts in the place of the class sizes minus one.
    product : float
        What all is divided by, in the place of the product of the class sizes.
    """
    # Probabilities that two random positives both beat one negative, and that one positive
    # beats two random negatives, for exponential scores.
    two_positives = area / (2 - area)
    two_negatives = 2 * area**2 / (1 + area)
    return (
        area * (1 - area)
        + positive_pairs * (two_positives - area**2)
        + negative_pairs * (two_negatives - area**2)
    ) / product


class VarianceRule(BaseEstimator, ABC):
    """Base of what ``HanleyMcNeil(replicate=...)`` takes in place of its own variance."""

    def validate(self) -> None:
        """Raise ValueError unless the parameters are in range."""

    @abstractmethod
    def variance_of(self, target: Target, n_samples: int) -> float:
        """Compute the variance, and add to `target.details` what it rests on.

        Parameters
        ----------
        target : Target
            The configuration, on the evaluated samples.
        n_samples : int
            Number of all samples.

        Returns
        -------
        float
            NaN where there is none; ``target.details["reason"]`` then says why.
        """

    def level(self, confidence_level: float) -> float | None:
        """Confidence level of the bounds; None takes the one that the target asks for.

        Parameters
        ----------
        confidence_level : float
            Level of the method.
        """
        return None


class HanleyMcNeil(OneConfigInterval):
    """Hanley and McNeil's interval for the area under the ROC curve of one configuration.

    The standard error follows from the area and the sizes of the two classes alone.

    Parameters
    ----------
    config : int, default=None
        Configuration of interest. None takes the winner; the interval does not account
        for its selection, and `details` says so.
    selection : LearnEvaluate, default=None
        Select on one part of the samples and compute the interval on the other, at
        Šidák's level for the number of candidates. The method is then called ``"HM"``
        (one candidate) or ``"HM10p"`` (the top tenth).
    replicate : RinkCounts, default=None
        Repeat the deviations of published code instead of the formula, see
        `sklearn_bbc.replication.RinkCounts`. Never for use.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, ``"less"`` only the upper one.

    See Also
    --------
    DeLong : Uses the scores themselves, and can deal with groups.

    Notes
    -----
    The formula [1]_ holds for scores with negative exponential distributions and is a few
    per cent off for others. The samples must be independent and equally weighted. With
    repeated cross-validation the area is the mean over the repeats, whose variance is
    somewhat smaller than the formula's. Bounds are cut at 0 and 1, the uncut ones are in
    ``details["unclipped"]``. A perfect ranking has variance 0, which is certainly wrong;
    it is marked by ``details["degenerate"]`` and a warning.

    `details` of the result: ``standard_error``, ``degenerate``, ``config``, ``winner``,
    ``winner_by``, ``selection_accounted_for``, ``n_positive``, ``n_negative``, ``unit``,
    ``n_untested``, ``n_configs``, ``n_valid``, ``kernel``, ``response``, ``notes``; with
    `selection` also ``candidates``, ``n_learn``, ``n_evaluate``, ``adjusted_level``,
    ``learn_score``, ``selection_seed``; with `replicate` also ``n_correct``.

    References
    ----------
    .. [1] J. A. Hanley, B. J. McNeil, "The meaning and use of the area under a receiver
       operating characteristic (ROC) curve", Radiology 143, 29-36 (1982).
       :doi:`10.1148/radiology.143.1.7063747`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import HanleyMcNeil
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 50)
    >>> oof = OOFPredictions(y_true=y, y_pred=rng.normal(size=100) + 1.2 * y)
    >>> result = HanleyMcNeil().estimate(oof, "roc_auc")
    >>> print(f"{result.estimate:.3f} +- {result.details['standard_error']:.3f}")
    0.786 +- 0.046
    """

    name = "hanley_mcneil"
    meant_for = (
        "comparison with published intervals that come from the area and the class sizes alone"
    )
    cost = "O(N log N) for the area, then O(1)"
    limits = "areas near 1; small classes; scores far from exponential"
    abbreviation = "HM"
    requires = frozenset({"predictions", "binary", "auc", "ungrouped", "unweighted"})

    def __init__(
        self,
        *,
        config: int | None = None,
        selection: LearnEvaluate | None = None,
        replicate: VarianceRule | None = None,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
    ) -> None:
        self.config = config
        self.selection = selection
        self.replicate = replicate
        self.confidence_level = confidence_level
        self.alternative = alternative

    def _validate(self) -> None:
        super()._validate()
        if self.replicate is None:
            return
        if not isinstance(self.replicate, VarianceRule):
            raise ValueError(f"replicate must be RinkCounts() or None, got {self.replicate!r}.")
        self.replicate.validate()

    def _estimate(self, oof: OOFPredictions, kernel: BoundKernel) -> ConfidenceInterval:
        target = self._target(oof, kernel)
        tested = target.oof.tested
        is_positive = np.asarray(target.oof.y_true)[tested] == np.asarray(target.oof.classes_)[1]
        n_positive = int(np.count_nonzero(is_positive))
        n_negative = len(is_positive) - n_positive
        check_repeats(target.oof, "HanleyMcNeil")
        area = target.estimate
        target.details.update(n_positive=n_positive, n_negative=n_negative)
        level = None
        if self.replicate is None:
            variance = hanley_mcneil_variance(area, n_positive, n_negative)
        else:
            variance = self.replicate.variance_of(target, int(np.count_nonzero(oof.tested)))
            level = self.replicate.level(self.confidence_level)
        target.details["degenerate"] = not variance > 0
        if not variance > 0:
            note = f"The formula gives no spread around an area of {area:g}."
            target.details["notes"].append(note)
            warn_user(f"HanleyMcNeil: {note}", IntervalWarning)
        return self._normal(target, area, float(np.sqrt(max(variance, 0.0))), level=level)
