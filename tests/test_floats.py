"""Overflow is quiet inside the package and loud in what the user brings."""

import numpy as np
import pytest

from sklearn_bbc._utils import nan_loses, quiet


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


def test_an_undefined_score_never_wins():
    scores = np.array([[np.nan, 0.2, np.inf], [np.nan, -3.0, -4.0], [np.nan, np.nan, np.nan]])
    filled = nan_loses(scores)
    assert filled.argmax(axis=1).tolist() == [2, 1, 0]
    assert np.isneginf(filled[2]).all() and np.isnan(scores[0, 0])
