"""JSON and JSON lines: read with the file and the line named where one is broken."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import IO, Any

import pandas as pd

from ... import _batches
from ..._batches import Batches, SomeOf
from ..._tables import LETTERS, FileTable, TableInParts, table_of_frame
from ..._text import count

JSON_LINES = (".jsonl", ".ndjson")
JSON = (*JSON_LINES, ".json")
NAMES_SHOWN = 8
"""Names that a message says."""
LONGEST_LINE = 2**24
"""Bytes of a first line that is looked at."""
LETTERS_CUT = 20
"""Letters of what may be cut in a value of JSON, such as an escape; but for text and lists."""
HALF = "It may be written by half, and no number is computed from half of the data"


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read objects, one a line, with the numbers of their lines; memory holds one at a time."""
    return ((number, row) for number, row, _ in _placed_lines(path))


def _placed_lines(path: Path) -> Iterator[tuple[int, dict[str, Any], int]]:
    """Read objects with the numbers of their lines, and how many bytes were read."""
    with open(path, "rb") as file:
        n_found = n_read = 0
        for number, line in enumerate(file, start=1):
            n_read += len(line)
            if not line.strip():
                continue
            found = _parsed_json(line, f"{path.name}: line {number}")
            if not isinstance(found, Mapping):
                raise ValueError(
                    f"{path.name}: line {number} must be an object, {{...}}, got "
                    f"{type(found).__name__}. A file of one list has the ending .json."
                )
            n_found += 1
            yield number, dict(found), n_read
    if not n_found:
        raise _empty_file(path)


def read_json(path: Path) -> Any:
    """Read a file of one value."""
    content = path.read_bytes()
    if not content.strip():
        raise _empty_file(path)
    return _parsed_json(content, path.name)


def _parsed_json(content: bytes, where: str) -> Any:
    try:
        return json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise _no_text(where, error) from None
    except json.JSONDecodeError as error:
        raise _incomplete(where, error.msg, error.pos) from None
    except RecursionError:
        raise _too_deep(where) from None


def _empty_file(path: Path) -> ValueError:
    return ValueError(f"{path.name} is empty. Run the tool again, or leave the file out.")


def _no_text(where: str, error: UnicodeDecodeError) -> ValueError:
    return ValueError(f"{where} is not text in UTF-8: {error.reason}.")


def _incomplete(where: str, what: str, place: int) -> ValueError:
    return ValueError(
        f"{where} is no complete JSON: {what} at character {place + 1:,}. {HALF}. Write it again, "
        "or take it out."
    )


def _too_deep(where: str) -> ValueError:
    return ValueError(f"{where} is nested too deeply to be a table.")


def table_of_json(path: Path) -> pd.DataFrame:
    """Read a table: objects, one a line; or a list of objects, or one object of columns.

    Parts of an object within an object have names such as ``doc.passage``.
    """
    if path.stat().st_size > _batches.BATCH_BYTES:
        return _large_table(path)
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
            raise _no_table(path, rows)
        return pd.DataFrame(rows).reset_index(drop=True)
    if not isinstance(rows, list):
        raise _no_rows(path, "a " + type(rows).__name__)
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise _no_rows(path, f"{row!r:.60} in row {number}")
    if not rows:
        raise ValueError(f"{path.name} has no rows.")
    return pd.json_normalize(rows)


def _no_table(path: Path, names: Iterable[str]) -> ValueError:
    some = ", ".join(map(repr, list(names)[:NAMES_SHOWN]))
    return ValueError(
        f"{path.name} is an object with {some}, not a table. A table is a list of objects, one "
        "for each row, or a list for each column."
    )


def _no_rows(path: Path, wrong: str) -> ValueError:
    return ValueError(f"{path.name} must be a list of objects, one for each row, got {wrong}.")


def _lines_or_none(path: Path) -> list[dict[str, Any]] | None:
    """Read lines of a file that ends in .json; None where it does not have lines of objects."""
    return [row for _, row in json_lines(path)] if _has_lines(path) else None


