"""Formulas on scores per fold, and a mixed model of the folds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize, minimize_scalar
from scipy.special import expit, log_expit, logit, ndtr, roots_hermitenorm
from scipy.stats import chi2, norm

from .._notes import warned
from .._parameters import By, Number, OneOf
from .._text import config_words
from .._utils import with_parameters
from .._warnings import warn_user
from ..contest._contest import BY_FOLDS, Contest, best_by_folds
from ..contest._folds import FoldContest, why_undefined
from ..contest._notes import bound_alone, caveats
from ..exceptions import IntervalWarning, UndefinedIntervalError
from ..metrics._metric import Metric
from ..metrics._scored import Scored
from ..predictions._predictions import OOFPredictions
from ..results._results import ConfidenceInterval
from ._analytic import row_values, wilson
from ._base import BaseInterval
from ._notes import lacking_note, no_spread, note_degenerate
from ._single_base import NOT_ACCOUNTED, OneConfigInterval, check_config, check_exists

OF_TRAINING_SETS = (
    "expected score, on new samples, of the model that one configuration, fixed in advance, gives"
)


WORTH_A_NOTE, WORTH_A_WARNING = 0.1, 0.25
"""Shares of the variance that stratified folds hide, from which on it is said."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldSample:
    """Scores of one configuration (n_splits,), all defined; the method may extend `details`."""

    metric: Metric
    scores: np.ndarray
    details: dict[str, Any] = field(default_factory=dict)


class FoldScoresInterval(BaseInterval):
    """Base of methods for one configuration that work on its scores per fold.

    They work from published fold scores and from any fitted search as well, since no
    prediction is needed.
    """

    requires = frozenset({"folds"})
    estimand = OF_TRAINING_SETS
    selection_aware = False

    config: int | None

    _constraints = {"config": By(check_config)}

    def _sample(self, contest: Contest) -> FoldSample:
        """Select the fold scores of the configuration of interest, with details and notes."""
        assert isinstance(contest, FoldContest)
        table, oof, metric = contest.scored, contest.oof, contest.scored.metric
        scores = table.recorded
        means = scores.mean(axis=0)
        best = best_by_folds(scores)
        if best is None:
            raise UndefinedIntervalError(why_undefined(table))
        best = best if oof.selected is None else oof.selected
        config = best if self.config is None else int(self.config)
        check_exists(config, oof)
        if np.isnan(means[config]):
            undefined = np.flatnonzero(np.isnan(scores[:, config])).tolist()
            raise ValueError(
                f"The selected model, {config_words(config, oof.params)}, has no {metric.name} in "
                f"fold {undefined}: it failed there, or the fold lacks a class."
            )
        infinite = np.flatnonzero(np.isinf(scores[:, config])).tolist()
        if infinite:
            raise UndefinedIntervalError(
                f"{type(self).__name__} needs finite scores, but "
                f"{config_words(config, oof.params)} has an infinite {metric.name} in fold "
                f"{infinite}."
            )
        chosen_here = config == best and np.count_nonzero(~np.isnan(means)) > 1
        details: dict[str, Any] = {
            "winner": best,
            "winner_by": BY_FOLDS if oof.selected is None else oof.selected_by,
            "config": config,
            "selection_accounted_for": not chosen_here,
            "unit": "fold",
            "n_untested": oof.n_untested if oof.n_rows else 0,
            "n_folds": len(scores),
            "n_repeats": oof.n_repeats,
            "n_configs": oof.n_configs,
            "notes": [
                *([NOT_ACCOUNTED] if chosen_here else []),
                *caveats(table),
            ],
        }
        details["notes"].extend(even_folds_notes(type(self).__name__, table, config))
        details["n_folds_lacking_class"], noted = lacking_note(table)
        details["notes"].extend(noted)
        return FoldSample(metric=metric, scores=scores[:, config], details=details)

    def _spread(self, sample: FoldSample, n_repeats: int = 1) -> float:
        """Compute the standard deviation of the fold scores; warn of zero, which is never true.

        With `n_repeats` it is the one within the repeats, which have equally many folds.
        """
        n_folds = len(sample.scores) // n_repeats
        by_repeat = sample.scores[: n_folds * n_repeats].reshape(n_repeats, n_folds)
        spread = float(np.sqrt(np.mean(np.var(by_repeat, axis=1, ddof=1))))
        degenerate = no_spread(spread, float(sample.scores.mean()))
        seen = f"All {len(sample.scores)} folds score the same"
        note_degenerate(sample.details, type(self).__name__, degenerate, seen=seen)
        return spread


