"""What columns of predictions are, and what of their scores is judged."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals._bootstrap import PAIR, Roles
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.testing import example_predictions

SCORES = np.array([[0.9, 0.7, 0.4, 0.6], [0.5, 0.5, 0.5, 0.1]])
KERNEL = as_metric("roc_auc").bind(example_predictions())


def test_what_is_of_interest():
    assert Roles(1, False).of_interest(SCORES[:, :1], KERNEL).tolist() == [0.9, 0.5]
    assert PAIR.of_interest(SCORES[:, :2], KERNEL) == pytest.approx([0.2, 0.0])
    assert Roles(4, False).of_interest(SCORES, KERNEL) is not None
    np.testing.assert_array_equal(Roles(4, False).of_interest(SCORES, KERNEL), SCORES)
    np.testing.assert_allclose(
        Roles(2, True).of_interest(SCORES, KERNEL), [[0.5, 0.1], [0.0, 0.4]]
    )


def test_a_difference_of_infinite_scores_is_undefined():
    assert np.isnan(PAIR.of_interest(np.full((1, 2), -np.inf), KERNEL))


def test_what_only_rounding_parts_is_no_difference():
    nearly = np.array([[0.7, 0.7 + 2e-16], [0.7, 0.7 - 1e-12], [0.0, 1e-16]])
    assert (PAIR.of_interest(nearly, KERNEL) == 0).tolist() == [True, False, True]
    values = OOFPredictions(y_true=np.arange(5.0), y_pred=np.ones((5, 2)))
    errors = as_metric("neg_mean_squared_error").bind(values)
    assert PAIR.of_interest(np.array([[2e-16, 1e-16]]), errors) > 0, "small, but not rounding"


def test_sizes_and_words():
    roles = [Roles(1, False), PAIR, Roles(3, False), Roles(3, True)]
    assert [each.n_columns for each in roles] == [1, 2, 3, 6]
    assert [each.plain for each in roles] == [True, False, False, False]
    assert roles[1].estimand == roles[3].estimand
    assert len({each.estimand for each in roles}) == 3


def test_a_difference_goes_from_worst_minus_best_to_best_minus_worst():
    metric = as_metric("matthews_corrcoef")
    assert Roles(1, False).bounds(metric) == Roles(2, False).bounds(metric) == (-1, 1)
    assert PAIR.bounds(metric) == (-2, 2)
    assert PAIR.bounds(as_metric("neg_log_loss")) == (-np.inf, np.inf)
