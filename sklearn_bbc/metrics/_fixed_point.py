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

Draws with weights that are no integers (sample weights) are summed in floating point, one
draw and configuration at a time, in an order that depends on the number of rows alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

TOLERANCE = 2.0**-43
"""Largest relative error of a value (1.1e-13), and so of a sum of values of one sign."""

_HEADROOM = 2  # groups make draws heavier than the data; up to 2^2 times is one set of integers
_MAX_LEVEL = 40  # heavier draws than 2^40 are summed in floating point
_BITS = 52
_SINGLE = 2.0**24  # integers up to here are exact in float32, whose products take half the time
_BLOCK = 2**15  # values that stay in the cache while a draw is summed
_CONVERTED = 2**22  # small integers that are converted to floats at once


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
            self.total = weights.sum(axis=1, dtype=np.float64)
            whole = np.ones(len(weights), dtype=bool)
        else:
            # Rows must be contiguous for sums whose order depends on their length alone.
            self._weights = np.ascontiguousarray(weights, dtype=np.float64)
            self.total = np.add.reduce(self._weights, axis=1)
            whole = (self._weights == np.floor(self._weights)).all(axis=1)
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
        return np.logical_not(self._weights[:, members].any(axis=1))

    def parts(self, base: int) -> Iterator[tuple[slice | np.ndarray, int]]:
        """Draws that share a level of at least `base`, and that level."""
        level = np.where(self._level < 0, -1, np.maximum(self._level, base))
        found = np.unique(level)
        for value in found:
            yield slice(None) if len(found) == 1 else np.flatnonzero(level == value), int(value)

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


