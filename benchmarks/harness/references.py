"""Published numbers beside ours, and how far apart two simulations may be."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.harness.ranks import DOUBT
from benchmarks.published.table2_methods import base_of

FOLDER = (
    Path(os.environ.get("SKLEARN_BBC_SHARED", Path(__file__).resolve().parents[3] / "shared"))
    / "reference"
)
SETTING = ["alpha", "beta", "N", "C", "balance"]
SOURCES = {"replication": "replication_simulation.csv", "published": "reference_simulation.csv"}
PUBLISHED_RUNS = 200
AUTO = "pROC auto direction"
REPLICATED = {
    "DL": "DL", "DL10p": "DL10p", "HM-classcounts": "HM", "HM10p-classcounts-sidak": "HM10p",
    "HM": "HM (rink)", "HM10p": "HM10p (rink)",
    "BT": "BT (literal)", "BT10p": "BT10p (literal)", "MABT": "MABT (literal)",
}  # fmt: skip
"""What the repetition computed under each of its names, before the direction of scores."""


def our_name(method: str, note: object) -> str:
    """Our name for a method of the repetition.

    Parameters
    ----------
    method : str
        Its name there.
    note : str or NaN
        Says whether scores were turned as R's pROC does.
    """
    name = REPLICATED.get(method, method)
    if note != AUTO:
        return name
    return f"{name[:-1]}, auto direction)" if name.endswith(")") else f"{name} (auto direction)"


def lower_bound_tolerance(n_samples: int, balance: float, runs: int = 200) -> float:
    """Largest difference between mean lower bounds, or true AUCs, that is put down to chance.

    Three times the largest difference between two independent simulations of 200 data sets
    in settings of this kind; more where fewer data sets were simulated.
    """
    if n_samples >= 500:
        seen = 0.006
    else:
        seen = 0.034 if balance < 0.5 else 0.01
    return 3 * seen * max(1.0, np.sqrt(200 / runs))


def inclusion_tolerance(share: float, runs: int, other: float, other_runs: int) -> float:
    """Three standard errors of the difference of two shares.

    The common share is estimated with one inclusion and one miss added, for two shares of
    1 would otherwise leave no room for chance.
    """
    pooled = (share * runs + other * other_runs + 1) / (runs + other_runs + 2)
    return 3 * np.sqrt(pooled * (1 - pooled) * (1 / runs + 1 / other_runs))


def compare(table: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """Add the published numbers to ours, and whether ours are within tolerance.

    Parameters
    ----------
    table : DataFrame
        One row per setting and method: `runs`, `lower_bound`, `inclusion`, `tightness`.
    folder : Path
        Folder of the published numbers.

    Returns
    -------
    DataFrame
        With columns ``<source>_runs``, ``_true_auc``, ``_lower_bound``, ``_inclusion``,
        ``_tightness`` and ``_verdict`` (``"ok"`` or what differs by more than chance) for both
        sources, and ``published_rejected``; unchanged when the folder is missing. Rows with more
        than two ``classes`` have nothing beside them: these columns are empty there.
    """
    for source, file in SOURCES.items():
        if not (folder / file).is_file():
            continue
        reference = pd.read_csv(folder / file)
        on = "method"
        if source == "replication":
            names = zip(reference["method"], reference["note"], strict=True)
            reference["method"] = [our_name(*name) for name in names]
        else:
            # Every form of a method stands beside the one form that was published.
            table = table.assign(base=[base_of(name) for name in table["method"]])
            reference["base"], on = reference["method"], "base"
            reference["runs"] = PUBLISHED_RUNS - reference["missing_runs_of_200"]
            reference["rejected"] = reference["binom_lower_p"] <= DOUBT
        values = ["runs", "true_auc_of_selected", "lower_bound", "inclusion", "tightness"]
        values += ["rejected"] if source == "published" else []
        reference = reference[[*SETTING, on, *values]].drop_duplicates([*SETTING, on])
        new = {name: f"{source}_{name.removesuffix('_of_selected')}" for name in values}
        reference = reference.rename(columns=new)
        table = table.merge(reference, on=[*SETTING, on], how="left", validate="m:1")
        if "classes" in table:
            # Published numbers with several classes are void, and the repetition has only two.
            beside = [*new.values()]
            table[beside] = table[beside].mask(table["classes"] > 2)
        table[f"{source}_verdict"] = [_verdict(row, source) for _, row in table.iterrows()]
    return table.drop(columns="base", errors="ignore")


def _verdict(row: pd.Series, source: str) -> str:
    other_runs = row[f"{source}_runs"]
    if np.isnan([other_runs, row["lower_bound"], row[f"{source}_lower_bound"]]).any():
        return ""
    differs = []
    usual = lower_bound_tolerance(row["N"], row["balance"], min(row["runs"], other_runs))
    # That is what was seen with BBC. Bounds from a quarter of 50 samples scatter more: then it
    # is three standard errors of the difference, with as much scatter on the other side.
    scatter = 3 * row.get("lower_bound_se", 0.0) * np.sqrt(1 + row["runs"] / other_runs)
    # The true AUC of what is selected, because a flaw in the selection shows there first.
    for name, allowed in (("true_auc", usual), ("lower_bound", np.fmax(usual, scatter))):
        gap = row[name] - row[f"{source}_{name}"]
        if abs(gap) > allowed:
            title = name.replace("_", " ").replace("auc", "AUC")
            differs.append(f"{title} {gap:+.3f} (allowed {allowed:.3f})")
    share, other = row["inclusion"], row[f"{source}_inclusion"]
    allowed = inclusion_tolerance(share, row["runs"], other, other_runs)
    if abs(share - other) > allowed:
        differs.append(f"inclusion {share - other:+.3f} (allowed {allowed:.3f})")
    return "; ".join(differs) or "ok"


def show(table: pd.DataFrame) -> None:
    """Print the table: each number followed by those of the sources, misses marked ``!``."""
    sources = [source for source in SOURCES if f"{source}_verdict" in table]
    if sources:
        print(f"Ours (in brackets: {', '.join(sources)}); ! marks differences beyond tolerance.")
    else:
        print(f"No published numbers: {' and '.join(SOURCES.values())} were not found.")
    for setting, rows in table.groupby(["row", *SETTING], sort=False):
        row, alpha, beta, n_samples, n_configs, balance = setting
        print(
            f"\n{row}. true AUC ~ Beta({alpha:g}, {beta:g}), N={n_samples}, C={n_configs}, "
            f"balance {balance:g}, {rows['runs'].min()} data sets"
        )
        print(
            pd.DataFrame(_shown(row, sources) for _, row in rows.iterrows()).to_string(index=False)
        )
    print()
    for source in sources:
        verdicts = table[f"{source}_verdict"]
        compared = verdicts[verdicts != ""]
        within = (compared == "ok").sum()
        print(f"{source}: {within} of {len(compared)} rows within tolerance")


def _shown(row: pd.Series, sources: list[str]) -> dict[str, str]:
    cells = {"method": row["method"]}
    for name in ("lower_bound", "inclusion", "tightness"):
        theirs = [f"{row[f'{source}_{name}']:.3f}".replace("nan", "-") for source in sources]
        beside = f" ({', '.join(theirs)})" if sources else ""
        cells[name.replace("_", " ")] = f"{row[name]:.3f}{beside}"
    verdicts = {source: row[f"{source}_verdict"] for source in sources}
    misses = [f"! {source}: {v}" for source, v in verdicts.items() if v not in ("", "ok")]
    return {**cells, "": "  ".join(misses)}
