"""Large tables, read in batches: numbers as they are, text as codes of its different values."""

from __future__ import annotations

import errno
import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

BATCH_BYTES = 2**26
"""Size of a file, from which on it is read in batches."""
PART_BYTES = 2**24
"""About the size of a batch."""
BATCH_ROWS = 2**16
"""Rows of a batch at most."""
SOME_ROWS = 5_000
"""Rows from the beginning of a large file, and at most four times as many from all of it, that
show what its columns are."""
SOME_VALUES = 200_000
"""Values in these rows from the beginning at most, of a table with many columns."""
TEXT_OF_FILE = "text of a file"
"""Name of categories that a file has as plain text, without levels in an order of their own."""
TIMES_TABLE = 2
"""Memory that is needed beside a table, at least, to make predictions of it: as much again."""
PER_TEXT = 150
"""Bytes of a text in a list of different ones, beside its letters."""


class Batches:
    """A table that grows by batches of its rows.

    A column is numbers, truth values or text; `mixed` are those that are not the same in all
    batches. Text is sorted categories, which `has_levels` tells from levels that a tool gave.
    """

    def __init__(self, name: str):
        self.name = name
        self.n_rows = 0
        self._columns: dict[str, _Column] = {}

    def add(self, batch: pd.DataFrame, share: float) -> None:
        """Add rows; `share` is how much of the file was read with them."""
        for name in batch:
            self.add_to(str(name), batch[name], self.n_rows)
        self.n_rows += len(batch)
        for column in self._columns.values():
            column.fill(self.n_rows)
        self.check_memory(share)

    def add_to(
        self, name: str, values: pd.Series, n_before: int = 0, keep: np.ndarray | None = None
    ) -> None:
        """Add values to one column, which are missing in the `n_before` rows before it began.

        With `keep`, places of values, only these are kept, and the kind of the others counts.
        """
        column = self._columns.setdefault(name, _Column())
        column.fill(n_before)
        column.add(values, keep)

    def check_memory(self, share: float) -> None:
        """Raise, before memory runs out, where a table of this size does not fit into it."""
        rows = sum(column.n_bytes for column in self._columns.values())
        texts = sum(column.text_bytes for column in self._columns.values())
        check_fits(
            self.name, (rows / max(share, 1e-9) + texts) * TIMES_TABLE - rows - texts,
            "Leave out columns that are not needed, write long identifiers as numbers, or take "
            "fewer configurations.",
        )  # fmt: skip

    @property
    def mixed(self) -> list[str]:
        """Names of columns of several kinds, such as numbers in one batch and text in another."""
        return [name for name, column in self._columns.items() if column.is_mixed]

    def frame(self) -> pd.DataFrame:
        """Return the table, and forget the batches."""
        found = {}
        for name in list(self._columns):
            found[name] = self._columns.pop(name).values()
        return pd.DataFrame(found, copy=False)


