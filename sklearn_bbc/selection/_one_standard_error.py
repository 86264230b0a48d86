"""The simplest configuration within one standard error of the best."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..predictions import OOFPredictions
from ._base import BoundSelection, Selection, in_pieces
from ._complexity import check_complexity, complexity_ranks
from ._folds import FoldScorer, simplest, within
from ._outcome import Outcome


class OneStandardError(Selection):
    """Select the simplest configuration within one standard error of the best.

    The rule of Breiman et al. [1]_, which prefers a smaller model when the data cannot tell
    it from the best one. Every draw repeats it, standard error and all.

    Parameters
    ----------
    complexity : callable, str or list
        What is simple. A function takes the parameters of a configuration (a dict) and
        returns a number, smaller for simpler. A name is that of a parameter whose smaller
        values are simpler. A list has names, or pairs ``(name, "larger is simpler")`` and
        ``(name, "smaller is simpler")``; later ones decide where earlier ones are equal.

    Raises
    ------
    ValueError
        If there are no parameters, or their values cannot be ordered (None, words).

    See Also
    --------
    SimplestTied : A margin of your own choice.

    Notes
    -----
    With the scores s of a configuration on the K folds of a draw,

    .. math:: m = \\frac{1}{K} \\sum_k s_k, \\qquad
              e = \\sqrt{\\frac{\\sum_k (s_k - m)^2}{K (K - 1)}},

    every configuration with a mean of at least ``m - e`` of the best one is a candidate, the
    simplest of them is selected; of equally simple ones the best, then the first. On draws of
    samples a fold is scored on its drawn samples; one that has no score there (a class is
    missing) is left out of that draw's means. A configuration without a score where others
    have one cannot win. With repeated cross-validation the folds of all repeats count, as in
    scikit-learn's ``std_test_score``.

    What is reported is the score of the selected configuration by the method's metric.

    `details` of a result add ``mean_folds`` (folds with a score, mean over the draws),
    ``n_without_error`` (draws with fewer than two such folds, which have no standard error:
    there only configurations equal to the best are candidates) and ``rule``.

    References
    ----------
    .. [1] L. Breiman, J. Friedman, R. Olshen, C. Stone, "Classification and regression
       trees", Wadsworth (1984), section 3.4.3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn_bbc import BBCSearchCV
    >>> from sklearn_bbc.intervals import BBC
    >>> from sklearn_bbc.selection import OneStandardError
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> grid = {"n_neighbors": [1, 3, 5, 9, 15, 25, 41]}
    >>> search = BBCSearchCV(KNeighborsClassifier(), grid, cv=10, random_state=0).fit(X, y)
    >>> rule = OneStandardError([("n_neighbors", "larger is simpler")])
    >>> result = search.interval(BBC(selection=rule))
    >>> search.oof_.params[result.details["winner"]], search.best_params_
    ({'n_neighbors': 25}, {'n_neighbors': 5})
    """

    name = "one_standard_error"
    needs = frozenset({"folds", "params"})

    def __init__(self, complexity: Any) -> None:
        self.complexity = complexity

    def _validate(self) -> None:
        check_complexity(self.complexity)

    def _bind(self, oof: OOFPredictions, kernel: Any) -> BoundSelection:
        return BoundOneStandardError(kernel, complexity_ranks(self.complexity, oof.params))


class BoundOneStandardError(BoundSelection):
    """One standard error on the folds of a draw."""

    by = "one standard error"

    def __init__(self, kernel: Any, ranks: np.ndarray) -> None:
        super().__init__(kernel)
        self._ranks = ranks
        self._folds = FoldScorer(kernel)
        self.seconds_per_draw = self._folds.seconds_per_draw

    def choose(self, weights: np.ndarray) -> Outcome:
        """See `BoundSelection.choose`."""
        return in_pieces(self._choose, weights, self._folds.bytes_per_draw)

    def _choose(self, weights: np.ndarray) -> Outcome:
        folds = self._folds(weights)
        mean, error = folds.mean_and_error()
        mean[:, ~self.kernel.valid] = np.nan
        filled = np.where(np.isnan(mean), -np.inf, mean)
        margin = error[np.arange(len(mean)), filled.argmax(axis=1)]
        margin = np.where(folds.n_folds < 2, 0.0, margin)  # nothing to estimate it from
        chosen = simplest(within(mean, margin), self._ranks, mean)
        return Outcome({"config": chosen, "n_folds": folds.n_folds})

    def describe(self, outcome: Outcome) -> dict[str, Any]:
        """See `BoundSelection.describe`."""
        return {
            "rule": self.by,
            "mean_folds": float(outcome["n_folds"].mean()),
            "n_without_error": int(np.count_nonzero(outcome["n_folds"] < 2)),
        }
