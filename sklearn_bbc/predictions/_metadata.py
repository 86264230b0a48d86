"""Metadata of scorers: what they ask for besides predictions, per sample or one value in all."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import _safe_indexing

from .._equality import same
from ..results import frozen_array

__all__ = [
    "TARGET",
    "Refused",
    "from_file",
    "frozen_metadata",
    "is_per_sample",
    "same_metadata",
    "settled",
    "taken",
    "taken_metadata",
    "to_file",
]

TARGET = "y"
"""Name of the target as a Series; `fit` can have no metadata of that name."""

_SCALARS = (bool, int, float, str, type(None))


@dataclass(frozen=True)
class Refused:
    """Stand for metadata that cannot be repeated in draws.

    Parameters
    ----------
    why : str
        The reason, to come after its name.
    """

    why: str


def settled(value: Any, n_samples: int) -> Any:
    """Bring metadata to the form in which it is kept.

    Parameters
    ----------
    value : object
        As the user gave it. An array, a list or a Series stays what it is, since the scorer is
        to get what it got in the search.
    n_samples : int
        Number of samples.

    Returns
    -------
    ndarray, Series, list, scalar or Refused
        Arrays, Series and lists have `n_samples` entries.
    """
    plain = isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray)
    if isinstance(value, np.generic) or (plain and not value.ndim):
        value, plain = value.item(), False
    # scikit-learn takes a text of that length apart.
    cut = isinstance(value, str) and len(value) == n_samples
    if isinstance(value, (*_SCALARS, Refused)) and not cut:
        return value
    if not plain and not isinstance(value, (pd.Series, list, tuple)):
        return Refused(
            f"is a {type(value).__name__}, and only arrays, lists and Series with a value per "
            "sample, or single values, can be repeated in draws"
        )
    if len(value) != n_samples:
        return Refused(
            f"has {len(value)} entries for {n_samples} samples, and only what has one per sample "
            "(or is a single value) can be repeated in draws"
        )
    if plain:
        return frozen_array(value)
    return value.copy() if isinstance(value, pd.Series) else list(value)


def is_per_sample(value: Any) -> bool:
    """Whether settled metadata has an entry per sample."""
    return isinstance(value, (np.ndarray, pd.Series, list))


def taken(values: Any, rows: np.ndarray) -> Any:
    """Take entries of an array, a list or a Series, each as often as it is named."""
    return values[rows] if isinstance(values, np.ndarray) else _safe_indexing(values, rows)


def taken_metadata(metadata: Mapping[str, Any], rows: np.ndarray) -> dict[str, Any]:
    """Take some samples, each as often as it is named; what is not per sample stays.

    Parameters
    ----------
    metadata : mapping of str to object
        Settled metadata.
    rows : ndarray of shape (n_taken,), int or bool
        Positions of the samples, or a mask.
    """
    if rows.dtype == bool:
        rows = np.flatnonzero(rows)
    return {
        name: taken(value, rows) if is_per_sample(value) else value
        for name, value in metadata.items()
    }


def same_metadata(
    one: Mapping[str, Any], other: Mapping[str, Any], names: Collection[str] | None = None
) -> bool:
    """Whether two sets of metadata are the same, however the target was held.

    Parameters
    ----------
    one, other : mapping of str to object
        Settled metadata of the same samples.
    names : collection of str, default=None
        What both or none must have; others need only not contradict. None means all.
    """
    either = (one.keys() | other.keys()) - {TARGET}
    compared = either if names is None else either & set(names) | (one.keys() & other.keys())
    return all(
        name in one and name in other and same(one[name], other[name])
        for name in compared - {TARGET}
    )


def frozen_metadata(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Make a mapping, and the arrays in it, read-only."""
    return MappingProxyType(
        {k: frozen_array(v) if isinstance(v, np.ndarray) else v for k, v in metadata.items()}
    )


def to_file(metadata: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Split metadata into what JSON holds and arrays without Python objects.

    Returns
    -------
    header : dict of str to dict
        Name -> what is needed to put it together again. What would come back as something
        else is marked as refused.
    arrays : dict of str to ndarray
        Name, or ``"name:index"`` of a Series -> array.
    """
    header: dict[str, Any] = {}
    arrays: dict[str, np.ndarray] = {}
    for name, value in metadata.items():
        try:
            about, parts = _parts(name, value)
            again = _from_parts(name, about, parts)
            objects = any(array.dtype.hasobject for array in parts.values())
            unharmed = _identical(again, value) and not objects
        except (TypeError, ValueError):  # no dtype of that name, for example
            unharmed = False
        if not unharmed:
            why = f"is a {type(value).__name__} of Python objects, which are not saved to files"
            about, parts = {"kind": "refused", "value": why}, {}
        header[name] = about
        arrays |= parts
    return header, arrays


def from_file(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Put together what `to_file` split."""
    return {name: _from_parts(name, about, arrays) for name, about in header.items()}


def _parts(name: str, value: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Write header and arrays of one value."""
    if isinstance(value, Refused):
        return {"kind": "refused", "value": value.why}, {}
    if isinstance(value, pd.Series):
        about = {
            "kind": "Series",
            "dtype": str(value.dtype),
            "index": str(value.index.dtype),
            "name": value.name if isinstance(value.name, str) else None,
        }
        index = _without_objects(np.asarray(value.index))
        return about, {name: _without_objects(value.to_numpy()), f"{name}:index": index}
    if isinstance(value, list):
        return {"kind": "list"}, {name: _without_objects(np.array(value, dtype=object))}
    if isinstance(value, np.ndarray):
        return {"kind": "array", "dtype": value.dtype.str}, {name: _without_objects(value)}
    return {"kind": "value", "value": value}, {}


def _from_parts(name: str, about: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Any:
    """Put one value together."""
    kind = about["kind"]
    if kind == "refused":
        return Refused(about["value"])
    if kind == "value":
        return about["value"]
    array = arrays[name]
    if kind == "list":
        return array.tolist()
    if kind == "Series":
        index = pd.Index(arrays[f"{name}:index"]).astype(about["index"])
        return pd.Series(array, index=index, name=about["name"]).astype(about["dtype"])
    return frozen_array(array.astype(about["dtype"]))


def _without_objects(array: np.ndarray) -> np.ndarray:
    """Make an array of numbers or text of an array of objects, where they are of one kind."""
    return np.array(array.tolist()) if array.dtype.hasobject else array


def _identical(one: Any, other: Any) -> bool:
    """Whether a scorer would notice no difference; a number is a number whatever its type."""
    if isinstance(one, pd.Series):
        dtypes = one.dtype == other.dtype and one.index.dtype == other.index.dtype
        alike = one.equals(other) and one.index.equals(other.index) and one.name == other.name
        return bool(dtypes and alike)
    return same(one, other) and getattr(one, "dtype", None) == getattr(other, "dtype", None)
