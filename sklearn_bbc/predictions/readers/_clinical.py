"""Tables of Stata, SAS, SPSS, Excel and R, with the codes and labels of their columns.

Stata and SAS are read by pandas alone; SPSS, Excel and R need pyreadstat, openpyxl and pyreadr.
Columns with labels keep their codes, so that the larger code stays the larger one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from os import SEEK_END
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas.io.stata import StataMissingValue

from ..._tables import FileTable, listing, table_of_frame
from ..._text import count
from ._items import listed

STATA, SAS, XPORT = (".dta",), (".sas7bdat",), (".xpt", ".xport")
SPSS, EXCEL, R = (".sav", ".zsav"), (".xlsx", ".xlsm"), (".rds", ".rdata", ".rda")
CLINICAL = (*STATA, *SAS, *XPORT, *SPSS, *EXCEL, *R)
SMALLEST = 1e-70
"""Below, a number of an XPORT file is 0, which pandas reads as 5.4e-79."""
RECORD = 80
"""Bytes of which XPORT files are made."""
STATA_START, STATA_END = b"<stata_dta>", b"</stata_dta>"


def clinical_table(path: Path) -> FileTable:
    """Read a file by its ending; errors say which package is missing or what is damaged."""
    if not path.stat().st_size:
        raise ValueError(f"{path.name} is empty (0 bytes). Write it again, or leave it out.")
    ending = path.suffix.lower()
    reader, kind = next(
        (reader, kind) for endings, reader, kind in OF_ENDINGS if ending in endings
    )  # fmt: skip
    try:
        frame, labels, how = reader(path)
    except (ImportError, Unreadable):
        raise
    except Exception as error:  # a damaged file raises nearly anything
        raise ValueError(
            f"{path.name} cannot be read as a file of {kind}: {error or type(error).__name__}. It "
            "may be damaged or written by half. Write it again, or save it as CSV."
        ) from error
    for name in frame:
        frame[name] = _plain_numbers(frame[name])
    return table_of_frame(frame, path.name, ", ".join(filter(None, how)), labels=labels)


class Unreadable(ValueError):
    """What this file says about itself."""


def _by_half(path: Path, n_rows: int, n_due: int) -> Unreadable:
    return Unreadable(
        f"{path.name} has {count(n_rows, 'row')}, but says itself that there are {n_due:,}. It "
        "may be written by half: write it again."
    )


Read = tuple[pd.DataFrame, dict[str, dict[Any, str]], list[str]]


# --- Stata and SAS -----------------------------------------------------------------------------


def _stata(path: Path) -> Read:
    """Read codes, and labels beside them; a label for some values only leaves these codes too."""
    with open(path, "rb") as file:
        start = file.read(len(STATA_START))
        file.seek(-len(STATA_END), SEEK_END)
        if start == STATA_START and file.read() != STATA_END:  # from version 117 on
            raise Unreadable(
                f"{path.name} does not end with {STATA_END.decode()}, so it may be written by "
                "half. Write it again."
            )
    frame = pd.read_stata(path, convert_categoricals=False)
    labels: dict[str, dict[Any, str]] = {}
    how = []
    try:
        labelled = pd.read_stata(path, convert_categoricals=True, order_categoricals=False)
    except ValueError:  # two codes with one label
        how.append("labels that are not distinct, so codes are taken")
    else:
        for name in frame:
            if isinstance(labelled[name].dtype, pd.CategoricalDtype):
                pairs = zip(frame[name], labelled[name].astype(object))
                labels[name] = {k: v for k, v in pairs if isinstance(v, str) and v != k}
    gaps = [name for name in frame if frame[name].dtype.kind == "f" and frame[name].isna().any()]
    found = set()
    if gaps:
        kinds = pd.read_stata(path, convert_categoricals=False, convert_missing=True, columns=gaps)
        values = (value for name in gaps for value in kinds[name])
        found = {each.string for each in values if isinstance(each, StataMissingValue)}
    if len(found) > 1:
        how.append(f"{listing(sorted(found))} all taken as missing")
    return frame, labels, how


def _sas(path: Path) -> Read:
    with pd.read_sas(path, format="sas7bdat", encoding="infer", iterator=True) as reader:
        n_due = int(reader.row_count)
        frame = reader.read()
    if len(frame) != n_due:
        raise _by_half(path, len(frame), n_due)
    return frame, {}, []


def _xport(path: Path) -> Read:
    """Read the old form, and mend zeros and text; the new one needs pyreadstat."""
    if path.stat().st_size % RECORD:
        raise Unreadable(
            f"{path.name} ends within a record of {RECORD} bytes, so it may be written by half. "
            "Write it again."
        )
    try:
        with pd.read_sas(path, format="xport", encoding="latin-1", iterator=True) as reader:
            start, length = reader.record_start, reader.record_length
            frame = reader.read()
        _check_last_row(path, start, length)
    except Unreadable:
        raise
    except ValueError as error:
        if "XPORT" not in str(error):
            raise
        frame, _ = _imported("pyreadstat", path, "XPORT version 8").read_xport(str(path))
        return frame, {}, []
    for name in frame:
        if frame[name].dtype.kind == "f":
            values = frame[name].to_numpy()
            frame[name] = np.where(np.abs(values) < SMALLEST, 0.0, values)
        else:
            frame[name] = frame[name].map(_as_utf8, na_action="ignore")
    return frame, {}, []


def _check_last_row(path: Path, start: int, length: int) -> None:
    """Raise where rows of some bytes, from a place on, end within one; blanks fill a record."""
    rest = (path.stat().st_size - start) % length
    with open(path, "rb") as file:
        file.seek(-rest or 0, SEEK_END)
        if file.read().strip(b" ") or rest >= RECORD:
            raise Unreadable(
                f"{path.name} ends within a row, so it may be written by half. Write it again."
            )


def _as_utf8(text: Any) -> Any:
    """Read a text as UTF-8 where it is that; the file does not say."""
    try:
        return text.encode("latin-1").decode("utf-8").rstrip()
    except (AttributeError, UnicodeError):
        return text


# --- SPSS, Excel, R ----------------------------------------------------------------------------


def _imported(package: str, path: Path, kind: str) -> Any:
    try:
        return import_module(package)
    except ImportError:
        raise ImportError(
            f"{path.name} is a file of {kind}, which needs {package}: python -m pip install "
            f'{package}, or "sklearn-bbc[clinical]" for all such files. A .csv file needs nothing '
            "more."
        ) from None


def _spss(path: Path) -> Read:
    """Read codes and their labels; values that the user declared missing are missing."""
    package = _imported("pyreadstat", path, "SPSS")
    frame, about = package.read_sav(str(path), apply_value_formats=False, user_missing=False)
    if (
        about.number_rows is not None
        and about.number_rows >= 0
        and len(frame) != about.number_rows
    ):
        raise Unreadable(
            f"{path.name} has {count(len(frame), 'row')}, but says itself that there are "
            f"{about.number_rows:,}. It may be written by half: write it again."
        )
    labels = {
        name: {code: str(label) for code, label in each.items()}
        for name, each in about.variable_value_labels.items()
    }
    with_missing = package.read_sav(str(path), user_missing=True, metadataonly=True)[1]
    how = []
    if declared := with_missing.missing_ranges:
        parts = [f"{name} {', '.join(map(_range, each))}" for name, each in declared.items()]
        how.append(f"declared missing and taken as that: {listed(parts)}")
    return frame, labels, how


def _range(values: Mapping[str, Any]) -> str:
    """Write values that are declared missing."""
    ends = [each if isinstance(each, str) else f"{each:g}" for each in values.values()]
    return " to ".join(dict.fromkeys(ends))


def _excel(path: Path) -> Read:
    """Read the first sheet; refuse formulas that were never computed."""
    package = _imported("openpyxl", path, "Excel")
    values = package.load_workbook(path, data_only=True)
    formulas = package.load_workbook(path, data_only=False)
    filled = [sheet for sheet in values.worksheets if sheet.max_row > 1]
    if not filled:
        raise Unreadable(f"{path.name} has no sheet with rows below its names.")
    sheet = filled[0]
    rows = [list(row) for row in sheet.iter_rows(values_only=True)]
    for row, cells in enumerate(formulas[sheet.title].iter_rows(values_only=True)):
        for column, cell in enumerate(cells):
            if isinstance(cell, str) and cell.startswith("=") and rows[row][column] is None:
                raise Unreadable(
                    f"{path.name}: column {rows[0][column]!r} has a formula without a value in "
                    f"row {row + 1}, since the workbook was never opened in Excel or LibreOffice. "
                    "Open it there, save it, and try again."
                )
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    used = [k for k in range(len(rows[0])) if any(row[k] is not None for row in rows)]
    frame = pd.DataFrame([[row[k] for k in used] for row in rows[1:]], dtype=object)
    frame.columns = pd.Index(
        ["" if rows[0][k] is None else rows[0][k] for k in used], dtype=object
    )
    others = [each.title for each in filled[1:]]
    how = f"sheet {sheet.title!r}" + (f", not {listed(others)}" if others else "")
    return frame, {}, [how] if len(values.worksheets) > 1 else []


def _r(path: Path) -> Read:
    """Read the one data frame; a factor keeps the order of its levels as codes from 1."""
    package = _imported("pyreadr", path, "R")
    found = {
        name: each
        for name, each in package.read_r(str(path)).items()
        if isinstance(each, pd.DataFrame)
    }
    if len(found) != 1:
        raise Unreadable(
            f"{path.name} has {count(len(found), 'data frame')}"
            + (f" ({listed(found)})" if found else "")
            + ". Write the one with the predictions: saveRDS(x, 'x.rds')."
        )
    frame = next(iter(found.values()))
    are_numbers = frame.index.astype(str).str.fullmatch(r"\d+").all()
    frame = frame.reset_index(drop=bool(are_numbers))  # names of rows may be those of patients
    levels = {
        name: frame[name].cat.categories
        for name in frame
        if isinstance(frame[name].dtype, pd.CategoricalDtype)
    }
    labels = {}
    for name, each in levels.items():
        frame[name] = frame[name].astype(object)
        labels[name] = {str(level): str(level) for level in each}
    return frame, labels, []


def _plain_numbers(column: pd.Series) -> pd.Series:
    """Make numbers of objects that are numbers, truth values or missing, as R and Excel have.

    Whole numbers are integers, as codes of classes are; SAS and SPSS have none.
    """
    if column.dtype.kind == "f":
        values = column.to_numpy()
        are_whole = (np.abs(values) < 2**31).all() and (values == np.floor(values)).all()
        return column.astype(int) if are_whole else column
    if column.dtype != object:
        return column
    there = column.dropna()
    if not len(there) or not there.map(lambda each: isinstance(each, (bool, int, float))).all():
        return column
    if len(there) == len(column) and there.map(lambda each: isinstance(each, bool)).all():
        return column.astype(bool)
    return _plain_numbers(column.astype(float))


OF_ENDINGS: tuple[tuple[tuple[str, ...], Callable[[Path], Read], str], ...] = (
    (STATA, _stata, "Stata"), (SAS, _sas, "SAS"), (XPORT, _xport, "SAS"), (SPSS, _spss, "SPSS"),
    (EXCEL, _excel, "Excel"), (R, _r, "R"),
)  # fmt: skip


# --- the event ---------------------------------------------------------------------------------


def event_of(
    labels: Mapping[str, Mapping[Any, str]], target: str, y_true: np.ndarray, pos_label: Any = None
) -> tuple[Any, str]:
    """Find the event of a target of two classes, (n_samples,), and name it with its label.

    That is the larger code, or of R's factors the last level; `pos_label` may be a code or a
    label. The second answer is a sentence, empty where there are not two classes.
    """
    classes = pd.unique(pd.Series(y_true).dropna()).tolist()
    if len(classes) != 2:
        return pos_label, ""
    of_target = labels.get(target, {})
    if all(code == label for code, label in of_target.items()):  # levels of R, in their order
        order = [code for code in of_target if code in classes]
        classes = order if len(order) == 2 else sorted(classes)
    else:
        classes.sort()
    words = {each: _with_label(each, of_target) for each in classes}
    event = classes[1]
    if pos_label is not None:
        told = str(pos_label).strip()
        same = [
            each for each in classes
            if told in (str(each), str(of_target.get(each, each)))
            or (not isinstance(each, str) and _is_code(told, each))
        ]  # fmt: skip
        if not same:
            raise ValueError(
                f"--pos-label {told}: column {target!r} has {words[classes[0]]} and "
                f"{words[classes[1]]}."
            )
        event = same[0]
    other = classes[0] if event == classes[1] else classes[1]
    return event, f"The event is {words[event]} of column {target!r}; {words[other]} is not."


def _is_code(text: str, code: Any) -> bool:
    try:
        return bool(float(text) == code)
    except ValueError:
        return False


def _with_label(code: Any, labels: Mapping[Any, str]) -> str:
    number = isinstance(code, (float, np.floating)) and float(code).is_integer()
    text = f"{code:.0f}" if number else str(code)
    label = labels.get(code)
    return text if label is None or label == text else f"{text} ({label})"
