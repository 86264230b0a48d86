"""Weights of samples as weights of the rows of one repeat."""

import numpy as np

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.metrics._bound import Repeat

WEIGHTS = np.array([[1, 2, 3, 0], [0, 0, 5, 7]])


def repeat(sample, row_weight=None, fold=(1, 1, 0, 4)):
    return Repeat(None, np.array(sample), np.array(fold), row_weight, 4)


def test_rows_in_the_order_of_the_samples_are_not_copied():
    assert repeat([0, 1, 2, 3]).weigh(WEIGHTS) is WEIGHTS


def test_rows_get_the_weight_of_their_sample():
    expected = [[3, 3, 1], [5, 5, 0]]
    np.testing.assert_array_equal(repeat([2, 2, 0]).weigh(WEIGHTS), expected)


def test_sample_weights_multiply():
    heavy = np.array([0.5, 1.0, 2.0])
    expected = [[1.5, 3, 2], [2.5, 5, 0]]
    np.testing.assert_array_equal(repeat([2, 2, 0], heavy).weigh(WEIGHTS), expected)


def test_splits_are_those_that_occur():
    assert repeat([0, 1, 2, 3]).splits.tolist() == [0, 1, 4]


def test_untested_samples_have_no_row_in_a_kernel():
    """A score with a sample left out equals that of predictions without it."""
    y, pred = np.array([0, 1, 1, 0, 1]), np.array([0.2, 0.9, 0.4, 0.6, 0.1])
    part = OOFPredictions(y_true=y, y_pred=pred, fold=[0, 0, 0, 0, -1])
    whole = OOFPredictions(y_true=y[:4], y_pred=pred[:4])
    scores = [
        as_metric("roc_auc").bind(oof).scores(np.ones((1, oof.n_samples))) for oof in (part, whole)
    ]
    np.testing.assert_array_equal(*scores)
