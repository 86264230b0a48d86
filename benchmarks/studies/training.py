"""``coverage.py training``: one configuration, with real training.

Predictions of different folds come from models whose training sets overlap, and the truth is no
longer one number: the models of the folds have one, the learner at that training size has
another, and the model that is refitted on everything a third.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.base import clone

from benchmarks.data.learning import (
    LEARNERS,
    CrossValidated,
    Process,
    Source,
    TwoNormals,
    cross_validate,
)
from benchmarks.harness.study import LEVEL, Part, Study
from benchmarks.studies.methods import LESS_COMMON, intervals, pairs
from sklearn_bbc import ConfidenceInterval
from sklearn_bbc.intervals import BatesNestedCV, ConservativeZ, DirectBootstrap, NestedCV

METRICS = ("roc_auc", "accuracy")
PROCESS = Process(n_features=10, signal=2.0, curved=False)

BATES = "Bates"
"""For accuracy only: the method needs a mean over samples, which the AUC is not."""
STRATIFIED = "conservative-Z, stratified"
"""Only where a class is rare: to show what halves of equal shares do."""
REFITTING = {
    BATES: BatesNestedCV(),
    "conservative-Z": ConservativeZ(),
    STRATIFIED: ConservativeZ(stratify=True),
    "nested CV, corrected t": NestedCV(corrected_t=True),
    "direct bootstrap": DirectBootstrap(n_bootstraps=100),
}
"""Methods that train models of their own, up to hundreds for one interval."""


@dataclass(frozen=True)
class Training:
    """A learner on data sets of one size.

    Attributes
    ----------
    learner : str
        Name in `LEARNERS`.
    n_samples : int
        Size of a data set.
    process : Source
        Where the data come from.
    positive : float, default=0.5
        Share of class 1 in the population.
    stratified : bool, default=True
        Whether folds have equal shares of the classes; otherwise they are drawn at random, for
        accuracy and methods on predictions only.
    """

    learner: str
    n_samples: int
    process: Source = PROCESS
    positive: float = 0.5
    stratified: bool = True

    def describe(self) -> dict:
        """Columns of the table."""
        rare = "" if self.positive == 0.5 else f", {self.positive:.0%} positive"
        folds = "" if self.stratified else ", random folds"
        return {"learner": self.learner + rare + folds, "N": self.n_samples}

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics that take part: a random fold may lack a class, which the AUC needs."""
        return METRICS if self.stratified else ("accuracy",)

    @property
    def refits(self) -> bool:
        """Whether methods that train many models take part: only where a model is quick."""
        quick = self.learner in ("logistic regression", "LDA") and self.n_samples <= 100
        return quick and self.stratified

    def parts(self) -> list[tuple[str, str]]:
        """Metric and method, for all that take part."""
        refitting = [
            (metric, method)
            for metric in self.metrics
            for method in REFITTING
            if self.refits
            and (method != BATES or metric == "accuracy")
            and (method != STRATIFIED or self.positive != 0.5)
        ]
        return [*pairs(self.metrics, without=LESS_COMMON), *refitting]


SETTINGS = {
    f"{name.replace(' ', '-')}_N{n_samples}": Training(name, n_samples)
    for name in ("logistic regression", "forest")
    for n_samples in (100, 500)
}
RARE = TwoNormals(n_features=2, distance=0.75, share=0.2)
SETTINGS["LDA_N80_rare"] = Training("LDA", 80, RARE, positive=0.2)
SETTINGS["LDA_N80_rare_random"] = Training("LDA", 80, RARE, positive=0.2, stratified=False)
"""Hardly better than the more frequent class: the accuracy of a data set depends on how many of
each class are in it, which methods that split within classes do not see."""


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
    done = cross_validate(
        LEARNERS[setting.learner],
        setting.process,
        setting.n_samples,
        seed,
        run_seed,
        stratified=setting.stratified,
    )
    for metric in setting.metrics:
        truths = {
            "truth fold models": done.fold_models[metric],
            "truth final model": done.final_model[metric],
        }
        found = dict(intervals(done.predictions(metric), metric))
        for part, method in setting.parts():
            if part == metric and method in REFITTING:
                found[method] = refitted(method, setting.learner, done, metric)
        yield Part(metric, truths, found)


def refitted(
    method: str, learner: str, done: CrossValidated, metric: str
) -> Callable[[int, int], ConfidenceInterval]:
    """Function of the number of draws and the seed that runs a method of `REFITTING`.

    The number of draws is that of the methods on predictions: models cost more.

    Parameters
    ----------
    method, learner : str
        Names in `REFITTING` and `LEARNERS`.
    done : CrossValidated
        Has the data.
    metric : str
        Name of the metric.
    """

    def estimate(n_bootstraps: int, seed: int) -> ConfidenceInterval:
        interval = REFITTING[method]
        wanted = {"confidence_level": LEVEL, "random_state": seed, "verbose": 0}
        known = interval.get_params()
        fresh = clone(interval).set_params(**{k: v for k, v in wanted.items() if k in known})
        return fresh.estimate(LEARNERS[learner], done.X, done.y, scoring=metric)

    return estimate


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
    parts=Training.parts,
    draw=draw,
    repetitions=300,
    complete=with_learner,
)
