"""Whether two values hold the same: arrays by content, NaN equal to NaN."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal in content, as a value and its unpickled copy are.

    Parameters
    ----------
    one, other : object
        Numbers, text, arrays, estimators (equal when their parameters are), and mappings,
        lists or tuples of these. NaN equals NaN, and the type of numbers does not count.
    """
    if one is other:
        return True
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return type(one) is type(other) and _same_arrays(one, other)
    if isinstance(one, (pd.Series, pd.DataFrame, pd.Index)):
        return type(one) is type(other) and bool(one.equals(other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    for sequence in (list, tuple):
        if isinstance(one, sequence) and isinstance(other, sequence):
            return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, BaseEstimator) and type(one) is type(other):
        return same(one.get_params(deep=False), other.get_params(deep=False))
    try:
        equal = bool(one == other)
        both_undefined = bool(one != one) and bool(other != other)
    except (TypeError, ValueError):  # an array against something else
        return False
    return equal or both_undefined


def _same_arrays(one: np.ndarray, other: np.ndarray) -> bool:
    if one.shape != other.shape:
        return False
    if one.dtype.names or other.dtype.names:
        return one.dtype.names == other.dtype.names and all(
            _same_arrays(one[name], other[name]) for name in one.dtype.names or ()
        )
    if "O" in (one.dtype.kind, other.dtype.kind):
        return all(map(same, one.ravel().tolist(), other.ravel().tolist()))
    numbers = one.dtype.kind in "fcmM" and other.dtype.kind in "fcmM"
    return bool(np.array_equal(one, other, equal_nan=numbers))
