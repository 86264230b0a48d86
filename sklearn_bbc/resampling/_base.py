"""Bootstrap draws as counts, never as indices."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from ._streams import BLOCK, Streams


class Resampling(ABC):
    """Rule by which units are drawn with replacement.

    A subclass says how many units it draws from and draws one block of counts; blocks,
    seeds, redraws and threads are the business of `Draws`.

    Attributes
    ----------
    n_units : int
        Number of units: samples, groups or folds.
    """

    n_units: int

    @abstractmethod
    def draw(self, rng: np.random.Generator, n_draws: int) -> np.ndarray:
        """Draw counts.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of randomness; consumed draw by draw, so that a redraw continues it.
        n_draws : int
            Number of draws.

        Returns
        -------
        ndarray of shape (n_draws, n_units)
            How often each unit was drawn, in the smallest unsigned dtype that holds it.
        """

    def draw_blocks(self, streams: Streams, blocks: range, n_draws: int) -> np.ndarray:
        """Draw the counts of several blocks, each from its own stream.

        Parameters
        ----------
        streams : Streams
            Where block k finds its randomness.
        blocks : range
            Consecutive blocks.
        n_draws : int
            Number of draws in these blocks, of which only the last may be short.

        Returns
        -------
        ndarray of shape (n_draws, n_units)
            What `draw` returns for each block, one after the other.
        """
        sizes = [min(BLOCK, n_draws - start) for start in range(0, n_draws, BLOCK)]
        drawn = [self.draw(streams.of(k), n) for k, n in zip(blocks, sizes, strict=True)]
        return drawn[0] if len(drawn) == 1 else np.concatenate(drawn)
