"""Large tables, read in batches: numbers as they are, text as codes of its different values."""

from __future__ import annotations

import os
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

    def add_to(self, name: str, values: pd.Series, n_before: int = 0) -> None:
        """Add values to one column, which are missing in the `n_before` rows before it began."""
        column = self._columns.setdefault(name, _Column())
        column.fill(n_before)
        column.add(values)

    def check_memory(self, share: float) -> None:
        """Raise, before memory runs out, where a table of this size does not fit into it."""
        rows = sum(column.n_bytes for column in self._columns.values())
        texts = sum(column.text_bytes for column in self._columns.values())
        needed = (rows / max(share, 1e-9) + texts) * TIMES_TABLE - rows - texts
        if needed > (free := free_bytes()):
            raise MemoryError(
                f"{self.name} does not fit into memory: {_size(needed)} more are needed, at "
                f"least, and {_size(max(free, 0))} are free. Leave out columns that are not "
                "needed, write long identifiers as numbers, or take fewer configurations."
            )

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

    def add(self, values: pd.Series) -> None:
        kind = pd.api.types.infer_dtype(values, skipna=True)
        part: Any
        if kind == "empty" or values.isna().all():
            self.fill(self.n_rows + len(values))
            return
        if kind in ("integer", "floating", "mixed-integer-float") and values.dtype.kind in "iuf":
            kind, part = "number", values.to_numpy()
            if part.dtype.kind == "u" and part.max() >= 2**63:
                kind = "unsigned"
            elif part.dtype.kind in "iu" and -(2**31) <= part.min() and part.max() < 2**31:
                part = part.astype(np.int32)
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
        self._append(kind, part, len(values))

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
            part.dtype.kind in "iu" and part.min() >= 0 for part in parts
        )

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
        if self.is_mixed:
            names = np.array([*self._texts, np.nan], dtype=object)
            return np.concatenate([
                np.full(part, np.nan, object) if kind == "" else
                names[part] if kind == "string" else part.astype(object)
                for kind, part in self._parts
            ])  # fmt: skip
        if "unsigned" in self.kinds:
            return np.concatenate([part.astype(np.uint64) for _, part in self._parts])
        missing = object if self.kinds & {"boolean"} else float
        return np.concatenate([
            np.full(part, np.nan, missing) if kind == "" else part for kind, part in self._parts
        ])  # fmt: skip


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


def _size(n_bytes: float) -> str:
    return f"{n_bytes / 2**30:,.1f} GB" if n_bytes >= 2**30 else f"{n_bytes / 2**20:,.0f} MB"