class _Column:
    """A column that grows."""

    def __init__(self) -> None:
        self.kinds: set[str] = set()
        self.n_rows = self.n_bytes = self.text_bytes = 0
        self._parts: list[tuple[str, Any]] = []
        self._texts: dict[str, int] = {}

    def fill(self, n_rows: int) -> None:
        """Add missing values up to a number of rows."""
        if n_rows > self.n_rows:
            self._append("", n_rows - self.n_rows, n_rows - self.n_rows)

    def add(self, values: pd.Series, keep: np.ndarray | None = None) -> None:
        """Add values; with `keep` those at some places, the others count for the kind only."""
        kind, part = kind_of(values), values
        if kind == "":
            self.fill(self.n_rows + len(values if keep is None else keep))
            return
        if kind in ("number", "unsigned"):
            part = values.to_numpy()
            if kind == "number" and part.dtype.kind in "iu":
                is_small = -(2**31) <= part.min() and part.max() < 2**31
                part = part.astype(np.int32) if is_small else part
        elif kind == "string":
            codes, found = pd.factorize(values)
            known = len(self._texts)
            places = [self._texts.setdefault(text, len(self._texts)) for text in found.tolist()]
            new = list(self._texts)[known:] if len(self._texts) > known else []
            self.text_bytes += sum(map(len, new)) + PER_TEXT * len(new)
            part = np.array([*places, -1], dtype=_codes_type(len(self._texts)))[codes]
        else:
            part = values.to_numpy(dtype=bool if values.dtype == bool else object)
        self.kinds.add(kind)
        part = part if keep is None else part[keep]
        self._append(kind, part, len(part))

    def _append(self, kind: str, part: Any, n_rows: int) -> None:
        self._parts.append((kind, part))
        self.n_rows += n_rows
        self.n_bytes += 8 * n_rows if kind == "" else part.nbytes

    @property
    def is_mixed(self) -> bool:
        """Whether values are of several kinds; whole numbers beyond 2**63 allow no others."""
        if "unsigned" not in self.kinds:
            return len(self.kinds) > 1
        parts = [part for _, part in self._parts]
        return any(kind not in ("number", "unsigned") for kind, _ in self._parts) or not all(
            part.dtype.kind in "iu" and part.min(initial=0) >= 0 for part in parts
        )

    @property
    def _is_float(self) -> bool:
        """Whether whole numbers beyond 2**63 are floats, as where some are missing, in JSON."""
        gaps = any(kind == "" or part.dtype.kind == "f" for kind, part in self._parts)
        return gaps and "unsigned" in self.kinds <= {"number", "unsigned"}

    def values(self) -> Any:
        """Return an array, or categories of text; objects where there are several kinds."""
        if self.kinds == {"string"}:
            texts = sorted(self._texts)
            rank = np.empty(len(texts) + 1, dtype=_codes_type(len(texts)))
            rank[[*map(self._texts.__getitem__, texts)]] = np.arange(len(texts))
            rank[-1] = -1
            codes = [
                np.full(part, -1, rank.dtype) if kind == "" else rank[part]
                for kind, part in self._parts
            ]
            dtype = pd.CategoricalDtype(pd.Index(texts, name=TEXT_OF_FILE))
            return pd.Categorical.from_codes(np.concatenate(codes), dtype=dtype)
        if self.is_mixed and not self._is_float:
            names = np.array([*self._texts, np.nan], dtype=object)
            return np.concatenate([
                np.full(part, np.nan, object) if kind == "" else
                names[part] if kind == "string" else part.astype(object)
                for kind, part in self._parts
            ])  # fmt: skip
        if "unsigned" in self.kinds and not self._is_float:
            return np.concatenate([part.astype(np.uint64) for _, part in self._parts])
        missing = object if self.kinds & {"boolean"} else float
        return np.concatenate([
            np.full(part, np.nan, missing) if kind == "" else part for kind, part in self._parts
        ])  # fmt: skip


def kind_of(values: pd.Series) -> str:
    """Name what values are: "number", "string", "boolean", others; "" where all are missing.

    Whole numbers of which some are 2**63 or more are "unsigned".
    """
    kind = pd.api.types.infer_dtype(values, skipna=True)
    if kind == "empty" or values.isna().all():
        return ""
    if kind in ("integer", "floating", "mixed-integer-float") and values.dtype.kind in "iuf":
        return "unsigned" if values.dtype.kind == "u" and values.max() >= 2**63 else "number"
    return kind


