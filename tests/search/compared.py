"""Searches to compare with a baseline."""

from types import SimpleNamespace

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV, OOFPredictions

rng = np.random.default_rng(0)
y = np.arange(90) % 2
X = rng.normal(size=(90, 3)) + 0.8 * y[:, None]
CV = StratifiedKFold(3, shuffle=True, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)


def fitted(estimator=TREE, grid=None, fit_params=None, **params):
    params = {"cv": CV, "scoring": "roc_auc", "random_state": 0, "ci": [], **params}
    grid = {"max_depth": [1, 2, 3]} if grid is None else grid
    return BBCSearchCV(estimator, grid, **params).fit(X, y, **(fit_params or {}))


def alone(n_splits=3, **fields):
    """A search of which only the record and the splitter are known."""
    tests = np.array_split(np.arange(90), n_splits)
    oof = OOFPredictions(
        y_true=y, responses={"predict": y[None]}, sample=np.concatenate(tests),
        fold=np.repeat(np.arange(n_splits), [len(test) for test in tests]), **fields,
    )  # fmt: skip
    return SimpleNamespace(oof_=oof, cv=KFold(n_splits))
