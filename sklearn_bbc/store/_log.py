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
from collections.abc import Callable, Iterable, Mapping
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
    """What one fit gave.

    Attributes
    ----------
    facts : dict
        What JSON can hold.
    arrays : mapping of str to ndarray
        Memory maps, read-only.
    """

    facts: dict[str, Any]
    arrays: Mapping[str, np.ndarray]


class CellLog:
    """Folder with a log of cells.

    Parameters
    ----------
    folder : str or Path
        Made when it is not there.

    Attributes
    ----------
    folder : Path
        Where the files are.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise NotADirectoryError(f"{self.folder} is a file; a folder is needed.")
        self.folder.mkdir(parents=True, exist_ok=True)
        self._positions: dict[Path, int] = {}
        self._sizes: dict[Path, int] = {}
        self._n_damaged: dict[Path, int] = {}
        self._lock = threading.Lock()
        self._file: int | None = None
        self._owner = 0
        self._end = 0

    def append(self, facts: Mapping[str, Any], arrays: Mapping[str, Any] | None = None) -> None:
        """Write one cell."""
        named = {name: np.asarray(values) for name, values in (arrays or {}).items()}
        text = to_json({"facts": facts, "arrays": _listing(named)})
        record = _record(text.encode(), named.values())
        with self._lock:
            # A forked child must not write at its parent's place.
            if self._file is None or self._owner != os.getpid():
                self._open()
            try:
                n_written = os.write(self._file, record)  # type: ignore[arg-type]
                if n_written < len(record):
                    self._write(memoryview(record)[n_written:])
                self._end += len(record)
            except OSError as error:
                self._take_back()
                why = f"A finished fit could not be stored: {error.strerror}"
                raise OSError(error.errno, why, str(self.folder)) from error

    @property
    def notes(self) -> list[str]:
        """What could not be read, in words."""
        notes = []
        for path, position in self._positions.items():
            # A file that has grown since was being written to.
            is_torn = position < self._sizes[path] == _size(path)
            n_damaged = self._n_damaged.get(path, 0) + is_torn
            if n_damaged:
                are = "records are" if n_damaged > 1 else "record is"
                notes.append(
                    f"{path.name}: {n_damaged} {are} damaged or incomplete, as after a crash, and "
                    "not used."
                )
        return notes

    def read(self) -> list[Cell]:
        """All cells of all processes, file by file."""
        self._positions, self._n_damaged = {}, {}
        return self.new()

    def new(self) -> list[Cell]:
        """Cells that were written since the last reading, by whatever process."""
        cells: list[Cell] = []
        for path in sorted(self.folder.glob(f"*{ENDING}")):
            cells += self._read_file(path)
        return cells

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

    def _open(self) -> None:
        path = self.folder / f"{os.getpid()}-{secrets.token_hex(4)}{ENDING}"
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        self._owner, self._end = os.getpid(), 0

    def _write(self, left: memoryview) -> None:
        assert self._file is not None
        while left:
            left = left[os.write(self._file, left) :]

    def _take_back(self) -> None:
        assert self._file is not None
        os.ftruncate(self._file, self._end)
        os.lseek(self._file, self._end, os.SEEK_SET)

    def _read_file(self, path: Path) -> list[Cell]:
        position, size = self._positions.setdefault(path, 0), path.stat().st_size
        self._sizes[path] = size
        if position >= size:
            return []
        data = np.memmap(path, dtype=np.uint8, mode="r", shape=(size,))
        cells: list[Cell] = []
        while position < size:
            found = _parse(data, position)
            if found is not None:
                cells.append(found[0])
                self._positions[path] = position = found[1]
                continue
            # The last one may still be being written: it is looked at again next time.
            position = _next_record(data, position + ALIGNED)
            if position < size:
                self._n_damaged[path] = self._n_damaged.get(path, 0) + 1
        return cells


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _listing(arrays: Mapping[str, np.ndarray]) -> list[tuple[Any, ...]]:
    """Name, type, shape and place of each array of a cell."""
    listed, place = [], 0
    for name, array in arrays.items():
        if array.dtype.hasobject:
            raise ValueError(f"The array {name!r} holds Python objects, which are not stored.")
        listed.append((name, array.dtype.str, array.shape, place))
        place += array.nbytes + -array.nbytes % ALIGNED
    return listed


def _record(text: bytes, arrays: Iterable[np.ndarray]) -> bytes:
    """Bytes of one cell, a multiple of `ALIGNED`.

    Between two fits all of this has left the processor's cache, where a call costs ten times
    what it costs in a loop: so there are few.
    """
    blocks: list[bytes] = []
    hashed, length = hashlib.blake2b(text, digest_size=16), 0
    for array in arrays:
        data = array.tobytes()  # in C order, whatever the array's own
        padding = _ZEROS[: -len(data) % ALIGNED]
        hashed.update(data)
        hashed.update(padding)
        blocks += (data, padding)
        length += len(data) + len(padding)
    head = _HEAD.pack(MAGIC, len(text), length, hashed.digest())
    return b"".join((head, text, _ZEROS[: -(len(head) + len(text)) % ALIGNED], *blocks))


def _parse(data: np.ndarray, position: int) -> tuple[Cell, int] | None:
    """The cell at a position and where it ends; None when it is damaged or incomplete."""
    if position + _HEAD.size > len(data):
        return None
    head = data[position : position + _HEAD.size].tobytes()
    magic, n_text, n_body, checksum = _HEAD.unpack(head)
    start = position + _HEAD.size
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
        part = data[body + first : body + first + size]
        arrays[name] = part.view(dtype).reshape(shape)
    return Cell(content["facts"], arrays), body + n_body


def _next_record(data: np.ndarray, position: int) -> int:
    """Where the next record seems to begin; the end when there is none."""
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
