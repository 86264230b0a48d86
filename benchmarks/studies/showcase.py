"""``real_data.py showcase``: one search on many samples of credit-g, best score beside BBC.

The start page of the documentation shows it: what the search reports, what is left of it after
the correction, and the score on the applicants who took no part, for each of 100 samples of 50.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from benchmarks.data.real_splits import split_of
from benchmarks.harness import record
from benchmarks.harness.journal import Journal, complete
from sklearn_bbc.intervals import BBC

DATA = "credit-g"
N_SPLITS = 100
N_BOOTSTRAPS = 2000
KEY = ["data", "split", "seed"]
COLUMNS = [*KEY, "code", "best_score", "bbc_score", "low", "high", "held_out", "seconds"]


def one_split(split: int, seed: int, cache: Path, code: str) -> list[dict]:
    """Best score, BBC and the hold-out score of the refitted winner.

    Parameters
    ----------
    split : int
        Number of the split, from 0.
    seed : int
        Seed of the whole run.
    cache : Path
        Folder of predictions.
    code : str
        Version that runs, to be written down.
    """
    found, seed_of_draws = split_of(DATA, split, seed, cache)
    started = time.process_time()
    result = BBC(n_bootstraps=N_BOOTSTRAPS, random_state=seed_of_draws).estimate(
        found.oof, "roc_auc"
    )
    seconds = time.process_time() - started
    winner = result.details["winner"]
    y, predicted, fold = found.oof.y_true, found.oof.matrix("roc_auc")[:, winner], found.oof.fold
    of_folds = [roc_auc_score(y[fold == k], predicted[fold == k]) for k in np.unique(fold)]
    numbers = {
        "best_score": np.mean(of_folds), "bbc_score": result.estimate, "low": result.low,
        "high": result.high, "held_out": found.truth(winner), "seconds": round(seconds, 4),
    }  # fmt: skip
    row = {name: float(value) for name, value in numbers.items()}
    return [{**dict(zip(KEY, (DATA, split, seed), strict=True)), "code": code, **row}]


def showcase(arguments: argparse.Namespace) -> pd.DataFrame:
    """Best score, BBC and hold-out score of 102 configurations on 100 samples of credit-g."""
    cache = arguments.cache or arguments.output / "journal" / "oof"
    code, seed = record.code(), arguments.seed
    found = complete(
        Journal(
            arguments.output / "journal" / "showcase.csv", COLUMNS, KEY, fresh=arguments.fresh
        ),
        {split: [(DATA, split, seed)] for split in range(arguments.repetitions or N_SPLITS)},
        one_split,
        lambda split, _: (split, seed, cache, code),
        jobs=arguments.jobs,
        label="showcase: splits",
        report=arguments.report,
    )
    table = found.drop(columns=["seed", "code", "seconds"])
    record.write_table(
        table,
        arguments.output / "showcase.csv",
        seed=seed,
        seconds=found["seconds"].sum(),
        codes=found["code"],
    )
    draw(table, arguments.output / "showcase.png")
    print(means(table).round(3).to_string())
    return table


def means(table: pd.DataFrame) -> pd.DataFrame:
    """Mean of each score, and mean, spread and range of its distance from the hold-out score.

    Parameters
    ----------
    table : DataFrame
        One row per split.
    """
    scores = table[["best_score", "bbc_score", "held_out"]]
    off = scores.sub(table["held_out"], axis=0)
    return pd.DataFrame(
        {
            "mean": scores.mean(), "too_high": off.mean(), "sd": off.std(),
            "lowest": off.min(), "highest": off.max(),
        }
    )  # fmt: skip


def draw(table: pd.DataFrame, path: Path) -> None:
    """Draw how far each score lies from the hold-out score, one dot for each split.

    Parameters
    ----------
    table : DataFrame
        One row per split.
    path : Path
        File of the picture.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(5.8, 2.9), layout="constrained")
    rows = (
        ("bbc_score", "corrected\n(BBC)", "C0"),
        ("best_score", "best score\nof the search", "C3"),
    )
    for height, (name, _, color) in enumerate(rows):
        off = np.sort((table[name] - table["held_out"]).to_numpy())
        ax.scatter(off, height + stacked(off), s=14, color=color, alpha=0.7, linewidths=0)
        ax.plot([off.mean()] * 2, [height - 0.36, height + 0.36], color=color, lw=2.5)
        ax.annotate(
            f"mean {off.mean():+.2f}", (off.mean(), height + 0.38), color=color, ha="center",
            va="bottom", fontweight="bold", bbox={"fc": "white", "ec": "none", "pad": 1},
        )  # fmt: skip
    ax.axvline(0, color="0.3", lw=1)
    ax.set_yticks(range(len(rows)), [label for _, label, _ in rows])
    ax.set_ylim(-0.55, len(rows) - 0.3)
    ax.set_xlabel("reported ROC AUC minus ROC AUC on the 950 other applicants")
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def stacked(values: np.ndarray, width: float = 0.018, step: float = 0.07) -> np.ndarray:
    """Heights that keep dots of about the same value apart, symmetric about 0.

    Parameters
    ----------
    values : ndarray of shape (n_dots,)
        Values, sorted.
    width : float, default=0.018
        Values of one column of dots differ by less than this.
    step : float, default=0.07
        Distance of dots in a column.
    """
    column = np.round(values / width).astype(int)
    heights = np.empty(len(values))
    for value in np.unique(column):
        members = np.flatnonzero(column == value)
        heights[members] = (np.arange(len(members)) - (len(members) - 1) / 2) * step
    return heights
