"""``coverage.py training``: one configuration, with real training.

Predictions of different folds come from models whose training sets overlap, and the truth is no
longer one number: the models of the folds have one, the learner at that training size has
another, and the model that is refitted on everything a third.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks._learning import LEARNERS, Process, cross_validate
from benchmarks._methods import LESS_COMMON, intervals, pairs
from benchmarks._study import Part, Study

METRICS = ("roc_auc", "accuracy")
PROCESS = Process(n_features=10, signal=2.0, curved=False)


@dataclass(frozen=True)
class Training:
    """A learner on data sets of one size.

    Attributes
    ----------
    learner : str
        Name in `LEARNERS`.
    n_samples : int
        Size of a data set.
    """

    learner: str
    n_samples: int

    def describe(self) -> dict:
        """Columns of the table."""
        return {"learner": self.learner, "N": self.n_samples}


SETTINGS = {
    f"{name.replace(' ', '-')}_N{n_samples}": Training(name, n_samples)
    for name in ("logistic regression", "forest")
    for n_samples in (100, 500)
}


def draw(setting: Training, seed: np.random.SeedSequence, run_seed: int) -> Iterator[Part]:
    """Draw one data set and cross-validate the learner on it.

    Parameters
    ----------
    setting : Training
        Learner and size.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Seed of the population, which all data sets share.
    """
    done = cross_validate(LEARNERS[setting.learner], PROCESS, setting.n_samples, seed, run_seed)
    for metric in METRICS:
        truths = {
            "truth fold models": done.fold_models[metric],
            "truth final model": done.final_model[metric],
        }
        yield Part(metric, truths, intervals(done.predictions(metric), metric))


def with_learner(found: pd.DataFrame) -> pd.DataFrame:
    """Add the truth of the learner: the mean of its fold models over all data sets."""
    one_each = found.drop_duplicates(["setting", "part", "repetition"])
    learner = one_each.groupby(["setting", "part"])["truth fold models"].mean()
    learner = learner.rename("truth learner").reset_index()
    return found.merge(learner, on=["setting", "part"], how="left", validate="m:1")


TRAINING = Study(
    name="training",
    help="one configuration, real training: three truths, and which intervals miss them",
    settings=SETTINGS,
    truths=("truth fold models", "truth final model"),
    parts=lambda setting: pairs(METRICS, without=LESS_COMMON),
    draw=draw,
    repetitions=300,
    complete=with_learner,
)
