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
    """Share of the data sets whose interval held the truth, of those that were not refused.

    A row for each kind of data and number of configurations, a column for each number of samples;
    bold where an exact test rejects 95% because of too few.
    """
    sizes = sorted(found["N"].unique())
    cells: dict[tuple[str, int], dict[int, str]] = {}
    for _, row in found.iterrows():
        ways = [
            "-" if np.isnan(share := row[f"coverage_{way}"])
            else f"**{share:.1%}**" if row[f"verdict_{way}"] == "under" else f"{share:.1%}"
            for way in ("samples", "normal")
        ]  # fmt: skip
        refused = f" ({row['refused']:.0%})" if 0 < row["refused"] < 1 else ""
        place = cells.setdefault((row["data"], row["C"]), {})
        place[row["N"]] = f"{ways[0]}, {ways[1]}{refused}"
    rows = [[*place, *(own.get(n, "") for n in sizes)] for place, own in cells.items()]
    return markdown(
        pd.DataFrame(rows, columns=["data", "C", *(f"N = {n:,}" for n in sizes)]), text=1
    )


def counts(found: pd.DataFrame) -> str:
    """Say in how many settings, of how many data sets each, 95% are rejected, for both ways."""
    both = found[found["refused"] < 1]
    parts = [
        f"{(both[f'verdict_{way}'] == 'under').sum()} of {name} (lowest coverage "
        f"{both[f'coverage_{way}'].min():.1%}, mean {both[f'coverage_{way}'].mean():.1%})"
        for way, name in (("samples", "draws of samples"), ("normal", "normal draws"))
    ]
    apart = (both["coverage_normal"] - both["coverage_samples"]).abs()
    same = f"The two shares differ by {apart.max():.1%} at most"
    if (both["refused"] > 0).any():
        whole = apart[both["refused"] == 0]
        same += f", and by {whole.max():.1%} where no data set was refused"
    runs = " or ".join(f"{n}" for n in sorted(found["runs"].unique()))
    return (
        f"{len(found)} settings of {runs} data sets, of which {len(both)} are "
        "not always refused. There, exact tests reject 95% as too high for "
        f"{' and '.join(parts)}. {same}.\n"
    )


def error(found: pd.DataFrame) -> str:
    """Say how well so many data sets know a coverage of 95%."""
    runs = int(found["runs"].min())
    return f"{np.sqrt(0.95 * 0.05 / runs):.1%}\n"


def speed(found: pd.DataFrame) -> str:
    """Seconds of each kind of draws, of sums and of a product."""
    rows = []
    for _, row in found.iterrows():
        draws = f"normal {row['normal, s']:.2f}", f"samples {row['samples, s']:.1f}"
        one, other, ratio = {
            "sums": (f"sums {row['sums, s']:.1f}", f"product {row['product, s']:.1f}",
                     f"{row['ratio']:.2f}"),
            "best_of": (f"{row['systems, s']:.1f}", f"elapsed {row['systems, s passed']:.1f}", ""),
        }.get(row["what"].split(",")[0], (*draws, f"{row['ratio']:.0f}"))  # fmt: skip
        rows.append([row["what"], f"{row['N']:,.0f}", f"{row['C']:,.0f}", one, other, ratio])
    header = ["what", "N", "C", "seconds", "beside", "ratio"]
    return markdown(pd.DataFrame(rows, columns=header), text=1)


PARTS = {
    ("moments", "table"): table,
    ("moments", "sentence"): sentence,
    ("moments_coverage", "table"): coverage,
    ("moments_coverage", "counts"): counts,
    ("moments_coverage", "error"): error,
    ("speed_moments", "table"): speed,
}
"""Source and part -> what makes the text of the page."""
