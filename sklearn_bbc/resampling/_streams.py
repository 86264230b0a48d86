"""The random numbers of a run: one stream per block of draws."""

from __future__ import annotations

import numpy as np

from .. import _native
from ._base import BLOCK, draw_with_replacement


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
