"""Models whose predictions are equal up to rounding, which are then one model."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

import numpy as np

from .._rounding import alike
from ..predictions._predictions import OOFPredictions, with_fields
from ._bound import consumed
from ._metric import Metric


def rows_alike(oof: OOFPredictions, metric: Metric, first: int, second: int) -> np.ndarray:
    """Find the rows in which two configurations predict the same up to rounding, (n_rows,)."""
    pred, responses, _, _ = consumed(metric, oof)
    target = None
    if oof.score_sign is not None:  # scores, which are subtracted from each other
        target = np.zeros(oof.n_rows)
    elif oof.classes_ is None and oof.y_true.dtype.kind in "iuf":
        target = oof.y_true[oof.sample].astype(float)
    arrays = list(responses.values()) or [pred]
    each = [alike(array[first], array[second], target) for array in arrays]
    return np.asarray(np.logical_and.reduce(each))


def as_one(
    oof: OOFPredictions, metric: Metric, pairs: Iterable[tuple[int, int]] = ((0, 1),)
) -> OOFPredictions:
    """Give the second of each pair the predictions of the first where all are equal up to rounding.

    Trees of a forest that were added up in another order are no other model, though a rank metric
    may score them otherwise.
    """
    same = [pair for pair in pairs if rows_alike(oof, metric, *pair).all()]
    if not same:
        return oof
    responses = {name: np.array(values) for name, values in oof.responses.items()}
    for values in responses.values():
        for first, second in same:
            values[second] = values[first]
    return with_fields(oof, responses=MappingProxyType(responses))
