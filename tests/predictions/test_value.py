"""Values that hold arrays: equal by content, read-only, the same after pickling."""

import pickle
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from sklearn_bbc.predictions._predictions import Value


@dataclass(frozen=True, eq=False)
class Pair(Value):
    array: np.ndarray
    arrays: Any
    n_samples = n_configs = n_rows = n_splits = selected = 0


def pair(last=3.0):
    return Pair(np.array([1.0, np.nan]), MappingProxyType({"a": np.array([2.0, last])}))


def test_equal_by_content():
    assert pair() == pair() and hash(pair()) == hash(pair())
    assert pair() != pair(last=4.0)
    assert pair() != (1, 2)


def test_pickled_and_read_only_again():
    again = pickle.loads(pickle.dumps(pair()))
    assert again == pair()
    assert isinstance(again.arrays, MappingProxyType)
    assert not again.array.flags.writeable and not again.arrays["a"].flags.writeable
