"""Predictions to try things on are what they say."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from sklearn_bbc.testing import example_predictions


@pytest.mark.parametrize("n_classes", [2, 3])
def test_sizes_folds_and_skill(n_classes):
    oof = example_predictions(n_samples=90, n_configs=3, n_folds=5, n_classes=n_classes, seed=1)
    assert (oof.n_samples, oof.n_configs, oof.n_splits, len(oof.classes_)) == (90, 3, 5, n_classes)
    for fold in range(5):
        held = np.bincount(oof.y_true[oof.fold == fold], minlength=n_classes)
        assert held.min() == held.max()
    proba = oof.responses["predict_proba"]
    scores = [roc_auc_score(oof.y_true, each, multi_class="ovr") for each in proba]
    assert 0.6 < scores[0] < scores[-1] < 1


def test_the_seed_makes_them():
    one, same, other = (example_predictions(seed=seed) for seed in (0, 0, 1))
    assert one == same and one != other
