"""Append-only log of finished cells, with their arrays, for several writing processes.

A cell is what one fit gave: facts as JSON, and arrays. Each process writes a file of its own, one
write per cell with a checksum, so no lock is needed, and a crash costs the cell in flight only.
Arrays are read as memory maps; nothing is ever unpickled.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import secrets
import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

MAGIC = b"OOF1"
ALIGNED = 64
"""Bytes to whose multiples records and arrays are aligned, so that maps are aligned too."""
ENDING = ".cells"
# `json.dumps` would make an encoder each time.
to_json = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode
_ZEROS = bytes(ALIGNED)
_HEAD = struct.Struct("<4sIQ16s")  # magic, bytes of JSON, bytes of arrays, checksum


@dataclass(frozen=True, eq=False)
class Cell:
    """Hold what one fit gave: facts as in JSON, and arrays as read-only memory maps."""

    facts: dict[str, Any]
    arrays: Mapping[str, np.ndarray]


class CellLog:
    """Log of cells in a folder, which is made when it is not there."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise NotADirectoryError(f"{self.folder} is a file; a folder is needed.")
        self.folder.mkdir(parents=True, exist_ok=True)
        self._begin_reading()
        self._lock = threading.Lock()
        self._file: int | None = None
        self._owner = 0
        self._end = 0

    def _begin_reading(self) -> None:
        self._read_to: dict[Path, int] = {}
        self._sizes: dict[Path, int] = {}  # when they were read
        self._n_damaged: Counter[Path] = Counter()

    def append(self, facts: Mapping[str, Any], arrays: Mapping[str, Any] | None = None) -> None:
        """Write one cell."""
        record = _record(facts, arrays or {})
        with self._lock:
            # A forked child must not write at its parent's place.
            if self._file is None or self._owner != os.getpid():
                path = self.folder / f"{os.getpid()}-{secrets.token_hex(4)}{ENDING}"
                self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
                self._owner, self._end = os.getpid(), 0
            try:
                n_written = os.write(self._file, record)
                while n_written < len(record):
                    n_written += os.write(self._file, memoryview(record)[n_written:])
                self._end += len(record)
            except OSError as error:
                os.ftruncate(self._file, self._end)
                os.lseek(self._file, self._end, os.SEEK_SET)
                why = f"A finished fit could not be stored: {error.strerror}"
                raise OSError(error.errno, why, str(self.folder)) from error

    @property
    def notes(self) -> list[str]:
        """Notes on what could not be read."""
        notes = []
        for path, position in self._read_to.items():
            # A file that has grown since was being written to.
            is_torn = position < self._sizes[path] and _size(path) == self._sizes[path]
            if n_damaged := self._n_damaged[path] + is_torn:
                are = "records are" if n_damaged > 1 else "record is"
                notes.append(
                    f"{path.name}: {n_damaged} {are} damaged or incomplete, as after a crash, and "
                    "not used."
                )
        return notes

    def read(self) -> list[Cell]:
        """Read all cells of all processes, file by file."""
        self._begin_reading()
        return self.new()

    def new(self) -> list[Cell]:
        """Read the cells that were written since the last reading, by whatever process."""
        paths = sorted(self.folder.glob(f"*{ENDING}"))
        return [cell for path in paths for cell in self._read_file(path)]

    def close(self) -> None:
        """Close the file; a later `append` begins another one."""
        with self._lock:
            if self._file is not None and self._owner == os.getpid():
                os.close(self._file)
            self._file = None

    def __getstate__(self) -> dict[str, Any]:
        return {"folder": self.folder}

    def __setstate__(self, state: dict[str, Any]) -> None:
        CellLog.__init__(self, **state)

    def _read_file(self, path: Path) -> Iterator[Cell]:
        position, size = self._read_to.setdefault(path, 0), path.stat().st_size
        self._sizes[path] = size
        if position >= size:
            return
        data = np.memmap(path, dtype=np.uint8, mode="r", shape=(size,))
        while position < size:
            found = _parse(data, position)
            if found is not None:
                self._read_to[path] = position = found[1]
                yield found[0]
                continue
            # The last one may still be being written: it is looked at again next time.
            position = _next_record(data, position + ALIGNED)
            self._n_damaged[path] += position < size


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _record(facts: Mapping[str, Any], given: Mapping[str, Any]) -> bytes:
    """Make the bytes of one cell, a multiple of `ALIGNED`.

    Between two fits all of this has left the processor's cache, where a call costs ten times
    what it costs in a loop: so there are few.
    """
    listed: list[tuple[Any, ...]] = []
    blocks: list[bytes] = []
    length = 0
    for name, array in given.items():
        array = np.asarray(array)
        if array.dtype.hasobject:
            raise ValueError(f"The array {name!r} holds Python objects, which are not stored.")
        data = array.tobytes()  # in C order, whatever the array's own
        listed.append((name, array.dtype.str, array.shape, length))
        blocks += (data, _ZEROS[: -len(data) % ALIGNED])
        length += len(data) + -len(data) % ALIGNED
    text = to_json({"facts": facts, "arrays": listed}).encode()
    hashed = hashlib.blake2b(text, digest_size=16)
    for block in blocks:
        hashed.update(block)
    head = _HEAD.pack(MAGIC, len(text), length, hashed.digest())
    return b"".join((head, text, _ZEROS[: -(len(head) + len(text)) % ALIGNED], *blocks))


def _parse(data: np.ndarray, position: int) -> tuple[Cell, int] | None:
    """Read the cell at a position, and where it ends; None when it is damaged or incomplete."""
    start = position + _HEAD.size
    if start > len(data):
        return None
    magic, n_text, n_body, checksum = _HEAD.unpack(data[position:start].tobytes())
    body = start + n_text + (-(_HEAD.size + n_text) % ALIGNED)
    if magic != MAGIC or body + n_body > len(data):
        return None
    text = data[start : start + n_text].tobytes()
    hashed = hashlib.blake2b(text, digest_size=16)
    hashed.update(data[body : body + n_body].data)
    if hashed.digest() != checksum:
        return None
    content = json.loads(text)
    arrays = {}
    for name, type_of, shape, first in content["arrays"]:
        dtype = np.dtype(type_of)
        size = math.prod(shape) * dtype.itemsize
        arrays[name] = data[body + first : body + first + size].view(dtype).reshape(shape)
    return Cell(content["facts"], arrays), body + n_body


def _next_record(data: np.ndarray, position: int) -> int:
    """Find where the next record seems to begin; the end when there is none."""
    for start in range(position, len(data), ALIGNED):
        if data[start : start + len(MAGIC)].tobytes() == MAGIC:
            return start
    return len(data)


PART = ".part"
"""Ending of what is being written, or was when its process was killed."""


def holds_others(folder: Path) -> bool:
    """Whether a folder is there with more in it than files that `write_once` has begun."""
    return folder.is_dir() and any(path.suffix != PART for path in folder.iterdir())


def write_once(path: Path, write: Callable[[BinaryIO], object]) -> bool:
    """Write a file unless it is there; only one of several processes wins."""
    if path.exists():
        return False
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}{PART}")
    try:
        with open(part, "xb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(part, path)
        except FileExistsError:
            return False
        except OSError:  # a file system without hard links; the last of two writers wins
            if path.exists():
                return False
            os.replace(part, path)
        return True
    finally:
        part.unlink(missing_ok=True)
