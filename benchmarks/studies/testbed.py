"""``coverage.py testbed`` and ``generated``: tuned models, of which every one was refitted.

The files of the testbed hold out-of-fold probabilities of 60 configurations on 100 data sets of
each of six settings, and what every refitted configuration scores on a large hold-out. `generated`
makes more settings of this kind. The truth of a method is the score of the refitted configuration
that it reports: the winner, or what a selection step finds.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.data import settings as _settings
from benchmarks.harness import record, references
from benchmarks.harness import study as _study
from benchmarks.harness.study import Part, Study
from benchmarks.studies.tuned_methods import names, of_split, of_winner, runner
from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric

FOLDER = references.FOLDER.parent / "testbed"
METRICS = ("roc_auc", "accuracy", "balanced_accuracy", "neg_log_loss")
"""In the order of the truths in the files."""
FILES = {
    "null_50_5_s1": "labels do not depend on the features",
    "lin_50_10_s1": "linear signal",
    "bc_50_10_s1": "breast cancer data",
    "deo_50_5_s1": "digits, even or odd",
    "int_100_5_s1": "interactions",
    "imb_100_5_s1": "a tenth of the samples in one class",
}
N_DATA_SETS = 100
SUMMARY = ["part", "method"]


@dataclass(frozen=True)
class Stored:
    """One file of the testbed.

    Attributes
    ----------
    name : str
        Name of the file without its ending: setting, samples, folds, seed.
    grouped, repeated : bool
        Whether samples come in groups or were predicted several times; never here.
    """

    name: str
    grouped: bool = False
    repeated: bool = False

    def describe(self) -> dict[str, Any]:
        """Columns of the table."""
        kind, n_samples, n_folds, _ = self.name.split("_")
        return {"data": kind, "N": int(n_samples), "folds": int(n_folds)}

    def draw(self, seed: np.random.SeedSequence, run_seed: int) -> _settings.Tuned:
        """Data set of the file with the number of the repetition.

        Parameters
        ----------
        seed : SeedSequence
            Knows the number of the data set; nothing is drawn.
        run_seed : int
            Not needed.
        """
        number = seed.spawn_key[1]  # (setting, repetition, which of its two seeds)
        if number >= N_DATA_SETS:
            raise ValueError(f"The testbed has {N_DATA_SETS} data sets, wanted is {number + 1}.")
        arrays = _load(FOLDER / f"{self.name}.npz")
        truth = arrays["T"][number]  # (n_metrics, n_configs)
        truth = {metric: truth[k] for k, metric in enumerate(METRICS)}
        truth["neg_log_loss"] = -truth["neg_log_loss"]
        return _settings.Tuned(
            y=arrays["y"][number].astype(int),
            # In single precision, as the truth: log loss keeps them 1.2e-7 from 0 and 1 there.
            probability=arrays["P"][number][None],
            fold=arrays["folds"][number].astype(int)[None],
            truth=truth,
        )


@lru_cache(maxsize=len(FILES))
def _load(path: Path) -> dict[str, np.ndarray]:
    if not path.is_file():
        raise FileNotFoundError(
            f"{path} is not there. The testbed lies beside the folder of published numbers; set "
            "SKLEARN_BBC_SHARED to the folder that has both."
        )
    with np.load(path) as file:
        return dict(file)


def draw(setting: Any, seed: np.random.SeedSequence, run_seed: int) -> Iterator[Part]:
    """Draw one data set: for each metric one part per way of choosing a configuration.

    Parameters
    ----------
    setting : Stored or Generated
        What to draw.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Seed of what all data sets share.
    """
    tuned = setting.draw(seed, run_seed)
    split_seed = int(seed.generate_state(2)[1])
    for metric in METRICS:
        oof, truth = tuned.predictions(metric), tuned.truth[metric]
        winner = winner_of(oof, metric)
        methods = of_winner(metric, setting.grouped, setting.repeated)
        yield _part(metric, float(truth[winner]), methods, oof)
        kernel = as_metric(metric).bind(oof)
        for group in of_split(metric, setting.grouped, split_seed).values():
            try:
                found = float(truth[group["step"].select(kernel).reported])
            except UndefinedIntervalError:  # its methods will say the same
                found = np.nan
            yield _part(metric, found, group["methods"], oof)


def winner_of(oof: OOFPredictions, metric: str) -> int:
    """Configuration that tuning selects: the best mean over the folds.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions of all configurations.
    metric : str
        Name of the metric.
    """
    return int(BBC(n_bootstraps=200, random_state=0).estimate(oof, metric).details["winner"])


def _part(metric: str, truth: float, methods: Mapping, oof: OOFPredictions) -> Part:
    runs = {name: runner(method, oof, metric) for name, method in methods.items()}
    return Part(metric, {"truth": truth}, runs)


def _parts(setting: Any) -> list[tuple[str, str]]:
    return [
        (metric, method)
        for metric in METRICS
        for method in names(metric, setting.grouped, setting.repeated)
    ]


TESTBED = Study(
    name="testbed",
    help="tuned models on six kinds of data, every configuration refitted and held against a "
    "large hold-out",
    settings={name: Stored(name) for name in FILES},
    truths=("truth",),
    parts=_parts,
    draw=draw,
    repetitions=N_DATA_SETS,
    n_bootstraps=1000,
)
GENERATED = Study(
    name="generated",
    help="more settings of the kind of the testbed, made on the spot: "
    + ", ".join(_settings.SETTINGS),
    settings=_settings.SETTINGS,
    truths=("truth",),
    parts=_parts,
    draw=draw,
    repetitions=100,
    n_bootstraps=1000,
)


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Each method over all settings.

    Parameters
    ----------
    table : DataFrame
        Coverage and width in each setting.

    Returns
    -------
    DataFrame
        Per metric and method: number of settings, of those with too low and too high coverage,
        mean coverage, share of data sets without an interval, median ratio of widths to BBC's.
    """
    setting = list(table.columns[: table.columns.get_loc("part")])
    bbc = table[table["method"] == "BBC"].set_index([*setting, "part"])["width"]
    index = pd.MultiIndex.from_frame(table[[*setting, "part"]])
    table = table.assign(ratio=table["width"].to_numpy(float) / bbc.reindex(index).to_numpy(float))
    groups = table.groupby(SUMMARY, sort=False)
    return groups.agg(
        settings=("coverage", "count"),
        under=("verdict", lambda verdict: int((verdict == "under").sum())),
        over=("verdict", lambda verdict: int((verdict == "over").sum())),
        coverage=("coverage", "mean"),
        lowest=("coverage", "min"),
        undefined=("undefined", "mean"),
        width_to_bbc=("ratio", "median"),
        bias=("bias", "mean"),
    ).reset_index()


def conduct(study: Study, arguments: argparse.Namespace) -> pd.DataFrame:
    """Run a study and write its table and the summary over its settings.

    Returns
    -------
    DataFrame
        The table.
    """
    table = _study.conduct(study, arguments)
    over_settings = summary(table)
    text = "\n".join(
        f"## {metric}\n\n{record.markdown(rows.drop(columns='part'))}"
        for metric, rows in over_settings.groupby("part", sort=False)
    )
    path = arguments.output / f"{study.name}_summary.md"
    codes = pd.read_csv(arguments.output / f"{study.name}.csv", usecols=["code"])["code"]
    record.write_report(text, path, codes)
    print(f"\n{text}")
    return table
