"""Tables of the errors of corrected scores."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from benchmarks.harness.record import markdown
from benchmarks.studies.corrected import METHODS, NESTED, OPTIMISM, UNCORRECTED, limits

TITLES = {
    "roc_auc": "AUC", "accuracy": "accuracy", "balanced_accuracy": "balanced accuracy", "f1": "F1",
    "neg_log_loss": "log loss", "neg_brier_score": "Brier score", "r2": "R2",
}  # fmt: skip
ESTIMATES = (UNCORRECTED, NESTED, OPTIMISM, *METHODS)
SETTING = ["data", "N", "C", "part"]


def by_method(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Settings down, methods across."""
    names = [name for name in ESTIMATES if (table["method"] == name).any()]
    return table.pivot(index=SETTING, columns="method", values=column)[names]


def errors_along(*labels: str) -> Callable[[pd.DataFrame], str]:
    """Make a table of errors relative to BBC's, means over what is not among the labels."""

    def make(table: pd.DataFrame) -> str:
        ratios = np.log(by_method(table, "rmse").div(by_method(table, "rmse")["BBC"], axis=0))
        order = list(dict.fromkeys(table[[*labels]].itertuples(index=False, name=None)))
        groups = ratios.groupby(level=[*labels])
        mean, most, counts = groups.mean(), groups.max(), groups.size()
        rows = []
        for place in order:
            at = place if len(place) > 1 else place[0]
            cells = [
                "" if np.isnan(mean.loc[at, name]) else
                f"{np.exp(mean.loc[at, name]):.2f}&nbsp;({np.exp(most.loc[at, name]):.2f})"
                for name in ratios
            ]  # fmt: skip
            shown = [TITLES.get(label, str(label)) for label in place]
            rows.append([*shown, str(counts.loc[at]), *cells])
        titles = ["metric" if label == "part" else label for label in labels]
        frame = pd.DataFrame(rows, columns=[*titles, "settings", *ratios])
        return markdown(frame, text=len(labels))

    return make


def biases(table: pd.DataFrame) -> str:
    """Metrics down, methods across: mean bias over settings, the lowest and the highest."""
    found = by_method(table, "bias")
    rows = []
    for metric in dict.fromkeys(table["part"]):
        of_metric = found.xs(metric, level="part")
        cells = [
            "" if of_metric[name].isna().all() else
            f"{of_metric[name].mean():+.3f}&nbsp;({of_metric[name].min():+.2f},&nbsp;"
            f"{of_metric[name].max():+.2f})"
            for name in found
        ]  # fmt: skip
        rows.append([TITLES[metric], *cells])
    return markdown(pd.DataFrame(rows, columns=["metric", *found]), text=1)


def nearest(table: pd.DataFrame) -> str:
    """How often each method has the smallest error, and how much the new one loses at most."""
    errors = by_method(table, "rmse")
    best = errors.idxmin(axis=1).value_counts()
    counts = ", ".join(f"{name} {best[name]}" for name in errors if name in best)
    better = errors[[UNCORRECTED, "BBC"]].min(axis=1)
    ratio = errors["ShrunkenBBC"] / better
    simple = errors[[name for name in METHODS if name in errors]].min(axis=1)
    ahead = errors.index[errors[UNCORRECTED] < simple]
    kinds = pd.Series([place[0] for place in ahead], dtype=object).value_counts()
    where = ", ".join(f"{kind} {count}" for kind, count in kinds.items())
    return (
        f"Of {len(errors)} settings and metrics the smallest error has: {counts}. The uncorrected "
        f"score is nearer than every correction that fits no further models in {len(ahead)}"
        f"{f' ({where})' if where else ''}. The error of ShrunkenBBC is at most "
        f"{ratio.max():.2f} times the smaller one of the uncorrected score and BBC, in half of "
        f"the settings at most {ratio.median():.2f} times.\n"
    )


def intervals(table: pd.DataFrame) -> str:
    """Metrics down; width and error relative to BBC, coverage and rejections of both methods."""
    errors = by_method(table, "rmse")
    others = errors[["BBC", UNCORRECTED]]
    rows = []
    names = ("BBC", "ShrunkenBBC")
    shown = [each for name in names for each in (name, limits(name)) if each in {*table["method"]}]
    for metric, found in table.groupby("part", sort=False):
        columns = found.set_index(["data", "N", "C", "method"]).unstack("method")
        ratio = columns["width"]["ShrunkenBBC"] / columns["width"]["BBC"]
        row = [TITLES[metric], f"{ratio.median():.2f} ({ratio.min():.2f} to {ratio.max():.2f})"]
        for other in (others["BBC"], others.min(axis=1)):
            ratio = (errors["ShrunkenBBC"] / other).xs(metric, level="part")
            row.append(f"{np.exp(np.log(ratio).mean()):.2f} ({ratio.max():.2f})")
        for name in shown:
            below, above = columns["below"][name], columns["above"][name]
            sides = [below + above] if name in names else [below, above]
            held = ", ".join(f"{100 * (1 - side.mean()):.1f}" for side in sides)
            rejected = columns["rejected"][name]
            row.append(f"{held} ({int(rejected.sum())}/{len(rejected)})")
        rows.append(row)
    header = ["metric", "width", "error", "of better", *shown]
    return markdown(pd.DataFrame(rows, columns=header), text=1)


def rejections(table: pd.DataFrame) -> str:
    """List every setting in which the limits of either method miss too often."""
    found = table[table["rejected"].astype(bool) & table["width"].notna()]
    lines = [
        f"- {row['method']}, {TITLES[row['part']]}, {row['data']}, N = {row['N']}, "
        f"C = {row['C']}: {100 * row['below']:.0f}% below, {100 * row['above']:.0f}% above "
        f"({row['runs']} data sets)"
        for _, row in found[found["method"].str.contains("BBC")].iterrows()
        if not row["method"].startswith("BBC-F")
    ]
    return "\n".join([*(lines or ["None."]), ""])


PARTS = {
    ("corrected", "metric"): errors_along("part"), ("corrected", "data"): errors_along("data"),
    ("corrected", "size"): errors_along("N", "C"), ("corrected", "bias"): biases,
    ("corrected", "nearest"): nearest, ("corrected", "intervals"): intervals,
    ("corrected", "rejected"): rejections,
    ("corrected", "all"): errors_along("data", "N", "C", "part"),
    ("corrected_held_out", "intervals"): intervals,
    ("corrected_held_out", "data"): errors_along("data"),
    ("corrected_held_out", "rejected"): rejections,
}  # fmt: skip
"""Results file and part of it -> function that makes its text."""
