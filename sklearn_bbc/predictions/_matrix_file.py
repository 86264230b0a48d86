"""Predictions of all configurations in a file, for searches that are larger than the memory.

The file is written from beginning to end, so a full disk is an ordinary error, and opened as
a memory map that nobody writes to: the system reads what is looked at and forgets it again.
"""

from __future__ import annotations

import io
import mmap
import os
import platform
import re
import secrets
import sys
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

ENDING = ".npy"

WALK_BYTES = 2**26
"""Pages are given back after so many bytes; they would count as memory of the process."""


class MatrixMap(np.memmap):
    """Memory map of a file of ours; what is made of it may have a file beside it."""


class MatrixFile:
    """Array of shape (n_configs, n_rows[, k]) that is written configuration by configuration.

    Parameters
    ----------
    folder : str or Path
        Where the file is made. It is deleted when nothing uses the array any more, at the latest
        when the process ends.
    shape : tuple of int
        Of the array.
    dtype : dtype
        Of the array.
    missing : number
        Stands where nothing is written.

    Raises
    ------
    OSError
        If the file cannot be made.
    """

    def __init__(self, folder: str | Path, shape: tuple[int, ...], dtype: Any, missing: float):
        self.shape, self.dtype, self._missing = shape, np.dtype(dtype), missing
        self.path = (
            Path(folder) / f"{_PREFIX}{_node()}-{os.getpid()}-{secrets.token_hex(6)}{ENDING}"
        )
        self._row = np.full(shape[1:], missing, dtype)
        self._config = self._start = 0  # `_row` is the row of this configuration
        self._file = open(self.path, "xb", buffering=0)
        try:
            header = io.BytesIO()
            about = {"descr": np.lib.format.dtype_to_descr(self.dtype), "shape": shape}
            np.lib.format.write_array_header_2_0(header, {**about, "fortran_order": False})
            self._write(header.getvalue())
            self._start = self._file.tell()
        except BaseException:
            self.discard()
            raise

    def row(self, config: int) -> np.ndarray:
        """Return the row of one configuration, shape (n_rows[, k]), to be filled."""
        assert config >= self._config
        while self._config < config:
            self._write_row()
        return self._row

    def finish(self) -> np.ndarray:
        """Map the whole array from the file, read-only."""
        while self._config < self.shape[0]:
            self._write_row()
        self._file.close()
        mapped = MatrixMap(
            self.path, dtype=self.dtype, mode="r", offset=self._start, shape=self.shape
        )
        weakref.finalize(mapped, _remove, self.path, os.getpid())
        return np.asarray(mapped)

    def in_memory(self) -> np.ndarray:
        """Move what was filled so far to memory, and delete the file; the rest is not set."""
        array = np.empty(self.shape, self.dtype)
        self._copy_to(lambda config: array[config])
        self.discard()
        return array

    def converted(self, dtype: Any) -> MatrixFile:
        """Copy what was filled so far to a new file of another type."""
        other = MatrixFile(self.path.parent, self.shape, dtype, self._missing)
        try:
            self._copy_to(other.row)
        except BaseException:
            other.discard()
            raise
        self.discard()
        return other

    def _copy_to(self, row_of: Callable[[int], np.ndarray]) -> None:
        """Copy the rows that were written, and the one that is being filled."""
        row = np.empty_like(self._row)
        with open(self.path, "rb") as file:
            file.seek(self._start)
            for config in range(self._config):
                file.readinto(row.data.cast("B"))
                row_of(config)[...] = row
        if self._config < self.shape[0]:
            row_of(self._config)[...] = self._row

    def discard(self) -> None:
        """Give up, and leave nothing."""
        with suppress(OSError):  # what was not written yet
            self._file.close()
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

    def _write_row(self) -> None:
        self._write(self._row.data.cast("B"))
        self._config += 1
        self._row[...] = self._missing

    def _write(self, data: bytes | memoryview) -> None:
        left = memoryview(data)
        while left:
            left = left[self._file.write(left) :]


