"""Results of promptfoo: the JSON, JSON lines or CSV that ``promptfoo eval -o FILE`` writes."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..._text import count
from ..._utils import explain_arguments
from .._scores import SEPARATOR
from ._items import (
    LONGEST,
    Scores,
    check_names_given,
    chosen_of,
    files_in,
    listed,
    one_line,
    oof_of,
)
from ._json_lines import HALF, JSON_LINES, check_number, json_lines, mapping_in, read_json
from ._shared import Predictions, compare_with_board

PASS, SCORE = "pass", "score"
OF_PROVIDER = 2
"""The reason of a failure that is an error of the provider, not a wrong answer."""
THREW = re.compile(r"(Custom function|Python code|Assertion).{0,40}(threw|execution failed)", re.I)
LABEL_AND_PROMPT = re.compile(r"\[(.*?)\] (.*)", re.S)
STATUS = {"PASS": 1.0, "FAIL": 0.0, "ERROR": np.nan}


@dataclass(eq=False)
class Column:
    """A prompt with a provider: a column of promptfoo's table."""

    provider: str
    prompt: str
    own: Mapping[str, Any] | None = None
    """promptfoo's own counts and sums."""
    cells: list[dict[str, Any]] = field(default_factory=list)
    system: str = ""


@explain_arguments()
def from_promptfoo(
    cls: type[Predictions],
    results: Any,
    *,
    score: str = PASS,
    groups: str | None = None,
    missing: str = "raise",
) -> Predictions:
    """Make predictions of the results of promptfoo, for `best_of`.

    Each pair of a provider and a prompt is a system, with their labels. A test is an item: its
    variables and assertions; promptfoo writes repeats of it as tests of their own, which are runs
    here. A result that is an error of the provider is missing, while promptfoo counts it as not
    passed. An assertion that threw an error counts as not passed, as in promptfoo, and a note
    says so: it says nothing about the answer.

    Parameters
    ----------
    results : path
        What ``promptfoo eval -o results.json`` writes; .jsonl and .csv are read, too.
    score : str, default="pass"
        "pass" for the share of tests that passed, as promptfoo shows; "score" for the mean of the
        assertions with their weights; or the name of a metric of assertions.
    groups : str, default=None
        Entry of the tests' metadata, or variable, that related tests have in common.
    missing : {"raise", "drop_items", "drop_runs", "zero"}, default="raise"
        What happens where a provider failed, see `from_scores`. promptfoo itself takes such a
        result as not passed: "zero".

    Returns
    -------
    OOFPredictions
        A sample for each test and a configuration for each pair of provider and prompt.

    Raises
    ------
    ValueError
        If the file is damaged or lacks results that it counts, there is no such score, or it is a
        metric of assertions with the weight 0, of which promptfoo writes 0; see also
        `from_scores`.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> from sklearn_bbc import OOFPredictions
    >>> results = [
    ...     {"testIdx": k, "promptIdx": p, "vars": {"question": str(k)}, "provider": {"id": "x"},
    ...      "prompt": {"label": "short long".split()[p]}, "score": 1, "success": (k + p) % 3 > 0}
    ...     for k in range(12) for p in range(2)
    ... ]
    >>> path = Path(tempfile.mkdtemp()) / "results.json"
    >>> _ = path.write_text(json.dumps({"results": {"results": results}}))
    >>> oof = OOFPredictions.from_promptfoo(path)
    >>> oof.n_samples, [params["configuration"] for params in oof.params]
    (12, ['x / long', 'x / short'])
    """
    if score is None:
        raise ValueError("score must be a name, such as 'pass', got None.")
    check_names_given(score=score, groups=groups)
    files = files_in(results, (".json", ".jsonl", ".csv"), "results")
    if len(files) > 1:
        raise ValueError(
            f"results must be one file of promptfoo, got {count(len(files), 'file')}: "
            f"{listed(path.name for path in files)}."
        )
    path = files[0]
    columns = _of_csv(path) if path.suffix.lower() == ".csv" else _of_json(path)
    _name_columns(columns)
    rows, notes = _rows_of_columns(columns, score, groups, path.name)
    own, more = _own_of_promptfoo(columns, score)
    found = Scores(tool="promptfoo", rows=rows, tool_scores=own, notes=[*notes, *more])
    return oof_of(cls, found, missing, groups)


# --- files -------------------------------------------------------------------------------------


