"""Bayesian correlated t test with a region of practical equivalence."""

from __future__ import annotations

from numbers import Real

import numpy as np
from scipy.stats import t

from ...intervals._caveats import no_spread
from ...intervals.single._corrected_t import size_ratio
from ...results import ComparisonResult
from .._pairs import Pair, difference_of
from ._base import FoldComparison, differences
from ._corrected_resampled_t import check_ratio


class BayesianCorrelatedT(FoldComparison):
    """Posterior of the difference, and how likely the two are equivalent in practice.

    The posterior of the mean difference is Student's, with the spread of the corrected
    resampled t test. It gives three probabilities: that the first side is better, that the
    second is, and that the difference lies in the region of practical equivalence.

    Parameters
    ----------
    rope : float, default=0.01
        Half the width of the region of practical equivalence, in the metric's unit: smaller
        differences do not matter. 0.01 is what [1]_ takes for accuracies. 0 leaves two
        probabilities.
    test_over_train : float, default=None
        Ratio of test to training samples of a split. None takes the mean over the splits: the
        recorded sizes, or ``1 / (n_folds - 1)`` of K-fold when there are none.
    confidence_level : float in (0, 1), default=0.95
        Probability of the credible interval.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps the lower bound only, ``"less"`` the upper one.

    See Also
    --------
    CorrectedResampledT : The same spread, with a p value.

    Notes
    -----
    With J differences of mean m and standard deviation S the posterior is
    ``m + S * sqrt(1 / J + n_test / n_train) * t(J - 1)``, from a prior without information.
    There is no p value. The interval is a credible interval; it equals the confidence interval
    of `CorrectedResampledT`.

    `details` of the result: ``probabilities`` (of ``first``, ``equivalent`` and ``second``),
    ``rope``, ``sentence`` (the probabilities in words), ``interval`` (``"credible interval"``),
    ``scores``, ``configs``, ``unit``, ``n_folds``, ``n_repeats``, ``n_folds_lacking_class``,
    ``test_over_train``, ``scale`` (of the posterior), ``degrees``, ``degenerate``, ``notes``.

    References
    ----------
    .. [1] G. Corani, A. Benavoli, "A Bayesian approach for comparing cross-validated
       algorithms on multiple data sets", Machine Learning 100, 285-304 (2015).
       :doi:`10.1007/s10994-015-5486-z`
    .. [2] A. Benavoli, G. Corani, J. Demsar, M. Zaffalon, "Time for a change: a tutorial for
       comparing multiple classifiers through Bayesian analysis", Journal of Machine Learning
       Research 18, 1-36 (2017).

    Examples
    --------
    >>> from sklearn_bbc.comparison import BayesianCorrelatedT, Side
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> best, worst = Side(oof=oof, config=3), Side(oof=oof, config=0)
    >>> result = BayesianCorrelatedT(rope=0.02).compare(best, worst, "roc_auc")
    >>> {side: round(p, 2) for side, p in result.details["probabilities"].items()}
    {'first': 0.8, 'equivalent': 0.07, 'second': 0.13}
    """

    name = "bayesian_correlated_t"
    label = "Bayesian correlated t test"
    assumptions = (
        "The differences per fold are about normally distributed, and nothing was known before.",
        "The overlap of the training sets correlates the folds by the share of test samples.",
        "Both sides were fixed before the folds were looked at.",
    )
    meant_for = "how likely two configurations or learners are equivalent in practice, any metric"
    cost = "O(F)"
    limits = "few folds: little is learned; depends on the region that is called equivalent"

    def __init__(
        self,
        *,
        rope: float = 0.01,
        test_over_train: float | None = None,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
    ) -> None:
        self.rope = rope
        self.test_over_train = test_over_train
        self.confidence_level = confidence_level
        self.alternative = alternative

    def _validate(self) -> None:
        super()._validate()
        check_ratio(self.test_over_train)
        number = isinstance(self.rope, Real) and not isinstance(self.rope, bool)
        if not (number and 0 <= self.rope < np.inf):
            raise ValueError(
                f"rope must be a finite number >= 0 in the unit of the metric, got {self.rope!r}. "
                "0.01 calls accuracies equivalent that differ by at most one per cent."
            )

    def _compare(self, pair: Pair) -> ComparisonResult:
        values = differences(pair)  # (n_splits,)
        ratio = self.test_over_train
        if ratio is None:
            ratio = size_ratio(pair.oof, type(self).__name__)
        mean, degrees = float(values.mean()), len(values) - 1
        scale = float(np.std(values, ddof=1) * np.sqrt(1 / len(values) + ratio))
        degenerate = no_spread(scale, mean)
        first, second = posterior(mean, 0.0 if degenerate else scale, degrees, float(self.rope))
        both = max(0.0, 1 - first - second)
        probabilities = {"first": first, "equivalent": both, "second": second}
        details = {
            **pair.details,
            "probabilities": probabilities,
            "rope": float(self.rope),
            "sentence": self._sentence(pair.names, probabilities),
            "interval": "credible interval",
            "test_over_train": ratio,
            "scale": scale,
            "degrees": degrees,
            "degenerate": degenerate,
        }
        if np.isinf(difference_of(pair.metric).bounds[1]) and self.rope:
            details["notes"].append(
                f"Differences of {pair.metric.name} of at most {self.rope:g} are called "
                "equivalent: choose a rope that means something for this metric."
            )
        if degenerate:
            self._tell_no_spread(mean, details)
        half = 0.0 if degenerate else float(t.ppf(1 - self._tail(), degrees)) * scale
        return self._of_bounds(pair, mean, mean - half, mean + half, details)

    def _sentence(self, names: tuple[str, str], probabilities: dict[str, float]) -> str:
        better = f"by more than {self.rope:g}" if self.rope else ""
        words = [
            f"{name} is better {better}".strip() + f" with probability {probabilities[side]:.3f}"
            for side, name in zip(("first", "second"), names, strict=True)
        ]
        if self.rope:
            words.insert(1, f"they are equivalent with {probabilities['equivalent']:.3f}")
        return ", ".join(words) + "."


def posterior(mean: float, scale: float, degrees: float, rope: float) -> tuple[float, float]:
    """Probabilities that the first and that the second side is better by more than `rope`.

    Parameters
    ----------
    mean, scale, degrees : float
        Of Student's distribution; a scale of zero is a point.
    rope : float
        Half the width of the region of practical equivalence.
    """
    if scale == 0:
        return float(mean > rope), float(mean < -rope)
    first, second = t.sf((rope - mean) / scale, degrees), t.cdf((-rope - mean) / scale, degrees)
    return float(first), float(second)
