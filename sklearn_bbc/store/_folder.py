"""A folder that belongs to one problem, and its append-only log with checksums."""

from __future__ import annotations

import hashlib
import json
import math
import os
import secrets
import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from ._fingerprint import fingerprint, values_per_sample

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
    """Results of one fit: facts as in JSON, and arrays as read-only memory maps."""

    facts: dict[str, Any]
    arrays: Mapping[str, np.ndarray]
    path: Path

    @contextmanager
    def naming_its_file(self) -> Iterator[None]:
        """Name the file in errors about what a cell holds."""
        with _naming(self.path):
            yield


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # whoever made the cell, it may hold anything
        raise ValueError(
            f"{path} has a stored fit of another form than is written here "
            f"({type(error).__name__}: {error}). Move the file out of the folder, and its fits "
            "are made again; or take another folder."
        ) from error


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
            with _naming(path):
                found = _parse(data, position, path)
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


def _parse(data: np.ndarray, position: int, path: Path) -> tuple[Cell, int] | None:
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
    return Cell(content["facts"], arrays, path), body + n_body


def _next_record(data: np.ndarray, position: int) -> int:
    """Find where the next record seems to begin; the end when there is none."""
    for start in range(position, len(data), ALIGNED):
        if data[start : start + len(MAGIC)].tobytes() == MAGIC:
            return start
    return len(data)


PART = ".part"
"""Ending of what is being written, or was when its process was killed."""


def holds_others(folder: Path) -> bool:
    """Check whether a folder exists and has more in it than files begun by `write_once`."""
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


LONGEST_TEXT = 40
"""Longest text of a value that a message shows."""

CLASS = ""
"""Name of the part that is the class of an object."""

OF_CODE = ("estimator", "scoring", "cv")
"""Facts whose fingerprints hold the versions of the packages that they come from."""

ANY = "any"
"""In place of a fingerprint: equal to all others."""

StoredSplit = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Fact:
    """One thing on which the result of a fit depends."""

    print: str
    """Fingerprint of its content."""
    text: str | None = None
    """The value in a message; None when it is too long for one."""
    version: bool = False
    """Whether it is the version of a package."""
    parts: Mapping[str, Fact] = field(default_factory=dict)
    """What it consists of, to name which of it changed."""
    index: str | None = None
    """Fingerprint of the index of a Series, if it has one that means something."""

    def is_of(self, before: Fact) -> bool:
        """Check whether this is what an earlier run had; an array matches any index."""
        if ANY in (before.print, self.print):
            return True
        same_index = None in (before.index, self.index) or before.index == self.index
        return before.print == self.print and same_index

    def to_json(self) -> dict[str, Any]:
        """Make values that JSON can hold."""
        parts = {name: part.to_json() for name, part in self.parts.items()}
        return {name: value for name, value in (vars(self) | {"parts": parts}).items() if value}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Fact:
        """Make the fact that `to_json` described."""
        parts = {name: cls.from_json(part) for name, part in values.get("parts", {}).items()}
        return cls(**{**values, "parts": parts})


def differences(before: Mapping[str, Fact], now: Mapping[str, Fact]) -> list[str]:
    """Describe what differs between two problems."""
    changed = [name for name in now if name in before and not now[name].is_of(before[name])]
    versions = [name for name in changed if now[name].version]
    found = []
    for name in changed:
        if name in versions:
            continue
        parts = _changed_parts(name, before[name].parts, now[name].parts, bool(versions))
        if parts:
            found += parts
        # Where a package is of another version its code counts as other code: nothing to add.
        elif not versions or name not in OF_CODE or before[name].text != now[name].text:
            found.append(_changed(name, before[name], now[name]))
    found += [_changed(name, before[name], now[name]) for name in versions]
    found += [f"{name} is new" for name in now if name not in before]
    return found + [f"{name} is missing" for name in before if name not in now]


