"""Tables of corrected curves: how often limits contain the true curve."""

import pandas as pd

from benchmarks.harness.record import markdown
from benchmarks.studies.curves import SLOPE


def limits(table: pd.DataFrame) -> str:
    """Curve and setting down; percent of data sets whose band contains the truth, and widths."""
    rows = []
    table = table[table["curve"] != SLOPE]
    for _, row in table.sort_values("curve", kind="stable").iterrows():
        joint = f"{100 * row['joint']:.0f}"
        rows.append(
            {
                "curve": row["curve"],
                "models": _models(row),
                "whole curve (width)": f"{f'**{joint}**' if row['rejected'] else joint} "
                f"({row['width']:.2f})",
                "all points": f"{100 * row['all points']:.0f}",
                "each point": f"{100 * row['each point']:.0f}",
                "own curve (width)": f"{100 * row['own curve']:.0f} ({row['own width']:.2f})",
                "bias": f"{row['bias']:+.3f}",
                "bias of the own curve": f"{row['bias, apparent']:+.3f}",
            }
        )
    return markdown(pd.DataFrame(rows), text=2)


def slope(table: pd.DataFrame) -> str:
    """Setting down; coverage and bias of the calibration slope."""
    rows = []
    for _, row in table[table["curve"] == SLOPE].iterrows():
        joint = f"{100 * row['joint']:.0f}"
        corrected, own = row["bias"], row["bias, apparent"]
        rows.append(
            {
                "models": _models(row),
                "interval (median width)": f"{f'**{joint}**' if row['rejected'] else joint} "
                f"({row['median width']:.2f})",
                "bias, median (mean)": f"{row['median bias']:+.2f} ({corrected:+.2f})",
                "of the own predictions": f"{row['median bias, apparent']:+.2f} ({own:+.2f})",
            }
        )
    return markdown(pd.DataFrame(rows), text=1)


def _models(row: pd.Series) -> str:
    if "censored" in row:
        return f"{row['censored']:.0%} censored, N = {row['N']}"
    positives = ", few positives" if row["positives"] == "few" else ""
    signal = ", no signal" if row["signal"] == 0 else ""
    return f"{row['models']}, N = {row['N']}{signal}{positives}"


PARTS = {
    ("curves", "limits"): limits,
    ("curves", "slope"): slope,
    ("survival_curves", "limits"): limits,
}
"""Results file and part of it -> function that makes its text."""
