"""Optional compiled kernels: rank metrics, sums and the counting of draws, faster than NumPy.

NumPy is the core; the compiled library is missing where there was no compiler. Its callers
check `available` each time, so that a test can switch it off, and otherwise work with NumPy. Its
functions are called through ctypes, which releases the GIL; arguments are checked here.

The environment variable ``SKLEARN_BBC_NATIVE`` is read on import: ``0`` forces NumPy, ``1``
makes a missing library an `ImportError` (for continuous integration).
"""

from __future__ import annotations

import ctypes
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from ctypes import POINTER, byref, c_double, c_int, c_size_t, c_ssize_t, c_uint, c_void_p
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from joblib import cpu_count

MAX_TOTAL = 2**26
"""The compiled kernels refuse draws whose counts add up to more: below, all is exact."""

MAX_ROWS, MAX_CONFIGS = (2**32 - 1) // 64, 2**31 - 1
"""Offsets into a block of draws are 32 bits wide, indices of configurations 31."""


_MOST_TERMS, _TOO_LARGE = 256, 1e290
"""What `best_of_sums` adds up: so many terms, and none whose sum could overflow."""

_CELLS_OF_THREAD = 2**18
"""So many predictions, which take milliseconds to sort, are worth a thread."""


class _ScoreTable(ctypes.Structure):
    """``score_table`` of kernel.h."""

    _fields_ = [
        ("data", c_void_p),
        ("n_configs", c_size_t),
        ("n_rows", c_size_t),
        ("config_stride", c_ssize_t),
        ("row_stride", c_ssize_t),
        ("single", c_int),
    ]


class _BinaryTarget(ctypes.Structure):
    """``binary_target`` of binary.h."""

    _fields_ = [
        ("positive", c_void_p),
        ("rows", c_void_p),
        ("fold", c_void_p),
        ("n", c_size_t),
        ("n_folds", c_size_t),
        ("lanes", c_int),
        ("lean", c_int),
    ]


class _CountsTable(ctypes.Structure):
    """``counts_table`` of kernel.h."""

    _fields_ = [
        ("data", c_void_p),
        ("itemsize", c_int),
        ("largest", c_uint),
        ("n_draws", c_size_t),
        ("n_rows", c_size_t),
    ]


_TABLE, _TARGET, _COUNTS = POINTER(_ScoreTable), POINTER(_BinaryTarget), POINTER(_CountsTable)
# Result and arguments of each exported function.
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "lanes_for": (c_int, [c_int]),
    "has_vectors": (c_int, []),
    "auc_new": (c_void_p, [_TABLE, _TARGET]),
    "average_precision_new": (c_void_p, [_TABLE, _TARGET]),
    "concordance_new": (c_void_p, [_TABLE, c_void_p, c_void_p]),
    "program_list": (c_int, [c_void_p, _TABLE, _TARGET, c_size_t, c_size_t]),
    "program_finish": (c_int, [c_void_p]),
    "program_free": (None, [c_void_p]),
    "program_nbytes": (c_size_t, [c_void_p]),
    "program_winners": (c_int, [c_void_p, _COUNTS, c_void_p, c_void_p]),
    "program_losses": (c_int, [c_void_p, _COUNTS, c_void_p, c_size_t, c_void_p, c_void_p]),
    "program_loss_of": (c_int, [c_void_p, _COUNTS, c_void_p, c_void_p, c_void_p]),
    "sums_of_draws": (
        None,
        [_COUNTS, c_int, c_void_p, c_void_p, c_size_t, c_void_p, c_int, c_void_p],
    ),
    "best_of_sums": (
        None,
        [_COUNTS, c_int, c_void_p, c_size_t, c_double, c_void_p, c_void_p],
    ),
    "count_picks": (c_int, [c_void_p, c_size_t, c_size_t, c_size_t, c_void_p]),
}


