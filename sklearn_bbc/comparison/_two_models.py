"""Tests of two models on the same samples, which take both as fixed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom, norm

from .._notes import without_kind
from .._parameters import OneOf, Whole
from .._rounding import TERMS, rounding, without_rounding
from .._text import count
from .._utils import with_parameters
from ..contest._contest import Contest
from ..contest._unit_values import unit_values
from ..exceptions import UndefinedIntervalError
from ..intervals._auc import paired_areas
from ..intervals._bootstrap import (
    BOOTSTRAP_FORMS,
    FEW_GROUPS_DRAWN,
    PooledBootstrap,
    bootstrap_labels,
    judged_pair,
    p_value,
)
from ..intervals._notes import SAME_SCORES, no_spread
from ..metrics._alike import rows_alike
from ..metrics._metric import Metric
from ..predictions._predictions import in_blocks
from ..predictions._validation import INDEPENDENT
from ..resampling import Units
from ..results._results import ComparisonResult
from ._base import BaseComparison, Pair, Side

OF_CROSS_VALIDATION = (
    "The predictions come from cross-validation. Both models are taken as fixed, so nothing is "
    "said about models trained on other data; CorrectedResampledT allows for overlapping training "
    "sets."
)


MODELS_FIXED = "Both models were fixed before these samples were looked at."


class ModelComparison(BaseComparison):
    """Base of tests of two fixed models; notes that predictions of folds come from several."""

    assumptions: ClassVar[tuple[str, ...]] = (
        "The samples, or the groups, are independent.",
        MODELS_FIXED,
    )

    def _bind(self, first: Side, second: Side, metric: Metric, notes: list[str]) -> Pair:
        pair = super()._bind(first, second, metric, notes)
        if pair.oof.n_splits > 1:
            pair.details["notes"].append(OF_CROSS_VALIDATION)
        return pair


MCNEMAR_FORMS = ("mid-p", "exact", "chi-squared", "corrected")


@with_parameters
class McNemar(ModelComparison):
    """McNemar's test of the accuracies of two classifiers on the same samples.

    Only samples that one of them gets right and the other wrong count: without a difference
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

    Notes
    -----
    With b samples right for the first side only and c for the second only, ``"exact"`` gives
    ``2 P(X <= min(b, c))`` of X binomial with b + c trials and probability 1/2, at most 1;
    ``"mid-p"`` takes ``P(X = min(b, c))`` off that, and so keeps close to its level, while the
    exact and the corrected form reject too seldom [2]_. ``"chi-squared"`` refers
    ``(b - c)^2 / (b + c)`` to one degree of freedom, ``"corrected"``
    ``(|b - c| - 1)^2 / (b + c)``; a one-sided p-value comes from the root. The statistic of the
    binomial forms is ``min(b, c)``. Where both are right on the same samples the p-value is 1.

    The interval of the difference ``(b - c) / n`` is Tango's [3]_: the differences that the score
    test does not reject. It always agrees with the chi-squared form. Groups, weights and repeats
    are refused.

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
    assumptions = ("The samples are independent.", MODELS_FIXED)
    meant_for = "the accuracy of two classifiers on samples that they have not seen"
    cost = "O(N)"
    limits = "groups, weights and repeats (refused); no selection"

    form: str = "mid-p"
    confidence_level: float = 0.95
    alternative: str = "two-sided"

    _constraints = {"form": OneOf(MCNEMAR_FORMS)}

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
            "notes": [*pair.details["notes"], *([] if sum(only) else [SAME_SCORES])],
        }
        statistic, greater, less = mcnemar(self.form, *only)
        both = min(1.0, 2 * min(greater, less))
        p_value = {"greater": greater, "less": less}.get(self.alternative, both)
        low, high = tango(*only, n, self._tail())
        return self._of_bounds(
            pair, (only[0] - only[1]) / n, low, high, details, statistic=statistic,
            p_value=p_value, label=f"McNemar's {self.form} test, Tango's interval",
        )  # fmt: skip


def right_of(pair: Pair) -> tuple[np.ndarray, np.ndarray]:
    """Find the samples that each side gets right, (n_samples,) each, bool."""
    metric = pair.metric
    if pair.oof.n_repeats > 1:
        raise ValueError(
            f"McNemar counts every sample once, but there are {pair.oof.n_repeats} repeats of "
            "cross-validation. Use PairedBootstrap, or the predictions of one repeat."
        )
    values = [pair.scored.pointwise(config) for config in (0, 1)]
    for wrong in (0.0, -1.0):  # accuracy, or the loss of it
        if np.isin(values, (wrong, wrong + 1.0)).all():
            return values[0] > wrong, values[1] > wrong
    raise ValueError(
        f"McNemar compares how many samples are right, so it needs accuracy, got {metric.name}. "
        "Use PairedT, for a mean over samples, or PairedBootstrap."
    )


