"""Models whose predictions are equal up to rounding, which are then one model."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from weakref import WeakKeyDictionary

import numpy as np

from .._rounding import alike, apart_anyway
from ..predictions._predictions import OOFPredictions, with_fields
from ._consumed import OfMetric, consumed
from ._metric import BoundMetric


def _consumed(scored: OfMetric) -> tuple[list[np.ndarray], np.ndarray | None]:
    """Return what the metric takes (n_configs, n_rows, ...), and what that is subtracted from."""
    pred, responses, _, _ = consumed(scored)
    oof, target = scored.oof, None
    if oof.score_sign is not None:  # scores, which are subtracted from each other
        target = np.zeros(oof.n_rows)
    elif oof.classes_ is None and oof.y_true.dtype.kind in "iuf":
        target = oof.y_true[oof.sample].astype(float)
    return list(responses.values()) or [pred], target


def rows_alike(scored: OfMetric, first: int, second: int) -> np.ndarray:
    """Find the rows in which two configurations predict the same up to rounding, (n_rows,)."""
    arrays, target = _consumed(scored)
    each = [alike(array[first], array[second], target) for array in arrays]
    return np.asarray(np.logical_and.reduce(each))


def _alike_in_all_rows(first: np.ndarray, second: np.ndarray, target: np.ndarray | None) -> bool:
    """Check whether two configurations predict the same in all rows, up to rounding."""
    some = slice(None, None, 1 + len(first) // 1000)  # a few rows nearly always tell
    if target is None and first.dtype.kind == "f" and apart_anyway(first[some], second[some]):
        return False
    return bool(alike(first, second, target).all())


def as_one(scored: OfMetric, pairs: Iterable[tuple[int, int]] = ((0, 1),)) -> OOFPredictions:
    """Give the second of each pair the predictions of the first, where all are alike.

    Trees of a forest that were added up in another order are no other model, though a rank metric
    may score them otherwise.
    """
    oof = scored.oof
    arrays, target = _consumed(scored)
    same = [
        pair
        for pair in pairs
        if all(_alike_in_all_rows(array[pair[0]], array[pair[1]], target) for array in arrays)
    ]
    if not same:
        return oof
    responses = {name: np.array(values) for name, values in oof.responses.items()}
    for values in responses.values():
        for first, second in same:
            values[second] = values[first]
    return with_fields(oof, responses=MappingProxyType(responses))


def first_same(kernel: BoundMetric) -> np.ndarray:
    """Find the first configuration that predicts the same up to rounding, (n_configs,).

    Of labels, counts, and what has no score, it is the first with equal predictions.
    """
    if (found := _FOUND.get(kernel)) is None:
        found = _FOUND[kernel] = _first_same(kernel)
        found.flags.writeable = False
    return found


_FOUND: WeakKeyDictionary[BoundMetric, np.ndarray] = WeakKeyDictionary()
"""What `first_same` found: with many configurations it takes seconds, and is asked again."""


def _first_same(kernel: BoundMetric) -> np.ndarray:
    equal = kernel.first_alike
    first = equal.copy()
    arrays, target = _consumed(kernel)
    if any(array.dtype.kind != "f" or _are_whole(array) for array in arrays):
        return first
    for near in _nearly_the_same(arrays, kernel.distinct, target):
        while len(near) > 1:
            one, others = near[0], near[1:]
            same = [
                other
                for other in others
                if all(_alike_in_all_rows(array[one], array[other], target) for array in arrays)
            ]
            near = others
            if same:
                first[np.isin(equal, same)] = one
                near = np.setdiff1d(others, same)
    return first


def _nearly_the_same(
    arrays: list[np.ndarray], configs: np.ndarray, target: np.ndarray | None
) -> list[np.ndarray]:
    """Group configurations (n_chosen,) that may be alike, each group in their order.

    What is alike has nearly the same values in each row, and nearly the same mean, beside the
    largest values or those of the target that they are subtracted from.
    """
    group = np.zeros(len(configs), dtype=np.intp)
    of_target = 0.0 if target is None else _largest(target)
    for array in arrays:
        largest = max(_largest(array), of_target)
        numbers = [array.reshape(*array.shape[:2], -1)[..., 0].mean(axis=1)]
        rows = np.linspace(0, array.shape[1] - 1, _ROWS_PROBED).astype(int)
        numbers += [array[:, row].reshape(len(array), -1)[:, 0] for row in np.unique(rows)]
        for number in numbers:
            own = number[configs]
            order = np.lexsort((own, group))
            with np.errstate(invalid="ignore"):  # of infinite values
                apart = np.diff(own[order]) > 1e-6 * largest
            apart |= np.diff(group[order]) > 0
            group[order] = np.append(0, np.cumsum(apart))
    order = np.argsort(group, kind="stable")
    return np.split(configs[order], np.flatnonzero(np.diff(group[order])) + 1)


_ROWS_PROBED = 16


def _largest(array: np.ndarray) -> float:
    """Find the size of the largest finite number."""
    low, high = float(array.min()), float(array.max())
    if not np.isfinite(low + high):
        there = np.isfinite(array)
        low, high = (float(f(array, where=there, initial=0.0)) for f in (np.min, np.max))
    return max(high, -low)


def same_as(kernel: BoundMetric, config: int) -> np.ndarray:
    """Find the configurations that predict the same as one up to rounding, and itself, in order.

    Of labels and counts, it is those with equal predictions.
    """
    of_kernel = _FOUND_FOR.setdefault(kernel, {})
    if config in of_kernel:
        return of_kernel[config]
    equal = kernel.first_alike == kernel.first_alike[config]
    scores = kernel.on_data()
    with np.errstate(invalid="ignore"):  # of infinite scores
        near = np.abs(scores - scores[config]) <= 1e-6 * max(abs(scores[config]), kernel.unit)
    others = np.flatnonzero(near & kernel.valid & ~equal).tolist()
    arrays, target = _consumed(kernel) if others else ([], None)
    if all(array.dtype.kind == "f" and not _are_whole(array[[config]]) for array in arrays):
        for other in others:
            equal[other] = all(
                _alike_in_all_rows(array[config], array[other], target) for array in arrays
            )
    found = of_kernel[config] = np.flatnonzero(equal)
    found.flags.writeable = False
    return found


_FOUND_FOR: WeakKeyDictionary[BoundMetric, dict[int, np.ndarray]] = WeakKeyDictionary()
"""What `same_as` found: several parts of one result ask for it."""


def _are_whole(array: np.ndarray) -> bool:
    """Check whether predictions (n_configs, ...) are whole numbers, which are not rounded."""
    return all(bool((values == np.rint(values)).all()) for values in array)


def won_together(won: np.ndarray, kernel: BoundMetric) -> np.ndarray:
    """Let configurations that predict the same up to rounding win the draws that any of them wins.

    `won` (n_configs,), where the first of equal predictions wins for all of them.
    """
    first = first_same(kernel)
    return np.bincount(first, won, len(won))[first]