def _load(asked: str, path: Path | None = None) -> tuple[Any, str]:
    """Load the library, or return None, and describe in words what is used."""
    if asked not in ("", "0", "1"):
        raise ValueError(
            f"SKLEARN_BBC_NATIVE={asked!r} is not known: 0 forces NumPy, 1 demands the compiled "
            "kernels, unset uses them where they were built."
        )
    if asked == "0":
        return None, "NumPy (SKLEARN_BBC_NATIVE=0)"
    if path is None:
        path = Path(__file__).with_name("_kernels.dll" if os.name == "nt" else "_kernels.so")
    try:
        library = ctypes.CDLL(str(path))
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:  # AttributeError: built from other sources
        if asked == "1":
            raise ImportError(
                "SKLEARN_BBC_NATIVE=1 demands the compiled kernels, but they cannot be loaded "
                f"({error}). `python -m pip install -e .` builds them in a checkout."
            ) from error
        return None, f"NumPy (the compiled kernels cannot be loaded: {error})"
    widest = next(lanes for lanes in (64, 32, 16) if library.lanes_for(lanes))
    code = f"vectors of {widest} bytes" if library.has_vectors() else "plain C"
    return library, f"native ({code})"


_LIBRARY, _STATUS = _load(os.environ.get("SKLEARN_BBC_NATIVE", ""))


def _compiled() -> Any:
    if _LIBRARY is None:
        raise RuntimeError(f"The compiled kernels are not in use: {_STATUS}. Ask available().")
    return _LIBRARY


def available() -> bool:
    """Check whether the functions of this package can be used."""
    return _LIBRARY is not None


def status() -> str:
    """Describe which kernels are used, and why, for messages and bug reports."""
    return _STATUS


def known_lanes() -> tuple[int, ...]:
    """List how many draws two-class kernels can score at once on this processor, ascending."""
    return tuple(lanes for lanes in (16, 32, 64) if _compiled().lanes_for(lanes))


