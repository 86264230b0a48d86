"""Where recorded answers wait for the end of the search, and what happens when memory ends."""

from __future__ import annotations

import mmap
import sys
import threading
import weakref
from typing import Any

import numpy as np

__all__ = ["Keeper", "keep_on_shelf"]

CHUNK_BYTES = 2**20
"""Small enough to be given back while the final arrays fill, large enough to be rare."""

HEADROOM_BYTES = 2**26
"""What must stay free for the fits and scorers that are still to come."""

PROBE_BYTES = 2**23
"""So much is recorded between two looks at whether the headroom is still there."""


class Shelf:
    """Copies arrays into chunks of memory of their own.

    Arrays of a few kilobytes that live between those of the fits would keep the heap from
    shrinking when they are freed: the final arrays would come on top, and the process would
    hold everything twice. Chunks go back to the system as soon as their last array goes.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._chunk: mmap.mmap | None = None
        self._used = 0

    def keep(self, array: np.ndarray) -> np.ndarray:
        """A copy of `array`, in C order."""
        if array.dtype.hasobject or not array.nbytes:
            return array.copy()
        chunk, start = self._place(array.nbytes)
        kept = np.ndarray(array.shape, array.dtype, chunk, start)
        kept[...] = array
        return kept

    def _place(self, size: int) -> tuple[mmap.mmap, int]:
        if size > CHUNK_BYTES // 2:
            return _pages(size), 0
        with self._lock:
            start = -(-self._used // 64) * 64
            if self._chunk is None or start + size > CHUNK_BYTES:
                self._chunk, start = _pages(CHUNK_BYTES), 0
            self._used = start + size
            return self._chunk, start


def _pages(size: int) -> mmap.mmap:
    try:
        if sys.platform == "win32":
            return mmap.mmap(-1, size)
        # Private: a forked worker must not write into the pages of its parent.
        return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"no memory for {size} bytes of predictions") from error


_shelf = Shelf()
keep_on_shelf = _shelf.keep


def has_headroom() -> bool:
    """Whether as much memory is free as the search needs to go on."""
    try:
        np.empty(HEADROOM_BYTES, dtype=np.uint8)  # not touched: costs no memory
    except MemoryError:
        return False
    return True


class Keeper:
    """Knows what one recording holds in this process, and lets go of it when memory ends.

    The scores of a search are worth more than its predictions: what was recorded must not
    take the memory that the remaining fits and scorers need. In another process, where it
    arrives with the scorer, it starts empty.
    """

    def __init__(self) -> None:
        self.stopped = False
        self._lock = threading.Lock()
        self._cells: list[weakref.ref[Any]] = []
        self._since_probe = 0

    def add(self, cell: Any) -> None:
        """Count the responses of one model; let go of all when the headroom is gone."""
        with self._lock:
            self._cells.append(weakref.ref(cell))
            for array in cell.arrays.values():
                self._since_probe += array.nbytes
            if self._since_probe < PROBE_BYTES:
                return
            self._since_probe = 0
        if not has_headroom():
            self.give_up()

    def makes_short(self) -> bool:
        """Whether what is recorded may be what another one lacks the memory for."""
        with self._lock:
            cells = [cell for reference in self._cells if (cell := reference()) is not None]
        held = sum(array.nbytes for cell in cells for array in cell.arrays.values())
        return held >= HEADROOM_BYTES or not has_headroom()

    def give_up(self) -> bool:
        """Forget all that was recorded; whether there was anything."""
        with self._lock:
            self.stopped = True
            cells, self._cells = [reference() for reference in self._cells], []
        alive = [cell for cell in cells if cell is not None]
        for cell in alive:
            cell.arrays.clear()
        return bool(alive)

    def __reduce__(self) -> tuple[Any, ...]:
        return Keeper, ()
