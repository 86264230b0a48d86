"""Data sets on which real models are tuned, with the truth of every refitted configuration.

Each setting is one thing that can go wrong: nothing to find, signal that only some learners see,
few samples of a class, features that say the same, heavy tails, repeated cross-validation, samples
that come in groups with effects of their own.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import expit
from scipy.stats import rankdata
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedGroupKFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import OOFPredictions

POPULATION = 10000
"""Samples behind each truth: its own standard error is at most 0.005."""
LABELS = ("accuracy", "balanced_accuracy")
"""Metrics of labels, the others are of probabilities."""


@dataclass(frozen=True, eq=False)
class Tuned:
    """Out-of-fold probabilities of all configurations on one data set.

    Attributes
    ----------
    y : ndarray of shape (n_samples,)
        Labels 0 and 1.
    probability : ndarray of shape (n_repeats, n_samples, n_configs)
        Of class 1.
    fold : ndarray of shape (n_repeats, n_samples)
        Folds, from 0 in each repeat.
    truth : dict of str to ndarray of shape (n_configs,)
        Metric -> score of each refitted configuration on the population.
    groups : ndarray of shape (n_samples,) or None
        Samples of one group depend on each other.
    """

    y: np.ndarray
    probability: np.ndarray
    fold: np.ndarray
    truth: Mapping[str, np.ndarray]
    groups: np.ndarray | None = None

    def predictions(self, metric: str) -> OOFPredictions:
        """What a metric consumes.

        Parameters
        ----------
        metric : str
            Name of the metric.
        """
        pred = self.probability
        if metric in LABELS:
            pred = (pred > 0.5).astype(int)
        fold = self.fold
        if len(fold) == 1:
            pred, fold = pred[0], fold[0]
        return OOFPredictions(y_true=self.y, y_pred=pred, fold=fold, groups=self.groups)


@dataclass(frozen=True)
class Generated:
    """A population and how models are tuned on samples of it.

    Attributes
    ----------
    kind : str
        Name.
    n_samples : int
        Size of a data set.
    signal : float
        Standard deviation of the logit; 0 is nothing to find.
    interactions : bool
        Whether the logit is made of products of features.
    offset : float
        Added to the logit: far from 0 one class is rare.
    correlation : float
        Correlation of neighbouring features.
    heavy_tails : bool
        Whether features have Student's t distribution with 2 degrees of freedom.
    n_repeats : int
        Repeats of the cross-validation.
    group_size : int
        Samples per group; 1 is no groups. A group shifts features and logit of its samples.
    n_folds, n_features : int
        Further sizes.
    """

    kind: str
    n_samples: int = 100
    signal: float = 2.0
    interactions: bool = False
    offset: float = 0.0
    correlation: float = 0.0
    heavy_tails: bool = False
    n_repeats: int = 1
    group_size: int = 1
    n_folds: int = 5
    n_features: int = 10

    @property
    def grouped(self) -> bool:
        """Whether samples come in groups."""
        return self.group_size > 1

    @property
    def repeated(self) -> bool:
        """Whether samples are predicted several times."""
        return self.n_repeats > 1

    def describe(self) -> dict[str, Any]:
        """Columns of the table."""
        return {"data": self.kind, "N": self.n_samples, "folds": self.n_folds}

    def sample(
        self, n_samples: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw features, labels and groups.

        Parameters
        ----------
        n_samples : int
            How many; whole groups.
        rng : Generator
            Source of randomness.
        """
        shape = (n_samples, self.n_features)
        features = rng.standard_normal(shape)
        for k in range(1, self.n_features):
            features[:, k] *= np.sqrt(1 - self.correlation**2)
            features[:, k] += self.correlation * features[:, k - 1]
        informative = features[:, :4]
        if self.interactions:
            score = (
                informative[:, 0] * informative[:, 1] + informative[:, 2] * informative[:, 3]
            ) / np.sqrt(2)
        else:
            apart = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
            score = informative.sum(axis=1) / np.sqrt((self.correlation**apart).sum())
        logit = self.signal * score + self.offset
        groups = np.arange(n_samples) // self.group_size
        if self.grouped:
            n_groups = groups[-1] + 1
            # A model can recognise a group that it has seen, and with it its labels.
            logit += 2 * rng.standard_normal(n_groups)[groups]
            features += 1.5 * rng.standard_normal((n_groups, self.n_features))[groups]
        y = (rng.random(n_samples) < expit(logit)).astype(int)
        if self.heavy_tails:
            features /= np.sqrt(rng.chisquare(2, n_samples) / 2)[:, None]
        return features, y, groups

    def draw(self, seed: np.random.SeedSequence, run_seed: int) -> Tuned:
        """Draw one data set, tune on it, refit every configuration.

        Parameters
        ----------
        seed : SeedSequence
            Seed of the data set.
        run_seed : int
            Seed of the population.
        """
        rng = np.random.Generator(np.random.PCG64(seed))
        while True:
            X, y, groups = self.sample(self.n_samples, rng)
            splits = self._splits(X, y, groups, int(rng.integers(2**31)))
            # Every fold needs both classes, and every training set.
            if all(len(np.unique(y[part])) == 2 for split in splits for part in split):
                break
        X_all, y_all, _ = population(self, run_seed)
        models = configurations()
        shape = (self.n_repeats, self.n_samples)
        probability, fold = np.empty((*shape, len(models))), np.empty(shape, dtype=int)
        for k, (_, test) in enumerate(splits):
            fold[k // self.n_folds, test] = k % self.n_folds
        truths: dict[str, list[float]] = {}
        quick = config_context(assume_finite=True, skip_parameter_validation=True)
        with warnings.catch_warnings(), quick:
            # Fewer iterations than full convergence are one of the configurations' faults.
            warnings.simplefilter("ignore")
            for c, model in enumerate(models):
                for k, (train, test) in enumerate(splits):
                    fitted = clone(model).fit(X[train], y[train])
                    repeat = k // self.n_folds
                    probability[repeat, test, c] = fitted.predict_proba(X[test])[:, 1]
                of_all = clone(model).fit(X, y).predict_proba(X_all)[:, 1]
                for metric, score in true_scores(y_all, of_all).items():
                    truths.setdefault(metric, []).append(score)
        return Tuned(
            y=y,
            probability=probability,
            fold=fold,
            truth={metric: np.array(scores) for metric, scores in truths.items()},
            groups=groups if self.grouped else None,
        )

    def _splits(self, X: np.ndarray, y: np.ndarray, groups: np.ndarray, seed: int) -> list[tuple]:
        if np.bincount(y, minlength=2).min() < self.n_folds:
            return [(np.zeros(0, int), np.zeros(0, int))]  # too few of a class: drawn again
        if self.grouped:
            splitter = StratifiedGroupKFold(self.n_folds, shuffle=True, random_state=seed)
        elif self.n_repeats > 1:
            splitter = RepeatedStratifiedKFold(
                n_splits=self.n_folds, n_repeats=self.n_repeats, random_state=seed
            )
        else:
            splitter = StratifiedKFold(self.n_folds, shuffle=True, random_state=seed)
        return list(splitter.split(X, y, groups if self.grouped else None))


SETTINGS = {
    setting.kind: setting
    for setting in (
        Generated("null", signal=0.0, n_samples=50),
        Generated("linear"),
        Generated("interaction", interactions=True, signal=4.0, n_features=6),
        Generated("imbalanced", offset=-3.0, n_samples=200),
        Generated("correlated", correlation=0.9),
        Generated("heavy-tailed", heavy_tails=True),
        Generated("repeated-CV", n_repeats=5, n_samples=60),
        Generated("grouped", group_size=5),
    )
}


@lru_cache(maxsize=2)
def population(setting: Generated, run_seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Large sample that stands for the truth; its groups are others than those of a data set."""
    return setting.sample(POPULATION, np.random.default_rng([run_seed, 104729]))


@lru_cache(maxsize=1)
def configurations() -> tuple[BaseEstimator, ...]:
    """Thirty models of four kinds; one fit takes a millisecond or two."""
    models: list[BaseEstimator] = [
        make_pipeline(StandardScaler(), LogisticRegression(C=float(c), max_iter=200))
        for c in np.logspace(-3, 2, 10)
    ]
    models += [
        make_pipeline(StandardScaler(), KNeighborsClassifier(k, weights=weights))
        for k in (1, 3, 7, 15)
        for weights in ("uniform", "distance")
    ]
    models += [
        DecisionTreeClassifier(max_depth=depth, min_samples_leaf=leaf, random_state=0)
        for depth in (1, 2, 4, None)
        for leaf in (1, 5)
    ]
    models += [GaussianNB(var_smoothing=float(v)) for v in (1e-9, 1e-2, 0.1, 1.0)]
    return tuple(models)


def true_scores(y: np.ndarray, probability: np.ndarray) -> dict[str, float]:
    """All metrics, greater is better.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Labels.
    probability : ndarray of shape (n_samples,)
        Of class 1.
    """
    # Without the checks of scikit-learn's functions, which take most of their time here.
    positive = y == 1
    n_positive, n_negative = int(positive.sum()), int((~positive).sum())
    right = (probability > 0.5) == positive
    above = rankdata(probability)[positive].sum() - n_positive * (n_positive + 1) / 2
    tiny = np.finfo(probability.dtype).eps
    of_truth = np.where(positive, probability, 1 - probability).clip(tiny, 1 - tiny)
    return {
        "roc_auc": float(above / (n_positive * n_negative)),
        "accuracy": float(right.mean()),
        "balanced_accuracy": float((right[positive].mean() + right[~positive].mean()) / 2),
        "neg_log_loss": float(np.log(of_truth).mean()),
    }
