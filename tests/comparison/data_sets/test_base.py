"""Ranks of the table: 1 is the best, ties share their mean."""

import numpy as np
import pytest

from sklearn_bbc.comparison import Friedman, RankTable
from sklearn_bbc.comparison._data_sets import check_control


def test_ranks():
    scores = [[0.9, 0.8, 0.8], [0.1, 0.2, 0.3], [0.5, 0.5, 0.5], [1, 2, 3], [3, 2, 1]]
    result = Friedman().compare(scores)
    expected = [[1, 2.5, 2.5], [3, 2, 1], [2, 2, 2], [3, 2, 1], [1, 2, 3]]
    np.testing.assert_array_equal(result.details["ranks"], expected)
    np.testing.assert_allclose(result.mean_ranks, np.mean(expected, axis=0))


def test_two_learners_are_sent_to_wilcoxon():
    with pytest.raises(ValueError, match=r"3 or more learners, got 2.*use Wilcoxon"):
        Friedman().compare(np.zeros((6, 2)))


def test_control():
    table = RankTable(scores=np.zeros((5, 2)), ranks=np.ones((5, 2)), names=("a", "b"))
    assert check_control("b", table) == check_control(1, table) == 1
    with pytest.raises(ValueError, match=r"\['a', 'b'\]"):
        check_control(True, table)
