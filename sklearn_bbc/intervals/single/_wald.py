"""Textbook interval of the pooled out-of-fold predictions."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import roc_auc_score

from ...exceptions import UndefinedIntervalError
from ...metrics import BoundKernel
from ...predictions import OOFPredictions
from ...results import ConfidenceInterval
from .._caveats import no_spread, tell_degenerate
from ._base import OneConfigInterval, Target
from ._delong import check_both_classes, check_repeats, parts_of
from ._proportions import PROPORTION_FORMS, row_values


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
    ``degenerate``, ``config``, ``winner``, ``winner_by``, ``selection_accounted_for``,
    ``unit``, ``n_untested``, ``n_configs``, ``n_valid``, ``kernel``, ``response``,
    ``notes``.

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
    meant_for = "a mean over samples of one model on samples that it has not seen"
    cost = "O(N)"
    limits = (
        "ignores folds and training: too narrow after cross-validation; proportions of 0 or 1"
        " in the normal form (width 0, marked)"
    )
    requires = frozenset({"predictions", "ungrouped", "unweighted"})

    def __init__(
        self,
        *,
        form: str = "normal",
        config: int | None = None,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
    ) -> None:
        self.form = form
        self.config = config
        self.confidence_level = confidence_level
        self.alternative = alternative

    def _validate(self) -> None:
        super()._validate()
        if self.form not in PROPORTION_FORMS:
            raise ValueError(f"form must be one of {list(PROPORTION_FORMS)}, got {self.form!r}.")

    def _estimate(self, oof: OOFPredictions, kernel: BoundKernel) -> ConfidenceInterval:
        target = self._target(oof, kernel)
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
            parts = parts_of(oof, kernel, np.array([target.config]))
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

    def _of_proportion(self, target: Target, estimate: float, n: int) -> ConfidenceInterval:
        low, high = PROPORTION_FORMS[self.form](estimate * n, n, self._tail())
        if self.form == "normal":
            standard_error = float(np.sqrt(estimate * (1 - estimate) / n))
            target.details["standard_error"] = standard_error
            self._tell_if_degenerate(target, estimate, standard_error)
        bounds = target.kernel.metric.bounds
        low, high = self._sided(float(low), float(high), bounds)
        return self._result(target.kernel.metric, estimate, low, high, details=target.details)

    def _of_other(
        self, target: Target, estimate: float, standard_error: float
    ) -> ConfidenceInterval:
        if self.form != "normal":
            raise ValueError(
                f"form={self.form!r} is for proportions (accuracy, recall of one class), but "
                f"{target.kernel.metric.name} is not one. Use form='normal'."
            )
        self._tell_if_degenerate(target, estimate, standard_error)
        return self._from_se(
            estimate, float(standard_error), target.kernel.metric, details=target.details
        )

    @staticmethod
    def _tell_if_degenerate(target: Target, estimate: float, standard_error: float) -> None:
        degenerate, seen = no_spread(standard_error, estimate), f"around {estimate:g}"
        hint = "For a proportion use form='wilson'."
        tell_degenerate(target.details, "Wald", degenerate, seen, hint=hint)
