"""Tables of times."""

import pandas as pd

from benchmarks._record import markdown

MADE = ("seed", "seconds", "date", "code", "versions", "machine", "command")
FIGURE = "![Time of one interval against samples, configurations, folds and draws]"


def measured(table: pd.DataFrame) -> str:
    """All columns but those that say what made the table."""
    return markdown(table.drop(columns=[name for name in MADE if name in table]))


def figure(table: pd.DataFrame) -> str:
    """The picture of the sweeps."""
    return f"{FIGURE}(../generated/evidence_scaling.png)\n"


PARTS = {
    ("speed_scaling", "figure"): figure, ("speed_scaling", "table"): measured,
    ("speed_kernels", "table"): measured,
}  # fmt: skip
"""Results file and part of it -> function that makes its text."""
