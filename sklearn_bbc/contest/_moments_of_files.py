"""Means and covariance of the scores in files that need not fit into memory."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .._tables import PARQUET
from .._text import count
from .._utils import did_you_mean
from ..predictions._moments import ScoreMoments
from ..predictions._predictions import OOFPredictions
from ..predictions.readers._path import Found, PathOptions, predictions_at
from ._score_moments import (
    ENOUGH_UNITS,
    kernels_of,
    looks_at_rows_apart,
    moments_of_predictions,
    of_values,
    values_of_units,
)

_VALUES = 2**20
"""Values that are read together."""


def moments_of_file(
    path: str | Path,
    scoring: Any = None,
    *,
    target: str | None = None,
    columns: Sequence[str] | None = None,
    groups: str | None = None,
    sample_weight: str | None = None,
    greater_is_better: bool = True,
    n_rows: int | None = None,
    **arguments: Any,
) -> ScoreMoments:
    """Add up the scores in a file that need not fit into memory, some rows at a time.

    Parameters
    ----------
    path : str or Path
        A Parquet file (``.parquet``, ``.pq``; read by pyarrow), else a text file with commas. A
        row for each sample.
    scoring : str, scorer or Metric, default=None
        The metric of predictions, with `target`. None takes the columns as scores.
    target : str, default=None
        Column of the target. None takes the columns as scores.
    columns : sequence of str, default=None
        Columns of the configurations. None takes all that are named nowhere else.
    groups, sample_weight : str, default=None
        Columns of the groups and weights.
    greater_is_better : bool, default=True
        False where scores are losses.
    n_rows : int, default=None
        Rows that are read together. None takes as many as have two million values.
    **arguments : object
        Arguments of `OOFPredictions`, such as ``classes``.

    Returns
    -------
    ScoreMoments
        The sums, with the names of the columns.
    """
    path = Path(path)
    aside = [name for name in (target, groups, sample_weight) if name is not None]
    if (target is None) != (scoring is None):
        raise ValueError(
            "scoring and target belong together: a metric scores predictions against the column "
            "of the target. Without both, columns are scores."
        )
    is_parquet = path.suffix.lower() in PARQUET
    known, tables = _read_parquet(path) if is_parquet else _read_text(path, groups)
    wanted = [name for name in known if name not in aside] if columns is None else [*columns]
    if missing := [name for name in [*wanted, *aside] if name not in known]:
        raise ValueError(
            f"{path} has no column {missing[0]!r}, but {', '.join(map(repr, known[:8]))}"
            f"{', ...' * (len(known) > 8)}.{did_you_mean(missing[0], known)}"
        )
    if not wanted:
        raise ValueError(f"{path} has no column of scores or predictions: {known}.")

    n_rows = _rows_at_once(len(wanted)) if n_rows is None else n_rows

    def of_rows(table: pd.DataFrame) -> dict[str, Any]:
        given = {"groups": groups, "sample_weight": sample_weight}
        return {name: table[of].to_numpy() for name, of in given.items() if of is not None}

    parts = tables([*wanted, *aside], n_rows)
    if target is None:
        found = ScoreMoments(len(wanted), wanted, greater_is_better=greater_is_better)
        for table in parts:
            found.update(table[wanted], **of_rows(table))
        return found

    def chunks(names: Sequence[str] = wanted, at_once: int = n_rows) -> Iterator[dict[str, Any]]:
        for table in tables([*names, *aside], at_once):
            yield {"y_true": table[target].to_numpy(), "y_pred": table[[*names]], **of_rows(table)}

    first = next(kernels_of(chunks, scoring, arguments), None)
    if first is None or looks_at_rows_apart(first):
        return moments_of_predictions(chunks, scoring, arguments)
    return _by_column(
        lambda name: _whole_column(chunks([name])), wanted, scoring, arguments, n_rows
    )


def _rows_at_once(n_columns: int) -> int:
    return max(256, _VALUES // n_columns)


def _whole_column(parts: Iterator[dict[str, Any]]) -> dict[str, Any]:
    """Join the predictions of one configuration."""
    every = list(parts)
    joined = {
        name: np.concatenate([np.asarray(part[name]) for part in every]) for name in every[0]
    }
    return {**joined, "y_pred": pd.DataFrame(joined["y_pred"], columns=every[0]["y_pred"].columns)}


def _by_column(
    column: Callable[[str], Mapping[str, Any]],
    names: Sequence[str],
    scoring: Any,
    arguments: Mapping[str, Any],
    n_rows: int,
) -> ScoreMoments:
    """Take a score that compares all samples one configuration after the other.

    What each sample adds to it waits in a file in the folder for temporary files, since sums need
    all configurations of some samples at a time.
    """
    with tempfile.TemporaryFile() as file:
        for name in names:
            (kernel,) = kernels_of([column(name)], scoring, arguments)
            values = values_of_units(kernel, np.array([0]))[:, 0]
            values.astype(float).tofile(file)
        n_units, found = len(values), ScoreMoments(len(names), names)
        for first in range(0, n_units, n_rows):
            part = np.empty((min(n_rows, n_units - first), len(names)))
            for k in range(len(names)):
                file.seek(8 * (k * n_units + first))
                part[:, k] = np.fromfile(file, count=len(part))
            found.update(part)
    return of_values(found, kernel)


Tables = Callable[[list[str], int], Iterator[pd.DataFrame]]
"""Takes names of columns and a number of rows, yields parts of a table."""


def _parquet_file(path: Path) -> Any:
    """Open a Parquet file that is read in parts.

    Without a buffer a whole group of rows is read, which may be the whole file.
    """
    from pyarrow.parquet import ParquetFile

    return ParquetFile(path, buffer_size=2**16, pre_buffer=False)


def _read_parquet(path: Path) -> tuple[list[str], Tables]:
    """Read the names of the columns, and prepare to read some rows at a time."""
    try:
        file = _parquet_file(path)
    except ImportError:
        raise ImportError(f"{path} is a Parquet file, read by: pip install pyarrow") from None

    def tables(columns: list[str], n_rows: int) -> Iterator[pd.DataFrame]:
        for batch in file.iter_batches(n_rows, columns=columns, use_threads=False):
            yield batch.to_pandas(ignore_metadata=True)

    return file.schema_arrow.names, tables


def _read_text(path: Path, groups: str | None) -> tuple[list[str], Tables]:
    """Prepare to read a text file; groups have texts as labels, in every part."""
    types = {} if groups is None else {groups: str}

    def tables(columns: list[str], n_rows: int) -> Iterator[pd.DataFrame]:
        yield from pd.read_csv(path, usecols=columns, chunksize=n_rows, dtype=types)

    return list(pd.read_csv(path, nrows=0).columns), tables


# --- the command line ------------------------------------------------------------------------

LARGE = 2**28
"""Bytes of the values of a file from which it is read in parts."""
LOOKED_AT = 10_000
"""Rows, from everywhere in a file, that show what its columns are."""
_MOST_CLASSES = 1000


@dataclass
class LargeFile(Found):
    """A Parquet file with predictions that is read in parts; `oof` has some of its rows."""

    path: Path = Path()
    options: PathOptions = field(default_factory=PathOptions)
    arguments: dict[str, Any] = field(default_factory=dict)

    def moments(self, scoring: Any) -> ScoreMoments:
        """Add up the scores of all rows; raise ValueError where the metric is no sum."""
        options = self.options
        return moments_of_file(
            self.path, scoring, target=options.target, groups=options.groups,
            columns=[each["configuration"] for each in self.oof.params],
            sample_weight=options.sample_weight, **self.arguments,
        )  # fmt: skip


def large_file(path: Path, options: PathOptions) -> LargeFile | None:
    """Look at a Parquet file that is read in parts; None where it is small, or read otherwise."""
    asked = (options.sample, options.config, options.repeat, options.order, options.block_length)
    is_parquet = path.suffix.lower() in PARQUET and path.is_file()
    if not is_parquet or options.target is None or any(asked):
        return None
    try:
        file = _parquet_file(path)
    except (ImportError, ValueError):  # the reader of tables says it
        return None
    n_rows, names = file.metadata.num_rows, file.schema_arrow.names
    if n_rows < ENOUGH_UNITS or 8 * n_rows * len(names) < LARGE or options.target not in names:
        return None
    table, classes = _some_rows(file, options.target)
    with tempfile.TemporaryDirectory() as folder:
        table.to_parquet(Path(folder) / path.name)
        found = predictions_at(OOFPredictions, Path(folder) / path.name, options)
    oof = found.oof
    # Where the reader makes texts of numbers, the parts would have to be changed, too.
    same_kind = (oof.y_true.dtype.kind in "OUT") == (
        np.asarray(table[options.target]).dtype.kind in "OUT"
    )
    columns = {each.get("configuration") for each in oof.params}
    if not same_kind or not columns <= {*names} or "plain" not in oof.responses:
        return None
    arguments = {} if oof.pos_label is None else {"pos_label": oof.pos_label}
    if oof.classes_ is not None and classes is not None:
        arguments["classes"] = np.union1d(oof.classes_, classes)
    lines = [
        f"{path.name}: {count(n_rows, 'row')}, read in parts; {len(table):,} of them show what "
        "the columns are.",
        *found.lines[1:],
    ]
    if options.fold is not None:
        lines.append("Folds are not used: the best configuration is that of all rows together.")
    return LargeFile(path.name, oof, lines, path=path, options=options, arguments=arguments)


def _some_rows(file: Any, target: str) -> tuple[pd.DataFrame, np.ndarray | None]:
    """Read rows from everywhere in a Parquet file, and all labels of the target if few."""
    at_once = _rows_at_once(len(file.schema_arrow))
    every, seen = max(1, file.metadata.num_rows // min(LOOKED_AT, max(at_once, 1000))), 0
    parts, labels = [], pd.Index([])
    for batch in file.iter_batches(at_once, use_threads=False):
        some = batch.take(list(range(-seen % every, batch.num_rows, every)))
        parts.append(some.to_pandas(ignore_metadata=True))
        seen += batch.num_rows
        if labels is not None:
            labels = labels.union(batch.column(target).unique().to_pandas(), sort=False)
            labels = None if len(labels) > _MOST_CLASSES else labels.unique()
    classes = None if labels is None else np.array(labels.dropna().tolist())
    table = pd.concat(parts, ignore_index=True)
    without_name = [name for name in table if re.fullmatch(r"__index_level_\d+__", name)]
    return table.drop(columns=without_name), classes
