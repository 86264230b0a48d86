"""Folders of lm-evaluation-harness: results_*.json, and samples_*.jsonl of each task."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..._utils import explain_arguments
from ._items import (
    Run,
    Scores,
    check_names_given,
    check_same_items,
    chosen_of,
    files_in,
    listed,
    name_systems,
    oof_of,
)
from ._json_lines import HALF, check_number, json_lines, read_json
from ._shared import Predictions, compare_with_board

TIME = r"\d{4}-\d{2}-\d{2}T\d{2}[-:]\d{2}[-:]\d{2}(?:\.\d+)?"
FILE_OF_SAMPLES = re.compile(rf"samples_(.+)_({TIME})\.jsonl")
FILE_OF_RESULTS = re.compile(rf"results_({TIME})\.json")
NO_SETTINGS = frozenset(
    "model batch_size batch_sizes device use_cache limit bootstrap_iters random_seed numpy_seed "
    "torch_seed model_num_parameters model_dtype model_revision model_sha".split()
)
"""Entries of a configuration that make no other system; the model has a name."""
OF_RATIOS = {"word_perplexity": 1.0, "byte_perplexity": 1.0, "bits_per_byte": math.log(2)}
"""Metrics that are a function of a ratio of sums: of log likelihoods and of words or bytes."""


@dataclass(eq=False)
class TaskRun(Run):
    """The samples of one task in one run."""

    path: Path | None = None
    results: Mapping[str, Any] | None = None
    """All of the file of results of this run."""


@explain_arguments()
def from_lm_eval(
    cls: type[Predictions],
    folder: Any,
    *,
    score: str | None = None,
    task: Any = None,
    system: Any = None,
    groups: str | None = None,
    missing: str = "raise",
) -> Predictions:
    """Make predictions of the results of lm-evaluation-harness, for `best_of`.

    The harness must have been run with ``--log_samples``; it is not needed here. Several runs of
    one model are told apart by the settings that differ, such as the number of examples; of runs
    with the same settings the last one is taken. Items are tasks with their numbers. The
    harness's own scores are compared with those from the samples. Whether a greater score is
    better comes from the results. Perplexity is compared by the loss of each item: minus its log
    likelihood divided by its number of words, which is its weight.

    Parameters
    ----------
    folder : path or list of paths
        The folder that was given as ``--output_path``, or folders of models.
    score : str, default=None
        The metric as the harness writes it, with its filter: "exact_match,strict-match"; the
        filter may be left out where there is one. None where there is only one metric.
    task : str or list of str, default=None
        Tasks, or groups of tasks, to take. None takes all that have this metric.
    system : str or list of str, default=None
        Settings that make a system, such as ["model", "num_fewshot"].
    groups : str, default=None
        Entry of the documents that related items have in common, such as "passage".
    missing : {"raise", "drop_items", "drop_runs", "zero"}, default="raise"
        What happens where a system has no score for an item, see `from_scores`.

    Returns
    -------
    OOFPredictions
        A sample for each item of each task and a configuration for each system.

    Raises
    ------
    ValueError
        If a file is damaged or has other items than the others, if there are several metrics or
        filters and none is chosen, or if a metric is computed from all items together; see also
        `from_scores`.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> from sklearn_bbc import OOFPredictions
    >>> time, folder = "2026-11-28T10-00-00.000001", Path(tempfile.mkdtemp())
    >>> for model in ("small", "large"):
    ...     (folder / model).mkdir()
    ...     rows = [{"doc_id": k, "filter": "none", "acc": float(k % 3 > 0)} for k in range(12)]
    ...     text = "".join(json.dumps(row) + chr(10) for row in rows)
    ...     _ = (folder / model / f"samples_sums_{time}.jsonl").write_text(text)
    >>> oof = OOFPredictions.from_lm_eval(folder)
    >>> oof.n_samples, [params["configuration"] for params in oof.params]
    (12, ['large', 'small'])
    """
    check_names_given(score=score, system=system, task=task, groups=groups)
    runs = _runs_of_folder(folder)
    runs, group = _runs_of_tasks(runs, task)
    runs, notes = name_systems(runs, "model", system)
    key, lacking = _metric_of_runs(runs, score, explicit=task is not None)
    if lacking:
        notes.append(f"Tasks that have no {key} are left out: {listed(lacking)}.")
    runs = [run for run in runs if run.task not in lacking]
    rows = _rows_of_runs(runs, key, groups)
    metric = key.partition(",")[0]
    higher = {
        bool(each[metric]) for run in runs if metric in (each := _of_task(run, "higher_is_better"))
    }
    if len(higher) > 1:
        raise ValueError(f"For some tasks a greater {metric} is better, for others not: take one.")
    is_ratio = metric in OF_RATIOS
    own, more = _own_of_lm_eval(runs, rows, key, group)
    notes += more
    without = {
        task: None
        for run in runs
        for task in (run.results or {}).get("n-samples") or ()
        if not (run.path and list(run.path.parent.glob(f"samples_{task}_{run.time}.jsonl")))
    }
    if without and task is None:
        notes.append(f"Tasks without a file of samples are left out: {listed(without)}.")
    limited = [run.file for run in runs if _limit(run)]
    if limited:
        notes.append(
            f"The harness was told to take the first items only (--limit): {listed(limited)}."
        )
    found = Scores(
        tool="lm-evaluation-harness", rows=rows, tool_scores={} if is_ratio else own, notes=notes,
        greater_is_better=not is_ratio and next(iter(higher), True),
    )  # fmt: skip
    return oof_of(cls, found, missing, groups)


# --- files -------------------------------------------------------------------------------------


def _runs_of_folder(folder: Any) -> list[TaskRun]:
    """List the files of samples, each with the results of its run."""
    files = files_in(folder, (".jsonl", ".json"), "folder")
    results = {
        (path.parent, match[1]): path
        for path in files
        if (match := FILE_OF_RESULTS.fullmatch(path.name))
    }
    found, with_samples = [], set()
    read: dict[Path, Mapping[str, Any]] = {}
    for path in files:
        match = FILE_OF_SAMPLES.fullmatch(path.name)
        if match is None:
            continue
        task, time = match.groups()
        of_run = results.get((path.parent, time))
        about: Mapping[str, Any] | None = None
        if of_run is not None:
            if of_run not in read:
                content = read_json(of_run)
                if not isinstance(content, Mapping) or "results" not in content:
                    raise ValueError(
                        f"{of_run} is no file of results: it has no 'results'. {HALF}."
                    )
                read[of_run] = content
            about = read[of_run]
            with_samples.add(of_run)
        found.append(TaskRun(
            file=str(Path(path.parent.name) / path.name), task=task, time=time,
            settings=_settings_of_task(about, task, path.parent.name), path=path, results=about,
        ))  # fmt: skip
    if not found:
        alone = next((each for each in files if any(each.parent.glob("samples_*.jsonl"))), None)
        if alone is not None:
            raise ValueError(
                f"{alone.name} has means only; the scores of the items are in the files "
                f"samples_TASK_TIME.jsonl beside it. Give the folder: {alone.parent}."
            )
        raise ValueError(
            f"There is no file samples_TASK_TIME.jsonl in {folder}. Run the harness with "
            "--log_samples and --output_path."
        )
    if lone := sorted(set(results.values()) - with_samples):
        raise ValueError(
            f"{listed(path.name for path in lone)} has no samples beside it: run the harness "
            "with --log_samples, or leave the file out."
        )
    return found


def _settings_of_task(about: Mapping[str, Any] | None, task: str, folder: str) -> dict[str, Any]:
    if about is None:
        return {"model": folder}
    settings = {"model": about.get("model_name") or folder}
    settings["num_fewshot"] = (about.get("n-shot") or {}).get(task)
    for name, value in (about.get("config") or {}).items():
        if name in NO_SETTINGS:
            continue
        if name == "model_args" and isinstance(value, str):
            value = dict(part.partition("=")[::2] for part in value.split(","))
        if isinstance(value, Mapping):
            settings |= {f"{name}.{key}": each for key, each in value.items()}
        else:
            settings[name] = value
    for name in ("system_instruction", "chat_template_sha", "fewshot_as_multiturn"):
        settings[name] = about.get(name)
    version = (about.get("versions") or {}).get(task)
    return {**settings, "task_version": version}


def _of_task(run: TaskRun, name: str) -> Mapping[str, Any]:
    found = ((run.results or {}).get(name) or {}).get(run.task)
    return found if isinstance(found, Mapping) else {}


def _limit(run: TaskRun) -> bool:
    n = _of_task(run, "n-samples")
    return bool(n) and n.get("effective", 0) < n.get("original", 0)


def _runs_of_tasks(runs: list[TaskRun], task: Any) -> tuple[list[TaskRun], str | None]:
    """Take tasks, and those of groups; say which group alone was asked for."""
    if task is None:
        return runs, None
    wanted = [task] if isinstance(task, str) else [*task]
    members: dict[str, list[str]] = {}
    for run in runs:
        for group, parts in ((run.results or {}).get("group_subtasks") or {}).items():
            if parts:
                members.setdefault(group, list(parts))
    known = list(dict.fromkeys([*(run.task for run in runs), *members]))
    taken: dict[str, None] = {}

    def take(name: str) -> None:
        for part in members.get(name, ()):
            take(part)
        if name not in members:
            taken[name] = None

    for name in wanted:
        take(chosen_of(name, known, "task"))
    group = wanted[0] if len(wanted) == 1 and wanted[0] in members else None
    if lacks := [name for name in taken if name not in {run.task for run in runs}]:
        raise ValueError(f"There is no file of samples of {listed(lacks)}.")
    return [run for run in runs if run.task in taken], group


# --- scores ------------------------------------------------------------------------------------


def _known_metrics(run: TaskRun) -> tuple[dict[str, None], list[str]]:
    """List scores of each item as METRIC,FILTER, and metrics of all items together."""
    found: dict[str, None] = {}
    together: dict[str, None] = {}
    seen = set()
    assert run.path is not None
    for _, row in json_lines(run.path):
        where = row.get("filter", "none")
        if where in seen:
            continue
        seen.add(where)
        metrics = row.get("metrics")
        if metrics is None:  # files of older versions
            known = ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps")
            metrics = [name for name in row if name not in known and _is_finite_number(row[name])]
        for name in metrics:
            if name in row and (_is_finite_number(row[name]) or name in OF_RATIOS):
                found[f"{name},{where}"] = None
            else:
                together[str(name)] = None
    return found, list(together)


def _is_finite_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float)) or value is None


def _metric_of_runs(
    runs: list[TaskRun], score: str | None, *, explicit: bool
) -> tuple[str, list[str]]:
    """Find the score to take, and the tasks that do not have it."""
    of_tasks: dict[str, dict[str, None]] = {}
    together: dict[str, None] = {}
    for run in runs:
        found, others = _known_metrics(run)
        of_tasks.setdefault(run.task, {}).update(found)
        together |= dict.fromkeys(others)
    known = list(dict.fromkeys(key for keys in of_tasks.values() for key in keys))
    if score is not None and score not in known:
        fits = [key for key in known if key.partition(",")[0] == score]
        if score.partition(",")[0] in together and not fits:
            raise ValueError(
                f"score={score!r} is computed from all items together, as F1 and BLEU are, so it "
                f"is no mean of scores of items. Take one that each item has: {listed(known)}."
            )
        if len(fits) > 1:
            raise ValueError(
                f"score={score!r} was computed with several filters: say score={fits[0]!r} or "
                f"{' or '.join(map(repr, fits[1:]))}."
            )
        score = fits[0] if fits else score
    more = f" These are computed from all items together: {listed(together)}." if together else ""
    key = chosen_of(score, known, "score", more)
    lacking = [task for task, keys in of_tasks.items() if key not in keys]
    if lacking and explicit:
        raise ValueError(f"{listed(lacking)} has no {key}, but {listed(of_tasks[lacking[0]])}.")
    return key, lacking


def _rows_of_runs(runs: list[TaskRun], key: str, groups: str | None) -> pd.DataFrame:
    metric, _, where = key.partition(",")
    several = len({run.task for run in runs}) > 1
    rows: list[dict[str, Any]] = []
    seen: dict[Any, tuple[Any, str]] = {}
    for run in runs:
        assert run.path is not None
        items: set[Any] = set()
        n_of_filters: Counter[str] = Counter()
        for number, row in json_lines(run.path):
            here = f"{run.file}: line {number}"
            if "doc_id" not in row:
                raise ValueError(f"{here} has no 'doc_id', so its item is not known.")
            n_of_filters[str(row.get("filter", "none"))] += 1
            if row.get("filter", "none") != where:
                continue
            item = f"{run.task} {row['doc_id']}" if several else str(row["doc_id"])
            if item in items:
                raise ValueError(f"{here}: item {row['doc_id']} is there twice.")
            items.add(item)
            check_same_items(seen, item, row.get("doc_hash"), run.file, "document (doc_hash)")
            of_item = {
                "item": item, "system": run.system, "run": run.repeat, "task": run.task,
                "file": run.file, **_values_of_metric(row.get(metric), metric, here),
            }  # fmt: skip
            if groups is not None:
                doc = row.get("doc")
                if not isinstance(doc, Mapping) or groups not in doc:
                    has = listed(doc) if isinstance(doc, Mapping) else "none"
                    raise ValueError(
                        f"groups={groups!r} is no entry of the document in {here}, which has "
                        f"{has}."
                    )
                of_item["group"] = doc[groups]
            rows.append(of_item)
        for n_items in n_of_filters.values():
            check_number(
                n_items, _of_task(run, "n-samples").get("effective"), "item", run.file,
                "Copy the file again, or run the harness again.",
            )  # fmt: skip
    return pd.DataFrame(rows)


def _values_of_metric(value: Any, metric: str, where: str) -> dict[str, float]:
    """Return the score of an item, with the weight of a part of a ratio."""
    if metric in OF_RATIOS:
        is_pair = (
            isinstance(value, list) and len(value) == 2 and all(map(_is_finite_number, value))
        )
        if not is_pair or not value[1]:
            raise ValueError(f"{where}: {metric} must be [log likelihood, number], got {value!r}.")
        return {"score": -value[0] / value[1] / OF_RATIOS[metric], "weight": value[1]}
    if not _is_finite_number(value):
        raise ValueError(f"{where}: {metric} is {value!r:.60}, which is not a number.")
    return {"score": np.nan if value is None else float(value)}


def _own_of_lm_eval(
    runs: list[TaskRun], rows: pd.DataFrame, key: str, group: str | None
) -> tuple[dict[str, float], list[str]]:
    """Compare the means of each file with the harness's own scores; pool those over tasks."""
    metric = key.partition(",")[0]
    ours, theirs = {}, {}
    parts: dict[str, list[tuple[float, int, TaskRun]]] = {}
    for run in runs:
        of_run = rows[(rows["file"] == run.file) & (rows["system"] == run.system)]
        weight = of_run["weight"] if "weight" in of_run else None
        mean = float(np.average(of_run["score"], weights=weight))
        if metric.endswith("_perplexity"):
            mean = math.exp(mean)
        own = _of_task(run, "results").get(key)
        name = f"{run.system} ({run.task})"
        if isinstance(own, (int, float)):
            ours[name], theirs[name] = mean, float(own)
        own = float(own) if isinstance(own, (int, float)) else np.nan
        parts.setdefault(run.system, []).append((own, len(of_run), run))
    notes = compare_with_board("the harness", key, ours, theirs) if ours else []
    pooled: dict[str, float] = {}
    ours_of_group: dict[str, float] = {}
    for system, each in parts.items():
        of_group = [
            ((run.results or {}).get("groups") or {}).get(group, {}).get(key) for _, _, run in each
        ]
        if group is not None and all(isinstance(own, (int, float)) for own in of_group):
            pooled[system] = float(of_group[-1])
            ours_of_group[system] = float(rows.loc[rows["system"] == system, "score"].mean())
        elif all(np.isfinite(own) for own, _, _ in each):
            weights = [n for _, n, _ in each]
            pooled[system] = float(np.average([own for own, _, _ in each], weights=weights))
    if ours_of_group:
        notes += compare_with_board(
            "the harness", f"{key} of the group {group}", ours_of_group, pooled,
            why="It may weight tasks equally; here items are.",
        )  # fmt: skip
    return pooled, notes
