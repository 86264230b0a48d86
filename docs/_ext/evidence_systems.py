"""Tables of the best of several fixed systems."""

import numpy as np
import pandas as pd

from benchmarks.harness.record import markdown

PLACES = ["part", "data", "N", "C", "rho", "kind"]
REFERENCE = {
    "mean score": "BBC", "difference": "BBCDifference", "next system": "BBCDifference",
}  # fmt: skip


def beside(found: pd.DataFrame, part: str) -> pd.DataFrame:
    """Rows of a part with width and error relative to the method that is referred to."""
    rows = found[found["part"] == part]
    rows = rows.assign(rho=rows["rho"].fillna("").astype(str))
    known = rows[rows["method"] == REFERENCE[part]].set_index(PLACES)[["width", "rmse"]]
    both = rows.merge(known, "left", left_on=PLACES, right_index=True, suffixes=("", "_known"))
    return both.assign(
        narrow=both["width"] / both["width_known"], error=both["rmse"] / both["rmse_known"]
    )


def by_data(found: pd.DataFrame, part: str, *, power: bool = False) -> str:
    """Kinds of data and methods down: coverage, rejections, width and error."""
    both, rows = beside(found, part), []
    for (data, method), group in both.groupby(["data", "method"], sort=False):
        rows.append([data, *_cells(method, group, power)])
    for method, group in both.groupby("method", sort=False):
        rows.append(["all", *_cells(method, group, power)])
    header = ["data", "method", "settings", "coverage (lowest)", "rejected", "width", "error"]
    header[-1] += " (largest)"
    return markdown(pd.DataFrame(rows, columns=[*header, *["found"] * power]), text=2)


def _cells(method: str, group: pd.DataFrame, power: bool) -> list[str]:
    real = group.loc[group["truth"] > 0.02, "found"]
    found = [f"{100 * real.mean():.0f}%" if len(real) else "-"] if power else []
    return [
        method, str(len(group)),
        f"{100 * group['coverage'].mean():.1f}%&nbsp;({100 * group['coverage'].min():.0f})",
        str(int((group["verdict"] == "under").sum())), f"{group['narrow'].mean():.2f}",
        f"{group['error'].mean():.2f}&nbsp;({group['error'].max():.2f})", *found,
    ]  # fmt: skip


def sentence(found: pd.DataFrame) -> str:
    """Say how many settings were rejected, and where the error was larger than BBC's."""
    both = beside(found, "mean score")
    ours = both[both["method"] == "ShrunkenBBC"]
    worse = ours[ours["error"] > 1.1]
    where = ", ".join(
        f"{row['data']}, {row['N']} items, {row['C']} systems ({row['error']:.2f})"
        for _, row in worse.iterrows()
    )
    rejected = {m: int((g["verdict"] == "under").sum()) for m, g in both.groupby("method")}
    counts = ", ".join(f"{method} in {n}" for method, n in rejected.items())
    more = f" The error is more than 1.1 times that of BBC in: {where}." if where else ""
    return (
        f"Of {len(ours)} settings the level is rejected for {counts}. The interval of ShrunkenBBC "
        f"is {ours['narrow'].mean():.2f} times as wide as that of BBC, its error "
        f"{np.exp(np.log(ours['error']).mean()):.2f} times as large.{more}\n"
    )


def two_sides(found: pd.DataFrame) -> str:
    """Say how often two sides that were selected on both sides are found different."""
    rows = found[found["part"] == "two sides"]
    if rows.empty:
        return "Two sides were not run yet.\n"
    sentences = []
    for kind, of_kind in rows.groupby("kind", sort=False):
        each = " and ".join(
            f"{100 * row['found']:.0f}% by {row['method']}" for _, row in of_kind.iterrows()
        )
        sentences.append(f"{each}, with shares of right answers of {kind}")
    first = rows.iloc[0]
    return (
        f"The best of {first['C']} systems against the best of {first['C']} others, "
        f"{first['N']} items, is found different in {'; in '.join(sentences)} "
        f"({int(first['runs'])} data sets each).\n"
    )


PARTS = {
    ("systems", "score"): lambda found: by_data(found, "mean score"),
    ("systems", "sentence"): sentence,
    ("systems", "difference"): lambda found: by_data(found, "difference", power=True),
    ("systems", "next"): lambda found: by_data(found, "next system", power=True),
    ("systems", "two_sides"): two_sides,
}
