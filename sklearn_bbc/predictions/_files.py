"""Predictions in files: npz, and matrices that are larger than the memory."""

from __future__ import annotations

import io
import json
import mmap
import os
import platform
import re
import secrets
import sys
import weakref
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from .._notes import Note, kind_of
from .._utils import path_of, replacing
from ._validation import from_file, to_file

FILE_FORMAT = 3

HEADER = "header"
IN_HEADER = {
    "arrays",
    "selected",
    "selected_by",
    "params",
    "notes",
    "metadata",
    "positive",
    "score_sign",
    "block_length",
    "block_kind",
}
NPZ = ".npz"
_ARRAYS = (
    "y_true", "sample", "fold", "repeat", "groups", "sample_weight", "failed", "train_size",
    "order",
)  # fmt: skip


def save(oof: Any, path: str | Path) -> None:
    arrays = {name: getattr(oof, name) for name in _ARRAYS if getattr(oof, name) is not None}
    if oof.classes_ is not None:
        arrays["classes"] = oof.classes_
    if not oof.n_rows and oof.n_repeats > 1:
        arrays["repeat"] = oof.split_repeat
    arrays.update({f"response:{name}": array for name, array in oof.responses.items()})
    arrays.update({f"fold_scores:{name}": array for name, array in oof.fold_scores.items()})
    metadata, of_samples = to_file(oof.metadata)
    arrays.update({f"metadata:{name}": array for name, array in of_samples.items()})
    header = {
        "format": FILE_FORMAT,
        "arrays": sorted(arrays),
        "selected": oof.selected,
        "selected_by": oof.selected_by,
        "params": [json_form(params) for params in oof.params],
        "notes": list(oof.notes),
        "kinds": list(map(kind_of, oof.notes)),
        "metadata": metadata,
        "score_sign": oof.score_sign,
        "block_length": oof.block_length,
        "block_kind": oof.block_kind,
        "positive": None if oof.pos_label is None else oof.classes_.tolist().index(oof.pos_label),
    }
    arrays = {HEADER: np.array(json.dumps(header)), **arrays}
    with replacing(file_of(path)) as file, zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy")
            # Predictions are noise to a compressor: 4% smaller after a hundred times the time.
            # Labels, codes and indices shrink well.
            stored = array.dtype.kind in "fc"
            member.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
            with archive.open(member, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, array, allow_pickle=False)


def load(path: str | Path) -> dict[str, Any]:
    """Read the arguments of the constructor, as `save` found them."""
    path = _existing(path)
    with _opened(path) as archive:
        header = _header(archive, path)
        names = {name.removesuffix(".npy") for name in archive.namelist()}
        if missing := sorted(set(header["arrays"]) - names):
            raise ValueError(
                f"{path} is damaged: {', '.join(map(repr, missing))} should be in it and cannot "
                "be found. Take another copy of the file."
            )
        arrays = {name: _read_array(archive, name, path) for name in header["arrays"]}
    arguments: dict[str, Any] = {"classes": None, "responses": {}, "fold_scores": {}}
    arguments |= {
        name: header[name]
        for name in (
            "selected", "selected_by", "score_sign", "block_length", "block_kind",
        )
    }  # fmt: skip
    kinds = header.get("kinds", [""] * len(header["notes"]))  # older files have none
    arguments["notes"] = [Note(*pair) for pair in zip(header["notes"], kinds, strict=True)]
    metadata: dict[str, np.ndarray] = {}
    parts = {
        "response": arguments["responses"],
        "fold_scores": arguments["fold_scores"],
        "metadata": metadata,
    }
    for name, array in arrays.items():
        target, _, key = name.partition(":")
        if key:
            parts[target][key] = array
        else:
            arguments[name] = array
    arguments["params"] = header["params"] or None
    arguments["metadata"] = from_file(header["metadata"], metadata)
    if header["positive"] is not None:
        arguments["pos_label"] = arguments["classes"].tolist()[header["positive"]]
    return arguments


def file_of(path: str | Path) -> Path:
    """Name the file that `save` writes for a path: with the ending ``.npz``."""
    text = str(path_of(path))
    return Path(text if text.endswith(NPZ) else f"{text}{NPZ}")


def _existing(path: str | Path) -> Path:
    named = file_of(path)
    given = path_of(path)
    # The file that `save` writes for this name; another ending only when it is not there.
    for candidate in (named, given):
        if candidate.is_file():
            return candidate
    if named.is_dir() or (given.is_dir() and given != named):
        folder = named if named.is_dir() else given
        raise IsADirectoryError(f"{folder} is a folder, and there is no file {named}.")
    raise FileNotFoundError(f"There is no file {named}.")


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    with open(path, "rb") as file:
        start = file.read(512)
    if not start.startswith(b"PK"):
        raise ValueError(f"{path} was not written by OOFPredictions.save: it is {_kind(start)}.")
    try:
        archive = zipfile.ZipFile(path)
    except Exception as error:  # a damaged directory raises nearly anything
        raise _damaged(path, "its table of contents cannot be read", error) from None
    with archive:
        yield archive


def _kind(start: bytes) -> str:
    """Name the kind of a file by its first bytes."""
    if not start:
        return "empty"
    if start.startswith(b"\x93NUMPY"):
        return "one NumPy array (.npy). Load it with numpy.load and pass it as y_pred"
    if start.startswith(b"\x80"):
        return "a pickle, and pickles are not read"
    try:
        start.decode()
    except UnicodeDecodeError as error:
        if error.start < len(start) - 4:  # not just a letter that was cut in two
            return "of another kind"
    return "a text file such as CSV. Read it with pandas.read_csv and pass it as y_pred"


