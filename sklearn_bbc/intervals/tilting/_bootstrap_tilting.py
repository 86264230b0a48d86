"""Bootstrap tilting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._base import BaseInterval
from ..single._base import Target
from ._base import Resamples, TiltedInterval
from ._learn_evaluate import LearnEvaluate
from ._steps import TiltingSteps
from ._tilt import share_above


class BootstrapTilting(TiltedInterval):
    """Bootstrap tilting interval of one configuration, for any metric that takes weights.

    The lower bound is the score that the configuration would have if its samples were
    weighted so much to its disadvantage that a score as high as the observed one were only
    just possible by chance.

    Parameters
    ----------
    config : int, default=None
        Configuration of interest. None takes the winner; the interval does not account
        for its selection, and `details` says so.
    selection : LearnEvaluate, default=None
        Select on one part of the samples and compute the interval on the other, at
        Šidák's level for the number of candidates. The method is then called ``"BT"``
        (one candidate) or ``"BT10p"`` (the top tenth).
    n_bootstraps : int, default=2000
        Number of resamples, at least 20.
    fallback : BaseInterval, default=None
        Method that gives the bounds where tilting has none, on the same samples and at
        the same level; ``DeLong()`` for the area under the ROC curve, for example. None
        gives NaN, the reason in `details`, and a warning.
    replicate : PublishedTilting, default=None
        Repeat deviations of the published code [2]_, see
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
    MABT : Adjusts for the choice among several candidates.
    sklearn_bbc.replication.PublishedTilting : What the published code does differently.

    Notes
    -----
    Sample i gets the weight ``exp(tau * g_i)``, where g is its influence on the score
    (exact for means over samples and for ``roc_auc``, else from doubling the sample). Samples
    are drawn, and weights normalised, within classes where the metric is made of scores within
    classes (``roc_auc``, ``balanced_accuracy``). Any other metric depends on how often each
    class occurs, and class sizes that never vary would hide that part of its spread: samples
    are drawn as they come, and draws that lack a class that is needed are drawn again. The
    probability of a score above the observed one, ties
    counting one half, is estimated for every `tau` from one set of ordinary resamples and
    their likelihood ratios [1]_. The bound is the score with the weights of the negative
    `tau` nearest to 0 for which that probability is the error rate.

    There is no bound when even without tilt the probability is not above the error rate, or
    when no tilt brings it down to it: separable classes, constant or nearly constant scores,
    very few samples of a class.

    `details` of the result: ``tau`` and ``ess`` (effective number of resamples at the
    bound) by side, ``reason`` (why there is no bound), ``fallback``, ``config``,
    ``winner``, ``winner_by``, ``selection_accounted_for``, ``seed``, ``unit``,
    ``n_untested``, ``n_configs``, ``n_valid``, ``kernel``, ``response``,
    ``n_bootstraps_used``, ``n_redrawn``, ``notes`` (an ``ess`` below 50 is among them);
    with `selection` also ``candidates``, ``n_learn``, ``n_evaluate``,
    ``adjusted_level``, ``learn_score``, ``selection_seed``. Groups are refused: their
    samples are not independent. Time O(n_bootstraps * n_samples).

    References
    ----------
    .. [1] B. Efron, "Nonparametric standard errors and confidence intervals", Canadian
       Journal of Statistics 9, 139-158 (1981). :doi:`10.2307/3314608`
    .. [2] P. Rink, W. Brannath, "Post-selection confidence bounds for prediction
       performance", Machine Learning 114, 82 (2025). :doi:`10.1007/s10994-024-06632-w`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import BootstrapTilting
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 100)
    >>> oof = OOFPredictions(y_true=y, y_pred=rng.normal(size=200) + y)
    >>> result = BootstrapTilting(alternative="greater", random_state=0).estimate(oof, "roc_auc")
    >>> print(f"{result.estimate:.2f}, at least {result.low:.2f}")
    0.80, at least 0.75
    """

    name = "tilting"
    meant_for = (
        "a one-sided bound for one model on samples that it has not seen, by any metric that "
        "takes weights"
    )
    cost = "O(B N), and the search of the tilt, O(B) per step"
    limits = (
        "separable or constant scores, a class with one sample: no bound, with a warning; the "
        "winner of several"
    )
    abbreviation = "BT"

    def __init__(
        self,
        *,
        config: int | None = None,
        selection: LearnEvaluate | None = None,
        n_bootstraps: int = 2000,
        fallback: BaseInterval | None = None,
        replicate: TiltingSteps | None = None,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.config = config
        self.selection = selection
        self.n_bootstraps = n_bootstraps
        self.fallback = fallback
        self.replicate = replicate
        self.confidence_level = confidence_level
        self.alternative = alternative
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _columns(self, target: Target) -> np.ndarray:
        return np.array([target.config])

    def _level(self, target: Target) -> float:
        return target.confidence_level

    def _above(self, resamples: Resamples) -> Callable[[np.ndarray], np.ndarray]:
        share = share_above(resamples.scores[:, 0], resamples.observed[0])
        return lambda log_ratios: self._steps.probability(self, share, log_ratios)