def _changed_parts(
    owner: str, before: Mapping[str, Fact], now: Mapping[str, Fact], other_versions: bool
) -> list[str]:
    """Describe the parts that differ; of another class only that."""
    if not before or not now:
        return []
    if before[CLASS].text != now[CLASS].text:
        return [f"{owner} {before[CLASS].text} to {now[CLASS].text}"]
    found = []
    for name in now:
        if name not in before:
            if name.rpartition("__")[0] not in now.keys() - before.keys():
                found.append(f"{owner}'s {name} is new")
        elif before[name] == now[name]:
            continue
        elif before[name].text != now[name].text or not _is_class(now[name]):
            found.append(_changed(f"{owner}'s {name}", before[name], now[name]))
        elif not other_versions:
            of = owner if name == CLASS else f"{owner}'s {name}"
            found.append(f"the code of {of} ({now[name].text}), or what it uses, changed")
    gone = before.keys() - now.keys()
    missing = [name for name in before if name in gone and name.rpartition("__")[0] not in gone]
    return found + [f"{owner}'s {name} is missing" for name in missing]


def _is_class(part: Fact) -> bool:
    return part.text is not None and part.text.startswith("class ")


def _changed(name: str, before: Fact, now: Fact) -> str:
    if before.print == now.print:
        return f"the index of {name} changed"
    if before.text is None or now.text is None or before.text == now.text:
        return f"{name} changed"
    return f"{name} {before.text} to {now.text}"


def fact_of(name: str, value: Any) -> Fact:
    if name not in ("y", "groups") and not name.endswith("sample_weight"):
        return Fact(print_of(name, value), text_of(value))
    has_index = isinstance(value, pd.Series) and not isinstance(value.index, pd.RangeIndex)
    return Fact(
        print_of(name, values_per_sample(value)),
        text_of(value),
        index=print_of(f"the index of {name}", value.index) if has_index else None,
    )


def print_of(name: str, value: Any, *, fitted: bool = True) -> str:
    try:
        return fingerprint(value, fitted=fitted)
    except TypeError as error:
        raise TypeError(
            f"store= cannot check whether {name} is the same later. {error}"
        ) from error


def text_of(value: Any) -> str | None:
    """Format a value for a message; None unless it is short and plain."""
    if isinstance(value, np.generic):
        value = value.item()
    plain = isinstance(value, (str, int, float, type(None)))
    if isinstance(value, (list, tuple)):
        plain = all(isinstance(each, (str, int, float, type(None))) for each in value)
    text = repr(value) if plain else ""
    return text if 0 < len(text) <= LONGEST_TEXT else None


STORE_FORMAT = 1
OWNER_KINDS = {"search": "a search", "recorder": "an OOFRecorder"}
PARAMETERS = {"search": "store", "recorder": "folder"}


