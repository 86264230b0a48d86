"""Time against N, C, F and B, one at a time, beside the published timings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.harness.references import FOLDER

PUBLISHED = FOLDER / "reference_timings.csv"
BASE = {"N": 500, "C": 5, "F": 3, "B": 200}
"""Where the sweeps of the published figure cross."""
SWEEPS = {
    "N": [50, 100, 250, 500, 1000, 5000, 10000, 50000],
    "C": [5, 10, 20, 50, 100, 250, 500, 1000],
    "F": [3, 5, 10, 20, 30, 50],
    "B": [200, 500, 1000, 2000, 5000, 10000],
}
FIGURE_3 = {
    "N": [50, 100, 250, 500, 1000, 5000, 10000],
    "C": [5, 10, 20, 50, 100, 250],
    "F": [3, 5, 10, 20, 30, 50],
}
"""The sweeps of the published figure, at the sizes that were timed there."""
PANELS = {
    "N": ("samples N", [50, 500, 5000, 50000]),
    "C": ("configurations C", [5, 20, 100, 1000]),
    "F": ("folds F, BBC-F exact up to 10", [3, 5, 10, 20, 50]),
    "B": ("bootstrap draws B", [200, 1000, 10000]),
}
"""Sweep -> label and ticks of its panel."""
METHODS = {"bbc": "BBC", "bbcf": "BBC-F"}
POINT = ["sweep", "method", *BASE]
KEY = [*POINT, "kernels"]
COLUMNS = ["sweep", "method", "kernels", *BASE, "median, s", "q25, s", "q75, s", "runs"]


@dataclass(frozen=True)
class Point:
    """One size, one method."""

    sweep: str
    method: str
    size: dict[str, int]

    @property
    def arguments(self) -> tuple:
        """Arguments of `time_interval`."""
        return ("roc_auc", *(self.size[name] for name in "NCBF"), self.method)

    @property
    def key(self) -> tuple:
        """Values of `POINT`."""
        return (self.sweep, METHODS[self.method], *self.size.values())

    def row(self, state: str, seconds: list[float]) -> dict:
        """Row of the table: median and quartiles of the times."""
        low, middle, high = np.quantile(seconds, [0.25, 0.5, 0.75])
        return {
            "sweep": self.sweep, "method": METHODS[self.method], "kernels": state, **self.size,
            "median, s": middle, "q25, s": low, "q75, s": high, "runs": len(seconds),
        }  # fmt: skip


def points(sweeps: dict[str, list[int]], largest: int) -> list[Point]:
    """All sizes of these sweeps up to this number of samples."""
    return [
        Point(sweep, method, {**BASE, sweep: value})
        for sweep, values in sweeps.items()
        for value in values
        if sweep != "N" or value <= largest
        for method in METHODS
    ]


def published(path: Path) -> pd.DataFrame:
    """Published medians with the names used here; empty when the file is missing."""
    if not path.is_file():
        return pd.DataFrame(columns=["sweep", "method", *BASE, "median, s"])
    sweeps = {"data_sample": "N", "configurations": "C", "folds": "F"}
    frame = pd.read_csv(path).replace({"sweep": sweeps})
    names = {
        "samples": "N", "configs": "C", "folds": "F", "iterations": "B",
        "median_seconds": "median, s",
    }  # fmt: skip
    return frame.rename(columns=names)


def beside_published(table: pd.DataFrame, reference: Path) -> pd.DataFrame:
    """The table with published medians in a column of their own; of another machine."""
    keys = ["sweep", "method", *BASE]
    theirs = published(reference)[[*keys, "median, s"]]
    theirs = theirs.astype({name: table[name].dtype for name in keys})
    renamed = theirs.rename(columns={"median, s": "published, s"})
    return table.merge(renamed, how="left", on=keys, validate="many_to_one")


COLORS = {"BBC": "#0072B2", "BBC-F": "#D55E00"}
LINES = {"NumPy": "--", "native": "-"}


def draw(table: pd.DataFrame, path: Path, reference: Path) -> None:
    """Draw one panel per sweep of the table, published points as crosses, and save the picture."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    sweeps = list(dict.fromkeys(table["sweep"]))
    figure, axes = plt.subplots(
        1, len(sweeps), figsize=(1 + 2.75 * len(sweeps), 3.8), sharey=True, layout="constrained"
    )
    theirs = published(reference)
    for ax, sweep in zip(axes, sweeps, strict=True):
        here, (title, ticks) = table[table["sweep"] == sweep], PANELS[sweep]
        for (method, kernels), rows in here.groupby(["method", "kernels"], sort=False):
            ax.plot(
                rows[sweep], rows["median, s"], LINES[kernels], marker="o", markersize=3.5,
                color=COLORS[method], label=f"{method}, {kernels}",
            )  # fmt: skip
        there = theirs[theirs["sweep"] == sweep]
        for method, rows in there.groupby("method", sort=False):
            ax.plot(
                rows[sweep], rows["median, s"], "x", color=COLORS[method], markersize=6,
                label=f"{method}, published",
            )  # fmt: skip
        fixed = ", ".join(f"{name}={value}" for name, value in BASE.items() if name != sweep)
        ax.set(xscale="log", yscale="log", xlabel=f"{title}\n({fixed})")
        ticks = [tick for tick in ticks if tick <= max([*here[sweep], *there[sweep]])]
        ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        ax.set_xticks([], minor=True)
        ax.grid(color="0.9")
        ax.set_axisbelow(True)
    axes[0].set_ylabel("time of one interval, s")
    labels: dict = {}
    for ax in axes:
        labels |= dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    columns = 6 if len(sweeps) > 3 else 3
    place = "outside upper center"
    figure.legend(labels.values(), labels, loc=place, ncols=columns, frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    plt.close(figure)
