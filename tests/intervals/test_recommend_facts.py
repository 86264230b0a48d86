"""Facts that recommendations rest on."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals._recommend import Facts, smallest_class
from sklearn_bbc.testing import example_predictions


def facts(oof, scoring="roc_auc", fast=False):
    return Facts.of(oof, scoring, fast, False, False)


def test_the_smallest_class_is_that_of_tested_samples():
    y = np.array([0, 0, 0, 1, 1, 1])
    rows = {"responses": {"decision_function": [[0.1, 0.2, 0.3, 0.4]]}, "sample": [0, 1, 2, 3]}
    oof = OOFPredictions(y_true=y, fold=[0, 1, 0, 1], **rows)
    assert smallest_class(oof) == 1
    values = OOFPredictions(y_true=np.arange(6) / 7, y_pred=np.ones(6), classes=None)
    assert smallest_class(values) == np.inf


@pytest.mark.parametrize("shift", [0, 20])
def test_pooling_matters_where_folds_have_scales_of_their_own(shift):
    oof = example_predictions(n_samples=100)
    values = np.asarray(oof.responses["predict_proba"]) + shift * oof.fold
    moved = OOFPredictions(
        y_true=oof.y_true, responses={"decision_function": values}, fold=oof.fold
    )
    assert facts(moved).pooled == (shift > 0)
    assert not facts(moved, "accuracy").pooled
    assert not facts(moved, "neg_log_loss").pooled, "what cannot be computed moves nothing"
    alone = OOFPredictions(y_true=oof.y_true, responses={"decision_function": values})
    assert not facts(alone).pooled, "no folds"


def test_samples_of_a_class_in_a_fold():
    oof = example_predictions(n_samples=60)
    assert facts(oof).per_fold(3) and not facts(oof).per_fold(60)