def _has_lines(path: Path) -> bool:
    """Check for a file of several lines, of which the first is an object."""
    with open(path, "rb") as file:
        first = file.readline(LONGEST_LINE)
        more = file.readline(LONGEST_LINE).strip()
    try:
        return bool(more) and isinstance(json.loads(first), Mapping)
    except ValueError:
        return False


# --- large files -------------------------------------------------------------------------------


def _large_table(path: Path) -> pd.DataFrame:
    """Read a table as `table_of_json` does, in batches."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        stream = _Stream(file, path)
        try:
            first = stream.next_letter()
            if path.suffix.lower() in JSON_LINES or (first == "{" and _has_lines(path)):
                return _table_in_batches(
                    ((row, place) for _, row, place in _placed_lines(path)), path
                )
            if first == "{":
                return _table_of_columns(stream, path)
            if first == "[":
                return _table_in_batches(
                    ((row, stream.n_bytes) for row in _objects_in(stream)), path
                )
            if not first:
                raise _empty_file(path)
            raise _no_rows(path, "a " + type(stream.value()).__name__)
        except UnicodeDecodeError as error:
            raise _no_text(path.name, error) from None
        except RecursionError:
            raise _too_deep(path.name) from None


def _table_in_batches(rows: Iterator[tuple[Mapping[str, Any], int]], path: Path) -> pd.DataFrame:
    """Make a table of objects, each with the number of bytes that were read with it."""
    found = Batches(path.name)
    for part, share in _frames_of(rows, path):
        found.add(part, share)
    if not found.n_rows:
        raise ValueError(f"{path.name} has no rows.")
    return found.frame()


def _frames_of(
    rows: Iterator[tuple[Mapping[str, Any], int]], path: Path
) -> Iterator[tuple[pd.DataFrame, float]]:
    """Make frames of objects, each with how much of the file was read with it."""
    size = path.stat().st_size
    batch: list[Any] = []
    before = 0
    for row, n_bytes in rows:
        batch.append(row)
        if len(batch) >= _batches.BATCH_ROWS or n_bytes - before > _batches.PART_BYTES:
            yield pd.json_normalize(batch), n_bytes / size
            batch.clear()
            before = n_bytes
    if batch:
        yield pd.json_normalize(batch), 1.0


def parts_of_json_lines(path: Path) -> TableInParts | None:
    """Prepare to read a large file of lines in parts; None of others."""
    if path.suffix.lower() not in JSON_LINES or not path.is_file():
        return None
    if path.stat().st_size <= _batches.BATCH_BYTES:
        return None
    lines: list[bytes] = []
    seen, n_rows = SomeOf(lines), 0
    with open(path, "rb") as file:
        for line in file:
            if line.strip():
                if n_rows == seen.next:
                    seen.add(line, len(line) // LETTERS)
                n_rows += 1
    try:
        rows = [_parsed_json(line, path.name) for line in lines]
    except ValueError:  # reading it says where
        return None
    if not rows or not all(isinstance(row, Mapping) for row in rows):
        return None

    def parts() -> Iterator[pd.DataFrame]:
        for part, _ in _frames_of(((row, at) for _, row, at in _placed_lines(path)), path):
            yield table_of_frame(part, path.name).frame

    def whole() -> FileTable:
        return table_of_frame(table_of_json(path), path.name)

    some = table_of_frame(pd.json_normalize(rows), path.name).frame
    return TableInParts(path.name, n_rows, some, parts, whole)


def _objects_in(stream: _Stream) -> Iterator[Mapping[str, Any]]:
    """Read the objects of a list."""
    for number, row in enumerate(stream.elements(), start=1):
        if not isinstance(row, Mapping):
            raise _no_rows(stream.path, f"{row!r:.60} in row {number}")
        yield row
    stream.check_end()


def _table_of_columns(stream: _Stream, path: Path) -> pd.DataFrame:
    """Read an object with a list, or an object with the same names of rows, for each column."""
    found, size = Batches(path.name), path.stat().st_size
    names: list[str] = []
    of_rows: set[tuple[int, bytes]] = set()
    is_table, n_rows = True, 0
    for name in stream.names():
        names.append(name)
        opening, rows = stream.next_letter(), hashlib.sha256()
        is_table = is_table and opening in ("[", "{") and len(of_rows) < 2
        if not is_table:  # the other names are said, too
            stream.value()
            if len(names) >= NAMES_SHOWN:
                break
            continue
        values = stream.elements() if opening == "[" else _values_of(stream, rows)
        n_rows = 0
        while part := list(islice(values, _batches.BATCH_ROWS)):
            found.add_to(name, pd.Series(part))
            n_rows += len(part)
        found.check_memory(stream.n_bytes / size)
        of_rows.add((n_rows, rows.digest()))
    if not is_table or len(of_rows) != 1:
        raise _no_table(path, names)
    stream.check_end()
    if not n_rows:
        raise ValueError(f"{path.name} has no rows.")
    return found.frame()


def _values_of(stream: _Stream, rows: Any) -> Iterator[Any]:
    """Read the values of an object, and put its names into a digest."""
    for name in stream.names():
        rows.update(name.encode() + b"\0")
        yield stream.value()


class _Stream:
    """A file of JSON, of which a part at a time is in memory."""

    def __init__(self, file: IO[str], path: Path):
        self.file, self.path = file, path
        self._text = ""
        self._at = self._before = 0  # place in the text, and letters before the text
        self._decoder = json.JSONDecoder()

    @property
    def n_bytes(self) -> int:
        """How much of the file was read."""
        return int(self.file.buffer.tell())  # type: ignore[attr-defined]

    def next_letter(self) -> str:
        """Return the next letter that is no white space, without taking it; "" at the end."""
        while True:
            while self._at < len(self._text):
                if (letter := self._text[self._at]) not in " \t\r\n":
                    return letter
                self._at += 1
            if not self._read_more():
                return ""

    def value(self) -> Any:
        """Take the next value, however long it is."""
        self.next_letter()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                # What is broken far from the end of the part does not go on behind it.
                is_cut = error.pos > len(self._text) - LETTERS_CUT or "Unterminated" in error.msg
                if is_cut and self._read_more():
                    continue
                raise _incomplete(self.path.name, error.msg, self._before + error.pos) from None
            if end > len(self._text) - 3 and self._read_more():
                continue  # 1.5e-3 may be cut behind 1, of which "1.5e-" is the beginning
            self._at = end
            return value

    def elements(self) -> Iterator[Any]:
        """Take a list, and give its values."""
        yield from self._parts("]", self.value)

    def names(self) -> Iterator[str]:
        """Take an object, and give its names; who asks takes the value of each."""
        yield from self._parts("}", self._name)

    def check_end(self) -> None:
        """Raise where there is more."""
        if self.next_letter():
            raise self._error("Extra data")

    def _parts(self, closing: str, part: Any) -> Iterator[Any]:
        self._at += 1
        if self.next_letter() == closing:
            self._at += 1
            return
        while True:
            yield part()
            if (letter := self.next_letter()) not in (",", closing) or not letter:
                raise self._error("Expecting ',' delimiter")
            self._at += 1
            if letter == closing:
                return

    def _name(self) -> str:
        if self.next_letter() != '"':
            raise self._error("Expecting property name enclosed in double quotes")
        name = self.value()
        if self.next_letter() != ":":
            raise self._error("Expecting ':' delimiter")
        self._at += 1
        return str(name)

    def _read_more(self) -> bool:
        more = self.file.read(max(_batches.PART_BYTES // 4, len(self._text) - self._at))
        if more:
            self._text, self._before = self._text[self._at :] + more, self._before + self._at
            self._at = 0
        return bool(more)

    def _error(self, what: str) -> ValueError:
        return _incomplete(self.path.name, what, self._before + self._at)


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
