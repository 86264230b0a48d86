"""Folder of a recorder: what it is about, its splits, and the log of finished fits."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from reprlib import repr as shortened
from typing import Any

import numpy as np

from ..._integers import is_integer
from ...predictions._io import _plain
from ...store import CellLog, fingerprint, holds_others, write_once
from ...store._per_sample import values_per_sample
from ._cells import RecordedCell

FORMAT = 1
ABOUT = "recorder.npz"
BROKEN = (zipfile.BadZipFile, zlib.error)


class RecorderFolder:
    """Finished fits on disk, of one target and one set of splits.

    Parameters
    ----------
    folder : str or Path
        Made when it is not there.
    facts : mapping of str to object
        What all processes that use the folder must agree on, by name.
    """

    def __init__(self, folder: Any, facts: Mapping[str, Any]) -> None:
        plain = {name: values_per_sample(value) for name, value in facts.items()}
        self._facts = {name: fingerprint(value) for name, value in plain.items()}
        # What versions that made a difference between texts and objects wrote.
        self._as_given = {name: fingerprint(value) for name, value in facts.items()}
        self._path = Path(folder) / ABOUT
        if holds_others(Path(folder)) and not self._path.is_file():
            raise ValueError(
                f"{folder} holds files, but none of a recorder. Take an empty or a new folder; "
                "nothing was changed."
            )
        self._log = CellLog(folder)

    @property
    def notes(self) -> list[str]:
        """What could not be read."""
        return self._log.notes

    def splits(
        self, make: Callable[[], list[Any]], name: str | None
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """The splits of the folder, or new ones, which become those of the folder.

        Parameters
        ----------
        make : callable
            Makes the splits.
        name : str or None
            What made them; None when they were given as a list, which must be the same.

        Raises
        ------
        ValueError
            If the folder is of other data or other splits.
        """
        made = None
        if not self._path.is_file():
            made = make()
            self._write(made, name)
        about, splits = self._read()
        self._check(about, name)
        if name is None:
            given = made or make()
            same = len(given) == len(splits) and all(
                np.array_equal(a, b) and np.array_equal(c, d)
                for (a, c), (b, d) in zip(given, splits)
            )
            if not same:
                raise ValueError(f"{self._path.parent} is of other splits: cv changed.")
        return splits

    def append(self, cell: RecordedCell) -> None:
        """Write one finished fit."""
        facts = {
            "config": cell.config,
            "split": cell.split,
            "params": _plain(cell.params),
            "recipe": dict(cell.recipe),
            "scores": dict(cell.scores),
            "time": cell.time,
        }
        self._log.append(facts, cell.responses)

    def new(self) -> list[RecordedCell]:
        """Fits that were written since the last call, by whatever process."""
        return [RecordedCell(**cell.facts, responses=cell.arrays) for cell in self._log.new()]

    def _write(self, splits: list[Any], name: str | None) -> None:
        """Only one process wins; the others read what it wrote."""
        about = {"format": FORMAT, "cv": name, "n_splits": len(splits), **self._facts}
        arrays = {"about": np.array(json.dumps(about))}
        for number, (train, test) in enumerate(splits):
            arrays[f"train{number}"] = np.asarray(train)
            arrays[f"test{number}"] = np.asarray(test)
        write_once(self._path, lambda file: np.savez_compressed(file, **arrays))  # type: ignore[arg-type]

    def _read(self) -> tuple[dict[str, Any], list[tuple[np.ndarray, np.ndarray]]]:
        try:
            if not zipfile.is_zipfile(self._path):
                raise ValueError("it is not an archive of arrays")
            with np.load(self._path, allow_pickle=False) as file:
                about = json.loads(str(file["about"]))
                newer = _checked(about)["format"] > FORMAT
                numbers = range(0 if newer else about["n_splits"])
                splits = [(file[f"train{k}"], file[f"test{k}"]) for k in numbers]
        except (ValueError, TypeError, KeyError, EOFError, RecursionError) + BROKEN as error:
            raise ValueError(
                f"{self._path} is damaged ({error}), so it cannot be told what the fits in this "
                "folder are about. Take another folder; nothing was changed in this one."
            ) from error
        if newer:
            raise ValueError(
                f"{self._path.parent} has format {about['format']}, this version reads up to "
                f"{FORMAT}: upgrade sklearn-bbc."
            )
        return about, splits

    def _check(self, about: Mapping[str, Any], name: str | None) -> None:
        different = [
            what
            for what, value in self._facts.items()
            if about.get(what) not in (value, self._as_given[what])
        ]
        if name is not None and about["cv"] is not None and about["cv"] != name:
            different.append(f"cv (was {about['cv']}, is {name})")
        if different:
            raise ValueError(
                f"{self._path.parent} is of another problem: {', '.join(different)} changed. Take "
                "another folder; nothing was changed in this one."
            )


def _checked(about: Any) -> dict[str, Any]:
    """What `_write` described; an error names what is not as it wrote it."""
    if not isinstance(about, dict):
        raise TypeError(f"'about' is {shortened(about)}, not an object")
    for name in ("format", "n_splits", "cv"):
        if name not in about:
            raise ValueError(f"'about' has no {name!r}")
    for name in ("format", "n_splits"):
        if not is_integer(about[name], 0):
            raise TypeError(f"{name!r} is {shortened(about[name])}, not a whole number")
    if not isinstance(about["cv"], (str, type(None))):
        raise TypeError(f"'cv' is {shortened(about['cv'])}, not a text")
    return about
