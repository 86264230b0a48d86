"""Weighted sums that have the same bits however the work is cut up.

Sums of floating-point numbers depend on their order, and a matrix product orders them by
the number of draws in a batch, of configurations and of threads. Sums of integers below
2^53 do not. So values are written as integers times a power of two, the integers are
summed by the matrix product, and only the result is rounded.

One set of integers has 52 bits minus those of the total weight of a draw: 41 for 500
samples. A value far below the largest of its configuration loses digits to that, so what
is left over is written as a second set, and as a third where it is still needed, until
every value is exact to `TOLERANCE` of itself: an outlier of 10^10 times the other losses
does not harm the draws without it.

Draws with weights that are not integers (sample weights) are summed in floating point, one
draw and configuration at a time, in an order that depends on the number of rows alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass

import numpy as np
from sklearn import get_config

TOLERANCE = 2.0**-43
"""Largest relative error of a value (1.1e-13), and so of a sum of values of one sign."""

_HEADROOM = 2  # groups make draws heavier than the data; up to 2^2 times is one set of integers
_MAX_LEVEL = 40  # heavier draws than 2^40 are summed in floating point
_BITS = 52
_SINGLE = 2.0**24  # integers up to here are exact in float32, whose products take half the time
_BLOCK = 2**15  # values that stay in the cache while a draw is summed
_PART = 2**18  # small integers that are turned into floats, or weights looked at, at once
_PROBED = 16  # rows of a class that are looked at first
_FEW = 4  # sets of values that are multiplied with all rows even where they have few


class DrawWeights:
    """Weights of a batch of draws, and how each draw can be summed.

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
        if weights.dtype.kind in "biu":
            self._weights = weights
            # 32 bits hold such totals, and are summed twice as fast.
            small = weights.dtype.kind != "i" and weights.itemsize <= 2
            dtype = np.uint32 if small and weights.shape[1] <= 2**16 else np.float64
            self.total = weights.sum(axis=1, dtype=dtype).astype(np.float64, copy=False)
            whole = np.ones(len(weights), dtype=bool)
        else:
            # Rows must be contiguous for sums whose order depends on their length alone.
            self._weights = np.ascontiguousarray(weights, dtype=np.float64)
            self.total = np.add.reduce(self._weights, axis=1)
            size = max(1, _PART // max(1, weights.shape[1]))
            parts = [self._weights[k : k + size] for k in range(0, len(weights), size)]
            each = [(part == np.floor(part)).all(axis=1) for part in parts]
            whole = np.concatenate([np.empty(0, dtype=bool), *each])
        whole &= self.total < 2.0**_MAX_LEVEL
        # 2^level is above the total weight; -1 marks draws to sum in floating point.
        self._level = np.where(whole, np.frexp(self.total)[1], -1)
        self._converted: dict[type, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self.total)

    @property
    def whole(self) -> np.ndarray:
        """Draws whose weights are integers, shape (n_draws,), bool."""
        return self._level >= 0

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
        part.total, part._level = self.total[draws], self._level[draws]
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

    def parts(self, base: int) -> Iterator[tuple[slice | np.ndarray, int]]:
        """Draws that share a level of at least `base`, and that level."""
        level = np.where(self._level < 0, -1, np.maximum(self._level, base))
        if len(level) and (level == level[0]).all():
            yield slice(None), int(level[0])
            return
        found = np.unique(level)
        for value in found:
            yield np.flatnonzero(level == value), int(value)

    def columns(self, rows: slice, dtype: type) -> np.ndarray:
        """Weights of some rows in a floating-point type."""
        return self._weights[:, rows].astype(dtype)

    def matrix(self, dtype: type) -> np.ndarray:
        """Weights in a floating-point type, row after row in memory, converted once."""
        if dtype not in self._converted:
            self._converted[dtype] = np.ascontiguousarray(self._weights, dtype=dtype)
        return self._converted[dtype]


@dataclass(frozen=True, eq=False)
class _Integers:
    """Values times 2^-exponent, on the rows where they are not zero."""

    rows: np.ndarray | None
    values: np.ndarray  # (n_values, n_rows or less), floats or unsigned integers
    exponent: np.ndarray | None  # (n_values,); None is zero
    largest: float

    def take(self, which: slice | np.ndarray) -> _Integers:
        """Those of some sets of values."""
        exponent = None if self.exponent is None else self.exponent[which]
        return _Integers(self.rows, self.values[which], exponent, self.largest)

    def dtype(self, level: int) -> type:
        """Type whose products with weights of a total below 2^level are exact."""
        return np.float32 if self.largest * 2.0**level <= _SINGLE else np.float64

    def scaled(self, sums: np.ndarray) -> np.ndarray:
        """Sums of the values from those of the integers, whose last axis is that of values."""
        if self.exponent is None:
            return sums
        with np.errstate(over="ignore", under="ignore"):
            return np.ldexp(sums, self.exponent)


class FixedSums:
    """Weighted sums over rows, for many sets of values and many draws.

    The integers are kept, and take twice or three times as much memory as floats do: where
    this is too much, see `SumsInBlocks`.

    Parameters
    ----------
    values : ndarray of shape (n_values, n_rows)
        A float per configuration and row, of any size, infinities included (as losses
        that overflow are); or small unsigned integers or booleans, whose sums are exact.
    rows : ndarray of shape (n_rows,), default=None
        Where these rows are among those that the draws weigh; None for all of them.
    """

    def __init__(self, values: np.ndarray, rows: np.ndarray | None = None) -> None:
        self._rows = rows
        self._infinite: FixedSums | None = None
        if values.dtype.kind == "f":
            values = np.ascontiguousarray(values, dtype=np.float64)
            infinite = np.isinf(values)
            if infinite.any():
                self._infinite = FixedSums(infinite, rows)
                values = np.where(infinite, 0.0, values)
        else:
            self._largest = float(values.max(initial=0))
        self._values = values
        self._base = _base_level(values.shape[1])
        self._kept: dict[int, list[_Integers]] = {}

    def __call__(self, drawn: DrawWeights, which: np.ndarray | None = None) -> np.ndarray:
        """Sum each chosen set of values in each draw.

        `which` (n_chosen,) -> (n_draws, n_chosen).
        """
        if which is None:
            which = np.arange(len(self._values))
        result = np.zeros((len(drawn), len(which)))
        for draws, level in drawn.parts(self._base):
            if level < 0:
                result[draws] = self._float_sums(drawn, draws, which)
                continue
            for part in self._blocks(len(which)):
                total: np.ndarray | float = 0.0
                for piece in reversed(self._pieces(which[part], level)):  # the small ones first
                    total = total + piece.scaled(self._product(drawn, draws, piece, level))
                result[draws, part] = total
        if self._infinite is not None:
            result[self._infinite(drawn, which) > 0] = np.inf
        return result

    def paired(self, drawn: DrawWeights, which: np.ndarray) -> np.ndarray:
        """Sum one set of values per draw.

        `which` (n_draws,) -> (n_draws,).
        """
        if len(which) and (which == which[0]).all():
            return self(drawn, which[:1])[:, 0]
        result = np.zeros(len(drawn))
        for draws, level in drawn.parts(self._base):
            here = np.arange(len(drawn))[draws]
            # Neighbours share their sets of values, which are then converted once.
            here = here[np.argsort(which[here], kind="stable")]
            for part in self._blocks(len(here)):
                chosen = here[part]
                if level < 0:
                    weights = self._select(drawn.matrix(np.float64), self._rows)[chosen]
                    result[chosen] = np.add.reduce(weights * self._values[which[chosen]], axis=1)
                    continue
                for piece in reversed(self._pieces(which[chosen], level)):
                    weights = self._columns(drawn, piece, level)[chosen]
                    values = piece.values.astype(weights.dtype, copy=False)
                    # Sums of integers: the order in which einsum adds does not matter.
                    sums = np.einsum("dn,dn->d", weights, values).astype(np.float64)
                    result[chosen] += piece.scaled(sums)
        if self._infinite is not None:
            result[self._infinite.paired(drawn, which) > 0] = np.inf
        return result

    def _blocks(self, n_sets: int) -> Iterator[slice]:
        """Parts of the sets of values that are converted at once."""
        kept = self._values.dtype.kind == "f"
        size = n_sets if kept else _PART // max(1, self._values.shape[1])
        for start in range(0, n_sets, max(1, size)):
            yield slice(start, start + max(1, size))

    def _product(
        self, drawn: DrawWeights, draws: slice | np.ndarray, piece: _Integers, level: int
    ) -> np.ndarray:
        """Sums of integers, shape (n_draws, n_values)."""
        if self._rows is None or piece.rows is not None or len(piece.values) > _FEW:
            weights = self._columns(drawn, piece, level)[draws]
            return _product(weights, piece.values.astype(weights.dtype, copy=False))
        # Zeros for the other rows cost less than picking rows out of all draws.
        weights = drawn.matrix(piece.dtype(level))[draws]
        values = np.zeros((len(piece.values), weights.shape[1]), dtype=weights.dtype)
        values[:, self._rows] = piece.values
        return _product(weights, values)

    def _columns(self, drawn: DrawWeights, piece: _Integers, level: int) -> np.ndarray:
        rows = self._rows
        if piece.rows is not None:
            rows = piece.rows if rows is None else rows[piece.rows]
        return self._select(drawn.matrix(piece.dtype(level)), rows)

    @staticmethod
    def _select(weights: np.ndarray, rows: np.ndarray | None) -> np.ndarray:
        return weights if rows is None else np.ascontiguousarray(weights[:, rows])

    def _pieces(self, which: np.ndarray, level: int) -> list[_Integers]:
        """Integers of some sets of values, for draws with a total weight below 2^level."""
        if self._values.dtype.kind != "f":
            return [_Integers(None, self._values[which], None, self._largest)]
        # Two threads may compute the same; the second one's assignment changes nothing.
        if level not in self._kept:
            self._kept[level] = _split(self._values, level)
        everything = np.array_equal(which, np.arange(len(self._values)))
        return [piece.take(slice(None) if everything else which) for piece in self._kept[level]]

    def _float_sums(
        self, drawn: DrawWeights, draws: slice | np.ndarray, which: np.ndarray
    ) -> np.ndarray:
        """Sums in floating point, each along its own contiguous row (pairwise, by NumPy)."""
        weights = self._select(drawn.matrix(np.float64), self._rows)[draws]
        result = np.empty((len(weights), len(which)))
        size = max(1, _BLOCK // max(1, weights.shape[1]))
        for start in range(0, len(which), size):
            values = self._values[which[start : start + size]].astype(np.float64, copy=False)
            product = np.empty_like(values)
            for draw, weight in enumerate(weights):
                np.multiply(values, weight, out=product)
                np.add.reduce(product, axis=1, out=result[draw, start : start + size])
        return result


def _base_level(n_rows: int) -> int:
    """Level of the usual draws of so many rows, see `DrawWeights.parts`."""
    return _HEADROOM + int(n_rows).bit_length()


def _product(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """``weights @ values.T``, for whole numbers: the order of the sums does not matter."""
    if len(weights) < len(values):  # OpenBLAS takes ten times as long the other way round
        return (values @ weights.T).T
    return weights @ values.T


def _largest(values: np.ndarray) -> np.ndarray:
    """Largest absolute value of each set."""
    return np.maximum(values.max(axis=1, initial=0), -values.min(axis=1, initial=0))


def _split(values: np.ndarray, level: int, largest: np.ndarray | None = None) -> list[_Integers]:
    """Write floats as sums of integers times powers of two, each set of values on its own.

    Where these are only some rows of the sets, `largest` has their largest value on all rows.
    """
    bits = _BITS - level
    largest = _largest(values) if largest is None else largest
    shift = (bits - np.frexp(largest)[1])[:, None]
    first, second = np.empty_like(values), np.empty_like(values)
    left: list[tuple[np.ndarray, ...]] = []
    size = max(1, _BLOCK // max(1, values.shape[1]))
    scratch = np.empty((2, min(size, len(values)), values.shape[1]))
    for start in range(0, len(values), size):
        part = slice(start, start + size)
        rest, other = scratch[:, : len(values[part])]
        _take_integers(values[part], shift[part], first[part], rest)
        # The rest is at most half a unit of what was taken, so its size is known.
        _take_integers(rest, shift[part] + bits, second[part], other)
        left.append(_unfinished(other, values[part], start, shift[part] + bits))
    pieces = [_Integers(None, first, -shift[:, 0], 2.0**bits)]
    if second.any():
        pieces.append(_Integers(None, second, -shift[:, 0] - bits, 2.0**bits))
    sets, rows, rests = (np.concatenate(each) for each in zip(*left))
    shift = shift + 2 * bits
    while len(sets):
        # Few values are far below the largest of their set: a table of their rows only.
        columns, column = np.unique(rows, return_inverse=True)
        table = np.zeros((len(values), len(columns)))
        table[sets, column] = rests
        integers = np.empty_like(table)
        rest = np.empty_like(table)
        _take_integers(table, shift, integers, rest)
        pieces.append(_Integers(columns, integers, -shift[:, 0], 2.0**bits))
        sets, rows, rests = _unfinished(rest, values[:, columns], 0, shift)
        rows, shift = columns[rows], shift + bits
    return pieces


def _unfinished(
    rest: np.ndarray, values: np.ndarray, start: int, shift: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Where too much of a value is left, and what: sets (from `start` on), rows, rests."""
    # A rest is at most half of 2^-shift, which is little beside all but the smallest values.
    with np.errstate(over="ignore"):
        small = np.ldexp(0.5 / TOLERANCE, -shift)
    sets, rows = np.nonzero((np.abs(values) < small) & (rest != 0))
    # Value by value, so that no configuration depends on its neighbours.
    much = np.abs(rest[sets, rows]) > TOLERANCE * np.abs(values[sets, rows])
    sets, rows = sets[much], rows[much]
    return sets + start, rows, rest[sets, rows]


def _take_integers(
    values: np.ndarray, shift: np.ndarray, integers: np.ndarray, rest: np.ndarray
) -> None:
    """Fill in the integers nearest to the values times 2^shift, and what they leave."""
    _times_power_of_two(values, shift, integers)
    np.rint(integers, out=integers)
    _times_power_of_two(integers, -shift, rest)
    np.subtract(values, rest, out=rest)  # exact


def _times_power_of_two(values: np.ndarray, exponent: np.ndarray, out: np.ndarray) -> None:
    """What `numpy.ldexp` gives, ten times faster where the power itself is a normal number."""
    if np.abs(exponent).max(initial=0) < 1000:
        np.multiply(values, np.ldexp(1.0, exponent), out=out)
    else:
        np.ldexp(values, exponent, out=out)


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

        `which` (n_chosen,) -> (n_draws, n_chosen).
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

        `which` (n_draws,) -> (n_draws,).
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
