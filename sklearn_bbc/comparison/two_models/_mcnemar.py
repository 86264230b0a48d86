"""McNemar's test of two classifiers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom, norm

from ...results import ComparisonResult
from .._pairs import Pair
from .._rules import SAME
from ._base import ModelComparison


class McNemar(ModelComparison):
    """McNemar's test of the accuracies of two classifiers on the same samples.

    Only the samples count that one of them gets right and the other wrong: without a difference
    either is right in half of these.

    Parameters
    ----------
    form : {"mid-p", "exact", "chi-squared", "corrected"}, default="mid-p"
        ``"exact"`` takes the binomial distribution, ``"mid-p"`` too, with half of the probability
        of the outcome itself; ``"chi-squared"`` takes the chi-squared distribution and
        ``"corrected"`` that with the correction for continuity.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What speaks against no difference; ``"greater"`` is that the first side is better.

    Raises
    ------
    ValueError
        If the metric does not count right and wrong samples, there are groups or weights, or
        samples were predicted in several repeats.

    See Also
    --------
    PairedBootstrap : For groups, weights, repeats and any metric.
    PairedT : For other means over samples.

    Notes
    -----
    Let b samples be right with the first side only and c with the second only. ``"exact"`` gives
    ``2 P(X <= min(b, c))`` of X binomial with b + c trials and probability 1/2, at most 1;
    ``"mid-p"`` takes ``P(X = min(b, c))`` off that, and so keeps close to its level, while the
    exact and the corrected form reject too seldom [2]_. ``"chi-squared"`` refers
    ``(b - c)^2 / (b + c)`` to one degree of freedom, ``"corrected"``
    ``(|b - c| - 1)^2 / (b + c)``, 0 where b = c; a one-sided p-value comes from the root. These
    are the statistics of the result, of the binomial forms ``min(b, c)``. Where both sides are
    right on the same samples the p-value is 1, with a note.

    The interval of the difference ``(b - c) / n`` is Tango's [3]_: it holds the differences that
    the score test does not reject. At zero that is the chi-squared form, with which the interval
    agrees always; the other forms may reject what it holds, or the reverse, where they are close.

    Groups and weights are refused: dependent samples make the binomial distribution wrong.

    `details` of the result: ``scores``, ``configs``, ``unit``, ``n_samples``, ``form``,
    ``n_both_right``, ``n_first_only``, ``n_second_only``, ``n_both_wrong``, ``notes``.

    References
    ----------
    .. [1] Q. McNemar, "Note on the sampling error of the difference between correlated
       proportions or percentages", Psychometrika 12, 153-157 (1947).
       :doi:`10.1007/BF02295996`
    .. [2] M. W. Fagerland, S. Lydersen, P. Laake, "The McNemar test for binary matched-pairs
       data: mid-p and asymptotic are better than exact conditional", BMC Medical Research
       Methodology 13, 91 (2013). :doi:`10.1186/1471-2288-13-91`
    .. [3] T. Tango, "Equivalence test and confidence interval for the difference in proportions
       for the paired-sample design", Statistics in Medicine 17, 891-908 (1998).

    Examples
    --------
    >>> from sklearn_bbc.comparison import McNemar, Side
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> best, worst = Side(oof=oof, config=3), Side(oof=oof, config=0)
    >>> result = McNemar().compare(best, worst, "accuracy")
    >>> result.details["n_first_only"], result.details["n_second_only"]
    (12, 6)
    >>> print(f"{result.difference:.3f}, p = {result.p_value:.3f}")
    0.100, p = 0.167
    """

    name = "mcnemar"
    requires = frozenset({"predictions", "pointwise", "ungrouped", "unweighted"})
    label = "McNemar's test"
    estimand = "difference of the accuracies of two frozen models"
    assumptions = (
        "The samples are independent.",
        "Both models were fixed before these samples were looked at.",
    )
    meant_for = "the accuracy of two classifiers on samples that they have not seen"
    cost = "O(N)"
    limits = "groups, weights and repeats (refused); no selection"

    def __init__(
        self,
        *,
        form: str = "mid-p",
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
    ) -> None:
        self.form = form
        self.confidence_level = confidence_level
        self.alternative = alternative

    def _validate(self) -> None:
        super()._validate()
        if self.form not in FORMS:
            raise ValueError(f"form must be one of {list(FORMS)}, got {self.form!r}.")

    def _compare(self, pair: Pair) -> ComparisonResult:
        first, second = right_of(pair)
        n = len(first)
        only = int(np.count_nonzero(first & ~second)), int(np.count_nonzero(second & ~first))
        details = {
            **pair.details,
            "form": self.form,
            "n_both_right": int(np.count_nonzero(first & second)),
            "n_first_only": only[0],
            "n_second_only": only[1],
            "n_both_wrong": int(np.count_nonzero(~first & ~second)),
            "notes": [*pair.details["notes"], *([] if sum(only) else [SAME])],
        }
        statistic, greater, less = FORMS[self.form](*only)
        both = min(1.0, 2 * min(greater, less))
        p_value = {"greater": greater, "less": less}.get(self.alternative, both)
        low, high = tango(*only, n, self._tail())
        return self._of_bounds(
            pair, (only[0] - only[1]) / n, low, high, details, statistic=statistic, p_value=p_value
        )


def right_of(pair: Pair) -> tuple[np.ndarray, np.ndarray]:
    """Which samples each side gets right, each of shape (n_samples,), bool.

    Parameters
    ----------
    pair : Pair
        Two configurations and a metric that is a mean over samples.
    """
    metric = pair.metric
    if pair.oof.n_repeats > 1:
        raise ValueError(
            f"McNemar counts every sample once, but there are {pair.oof.n_repeats} repeats of "
            "cross-validation. Use PairedBootstrap, or the predictions of one repeat."
        )
    values = [pair.kernel.pointwise(config) for config in (0, 1)]
    for wrong in (0.0, -1.0):  # accuracy, or the loss of it
        if np.isin(values, (wrong, wrong + 1.0)).all():
            return values[0] > wrong, values[1] > wrong
    raise ValueError(
        f"McNemar compares how many samples are right, so it needs accuracy, got {metric.name}. "
        "Use PairedT, for a mean over samples, or PairedBootstrap."
    )


def exact(b: int, c: int) -> tuple[float, float, float]:
    """Statistic and both one-sided p-values from the binomial distribution."""
    greater, less = (float(binom.cdf(fewer, b + c, 0.5)) for fewer in (c, b))
    return float(min(b, c)), greater, less


def mid_p(b: int, c: int) -> tuple[float, float, float]:
    """The same with half of the probability of the outcome itself."""
    statistic, greater, less = exact(b, c)
    if b == c:  # half of the distribution lies on either side
        return statistic, *((0.5, 0.5) if b else (1.0, 1.0))
    half = 0.5 * float(binom.pmf(b, b + c, 0.5))
    return statistic, greater - half, less - half


def chi_squared(b: int, c: int, correction: int = 0) -> tuple[float, float, float]:
    """Statistic and both one-sided p-values from the normal distribution, its square's root."""
    if b + c == 0:
        return 0.0, 1.0, 1.0
    distance = max(abs(b - c) - correction, 0)
    z = float(np.copysign(distance, b - c)) / np.sqrt(b + c)
    return float(z**2), float(norm.sf(z)), float(norm.sf(-z))


