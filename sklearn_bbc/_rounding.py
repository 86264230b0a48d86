"""What is equal up to rounding: the one place that says so, for scores, losses and predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

TERMS = 1000
"""Terms that a number from outside may be a sum of, such as the mean over a forest's trees."""
SINGLE_ULPS = 6
"""Relative roundings of single precision within which predictions are equal: 7e-7."""
MOST_ROUNDING = 1e4
"""Predictions that matter by their ratio are rounded as those of up to so many times them."""


def rounding(n_terms: int) -> float:
    """Bound the relative difference that rounding can make, to the terms and to their sum."""
    return (8 + n_terms) * float(np.finfo(float).eps)


def draws_at_once(n_rows: int) -> int:
    """Count the draws of so many rows whose sums are computed, and rounded, in one product.

    A part of the definition of these sums, to the last bit: it must not depend on anything else.
    Draws of very many rows are few, so that a small memory has space for them.
    """
    return 1 << min(6, max(0, 24 - (max(1, n_rows) - 1).bit_length()))


def without_rounding(differences: Any, size: Any, relative: float) -> np.ndarray:
    """Set differences to exactly 0 that are no larger than rounding makes them.

    `size`, of a shape that broadcasts, is that of the values which were subtracted, and `relative`
    their rounding, see `rounding`. Infinite differences and NaN stay.
    """
    values = np.asarray(differences, dtype=float)
    with np.errstate(invalid="ignore"):
        same = np.isfinite(values) & (np.abs(values) <= relative * np.asarray(size))
    return np.where(same, 0.0, values)


def made_equal(values: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Set values (n,) that are equal up to rounding to the smallest of them.

    `sizes` (n,), finite, are those of the numbers which each value was computed from.
    """
    order = np.argsort(values, kind="stable")
    ordered, size = values[order], sizes[order]
    with np.errstate(invalid="ignore"):  # of equal infinite values
        gaps = np.nan_to_num(np.diff(ordered))
    apart = gaps > rounding(TERMS) * np.maximum(size[1:], size[:-1])
    part = np.concatenate([[0], np.cumsum(apart)])
    result = np.empty_like(values)
    result[order] = ordered[np.searchsorted(part, part)]
    return result


def precision(scores: np.ndarray) -> float:
    """Find the rounding of scores (n_rows,): 1.2e-7 where models computed in single precision.

    These have its digits, and use them: 0.25, or 3, are exact in any precision.
    """
    there = scores[np.isfinite(scores)]
    with np.errstate(over="ignore"):
        fits = bool((there == there.astype(np.float32)).all())
        single = fits and bool((there * 2.0**12 % 1 != 0).any())
    return float(np.finfo(np.float32 if single else np.float64).eps)


def alike(first: np.ndarray, second: np.ndarray, target: np.ndarray | None = None) -> np.ndarray:
    """Find the rows in which predictions of two models are equal up to rounding, (n_rows,).

    `first`, `second` (n_rows, ...). Numbers that are subtracted from a `target` (n_rows, ...) are
    rounded as the target is. Without one, as of probabilities, a small number is not the same as
    one of half its size: -log(p) tells them apart.
    """
    same = (first == second) | ((first != first) & (second != second))
    if first.dtype.kind == "f" and not same.all():
        with np.errstate(invalid="ignore", over="ignore"):
            apart = np.abs(first - second)
            own = np.maximum(np.abs(first), np.abs(second))
            size = np.maximum(own, np.maximum(_mean_size(first), _mean_size(second)))
            if target is None:
                size = np.minimum(size, MOST_ROUNDING * own)
            else:
                of_target = _mean_size(target)
                same_shape = target.shape == first.shape
                size = np.maximum(size, of_target if same_shape else of_target.max())
            tolerance = rounding(TERMS) * size
            eps = max(precision(first.ravel()), precision(second.ravel()))
            if eps > np.finfo(float).eps:
                tolerance = np.maximum(tolerance, SINGLE_ULPS * eps * own)
            same |= apart <= tolerance
    return np.asarray(same.reshape(len(same), -1).all(axis=1))


def apart_anyway(first: np.ndarray, second: np.ndarray) -> bool:
    """Check whether predictions differ more than `alike` allows, where there is no target.

    `first`, `second` are some rows of those of two models, whatever the others are.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        own = np.maximum(np.abs(first), np.abs(second))
        most = max(rounding(TERMS) * MOST_ROUNDING, SINGLE_ULPS * float(np.finfo(np.float32).eps))
        return bool((np.abs(first - second) > most * own).any())


def _mean_size(values: np.ndarray) -> np.ndarray:
    """Average the sizes of the finite values of each column, 0 where there are none."""
    there = np.isfinite(values)
    total = np.abs(np.where(there, values, 0.0)).sum(axis=0)
    return np.asarray(total / np.maximum(there.sum(axis=0), 1))


ROUNDING_LEVEL = 1e-12
"""Relative distance up to which only rounding tells two means apart."""


def levelled(values: np.ndarray) -> np.ndarray:
    """Set values (n,) that only rounding tells apart to the largest of them; NaN stays.

    What is equal in theory then ties, and is ranked as a tie, on every machine.
    """
    order = np.argsort(-values, kind="stable")  # NaN is last
    ordered = values[order]
    higher, lower = ordered[:-1], ordered[1:]
    with np.errstate(invalid="ignore"):  # of two infinite ones
        near = higher - lower <= ROUNDING_LEVEL * np.maximum(np.abs(higher), np.abs(lower))
    near &= np.isfinite(lower) & np.isfinite(higher)
    first = np.maximum.accumulate(np.where(np.append(False, near), 0, np.arange(len(values))))
    result = np.empty_like(ordered)
    result[order] = ordered[first]
    return result
