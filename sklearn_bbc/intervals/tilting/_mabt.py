"""Multiplicity-adjusted bootstrap tilting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import rankdata

from .._base import BaseInterval
from ..single._base import Target
from ._base import Resamples, TiltedInterval
from ._learn_evaluate import LearnEvaluate
from ._steps import TiltingSteps
from ._tilt import share_above


class MABT(TiltedInterval):
    """Multiplicity-adjusted bootstrap tilting, for the best of several candidates.

    One part of the samples proposes candidates, the other part reports the best of them.
    Its bound comes from tilting, with an error rate that holds for all candidates at once:
    the joint distribution of their scores tells how much the choice among them matters.

    Parameters
    ----------
    selection : LearnEvaluate, default=None
        Splits the samples and proposes candidates. None is ``LearnEvaluate(TopShare(0.1))``.
    n_bootstraps : int, default=2000
        Number of resamples, at least 20.
    fallback : BaseInterval, default=None
        Method that gives the bounds where tilting has none, on the same samples and at
        Šidák's level for the candidates; ``DeLong()`` for the area under the ROC curve, for
        example. None gives NaN, the reason in `details`, and a warning.
    replicate : PublishedTilting, default=None
        Repeat deviations of the published code, see
        `sklearn_bbc.replication.PublishedTilting`. Never for use.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, for which the method was published;
        the upper one is its mirror image, and both sides together take half of the error
        rate each.
    random_state : int, RandomState instance or None, default=None
        Seed of the resamples, and of a selection step without a seed. Inside a search,
        None takes the search's own seed.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.

    See Also
    --------
    BootstrapTilting : The same for one configuration.
    sklearn_bbc.replication.PublishedTilting : What the published code does differently.
    BBC : Accounts for the selection without giving up samples.

    Notes
    -----
    All candidates are scored on the same resamples, and their scores replaced by ranks
    among the resamples. The distribution G of the largest rank of a resample takes the
    dependence of the candidates into account. Where `BootstrapTilting` asks for the
    probability u that the reported candidate's score does not exceed the observed one under
    the tilted distribution to be ``confidence_level``, here ``G(u)`` has to be [1]_.

    u is computed from likelihood ratios of resamples from the untilted distribution. The
    default is one minus their mean over the resamples above the observed score; the
    published code divides a sum over the others by the sum of all, in which a handful of
    ratios decide as soon as classes are unequal (see ``details["ess"]``). Samples are drawn
    within classes where the metric is made of scores within classes, see `BootstrapTilting`.

    `details` of the result: ``tau`` and ``ess`` (effective number of resamples at the
    bound) by side, ``reason`` (why there is no bound), ``fallback``, ``config`` (the
    reported one), ``candidates``, ``winner`` (of all samples), ``winner_by``, ``n_learn``,
    ``n_evaluate``, ``learn_score``, ``selection_seed``, ``seed``, ``unit``, ``n_untested``,
    ``n_configs``, ``n_valid``, ``kernel``, ``response``, ``selection_accounted_for``,
    ``adjusted_level``, ``n_bootstraps_used``, ``n_redrawn``, ``notes`` (an ``ess`` below 50
    is among them). Groups are refused: their samples are not independent. Time
    O(n_bootstraps * n_evaluate * n_candidates).

    References
    ----------
    .. [1] P. Rink, W. Brannath, "Post-selection confidence bounds for prediction
       performance", Machine Learning 114, 82 (2025). :doi:`10.1007/s10994-024-06632-w`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import MABT
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 100)
    >>> scores = rng.normal(size=(200, 50)) + y[:, None]
    >>> oof = OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(200) // 40)
    >>> result = MABT(alternative="greater", random_state=0).estimate(oof, "roc_auc")
    >>> print(f"{result.estimate:.2f}, at least {result.low:.2f}")
    0.86, at least 0.71
    """

    name = "mabt"
    meant_for = (
        "a lower bound for the best of several preselected models, by any metric that takes "
        "weights"
    )
    cost = "O(B N) for each candidate, and the search of the tilt, O(B) per step"
    limits = (
        "few samples of a class, separable or constant scores: no bound, with a warning; needs "
        "a quarter of the data for itself"
    )
    abbreviation = "MABT"
    selection_aware = True
    config = None

    def __init__(
        self,
        *,
        selection: LearnEvaluate | None = None,
        n_bootstraps: int = 2000,
        fallback: BaseInterval | None = None,
        replicate: TiltingSteps | None = None,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.selection = selection
        self.n_bootstraps = n_bootstraps
        self.fallback = fallback
        self.replicate = replicate
        self.confidence_level = confidence_level
        self.alternative = alternative
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _step(self) -> LearnEvaluate:
        return LearnEvaluate() if self.selection is None else self.selection

    def _names(self, target: Target) -> dict[str, str]:
        return {**super()._names(target), "method": self.abbreviation}

    def _columns(self, target: Target) -> np.ndarray:
        return np.flatnonzero(target.kernel.valid)

    def _level(self, target: Target) -> float:
        return self.confidence_level

    def _above(self, resamples: Resamples) -> Callable[[np.ndarray], np.ndarray]:
        n_draws = len(resamples.scores)
        ranks = rankdata(resamples.scores, method="max", axis=0) / (n_draws + 1)
        largest = np.sort(ranks.max(axis=1))
        share = share_above(
            resamples.scores[:, resamples.column], resamples.observed[resamples.column]
        )
        above = (share == 1).astype(float)  # equal scores do not exceed

        def adjusted(log_ratios: np.ndarray) -> np.ndarray:
            not_above = self._steps.complement(self, above, log_ratios)
            return 1 - np.searchsorted(largest, not_above, side="right") / n_draws

        return adjusted
