"""Which configurations a metric can use, and which of them predict the same."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sklearn_bbc.metrics._columns import absent, complete, first_of_equals

nan, inf = np.nan, np.inf


def test_complete_means_every_value_finite():
    pred = np.array([[0.1, 0.2], [nan, 0.2], [0.1, inf], [0.1, -inf], [nan, nan]])
    np.testing.assert_array_equal(complete(pred, False), [True, False, False, False, False])
    np.testing.assert_array_equal(complete(pred[:, :, None], False), complete(pred, False))


def test_codes_mark_missing_with_minus_one():
    codes = np.array([[0, 1], [-1, 1], [-1, -1]])
    np.testing.assert_array_equal(complete(codes, True), [True, False, False])
    np.testing.assert_array_equal(absent(codes, True), [False, False, True])
    np.testing.assert_array_equal(complete(codes, False), True)
    np.testing.assert_array_equal(absent(codes, False), False)


def test_absent_means_no_value_at_all():
    pred = np.array([[0.1, 0.2], [nan, 0.2], [nan, nan]])
    np.testing.assert_array_equal(absent(pred, False), [False, False, True])


def test_text_is_always_there():
    text = np.array([["a", ""], ["b", "c"]])
    assert complete(text, False).all() and not absent(text, False).any()


@given(st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=1, max_size=12))
def test_the_first_of_equals(rows):
    pred = np.array(rows, dtype=float)
    expected = [next(j for j in range(len(rows)) if rows[j] == row) for row in rows]
    chosen = np.arange(len(rows))
    np.testing.assert_array_equal(first_of_equals([pred], chosen), expected)
    np.testing.assert_array_equal(first_of_equals([pred[:, :, None]], chosen), expected)
    both = first_of_equals([np.zeros_like(pred), pred], chosen)
    np.testing.assert_array_equal(both, expected)


def test_only_the_chosen_are_looked_at():
    pred = np.zeros((4, 3))
    np.testing.assert_array_equal(first_of_equals([pred], np.array([2, 3])), [2, 2])


def test_a_difference_in_one_value_of_many_is_seen():
    pred = np.zeros((2, 1000))
    for at in range(0, 1000, 97):
        pred[1] = 0
        pred[1, at] = 1e-300
        np.testing.assert_array_equal(first_of_equals([pred], np.arange(2)), [0, 1])


def test_one_value_that_differs_is_enough():
    pred = np.zeros((5, 9))
    pred[:, 4] = np.arange(5)
    chosen = np.array([0, 2, 3])
    text = np.full((5, 2), "same")
    assert first_of_equals([pred], chosen) is chosen
    assert first_of_equals([np.zeros((5, 0)), text, pred], chosen) is chosen
    pred[3, 4] = pred[2, 4]
    np.testing.assert_array_equal(first_of_equals([pred], chosen), [0, 2, 2])


def test_missing_responses_are_equal_to_each_other():
    missing, values = np.full((2, 5), nan), np.ones((2, 5))
    np.testing.assert_array_equal(first_of_equals([missing, values], np.arange(2)), [0, 0])
