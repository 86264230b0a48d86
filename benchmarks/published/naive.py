"""The naive bootstrap of the winner's scores per fold: the baseline of the published tables.

The import enters ``"naive_bootstrap"`` among the names of methods.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_bbc import ConfidenceInterval
from sklearn_bbc._parameters import OneOf, Whole
from sklearn_bbc._utils import with_parameters
from sklearn_bbc.contest import Contest
from sklearn_bbc.intervals._base import QuantileRule
from sklearn_bbc.intervals._fold_scores import FoldScoresInterval
from sklearn_bbc.intervals._single_base import NOT_ACCOUNTED
from sklearn_bbc.resampling import IID, Draws, entropy_of

__all__ = ["NaiveBootstrap"]

FORMS = ("bootstrap", "normal")
CAUTION = (
    "Naive baseline: treats the winner as fixed in advance and its fold scores as independent, "
    "so it holds the true score far less often than it promises. Not for reporting."
)


@with_parameters
class NaiveBootstrap(FoldScoresInterval):
    """Bootstrap of the winner's scores per fold, as if nothing had been selected.

    A baseline that must fail. The winner is taken as fixed in advance although it was chosen for
    its high scores, and its fold scores as independent although their models share training
    data. In simulations with 500 samples its one-sided 95% bounds hold in 42% to 79% of data
    sets, with 50 samples in 0% to 33% [1]_.

    Parameters
    ----------
    form : {"bootstrap", "normal"}, default="bootstrap"
        ``"bootstrap"`` draws as many folds as there are, with replacement, and takes
        percentiles of the mean; ``"normal"`` takes the mean plus and minus a normal
        quantile of standard errors.
    ddof : int, default=None
        The standard error of the normal form divides by ``n_folds - ddof`` in its
        variance; None is 0, as published, 1 is unbiased. Not for the bootstrap form.
    {config}
    n_bootstraps : int, default=2000
        Number of draws of the bootstrap form, at least 20.
    {sides}
    {seed of draws}
    quantile : NormalScoreQuantile or None, default=None
        How bounds are read off the sorted draws of the bootstrap form. None is
        `OrderStatistic`, as published; `NormalScoreQuantile` repeats R's boot.

    See Also
    --------
    sklearn_bbc.BBCF : Repeats the selection in every draw of folds.
    sklearn_bbc.intervals.CorrectedT : Accounts for the training data that folds share.

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
    >>> from benchmarks.published.naive import NaiveBootstrap
    >>> accuracy = np.array([[.70, .60, .66], [.80, .90, .71], [.50, .65, .72], [.75, .55, .70]])
    >>> oof = OOFPredictions.from_fold_scores({"accuracy": accuracy})
    >>> result = NaiveBootstrap(form="normal").estimate(oof, "accuracy")
    >>> result.details["winner"], round(result.estimate, 4), round(result.low, 4)
    (2, 0.6975, 0.6752)
    """

    name = "naive_bootstrap"
    label = ("the naive bootstrap", "naive bootstrap")
    form_labels = {
        "normal": ("the normal interval of the scores of the folds", "normal interval of folds"),
    }
    estimand = (
        "score on new samples of the selected configuration, as if it had been fixed in advance "
        "(which it was not)"
    )
    meant_for = "studies that need a baseline which fails; not for reports"
    cost = "O(B F)"
    limits = "always, for the winner of several: that is what it shows"
    form: str = "bootstrap"
    ddof: int | None = None
    config: int | None = None
    n_bootstraps: int = 2000
    confidence_level: float = 0.95
    alternative: str = "two-sided"
    random_state: Any = None
    quantile: QuantileRule | None = None

    _constraints = {"form": OneOf(FORMS), "ddof": Whole(0, or_none=True)}

    def _validate(self) -> None:
        super()._validate()
        if self.ddof is not None and self.form == "bootstrap":
            raise ValueError(
                f"ddof={self.ddof} is about the standard error of form='normal'; the "
                "bootstrap form has none. Use form='normal', or ddof=None."
            )
        if self.form == "normal" and self.quantile is not None:
            raise ValueError(
                f"quantile={self.quantile!r} is about draws, but form='normal' makes none. Use "
                "form='bootstrap', or quantile=None."
            )

    def _estimate(self, contest: Contest) -> ConfidenceInterval:
        sample = self._sample(contest)
        scores, n_folds = sample.scores, len(sample.scores)
        details = {**sample.details, "form": self.form}
        # The caution has what the note on the selection has, and more.
        others = [note for note in details["notes"] if note != NOT_ACCOUNTED]
        details["notes"] = [CAUTION, *others]
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
        return self._from_draws(
            means, sample.metric, estimate=mean, details=details, n_bootstraps=self.n_bootstraps
        )


def _weighted_mean(counts: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Average the drawn scores, fold by fold, so that no bit depends on the batch."""
    # Relative to one fold: equal scores have exactly their mean.
    total = np.zeros(len(counts))
    for fold, score in enumerate(scores - scores[0]):
        total += counts[:, fold] * score
    return scores[0] + total / len(scores)
