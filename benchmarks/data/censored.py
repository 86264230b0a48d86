"""Real data sets of right-censored times, and a Cox model that is fitted in a millisecond."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from benchmarks.data.real import FOLDER

NAMES = ("support", "rotterdam", "flchain")


@lru_cache(maxsize=3)
def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Features (n_samples, n_features), standardised, and target (n_samples, 2).

    Parameters
    ----------
    name : str
        One of `NAMES`, in the folder of data sets as ``surv-<name>.csv.gz``.
    """
    data = pd.read_csv(FOLDER / f"surv-{name}.csv.gz")
    y = np.column_stack([data.pop("event") == 1, data.pop("time")]).astype(float)
    numbers = data.select_dtypes("number").fillna(data.median(numeric_only=True))
    others = data.select_dtypes(exclude="number")
    if others.shape[1]:
        numbers = numbers.join(pd.get_dummies(others, drop_first=True, dtype=float))
    X = numbers.to_numpy(float)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


class RidgeCox:
    """Cox's model with a quadratic penalty, by Newton's method, and Breslow's baseline hazard.

    Parameters
    ----------
    penalty : float
        Half of it times the sum of squared coefficients is added to the negative partial
        log-likelihood.
    squares : bool
        Whether the squares of the features are features, too.
    """

    def __init__(self, penalty: float, squares: bool) -> None:
        self.penalty, self.squares = penalty, squares

    def fit(self, X: np.ndarray, y: np.ndarray) -> RidgeCox:
        """Fit on features (n_samples, n_features) and event and time (n_samples, 2)."""
        order = np.argsort(-y[:, 1], kind="stable")
        X, event, time = self._features(X)[order], y[order, 0] > 0, y[order, 1]
        # The last row with each time: everybody in front of it is at risk then.
        last = np.searchsorted(-time, -time[event], side="right") - 1
        coef = np.zeros(X.shape[1])
        for _ in range(20):
            hazard = np.exp(np.clip(X @ coef, -30, 30))
            total = np.cumsum(hazard)[last]
            first = np.cumsum(hazard[:, None] * X, axis=0)[last] / total[:, None]
            products = hazard[:, None, None] * X[:, :, None] * X[:, None, :]
            second = np.cumsum(products, axis=0)[last] / total[:, None, None]
            gradient = X[event].sum(axis=0) - first.sum(axis=0) - self.penalty * coef
            curvature = second.sum(axis=0) - first.T @ first
            step = np.linalg.solve(curvature + self.penalty * np.eye(len(coef)), gradient)
            coef = coef + step * min(1.0, 2.0 / max(np.abs(step).max(), 1e-12))
            if np.abs(step).max() < 1e-6:
                break
        self.coef_ = coef
        total = np.cumsum(np.exp(np.clip(X @ coef, -30, 30)))[last]
        self.times_ = time[event][::-1]
        self.hazard_ = np.cumsum(1 / total[::-1])
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Log of the hazard relative to the baseline, (n_samples,)."""
        return self._features(X) @ self.coef_

    def surviving(self, X: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Probabilities of surviving times (n_times,), (n_samples, n_times)."""
        passed = np.searchsorted(self.times_, times, side="right")
        baseline = np.append(0.0, self.hazard_)[passed]
        return np.exp(-np.outer(np.exp(np.clip(self.predict(X), -30, 30)), baseline))

    def _features(self, X: np.ndarray) -> np.ndarray:
        return np.hstack([X, X**2 - 1]) if self.squares else X
