"""``coverage.py bias --real``: what nested cross-validation costs and buys on real data.

Six pipelines on six data sets with 100 training samples each, the rest held out. The truth is the
hold-out score of the refitted winner. Every time is for everything that a user needs: the final
model and its estimate, so nested cross-validation includes the search that gives the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from benchmarks.data.real import encoded, train_and_rest
from benchmarks.harness.study import Part, Study
from sklearn_bbc import BBCSearchCV, ConfidenceInterval
from sklearn_bbc.intervals import BBC, NestedCV

N_TRAIN = 100
N_FOLDS = 5
N_REPEATS = 3
SCORING = "roc_auc"
METHODS = ("best CV score", "nested CV", f"nested CV, {N_REPEATS} repeats", "BBC")


@dataclass(frozen=True)
class Point:
    """An estimate without an interval, in the form in which studies take results.

    Attributes
    ----------
    estimate : float
        The estimate.
    details : dict
        Empty.
    """

    estimate: float
    details: dict[str, Any] = field(default_factory=dict)

    def __iter__(self) -> Iterator[float]:
        return iter((np.nan, np.nan))


@dataclass(frozen=True)
class Pipe:
    """A data set, a kind of model and the grid that is searched.

    Attributes
    ----------
    data : str
        Name of the data set.
    kind : str
        Kind of model, for the table.
    model : tuple of estimator
        Steps after scaling.
    grid : dict
        What to search.
    """

    data: str
    kind: str
    model: tuple[BaseEstimator, ...]
    grid: dict[str, list]

    def describe(self) -> dict[str, Any]:
        """Columns of the table."""
        return {"data": self.data, "pipeline": self.kind, "N": N_TRAIN}

    def pipeline(self) -> BaseEstimator:
        """The whole pipeline; features are scaled first."""
        return make_pipeline(StandardScaler(), *self.model)


SETTINGS = {
    setting.data: setting
    for setting in (
        Pipe("credit-g", "logistic regression", (LogisticRegression(max_iter=1000),),
             {"logisticregression__C": np.logspace(-3, 2, 12).tolist()}),
        Pipe("spambase", "support vectors", (SVC(),),
             {"svc__C": [0.1, 1.0, 10.0, 100.0], "svc__gamma": [0.001, 0.01, 0.1, 1.0]}),
        Pipe("phoneme", "decision tree", (DecisionTreeClassifier(random_state=0),),
             {"decisiontreeclassifier__max_depth": [1, 2, 3, 5, None],
              "decisiontreeclassifier__min_samples_leaf": [1, 2, 5, 10]}),
        Pipe("phishing-websites", "support vectors, polynomial", (SVC(kernel="poly", coef0=1.0),),
             {"svc__C": [0.01, 0.1, 1.0, 10.0], "svc__degree": [1, 2, 3, 4]}),
        Pipe("nomao", "forest", (RandomForestClassifier(10, random_state=0),),
             {"randomforestclassifier__max_features": [0.05, 0.3],
              "randomforestclassifier__min_samples_leaf": [1, 5]}),
        Pipe("bank-marketing", "selected features, naive Bayes", (SelectKBest(), GaussianNB()),
             {"selectkbest__k": [2, 5, 10, 20],
              "gaussiannb__var_smoothing": [1e-9, 1e-3, 0.1, 1.0]}),
    )
}  # fmt: skip


def draw(setting: Pipe, seed: np.random.SeedSequence, run_seed: int) -> Iterator[Part]:
    """Draw training rows, find the winner and its score on the hold-out.

    Parameters
    ----------
    setting : Pipe
        Data and models.
    seed : SeedSequence
        Seed of the data set.
    run_seed : int
        Not needed: nothing is shared among data sets.
    """
    X, y = encoded(setting.data)
    for_rows, for_folds = seed.spawn(2)
    train, rest = train_and_rest(y, N_TRAIN, for_rows)
    X_train, y_train = X[train], y[train]
    inner, outer = (int(state) for state in for_folds.generate_state(2))
    search = GridSearchCV(
        setting.pipeline(),
        setting.grid,
        scoring=SCORING,
        cv=StratifiedKFold(N_FOLDS, shuffle=True, random_state=inner),
    )
    winner = search.fit(X_train, y_train)
    truth = roc_auc_score(y[rest], _decisions(winner, X[rest]))

    def best(n_bootstraps: int, seed: int) -> Point:
        return Point(float(search.fit(X_train, y_train).best_score_))

    def bbc(n_bootstraps: int, seed: int) -> ConfidenceInterval:
        tuned = BBCSearchCV(
            search.estimator, setting.grid, scoring=SCORING, cv=search.cv,
            ci=BBC(n_bootstraps=n_bootstraps, random_state=seed),
        )  # fmt: skip
        return tuned.fit(X_train, y_train).ci_

    def nested(repeats: int) -> Callable[[int, int], ConfidenceInterval]:
        cv = RepeatedStratifiedKFold(n_splits=N_FOLDS, n_repeats=repeats, random_state=outer)

        def run(n_bootstraps: int, seed: int) -> ConfidenceInterval:
            method = NestedCV(cv=cv, corrected_t=True, verbose=0)
            result = method.estimate(search, X_train, y_train)
            search.fit(X_train, y_train)  # the model itself
            return result

        return run

    yield Part(
        SCORING,
        {"truth": float(truth)},
        dict(zip(METHODS, (best, nested(1), nested(N_REPEATS), bbc), strict=True)),
    )


def _decisions(model: BaseEstimator, X: np.ndarray) -> np.ndarray:
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    return model.predict_proba(X)[:, 1]


REAL = Study(
    name="bias_real",
    help="nested cross-validation, repeated nested cross-validation and BBC on real data",
    settings=SETTINGS,
    truths=("truth",),
    parts=lambda setting: [(SCORING, method) for method in METHODS],
    draw=draw,
    repetitions=50,
    n_bootstraps=1000,
)
