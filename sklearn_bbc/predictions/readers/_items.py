"""What readers of scores per item have in common: runs of systems, told apart by settings."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd

from ..._text import count
from ..._utils import did_you_mean, got, path_of
from .._scores import SEPARATOR
from ._shared import NAMED_AT_MOST

if TYPE_CHECKING:
    from .._predictions import OOFPredictions

LONGEST = 40
"""Letters of a setting in the name of a system."""
AnyRun = TypeVar("AnyRun", bound="Run")


@dataclass(eq=False)
class Run:
    """One run of a system on the items of one task, as a tool wrote it."""

    file: str
    task: str
    time: str
    """Texts that sort by time."""
    settings: dict[str, Any]
    system: str = ""
    repeat: int = 0
    """Of several runs of one system with different settings."""


@dataclass(kw_only=True)
class Scores:
    """Scores of all items, runs and systems, and the tool's own mean of each system."""

    tool: str
    rows: pd.DataFrame
    """Columns item, system, run, score (NaN where a run failed), and may have group, weight."""
    tool_scores: dict[str, float]
    notes: list[str] = field(default_factory=list)
    greater_is_better: bool = True


def oof_of(cls: type[OOFPredictions], found: Scores, missing: str, groups: Any) -> OOFPredictions:
    """Make predictions of scores, with the tool's own means beside."""
    oof = cls.from_scores(
        found.rows, item="item", system="system", score="score", run="run",
        groups=None if groups is None else "group",
        sample_weight="weight" if "weight" in found.rows else None,
        greater_is_better=found.greater_is_better, missing=missing,
    )  # fmt: skip
    for name, value in (
        ("notes", (*found.notes, *oof.notes)),
        ("tool", found.tool),
        ("tool_scores", dict(found.tool_scores)),
    ):
        object.__setattr__(oof, name, value)
    return oof


def check_names_given(**given: Any) -> None:
    """Raise for what is neither a name nor, of `system` and `task`, a list of names."""
    for name, value in given.items():
        several = name in ("system", "task") and isinstance(value, Sequence) and len(value) > 0
        if value is None or isinstance(value, str):
            continue
        if not several or not all(isinstance(each, str) for each in value):
            more = ", or a list of names" if name in ("system", "task") else ""
            raise ValueError(f"{name} must be a name{more}, got {got(value)}.")


def files_in(given: Any, endings: Sequence[str], what: str) -> list[Path]:
    """List the files of a folder and those below it, of a file, or of several of either."""
    several = isinstance(given, Iterable) and not isinstance(given, (str, bytes, Path))
    paths = [path_of(each, what) for each in (given if several else [given])]
    if not paths:
        raise ValueError(f"{what} must be a file, a folder, or several of them, got {got(given)}.")
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(
                each
                for each in path.rglob("*")
                if each.is_file() and each.suffix.lower() in endings and each.name[0] != "."
            )
        elif path.is_file():
            found.append(path)
        else:
            raise FileNotFoundError(f"There is no file or folder {path}.")
    if not found:
        named = ", ".join(map(str, paths[:NAMED_AT_MOST]))
        raise ValueError(f"{what}: {named} has no file that ends in {' or '.join(endings)}.")
    return list(dict.fromkeys(found))


def name_systems(runs: list[AnyRun], first: str, by: Any = None) -> tuple[list[AnyRun], list[str]]:
    """Give each run the name of its system; leave out those that were run again since.

    A system is told by `first` and the fewest further settings that tell all runs of a task
    apart, or by those in `by`. Of runs of one task with the same settings the last one is taken.
    """
    names = list(dict.fromkeys(name for run in runs for name in run.settings))
    texts = [{name: _text_of_setting(run.settings.get(name)) for name in names} for run in runs]
    vary = [name for name in names if len({each[name] for each in texts}) > 1]
    if by is None:
        chosen = _fewest(runs, texts, first, vary)
    else:
        chosen = [by] if isinstance(by, str) else [*by]
        for name in chosen:
            if name not in names:
                raise ValueError(
                    f"system={name!r} is no setting of these runs, which have "
                    f"{listed(names)}.{did_you_mean(name, names)}"
                )
    chosen = chosen or [first]
    notes, taken = [], {}
    called: dict[str, list[tuple[str, ...]]] = {}
    for run, each in sorted(zip(runs, texts), key=lambda pair: (pair[0].time, pair[0].file)):
        told = tuple(each[name] for name in chosen)
        run.system = SEPARATOR.join(
            f"{_short(name)}={text}" if name != first and _bare(text) else one_line(text)
            for name, text in zip(chosen, told)
        )
        same = called.setdefault(run.system, [told])  # long texts may begin alike
        if told not in same:
            same.append(told)
        if number := same.index(told):
            run.system += f" ({number + 1})"
        taken[(run.task, *each.values())] = run
    kept = [run for run in runs if taken[(run.task, *_texts_of(run, names))] is run]
    old = [run for run in runs if run not in kept]
    if old:
        notes.append(
            f"{count(len(old), 'run')} of a task that was run again with the same settings "
            f"{'is' if len(old) == 1 else 'are'} left out, and the last one taken: "
            f"{listed(run.file for run in old)}."
        )
    others = [name for name in vary if name not in chosen]
    differing = [name for name in others if _differs_within(kept, name)]
    if len(vary) and len({run.system for run in kept}) > 1:
        more = f" They also differ in {listed(differing)}." if differing else ""
        notes.append(f"Systems are told apart by {listed(chosen)}.{more}")
    seen: dict[tuple[str, str], int] = {}
    for run in sorted(kept, key=lambda run: (run.time, run.file)):
        run.repeat = seen.get((run.task, run.system), 0)
        seen[(run.task, run.system)] = run.repeat + 1
    return kept, notes