class Program:
    """Predictions of all configurations, prepared for scoring many draws.

    A score is ``(size - loss) / size``; the size depends on the draw only. All methods may be
    called from several threads at once and release the GIL. `handle` is what a function of the
    library returned, None when there was no memory; `n_rows` is the number of rows that counts
    must have.
    """

    def __init__(self, handle: int | None, n_configs: int, n_rows: int) -> None:
        if handle is None:
            raise MemoryError("There is no memory for the sorted predictions.")
        self._handle, self._library = handle, _compiled()
        self.n_configs, self.n_rows = n_configs, n_rows

    def __del__(self) -> None:
        if hasattr(self, "_handle"):
            self._library.program_free(self._handle)

    @property
    def nbytes(self) -> int:
        """Memory that the prepared form takes, in bytes."""
        return self._library.program_nbytes(self._handle)

    def winners(self, counts: np.ndarray, limit: np.ndarray | None = None) -> np.ndarray:
        """Find the best configuration of each draw: the first on ties, -1 if all are undefined.

        With `limit`, for `auc` only, those with a larger loss are left out, and it becomes the
        winner's loss. `counts` (n_draws, n_rows), `limit` (n_draws,), int64 -> (n_draws,).
        """
        out = np.empty(len(counts), dtype=np.int64)
        _require(
            limit is None or _is_contiguous(limit, np.int64, out.shape), "limit must be int64."
        )
        self._run("winners", counts, None if limit is None else limit.ctypes.data, out.ctypes.data)
        return out

    def scores(self, counts: np.ndarray, configs: np.ndarray | None = None) -> np.ndarray:
        """Score some configurations on every draw.

        `counts` (n_draws, n_rows), `configs` (n_chosen,) -> (n_draws, n_chosen).
        """
        losses, sizes = self._losses(counts, configs)
        return _share_kept(losses, sizes[:, None])

    def losses(self, counts: np.ndarray, configs: np.ndarray | None = None) -> np.ndarray:
        """Compute the losses behind `scores`: shape (n_draws, n_chosen), 0 where the size is 0.

        Twice the weight of the misplaced pairs (AUC, concordance), or the sum of one minus
        precision over the positives (average precision).
        """
        return self._losses(counts, configs)[0]

    def score_of(self, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Score one configuration per draw, NaN for a negative one.

        `counts` (n_draws, n_rows), `configs` (n_draws,) -> (n_draws,).
        """
        return _share_kept(*self._losses(counts, configs, by_draw=True))

    def loss_of(self, counts: np.ndarray, configs: np.ndarray) -> np.ndarray:
        """Compute the losses behind `score_of`, shape (n_draws,)."""
        return self._losses(counts, configs, by_draw=True)[0]

    def _losses(
        self, counts: np.ndarray, configs: np.ndarray | None, *, by_draw: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """Compute losses of all chosen, or with `by_draw` of one in each draw, and the sizes."""
        configs = np.arange(self.n_configs) if configs is None else configs
        chosen = np.ascontiguousarray(configs, dtype=np.int64)
        small = chosen.ndim == 1 and chosen.max(initial=-1) < self.n_configs
        _require(small, f"configs must be a list of numbers below {self.n_configs}.")
        sizes = np.empty(len(counts))
        if by_draw:
            _require(len(chosen) == len(counts), "configs must have one entry per draw.")
            out = np.empty(len(counts))
            data = (chosen.ctypes.data, out.ctypes.data, sizes.ctypes.data)
            self._run("loss_of", counts, *data)
        else:
            _require(chosen.min(initial=0) >= 0, "configs must not be negative.")
            out = np.empty((len(counts), len(chosen)))
            of_all = (chosen.ctypes.data, len(chosen), out.ctypes.data, sizes.ctypes.data)
            self._run("losses", counts, *of_all)
        return out, sizes

    def _run(self, what: str, counts: np.ndarray, *arguments: Any) -> None:
        known = counts.dtype in (np.bool_, np.uint8, np.uint16) and counts.flags.c_contiguous
        whole = known and counts.ndim == 2 and counts.shape[1] == self.n_rows
        _require(whole, f"counts must come from as_counts and have {self.n_rows} columns.")
        table = _CountsTable(
            counts.ctypes.data, counts.itemsize, int(counts.max(initial=0)), *counts.shape
        )
        result = getattr(self._library, f"program_{what}")(self._handle, byref(table), *arguments)
        if result == -1:
            raise MemoryError("There is no memory for scoring the draws.")
        _require(result == 0, f"counts must not add up to more than {MAX_TOTAL} in a draw.")


def _share_kept(losses: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Compute the share that is not lost; NaN where the size is 0."""
    with np.errstate(invalid="ignore"):
        return (sizes - losses) / sizes


def _require(condition: Any, message: str) -> None:
    if not condition:
        raise ValueError(message)


def _is_contiguous(array: np.ndarray, dtype: Any, shape: tuple[int, ...]) -> bool:
    return array.dtype == dtype and array.shape == shape and array.flags.carray


def two_classes(
    kernel: str,
    scores: np.ndarray,
    positive: np.ndarray,
    rows: np.ndarray | None = None,
    lanes: int = 0,
    fold: np.ndarray | None = None,
    lean: bool = False,
) -> Program:
    """Prepare a metric of two classes: `auc`, or `average_precision`.

    In the area under the ROC curve ties count one half, and values are exact; average precision is
    a step function as in scikit-learn. With `fold` a row of the former is below those of a fold of
    a higher number, whatever the scores; thresholds of the latter are compared within each fold
    only. With `lean` it takes little memory besides the sorted rows, and more time, for equal
    values. `scores` (n_configs, n_rows), `positive` (n_rows,), `rows` (n_taking_part,), `fold`
    (n_rows,).
    """
    library = _compiled()
    _check_lanes(lanes)
    scores, table = _score_table(scores)
    n = n_rows = scores.shape[1]
    n_folds, of_rows, of_fold = 1, None, None  # all rows, one fold: no numbers of them
    positive = np.ascontiguousarray(positive, dtype=bool)
    _require(positive.shape == (n_rows,), f"Targets and folds must be {n_rows}.")
    if rows is not None:
        rows = np.ascontiguousarray(rows, dtype=np.int64)
        n, of_rows = len(rows), rows.ctypes.data
        within = rows.ndim == 1 and rows.min(initial=0) >= 0 and rows.max(initial=-1) < n_rows
        _require(within and (np.diff(rows) > 0).all(), "rows must be increasing row numbers.")
    if fold is not None:
        fold = np.ascontiguousarray(fold, dtype=np.int64)
        _require(fold.shape == (n_rows,), f"Targets and folds must be {n_rows}.")
        n_folds, of_fold = 1 + int(fold.max(initial=0)), fold.ctypes.data
        numbers = fold.min(initial=0) >= 0 and n_folds <= max(1, n_rows)
        _require(numbers, "fold must hold numbers 0, 1, ... of folds.")
    lanes = lanes or (known_lanes()[0] if lean else 0)
    target = _BinaryTarget(positive.ctypes.data, of_rows, of_fold, n, n_folds, lanes, lean)
    handle = getattr(library, f"{kernel}_new")(byref(table), byref(target))
    program = Program(handle, *scores.shape)
    _sort_all(program, table, target)
    return program


auc = partial(two_classes, "auc")
average_precision = partial(two_classes, "average_precision")


def _check_lanes(lanes: int) -> None:
    if lanes and lanes not in known_lanes():
        raise ValueError(f"lanes must be one of {known_lanes()}, got {lanes}.")


def _sort_all(program: Program, table: _ScoreTable, target: _BinaryTarget) -> None:
    """Sort the rows of every configuration, those of several side by side where there are many."""
    library, n_configs = program._library, program.n_configs
    sort = partial(library.program_list, program._handle, byref(table), byref(target))
    n_threads = min(n_configs, n_configs * target.n // _CELLS_OF_THREAD)
    if n_threads > 1:
        n_threads = 1 if target.lean else min(n_threads, most_threads())
    if n_threads > 1:
        edges = np.linspace(0, n_configs, n_threads + 1).astype(int).tolist()
        with ThreadPoolExecutor(n_threads) as threads:
            results = list(threads.map(sort, edges[:-1], edges[1:]))
    else:
        results = [sort(0, n_configs)]
    if any(results) or library.program_finish(program._handle):
        raise MemoryError("There is no memory for the sorted predictions.")


def most_threads() -> int:
    """Count the cores that this process may use, at most ``OMP_NUM_THREADS``."""
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return min(cpu_count(), int(limit) if limit.isdecimal() and int(limit) else sys.maxsize)


def concordance(risk: np.ndarray, time: np.ndarray, event: np.ndarray) -> Program:
    """Prepare Harrell's concordance index for right-censored times; values are exact.

    `risk` (n_configs, n_rows), `time` (n_rows,), `event` (n_rows,).
    """
    risk, table = _score_table(risk)
    time = np.ascontiguousarray(time, dtype=np.float64)
    event = np.ascontiguousarray(event, dtype=bool)
    _require(time.shape == event.shape == risk.shape[1:], "time and event must have all rows.")
    _require(not np.isnan(time).any(), "time must not be NaN.")
    handle = _compiled().concordance_new(byref(table), time.ctypes.data, event.ctypes.data)
    return Program(handle, *risk.shape)


def _score_table(scores: np.ndarray) -> tuple[np.ndarray, _ScoreTable]:
    """Convert scores to a type that the kernels read, the smaller one where it is exact."""
    scores = np.asarray(scores)
    single = np.can_cast(scores.dtype, np.float32)
    scores = np.require(scores, np.float32 if single else np.float64, "A")
    _require(scores.ndim == 2, "scores must have shape (n_configs, n_rows).")
    fits = scores.shape[0] < MAX_CONFIGS and scores.shape[1] < MAX_ROWS
    _require(fits, f"scores must have fewer than {MAX_ROWS:,} rows.")
    return scores, _ScoreTable(scores.ctypes.data, *scores.shape, *scores.strides, single)


def count_picks(
    rng: np.random.Generator, n_draws: int, n_units: int, n_picks: int
) -> np.ndarray | None:
    """Count how often each unit is picked: `rng.random()` times `n_units`, rounded down.

    None, with the stream as it was, if it is not a PCG64 or a count does not fit into a byte.
    Returns shape (n_draws, n_units).
    """
    _require(0 < n_units < 2**31, f"n_units must be positive, got {n_units}.")
    state = rng.bit_generator.state
    if state["bit_generator"] != "PCG64":
        return None
    words = (state["state"][name].to_bytes(16, sys.byteorder) for name in ("state", "inc"))
    stream = ctypes.create_string_buffer(b"".join(words), 32)
    counts = np.empty((n_draws, n_units), dtype=np.uint8)
    if _compiled().count_picks(stream, n_draws, n_picks, n_units, counts.ctypes.data):
        return None
    state["state"]["state"] = int.from_bytes(stream.raw[:16], sys.byteorder)
    rng.bit_generator.state = state
    return counts


def are_counts(weights: np.ndarray) -> bool:
    """Check whether `sums_of_draws` reads weights (n_draws, n_rows) as they are."""
    known = weights.dtype in (np.bool_, np.uint8, np.uint16)
    return available() and known and weights.ndim == 2 and weights.flags.c_contiguous


def sums_of_draws(
    counts: np.ndarray,
    draws: np.ndarray | None = None,
    values: np.ndarray | None = None,
    which: np.ndarray | None = None,
    lanes: int = 0,
) -> np.ndarray:
    """Sum counts over the rows, or counts times values of the rows, of one set for each draw.

    The bits of a sum do not depend on the other draws, nor on `lanes`, the width of the vectors.
    `counts` (n_draws, n_rows), see `are_counts`; `draws` (n_chosen,), None for all; `values`
    (n_sets, n_rows), finite float64, or bool; `which` (n_chosen,) are the sets -> (n_chosen,),
    float64.
    """
    _check_lanes(lanes)
    _require(are_counts(counts), "counts must be a whole table of bool, uint8 or uint16.")
    n_draws, n_rows = counts.shape
    chosen = np.ascontiguousarray(np.arange(n_draws) if draws is None else draws, dtype=np.int64)
    _require(_are_indices(chosen, n_draws), f"draws must be numbers below {n_draws}.")
    sets, data, itemsize = chosen, None, 0
    if values is not None:
        sets = np.ascontiguousarray(which, dtype=np.int64)
        known = values.dtype in (np.float64, np.bool_) and values.flags.carray
        whole = known and values.shape == (len(values), n_rows)
        _require(whole, f"values must be float64 or bool, with {n_rows} columns.")
        inside = _are_indices(sets, len(values)) and sets.shape == chosen.shape
        _require(inside, f"which must hold a number below {len(values)} for each draw.")
        data, itemsize = values.ctypes.data, values.itemsize
    out = np.empty(len(chosen))
    table = _CountsTable(counts.ctypes.data, counts.itemsize, 0, n_draws, n_rows)
    _compiled().sums_of_draws(
        byref(table), lanes, chosen.ctypes.data, sets.ctypes.data, len(chosen), data, itemsize,
        out.ctypes.data,
    )  # fmt: skip
    return out


def best_of_sums(
    counts: np.ndarray, terms: np.ndarray, rounding: float, lanes: int = 0
) -> np.ndarray | None:
    """Find the configuration with the largest sum of counts times terms in each draw.

    That is the first one within `rounding` of it, relative to the sizes of its terms; -1 in draws
    without counts. It does not depend on the other draws, nor on `lanes`. `counts` (n_draws,
    n_terms), see `are_counts`; `terms` (n_terms, n_configs), float64 -> (n_draws,). None where
    counts have two bytes, and where there are too many terms or too large ones.
    """
    _check_lanes(lanes)
    _require(are_counts(counts), "counts must be a whole table of bool, uint8 or uint16.")
    (n_draws, n_terms), n_configs = counts.shape, terms.shape[-1]
    whole = terms.shape == (n_terms, n_configs) and terms.flags.carray and n_configs > 0
    _require(whole and terms.dtype == np.float64, f"terms must be float64, with {n_terms} rows.")
    small = bool((np.abs(terms) < _TOO_LARGE).all())  # nor NaN
    if counts.itemsize > 1 or n_terms > _MOST_TERMS or not small:
        return None
    work, best = np.empty((1 + n_terms, n_configs)), np.empty(n_draws, dtype=np.int64)
    table = _CountsTable(counts.ctypes.data, 1, 0, n_draws, n_terms)
    _compiled().best_of_sums(
        byref(table), lanes, terms.ctypes.data, n_configs, rounding, work.ctypes.data,
        best.ctypes.data,
    )  # fmt: skip
    return best


def _are_indices(numbers: np.ndarray, size: int) -> bool:
    within = numbers.min(initial=0) >= 0 and numbers.max(initial=-1) < size
    return bool(numbers.ndim == 1 and within)


def as_counts(weights: np.ndarray) -> np.ndarray | None:
    """Convert weights (n_draws, n_rows) to what the compiled kernels take.

    None where these cannot be used, or not with such weights.
    """
    if not available() or weights.dtype.kind not in "biu":
        return None
    if weights.dtype not in (np.bool_, np.uint8, np.uint16):
        low, high = int(weights.min(initial=0)), int(weights.max(initial=0))
        if low < 0 or high > np.iinfo(np.uint16).max:
            return None
        weights = weights.astype(np.min_scalar_type(high))
    largest = 1 if weights.dtype == np.bool_ else np.iinfo(weights.dtype).max
    if weights.shape[1] * largest > MAX_TOTAL:
        # A look at the counts is needed only where there are very many.
        totals = weights.sum(axis=1, dtype=np.uint64)
        if totals.max(initial=0) > MAX_TOTAL:
            return None
    return np.ascontiguousarray(weights)