def _of_json(path: Path) -> list[Column]:
    """Read the results by column, and promptfoo's own counts of each."""
    if path.suffix.lower() in JSON_LINES:
        cells: Any = [row for _, row in json_lines(path)]
        heads: Any = []
    else:
        content = read_json(path)
        results = mapping_in(content, "results", path.name)
        cells = results.get("results")
        heads = results.get("prompts") or (results.get("table") or {}).get("head", {}).get(
            "prompts"
        )
        if not isinstance(cells, list):
            raise ValueError(f"{path.name} has no list of results in its 'results'. {HALF}.")
    if not cells:
        raise ValueError(f"{path.name} has no results.")
    columns: dict[Any, Column] = {}
    for place, cell in enumerate(cells):
        if not isinstance(cell, Mapping) or "vars" not in cell or "prompt" not in cell:
            raise ValueError(
                f"{path.name}: result {place + 1} has no 'vars' and 'prompt', so it is no result "
                "of promptfoo."
            )
        provider, prompt = cell.get("provider") or {}, cell["prompt"]
        if isinstance(provider, str):
            provider = {"id": provider}
        key = cell.get(
            "promptIdx", (provider.get("label") or provider.get("id"), prompt.get("label"))
        )
        if key not in columns:
            columns[key] = Column(
                str(provider.get("label") or provider.get("id") or ""),
                one_line(str(prompt.get("label") or prompt.get("raw") or "")),
            )
        columns[key].cells.append(dict(cell))
    for key, head in enumerate(heads or ()):
        metrics = head.get("metrics") or {}
        counts = [metrics.get(f"test{what}Count") for what in ("Pass", "Fail", "Error")]
        if any(n is None for n in counts[:2]):
            continue
        n_due = sum(n or 0 for n in counts)
        if key in columns:
            columns[key].own = metrics
        n_found = len(columns[key].cells) if key in columns else 0
        check_number(
            n_found, n_due, "result", f"{path.name}: {head.get('provider')}, prompt {key + 1},",
            "Export the whole evaluation again: promptfoo export eval ID -o results.json.",
        )  # fmt: skip
    return [columns[key] for key in sorted(columns, key=str)]


def _of_csv(path: Path) -> list[Column]:
    """Read a table: variables, and for each column an answer, its status and its score."""
    text = path.read_text(encoding="utf-8-sig")
    if not text.strip():
        raise ValueError(f"{path.name} is empty. Run promptfoo again.")
    rows = list(csv.reader(StringIO(text, newline="")))
    names = rows[0]
    places = [
        k for k, name in enumerate(names[:-2]) if names[k + 1 : k + 3] == ["Status", "Score"]
    ]
    if not places:
        raise ValueError(
            f"{path.name} is no table of promptfoo: behind each answer there must be the columns "
            "Status and Score."
        )
    columns = []
    for k, start in enumerate(places):
        match = LABEL_AND_PROMPT.fullmatch(names[start])
        provider, prompt = match.groups() if match else ("", names[start])
        column = Column(provider, one_line(prompt))
        end = places[k + 1] if k + 1 < len(places) else len(names)
        for line, row in enumerate(rows[1:], start=2):
            if len(row) != len(names):
                raise ValueError(
                    f"{path.name}: row {line} has {count(len(row), 'value')}, but there are "
                    f"{count(len(names), 'name')}. {HALF}. Write it again."
                )
            if row[start + 1] not in STATUS:
                raise ValueError(
                    f"{path.name}: row {line} has the status {row[start + 1]!r}, which is none of "
                    f"{', '.join(STATUS)}."
                )
            failed = row[start + 1] == "ERROR"
            reasons = dict(zip(names[start:end], row[start:end]))
            named = {
                name.removeprefix("Metric: "): float(row[at])
                for at, name in enumerate(names[start:end], start=start)
                if name.startswith("Metric: ") and row[at]
            }
            column.cells.append({
                "vars": dict(zip(names[: places[0]], row)), "testIdx": line,
                "success": row[start + 1] == "PASS", "score": float(row[start + 2] or "nan"),
                "failureReason": OF_PROVIDER if failed else 0, "namedScores": named,
                "error": reasons.get("Grader Reason", ""),
            })  # fmt: skip
        columns.append(column)
    return columns


def _name_columns(columns: list[Column]) -> None:
    """Name the systems; columns with the same labels by their number."""
    names = [SEPARATOR.join(filter(None, (each.provider, each.prompt))) for each in columns]
    for number, (column, name) in enumerate(zip(columns, names), start=1):
        column.system = f"{name} ({number})" if names.count(name) > 1 else name


# --- scores ------------------------------------------------------------------------------------


def _rows_of_columns(
    columns: list[Column], score: str, groups: str | None, file: str
) -> tuple[pd.DataFrame, list[str]]:
    """Make a row of each result: tests with the same content are runs of one item."""
    metrics = {name for column in columns for cell in column.cells for name in _by_name(cell)}
    if score not in (PASS, SCORE):
        chosen_of(score, [PASS, SCORE, *sorted(metrics)], "score")
    contents: dict[Any, str] = {}  # of a test, from the first column that has it
    rows: list[dict[str, Any]] = []
    failed: dict[str, int] = {}
    threw: dict[str, str] = {}
    for column in columns:
        for cell in column.cells:
            test = cell.get("testIdx", _content(cell))
            content = contents.setdefault(test, _content(cell))
            row = {
                "item": content, "system": column.system, "run": str(test),
                "score": _value_of_cell(cell, score, file),
            }  # fmt: skip
            if cell.get("failureReason") == OF_PROVIDER:
                failed[column.system] = failed.get(column.system, 0) + 1
            elif THREW.search(str(cell.get("error") or "")):
                threw.setdefault(content, str(cell["error"]).splitlines()[0][:100])
            if groups is not None:
                row["group"] = _group(cell, groups, file)
            rows.append(row)
    notes = []
    if failed:
        named = listed(f"{name} {n:,}" for name, n in failed.items())
        notes.append(f"Results that are an error of the provider: {named}.")
    if threw:
        first = next(iter(threw.values()))
        notes.append(
            f"In {count(len(threw), 'test')} an assertion threw an error, which counts as not "
            f"passed though it says nothing about the answer ({first}): mend the assertion, or "
            "leave these tests out."
        )
    frame = pd.DataFrame(rows)
    frame["item"] = _short_names(frame["item"])
    return frame, notes


