"""Parametric interval that assumes how far the scores of the folds are correlated."""

from __future__ import annotations

from numbers import Real

import numpy as np
from scipy.special import expit, logit

from ...exceptions import UndefinedIntervalError
from ...predictions import OOFPredictions
from ...results import ConfidenceInterval
from ._fold_scores import FoldSample, FoldScoresInterval


class CorrelationAdjusted(FoldScoresInterval):
    """Parametric interval that assumes how far the scores of the folds are correlated.

    The correlation is set by the share of training samples that two folds have in common,
    not estimated.

    Parameters
    ----------
    r : float, default=0.1
        Exponent of the overlap: the assumed correlation of two of F folds is
        ``((F - 2) / (F - 1)) ** r``. Smaller is more cautious.
    student : bool, default=True
        Student's quantile with F - 1 degrees of freedom instead of the normal one.
    on_logit_scale : bool, default=False
        Compute mean and bounds for the log odds of the fold scores and turn them back, so
        that they stay between 0 and 1. For metrics between 0 and 1 only.
    config : int, default=None
        Configuration of interest. None takes the winner; the interval does not account
        for its selection, and `details` says so.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, ``"less"`` only the upper one.

    See Also
    --------
    CorrectedT : Adds the ratio of test to training samples to the variance.

    Notes
    -----
    The variance is that of the mean of F equally correlated values,
    ``S**2 / F * (1 + (F - 1) * rho)`` with S the standard deviation of the fold scores.
    S itself underestimates the spread of correlated scores, which is not mended: this is
    the form that agrees with the widths that were published [1]_. Two folds share nothing
    (correlation 0). Of repeated cross-validation, F is the folds of one repeat and S^2
    the mean of the variances of the repeats: repeats share the samples, so they do not
    narrow the interval.

    Bounds are cut at the ends of the metric's range; ``details["unclipped"]`` has them as
    they were, which is how they were published. Stratified folds hide what the shares of the
    classes add to the spread, see `CorrectedT`.

    `details` of the result: ``standard_error``, ``correlation``, ``degenerate``,
    ``config``, ``winner``, ``winner_by``, ``selection_accounted_for``, ``n_folds``,
    ``unit``, ``n_untested``, ``n_repeats``, ``n_configs``, ``n_folds_lacking_class`` (where the
    metric treats classes apart and has a value by convention), ``notes``.

    References
    ----------
    .. [1] G. Rosenthal, "Confidence intervals for cross-validated performance", thesis
       (2024).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import CorrelationAdjusted
    >>> scores = np.array([[0.80], [0.75], [0.90], [0.70], [0.85]])
    >>> oof = OOFPredictions(y_true=np.empty(0), classes=None, fold_scores={"accuracy": scores})
    >>> result = CorrelationAdjusted().estimate(oof, "accuracy")
    >>> print(f"{result.low:.3f} to {result.high:.3f}, {result.details['correlation']:.4f}")
    0.583 to 1.000, 0.9716
    >>> print("{:.3f} to {:.3f}".format(*result.details["unclipped"]))  # as published
    0.583 to 1.017
    """

    name = "correlation_adjusted"
    meant_for = (
        "one configuration of which only scores per fold are known, as a cross-check of the "
        "corrected t"
    )
    cost = "O(F)"
    limits = (
        "2 folds: correlation 0, too narrow; equal scores; scores near 1 without the logit "
        "form; stratified folds as the corrected t"
    )

    def __init__(
        self,
        *,
        r: float = 0.1,
        student: bool = True,
        on_logit_scale: bool = False,
        config: int | None = None,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
    ) -> None:
        self.r = r
        self.student = student
        self.on_logit_scale = on_logit_scale
        self.config = config
        self.confidence_level = confidence_level
        self.alternative = alternative

    def _validate(self) -> None:
        super()._validate()
        if isinstance(self.r, bool) or not isinstance(self.r, Real) or self.r <= 0:
            raise ValueError(f"r must be a number above 0, such as 0.1, got {self.r!r}.")

    def _estimate(self, oof: OOFPredictions, kernel: FoldSample) -> ConfidenceInterval:
        sample, metric = kernel, kernel.metric
        n_folds = len(sample.scores) // oof.n_repeats
        if n_folds < 2:
            raise UndefinedIntervalError(
                "CorrelationAdjusted needs at least 2 folds in every repeat, for it takes the "
                "spread within repeats, got 1. CorrectedT takes such splits."
            )
        scores = sample.scores
        if self.on_logit_scale:
            if metric.bounds != (0.0, 1.0):
                raise ValueError(
                    f"on_logit_scale needs a metric between 0 and 1, but {metric.name} goes from "
                    f"{metric.bounds[0]:g} to {metric.bounds[1]:g}."
                )
            # A score of exactly 0 or 1 has no log odds; half a sample is the usual stand-in.
            n_tested = oof.n_samples - oof.n_untested if oof.n_rows else 0
            margin = 0.5 * n_folds / n_tested if n_tested else 1e-3
            scores = logit(np.clip(scores, margin, 1 - margin))
        sample = FoldSample(metric=metric, scores=scores, details=sample.details)
        correlation = ((n_folds - 2) / (n_folds - 1)) ** self.r
        sample.details["correlation"] = correlation
        variance = (
            self._spread(sample, oof.n_repeats) ** 2 / n_folds * (1 + (n_folds - 1) * correlation)
        )
        standard_error, degrees = float(np.sqrt(variance)), n_folds - 1 if self.student else None
        if not self.on_logit_scale:
            return self._symmetric(sample, standard_error, degrees=degrees)
        mean, half = float(scores.mean()), self._multiple(degrees) * standard_error
        low, high = float(expit(mean - half)), float(expit(mean + half))
        low, high = self._sided(low, high, metric.bounds)
        sample.details["standard_error"] = standard_error
        return self._result(metric, float(expit(mean)), low, high, details=sample.details)
