"""Optional compiled kernels: rank metrics and bootstrap draws, faster and with the same bits.

NumPy is the core; the compiled part is missing where there was no compiler. Whoever uses it
asks `available` each time, so that a test can switch it off, and otherwise works with NumPy.

The environment variable ``SKLEARN_BBC_NATIVE`` is read on import: ``0`` forces NumPy, ``1``
makes a missing compiled part an `ImportError` (for continuous integration).
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import numpy as np

from ._program import MAX_TOTAL as MAX_TOTAL
from ._program import Program as Program
from ._program import as_counts as as_counts


def _load(asked: str) -> tuple[Any, str]:
    """The extension module or None, and in words what is used."""
    if asked not in ("", "0", "1"):
        raise ValueError(
            f"SKLEARN_BBC_NATIVE={asked!r} is not known: 0 forces NumPy, 1 demands the compiled "
            "kernels, unset uses them where they were built."
        )
    if asked == "0":
        return None, "NumPy (SKLEARN_BBC_NATIVE=0)"
    try:
        kernels = import_module("._kernels", __name__)
    except (ImportError, SystemError) as error:
        # SystemError: Python 3.13 without a GIL found, in a checkout, a build for one with a GIL.
        if asked == "1":
            raise ImportError(
                "SKLEARN_BBC_NATIVE=1 demands the compiled kernels, but they cannot be imported "
                f"({error}). `python setup.py build_ext --inplace` builds them in a checkout."
            ) from error
        return None, f"NumPy (the compiled kernels cannot be imported: {error})"
    return kernels, f"native ({kernels.code})"


_KERNELS, _STATUS = _load(os.environ.get("SKLEARN_BBC_NATIVE", ""))


def _compiled() -> Any:
    if _KERNELS is None:
        raise RuntimeError(f"The compiled kernels are not in use: {_STATUS}. Ask available().")
    return _KERNELS


def available() -> bool:
    """Whether the functions of this package can be used."""
    return _KERNELS is not None


def status() -> str:
    """Which kernels are used, and why: for messages and bug reports."""
    return _STATUS


def auc_lanes() -> tuple[int, ...]:
    """How many draws `auc` can score at once on this processor, ascending."""
    return _compiled().auc_lanes


def auc(
    scores: np.ndarray,
    positive: np.ndarray,
    rows: np.ndarray | None = None,
    lanes: int = 0,
    fold: np.ndarray | None = None,
) -> Program:
    """Prepare the area under the ROC curve; ties count one half, values are exact.

    `scores` (n_configs, n_rows), `positive` (n_rows,), `rows` (n_taking_part,), `fold` (n_rows,).
    """
    return Program(_compiled().auc(*_binary(scores, positive, rows), lanes, _codes(fold)))


def average_precision(
    scores: np.ndarray,
    positive: np.ndarray,
    rows: np.ndarray | None = None,
    fold: np.ndarray | None = None,
) -> Program:
    """Prepare the average precision, step function as in scikit-learn.

    `fold` (n_rows,).
    """
    arrays = _binary(scores, positive, rows)
    return Program(_compiled().average_precision(*arrays, 0, _codes(fold)))


def concordance(risk: np.ndarray, time: np.ndarray, event: np.ndarray) -> Program:
    """Prepare Harrell's concordance index for right-censored times; values are exact.

    `risk` (n_configs, n_rows), `time` (n_rows,), `event` (n_rows,).
    """
    return Program(
        _compiled().concordance(
            _readable(risk),
            np.ascontiguousarray(time, dtype=np.float64),
            np.ascontiguousarray(event, dtype=bool),
        )
    )


def draw_counts(
    bit_generator: np.random.BitGenerator, n_draws: int, n_units: int, n_picks: int | None = None
) -> np.ndarray:
    """Counts of picks with replacement, one row after the other from the same stream.

    The picks of a row are ``(Generator(bit_generator).random(n_picks) * n_units)``, rounded
    down.

    Returns shape (n_draws, n_units).
    """
    n_picks = n_units if n_picks is None else n_picks
    with bit_generator.lock:
        state = bit_generator.state
        for dtype in (np.uint8, np.uint16, np.uint32):
            counts = np.empty((n_draws, n_units), dtype=dtype)
            largest = _compiled().draw_counts(bit_generator, n_picks, counts)
            if largest <= np.iinfo(dtype).max:
                break
            bit_generator.state = state  # a count did not fit: the same stream once more
    return counts


def draw_blocks(
    words: np.ndarray,
    first_block: int,
    block_size: int,
    n_draws: int,
    n_units: int,
    n_picks: int | None = None,
) -> np.ndarray:
    """Counts of picks with replacement, each block of draws from a stream of its own.

    `words` (n_words,) -> (n_draws, n_units).
    """
    n_picks = n_units if n_picks is None else n_picks
    for dtype in (np.uint8, np.uint16, np.uint32):
        counts = np.empty((n_draws, n_units), dtype=dtype)
        largest = _compiled().draw_blocks(words, first_block, block_size, n_picks, counts)
        if largest <= np.iinfo(dtype).max:
            break  # else a count did not fit: once more
    return counts


def _readable(scores: np.ndarray) -> np.ndarray:
    """Scores in a type that the kernels read; the smaller one where it holds them exactly."""
    scores = np.asarray(scores)
    small = np.can_cast(scores.dtype, np.float32)
    return scores.astype(np.float32 if small else np.float64, copy=False)


def _binary(
    scores: np.ndarray, positive: np.ndarray, rows: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    return (
        _readable(scores),
        np.ascontiguousarray(positive, dtype=bool),
        None if rows is None else np.ascontiguousarray(rows, dtype=np.int64),
    )


def _codes(fold: np.ndarray | None) -> np.ndarray | None:
    return None if fold is None else np.ascontiguousarray(fold, dtype=np.int64)
