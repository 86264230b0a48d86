"""Tables of sets of configurations that cannot be distinguished from the best."""

from collections.abc import Callable

import pandas as pd
from coverage_tables import crossed
from evidence_studies import SETTING, TITLES

from benchmarks.harness.record import markdown
from benchmarks.studies.ties import DEFAULT, METRICS, over_settings


def summary(table: pd.DataFrame) -> str:
    """Methods down, metrics across: what they hold, how large they are, rejected settings."""
    found = over_settings(table).set_index(["method", "part"])
    rows = []
    for method in dict.fromkeys(table["method"]):
        cells, milliseconds = [], []
        for metric in METRICS:
            if (method, metric) not in found.index:
                cells.append("")
                continue
            row = found.loc[(method, metric)]
            text = f"{100 * row['holds_best']:.0f} ({100 * row['size']:.0f})"
            if row["under"]:
                text = f"**{text}** {row['under']:.0f}/{row['settings']:.0f}"
            cells.append(text.replace(" ", "&nbsp;"))
            milliseconds.append(row["milliseconds"])
        of_method = table[table["method"] == method]
        lowest = f"{100 * of_method['holds_best'].min():.0f}"
        close = f"{100 * of_method['holds_close'].mean():.0f}"
        time = f"{sum(milliseconds) / len(milliseconds):.0f}"
        rows.append([method, *cells, lowest, close, time])
    header = ["method", *(TITLES[metric] for metric in METRICS)]
    header += ["lowest", "within 0.01", "ms"]
    return markdown(pd.DataFrame(rows, columns=header), text=1)


def bar(table: pd.DataFrame) -> str:
    """Whether the default is what it was chosen for, in a sentence."""
    size = table.groupby("method")["size"].mean()
    rejected = table[table["verdict"] == "under"].groupby("method").size()
    settings = table[table["method"] == DEFAULT]
    held = settings["holds_best"]
    others = {
        name: f"{100 * size[name]:.0f}% ({rejected.get(name, 0)} rejected)"
        for name in size.sort_values().index
        if name != DEFAULT
    }
    listed = "; ".join(f"{name} {text}" for name, text in others.items())
    return (
        f"Of {len(settings)} settings and metrics the default, *{DEFAULT}*, is rejected in "
        f"{rejected.get(DEFAULT, 0)}; it contains the best configuration in "
        f"{100 * held.mean():.1f}% of the data sets, at worst in {100 * held.min():.0f}% of those "
        f"of a setting, with {100 * size[DEFAULT]:.0f}% of the configurations on average. The "
        f"others: {listed}.\n"
    )


def of_metric(metric: str) -> Callable[[pd.DataFrame], str]:
    """Methods down, settings across."""

    def make(table: pd.DataFrame) -> str:
        part = table[table["part"] == metric]
        part = part.assign(coverage=part["holds_best"], width=part["size"])
        return crossed(part, SETTING, "{data}, N = {N}, {folds} folds")

    return make


PARTS = {
    ("ties", "summary"): summary, ("ties", "bar"): bar,
    **{("ties", metric): of_metric(metric) for metric in METRICS},
}  # fmt: skip
"""Results file and part of it -> function that makes its text."""
