"""Resumable work: what is finished is in a file, whatever happens to the process."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import Parallel, delayed

from benchmarks.harness.record import progress


def read_exact(path: Path) -> pd.DataFrame:
    """A CSV with its numbers to the last bit, whatever pandas' own reader does by default.

    Missing are empty fields and ``nan``; by default the text ``null`` would be too, and one of
    the settings is called so.
    """
    frame = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=["", "nan"])
    return frame.apply(_numbers)


def _numbers(column: pd.Series) -> pd.Series:
    """The column as booleans, integers or floats, else as it is; missing values are NaN."""
    values = column.tolist()
    if values and set(values) <= {"True", "False"}:
        return column == "True"
    for number in (int, float):
        try:
            converted = [number(value) for value in values]
        except (TypeError, ValueError):  # text, or a missing value, which int does not know
            continue
        return pd.Series(converted, index=column.index, dtype="int64" if number is int else float)
    return column


class Journal:
    """Append-only CSV of finished rows.

    A row counts when its line is complete, so a kill loses at most the row that was being
    written, and that one is made again. Rows are identified by `key`: a row that is there
    twice counts once.

    Parameters
    ----------
    path : Path
        File; it and its folder are made when they are missing.
    columns : sequence of str
        All columns, in order.
    key : sequence of str
        Columns that identify a row.

    Raises
    ------
    ValueError
        If the file has other columns.
    """

    def __init__(self, path: Path, columns: Sequence[str], key: Sequence[str]) -> None:
        self.path, self.columns, self.key = path, list(columns), list(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        content = path.read_bytes() if path.is_file() else b""
        complete = content[: content.rfind(b"\n") + 1]
        if complete != content:
            with path.open("r+b") as file:
                file.truncate(len(complete))
        if not complete:
            header = io.StringIO(newline="")
            csv.writer(header, lineterminator="\n").writerow(self.columns)
            path.write_text(header.getvalue(), encoding="utf-8", newline="\n")
        found = next(csv.reader(io.StringIO(complete.decode("utf-8"))), self.columns)
        if found != self.columns:
            raise ValueError(
                f"{path} has the columns {found}, this benchmark writes {self.columns}. It comes "
                "from another version: move it away or start with --fresh."
            )

    def rows(self) -> pd.DataFrame:
        """All finished rows, each once, with numbers as they were written."""
        frame = read_exact(self.path)
        return frame.drop_duplicates(self.key, ignore_index=True)

    def done(self) -> set[tuple]:
        """Keys of all finished rows."""
        return set(self.rows()[self.key].itertuples(index=False, name=None))

    def append(self, rows: Iterable[dict[str, Any]]) -> None:
        """Add finished rows; they are on their way to the disk when this returns."""
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, self.columns, lineterminator="\n")
        # repr of a float is the shortest text that gives the same float again.
        writer.writerows(rows)
        with self.path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(text.getvalue())


def run(
    journal: Journal,
    tasks: Sequence[tuple],
    work: Callable[..., list[dict[str, Any]]],
    *,
    jobs: int,
    label: str,
    n_done: int = 0,
) -> None:
    """Do tasks in processes and enter the rows of each in the journal as it ends.

    Parameters
    ----------
    journal : Journal
        Where the rows go.
    tasks : sequence of tuple
        Arguments of `work`.
    work : callable
        Returns the rows of one task. It must not depend on the number of processes.
    jobs : int
        Number of processes, with joblib's meaning.
    label : str
        What is being counted, for the progress bar.
    n_done : int, default=0
        Number of tasks that earlier runs finished.
    """
    finished = Parallel(n_jobs=jobs, return_as="generator")(delayed(work)(*task) for task in tasks)
    for rows in progress(finished, n_done + len(tasks), label, done=n_done):
        journal.append(rows)
