"""Logs of inspect_ai: a folder of .eval or .json files, or the frame of `samples_df`."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..._tables import EXACT
from ..._text import count
from ..._utils import check_flag, explain_arguments, got, path_of
from ._items import (
    Run,
    Scores,
    check_names_given,
    check_same_items,
    chosen_of,
    files_in,
    listed,
    mean_of_items,
    name_systems,
    oof_of,
)
from ._json_lines import HALF, check_number, mapping_in, read_json
from ._shared import Predictions, compare_with_board

MARKS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""What inspect_ai itself makes of marks: correct, partial, incorrect, no answer."""
MEANS_OF_INSPECT = ("accuracy", "mean")
TABLES = (".csv", ".parquet")
"""Files of the frames of `samples_df` and `evals_df`."""
ZSTANDARD = 93
"""Compression of .eval files, which Python's zipfile knows from 3.14 on."""
SETTINGS = (
    "model", "model_args", "model_generate_config", "model_roles", "model_base_url", "solver",
    "solver_args",
)  # fmt: skip


@dataclass(eq=False)
class Log(Run):
    """One log: a run of a task, with all epochs."""

    samples: list[dict[str, Any]] = field(default_factory=list)
    """Of each sample and epoch: id, epoch, target, metadata, scores, error, limit."""
    own: dict[str, float] = field(default_factory=dict)
    """inspect_ai's mean of each score."""
    headline: str | None = None
    reducer: Any = None
    task_id: str = ""
    why_not: str = ""
    """Why this log has no complete result."""


@explain_arguments()
def from_inspect(
    cls: type[Predictions],
    logs: Any,
    *,
    score: str | None = None,
    system: Any = None,
    task: Any = None,
    groups: str | None = None,
    evals: Any = None,
    greater_is_better: bool = True,
    missing: str = "raise",
) -> Predictions:
    """Make predictions of the logs of inspect_ai, for `best_of`; the package is not needed.

    Runs of one task are told apart by the model and the fewest other settings that differ. Epochs
    of a sample are averaged. A sample that ended with an error, and so has no score, is missing:
    it is counted, and not taken as wrong. Marks are numbers as in inspect_ai: C is 1, P 0.5, I
    and N 0. inspect_ai's own means, pooled over tasks by their number of samples, are in
    ``tool_scores`` and are compared with those from the samples.

    Parameters
    ----------
    logs : path, list of paths or DataFrame
        Folder of logs (.eval or .json), logs, a table that was saved, or a frame:
        ``samples_df(logs, columns=EvalTask + EvalModel + SampleSummary)``.
    score : str, default=None
        The scorer, such as "match", or a part of one that gives several, such as "acc". None is
        the one that inspect_ai shows first.
    system : str or list of str, default=None
        Settings that make a system, such as ["model", "task_arg_prompt"]. Runs that differ in
        others are then runs of one system.
    task : str or list of str, default=None
        Tasks to take. None takes all.
    groups : str, default=None
        Entry of the samples' metadata that related samples have in common, such as "passage".
    evals : DataFrame or path, default=None
        The frame of ``evals_df(logs)``, for inspect_ai's own means beside a frame of samples.
    greater_is_better : bool, default=True
        False where the score is a loss.
    missing : {"raise", "drop_items", "drop_runs", "zero"}, default="raise"
        What happens where a system has no score, see `from_scores`. inspect_ai itself takes the
        runs that there are: "drop_runs".

    Returns
    -------
    OOFPredictions
        A sample for each item of each task and a configuration for each system.

    Raises
    ------
    ValueError
        If a log is damaged, was not finished, or is of other samples; if there are several scores
        and none is chosen; see also `from_scores`.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from sklearn_bbc import OOFPredictions
    >>> frame = pd.DataFrame({
    ...     "eval_id": ["x", "y"] * 12, "task_name": "sums", "model": ["a", "b"] * 12,
    ...     "id": np.arange(24) // 2, "epoch": 1, "error": "", "score_match": ["C", "C", "I"] * 8,
    ... })
    >>> oof = OOFPredictions.from_inspect(frame)
    >>> oof.n_samples, [params["configuration"] for params in oof.params]
    (12, ['a', 'b'])
    """
    check_names_given(score=score, system=system, task=task, groups=groups)
    check_flag("greater_is_better", greater_is_better)
    found = _logs_of(logs, evals)
    found = _logs_of_tasks(found, task)
    found, notes = _whole(found)
    found, more = name_systems(found, "model", system)
    notes += more
    name, others = _scorer_of(found, score)
    if others:
        notes.append(f"The score is {name}. There are also {listed(others)}.")
    rows = _rows_of_logs(found, name, groups, several=len({log.task for log in found}) > 1)
    notes += _failed_notes(found)
    own, more = _own_of_inspect(found, rows, name)
    oof = Scores(
        tool="inspect_ai", rows=rows, tool_scores=own, notes=[*notes, *more],
        greater_is_better=greater_is_better,
    )  # fmt: skip
    return oof_of(cls, oof, missing, groups)


