"""Tables of times."""

import pandas as pd

from benchmarks.harness.record import markdown

MADE = ("seed", "seconds", "date", "code", "versions", "machine", "command")
FIGURES = {
    "speed_figure3": "Time of one interval against samples, configurations and folds",
    "speed_scaling": "Time of one interval against samples, configurations, folds and draws",
}
"""Results file of a plot -> what it shows."""


def measured(table: pd.DataFrame) -> str:
    """All columns but those that say what made the table."""
    return markdown(table.drop(columns=[name for name in MADE if name in table]))


def figure(source: str):
    """The plot that belongs to a results file."""

    def make(table: pd.DataFrame) -> str:
        return f"![{FIGURES[source]}](../generated/evidence_{source}.png)\n"

    return make


def beside_published(table: pd.DataFrame) -> str:
    """Smallest and largest size of each sweep: ours, the published time, and the ratio."""
    states = list(dict.fromkeys(table["kernels"]))
    rows = []
    for (sweep, method), of_method in table.groupby(["sweep", "method"], sort=False):
        of_method = of_method[of_method["published, s"].notna()]
        for size in sorted({*of_method[sweep].agg(["min", "max"])} if len(of_method) else ()):
            here = of_method[of_method[sweep] == size].set_index("kernels")
            theirs = here["published, s"].iloc[0]
            row = {"at": f"{sweep} = {int(size):,}", "method": method}
            row["published, s"] = theirs
            for state in states:
                row[f"{state}, s"] = here.loc[state, "median, s"]
                row[f"published / {state}"] = theirs / here.loc[state, "median, s"]
            rows.append(row)
    return markdown(pd.DataFrame(rows))


WORDS = {"beside": "unit", "ratio": "in units", "s": "seconds"}


def roof(table: pd.DataFrame) -> str:
    """Ratio of each interval to what is beside it, with the limit that was set before."""
    rows = table.drop(columns=[name for name in MADE if name in table])
    rows["N x C x B"] = [
        "" if pd.isna(n) else f"{n:,.0f} x {c:,.0f} x {b:,.0f}"
        for n, c, b in zip(rows["N"], rows["C"], rows["B"], strict=True)
    ]
    rows = rows[["part", "metric", "N x C x B", "s", "beside", "ratio", "from", "to", "limit"]]
    return markdown(rows.rename(columns=WORDS))


PARTS = {
    ("speed_roof", "table"): roof,
    ("speed_memory", "table"): measured,
    ("speed_figure3", "figure"): figure("speed_figure3"),
    ("speed_figure3", "beside"): beside_published,
    ("speed_figure3", "table"): measured,
    ("speed_scaling", "figure"): figure("speed_scaling"),
    ("speed_scaling", "table"): measured,
    ("speed_kernels", "table"): measured,
    ("speed_survival", "table"): measured,
}
"""Results file and part of it -> function that makes its text."""
