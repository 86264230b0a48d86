"""Rules for floating point overflow and NaN in what the package computes itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


@contextmanager
def quiet() -> Iterator[None]:
    """Context and decorator in which extreme values bring no warning out of NumPy.

    What they lead to is told in the result: an infinite bound, or NaN with the reason. Scorers
    and estimators of users are called with the settings of the caller instead. NumPy keeps
    these settings per thread, so what runs in a worker is put into a context of its own.
    """
    with np.errstate(all="ignore"):
        yield


def nan_loses(scores: np.ndarray) -> np.ndarray:
    """Scores in which NaN is minus infinity: to `numpy.argmax` and `max` NaN would win."""
    return np.where(np.isnan(scores), -np.inf, scores)
