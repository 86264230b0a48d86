"""Predictions so small that results are known."""

import numpy as np

from sklearn_bbc import OOFPredictions

Y6 = np.array([0, 0, 0, 1, 1, 1])
SCORES6 = np.array([[0.1, 0.4, 0.35, 0.8, 0.4, 0.9], [0.5, 0.2, 0.3, 0.6, 0.7, 0.25]]).T


def noisy(seed, n_samples=60, n_configs=5, shift=0.8, **fields):
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 2
    scores = rng.normal(size=(n_samples, n_configs)) + shift * y[:, None]
    return OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(n_samples) // 2 % 5, **fields)
