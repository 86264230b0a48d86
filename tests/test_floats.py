"""Overflow is quiet inside the package and loud in what the user brings."""

import numpy as np
import pytest

from sklearn_bbc._floats import quiet


def overflow():
    return np.float64(1e308) * np.float64(10)


def test_nothing_is_said_inside_and_the_settings_come_back():
    with np.errstate(over="raise"):
        with quiet():
            assert np.isinf(overflow())
        with pytest.raises(FloatingPointError):
            overflow()


def test_as_a_decorator():
    with np.errstate(all="raise"):
        assert np.isinf(quiet()(overflow)())


def test_the_settings_come_back_after_an_error():
    before = np.geterr()
    with pytest.raises(KeyError), quiet():
        raise KeyError
    assert np.geterr() == before
