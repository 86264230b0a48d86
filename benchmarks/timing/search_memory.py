"""Memory of a whole search beside GridSearchCV, each in a process of its own."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.model_selection import GridSearchCV

from benchmarks.timing import footprint
from sklearn_bbc import BBCSearchCV
from sklearn_bbc.intervals import BBC

CODE = """
from benchmarks.timing.search_memory import growth
print(growth({kind!r}, {response!r}, {n_jobs}, {n_samples}, {n_configs}, {n_bootstraps}))
"""

SEARCHES: dict[str, dict[str, Any]] = {
    "predictions kept": {"ci": []},
    "and BBC": {"ci": None},
    "record=False": {"ci": [], "record": False},
}
RESPONSES = {
    "float64": ("roc_auc", 8), "float32": ("roc_auc", 4), "labels": ("accuracy", 1),
    "log loss": ("neg_log_loss", 8), "R2": ("r2", 8),
}  # fmt: skip
"""What is predicted -> the metric and the bytes of a prediction."""


class Column(ClassifierMixin, BaseEstimator):
    """Decides by one column and takes no memory of its own."""

    def __init__(self, tilt: float = 0, dtype: str = "float64"):
        self.tilt = tilt
        self.dtype = dtype

    def fit(self, X: np.ndarray, y: np.ndarray) -> Column:
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        return (X[:, 0] + self.tilt * X[:, 1]).astype(self.dtype)

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        positive = 1 / (1 + np.exp(-self.decision_function(X)))
        return np.column_stack([1 - positive, positive])

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


class Line(RegressorMixin, BaseEstimator):
    """Predicts by one column and takes no memory of its own."""

    def __init__(self, tilt: float = 0):
        self.tilt = tilt

    def fit(self, X: np.ndarray, y: np.ndarray) -> Line:
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return X[:, 0] + self.tilt * X[:, 1]


def growth(
    kind: str, response: str, n_jobs: int, n_samples: int, n_configs: int, n_bootstraps: int
) -> float:
    """How far this process grows during ``fit``, in MB, at its highest."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, 2))
    y = X[:, 0] + rng.normal(size=n_samples)
    scoring, _ = RESPONSES[response]
    if response != "R2":
        y = (y > 0).astype(int)

    def search(n: int, n_draws: int = n_bootstraps) -> Any:
        estimator = Line() if response == "R2" else Column()
        if response == "float32":
            estimator.set_params(dtype=response)
        grid = {"tilt": np.linspace(0, 5, n)}
        common = {"scoring": scoring, "cv": 5, "n_jobs": n_jobs}
        if kind == "GridSearchCV":
            return GridSearchCV(estimator, grid, **common)
        options = dict(SEARCHES[kind])
        if options["ci"] is None:
            options["ci"] = BBC(n_bootstraps=n_draws)
        return BBCSearchCV(estimator, grid, random_state=0, **options, **common)

    # Starts workers and loads what is loaded late. Small: memory that was used and freed
    # before would be used again, and not be seen.
    search(2, 20).fit(X[:1000], y[:1000])
    gc.collect()
    before = footprint.resident("VmRSS")
    footprint.forget_peak()
    kept = search(n_configs).fit(X, y)  # held: its predictions belong to the peak
    peak = footprint.resident("VmHWM") - before
    del kept
    return peak


def search_peaks(
    n_samples: int,
    n_configs: int,
    n_bootstraps: int,
    runs: int,
    *,
    answers: Sequence[str] = tuple(RESPONSES),
    searches: Sequence[str] = tuple(SEARCHES),
) -> pd.DataFrame:
    """Medians over fresh processes; "over GridSearchCV" is the difference of two growths."""
    rows = []
    for n_jobs in (1, 2):
        for response in answers:
            size = RESPONSES[response][1]
            predictions = n_samples * n_configs * size / 2**20

            def median(kind: str, response: str = response, n_jobs: int = n_jobs) -> float:
                code = CODE.format(
                    kind=kind, response=response, n_jobs=n_jobs, n_samples=n_samples,
                    n_configs=n_configs, n_bootstraps=n_bootstraps,
                )  # fmt: skip
                return float(np.median([footprint.fresh(code) for _ in range(runs)]))

            plain = median("GridSearchCV")
            for kind in searches:
                more = median(kind) - plain
                rows.append({
                    "search": kind, "answers": response, "processes": n_jobs, "N": n_samples,
                    "C": n_configs, "B": n_bootstraps,
                    "predictions, MB": predictions, "GridSearchCV, MB": plain,
                    "over GridSearchCV, MB": more, "over / predictions": more / predictions,
                })  # fmt: skip
    return pd.DataFrame(rows)


KEY = ["processes", "answers", "search", "N", "C", "B"]


def with_older(table: pd.DataFrame, path: Path, key: list[str]) -> pd.DataFrame:
    """New rows in the place of the older ones of their kind; these keep what made them."""
    older = pd.read_csv(path) if path.is_file() else table[:0]
    rows = pd.concat([table, older]).drop_duplicates(key)
    places = {name: k for names in (RESPONSES, SEARCHES) for k, name in enumerate(names)}
    return rows.sort_values(
        key,
        key=lambda column: column.map(lambda value: places.get(value, value)),
        ignore_index=True,
    )
