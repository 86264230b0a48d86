"""Tables in files: text in its dialects and parquet, and which columns can be predictions."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ._text import count
from ._utils import did_you_mean

TEXT, PARQUET = (".csv", ".tsv", ".tab", ".txt"), (".parquet", ".pq")
PACKED = {".gz", ".zip", ".bz2", ".xz", ".zst", ".7z"}
SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
MARKS = {  # the longer first, since the shorter is its beginning
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
UNNAMED = re.compile(r"Unnamed: [\d.]+|__index_level_\d+__")
COMMA_NUMBER = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?|[+-]?\d+(?:[eE][+-]?\d+)?")
# Three digits behind a comma may be thousands, unless nothing but a zero comes before.
COMMA_DECIMAL = re.compile(r"[+-]?(?:0?,\d+|\d+,(?!\d{3}$)\d+)(?:[eE][+-]?\d+)?")
SEP_LINE = re.compile(r'"?sep=(.)"?\r?\n', flags=re.IGNORECASE)
DATE = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?:[T ].*)?")
FEW = 20
"""Different values of a target, up to which these may be labels; and of folds."""
ROLES = frozenset(
    "age batch case center centre class clinic cluster cohort cv date day fold folds gender group "
    "groups hospital id ids idx index label labels month name names no nr number obs observation "
    "outcome participant participants patient patients person plate record rep repeat repeats row "
    "rowname rownames rows sample samples sex site split splits study subject subjects target "
    "time timestamp true truth visit weight weights y year".split()
)
"""Words of names that samples, folds, groups and targets have, and models do not."""


# --- reading ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """A table from a file, with names that are text and differ."""

    frame: pd.DataFrame
    name: str
    """Of the file, without its folder."""
    how: str
    """What was found out about the file, such as "semicolons, decimal comma"; or empty."""


def read_table(
    path: Path,
    *,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    labels: Sequence[str] = (),
) -> Table:
    """Read a file by its ending; find out what is not given, or name the option to pass.

    Columns named in `labels` stay text where some labels are the same number, as 7 and 007 are.
    """
    ending = path.suffix.lower()
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, not a file.")
    if ending in PACKED:
        raise ValueError(f"{path.name} is compressed. Unpack it first.")
    if ending not in (*TEXT, *PARQUET):
        raise ValueError(f"{path.name}: a file must end in .csv, .tsv, .txt or .parquet.")
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    if ending in PARQUET:
        for option, given in (("sep", sep), ("decimal", decimal), ("encoding", encoding)):
            if given is not None:
                raise ValueError(f"--{option} is for files of text, and {path.name} is not one.")
        frame, how = _parquet(path), ""
    else:
        frame, how = _delimited(path, sep, decimal, encoding, labels)
    frame.columns = pd.Index(_names(frame.columns, path.name), dtype=object)
    if not len(frame):
        raise ValueError(f"{path.name} has no row below its names.")
    return Table(frame, path.name, how)


def _names(columns: Iterable[Any], file: str) -> list[str]:
    """Make names text, without blanks around it; refuse those that are there twice."""
    names = [str(name).strip() for name in columns]
    for k, name in enumerate(names):
        names[k] = name or f"Unnamed: {k}" + ".1" * (f"Unnamed: {k}" in names)
    for name in names:
        if (times := names.count(name)) > 1:
            raise ValueError(
                f"{file} has {times} columns of the name {name!r}. Give each a name of its own."
            )
    return names


def _parquet(path: Path) -> pd.DataFrame:
    """Read parquet; the levels of an index that have names are columns, too."""
    try:
        frame = pd.read_parquet(path)
    except ImportError as error:
        raise ImportError(
            "Files of parquet need pyarrow, which is not installed: python -m pip install "
            "pyarrow. A .csv file needs nothing more."
        ) from error
    except ValueError as error:  # what pyarrow raises for damaged files
        raise ValueError(f"{path.name} cannot be read as parquet: {error}") from error
    named = [level for level in frame.index.names if level is not None]
    both = sorted({str(level) for level in named} & set(map(str, frame.columns)))
    if both:
        raise ValueError(
            f"{path.name} has both an index and a column of the name {both[0]!r}. Give each a "
            "name of its own."
        )
    parts = {level: frame.index.get_level_values(level) for level in named}
    return pd.concat([pd.DataFrame(parts), frame.reset_index(drop=True)], axis=1)


def _delimited(
    path: Path,
    sep: str | None,
    decimal: str | None,
    encoding: str | None,
    labels: Sequence[str],
) -> tuple[pd.DataFrame, str]:
    """Read a text file; return what is in it and how it was read."""
    text, code = _decoded(path, encoding)
    given = sep is not None
    sep_line = SEP_LINE.match(text)  # with which Excel begins some files
    if sep is None and sep_line is not None:
        sep = sep_line[1]
    sep = _separator(text, path.name) if sep is None else {"\\t": "\t", "tab": "\t"}.get(sep, sep)
    if sep_line is not None:
        text = text[sep_line.end() :]
    if len(sep) != 1 or sep in '"\r\n':
        raise ValueError(f"--sep must be one character, or tab, got {sep!r}.")
    if decimal not in (None, ".", ","):
        raise ValueError(f"--decimal must be . or , and not {decimal!r}.")
    names = _checked_header(text, sep, path.name)
    options: dict[str, Any] = {
        "sep": sep,
        "header": 0,
        "names": _names(names, path.name),
        "index_col": False,
        "skipinitialspace": True,
        "low_memory": False,  # else the type of a column may differ within it
    }
    if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1):
        options["float_precision"] = "round_trip"  # else they are off in the last digit
    try:
        frame = pd.read_csv(StringIO(text), decimal=decimal or ".", **options)
    except pd.errors.ParserError as error:
        raise ValueError(f"{path.name} cannot be read: {error}") from error
    if decimal is None and any(map(_has_decimal_comma, texts_of(frame))):
        frame = pd.read_csv(StringIO(text), decimal=(decimal := ","), **options)
    for label in set(labels) & {*frame}:
        texts = pd.read_csv(StringIO(text), usecols=[label], dtype=str, **options)[label]
        if texts.nunique() != frame[label].nunique():
            frame[label] = texts
    found = (
        [f"{SEPARATORS.get(sep, repr(sep))}s between values"] if sep != "," and not given else []
    )
    found += ["a comma as decimal sign"] if decimal == "," else []
    found += [f"encoding {code}"] if code not in ("utf-8", "utf-8-sig") else []
    return frame, ", ".join(found)


def _decoded(path: Path, encoding: str | None) -> tuple[str, str]:
    """Decode a text by its byte order mark, as UTF-16 where every other byte is 0, or UTF-8."""
    content = path.read_bytes()
    if content[:4] == b"PAR1":
        raise ValueError(f"{path.name} is parquet. Give it the ending .parquet.")
    if content[:2] in (b"\x1f\x8b", b"PK"):
        raise ValueError(
            f"{path.name} is compressed, or a workbook. Unpack it, or save it as CSV."
        )
    code = encoding or next((MARKS[mark] for mark in MARKS if content.startswith(mark)), None)
    if code is None:
        zeros = [content[start:1000:2].count(0) for start in (0, 1)]
        code = "utf-8" if not any(zeros) else ("utf-16-be", "utf-16-le")[int(np.argmax(zeros))]
    try:
        text = content.decode(code)
    except LookupError as error:
        raise ValueError(
            f"--encoding {code} is not known. It may be cp1252 or latin-1."
        ) from error
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ValueError(
            f"{path.name} is not text in {code}: see line {line}. Save it as UTF-8, or name its "
            "encoding: --encoding cp1252 is that of Windows in Western Europe."
        ) from error
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise ValueError(f"{path.name} is empty.")
    return text, code


def _rows(text: str, sep: str) -> Any:
    return csv.reader(StringIO(text, newline=""), delimiter=sep, skipinitialspace=True)


def _separator(text: str, file: str) -> str:
    """Find the character that cuts all of the first lines into as many values."""
    n_values, names = {}, {}
    for sep in SEPARATORS:
        try:
            sizes = [len(row) for row in islice(_rows(text, sep), 50) if row]
        except csv.Error:
            continue
        names[sep] = sizes[0] if sizes else 0
        n_values[sep] = sizes[0] if len(set(sizes)) == 1 else 1
    fitting = [sep for sep in n_values if n_values[sep] > 1]
    if len(fitting) > 1:
        raise ValueError(
            f"{file} may have {' or '.join(SEPARATORS[sep] + 's' for sep in fitting)} between its "
            f"values. Name the right one, for example --sep '{fitting[-1]}'."
        )
    # Where lines differ, that with most names, so that the message is about its first odd line.
    return fitting[0] if fitting else max(names, key=lambda sep: names[sep], default=",")


def _checked_header(text: str, sep: str, file: str) -> list[str]:
    """Return the names in the first line; refuse lines with another number of values."""
    rows, names = _rows(text, sep), None
    try:
        for row in rows:
            if names is None:
                names = row or None
            elif row and len(row) != len(names):
                hint = (
                    f" If {SEPARATORS.get(sep, repr(sep))}s are not between the values, add --sep."
                )
                if len(row) == len(names) + 1:
                    hint = " Give row names a name, or leave them out (in R: row.names = FALSE)."
                if len(names) == 1:
                    hint = " The first line must hold the names of all columns."
                raise ValueError(
                    f"{file}: line {rows.line_num} has {count(len(row), 'value')}, but the first "
                    f"line {count(len(names), 'name')}.{hint}"
                )
    except csv.Error as error:
        raise ValueError(f"{file}: line {rows.line_num} cannot be read: {error}.") from error
    if names and len(names) == 1:
        raise ValueError(
            f"{file} has one column, {names[0]!r}. If values are not separated by "
            f"{SEPARATORS.get(sep, repr(sep))}s, add --sep, for example --sep ' '."
        )
    return names or []


def texts_of(frame: pd.DataFrame) -> list[pd.Series]:
    """List the columns of text, without what is missing."""
    columns = [frame[name].dropna() for name in frame]
    return [each for each in columns if pd.api.types.infer_dtype(each) == "string"]


def _has_decimal_comma(texts: pd.Series) -> bool:
    """Check whether all values are numbers with a comma that cannot be that of thousands."""
    stripped = texts.str.strip()
    numbers = stripped.str.fullmatch(COMMA_NUMBER.pattern).all()
    return bool(numbers and stripped.str.fullmatch(COMMA_DECIMAL.pattern).any())


# --- columns ---------------------------------------------------------------------------------


def column_of(table: Table, name: str, option: str) -> str:
    """Return the name of a column that an option names, or say what there is."""
    if name in table.frame:
        return name
    names = list(map(str, table.frame.columns))
    hint = did_you_mean(name, names)
    some = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    if any(re.fullmatch(r"-?\d*\.\d+(e-?\d+)?", each) for each in names):
        some += ". The first line must hold the names of the columns"
    raise ValueError(f"{option}: {table.name} has no column {name!r}.{hint or f' It has {some}.'}")


def columns_of(table: Table, names: Iterable[str], option: str) -> list[str]:
    """Return columns that an option names, by patterns such as ``model_*``, too."""
    found: dict[str, None] = {}
    for name in names:
        fits = [each for each in table.frame if fnmatchcase(each, name)]
        if name in table.frame or not fits:
            fits = [column_of(table, name, option)]
        found |= dict.fromkeys(fits)
    return list(found)


def values_of(table: Table, name: str, option: str) -> np.ndarray:
    """Return a column without missing values as an array: numbers, booleans or text."""
    column = table.frame[name]
    missing = np.flatnonzero(column.isna())
    if len(missing):
        raise ValueError(
            f"{option}: column {name!r} of {table.name} has "
            f"{count(len(missing), 'missing value')}, the first in row {missing[0] + 1} of the "
            "data. Empty, NA, None and the like are read as missing."
        )
    numbers = numbers_in(column)
    return column.to_numpy(dtype=object) if numbers is None else numbers


def numbers_in(column: pd.Series) -> np.ndarray | None:
    """Return the numbers or booleans of a column, NaN where one is missing; None for others."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.cat.categories.dtype)
    if not pd.api.types.is_numeric_dtype(column):  # booleans are
        kind = pd.api.types.infer_dtype(column, skipna=True)
        if kind not in ("boolean", "integer", "floating", "mixed-integer-float", "decimal"):
            return np.full(len(column), np.nan) if column.isna().all() else None
        column = column.astype(float if kind == "decimal" or column.isna().any() else object)
    if column.isna().any():
        return column.to_numpy(dtype=float, na_value=np.nan)
    array = column.to_numpy()
    array = np.array(array.tolist()) if array.dtype == object else array
    return array if array.dtype.kind in "fiub" else None


