"""Resumable work: what is finished is in a file, whatever happens to the process."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd
from joblib import Parallel, delayed

from benchmarks.harness import record

Piece = TypeVar("Piece", bound=Hashable)


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
    fresh : bool, default=False
        Forget what the file holds.

    Raises
    ------
    ValueError
        If the file has other columns.
    """

    def __init__(
        self, path: Path, columns: Sequence[str], key: Sequence[str], *, fresh: bool = False
    ) -> None:
        self.path, self.columns, self.key = path, list(columns), list(key)
        if fresh:
            path.unlink(missing_ok=True)
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
    prefer: str | None = None,
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
    prefer : str or None, default=None
        ``"threads"`` where the work waits for processes of its own; joblib's meaning.
    """
    parallel = Parallel(n_jobs=jobs, prefer=prefer, return_as="generator")
    finished = parallel(delayed(work)(*task) for task in tasks)
    for rows in record.progress(finished, n_done + len(tasks), label, done=n_done):
        journal.append(rows)


def complete(
    journal: Journal,
    pieces: Mapping[Piece, Sequence[tuple]],
    work: Callable[..., list[dict[str, Any]]],
    arguments: Callable[[Piece, list[tuple]], tuple],
    *,
    jobs: int,
    label: str,
    report: bool = False,
    prefer: str | None = None,
) -> pd.DataFrame:
    """Compute the rows that are not in the journal yet, and return all that were asked for.

    Parameters
    ----------
    journal : Journal
        What earlier runs computed; the new rows go there.
    pieces : mapping of piece to keys
        What is computed in one go, for example a data set, and the keys of its rows.
    work : callable
        Returns rows of one piece, see `run`.
    arguments : callable
        Piece and the keys that are missing -> arguments of `work`.
    jobs, label, prefer
        See `run`.
    report : bool, default=False
        Compute nothing.

    Returns
    -------
    DataFrame
        The wanted rows of this and of earlier runs, in the order of their keys. Rows that other
        versions of the package computed are named on the standard error.

    Raises
    ------
    SystemExit
        If nothing that is wanted was computed.
    """
    done = journal.done()
    missing = {piece: [key for key in keys if key not in done] for piece, keys in pieces.items()}
    tasks = [arguments(piece, keys) for piece, keys in missing.items() if keys]
    if not report:
        n_done = len(pieces) - len(tasks)
        run(journal, tasks, work, jobs=jobs, label=label, n_done=n_done, prefer=prefer)
    found = journal.rows()
    # Methods of the past have a row, but no place.
    wanted = dict.fromkeys(key for keys in pieces.values() for key in keys)
    place = {key: k for k, key in enumerate(wanted)}
    keys = found[journal.key].itertuples(index=False, name=None)
    found = found.assign(place=[place.get(key) for key in keys])
    found = found[found["place"].notna()].sort_values("place", ignore_index=True)
    if found.empty:
        raise SystemExit("Nothing was computed yet: start without --report.")
    note_versions(found["code"])
    return found.drop(columns="place")


def note_versions(codes: pd.Series) -> None:
    """Say on the standard error which rows other versions of the package computed."""
    code = record.code()
    older = sorted(set(codes) - {code})
    if older:
        print(
            f"Note: {codes.isin(older).sum()} of {len(codes)} rows were computed by other "
            f"versions of the package ({', '.join(older)}; now {code}). --fresh starts again.",
            file=sys.stderr,
        )
