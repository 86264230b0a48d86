"""Bootstrap draws as counts, never as indices."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _native
from .._integers import is_integer

if TYPE_CHECKING:
    from ._streams import Streams

BLOCK = 64
"""Draws per block. Part of the definition of a stream: changing it changes every result."""


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


def draw_with_replacement(
    rng: np.random.Generator, n_draws: int, n_units: int, n_picks: int | None = None
) -> np.ndarray:
    """Count how often each unit is picked.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness.
    n_draws, n_units : int
        Number of draws and of units.
    n_picks : int, default=None
        Number of picks in a draw; None takes as many as there are units.

    Returns
    -------
    ndarray of shape (n_draws, n_units)
        Counts, uint8 or wider.

    Notes
    -----
    Doubles times `n_units`, rounded down: the stream of `Generator.random` is one double
    per pick, which any implementation can consume in the same way; the largest relative
    error of a unit's probability is n_units * 2^-53.
    """
    n_picks = n_units if n_picks is None else n_picks
    if _native.available():  # the same stream, the same counts
        return _native.draw_counts(rng.bit_generator, n_draws, n_units, n_picks)
    picks = (rng.random((n_draws, n_picks)) * n_units).astype(np.intp)
    picks += np.arange(n_draws, dtype=np.intp)[:, None] * n_units
    counts = np.bincount(picks.ravel(), minlength=n_draws * n_units)
    return smallest(counts).reshape(n_draws, n_units)


def smallest(counts: np.ndarray) -> np.ndarray:
    """The same counts in the smallest unsigned dtype that holds them."""
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0))), copy=False)


def entropy_of(random_state: Any) -> int:
    """Integer from which every stream of a run is derived.

    Parameters
    ----------
    random_state : int, RandomState, Generator, SeedSequence or None
        An integer always gives the same draws; None gives fresh ones; a generator is
        consumed, so that two runs with it differ, as everywhere in scikit-learn.

    Returns
    -------
    int
        The seed to write down: passing it as `random_state` repeats the run.

    Raises
    ------
    ValueError
        If `random_state` is none of these.
    """
    if random_state is None:
        # 63 bits fit into every integer that such a seed may be stored in.
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))
    if is_integer(random_state):
        if random_state < 0:
            raise ValueError(f"random_state must not be negative, got {random_state}.")
        return int(random_state)
    if isinstance(random_state, np.random.SeedSequence):
        return int(random_state.generate_state(1, np.uint64)[0] >> np.uint64(1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    raise ValueError(
        "random_state must be an int, a numpy RandomState or Generator, or None, "
        f"got {random_state!r}."
    )
