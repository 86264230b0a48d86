"""What is resampled: samples, groups, and nothing that was never tested."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.resampling import Units, check_possible

Y = np.array([0, 0, 1, 1, 1, 0])


def predictions(**fields):
    return OOFPredictions(y_true=Y, y_pred=np.zeros((6, 1)), **fields)


def test_samples_are_their_own_units():
    units = Units.of(predictions())
    assert (units.kind, units.n_units) == ("sample", 6)
    counts = np.array([[1, 0, 2, 1, 1, 1]], dtype=np.uint8)
    assert units.expand(counts) is counts


def test_untested_samples_are_never_drawn():
    units = Units.of(predictions(fold=[0, -1, 0, 1, -1, 1]))
    assert units.n_units == 4
    counts = np.array([[3, 0, 1, 0]], dtype=np.uint8)
    np.testing.assert_array_equal(units.expand(counts), [[3, 0, 0, 1, 0, 0]])


def test_groups_are_drawn_as_a_whole():
    units = Units.of(predictions(groups=["b", "a", "b", "c", "a", "c"]))
    assert (units.kind, units.n_units) == ("group", 3)
    counts = np.array([[0, 2, 1], [3, 0, 0]], dtype=np.uint8)  # a, b, c
    np.testing.assert_array_equal(units.expand(counts), [[2, 0, 2, 1, 0, 1], [0, 3, 0, 0, 3, 0]])


def test_groups_with_untested_samples():
    units = Units.of(predictions(groups=[0, 1, 0, 2, 1, 2], fold=[0, -1, 0, 1, -1, 1]))
    assert units.n_units == 2
    np.testing.assert_array_equal(units.expand(np.array([[1, 2]])), [[1, 0, 1, 2, 0, 2]])


def test_indicator_says_which_unit_holds_which_stratum():
    units = Units.of(predictions(groups=[0, 0, 1, 1, 2, 2]))
    strata = np.stack([Y == 0, Y == 1])
    np.testing.assert_array_equal(units.indicator(strata), [[1, 0], [0, 1], [1, 1]])
    np.testing.assert_array_equal(units.indicator(None), np.ones((3, 1)))
    # They are multiplied with millions of counts: half the memory, exact for whole numbers.
    assert units.indicator(strata).dtype == units.indicator(None).dtype == np.float32


def test_untested_samples_belong_to_no_stratum():
    units = Units.of(predictions(fold=[0, 0, 0, 0, -1, -1]))
    strata = np.stack([Y == 0, Y == 1])
    np.testing.assert_array_equal(units.indicator(strata).sum(axis=0), [2, 2])


@pytest.mark.parametrize(
    "sizes, message",
    [
        ([3, 1], "BBC cannot bootstrap roc_auc: class 1 has 1 group, so it can never"),
        ([3, 0], "class 1 has 0 groups, so"),
        ([1, 1], "class 0 has 1 group,"),
    ],
)
def test_impossible_draws_are_found_before_the_first(sizes, message):
    indicator = np.zeros((4, 2))
    for k, size in enumerate(sizes):
        indicator[:size, k] = 1
    with pytest.raises(UndefinedIntervalError, match=message):
        check_possible(indicator, ["class 0", "class 1"], "group", "BBC", "roc_auc")


def test_units_that_must_be_out_of_bag_are_counted_and_named():
    with pytest.raises(UndefinedIntervalError, match="never be in-bag and out-of-bag in the same"):
        check_possible(np.ones((1, 1)), ["a"], "sample", "BBC", "m")
    with pytest.raises(UndefinedIntervalError, match="no draw has one in-bag and 2 out-of-bag"):
        check_possible(np.ones((2, 1)), ["a"], "sample", "BBC", "m", min_out_of_bag=2)
    check_possible(np.ones((3, 1)), ["a"], "sample", "BBC", "m", min_out_of_bag=2)
