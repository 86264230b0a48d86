"""Weighted sums over rows, for many draws and many sets of values: products of matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy

import numpy as np
from sklearn import get_config

_SINGLE = 2.0**24  # integers up to here are exact in float32, whose products take half the time
_KEPT = 2**26  # bytes of values that are computed once and kept, at most
_SHARE = 8  # part of the working memory that these values may take
_BLOCK = 2**16  # values of one block of rows
_DRAWS = 64  # of one block, as in `resampling`
_PROBED = 16  # rows of a class that are looked at first

Where = slice | np.ndarray
Values = Callable[[Where, Where], np.ndarray]


class DrawWeights:
    """Weights of a batch of draws.

    Parameters
    ----------
    weights : ndarray of shape (n_draws, n_rows)
        Counts, a mask, or any numbers >= 0.

    Attributes
    ----------
    total : ndarray of shape (n_draws,), float64
        Total weight of each draw.
    """

    def __init__(self, weights: np.ndarray) -> None:
        self._weights = weights
        # 32 bits hold such totals, and are summed twice as fast.
        small = (
            weights.dtype.kind in ("b", "u")
            and weights.itemsize <= 2
            and weights.shape[1] <= 2**16
        )
        total = weights.sum(axis=1, dtype=np.uint32 if small else np.float64)
        self.total: np.ndarray = total.astype(np.float64, copy=False)
        self._converted: dict[type, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self._weights)

    @property
    def are_counts(self) -> bool:
        """Whether the weights are whole numbers."""
        return self._weights.dtype.kind in "biu"

    def positive(self) -> np.ndarray:
        """Rows that are in each draw, shape (n_draws, n_rows), bool."""
        return np.asarray(self._weights > 0)

    def lacks(self, members: np.ndarray) -> np.ndarray:
        """Draws with none of the rows of a mask, shape (n_draws,), bool."""
        rows = np.flatnonzero(members)
        # A few rows nearly always tell: no copy of half the weights.
        lacking = np.logical_not(self._weights[:, rows[:_PROBED]].any(axis=1))
        for draw in np.flatnonzero(lacking):
            lacking[draw] = not self._weights[draw, rows].any()
        return lacking

    def part(self, draws: slice | np.ndarray) -> DrawWeights:
        """Some of the draws."""
        part = copy(self)
        part._weights, part._converted = self._weights[draws], {}
        part.total = self.total[draws]
        return part

    def in_parts(self, size: int) -> Iterator[tuple[slice, DrawWeights]]:
        """At most `size` neighbouring draws at a time, and their places."""
        size = max(1, size)
        if size >= len(self):
            yield slice(None), self
            return
        for start in range(0, len(self), size):
            draws = slice(start, start + size)
            yield draws, self.part(draws)

    def matrix(self, dtype: type) -> np.ndarray:
        """Weights in a floating-point type, row after row in memory, converted once."""
        if dtype not in self._converted:
            self._converted[dtype] = np.ascontiguousarray(self._weights, dtype=dtype)
        return self._converted[dtype]

    def type_for(self, values: np.ndarray) -> type:
        """Type for sums of values: single precision where it is exact."""
        if values.dtype.kind == "f" or not self.are_counts:
            return np.float64
        largest = 1.0 if values.dtype.kind == "b" else float(values.max(initial=0))
        return np.float32 if largest * self.total.max(initial=0) <= _SINGLE else np.float64

    def columns(self, rows: slice) -> np.ndarray:
        """Weights of some neighbouring rows, as they were given."""
        return self._weights[:, rows]


def sums_of(
    values: np.ndarray,
    drawn: DrawWeights,
    rows: np.ndarray | None = None,
    which: np.ndarray | None = None,
) -> np.ndarray:
    """Sum small whole numbers in each draw: all sets, or with `which` one set per draw.

    `values` (n_sets, n_rows), `rows` (n_rows,) are their places among the rows of the draws,
    `which` (n_draws,) -> (n_draws, n_sets) or (n_draws,).
    """
    dtype = drawn.type_for(values)
    weights = drawn.matrix(dtype)
    if rows is not None and len(rows) < weights.shape[1]:
        weights = weights[:, rows]
    sums = np.empty((len(drawn), len(values)) if which is None else len(drawn))
    step = max(1, _BLOCK // max(1, weights.shape[1]))
    for start in range(0, len(values) if which is None else len(drawn), step):
        part = slice(start, start + step)
        if which is None:
            sums[:, part] = _product(weights, values[part].astype(dtype))
        else:
            chosen = values[which[part]].astype(dtype)
            sums[part] = np.einsum("dn,dn->d", weights[part], chosen)
    return sums


def _product(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """``weights @ values.T`` in the type of the values.

    The last bits of a product depend on its shape, and results must not depend on how many blocks
    of draws are scored at once: those that are not exact are made block by block.
    """
    exact = values.dtype == np.float32
    sums = np.empty((len(weights), len(values)))
    for draws in [slice(None)] if exact else _draws(len(weights)):
        some = weights[draws].astype(values.dtype, copy=False)
        # OpenBLAS takes ten times as long the other way round.
        sums[draws] = (values @ some.T).T if len(some) < len(values) else some @ values.T
    return sums


def _draws(n_draws: int) -> list[slice]:
    return [slice(start, start + _DRAWS) for start in range(0, n_draws, _DRAWS)]


class RowSums:
    """Weighted sums over rows of values that a function computes, some rows at a time.

    Where the values are small beside scikit-learn's ``working_memory`` they are computed once.
    The function is given with each call: it is a method of the kernel that has these sums, and
    two objects that hold each other would be freed late. Infinite values are losses that
    overflow: a draw with one has an infinite sum, a draw without it a finite one.

    Parameters
    ----------
    n_sets, n_rows : int
        Number of sets of values and of rows.
    """

    def __init__(self, n_sets: int, n_rows: int) -> None:
        self._n_sets, self._n_rows = n_sets, n_rows
        self._kept: np.ndarray | None = None

    def __call__(self, values_of: Values, drawn: DrawWeights, which: np.ndarray) -> np.ndarray:
        """Sum each chosen set of values in each draw.

        `which` (n_chosen,) -> (n_draws, n_chosen).
        """
        sums = np.zeros((len(drawn), len(which)))
        for rows, values, infinite in self._blocks(values_of, which, len(which)):
            weights, dtype = drawn.columns(rows), drawn.type_for(values)
            sums += _product(weights, values.astype(dtype, copy=False))
            if infinite is not None:
                sums[_product(weights, infinite.astype(dtype)) > 0] = np.inf
        return sums

    def paired(self, values_of: Values, drawn: DrawWeights, which: np.ndarray) -> np.ndarray:
        """Sum one set of values per draw.

        `which` (n_draws,) -> (n_draws,).
        """
        sums = np.zeros(len(drawn))
        for draws in _draws(len(drawn)):
            distinct, place = np.unique(which[draws], return_inverse=True)
            for rows, values, infinite in self._blocks(values_of, distinct, _DRAWS):
                dtype = drawn.type_for(values)
                weights: np.ndarray = drawn.columns(rows)[draws].astype(dtype)
                some: np.ndarray = values[place].astype(dtype, copy=False)
                sums[draws] += np.einsum("dn,dn->d", weights, some)
                if infinite is not None:
                    sums[draws][((weights > 0) & infinite[place]).any(axis=1)] = np.inf
        return sums

    def _blocks(
        self, values_of: Values, which: np.ndarray, n_wide: int
    ) -> Iterator[tuple[slice, np.ndarray, np.ndarray | None]]:
        """Rows, the values of some sets there, 0 for infinite ones, and which ones these are."""
        if not len(which):
            return
        self._keep(values_of)
        sets = _neighbours(which)
        size = max(1, _BLOCK // max(n_wide, _DRAWS) * (1 if self._are_floats else 16))
        for start in range(0, self._n_rows, size):
            rows = slice(start, start + size)
            kept = self._kept
            values = values_of(sets, rows) if kept is None else kept[sets, rows]
            infinite = None
            if values.dtype.kind == "f" and not np.isfinite(values.sum()):
                infinite = np.isinf(values)
                values = np.where(infinite, 0.0, values)
            yield rows, values, infinite

    def _keep(self, values_of: Values) -> None:
        """Compute all values once, where they may be kept."""
        # Two threads may compute the same; the second one's assignment changes nothing.
        if self._kept is None:
            dtype = values_of(slice(0, 1), slice(0, 1)).dtype
            self._are_floats = dtype.kind == "f"
            most = min(_KEPT, get_config()["working_memory"] * 2**20 / _SHARE)
            if dtype.itemsize * self._n_sets * self._n_rows <= most:
                self._kept = values_of(slice(None), slice(None))


def _neighbours(which: np.ndarray) -> slice | np.ndarray:
    """Indices as a slice, which takes no copy, where they are neighbours in their order."""
    first, last = int(which[0]), int(which[-1])
    if last - first == len(which) - 1 and (np.diff(which) == 1).all():
        return slice(first, last + 1)
    return which
