"""Predictions with known scores per fold, and BBC-F by brute force."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions

PUBLISHED = np.array(
    [[0.70, 0.60, 0.66], [0.80, 0.90, 0.71], [0.50, 0.65, 0.72], [0.75, 0.55, 0.70]]
)
coarse = pytest.mark.filterwarnings("ignore:BBCF is coarse")


def of_folds(scores, **fields):
    return OOFPredictions(
        **{"y_true": [], "classes": None, "fold_scores": {"accuracy": scores}, **fields}
    )


def of_repeats(stack, **fields):
    """Fold scores of shape (n_repeats, n_folds, n_configs), 20 samples."""
    n_repeats, n_folds, _ = stack.shape
    fold = np.arange(20) % n_folds
    return of_folds(
        np.concatenate(stack),
        y_true=np.zeros(20),
        sample=np.tile(np.arange(20), n_repeats),
        fold=(fold + n_folds * np.arange(n_repeats)[:, None]).ravel(),
        **fields,
    )