def _header(archive: zipfile.ZipFile, path: Path) -> dict[str, Any]:
    names = archive.namelist()
    if f"{HEADER}.npy" not in names:
        # A damaged name of the header's member looks the same as a stranger's file.
        raise ValueError(
            f"{path} was not written by OOFPredictions.save, or is damaged: it is an archive of "
            f"{', '.join(names[:5]) or 'nothing'}, without a header."
        )
    try:
        header = json.loads(str(_read_array(archive, HEADER, path)))
        number = int(header["format"])
        if number <= FILE_FORMAT and not IN_HEADER <= header.keys():
            raise KeyError("something that every header has")
    except (json.JSONDecodeError, KeyError, TypeError):
        raise ValueError(
            f"{path} was not written by OOFPredictions.save: its header is of another kind."
        ) from None
    if number > FILE_FORMAT:
        raise ValueError(
            f"{path} has format {number}, this version reads up to {FILE_FORMAT}: upgrade "
            "sklearn-bbc."
        )
    return header


def _read_array(archive: zipfile.ZipFile, name: str, path: Path) -> np.ndarray:
    try:
        with archive.open(f"{name}.npy") as stream:
            array = np.lib.format.read_array(stream, allow_pickle=False)
            if stream.read(1):  # also takes the checksum to the end
                raise ValueError("there is more than the array")
    except Exception as error:  # a flipped bit raises nearly anything
        raise _damaged(path, f"the array {name!r} cannot be read", error) from None
    return array


def _damaged(path: Path, what: str, error: Exception) -> ValueError:
    # What NumPy says of objects is advice to allow pickles.
    reason = "it holds Python objects" if "pickle" in str(error) else str(error)
    detail = f" ({reason})" if reason else ""
    return ValueError(f"{path} is damaged: {what}{detail}. Take another copy of the file.")


def json_form(value: Any) -> Any:
    """Make the JSON form of a parameter value; what JSON cannot hold becomes its text."""
    if isinstance(value, dict):
        return {str(key): json_form(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_form(item) for item in value]
    if isinstance(value, np.generic):
        return json_form(value.item())
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)


NPY = ".npy"

WALK_BYTES = 2**26
"""Pages are given back after so many bytes; they would count as memory of the process."""


class MatrixMap(np.memmap):
    """Memory map of one of our files; arrays made from it may get a file beside it."""


class MatrixFile:
    """Array of shape (n_configs, n_rows[, k]) that is written configuration by configuration.

    The file in `folder` is deleted when nothing uses the array any more, at the latest when the
    process ends; OSError if it cannot be made. `missing` stands where nothing is written.
    """

    def __init__(self, folder: str | Path, shape: tuple[int, ...], dtype: Any, missing: float):
        self.shape, self.dtype, self._missing = shape, np.dtype(dtype), missing
        self.path = (
            Path(folder) / f"{_FILE_PREFIX}{_node()}-{os.getpid()}-{secrets.token_hex(6)}{NPY}"
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
        """Close and delete the file."""
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
    """Check whether an array is, or is part of, one that `MatrixFile` made."""
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
            file, walk = (
                MatrixFile(Path(str(mapped.filename)).parent, shape, dtype, 0),
                PageReleaser(),
            )
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


def block_taken(array: np.ndarray, configs: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Take some configurations and rows; of a file a view where they are neighbours.

    `array` (n_configs, n_rows[, k]) -> (n_chosen_configs, n_chosen_rows[, k]).
    """
    if not is_in_file(array):
        return array[np.ix_(configs, rows)]
    if all(len(each) and (np.diff(each) == 1).all() for each in (configs, rows)):
        return array[configs[0] : configs[-1] + 1, rows[0] : rows[-1] + 1]
    shape = (len(configs), len(rows), *array.shape[2:])
    return by_config(lambda place: array[configs[place]][rows], array, shape)


class PageReleaser:
    """Release of the memory pages of files while arrays are read one after the other.

    They are read again when they are needed. Arrays in memory stay as they are.
    """

    def __init__(self) -> None:
        self._maps: dict[int, mmap.mmap] = {}
        self._n_bytes = 0

    def has_read(self, array: np.ndarray) -> None:
        """Count an array that was read, and release pages when enough were read."""
        mapped = _memmap_behind(array)
        if mapped is None or not isinstance(mapped.base, mmap.mmap):
            return
        self._maps[id(mapped.base)] = mapped.base
        self._n_bytes += array.nbytes
        if self._n_bytes > WALK_BYTES:
            self.end()

    def end(self) -> None:
        """Release the pages of all files that were read."""
        for each in self._maps.values():
            with suppress(AttributeError, ValueError, OSError):  # not on every system
                each.madvise(mmap.MADV_DONTNEED)
        self._maps, self._n_bytes = {}, 0


def remove_leftovers(folder: Path) -> None:
    """Delete files whose process on this machine was killed before it could delete them."""
    for path in folder.glob(f"{_FILE_PREFIX}*{NPY}"):
        found = re.fullmatch(rf"{re.escape(_FILE_PREFIX)}(.+)-(\d+)-\w+", path.stem)
        if found and found[1] == _node() and not _is_alive(int(found[2])):
            with suppress(OSError):
                path.unlink(missing_ok=True)


_FILE_PREFIX = "predictions-"


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