# --- logs --------------------------------------------------------------------------------------


def _logs_of(given: Any, evals: Any) -> list[Log]:
    if isinstance(given, pd.DataFrame):
        return _of_frame(given, _frame_given(evals, "evals"))
    files = files_in(given, (".eval", ".json", *TABLES), "logs")
    tables = [path for path in files if path.suffix.lower() in TABLES]
    logs = [path for path in files if path not in tables]
    if logs and evals is not None:
        raise ValueError(
            f"evals belongs to a frame of samples; logs have their own means. Got {got(evals)}: "
            "leave it out."
        )
    if logs:
        return [_log(path) for path in logs]
    frames = {path.name: _frame_given(path, "logs") for path in tables}
    samples = {name: each for name, each in frames.items() if "epoch" in each}
    if len(samples) != 1:
        raise ValueError(
            f"logs: one table of samples_df is needed, got {count(len(samples), 'table')} of "
            f"samples among {listed(frames)}."
        )
    if evals is None:  # saved beside it
        evals = next((each for each in frames.values() if "total_samples" in each), None)
    return _of_frame(next(iter(samples.values())), _frame_given(evals, "evals"))


def _frame_given(given: Any, what: str) -> Any:
    if given is None or isinstance(given, pd.DataFrame):
        return given
    path = path_of(given, what)
    if path.suffix.lower() == ".parquet":
        return pd.read_parquet(path)
    if path.suffix.lower() != ".csv":
        raise ValueError(f"{what} must be a frame, or a file of it that ends in .csv or .parquet.")
    return pd.read_csv(path, keep_default_na=False, na_values=[""], low_memory=False, **EXACT)


def _log(path: Path) -> Log:
    """Read one log file."""
    if path.suffix.lower() == ".eval":
        header, samples = _unpacked(path)
    else:
        header = read_json(path)
        samples = header.get("samples") if isinstance(header, Mapping) else None
    about = mapping_in(header, "eval", path.name)
    log = Log(
        file=path.name, task=str(about.get("task")), time=str(about.get("created", "")),
        settings=_settings_of_log(about), task_id=str(about.get("task_id", "")),
    )  # fmt: skip
    results = header.get("results") or {}
    config = about.get("config") or {}
    if header.get("status") != "success":
        log.why_not = f"its status is {header.get('status')!r}"
    elif not samples:
        log.why_not = "it has no samples (log_samples must be on)"
    log.samples = list(samples or [])
    if not log.why_not:
        check_number(
            len(log.samples), results.get("total_samples"), "sample", path.name,
            "Copy the file again, or run the task again.",
        )  # fmt: skip
    for each in results.get("scores") or ():
        values = [
            each["metrics"][name]["value"] for name in MEANS_OF_INSPECT if name in each["metrics"]
        ]
        if values:
            log.own[_full(each["scorer"], each["name"])] = float(values[0])
    headline = results.get("headline") or {}
    if headline.get("scorer"):
        log.headline = _full(headline["scorer"], headline.get("score") or headline["scorer"])
    elif log.own:
        log.headline = next(iter(log.own))
    log.reducer = config.get("epochs_reducer")
    return log


def _full(scorer: str, name: str) -> str:
    return name if scorer == name else f"{scorer}.{name}"


def _settings_of_log(about: Mapping[str, Any]) -> dict[str, Any]:
    """List what may tell systems apart, one entry each."""
    settings: dict[str, Any] = {"model": about.get("model")}
    parts = {f"task_arg_{key}": value for key, value in (about.get("task_args") or {}).items()}
    for name in SETTINGS[1:]:
        value = about.get(name)
        if isinstance(value, Mapping):
            parts |= {f"{name}.{key}": each for key, each in value.items()}
        elif value is not None:
            parts[name] = value
    return settings | parts


