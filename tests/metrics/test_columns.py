"""Which configurations a metric can use, and which of them predict the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, make_scorer

from sklearn_bbc.metrics import as_metric
from sklearn_bbc.metrics._columns import absent, complete, first_of_equals, towards_pos_label

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


NAMES = np.array(["no", "yes"])
PROBA = np.array([[0.2, 0.9, 0.4]])


def turned(pos_label, method="predict_proba", pred=PROBA, classes=NAMES):
    scorer = make_scorer(average_precision_score, response_method=method, pos_label=pos_label)
    return towards_pos_label(pred, method, classes, as_metric(scorer))


def test_recorded_scores_are_of_the_second_class_and_turn_towards_the_positive_label():
    np.testing.assert_array_equal(turned("yes"), PROBA)
    np.testing.assert_array_equal(turned("no"), 1 - PROBA)
    np.testing.assert_array_equal(turned("no", "decision_function"), -PROBA)
    np.testing.assert_array_equal(turned(0, classes=np.array([0, 1])), 1 - PROBA)
    np.testing.assert_array_equal(turned(1, classes=np.array([0, 1])), PROBA)


def test_nothing_else_is_turned():
    codes = np.array([[0, 1, 1]])
    assert turned("no", "predict", codes) is codes
    assert turned("no", classes=None) is PROBA
    three = np.ones((1, 3, 3)) / 3
    assert turned("no", pred=three, classes=np.array(["a", "b", "no"])) is three


def test_a_positive_label_that_is_no_class_is_refused():
    with pytest.raises(ValueError, match=r"has pos_label='maybe', but the classes are \['no', 'y"):
        turned("maybe")
