"""A search that takes no time: data, grid and options of several test files."""

from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.intervals import BBC

X, Y = make_classification(n_samples=90, n_features=6, flip_y=0.3, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)
GRID = {"max_depth": [1, 2, 4], "min_samples_leaf": [1, 5]}
FEW = BBC(n_bootstraps=40)


def search(estimator=TREE, grid=GRID, **options):
    defaults = {"cv": 5, "scoring": "roc_auc", "ci": FEW, "random_state": 0}
    return BBCSearchCV(estimator, grid, **{**defaults, **options})