def mcnemar(form: str, b: int, c: int) -> tuple[float, float, float]:
    """Compute the statistic and both one-sided p-values; b, c samples are right on one side."""
    n = b + c
    if form in ("exact", "mid-p"):
        half = 0.5 * binom.pmf(b, n, 0.5) if form == "mid-p" and n else 0.0
        greater, less = (float(binom.cdf(fewer, n, 0.5) - half) for fewer in (c, b))
        return float(min(b, c)), greater, less
    if n == 0:
        return 0.0, 1.0, 1.0
    distance = max(abs(b - c) - (form == "corrected"), 0)  # correction for continuity
    z = float(np.copysign(distance, b - c)) / np.sqrt(n)
    return float(z**2), float(norm.sf(z)), float(norm.sf(-z))


def tango(b: int, c: int, n: int, tail: float) -> tuple[float, float]:
    """Compute Tango's score interval of a difference of paired proportions."""
    z = float(norm.ppf(1 - tail))
    if z == 0:
        return (b - c) / n, (b - c) / n
    low = -_upper(c, b, n, z)
    return low, _upper(b, c, n, z)


def _upper(b: int, c: int, n: int, z: float) -> float:
    """Find the largest difference that the score test does not reject; below b - c for z < 0."""

    def distance(difference: float) -> float:
        return _score_statistic(b, c, n, difference) + z

    ends = ((b - c) / n, 1.0) if z > 0 else (-1.0, (b - c) / n)
    inner = 1e-12
    low, high = max(ends[0], -1 + inner), min(ends[1], 1 - inner)
    if distance(low) * distance(high) > 0:  # all the way to the end
        return ends[1] if z > 0 else ends[0]
    return float(brentq(distance, low, high, xtol=1e-14, rtol=1e-14))


def _score_statistic(b: int, c: int, n: int, difference: float) -> float:
    """Compute the score statistic: the deviation over its standard error given a difference."""
    # The probability of "second only" that is most likely with this difference.
    linear = (2 * n - b + c) * difference - b - c
    root = np.sqrt(linear**2 + 8 * n * c * difference * (1 - difference))
    second_only = (root - linear) / (4 * n)
    variance = n * (2 * second_only + difference * (1 - difference))
    deviation = b - c - n * difference
    if not variance > 0:
        return 0.0 if deviation == 0 else float(np.copysign(np.inf, deviation))
    return float(deviation / np.sqrt(variance))


