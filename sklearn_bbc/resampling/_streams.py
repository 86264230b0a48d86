"""The random numbers of a run: one stream per block of draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _native
from .._integers import is_integer

BLOCK = 64
"""Draws per block. Part of the definition of a stream: changing it changes every result."""


class Streams:
    """Streams of the blocks of a run, all derived from one seed.

    Block k has the stream of a PCG64 that is seeded by
    ``SeedSequence(entropy, spawn_key=(key, k))``, so it does not depend on which blocks are
    drawn, by whom and in which order.

    Parameters
    ----------
    entropy : int
        Seed of the run.
    key : int, default=0
        Runs with different keys have independent streams under one seed.
    """

    def __init__(self, entropy: int, key: int = 0) -> None:
        self.entropy = entropy
        self.key = key

    def of(self, k: int) -> np.random.Generator:
        """Stream of block k, from its beginning."""
        seed = np.random.SeedSequence(self.entropy, spawn_key=(self.key, k))
        return np.random.Generator(np.random.PCG64(seed))

    def counts(self, blocks: range, n_draws: int, n_units: int) -> np.ndarray:
        """Counts of draws with replacement from all units.

        Parameters
        ----------
        blocks : range
            Consecutive blocks.
        n_draws, n_units : int
            Number of draws in these blocks, of which only the last may be short; number of
            units to draw from, which is also the number of picks per draw.

        Returns
        -------
        ndarray of shape (n_draws, n_units)
            Counts, uint8 or wider.
        """
        if _native.available():  # the same streams, without an object for each
            return _native.draw_blocks(self._words(), blocks.start, BLOCK, n_draws, n_units)
        left = n_draws
        drawn = []
        for k in blocks:
            drawn.append(draw_with_replacement(self.of(k), min(BLOCK, left), n_units))
            left -= BLOCK
        return drawn[0] if len(drawn) == 1 else np.concatenate(drawn)

    def _words(self) -> np.ndarray:
        """What a SeedSequence assembles: the entropy, filled up to 128 bits, then the key."""
        words = [
            np.frombuffer(number.to_bytes(n_bytes, "little"), dtype="<u4")
            for number in (self.entropy, self.key)
            for n_bytes in [4 * max(1, -(-number.bit_length() // 32))]
        ]
        words[0] = np.pad(words[0], (0, max(0, 4 - len(words[0]))))
        return np.concatenate(words).astype(np.int64)


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
    check_random_state(random_state)
    if random_state is None:
        # 63 bits fit into every integer that such a seed may be stored in.
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))
    if is_integer(random_state):
        return int(random_state)
    if isinstance(random_state, np.random.SeedSequence):
        return int(random_state.generate_state(1, np.uint64)[0] >> np.uint64(1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63 - 1))
    return int(random_state.randint(2**31 - 1))


def check_random_state(random_state: Any) -> None:
    """Raise unless `entropy_of` can take a seed from this; nothing is drawn."""
    generators = (np.random.SeedSequence, np.random.Generator, np.random.RandomState)
    if is_integer(random_state):
        if random_state < 0:
            raise ValueError(f"random_state must not be negative, got {random_state}.")
    elif random_state is not None and not isinstance(random_state, generators):
        raise ValueError(
            "random_state must be an int, a numpy RandomState or Generator, or None, "
            f"got {random_state!r}."
        )
