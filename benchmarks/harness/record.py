"""What every results file says about itself: command, code, versions, machine, seed, duration."""

from __future__ import annotations

import math
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TextIO

import pandas as pd

import sklearn_bbc

HERE = Path(__file__).resolve().parents[1]
RESULTS = HERE / "results"
PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "joblib")


def machine() -> str:
    """Processor, number of usable cores and operating system."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{name}, {usable} cores, {platform.system()}"


def versions() -> str:
    """Python and the packages that results depend on."""
    packages = [f"{name} {metadata.version(name)}" for name in PACKAGES]
    return ", ".join([f"Python {platform.python_version()}", *packages])


def code() -> str:
    """Version of the package, and in a checkout the state of its sources.

    The second part is git's name for the content of `sklearn_bbc/`, so it stays the same
    while only documents or benchmarks change; a plus sign says that files were edited.
    """
    package = Path(sklearn_bbc.__file__).parent
    tree = _git(package, "rev-parse", "--short=10", "HEAD:./")
    if not tree:
        return sklearn_bbc.__version__
    edited = _git(package, "status", "--porcelain", "--", ".")
    return f"{sklearn_bbc.__version__} {tree}{'+' if edited else ''}"


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=folder, capture_output=True, text=True, check=False
        )
    except OSError:  # no git on this machine
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def command() -> str:
    """The command that makes these results, as one would type it in the root of the checkout.

    Without ``--report``: what a report shows is what the rest of the command computed.
    """
    script = Path(sys.argv[0])
    if script.is_relative_to(HERE.parent):
        script = script.relative_to(HERE.parent)
    arguments = [argument for argument in sys.argv[1:] if argument != "--report"]
    return shlex.join(["python", script.as_posix(), *arguments])


def made_by(made: Mapping[str, object], further: str = "") -> str:
    """What made a result in one line of Markdown, to stand below a table.

    Parameters
    ----------
    made : mapping
        From `provenance`, or a row of a table that `write_table` wrote.
    further : str, default=""
        What else to say after the date, for example the time it took.
    """
    return (
        f"Made by `{made['command']}` on {made['date']}{further}: sklearn-bbc {made['code']}; "
        f"{made['versions']}; {made['machine']}."
    )


def _joined(codes: Iterable[str]) -> str:
    return ", ".join(sorted({*codes})) or code()


def write_table(
    frame: pd.DataFrame,
    path: Path,
    *,
    seed: int | None,
    seconds: float,
    codes: Iterable[str] = (),
) -> None:
    """Write a table of results as CSV, with what made it in its last columns.

    Parameters
    ----------
    frame : DataFrame
        Results, one row each; the index is not written.
    path : Path
        File; the folder is made when it is missing. It is replaced in one step, so a kill
        leaves either the old table or the new one.
    seed : int or None
        Seed of the run.
    seconds : float
        Processor time that the results took.
    codes : iterable of str, default=()
        Versions of the package that computed the results, for those that come from a journal;
        the one that is running when there are none.
    """
    made = provenance(seed=seed, seconds=seconds, codes=codes)
    replace(path, frame.assign(**made).to_csv(index=False))


def write_report(text: str, path: Path, codes: Iterable[str] = ()) -> None:
    """Write Markdown with what made it in its last line.

    Parameters
    ----------
    text : str
        Tables and what there is to say about them.
    path : Path
        File, replaced in one step.
    codes : iterable of str, default=()
        As in `write_table`.
    """
    made = provenance(seed=None, seconds=0, codes=codes)
    replace(path, f"{text}\n{made_by(made)}\n")


def provenance(
    *, seed: int | None, seconds: float, codes: Iterable[str] = ()
) -> dict[str, object]:
    """What made a result, for the last columns of its table; see `write_table`."""
    return {
        "seed": "" if seed is None else seed,
        "seconds": round(seconds, 1),
        "date": datetime.now(UTC).date().isoformat(),
        "code": _joined(codes),
        "versions": versions(),
        "machine": machine(),
        "command": command(),
    }


def replace(path: Path, text: str) -> None:
    """Write a text file in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8", newline="\n")
    part.replace(path)


def markdown(frame: pd.DataFrame, *, text: int | None = None) -> str:
    """The table in Markdown; floats with three digits, numbers aligned to the right.

    Parameters
    ----------
    frame : DataFrame
        What to show; the index is not.
    text : int or None, default=None
        Number of columns of text, the first ones; all others are numbers, also where they are
        formatted already. None asks the types of the columns.
    """
    if text is None:
        numeric = [pd.api.types.is_numeric_dtype(dtype) for dtype in frame.dtypes]
    else:
        numeric = [k >= text for k in range(frame.shape[1])]
    rows = [[str(name) for name in frame.columns]]
    rows += [["---:" if right else "---" for right in numeric]]
    rows += [[readable(cell) for cell in row] for row in frame.itertuples(index=False)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def readable(cell: object) -> str:
    """Text of one cell: three digits of a float, nothing for a missing value."""
    if cell is None or cell != cell:
        return ""
    if not isinstance(cell, float) or cell == 0:
        return str(cell)
    decimals = 2 - math.floor(math.log10(abs(cell)))
    return f"{round(cell, decimals):,.{max(decimals, 0)}f}"


def progress(
    items: Iterable, total: int, label: str, *, done: int = 0, stream: TextIO | None = None
) -> Iterator:
    """Pass items on and show how many came: a bar on a terminal, else a line every tenth.

    Parameters
    ----------
    items : iterable
        What to pass on.
    total : int
        Number of items when all is done, those of earlier runs included.
    label : str
        What is being counted.
    done : int, default=0
        Number of items of earlier runs.
    stream : file, default=None
        Where to show it; None is the standard error.
    """
    stream = sys.stderr if stream is None else stream
    bar = stream.isatty()
    if done:
        print(f"{label}: {done} of {total} were there already", file=stream)
    for count, item in enumerate(items, start=done + 1):
        yield item
        if bar:
            filled = "#" * (30 * count // total)
            print(f"\r{label} [{filled:<30}] {count}/{total}", end="", file=stream, flush=True)
        elif count == total or count * 10 // total > (count - 1) * 10 // total:
            print(f"{label}: {count} of {total}", file=stream, flush=True)
    if bar:
        print(file=stream)
