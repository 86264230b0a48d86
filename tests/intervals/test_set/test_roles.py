"""What columns of predictions are, and what of their scores is judged."""

import numpy as np
import pytest

from sklearn_bbc.intervals.test_set._roles import PAIR, Roles
from sklearn_bbc.metrics import as_metric

SCORES = np.array([[0.9, 0.7, 0.4, 0.6], [0.5, 0.5, 0.5, 0.1]])


def test_what_is_of_interest():
    assert Roles(1, False).of_interest(SCORES[:, :1]).tolist() == [0.9, 0.5]
    assert PAIR.of_interest(SCORES[:, :2]) == pytest.approx([0.2, 0.0])
    assert Roles(4, False).of_interest(SCORES) is not None
    np.testing.assert_array_equal(Roles(4, False).of_interest(SCORES), SCORES)
    np.testing.assert_allclose(Roles(2, True).of_interest(SCORES), [[0.5, 0.1], [0.0, 0.4]])


def test_a_difference_of_infinite_scores_is_undefined():
    assert np.isnan(PAIR.of_interest(np.full((1, 2), -np.inf)))


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
