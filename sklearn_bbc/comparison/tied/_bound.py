"""Tied sets in every draw of a rule of selection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...selection import Tied
from ._values import UnitValues

if TYPE_CHECKING:
    from ._base import TiedMethod


class BoundTies(Tied):
    """Which configurations are tied with the best of a draw.

    The units of a draw have the values that they have on all data, moved for each
    configuration so that their mean is its score in the draw.

    Parameters
    ----------
    method : TiedMethod
        Decides.
    units : UnitValues
        Values on all data.
    """

    def __init__(self, method: TiedMethod, units: UnitValues) -> None:
        self._method, self._units = method, units
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
        level = self._method.confidence_level
        members[configs[defined]] = self._method.p_values(values, fold) > 1 - level
        members[configs[defined][here == here.max()]] = True
        return members
