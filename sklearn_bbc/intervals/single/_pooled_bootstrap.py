"""Naive bootstrap of the pooled out-of-fold predictions of one configuration."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...metrics import BoundKernel
from ...predictions import OOFPredictions
from ...resampling import Resampling
from ...resampling._units import Units
from ...results import ConfidenceInterval
from .._base import BootstrapInterval
from .._quantiles import QuantileRule
from ..test_set._joint_bootstrap import JointBootstrap
from ..test_set._roles import PAIR
from ._base import OF_TWO, OneConfigInterval
from ._bootstrap_forms import Replicates, bias_and_error, bounds_of, check_form, tell_outside
from ._replicate import (
    check_can_vary,
    n_scores,
    needed_strata,
    note_on_strata,
    replicate,
    within_classes,
)


class PooledBootstrap(BootstrapInterval, OneConfigInterval):
    """Naive bootstrap of the pooled out-of-fold predictions of one configuration.

    Samples are drawn with replacement together with their predictions, and the metric is
    computed anew. Nothing is refitted, so the interval knows neither of the dependence of
    the folds nor of the randomness of training: it tends to be too narrow. It is here
    because many do it.

    Parameters
    ----------
    form : {"percentile", "basic", "normal", "studentised", "bca"}, default="percentile"
        How replicates become bounds.
    stratify : bool, default=False
        Draw within each class, so that class sizes never change. For targets with classes
        and without groups. Metrics that depend on how often each class occurs (all but
        ``roc_auc``, ``balanced_accuracy`` and the like) then lose a part of their spread,
        which a note says.
    config : int, default=None
        Configuration of interest. None takes the winner; the interval does not account
        for its selection, and `details` says so.
    n_bootstraps : int, default=2000
        Number of draws, at least 20.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, ``"less"`` only the upper one.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws. Inside a search, None takes the search's own seed.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.
    quantile : QuantileRule, default=None
        How quantiles are read off the sorted draws. None is `NormalScoreQuantile`; other
        programs have others. Not for the normal form, which takes none.

    Raises
    ------
    UndefinedIntervalError
        If the bca or studentised form is undefined for these data.

    See Also
    --------
    HierarchicalBootstrap : Draws folds, then samples in them.
    BBC : Accounts for the selection of the winner.

    Notes
    -----
    The forms are those of [1]_, chapter 5: quantiles of the replicates (percentile), the
    same mirrored at the estimate (basic), a normal interval with their bias and standard
    deviation (normal), quantiles in units of standard errors from an inner bootstrap of
    50 draws (studentised), and quantiles at levels corrected for bias and acceleration
    (bca, with the acceleration from leaving out one unit at a time; draws that equal the
    estimate count one half, so that scores with few values are not taken for biased). With
    groups, whole
    groups are drawn; with repeated cross-validation all repeats share one draw and the
    score is the mean over them. Bounds may lie outside the metric's range with the basic,
    normal and studentised form. Draws that all score the same give a point in every form,
    which a warning and ``details["degenerate"]`` mark. A class with one sample is refused
    where the metric needs it, since no resample can vary it.

    `details` of the result: ``form``, ``bias``, ``standard_error`` (of the replicates),
    ``degenerate``, ``n_redrawn``, ``n_lacking_class`` (draws without a class too small to be in
    every draw), ``n_undefined``, ``config``, ``winner``, ``winner_by``,
    ``selection_accounted_for``, ``unit``, ``seed``, ``n_untested``, ``n_configs``,
    ``n_valid``, ``kernel``, ``response``, ``notes``.

    References
    ----------
    .. [1] A. C. Davison, D. V. Hinkley, "Bootstrap methods and their application",
       Cambridge University Press (1997). :doi:`10.1017/CBO9780511802843`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import PooledBootstrap
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 50)
    >>> scores = rng.normal(size=100) + y
    >>> oof = OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(100) // 20)
    >>> result = PooledBootstrap(form="bca", random_state=0).estimate(oof, "roc_auc")
    >>> bool(0.6 < result.low < result.estimate < result.high < 0.9)
    True
    """

    name = "pooled_bootstrap"
    meant_for = "one model on samples that it has not seen, by any metric"
    cost = "O(B N); 50 times that when studentised"
    limits = (
        "ignores folds and training: too narrow after cross-validation; a class with one "
        "sample; fewer than about 20 groups"
    )
    scores_out_of_bag = False
    pairs = True
    not_for_pairs = ("config",)

    def __init__(
        self,
        *,
        form: str = "percentile",
        stratify: bool = False,
        config: int | None = None,
        n_bootstraps: int = 2000,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
        random_state: Any = None,
        n_jobs: int | None = None,
        quantile: QuantileRule | None = None,
    ) -> None:
        self.form = form
        self.stratify = stratify
        self.config = config
        self.n_bootstraps = n_bootstraps
        self.confidence_level = confidence_level
        self.alternative = alternative
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.quantile = quantile

    def _validate(self) -> None:
        super()._validate()
        check_form(self.form, self.quantile)

    def _resampling(self, oof: OOFPredictions, units: Units) -> Resampling:
        return within_classes(oof) if self.stratify else super()._resampling(oof, units)

    def _n_scores(self, kernel: BoundKernel, units: Units) -> int:
        return n_scores(self.form, self.n_bootstraps, units.n_units)

    def _difference(self, oof: OOFPredictions, kernel: BoundKernel) -> ConfidenceInterval:
        return self._judged_pair(oof, kernel)[0]

    def _judged_pair(
        self, oof: OOFPredictions, kernel: BoundKernel
    ) -> tuple[ConfidenceInterval, Replicates]:
        """Interval of the difference of two configurations, and the replicates behind it."""
        draws = self._draws(oof, kernel)
        units = Units.of(oof)
        check_can_vary(oof, kernel, units, type(self).__name__)
        joint = JointBootstrap(rules=self, form=self.form, roles=PAIR, quantile=self.quantile)
        result, replicates = joint.judge(oof, kernel, units, draws)
        details = dict(result.details)
        if self.stratify:
            note_on_strata(kernel, details)
        result = replace(result, method=self.name, estimand=OF_TWO, details=details)
        return result, replicates

    def _estimate(self, oof: OOFPredictions, kernel: BoundKernel) -> ConfidenceInterval:
        draws = self._draws(oof, kernel)
        target = self._target(oof, kernel)
        units, name = Units.of(oof), type(self).__name__
        check_can_vary(oof, kernel, units, name)
        needed = needed_strata(oof, kernel)[0]
        if self.stratify:
            note_on_strata(kernel, target.details)

        def score(counts: np.ndarray) -> np.ndarray:
            return kernel.score_of(counts, np.full(len(counts), target.config))

        replicates, scores = replicate(score, target.estimate, units, draws, self.form, needed)
        replicates = replace(replicates, rule=self.quantile)
        n_undefined = self._count_undefined(scores, kernel.metric)
        low, high = bounds_of(self.form, replicates, self._tail(), target.details, name)
        low, high = self._sided(low, high, kernel.metric.bounds)
        tell_outside(target.estimate, low, high, target.details["notes"])
        target.details.update(
            form=self.form,
            **bias_and_error(replicates),
            **self._draw_details(oof, kernel, draws, target.details["notes"]),
            n_undefined=n_undefined,
            seed=draws.entropy,
        )
        return self._result(
            kernel.metric,
            replicates.estimate,
            low,
            high,
            n_bootstraps=self.n_bootstraps,
            draws=replicates.draws,
            details=target.details,
        )
