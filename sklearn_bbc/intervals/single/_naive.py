"""Naive bootstrap of the winner's fold scores: the baseline that must fail."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..._integers import check_integer
from ...metrics import Metric
from ...predictions import OOFPredictions
from ...resampling import IID
from ...resampling._draws import Draws
from ...resampling._streams import entropy_of
from ...results import ConfidenceInterval
from ...selection import Selection, as_selection
from .._base import check_n_bootstraps
from .._quantiles import QuantileRule
from ..winner._fold_rules import selected_sample
from ._fold_scores import FoldSample, FoldScoresInterval

FORMS = ("bootstrap", "normal")
CAUTION = (
    "Naive baseline: treats the winner as fixed in advance and its fold scores as independent, "
    "so it holds the true score far less often than it promises. Not for reporting."
)


class NaiveBootstrap(FoldScoresInterval):
    """Bootstrap of the winner's scores per fold, as if nothing had been selected.

    A baseline for studies, not for reports: it must fail. The winner is taken as fixed
    in advance although it was chosen for its high scores, and its fold scores as
    independent although their models share training data. In simulations with 500
    samples its one-sided 95% bounds hold in 42% to 79% of data sets, with 50 samples
    in 0% to 33% [1]_.

    Parameters
    ----------
    form : {"bootstrap", "normal"}, default="bootstrap"
        ``"bootstrap"`` draws as many folds as there are, with replacement, and takes
        percentiles of the mean; ``"normal"`` takes the mean plus and minus a normal
        quantile of standard errors.
    ddof : int, default=None
        The standard error of the normal form divides by ``n_folds - ddof`` in its
        variance; None is 0, as published, 1 is unbiased. Not for the bootstrap form.
    config : int or None, default=None
        Configuration; None takes the winner.
    n_bootstraps : int, default=2000
        Number of draws of the bootstrap form, at least 20.
    confidence_level : float in (0, 1), default=0.95
        Share of data sets for which the interval is said to hold the true score.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` keeps only the lower bound, ``"less"`` only the upper one.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws. Inside a search, None takes the search's own seed.
    quantile : QuantileRule, default=None
        How bounds are read off the sorted draws of the bootstrap form. None is
        `OrderStatistic`, as published; `NormalScoreQuantile` and
        `sklearn_bbc.replication.LinearQuantile` repeat other code.
    selection : Selection, default=None
        Rule by which the winner is selected, once, on the scores of all folds: this method
        repeats nothing. None is the best mean, or the search's own choice. Not with `config`.
        A threshold or an ensemble is scored fold by fold.

    See Also
    --------
    BBCF : Repeats the selection in every draw of folds.
    CorrectedT : Accounts for the training data that folds share.

    Notes
    -----
    The estimate is the mean over the folds, which is what a search reports. The folds
    of all repeats are pooled. No draw is rejected.

    `details` of the result: ``winner``, ``winner_by``, ``config``, ``form``,
    ``standard_error`` (normal form), ``n_folds``, ``n_repeats``, ``n_configs``, ``unit``,
    ``seed`` (bootstrap form), ``selection_accounted_for``, ``n_undefined``, ``n_untested``,
    ``n_folds_lacking_class`` (where the metric treats classes apart and has a value by
    convention), ``notes``.

    References
    ----------
    .. [1] K. Paraschakis, A. Castellani, G. Borboudakis, I. Tsamardinos, "Confidence
       interval estimation of predictive performance in the context of AutoML",
       AutoML Conference (2024).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import NaiveBootstrap
    >>> accuracy = np.array([[.70, .60, .66], [.80, .90, .71], [.50, .65, .72], [.75, .55, .70]])
    >>> oof = OOFPredictions(y_true=[], classes=None, fold_scores={"accuracy": accuracy})
    >>> result = NaiveBootstrap(form="normal").estimate(oof, "accuracy")
    >>> result.details["winner"], round(result.estimate, 4), round(result.low, 4)
    (2, 0.6975, 0.6752)
    """

    name = "naive_bootstrap"
    estimand = (
        "score on new samples of the selected configuration, as if it had been fixed in advance "
        "(which it was not)"
    )
    meant_for = "studies that need a baseline which fails; not for reports"
    cost = "O(B F)"
    limits = "always, for the winner of several: that is what it shows"

    def __init__(
        self,
        *,
        form: str = "bootstrap",
        ddof: int | None = None,
        config: int | None = None,
        n_bootstraps: int = 2000,
        confidence_level: float = 0.95,
        alternative: str = "two-sided",
        random_state: Any = None,
        quantile: QuantileRule | None = None,
        selection: Selection | None = None,
    ) -> None:
        self.form = form
        self.ddof = ddof
        self.config = config
        self.n_bootstraps = n_bootstraps
        self.confidence_level = confidence_level
        self.alternative = alternative
        self.random_state = random_state
        self.quantile = quantile
        self.selection = selection

    def _validate(self) -> None:
        super()._validate()
        check_n_bootstraps(self.n_bootstraps)
        if self.selection is not None and self.config is not None:
            raise ValueError(
                f"config={self.config!r} names the configuration, selection={self.selection!r} "
                "selects one: give one of the two."
            )
        as_selection(self.selection)
        if self.form not in FORMS:
            raise ValueError(f"form must be one of {list(FORMS)}, got {self.form!r}.")
        if self.ddof is not None:
            check_integer("ddof", self.ddof, 0, or_none=True)
            if self.form == "bootstrap":
                raise ValueError(
                    f"ddof={self.ddof} is about the standard error of form='normal'; the "
                    "bootstrap form has none. Use form='normal', or ddof=None."
                )
        if self.form == "normal" and self.quantile is not None:
            raise ValueError(
                f"quantile={self.quantile!r} is about draws, but form='normal' makes none. Use "
                "form='bootstrap', or quantile=None."
            )

    def _bind(self, oof: OOFPredictions, metric: Metric) -> FoldSample:
        if self.selection is None:
            return super()._bind(oof, metric)
        return selected_sample(oof, metric, self.selection, super()._bind)

    def _estimate(self, oof: OOFPredictions, sample: FoldSample) -> ConfidenceInterval:
        scores, n_folds = sample.scores, len(sample.scores)
        details = {**sample.details, "form": self.form}
        details["notes"] = [CAUTION, *details["notes"]]
        mean = float(scores.mean())
        if self.form == "normal":
            ddof = self.ddof or 0
            if n_folds <= ddof:
                raise ValueError(f"ddof={ddof} needs more than {ddof} folds, got {n_folds}.")
            error = float(scores.std(ddof=ddof)) / np.sqrt(n_folds)
            return self._from_se(mean, error, sample.metric, details=details)
        of_folds = Draws(IID(n_folds), self.n_bootstraps, entropy_of(self.random_state))
        means = of_folds.map(lambda counts: _weighted_mean(counts, scores))
        details["seed"] = of_folds.entropy
        result = self._from_draws(
            means, sample.metric, details=details, n_bootstraps=self.n_bootstraps
        )
        return replace(result, estimate=mean)


def _weighted_mean(counts: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Mean of the drawn scores, fold by fold, so that no bit depends on the batch."""
    # Relative to one fold: equal scores have exactly their mean.
    total = np.zeros(len(counts))
    for fold, score in enumerate(scores - scores[0]):
        total += counts[:, fold] * score
    return scores[0] + total / len(scores)