@with_parameters
class PairedBootstrap(ModelComparison):
    """Bootstrap of the difference of two models on the same samples, for any metric.

    Samples (or groups) are drawn with replacement together with the predictions of both, so
    what both share cancels.

    Parameters
    ----------
    form : {"percentile", "basic", "normal", "studentised", "bca"}, default="percentile"
        How the draws become an interval and a p-value.
    stratify : bool, default=False
        Draw within each class, so that class sizes never change. For targets with classes and
        without groups.
    n_bootstraps : int, default=2000
        Number of draws, at least 20. The p-value of a form that counts draws is at least
        ``2 / (n_bootstraps + 1)``.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What speaks against no difference; ``"greater"`` is that the first side is better.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.

    Notes
    -----
    The forms are those of `sklearn_bbc.intervals.PooledBootstrap` [1]_. The p-value is one minus
    the highest confidence level at which the interval of the form excludes zero on the same draws,
    so the two agree. With a difference d and B draws it is, for ``"greater"``, nearly: percentile
    ``#{draws <= 0} / B``; basic the same of ``2 d - draws``, studentised of ``d - se pivots``
    [2]_; normal the tail of the normal distribution; bca the percentile one on the corrected
    scale. Draws without a difference count in full, unlike in `BBCDifference`: with half of them,
    equal classifiers whose labels differ in 4 samples on average would be called different in 10%
    of data sets. Whole groups are drawn, and all repeats share one draw. The statistic is the
    difference over the standard deviation of the draws.

    `details` of the result: ``scores``, ``configs``, ``unit``, ``n_samples``, ``form``,
    ``standard_error`` (of the draws), ``degenerate``, ``n_redrawn``, ``n_lacking_class`` (draws
    without a class too small to be in every draw), ``n_undefined``, ``seed``, ``notes``.

    References
    ----------
    .. [1] B. Efron, R. J. Tibshirani, "An introduction to the bootstrap", sections 14.3 and
       15.4, Chapman and Hall (1993).
    .. [2] A. C. Davison, D. V. Hinkley, "Bootstrap methods and their application", sections
       4.4 and 5.3, Cambridge University Press (1997). :doi:`10.1017/CBO9780511802843`

    Examples
    --------
    >>> from sklearn_bbc.comparison import PairedBootstrap, Side
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> best, worst = Side(oof=oof, config=3), Side(oof=oof, config=0)
    >>> result = PairedBootstrap(random_state=0).compare(best, worst, "neg_log_loss")
    >>> print(f"{result.difference:.3f}, p = {result.p_value:.2f}")
    0.223, p = 0.01
    """

    name = "paired_bootstrap"
    label = "paired bootstrap"
    estimand = "difference of the scores of two frozen models"
    meant_for = "two models on samples that they have not seen, by any metric"
    cost = "O(B N); 50 times that when studentised"
    limits = (
        "fewer than about 20 samples of a class, or groups; no selection; after cross-validation "
        "it ignores the training"
    )

    form: str = "percentile"
    stratify: bool = False
    n_bootstraps: int = 2000
    confidence_level: float = 0.95
    alternative: str = "two-sided"
    random_state: Any = None
    n_jobs: int | None = None

    _constraints = {"form": OneOf(BOOTSTRAP_FORMS)}

    def _compare(self, pair: Pair) -> ComparisonResult:
        if pair.scored.n_distinct == 1:  # equal predictions: nothing to draw
            return self._without_spread(pair, 0.0, {**pair.details, "form": self.form})
        bootstrap = PooledBootstrap(**self.get_params())
        interval, replicates = judged_pair(bootstrap, Contest(pair.scored))
        details = {**interval.details, **pair.details}
        details["notes"] = [*pair.details["notes"], *interval.details["notes"]]
        del details["p_value"]
        spread = details["standard_error"]
        return self._of_interval(
            pair, interval, details,
            statistic=interval.estimate / spread if spread > 0 else float("nan"),
            p_value=p_value(self.form, replicates, self.alternative),
            label=bootstrap_labels("", "paired {} bootstrap")[self.form][1],
        )  # fmt: skip