def corrected(b: int, c: int) -> tuple[float, float, float]:
    """The same with the correction for continuity."""
    return chi_squared(b, c, correction=1)


FORMS: dict[str, Callable[[int, int], tuple[float, float, float]]] = {
    "mid-p": mid_p,
    "exact": exact,
    "chi-squared": chi_squared,
    "corrected": corrected,
}
"""Each takes the samples that only one side gets right: statistic, p-values greater and less."""


def tango(b: int, c: int, n: int, tail: float) -> tuple[float, float]:
    """Tango's score interval of a difference of paired proportions.

    Parameters
    ----------
    b, c : int
        Samples right with one side only.
    n : int
        All samples.
    tail : float
        Error rate of one side.

    Returns
    -------
    low, high : float
        Differences at which the score statistic is the normal quantile.
    """
    z = float(norm.ppf(1 - tail))
    if z == 0:
        return (b - c) / n, (b - c) / n
    low = -_upper(c, b, n, z)
    return low, _upper(b, c, n, z)


def _upper(b: int, c: int, n: int, z: float) -> float:
    """Largest difference that the score test does not reject; for z < 0 it lies below b - c."""

    def distance(difference: float) -> float:
        return _score(b, c, n, difference) + z

    ends = ((b - c) / n, 1.0) if z > 0 else (-1.0, (b - c) / n)
    inner = 1e-12
    low, high = max(ends[0], -1 + inner), min(ends[1], 1 - inner)
    if distance(low) * distance(high) > 0:  # all the way to the end
        return ends[1] if z > 0 else ends[0]
    return float(brentq(distance, low, high, xtol=1e-14, rtol=1e-14))


def _score(b: int, c: int, n: int, difference: float) -> float:
    """Score statistic of a difference: the deviation over its standard error given it."""
    # The probability of "second only" that is most likely with this difference.
    linear = (2 * n - b + c) * difference - b - c
    root = np.sqrt(linear**2 + 8 * n * c * difference * (1 - difference))
    second_only = (root - linear) / (4 * n)
    variance = n * (2 * second_only + difference * (1 - difference))
    deviation = b - c - n * difference
    if not variance > 0:
        return 0.0 if deviation == 0 else float(np.copysign(np.inf, deviation))
    return float(deviation / np.sqrt(variance))
