"""``coverage.py single``: one configuration, nothing trained, nothing selected.

Samples are independent, scores are normal within each class, and the model is the same in every
fold. Nothing is wrong with any assumption here except those about the folds, so an interval that
does not hold its level misses it for reasons of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit, logit
from scipy.stats import norm

from benchmarks.harness.study import Part, Study
from benchmarks.studies.methods import intervals, pairs
from sklearn_bbc import OOFPredictions

METRICS = ("roc_auc", "accuracy", "f1", "neg_log_loss")
N_FOLDS = 5
PRIOR = 0.1
"""Share of positives that the probabilities are made for. There are more, so one class loses more
than the other, and an interval must know that the shares of the classes vary."""


@dataclass(frozen=True)
class Single:
    """Normal scores of two equally likely classes.

    Attributes
    ----------
    auc : float
        True area under the ROC curve.
    n_samples : int
        Size of a data set.
    """

    auc: float
    n_samples: int

    @property
    def distance(self) -> float:
        """Distance of the classes: P(X1 > X0) = Phi(distance / sqrt(2)) is the AUC."""
        return float(np.sqrt(2) * norm.ppf(self.auc))

    @property
    def accuracy(self) -> float:
        """Share of right decisions at the middle between the classes, the same in both.

        With equally likely classes precision, recall and F1 have this value too.
        """
        return float(norm.cdf(self.distance / 2))

    def log_odds(self, scores: np.ndarray) -> np.ndarray:
        """Log odds of the positive class that a score stands for when `PRIOR` is its share."""
        return self.distance * scores - self.distance**2 / 2 + logit(PRIOR)

    @property
    def log_loss(self) -> float:
        """Mean of the logarithm of the probability of the true class, by Gauss-Hermite nodes."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(200)
        positive = log_expit(self.log_odds(nodes + self.distance))
        negative = log_expit(-self.log_odds(nodes))
        return float(weights @ (positive + negative) / (2 * weights.sum()))

    def describe(self) -> dict:
        """Columns of the table."""
        return {"true_auc": self.auc, "N": self.n_samples}


SETTINGS = {
    f"auc{setting.auc:g}_N{setting.n_samples}": setting
    for setting in (Single(0.8, 100), Single(0.8, 500), Single(0.97, 100))
}


def draw(setting: Single, seed: np.random.SeedSequence, run_seed: int) -> Iterator[Part]:
    """Draw one data set: labels by coin flips, folds stratified as scikit-learn would.

    Parameters
    ----------
    setting : Single
        What to draw.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Not needed: nothing is shared among data sets.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    y = np.sort(rng.integers(0, 2, setting.n_samples))
    scores = rng.standard_normal(setting.n_samples) + setting.distance * y
    fold = np.arange(setting.n_samples) % N_FOLDS  # samples are sorted by class
    decisions = (scores > setting.distance / 2).astype(int)
    for metric in METRICS:
        pred, truth = {
            "roc_auc": (scores, setting.auc),
            "neg_log_loss": (expit(setting.log_odds(scores)), setting.log_loss),
        }.get(metric, (decisions, setting.accuracy))
        oof = OOFPredictions(y_true=y, y_pred=pred, fold=fold)
        yield Part(metric, {"truth": truth}, intervals(oof, metric))


SINGLE = Study(
    name="single",
    help="one configuration, no training, no selection: every sound method must hold its level",
    settings=SETTINGS,
    truths=("truth",),
    parts=lambda setting: pairs(METRICS),
    draw=draw,
    repetitions=1000,
)
