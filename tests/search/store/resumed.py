"""Searches of a store that were stopped, and what they are made of."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score

from .tallied import tally


def sometimes_failing(estimator, X, y):
    if estimator.max_depth == 2:
        raise ValueError("this scorer does not like two")
    return accuracy_score(y, estimator.predict(X))


class Silent(ClassifierMixin, BaseEstimator):
    """Answers nothing that a scorer could hear of."""

    def __init__(self, max_depth=1):
        self.max_depth = max_depth

    def fit(self, X, y):
        tally.count()
        self.classes_ = np.unique(y)
        return self

    def score(self, X, y):
        return 1 / (self.max_depth + len(y))


def resumed(model, arguments, folder, most, **params):
    """The search, stopped by an interrupt after `most` fits, and begun again."""
    model.store = str(folder)
    tally.begin(most)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*arguments, **params)
    assert "cv_results_" not in vars(model)
    n_before = tally.n
    tally.begin()
    model.fit(*arguments, **params)
    return n_before + tally.n
