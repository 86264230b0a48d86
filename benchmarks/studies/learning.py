"""``coverage.py learning``: intervals of learning curves against the truth of each size.

The truth of a size is the mean score, on a large population, of models trained on so many new
samples. `learning_curve_intervals` trains on parts of one data set instead. Beside its intervals
stand two others of the same scores: the plain t interval, which takes the splits as independent,
and the corrected one with the ratio of test to training samples of the whole folds at every size.
Beyond the largest size stands what the fitted curve says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t
from sklearn.base import BaseEstimator, clone
from sklearn.tree import DecisionTreeClassifier

from benchmarks.data.learning import (
    LEARNERS,
    SCORES,
    Process,
    Source,
    TwoNormals,
    population,
    true_scores,
)
from benchmarks.harness import study as _study
from benchmarks.harness.study import LEVEL, Part, Study
from sklearn_bbc.comparison import learning_curve_intervals
from sklearn_bbc.results import LearningCurveResult

N_FOLDS, N_REPEATS = 5, 3
SHARES = (0.2, 0.4, 0.7, 1.0)
"""Sizes as shares of the training set of a fold."""
BEYOND = (2, 4)
"""Multiples of the largest size at which the curve is read."""
N_MODELS = 200
"""Models behind each truth: its own standard error is a fourteenth of their spread."""

CORRECTED = "learning_curve_intervals"
WHOLE_FOLDS = "corrected t, ratio of the whole folds"
PLAIN = "plain t"
FITTED = "fitted curve"


@dataclass(frozen=True)
class Learning:
    """A learner, where its data come from, and how many there are.

    Attributes
    ----------
    name : str
        In the table.
    learner : str
        Key of `MODELS`.
    source : Source
        Where data come from.
    n_samples : int
        Size of a data set.
    """

    name: str
    learner: str
    source: Source
    n_samples: int

    def describe(self) -> dict[str, Any]:
        """Columns of the table."""
        return {"learner": self.name, "N": self.n_samples}

    @property
    def largest(self) -> int:
        """Samples in the training set of a fold."""
        return self.n_samples - self.n_samples // N_FOLDS

    @property
    def sizes(self) -> dict[str, int]:
        """Name in the table -> number of training samples, those that are tried."""
        return {f"{share:.0%}": round(share * self.largest) for share in SHARES}

    @property
    def farther(self) -> dict[str, int]:
        """Name in the table -> number of training samples, those beyond."""
        return {f"{100 * times}%": times * self.largest for times in BEYOND}


MODELS: dict[str, BaseEstimator] = {
    **LEARNERS,
    "tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
}


@lru_cache(maxsize=64)
def truths(setting: Learning, size: int, run_seed: int) -> dict[str, float]:
    """Metric -> mean true score of models that are trained on `size` new samples.

    Parameters
    ----------
    setting : Learning
        Learner and data.
    size : int
        Number of training samples.
    run_seed : int
        Seed of what all data sets of a run share.
    """
    X_all, y_all = population(setting.source, run_seed)
    rng = np.random.default_rng([run_seed, 15485863, size])
    found = []
    for _ in range(N_MODELS):
        X, y = two_classes(setting.source, size, 2, rng)
        fitted = clone(MODELS[setting.learner]).fit(X, y)
        found.append(true_scores(fitted, X_all, y_all))
    return {metric: float(np.mean([each[metric] for each in found])) for metric in SCORES}


def two_classes(
    source: Source, n_samples: int, least: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """A sample with at least so many of each class."""
    y = np.zeros(0, dtype=int)
    while np.bincount(y, minlength=2).min() < least:
        X, y = source.sample(n_samples, rng)
    return X, y


@dataclass(frozen=True)
class Bounds:
    """What a journal takes of an interval.

    Attributes
    ----------
    estimate, low, high : float
        Mean score and bounds; both bounds are the estimate where there is no interval.
    details : dict
        Nothing.
    """

    estimate: float
    low: float
    high: float
    details: Any = None

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))


def t_interval(scores: np.ndarray, ratio: float) -> Bounds:
    """t interval of scores of splits; a ratio of 0 takes them as independent.

    Parameters
    ----------
    scores : ndarray of shape (n_splits,)
        Test scores.
    ratio : float
        Test samples for each training sample.
    """
    mean, n = float(scores.mean()), len(scores)
    error = float(scores.std(ddof=1)) * np.sqrt(1 / n + ratio)
    half = float(t.ppf((1 + LEVEL) / 2, n - 1)) * error
    return Bounds(mean, max(mean - half, 0.0), min(mean + half, 1.0))  # as scores are


def parts(setting: Learning) -> list[tuple[str, str]]:
    """Metric with size, and method."""
    return [
        (f"{metric}, {size}", method)
        for metric in SCORES
        for sizes, methods in (
            (setting.sizes, (CORRECTED, WHOLE_FOLDS, PLAIN)),
            (setting.farther, (FITTED,)),
        )
        for size in sizes
        for method in methods
    ]


def draw(setting: Learning, seed: np.random.SeedSequence, run_seed: int) -> Iterator[Part]:
    """Draw one data set and its learning curve by each metric.

    Parameters
    ----------
    setting : Learning
        Learner and data.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Seed of the population.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    X, y = two_classes(setting.source, setting.n_samples, N_FOLDS, rng)
    curve_seed = int(rng.integers(2**31))
    for metric in SCORES:

        @cache  # trained once, in the time of the method that asks first
        def curve(metric: str = metric) -> LearningCurveResult:
            return learning_curve_intervals(
                MODELS[setting.learner], X, y, scoring=metric,
                train_sizes=list(setting.sizes.values()), n_folds=N_FOLDS, n_repeats=N_REPEATS,
                random_state=curve_seed,
            )  # fmt: skip

        for k, (name, size) in enumerate(setting.sizes.items()):
            yield Part(
                f"{metric}, {name}",
                {"truth": truths(setting, size, run_seed)[metric]},
                intervals(curve, k),
            )
        for name, size in setting.farther.items():
            yield Part(
                f"{metric}, {name}",
                {"truth": truths(setting, size, run_seed)[metric]},
                {FITTED: at(curve, size)},
            )


