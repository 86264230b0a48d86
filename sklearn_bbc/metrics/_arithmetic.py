"""Arithmetic of kernels: weighted sums over rows, and losses of rank metrics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from copy import copy
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from threading import Lock
from typing import Any, ClassVar

import numpy as np
from sklearn import config_context, get_config

from .. import _native
from .._rounding import draws_at_once

_SINGLE = 2.0**24  # integers up to here are exact in float32, whose products take half the time
_SHARE = 8  # part of the working memory that values may take which are computed once and kept
_SHARE_SINGLE = 4  # the same of sets that are asked for one by one
_SHARE_ROUGH = 2  # the same of values in single precision, which are needed most often
_ROW_BLOCK = 2**17  # values of one block of rows
_PAIRED = 2**16  # the same where each draw has a set of its own: in the cache
_CHUNK = 2**10  # of these, rows that are added up at a time
_SETS = 512  # of values, at once
_ROWS = 512  # of values that are added up in single precision
_DRAWS_EXACT = 256  # draws of a product that is exact, or need not be: their sums are in the cache
_FEW = 8  # draws, below which OpenBLAS takes up to ten times as long for a row as for a column
_CELLS_OF_THREADS = 2**24  # values from which on they are computed in several threads
_ROWS_OF_PART = 2**11  # of these, those that a thread adds up at a time
_CELLS_OF_PART = 2**20  # values that a thread looks at
_ROWS_PROBED = 16  # rows of a class that are looked at first

MANY = 32
"""Configurations from which those that may be the best are found first."""

DRAWS_OF_BLOCK = 64
"""Draws of one product, as of one block in `resampling`."""

Where = slice | np.ndarray
Values = Callable[[Where, Where], np.ndarray]


class DrawWeights:
    """Weights of a batch of draws, (n_draws, n_rows): counts, a mask, or any numbers >= 0.

    `total` (n_draws,), float64, is the total weight of each draw.
    """

    def __init__(self, weights: np.ndarray) -> None:
        self._weights = weights
        self._which: np.ndarray | None = None  # the draws that were selected, not copied yet
        self.are_compiled = _native.are_counts(weights)
        """Whether the compiled library reads the weights, for `sums`."""
        self.total: np.ndarray = (
            _native.sums_of_draws(weights)
            if self.are_compiled
            else weights.sum(axis=1, dtype=np.float64)
        )
        self._converted: dict[type, np.ndarray] = {}
        self._known: dict[int, tuple[object, np.ndarray]] = {}

    def __len__(self) -> int:
        return len(self.total)

    @property
    def weights(self) -> np.ndarray:
        """The weights as they came."""
        return self._weights if self._which is None else self._weights[self._which]

    @property
    def are_counts(self) -> bool:
        """Whether the weights are whole numbers."""
        return self._weights.dtype.kind in "biu"

    def positive(self) -> np.ndarray:
        """Mark the rows that are in each draw, shape (n_draws, n_rows), bool."""
        return np.asarray(self.weights > 0)

    def few(self) -> np.ndarray:
        """Mark the draws of less than two rows, copies included, shape (n_draws,), bool."""
        few = self.total < 2  # so are those of many rows whose weights are small
        few[few] = self.part(few).positive().sum(axis=1) < 2
        return few

    def lacks(self, members: np.ndarray) -> np.ndarray:
        """Mark the draws with none of the rows of a mask, shape (n_draws,), bool."""
        # A few rows nearly always tell: no copy of half the weights.
        rows = np.flatnonzero(members[: _ROWS_PROBED * _ROWS_PROBED])[:_ROWS_PROBED]
        lacking = np.logical_not(self.columns(rows).any(axis=1))
        for draw in np.flatnonzero(lacking):
            own = self._weights[draw if self._which is None else self._which[draw]]
            lacking[draw] = not own[members].any()
        return lacking

    def part(self, draws: slice | np.ndarray) -> DrawWeights:
        """Select some of the draws, any of them several times."""
        part = copy(self)
        part._converted, part._known, part.total = {}, {}, self.total[draws]
        if self._which is None and isinstance(draws, slice):
            part._weights = self._weights[draws]
        else:
            which = np.arange(len(self)) if self._which is None else self._which
            part._which = which[draws]
        return part

    def in_parts(self, size: int) -> Iterator[tuple[slice, DrawWeights]]:
        """Yield slices of at most `size` neighbouring draws, and the draws of each."""
        size = max(1, size)
        if size >= len(self):
            yield slice(None), self
            return
        for start in range(0, len(self), size):
            draws = slice(start, start + size)
            yield draws, self.part(draws)

    def sums(self, draws: np.ndarray, values: np.ndarray, which: np.ndarray) -> np.ndarray:
        """Sum one set of values in each of some draws, where weights `are_compiled`.

        `draws` (n_chosen,), `values` (n_sets, n_rows), finite or bool, `which` (n_chosen,) are the
        sets -> (n_chosen,).
        """
        draws = draws if self._which is None else self._which[draws]
        return _native.sums_of_draws(self._weights, draws, values, which)

    def matrix(self, dtype: type) -> np.ndarray:
        """Convert the weights to a C-contiguous floating-point array, once per type."""
        if dtype not in self._converted:
            self._converted[dtype] = np.ascontiguousarray(self.weights, dtype=dtype)
        return self._converted[dtype]

    def type_for(self, values: np.ndarray) -> type:
        """Choose the type for sums of values: single precision where it is exact."""
        if values.dtype.kind == "f" or not self.are_counts:
            return np.float64
        largest = 1.0 if values.dtype.kind == "b" else float(values.max(initial=0))
        return np.float32 if largest * self.total.max(initial=0) <= _SINGLE else np.float64

    def once(self, owner: object, compute: Callable[[], np.ndarray]) -> np.ndarray:
        """Compute what an object needs of these draws again and again, the first time it asks."""
        if id(owner) not in self._known:
            self._known[id(owner)] = owner, compute()
        return self._known[id(owner)][1]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self._weights.shape[1])

    def columns(self, rows: Where) -> np.ndarray:
        """Select the weights of some rows, in the type they came in."""
        columns = self._weights[:, rows]
        return columns if self._which is None else columns[self._which]


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
    if rows is not None and len(rows) == drawn.n_rows:
        rows = None
    sums = np.zeros((len(drawn), len(values)) if which is None else len(drawn))
    size = max(1, _ROW_BLOCK // max(1, min(len(values), _SETS)))
    for some in _slices(values.shape[1], size):
        weights = drawn.columns(some if rows is None else rows[some])
        if which is None:
            for sets in _slices(len(values), _SETS):
                part: np.ndarray = values[sets, some].astype(dtype)
                _add_product(sums[:, sets], weights, part, drawn.n_rows, dtype is np.float32)
            continue
        for draws in _slices(len(drawn), DRAWS_OF_BLOCK):
            chosen: np.ndarray = values[which[draws], some].astype(dtype)
            sums[draws] += np.einsum("dn,dn->d", weights[draws].astype(dtype), chosen)
    return sums


def product(weights: np.ndarray, values: np.ndarray, n_rows: int) -> np.ndarray:
    """Compute ``weights @ values.T`` in the type of the values, for some of `n_rows` rows.

    The last bits of a product depend on its shape, and results must not depend on how many draws
    are scored at once: products that are not exact are those of `draws_at_once`.
    """
    sums = np.zeros((len(weights), len(values)))
    _add_product(sums, weights, values, n_rows)
    return sums


def _add_product(
    sums: np.ndarray, weights: np.ndarray, values: np.ndarray, n_rows: int, exact: bool = False
) -> None:
    """Add the `product` to `sums` (n_draws, n_sets); with `exact` its last bits do not matter."""
    for draws in _slices(len(weights), _DRAWS_EXACT if exact else draws_at_once(n_rows)):
        some = weights[draws].astype(values.dtype, copy=False)
        sums[draws] += (values @ some.T).T if len(some) < _FEW else some @ values.T


class RowSums:
    """Weighted sums of values (n_sets, n_rows) that a function computes, some rows at a time.

    Where the values are small beside scikit-learn's ``working_memory`` they are computed once. The
    function is passed with each call: it is a method of the kernel that has these sums, and two
    objects that refer to each other would be freed late. Infinite values are losses that overflow:
    a draw with one has an infinite sum, a draw without it a finite one.
    """

    def __init__(self, n_sets: int, n_rows: int) -> None:
        self._n_sets, self._n_rows = n_sets, n_rows
        self._kept: np.ndarray | None = None
        self._rough: np.ndarray | None = None
        self._single: dict[int, np.ndarray] = {}  # sets that were asked for one by one
        self._lock = Lock()
        self._dtype: np.dtype | None = None
        self._by_row = False  # whether the values of a row stand side by side
        self._are_finite = False  # known once all were looked at
        self._has_negative = False  # known once one was seen; then rounded ones are of no use

    def __call__(self, values_of: Values, drawn: DrawWeights, which: np.ndarray) -> np.ndarray:
        """Sum chosen sets of values in each draw: `which` (n_chosen,) -> (n_draws, n_chosen)."""
        sums = np.zeros((len(drawn), len(which)))
        # The first time all are computed they are kept in single precision, which `between` needs
        # again and again, and only the next time as they are.
        everything = len(which) == self._n_sets and isinstance(neighbours(which), slice)
        rough = self._new_rough(values_of) if everything and self._n_sets >= MANY else None
        are_finite = everything
        if rough is None:
            self._keep(values_of)

        def add(into: np.ndarray, sets: slice, rows: slice) -> np.ndarray:
            nonlocal are_finite
            values, infinite = self._finite(values_of, neighbours(which[sets]), rows)
            if infinite is not None:
                are_finite = False
            if rough is not None and not self._has_negative:
                self._round_into(rough[sets, rows], values, infinite)
            weights, dtype = drawn.columns(rows), drawn.type_for(values)
            values = values.astype(dtype, copy=False)
            _add_product(into, weights, values, self._n_rows, dtype is np.float32)
            if infinite is not None:
                lost = product(weights, infinite.astype(dtype), self._n_rows) > 0
                into[lost] = np.inf
            return into

        def add_all(sets: slice) -> None:
            for rows in _slices(self._n_rows, self._rows_at_once(values_of, which[sets])):
                add(sums[:, sets], sets, rows)

        parts_of_sets = _slices(len(which), _SETS)
        if rough is None:
            few = len(parts_of_sets) == 1 or len(which) * self._n_rows < _CELLS_OF_THREADS
            deque((map if few else in_order)(add_all, parts_of_sets), maxlen=0)
        for sets in () if rough is None else parts_of_sets:
            shape, size = sums[:, sets].shape, self._rows_at_once(values_of, which[sets])
            if shape[1] * self._n_rows < _CELLS_OF_THREADS:
                add_all(sets)
                continue
            with ThreadPoolExecutor(_native.most_threads()) as threads:
                parts = [
                    threads.submit(copy_context().run, add, np.zeros(shape), sets, rows)
                    for rows in _slices(self._n_rows, size)
                ]
                for part in parts:
                    sums[:, sets] += part.result()
        if rough is not None and not self._has_negative:
            self._rough = rough
        self._are_finite |= are_finite
        return sums

    def paired(self, values_of: Values, drawn: DrawWeights, which: np.ndarray) -> np.ndarray:
        """Sum one set of values per draw: `which` (n_draws,) -> (n_draws,)."""
        distinct, place = np.unique(which, return_inverse=True)
        if self._n_rows > _CHUNK:
            self._keep_single(values_of, distinct)
        if self._type(values_of) not in (np.float64, np.bool_) or not drawn.are_compiled:
            return self._paired_by_numpy(values_of, drawn, which)
        sums = np.empty(len(drawn))
        order = np.argsort(place, kind="stable")
        edges = np.searchsorted(place[order], np.arange(len(distinct) + 1))
        for sets in _slices(len(distinct), _ROW_BLOCK // max(1, self._n_rows)):
            draws = order[edges[sets.start] : edges[sets.stop]]
            own = place[draws] - sets.start
            values = self._chosen(values_of, distinct[sets])
            infinite = _infinite(values)
            if infinite is None:
                sums[draws] = drawn.sums(draws, values, own)
            else:
                sums[draws] = drawn.sums(draws, np.where(infinite, 0.0, values), own)
                sums[draws[drawn.sums(draws, infinite, own) > 0]] = np.inf
        return sums

    def _paired_by_numpy(
        self, values_of: Values, drawn: DrawWeights, which: np.ndarray
    ) -> np.ndarray:
        sums = np.zeros(len(drawn))
        for draws in _slices(len(drawn), DRAWS_OF_BLOCK):
            distinct, place = np.unique(which[draws], return_inverse=True)
            some, size = drawn.part(draws), _CHUNK * (_PAIRED // _CHUNK // max(1, len(place)))
            for rows in _slices(self._n_rows, size) if len(place) else ():
                values, infinite = self._finite(values_of, distinct, rows)
                dtype = drawn.type_for(values)
                weights: np.ndarray = some.columns(rows).astype(dtype)
                own: np.ndarray = values.astype(dtype, copy=False)[place]
                _add_chunks(sums[draws], weights, own)
                if infinite is not None:
                    sums[draws][((weights > 0) & infinite[place]).any(axis=1)] = np.inf
        return sums

    def between(
        self, values_of: Values, drawn: DrawWeights
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Bound the sums of all sets, in half the time that the sums themselves take.

        Returns shape `low, high` (n_draws, n_sets); None where single precision does not bound
        them: where values in a draw are negative or too large, or weights are not whole numbers.
        """
        if self._type(values_of).kind != "f" or not drawn.are_counts or self._has_negative:
            return None
        if drawn.total.max(initial=0) > _SINGLE:
            return None
        with self._lock:  # threads share the kernel, and all values take time
            rough = self._new_rough(values_of)
            if rough is not None:
                for rows in _slices(self._n_rows, _ROW_BLOCK // self._n_sets + 1):
                    self._round_into(rough[:, rows], self._values(values_of, slice(None), rows))
                    if self._has_negative:
                        return None
                self._rough = rough
        low, high = np.zeros((2, len(drawn), self._n_sets))
        # Some draws at a time, whose sums stay in the cache, unless values are computed anew.
        for draws in _slices(len(drawn), len(drawn) if self._rough is None else _DRAWS_EXACT):
            some, sums = drawn.part(draws), low[draws]
            for sets in _slices(self._n_sets, _SETS):
                for rows in _slices(self._n_rows, _ROWS):
                    if self._rough is not None:
                        values = self._rough[sets, rows]
                    else:
                        given = self._values(values_of, sets, rows)
                        values = np.empty(given.shape, dtype=np.float32)
                        self._round_into(values, given)
                    with np.errstate(invalid="ignore"):
                        _add_product(sums[:, sets], some.columns(rows), values, self._n_rows, True)
            if not np.isfinite(sums.sum()):
                return None
            # Each value is rounded, and each sum of some rows is at most once per row. Values so
            # small that single precision has no digits left for them are off by less than its
            # least number.
            error = (_ROWS + 4) * 2.0**-24
            least = some.total[:, None] * float(np.finfo(np.float32).tiny)
            np.multiply(sums, 1 + error, out=high[draws])
            high[draws] += least
            sums *= 1 - error
            sums -= least
            np.maximum(sums, 0.0, out=sums)
        return low, high

    def keeper(self, values_of: Values) -> Callable[[slice, np.ndarray], None] | None:
        """Return what keeps values of some rows of all sets in single precision, for `between`.

        None where they are not needed, or there is no space. It is called for all rows.
        """
        rough = self._new_rough(values_of) if self._n_sets >= MANY else None
        if rough is None:
            return None
        left = [self._n_rows]

        def keep(rows: slice, values: np.ndarray) -> None:
            self._round_into(rough[:, rows], values)
            with self._lock:
                left[0] -= rows.stop - rows.start
                if not left[0] and not self._has_negative:
                    self._rough = rough

        return keep

    def _rows_at_once(self, values_of: Values, which: np.ndarray) -> int:
        """Count the rows of some sets that are summed at once."""
        are_floats = self._type(values_of).kind == "f"
        return (_ROW_BLOCK if are_floats else 4 * _ROW_BLOCK) // max(len(which), DRAWS_OF_BLOCK)

    def _finite(
        self, values_of: Values, sets: Where, rows: slice
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Give values with 0 for infinite ones, and a mask of these, None for none."""
        values = self._values(values_of, sets, rows)
        infinite = None if self._are_finite else _infinite(values)
        return values if infinite is None else np.where(infinite, 0.0, values), infinite

    def _values(self, values_of: Values, sets: Where, rows: slice) -> np.ndarray:
        """Look values up where they are kept, or compute them."""
        if self._kept is not None:
            return self._kept[sets, rows]
        if self._single and not isinstance(sets, slice):
            known = [self._single.get(k) for k in sets.tolist()]
            if all(single is not None for single in known):
                return np.stack([single[rows] for single in known if single is not None])
        return values_of(sets, rows)

    def _chosen(self, values_of: Values, sets: np.ndarray) -> np.ndarray:
        """Look up or compute all values of some sets, (n_chosen, n_rows), C-contiguous."""
        known = [self._single.get(k) for k in sets.tolist()]
        if len(known) == 1 and known[0] is not None:
            return known[0][None]
        values = np.empty((len(sets), self._n_rows), dtype=self._type(values_of))
        for own, single in zip(values, known):
            if single is not None:
                own[:] = single
        missing = [k for k, single in enumerate(known) if single is None]
        if missing:
            which, whole = neighbours(sets[missing]), len(missing) == len(values)

            def compute(rows: slice) -> None:
                found = self._values(values_of, which, rows)
                if whole:
                    values[:, rows] = found
                else:
                    values[missing, rows] = found

            parts = _slices(self._n_rows, _ROW_BLOCK // len(missing))
            few = len(missing) * self._n_rows < _CELLS_OF_PART
            deque((map if few else in_order)(compute, parts), maxlen=0)
        return values

    def _keep_single(self, values_of: Values, sets: np.ndarray) -> None:
        """Keep the values of some sets, which are asked for again and again, if there is space."""
        with self._lock:  # threads ask for the same ones
            missing = sets[[k not in self._single for k in sets.tolist()]]
            itemsize, n_kept = self._type(values_of).itemsize, len(self._single)
            while len(missing) and not self._fits(itemsize, _SHARE_SINGLE, n_kept + len(missing)):
                missing = missing[:-1]
            if len(missing):  # all at once: their values are near each other
                self._single.update(zip(missing.tolist(), self._chosen(values_of, missing)))

    def _new_rough(self, values_of: Values) -> np.ndarray | None:
        """Make room for all values in single precision; None where they are there, or too many."""
        if self._rough is not None or self._has_negative or self._type(values_of).kind != "f":
            return None
        if not self._fits(4, _SHARE_ROUGH, self._n_sets):
            return None
        if self._by_row:
            return np.empty((self._n_rows, self._n_sets), dtype=np.float32).T
        return np.empty((self._n_sets, self._n_rows), dtype=np.float32)

    def _round_into(
        self, rounded: np.ndarray, values: np.ndarray, infinite: np.ndarray | None = None
    ) -> None:
        """Round to single precision; values below 0 become infinite, as do too large ones."""
        with np.errstate(over="ignore"):
            rounded[...] = values
        if rounded.size and values.min() < 0:
            self._has_negative = True
            rounded[values < 0] = np.inf
        if infinite is not None:
            rounded[infinite] = np.inf

    def _keep(self, values_of: Values) -> None:
        """Compute all values once and keep them, if they take little enough memory."""
        # Two threads may compute the same; the second one's assignment changes nothing.
        itemsize = self._type(values_of).itemsize
        if self._kept is None and self._fits(itemsize, _SHARE, self._n_sets):
            self._kept = values_of(slice(None), slice(None))

    def _type(self, values_of: Values) -> np.dtype:
        """Find the type of the values, and in which order they are computed."""
        if self._dtype is None:
            some = values_of(slice(0, 2), slice(0, 2))
            self._by_row = some.strides[0] < some.strides[1]
            self._dtype = some.dtype
        return self._dtype

    def _fits(self, itemsize: int, share: int, n_sets: int) -> bool:
        """Check whether the values of some sets take no more than a share of the memory."""
        memory = get_config()["working_memory"] * 2**20
        return bool(itemsize * n_sets * self._n_rows <= memory / share)


def _add_chunks(sums: np.ndarray, weights: np.ndarray, values: np.ndarray) -> None:
    """Add sums of products, (n_sums, n_rows) each, to `sums`.

    Some rows at a time, so that the last bits do not depend on how many there are in one call.
    """
    n_rows = weights.shape[1]
    whole = n_rows - n_rows % _CHUNK
    if whole:
        shape = (len(weights), -1, _CHUNK)
        of_chunks = np.einsum(
            "dcn,dcn->cd", weights[:, :whole].reshape(shape), values[:, :whole].reshape(shape)
        )
        for part in of_chunks:
            sums += part
    if whole < n_rows:
        sums += np.einsum("dn,dn->d", weights[:, whole:], values[:, whole:])


def _infinite(values: np.ndarray) -> np.ndarray | None:
    """Mark infinite values; None where there are none."""
    if values.dtype.kind != "f" or np.isfinite(values.sum()):
        return None
    infinite = np.isinf(values)
    return infinite if infinite.any() else None


def _slices(n: int, size: int) -> list[slice]:
    size = max(1, size)
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def parts_of(n_configs: int, n_rows: int) -> list[slice]:
    """Split rows into parts that a thread looks at once, in no time beside what threads take."""
    return _slices(n_rows, _CELLS_OF_PART // max(1, n_configs))


def parts_of_sums(n_rows: int) -> list[slice]:
    """Split rows into parts that are added one after the other.

    A part of the definition of these sums, to the last bit: it depends on nothing else.
    """
    return _slices(n_rows, _ROWS_OF_PART)


def in_order(function: Callable[[Any], Any], todo: Sequence[Any]) -> Iterator[Any]:
    """Yield what a function returns, in order, from as many threads as there are cores.

    They have the settings of the caller, and are as far ahead as there are threads.
    """
    n_threads = min(_native.most_threads(), len(todo))
    if n_threads < 2:
        yield from map(function, todo)
        return
    config = get_config()

    def configured(given: Any) -> Any:
        with config_context(**config):
            return function(given)

    with ThreadPoolExecutor(n_threads) as threads:
        ahead: deque[Future[Any]] = deque()
        try:
            for given in todo:
                ahead.append(threads.submit(copy_context().run, configured, given))
                if len(ahead) > 2 * n_threads:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            for task in ahead:
                task.cancel()


def neighbours(which: np.ndarray) -> slice | np.ndarray:
    """Turn indices into a slice, which takes no copy, where they are consecutive."""
    if not len(which):
        return which
    first, last = int(which[0]), int(which[-1])
    if last - first == len(which) - 1 and (which[1:] > which[:-1]).all():
        return slice(first, last + 1)
    return which


_BLOCK_VALUES = 2**18  # weights that are treated at once: affects speed and memory only


@dataclass(frozen=True, eq=False)
class SortedRows:
    """Rows of two classes in ascending order of one configuration's scores.

    `positive` (n_positive,) and `negative` (n_negative,) are row numbers. For each positive,
    `before` counts the negatives strictly below it, `through` those below it or tied with it, and
    `first` is the position of the first positive that is tied with it.
    """

    positive: np.ndarray
    negative: np.ndarray
    before: np.ndarray
    through: np.ndarray
    first: np.ndarray

    @classmethod
    def of(cls, scores: np.ndarray, positive: np.ndarray, negative: np.ndarray) -> SortedRows:
        """Sort two sets of rows by `scores` (n_rows,); ties keep the order of the rows."""
        positive, negative = (
            rows[np.argsort(scores[rows], kind="stable")] for rows in (positive, negative)
        )
        above, below = scores[positive], scores[negative]
        return cls(
            positive,
            negative,
            before=np.searchsorted(below, above, "left"),
            through=np.searchsorted(below, above, "right"),
            first=np.searchsorted(above, above, "left"),
        )


def running_sums(weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Sum the weights of the first k of some rows in each draw, for every k, float64.

    `weights` (n_draws, n_rows), `rows` (n,) -> (n_draws, n + 1).
    """
    sums = np.zeros((len(weights), len(rows) + 1))
    np.cumsum(np.take(weights, rows, axis=1), axis=1, out=sums[:, 1:])
    return sums


class RankLoss(ABC):
    """Loss of a rank metric on two sets of rows; the metric is ``(size - loss) / size``.

    With `counts_pairs` it is a number of pairs, so equal scores of counts are equal bits.
    """

    counts_pairs: ClassVar[bool] = False

    @staticmethod
    @abstractmethod
    def lost(weights: np.ndarray, rows: SortedRows) -> np.ndarray:
        """Compute the loss in each draw: `weights` (n_draws, n_rows) -> (n_draws,)."""

    @staticmethod
    @abstractmethod
    def size(positive: np.ndarray, negative: np.ndarray) -> np.ndarray:
        """Compute the largest possible loss from the weights of both sets; 0 if undefined."""

    @staticmethod
    @abstractmethod
    def prepare(
        scores: np.ndarray,
        positive: np.ndarray,
        rows: np.ndarray | None,
        *,
        fold: np.ndarray | None = None,
        lean: bool = False,
    ) -> _native.Program:
        """Prepare the compiled kernel with the same losses."""


class MisplacedPairs(RankLoss):
    """Loss of the area under the ROC curve: pairs in the wrong order, ties one half.

    Everything is doubled, so that counts stay integers.
    """

    counts_pairs = True
    prepare = staticmethod(_native.auc)

    @staticmethod
    def lost(weights, rows):
        """Compute twice the weight of the misplaced pairs."""
        sums = running_sums(weights, rows.negative)
        total = sums[:, -1:]
        wrong = total - np.take(sums, rows.before, axis=1)
        if np.array_equal(rows.before, rows.through):
            wrong += wrong
        else:
            wrong += total - np.take(sums, rows.through, axis=1)
        wrong *= np.take(weights, rows.positive, axis=1)
        return wrong.sum(axis=1)

    @staticmethod
    def size(positive, negative):
        """Compute twice the weight of all pairs."""
        return 2.0 * positive * negative


class LostPrecision(RankLoss):
    """Loss of average precision: at each positive, the share of negatives at least as high.

    Where folds are kept apart, these are negatives of the same fold.
    """

    prepare = staticmethod(_native.average_precision)

    @staticmethod
    def lost(weights, rows):
        """Sum one minus precision over the positives."""
        # From the top: a difference of two sums could be nothing but rounding error.
        false = running_sums(weights, rows.negative[::-1])
        false = np.take(false, len(rows.negative) - rows.before, axis=1)
        true = running_sums(weights, rows.positive[::-1])
        together = false + np.take(true, len(rows.positive) - rows.first, axis=1)
        # Without any weight at or above a positive there is nothing to lose.
        share = false / np.maximum(together, np.finfo(np.float64).tiny, out=together)
        share *= np.take(weights, rows.positive, axis=1)
        return share.sum(axis=1)

    @staticmethod
    def size(positive, negative):
        """Return the weight of the positives."""
        return positive


def weight_of(weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Sum the weights of some rows in each draw, in the order of the rows, float64."""
    if weights.dtype.kind in "biu":
        return weights[:, rows].sum(axis=1, dtype=np.int64).astype(np.float64)
    return running_sums(weights, rows)[:, -1]


def folds_apart(scores: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Rank the scores within their fold, each fold's ranks above those of the fold before.

    `scores` (n_configs, n_rows), `fold` (n_rows,) -> (n_configs, n_rows).
    """
    apart = np.empty(scores.shape)
    configs, n_before = np.arange(len(scores))[:, None], 0
    for each in np.unique(fold):
        rows = np.flatnonzero(fold == each)
        here = scores[:, rows]
        order = here.argsort(axis=1)
        ordered = here[configs, order]
        ranks = np.zeros(here.shape)
        np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1, out=ranks[:, 1:])
        apart[configs, rows[order]] = n_before + ranks
        n_before += len(rows)
    return apart


class FoldPairs:
    """Pairs of a positive and a negative row: within folds, and misordered across folds.

    `fold` (n_rows,) is the fold of each row; `positive` and `negative` are row numbers.
    """

    def __init__(self, fold: np.ndarray, positive: np.ndarray, negative: np.ndarray) -> None:
        names, codes = np.unique(fold, return_inverse=True)
        self._n_folds = len(names)
        self._rows = [
            (positive[codes[positive] == each], negative[codes[negative] == each])
            for each in range(len(names))
        ]
        # Positives and negatives of each fold, in one matrix for one product.
        self._members = np.zeros((2 * self._n_folds, len(fold)), dtype=bool)
        self._members[codes[positive], positive] = True
        self._members[self._n_folds + codes[negative], negative] = True

    def of(self, weights: np.ndarray) -> tuple[np.ndarray, ...]:
        """Compute twice the weight of the pairs, as `MisplacedPairs` counts them.

        `weights` (n_draws, n_rows) -> `inside` (n_draws,), `misplaced` (n_draws,), `positive,
        negative` (n_draws,).
        """
        sums = sums_of(self._members, DrawWeights(weights))
        positive, negative = sums[:, : self._n_folds], sums[:, self._n_folds :]
        # Negatives of later folds rank above the positives of this one.
        inside, misplaced, later = np.zeros((3, len(weights)))
        for fold in reversed(range(self._n_folds)):
            misplaced += positive[:, fold] * later
            inside += positive[:, fold] * negative[:, fold]
            later += negative[:, fold]
        all_positive = positive.sum(axis=1)
        return 2.0 * inside, 2.0 * misplaced, all_positive, later

    def any_of(self, weights: np.ndarray) -> np.ndarray:
        """Check, faster than `of`, whether draws have a pair within a fold, shape (n_draws,)."""
        found = np.zeros(len(weights), dtype=bool)
        for positive, negative in self._rows:
            left = np.flatnonzero(~found)  # after the first fold hardly any
            if not len(left):
                break
            some = weights if len(left) == len(weights) else weights[left]
            found[left] = some[:, positive].any(axis=1) & some[:, negative].any(axis=1)
        return found


ROW_BYTES = 5
"""About what the sorted form of a row takes, its number and its place; half more with ties."""

LEAN = 150
"""Bytes a row that sorting on two cores and counts of draws side by side take, about."""

LEANEST = 52
"""The same with one sorted column after the other, and draws side by side as few as can be."""

SWEEPS = 4
"""Requests for all configurations, after which all of them are kept."""


class CompiledBlocks:
    """Sorted rows of every configuration, prepared when they are needed.

    Where they are more than `block` configurations, scores are computed from so many at a time,
    which are discarded afterwards. The numbers are the same. `prepare` makes a
    program from scores, a mask of the positive rows and the rows that take part: `pred`
    (n_configs, n_rows), `positive` (n_rows,) bool, `rows` (n_taking_part,) int64, None for all.
    """

    def __init__(
        self,
        prepare: Callable[..., _native.Program],
        pred: np.ndarray,
        positive: np.ndarray,
        rows: np.ndarray | None,
        block: int,
    ) -> None:
        self._pred, self._positive, self._rows, self._block = pred, positive, rows, block
        self._prepare = partial(prepare, positive=positive, rows=rows)
        self._lock = Lock()
        self._whole: _native.Program | None = None
        self._passed = 0  # configurations that were prepared and forgotten

    @property
    def blocks(self) -> list[slice]:
        """Slices of neighbouring configurations that fit into the memory together."""
        n_configs = len(self._pred)
        n_blocks = -(-n_configs // self._block)
        edges = np.linspace(0, n_configs, n_blocks + 1).astype(int).tolist()
        return [slice(start, stop) for start, stop in pairwise(edges)]

    @property
    def whole(self) -> _native.Program:
        """Program of all configurations, kept once it is made."""
        with self._lock:  # threads share the kernel, and sorting takes time
            if self._whole is None:
                self._whole = self._prepare(self._pred)
            return self._whole

    def winners(self, counts: np.ndarray, limit: np.ndarray | None = None) -> np.ndarray:
        """Find the best configuration of each draw, see `Program.winners`."""
        return self.whole.winners(counts, limit)

    def scores(self, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Score some configurations on every draw, shape (n_draws, n_chosen)."""
        return self._table("scores", counts, configs)

    def losses(self, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Compute the losses behind `scores`, shape (n_draws, n_chosen)."""
        return self._table("losses", counts, configs)

    def score_of(self, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Score one configuration per draw, NaN for -1, shape (n_draws,)."""
        return self._column("score_of", counts, configs)

    def loss_of(self, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Compute the losses behind `score_of`, shape (n_draws,)."""
        return self._column("loss_of", counts, configs)

    def rough_losses(self, n_rows: int) -> np.ndarray:
        """Compute losses on about `n_rows` rows, some of either class, shape (n_configs,)."""
        rows = self._rows
        taking_part = self._positive if rows is None else self._positive[rows]
        step = max(1, len(taking_part) // n_rows)
        some = [np.flatnonzero(members)[::step] for members in (taking_part, ~taking_part)]
        chosen = np.sort(np.concatenate(some))
        program = self._prepare(self._pred, rows=chosen if rows is None else rows[chosen])
        counts = np.ones((1, self._pred.shape[1]), dtype=np.uint8)
        return program.losses(counts)[0]

    def _table(self, what: str, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        distinct, position = self._to_prepare(configs)
        if distinct is None:
            return getattr(self.whole, what)(counts, configs)
        table = np.empty((len(counts), len(configs)))
        for part, some in self._parts(distinct):
            here = np.flatnonzero((position >= part.start) & (position < part.stop))
            own = position[here] - part.start
            # No name for the program: it goes before the next one comes.
            table[:, here] = getattr(self._prepare(self._pred[some]), what)(counts, own)
        return table

    def _column(self, what: str, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        distinct, position = self._to_prepare(configs)
        if distinct is None:
            return getattr(self.whole, what)(counts, configs)
        column = np.full(len(counts), np.nan)
        for part, some in self._parts(distinct):
            here = np.flatnonzero((position >= part.start) & (position < part.stop))
            drawn, own = counts if len(here) == len(counts) else counts[here], position[here]
            column[here] = getattr(self._prepare(self._pred[some]), what)(drawn, own - part.start)
        return column

    def _to_prepare(self, configs: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
        """Find the distinct configurations, and the position of each in them, negative for none.

        None instead where all configurations are prepared, fit, or were asked for often enough.
        """
        if self._whole is not None or self._block >= len(self._pred):
            return None, configs
        distinct, position = np.unique(configs, return_inverse=True)
        n_none = int(np.searchsorted(distinct, 0))
        if self._passed + len(distinct) > SWEEPS * len(self._pred):
            return None, configs
        return distinct[n_none:], position - n_none

    def _parts(self, distinct: np.ndarray) -> Iterator[tuple[slice, slice | np.ndarray]]:
        """Yield blocks of some configurations, to be prepared one after the other."""
        self._passed += len(distinct)
        for start in range(0, len(distinct), self._block):
            part = slice(start, min(start + self._block, len(distinct)))
            yield part, neighbours(distinct[part])  # a view if it can be


class Part:
    """One comparison of two sets of rows by scores that should sort them.

    Greater `pred` (n_configs, n_rows) means more likely positive; `positive` and `negative`,
    (n_rows,) bool, are the two sets. `fold` (n_rows,) numbers the folds 0, 1, ... when only rows
    of the same fold are to be compared, otherwise it is None.
    """

    def __init__(
        self,
        pred: np.ndarray,
        positive: np.ndarray,
        negative: np.ndarray,
        loss: type[RankLoss],
        fold: np.ndarray | None = None,
    ) -> None:
        self._pred, self._loss, self._fold = pred, loss, fold
        self._positive, self._negative = positive, negative
        self._lock = Lock()
        # Half of the memory, since the draws need some too. Kernels that cannot look for winners
        # in passes need all at once in any case.
        memory, n_rows = get_config()["working_memory"] * 2**20, pred.shape[1]
        self._space = memory / 2 if loss.counts_pairs else np.inf
        self._lean = LEAN * n_rows > self._space
        if self._lean:
            self._space = min(self._space, memory - LEANEST * n_rows)
        self._program: _native.Program | CompiledBlocks | None = None

    def within(self, fold: np.ndarray) -> Part:
        """Make the same comparison among rows of the same fold only."""
        codes = np.unique(fold, return_inverse=True)[1]
        return Part(self._pred, self._positive, self._negative, self._loss, codes)

    @cached_property
    def positive(self) -> np.ndarray:
        """Positive rows, in order, (n_positive,)."""
        return np.flatnonzero(self._positive)

    @cached_property
    def negative(self) -> np.ndarray:
        """Negative rows, in order, (n_negative,)."""
        return np.flatnonzero(self._negative)

    @property
    def program(self) -> _native.Program | CompiledBlocks:
        """The compiled kernels of this comparison, of all configurations where they fit."""
        with self._lock:  # threads share the kernel, and sorting takes time
            if self._program is None:
                taking_part = self._positive | self._negative
                n_rows = int(np.count_nonzero(taking_part))
                rows = None if n_rows == len(taking_part) else np.flatnonzero(taking_part)
                prepare = partial(self._loss.prepare, fold=self._fold, lean=self._lean)
                most = max(1.0, self._space / (ROW_BYTES * max(1, n_rows)))  # configurations
                if most < len(self._pred):
                    self._program = CompiledBlocks(
                        prepare, self._pred, self._positive, rows, int(most)
                    )
                else:
                    self._program = prepare(self._pred, self._positive, rows)
            return self._program

    def losses(self, weights: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Compute the losses with NumPy, within folds where folds are kept apart.

        `weights` (n_draws, n_rows), `configs` (n_chosen,) -> (n_chosen, n_draws).
        """
        lost = np.zeros((len(configs), len(weights)))
        step = max(1, _BLOCK_VALUES // weights.shape[1])
        blocks = [slice(start, start + step) for start in range(0, len(weights), step)]
        sets = self._sets()
        for k, config in enumerate(configs.tolist()):
            for positive, negative in sets:
                rows = SortedRows.of(self._pred[config], positive, negative)
                for draws in blocks:
                    lost[k, draws] += self._loss.lost(weights[draws], rows)
        return lost

    def _sets(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """List the sets of positive and negative rows that are compared with each other."""
        positive, negative, fold = self.positive, self.negative, self._fold
        if fold is None:
            return [(positive, negative)]
        both = np.intersect1d(fold[positive], fold[negative])
        return [(positive[fold[positive] == k], negative[fold[negative] == k]) for k in both]


class Mean:
    """The mean of the parts of a metric, for draws with `weights` (n_draws, n_rows).

    From the weights of the two sets of rows `size` computes what each part can lose at most, and
    `shares` its weight in the mean, see `RankKernel._shares`. With `needs_every_part` one
    undefined part makes the mean undefined. `pairs` are the pairs within folds of each part when
    only these count, otherwise None; with `across` the losses that will be given still hold the
    pairs across folds.
    """

    def __init__(
        self,
        weights: np.ndarray,
        parts: Sequence[Part],
        *,
        size: Callable[[np.ndarray, np.ndarray], np.ndarray],
        shares: Callable[[np.ndarray, np.ndarray], np.ndarray | None],
        needs_every_part: bool,
        pairs: list[FoldPairs] | None,
        across: bool = False,
    ) -> None:
        self.elsewhere: np.ndarray | None = None  # lost on pairs that do not count
        if pairs is not None:
            counted = [each.of(weights) for each in pairs]
            sizes, misplaced, positive, negative = map(np.stack, zip(*counted))
            if across:
                self.elsewhere = misplaced
        else:
            positive, negative = (
                np.stack([weight_of(weights, rows) for rows in sets])
                for sets in zip(*((part.positive, part.negative) for part in parts))
            )
            sizes = size(positive, negative)
        self.sizes = np.where(sizes > 0, sizes, 1.0)
        self.single = len(sizes) == 1
        self.norm = np.full(len(weights), float(len(sizes)))
        self.shares = shares(positive, negative)
        self.defined: np.ndarray = np.logical_and.reduce(sizes > 0)
        if self.shares is not None:
            norm = np.add.accumulate(self.shares)[-1]
            if not needs_every_part:
                needed = (sizes > 0) | (self.shares == 0)
                self.defined = np.logical_and.reduce(needed) & (norm > 0)
            self.norm = np.where(norm > 0, norm, 1.0)

    def of(self, losses: Iterable[np.ndarray]) -> np.ndarray:
        """Compute the score from the parts' losses, each (n_draws,) or (n_configs, n_draws)."""
        size = self.sizes[0] if self.single else self.norm
        loss: np.ndarray | float = 0.0
        for part, lost in enumerate(losses):
            if self.elsewhere is not None:
                # Not below 0 by the rounding of weights that are not whole numbers.
                lost = np.maximum(lost - self.elsewhere[part], 0.0)
            if not self.single:
                lost = lost / self.sizes[part]
                if self.shares is not None:
                    lost = lost * self.shares[part]
            loss = loss + lost
        return np.where(self.defined, np.maximum((size - loss) / size, 0.0), np.nan)
