"""Tables of samples that depend on their neighbours in time."""

import pandas as pd

from benchmarks.harness.record import markdown

NAMES = {
    "AR(1)": "autoregressive, {rho:g}", "season": "season of 12", "change": "change after 70%",
    "forecasts": "tuned forecasts",
}  # fmt: skip
STAR = r"\*"


def by_data(found: pd.DataFrame) -> str:
    """Data and length down, methods across: coverage, and width relative to single samples."""
    rows = []
    for (data, rho, n), group in found.groupby(["data", "rho", "N"], sort=False):
        single = group.loc[group["method"] == "BBC, single samples", "width"].iloc[0]
        cells = [
            f"{100 * row['coverage']:.0f}{STAR * (row['verdict'] == 'under')}"
            f" ({row['width'] / single:.2f})"
            for _, row in group.iterrows()
        ]
        rows.append([NAMES[data].format(rho=rho), n, *cells])
    header = ["losses", "N", *found["method"].drop_duplicates()]
    return markdown(pd.DataFrame(rows, columns=header), text=1)


PARTS = {("ordered", "coverage"): by_data}
