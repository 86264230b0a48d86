"""``coverage.py ensembles``: greedy ensembles of tuned models on real data.

Six data sets with 100 training samples each, the rest held out; 60 configurations. The truth is
the hold-out score of the refitted ensemble, or of the refitted winner beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import SelectPercentile
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from benchmarks.data.real import encoded, train_and_rest
from benchmarks.harness.study import Part, Study
from benchmarks.studies.bias_real import SETTINGS
from benchmarks.studies.methods import at_its_word, estimator
from benchmarks.studies.noise import chosen
from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC
from sklearn_bbc.selection import BestScore, GreedyEnsemble

N_TRAIN = 100
N_FOLDS = 5
N_HELD_OUT = 5000
"""Of larger hold-outs so many rows are scored."""
METRIC = "roc_auc"
APPARENT, CORRECTED = "own out-of-fold score", "BBC"
RULES = {"greedy ensemble": GreedyEnsemble(10), "best score": BestScore()}


def _models() -> list[BaseEstimator]:
    strengths = np.logspace(-3, 2, 12)
    found: list[BaseEstimator] = [LogisticRegression(C=c, max_iter=200) for c in strengths]
    found += [
        make_pipeline(SelectPercentile(percentile=25), LogisticRegression(C=c, max_iter=200))
        for c in strengths
    ]
    found += [
        DecisionTreeClassifier(max_depth=depth, min_samples_leaf=leaf, random_state=0)
        for depth in (1, 2, 3, 5, None)
        for leaf in (1, 5, 10)
    ]
    found += [
        KNeighborsClassifier(k, weights=weights)
        for k in (3, 5, 9, 15, 25)
        for weights in ("uniform", "distance")
    ]
    found += [GaussianNB(var_smoothing=s) for s in (1e-9, 1e-6, 1e-3, 0.1, 1.0)]
    found += [
        ExtraTreesClassifier(20, min_samples_leaf=leaf, max_features=share, random_state=0)
        for leaf in (1, 3, 5)
        for share in ("sqrt", 0.5)
    ]
    return found


MODELS = _models()
"""60 configurations that predict probabilities; features are scaled first."""


@dataclass(frozen=True)
class Real:
    """A data set.

    Attributes
    ----------
    data : str
        Its name.
    """

    data: str

    def describe(self) -> dict[str, Any]:
        """Columns of the table."""
        return {"data": self.data, "N": N_TRAIN, "folds": N_FOLDS}


def parts(setting: Real) -> list[tuple[str, str]]:
    """Parts and methods."""
    return [(rule, method) for rule in RULES for method in (APPARENT, CORRECTED)]


def draw(setting: Real, seed: np.random.SeedSequence, run_seed: int) -> Iterator[Part]:
    """Draw training rows, cross-validate all models, and score what is reported on the rest.

    Parameters
    ----------
    setting : Real
        Where the rows come from.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Not needed: nothing is shared among data sets.
    """
    X, y = encoded(setting.data)
    for_rows, for_folds = seed.spawn(2)
    train, rest = train_and_rest(y, N_TRAIN, for_rows)
    rng = np.random.Generator(np.random.PCG64(for_folds))
    rest = rng.permutation(rest)[:N_HELD_OUT]
    X_train, y_train = X[train], y[train]
    oof = out_of_fold(X_train, y_train, int(rng.integers(2**31)))
    for part, rule in RULES.items():
        shares, apparent = chosen(rule, oof, METRIC)
        truth = roc_auc_score(y[rest], averaged(shares, X_train, y_train, X[rest]))
        yield Part(
            part,
            {"truth": float(truth)},
            {
                APPARENT: at_its_word(apparent, METRIC),
                CORRECTED: estimator(BBC(selection=rule), oof, METRIC),
            },
        )


def out_of_fold(X: np.ndarray, y: np.ndarray, seed: int) -> OOFPredictions:
    """Cross-validate every configuration.

    Parameters
    ----------
    X, y : ndarray
        Features and labels.
    seed : int
        Seed of the folds.
    """
    predicted, fold = np.empty((len(MODELS), len(y))), np.empty(len(y), dtype=int)
    splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    for k, (train, test) in enumerate(splitter.split(X, y)):
        scaler = StandardScaler().fit(X[train])
        seen, unseen = scaler.transform(X[train]), scaler.transform(X[test])
        fold[test] = k
        for config, model in enumerate(MODELS):
            fitted = clone(model).fit(seen, y[train])
            predicted[config, test] = fitted.predict_proba(unseen)[:, 1]
    return OOFPredictions.from_rows(y_true=y, responses={"predict_proba": predicted}, fold=fold)


def averaged(shares: np.ndarray, X: np.ndarray, y: np.ndarray, X_rest: np.ndarray) -> np.ndarray:
    """Probabilities of refitted configurations, averaged.

    Parameters
    ----------
    shares : ndarray of shape (n_configs,)
        Weights of the configurations.
    X, y : ndarray
        Training rows.
    X_rest : ndarray of shape (n_rest, n_features)
        Rows to predict.
    """
    scaler = StandardScaler().fit(X)
    seen, unseen = scaler.transform(X), scaler.transform(X_rest)
    mean = np.zeros(len(X_rest))
    for config in np.flatnonzero(shares):
        fitted = clone(MODELS[config]).fit(seen, y)
        mean += shares[config] * fitted.predict_proba(unseen)[:, 1]
    return mean


ENSEMBLES = Study(
    name="ensembles",
    help="greedy ensembles of 60 configurations on six real data sets, beside the best of them",
    settings={name: Real(name) for name in SETTINGS},
    truths=("truth",),
    parts=parts,
    draw=draw,
    repetitions=20,
    n_bootstraps=200,
)
