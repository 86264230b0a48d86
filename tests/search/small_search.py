"""A search that takes no time: data, grid and options of several test files."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.metaestimators import available_if

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.intervals import BBC

X, Y = make_classification(n_samples=90, n_features=6, flip_y=0.3, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)
GRID = {"max_depth": [1, 4], "min_samples_leaf": [1, 5]}
FEW = BBC(n_bootstraps=40)


def search(estimator=TREE, grid=GRID, **options):
    defaults = {"cv": 5, "scoring": "roc_auc", "ci": FEW, "random_state": 0}
    return BBCSearchCV(estimator, grid, **{**defaults, **options})


class OftenWithoutRisks(BaseEstimator, ClassifierMixin):
    """Predict by a cut of the first feature; only some configurations have probabilities."""

    def __init__(self, cut=0.0, with_risks=True):
        self.cut, self.with_risks = cut, with_risks

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (X[:, 0] > self.cut).astype(int)

    @available_if(lambda self: self.with_risks)
    def predict_proba(self, X):
        p = 1 / (1 + np.exp(-4 * (X[:, 0] - self.cut)))
        return np.stack([1 - p, p], axis=1)
