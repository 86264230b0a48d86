"""Tables in files: text in its dialects and parquet, and which columns can be predictions."""

from __future__ import annotations

import csv
import re
import shlex
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from . import _batches
from ._batches import Batches, SomeOf, has_levels, kind_of
from ._text import count
from ._utils import did_you_mean

TEXT, PARQUET = (".csv", ".tsv", ".tab", ".txt"), (".parquet", ".pq")
PACKED = {".gz", ".zip", ".bz2", ".xz", ".zst", ".7z"}
SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
QUOTE_MARKS = {  # the longer first, since the shorter is its beginning
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
OLD = tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
EXACT: dict[str, Any] = {"float_precision": "round_trip"} if OLD else {}
"""For `pandas.read_csv`, whose numbers are else off in the last digit."""
DATE = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?:[T ].*)?")
FEW = 20
"""Different values of a target, up to which these may be labels; and of folds."""
TIMES = frozenset("date day month time timestamp visit week year".split())
REPEATS = frozenset("rep repeat repeats repetition repetitions replicate replicates".split())
SAMPLES = frozenset(
    "case id ids idx individual index instance item observation participant participants patient "
    "patients person pid record records rid row rowid rowindex rowname rownames rows sample "
    "samples subject subjects uid".split()
)
FOLDS = frozenset("cv fold folds iter iteration partition resample split splits".split())
ROLES = frozenset(
    "actual age batch center centre class clinic cluster cohort correct error errors gender group "
    "groups hospital inst label labels name names no nr number obs outcome plate residual "
    "residuals sex site study target true truth weight weights y".split()
) | TIMES | REPEATS | SAMPLES | FOLDS  # fmt: skip
"""Words of names that samples, folds, groups, targets and errors have, and models do not."""
NO_LABELS = ROLES - frozenset("actual class label labels name names outcome target true".split())
OF_REPEAT = re.compile(
    r"(?:^|[\W\d_])(rep|repeat|repetition|resample|boot|bootstrap)[\W_]*(\d+)", re.I
)
MODEL_WORDS = frozenset(
    "algorithm classifier config configuration estimator id learner method model name pipeline "
    "regressor".split()
)
"""Words of names that columns of the names of models have."""
NUMBERS = frozenset("code codes name names no nr number".split())
OF_PEOPLE = frozenset(
    "case id ids individual participant participants patient patients person pid sample samples "
    "subject subjects uid".split()
)
"""Words of what may have several measurements, which depend on each other."""
SURE = 40
"""Rows, from which on two columns of labels are not opposite by chance."""
LETTERS = 16
"""Letters of a value; longer texts count as several."""
SOME_GROUPS = 8
"""Groups of rows of a Parquet file, of whose beginnings some rows are read."""
FEWEST_ROWS = 5
"""Rows, from which on numbers are not equal by chance."""
FEWEST_IN_BLOCK = 12
"""Rows, from which on targets are not in the same order by chance."""
MANY_VALUES = 10
"""Different values, from which on equal targets in all rows of each are no chance."""


# --- reading ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class FileTable:
    """A table from a file, with names that are text and differ."""

    frame: pd.DataFrame
    name: str
    """Of the file, without its folder."""
    how: str
    """What was found out about the file, such as "semicolons, decimal comma"; or empty."""
    labels: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    """Labels of the codes of columns, as Stata, SPSS and R have them."""


@dataclass(frozen=True)
class TableInParts:
    """A table in a large file, of which some rows at a time are in memory."""

    name: str
    n_rows: int
    some: pd.DataFrame
    """Rows from its beginning, and from everywhere behind."""
    parts: Callable[[], Iterator[pd.DataFrame]]
    """Yields all rows in their order."""
    whole: Callable[[], FileTable]
    """Reads all of it."""
    with_comma: Sequence[str] | None = None
    """Columns that show that numbers have a decimal comma, where that was to be found out."""


def parts_of_table(
    path: Path,
    *,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    labels: Sequence[str] = (),
) -> TableInParts | None:
    """Prepare to read a large file in parts, as `read_table` reads it; None of small ones."""
    ending = path.suffix.lower()
    if not path.is_file() or ending not in (*TEXT, *PARQUET):
        return None
    if ending in PARQUET:
        is_plain = sep is None and decimal is None and encoding is None
        return _parts_of_parquet(path) if is_plain else None
    if path.stat().st_size <= _batches.BATCH_BYTES:
        return None
    return _parts_of_text(_delimited(path, sep, decimal, encoding), labels)


def read_table(
    path: Path,
    *,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    labels: Sequence[str] = (),
    one_column: bool = False,
) -> FileTable:
    """Read a file by its ending; find out what is not given, or name the option to pass.

    Columns named in `labels` stay text where some labels are the same number, as 7 and 007 are.
    A text with one column is refused, as one whose separator is another, unless `one_column`.
    """
    ending = path.suffix.lower()
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, not a file.")
    if ending in PACKED:
        raise ValueError(f"{path.name} is compressed. Unpack it first.")
    if ending not in (*TEXT, *PARQUET):
        raise ValueError(
            f"{path.name}: a file must end in .csv, .tsv, .txt or .parquet, or as those of JSON, "
            "Stata, SAS, SPSS, Excel or R do (.jsonl, .dta, .sas7bdat, .xpt, .sav, .xlsx, .rds)."
        )
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    if ending in PARQUET:
        for option, given in (("sep", sep), ("decimal", decimal), ("encoding", encoding)):
            if given is not None:
                raise ValueError(f"--{option} is for files of text, and {path.name} is not one.")
        frame, how = _parquet(path), ""
    else:
        frame, how = _delimited(path, sep, decimal, encoding, one_column).read(labels)
    return table_of_frame(frame, path.name, how)


def table_of_frame(
    frame: pd.DataFrame,
    name: str,
    how: str = "",
    labels: Mapping[str, Any] | None = None,
) -> FileTable:
    """Make a table of what was read of a file."""
    frame.columns = pd.Index(_names(frame.columns, name), dtype=object)
    if not len(frame):
        raise ValueError(f"{name} has no row below its names.")
    return FileTable(frame, name, how, labels or {})


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
    return _with_index(frame, path)


