"""Ways to draw units: independently, within strata, as clusters, in two stages."""

from __future__ import annotations

import numpy as np

from ._base import Resampling
from ._streams import Streams, draw_with_replacement, smallest


class IID(Resampling):
    """Draw as many units as there are, with replacement.

    Parameters
    ----------
    n_units : int
        Number of units.
    """

    def __init__(self, n_units: int) -> None:
        self.n_units = n_units

    def draw(self, rng: np.random.Generator, n_draws: int) -> np.ndarray:
        """Draw counts of shape (n_draws, n_units)."""
        return draw_with_replacement(rng, n_draws, self.n_units)

    def draw_blocks(self, streams: Streams, blocks: range, n_draws: int) -> np.ndarray:
        """Draw the counts of several blocks at once, shape (n_draws, n_units)."""
        return streams.counts(blocks, n_draws, self.n_units)


class Stratified(Resampling):
    """Draw within each stratum, so that its size never changes.

    Parameters
    ----------
    strata : ndarray of shape (n_units,)
        Label of each unit's stratum, for example its class.
    """

    def __init__(self, strata: np.ndarray) -> None:
        codes = np.unique(strata, return_inverse=True)[1]
        self.n_units = len(codes)
        self._members = [np.flatnonzero(codes == k) for k in range(codes.max() + 1)]

    def draw(self, rng: np.random.Generator, n_draws: int) -> np.ndarray:
        """Draw counts of shape (n_draws, n_units)."""
        counts = np.zeros((n_draws, self.n_units), dtype=np.int64)
        for members in self._members:
            counts[:, members] = draw_with_replacement(rng, n_draws, len(members))
        return smallest(counts)


class TwoStage(Resampling):
    """Draw groups, then samples within each drawn occurrence of a group.

    The counts are per sample. A group that is drawn twice has its samples drawn twice,
    independently.

    Parameters
    ----------
    groups : ndarray of shape (n_samples,)
        Label of each sample's group.
    """

    def __init__(self, groups: np.ndarray) -> None:
        codes = np.unique(groups, return_inverse=True)[1]
        self.n_units = len(codes)
        self._members = [np.flatnonzero(codes == k) for k in range(codes.max() + 1)]

    def draw(self, rng: np.random.Generator, n_draws: int) -> np.ndarray:
        """Draw counts of shape (n_draws, n_samples)."""
        times = draw_with_replacement(rng, n_draws, len(self._members)).astype(np.int64)
        counts = np.zeros((n_draws, self.n_units), dtype=np.int64)
        for group, members in enumerate(self._members):
            size = len(members)
            # n occurrences of independent draws are one draw of n * size picks.
            for occurrences in np.unique(times[:, group]):
                chosen = np.flatnonzero(times[:, group] == occurrences)
                if occurrences:
                    picks = int(occurrences) * size
                    counts[np.ix_(chosen, members)] = draw_with_replacement(
                        rng, len(chosen), size, picks
                    )
        return smallest(counts)
