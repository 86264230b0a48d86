"""Models that count, and how a scorer listens to them."""

from collections import Counter

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from sklearn_bbc.search._capture import RecordingOptions, RecordingScorer

X = np.random.RandomState(0).normal(size=(40, 3))
Y = (X[:, 0] > 0).astype(int)
MODEL = LogisticRegression().fit(X, Y)
OPTIONS = RecordingOptions(return_train_score=False, binary=True)
CALLS = Counter()


def recorded(scorer, model=MODEL, X=X, options=OPTIONS, **kwargs):
    return RecordingScorer(scorer, options)(model, X, Y[: len(X)], **kwargs)


class Counted(ClassifierMixin, BaseEstimator):
    """Sign of the first column; counts every call of every method."""

    def __init__(self, threshold=0.0):
        self.threshold = threshold

    def fit(self, X, y):
        CALLS["fit"] += 1
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        CALLS["decision_function"] += 1
        return X[:, 0] - self.threshold

    def predict(self, X):
        CALLS["predict"] += 1
        return self.classes_[(self.decision_function(X) > 0).astype(int)]

    def predict_proba(self, X):
        CALLS["predict_proba"] += 1
        positive = 1 / (1 + np.exp(-self.decision_function(X)))
        return np.column_stack([1 - positive, positive])

    def score(self, X, y):
        CALLS["score"] += 1
        return super().score(X, y)


class Unasked(ClassifierMixin, BaseEstimator):
    """Its own score asks no method that others can hear."""

    classes_ = np.array([0, 1])

    def fit(self, X, y):
        return self

    def predict(self, X):
        return (X[:, 0] > 0).astype(int)

    def score(self, X, y=None):
        return 0.5


def options(**fields):
    return RecordingOptions(**{"return_train_score": False, "binary": True, **fields})
