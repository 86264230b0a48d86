"""Memory of a whole search beside GridSearchCV, each in a process of its own."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
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
RESPONSES = {"float64": ("roc_auc", 8), "float32": ("roc_auc", 4), "labels": ("accuracy", 1)}


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

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


def growth(
    kind: str, response: str, n_jobs: int, n_samples: int, n_configs: int, n_bootstraps: int
) -> float:
    """How far this process grows during ``fit``, in MB, at its highest."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, 2))
    y = (X[:, 0] + rng.normal(size=n_samples) > 0).astype(int)
    scoring, _ = RESPONSES[response]
    dtype = "float64" if response == "labels" else response

    def search(n: int) -> Any:
        grid = {"tilt": np.linspace(0, 5, n)}
        common = {"scoring": scoring, "cv": 5, "n_jobs": n_jobs}
        if kind == "GridSearchCV":
            return GridSearchCV(Column(dtype=dtype), grid, **common)
        options = dict(SEARCHES[kind])
        if options["ci"] is None:
            options["ci"] = BBC(n_bootstraps=n_bootstraps)
        return BBCSearchCV(Column(dtype=dtype), grid, random_state=0, **options, **common)

    search(2).fit(X, y)  # starts workers, loads what is loaded late
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
