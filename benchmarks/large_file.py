"""Files of predictions that are larger than the memory of the process that reads them.

    python benchmarks/large_file.py               # a minute: 0.4 GB of text, 0.8 GB of values
    python benchmarks/large_file.py --times 5     # 2 GB of text, as the page on files says
    python benchmarks/large_file.py wide --times 10 --factor 10    # as the page on sums says

``long`` is a CSV file with a row for each sample and configuration, in the order of
configurations, of samples, or in none; ``python -m sklearn_bbc --what`` reads it. What it takes at
most is said beside the size of the result, which is 8 bytes for each row. ``items`` is the same of
scores of systems per item, with ``--runs`` of each that are averaged. ``wide`` is a Parquet
file with a column for each configuration, written in parts; ``python -m sklearn_bbc`` corrects its
best score in a process whose address space is limited (``RLIMIT_AS``, as by ``ulimit -v``). It
needs pyarrow. The address space of Python with all packages is about 500 MB by itself, of which
less than half is resident.
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
from typing import Any

import numpy as np

FEW_ADDRESSES = {
    "ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1", "OMP_NUM_THREADS": "1",
}  # fmt: skip
"""Settings of pyarrow, the C library and threads, which else reserve what they do not use."""
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


def write_long(path: Path, n_samples: int, n_configs: int, order: str) -> None:
    """Write probabilities of an event, a row for each sample and configuration.

    Parameters
    ----------
    path : Path
        The file.
    n_samples, n_configs : int
        Size.
    order : {"configs", "samples", "none"}
        Of the rows.
    """
    import pandas as pd

    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n_samples)
    rows = np.arange(n_samples * n_configs, dtype=np.uint32)
    if order == "none":
        rng.shuffle(rows)
    with open(path, "w", encoding="utf-8") as file:
        for first in range(0, len(rows), 10 * CHUNK):
            part = rows[first : first + 10 * CHUNK].astype(int)
            config, sample = np.divmod(part, n_samples)
            if order == "samples":
                sample, config = np.divmod(part, n_configs)
            p = 0.2 + config / n_configs / 10 + 0.3 * y[sample] + 0.4 * rng.random(len(part))
            names = [f"configuration_{each:04}_depth_8" for each in config.tolist()]
            pd.DataFrame({
                "id": sample, "model": names, "y": y[sample], "p": p,
            }).to_csv(file, index=False, header=not first)  # fmt: skip


def write_items(path: Path, n_items: int, n_systems: int, n_runs: int, order: str) -> None:
    """Write marks of answers, a row for each item, system and run.

    Parameters
    ----------
    path : Path
        The file.
    n_items, n_systems, n_runs : int
        Size.
    order : {"configs", "samples", "none"}
        Of the rows: by systems, by items, or none.
    """
    import pandas as pd

    rng = np.random.default_rng(0)
    rows = np.arange(n_items * n_systems * n_runs, dtype=np.uint32)
    if order == "none":
        rng.shuffle(rows)
    shape = (n_systems, n_runs, n_items) if order == "configs" else (n_items, n_systems, n_runs)
    with open(path, "w", encoding="utf-8") as file:
        for first in range(0, len(rows), 10 * CHUNK):
            places = np.unravel_index(rows[first : first + 10 * CHUNK].astype(int), shape)
            system, run, item = places if order == "configs" else (*places[1:], places[0])
            mark = (rng.random(len(item)) < 0.5 + system / n_systems / 10).astype(int)
            names = [f"language-model-{each + 1000}" for each in system.tolist()]
            pd.DataFrame({
                "item": [f"question-{each:07}" for each in item.tolist()], "system": names,
                "run": run, "score": mark,
            }).to_csv(file, index=False, header=not first)  # fmt: skip


def main(argv: list[str] | None = None) -> int:
    """Write files, read them with little memory, and say how much it took.

    Parameters
    ----------
    argv : list of str, default=None
        Options.
    """
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("what", nargs="*", help="long, items, wide, or all (the default)")
    parser.add_argument("--times", type=float, default=1, help="size of the files")
    parser.add_argument("--factor", type=float, default=1, help="bytes of values over the limit")
    parser.add_argument("--scoring", default="neg_brier_score")
    parser.add_argument("--order", choices=("configs", "samples", "none"), default="configs")
    parser.add_argument("--runs", type=int, default=1, help="of each item and system")
    given = parser.parse_args(argv)
    kinds = {"long": read_long, "items": read_items, "wide": read_wide}
    return max(kinds[each](given) for each in given.what or kinds)


def read_long(given: argparse.Namespace) -> int:
    """Write a long table, and read it.

    Parameters
    ----------
    given : Namespace
        Options.
    """
    n_samples, n_configs = 40_000, round(200 * given.times)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.csv"
        write_long(path, n_samples, n_configs, given.order)
        _say(path, n_samples * n_configs, n_samples * n_configs, given.order)
        options = ["--sample", "id", "--config", "model", "--target", "y", "--what"]
        return _run([str(path), *options])


def read_items(given: argparse.Namespace) -> int:
    """Write a long table of scores per item, and read it.

    Parameters
    ----------
    given : Namespace
        Options.
    """
    n_items, n_systems = 40_000, round(200 * given.times / given.runs)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.csv"
        write_items(path, n_items, n_systems, given.runs, given.order)
        _say(path, n_items * n_systems * given.runs, n_items * n_systems, given.order)
        options = ["--item", "item", "--system", "system", "--score", "score", "--what"]
        return _run([str(path), *options, *(["--run", "run"] if given.runs > 1 else [])])


def _say(path: Path, n_rows: int, n_values: int, order: str) -> None:
    print(
        f"{path.stat().st_size / 1e9:.3g} GB of text, {n_rows:,} rows in the order of {order}; "
        f"the result has {8 * n_values / 1e9:.3g} GB",
        flush=True,
    )


def _run(options: list[str], **how: Any) -> int:
    """Run the command, and say how long it took, and how much memory."""
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "sklearn_bbc", *options], **how)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - started, used.ru_utime + used.ru_stime
    print(
        f"{seconds[0]:.0f} s, {seconds[1]:.0f} s of processor time, at most "
        f"{used.ru_maxrss / 1e6:.3g} GB resident, exit code {process.returncode}\n",
        flush=True,
    )
    return process.returncode


def read_wide(given: argparse.Namespace) -> int:
    """Write a wide table, and correct its best score.

    Parameters
    ----------
    given : Namespace
        Options.
    """
    n_rows, n_columns = round(340_000 * given.times), 300
    size = 8 * n_rows * (n_columns + 1)
    limit = int(size / given.factor)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.parquet"
        write(path, n_rows, n_columns)
        print(
            f"{size / 1e9:.3g} GB of values in a file of {path.stat().st_size / 1e9:.3g} GB, "
            f"address space {limit / 1e9:.3g} GB",
            flush=True,
        )
        return _run(
            [str(path), "--target", "y", "--scoring", given.scoring],
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
            env={**os.environ, **FEW_ADDRESSES},
        )


if __name__ == "__main__":
    sys.exit(main())
