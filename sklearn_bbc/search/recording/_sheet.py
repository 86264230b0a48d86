"""The arrays of all configurations, filled with the answers of one model after the other."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from ..._warn import warn_user
from ...exceptions import RecordingWarning
from ...predictions._matrix_file import MatrixFile, Walk
from ._responses import FoldResponses, UnusableResponse, aligned

__all__ = ["ResponseSheet"]

IN_FILE_BYTES = 2**26
"""Larger arrays are files, where there is a folder for them."""


class ResponseSheet:
    """The arrays (n_configs, n_rows[, k]) of all response methods, filled cell by cell.

    Parameters
    ----------
    n_configs : int
        Number of configurations.
    places : list of ndarray of shape (n_test,)
        Of each split, the rows to which its test samples go.
    classes : ndarray of shape (n_classes,) or None
        Sorted classes of the whole target.
    folder : Path or None, default=None
        Where arrays of more than `IN_FILE_BYTES` become files; configurations must then come in
        their order. None keeps everything in memory.

    Attributes
    ----------
    arrays : dict of str to ndarray
        The arrays, when `mark_missing` has ended the writing.
    written : dict of str to ndarray of shape (n_configs, n_splits), bool
        Which cells came.
    problems : Counter of str
        What could not be kept.

    Notes
    -----
    Memory is asked for at once but touched cell by cell, while the cells are freed.
    """

    def __init__(
        self,
        n_configs: int,
        places: list[np.ndarray],
        classes: np.ndarray | None,
        folder: Path | None = None,
    ):
        self.n_configs, self.places, self.classes = n_configs, places, classes
        self.n_rows = sum(map(len, places))
        self.arrays: dict[str, np.ndarray] = {}
        self._matrices: dict[str, np.ndarray | MatrixFile] = {}
        self._folder, self._no_file = folder, ""
        self._walk = Walk()
        self.written: dict[str, np.ndarray] = {}
        self.problems: Counter[str] = Counter()

    def write(self, config: int, split: int, responses: FoldResponses) -> None:
        """Align the responses of one model and write them to its rows."""
        if responses.problem is not None:
            self.problems[responses.problem] += 1
        for method in responses.arrays:
            try:
                values = aligned(method, responses, self.classes)
                if len(values) != len(self.places[split]):
                    raise UnusableResponse(
                        f"{method} returned {len(values)} rows for {len(self.places[split])} "
                        "samples"
                    )
                self._prepare(method, values)
            except UnusableResponse as problem:
                self.problems[str(problem)] += 1
                continue
            self._row(method, config)[self.places[split]] = values
            self.written[method][config, split] = True
            self._walk.has_read(values)

    def mark_missing(self) -> None:
        """Write NaN, of labels -1, to the rows of cells that never came; nothing can follow."""
        self._walk.end()
        for method, matrix in self._matrices.items():
            if isinstance(matrix, MatrixFile):
                try:
                    self.arrays[method] = matrix.finish()
                    continue
                except OSError as error:
                    matrix = self._to_memory(method, matrix, error)
            self.arrays[method] = matrix
            missing = _missing(matrix.dtype)
            for config, split in np.argwhere(~self.written[method]):
                matrix[config, self.places[split]] = missing
        if self._no_file:
            warn_user(
                f"Predictions are kept in memory, not in a file in {self._folder}: "
                f"{self._no_file}. Results are the same.",
                RecordingWarning,
            )

    def warn_about_problems(self) -> None:
        """Say once, in one warning, what could not be kept."""
        if self.problems:
            reasons = "; ".join(f"{why} ({n} models)" for why, n in self.problems.items())
            warn_user(
                f"Some predictions could not be kept: {reasons}. These configurations cannot "
                "win in a bootstrap draw. The results of the search itself are not affected.",
                RecordingWarning,
            )

    def _prepare(self, method: str, values: np.ndarray) -> None:
        """Make the array of a method, or make it fit these values, too."""
        coded = method == "predict" and self.classes is not None
        dtype = _code_dtype(self.classes) if coded else _float_dtype(values.dtype)
        if method not in self._matrices:
            self._matrices[method] = self._begun((self.n_rows, *values.shape[1:]), dtype)
            self.written[method] = np.zeros((self.n_configs, len(self.places)), dtype=bool)
        matrix = self._matrices[method]
        if matrix.shape[2:] != values.shape[1:]:
            raise UnusableResponse(
                f"{method} returned shape {values.shape} where other models returned "
                f"{('n', *matrix.shape[2:])}"
            )
        if np.promote_types(dtype, matrix.dtype) != matrix.dtype:
            if isinstance(matrix, MatrixFile):
                try:
                    self._matrices[method] = matrix.converted(dtype)
                    return
                except OSError as error:
                    matrix = self._to_memory(method, matrix, error)
            self._matrices[method] = matrix.astype(dtype)

    def _begun(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray | MatrixFile:
        shape = (self.n_configs, *shape)
        if self._folder is not None and np.prod(shape) * dtype.itemsize > IN_FILE_BYTES:
            try:
                return MatrixFile(self._folder, shape, dtype, _missing(dtype))
            except OSError as error:
                self._no_file = error.strerror or str(error)
        return np.empty(shape, dtype)

    def _row(self, method: str, config: int) -> np.ndarray:
        """Where the answers of one configuration go."""
        matrix = self._matrices[method]
        if isinstance(matrix, MatrixFile):
            try:
                return matrix.row(config)
            except OSError as error:
                matrix = self._to_memory(method, matrix, error)
        return matrix[config]

    def _to_memory(self, method: str, file: MatrixFile, error: OSError) -> np.ndarray:
        """Without room on the disk, what was written goes on in memory."""
        self._no_file = error.strerror or str(error)
        self._matrices[method] = matrix = file.in_memory()
        return matrix


def _missing(dtype: np.dtype[Any]) -> float:
    return np.nan if dtype.kind == "f" else -1


def _code_dtype(classes: Any) -> np.dtype[Any]:
    """The smallest type that holds a code for every class, and -1."""
    n_classes = len(classes)
    small = n_classes <= 2**15
    return np.dtype(np.int8 if n_classes <= 128 else np.int16 if small else np.int32)


def _float_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Single precision stays what it is; half is too short for sums, all else is double."""
    return np.dtype(np.float32 if dtype in (np.float16, np.float32) else np.float64)