def _with_index(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Make columns of the levels of an index that have names."""
    named = [level for level in frame.index.names if level is not None]
    both = sorted({str(level) for level in named} & set(map(str, frame.columns)))
    if both:
        raise ValueError(
            f"{path.name} has both an index and a column of the name {both[0]!r}. Give each a "
            "name of its own."
        )
    parts = {level: frame.index.get_level_values(level) for level in named}
    return pd.concat([pd.DataFrame(parts), frame.reset_index(drop=True)], axis=1)


def _parts_of_parquet(path: Path) -> TableInParts | None:
    """Prepare to read parquet in parts; None where it is small, or is no file of that kind."""
    try:
        from pyarrow import Table
        from pyarrow.parquet import ParquetFile

        file = ParquetFile(path, buffer_size=2**16, pre_buffer=False)
    except (ImportError, ValueError, OSError):  # reading it as a whole says so
        return None
    n_rows, n_groups = file.metadata.num_rows, file.metadata.num_row_groups
    n_columns = len(file.schema_arrow)
    if 8 * n_rows * n_columns <= _batches.BATCH_BYTES:
        return None

    def frames(at_once: int, groups: Iterable[int] | None = None) -> Iterator[pd.DataFrame]:
        for batch in file.iter_batches(max(1, at_once), row_groups=groups, use_threads=False):
            frame = Table.from_batches([batch]).to_pandas(use_threads=False)
            yield table_of_frame(_with_index(frame, path), path.name).frame

    at_first = min(_batches.SOME_ROWS, _batches.SOME_VALUES // n_columns)
    among = min(n_groups, SOME_GROUPS)
    groups = [group * n_groups // among for group in range(among)]
    try:
        some = pd.concat(
            [frame for group in groups
             for frame in islice(frames(at_first // (among if group else 1), [group]), 1)],
            ignore_index=True,
        )  # fmt: skip
    except (ValueError, OSError):
        return None
    at_once = min(_batches.BATCH_ROWS, _batches.PART_BYTES // (8 * n_columns))
    return TableInParts(path.name, n_rows, some, lambda: frames(at_once), lambda: read_table(path))


@dataclass
class _Delimited:
    """A file of text, and what was found out about it."""

    text: _Text
    options: dict[str, Any]
    """Of `pandas.read_csv`."""
    decimal: str | None
    names_sep: bool
    """Whether the separator is to be named, since it was found out and is no comma."""

    def read(self, labels: Sequence[str]) -> tuple[pd.DataFrame, str]:
        """Return what is in it and how it was read; `labels` as in `read_table`."""
        text, options, decimal = self.text, self.options, self.decimal
        try:
            frame = text.frame(decimal=decimal or ".", **options)
        except pd.errors.ParserError as error:
            raise ValueError(f"{text.path.name} cannot be read: {error}") from error
        if decimal is None and any(map(has_decimal_comma, texts_of(frame))):
            frame = text.frame(decimal=(decimal := ","), **options)
        for label in set(labels) & {*frame}:
            texts = text.frame(usecols=[label], dtype=str, **options)[label]
            if texts.nunique() != frame[label].nunique():
                frame[label] = texts
        sep, code = options["sep"], text.code
        found = [f"{SEPARATORS.get(sep, repr(sep))}s between values"] if self.names_sep else []
        found += ["a comma as decimal sign"] if decimal == "," else []
        found += [f"encoding {code}"] if code not in ("utf-8", "utf-8-sig") else []
        return frame, ", ".join(found)


def _parts_of_text(found: _Delimited, labels: Sequence[str]) -> TableInParts | None:
    """Prepare to read a file of text in parts."""
    text, options, decimal = found.text, found.options, found.decimal
    name = text.path.name
    try:
        some = text.some(decimal=decimal or ".", **options)
        comma = [str(each.name) for each in texts_of(some) if has_decimal_comma(each)]
        if decimal is None and comma:
            some = text.some(decimal=(decimal := ","), **options)
    except pd.errors.ParserError:  # reading all of it says so
        return None
    if some.empty:
        return None
    options = {**options, "decimal": decimal or "."}

    def parts() -> Iterator[pd.DataFrame]:
        numbers = [each for each in labels if each in some and numbers_in(some[each]) is not None]
        of_text = [each for each in some if kind_of(some[each]) == "string"]
        of_text += _labels_of_text(text, numbers, options) if numbers else []
        types = dict.fromkeys(of_text, str)  # which columns of numbers and text are, too
        return (part for part, _ in text.parts(dtype=types, **options))

    def whole() -> FileTable:
        frame, how = found.read(labels)
        return table_of_frame(frame, name, how)

    return TableInParts(
        name, text.n_rows - 1, some, parts, whole, None if found.decimal is not None else comma
    )


def _labels_of_text(
    text: _Text, names: Sequence[str], options: Mapping[str, Any]
) -> Iterator[str]:
    """Find columns of numbers in which several texts are the same number, as 7 and 007 are."""
    seen: dict[str, set[str]] = {name: set() for name in names}
    for part, _ in text.parts(usecols=names, dtype=str, **options):
        for name in names:
            seen[name].update(part[name].dropna().unique().tolist())
    for name, texts in seen.items():
        lines = StringIO(newline="")
        csv.writer(lines, delimiter=options["sep"]).writerows([each] for each in texts)
        lines.seek(0)
        alone = {**options, "header": None, "names": [name]}
        if pd.read_csv(lines, **alone)[name].nunique() != len(texts):
            yield name


def _delimited(
    path: Path,
    sep: str | None,
    decimal: str | None,
    encoding: str | None,
    one_column: bool = False,
) -> _Delimited:
    """Find out the form of a file of text, and check that all of its lines have it."""
    text = _Text(path, _encoding(path, encoding))
    given = sep is not None
    sep_line = SEP_LINE.match(text.first_line())  # with which Excel begins some files
    if sep is None and sep_line is not None:
        sep = sep_line[1]
    sep = _separator(text) if sep is None else {"\\t": "\t", "tab": "\t"}.get(sep, sep)
    text.skipped = sep_line is not None
    if len(sep) != 1 or sep in '"\r\n':
        raise ValueError(f"--sep must be one character, or tab, got {sep!r}.")
    if decimal not in (None, ".", ","):
        raise ValueError(f"--decimal must be . or , and not {decimal!r}.")
    names = _checked_header(text, sep, one_column)
    options: dict[str, Any] = {
        "sep": sep,
        "header": 0,
        "names": _names(names, path.name),
        "index_col": False,
        "skipinitialspace": True,
        "low_memory": False,  # else the type of a column may differ within it
        **EXACT,
    }
    return _Delimited(text, options, decimal, sep != "," and not given)


@dataclass
class _Text:
    """A text file, which is read anew each time, so that no more than a part is in memory."""

    path: Path
    code: str
    skipped: bool = False
    """Whether the first line is none of the table."""
    n_rows: int = 0
    """Rows with the names, once they were counted."""
    rows_seen: list[list[str]] = field(default_factory=list)
    """The first rows and, of a large file, some from everywhere, once they were counted."""

    @contextmanager
    def opened(self) -> Iterator[IO[str]]:
        """Open the file at the first line of the table."""
        with open(self.path, encoding=self.code, newline="") as file:
            start = file.tell()
            if file.read(1) != "\ufeff":
                file.seek(start)
            if self.skipped:
                file.readline()
            yield file

    def first_line(self) -> str:
        with self.opened() as file:
            return file.readline()

    def rows(self, file: IO[str], sep: str) -> Any:
        return csv.reader(file, delimiter=sep, skipinitialspace=True)

    def frame(self, **options: Any) -> pd.DataFrame:
        """Read the table, a large one in batches, into columns that take less memory."""
        size = self.path.stat().st_size
        if size <= _batches.BATCH_BYTES:
            with self.opened() as file:
                return pd.read_csv(file, **options)
        found = Batches(self.path.name)
        for part, share in self.parts(**options):
            found.add(part, share)
        mixed = found.mixed
        frame = found.frame()
        if mixed and "dtype" not in options:  # that is text
            texts = self.frame(**options | {"usecols": mixed, "dtype": str})
            frame[mixed] = texts[mixed]
        return frame

    def parts(self, **options: Any) -> Iterator[tuple[pd.DataFrame, float]]:
        """Read some rows at a time, each with how much of the file was read with them."""
        size = self.path.stat().st_size
        of_part = round(_batches.PART_BYTES / size * self.n_rows)
        n_rows = max(1, min(_batches.BATCH_ROWS, of_part))
        with self.opened() as file:
            for part in pd.read_csv(file, chunksize=n_rows, **options):
                yield part, file.buffer.tell() / size  # type: ignore[attr-defined]

    def some(self, **options: Any) -> pd.DataFrame:
        """Return the rows that were seen, as they are read."""
        lines = StringIO(newline="")
        csv.writer(lines, delimiter=options["sep"]).writerows(self.rows_seen)
        lines.seek(0)
        return pd.read_csv(lines, **options)


def _encoding(path: Path, encoding: str | None) -> str:
    """Find the encoding by the byte order mark, UTF-16 where every other byte is 0, or UTF-8."""
    with open(path, "rb") as file:
        content = file.read(1000)
    if content[:4] == b"PAR1":
        raise ValueError(f"{path.name} is parquet. Give it the ending .parquet.")
    if content[:2] in (b"\x1f\x8b", b"PK"):
        raise ValueError(
            f"{path.name} is compressed, or a workbook. Unpack it, or save it as CSV."
        )
    code = encoding or next(
        (QUOTE_MARKS[mark] for mark in QUOTE_MARKS if content.startswith(mark)), None
    )
    if code is None:
        zeros = [content[start::2].count(0) for start in (0, 1)]
        code = "utf-8" if not any(zeros) else ("utf-16-be", "utf-16-le")[int(np.argmax(zeros))]
    _check_encoding(path, code)
    return code


def _check_encoding(path: Path, code: str) -> None:
    """Raise where a file is no text in an encoding, or holds nothing but white space."""
    try:
        decoder = getincrementaldecoder(code)()
    except LookupError as error:
        raise ValueError(
            f"--encoding {code} is not known. It may be cp1252 or latin-1."
        ) from error
    line, is_empty = 1, True
    with open(path, "rb") as file:
        while True:
            content = file.read(2**20)
            try:
                is_empty &= not decoder.decode(content, not content).removeprefix("\ufeff").strip()
            except UnicodeDecodeError as error:
                line += content[: error.start].count(b"\n")
                raise ValueError(
                    f"{path.name} is not text in {code}: see line {line}. Save it as UTF-8, or "
                    "name its encoding: --encoding cp1252 is that of Windows in Western Europe."
                ) from error
            if not content:
                break
            line += content.count(b"\n")
    if is_empty:
        raise ValueError(f"{path.name} is empty. Write it again, or leave it out.")


def _separator(text: _Text) -> str:
    """Find the character that cuts all of the first lines into as many values."""
    file = text.path.name
    n_values, names = {}, {}
    for sep in SEPARATORS:
        try:
            with text.opened() as lines:
                sizes = [len(row) for row in islice(text.rows(lines, sep), 50) if row]
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


def _checked_header(text: _Text, sep: str, one_column: bool) -> list[str]:
    """Return the names in the first line; refuse lines with another number of values."""
    names, file = None, text.path.name
    keep = SomeOf(text.rows_seen)
    if text.path.stat().st_size <= _batches.BATCH_BYTES:
        keep.next = -1
    with text.opened() as lines:
        rows = text.rows(lines, sep)
        try:
            for row in rows:
                if names is None:
                    names = row or None
                elif row and len(row) != len(names):
                    raise ValueError(_why_other_number(file, rows.line_num, row, names, sep))
                if row and text.n_rows == keep.next:
                    keep.add(row, max(len(row), sum(map(len, row)) // LETTERS))
                text.n_rows += bool(row)
        except csv.Error as error:
            raise ValueError(f"{file}: line {rows.line_num} cannot be read: {error}.") from error
    if names and len(names) == 1 and not one_column:
        raise ValueError(
            f"{file} has one column, {names[0]!r}. If values are not separated by "
            f"{SEPARATORS.get(sep, repr(sep))}s, add --sep, for example --sep ' '."
        )
    return names or []


def _why_other_number(
    file: str, line: int, row: Sequence[str], names: Sequence[str], sep: str
) -> str:
    """Say that a line has another number of values than there are names."""
    hint = f" If {SEPARATORS.get(sep, repr(sep))}s are not between the values, add --sep."
    if len(row) == len(names) + 1:
        hint = " Give row names a name, or leave them out (in R: row.names = FALSE)."
    if len(names) == 1:
        hint = " The first line must hold the names of all columns."
    return (
        f"{file}: line {line} has {count(len(row), 'value')}, but the first line "
        f"{count(len(names), 'name')}.{hint}"
    )


def texts_of(frame: pd.DataFrame) -> list[pd.Series]:
    """List the columns of text, without what is missing."""
    columns = [values_in(frame[name]).dropna() for name in frame]
    return [each for each in columns if pd.api.types.infer_dtype(each) == "string"]


def values_in(column: pd.Series) -> pd.Series:
    """Return the column, or the different values of text that is held by categories."""
    if not isinstance(column.dtype, pd.CategoricalDtype) or has_levels(column):
        return column
    return column.drop_duplicates().astype(column.cat.categories.dtype)


def has_decimal_comma(texts: pd.Series) -> bool:
    """Check whether all values are numbers with a comma that cannot be that of thousands."""
    stripped = texts.drop_duplicates().str.strip()
    return are_comma_numbers(texts) and bool(stripped.str.fullmatch(COMMA_DECIMAL.pattern).any())


def are_comma_numbers(texts: pd.Series) -> bool:
    """Check whether all values are numbers, with or without a comma."""
    stripped = texts.drop_duplicates().str.strip()
    return bool(stripped.str.fullmatch(COMMA_NUMBER.pattern).all())


# --- columns ---------------------------------------------------------------------------------


def column_of(table: FileTable, name: str, option: str) -> str:
    """Return the name of a column that an option names, or say what there is."""
    if name in table.frame:
        return name
    names = list(map(str, table.frame.columns))
    hint = did_you_mean(name, names)
    some = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    if any(re.fullmatch(r"-?\d*\.\d+(e-?\d+)?", each) for each in names):
        some += ". The first line must hold the names of the columns"
    raise ValueError(f"{option}: {table.name} has no column {name!r}.{hint or f' It has {some}.'}")


def columns_of(table: FileTable, names: Iterable[str], option: str) -> list[str]:
    """Return columns that an option names, by patterns such as ``model_*``, too."""
    found: dict[str, None] = {}
    for name in names:
        fits = [each for each in table.frame if fnmatchcase(each, name)]
        if name in table.frame or not fits:
            fits = [column_of(table, name, option)]
        found |= dict.fromkeys(fits)
    return list(found)


def values_of(table: FileTable, name: str, option: str) -> np.ndarray:
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
    if numbers is None:
        check_one_kind(column, f"{option}: column {name!r} of {table.name}")
    return column.to_numpy(dtype=object) if numbers is None else numbers


def check_one_kind(column: pd.Series, where: str) -> None:
    """Raise where a column has both numbers and text, as JSON and workbooks may have."""
    if pd.api.types.infer_dtype(column, skipna=True) not in ("mixed", "mixed-integer"):
        return
    text = next((each for each in column if isinstance(each, str)), None)
    number = next((each for each in column if isinstance(each, (int, float))), None)
    if text is not None and number is not None:
        raise ValueError(
            f"{where} has the text {text!r} and the number {number!r}, so whether 1 and '1' are "
            "the same is not known. Write one kind."
        )


def check_numbers(table: FileTable, name: str, option: str, least: float = -np.inf) -> None:
    """Raise where a column has a word among numbers, an infinite number, or one below `least`."""
    column = table.frame[name]
    numbers = numbers_in(column)
    if numbers is None:
        if pd.api.types.infer_dtype(values_in(column), skipna=True) not in ("string", "mixed"):
            return
        numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float)
        wrong, what = np.isnan(numbers) & column.notna().to_numpy(), "a number"
    elif np.isinf(numbers).any():
        wrong, what = np.isinf(numbers), "finite"
    else:
        wrong, what = numbers < least, f"at least {least:g}"
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"{option}: column {name!r} of {table.name} has {column.tolist()[row]!r} in row "
            f"{row + 1} of the data, which is not {what}."
        )


def numbers_in(column: pd.Series) -> np.ndarray | None:
    """Return the numbers or booleans of a column, NaN where one is missing; None for others."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        if not has_levels(column):
            return None if column.notna().any() else np.full(len(column), np.nan)
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
    array = array.astype(np.int64) if array.dtype == np.int32 else array
    return array if array.dtype.kind in "fiub" else None


def first_not(column: pd.Series, labels: Sequence[Any] | None) -> tuple[int, Any] | None:
    """Find the row and the first value that is not a number, or not one of the labels."""
    for row, value in enumerate(column.tolist()):
        if pd.api.types.is_scalar(value) and pd.isna(value):
            continue
        if labels is None:
            if pd.isna(pd.to_numeric(value, errors="coerce")):
                return row, value
        elif not pd.api.types.is_scalar(value) or value not in labels:
            return row, value
    return None


def are_dates(column: pd.Series) -> bool:
    """Check whether a column holds dates or times, as such or as text."""
    there = values_in(column).dropna()
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


def _words_of_name(name: str) -> list[str]:
    """List the words of a name such as `rowIndex` or `row_index`, in small letters."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return [word.lower() for word in re.findall(r"[A-Z]*[a-z]+|[A-Z]+", spaced)]


def is_role(name: str, roles: Set[str] = ROLES) -> bool:
    """Check whether all words of a name are those of a sample, a fold, a group or a target."""
    words = _words_of_name(name)
    return bool(words) and all(word in roles for word in words)


def why_not_predictions(
    column: pd.Series, y_true: np.ndarray, fold: np.ndarray | None = None
) -> str | None:
    """Say why a column cannot be the predictions of a model; None where it can.

    `column, y_true, fold` (n_samples,). Predictions differ between samples, and do not know the
    order of the rows; whole numbers that are all different predict no target with few values.
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
    of_few = has_few(y_true)
    if not of_few and np.array_equal(numbers, y_true):
        return "it is equal to the target"
    there = numbers[np.isfinite(numbers)]
    if not len(there):
        return None
    outside = None
    if not of_few:
        rounded = (np.array_equal(numbers, np.round(y_true, digits)) for digits in range(7))
        if y_true.dtype.kind == "f" and any(rounded):
            return "it is the target, rounded"
        if there.max() < y_true.min() or there.min() > y_true.max():
            outside = "all of its values lie outside those of the target"
    # From 2**53 on every float is a whole number.
    if not _whole_numbers(there) or (there.dtype == float and (abs(there) >= 2**53).any()):
        return outside
    if of_few and y_true.dtype.kind in "fiub" and np.isin(there, distinct).all():
        return None  # labels
    values, times = np.unique(there, return_counts=True)
    run = values[-1] - values[0] == len(values) - 1
    percents = len(there) <= 30 and values[0] >= 0 and values[-1] <= 100
    if len(values) == len(there) and (run or (of_few and not percents)):
        return "it counts" if run else "its whole numbers are all different"
    steps = np.diff(there)
    if len(values) > 2 and ((steps >= 0).all() or (steps <= 0).all()):
        return "its whole numbers go with the order of the rows"
    if fold is not None and of_few:
        inside = pd.Series(numbers).groupby(pd.factorize(fold)[0])
        if (inside.nunique() == 1).all():
            return "it is the same in each fold"
        if values[0] in (0, 1) and (inside.nunique() == inside.size()).all():
            if (inside.max() - inside.min() == inside.size() - 1).all():
                return "it counts in each fold"
    folds = times[values >= 0]
    if run and values[0] in (-1, 0, 1) and 3 <= len(folds) <= FEW and np.ptp(folds) <= 2:
        if folds.min() >= 5:
            return "its whole numbers come equally often, as folds do"
    if len(values) > 2 and values[0] in (0, 1) and len(there) >= MANY_VALUES:
        if (there[1:][steps != 1] == values[0]).all():
            return "it counts, again and again"
    return outside


def has_few(y_true: np.ndarray) -> bool:
    """Check whether a target has so few different values that these may be labels."""
    return y_true.dtype.kind not in "fiu" or len(np.unique(y_true)) <= min(FEW, len(y_true) / 2)


# --- columns beside each other ---------------------------------------------------------------


def errors_of_others(columns: Mapping[str, np.ndarray], y_true: np.ndarray) -> dict[str, str]:
    """Say which columns (n_samples,) are another one minus the target, its size or its square.

    Or whether the label is right that a probability cut at one half gives.
    """
    columns = {name: each for name, each in columns.items() if np.isfinite(each).any()}
    names, values = list(columns), _stacked_columns(columns)
    pairs = _errors(values, y_true)
    two = _has_two(values) if pairs else np.empty(0)
    found: dict[str, str] = {}
    for prediction, error in pairs:
        if (error, prediction) not in pairs and names[prediction] not in found:
            of_model = names[prediction]
            what = f"{of_model} minus the target"
            if two[error] and not two[prediction]:
                what = f"whether {of_model} is right"
            found.setdefault(names[error], f"it is {what}")
    return found


def _errors(values: np.ndarray, y_true: np.ndarray) -> list[tuple[int, int]]:
    """List pairs of a column and another one that is its error, by their places.

    Those of labels, which say whether another one is right or wrong, may be so by chance.
    """
    y = _as_numbers(y_true)
    if y is None or not len(values):
        return []
    pairs: list[tuple[int, int]] = []
    two = _has_two(values) & (len(y) < SURE)
    for k, row in enumerate(values):
        error = row - y
        forms = [error, -error, np.abs(error), error**2, 1 - np.abs(error)]
        if np.isin(y, (0, 1)).all() and not two[k]:  # whether the label cut at one half is right
            right = np.where(np.isnan(row), np.nan, (row > 0.5) == (y == 1))
            forms += [right, 1 - right]
        for form in forms:
            found = _equal_to(form, values, 0.005 * y.std())
            pairs += [(k, other) for other in found if other != k and not two[other]]
    return pairs


def why_not_models(columns: Mapping[str, np.ndarray], y_true: np.ndarray) -> str | None:
    """Say why columns (n_samples,) are not predictions of a model each; None if they may be."""
    columns = {name: each for name, each in columns.items() if np.isfinite(each).any()}
    if not columns:
        return None
    names, values = list(columns), _stacked_columns(columns)
    classes = len(np.unique(y_true)) if has_few(y_true) else 0
    if both := _scores_of_all_classes(names, values, classes):
        names, total = both
        more = ". If they are that, this command does not take them; in a program they are "
        return (
            f"The columns {listing(names)} sum to {total} in every row, as the scores of "
            f"{len(names)} classes by one model do"
            + f"{more}y_pred[:, None, :]"
            * (len(names) > 2)
        )
    pairs = _errors(values, y_true)
    for one, other in pairs:
        if (other, one) in pairs:
            return (
                f"Of the columns {names[one]} and {names[other]} one says how far, or whether, "
                "the other is from the target"
            )
    return _of_other_kinds(names, values) if classes else None


def _of_other_kinds(names: Sequence[str], values: np.ndarray) -> str | None:
    """Say that scores of classes are of several kinds, as features beside predictions are."""
    low, high = np.nanmin(values, axis=1), np.nanmax(values, axis=1)
    shares = (low >= 0) & (high <= 1)
    if shares.any() and not shares.all():
        inside = listing([name for name, share in zip(names, shares) if share])
        beyond = listing([name for name, share in zip(names, shares) if not share])
        return (
            f"The values of {inside} lie between 0 and 1, as probabilities do, and those of "
            f"{beyond} do not, as features of the data may be"
        )
    one_sided = np.flatnonzero(~shares & ((low >= 0) | (high <= 0)))
    if len(one_sided) > 1:
        first, last = one_sided[high[one_sided].argmin()], one_sided[low[one_sided].argmax()]
        if high[first] < low[last]:
            return (
                f"All values of {names[first]} are below all of {names[last]}, as those of "
                "different features of the data may be"
            )
    return None


def _scores_of_all_classes(names: Sequence[str], values: np.ndarray, n_classes: int) -> Any:
    """Find the columns with scores of all classes by one model, and their sum; or None.

    Of two classes they are p and 1 - p, percents, or a score and its negative.
    """
    shares = (np.nanmin(values, axis=1) >= 0) & (np.nanmax(values, axis=1) <= 1)
    for start in range(len(names) - n_classes + 1) if n_classes > 2 else ():
        block = slice(start, start + n_classes)
        if shares[block].all() and not (np.abs(values[block].sum(axis=0) - 1) > 0.02).any():
            return list(names[block]), 1
    two = _has_two(values)
    for k, row in enumerate(values) if n_classes == 2 else ():
        if two[k] and len(row) < SURE:
            continue
        sums = [(0, 1e-6 * np.nanmax(np.abs(row))), (100, 1.0)]
        for total, rounding in [(1, 0.02)] if shares[k] else sums:
            for other in _equal_to(total - row, values, rounding):
                if other != k:
                    return [names[k], names[other]], total
    return None


def why_of_predicted_class(
    table: FileTable,
    names: Sequence[str],
    y_true: np.ndarray,
    positive: Any,
    others: Sequence[str],
) -> tuple[str, bool] | None:
    """Say that a column holds the probability of the class that was predicted, and if surely.

    Of two classes such a probability is never below one half. It is sure where one of the
    `others` holds the predicted labels, with which the scores are better. Else it is likely
    where no model is below one half, though many samples are not `positive`.
    """
    classes = np.unique(y_true)
    if len(classes) != 2:
        return None
    is_positive = y_true == positive
    suspects = [name for name in names if _are_above_half(table.frame[name])]
    for name in suspects:
        values = np.asarray(numbers_in(table.frame[name]), dtype=float)
        whole = 1 if values.max() <= 1 else 100
        text = (
            f"All values of {name!r} are between {whole / 2:g} and {whole}, as probabilities of "
            "whatever class was predicted are"
        )
        for other in others:
            column = table.frame[other]
            if other == name or not column.isin(classes).all() or column.nunique() < 2:
                continue
            predicted = (column == positive).to_numpy()
            most = max(is_positive.mean(), 1 - is_positive.mean())
            if (predicted == is_positive).mean() < most - 0.1 or is_role(other, NO_LABELS):
                continue  # as of a feature with the same two values
            as_positive = np.where(predicted, values, whole - values)
            if _share_of_pairs(is_positive, as_positive) > _share_of_pairs(is_positive, values):
                shown = positive.item() if isinstance(positive, np.generic) else positive
                line = f"t[{name!r}].where(t[{other!r}] == {shown!r}, {whole} - t[{name!r}])"
                return (
                    f"{text}, and {other!r} holds that class. With pandas, the probability of "
                    f"{shown!r} is {line}",
                    True,
                )
    if suspects and len(suspects) == len(names) and whole == 1 and is_positive.mean() < 0.8:
        return text, False
    return None


def _are_above_half(column: pd.Series) -> bool:
    """Check for shares, or percents, of which none is below one half."""
    values = numbers_in(column)
    if values is None or values.dtype.kind not in "fiu" or np.isnan(values).any():
        return False
    whole = 1 if values.max() <= 1 else 100
    inside = values.min() >= 0.499 * whole and 0.5 * whole < values.max() <= whole
    return bool(inside and (values < whole).any())


def _share_of_pairs(is_positive: np.ndarray, scores: np.ndarray) -> float:
    """Return the share of pairs, one of each class, in which the positive one has more."""
    ranks = pd.Series(scores).rank().to_numpy()
    n_positive = is_positive.sum()
    pairs = n_positive * (len(scores) - n_positive)
    return float((ranks[is_positive].sum() - n_positive * (n_positive + 1) / 2) / pairs)


def class_in_names(names: Sequence[str], y_true: np.ndarray) -> str | None:
    """Find the first of two classes that are text, where all columns are named after it."""
    if y_true.dtype.kind != "O" or len(classes := np.unique(y_true)) != 2:
        return None
    first, last = (
        re.compile(rf"(?<![^\W_]){re.escape(str(label))}(?![^\W_])", re.I) for label in classes
    )
    named = [bool(first.search(name)) and not last.search(name) for name in names]
    return str(classes[0]) if named and all(named) else None


def tells_classes(column: pd.Series, y_true: np.ndarray) -> str | None:
    """Say how a column tells the target without any error; None where it does not."""
    values = column.to_numpy()
    if np.array_equal(values, y_true):
        return "is equal to the target in every row"
    classes = np.unique(y_true)
    if len(classes) != 2 or values.dtype.kind not in "fiub":
        return None
    first, last = (values[y_true == label] for label in classes)
    apart = first.max() < last.min() or last.max() < first.min()
    return "separates the two classes of the target without any error" if apart else None


def _as_numbers(y_true: np.ndarray) -> np.ndarray | None:
    """Return a target as numbers, of two classes that are text as 0 and 1; None for others."""
    if y_true.dtype.kind in "fiub":
        return y_true.astype(float)
    classes = np.unique(y_true)
    return (y_true == classes[1]).astype(float) if len(classes) == 2 else None


def _stacked_columns(columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """Stack columns as numbers, (n_columns, n_samples); infinite ones are missing."""
    n_samples = len(next(iter(columns.values()), ()))
    values = np.empty((len(columns), n_samples))
    for row, each in zip(values, columns.values()):
        row[:] = each
        row[np.isinf(row)] = np.nan
    return values


def _has_two(values: np.ndarray) -> np.ndarray:
    """Check which rows have two different values at most, as labels do."""
    ends = np.nanmin(values, axis=1, keepdims=True), np.nanmax(values, axis=1, keepdims=True)
    return np.array([
        bool(((row == low) | (row == high) | np.isnan(row)).all())
        for row, low, high in zip(values, *ends)
    ])  # fmt: skip


def _equal_to(row: np.ndarray, values: np.ndarray, rounding: float) -> np.ndarray:
    """Find the rows of `values` (n_columns, n_samples) that are `row`, where both are there."""
    if (~np.isnan(row)).sum() < FEWEST_ROWS:
        return np.empty(0, dtype=int)
    few = np.flatnonzero(~(np.abs(values[:, 0] - row[0]) > rounding))
    few = few[~(np.abs(values[few, :8] - row[:8]) > rounding).any(axis=1)]
    there = (~np.isnan(values[few] - row)).sum(axis=1) >= FEWEST_ROWS
    return few[there & ~(np.abs(values[few] - row) > rounding).any(axis=1)]


# --- rows --------------------------------------------------------------------------------------


def why_not_samples(
    table: FileTable,
    y_true: np.ndarray,
    target: str,
    *,
    fold: str | None = None,
    groups: str | None = None,
    predictions: Sequence[str] = (),
) -> str | None:
    """Say why the rows of a table are not samples, and what to write; None where they may be.

    `fold, groups, predictions` are columns that are known to be that. A sample has several rows
    where an identifier repeats; where the values of some column, or of a target that has many,
    come equally often, with the same target in all rows of each; where labels name repeats; and
    where the targets below each other are the same for all values of a column.
    """
    frame, targets = table.frame, pd.factorize(y_true)[0]
    others = [
        name
        for name in frame
        if name not in (target, fold, groups, *predictions)
        and not frame[name].isna().any()
        and pd.api.types.infer_dtype(frame[name]) not in ("mixed", "bytes")  # lists
    ]
    codes = {name: pd.factorize(frame[name])[0] for name in others}
    wide = _is_wide(frame, y_true, [*others, *predictions])
    named = [name for name in others if _is_identifier(frame[name], targets)]
    sample = None
    if groups is not None:
        codes[groups] = pd.factorize(frame[groups], use_na_sentinel=False)[0]
        among = [name for name in others if is_role(name, FOLDS)] + [fold] * (fold is not None)
        folds = [pd.factorize(frame[name], sort=True)[0] for name in among]
        rest = {
            name: each
            for name, each in codes.items()
            if not is_role(name, TIMES) and (not wide or is_role(name, REPEATS))
        }
        found = (n for n in (groups, *named) if _are_samples(n, codes[n], targets, folds, rest))
        sample = next(found, None)
    else:
        copied = [name for name in others if _is_copied(codes[name], targets)]
        copied += [target] if not has_few(y_true) and _common_count(targets) > 1 else []
        sample = next(iter(named + copied), None)
    repeats = [
        name
        for name in (*others, *([fold] if fold else ()))
        if _n_repeats(frame[name], by_name=groups is None and name != fold) > 1
    ]
    if sample is not None:
        of_sample = targets if sample == target else codes[sample]
        one, labels = _is_constant(targets, of_sample), np.unique(y_true)
        varying = [
            name
            for name in others
            if one
            and name != sample
            and not is_role(name, TIMES | FOLDS)
            and not _are_labels_of_folds(frame[name])
            and not frame[name].isin(labels).all()
            and _tells_apart(codes[name], of_sample)
        ]
        fact = f"{len(frame):,} rows have {count(of_sample.max() + 1, 'different value')} of "
        fact += f"{sample!r}" + (", with one target each" * one)
    else:
        varying = [n for n in others if groups is None and _lies_below(frame, n, targets, wide)]
        if repeats:
            fact = f"{repeats[0]!r} names repeats"
        elif varying:
            fact = f"there are the same targets for each value of {varying[0]!r}"
        elif groups is None and (n_first := _come_again(targets)):
            fact = f"the targets of the first {n_first:,} rows come again below them"
        else:
            return None
    forced = sample in (groups, target) or sample is None
    if not forced:  # whether groups would be refused, too
        again = why_not_samples(
            table, y_true, target, fold=fold, groups=sample, predictions=predictions
        )
        forced = again is not None
    return (
        f"{table.name}: {fact}, so the rows are not samples that are independent. "
        + _what_to_write(table, target, fold, sample, repeats, varying, predictions, forced)
    )


def _what_to_write(
    table: FileTable,
    target: str,
    fold: str | None,
    sample: str | None,
    repeats: Sequence[str],
    varying: Sequence[str],
    predictions: Sequence[str],
    forced: bool,
) -> str:
    """Say what to do about rows that are not samples, which groups may need to be `forced`."""
    hints, is_named = [], sample not in (None, target) and _are_codes(table.frame[sample])
    if repeats:
        of_names = _n_repeats(table.frame[repeats[0]], by_name=False) > 1
        option = "--fold" if of_names else "--repeat"
        named = f"--sample {shlex.quote(str(sample))}" if is_named else "--sample COLUMN"
        hints.append(
            f"{repeats[0]!r} has {_n_repeats(table.frame[repeats[0]])} repeats: keep the rows of "
            f"one, or take all of them with {named} {option} {shlex.quote(str(repeats[0]))}."
        )
    varying = [name for name in varying if name not in repeats]
    if varying:
        by = varying[0] if len(varying) == 1 else "config"
        known = sample if is_named else "sample"
        index = [known, target, *([fold] if fold else ())]
        value = predictions[0] if len(predictions) == 1 else "COLUMN OF PREDICTIONS"
        read = "read_parquet" if table.name.lower().endswith(PARQUET) else "read_csv"
        lines = [f"t = pandas.{read}({table.name!r})"]
        if len(varying) > 1:
            lines.append(f"t['config'] = t[{list(varying)}].astype(str).agg(' '.join, axis=1)")
        if known != sample:
            lines.append(f"t['sample'] = t.groupby({by!r}).cumcount()")
        lines.append(
            f"t.pivot(index={index}, columns={by!r}, values={value!r}).to_csv('wide.csv')"
        )
        tell = "tells" if len(varying) == 1 else "tell"
        how = f"make a column of each: {'; '.join(lines)}"
        if is_named:
            names = " ".join(shlex.quote(str(name)) for name in varying)
            how = f"add --sample {shlex.quote(str(sample))} --config {names}, or {how}"
        parts = table.frame.groupby(list(varying), sort=False)[target]
        if known != sample and len({tuple(part) for _, part in parts}) > 1:
            how = "the file needs a column with a number for each sample, the same in all of them"
        hints.append(f"If {listing(varying)} {tell} configurations apart, {how}.")
    if not hints:
        hints.append("Give each sample one row, with a column for each configuration.")
    if is_named:
        more = " --rows-are-samples" * forced
        hints.append(
            "If they are different measurements, as of one patient, add "
            f"--groups {shlex.quote(str(sample))}{more}."
        )
    hints.append("If each row is a sample of its own, add --rows-are-samples.")
    return " ".join(hints)


def _is_wide(frame: pd.DataFrame, y_true: np.ndarray, names: Sequence[str]) -> bool:
    """Check for more columns that may be predictions than one configuration has."""
    classes = np.unique(y_true) if has_few(y_true) else np.empty(0)
    numbers = [numbers_in(frame[name]) for name in names]
    n_numbers = sum(
        each is not None and each.dtype.kind == "f" and not _whole_numbers(each)
        for each in numbers
    )
    n_labels = sum(bool(frame[name].isin(classes).all()) for name in names)
    return n_labels > 2 or n_numbers > max(2, len(classes))


def _is_identifier(column: pd.Series, targets: np.ndarray) -> bool:
    """Check for an identifier of samples, by its name, whose values, text or whole, repeat.

    That of rows may count again in each fold: then its rows have different targets.
    """
    words = {*_words_of_name(str(column.name))} - NUMBERS
    if not words or not words <= SAMPLES or not 2 < column.nunique() < len(column):
        return False
    if not _are_codes(column) or _are_labels_of_folds(column) or _n_repeats(column) > 1:
        return False  # tidymodels calls the column of folds, or of repeats, id
    return bool(words & OF_PEOPLE) or _is_constant(targets, pd.factorize(column)[0])


def _are_codes(column: pd.Series) -> bool:
    """Check for text or whole numbers."""
    numbers = numbers_in(column)
    if numbers is None:
        return pd.api.types.infer_dtype(column, skipna=True) in ("string", "categorical")
    return _whole_numbers(numbers)


def _whole_numbers(numbers: np.ndarray) -> bool:
    """Check for whole numbers, leaving out what is missing or infinite."""
    there = numbers[np.isfinite(numbers)]
    return bool((there == np.floor(there)).all())


def _is_copied(codes: np.ndarray, targets: np.ndarray) -> bool:
    """Check whether many values come equally often, or a multiple of it, each with one target."""
    many = codes.max() + 1 >= MANY_VALUES
    return many and _common_count(codes) > 1 and _is_constant(targets, codes)


def _common_count(codes: np.ndarray) -> int:
    """Return the greatest number that divides how often each code comes."""
    return int(np.gcd.reduce(np.bincount(codes)))


def _is_constant(targets: np.ndarray, codes: np.ndarray) -> bool:
    """Check whether `targets` (n_rows,) are the same in all rows of each code."""
    first = np.unique(codes, return_index=True)[1]
    return bool((targets[first][codes] == targets).all())


def _n_repeats(column: pd.Series, *, by_name: bool = True) -> int:
    """Count the repeats that labels such as Fold1.Rep2, or a column named repeat, tell apart."""
    name = str(column.name)
    if by_name and REPEATS & {*_words_of_name(name)} and is_role(name) and _are_codes(column):
        return int(column.nunique())
    if numbers_in(column) is not None or not _are_codes(column):
        return 0
    found = [OF_REPEAT.search(str(label)) for label in column.dropna().unique()]
    return 0 if None in found else len({each[2] for each in found if each})


def _tells_apart(codes: np.ndarray, of_sample: np.ndarray) -> bool:
    """Check whether values come equally often, and differ between the rows of each sample."""
    n_values, most = codes.max() + 1, np.bincount(of_sample).max()
    if not 1 < n_values <= most or np.ptp(np.bincount(codes)):
        return False
    n_pairs = len(np.unique(np.stack([of_sample, codes]), axis=1).T)
    return bool(n_pairs > of_sample.max() + 1)


def _lies_below(frame: pd.DataFrame, name: str, targets: np.ndarray, wide: bool) -> bool:
    """Check whether targets (n_rows,) are the same, in their order, for each value of a column.

    That says nothing where they go up and down in a pattern. Of a column that is the same in
    many rows below each other, beside predictions of one configuration, their numbers are enough,
    and so they are of names of models.
    """
    if is_role(name, FOLDS):
        return False
    values = pd.factorize(frame[name])[0]
    n_values, sizes = values.max() + 1, np.bincount(values)
    if n_values < 2 or np.ptp(sizes) or sizes[0] < FEWEST_IN_BLOCK:
        return False
    blocks = targets[np.argsort(values, kind="stable")].reshape(n_values, -1)
    is_name = is_role(name, MODEL_WORDS) and numbers_in(frame[name]) is None
    if is_name or (not wide and np.count_nonzero(np.diff(values)) < len(values) // 4):
        blocks = np.sort(blocks, axis=1)
        return not _are_labels_of_folds(frame[name]) and bool((blocks == blocks[0]).all())
    return not _has_pattern(blocks[0]) and bool((blocks == blocks[0]).all())


def _has_pattern(targets: np.ndarray) -> bool:
    """Check for targets that are sorted, or that go up and down in a pattern."""
    lags = range(1, min(len(targets) // 2, 10 * FEW) + 1)
    ordered = bool(np.count_nonzero(np.diff(targets)) < 2 * len(np.unique(targets)))
    return ordered or any((targets[lag:] == targets[:-lag]).all() for lag in lags)


def _come_again(targets: np.ndarray) -> int:
    """Find after how many rows the targets (n_rows,) come again, up to the last; 0 if never."""
    n_rows = len(targets)
    for n_first in range(FEWEST_IN_BLOCK, n_rows // 2 + 1):
        if n_rows % n_first == 0 and (targets[n_first:] == targets[:-n_first]).all():
            return 0 if _has_pattern(targets[:n_first]) else n_first
    return 0


def _are_labels_of_folds(column: pd.Series) -> bool:
    """Check for labels such as Fold1."""
    texts = column.unique()
    return all(isinstance(text, str) and FOLDS & {*_words_of_name(text)} for text in texts)


def _are_samples(
    name: str,
    codes: np.ndarray,
    targets: np.ndarray,
    folds: Sequence[np.ndarray],
    others: Mapping[str, np.ndarray],
) -> bool:
    """Check whether a column, even if it names groups, names samples that have several rows.

    Rows of one patient may be measurements of their own, also with one target. Those of one
    sample come once for each value of one of `others`, or once in each of several rounds of folds.
    """
    sizes = np.bincount(codes)
    if sizes.max() < 2 or not _is_constant(targets, codes):
        return False
    if {"row", *(word for word in SAMPLES if word.startswith("row"))} & {*_words_of_name(name)}:
        return True
    if np.ptp(sizes):
        return False
    for other, values in others.items():
        once = len(np.unique(np.stack([codes, values]), axis=1).T) == len(codes)
        if other != name and once and values.max() + 1 == sizes[0]:
            return True
    return any(_are_repeated(each, codes) for each in folds)


def _are_repeated(folds: np.ndarray, codes: np.ndarray) -> bool:
    """Check whether folds (n_rows,), in their order, hold out all samples again and again."""
    n_folds, n_times = folds.max() + 1, np.bincount(codes)[0]
    if n_folds < 2 * n_times or len(folds) < 2 * n_folds:
        return False
    seen = np.zeros(codes.max() + 1, dtype=int)
    for fold in range(n_folds):
        members = codes[folds == fold]
        if len(np.unique(members)) < len(members) or (seen[members] != seen.min()).any():
            return False
        seen[members] += 1
    return True


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
