"""Compiled kernels of the configurations that are asked for: all of them, or some at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from threading import Lock

import numpy as np

from ... import _native

ROW_BYTES = 5
"""About what the sorted form of a row takes, its number and its place; half more with ties."""

SWEEPS = 4
"""Whoever has asked for all configurations so often will ask again: then all are kept."""


class Programs:
    """Sorted rows of every configuration, prepared when they are needed.

    Where all of them together take more than `room`, requests for scores are met by blocks of
    configurations that are forgotten afterwards. The numbers are the same.

    Parameters
    ----------
    prepare : callable
        Makes a program from scores, a mask of the positive rows and the rows that take part.
    pred : ndarray of shape (n_configs, n_rows)
        Scores.
    positive : ndarray of shape (n_rows,), bool
        The positive rows.
    rows : ndarray of shape (n_taking_part,), int64
        The rows that take part.
    room : float
        Bytes that may be used.
    """

    def __init__(
        self,
        prepare: Callable[[np.ndarray, np.ndarray, np.ndarray], _native.Program],
        pred: np.ndarray,
        positive: np.ndarray,
        rows: np.ndarray,
        room: float,
    ) -> None:
        self._prepare, self._pred, self._positive, self._rows = prepare, pred, positive, rows
        most = max(1.0, room / (ROW_BYTES * max(1, len(rows))))
        self._block = int(min(most, max(1, len(pred))))  # configurations
        self._lock = Lock()
        self._whole: _native.Program | None = None
        self._passed = 0  # configurations that were prepared and forgotten

    @property
    def blocks(self) -> list[slice]:
        """Neighbouring configurations that fit into the room together."""
        n_configs = len(self._pred)
        n_blocks = -(-n_configs // self._block)
        edges = np.linspace(0, n_configs, n_blocks + 1).astype(int).tolist()
        return [slice(start, stop) for start, stop in pairwise(edges)]

    @property
    def whole(self) -> _native.Program:
        """All configurations, kept from now on."""
        with self._lock:  # threads share the kernel, and sorting takes time
            if self._whole is None:
                self._whole = self._of(self._pred)
            return self._whole

    def winners(self, counts: np.ndarray, limit: np.ndarray | None = None) -> np.ndarray:
        """Best configuration of each draw, see `Program.winners`."""
        return self.whole.winners(counts, limit)

    def scores(self, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Scores of some configurations on every draw, shape (n_draws, n_chosen)."""
        return self._table("scores", counts, configs)

    def losses(self, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """What `scores` lose, shape (n_draws, n_chosen)."""
        return self._table("losses", counts, configs)

    def score_of(self, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Score of one configuration per draw, NaN for -1, shape (n_draws,)."""
        return self._column("score_of", counts, configs)

    def loss_of(self, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """What `score_of` loses, shape (n_draws,)."""
        return self._column("loss_of", counts, configs)

    def rough_losses(self, n_rows: int) -> np.ndarray:
        """Losses on about `n_rows` rows of the data, some of either class, shape (n_configs,)."""
        positive = self._positive[self._rows]
        chosen = np.zeros(len(self._rows), dtype=bool)
        for members in (np.flatnonzero(positive), np.flatnonzero(~positive)):
            step = max(1, len(self._rows) // n_rows)
            chosen[members[::step]] = True
        program = self._prepare(self._pred, self._positive, self._rows[chosen])
        counts = np.ones((1, self._pred.shape[1]), dtype=np.uint8)
        return program.losses(counts)[0]

    def _table(self, what: str, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        distinct, position = self._to_prepare(configs)
        if distinct is None:
            return getattr(self.whole, what)(counts, configs)
        table = np.empty((len(counts), len(configs)))
        for part, program in self._parts(distinct):
            here = np.flatnonzero((position >= part.start) & (position < part.stop))
            table[:, here] = getattr(program, what)(counts, position[here] - part.start)
        return table

    def _column(self, what: str, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        distinct, position = self._to_prepare(configs)
        if distinct is None:
            return getattr(self.whole, what)(counts, configs)
        column = np.full(len(counts), np.nan)
        for part, program in self._parts(distinct):
            here = np.flatnonzero((position >= part.start) & (position < part.stop))
            column[here] = getattr(program, what)(counts[here], position[here] - part.start)
        return column

    def _to_prepare(self, configs: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
        """Distinct configurations, and the place of each in them, negative for none.

        None instead where all configurations are there, fit, or are asked for again and again.
        """
        if self._whole is not None or self._block >= len(self._pred):
            return None, configs
        distinct, position = np.unique(configs, return_inverse=True)
        n_none = int(np.searchsorted(distinct, 0))
        if self._passed + len(distinct) > SWEEPS * len(self._pred):
            return None, configs
        return distinct[n_none:], position - n_none

    def _parts(self, distinct: np.ndarray) -> Iterator[tuple[slice, _native.Program]]:
        """Blocks of some configurations, prepared one after the other."""
        self._passed += len(distinct)
        for start in range(0, len(distinct), self._block):
            part = slice(start, min(start + self._block, len(distinct)))
            first, last = int(distinct[part.start]), int(distinct[part.stop - 1])
            neighbours = last - first == part.stop - part.start - 1
            some = slice(first, last + 1) if neighbours else distinct[part]  # a view if it can be
            yield part, self._of(self._pred[some])

    def _of(self, pred: np.ndarray) -> _native.Program:
        return self._prepare(pred, self._positive, self._rows)
