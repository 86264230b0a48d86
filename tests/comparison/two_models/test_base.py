"""Tests of two models say that they take predictions of cross-validation as those of one model."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import Side, registered
from sklearn_bbc.comparison._two_models import OF_CROSS_VALIDATION, ModelComparison

Y = np.arange(60) % 2
LABELS = np.where(np.random.default_rng(0).random((60, 2)) < 0.2, 1 - Y[:, None], Y[:, None])
NAMES = [name for name, cls in registered().items() if issubclass(cls, ModelComparison)]


def test_all_of_them_are_known():
    assert NAMES == ["mcnemar", "paired_bootstrap", "paired_delong", "paired_t"]


@pytest.mark.parametrize("name", NAMES)
def test_cross_validation_is_told(name):
    method = registered()[name]()
    if "random_state" in method.get_params():
        method.set_params(random_state=0, n_bootstraps=200)
    found = {}
    for fold in (None, np.arange(60) % 4):
        oof = OOFPredictions(y_true=Y, y_pred=LABELS + (name == "paired_delong") * 0.0, fold=fold)
        sides = Side(oof=oof, config=0), Side(oof=oof, config=1)
        found[fold is None] = method.compare(
            *sides, "roc_auc" if name == "paired_delong" else "accuracy"
        )
    assert OF_CROSS_VALIDATION in found[False].details["notes"]
    assert OF_CROSS_VALIDATION not in found[True].details["notes"]
    assert tuple(found[True]) == tuple(found[False])
