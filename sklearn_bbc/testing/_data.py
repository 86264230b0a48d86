"""Predictions to try things on."""

from __future__ import annotations

import numpy as np

from ..predictions import OOFPredictions


def example_predictions(
    n_samples: int = 60, n_configs: int = 4, n_folds: int = 6, n_classes: int = 2, seed: int = 0
) -> OOFPredictions:
    """Out-of-fold scores of made-up classifiers, some better than others.

    Parameters
    ----------
    n_samples, n_configs, n_folds, n_classes : int
        Sizes. Folds are stratified.
    seed : int, default=0
        Seed of the scores.

    Returns
    -------
    OOFPredictions
        Probabilities, of the second class only where there are two.

    Examples
    --------
    >>> from sklearn_bbc.testing import example_predictions
    >>> example_predictions(n_samples=30, n_configs=2)
    OOFPredictions(n_samples=30, n_configs=2, n_splits=6, n_repeats=1, responses=['predict_proba'])
    """
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % n_classes
    skill = np.linspace(0.8, 1.6, n_configs)[:, None, None]
    logits = rng.normal(size=(n_configs, n_samples, n_classes))
    logits += skill * (y[:, None] == np.arange(n_classes))
    proba = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
    return OOFPredictions(
        y_true=y,
        responses={"predict_proba": proba},
        fold=np.arange(n_samples) // n_classes % n_folds,
    )
