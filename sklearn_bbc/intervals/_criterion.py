"""By what the winner of tuning is selected: means over the folds, or the pooled score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..metrics import BoundKernel, as_metric
from ..metrics._base import rounding
from ..predictions import OOFPredictions


class WinnerCriterion(BaseEstimator, ABC):
    """Base of the criteria by which tuning selects its winner.

    A subclass defines `scores`, and `by`, the words for ``details["winner_by"]`` of results.

    See Also
    --------
    MeanOverFolds : What a search does.
    PooledScore : One score on all samples.
    """

    by: str = "a criterion"

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

    def winner(self, oof: OOFPredictions, kernel: BoundKernel) -> int | None:
        """Configuration with the best score, None where none has a score.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions.
        kernel : BoundKernel
            Metric bound to them.

        Returns
        -------
        int or None
            Index, the first on ties.
        """
        winner = int(kernel.first_best(self.scores(oof, kernel)[None])[0])
        return None if winner < 0 else winner


class MeanOverFolds(WinnerCriterion):
    """Mean of the scores on the folds, each fold counting the same: what a search does.

    A configuration without a score in some fold loses, as in a search. Where no configuration
    has a score in every fold (leave-one-out with a metric that needs both classes), nothing
    can be selected.

    Examples
    --------
    >>> from sklearn_bbc.intervals import MeanOverFolds
    >>> MeanOverFolds()
    MeanOverFolds()
    """

    by = "mean over folds"

    def scores(self, oof: OOFPredictions, kernel: BoundKernel) -> np.ndarray:
        """Score the configurations, see `WinnerCriterion`."""
        return self._of_folds(oof, kernel).mean(axis=0)

    def winner(self, oof: OOFPredictions, kernel: BoundKernel) -> int | None:
        """Configuration with the best mean, see `WinnerCriterion` and `best_by_folds`."""
        return best_by_folds(self._of_folds(oof, kernel))

    def _of_folds(self, oof: OOFPredictions, kernel: BoundKernel) -> np.ndarray:
        # Those of the search where it recorded them: no second computation.
        scores = kernel.metric.recorded_fold_scores(oof)
        if scores is None:
            if some_fold_lacks_a_stratum(oof, kernel):  # leave-one-out has many folds to score
                return np.full((1, oof.n_configs), np.nan)
            scores = kernel.fold_scores()
        return np.where(kernel.valid, scores, np.nan)


class PooledScore(WinnerCriterion):
    """One score on the pooled predictions of all folds, as in the first code of BBC.

    It takes the scores of all folds' models to be on one scale. With repeated
    cross-validation it is the mean over the repeats. For metrics that are means over
    samples, folds of equal size give the same winner either way.

    Examples
    --------
    >>> from sklearn_bbc.intervals import PooledScore
    >>> PooledScore()
    PooledScore()
    """

    by = "pooled score"

    def scores(self, oof: OOFPredictions, kernel: BoundKernel) -> np.ndarray:
        """Score the configurations, see `WinnerCriterion`."""
        return kernel.on_data()


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
            "criterion must be an object of a WinnerCriterion, such as MeanOverFolds() or "
            f"PooledScore(), or None, got {criterion!r}."
        )
    if not isinstance(oof, OOFPredictions):
        raise ValueError(
            f"oof must be an OOFPredictions, got {type(oof).__name__}. Make one with "
            "OOFPredictions(y_true=..., y_pred=..., fold=...)."
        )
    if not oof.responses:
        raise ValueError(
            "with_winner needs out-of-fold predictions, but there are only fold scores, by whose "
            "means every method selects. Name another winner with oof.with_selected(index)."
        )
    kernel = as_metric(scoring).bind(oof)
    winner = criterion.winner(oof, kernel)
    if winner is None:
        hint = ""
        if isinstance(criterion, MeanOverFolds):
            hint = (
                " Each one lacks a score in some fold; PooledScore() scores all samples at once."
            )
        raise ValueError(
            f"{kernel.metric.name} is undefined for every configuration by {criterion!r}.{hint}"
        )
    return oof.with_selected(winner, by=criterion.by)


def best_by_folds(scores: np.ndarray, sizes: np.ndarray | None = None) -> int | None:
    """Configuration with the best mean over the folds, None where none has a score in each.

    Means within rounding of the best one tie with it, and the first wins: sums of the same
    scores in another order are equal then, on every machine.

    Parameters
    ----------
    scores : ndarray of shape (n_splits, n_configs)
        Scores per fold, NaN where undefined.
    sizes : ndarray of shape (n_splits,), default=None
        Weight of each fold; None weighs them equally.
    """
    weighted = scores if sizes is None else scores * sizes[:, None]
    sums = weighted.sum(axis=0)
    finite = np.isfinite(sums)
    if not finite.any():
        return None
    sums = np.where(finite, sums, -np.inf)
    leader = int(sums.argmax())
    margin = rounding(len(scores)) * np.abs(weighted[:, leader]).sum()
    return int((sums >= sums[leader] - margin).argmax())


def some_fold_lacks_a_stratum(oof: OOFPredictions, kernel: BoundKernel) -> bool:
    """Whether the metric is undefined in some fold, whatever is predicted there.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions.
    kernel : BoundKernel
        Metric bound to them.
    """
    if kernel.strata is None:
        return False
    counts = (
        np.bincount(oof.fold, members[oof.sample], oof.n_splits) for members in kernel.strata
    )
    return any((count == 0).any() for count in counts)
