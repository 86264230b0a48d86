"""A file of predictions that is larger than the memory of the process that reads it.

    python benchmarks/large_file.py        # 8.2 GB of values in a process that may take 820 MB

A Parquet file is written in parts, and ``python -m sklearn_bbc`` reads it in a process whose
address space is limited (``RLIMIT_AS``, as by ``ulimit -v``). It needs pyarrow. The address space
of Python with all packages is about 500 MB by itself, of which less than half is resident.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

FEW_ADDRESSES = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1"}
"""Settings of pyarrow and of the C library, which else reserve 1 GB that they do not use."""
CHUNK = 50_000
"""Rows that are written together."""


def write(path: Path, n_rows: int, n_columns: int) -> None:
    """Write shares of an event that is seen in every second row, a column a configuration.

    Parameters
    ----------
    path : Path
        The file.
    n_rows, n_columns : int
        Size.
    """
    import pyarrow as pa
    from pyarrow import parquet

    rng, writer = np.random.default_rng(0), None
    names = ["y", *(f"m{k}" for k in range(n_columns))]
    for first in range(0, n_rows, CHUNK):
        n = min(CHUNK, n_rows - first)
        y = rng.integers(2, size=n, dtype=np.uint8)
        columns = [pa.array(y)]
        for k in range(n_columns):
            percent = 20 + k % 5 + 30 * y + rng.integers(40, size=n, dtype=np.uint8)
            columns.append(pa.array(percent / 100))
        table = pa.table(columns, names=names)
        writer = writer or parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def main(argv: list[str] | None = None) -> int:
    """Write a file, correct its best score with little memory, and say how much it took.

    Parameters
    ----------
    argv : list of str, default=None
        Options.
    """
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rows", type=int, default=3_400_000)
    parser.add_argument("--columns", type=int, default=300)
    parser.add_argument("--factor", type=float, default=10, help="bytes of values over the limit")
    parser.add_argument("--scoring", default="neg_brier_score")
    given = parser.parse_args(argv)
    size = 8 * given.rows * (given.columns + 1)
    limit = int(size / given.factor)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.parquet"
        write(path, given.rows, given.columns)
        print(
            f"{size / 1e9:.3g} GB of values in a file of {path.stat().st_size / 1e9:.3g} GB, "
            f"address space {limit / 1e9:.3g} GB",
            flush=True,
        )
        started = time.perf_counter()
        ended = subprocess.run(
            [sys.executable, "-m", "sklearn_bbc", str(path), "--target", "y", "--scoring",
             given.scoring],
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)), check=False,
            env={**os.environ, **FEW_ADDRESSES},
        )  # fmt: skip
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = time.perf_counter() - started, used.ru_utime + used.ru_stime
    print(
        f"{seconds[0]:.0f} s, {seconds[1]:.0f} s of processor time, at most "
        f"{used.ru_maxrss / 1e6:.3g} GB resident, exit code {ended.returncode}"
    )
    return ended.returncode


if __name__ == "__main__":
    sys.exit(main())
