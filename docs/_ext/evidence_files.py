"""Results files, and what stands below their tables and in place of those that are missing."""

from pathlib import Path

import pandas as pd

from benchmarks.harness import record

RESULTS = record.RESULTS


def load(results: Path, name: str) -> pd.DataFrame | None:
    """A results file, or None where the benchmark was not run yet."""
    path = results / f"{name}.csv"
    if not path.is_file():
        return None
    return pd.read_csv(path, keep_default_na=False, na_values=["", "nan"])  # "null" is a name


def not_run(command: str) -> str:
    """What stands in place of a table."""
    return f"*Not run yet: `python benchmarks/{command}`.*\n"


def duration(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def makings(table: pd.DataFrame) -> list[pd.DataFrame]:
    """Rows of each run: parts of a table may have been made by commands of their own."""
    return [rows for _, rows in table.groupby(["command", "date"], sort=False)]


def made_by(table: pd.DataFrame) -> str:
    """Command, date, processor time, seed, versions and machine of a results file."""
    return "\n".join(_made_by(rows.iloc[0]) for rows in makings(table))


def _made_by(made: pd.Series) -> str:
    # Benchmarks of speed write down how long they ran, the others what the methods took.
    spent = "" if "speed.py" in made["command"] else " of processor time in the methods"
    further = f" in {duration(made['seconds'])}{spent}, seed {made['seed']}"
    if "n_bootstraps" in made:
        further += f", {made['n_bootstraps']} draws"
    return f"*{record.made_by(made, further)}*\n"
