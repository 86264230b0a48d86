"""Which tool wrote a file or folder, by what is in it; and tables by the ending of their file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from ..._tables import (
    TEXT,
    FileTable,
    TableInParts,
    parts_of_table,
    read_table,
    table_of_frame,
)
from ._clinical import CLINICAL, clinical_table
from ._json_lines import JSON, LONGEST_LINE, parts_of_json_lines, table_of_json
from ._lm_eval import FILE_OF_RESULTS, FILE_OF_SAMPLES
from ._shared import check_whole_file

READERS = {
    "inspect_ai": "from_inspect",
    "lm-evaluation-harness": "from_lm_eval",
    "promptfoo": "from_promptfoo",
    "deepeval": "from_deepeval",
}
"""Class methods of `OOFPredictions` that read scores per item, by the tool that wrote them."""
BEGINNING = 2**20
"""Bytes of a file that are looked at."""


def table_in(
    path: Path,
    *,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    labels: Sequence[str] = (),
    one_column: bool = False,
) -> FileTable:
    """Read a table of any kind by the ending of its file; see `read_table` for the arguments."""
    ending = path.suffix.lower()
    if ending not in (*JSON, *CLINICAL) or path.is_dir():
        table = read_table(
            path, sep=sep, decimal=decimal, encoding=encoding, labels=labels, one_column=one_column
        )
        _check_whole(path)  # after what says more: that it is no table
        return table
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    for option, given in (("sep", sep), ("decimal", decimal), ("encoding", encoding)):
        if given is not None:
            raise ValueError(f"--{option} is for files of text, and {path.name} is not one.")
    if ending in CLINICAL:
        return clinical_table(path)
    return table_of_frame(table_of_json(path), path.name)


def parts_in(
    path: Path,
    *,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    labels: Sequence[str] = (),
) -> TableInParts | None:
    """Prepare to read a large table in parts; None of others, which `table_in` takes."""
    if path.suffix.lower() not in JSON:
        found = parts_of_table(path, sep=sep, decimal=decimal, encoding=encoding, labels=labels)
        if found is not None:
            _check_whole(path)
        return found
    of_text = any(option is not None for option in (sep, decimal, encoding))
    return None if of_text else parts_of_json_lines(path)


def _check_whole(path: Path) -> None:
    """Refuse a file of text that ends within a line, whatever is read from it."""
    if path.suffix.lower() in TEXT and path.is_file():
        check_whole_file(path)


def tool_of_scores(path: Path) -> str | None:
    """Name the tool that wrote scores per item to a file or folder; None where it is no such."""
    if path.is_dir():
        files = [each for each in sorted(path.rglob("*")) if each.is_file()]
        if any(
            FILE_OF_SAMPLES.fullmatch(each.name) or FILE_OF_RESULTS.fullmatch(each.name)
            for each in files
        ):
            return "lm-evaluation-harness"
        for each in files:
            if each.name[0] != "." and (found := _of_file(each)) not in (None, "promptfoo"):
                return found
        return None
    return _of_file(path) if path.is_file() else None


def _of_file(path: Path) -> str | None:
    ending = path.suffix.lower()
    if ending == ".eval":
        return "inspect_ai"
    if FILE_OF_SAMPLES.fullmatch(path.name) or FILE_OF_RESULTS.fullmatch(path.name):
        return "lm-evaluation-harness"
    if ending == ".csv":
        return _of_names(path)
    if ending == ".jsonl":
        return _of_line(path)
    if ending != ".json":
        return None
    with open(path, "rb") as file:
        beginning = file.read(BEGINNING).lstrip(b"\xef\xbb\xbf \r\n\t")
    if not beginning.startswith(b"{"):
        return None
    for tool, keys in OF_KEYS:
        if all(f'"{key}"'.encode() in beginning for key in keys):
            return tool
    return None


OF_KEYS = (
    ("deepeval", ("testCases", "metricsData")),
    ("inspect_ai", ("version", "status", "eval", "task_id")),
    ("promptfoo", ("results", "prompts", "provider")),
)
"""What is in the beginning of files of JSON."""


def _of_names(path: Path) -> str | None:
    with open(path, encoding="utf-8", errors="replace") as file:
        names = file.readline(BEGINNING).strip().split(",")
    if {"eval_id", "epoch", "model"} <= {*names} and any(n.startswith("score_") for n in names):
        return "inspect_ai"
    return "promptfoo" if ("Status", "Score") in pairwise(names) else None


def _of_line(path: Path) -> str | None:
    """Recognise promptfoo's results by the first of them."""
    with open(path, "rb") as file:
        line = file.readline(LONGEST_LINE)
    try:
        row: Any = json.loads(line)
    except ValueError:
        return None
    keys = {"vars", "prompt", "provider", "success"}
    return "promptfoo" if isinstance(row, Mapping) and keys <= {*row} else None
