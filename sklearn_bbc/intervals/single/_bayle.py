"""Interval from the central limit theorem of cross-validation."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import mean_squared_error, root_mean_squared_error

from ...metrics import BoundKernel, Metric, as_metric
from ...predictions import OOFPredictions
from ...results import ConfidenceInterval
from .._caveats import no_spread, tell_degenerate
from ._base import OneConfigInterval

OF_FOLD_MODELS = (
    "mean score on new samples of the models of the folds, of one configuration fixed in advance"
)


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
    config : int, default=None
        Configuration of interest. None takes the winner; the interval does not account
        for its selection, and `details` says so.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, ``"less"`` only the upper one.

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

    `details` of the result: ``standard_error``, ``variance``, ``n``, ``degenerate``,
    ``config``, ``winner``, ``winner_by``, ``selection_accounted_for``, ``unit``,
    ``n_untested``, ``n_configs``, ``n_valid``, ``kernel``, ``response``, ``notes``.

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
    requires = frozenset({"predictions", "folds", "ungrouped", "unweighted"})
    estimand = OF_FOLD_MODELS
    meant_for = "the error of the models of the folds themselves, by a mean over samples"
    cost = "O(N)"
    limits = (
        "unstable learners; too narrow for the refitted model or the method; losses that are "
        "nearly equal"
    )

    def __init__(
        self,
        *,
        variance: str = "all-pairs",
        config: int | None = None,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
    ) -> None:
        self.variance = variance
        self.config = config
        self.confidence_level = confidence_level
        self.alternative = alternative

    def _validate(self) -> None:
        super()._validate()
        if self.variance not in ("all-pairs", "within-fold"):
            raise ValueError(
                f"variance must be 'all-pairs' or 'within-fold', got {self.variance!r}."
            )

    def _estimate(self, oof: OOFPredictions, kernel: BoundKernel) -> ConfidenceInterval:
        target = self._target(oof, kernel)
        values = _means_of_rows(kernel, oof, target.config)
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
        target.details.update(variance=variance, n=n)
        seen = f"All samples contribute {estimate:g}"
        tell_degenerate(target.details, "BayleCV", degenerate, seen)
        return self._from_se(estimate, standard_error, kernel.metric, details=target.details)


def _means_of_rows(kernel: BoundKernel, oof: OOFPredictions, config: int) -> np.ndarray | None:
    """Value of each row; of the root of the mean squared error, the squared errors."""
    metric: Metric = kernel.metric
    if metric.score_func is root_mean_squared_error and not metric.kwargs:
        kernel = as_metric("neg_mean_squared_error").bind(oof)
        assert kernel.metric.score_func is mean_squared_error
    return kernel.pointwise(config)