class FixedSums:
    """Weighted sums over rows, for many sets of values and many draws.

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
        self._values = values
        self._base = _HEADROOM + int(values.shape[1]).bit_length()
        self._pieces: dict[int, list[_Integers]] = {}

    def __call__(self, drawn: DrawWeights, which: np.ndarray | None = None) -> np.ndarray:
        """Sum each chosen set of values in each draw.

        Parameters
        ----------
        drawn : DrawWeights
            The draws.
        which : ndarray of shape (n_chosen,), default=None
            Indices of the sets of values; None takes all.

        Returns
        -------
        ndarray of shape (n_draws, n_chosen), float64
            The sums; each depends on its own draw and values only, bit for bit.
        """
        if which is not None and np.array_equal(which, np.arange(len(self._values))):
            which = None
        n_chosen = len(self._values) if which is None else len(which)
        result = np.zeros((len(drawn), n_chosen))
        for draws, level in drawn.parts(self._base):
            if level < 0:
                result[draws] = self._float_sums(drawn, draws, which)
                continue
            for piece in reversed(self._at(level)):  # the small ones first
                weights = self._columns(drawn, _dtype(piece, level), piece)[draws]
                values = piece.values if which is None else piece.values[which]
                sums = _product(weights, values)
                if piece.exponent is None:
                    result[draws] += sums
                else:
                    exponent = piece.exponent if which is None else piece.exponent[which]
                    result[draws] += np.ldexp(sums, exponent)
        if self._infinite is not None:
            result[self._infinite(drawn, which) > 0] = np.inf
        return result

    def paired(self, drawn: DrawWeights, which: np.ndarray) -> np.ndarray:
        """Sum one set of values per draw.

        Parameters
        ----------
        drawn : DrawWeights
            The draws.
        which : ndarray of shape (n_draws,)
            Index of the set of values of each draw.

        Returns
        -------
        ndarray of shape (n_draws,), float64
            The same bits as those that calling gives.
        """
        result = np.zeros(len(drawn))
        for draws, level in drawn.parts(self._base):
            chosen = which[draws]
            if level < 0:
                weights = drawn.matrix(np.float64)[draws]
                if self._rows is not None:
                    weights = np.ascontiguousarray(weights[:, self._rows])
                result[draws] = np.add.reduce(weights * self._values[chosen], axis=1)
                continue
            for piece in reversed(self._at(level)):
                dtype = _dtype(piece, level)
                weights = self._columns(drawn, dtype, piece)[draws]
                values = piece.values[chosen].astype(dtype, copy=False)
                # Sums of integers: the order in which einsum adds does not matter.
                sums = np.einsum("dn,dn->d", weights, values).astype(np.float64)
                if piece.exponent is None:
                    result[draws] += sums
                else:
                    result[draws] += np.ldexp(sums, piece.exponent[chosen])
        if self._infinite is not None:
            result[self._infinite.paired(drawn, which) > 0] = np.inf
        return result

    def _columns(self, drawn: DrawWeights, dtype: type, piece: _Integers) -> np.ndarray:
        weights = drawn.matrix(dtype)
        rows = self._rows
        if piece.rows is not None:
            rows = piece.rows if rows is None else rows[piece.rows]
        return weights if rows is None else weights[:, rows]

    def _at(self, level: int) -> list[_Integers]:
        """Integers for draws with a total weight below 2^level."""
        # Two threads may compute the same; the second one's assignment changes nothing.
        if level not in self._pieces:
            self._pieces[level] = self._split(level)
        return self._pieces[level]

    def _split(self, level: int) -> list[_Integers]:
        if self._values.dtype.kind != "f":
            return [_Integers(None, self._values, None, float(self._values.max(initial=0)))]
        bits = _BITS - level
        pieces: list[_Integers] = []
        rows, rest = None, self._values
        wanted = TOLERANCE * np.abs(rest)
        while True:
            largest = np.maximum(rest.max(axis=1, initial=0), -rest.min(axis=1, initial=0))
            shift = (bits - np.frexp(largest)[1])[:, None]
            integers = np.rint(_times_power_of_two(rest, shift))
            pieces.append(_Integers(rows, integers, -shift[:, 0], 2.0**bits))
            rest = rest - _times_power_of_two(integers, -shift)  # exact
            # Value by value, so that no configuration depends on its neighbours.
            rest[np.abs(rest) <= wanted] = 0
            unfinished = rest.any(axis=0)
            if not unfinished.any():
                return pieces
            rows = np.flatnonzero(unfinished) if rows is None else rows[unfinished]
            rest, wanted = rest[:, unfinished], wanted[:, unfinished]

    def _float_sums(
        self, drawn: DrawWeights, draws: slice | np.ndarray, which: np.ndarray | None
    ) -> np.ndarray:
        """Sums in floating point, each along its own contiguous row (pairwise, by NumPy)."""
        weights = drawn.matrix(np.float64)[draws]
        if self._rows is not None:
            weights = np.ascontiguousarray(weights[:, self._rows])
        chosen = np.arange(len(self._values)) if which is None else which
        result = np.empty((len(weights), len(chosen)))
        size = max(1, _BLOCK // max(1, weights.shape[1]))
        for start in range(0, len(chosen), size):
            values = self._values[chosen[start : start + size]].astype(np.float64, copy=False)
            product = np.empty_like(values)
            for draw, weight in enumerate(weights):
                np.multiply(values, weight, out=product)
                np.add.reduce(product, axis=1, out=result[draw, start : start + size])
        return result


def _dtype(piece: _Integers, level: int) -> type:
    return np.float32 if piece.largest * 2.0**level <= _SINGLE else np.float64


def _product(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Matrix product of exact integers; small ones are converted a block at a time."""
    if values.dtype == weights.dtype:
        return weights @ values.T
    product = np.empty((len(weights), len(values)), dtype=weights.dtype)
    size = max(1, _CONVERTED // max(1, values.shape[1]))
    for start in range(0, len(values), size):
        block = values[start : start + size].astype(weights.dtype)
        np.matmul(weights, block.T, out=product[:, start : start + size])
    return product


def _times_power_of_two(values: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """What `numpy.ldexp` gives, ten times faster where the power itself is a normal number."""
    if np.abs(exponent).max(initial=0) < 1000:
        return values * np.ldexp(1.0, exponent)
    return np.ldexp(values, exponent)
