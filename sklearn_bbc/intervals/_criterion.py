"""By what the winner of tuning is selected: means over the folds, or the pooled score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..metrics import BoundKernel, as_metric
from ..predictions import OOFPredictions


class WinnerCriterion(BaseEstimator, ABC):
    """Base of the criteria by which tuning selects its winner.

    A subclass defines `scores`.

    See Also
    --------
    MeanOverFolds : What a search does.
    PooledScore : One score on all samples.
    """

    @abstractmethod
    def scores(self, oof: OOFPredictions, kernel: BoundKernel) -> np.ndarray:
        """Score the configurations.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions.
        kernel : BoundKernel
            Metric bound to them.

        Returns
        -------
        ndarray of shape (n_configs,)
            Greater is better; NaN where undefined. The best one wins, the first on ties.
        """


class MeanOverFolds(WinnerCriterion):
    """Mean of the scores on the folds, each fold counting the same: what a search does.

    Undefined when a fold is, as with leave-one-out.

    Examples
    --------
    >>> from sklearn_bbc.intervals import MeanOverFolds
    >>> MeanOverFolds()
    MeanOverFolds()
    """

    def scores(self, oof: OOFPredictions, kernel: BoundKernel) -> np.ndarray:
        """Score the configurations, see `WinnerCriterion`."""
        # Those of the search where it recorded them: no second computation.
        scores = oof.fold_scores.get(kernel.metric.name)
        undefined = np.full(oof.n_configs, np.nan)
        if scores is None:
            one = kernel.distinct[:1]
            # One configuration tells, nearly always, that a fold lacks a class: then all would.
            if np.isnan(kernel.fold_scores(configs=one)[:, one]).any():
                return undefined
            scores = kernel.fold_scores()
        return np.where(kernel.valid, scores.mean(axis=0), np.nan)


class PooledScore(WinnerCriterion):
    """One score on the pooled predictions of all folds, as in the first code of BBC.

    It takes the scores of all folds' models to be on one scale. For metrics that are means
    over samples, folds of equal size give the same winner either way.

    Examples
    --------
    >>> from sklearn_bbc.intervals import PooledScore
    >>> PooledScore()
    PooledScore()
    """

    def scores(self, oof: OOFPredictions, kernel: BoundKernel) -> np.ndarray:
        """Score the configurations, see `WinnerCriterion`."""
        return kernel.scores(np.ones((1, oof.n_samples), dtype=np.uint8))[0]


def with_winner(
    oof: OOFPredictions, scoring: Any, criterion: WinnerCriterion | None = None
) -> OOFPredictions:
    """Select the winner of predictions by a criterion of one's choice.

    Every method that speaks of the winner takes the one that the predictions name, so this
    is the switch for all of them. In each draw `BBC` selects by the pooled score and `BBCF`
    by means over folds, whatever the criterion.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions, with or without a winner.
    scoring : str, scorer or Metric
        The metric to select by.
    criterion : WinnerCriterion, default=None
        None is `MeanOverFolds`.

    Returns
    -------
    OOFPredictions
        The same predictions with the winner as `selected`.

    Raises
    ------
    ValueError
        If no configuration has a score by the criterion, or there are no predictions.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import PooledScore, with_winner
    >>> y = np.array([0, 1, 0, 1])
    >>> scores = np.array([[1, 2, 3, 4], [1, 4, 2, 3]]).T  # two configurations
    >>> oof = OOFPredictions(y_true=y, y_pred=scores, fold=[0, 0, 1, 1])
    >>> with_winner(oof, "roc_auc").selected, with_winner(oof, "roc_auc", PooledScore()).selected
    (0, 1)
    """
    criterion = MeanOverFolds() if criterion is None else criterion
    if not isinstance(criterion, WinnerCriterion):
        raise ValueError(
            f"criterion must be MeanOverFolds(), PooledScore() or None, got {criterion!r}."
        )
    if not oof.responses:
        raise ValueError(
            "with_winner needs out-of-fold predictions, but there are only fold scores. Name the "
            "winner with oof.with_selected(index)."
        )
    kernel = as_metric(scoring).bind(oof)
    scores = criterion.scores(oof, kernel)
    if np.isnan(scores).all():
        raise ValueError(
            f"{kernel.metric.name} is undefined for every configuration by {criterion!r}: some "
            "fold lacks a class. Use PooledScore()."
        )
    return oof.with_selected(best_of(scores))


def best_of(scores: np.ndarray) -> int:
    """Index of the largest score, the first on ties; NaN loses.

    Parameters
    ----------
    scores : ndarray of shape (n_configs,)
        Scores.
    """
    return int(np.argmax(np.where(np.isnan(scores), -np.inf, scores)))
