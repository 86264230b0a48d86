"""Searches with intervals."""

import numpy as np


def same(one, other):
    return (one.estimate, one.low, one.high) == (other.estimate, other.low, other.high)


def by_training(results):
    """A rule that cannot be repeated, since draws have no training scores; selects 2."""
    return int(results["mean_train_score"].argmax())


def besides_pooling(notes):
    """Notes but the one on scores of different folds, which every rank metric has."""
    pooling = ("Samples of different folds", "Mostly pooling")
    return [note for note in notes if not note.startswith(pooling)]


def recall(y_true, y_pred, of=1):
    return float(np.mean(y_pred[y_true == of] == of))