def _content(cell: Mapping[str, Any]) -> str:
    """Write what a test asks and expects."""
    case = cell.get("testCase") or {}
    content = {
        "vars": cell["vars"],
        **{key: case[key] for key in ("assert", "description", "threshold") if key in case},
    }
    return json.dumps(content, sort_keys=True, default=str)


def _short_names(contents: pd.Series) -> pd.Series:
    """Name the tests by their variables, in their order; number those that are named alike."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for content in contents.unique():
        values = json.loads(content)["vars"]
        short = one_line(", ".join(str(each) for each in values.values()), 2 * LONGEST)
        name, number = short, 1
        while name in taken:
            number += 1
            name = f"{short} ({number})"
        taken.add(name)
        names[content] = name
    return contents.map(names)


def _by_name(cell: Mapping[str, Any]) -> Mapping[str, Any]:
    return cell.get("namedScores") or {}


def _value_of_cell(cell: Mapping[str, Any], score: str, file: str) -> float:
    """Return the score of a result; NaN where the provider failed."""
    if cell.get("failureReason") == OF_PROVIDER:
        return np.nan
    value = {PASS: cell.get("success"), SCORE: cell.get("score")}.get(
        score, _by_name(cell).get(score)
    )
    if value is None:
        return np.nan
    if score not in (PASS, SCORE) and _weight_of_cell(cell, score) == 0:
        raise ValueError(
            f"{file}: the assertions of {score!r} have the weight 0 in test "
            f"{cell.get('testIdx')}, where promptfoo writes 0 whatever the answer is. Give them a "
            "weight, and run it again."
        )
    if not isinstance(value, (bool, int, float)):
        raise ValueError(
            f"{file}: test {cell.get('testIdx')} has the {score} {value!r:.60}, which is not a "
            "number."
        )
    return float(value)


def _weight_of_cell(cell: Mapping[str, Any], score: str) -> float:
    """Return the sum of the weights of the assertions of a metric; 1 where it is not written."""
    weights = (cell.get("gradingResult") or {}).get("namedScoreWeights") or {}
    return float(weights.get(score, 1))


def _group(cell: Mapping[str, Any], groups: str, file: str) -> Any:
    metadata = {**cell["vars"], **((cell.get("testCase") or {}).get("metadata") or {})}
    if groups not in metadata:
        raise ValueError(
            f"groups={groups!r} is neither a variable nor metadata of test {cell.get('testIdx')} "
            f"in {file}, which has {listed(metadata)}."
        )
    return metadata[groups]


def _own_of_promptfoo(columns: list[Column], score: str) -> tuple[dict[str, float], list[str]]:
    """Compare sums with promptfoo's own, in which an error of the provider counts as 0."""
    ours, theirs, different = {}, {}, False
    for column in columns:
        if column.own is None:
            continue
        values = np.array([_value_of_cell(cell, score, "") for cell in column.cells])
        weights = np.ones(len(values))
        if score in (PASS, SCORE):
            own, total = column.own.get("testPassCount" if score == PASS else "score"), len(values)
            values = np.nan_to_num(values)
        else:
            weights = np.array([_weight_of_cell(cell, score) for cell in column.cells])
            weights[np.isnan(values)] = 0
            own = _of_metric(column.own, "namedScores", score)
            total = _of_metric(column.own, "namedScoreWeights", score) or _of_metric(
                column.own, "namedScoresCount", score
            )
            different |= len(np.unique(weights[weights > 0])) > 1
        if not isinstance(own, (int, float)) or not total or not weights.any():
            continue
        ours[column.system] = float(np.average(np.nan_to_num(values), weights=weights))
        theirs[column.system] = own / total
    if score != PASS and all(column.own is None for column in columns):
        return {}, ["A table of promptfoo has scores with two decimals. The JSON has all."]
    metric = {PASS: "pass rate", SCORE: "mean score"}.get(score, f"mean of {score}")
    notes = compare_with_board("promptfoo", metric, ours, theirs) if ours else []
    if different:
        notes.append(
            f"The assertions of {score} have other weights in some tests. promptfoo's mean is "
            "weighted by them; here each test counts once."
        )
    return theirs, notes


def _of_metric(own: Mapping[str, Any], what: str, score: str) -> Any:
    return (own.get(what) or {}).get(score)
