"""Tied sets in every draw of a rule of selection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...selection import Tied
from ._values import UnitValues


class BoundTies(Tied):
    """Which configurations are tied with the best of a draw.

    The units of a draw have the values that they have on all data, moved for each
    configuration so that their mean is its score in the draw.

    Parameters
    ----------
    p_values : callable
        Of a method: values and folds -> p values.
    confidence_level : float
        Level of the set.
    units : UnitValues
        Values on all data.
    """

    def __init__(
        self, p_values: Callable[..., np.ndarray], confidence_level: float, units: UnitValues
    ) -> None:
        self._p_values, self._level, self._units = p_values, confidence_level, units
        # One sample of each unit tells how often a draw holds it.
        of_sample = units.units.of_sample
        known, first = np.unique(of_sample, return_index=True)
        self._sample = first[known >= 0]

    def members(self, kernel: Any, weights: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Configurations that are tied with the best of each draw.

        Parameters
        ----------
        kernel : BoundKernel
            Not needed again.
        weights : ndarray of shape (n_draws, n_samples)
            Counts.
        scores : ndarray of shape (n_draws, n_configs)
            Scores of the draws, greater is better; NaN where undefined.

        Returns
        -------
        ndarray of shape (n_draws, n_configs), bool
            The best of a draw is always among them.
        """
        result = np.zeros(scores.shape, dtype=bool)
        of_units = np.asarray(weights)[:, self._sample].astype(np.intp)
        for draw, counts in enumerate(of_units):
            result[draw] = self._of_draw(counts, scores[draw])
        return result

    def _of_draw(self, counts: np.ndarray, scores: np.ndarray) -> np.ndarray:
        configs = self._units.configs
        defined = np.isfinite(scores[configs])
        members = np.zeros(len(scores), dtype=bool)
        if not defined.any():
            return members
        drawn = np.repeat(np.arange(len(counts)), counts)
        fold = self._units.fold
        fold = None if fold is None else fold[drawn]
        values = self._units.values[drawn][:, defined]
        here = scores[configs[defined]]
        values += here - values.mean(axis=0)
        members[configs[defined]] = self._p_values(values, fold) > 1 - self._level
        members[configs[defined][here == here.max()]] = True
        return members
