"""Predictions that a search need not hold in memory, since the log has them."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ... import _process
from ...predictions._matrix_file import Walk
from ...store import Cell
from ..recording._listening import CarriedScore
from ..recording._responses import FoldResponses

__all__ = ["HeldPredictions", "arrived", "as_stored"]

HELD_BYTES = 2**26
"""So much is held before the log is looked at: each look costs some system calls."""

Key = tuple[str, str]

# Not a WeakValueDictionary, which takes as long as all the rest when a fit is finished.
_searches: dict[str, weakref.ref[HeldPredictions]] = {}


class HeldPredictions:
    """Replaces predictions in memory by those in the log, some megabytes at a time.

    A fit is written where it is made; its predictions come home with its score nevertheless,
    since nobody knows there whether this process sees the file. What it sees, byte for byte, it
    need not hold. Nothing else is let go of.

    Parameters
    ----------
    run : str
        Name of this `fit`.
    new_cells : callable
        Gives keys and cells that came into the log since it was asked last.
    """

    def __init__(self, run: str, new_cells: Callable[[], Iterable[tuple[Key, Cell]]]) -> None:
        self._new_cells = new_cells
        self._arrived: list[tuple[Key, FoldResponses]] = []  # since the log was looked at
        self._held: dict[Key, list[FoldResponses]] = {}
        self._n_new = 0  # bytes since the log was looked at
        self._lock = threading.Lock()
        self._classes: np.ndarray | None = None
        self.process = _process.number
        _searches[run] = weakref.ref(self, lambda _: _searches.pop(run, None))

    def add(self, key: Key, responses: FoldResponses) -> None:
        """Take note of predictions that were written to the log."""
        with self._lock:
            self._arrived.append((key, responses))
            for array in responses.arrays.values():
                self._n_new += array.nbytes
            if self._n_new >= HELD_BYTES:
                self._let_go()

    def _let_go(self) -> None:
        try:
            found = list(self._new_cells())
        except (OSError, MemoryError):  # they stay where they are
            found = []
        for key, responses in self._arrived:
            self._held.setdefault(key, []).append(responses)
        self._arrived = []
        walk = Walk()
        for key, cell in found:
            for array in cell.arrays.values():
                walk.has_read(array)
            for responses in self._held.pop(key, []):
                if not self._replace(responses, cell):
                    self._held.setdefault(key, []).append(responses)
        walk.end()
        self._n_new = 0

    def _replace(self, responses: FoldResponses, cell: Cell) -> bool:
        """Whether all predictions of a fit are in a cell, which has them from now on."""
        arrays = dict(responses.arrays)  # those in memory may be given up at any time
        for name, array in arrays.items():
            stored = cell.arrays.get(name)
            if stored is None or not _same_bytes(array, stored):
                return False
        responses.arrays.update({name: cell.arrays[name] for name in arrays})
        responses.classes = self._apart(responses.classes)
        return True

    def _apart(self, classes: np.ndarray | None) -> np.ndarray | None:
        """Classes that do not keep the memory that held the predictions."""
        if classes is None:
            return None
        last = self._classes
        if last is None or not (last.dtype == classes.dtype and np.array_equal(last, classes)):
            self._classes = last = classes.copy()
        return last


class StoredResponses(FoldResponses):
    """Responses that are in the log, too; say so when they arrive in the search's process."""

    __slots__ = ("key", "run")

    run: str
    key: Key

    def __reduce__(self) -> tuple[Any, ...]:
        make, parts = super().__reduce__()
        return _unpickled, (self.run, self.key, make, parts)


def _unpickled(run: str, key: Key, make: Any, parts: tuple[Any, ...]) -> FoldResponses:
    responses: FoldResponses = make(*parts)
    arrived(run, key, responses)
    return responses


def arrived(run: str, key: Key, responses: FoldResponses) -> bool:
    """Tell the search of this process that it has these predictions; whether it is here."""
    reference = _searches.get(run)
    search = None if reference is None else reference()
    if search is None or search.process != _process.number or responses.out_of_memory:
        return False
    search.add(key, responses)
    return True


def as_stored(scores: Any, responses: FoldResponses, run: str, key: Key) -> None:
    """Mark what a score carries as written to the log.

    Parameters
    ----------
    scores : float or dict
        Scores of a fit; changed in place where they will travel to the search.
    responses : FoldResponses
        What they carry.
    run : str
        Name of the `fit`.
    key : tuple of str
        Fingerprints of configuration and split.
    """
    if arrived(run, key, responses):
        return
    travelling = StoredResponses(
        responses.arrays, responses.classes, responses.coded, responses.problem
    )
    travelling.run, travelling.key = run, key
    for score in scores.values() if isinstance(scores, dict) else [scores]:
        if type(score) is CarriedScore:
            score.responses = travelling
            return


def _same_bytes(one: np.ndarray, other: np.ndarray) -> bool:
    return (one.dtype, one.shape) == (
        other.dtype,
        other.shape,
    ) and one.tobytes() == other.tobytes()
