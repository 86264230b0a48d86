"""Simulated populations, learners, and cross-validation of which the truth is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from scipy.special import expit, ndtr
from sklearn.base import BaseEstimator, clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from sklearn_bbc import OOFPredictions

WEIGHTS = np.array([5, -4, 3, -2, 1]) / np.sqrt(55)
"""Of the first five independent parts in the logit."""

N_FOLDS = 5
POPULATION = 20000
"""Samples behind each truth: its own standard error is at most 0.004."""

LEARNERS = {
    "logistic regression": LogisticRegression(max_iter=500),
    "forest": RandomForestClassifier(n_estimators=25, min_samples_leaf=3, random_state=0),
    "naive Bayes": GaussianNB(),
    "LDA": LinearDiscriminantAnalysis(),
}
SCORES: Mapping[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "roc_auc": roc_auc_score,
    "accuracy": lambda y, probability: accuracy_score(y, probability > 0.5),
}
"""Metrics of the probability of class 1."""


class Source(Protocol):
    """Where data come from; hashable, for the population of each is kept."""

    def sample(self, n_samples: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw features and labels."""


@dataclass(frozen=True)
class TwoNormals:
    """Two classes of normal features, of which the first differs in mean.

    Attributes
    ----------
    n_features : int
        Number of features, independent, of variance 1.
    distance : float
        Between the means of the first feature.
    share : float
        Probability of class 1.
    """

    n_features: int
    distance: float
    share: float

    def sample(self, n_samples: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw features and labels.

        Parameters
        ----------
        n_samples : int
            How many.
        rng : Generator
            Source of randomness.
        """
        labels = (rng.random(n_samples) < self.share).astype(int)
        features = rng.standard_normal((n_samples, self.n_features))
        features[:, 0] += self.distance * labels
        return features, labels


@dataclass(frozen=True)
class Process:
    """Labels from a logistic model on normal features.

    Attributes
    ----------
    n_features : int
        Number of features; the first five matter, with falling weights.
    signal : float
        Standard deviation of the logit: 0.5 is hard, 4 is easy.
    curved : bool
        Whether half of the logit's variance is from products and squares of features, which a
        linear learner does not see.
    correlation : float, default=0.3
        Correlation of neighbouring features; it falls with their distance.
    """

    n_features: int
    signal: float
    curved: bool
    correlation: float = 0.3

    def sample(self, n_samples: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw features and labels.

        Parameters
        ----------
        n_samples : int
            How many.
        rng : Generator
            Source of randomness.
        """
        noise = rng.standard_normal((n_samples, self.n_features))
        features = noise.copy()
        for k in range(1, self.n_features):
            features[:, k] = self.correlation * features[:, k - 1]
            features[:, k] += np.sqrt(1 - self.correlation**2) * noise[:, k]
        # From the independent parts, so that the variance of the logit is known.
        logit = noise[:, :5] @ WEIGHTS
        if self.curved:
            bent = (noise[:, 0] * noise[:, 1] + (noise[:, 2] ** 2 - 1) / np.sqrt(2)) / np.sqrt(2)
            logit = (logit + bent) / np.sqrt(2)
        labels = rng.random(n_samples) < expit(self.signal * logit)
        return features, labels.astype(int)

    def auc(self, weights: np.ndarray) -> float:
        """AUC of a linear score in the whole population, without drawing a sample.

        Parameters
        ----------
        weights : ndarray of shape (n_features,)
            Of the score, as in ``coef_``.

        Returns
        -------
        float
            Exact but for rounding; 0.5 for weights of zero.

        Raises
        ------
        ValueError
            If the logit is curved: it must be linear.
        """
        if self.curved:
            raise ValueError("Only for a logit that is linear in the features.")
        # The score as a sum over the independent parts, the way back through `sample`.
        parts = np.array(weights, dtype=float)
        for k in range(self.n_features - 1, 0, -1):
            parts[k - 1] += self.correlation * parts[k]
            parts[k] *= np.sqrt(1 - self.correlation**2)
        length = np.linalg.norm(parts)
        if length == 0:
            return 0.5
        return _auc_of_normals(float(parts[:5] @ WEIGHTS / length), self.signal)


def _auc_of_normals(correlation: float, signal: float) -> float:
    """AUC of a score that is normal and correlated with the logit, which is normal, too.

    Of two samples let `u` and `v` be difference and sum of their logits, over sqrt(2) and
    `signal`: independent standard normals. The difference of their scores, given both, is normal
    with mean proportional to `u`.
    """
    u, share = _pairs(signal)
    noise = np.sqrt(max(1 - correlation**2, 1e-12))
    return float((share * ndtr(correlation * u / noise)).sum() / share.sum())


@lru_cache(maxsize=8)
def _pairs(signal: float) -> tuple[np.ndarray, np.ndarray]:
    """Differences `u`, and how often a positive and a negative sample differ by so much."""
    u = np.linspace(-9, 9, 3601)
    v, of_sum = np.polynomial.hermite_e.hermegauss(80)
    first, second = (u[:, None] + v) / np.sqrt(2), (v - u[:, None]) / np.sqrt(2)
    differ = (expit(signal * first) * expit(-signal * second)) @ of_sum
    return u, np.exp(-(u**2) / 2) * differ


@lru_cache(maxsize=4)
def population(process: Source, run_seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Large sample that stands for the truth, the same for every data set of a run."""
    return process.sample(POPULATION, np.random.default_rng([run_seed, 7919]))


@dataclass(frozen=True)
class CrossValidated:
    """One learner cross-validated on one data set, and how well its models really do.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features, for methods that train models of their own.
    y, probability, fold : ndarray of shape (n_samples,)
        Labels, out-of-fold probabilities of class 1, folds.
    fold_models : dict of str to float
        Metric -> mean true score of the models of the folds.
    final_model : dict of str to float
        Metric -> true score of the model refitted on all samples.
    """

    X: np.ndarray
    y: np.ndarray
    probability: np.ndarray
    fold: np.ndarray
    fold_models: Mapping[str, float]
    final_model: Mapping[str, float]

    def predictions(self, metric: str) -> OOFPredictions:
        """What the metric consumes."""
        pred = self.probability if metric == "roc_auc" else (self.probability > 0.5).astype(int)
        return OOFPredictions(y_true=self.y, y_pred=pred, fold=self.fold)


def cross_validate(
    learner: BaseEstimator,
    process: Source,
    n_samples: int,
    seed: np.random.SeedSequence,
    run_seed: int,
    *,
    stratified: bool = True,
) -> CrossValidated:
    """Draw a data set, cross-validate a learner on it, and score its models on the population.

    Parameters
    ----------
    learner : estimator
        What is fitted.
    process : Source
        Where the data come from.
    n_samples : int
        Size of the data set.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Seed of the population.
    stratified : bool, default=True
        Whether folds have equal shares of the classes.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    y = np.zeros(0)
    while np.bincount(y.astype(int), minlength=2).min() < N_FOLDS:  # every fold needs both classes
        X, y = process.sample(n_samples, rng)
    X_all, y_all = population(process, run_seed)
    probability, fold = np.empty(n_samples), np.empty(n_samples, dtype=int)
    truths = []
    folds = StratifiedKFold if stratified else KFold
    splitter = folds(N_FOLDS, shuffle=True, random_state=int(rng.integers(2**31)))
    for k, (train, test) in enumerate(splitter.split(X, y)):
        model = clone(learner).fit(X[train], y[train])
        probability[test] = model.predict_proba(X[test])[:, 1]
        fold[test] = k
        truths.append(true_scores(model, X_all, y_all))
    final = true_scores(clone(learner).fit(X, y), X_all, y_all)
    means = {metric: float(np.mean([truth[metric] for truth in truths])) for metric in SCORES}
    return CrossValidated(X, y, probability, fold, means, final)


def true_scores(model: BaseEstimator, X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """All metrics of a fitted model on the population."""
    probability = model.predict_proba(X)[:, 1]
    return {metric: float(score(y, probability)) for metric, score in SCORES.items()}