def _unpacked(path: Path) -> tuple[Any, list[dict[str, Any]] | None]:
    """Read the header and the summaries of all samples of an .eval file."""
    if not path.stat().st_size:
        raise ValueError(f"{path.name} is empty (0 bytes). Run the task again, or leave it out.")
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if "header.json" not in names:
                start = json.loads(_member(archive, "_journal/start.json"))
                return {**start, "status": "started"}, None
            header = json.loads(_member(archive, "header.json"))
            summaries = None
            if "summaries.json" in names:
                summaries = json.loads(_member(archive, "summaries.json"))
            return header, summaries
    except (zipfile.BadZipFile, KeyError, EOFError, json.JSONDecodeError) as error:
        raise ValueError(
            f"{path.name} is damaged or no log of inspect_ai: {error}. {HALF}. Copy it again, or "
            "leave it out."
        ) from None


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Read a file of an archive; Zstandard by another package where zipfile knows it not."""
    info = archive.getinfo(name)
    try:
        return archive.read(info)
    except NotImplementedError:
        if info.compress_type != ZSTANDARD:
            raise
    try:
        zstandard = import_module("zstandard")
    except ImportError:
        raise ImportError(
            f"{Path(str(archive.filename)).name} is compressed by Zstandard, which Python has "
            "from 3.14 on: python -m pip install zstandard. Or give the frame of inspect_ai's "
            "samples_df, or logs that were written with log_format='json'."
        ) from None
    file = archive.fp
    assert file is not None
    file.seek(info.header_offset + 26)
    n_name, n_extra = (int.from_bytes(file.read(2), "little") for _ in range(2))
    file.seek(info.header_offset + 30 + n_name + n_extra)
    reader = zstandard.ZstdDecompressor().stream_reader(
        file.read(info.compress_size), read_across_frames=True
    )
    try:
        content: bytes = reader.read()
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(str(error)) from None
    if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
        raise zipfile.BadZipFile(f"{name} is not what was written")
    return content


def _of_frame(frame: pd.DataFrame, evals: pd.DataFrame | None) -> list[Log]:
    """Make logs of the frame of `samples_df`."""
    columns = ["eval_id", "task_name", "model", "id", "epoch"]
    lacks = [name for name in columns if name not in frame]
    if lacks:
        raise ValueError(
            f"The frame has no column {', '.join(map(repr, lacks))}. Make it by samples_df(logs, "
            "columns=EvalTask + EvalModel + SampleSummary), all from inspect_ai.analysis."
        )
    scores = [name for name in frame if str(name).startswith("score_")]
    if not scores:
        raise ValueError("The frame has no column of scores, such as 'score_match'.")
    if not len(frame):
        raise ValueError("The frame has no rows.")
    for name in ("eval_id", "task_name", "id"):
        if (lost := frame[name].map(_is_missing).to_numpy()).any():
            raise ValueError(
                f"Column {name!r} is empty in row {int(lost.argmax()) + 1} of the frame "
                f"({count(int(lost.sum()), 'such row')}), so it is not known whose score that is. "
                "Make the frame again."
            )
    settings = [name for name in frame if name in SETTINGS or str(name).startswith("task_arg_")]
    found = []
    for (eval_id, _), part in frame.groupby(["eval_id", "task_name"], sort=False):
        first = part.iloc[0]
        log = Log(
            file=str(first.get("log", f"eval {eval_id}")), task=str(first["task_name"]),
            time=str(first.get("log", "")).rpartition("/")[2],
            settings=_parts_of(first, settings),
        )  # fmt: skip
        metadata = [name for name in part if str(name).startswith("metadata_")]
        for row in part.to_dict("records"):
            values = {}
            for name in scores:
                if not _is_missing(row[name]):
                    values[str(name).removeprefix("score_")] = {"value": _parsed(row[name])}
            log.samples.append({
                "id": row["id"], "epoch": row["epoch"], "target": row.get("target"),
                "metadata": {str(name).removeprefix("metadata_"): row[name] for name in metadata},
                "scores": values, "error": _if_given(row.get("error")),
                "limit": _if_given(row.get("limit")),
            })  # fmt: skip
        if evals is not None:
            _take_evals(log, evals, str(eval_id))
        found.append(log)
    return found


def _parts_of(row: Mapping[str, Any], names: list[Any]) -> dict[str, Any]:
    """List settings of a row, one entry each of those that are the text of several."""
    found: dict[str, Any] = {}
    for name in names:
        value = _parsed(row[name])
        if isinstance(value, Mapping):
            found |= {f"{name}.{key}": each for key, each in value.items()}
        else:
            found[str(name)] = value
    return found


def _take_evals(log: Log, evals: pd.DataFrame, eval_id: str) -> None:
    """Take inspect_ai's own means and the status of a log from the frame of `evals_df`."""
    rows = evals[evals["eval_id"].astype(str) == eval_id]
    if len(rows) != 1:
        raise ValueError(
            f"evals has {count(len(rows), 'row')} of eval_id {eval_id!r}, which is among the "
            "samples. Make both frames of the same logs."
        )
    row = rows.iloc[0]
    if "status" in row and row["status"] != "success":
        log.why_not = f"its status is {row['status']!r}"
    elif "total_samples" in row:
        check_number(
            len(log.samples), int(row["total_samples"]), "sample", log.file,
            "Make both frames of the same logs.",
        )  # fmt: skip
    for name in evals:
        for metric in MEANS_OF_INSPECT:
            if str(name).startswith("score_") and str(name).endswith(f"_{metric}"):
                if not _is_missing(row[name]):
                    of = str(name).removeprefix("score_").removesuffix(f"_{metric}")
                    log.own.setdefault(of, float(row[name]))
    if not _is_missing(row.get("score_headline_score")):
        log.headline = str(row["score_headline_score"])
    log.reducer = _if_given(row.get("epochs_reducer"))
    log.time = str(row.get("created", log.time))