def _fewest(
    runs: Sequence[Run], texts: Sequence[Mapping[str, str]], first: str, vary: list[str]
) -> list[str]:
    """Find the fewest settings that tell the runs of each task apart, `first` among them."""
    start = [first] if first in vary else []
    rest = [name for name in vary if name != first]

    def n_told(names: Iterable[str]) -> int:
        return len({(run.task, *(each[name] for name in names)) for run, each in zip(runs, texts)})

    wanted = n_told(vary)
    for size in range(min(len(rest), 3) + 1):
        for more in combinations(rest, size):
            if n_told([*start, *more]) == wanted:
                return [*start, *more]
    return [*start, *rest]


def _texts_of(run: Run, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(_text_of_setting(run.settings.get(name)) for name in names)


def _differs_within(runs: Sequence[Run], name: str) -> bool:
    """Check whether a setting differs between the runs of one task."""
    values: dict[str, set[str]] = {}
    for run in runs:
        values.setdefault(run.task, set()).add(_text_of_setting(run.settings.get(name)))
    return any(len(each) > 1 for each in values.values())


def _text_of_setting(value: Any) -> str:
    """Write a setting; what is not given is "-"."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return "-"
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))  # a column of a frame with gaps
    return str(value)


def one_line(text: str, longest: int = LONGEST) -> str:
    """Write a text in one line, its beginning where it is long."""
    text = " ".join(text.split())
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def _bare(text: str) -> bool:
    """Check for a value that says nothing without its name: a number, a flag, or none."""
    try:
        float(text)
    except ValueError:
        return text in ("-", "True", "False", "")
    return True


def _short(name: str) -> str:
    return name.removeprefix("task_arg_").removeprefix("model_generate_config.")


def listed(names: Iterable[Any]) -> str:
    """Name the first of several, and how many more there are."""
    each = list(dict.fromkeys(str(name) for name in names))
    more = f" and {len(each) - NAMED_AT_MOST:,} more" if len(each) > NAMED_AT_MOST else ""
    return ", ".join(each[:NAMED_AT_MOST]) + more


def chosen_of(given: Any, known: Sequence[str], what: str, why: str = "") -> str:
    """Return the one of several that was asked for, or the only one; else say which there are."""
    if given is None and len(known) == 1:
        return known[0]
    if given is None:
        raise ValueError(
            f"There are several {what}s: say which one by {what}=..., of {listed(known)}.{why}"
        )
    if given not in known:
        raise ValueError(
            f"{what}={given!r} is not there, but {listed(known)}."
            f"{did_you_mean(str(given), list(known))}"
        )
    return str(given)


def check_same_items(
    seen: dict[Hashable, tuple[Any, str]], item: Hashable, content: Any, file: str, what: str
) -> None:
    """Raise where two files have other contents under one item: they are of different data."""
    if content is None:
        return
    before, other = seen.setdefault(item, (content, file))
    if before != content:
        raise ValueError(
            f"Item {item!r} has another {what} in {file} than in {other}: {content!r:.60} and "
            f"{before!r:.60}. They are not about the same items. Leave out the one of other data."
        )


def mean_of_items(rows: pd.DataFrame) -> float:
    """Average the runs there are of each item, then the items, as tools do."""
    of_items = rows.groupby("item", sort=False)["score"].mean()
    return float(of_items.mean())
