"""Predictions of two configurations, and what makes two objects equal."""

import numpy as np

from tests.made import made

Y = np.tile([0, 1], 6)
FOLD = np.arange(12) // 4
RNG = np.random.default_rng(0)
SCORES = RNG.random((12, 3))


def rectangle(**fields):
    return made(**{"y_true": Y, "y_pred": SCORES, "fold": FOLD, **fields})


def rows(**fields):
    """Three configurations, 12 rows, as a search records them."""
    responses = {"predict_proba": SCORES.T, "predict": (SCORES.T > 0.5).astype(int)}
    return made(**{"y_true": Y, "responses": responses, "fold": FOLD, **fields})