def _is_missing(value: Any) -> bool:
    return value is None or value == "" or (np.ndim(value) == 0 and bool(pd.isna(value)))


def _if_given(value: Any) -> Any:
    return None if _is_missing(value) else value


def _parsed(value: Any) -> Any:
    """Read the text of several scores that one scorer gave."""
    if isinstance(value, str) and value[:1] in "{[":
        try:
            return json.loads(value)
        except json.JSONDecodeError:
            return value
    return value


def _logs_of_tasks(found: list[Log], task: Any) -> list[Log]:
    if task is None:
        return found
    wanted = [task] if isinstance(task, str) else [*task]
    known = list(dict.fromkeys(log.task for log in found))
    for each in wanted:
        chosen_of(each, known, "task")
    return [log for log in found if log.task in wanted]


def _whole(found: list[Log]) -> tuple[list[Log], list[str]]:
    """Leave out logs that were not finished where a later one was; else raise."""
    whole, notes = [log for log in found if not log.why_not], []
    for log in found:
        if not log.why_not:
            continue
        again = [
            each for each in whole
            if each.task == log.task and each.time >= log.time
            and (each.settings == log.settings or (log.task_id and each.task_id == log.task_id))
        ]  # fmt: skip
        if not again:
            raise ValueError(
                f"{log.file} is no complete run of {log.task}: {log.why_not}. {HALF}. Finish it "
                "(inspect eval-retry), or leave the file out."
            )
        notes.append(f"{log.file} was not finished ({log.why_not}); {again[-1].file} is taken.")
    return whole, notes


# --- scores ------------------------------------------------------------------------------------


def _scorer_of(found: list[Log], score: str | None) -> tuple[str, list[str]]:
    """Find the score to take: as ``scorer``, or ``scorer.part``; and the others there are."""
    known: dict[str, None] = {}
    for log in found:
        for sample in log.samples:
            for scorer, each in (sample.get("scores") or {}).items():
                value = each.get("value")
                if isinstance(value, Mapping):
                    known |= dict.fromkeys(f"{scorer}.{part}" for part in value)
                else:
                    known |= dict.fromkeys([scorer])
    if not known:
        raise ValueError("The logs have no scores. Score them first: inspect score LOG.")
    names = list(known)
    if score is None:
        shown = {log.headline for log in found}
        if len(shown) == 1 and (headline := shown.pop()) is not None:
            score = next(
                (name for name in names if headline in (name, name.partition(".")[2])), None
            )
    elif score not in known:
        of_part = [name for name in names if name.partition(".")[2] == score]
        score = of_part[0] if len(of_part) == 1 else score
    name = chosen_of(score, names, "score")
    return name, [each for each in names if each != name]


