"""A folder of finished fits that knows which problem they are about, and refuses another one."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from reprlib import repr as shortened
from typing import Any

import numpy as np
import pandas as pd

from .._utils import is_integer
from ._fingerprint import fingerprint, values_per_sample
from ._log import Cell, CellLog, holds_others, write_once

SHOWN_LENGTH = 40
"""Longest text of a value that a message shows."""

CLASS = ""
"""Name of the part that is the class of an object."""

OF_CODE = ("estimator", "scoring", "cv")
"""Facts whose fingerprints hold the versions of the packages that they come from."""

ANY = "any"
"""In place of a fingerprint: equal to all others."""

Split = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Fact:
    """One thing on which the result of a fit depends.

    Attributes
    ----------
    print : str
        Fingerprint of its content.
    shown : str or None
        The value in a message; None when it is too long for one.
    version : bool
        Whether it is the version of a package.
    parts : dict of str to Fact
        What it consists of, to say which of it changed.
    index : str or None
        Fingerprint of the index of a Series, if it has one that says something.
    """

    print: str
    shown: str | None = None
    version: bool = False
    parts: Mapping[str, Fact] = field(default_factory=dict)
    index: str | None = None

    def is_of(self, before: Fact) -> bool:
        """Whether this is what an earlier run had; an array has any index."""
        if ANY in (before.print, self.print):
            return True
        if before.print != self.print:
            return False
        return None in (before.index, self.index) or before.index == self.index

    def to_json(self) -> dict[str, Any]:
        """Values that JSON can hold."""
        parts = {name: part.to_json() for name, part in self.parts.items()}
        found = {
            "print": self.print,
            "shown": self.shown,
            "version": self.version,
            "parts": parts,
            "index": self.index,
        }
        return {name: value for name, value in found.items() if value}

    @classmethod
    def from_json(cls, values: Any, name: str = "fact") -> Fact:
        """The fact that `to_json` described; an error names what is not as it wrote it."""
        known = {"print", "shown", "version", "parts", "index"}
        values = _json_object(values, name)
        found = {key: value for key, value in values.items() if key in known}
        for key, kind in (("print", str), ("shown", str), ("version", bool), ("index", str)):
            if key in found and not isinstance(found[key], kind):
                raise TypeError(f"{key!r} of {name!r} is {shortened(found[key])}")
        if "print" not in found:
            raise ValueError(f"{name!r} has no 'print'")
        parts = _json_object(found.pop("parts", {}), f"parts of {name}")
        if parts and CLASS not in parts:
            raise ValueError(f"'parts of {name}' have no class")
        return cls(**found, parts={part: cls.from_json(parts[part], part) for part in parts})


def _json_object(values: Any, name: str) -> dict[str, Any]:
    """What JSON calls an object, or an error that names what is not one."""
    if not isinstance(values, dict):
        raise TypeError(f"{name!r} is {shortened(values)}, not an object")
    return values


def differences(before: Mapping[str, Fact], now: Mapping[str, Fact]) -> list[str]:
    """What differs between two problems, in words."""
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
        elif not versions or name not in OF_CODE or before[name].shown != now[name].shown:
            found.append(_changed(name, before[name], now[name]))
    found += [_changed(name, before[name], now[name]) for name in versions]
    found += [f"{name} is new" for name in now if name not in before]
    return found + [f"{name} is missing" for name in before if name not in now]


def _changed_parts(
    owner: str, before: Mapping[str, Fact], now: Mapping[str, Fact], other_versions: bool
) -> list[str]:
    """Which parts differ; of another class only that."""
    if not before or not now:
        return []
    if before[CLASS].shown != now[CLASS].shown:
        return [f"{owner} {before[CLASS].shown} to {now[CLASS].shown}"]
    found = []
    for name in now:
        if name not in before:
            if name.rpartition("__")[0] not in now.keys() - before.keys():
                found.append(f"{owner}'s {name} is new")
        elif before[name] == now[name]:
            continue
        elif before[name].shown != now[name].shown or not _is_class(now[name]):
            found.append(_changed(f"{owner}'s {name}", before[name], now[name]))
        elif not other_versions:
            of = owner if name == CLASS else f"{owner}'s {name}"
            found.append(f"the code of {of} ({now[name].shown}), or what it uses, changed")
    gone = before.keys() - now.keys()
    missing = [name for name in before if name in gone and name.rpartition("__")[0] not in gone]
    return found + [f"{owner}'s {name} is missing" for name in missing]


def _is_class(part: Fact) -> bool:
    return part.shown is not None and part.shown.startswith("class ")


def _changed(name: str, before: Fact, now: Fact) -> str:
    if before.print == now.print:
        return f"the index of {name} changed"
    if before.shown is None or now.shown is None or before.shown == now.shown:
        return f"{name} changed"
    return f"{name} {before.shown} to {now.shown}"


def fact_of(name: str, value: Any) -> Fact:
    if name not in ("y", "groups") and not name.endswith("sample_weight"):
        return Fact(print_of(name, value), shown(value))
    has_index = isinstance(value, pd.Series) and not isinstance(value.index, pd.RangeIndex)
    return Fact(
        print_of(name, values_per_sample(value)),
        shown(value),
        index=print_of(f"the index of {name}", value.index) if has_index else None,
    )


def print_of(name: str, value: Any) -> str:
    try:
        return fingerprint(value)
    except TypeError as error:
        raise TypeError(f"store= cannot tell whether {name} is the same later. {error}") from error


def shown(value: Any) -> str | None:
    """A value as a message shows it; None for what is no short value."""
    if isinstance(value, np.generic):
        value = value.item()
    plain = isinstance(value, (str, int, float, type(None)))
    if isinstance(value, (list, tuple)):
        plain = all(isinstance(each, (str, int, float, type(None))) for each in value)
    text = repr(value) if plain else ""
    return text if 0 < len(text) <= SHOWN_LENGTH else None


FORMAT = 1
KINDS = {"search": "a search", "recorder": "an OOFRecorder"}
PARAMETERS = {"search": "store", "recorder": "folder"}


class FitFolder:
    """Finished fits on disk, of one problem.

    Parameters
    ----------
    kind : {"search", "recorder"}
        Whose fits these are; the folder has a file of that name.
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

    def __init__(self, kind: str, folder: Any, facts: Mapping[str, Fact]) -> None:
        self.path = Path(folder).absolute()
        about = self.path / f"{kind}.json"
        if holds_others(self.path) and not about.is_file():
            others = [
                its for other, its in KINDS.items() if (self.path / f"{other}.json").is_file()
            ]
            whose = f"those of {others[0]}" if others else f"none of {KINDS[kind]}"
            raise ValueError(
                f"{PARAMETERS[kind]}={str(folder)!r} holds files, but {whose}. Take an "
                "empty or a new folder; nothing was changed."
            )
        self._log = CellLog(self.path)
        if not about.is_file():
            content = {
                "format": FORMAT,
                "seed": secrets.randbelow(2**31),
                "problem": {name: fact.to_json() for name, fact in facts.items()},
            }
            text = json.dumps(content, indent=1).encode()
            write_once(about, lambda file: file.write(text))
        self.seed = self._read(about, facts, PARAMETERS[kind])

    def splits(self, name: str, make: Callable[[], Iterable[Any]]) -> list[Split]:
        """Return the splits of this name, or new ones, which become those of the folder.

        `make` is called in either case.
        """
        made = [[_positions(side) for side in split] for split in make()]
        path = self.path / f"splits-{name}.npz"
        if not path.exists():
            arrays: dict[str, Any] = {"n_splits": np.array(len(made))}
            for number, (train, test) in enumerate(made):
                arrays |= {f"train{number}": train, f"test{number}": test}
            write_once(path, lambda file: np.savez_compressed(file, **arrays))
        try:
            with np.load(path, allow_pickle=False) as file:
                numbers = range(int(file["n_splits"]))
                return [(file[f"train{number}"], file[f"test{number}"]) for number in numbers]
        except Exception as error:  # a flipped bit raises nearly anything
            raise ValueError(
                f"{path} is damaged ({error}), so it cannot be told on which splits the fits in "
                "this folder were made. Take another folder; nothing was changed in this one."
            ) from error

    def append(self, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
        """Write one finished fit."""
        self._log.append(facts, arrays)

    def cells(self) -> list[Cell]:
        """Return all finished fits."""
        return self._log.read()

    def new_cells(self) -> list[Cell]:
        """Return those that were written since this or `cells` was called last."""
        return self._log.new()

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

    def _read(self, about: Path, facts: Mapping[str, Fact], parameter: str) -> int:
        """Seed of the folder, when it is about the same problem."""
        try:
            content = _json_object(json.loads(about.read_bytes()), about.name)
            its_format = _whole_number(content, "format")
            if its_format <= FORMAT:
                seed = _whole_number(content, "seed")
                problem = _json_object(_part(content, "problem"), "problem")
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
                f"{parameter}={str(self.path)!r} is of another problem: {', '.join(different)}. "
                "Take another folder, or go back to what it was; nothing was changed in this one."
                + (_USED if any("random_state" in each for each in different) else "")
            )
        return seed


def _positions(side: Any) -> np.ndarray:
    side = np.asarray(side)
    if side.dtype == bool:
        return np.flatnonzero(side)
    return side.astype(np.intp) if side.size == 0 else side


def _part(content: Mapping[str, Any], name: str) -> Any:
    if name not in content:
        raise ValueError(f"it has no {name!r}")
    return content[name]


def _whole_number(content: Mapping[str, Any], name: str) -> int:
    number: int = _part(content, name)
    if not is_integer(number, 0) or number >= 2**32:  # what a seed can be
        raise TypeError(f"{name!r} is {shortened(number)}, not a whole number")
    return number


_USED = (
    " A RandomState instance is another one after each use; a whole number as random_state stays "
    "the same."
)
