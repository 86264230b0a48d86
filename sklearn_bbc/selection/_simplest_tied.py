"""The simplest of the configurations that are as good as the best."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from ..predictions import OOFPredictions
from ._base import BoundSelection, Selection
from ._complexity import check_complexity, complexity_ranks
from ._folds import simplest, within
from ._outcome import Outcome, in_pieces


class Tied(ABC):
    """What `SimplestTied` asks which configurations are as good as the best.

    Attributes
    ----------
    needs_samples : bool
        Whether it needs predictions of single samples, which draws of whole folds, and the
        scores that `refit` of a search is given, do not have.
    """

    needs_samples: ClassVar[bool] = False

    def bind(self, oof: OOFPredictions, kernel: Any) -> Tied:
        """Do the work that does not depend on the draw.

        Parameters
        ----------
        oof : OOFPredictions
            Predictions, with their folds and groups.
        kernel : BoundKernel or FoldTable
            The metric bound to the predictions.

        Returns
        -------
        Tied
            What is asked in every draw; `self` where nothing has to be prepared.
        """
        return self

    @abstractmethod
    def members(self, kernel: Any, weights: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Configurations that are tied with the best of each draw.

        Parameters
        ----------
        kernel : BoundKernel or FoldTable
            The metric bound to the predictions.
        weights : ndarray of shape (n_draws, n_units)
            The draws.
        scores : ndarray of shape (n_draws, n_configs)
            Scores of the draws, greater is better; NaN where undefined.

        Returns
        -------
        ndarray of shape (n_draws, n_configs), bool
            At least one in every draw that has a score.
        """


class SimplestTied(Selection):
    """Select the simplest configuration whose score is close to the best.

    Parameters
    ----------
    complexity : callable, str or list
        What is simple, as in `OneStandardError`.
    margin : float or Tied, default=0.01
        Configurations whose score is at most this far below the best are tied with it, in
        the unit of the metric. An object of a subclass of `Tied` decides in another way: a
        method of `sklearn_bbc.comparison`, such as ``Bonferroni()``, tests in every draw which
        configurations cannot be told from the best.

    Raises
    ------
    ValueError
        If there are no parameters, or their values cannot be ordered (None, words).

    See Also
    --------
    OneStandardError : The margin follows from the folds.

    Notes
    -----
    The score is that of the pooled predictions on draws of samples, and the mean over the
    folds on draws of folds. Of equally simple configurations the best is selected, then the
    first. `details` of a result add ``rule`` and ``mean_tied`` (how many configurations were
    tied, mean over the draws).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import BBCF
    >>> from sklearn_bbc.selection import SimplestTied
    >>> accuracy = np.array([[.70, .71], [.80, .82], [.55, .55], [.75, .75], [.70, .69]])
    >>> oof = OOFPredictions(y_true=[], classes=None, fold_scores={"accuracy": accuracy},
    ...                      params=[{"depth": 2}, {"depth": 9}])
    >>> rule = SimplestTied("depth", margin=0.02)
    >>> result = BBCF(selection=rule).estimate(oof, "accuracy")
    >>> result.details["winner"], result.details["winner_share"]
    (0, 1.0)
    """

    name = "simplest_tied"

    @property
    def needs(self) -> frozenset[str]:  # type: ignore[override]
        """What the rule needs; predictions where the margin does."""
        samples = isinstance(self.margin, Tied) and self.margin.needs_samples
        return frozenset({"params", "predictions"} if samples else {"params"})

    def __init__(self, complexity: Any, *, margin: Any = 0.01) -> None:
        self.complexity = complexity
        self.margin = margin

    def _validate(self) -> None:
        check_complexity(self.complexity)
        if isinstance(self.margin, Tied):
            return
        number = isinstance(self.margin, Real) and not isinstance(self.margin, bool)
        if not number or not 0 <= self.margin < np.inf:
            raise ValueError(
                "margin must be a number of at least 0, in the unit of the metric, or an object "
                f"of a subclass of Tied, got {self.margin!r}."
            )

    def _bind(self, oof: OOFPredictions, kernel: Any) -> BoundSelection:
        ranks = complexity_ranks(self.complexity, oof.params)
        margin = self.margin
        if isinstance(margin, Tied):
            margin = margin.bind(oof, kernel)
        return BoundSimplestTied(kernel, ranks, margin)


class BoundSimplestTied(BoundSelection):
    """The simplest of the tied on the scores of a draw."""

    by = "simplest of the tied"

    def __init__(self, kernel: Any, ranks: np.ndarray, margin: Any) -> None:
        super().__init__(kernel)
        self._ranks, self._margin = ranks, margin

    def choose(self, weights: np.ndarray) -> Outcome:
        """See `BoundSelection.choose`."""
        return in_pieces(self._choose, weights, 64 * self.kernel.n_configs)

    def _choose(self, weights: np.ndarray) -> Outcome:
        scores = self.kernel.scores(weights)
        if isinstance(self._margin, Tied):
            members = self._margin.members(self.kernel, weights, scores) & ~np.isnan(scores)
        else:
            members = within(scores, np.full(len(scores), float(self._margin)))
        chosen = simplest(members, self._ranks, scores)
        return Outcome({"config": chosen, "n_tied": members.sum(axis=1)})

    def describe(self, outcome: Outcome) -> dict[str, Any]:
        """See `BoundSelection.describe`."""
        return {"rule": self.by, "mean_tied": float(outcome["n_tied"].mean())}
