"""Weighted sums of values that are computed when they are needed.

The values of all configurations, a loss for each prediction, take as much memory as the
predictions in double precision, and the integers that `FixedSums` makes of them twice as
much. So where they do not fit, some rows are treated at a time: their values are computed,
summed in all draws of a batch, and forgotten. Sums of integers do not depend on the order, so
the result is the same, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from sklearn import get_config

from ._exact_sums import DrawWeights, FixedSums, _base_level, _Integers, _largest, _product, _split

_KEPT = 2**26  # bytes of values that are kept together with their integers, at most
_SHARE = 8  # part of the working memory that these values may take: the integers come on top
_BLOCK_BYTES = 2**21  # values and integers that are there at once
_EACH = 32  # bytes that a value and its integers take
_SETS = 512  # sets of values that are treated at once
_DRAW_BYTES = 2**20  # weights that are turned into floats at once

Where = slice | np.ndarray
Values = Callable[[Where, Where], np.ndarray]


class SumsInBlocks:
    """Weighted sums over rows, as `FixedSums` gives them, of values that a function computes.

    Where the values are small beside scikit-learn's ``working_memory`` they are computed once.
    The function is given with each call: it is a method of the kernel that has these sums, and
    two objects that hold each other would be freed late.

    Parameters
    ----------
    n_sets, n_rows : int
        Number of sets of values and of rows.
    """

    def __init__(self, n_sets: int, n_rows: int) -> None:
        self._n_sets, self._n_rows = n_sets, n_rows
        self._kept: FixedSums | None = None
        self._largest: np.ndarray | None = None

    def __call__(self, values_of: Values, drawn: DrawWeights, which: np.ndarray) -> np.ndarray:
        """Sum each chosen set of values in each draw.

        Parameters
        ----------
        values_of : callable
            From some sets of values and some rows, as slices or indices, to the values, shape
            (n_chosen_sets, n_chosen_rows): floats, booleans or small unsigned integers. No
            value depends on which others are asked for.
        drawn : DrawWeights
            The draws.
        which : ndarray of shape (n_chosen,)
            Indices of the sets of values.

        Returns
        -------
        ndarray of shape (n_draws, n_chosen), float64
            The sums; each depends on its own draw and values only, bit for bit.
        """
        kept = self._whole(values_of)
        result = np.empty((len(drawn), len(which)))
        if kept is not None:
            for draws, some in drawn.in_parts(self._n_together):
                result[draws] = kept(some, which)
            return result
        if not drawn.whole.all():  # whose order of summation is that of all rows
            for block in self._blocks(len(which)):
                sums = FixedSums(values_of(_neighbours(which[block]), slice(None)))
                for draws, some in drawn.in_parts(self._n_together):
                    result[draws, block] = sums(some)
            return result
        for alike, level in drawn.parts(_base_level(self._n_rows)):
            part = drawn.part(alike)
            for start in range(0, len(which), _SETS):
                block = slice(start, start + _SETS)
                result[alike, block] = self._by_rows(values_of, part, which[block], level)
        return result

    def paired(self, values_of: Values, drawn: DrawWeights, which: np.ndarray) -> np.ndarray:
        """Sum one set of values per draw.

        Parameters
        ----------
        values_of, drawn
            As for a call.
        which : ndarray of shape (n_draws,)
            Index of the set of values of each draw.

        Returns
        -------
        ndarray of shape (n_draws,), float64
            The same bits as those that calling gives.
        """
        kept = self._whole(values_of)
        if kept is not None:
            return self._paired(kept, drawn, which)
        result = np.empty(len(drawn))
        distinct, place = np.unique(which, return_inverse=True)
        for block in self._blocks(len(distinct)):
            sums = FixedSums(values_of(_neighbours(distinct[block]), slice(None)))
            here = np.flatnonzero((place >= block.start) & (place < block.stop))
            here = here[np.argsort(place[here], kind="stable")]
            result[here] = self._paired(sums, drawn.part(here), place[here] - block.start)
        return result

    def _paired(self, sums: FixedSums, drawn: DrawWeights, which: np.ndarray) -> np.ndarray:
        """Sum one set of values per draw, some draws at a time."""
        result = np.empty(len(drawn))
        # Of every draw the weights and the integers of its set are copied.
        for draws, some in drawn.in_parts(self._n_together // 3):
            result[draws] = sums.paired(some, which[draws])
        return result

    def _whole(self, values_of: Values) -> FixedSums | None:
        """The sums of all values, where they may be kept."""
        # Two threads may compute the same; the second one's assignment changes nothing.
        if self._kept is None and self._n_sets:
            each = values_of(slice(0, 1), slice(0, 1)).dtype.itemsize
            room = min(_KEPT, get_config()["working_memory"] * 2**20 / _SHARE)
            if each * self._n_sets * self._n_rows <= room:
                self._kept = FixedSums(values_of(slice(None), slice(None)))
        return self._kept

    def _largest_of(self, values_of: Values) -> np.ndarray:
        """Largest finite size of a value of each set, shape (n_sets,)."""
        if self._largest is None:
            largest = np.zeros(self._n_sets)
            for block in self._blocks(self._n_sets):
                values = values_of(block, slice(None))
                if values.dtype.kind == "f":
                    largest[block] = _largest(np.where(np.isinf(values), 0.0, values))
                else:
                    largest[block] = values.max(axis=1, initial=0)
            self._largest = largest
        return self._largest

    def _by_rows(
        self, values_of: Values, drawn: DrawWeights, which: np.ndarray, level: int
    ) -> np.ndarray:
        """Sums of some sets of values in draws of whole numbers, a block of rows at a time."""
        sets, largest = _neighbours(which), self._largest_of(values_of)[which]
        infinite = np.zeros((len(drawn), len(which)), dtype=bool)
        sums: dict[int, np.ndarray] = {}  # of the integers, by the power of two left out
        exponent: np.ndarray | None = None
        size = max(1, _BLOCK_BYTES // (_EACH * len(which)))
        for start in range(0, self._n_rows, size):
            rows = slice(start, start + size)
            values = values_of(sets, rows)
            if values.dtype.kind != "f":
                pieces = [_Integers(None, values, None, float(largest.max(initial=0)))]
            else:
                beyond = np.isinf(values)
                if beyond.any():
                    infinite |= (
                        _product(drawn.columns(rows, np.float32), _as(beyond, np.float32)) > 0
                    )
                    values = np.where(beyond, 0.0, values)
                pieces = _split(np.ascontiguousarray(values, np.float64), level, largest)
                exponent = pieces[0].exponent
            weights = drawn.columns(rows, pieces[0].dtype(level))
            for piece in pieces:
                some = weights if piece.rows is None else weights[:, piece.rows]
                summed = _product(some, _as(piece.values, weights.dtype))
                left_out = 0
                if exponent is not None and piece.exponent is not None:
                    left_out = int(exponent[0] - piece.exponent[0])
                if left_out in sums:
                    sums[left_out] += summed
                else:
                    sums[left_out] = summed.astype(np.float64, copy=False)
        total: np.ndarray | float = 0.0
        for left_out in sorted(sums, reverse=True):  # the small ones first
            part = sums.pop(left_out)
            if exponent is not None:
                with np.errstate(over="ignore", under="ignore"):
                    part = np.ldexp(part, exponent - left_out)
            total = total + part
        return np.where(infinite, np.inf, total)

    @property
    def _n_together(self) -> int:
        """Draws whose weights are turned into floats at once."""
        return _DRAW_BYTES // (8 * max(1, self._n_rows))

    def _blocks(self, n_sets: int) -> Iterator[slice]:
        """Sets of values that are treated at once, where all rows are needed."""
        size = max(1, _BLOCK_BYTES // (_EACH * max(1, self._n_rows)))
        for start in range(0, n_sets, size):
            yield slice(start, min(start + size, n_sets))


def _as(values: np.ndarray, dtype: np.dtype | type) -> np.ndarray:
    return values.astype(dtype, copy=False)


def _neighbours(which: np.ndarray) -> slice | np.ndarray:
    """Indices as a slice, which takes no copy, where they are neighbours in their order."""
    first, last = int(which[0]), int(which[-1])
    if last - first == len(which) - 1 and (np.diff(which) == 1).all():
        return slice(first, last + 1)
    return which
