"""The counts that published code puts into the formula of Hanley and McNeil."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from ..intervals.single._base import Target
from ..intervals.single._hanley_mcneil import VarianceRule, formula_with_counts


class RinkCounts(VarianceRule):
    """The counts that published code puts into the Hanley-McNeil formula instead of class sizes.

    Only for repeating published tables (results ``HM`` and ``HM10p`` of [1]_): with these
    counts the formula is not a variance of the area any more, and at strong imbalance the
    standard error is about half of what it should be. The code differs from the formula
    in five places:

    1. Class sizes are replaced by the numbers of correctly and of wrongly classified
       samples: a sample is classified as positive when its score exceeds `threshold`.
    2. The number of wrong ones is counted as if all samples had been evaluated, although
       area and number of correct ones come from the evaluation part (`all_samples`).
    3. The number of correct ones plus 1 stands where the class size minus 1 belongs.
    4. The threshold is 0 whatever the scores are; probabilities all exceed it.
    5. The bound ignores that the best of several candidates is reported (`sidak`).

    Parameters
    ----------
    threshold : float, default=0.0
        Scores above it count as classified as positive.
    all_samples : bool, default=True
        Count the wrong ones among all samples; False counts them among the evaluated
        ones, as a later version of the code does.
    sidak : bool, default=False
        Use Šidák's level for the number of candidates, as the later version does.

    References
    ----------
    .. [1] K. Paraschakis, A. Castellani, G. Borboudakis, I. Tsamardinos, "Confidence
       interval estimation of predictive performance in the context of AutoML",
       AutoML Conference (2024).

    Examples
    --------
    >>> from sklearn_bbc.intervals import HanleyMcNeil
    >>> from sklearn_bbc.replication import RinkCounts
    >>> HanleyMcNeil(replicate=RinkCounts())
    HanleyMcNeil(replicate=RinkCounts())
    """

    def __init__(
        self, *, threshold: float = 0.0, all_samples: bool = True, sidak: bool = False
    ) -> None:
        self.threshold = threshold
        self.all_samples = all_samples
        self.sidak = sidak

    def variance(self, area: float, n_correct: int, n_evaluated: int, n_samples: int) -> float:
        """Put the counts into the formula.

        Parameters
        ----------
        area : float
            Area under the curve on the evaluated samples.
        n_correct : int
            Correctly classified ones of the evaluated samples.
        n_evaluated : int
            Number of evaluated samples.
        n_samples : int
            Number of all samples.

        Returns
        -------
        float
            What the published code takes for the variance; NaN without wrong samples.
        """
        n_wrong = (n_samples if self.all_samples else n_evaluated) - n_correct
        if n_correct == 0 or n_wrong == 0:
            return np.nan
        return formula_with_counts(area, n_correct + 1, n_wrong - 1, n_correct * n_wrong)

    def validate(self) -> None:
        """Raise ValueError unless `threshold` is a number."""
        threshold: Any = self.threshold
        if isinstance(threshold, bool) or not isinstance(threshold, Real):
            raise ValueError(f"threshold must be a number, got {threshold!r}.")

    def variance_of(self, target: Target, n_samples: int) -> float:
        """Count, and put the counts into the formula; see `VarianceRule`."""
        n_evaluated = int(np.count_nonzero(target.oof.tested))
        n_correct = _n_correct(target, self.threshold)
        target.details["n_correct"] = n_correct
        variance = self.variance(target.estimate, n_correct, n_evaluated, n_samples)
        if np.isnan(variance):
            target.details["reason"] = (
                "the replicated counts need right and wrong classifications, there are "
                f"{n_correct} right ones of {n_evaluated}"
            )
        return variance

    def level(self, confidence_level: float) -> float | None:
        """Šidák's level, or the plain one; see `VarianceRule`."""
        return None if self.sidak else confidence_level


def _n_correct(target: Target, threshold: float) -> int:
    """Rows of the target that the threshold classifies correctly, in the first repeat."""
    part = target.kernel.held_out(np.array([target.config]))[0]
    raw = -part.rows.pred[0] if target.turned else part.rows.pred[0]
    as_positive = raw > threshold
    return int(np.count_nonzero(as_positive == (part.rows.y_codes() == 1)))
