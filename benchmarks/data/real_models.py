"""The search of the real-data comparison: feature selection times models, out-of-fold scores.

The space mirrors that of the published comparison, which ran on a commercial platform: no feature
selection, a univariate one and LASSO; decision trees, random forests, ridge logistic regression,
support vector machines with linear, polynomial and Gaussian kernels. It is not the same space, so
the numbers cannot be the same either.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from benchmarks.harness import record
from sklearn_bbc import OOFPredictions

MAX_FOLDS = 10


def _all_features(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.ones(X.shape[1], dtype=bool)


def _correlation(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Absolute correlation of each scaled column with the labels."""
    return np.abs((X * (y - y.mean())[:, None]).mean(axis=0))


def _best_quarter(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    strength = _correlation(X, y)
    chosen = np.zeros(len(strength), dtype=bool)
    chosen[np.argsort(-strength, kind="stable")[: max(1, len(strength) // 4)]] = True
    return chosen


def _lasso(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    chosen = Lasso(alpha=0.05).fit(X, y).coef_ != 0
    return chosen if chosen.any() else _correlation(X, y) == _correlation(X, y).max()


SELECTIONS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "all": _all_features,
    "best quarter": _best_quarter,
    "LASSO": _lasso,
}
"""Name -> which columns to keep, given scaled features and labels."""


def _models() -> dict[str, BaseEstimator]:
    found: dict[str, BaseEstimator] = {}
    for leaf in (1, 3, 5):
        found[f"tree, leaf {leaf}"] = DecisionTreeClassifier(min_samples_leaf=leaf, random_state=0)
    for leaf in (1, 3):
        for share in ("sqrt", 0.5):
            found[f"forest, leaf {leaf}, features {share}"] = RandomForestClassifier(
                30, min_samples_leaf=leaf, max_features=share, random_state=0
            )
    for c in (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 10.0):
        found[f"logistic, C {c:g}"] = LogisticRegression(C=c, max_iter=1000)
    for c in (0.01, 0.1, 1.0, 10.0):
        found[f"linear SVM, C {c:g}"] = SVC(kernel="linear", C=c, max_iter=20000)
    for c in (0.1, 1.0, 10.0):
        for degree in (2, 3):
            found[f"polynomial SVM, degree {degree}, C {c:g}"] = SVC(
                kernel="poly", degree=degree, coef0=1.0, C=c, max_iter=20000
            )
        for gamma in ("scale", 0.01, 0.1):
            found[f"Gaussian SVM, gamma {gamma}, C {c:g}"] = SVC(C=c, gamma=gamma, max_iter=20000)
    return found


MODELS = _models()
CONFIGURATIONS = [(selection, model) for selection in SELECTIONS for model in MODELS]
"""Every pair of selection and model, 102 of them."""


class Fitted:
    """A configuration fitted on some rows.

    Parameters
    ----------
    selection, model : str
        Names.
    X : ndarray of shape (n_samples, n_columns)
        Features.
    y : ndarray of shape (n_samples,)
        Labels.
    """

    def __init__(self, selection: str, model: str, X: np.ndarray, y: np.ndarray) -> None:
        self.scaler = StandardScaler().fit(X)
        scaled = self.scaler.transform(X)
        self.chosen = SELECTIONS[selection](scaled, y)
        self.model = fit(model, scaled[:, self.chosen], y)

    def scores(self, X: np.ndarray) -> np.ndarray:
        """Scores of class 1.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns)
            Features.
        """
        return scores(self.model, self.scaler.transform(X)[:, self.chosen])


def fit(model: str, X: np.ndarray, y: np.ndarray) -> BaseEstimator:
    """Fit a model by name, without complaints about convergence.

    Parameters
    ----------
    model : str
        Name in `MODELS`.
    X, y : ndarray
        Features and labels.
    """
    with warnings.catch_warnings():
        # An SVM that is stopped early is a worse configuration, no more.
        warnings.simplefilter("ignore")
        return clone(MODELS[model]).fit(X, y)


def scores(model: BaseEstimator, X: np.ndarray) -> np.ndarray:
    """Decision values where there are any, else probabilities, of class 1."""
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    return model.predict_proba(X)[:, 1]


def out_of_fold(X: np.ndarray, y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Cross-validate every configuration.

    Scaling and feature selection are learned anew in each fold, once for all models.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_columns)
        Features.
    y : ndarray of shape (n_samples,)
        Labels 0 and 1.
    seed : int
        Seed of the folds: ten, or as many as the smaller class has samples.

    Returns
    -------
    predicted : ndarray of shape (n_samples, n_configs)
        Scores of class 1.
    fold : ndarray of shape (n_samples,)
        Fold of each sample.
    """
    n_folds = int(min(MAX_FOLDS, np.bincount(y).min()))
    predicted = np.full((len(y), len(CONFIGURATIONS)), np.nan)
    fold = np.empty(len(y), dtype=int)
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    for k, (train, test) in enumerate(splitter.split(X, y)):
        fold[test] = k
        scaler = StandardScaler().fit(X[train])
        seen, unseen = scaler.transform(X[train]), scaler.transform(X[test])
        for s, (selection, choose) in enumerate(SELECTIONS.items()):
            chosen = choose(seen, y[train])
            for m, model in enumerate(MODELS):
                fitted = fit(model, seen[:, chosen], y[train])
                column = s * len(MODELS) + m
                assert CONFIGURATIONS[column] == (selection, model)
                predicted[test, column] = scores(fitted, unseen[:, chosen])
    return predicted, fold


class Split:
    """One split of a data set: predictions and truths, kept on disk.

    Parameters
    ----------
    path : Path
        File without its ending; ``.npz`` has the predictions, ``.json`` the truths.
    X, y : ndarray
        The whole data set.
    train, rest : ndarray of int
        Rows to train on, and the hold-out.
    seed : int
        Seed of the folds.
    """

    def __init__(
        self,
        path: Path,
        X: np.ndarray,
        y: np.ndarray,
        train: np.ndarray,
        rest: np.ndarray,
        seed: int,
    ) -> None:
        self.X, self.y, self.train, self.rest = X, y, train, rest
        self._truths_file = path.with_suffix(".json")
        file = path.with_suffix(".npz")
        if file.is_file():
            with np.load(file) as stored:
                predicted, fold = stored["predicted"], stored["fold"]
                if not np.array_equal(stored["train"], train):
                    raise ValueError(f"{file} is about other rows: remove it.")
        else:
            predicted, fold = out_of_fold(X[train], y[train], seed)
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(".part")
            with part.open("wb") as stream:
                np.savez_compressed(stream, predicted=predicted, fold=fold, train=train)
            part.replace(file)
        self.oof = OOFPredictions(y_true=y[train], y_pred=predicted, fold=fold)

    def truth(self, config: int) -> float:
        """Hold-out AUC of a configuration refitted on all training rows.

        Parameters
        ----------
        config : int
            Number in `CONFIGURATIONS`.
        """
        known = {}
        if self._truths_file.is_file():
            known = json.loads(self._truths_file.read_text(encoding="utf-8"))
        name = " / ".join(CONFIGURATIONS[config])
        if name not in known:
            fitted = Fitted(*CONFIGURATIONS[config], self.X[self.train], self.y[self.train])
            predicted = fitted.scores(self.X[self.rest])
            known[name] = float(roc_auc_score(self.y[self.rest], predicted))
            record.replace(self._truths_file, json.dumps(known, indent=1) + "\n")
        return known[name]
