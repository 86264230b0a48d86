"""Folder of a search: what it is about, the splits, and the log of finished fits."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from reprlib import repr as shortened
from typing import Any

from ..._integers import is_integer
from ...store import Cell, CellLog, holds_others, write_once
from ._problem import Fact, differences, json_object
from ._splits import Split, stored_splits

FORMAT = 1
ABOUT = "search.json"
RECORDER = "recorder.npz"


class SearchFolder:
    """Finished fits on disk, of one problem.

    Parameters
    ----------
    folder : str or Path
        Made when it is not there.
    facts : dict of str to Fact
        The problem.

    Attributes
    ----------
    path : Path
        Absolute, since workers may be elsewhere.
    seed : int
        Drawn when the folder was made, for searches without a seed.

    Raises
    ------
    ValueError
        If the folder is of something else; nothing in it is changed then.
    OSError
        If it cannot be made.
    """

    def __init__(self, folder: Any, facts: Mapping[str, Fact]) -> None:
        self.path = Path(folder).absolute()
        about = self.path / ABOUT
        if holds_others(self.path) and not about.is_file():
            other = self.path / RECORDER
            whose = "those of an OOFRecorder" if other.is_file() else "none of a search"
            raise ValueError(
                f"store={str(folder)!r} holds files, but {whose}. Take an empty or a new folder; "
                "nothing was changed."
            )
        self._log = CellLog(self.path)
        if not about.is_file():
            self._write(about, facts)
        self.seed = self._read(about, facts)

    def splits(self, name: str, make: Callable[[], list[Any]], n_samples: int) -> list[Split]:
        """The splits of this name, or new ones, which become those of the folder."""
        return stored_splits(self.path / f"splits-{name}.npz", make, n_samples)

    def cells(self) -> Iterator[tuple[tuple[str, str], Cell]]:
        """Fingerprints of parameters and split, and the fit, of all finished fits."""
        return map(_with_key, self._log.read())

    def new_cells(self) -> Iterator[tuple[tuple[str, str], Cell]]:
        """Those that were written since this or `cells` was called last."""
        return map(_with_key, self._log.new())

    @property
    def notes(self) -> list[str]:
        """What could not be read."""
        return self._log.notes

    def check_writable(self) -> None:
        """Raise before the first fit where no fit could be stored."""
        probe = self.path / f".probe.{secrets.token_hex(4)}.part"
        try:
            probe.touch()
        except OSError as error:
            why = f"store= cannot be written, and not every fit is in it: {error.strerror}"
            raise type(error)(error.errno, why, str(self.path)) from error
        probe.unlink(missing_ok=True)

    def _write(self, about: Path, facts: Mapping[str, Fact]) -> None:
        content = {
            "format": FORMAT,
            "seed": secrets.randbelow(2**31),
            "problem": {name: fact.to_json() for name, fact in facts.items()},
        }
        text = json.dumps(content, indent=1).encode()
        write_once(about, lambda file: file.write(text))

    def _read(self, about: Path, facts: Mapping[str, Fact]) -> int:
        """Seed of the folder, when it is about the same problem."""
        try:
            content = json_object(json.loads(about.read_bytes()), ABOUT)
            its_format = _whole_number(content, "format")
            if its_format <= FORMAT:
                seed = _whole_number(content, "seed")
                problem = json_object(_part(content, "problem"), "problem")
                before = {name: Fact.from_json(values, name) for name, values in problem.items()}
        # Hostile nesting ends in a RecursionError.
        except (ValueError, TypeError, RecursionError) as error:
            raise ValueError(
                f"{about} is damaged ({error}), so it cannot be told what the fits in this folder "
                "are about. Take another folder; nothing was changed in this one."
            ) from error
        if its_format > FORMAT:
            raise ValueError(
                f"{self.path} has format {its_format}, this version reads up to {FORMAT}: upgrade "
                "sklearn-bbc."
            )
        if different := differences(before, facts):
            raise ValueError(
                f"store={os.fspath(self.path)!r} is of another problem: {', '.join(different)}. "
                "Take another folder, or go back to what it was; nothing was changed in this one."
                + (_USED if any("random_state" in each for each in different) else "")
            )
        return seed


def _part(content: Mapping[str, Any], name: str) -> Any:
    if name not in content:
        raise ValueError(f"it has no {name!r}")
    return content[name]


def _whole_number(content: Mapping[str, Any], name: str) -> int:
    number: int = _part(content, name)
    if not is_integer(number, 0) or number >= 2**32:  # what a seed can be
        raise TypeError(f"{name!r} is {shortened(number)}, not a whole number")
    return number


def _with_key(cell: Cell) -> tuple[tuple[str, str], Cell]:
    return (cell.facts["config"], cell.facts["split"]), cell


_USED = (
    " A RandomState instance is another one after each use; a whole number as random_state stays "
    "the same."
)
