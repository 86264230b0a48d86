"""Out-of-fold predictions on disk: one npz file, no pickle, written whole or not at all."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .._utils import replacing
from ._validation import from_file, to_file

FORMAT = 2

HEADER = "header"
IN_HEADER = {"arrays", "selected", "selected_by", "params", "notes", "metadata", "positive"}
ENDING = ".npz"
_ARRAYS = (
    "y_true", "sample", "fold", "repeat", "groups", "sample_weight", "failed", "train_size",
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
        "format": FORMAT,
        "arrays": sorted(arrays),
        "selected": oof.selected,
        "selected_by": oof.selected_by,
        "params": [_plain(params) for params in oof.params],
        "notes": list(oof.notes),
        "metadata": metadata,
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
        arrays = {name: _read(archive, name, path) for name in header["arrays"]}
    arguments: dict[str, Any] = {"classes": None, "responses": {}, "fold_scores": {}}
    arguments |= {name: header[name] for name in ("selected", "selected_by", "notes")}
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
    text = os.fspath(path)
    return Path(text if text.endswith(ENDING) else f"{text}{ENDING}")


def _existing(path: str | Path) -> Path:
    named = file_of(path)
    given = Path(os.fspath(path))
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
        header = json.loads(str(_read(archive, HEADER, path)))
        number = int(header["format"])
        if number <= FORMAT and not IN_HEADER <= header.keys():
            raise KeyError("something that every header has")
    except (json.JSONDecodeError, KeyError, TypeError):
        raise ValueError(
            f"{path} was not written by OOFPredictions.save: its header is of another kind."
        ) from None
    if number > FORMAT:
        raise ValueError(
            f"{path} has format {number}, this version reads up to {FORMAT}: upgrade sklearn-bbc."
        )
    return header


def _read(archive: zipfile.ZipFile, name: str, path: Path) -> np.ndarray:
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


def _plain(value: Any) -> Any:
    """Make the JSON form of a parameter value; what JSON cannot hold becomes its text."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)
