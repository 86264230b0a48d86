"""Configurations of one round of a search, until those that are clearly worse are dropped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ...predictions import OOFPredictions
from ._splits import class_codes, looks
from ._standings import LeadTest, Standings

__all__ = ["Race", "batches_of"]

LEAST_GROUPS = 10
"""With fewer groups a bootstrap says that what is so in all of them is certain."""


def batches_of(
    tests: Sequence[np.ndarray], y_true: np.ndarray, classes: np.ndarray | None, test: LeadTest
) -> list[list[int]]:
    """Batches of splits; configurations may be dropped after each but the last.

    Parameters
    ----------
    tests : sequence of ndarray of int
        Test samples of each split.
    y_true : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Target.
    classes : ndarray of shape (n_classes,) or None
        Its classes.
    test : LeadTest
        Units and smallest numbers.
    """
    return looks(
        tests,
        class_codes(y_true, classes),
        test.units,
        least=test.min_predictions,
        least_per_class=test.min_per_class,
        least_units=LEAST_GROUPS if test.grouped else 2,
    )


class Race:
    """Who is left after each batch of splits.

    Parameters
    ----------
    n_configs : int
        Number of configurations.
    n_splits : int
        Number of splits.
    test : LeadTest
        How leads are tested.

    Attributes
    ----------
    left : ndarray of shape (n_left,) of int
        Configurations that were not dropped.
    n_splits_done : ndarray of shape (n_configs,) of int
        Splits of each configuration until it was dropped; `n_splits` where it was not.
    compared : bool
        Whether two configurations or more could be compared by every metric at some time.
    """

    def __init__(self, n_configs: int, n_splits: int, test: LeadTest) -> None:
        self.test = test
        self.left = np.arange(n_configs)
        self.n_splits_done = np.full(n_configs, n_splits)
        self.compared = False
        self._standings: dict[str, Standings] = {}

    def add(
        self,
        oof: OOFPredictions,
        scores: Mapping[str, np.ndarray],
        standings: Callable[[], Mapping[str, Standings]],
    ) -> None:
        """Take in one split of the configurations that are left.

        Parameters
        ----------
        oof : OOFPredictions
            Their predictions for its samples.
        scores : mapping of str to ndarray of shape (n_left,)
            Name of a metric -> what the search scored.
        standings : callable
            Makes an empty standing for each name; called before the first split is added.
        """
        if not self._standings:
            self._standings = dict(standings())
        for name, each in self._standings.items():
            each.add(oof, scores[name])

    def drop(self, n_done: int) -> np.ndarray:
        """Drop what is clearly worse in every metric.

        A configuration that leads in one metric, or is not clearly worse there, stays.

        Parameters
        ----------
        n_done : int
            Splits that are done.

        Returns
        -------
        ndarray of int
            The configurations that were dropped now.
        """
        worse = np.ones(len(self.left), dtype=bool)
        of_metrics = [each.comparable.sum() for each in self._standings.values()]
        self.compared = self.compared or min(of_metrics) > 1
        # Quick tests first: the others look at what is left.
        for standing in sorted(self._standings.values(), key=lambda each: not each.by_formula):
            worse &= standing.clearly_worse(self.test, worse)
        dropped = self.left[worse]
        if len(dropped):
            self.n_splits_done[dropped] = n_done
            kept = np.flatnonzero(~worse)
            self.left = self.left[kept]
            for standing in self._standings.values():
                standing.leave_only(kept)
        return dropped
