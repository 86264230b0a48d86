"""Tables of false positives, power and coverage of comparisons."""

from collections.abc import Callable

import pandas as pd

from benchmarks.harness.record import markdown

METRICS = {
    "roc_auc": "AUC", "accuracy": "accuracy", "neg_mean_squared_error": "squared error",
}  # fmt: skip
AUTO = "compare"


def found_differences(truth: str) -> Callable[[pd.DataFrame], str]:
    """Settings down, methods across: percent of data sets in which a difference is found."""

    def cell(row: pd.Series) -> str:
        text = f"{100 * row['rejected']:.1f}"
        return f"**{text}**" if row["too_often"] else text

    return lambda table: crossed(table[table["truth"] == truth], cell)


def coverage(table: pd.DataFrame) -> str:
    """Settings down, methods across: percent of intervals that hold, and their mean width."""

    def cell(row: pd.Series) -> str:
        if pd.isna(row["coverage"]):
            return "none"
        return f"{100 * row['coverage']:.1f} ({row['width']:.3f})"

    return crossed(table, cell)


def crossed(table: pd.DataFrame, cell: Callable[[pd.Series], str]) -> str:
    """Settings and metrics down, methods across; `compare` first."""
    names = [
        f"{row['sides']}, N = {row['N']}, {METRICS[row['part']]}"
        + (", equal" if row["truth"] == "equal" else "")
        for _, row in table.iterrows()
    ]
    table = table.assign(setting=names)
    methods = sorted(dict.fromkeys(table["method"]), key=lambda name: name != AUTO)
    cells = {(row["setting"], row["method"]): cell(row) for _, row in table.iterrows()}
    rows = [
        [setting] + [cells.get((setting, method), "") for method in methods]
        for setting in dict.fromkeys(names)
    ]
    header = [f"`{name}`" if name == AUTO else name for name in methods]
    return markdown(pd.DataFrame(rows, columns=["setting", *header]), text=1)


PARTS = {
    ("comparisons", "false"): found_differences("equal"),
    ("comparisons", "power"): found_differences("different"),
    ("comparisons", "coverage"): coverage,
}
"""Results file and part of it -> function that makes its text."""
