"""A folder of finished fits that knows which problem they are about, and refuses another one."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ._fingerprint import fingerprint, values_per_sample
from ._log import CellLog, holds_others, write_once

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
    """One thing on which the result of a fit depends."""

    print: str
    """Fingerprint of its content."""
    shown: str | None = None
    """The value in a message; None when it is too long for one."""
    version: bool = False
    """Whether it is the version of a package."""
    parts: Mapping[str, Fact] = field(default_factory=dict)
    """What it consists of, to name which of it changed."""
    index: str | None = None
    """Fingerprint of the index of a Series, if it has one that means something."""

    def is_of(self, before: Fact) -> bool:
        """Whether this is what an earlier run had; an array has any index."""
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
        elif not versions or name not in OF_CODE or before[name].shown != now[name].shown:
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
    """Format a value for a message; None for what is no short value."""
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


class FitFolder(CellLog):
    """Finished fits on disk, of one problem; the path is absolute, since workers may be elsewhere.

    `kind`, "search" or "recorder", tells whose fits these are and names the file that describes
    the problem, the `facts`. `seed` was drawn when the folder was made, for searches without one.
    Of another problem a ValueError names what differs; nothing in the folder is changed then.
    """

    def __init__(self, kind: str, folder: Any, facts: Mapping[str, Fact]) -> None:
        path = Path(folder).absolute()
        about = path / f"{kind}.json"
        # In this order: another process may write the description in between.
        if holds_others(path) and not about.is_file():
            others = [name for name in KINDS if (path / f"{name}.json").is_file()]
            whose = f"those of {KINDS[others[0]]}" if others else f"none of {KINDS[kind]}"
            raise ValueError(
                f"{PARAMETERS[kind]}={str(folder)!r} holds files, but {whose}. Take an empty or "
                "a new folder; nothing was changed."
            )
        super().__init__(path)
        if not about.is_file():
            content = {
                "format": FORMAT,
                "seed": secrets.randbelow(2**31),
                "problem": {name: fact.to_json() for name, fact in facts.items()},
            }
            text = json.dumps({**content, "checksum": fingerprint(content)}, indent=1).encode()
            write_once(about, lambda file: file.write(text))
        self.seed = self._checked(about, facts, PARAMETERS[kind])

    def splits(self, name: str, make: Callable[[], Iterable[Any]]) -> list[Split]:
        """Return the splits of this name, or new ones, which become those of the folder.

        `make` is called in either case.
        """
        made = [[_positions(side) for side in split] for split in make()]
        path = self.folder / f"splits-{name}.npz"
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

    def check_writable(self) -> None:
        """Raise before the first fit where no fit could be stored."""
        probe = self.folder / f".probe.{secrets.token_hex(4)}.part"
        try:
            probe.touch()
        except OSError as error:
            why = f"store= cannot be written, and not every fit is in it: {error.strerror}"
            raise type(error)(error.errno, why, str(self.folder)) from error
        probe.unlink(missing_ok=True)

    def _checked(self, about: Path, facts: Mapping[str, Fact], parameter: str) -> int:
        """Return the seed of the folder, when it is about the same problem."""
        try:
            content = json.loads(about.read_bytes())
            its_format, checksum = content["format"], content.pop("checksum", None)
            is_newer = isinstance(its_format, int) and its_format > FORMAT
            if not is_newer and checksum != fingerprint(content):
                raise ValueError("its checksum is another one")
        # Hostile nesting ends in a RecursionError.
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ValueError(
                f"{about} is damaged ({error}), so it cannot be told what the fits in this folder "
                "are about. Take another folder; nothing was changed in this one."
            ) from error
        if is_newer:
            raise ValueError(
                f"{self.folder} has format {its_format}, this version reads up to {FORMAT}: "
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