class FitFolder(CellLog):
    """Finished fits on disk, of one problem; the path is absolute, since workers may be elsewhere.

    `kind`, "search" or "recorder", names the owner of these fits and the file that describes
    the problem, the `facts`. `seed` was drawn when the folder was made, for searches without one.
    For another problem a ValueError names what differs; nothing in the folder is changed then.
    """

    _parameter = PARAMETERS["search"]

    def __init__(self, kind: str, folder: Any, facts: Mapping[str, Fact]) -> None:
        path = Path(folder).absolute()
        about = path / f"{kind}.json"
        # In this order: another process may write the description in between.
        if holds_others(path) and not about.is_file():
            others = [name for name in OWNER_KINDS if (path / f"{name}.json").is_file()]
            whose = (
                f"those of {OWNER_KINDS[others[0]]}" if others else f"none of {OWNER_KINDS[kind]}"
            )
            raise ValueError(
                f"{PARAMETERS[kind]}={str(folder)!r} holds files, but {whose}. Take an empty or "
                "a new folder; nothing was changed."
            )
        self._parameter = PARAMETERS[kind]
        with self._explaining(path):
            super().__init__(path)
        if not about.is_file():
            content = {
                "format": STORE_FORMAT,
                "seed": secrets.randbelow(2**31),
                "problem": {name: fact.to_json() for name, fact in facts.items()},
            }
            text = json.dumps({**content, "checksum": fingerprint(content)}, indent=1).encode()
            with self._explaining(path):
                write_once(about, lambda file: file.write(text))
        self.seed = self._checked(about, facts, PARAMETERS[kind])

    def splits(self, name: str, make: Callable[[], Iterable[Any]]) -> list[StoredSplit]:
        """Return the splits of this name, or new ones, which become those of the folder.

        `make` is called in either case.
        """
        made = [[_positions(side) for side in split] for split in make()]
        path = self.folder / f"splits-{name}.npz"
        if not path.exists():
            arrays: dict[str, Any] = {"n_splits": np.array(len(made))}
            for number, (train, test) in enumerate(made):
                arrays |= {f"train{number}": train, f"test{number}": test}
            with self._explaining(self.folder):
                write_once(path, lambda file: np.savez_compressed(file, **arrays))
        try:
            with np.load(path, allow_pickle=False) as file:
                numbers = range(int(file["n_splits"]))
                return [(file[f"train{number}"], file[f"test{number}"]) for number in numbers]
        except Exception as error:  # a flipped bit raises nearly anything
            # What NumPy says of objects is advice to allow pickles.
            reason = "it holds Python objects" if "pickle" in str(error) else error
            raise ValueError(
                f"{path} is damaged ({reason}), so it is not known on which splits the fits in "
                "this folder were made. Take another folder; nothing was changed in this one."
            ) from error

    @contextmanager
    def _explaining(self, folder: Path) -> Iterator[None]:
        """Name the parameter and the folder in an error of the disk."""
        try:
            yield
        except OSError as error:
            if error.errno is None:  # says it already
                raise
            raise type(error)(
                error.errno,
                f"{self._parameter}= cannot be written: {error.strerror}. Free some space, or "
                "take a folder on another disk",
                str(folder),
            ) from error

    def check_writable(self) -> None:
        """Raise before the first fit where no fit could be stored."""
        probe = self.folder / f".probe.{secrets.token_hex(4)}.part"
        try:
            probe.touch()
        except OSError as error:
            why = (
                f"{self._parameter}= cannot be written, and not every fit is in it: "
                f"{error.strerror}"
            )
            raise type(error)(error.errno, why, str(self.folder)) from error
        probe.unlink(missing_ok=True)

    def _checked(self, about: Path, facts: Mapping[str, Fact], parameter: str) -> int:
        """Return the seed of the folder, when it is about the same problem."""
        try:
            content = json.loads(about.read_bytes())
            its_format, checksum = content["format"], content.pop("checksum", None)
            is_newer = isinstance(its_format, int) and its_format > STORE_FORMAT
            if not is_newer and checksum != fingerprint(content):
                raise ValueError("its checksum is another one")
        # Hostile nesting ends in a RecursionError.
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ValueError(
                f"{about} is damaged ({error}), so it is not known what the fits in this folder "
                "are about. Take another folder; nothing was changed in this one."
            ) from error
        if is_newer:
            raise ValueError(
                f"{self.folder} has format {its_format}, this version reads up to {STORE_FORMAT}: "
                "upgrade sklearn-bbc."
            )
        before = {name: Fact.from_json(each) for name, each in content["problem"].items()}
        if different := differences(before, facts):
            raise ValueError(
                f"{parameter}={str(self.folder)!r} is of another problem: {', '.join(different)}. "
                "Take another folder, or go back to what it was; nothing was changed in this one."
                + (_USED if any("random_state" in each for each in different) else "")
            )
        return int(content["seed"])


def _positions(side: Any) -> np.ndarray:
    side = np.asarray(side)
    if side.dtype == bool:
        return np.flatnonzero(side)
    return side.astype(np.intp) if side.size == 0 else side


_USED = (
    " A RandomState instance is another one after each use; a whole number as random_state stays "
    "the same."
)
