"""Tables of normal draws beside draws of samples."""

import pandas as pd

from benchmarks.harness.record import markdown

COLUMNS = ("estimate", "low", "high")


def table(found: pd.DataFrame) -> str:
    """Differences in units of the width, the largest of the data sets in brackets."""
    rows = []
    for _, row in found.iterrows():
        apart = [
            "-" if row["refused"] == 1 else f"{row[name]:+.3f}&nbsp;({row[f'{name}_most']:.3f})"
            for name in COLUMNS
        ]
        rows.append([row["data"], f"{row['N']:,}", row["C"], f"{row['refused']:.0%}", *apart])
    header = ["data", "N", "C", "refused", "estimate", "lower limit", "upper limit"]
    return markdown(pd.DataFrame(rows, columns=header), text=1)


def sentence(found: pd.DataFrame) -> str:
    """Say how far apart they are at most, by whether draws are normal by themselves."""
    most = found[[f"{name}_most" for name in COLUMNS]].max(axis=1)
    kept = found["refused"] < 1
    large = most[kept & (found["N"] >= 20_000)].max()
    return (
        f"Where it was not refused, no estimate or limit of {int(found['runs'].sum())} data sets "
        f"was further off than {most[kept].max():.3f} of the width, and from 20,000 samples on "
        f"than {large:.3f}.\n"
    )


PARTS = {("moments", "table"): table, ("moments", "sentence"): sentence}
"""Source and part -> what makes the text of the page."""
