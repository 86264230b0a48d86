"""Scores of the halves of 5x2 cross-validation, and folds with the classes spread evenly."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, roc_auc_score

from benchmarks.studies.compared_ridge import _area, _share_right, _stratified


def test_area_and_accuracy_are_scikit_learns():
    rng = np.random.default_rng(0)
    y, scores = np.arange(31) % 2, rng.normal(size=31)
    assert _area(y, scores) == pytest.approx(roc_auc_score(y, scores))
    assert _share_right(y, scores) == pytest.approx(accuracy_score(y, scores > 0))


def test_classes_are_spread_evenly():
    y = (np.arange(40) % 4 == 0).astype(int)
    fold = _stratified(y, 5, np.random.default_rng(0))
    assert np.bincount(fold[y == 1]).tolist() == [2] * 5
    assert np.bincount(fold[y == 0]).tolist() == [6] * 5