def is_in_file(array: np.ndarray) -> bool:
    """Whether an array is, or is a part of, one that `MatrixFile` made."""
    return _map_behind(array) is not None


def by_config(
    predictions_of: Callable[[int], np.ndarray],
    like: np.ndarray,
    shape: tuple[int, ...] | None = None,
    dtype: Any = None,
) -> np.ndarray:
    """Make an array configuration by configuration: in a file where another one is in one.

    `like` (n_configs, n_rows[, k]).
    """
    dtype, shape = dtype or like.dtype, shape or like.shape
    mapped = _map_behind(like)
    if mapped is not None:
        # A full disk, or a folder that is gone: then as without a file.
        with suppress(OSError):
            file, walk = MatrixFile(Path(str(mapped.filename)).parent, shape, dtype, 0), Walk()
            try:
                for config in range(shape[0]):
                    file.row(config)[...] = predictions_of(config)
                    walk.has_read(like[:1])
                walk.end()
                return file.finish()
            except BaseException:
                file.discard()
                raise
    result = np.empty(shape, dtype)
    for config in range(len(result)):
        result[config] = predictions_of(config)
    return result


def taken(array: np.ndarray, configs: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Take some configurations and rows; of a file a view where they are neighbours.

    `array` (n_configs, n_rows[, k]) -> (n_chosen_configs, n_chosen_rows[, k]).
    """
    if not is_in_file(array):
        return array[np.ix_(configs, rows)]
    if all(len(each) and (np.diff(each) == 1).all() for each in (configs, rows)):
        return array[configs[0] : configs[-1] + 1, rows[0] : rows[-1] + 1]
    shape = (len(configs), len(rows), *array.shape[2:])
    return by_config(lambda place: array[configs[place]][rows], array, shape)


class Walk:
    """Gives back the pages of files while arrays are read one after the other.

    They are read again when they are needed. Arrays in memory stay as they are.
    """

    def __init__(self) -> None:
        self._maps: dict[int, mmap.mmap] = {}
        self._n_bytes = 0

    def has_read(self, array: np.ndarray) -> None:
        """Take note of an array that was looked at, and now and then give pages back."""
        mapped = _memmap_behind(array)
        if mapped is None or not isinstance(mapped.base, mmap.mmap):
            return
        self._maps[id(mapped.base)] = mapped.base
        self._n_bytes += array.nbytes
        if self._n_bytes > WALK_BYTES:
            self.end()

    def end(self) -> None:
        """Give back the pages of all files that were read."""
        for each in self._maps.values():
            with suppress(AttributeError, ValueError, OSError):  # not on every system
                each.madvise(mmap.MADV_DONTNEED)
        self._maps, self._n_bytes = {}, 0


def remove_leftovers(folder: Path) -> None:
    """Delete files whose process on this machine was killed before it could delete them."""
    for path in folder.glob(f"{_PREFIX}*{ENDING}"):
        found = re.fullmatch(rf"{re.escape(_PREFIX)}(.+)-(\d+)-\w+", path.stem)
        if found and found[1] == _node() and not _is_alive(int(found[2])):
            with suppress(OSError):
                path.unlink(missing_ok=True)


_PREFIX = "predictions-"


def _node() -> str:
    return re.sub(r"\W", "_", platform.node()) or "unknown"


def _is_alive(pid: int) -> bool:
    if sys.platform == "win32":  # files in use cannot be deleted there anyway
        return pid == os.getpid()
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's process
        return True
    return True


def _remove(path: Path, owner: int) -> None:
    if os.getpid() == owner:  # not in a forked child
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _memmap_behind(array: Any) -> np.memmap | None:
    while isinstance(array, np.ndarray):
        # A copy of a map is of its class, too, but has no file.
        if isinstance(array, np.memmap) and getattr(array, "_mmap", None) is not None:
            return array
        array = array.base
    return None


def _map_behind(array: Any) -> MatrixMap | None:
    mapped = _memmap_behind(array)
    return mapped if isinstance(mapped, MatrixMap) else None