def shares_are_even(held: np.ndarray) -> bool:
    """Check whether test sets (n_splits, n_classes) have about the class shares of all samples."""
    share = held.sum(axis=0) / held.sum()
    size = held.sum(axis=1, keepdims=True)
    squares = (held - size * share) ** 2
    at_random = size * share * (1 - share)
    return bool(squares.max() <= 1 and 2 * squares.sum() < at_random.sum())


def even_folds_notes(method: str, scored: Scored, config: int) -> list[str]:
    """Note where stratified folds hide a part of the spread of a score; warn if it is large."""
    hidden = hidden_by_stratification(scored, config)
    if hidden < WORTH_A_NOTE:
        return []
    note = (
        f"All folds have about the same shares of the classes, and {100 * hidden:.0f}% "
        f"of the variance of {scored.metric.name} is between classes: the spread of the fold "
        "scores leaves that out, so the interval is too narrow. Folds drawn at random "
        "(KFold with shuffle=True) show it."
    )
    if hidden >= WORTH_A_WARNING:
        warn_user(f"{method}: {note}", IntervalWarning)
    return [note]


def hidden_by_stratification(scored: Scored, config: int) -> float:
    """Compute the share of a score's variance that is between classes, if folds hide it."""
    oof = scored.oof
    if not oof.responses or oof.classes_ is None or oof.y_true.ndim != 1 or oof.n_splits < 2:
        return 0.0
    code = np.searchsorted(oof.classes_, oof.y_true)[oof.sample]
    held = np.zeros((oof.n_splits, len(oof.classes_)))  # (n_splits, n_classes)
    np.add.at(held, (oof.fold, code), 1)
    if not (shares_are_even(held) and oof.has_single_samples):
        return 0.0
    one = bound_alone(scored, config)
    values = None if one is None else one.pointwise(0)
    if values is None:
        return 0.0
    total = float(np.sum((values - values.mean()) ** 2))
    if not total > 0:
        return 0.0
    size = np.bincount(code, minlength=len(oof.classes_))
    means = np.bincount(code, values, len(oof.classes_)) / np.maximum(size, 1)
    return float((size * (means - values.mean()) ** 2).sum() / total)


@with_parameters
class CorrectedT(FoldScoresInterval):
    """Corrected resampled t interval from the scores per fold.

    The naive t interval over folds takes their scores as independent, although their
    training sets overlap. The correction adds the share of test to training samples to
    the variance.

    Parameters
    ----------
    {config}
    test_over_train : float, default=None
        Ratio of test to training samples of a split. None takes the mean over the splits:
        the recorded sizes, or ``1 / (n_folds - 1)`` of K-fold when there are none.
        0 gives the naive t interval. Needed for repeats of one fold each (single random
        splits) when training sizes are not recorded and every repeat tests all samples.
    {sides}

    See Also
    --------
    CorrelationAdjusted : Another account of the overlap of the training sets.

    Notes
    -----
    With J scores of standard deviation S the standard error is
    ``S * sqrt(1 / J + n_test / n_train)``, and the quantile is Student's with J - 1
    degrees of freedom; J counts the folds of all repeats. The ratio is a heuristic: the
    method tends to be liberal, and no unbiased estimate of the variance of
    cross-validation exists [2]_. Any metric; time O(J).

    Stratified folds all have the same shares of the classes, so their scores do not show what
    new data with other shares would do. Where the classes are not predicted equally well this
    matters: discriminant analysis of 80 samples, 20% positive, accuracy, 5 folds: a 95%
    interval held the truth in 84% of 150 data sets with stratified folds, in 96% with random
    ones. A note tells how much of the variance that is, and from a quarter on a warning.

    `details` of the result: ``standard_error``, ``test_over_train``, ``degenerate``,
    ``config``, ``winner``, ``winner_by``, ``selection_accounted_for``, ``n_folds``,
    ``unit``, ``n_untested``, ``n_repeats``, ``n_configs``, ``n_folds_lacking_class`` (where the
    metric treats classes apart and has a value by convention), ``notes``.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine
       Learning 52, 239-281 (2003). :doi:`10.1023/A:1024068626366`
    .. [2] Y. Bengio, Y. Grandvalet, "No unbiased estimator of the variance of K-fold
       cross-validation", Journal of Machine Learning Research 5, 1089-1105 (2004).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import CorrectedT
    >>> scores = np.array([[0.80], [0.75], [0.90], [0.70], [0.85]])
    >>> oof = OOFPredictions.from_fold_scores({"accuracy": scores})
    >>> low, high = CorrectedT().estimate(oof, "accuracy")
    >>> print(f"{low:.4f} to {high:.4f}")
    0.6528 to 0.9472
    """

    name = "corrected_t"
    label = ("the corrected resampled t interval", "corrected t")
    meant_for = "one configuration of which only scores per fold are known"
    cost = "O(F)"
    limits = (
        "few folds: very wide; unequal folds; a heuristic that tends to be too narrow; "
        "stratified folds and accuracy where a class is badly predicted (noted)"
    )
    config: int | None = None
    test_over_train: float | None = None
    confidence_level: float = 0.95
    alternative: str = "two-sided"

    _constraints = {
        "test_over_train": Number(
            least=0, or_none=True, hint="For 10-fold cross-validation it is 1 / 9."
        )
    }

    def _estimate(self, contest: Contest) -> ConfidenceInterval:
        sample = self._sample(contest)
        n_scores, ratio = len(sample.scores), self.test_over_train
        ratio = size_ratio(contest.oof) if ratio is None else ratio
        sample.details["test_over_train"] = ratio
        standard_error = self._spread(sample) * float(np.sqrt(1 / n_scores + ratio))
        return self._from_se(
            float(sample.scores.mean()), standard_error, sample.metric, degrees=n_scores - 1,
            details=sample.details,
        )  # fmt: skip


