"""JSON and JSON lines: read with the file and the line named where one is broken."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ..._text import count

JSON_LINES = (".jsonl", ".ndjson")
JSON = (*JSON_LINES, ".json")
HALF = "It may be written by half, and no number is computed from half of the data"


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read objects, one a line, with the numbers of their lines; memory holds one at a time."""
    with open(path, "rb") as file:
        n_found = 0
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            found = _read(line, f"{path.name}: line {number}")
            if not isinstance(found, Mapping):
                raise ValueError(
                    f"{path.name}: line {number} must be an object, {{...}}, got "
                    f"{type(found).__name__}. A file of one list has the ending .json."
                )
            n_found += 1
            yield number, dict(found)
    if not n_found:
        raise ValueError(f"{path.name} is empty. Run the tool again, or leave the file out.")


def read_json(path: Path) -> Any:
    """Read a file of one value."""
    content = path.read_bytes()
    if not content.strip():
        raise ValueError(f"{path.name} is empty. Run the tool again, or leave the file out.")
    return _read(content, path.name)


def _read(content: bytes, where: str) -> Any:
    try:
        return json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"{where} is not text in UTF-8: {error.reason}.") from None
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{where} is no complete JSON: {error.msg} at character {error.pos + 1:,}. {HALF}. "
            "Write it again, or take it out."
        ) from None
    except RecursionError:
        raise ValueError(f"{where} is nested too deeply to be a table.") from None


def table_of_json(path: Path) -> pd.DataFrame:
    """Read a table: objects, one a line; or a list of objects, or one object of columns.

    Parts of an object within an object have names such as ``doc.passage``.
    """
    if path.suffix.lower() in JSON_LINES:
        rows: Any = [row for _, row in json_lines(path)]
    else:
        try:
            rows = read_json(path)
        except ValueError:
            rows = _lines_or_none(path)
            if rows is None:
                raise
    if isinstance(rows, Mapping):
        columns = {name: each for name, each in rows.items() if isinstance(each, (list, Mapping))}
        sizes = {name: len(each) for name, each in columns.items()}
        if not columns or len(columns) < len(rows) or len(set(sizes.values())) > 1:
            raise ValueError(
                f"{path.name} is an object with {', '.join(map(repr, list(rows)[:8]))}, not a "
                "table. A table is a list of objects, one for each row, or a list for each column."
            )
        return pd.DataFrame(rows).reset_index(drop=True)
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        wrong = "a " + type(rows).__name__
        if isinstance(rows, list):
            place = next(k for k, row in enumerate(rows) if not isinstance(row, Mapping))
            wrong = f"{rows[place]!r:.60} in row {place + 1}"
        raise ValueError(f"{path.name} must be a list of objects, one for each row, got {wrong}.")
    if not rows:
        raise ValueError(f"{path.name} has no rows.")
    return pd.json_normalize(rows)


def _lines_or_none(path: Path) -> list[dict[str, Any]] | None:
    """Read lines of a file that ends in .json; None where it has one line, or its first is no
    object."""
    with open(path, "rb") as file:
        first = file.readline()
        more = file.readline().strip()
    try:
        if not more or not isinstance(json.loads(first), Mapping):
            return None
    except ValueError:
        return None
    return [row for _, row in json_lines(path)]


def mapping_in(found: Any, key: str, where: str) -> Mapping[str, Any]:
    """Return a part that must be an object, or say what the file lacks."""
    part = found.get(key) if isinstance(found, Mapping) else None
    if not isinstance(part, Mapping):
        raise ValueError(f"{where} has no object {key!r}. {HALF}, or of another tool.")
    return part


def check_number(n_found: int, n_due: Any, noun: str, where: str, advice: str) -> None:
    """Raise where a file has fewer (or more) of something than it says itself."""
    if isinstance(n_due, int) and n_found != n_due:
        raise ValueError(
            f"{where} has {count(n_found, noun)}, but says itself that there were {n_due:,}. "
            f"{HALF}. {advice}"
        )
