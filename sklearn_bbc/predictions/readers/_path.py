"""What is at a path, a file or a folder of any tool, and the reader that takes it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..._tables import (
    PARQUET,
    TEXT,
    UNNAMED,
    FileTable,
    TableInParts,
    column_of,
    columns_of,
    is_role,
    listing,
    numbers_in,
    values_of,
)
from ..._text import count, is_are
from ._autogluon import FOLDS_NOT_SAID, from_autogluon
from ._clinical import event_of
from ._columns import ARRAYS, predictions_of_columns
from ._forms import LongRoles, recognised
from ._h2o import FOLDS_NOT_KEPT, from_h2o
from ._long import check_columns, roles_of
from ._orange import from_orange, header_of_orange
from ._recognise import parts_in, table_in
from ._rows import predictions_of_rows_of
from ._scattered import predictions_of_parts
from ._shared import Predictions, check_same_targets, columns_of_classes, set_on
from ._table import TableOptions, block_length_of, predictions_of_table
from ._weka import from_weka, is_weka

BOARDS = frozenset("board leaderboard metrics readme results scores summary".split())
"""Words of names of files that tools write beside predictions."""
ENSEMBLE = re.compile(r"ensemble|stack(?!overflow)|blend", re.IGNORECASE)
OF_MLJAR = "predictions_out_of_folds.csv"
TARGETS = frozenset(
    "actual class event label obs outcome response status target true truth y".split()
)
GIVE_FOLDS = (
    "The folds are not known: --fold names a column of the file with the target that has them"
)
FOLDS_OF_PATH = {
    FOLDS_NOT_KEPT: f"{GIVE_FOLDS}. Those of AutoML are the row number, from 0 on, modulo nfolds.",
    FOLDS_NOT_SAID: f"{GIVE_FOLDS}, where they were your own.",
}
"""Notes of readers, as options say it."""
CONFIGURATION, VALUE = "configuration", "prediction"
"""Columns of a wide table that is made long."""
FILE = "file"
"""Column with the name of the file, of rows from several."""


@dataclass(frozen=True, kw_only=True)
class PathOptions(TableOptions):
    """What is at a path, as the options of the command line say it."""

    target: str | None = None  # type: ignore[assignment]
    sample: str | None = None
    config: Sequence[str] | None = None
    repeat: str | None = None
    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None


@dataclass
class Found:
    """Predictions at a path, and what was taken for what."""

    name: str
    oof: Any
    lines: list[str] = field(default_factory=list)
    warned: list[str] = field(default_factory=list)
    """Warnings of the reader."""


def predictions_at(cls: type[Predictions], path: Path, given: PathOptions) -> Found:
    """Read the predictions at a path with the reader of the tool that wrote them.

    What is not known and not given is asked for, by options of the command line.
    """
    try:
        return _predictions_at(cls, path, given)
    except ValueError as error:
        raise ValueError(ARGUMENT.sub(_as_option, str(error))) from error


ARGUMENT = re.compile(
    r"\b(sample|config|target|prediction|fold|repeat|positive|groups|sample_weight)="
)


def _as_option(argument: re.Match[str]) -> str:
    """Write an argument of a function as the option of the command line."""
    named = {"prediction": "predictions", "positive": "pos_label"}.get(argument[1], argument[1])
    return f"--{named.replace('_', '-')} "


def _predictions_at(cls: type[Predictions], path: Path, given: PathOptions) -> Found:
    if path.is_dir():
        return _of_folder(cls, path, given)
    ending = path.suffix.lower()
    if ending == ".npz" and path.is_file():
        _only_of_tables(given, path, "pos_label")
        oof = cls.load(path)
        return Found(path.name, oof, [f"{path.name}: {oof!r}, as OOFPredictions.save wrote it."])
    if header_of_orange(path) is not None:
        return _of_tool(path, given, from_orange(cls, path, positive=given.pos_label))
    if ending in TEXT and is_weka(path):
        return _of_tool(path, given, from_weka(cls, path, positive=given.pos_label))
    named = (given.fold, given.groups, given.sample, given.repeat)
    labels = [name for name in named if name is not None]
    form: dict[str, Any] = {"sep": given.sep, "decimal": given.decimal, "encoding": given.encoding}
    if (parts := parts_in(path, labels=labels, **form)) is not None:
        return _of_parts(cls, parts, given) or _of_table(cls, parts.whole(), given)
    return _of_table(cls, table_in(path, labels=labels, **form), given)


def _of_parts(cls: type[Predictions], parts: TableInParts, given: PathOptions) -> Found | None:
    """Read a large long table in parts; None where that is not possible."""

    def roles_of_some(some: FileTable) -> LongRoles | None:
        options = _with_columns(some, given)
        if not _is_long(some, options):
            return None
        _only_of_long(options)
        frame, roles = _roles_of_long(some, options)
        return roles if frame is some.frame else None

    oof: Any = predictions_of_parts(cls, parts, roles_of_some)
    return None if oof is None else Found(parts.name, oof, list(oof.notes))


def _of_table(cls: type[Predictions], table: FileTable, given: PathOptions) -> Found:
    """Read a table, long where a tool wrote it so, or options say so, and else wide."""
    given = _with_columns(table, given)
    if _is_long(table, given):
        _only_of_long(given)
        of_labels = given.target is not None and given.target in table.labels
        if of_labels and recognised(table.frame, given.target) is None:
            y_true = table.frame[given.target].to_numpy()
            event, said = event_of(table.labels, str(given.target), y_true, given.pos_label)
            if said and (given.pos_label is not None or event != np.unique(y_true)[1]):
                given = replace(given, pos_label=str(event))
            oof = _of_long(cls, table, given)
            return Found(table.name, oof, [*filter(None, [said]), *oof.notes])
        oof = _of_long(cls, table, given)
        return Found(table.name, oof, list(oof.notes))
    if given.target is None:
        words = {*re.findall(r"[a-z]+", table.name.lower())}
        if words & BOARDS or table.name == OF_MLJAR:
            raise ValueError(
                f"{table.name} is, by its name, "
                f"{'of one model' if table.name == OF_MLJAR else 'a table of scores'}, and the "
                "predictions of all configurations are needed. Give the folder of the run, or "
                "the file with the predictions; if it is a file of predictions, name the column "
                "with the true labels or values by --target."
            )
        raise ValueError(
            f"{table.name} is not of a form that is known, so --target is missing, for example "
            f"--target {_may_be_target(table)}: the column with the true labels or values. Its "
            f"columns are {listing([*table.frame][:20])}."
        )
    if given.sample is not None:
        given = replace(given, ignore=[*(given.ignore or ()), given.sample])
    oof, lines = predictions_of_table(cls, given, table)
    return Found(table.name, oof, lines)


def _with_columns(table: FileTable, given: PathOptions) -> PathOptions:
    """Check that options name columns that are there."""
    for option in ("target", "sample", "repeat", "fold", "groups", "sample_weight"):
        if (name := getattr(given, option)) is not None:
            column_of(table, name, f"--{option.replace('_', '-')}")
    if given.config:
        return replace(given, config=columns_of(table, given.config, "--config"))
    return given


def _is_long(table: FileTable, given: PathOptions) -> bool:
    """Check for a table that a tool wrote with a row for each pair, or options say that."""
    if given.config or given.repeat is not None:
        return True
    if given.sample is not None and table.frame[given.sample].duplicated().any():
        return True
    return recognised(table.frame, given.target) is not None


def _only_of_long(given: PathOptions) -> None:
    """Refuse options that long tables do not take."""
    for option in ("order", "block_length", "rows_are_samples", "ignore"):
        if getattr(given, option):
            raise ValueError(
                f"--{option.replace('_', '-')} is for tables with a row for each sample, and this "
                "has a row for each sample and configuration."
            )


def _of_tool(path: Path, given: PathOptions, oof: Any) -> Found:
    _only_of_tables(given, path)
    return Found(path.name, oof, list(oof.notes))


def _only_of_tables(given: PathOptions, path: Path, *more: str) -> None:
    for option in (
        *more,
        "target", "sample", "config", "repeat", "fold", "groups", "sample_weight", "order",
        "block_length", "predictions", "ignore",
    ):  # fmt: skip
        if getattr(given, option):
            raise ValueError(
                f"--{option.replace('_', '-')}: the form of {path.name} is known, and says itself "
                "what its columns are. Leave the option out."
            )


def _of_long(cls: type[Predictions], table: FileTable, given: PathOptions) -> Any:
    """Read a long table."""
    return predictions_of_rows_of(cls, *_roles_of_long(table, given), table.name)


def _roles_of_long(table: FileTable, given: PathOptions) -> tuple[pd.DataFrame, LongRoles]:
    """Find what columns are; without --predictions those that are left are predictions."""
    arguments: dict[str, Any] = {
        "sample": given.sample, "config": list(given.config) if given.config else None,
        "target": given.target, "fold": given.fold, "repeat": given.repeat,
        "groups": given.groups, "sample_weight": given.sample_weight,
    }  # fmt: skip
    frame = table.frame
    known = None
    if given.sample is None or given.target is None or given.predictions is None:
        known = recognised(frame.drop(columns=list(given.config or ())), given.target)
    prediction: Any = None
    if given.predictions is not None or known is None:
        for option in ("sample", "target"):
            if known is None and arguments[option] is None:
                example = "id" if option == "sample" else _may_be_target(table)
                raise ValueError(
                    f"--{option} is missing, for example --{option} {example}. The columns of "
                    f"{table.name} are {listing([*frame][:20])}."
                )
        target = given.target or (known.target if known else "")
        prediction = _prediction(table, given, target)
        if isinstance(prediction, list):  # repeats of a wide table
            others = [name for name in frame if name not in prediction]
            frame = frame.melt(others, prediction, CONFIGURATION, VALUE)
            arguments["config"], prediction = [CONFIGURATION], VALUE
    arguments["prediction"] = prediction
    check_columns(frame, arguments, table.name)
    return frame, roles_of(frame, arguments, given.pos_label, table.name)


def _prediction(table: FileTable, given: PathOptions, target: str) -> Any:
    """Return the column of predictions, class to column, or columns of configurations."""
    taken = {given.sample, given.target, given.fold, given.repeat, given.groups}
    taken |= {given.sample_weight, target, *(given.config or ())}
    if given.predictions is not None:
        names = columns_of(table, given.predictions, "--predictions")
    else:
        names = [each for each in table.frame if each not in taken and not is_role(str(each))]
    if len(names) == 1:
        return names[0]
    labels = sorted(table.frame[target].dropna().unique().tolist(), key=str)
    stems = list(columns_of_classes(names, labels).values()) if len(labels) <= 100 else []
    if len(stems) == 1:
        return stems[0]
    if not given.config and len(names) > 1 and not stems:
        wrong = [name for name in names if numbers_in(table.frame[name]) is None]
        if not wrong:
            return names
    raise ValueError(
        "--predictions is missing: the column with the predicted label, value or score, or those "
        f"with the probabilities of all classes. {table.name} has {listing(names) or 'no more'}."
    )


def _may_be_target(table: FileTable) -> str:
    """Name a column that may be the target, as an example."""
    names = list(map(str, table.frame.columns))
    return next((name for name in names if is_role(name, TARGETS)), "y")


# --- folders ---------------------------------------------------------------------------------


def _of_folder(cls: type[Predictions], folder: Path, given: PathOptions) -> Found:
    """Read the run of a tool, or a file for each configuration."""
    from_mljar = getattr(cls, "from_mljar", None)
    if from_mljar is not None and any(
        each.is_file() for each in (*folder.glob(f"*/{OF_MLJAR}"), folder / OF_MLJAR)
    ):
        found = _of_tool(folder, given, from_mljar(folder, positive=given.pos_label))
        found.lines.insert(0, f"{folder.name} of mljar: {_sizes(found.oof)}.")
        return found
    files = sorted(
        each
        for each in folder.iterdir()
        if each.is_file() and each.suffix.lower() in (*TEXT, *PARQUET, *ARRAYS)
    )
    if not files:
        below = sorted(each.name for each in folder.iterdir() if each.is_dir())
        raise ValueError(
            f"{folder} has no file with predictions ({', '.join((*TEXT, *PARQUET, *ARRAYS))})."
            + (f" It has the folders {listing(below[:8])}: name the right one." if below else "")
        )
    left = {
        each.name: "no predictions, by its name"
        for each in files
        if {*re.findall(r"[a-z]+", each.stem.lower())} & BOARDS
    }
    for each in files:
        if ENSEMBLE.search(each.stem):
            left[each.name] = "an ensemble, which may have been fitted on these predictions"
    if ignored := [each.name for each in files if _fits(each, given.ignore or ())]:
        left |= dict.fromkeys(ignored, "--ignore")
    tool = None if ignored else _tool_of_board(folder / "leaderboard.csv")
    files = [each for each in files if each.name not in left]
    if not files:
        raise ValueError(
            f"{folder} has no file with predictions. Left out by name, or by --ignore: "
            f"{listing(list(left))}. If one of them has predictions or scores, give that file."
        )
    notes = [f"Left out: {name} ({why})." for name, why in left.items()]
    weka = [each for each in files if each.suffix.lower() in TEXT and is_weka(each)]
    if len(weka) == len(files):
        found = _of_tool(
            folder, replace(given, ignore=None), from_weka(cls, files, positive=given.pos_label)
        )
    elif any(header_of_orange(each) is not None for each in files):
        raise ValueError(
            f"{folder.name} has {listing([each.name for each in files])}. A file of Orange has "
            "all learners: name that file."
        )
    elif given.target is not None and (target := _target_elsewhere(given.target)) is not None:
        found = _of_columns(cls, folder, files, target, given, tool)
        notes = notes if tool is None else []
    elif given.target is not None and Path(given.target).is_file():
        raise ValueError(
            f"--target {given.target} is a file. Add the column with the true labels or values: "
            f"--target {given.target}:COLUMN."
        )
    elif tool is not None and given.target is None:
        raise ValueError(
            f"{folder.name} is of {tool}, whose files do not have the true values, so --target is "
            "missing: a file with the training rows in their order, and its column, for example "
            "--target train.csv:y."
        )
    else:
        found = _of_tables(cls, folder, files, given)
    found.lines += notes
    set_on(found.oof, notes=(*found.oof.notes, *notes))
    return found


def _fits(path: Path, patterns: Iterable[str]) -> bool:
    return any(path.match(pattern) or path.stem == pattern for pattern in patterns)


def _target_elsewhere(target: str) -> tuple[Path, str] | None:
    """Return file and column of a target that is written FILE:COLUMN."""
    path, _, column = target.rpartition(":")
    return (Path(path), column) if path and Path(path).is_file() else None


def _of_columns(
    cls: type[Predictions],
    folder: Path,
    files: Sequence[Path],
    target: tuple[Path, str],
    given: PathOptions,
    tool: str | None,
) -> Found:
    """Read a file for each configuration, and the target from another one."""
    path, column = target
    for option in ("config", "repeat", "predictions", "rows_are_samples"):
        if getattr(given, option):
            raise ValueError(
                f"--{option.replace('_', '-')}: each file of {folder.name} is a configuration, "
                "with a row for each sample. Leave the option out."
            )
    how: dict[str, Any] = {"sep": given.sep, "decimal": given.decimal, "encoding": given.encoding}
    table = table_in(path, one_column=True, **how)
    y = values_of(table, column_of(table, column, "--target"), "--target")
    roles: dict[str, Any] = {}
    for option in ("fold", "groups", "sample_weight", "order"):
        if (named := getattr(given, option)) is not None:
            option_text = f"--{option.replace('_', '-')}"
            roles[option] = values_of(table, column_of(table, named, option_text), option_text)
    order = roles.pop("order", None)
    index: Any = y
    first = str(table.frame.columns[0])
    if given.sample is not None:
        labels = table.frame[column_of(table, given.sample, "--sample")]
        index = pd.Series(y, index=pd.Index(labels))
    elif UNNAMED.fullmatch(first) and table.frame[first].is_unique:  # as pandas writes an index
        index = pd.Series(y, index=pd.Index(table.frame[first], name=None))
    elif tool is not None:
        index = pd.Series(y)
    names = [each.stem for each in files]
    if tool is not None:
        for option in ("groups", "sample_weight", "order", "block_length"):
            if getattr(given, option):
                raise ValueError(
                    f"--{option.replace('_', '-')} is not read with files of {tool}. Leave it out."
                )
        read = OF_BOARDS[tool][1]
        oof: Any = read(cls, folder, index, fold=roles.get("fold"), positive=given.pos_label)
        names = [each["configuration"] for each in oof.params]
        notes = [FOLDS_OF_PATH.get(each, each) for each in oof.notes]
        set_on(oof, notes=tuple(notes))
    else:
        oof = predictions_of_columns(
            cls, dict(zip(names, files)), index, positive=given.pos_label, how=how, **roles
        )
        oof = oof.with_blocks(block_length_of(given), order=order)
    line = (
        f"{folder.name}: {count(len(files), 'configuration')} ({listing(names)}),"
        f" {count(len(y), 'sample')}, target {column!r} of {path.name}."
    )
    return Found(folder.name, oof, [line, *oof.notes])


OF_BOARDS: dict[str, tuple[set[str], Callable[..., Any]]] = {
    "H2O": ({"model_id"}, from_h2o),
    "AutoGluon": ({"model", "score_val", "eval_metric"}, from_autogluon),
}
"""Names in the leaderboards of tools, and their readers of folders."""


def _tool_of_board(board: Path) -> str | None:
    """Name the tool that wrote a leaderboard; None where there is none, or of another tool."""
    if not board.is_file():
        return None
    with open(board, encoding="utf-8", errors="replace") as file:
        names = {each.strip('"') for each in file.readline().strip().split(",")}
    return next((tool for tool, (needed, _) in OF_BOARDS.items() if needed <= names), None)


def _sizes(oof: Any) -> str:
    folds = "no folds" if oof.fold is None else count(len(np.unique(oof.fold)), "fold")
    return f"{count(oof.n_samples, 'sample')}, {count(oof.n_configs, 'configuration')}, {folds}"


def _of_tables(
    cls: type[Predictions], folder: Path, files: Sequence[Path], given: PathOptions
) -> Found:
    """Read a table for each configuration, each with the target, as one long table."""
    frames: dict[str, pd.DataFrame] = {}
    for path in files:
        found = table_in(
            path, sep=given.sep, decimal=given.decimal, encoding=given.encoding,
            labels=[each for each in (given.sample, given.fold) if each is not None],
        )  # fmt: skip
        frames[path.name] = found.frame.drop(columns=[n for n in found.frame if n == FILE])
    first = next(iter(frames))
    for name, frame in frames.items():
        if {*frame.columns} != {*frames[first].columns}:
            apart = sorted({*map(str, frame.columns)} ^ {*map(str, frames[first].columns)})
            raise ValueError(
                f"{name} and {first} of {folder} do not have the same columns: {listing(apart)} "
                f"{is_are(len(apart))} in one of them only. Leave out what is no configuration: "
                f"--ignore {name}."
            )
    form = recognised(frames[first], given.target)
    target = given.target or (form.target if form else None)
    if target is None:
        table = FileTable(frames[first], first, "")
        raise ValueError(
            f"The files of {folder.name} are not of a form that is known, so --target is "
            f"missing, for example --target {_may_be_target(table)}, or --target "
            "FILE:COLUMN where it is in another file. Their columns are "
            f"{listing([*frames[first]][:20])}."
        )
    column_of(FileTable(frames[first], first, ""), target, "--target")
    sample = given.sample or (form.sample if form else None)
    _check_one_data_set(frames, target, sample, bool(form and form.config))
    config = [FILE, *(given.config or (form.config if form else ()))]
    if sample is None:
        sample = "row"
        frames = {
            name: frame.assign(row=np.arange(1, len(frame) + 1)) for name, frame in frames.items()
        }
    rows = pd.concat(
        [frame.assign(**{FILE: Path(name).stem}) for name, frame in frames.items()],
        ignore_index=True,
    )
    table = FileTable(rows, folder.name, "")
    long = replace(given, sample=sample, target=target, config=config, ignore=None)
    if form is not None and given.predictions is None:
        long = replace(long, sample=given.sample, target=given.target)
    oof = _of_long(cls, table, long)
    return Found(folder.name, oof, list(oof.notes))


def _check_one_data_set(
    frames: Mapping[str, pd.DataFrame], target: str, sample: str | None, several: bool
) -> None:
    """Raise where a file is about other samples, or has other targets, than the first one."""
    of_samples: dict[str, np.ndarray] = {}
    ids: dict[str, Any] = {}
    for name, frame in frames.items():
        part = frame if sample is None else frame.drop_duplicates(sample).sort_values(sample)
        values = numbers_in(part[target])
        of_samples[name] = part[target].astype(object).to_numpy() if values is None else values
        ids[name] = None if sample is None else part[sample].to_numpy()
    first = next(iter(frames))
    for name, found in ids.items():
        if found is None or np.array_equal(found, ids[first]):
            continue
        other = [*{*found.tolist()} ^ {*ids[first].tolist()}]
        other.sort(key=lambda each: (isinstance(each, str), each))
        raise ValueError(
            f"{name} and {first} are not about the same samples: {count(len(other), 'value')} of "
            f"{sample!r}, such as {other[0]}, {is_are(len(other))} in one of them only. Leave out "
            f"the one of other data: --ignore {name}."
        )
    check_same_targets(of_samples, f"Leave out the one of other data: --ignore {[*frames][-1]}.")
