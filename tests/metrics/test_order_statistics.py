"""Median and maximum of the absolute errors: far from the middle, with weights."""

import numpy as np
import pytest
from sklearn.metrics import make_scorer, median_absolute_error

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import as_metric
from tests.metrics.repeated_rows import check_consistency, with_weights

# In older releases the weighted median is the lower one of the two in the middle, in 1.8 beside a
# weight of zero.
AVERAGED = median_absolute_error([0] * 3, [1, 2, 3], sample_weight=[1, 0, 1]) == 2


def test_median_far_from_the_middle_is_found():
    rng = np.random.default_rng(0)
    n = 500
    y, pred = np.zeros(n), np.sort(rng.random((2, n)), axis=1)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=30)
    counts[5:10, : n // 2] = 0
    counts[10:15, n // 3 :] = 0
    counts[15, :] = 0
    counts[15, 499] = 3
    scorer = make_scorer(median_absolute_error)
    oof = OOFPredictions(y_true=y, y_pred=pred.T, classes=None)
    kernel = as_metric(scorer).bind(oof)
    expected = [[np.median(np.repeat(p, count)) for p in pred] for count in counts]
    np.testing.assert_allclose(kernel.scores(counts), expected, rtol=1e-14)
    check_consistency(kernel, counts)


@pytest.mark.parametrize("weight", [0.1, 1e-8, 1 / 3, 7e5 / 3])
def test_weights_that_are_all_equal_leave_the_median(weight):
    """Half of their sum is not what some of them sum to, by rounding."""
    rng = np.random.default_rng(0)
    y, pred = rng.normal(size=12), rng.normal(size=(12, 2))
    counts = rng.multinomial(12, np.full(12, 1 / 12), size=50)
    oof = OOFPredictions(y_true=y, y_pred=pred, sample_weight=np.full(12, weight))
    kernel = as_metric("neg_median_absolute_error").bind(oof)
    error = np.abs(pred - y[:, None])
    expected = [-np.median(np.repeat(error, count, axis=0), axis=0) for count in counts]
    np.testing.assert_allclose(kernel.scores(counts), expected, rtol=1e-12)
    check_consistency(kernel, counts)


def test_median_with_sample_weights():
    rng = np.random.default_rng(0)
    y, pred = rng.normal(size=25), rng.normal(size=(3, 25))
    weight = rng.choice([0.25, 0.5, 1.0, 1.75], size=25)
    oof = OOFPredictions(y_true=y, y_pred=pred.T, classes=None, sample_weight=weight)
    kernel = as_metric("neg_median_absolute_error").bind(oof)
    counts = rng.integers(3, size=(40, 25))
    scores = kernel.scores(counts)
    expected = with_weights(as_metric("neg_median_absolute_error"), y, pred, counts * weight)
    if AVERAGED:
        np.testing.assert_allclose(scores, expected, rtol=1e-12)
    else:  # the lower one of the middle two is no larger, and mostly there is only one
        assert (scores <= expected + 1e-15).all() and np.mean(scores == expected) > 0.8
    check_consistency(kernel, counts)


def test_maximum_ignores_rows_without_weight():
    y, pred = np.zeros(4), np.array([[4.0, 3.0, 2.0, 1.0]])
    oof = OOFPredictions(y_true=y, y_pred=pred.T, classes=None, sample_weight=[0.0, 0.5, 1.0, 2.0])
    kernel = as_metric("neg_max_error").bind(oof)
    counts = np.array([[1, 1, 1, 1], [5, 0, 1, 0], [5, 0, 0, 0]])
    np.testing.assert_array_equal(kernel.scores(counts)[:, 0], [-3.0, -2.0, np.nan])


def test_maximum_of_several_outputs_is_scikit_learns_error():
    oof = OOFPredictions.from_rows(
        y_true=np.ones((4, 2)) * 0.5, responses={"predict": np.ones((1, 4, 2))}
    )
    with pytest.raises(ValueError, match="cannot be computed again"):
        as_metric("neg_max_error").bind(oof)
