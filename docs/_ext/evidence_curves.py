"""Tables of corrected curves: how often limits contain the true curve."""

import pandas as pd

from benchmarks.harness.record import markdown


def limits(table: pd.DataFrame) -> str:
    """Curve and setting down; percent of data sets whose band contains the truth, and widths."""
    rows = []
    for _, row in table.sort_values("curve", kind="stable").iterrows():
        joint = f"{100 * row['joint']:.0f}"
        positives = ", few positives" if row["positives"] == "few" else ""
        signal = ", no signal" if row["signal"] == 0 else ""
        rows.append(
            {
                "curve": row["curve"],
                "models": f"{row['models']}, N = {row['N']}{signal}{positives}",
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


PARTS = {("curves", "limits"): limits}
"""Results file and part of it -> function that makes its text."""