class PairedDeLong(ModelComparison):
    """DeLong's test of two areas under the ROC curve on the same samples.

    Parameters
    ----------
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What speaks against no difference; ``"greater"`` is that the first side is better.

    Notes
    -----
    The covariance of both areas comes from the placements of the positive samples among the
    negative ones and the reverse [1]_; with groups the units are groups [2]_, and repeats are
    averaged. Areas that differ without any variance, as a perfect ranking and a constant do, are
    ``details["degenerate"]``, with a warning.

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
        parts, difference, standard_error = paired_areas(pair.scored, type(self).__name__)
        groups = pair.oof.clusters
        if groups is not None and len(np.unique(groups)) < FEW_GROUPS_DRAWN:
            pair.details["notes"].append(
                f"Only {len(np.unique(groups))} {pair.details['unit']}s: with fewer than about "
                f"{FEW_GROUPS_DRAWN} the normal distribution makes the interval too narrow."
            )
        sizes = {"n_positive": parts.n_positive, "n_negative": parts.n_negative}
        return self._from_standard_error(
            pair, difference, standard_error, size=pair.scored.unit, details=sizes
        )


FEW_PAIRS = 30


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

    Notes
    -----
    With n samples and differences d the statistic is ``sqrt(n) * mean(d) / sd(d)``, Student's
    with n - 1 degrees of freedom. With weights w the difference is ``D = sum(w d) / sum(w)`` and
    its variance ``n / (n - 1) * sum(r^2) / sum(w)^2`` of the residuals ``r = w (d - D)``, which
    are summed within groups, whose number is then n [2]_, and averaged over repeats. Samples whose
    predictions or losses are equal up to rounding have no difference.

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
        MODELS_FIXED,
    )
    meant_for = "two models on samples that they have not seen, by a mean over samples"
    cost = "O(N)"
    limits = (
        "fewer than about 30 samples or groups with skewed losses; no selection; after "
        "cross-validation it ignores the training"
    )

    def __init__(self, *, confidence_level: float = 0.95, alternative: str = "two-sided") -> None:
        self.confidence_level = confidence_level
        self.alternative = alternative

    def _compare(self, pair: Pair) -> ComparisonResult:
        rows, size = differences_of_rows(pair)
        (mean,), (values,), share = unit_values(pair.oof, Units.of(pair.oof), rows[None])
        residuals = (values[share > 0] - mean) / len(values)
        n = len(residuals)
        unit = pair.details["unit"]
        if n < 2:
            raise UndefinedIntervalError(
                f"PairedT needs at least 2 {unit}s with a weight, got {n}: the "
                "spread of the differences cannot be seen."
            )
        if n <= FEW_PAIRS:
            pair.details["notes"].append(
                f"Only {n} {unit}s: with {FEW_PAIRS} or fewer the test rests on differences that "
                "are normally distributed. PairedBootstrap(form='studentised') does not."
            )
        standard_error = float(np.sqrt(n / (n - 1) * (residuals**2).sum()))
        return self._from_standard_error(
            pair, float(mean), standard_error, degrees=n - 1, size=size, details={"n_units": n}
        )


def differences_of_rows(pair: Pair) -> tuple[np.ndarray, float]:
    """Subtract the values of the rows, (n_rows,), 0 where they are the same up to rounding.

    The mean size of the values is returned, too.
    """
    first, second = (np.asarray(pair.scored.pointwise(config)) for config in (0, 1))
    each = np.maximum(np.abs(first), np.abs(second))
    size = max(float(each.mean()), pair.scored.unit)
    rows = without_rounding(first - second, np.maximum(each, size), rounding(TERMS))
    rows[rows_alike(pair, 0, 1)] = 0.0
    return rows, size


FEW_IN_TIME = (
    "Only {} samples for a horizon of {}: with {} or fewer the test can find differences that do "
    "not exist more often than it promises."
)


class DieboldMariano(ModelComparison):
    """Diebold and Mariano's test of the losses of two forecasts, in the order of time.

    For metrics that are means over samples, such as squared or absolute error, and rows that
    follow each other in time. Errors of forecasts several steps ahead overlap, so differences of
    losses that are near each other are alike: their autocovariances are part of the variance.

    Parameters
    ----------
    horizon : int, default=1
        How many steps ahead the forecasts look, fewer than there are samples. Autocovariances of
        ``horizon - 1`` lags count.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What speaks against no difference; ``"greater"`` is that the first side is better.

    Raises
    ------
    UndefinedIntervalError
        If the variance is not positive, as negative autocovariances can make it: a shorter
        horizon has fewer of them.

    See Also
    --------
    PairedT : The same test for ``horizon=1``, with groups and weights.

    Notes
    -----
    With n samples in their order, differences d and horizon h, the variance of the mean
    difference is ``V = (g_0 + 2 sum(g_1, ..., g_(h-1))) / n``, with the autocovariances
    ``g_k = sum((d_t - mean) (d_(t-k) - mean)) / n`` [1]_. The statistic is
    ``mean(d) / sqrt(V)``, times ``sqrt((n + 1 - 2 h + h (h - 1) / n) / n)`` for small samples, and
    Student's with n - 1 degrees of freedom [2]_, as in ``dm.test`` of R's forecast. (Where the
    variance is not positive, that one goes on with ``h = 1``.) The interval is that of the
    differences which the test does not reject.

    The order is that of the rows, or that of `OOFPredictions.with_blocks`, whose blocks play no
    part here. Repeats are averaged. Samples that were never held out are left
    out, which a note says where they lie between others. Both forecasts are taken as given: the
    test says which of them was better on this period, not which learner is [3]_.

    `details` of the result: ``scores``, ``configs``, ``unit``, ``n_samples``, ``horizon``,
    ``standard_error`` (with the correction for small samples), ``degrees``, ``degenerate``,
    ``notes``.

    References
    ----------
    .. [1] F. X. Diebold, R. S. Mariano, "Comparing predictive accuracy", Journal of Business and
       Economic Statistics 13, 253-263 (1995). :doi:`10.1080/07350015.1995.10524599`
    .. [2] D. Harvey, S. Leybourne, P. Newbold, "Testing the equality of prediction mean squared
       errors", International Journal of Forecasting 13, 281-291 (1997).
       :doi:`10.1016/S0169-2070(96)00719-4`
    .. [3] F. X. Diebold, "Comparing predictive accuracy, twenty years later", Journal of Business
       and Economic Statistics 33, 1-9 (2015). :doi:`10.1080/07350015.2014.983236`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import compare
    >>> from sklearn_bbc.comparison import DieboldMariano
    >>> rng = np.random.default_rng(0)
    >>> y = np.zeros(200)
    >>> for now in range(2, 200):
    ...     y[now] = 0.5 * y[now - 1] + rng.normal()
    >>> known = np.r_[0, 0, y[:-2]]  # two steps before
    >>> result = compare(0.25 * known, known, "neg_mean_squared_error", y_true=y,
    ...                  method=DieboldMariano(horizon=2))
    >>> print(f"{result.difference:.2f}, t = {result.statistic:.2f}, p = {result.p_value:.4f}")
    0.55, t = 3.34, p = 0.0010
    """

    name = "diebold_mariano"
    requires = frozenset({"predictions", "pointwise", "one_series", "unweighted"})
    label = "Diebold-Mariano test"
    estimand = "difference of the mean losses of two given forecasts"
    assumptions = (
        "The differences of the losses do not change their mean and spread over time, and are "
        "uncorrelated from the horizon on.",
        MODELS_FIXED,
    )
    meant_for = "two forecasts of a time series, by a mean over samples in their order"
    cost = "O(N h)"
    limits = (
        "fewer than about 30 samples for each step of the horizon; regime changes; groups and "
        "weights (refused); no selection"
    )

    _constraints = {"horizon": Whole(1)}

    def __init__(
        self,
        *,
        horizon: int = 1,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
    ) -> None:
        self.horizon = horizon
        self.confidence_level = confidence_level
        self.alternative = alternative

    def _bind(self, first: Side, second: Side, metric: Metric, notes: list[str]) -> Pair:
        # This test takes samples as neither independent nor in blocks.
        first, second = (
            replace(side, oof=in_blocks(side.oof, None, side.oof.order))
            for side in (first, second)
        )
        pair = super()._bind(first, second, metric, notes)
        pair.details["notes"] = without_kind(pair.details["notes"], INDEPENDENT.kind)
        return pair

    def _compare(self, pair: Pair) -> ComparisonResult:
        rows, size = differences_of_rows(pair)
        (mean,), (values,), _ = unit_values(pair.oof, Units.of(pair.oof), rows[None])
        (ordered,) = pair.oof.series()
        places = ordered if pair.oof.order is None else pair.oof.order[ordered]
        n, h = len(ordered), self.horizon
        if n <= h:
            raise UndefinedIntervalError(
                f"DieboldMariano needs more samples than the horizon, got horizon={h} and "
                f"{n} held-out samples. Give a shorter horizon."
            )
        notes = pair.details["notes"]
        if n_between := int(places[-1] - places[0]) + 1 - n:
            notes.append(
                f"{count(n_between, 'sample')} between others "
                f"{'was' if n_between == 1 else 'were'} never held out: what comes before and "
                "after is taken as neighbours."
            )
        if n <= FEW_PAIRS * h:
            # Moving averages of h normal differences without a mean are called different, at 5%,
            # in 16% (h = 8, n = 30), 12% (h = 4, n = 20), and 5.6 to 6.2% at n = 30 h.
            notes.append(FEW_IN_TIME.format(n, h, FEW_PAIRS * h))
        in_order = np.zeros(pair.oof.n_samples)
        in_order[pair.oof.tested] = values - mean
        deviations = in_order[ordered]
        lags = [deviations[k:] @ deviations[: n - k] / n for k in range(h)]
        variance = (lags[0] + 2 * sum(lags[1:])) / n
        spread = without_rounding(np.sqrt(lags[0]), size, rounding(0))
        constant = no_spread(float(spread), float(mean))
        if variance <= 0 and not constant:
            raise UndefinedIntervalError(
                "The variance of the mean difference is not positive: with autocovariances of "
                f"{count(h - 1, 'lag')} it is {variance:.2g}, as happens with few samples ({n} "
                "here) or differences that change their sign all the time. Give a shorter "
                "horizon; horizon=1 has no autocovariances."
            )
        correction = (n + 1 - 2 * h + h * (h - 1) / n) / n
        standard_error = 0.0 if constant else float(np.sqrt(variance / correction))
        return self._from_standard_error(
            pair, float(mean), standard_error, degrees=n - 1, size=size, details={"horizon": h}
        )
