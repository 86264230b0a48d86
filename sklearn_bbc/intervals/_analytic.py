"""Formulas for one configuration: central limit theorem, proportions, precision and F1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import beta, norm
from sklearn.metrics import (
    f1_score,
    mean_squared_error,
    precision_score,
    recall_score,
    roc_auc_score,
    root_mean_squared_error,
)

from .._parameters import OneOf
from .._utils import with_parameters
from ..contest._contest import Contest
from ..exceptions import UndefinedIntervalError
from ..metrics._metric import BoundMetric, Metric, as_metric
from ..results._results import ConfidenceInterval
from ._auc import auc_parts_of, check_both_classes, check_repeats
from ._notes import clopper_pearson, no_spread, note_degenerate
from ._single_base import OneConfigInterval, OneConfigTask

PROPORTION_OF_FOLD_MODELS = (
    "mean score on new samples of the models of the folds, of one configuration fixed in advance"
)


@with_parameters
class BayleCV(OneConfigInterval):
    """Interval from the central limit theorem of cross-validation.

    What it estimates is the mean performance of the very models that the folds trained,
    given their training sets. The variation over training sets is not part of it, so it
    is too narrow for the performance of the method or of the refitted model.

    Parameters
    ----------
    variance : {"all-pairs", "within-fold"}, default="all-pairs"
        ``"all-pairs"`` takes the variance of the losses around their overall mean,
        ``"within-fold"`` the mean of the variances of the folds, which needs at least 2
        samples in each.
    {config}
    {sides}

    Raises
    ------
    ValueError
        If the metric is not a mean over samples, or a fold has a single sample and
        ``variance="within-fold"``.

    See Also
    --------
    CVAUC : For the area under the ROC curve.
    CorrectedT : For the performance over training sets.

    Notes
    -----
    The interval is ``R -+ z sqrt(s2 / n)`` with R the mean loss over the n samples (not
    the mean of the fold means) and s2 the chosen variance. It is valid when the loss is
    stable, that is, when exchanging one training sample hardly changes it. The root of
    the mean squared error is covered by the delta method. Of repeated cross-validation,
    the losses of a sample are averaged over the repeats for ``"all-pairs"``, and the
    variances for ``"within-fold"``. Time O(n_samples).

    `details` of the result: ``form`` (the chosen variance), ``standard_error``, ``variance``,
    ``n``, ``degenerate``,
    {details of one}.

    References
    ----------
    .. [1] P. Bayle, A. Bayle, L. Janson, L. Mackey, "Cross-validation confidence intervals
       for test error", Advances in Neural Information Processing Systems 33 (2020).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import BayleCV
    >>> wrong = np.array([0, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 1])
    >>> y = np.tile([0, 1], 10)
    >>> oof = OOFPredictions(y_true=y, y_pred=np.abs(y - wrong), fold=np.arange(20) // 5)
    >>> result = BayleCV().estimate(oof, "accuracy")
    >>> print(f"{result.estimate:.2f}, {result.details['standard_error']:.7f}")
    0.60, 0.1095445
    """

    name = "bayle_cv"
    label = ("the normal approximation of Bayle et al.", "Bayle")
    form_labels = {
        "within-fold": (
            "the normal approximation of Bayle et al. with the variance within folds",
            "Bayle, within folds",
        ),
    }
    requires = frozenset({"predictions", "folds", "ungrouped", "unweighted"})
    estimand = PROPORTION_OF_FOLD_MODELS
    meant_for = "the error of the models of the folds themselves, by a mean over samples"
    cost = "O(N)"
    limits = (
        "unstable learners; too narrow for the refitted model or the method; losses that are "
        "nearly equal"
    )
    variance: str = "all-pairs"
    config: int | None = None
    confidence_level: float = 0.95
    alternative: str = "two-sided"

    _constraints = {"variance": OneOf(("all-pairs", "within-fold"))}

    def _estimate(self, contest: Contest) -> ConfidenceInterval:
        oof, kernel = contest.oof, contest.scored
        target = self._target(contest)
        values = _means_of_rows(kernel, target.config)
        if values is None:
            raise ValueError(
                f"BayleCV needs a metric that is a mean over samples (accuracy, log loss, squared "
                f"error) or the root of the mean squared error, got {kernel.metric.name}. For "
                "roc_auc use CVAUC."
            )
        n = oof.n_samples - oof.n_untested
        times = np.bincount(oof.sample, minlength=oof.n_samples)
        of_sample = np.bincount(oof.sample, values, oof.n_samples)[times > 0] / times[times > 0]
        estimate = float(of_sample.mean())
        if self.variance == "all-pairs":
            variance = float(np.mean((of_sample - estimate) ** 2))
        else:
            sizes = np.bincount(oof.fold)
            if sizes.min() < 2:
                raise ValueError(
                    "variance='within-fold' needs at least 2 samples in every fold, but fold "
                    f"{int(sizes.argmin())} has {int(sizes.min())}. Use variance='all-pairs'."
                )
            folds = range(oof.n_splits)
            variance = float(np.mean([np.var(values[oof.fold == k], ddof=1) for k in folds]))
        standard_error = float(np.sqrt(variance / n))
        if kernel.metric.score_func is root_mean_squared_error:
            # d sqrt(x) / dx; the score is minus the root.
            root = float(np.sqrt(-estimate))
            estimate, standard_error = -root, standard_error / (2 * root) if root else 0.0
        degenerate = no_spread(standard_error, estimate)
        target.details.update(form=self.variance, variance=variance, n=n)
        seen = f"All samples contribute {estimate:g}"
        note_degenerate(target.details, "BayleCV", degenerate, seen=seen)
        return self._from_se(estimate, standard_error, kernel.metric, details=target.details)


def _means_of_rows(kernel: BoundMetric, config: int) -> np.ndarray | None:
    """Compute the value of each row; minus the squared error for the root mean squared error."""
    oof = kernel.oof
    metric: Metric = kernel.metric
    if metric.score_func is root_mean_squared_error and not metric.kwargs:
        kernel = as_metric("neg_mean_squared_error").bind(oof)
        assert kernel.metric.score_func is mean_squared_error
    return kernel.pointwise(config)


def normal(successes: float, n: float, tail: float) -> tuple[float, float]:
    """Compute the normal approximation, which has no width with 0 or n successes."""
    share = successes / n
    half = norm.ppf(1 - tail) * np.sqrt(share * (1 - share) / n)
    return share - half, share + half


def wilson(successes: float, n: float, tail: float) -> tuple[float, float]:
    """Compute Wilson's interval: the shares that the score test does not reject."""
    z = norm.ppf(1 - tail)
    share = successes / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    # At the ends of the range the bound is exact, whatever rounding says.
    return (0.0 if successes == 0 else centre - half), (1.0 if successes == n else centre + half)


def agresti_coull(successes: float, n: float, tail: float) -> tuple[float, float]:
    """Compute the normal approximation after adding z^2 samples, half of them successes."""
    z = norm.ppf(1 - tail)
    low, high = normal(successes + z**2 / 2, n + z**2, tail)
    return max(low, 0.0), min(high, 1.0)


def jeffreys(successes: float, n: float, tail: float) -> tuple[float, float]:
    """Take quantiles of Jeffreys' posterior; low is 0 at 0 successes, high is 1 at n of them."""
    failures = n - successes
    low = beta.ppf(tail, successes + 0.5, failures + 0.5) if successes > 0 else 0.0
    high = beta.ppf(1 - tail, successes + 0.5, failures + 0.5) if failures > 0 else 1.0
    return float(low), float(high)


PROPORTION_FORMS: dict[str, Callable[[float, float, float], tuple[float, float]]] = {
    "normal": normal,
    "wilson": wilson,
    "clopper-pearson": clopper_pearson,
    "agresti-coull": agresti_coull,
    "jeffreys": jeffreys,
}
"""Each takes successes, trials and the error rate of one tail."""


def row_values(kernel: BoundMetric, config: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Compute a value for each row, and mark the rows that the metric averages, (n_rows,) each."""
    values = kernel.pointwise(config)
    if values is not None:
        return values, np.ones(len(values), dtype=bool)
    kwargs = dict(kernel.metric.kwargs)
    pos_label = kwargs.pop("pos_label", 1)
    average = kwargs.pop("average", "binary")
    if kernel.metric.score_func is not recall_score or average != "binary" or kwargs:
        return None
    right, counted = [], []
    for part in kernel.held_out(np.array([config])):
        y_codes, pred_codes, classes = part.rows.labels()
        positive = class_position(classes, pos_label)
        right.append(pred_codes[0] == y_codes)
        counted.append(y_codes == (-1 if positive is None else positive))
    return np.concatenate(right).astype(float), np.concatenate(counted)


def class_position(classes: np.ndarray, label: Any) -> int | None:
    """Find the position of a label among sorted classes; None if it is not one of them."""
    found = np.flatnonzero(classes == label)
    return int(found[0]) if len(found) else None


SCORE_NAMES = {precision_score: "precision", recall_score: "recall", f1_score: "f1"}
PRF_AVERAGES = ("binary", "micro", "macro", "weighted")


@with_parameters
class Takahashi(OneConfigInterval):
    """Analytic interval for precision, recall or F1: binary, micro, macro or weighted.

    The cells of the confusion matrix are multinomial, and the score is a smooth function
    of them, so its standard error follows from the delta method.

    Parameters
    ----------
    {config}
    {sides}

    Raises
    ------
    ValueError
        If the metric is not one of these scores, or has an argument (``labels``,
        ``zero_division``...) that the formulas do not know.
    UndefinedIntervalError
        If a class that the score needs is neither true nor predicted anywhere.

    See Also
    --------
    PooledBootstrap : For any metric.

    Notes
    -----
    With shares p_ij of true class i predicted as j, the variance of a score g is
    ``(sum p_ij g_ij**2 - (sum p_ij g_ij)**2) / n`` with ``g_ij = dg / dp_ij``. For micro
    and macro F1 these are the formulas of [1]_. Class shares count as random, as in a
    sample of the population. Near 0 and 1 and for rare classes the normal approximation
    is poor. Bounds are cut at 0 and 1, the uncut ones are in ``details["unclipped"]``.

    `details` of the result: ``standard_error``, ``average``, ``n``, ``degenerate``,
    {details of one}.

    References
    ----------
    .. [1] K. Takahashi, K. Yamamoto, A. Kuchiba, T. Koyama, "Confidence interval for
       micro-averaged F1 and macro-averaged F1 scores", Applied Intelligence 52, 4961-4972
       (2022). :doi:`10.1007/s10489-021-02635-5`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import Takahashi
    >>> y = np.repeat([0, 0, 1, 1], [40, 10, 5, 45])
    >>> y_pred = np.repeat([0, 1, 0, 1], [40, 10, 5, 45])
    >>> result = Takahashi().estimate(OOFPredictions(y_true=y, y_pred=y_pred), "f1")
    >>> print(f"{result.estimate:.4f} from {result.low:.4f} to {result.high:.4f}")
    0.8571 from 0.7856 to 0.9287
    """

    name = "takahashi"
    label = ("the method of Takahashi et al.", "Takahashi")
    meant_for = "F1 scores and other ratios of counts of one model on samples that it has not seen"
    cost = "O(N)"
    limits = "scores near 0 or 1; rare classes; a class that is never predicted"
    requires = frozenset({"predictions", "ungrouped", "unweighted"})
    config: int | None = None
    confidence_level: float = 0.95
    alternative: str = "two-sided"

    def _estimate(self, contest: Contest) -> ConfidenceInterval:
        oof, kernel = contest.oof, contest.scored
        score, average, pos_label = score_and_average(kernel)
        target = self._target(contest)
        variances, estimates = [], []
        for part in kernel.held_out(np.array([target.config])):
            y_codes, pred_codes, classes = part.rows.labels()
            n_classes = len(classes)
            cells = np.bincount(y_codes * n_classes + pred_codes[0], minlength=n_classes**2)
            shares = cells.reshape(n_classes, n_classes) / cells.sum()
            positive = class_position(classes, pos_label) if average == "binary" else None
            if average == "binary" and positive is None:
                raise UndefinedIntervalError(
                    f"The {score} of class {pos_label} is undefined: it is never true or "
                    f"predicted, there is only class {', '.join(map(str, classes))}."
                )
            value, gradient = value_and_gradient(shares, score, average, positive)
            estimates.append(value)
            variances.append((shares * gradient**2).sum() - (shares * gradient).sum() ** 2)
        n = oof.n_samples - oof.n_untested
        # Repeats are predictions of the same samples: their variances do not add up.
        standard_error = float(np.sqrt(max(float(np.mean(variances)), 0.0) / n))
        target.details.update(average=average, n=n)
        note_degenerate(
            target.details, "Takahashi", not standard_error > 1e-12,
            around=f"{np.mean(estimates):g}",
        )  # fmt: skip
        return self._normal(target, float(np.mean(estimates)), standard_error)


def score_and_average(kernel: BoundMetric) -> tuple[str, str, Any]:
    """Find the score, the average and the positive label that a metric stands for."""
    metric = kernel.metric
    kwargs = dict(metric.kwargs)
    pos_label = kwargs.pop("pos_label", 1)
    average = kwargs.pop("average", "binary")
    if metric.score_func not in SCORE_NAMES or kwargs or average not in PRF_AVERAGES:
        extra = f" with {sorted(kwargs)}" if kwargs else ""
        raise ValueError(
            f"Takahashi is for precision, recall and F1 with average in {list(PRF_AVERAGES)}, got "
            f"{metric.name}{extra}. Use PooledBootstrap, which takes any metric."
        )
    return SCORE_NAMES[metric.score_func], average, pos_label


def value_and_gradient(
    shares: np.ndarray, score: str, average: str, positive: int | None
) -> tuple[float, np.ndarray]:
    """Compute a score of a confusion matrix and its derivatives, (n_classes, n_classes) both."""
    n_classes = len(shares)
    if average == "micro":
        # Over all classes precision, recall and F1 are the share of right predictions.
        return float(np.trace(shares)), np.eye(n_classes)
    chosen = np.arange(n_classes) if positive is None else np.array([positive])
    true, predicted = shares.sum(axis=1), shares.sum(axis=0)
    value, gradient = 0.0, np.zeros_like(shares)
    weights = true if average == "weighted" else np.full(n_classes, 1 / len(chosen))
    for k in chosen:
        right = shares[k, k]
        # Each score is 2 p_kk / (a + b) with a, b among the true and the predicted share.
        by_row = {"precision": 0, "recall": 2, "f1": 1}[score]
        by_column = 2 - by_row
        whole = by_row * true[k] + by_column * predicted[k]
        if whole == 0:
            what = {"precision": "predicted", "recall": "true", "f1": "true or predicted"}[score]
            raise UndefinedIntervalError(
                f"The {score} of class number {k} is undefined: it is never {what}, so there is "
                "no variance to compute."
            )
        of_class = 2 * right / whole
        derivative = np.zeros_like(shares)
        derivative[k, :] -= by_row * 2 * right / whole**2
        derivative[:, k] -= by_column * 2 * right / whole**2
        derivative[k, k] += 2 / whole
        value += weights[k] * of_class
        gradient += weights[k] * derivative
        if average == "weighted":  # the weight is a share too
            gradient[k, :] += of_class
    return float(value), gradient


@with_parameters
class Wald(OneConfigInterval):
    """Textbook interval that takes all out-of-fold predictions as independent results.

    What most papers report. It ignores that the predictions of a fold come from one
    model, and that the models share training samples, so it is too narrow; it is here as
    the baseline.

    Parameters
    ----------
    form : {"normal", "wilson", "clopper-pearson", "agresti-coull", "jeffreys"}, \
            default="normal"
        How the interval of a proportion is computed. All but ``"normal"`` are for
        metrics that are proportions: accuracy, and the recall of one class.
    {config}
    {sides}

    Raises
    ------
    ValueError
        If the metric is not a mean over samples, the recall of one class or roc_auc.

    See Also
    --------
    BayleCV : The same idea with a proof of what it estimates.
    HierarchicalBootstrap : Knows of the folds.

    Notes
    -----
    With n samples of which a share p is right, ``"normal"`` is ``p -+ z sqrt(p (1 - p) /
    n)``; the others are the usual ones, see [1]_. Of other means over samples (log loss,
    squared error) the standard error is the standard deviation over the square root of n.
    Of roc_auc it is DeLong's. Recall counts the samples of its class only. With repeated
    cross-validation n stays the number of samples. Time O(n_samples).

    `details` of the result: ``form``, ``n``, ``standard_error`` (normal form),
    ``degenerate``, {details of one}.

    References
    ----------
    .. [1] L. D. Brown, T. T. Cai, A. DasGupta, "Interval estimation for a binomial
       proportion", Statistical Science 16, 101-133 (2001). :doi:`10.1214/ss/1009213286`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import Wald
    >>> y = np.tile([0, 1], 50)
    >>> y_pred = np.where(np.arange(100) < 20, 1 - y, y)  # 80 of 100 are right
    >>> oof = OOFPredictions(y_true=y, y_pred=y_pred, fold=np.arange(100) // 20)
    >>> low, high = Wald(form="wilson").estimate(oof, "accuracy")
    >>> print(f"{low:.4f} to {high:.4f}")
    0.7112 to 0.8666
    """

    name = "wald"
    label = ("the Wald interval", "Wald")
    form_labels = {
        "agresti-coull": ("the Agresti-Coull interval", "Agresti-Coull"),
        "clopper-pearson": ("the Clopper-Pearson interval", "Clopper-Pearson"),
        "jeffreys": ("Jeffreys' interval", "Jeffreys"),
        "wilson": ("Wilson's interval", "Wilson"),
    }
    meant_for = "a mean over samples of one model on samples that it has not seen"
    cost = "O(N)"
    limits = (
        "ignores folds and training: too narrow after cross-validation; proportions of 0 or 1"
        " in the normal form (width 0, marked)"
    )
    requires = frozenset({"predictions", "ungrouped", "unweighted"})
    form: str = "normal"
    config: int | None = None
    confidence_level: float = 0.95
    alternative: str = "two-sided"

    _constraints = {"form": OneOf(PROPORTION_FORMS)}

    def _estimate(self, contest: Contest) -> ConfidenceInterval:
        oof, kernel = contest.oof, contest.scored
        target = self._target(contest)
        target.details["form"] = self.form
        found = row_values(kernel, target.config)
        if found is not None:
            values, counted = found
            n = len(np.unique(oof.sample[counted]))
            if n == 0:
                raise UndefinedIntervalError(
                    f"No sample counts for {kernel.metric.name}, so there is nothing to average."
                )
            target.details["n"] = n
            estimate = float(values[counted].mean())
            if kernel.metric.sign > 0 and np.isin(values, (0.0, 1.0)).all():
                return self._of_proportion(target, estimate, n)
            # One value per sample: the rows of a sample are not independent results.
            of_sample = np.bincount(oof.sample[counted], values[counted], oof.n_samples)
            times = np.bincount(oof.sample[counted], minlength=oof.n_samples)
            spread = float(np.std(of_sample[times > 0] / times[times > 0], ddof=1)) if n > 1 else 0
            return self._of_other(target, estimate, spread / np.sqrt(n))
        if kernel.metric.score_func is roc_auc_score and len(kernel.strata_names) == 2:
            check_repeats(oof, "Wald")
            parts = auc_parts_of(kernel, np.array([target.config]))
            check_both_classes(parts, kernel, "sample", "Wald")
            target.details["n"] = oof.n_samples - oof.n_untested
            return self._of_other(
                target, float(parts.auc[0]), float(np.sqrt(max(parts.covariance()[0, 0], 0.0)))
            )
        raise ValueError(
            f"Wald needs a metric that is a mean over samples (accuracy, log loss, squared "
            f"error), the recall of one class, or roc_auc, got {kernel.metric.name}. Use BBC or "
            "PooledBootstrap, which take any metric."
        )

    def _of_proportion(self, target: OneConfigTask, estimate: float, n: int) -> ConfidenceInterval:
        low, high = PROPORTION_FORMS[self.form](estimate * n, n, self._tail())
        if self.form == "normal":
            standard_error = float(np.sqrt(estimate * (1 - estimate) / n))
            target.details["standard_error"] = standard_error
            self._note_if_degenerate(target, estimate, standard_error)
        bounds = target.kernel.metric.bounds
        low, high = self._sided(float(low), float(high), bounds)
        return self._result(target.kernel.metric, estimate, low, high, details=target.details)

    def _of_other(
        self, target: OneConfigTask, estimate: float, standard_error: float
    ) -> ConfidenceInterval:
        if self.form != "normal":
            raise ValueError(
                f"form={self.form!r} is for proportions (accuracy, recall of one class), but "
                f"{target.kernel.metric.name} is not one. Use form='normal'."
            )
        self._note_if_degenerate(target, estimate, standard_error)
        return self._from_se(
            estimate, float(standard_error), target.kernel.metric, details=target.details
        )

    @staticmethod
    def _note_if_degenerate(target: OneConfigTask, estimate: float, standard_error: float) -> None:
        note_degenerate(
            target.details, "Wald", no_spread(standard_error, estimate), around=f"{estimate:g}",
            hint="For a proportion use form='wilson'.",
        )  # fmt: skip
