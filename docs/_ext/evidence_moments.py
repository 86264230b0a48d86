"""Tables of normal draws beside draws of samples."""

import numpy as np
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
    large = most[kept & (found["N"] >= 20_000)]
    of_large = f", and from 20,000 samples on than {large.max():.3f}" if len(large) else ""
    return (
        f"Where it was not refused, no estimate or limit of {int(found['runs'].sum())} data sets "
        f"was further off than {most[kept].max():.3f} of the width{of_large}.\n"
    )


def coverage(found: pd.DataFrame) -> str:
    """Share of the data sets whose interval held the truth, of those that were not refused."""
    rows = []
    for _, row in found.iterrows():
        normal = "-" if row["refused"] == 1 else f"{row['coverage_normal']:.1%}"
        rows.append([
            row["data"], row["C"], row["runs"], f"{row['refused']:.0%}",
            f"{row['coverage_samples']:.1%}", normal,
        ])  # fmt: skip
    header = ["data", "C", "data sets", "refused", "draws of samples", "normal draws"]
    return markdown(pd.DataFrame(rows, columns=header), text=1)


def error(found: pd.DataFrame) -> str:
    """Say how well so many data sets know a coverage of 95%."""
    runs = int(found["runs"].min())
    return f"{np.sqrt(0.95 * 0.05 / runs):.1%}\n"


def speed(found: pd.DataFrame) -> str:
    """Seconds of each kind of draws, of sums and of a product."""
    rows = []
    for _, row in found.iterrows():
        one, other, ratio = {
            "sums": (f"sums {row['sums, s']:.1f}", f"product {row['product, s']:.1f}",
                     f"{row['ratio']:.2f}"),
            "best_of": (f"{row['systems, s']:.1f}", "", ""),
        }.get(row["what"], (f"normal {row['normal, s']:.2f}", f"samples {row['samples, s']:.1f}",
                            f"{row['ratio']:.0f}"))  # fmt: skip
        rows.append([row["what"], f"{row['N']:,.0f}", f"{row['C']:,.0f}", one, other, ratio])
    header = ["what", "N", "C", "seconds", "beside", "ratio"]
    return markdown(pd.DataFrame(rows, columns=header), text=1)


PARTS = {
    ("moments", "table"): table,
    ("moments", "sentence"): sentence,
    ("moments_coverage", "table"): coverage,
    ("moments_coverage", "error"): error,
    ("speed_moments", "table"): speed,
}
"""Source and part -> what makes the text of the page."""
