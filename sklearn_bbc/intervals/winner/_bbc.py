"""Bootstrap bias correction."""

from __future__ import annotations

from typing import Any

from ...metrics import BoundKernel
from ...predictions import OOFPredictions
from ...resampling import DegenerateDraws
from ...results import ConfidenceInterval
from ...selection import Selection, as_selection
from .._base import BootstrapInterval
from .._bounds import OF_TUNING
from .._quantiles import QuantileRule
from ._bbc_notes import pooled_score, pooling_note, told_outside
from ._repeated_rule import rule_details, scores_of_draws


class BBC(BootstrapInterval):
    """Bootstrap bias corrected estimate for the configuration that tuning selects.

    Every draw repeats the selection: the best configuration on the drawn samples is
    scored on the samples left out. Nothing is refitted.

    Parameters
    ----------
    n_bootstraps : int, default=2000
        Number of draws, at least 20. The Monte-Carlo error of a bound shrinks with its
        square root.
    confidence_level : float in (0, 1), default=0.95
        {level}
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, ``"less"`` only the upper one.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws. Inside a search, None takes the search's own seed.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.
    quantile : QuantileRule, default=None
        How bounds are read off the sorted draws. None is `OrderStatistic`, as published;
        `NormalScoreQuantile` and `sklearn_bbc.replication.LinearQuantile` repeat other code.
    degenerate : DegenerateDraws, default=None
        What happens to draws in which a class is missing in-bag or out-of-bag. None is
        `Redraw`: they are drawn again. `Drop` and `Refuse` of `sklearn_bbc.replication` repeat
        other code.
    selection : Selection, default=None
        Rule by which tuning selects, repeated in every draw. None is `BestScore`; see
        `sklearn_bbc.selection` for others.

    See Also
    --------
    BBCF : The same on folds; faster, and works on fold scores alone.

    Notes
    -----
    Bounds are in the scorer's unit, greater is better. With groups, whole groups are
    drawn. With repeated cross-validation all repeats share one draw of samples, and
    scores are means over the repeats.

    An out-of-bag score uses about 0.37 of the samples, so the interval is wider than
    that of a single fixed configuration: coverage above the promised level is expected.

    Metrics that treat classes apart (F1, recall, precision, Jaccard, MCC, kappa, balanced
    accuracy, AUC, ...) need every class in-bag and out-of-bag: other draws are drawn again.
    A class of 1 or 2 units (1 where there are two classes) is too small for that, as are
    the smallest of many classes where fewer than a tenth of the draws would hold all of
    them: such draws are kept where the metric has a value by convention, counted in
    ``n_lacking_class`` and noted. Means over samples (accuracy, Brier score) need no class.
    Draws with a constant target are drawn again for R2, D2 and explained variance.

    Rank metrics (AUC, average precision, concordance) compare samples of different folds by
    the scores of different models, which can make them lower than within folds. Where the
    winner's pooled score and its mean over the folds differ by more than a standard error of
    the latter, a note gives both.

    Scores within rounding of the best one of a draw (about 1e-13 relative for 500 samples)
    tie with it; the first configuration wins, as in `BBCF`.
    Time O(n_bootstraps * n_samples * n_configs).

    `details` of the result: ``winner`` (configuration selected on all samples),
    ``winner_by`` ("the search", "mean over folds", "pooled score" where a fold has none,
    "given" by the caller, or "the only one"), ``winner_share`` (share of draws that it wins),
    ``won`` (configuration -> share of draws that it wins, the most frequent winner first),
    ``pooled_score`` (the winner's, on the predictions of all folds together),
    ``n_redrawn``, ``n_dropped``, ``n_lacking_class``, ``n_undefined``, ``median`` (where the
    estimate is outside the interval), ``unit``, ``n_untested``, ``n_configs``,
    ``n_valid``, ``kernel``, ``response``, ``seed``, ``notes``. With another rule as
    `selection`, ``winner`` is what it selects on all samples, and its own by-products are
    added; a threshold also changes the metric that the result is about.

    References
    ----------
    .. [1] I. Tsamardinos, E. Greasidou, G. Borboudakis, "Bootstrapping the
       out-of-sample predictions for efficient and accurate cross-validation",
       Machine Learning 107, 1895-1922 (2018). :doi:`10.1007/s10994-018-5714-4`

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import BBC
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 50)
    >>> coin_flips = rng.integers(2, size=(100, 500))
    >>> oof = OOFPredictions(y_true=y, y_pred=coin_flips, fold=np.arange(100) // 10)
    >>> best = (coin_flips == y[:, None]).mean(axis=0).max()
    >>> result = BBC(random_state=0).estimate(oof, "accuracy")
    >>> bool(best > 0.6), bool(result.estimate < 0.55), 0.5 in result
    (True, True, True)
    """

    name = "bbc"
    estimand = OF_TUNING
    meant_for = "the winner of a search by any metric, when its predictions are kept: the default"
    cost = "O(B N C)"
    limits = (
        "a class with one sample; wide under imbalance and with few samples; near-perfect "
        "scores at about 50 samples; searches that choose what to try next by the scores"
    )

    def __init__(
        self,
        *,
        n_bootstraps: int = 2000,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
        random_state: Any = None,
        n_jobs: int | None = None,
        quantile: QuantileRule | None = None,
        degenerate: DegenerateDraws | None = None,
        selection: Selection | None = None,
    ) -> None:
        self.n_bootstraps = n_bootstraps
        self.confidence_level = confidence_level
        self.alternative = alternative
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.quantile = quantile
        self.degenerate = degenerate
        self.selection = selection

    def _validate(self) -> None:
        super()._validate()
        as_selection(self.selection)

    def _estimate(self, oof: OOFPredictions, kernel: BoundKernel) -> ConfidenceInterval:
        rule = as_selection(self.selection).bind(oof, kernel)
        draws = self._draws(oof, kernel, rule.selecting)
        scores, outcome = scores_of_draws(rule, draws)  # chosen in-bag, scored out-of-bag
        details = rule_details(oof, kernel, rule, outcome)
        if rule.of_configurations:
            details["pooled_score"] = pooled_score(kernel, details["winner"])
            pooling = pooling_note(oof, kernel, details["winner"])
            details["notes"].extend([] if pooling is None else [pooling])
        if draws.n_dropped:
            details["notes"].append(f"{draws.n_dropped} degenerate draws were dropped.")
        result = self._from_draws(
            scores,
            rule.metric,
            details={
                **details,
                **self._draw_details(oof, kernel, draws, details["notes"], rule.selecting),
                "n_dropped": draws.n_dropped,
                "seed": draws.entropy,
            },
            n_bootstraps=self.n_bootstraps,
        )
        return told_outside(result)
