"""Predictions to time: one kind of data per metric, from random numbers with a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, softmax

from benchmarks.simulate import Setting, simulate
from sklearn_bbc import OOFPredictions

SEED = 0


@dataclass(frozen=True, eq=False)
class Case:
    """Predictions of many configurations, as the package and as a plain loop see them.

    Attributes
    ----------
    oof : OOFPredictions
        For the package.
    y : ndarray of shape (n_samples,)
        Target.
    pred : ndarray of shape (n_configs, n_samples[, n_classes])
        Predictions; one configuration is one piece of memory, which favours the loop.
    scoring : str
        Name of the metric.
    """

    oof: OOFPredictions
    y: np.ndarray
    pred: np.ndarray
    scoring: str

    @property
    def n_strata(self) -> int:
        """Number of classes of which every draw needs a sample; 1 without classes."""
        return 1 if self.oof.classes_ is None else len(self.oof.classes_)

    def strata(self, rows: np.ndarray) -> set:
        """Classes among these rows."""
        if self.oof.classes_ is None:
            return {0} if len(rows) else set()
        return set(np.unique(self.y[rows]))


def make_case(
    name: str, n_samples: int, n_configs: int, n_folds: int = 10, seed: int = SEED
) -> Case:
    """Data for one metric.

    Parameters
    ----------
    name : str
        One of `CASES`.
    n_samples, n_configs, n_folds : int
        Size.
    seed : int, default=0
        Seed of the data.
    """
    scoring, draw = CASES[name]
    rng = np.random.default_rng(seed)
    y, pred = draw(rng, n_samples, n_configs)
    fold = np.arange(n_samples) % n_folds
    oof = OOFPredictions(y_true=y, y_pred=np.moveaxis(pred, 0, 1), fold=fold)
    return Case(oof=oof, y=y, pred=pred, scoring=scoring)


def _scores(rng: np.random.Generator, n_samples: int, n_configs: int) -> tuple:
    """Scores of two balanced classes with true AUCs ~ Beta(24, 6), as in the comparison."""
    setting = Setting(24, 6, n_samples, n_configs, 0.5)
    oof, _ = simulate(setting, np.random.SeedSequence(int(rng.integers(2**32))))
    # Samples in no order, as in a data set.
    order = rng.permutation(n_samples)
    pred = np.ascontiguousarray(oof.matrix("roc_auc")[order].T)
    return oof.y_true[order], pred


def _probabilities(rng: np.random.Generator, n_samples: int, n_configs: int) -> tuple:
    y, scores = _scores(rng, n_samples, n_configs)
    return y, expit(scores + 0.5)


def _labels(rng: np.random.Generator, n_samples: int, n_configs: int) -> tuple:
    y, scores = _scores(rng, n_samples, n_configs)
    return y, (scores > -0.5).astype(np.int64)


def _values(rng: np.random.Generator, n_samples: int, n_configs: int) -> tuple:
    y = rng.standard_normal(n_samples)
    noise = rng.uniform(0.3, 1.0, (n_configs, 1))
    return y, y + noise * rng.standard_normal((n_configs, n_samples))


def _four_classes(rng: np.random.Generator, n_samples: int, n_configs: int) -> tuple:
    y = rng.integers(0, 4, n_samples)
    logits = rng.standard_normal((n_configs, n_samples, 4))
    logits += rng.uniform(0.2, 1.5, (n_configs, 1, 1)) * (y[:, None] == np.arange(4))
    return y, softmax(logits, axis=2)


def _censored(rng: np.random.Generator, n_samples: int, n_configs: int) -> tuple:
    """Times to an event, a third of them censored; predictions are risks."""
    risk = rng.standard_normal(n_samples)
    time, end = rng.exponential(np.exp(-risk)), rng.exponential(2.0, n_samples)
    y = np.empty(n_samples, dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = time <= end, np.minimum(time, end)
    noise = rng.uniform(0.3, 1.5, (n_configs, 1))
    return y, risk + noise * rng.standard_normal((n_configs, n_samples))


CASES: dict[str, tuple[str, Callable[..., tuple]]] = {
    "roc_auc": ("roc_auc", _scores),
    "accuracy": ("accuracy", _labels),
    "log loss": ("neg_log_loss", _probabilities),
    "F1": ("f1", _labels),
    "R2": ("r2", _values),
    "average precision": ("average_precision", _scores),
    "concordance index": ("concordance_index", _censored),
    "multiclass ovo AUC, 4 classes": ("roc_auc_ovo", _four_classes),
}
"""Name -> metric and how its data are drawn."""
