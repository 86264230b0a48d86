"""Searches that record."""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV

X, Y = make_classification(n_samples=80, n_features=5, flip_y=0.2, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)
DEPTHS = {"max_depth": [1, 2, 3]}


def search(estimator=TREE, grid=DEPTHS, **options):
    return BBCSearchCV(estimator, grid, **{"cv": 4, "ci": [], **options})


WEIGHTS = np.random.RandomState(1).uniform(0.5, 2, size=80)
