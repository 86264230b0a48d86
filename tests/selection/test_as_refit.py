"""AsRefit: a rule as the refit of a search."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

from sklearn_bbc.selection import AsRefit, BestScore, OneStandardError, WithThreshold

GRID = {"n_neighbors": [1, 5, 15, 45, 90]}
SIMPLER = OneStandardError([("n_neighbors", "larger is simpler")])


def test_a_search_refits_what_the_rule_selects():
    X, y = load_iris(return_X_y=True)
    plain = GridSearchCV(KNeighborsClassifier(), GRID).fit(X, y)
    best = GridSearchCV(KNeighborsClassifier(), GRID, refit=AsRefit(BestScore())).fit(X, y)
    assert best.best_index_ == plain.best_index_
    simple = GridSearchCV(KNeighborsClassifier(), GRID, refit=AsRefit(SIMPLER)).fit(X, y)
    results = plain.cv_results_
    scores = np.array([results[f"split{k}_test_score"] for k in range(5)])
    means, errors = scores.mean(axis=0), scores.std(axis=0, ddof=1) / np.sqrt(5)
    good = means >= means.max() - errors[means.argmax()]
    assert simple.best_index_ == np.flatnonzero(good).max() > plain.best_index_


def test_what_is_not_there_is_named():
    X, y = load_iris(return_X_y=True)
    results = GridSearchCV(KNeighborsClassifier(), GRID).fit(X, y).cv_results_
    with pytest.raises(ValueError, match=r"no split\*_test_auc; it has"):
        AsRefit(SIMPLER, "auc")(results)
    with pytest.raises(ValueError, match="single samples"):
        AsRefit(WithThreshold("f1"))(results)
