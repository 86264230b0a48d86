"""One check of whole numbers for all parameters."""

import numpy as np
import pytest

from sklearn_bbc._utils import check_integer, is_integer


@pytest.mark.parametrize("value", [0, 3, -2, np.int64(3), np.uint8(0), 2**70])
def test_whole_numbers_of_python_and_numpy(value):
    assert is_integer(value)
    assert is_integer(value, 0) == (value >= 0)
    check_integer("n", value)


@pytest.mark.parametrize("value", [True, np.True_, 1.0, np.float64(2), "1", None, np.array([1])])
def test_what_only_looks_like_one(value):
    assert not is_integer(value)
    assert not is_integer(value, 0)
    with pytest.raises(ValueError, match=r"^n must be an integer, got "):
        check_integer("n", value)


def test_the_message_names_the_parameter_its_range_and_what_was_given():
    with pytest.raises(ValueError, match=r"^n must be an integer of at least 2, got 1\.$"):
        check_integer("n", 1, 2)
    with pytest.raises(ValueError, match=r"^n must be None or an integer of at least 0, got"):
        check_integer("n", -1, 0, or_none=True)
    with pytest.raises(ValueError, match=r"at least 20, got 3: too few\.$"):
        check_integer("n", 3, 20, why=": too few.")


def test_none_only_where_it_is_allowed():
    check_integer("n", None, 0, or_none=True)
    with pytest.raises(ValueError, match="got None"):
        check_integer("n", None, 0)