class SomeOf:
    """Rows from the beginning of many, and some from everywhere behind."""

    def __init__(self, rows: list[Any]):
        self.rows = rows
        self.next = 0
        """Number of the next row to keep, from 0 on."""
        self._step = 1

    def add(self, row: Any, n_values: int) -> None:
        """Keep a row, of a number of values."""
        at_first = min(SOME_ROWS, SOME_VALUES // max(n_values, 1)) + 1
        self.rows.append(row)
        if len(self.rows) > 5 * at_first:
            del self.rows[at_first::2]
            self._step *= 2
        self.next += 1 if self.next < at_first else self._step


def _codes_type(n: int) -> Any:
    return np.min_scalar_type(-max(n, 1))


def has_levels(column: pd.Series) -> bool:
    """Check for categories with an order that a tool gave, as of a factor; not text of a file."""
    dtype = column.dtype
    return isinstance(dtype, pd.CategoricalDtype) and dtype.categories.name != TEXT_OF_FILE


def plain(values: pd.Series) -> pd.Series:
    """Return a column as a small file would have it: text and whole numbers of 64 bits."""
    if isinstance(values.dtype, pd.CategoricalDtype) and not has_levels(values):
        return values.astype(values.cat.categories.dtype)
    return values.astype(np.int64) if values.dtype == np.int32 else values


# --- memory ------------------------------------------------------------------------------------


def check_fits(name: str, needed: float, advice: str) -> None:
    """Raise, before memory runs out, where as many bytes as are needed are not free."""
    if needed > (free := free_bytes()):
        raise DoesNotFit(
            f"{name} does not fit into memory: {size_text(needed)} more are needed, at least, and "
            f"{size_text(max(free, 0))} are free. {advice}"
        )


class DoesNotFit(MemoryError):
    """What needs more memory than there is, and how much."""


OUT_OF_MEMORY = re.compile(
    "out of memory|unable to allocate|cannot allocate memory|can't start new thread|"
    "failed to map segment",
    flags=re.IGNORECASE,
)
"""What NumPy, the reader of pandas, pyarrow, the system, Python and its loader say."""


def is_out_of_memory(error: BaseException) -> bool:
    """Check whether there was too little memory, as packages say it in several ways."""
    of_system = isinstance(error, OSError) and error.errno == errno.ENOMEM
    return (
        of_system or isinstance(error, MemoryError) or OUT_OF_MEMORY.search(str(error)) is not None
    )


def why_out_of_memory(error: BaseException, path: Path, size: str) -> str:
    """Say what of a file did not fit into memory, and what to do; `size` of the table if known."""
    if isinstance(error, DoesNotFit):
        return str(error)
    if not size and path.is_file():
        size = f"the file has {size_text(path.stat().st_size)}"
    parts = [size] * bool(size)
    shape, dtype = getattr(error, "shape", None), getattr(error, "dtype", None)
    if isinstance(shape, tuple) and dtype is not None:
        n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
        parts.append(f"there was no place for an array of {size_text(n_bytes)}")
    why = f": {'; '.join(parts)}" if parts else ""
    return (
        f"{path.name} does not fit into memory{why}. Leave out columns that are not needed, take "
        "fewer configurations, write it as Parquet (a large file with a column for each "
        "configuration is then read in parts), or use more memory, which `ulimit -v` and "
        "containers limit."
    )


def free_bytes() -> float:
    """Return how much memory this process can still take; infinity where that is not known."""
    found = [float("inf")]
    about = _numbers_in(Path("/proc/meminfo"))
    if "MemAvailable" in about:
        found.append(about["MemAvailable"] * 1024)
    group = Path("/sys/fs/cgroup")
    if (most := _numbers_in(group / "memory.max").get("")) is not None:
        found.append(most - _numbers_in(group / "memory.stat").get("anon", 0))
    try:
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            found.append(most - pages * os.sysconf("SC_PAGE_SIZE"))
    except (ImportError, OSError):  # of Linux only
        pass
    return min(found)


def _numbers_in(path: Path) -> Mapping[str, int]:
    """Read lines of a name and a number, or of a number alone, as the kernel writes them."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return {}
    parts = [line.removesuffix(" kB").rpartition(" ") for line in lines]
    return {name.strip(" :"): int(text) for name, _, text in parts if text.isdecimal()}


def size_text(n_bytes: float) -> str:
    """Write a number of bytes."""
    return f"{n_bytes / 2**30:,.1f} GB" if n_bytes >= 2**30 else f"{n_bytes / 2**20:,.0f} MB"
