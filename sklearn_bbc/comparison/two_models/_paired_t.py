"""Paired t test of the losses of two models."""

from __future__ import annotations

import numpy as np

from ...exceptions import UndefinedIntervalError
from ...predictions import OOFPredictions
from ...resampling._units import Units
from ...results import ComparisonResult
from .._pairs import Pair
from ._base import ModelComparison

FEW_UNITS = 30


class PairedT(ModelComparison):
    """Paired t test of the losses of two models on the same samples.

    For metrics that are means over samples, such as accuracy, log loss or squared error. Every
    sample gives one difference of two losses.

    Parameters
    ----------
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What speaks against no difference; ``"greater"`` is that the first side is better.

    Raises
    ------
    UndefinedIntervalError
        If fewer than two samples, or groups, have a weight.

    See Also
    --------
    McNemar : For accuracy and few samples.
    PairedBootstrap : For any metric.

    Notes
    -----
    With n samples and differences d the statistic is ``sqrt(n) * mean(d) / sd(d)``, its
    distribution Student's with n - 1 degrees of freedom. With weights w the difference is
    ``D = sum(w d) / sum(w)`` and its variance ``n / (n - 1) * sum(r^2) / sum(w)^2`` of the
    residuals ``r = w (d - D)``, which are summed within a group first where there are groups: n is
    then their number [2]_. Without weights and groups that is the formula above. With repeated
    cross-validation the residuals of a sample are averaged over the repeats. With 30 samples or
    fewer the differences should look normally distributed, which a note says.

    `details` of the result: ``scores``, ``configs``, ``unit``, ``n_samples``, ``n_units``,
    ``standard_error``, ``degrees``, ``degenerate``, ``notes``.

    References
    ----------
    .. [1] T. G. Dietterich, "Approximate statistical tests for comparing supervised
       classification learning algorithms", Neural Computation 10, 1895-1923 (1998).
       :doi:`10.1162/089976698300017197`
    .. [2] W. G. Cochran, "Sampling techniques", section 2.11, Wiley (1977): the variance of a
       ratio.

    Examples
    --------
    >>> from sklearn_bbc.comparison import PairedT, Side
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> best, worst = Side(oof=oof, config=3), Side(oof=oof, config=0)
    >>> result = PairedT().compare(best, worst, "neg_log_loss")
    >>> print(f"{result.difference:.3f}, p = {result.p_value:.3f}")
    0.223, p = 0.019
    """

    name = "paired_t"
    requires = frozenset({"predictions", "pointwise"})
    label = "paired t test"
    estimand = "difference of the mean losses of two frozen models"
    assumptions = (
        "The samples, or the groups, are independent.",
        "The differences are about normally distributed, or there are many of them.",
        "Both models were fixed before these samples were looked at.",
    )
    meant_for = "two models on samples that they have not seen, by a mean over samples"
    cost = "O(N)"
    limits = (
        "fewer than about 30 samples or groups with skewed losses; no selection; after "
        "cross-validation it knows nothing of training"
    )

    def __init__(self, *, confidence_level: float = 0.95, alternative: str = "two-sided") -> None:
        self.confidence_level = confidence_level
        self.alternative = alternative

    def _compare(self, pair: Pair) -> ComparisonResult:
        difference, residuals = deviations_of(pair)
        n = len(residuals)
        unit = pair.details["unit"]
        if n < 2:
            raise UndefinedIntervalError(
                f"PairedT needs at least 2 {unit}s with a weight, but there {_are(n, unit)}: the "
                "spread of the differences cannot be seen."
            )
        if n <= FEW_UNITS:
            pair.details["notes"].append(
                f"Only {n} {unit}s: with {FEW_UNITS} or fewer the test rests on differences that "
                "are normally distributed. PairedBootstrap(form='studentised') does not."
            )
        standard_error = float(np.sqrt(n / (n - 1) * (residuals**2).sum()))
        return self._from_standard_error(
            pair, difference, standard_error, degrees=n - 1, details={"n_units": n}
        )


def deviations_of(pair: Pair) -> tuple[float, np.ndarray]:
    """Difference of two means over samples, and what each unit adds to it.

    Parameters
    ----------
    pair : Pair
        Two configurations and a metric that is a mean over samples.

    Returns
    -------
    difference : float
        Weighted mean of the differences, the mean over repeats.
    deviations : ndarray of shape (n_units,)
        Weighted deviations of the samples from it, summed within units and divided by the
        sum of the weights; they sum to zero. Units without weight are left out.
    """
    oof: OOFPredictions = pair.oof
    sample, repeat = oof.sample, oof.repeat
    values = pair.kernel.pointwise(0) - pair.kernel.pointwise(1)
    weight = np.ones(len(sample)) if oof.sample_weight is None else oof.sample_weight[sample]
    share = weight / np.bincount(repeat, weight)[repeat] / oof.n_repeats
    of_repeat = oof.n_repeats * np.bincount(repeat, share * values)
    units = Units.of(oof)
    unit = units.of_sample[sample]
    deviations = np.bincount(unit, share * (values - of_repeat[repeat]), units.n_units)
    return float(of_repeat.mean()), deviations[np.bincount(unit, weight, units.n_units) > 0]


def _are(n: int, unit: str) -> str:
    return f"is 1 {unit}" if n == 1 else f"are {n}"