def _value_of_sample(sample: Mapping[str, Any], name: str, file: str) -> float:
    """Return the number of a sample's score; NaN where there is none."""
    scorer, _, part = name.partition(".")
    scores = sample.get("scores") or {}
    if name in scores:
        value = scores[name].get("value")
    elif scorer in scores:
        value = scores[scorer].get("value")
        value = value.get(part) if isinstance(value, Mapping) else None
    else:
        return np.nan
    if _is_missing(value):
        return np.nan
    if isinstance(value, (bool, int, float, np.number)):
        return float(value)
    if isinstance(value, str):
        if (mark := MARKS.get(value, MARKS.get(value.lower()))) is not None:
            return mark
        try:
            return float(value)
        except ValueError:
            pass
    raise ValueError(
        f"{file}: sample {sample.get('id')!r}, epoch {sample.get('epoch')}, has the score "
        f"{value!r:.60} by {name}, which is no number and no mark ({', '.join(MARKS)})."
    )


def _rows_of_logs(
    found: list[Log], name: str, groups: str | None, *, several: bool
) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    seen: dict[Any, tuple[Any, str]] = {}
    for log in found:
        for sample in log.samples:
            item = f"{log.task} {sample['id']}" if several else str(sample["id"])
            check_same_items(seen, item, _target_text(sample.get("target")), log.file, "target")
            row = {
                "item": item, "system": log.system, "task": log.task, "file": log.file,
                "run": f"{log.repeat} {sample['epoch']}",
                "score": _value_of_sample(sample, name, log.file),
            }  # fmt: skip
            if groups is not None:
                metadata = sample.get("metadata") or {}
                if groups not in metadata:
                    raise ValueError(
                        f"groups={groups!r} is not in the metadata of sample {sample['id']!r} in "
                        f"{log.file}, which has {listed(metadata) or 'none'}."
                    )
                row["group"] = metadata[groups]
            rows.append(row)
    return pd.DataFrame(rows)


def _target_text(target: Any) -> Any:
    return None if np.ndim(target) == 0 and _is_missing(target) else str(target)


def _failed_notes(found: list[Log]) -> list[str]:
    """Note samples that failed, and those that a limit stopped."""
    failed: dict[str, int] = {}
    stopped: dict[str, int] = {}
    why = ""
    for log in found:
        for sample in log.samples:
            if (error := _if_given(sample.get("error"))) is not None:
                failed[log.system] = failed.get(log.system, 0) + 1
                why = why or str(error).strip().splitlines()[-1][:80]
            if _if_given(sample.get("limit")) is not None:
                stopped[log.system] = stopped.get(log.system, 0) + 1
    notes = []
    if failed:
        named = listed(f"{name} {n:,}" for name, n in failed.items())
        notes.append(f"Runs that failed and have no score: {named}; the first by {why}.")
    if stopped:
        named = listed(f"{name} {n:,}" for name, n in stopped.items())
        notes.append(f"Runs that a limit stopped, with the score they had then: {named}.")
    return notes


def _own_of_inspect(
    found: list[Log], rows: pd.DataFrame, name: str
) -> tuple[dict[str, float], list[str]]:
    """Compare means of each log with inspect_ai's; pool its means over the tasks of a system."""
    ours, theirs, notes = {}, {}, []
    parts: dict[str, list[tuple[float, int]]] = {}
    part = name.partition(".")[2]
    for log in found:
        own = log.own.get(name, log.own.get(part, np.nan) if part else np.nan)
        of_log = rows[(rows["file"] == log.file) & (rows["system"] == log.system)]
        both = f"{log.system} ({log.task})"
        reducers = [log.reducer] if isinstance(log.reducer, str) else list(log.reducer or ["mean"])
        if reducers != ["mean"]:
            notes.append(
                f"{log.file}: inspect_ai reduced epochs by {listed(reducers)}, here they are "
                "averaged, so its own score may differ."
            )
        elif np.isfinite(own):
            ours[both], theirs[both] = mean_of_items(of_log), own
        n_items = int(of_log.groupby("item")["score"].count().gt(0).sum())
        parts.setdefault(log.system, []).append((own, n_items))
    if ours:
        notes += compare_with_board("inspect_ai", name, ours, theirs)
    pooled = {
        system: float(np.average([own for own, _ in each], weights=[n for _, n in each]))
        for system, each in parts.items()
        if all(np.isfinite(own) for own, _ in each) and any(n for _, n in each)
    }
    return pooled, notes
