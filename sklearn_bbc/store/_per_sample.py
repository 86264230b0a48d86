"""Values that are given one per sample, whatever holds them: targets, groups, weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd


def values_per_sample(given: Any) -> Any:
    """The values of an array, a list or a Series, as an array of their kind.

    Parameters
    ----------
    given : object
        What the user gave.

    Returns
    -------
    object
        An array, for arrays, lists, tuples, Series and Index objects of numbers, text or dates.
        Text has the shortest dtype that holds it. What was given, where it is something else or
        more than its values: categories, missing values of pandas, a list of several kinds.
    """
    if isinstance(given, (pd.Series, pd.Index)):
        return _of_pandas(given)
    if isinstance(given, (list, tuple)):
        return _of_list(given)
    if isinstance(given, np.ndarray) and not isinstance(given, np.ma.MaskedArray):
        return _with_short_text(given)
    return given


def _of_pandas(given: Any) -> Any:
    if isinstance(given.dtype, np.dtype):
        return _with_short_text(given.to_numpy())
    if isinstance(given.dtype, pd.CategoricalDtype) or given.isna().any():
        return given
    values = _with_short_text(given.to_numpy())
    return given if values.dtype.hasobject else values


def _of_list(given: Any) -> Any:
    try:
        values = np.asarray(given)
    except ValueError:  # lists of different lengths
        return given
    # Next to text numbers become text.
    is_mixed = values.dtype.kind == "U" and not _is_text(given)
    return given if is_mixed or values.dtype.hasobject else _with_short_text(values)


def _with_short_text(array: np.ndarray) -> np.ndarray:
    """Text as NumPy makes an array of a list of it; what is no text stays."""
    if array.dtype.kind == "U" or (array.dtype.hasobject and _is_text(array.ravel().tolist())):
        return np.array(array.tolist(), dtype=np.str_).reshape(array.shape)
    return array


def _is_text(values: Any) -> bool:
    return len(values) > 0 and all(isinstance(each, str) for each in values)
