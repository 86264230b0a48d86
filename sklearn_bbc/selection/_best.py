"""The configuration with the best score."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..predictions import OOFPredictions
from ._base import BoundSelection, Selection
from ._outcome import Outcome


class BestScore(Selection):
    """Select the configuration with the best score: what a search does by default.

    See Also
    --------
    OneStandardError : The simplest of those that are about as good.

    Notes
    -----
    On draws of samples the score is that of the pooled predictions, on draws of folds the
    mean over the folds. The first of equal configurations is selected.

    Examples
    --------
    >>> from sklearn_bbc.intervals import BBC
    >>> from sklearn_bbc.selection import BestScore
    >>> from sklearn_bbc.testing import example_predictions
    >>> oof = example_predictions()
    >>> result = BBC(selection=BestScore(), random_state=0).estimate(oof, "roc_auc")
    >>> result.estimate == BBC(random_state=0).estimate(oof, "roc_auc").estimate
    True
    """

    name = "best_score"

    def _bind(self, oof: OOFPredictions, kernel: Any) -> BoundSelection:
        return BoundBestScore(kernel)


class BoundBestScore(BoundSelection):
    """Best score, with the kernels that stop early."""

    def choose(self, weights: np.ndarray) -> Outcome:
        """See `BoundSelection.choose`."""
        return Outcome({"config": self.kernel.winners(weights)})

    def passes(self) -> Iterable[Callable[..., tuple[np.ndarray, ...]]]:
        """See `BoundSelection.passes`."""
        return self.kernel.passes()