def first_not(column: pd.Series, labels: Sequence[Any] | None) -> tuple[int, Any] | None:
    """Find the row and the first value that is not a number, or not one of the labels."""
    for row, value in enumerate(column.tolist()):
        if pd.api.types.is_scalar(value) and pd.isna(value):
            continue
        if labels is None:
            try:
                float(value)
            except (TypeError, ValueError):
                return row, value
        elif not pd.api.types.is_scalar(value) or value not in labels:
            return row, value
    return None


def are_dates(column: pd.Series) -> bool:
    """Check whether a column holds dates or times, as such or as text."""
    there = column.dropna()
    if pd.api.types.is_numeric_dtype(there):  # 20260131
        inside = len(there) > 0 and bool(there.between(19000101, 21001231).all())
        if not inside or not (there == there // 1).all():
            return False
        days = pd.to_datetime(there.astype("int64").astype(str), format="%Y%m%d", errors="coerce")
        return bool(days.notna().all())
    kind = pd.api.types.infer_dtype(there)
    if kind == "string":
        return bool(len(there)) and bool(there.str.strip().str.fullmatch(DATE.pattern).all())
    return kind.startswith(("date", "time", "period"))


def is_role(name: str) -> bool:
    """Check whether all words of a name are those of a sample, a fold, a group or a target."""
    words = re.findall(r"[A-Z]*[a-z]+|[A-Z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name))
    return bool(words) and all(word.lower() in ROLES for word in words)


def why_not_predictions(column: pd.Series, y_true: np.ndarray) -> str | None:
    """Say why a column cannot be the predictions of a model; None where it can.

    `column, y_true` (n_samples,). Predictions differ between samples, and do not know the order of
    the rows; whole numbers that are all different predict no target with few values.
    """
    name = str(column.name)
    if UNNAMED.fullmatch(name):
        return "it has no name"
    if is_role(name):
        return "of its name"
    if are_dates(column):
        return "it holds dates"
    if column.isna().all():
        return "it is empty"
    numbers = numbers_in(column)
    if numbers is None and pd.api.types.infer_dtype(column) not in ("string", "categorical"):
        return "it holds neither numbers nor text"
    if column.nunique() == 1:
        return "it is the same everywhere"
    distinct = np.unique(y_true)
    if numbers is None or numbers.dtype.kind == "b":
        return None
    of_few = len(distinct) <= FEW or y_true.dtype.kind not in "fiu"
    if not of_few and np.array_equal(numbers, y_true):
        return "it is equal to the target"
    there = numbers[~np.isnan(numbers)]
    # From 2**53 on every float is a whole number.
    if (there != np.floor(there)).any() or (there.dtype == float and (abs(there) >= 2**53).any()):
        return None
    if of_few and y_true.dtype.kind in "fiub" and np.isin(there, distinct).all():
        return None  # labels
    values, times = np.unique(there, return_counts=True)
    run = values[-1] - values[0] == len(values) - 1
    if len(values) == len(there) and (of_few or run):
        return "it counts" if run else "its whole numbers are all different"
    steps = np.diff(there)
    if len(values) > 2 and ((steps >= 0).all() or (steps <= 0).all()):
        return "its whole numbers go with the order of the rows"
    folds = times[values >= 0]
    if run and values[0] in (-1, 0, 1) and 3 <= len(folds) <= FEW and np.ptp(folds) <= 2:
        return "its whole numbers come equally often, as folds do" if folds.min() >= 5 else None
    return None


def label_named(text: str, values: np.ndarray, option: str, column: str) -> Any:
    """Find the label that a text on the command line means; list the labels where none is it."""
    labels = np.unique(values).tolist()
    if len(labels) != 2:
        those = f": {listing(labels)}" if len(labels) <= FEW else ""
        raise ValueError(
            f"{option} names one of two classes, but column {column!r} has "
            f"{count(len(labels), 'different value')}{those}."
        )
    wanted = text.strip()
    same = [label for label in labels if str(label).strip() == wanted]
    if not same and not isinstance(labels[0], str):
        number = pd.to_numeric(wanted, errors="coerce")
        same = [label for label in labels if label == number]
        same = same or [label for label in labels if str(label).casefold() == wanted.casefold()]
    if not same:
        raise ValueError(
            f"{option}: {text!r} is not a label of column {column!r}, which has {listing(labels)}."
        )
    return same[0]


def listing(names: Sequence[Any]) -> str:
    """Join names by commas and "and"; those that differ in a running number as "m0 to m9"."""
    words: list[str] = []
    runs: list[tuple[str, int, int]] = []
    for name in map(str, names):
        match = re.fullmatch(r"(.*?\D|)(0|[1-9]\d*)", name)
        stem, number = (match[1], int(match[2])) if match else (name, -1)
        if match and runs and runs[-1][0] == stem and runs[-1][2] == number - 1:
            runs[-1] = (stem, runs[-1][1], number)
        else:
            runs.append((stem, number, number))
    for stem, first, last in runs:
        if first < 0:
            words.append(stem)
        elif last - first < 2:
            words += [f"{stem}{k}" for k in range(first, last + 1)]
        else:
            words.append(f"{stem}{first} to {stem}{last}")
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
