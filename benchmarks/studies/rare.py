"""``coverage.py rare``: one configuration, nothing trained, nothing selected, few positives.

Metrics that treat classes apart, where many draws of a bootstrap lack the rare class. The sizes of
the classes are fixed, as in a sample that was stratified: 5% of 50 samples would often be one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from benchmarks.harness.study import Part, Study
from benchmarks.studies.methods import ANY_METRIC, ONLY, estimator
from sklearn_bbc import OOFPredictions

METRICS = ("f1", "balanced_accuracy")
METHODS = (
    "BBC", "BBC-F", "ShrunkenBBC", "pooled bootstrap, percentile", "pooled bootstrap, BCa",
    "hierarchical, studentised",
)  # fmt: skip
N_FOLDS = 3
"""With 3 positives each fold still holds one."""
DISTANCE = 2.4
"""Between the means of the scores of the two classes, in standard deviations."""


@dataclass(frozen=True)
class Rare:
    """Normal scores of two classes, cut in the middle.

    Attributes
    ----------
    share : float
        Share of positives; at least three there are.
    n_samples : int
        Size of a data set.
    """

    share: float
    n_samples: int

    @property
    def n_positive(self) -> int:
        """Number of positives."""
        return max(3, round(self.share * self.n_samples))

    def truth(self, metric: str) -> float:
        """Score of the cut among very many samples with this share of positives."""
        right = float(norm.cdf(DISTANCE / 2))  # in both classes
        if metric == "balanced_accuracy":
            return right
        positive = self.n_positive / self.n_samples
        wrong = 1 - right
        return 2 * positive * right / (2 * positive * right + wrong)

    def describe(self) -> dict:
        """Columns of the table."""
        return {"positives": self.share, "N": self.n_samples}


SETTINGS = {
    f"share{setting.share:g}_N{setting.n_samples}": setting
    for setting in (Rare(share, n) for share in (0.05, 0.1) for n in (50, 100, 200))
}


def methods_for(metric: str) -> dict:
    """Methods by the name that they have in the tables."""
    return {**{name: ANY_METRIC[name] for name in METHODS}, **ONLY.get(metric, {})}


def parts(setting: Rare) -> list[tuple[str, str]]:
    """Metric and method."""
    return [(metric, method) for metric in METRICS for method in methods_for(metric)]


def draw(setting: Rare, seed: np.random.SeedSequence, run_seed: int) -> Iterator[Part]:
    """Draw one data set, with folds stratified as scikit-learn would.

    Parameters
    ----------
    setting : Rare
        What to draw.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Not needed: nothing is shared among data sets.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    y = (np.arange(setting.n_samples) >= setting.n_samples - setting.n_positive).astype(int)
    scores = rng.standard_normal(setting.n_samples) + DISTANCE * y
    fold = np.arange(setting.n_samples) % N_FOLDS  # samples are sorted by class
    oof = OOFPredictions(y_true=y, y_pred=(scores > DISTANCE / 2).astype(int), fold=fold)
    for metric in METRICS:
        methods = methods_for(metric)
        run = {name: estimator(method, oof, metric) for name, method in methods.items()}
        yield Part(metric, {"truth": setting.truth(metric)}, run)


RARE = Study(
    name="rare",
    help="one configuration, few positives: metrics that treat classes apart",
    settings=SETTINGS,
    truths=("truth",),
    parts=parts,
    draw=draw,
    repetitions=1000,
)
