"""Base of the metrics that are made of sums over rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from .._base import MetricKernel
from .._exact_sums import DrawWeights

_TOGETHER = 2**20
"""Bytes of the weights or sums of the draws whose scores are made of their sums at once."""


class SumKernel(MetricKernel):
    """Scores that are a function of one or more sums over rows, and of the draw.

    The sums of all draws and configurations are one table; what is made of them takes the place of
    the sums, some draws at a time.

    Attributes
    ----------
    n_tables : int
        Numbers for each draw and configuration that are there while sums are computed.
    """

    n_tables: ClassVar[int] = 2

    @abstractmethod
    def _summed(self, drawn: DrawWeights, configs: np.ndarray, paired: bool) -> list[np.ndarray]:
        """New arrays of sums, (n_draws, n_chosen), or (n_draws,) when paired."""

    @abstractmethod
    def _from_sums(
        self, sums: list[np.ndarray], drawn: DrawWeights, configs: np.ndarray
    ) -> np.ndarray:
        """Scores of the shape of the sums; NaN where undefined, and for configuration -1."""

    @property
    def bytes_per_draw(self) -> int:
        """Memory in bytes that scoring one draw needs."""
        # Counts are turned into floats for some draws at a time.
        of_rows = 24 * self.rows.n_rows if self.rows.weighted else 0
        return of_rows + 8 * self.n_tables * self.rows.n_configs

    def _scores(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        drawn = DrawWeights(weights)
        sums = self._summed(drawn, configs, False)
        for draws, part in self._parts(drawn, len(configs)):
            sums[0][draws] = self._from_sums([table[draws] for table in sums], part, configs)
        return sums[0]

    def _winners(self, weights: np.ndarray, sign: int) -> np.ndarray:
        drawn, configs = DrawWeights(weights), np.arange(self.rows.n_configs)
        sums = self._summed(drawn, configs, False)
        winners = np.empty(len(weights), dtype=np.intp)
        for draws, part in self._parts(drawn, len(configs)):
            scores = self._from_sums([table[draws] for table in sums], part, configs)
            winners[draws] = self._first_best(sign * scores, weights[draws])
        return winners

    def _score_of(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        drawn = DrawWeights(weights)
        sums = self._summed(drawn, np.maximum(configs, 0), True)
        for draws, part in self._parts(drawn, 1):
            some = [table[draws] for table in sums]
            sums[0][draws] = self._from_sums(some, part, configs[draws])
        return sums[0]

    def _parts(self, drawn: DrawWeights, n_chosen: int) -> Iterator[tuple[slice, DrawWeights]]:
        """Some draws at a time."""
        each = 8 * max(1, n_chosen, self.rows.n_rows)
        return drawn.in_parts(_TOGETHER // each)
