"""``coverage.py thesis``: Rosenthal's design, coverage beside her published table.

Twelve logistic processes times three learners times data sets, 5-fold cross-validation of a
single configuration, the truth is the mean performance of the trained models on a large
population. The thesis does not publish its processes in detail: those here are comparable (a
similar mean and spread of true AUCs), not the same, so coverages may be compared and widths only
roughly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.data.learning import LEARNERS, Process, cross_validate
from benchmarks.harness.study import Part, Study
from benchmarks.studies.methods import LESS_COMMON, intervals, pairs
from benchmarks.studies.training import BATES, METRICS, refitted, with_learner

PROCESSES = [
    Process(n_features, signal, curved)
    for n_features in (5, 20)
    for signal in (0.5, 2.0, 6.0)
    for curved in (False, True)
]
COMPARED = ("logistic regression", "forest", "naive Bayes")
"""Names in `LEARNERS`."""
PUBLISHED = {
    "Baseline": "DeLong",
    "Param-CA-0.1-stud": "Param-CA, t",
    "Boot-hier-stud": "hierarchical, studentised",
}
"""Published name -> ours. The published GLMM for AUC is not described, and ours is for accuracy:
it has rows of its own."""
ALONE = "{} (published only)"


@dataclass(frozen=True)
class Thesis:
    """One process, learner and size.

    Attributes
    ----------
    process : Process
        Where the data come from.
    learner : str
        Name in `LEARNERS`.
    n_samples : int
        Size of a data set.
    """

    process: Process
    learner: str
    n_samples: int

    def describe(self) -> dict:
        """Columns of the table: processes and learners are taken together."""
        return {"N": self.n_samples}


SETTINGS = {
    f"{k}_{learner.replace(' ', '-')}_N{n_samples}": Thesis(process, learner, n_samples)
    for n_samples in (100, 500)
    for k, process in enumerate(PROCESSES, start=1)
    for learner in COMPARED
}


def draw(setting: Thesis, seed: np.random.SeedSequence, run_seed: int) -> Iterator[Part]:
    """Draw one data set and cross-validate the learner on it.

    Parameters
    ----------
    setting : Thesis
        Process, learner and size.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Seed of the population.
    """
    learner = LEARNERS[setting.learner]
    done = cross_validate(learner, setting.process, setting.n_samples, seed, run_seed)
    for metric in METRICS:
        truth = {"truth fold models": done.fold_models[metric]}
        found = dict(intervals(done.predictions(metric), metric))
        if metric == "accuracy":
            found[BATES] = refitted(BATES, setting.learner, done, metric)
        yield Part(metric, truth, found)


def beside(table: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """Add the published coverages and widths, if they are there.

    A published method that we do not have gets a row without data sets (``runs`` is 0).

    Parameters
    ----------
    table : DataFrame
        Ours.
    folder : Path
        Folder of the published numbers.
    """
    path = folder / "thesis_table.csv"
    if not path.is_file():
        return table
    theirs = pd.read_csv(path)
    theirs = pd.DataFrame(
        {
            "N": theirs["n_obs"],
            "part": "roc_auc",
            "method": [PUBLISHED.get(name, ALONE.format(name)) for name in theirs["method"]],
            "thesis": theirs["method"],
            "thesis_coverage": theirs["coverage_percent"] / 100,
            "thesis_width": theirs["width"],
        }
    )
    key = ["N", "part", "method"]
    sizes = table.loc[table["part"] == "roc_auc", "N"]  # of which there is anything of ours
    alone = theirs[~theirs["method"].isin(PUBLISHED.values()) & theirs["N"].isin(sizes)]
    if len(alone):
        table = pd.concat([table, alone[key].assign(runs=0)], ignore_index=True)
    return table.merge(theirs, on=key, how="left", validate="m:1")


THESIS = Study(
    name="thesis",
    help="Rosenthal's design: twelve processes, three learners, beside the published table",
    settings=SETTINGS,
    truths=("truth fold models",),
    parts=lambda setting: [*pairs(METRICS, without=LESS_COMMON), ("accuracy", BATES)],
    draw=draw,
    repetitions=20,
    complete=with_learner,
    beside=beside,
)
