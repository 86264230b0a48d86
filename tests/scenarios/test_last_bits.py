"""What moves numbers by their last bit, and what says whether results are the same."""

import numpy as np
import pytest

from tests.scenarios.last_bits import apart, last_bit, same


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_values_stay_equal_and_halves_stay(dtype):
    values = np.array([0.1, 0.3, 0.3, 0.7, -0.2, 0.0, 0.5, 1.0, 3.5, np.nan, np.inf], dtype)
    ups, downs = last_bit(values, True), last_bit(values, False)
    np.testing.assert_array_equal(last_bit(ups, True), ups)
    assert ups[1] == ups[2] and downs[1] == downs[2]
    np.testing.assert_array_equal(ups[5:], values[5:])
    np.testing.assert_array_equal(downs[5:], values[5:])
    one = np.spacing(np.abs(values[:5]))
    np.testing.assert_array_equal(np.abs(ups[:5] - downs[:5]), one)
    assert ((values == ups) | (values == downs)).sum() + 1 == len(values)  # and NaN


def test_labels_and_other_arrays_are_as_they_were():
    for values in (np.arange(3), np.array(["a", "b"]), np.zeros((2, 3), np.int8)):
        assert last_bit(values, True) is values


@pytest.mark.parametrize(
    "one, two, expected",
    [
        ("It is 0.250 at 0.2.", "It is 0.250 at 0.2.", True),
        ("It is 0.250 at 0.2.", "It is 0.239 at 0.2.", False),
        ("threshold=0.4366655, 2 notes", "threshold=0.43666550000000004, 2 notes", True),
        ("threshold=0.4366655, 2 notes", "threshold=0.43666550000000004, 3 notes", False),
        ("threshold=0.4366655", "threshold=0.4366656", False),
        ("It is 3.", "It is 3.5, or 4.", False),
        ([0.1, 2], [0.1 + 1e-12, 2], True),
        ([0.1, 2], [0.1, 3], False),
        (0.1, "0.1", False),
        (float("nan"), float("nan"), True),
        (True, False, False),
    ],
)
def test_words_are_the_same_and_numbers_nearly(one, two, expected):
    assert same(one, two) == expected
    assert expected or apart(one, two)