def size_ratio(oof: OOFPredictions, method: str = "CorrectedT") -> float:
    """Average the ratio of test to training samples over the splits; raise where unknown."""
    if oof.n_rows:
        test = np.bincount(oof.fold, minlength=oof.n_splits)
        if oof.train_size is not None:
            return float(np.mean(test / oof.train_size))
        # K-fold trains on what it does not test.
        n_tested = oof.n_samples - oof.n_untested
        if (test < n_tested).all():
            return float(np.mean(test / (n_tested - test)))
    folds = oof.n_splits / oof.n_repeats
    if folds <= 1:
        raise ValueError(
            f"{method} needs the ratio of test to training samples, which is not known for "
            "repeats of one fold each. Give test_over_train, such as 1 / 3 for splits that test "
            "on a quarter, or predictions with train_size."
        )
    return 1 / (folds - 1)


@with_parameters
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
    {config}
    {sides}

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

    `details` of the result: ``form``, ``standard_error``, ``correlation``, ``degenerate``,
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
    >>> oof = OOFPredictions.from_fold_scores({"accuracy": scores})
    >>> result = CorrelationAdjusted().estimate(oof, "accuracy")
    >>> print(f"{result.low:.3f} to {result.high:.3f}, {result.details['correlation']:.4f}")
    0.583 to 1.000, 0.9716
    >>> print("{:.3f} to {:.3f}".format(*result.details["unclipped"]))  # as published
    0.583 to 1.017
    """

    name = "correlation_adjusted"
    label = ("the correlation-adjusted t interval", "correlation-adjusted t")
    form_labels = {
        "normal": ("the correlation-adjusted normal interval", "correlation-adjusted normal"),
        "normal, logit scale": (
            "the correlation-adjusted normal interval on the logit scale",
            "correlation-adjusted normal, logit scale",
        ),
        "t, logit scale": (
            "the correlation-adjusted t interval on the logit scale",
            "correlation-adjusted t, logit scale",
        ),
    }
    meant_for = (
        "one configuration of which only scores per fold are known, as a cross-check of the "
        "corrected t"
    )
    cost = "O(F)"
    limits = (
        "2 folds: correlation 0, too narrow; equal scores; scores near 1 without the logit "
        "form; stratified folds as the corrected t"
    )
    r: float = 0.1
    student: bool = True
    on_logit_scale: bool = False
    config: int | None = None
    confidence_level: float = 0.95
    alternative: str = "two-sided"

    _constraints = {"r": Number(above=0, hint="The usual value is 0.1.")}

    def _estimate(self, contest: Contest) -> ConfidenceInterval:
        oof, sample = contest.oof, self._sample(contest)
        metric = sample.metric
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
        sample.details["form"] = "t" if self.student else "normal"
        if self.on_logit_scale:
            sample.details["form"] += ", logit scale"
        variance = (
            self._spread(sample, oof.n_repeats) ** 2 / n_folds * (1 + (n_folds - 1) * correlation)
        )
        standard_error, degrees = float(np.sqrt(variance)), n_folds - 1 if self.student else None
        mean, half = float(scores.mean()), self._multiple(degrees) * standard_error
        if not self.on_logit_scale:
            return self._from_se(
                mean, standard_error, metric, degrees=degrees, details=sample.details
            )
        low, high = float(expit(mean - half)), float(expit(mean + half))
        low, high = self._sided(low, high, metric.bounds)
        sample.details["standard_error"] = standard_error
        return self._result(metric, float(expit(mean)), low, high, details=sample.details)


N_NODES = 20
STEP = 0.25
"""Of the trapezoidal rule: 1e-14 of the mean, from tau = 0 to as far as one likes."""


@with_parameters
class FoldGLMM(OneConfigInterval):
    """Logistic model of right predictions, with a random effect of the fold.

    Parameters
    ----------
    interval : {"wald", "profile"}, default="wald"
        ``"wald"`` uses the curvature of the likelihood at its top, ``"profile"`` the
        values that the likelihood ratio test does not reject.
    marginal : bool, default=False
        Report the mean over folds of the share of right predictions instead of that of
        the median fold; the bounds are turned in the same way.
    {config}
    {sides}

    Raises
    ------
    ValueError
        If the metric is not a proportion of right predictions.

    See Also
    --------
    Wald : The same without an effect of the fold.

    Notes
    -----
    The number of right predictions in fold k is binomial with
    ``logit(p_k) = b + u_k`` and ``u_k`` normal with mean 0 and standard deviation tau.
    Both are fitted by maximum likelihood with adaptive Gauss-Hermite quadrature of 20
    nodes, tau = 0 allowed (the interval is then Wald's on the logit scale). With few
    folds tau is hardly identified: it is often estimated as 0, and the interval is then
    too narrow. Where every fold is right or wrong as a whole, b or tau is infinite;
    Wilson's interval is reported instead (of predictions if all agree or each is a fold,
    else of folds), and a warning says so. The same holds for the profile where the
    information has no inverse. For accuracy and the recall of
    one class. Of repeated cross-validation each fold of each repeat would count as new
    samples, so it is refused.

    `details` of the result: ``form`` (``"wald"``, ``"profile"`` or ``"wilson"``: what the
    bounds are), ``tau``, ``intercept``, ``standard_error`` (of the intercept), ``fallback``,
    {details of one}.

    References
    ----------
    .. [1] M. J. A. Eugster, "Benchmark experiments: a tool for analyzing statistical
       learning algorithms", thesis, LMU Munich (2011).
    .. [2] G. Rosenthal, "Confidence intervals for cross-validated performance", thesis
       (2024).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import FoldGLMM
    >>> y = np.tile([0, 1], 50)
    >>> wrong = np.concatenate([np.arange(20) < n for n in (2, 10, 4, 1, 8)])
    >>> oof = OOFPredictions(y_true=y, y_pred=np.where(wrong, 1 - y, y), fold=np.arange(100) // 20)
    >>> result = FoldGLMM().estimate(oof, "accuracy")
    >>> print(f"{result.estimate:.3f}, {result.low:.3f} to {result.high:.3f}")
    0.783, 0.582 to 0.903
    """

    name = "fold_glmm"
    label = ("a mixed model of the folds", "mixed model of folds")
    form_labels = {
        "profile": (
            "the profile likelihood of a mixed model of the folds",
            "mixed model of folds, profile",
        ),
        "wilson": ("Wilson's interval", "Wilson"),
    }
    requires = frozenset({"predictions", "folds", "ungrouped", "unweighted"})
    estimand = OF_TRAINING_SETS
    meant_for = "a proportion, such as accuracy, that varies between few folds"
    cost = "a likelihood fit: O(F) per step"
    limits = (
        "few folds: their spread is hardly known, very wide; all right or all wrong "
        "(Wilson's interval instead, noted)"
    )
    interval: str = "wald"
    marginal: bool = False
    config: int | None = None
    confidence_level: float = 0.95
    alternative: str = "two-sided"

    _constraints = {"interval": OneOf(("wald", "profile"))}

    def _estimate(self, contest: Contest) -> ConfidenceInterval:
        oof, kernel = contest.oof, contest.scored
        target = self._target(contest)
        found = row_values(kernel, target.config)
        if found is None or kernel.metric.sign < 0 or not np.isin(found[0], (0.0, 1.0)).all():
            raise ValueError(
                f"FoldGLMM is for proportions (accuracy, recall of one class), got "
                f"{kernel.metric.name}. Use HierarchicalBootstrap, which takes any metric."
            )
        if (not oof.is_partition and len(np.unique(oof.sample)) < oof.n_rows) or oof.n_repeats > 1:
            raise ValueError(
                "FoldGLMM takes each prediction as a new sample, but some samples were predicted "
                "several times. Use one pass of K-fold, or HierarchicalBootstrap."
            )
        values, counted = found
        right = np.bincount(oof.fold[counted], values[counted], oof.n_splits)
        trials = np.bincount(oof.fold[counted], minlength=oof.n_splits).astype(float)
        right, trials = right[trials > 0], trials[trials > 0]
        bounds = kernel.metric.bounds
        total, n = float(right.sum()), float(trials.sum())
        if n == 0:
            raise UndefinedIntervalError(
                f"No sample counts for {kernel.metric.name}, so there is nothing to fit."
            )
        target.details["fallback"] = None
        whole = (right == 0) | (right == trials)
        if whole.all():
            # The likelihood rises towards an infinite spread of the folds, or none at all.
            single = bool((trials == 1).all()) or total in (0.0, n)
            right_units, units = (total, n) if single else (float((right > 0).sum()), len(right))
            what = (
                f"All {int(n)} predictions are {'right' if total else 'wrong'}"
                if total in (0.0, n)
                else "Every fold is right or wrong as a whole"
            )
            note = (
                f"{what}, which puts the model's parameters at infinity; this is Wilson's "
                f"interval of {'predictions' if single else 'folds'} instead."
            )
            target.details["fallback"] = target.details["form"] = "wilson"
            target.details["notes"].append(warned(note, "FoldGLMM"))
            low, high = self._sided(*wilson(right_units, units, self._tail()), bounds)
            return self._result(kernel.metric, total / n, low, high, details=target.details)
        model = RandomIntercept(right, trials)
        target.details.update(tau=model.tau, intercept=model.intercept)
        form = self.interval
        if form == "wald" and np.isnan(model.standard_error):
            note = (
                "The likelihood is so flat in the spread of the folds that the information has no "
                "inverse; this is the profile likelihood interval instead."
            )
            form = target.details["fallback"] = "profile"
            target.details["notes"].append(warned(note, "FoldGLMM"))
        target.details["form"] = form
        if form == "wald":
            target.details["standard_error"] = model.standard_error
            half = norm.ppf(1 - self._tail()) * model.standard_error
            low, high = model.intercept - half, model.intercept + half
        else:
            low, high = model.profile(self._tail())
        tau = model.tau if self.marginal else 0.0
        estimate, low, high = (marginal_mean(b, tau) for b in (model.intercept, low, high))
        low, high = self._sided(low, high, bounds)
        return self._result(kernel.metric, estimate, low, high, details=target.details)


class RandomIntercept:
    """Binomial counts, (n_groups,), with one normal random effect per group, fitted by likelihood.

    `intercept` and `tau` are the estimates of the mean and the standard deviation of the log odds,
    `standard_error` that of the intercept, from the observed information; of the intercept alone
    where tau is 0; NaN where the information is not positive definite.
    """

    def __init__(self, right: np.ndarray, trials: np.ndarray) -> None:
        self._right, self._trials = right, trials
        nodes, weights = roots_hermitenorm(N_NODES)
        self._nodes, self._log_weights = nodes, np.log(weights)
        start = float(logit(right.sum() / trials.sum()))
        candidates = [np.array([start, 0.0])]
        for tau in (0.3, 1.0):
            found: Any = minimize(
                lambda p: -self.log_likelihood(p[0], p[1]),
                np.array([start, tau]),
                bounds=[(None, None), (0.0, None)],
                method="L-BFGS-B",
            )
            candidates.append(found.x)
        best = max(candidates, key=lambda p: self.log_likelihood(p[0], p[1]))
        self.intercept, self.tau = float(best[0]), float(best[1])
        self._top = self.log_likelihood(self.intercept, self.tau)
        self.standard_error = self._standard_error()

    def log_likelihood(self, intercept: float, tau: float) -> float:
        """Compute the log likelihood up to a constant."""
        right, wrong = self._right, self._trials - self._right
        if tau < 1e-4:
            log_odds = np.full(len(right), intercept)
            return float((right * log_expit(log_odds) + wrong * log_expit(-log_odds)).sum())
        mode, spread = self._modes(intercept, tau)
        u = mode[:, None] + spread[:, None] * self._nodes  # (n_groups, n_nodes)
        log_odds = intercept + tau * u
        log_density = (
            right[:, None] * log_expit(log_odds)
            + wrong[:, None] * log_expit(-log_odds)
            - 0.5 * u**2
            # Nodes are for the weight exp(-x^2 / 2), which the integrand is divided by.
            + 0.5 * self._nodes**2
            + self._log_weights
        )
        integral = (
            np.logaddexp.reduce(log_density, axis=1) + np.log(spread) - 0.5 * np.log(2 * np.pi)
        )
        return float(integral.sum())

    def _modes(self, intercept: float, tau: float) -> tuple[np.ndarray, np.ndarray]:
        """Find where the integrand over each group's effect peaks, and how wide it is."""
        # The slope falls with u, so its root stays bracketed: Newton's step where it keeps
        # within, else the middle. Newton alone swings around it when the effect is large.
        low, high = -tau * self._trials, tau * self._trials
        u = np.zeros(len(self._right))
        for _ in range(100):
            p = expit(intercept + tau * u)
            slope = tau * (self._right - self._trials * p) - u
            low, high = np.where(slope > 0, u, low), np.where(slope > 0, high, u)
            new = u + slope / (tau**2 * self._trials * p * (1 - p) + 1)
            new = np.where((new > low) & (new < high), new, (low + high) / 2)
            moved, u = np.abs(new - u).max(), new
            if moved < 1e-12:
                break
        p = expit(intercept + tau * u)
        return u, 1 / np.sqrt(tau**2 * self._trials * p * (1 - p) + 1)

    def _standard_error(self) -> float:
        step = 1e-3

        def value(db: float, dt: float) -> float:
            return self.log_likelihood(self.intercept + db, self.tau + dt)

        bb = (value(step, 0) - 2 * self._top + value(-step, 0)) / step**2
        if self.tau <= 2 * step:
            return float(1 / np.sqrt(-bb))
        tt = (value(0, step) - 2 * self._top + value(0, -step)) / step**2
        bt = (
            value(step, step) - value(step, -step) - value(-step, step) + value(-step, -step)
        ) / (4 * step**2)
        determinant = bb * tt - bt**2
        return float(np.sqrt(-tt / determinant)) if tt < 0 < determinant else np.nan

    def profile(self, tail: float) -> tuple[float, float]:
        """Find the intercepts at which the profile likelihood drops to the critical value."""
        critical = self._top - 0.5 * float(chi2.ppf(1 - 2 * tail, 1))

        def excess(intercept: float) -> float:
            found = minimize_scalar(
                lambda tau: -self.log_likelihood(intercept, tau), bounds=(0, 20), method="bounded"
            )
            known = (self.log_likelihood(intercept, tau) for tau in (0.0, self.tau))
            return max(-float(found.fun), *known) - critical

        ends = []
        for direction in (-1, 1):
            distance = 1.0
            while excess(self.intercept + direction * distance) > 0 and distance < 64:
                distance *= 2
            far = self.intercept + direction * distance
            if excess(far) > 0:  # flat: the data do not bound this side
                ends.append(direction * np.inf)
            else:
                ends.append(float(brentq(excess, *sorted((self.intercept, far)))))
        return ends[0], ends[1]


def marginal_mean(intercept: float, tau: float) -> float:
    """Average expit(intercept + tau * u) over a standard normal u, exact up to rounding.

    By the trapezoidal rule, whose error falls exponentially with the step for integrands that are
    smooth and vanish at both ends. Up to tau = 1 that is so over u. Beyond, expit turns into a
    step, so the mean is taken the other way round: with x logistic it is
    ``P(x < intercept + tau * u)``, the mean of ``Phi((intercept - x) / tau)`` over x.
    """
    if tau == 0 or np.isinf(intercept):
        return float(expit(intercept))
    if tau <= 1:
        u = STEP * np.arange(-40, 41)  # the normal density at 10 is 1e-22
        return float(STEP * (expit(intercept + tau * u) * norm.pdf(u)).sum())
    x = STEP * np.arange(-160, 161)  # the logistic density at 40 is 4e-18
    density = expit(x) * expit(-x)
    return float(STEP * (ndtr((intercept - x) / tau) * density).sum())
