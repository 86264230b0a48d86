"""Bootstrap of the difference of two models on common draws."""

from __future__ import annotations

from typing import Any

from ...intervals._base import check_n_bootstraps
from ...intervals.single._bootstrap_forms import check_form
from ...intervals.single._pooled_bootstrap import PooledBootstrap
from ...intervals.test_set._p_values import p_value
from ...results import ComparisonResult
from .._pairs import Pair
from ._base import ModelComparison


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

    Raises
    ------
    UndefinedIntervalError
        If the bca or studentised form is undefined for these data.

    See Also
    --------
    PairedDeLong : A formula for areas under the ROC curve.
    sklearn_bbc.intervals.PooledBootstrap : The interval of one score, with the same forms.

    Notes
    -----
    The forms are those of `sklearn_bbc.intervals.PooledBootstrap`. The p-value is one minus the
    highest confidence level at which the interval of the form excludes zero on the same draws, so
    test and interval do not contradict each other. With a difference d and B draws it is, but for
    the steps between draws, for ``"greater"`` (``"less"`` mirrors it; two-sided is twice the
    smaller one): percentile ``#{draws <= 0} / B``; basic the same of ``2 d - draws``, studentised
    of ``d - se pivots`` [2]_; normal the tail of the normal distribution; bca the percentile one
    on the scale that is corrected for bias and acceleration [1]_. Draws without a difference count
    in full, unlike in `BBCDifference`: with half of them, equal classifiers whose labels differ in
    4 samples on average would be called different in 10% of data sets. With groups whole groups
    are drawn; with repeated cross-validation all repeats share one draw. The statistic is the
    difference in units of the standard deviation of the draws; NaN without spread.

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
    assumptions = (
        "The samples, or the groups, are independent.",
        "Both models were fixed before these samples were looked at.",
    )
    meant_for = "two models on samples that they have not seen, by any metric"
    cost = "O(B N); 50 times that when studentised"
    limits = (
        "fewer than about 20 samples of a class, or groups; no selection; after cross-validation "
        "it knows nothing of training"
    )

    def __init__(
        self,
        *,
        form: str = "percentile",
        stratify: bool = False,
        n_bootstraps: int = 2000,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.form = form
        self.stratify = stratify
        self.n_bootstraps = n_bootstraps
        self.confidence_level = confidence_level
        self.alternative = alternative
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _validate(self) -> None:
        super()._validate()
        check_n_bootstraps(self.n_bootstraps)
        check_form(self.form)

    def _compare(self, pair: Pair) -> ComparisonResult:
        if pair.kernel.n_distinct == 1:  # equal predictions: nothing to draw
            return self._without_spread(pair, 0.0, {**pair.details, "form": self.form})
        bootstrap = PooledBootstrap(**self.get_params())
        interval, replicates = bootstrap._judged_pair(pair.oof, pair.kernel)
        details = {**interval.details, **pair.details}
        details["notes"] = [*pair.details["notes"], *interval.details["notes"]]
        del details["p_value"]
        spread = details["standard_error"]
        return self._of_interval(
            pair, interval, details,
            statistic=interval.estimate / spread if spread > 0 else float("nan"),
            p_value=p_value(self.form, replicates, self.alternative),
        )  # fmt: skip