def intervals(
    curve: Callable[[], LearningCurveResult], k: int
) -> dict[str, Callable[[int, int], Any]]:
    """Intervals at the k-th size: that of the package, and two others of the same scores."""
    return {
        CORRECTED: lambda *_: curve().test[k],
        WHOLE_FOLDS: lambda *_: t_interval(curve().test_scores[k], 1 / (N_FOLDS - 1)),
        PLAIN: lambda *_: t_interval(curve().test_scores[k], 0.0),
    }


def at(curve: Callable[[], LearningCurveResult], size: int) -> Callable[[int, int], Bounds]:
    """What the fitted curve says at a size, without an interval."""

    def run(n_bootstraps: int, seed: int) -> Bounds:
        value = curve().predict(size)
        return Bounds(value, value, value)

    return run


SETTINGS = {
    f"{setting.name.split(',')[0].replace(' ', '-')}_N{setting.n_samples}": setting
    for setting in (
        Learning("logistic regression", "logistic regression", Process(10, 2.0, False), 100),
        Learning("logistic regression", "logistic regression", Process(10, 2.0, False), 300),
        Learning("naive Bayes", "naive Bayes", Process(20, 1.0, False), 100),
        Learning("tree", "tree", Process(10, 2.0, True), 100),
        Learning("LDA, 20% positive", "LDA", TwoNormals(10, 1.5, 0.2), 100),
    )
}


def with_error(study: Study, found: pd.DataFrame) -> pd.DataFrame:
    """The table of the study, and how far estimates are off.

    Parameters
    ----------
    study : Study
        Where the rows are from.
    found : DataFrame
        One row per data set, part and method.
    """
    table = _study.summarise(study, found)
    squares = found.assign(error=(found["estimate"] - found["truth"]) ** 2)
    groups = squares.groupby(["setting", "part", "method"], sort=False)["error"]
    verdict = table.pop("verdict")
    # Both have a row per setting, part and method, in the order in which they come.
    return table.assign(rmse=np.sqrt(groups.mean().to_numpy()), verdict=verdict)


LEARNING = Study(
    name="learning",
    help="intervals of learning curves at each size, and how far off the fitted curve is beyond",
    settings=SETTINGS,
    truths=("truth",),
    parts=parts,
    draw=draw,
    repetitions=100,
    n_bootstraps=0,
    summarise=with_error,
)
