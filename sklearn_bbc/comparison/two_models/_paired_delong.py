"""DeLong's test of two areas under the ROC curve."""

from __future__ import annotations

import numpy as np

from ...intervals.single._delong import paired_areas
from ...intervals.test_set._joint_bootstrap import FEW_GROUPS
from ...results import ComparisonResult
from .._pairs import Pair
from ._base import ModelComparison


class PairedDeLong(ModelComparison):
    """DeLong's test of two areas under the ROC curve on the same samples.

    Parameters
    ----------
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What speaks against no difference; ``"greater"`` is that the first side is better.

    See Also
    --------
    PairedBootstrap : For any metric.
    sklearn_bbc.intervals.DeLong : The interval of one area.

    Notes
    -----
    The covariance of both areas comes from the placements of the positive samples among the
    negative ones and the reverse [1]_. With groups the units are groups [2]_; sample weights
    count as in the metric; with repeated cross-validation the areas are means over the repeats.
    Two areas that differ without any variance, as a perfect ranking and a constant do, are
    marked by ``details["degenerate"]`` and a warning.

    `details` of the result: ``scores``, ``configs``, ``unit``, ``n_samples``, ``n_positive``,
    ``n_negative`` (units), ``standard_error``, ``degenerate``, ``notes``.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, "Comparing the areas under
       two or more correlated receiver operating characteristic curves: a nonparametric
       approach", Biometrics 44, 837-845 (1988). :doi:`10.2307/2531595`
    .. [2] N. A. Obuchowski, "Nonparametric analysis of clustered ROC curve data",
       Biometrics 53, 567-578 (1997). :doi:`10.2307/2533958`

    Examples
    --------
    >>> from sklearn_bbc.comparison import PairedDeLong, Side
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> best, worst = Side(oof=oof, config=3), Side(oof=oof, config=0)
    >>> result = PairedDeLong().compare(best, worst, "roc_auc")
    >>> print(f"{result.difference:.3f}, p = {result.p_value:.3f}")
    0.150, p = 0.028
    """

    name = "paired_delong"
    requires = frozenset({"predictions", "binary", "auc"})
    label = "DeLong's test"
    estimand = "difference of the areas under the ROC curve of two frozen models"
    assumptions = (
        "The samples, or the groups, are independent.",
        "Both models were fixed before these samples were looked at.",
    )
    meant_for = "the areas under the ROC curve of two models on samples that they have not seen"
    cost = "O(N log N)"
    limits = (
        "perfect rankings (no variance, marked); no selection; after cross-validation it knows "
        "nothing of training, and folds on different scales count as errors"
    )

    def __init__(self, *, confidence_level: float = 0.95, alternative: str = "two-sided") -> None:
        self.confidence_level = confidence_level
        self.alternative = alternative

    def _compare(self, pair: Pair) -> ComparisonResult:
        parts, standard_error = paired_areas(pair.oof, pair.kernel, type(self).__name__)
        difference = float(parts.auc[0] - parts.auc[1])
        groups = pair.oof.groups
        if groups is not None and len(np.unique(groups)) < FEW_GROUPS:
            pair.details["notes"].append(
                f"Only {len(np.unique(groups))} groups: with fewer than about {FEW_GROUPS} the "
                "normal distribution makes the interval too narrow."
            )
        sizes = {"n_positive": parts.n_positive, "n_negative": parts.n_negative}
        return self._from_standard_error(pair, difference, standard_error, details=sizes)
