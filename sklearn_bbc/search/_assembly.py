"""Assemble the answers of all models into arrays, and these into out-of-fold predictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.utils.validation import _num_samples

from .._text import count
from .._utils import same
from .._warnings import warn_user
from ..exceptions import RecordingWarning
from ..predictions._matrix_file import MatrixFile, Walk
from ..predictions._predictions import OOFPredictions
from ..predictions._validation import (
    IN_TIME,
    TARGET,
    is_in_time,
    repeat_of_rows,
    row_order,
    settled,
)
from ._metrics import metric_names
from ._recording import Recording, Round, each_scorer
from ._responses import FoldResponses, UnusableResponse, aligned, to_numpy

IN_FILE_BYTES = 2**26
"""Larger arrays are files, where there is a folder for them."""
NOT_WANTED = "record=False keeps the scores per fold only"
NOTHING_HEARD = (
    "the scorer asked the estimators for no prediction of the rows it was given, or there is "
    "no target"
)
OUT_OF_MEMORY = "memory ran out while predictions were recorded"
NOT_KEPT = "the predictions could not be kept"


class ResponseSheet:
    """Collects the arrays (n_configs, n_rows[, k]) of all response methods, cell by cell.

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
        self._matrices: dict[str, Any] = {}  # arrays and files
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
            row = self._in_file(method, lambda file: file.row(config))
            row = self._matrices[method][config] if row is None else row
            row[self.places[split]] = values
            self.written[method][config, split] = True
            self._walk.has_read(values)

    def mark_missing(self) -> None:
        """Write NaN, of labels -1, to the rows of cells that never came; nothing can follow."""
        self._walk.end()
        for method in self._matrices:
            in_file = self._in_file(method, MatrixFile.finish)
            if in_file is not None:
                self.arrays[method] = in_file
                continue
            matrix: Any = self._matrices[method]
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
        """Warn once of everything that could not be kept."""
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
            larger = self._in_file(method, lambda file: file.converted(dtype))
            if larger is None:
                larger = self._matrices[method].astype(dtype)
            self._matrices[method] = larger

    def _begun(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray | MatrixFile:
        shape = (self.n_configs, *shape)
        if self._folder is not None and np.prod(shape) * dtype.itemsize > IN_FILE_BYTES:
            try:
                return MatrixFile(self._folder, shape, dtype, _missing(dtype))
            except OSError as error:
                self._no_file = error.strerror or str(error)
        return np.empty(shape, dtype)

    def _in_file(self, method: str, action: Callable[[MatrixFile], Any]) -> Any:
        """Let the file of a method do something; None where its array is in memory.

        Without space on the disk, what was written goes on there.
        """
        matrix = self._matrices[method]
        if isinstance(matrix, MatrixFile):
            try:
                return action(matrix)
            except OSError as error:
                self._no_file = error.strerror or str(error)
                self._matrices[method] = matrix.in_memory()
        return None


def _missing(dtype: np.dtype[Any]) -> float:
    return np.nan if dtype.kind == "f" else -1


def _code_dtype(classes: Any) -> np.dtype[Any]:
    """Choose the smallest type that holds a code for every class, and -1."""
    n_classes = len(classes)
    small = n_classes <= 2**15
    return np.dtype(np.int8 if n_classes <= 128 else np.int16 if small else np.int32)


def _float_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Single precision stays what it is; half is too short for sums, all else is double."""
    return np.dtype(np.float32 if dtype in (np.float16, np.float32) else np.float64)


def kept_predictions(
    recording: Recording,
    X: Any,
    y: Any,
    cv_results: dict[str, Any],
    *,
    selected: int | None,
    classifier: bool,
) -> tuple[OOFPredictions, str]:
    """Assemble the record; without memory, or after a fault, the scores per fold."""

    def assembled(target: Any) -> OOFPredictions:
        return assemble(recording, X, target, cv_results, selected=selected, classifier=classifier)

    why = NOTHING_HEARD if recording.wanted else NOT_WANTED
    out_of_memory = recording.keeper.stopped or any(
        cell is not None and cell.out_of_memory for cell in recording.cells
    )
    try:
        if not out_of_memory:
            return assembled(y), why
    except MemoryError:
        pass  # warned of below
    # The search itself is complete and must not be lost, whatever the predictions are.
    except Exception as error:
        warn_user(
            f"The predictions could not be kept ({type(error).__name__}: {error}); only the "
            "scores per fold are.",
            RecordingWarning,
        )
        return assembled(None), f"{NOT_KEPT} ({type(error).__name__}: {error})"
    recording.cells[:] = [None] * len(recording.cells)
    warn_user(
        "There was not enough memory for the predictions of all configurations, so recording "
        "stopped and only the scores per fold are kept: intervals come from BBC-F. "
        "record=False asks for this from the beginning.",
        RecordingWarning,
    )
    try:
        return assembled(y), OUT_OF_MEMORY
    except Exception:  # not even the target
        return assembled(None), OUT_OF_MEMORY


def assemble(
    recording: Recording,
    X: Any,
    y: Any,
    cv_results: dict[str, Any],
    *,
    selected: int | None,
    classifier: bool,
) -> OOFPredictions:
    """Out-of-fold predictions of a finished search.

    `X` (n_samples, ...), `y` (n_samples,).
    """
    final_round = _round_of(recording, selected)
    splits = final_round.splits
    rounds = recording.rounds
    like_final = [each is final_round or same(each.splits, splits) for each in rounds]
    comparable = np.repeat(like_final, [each.n_configs for each in rounds])
    n_splits = len(splits)
    failed = np.reshape(recording.fit_failed, (-1, n_splits)).any(axis=1) | ~comparable
    if recording.n_splits_done:  # what was dropped cannot win either
        failed |= np.asarray(recording.n_splits_done) < n_splits
    fold_scores = {
        name: np.stack([cv_results[f"split{k}_test_{name}"] for k in range(n_splits)])
        for name in metric_names(cv_results)
    }
    for scores in fold_scores.values():
        scores[:, ~comparable] = np.nan
    n_rows = _num_samples(X)
    sides = [(_positions(train, n_rows), _positions(test, n_rows)) for train, test in splits]
    common = {
        "params": cv_results["params"],
        "failed": failed,
        "selected": selected,
        "fold_scores": fold_scores,
        "train_size": [len(train) for train, _ in sides],
        "notes": [*([IN_TIME] if is_in_time(sides) else []), *recording.notes],
    }
    if y is None:
        return OOFPredictions._without_warnings(y_true=np.empty(0), classes=None, **common)

    target = _target(y)
    classes = np.unique(target) if classifier and target.ndim == 1 else None
    tests = [test for _, test in sides]
    sample, fold = np.concatenate(tests), np.repeat(np.arange(n_splits), [len(t) for t in tests])
    repeat = repeat_of_rows(sample, fold, len(target))
    order = row_order(sample, repeat)
    # Every prediction goes to the place where it stays: sorted later, all would be there twice.
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    places = np.split(place, np.cumsum([len(test) for test in tests])[:-1])
    folder = None if recording.store is None else recording.store.path
    sheet = ResponseSheet(len(failed), places, classes, folder)
    for cell, responses in enumerate(recording.cells):
        config, split = divmod(cell, n_splits)
        recording.cells[cell] = None  # the sheet is the only copy from here on
        if responses is not None and comparable[config]:
            sheet.write(config, split, responses)
    sheet.mark_missing()
    sheet.warn_about_problems()
    recording.problems = bool(sheet.problems)
    recording.recorded = {
        method: np.atleast_1d(each.all(axis=1)) for method, each in sheet.written.items()
    }
    _warn_of_unanswered(recording, ~failed)
    weights = [w for w in recording.score_weights.values() if w is not None]
    n_samples = _num_samples(X)
    if sheet.arrays:
        common["responses"] = sheet.arrays
        common |= {"sample": sample[order], "fold": fold[order], "repeat": repeat[order]}
    return OOFPredictions._without_warnings(
        y_true=target,
        classes=classes,
        groups=None if recording.groups is None else _per_sample(recording.groups, n_samples),
        sample_weight=_per_sample(weights[0], n_samples) if weights else None,
        metadata=metadata_of(recording, y),
        **common,
    )


def _warn_of_unanswered(recording: Recording, usable: np.ndarray) -> None:
    """Warn of responses that `record` names and usable configurations (n_configs,) lack."""
    for method in recording.also:
        lacking = usable & ~recording.recorded.get(method, np.zeros(len(usable), dtype=bool))
        if lacking.any():
            warn_user(
                f"record asks for {method}, which {count(int(lacking.sum()), 'configuration')} of "
                f"{usable.sum():,} did not answer in every fold. What needs it is undefined for "
                "them; scores and other predictions are not affected.",
                RecordingWarning,
            )


def metadata_of(recording: Recording, y: Any) -> dict[str, Any]:
    """Collect what scorers get besides predictions, and a Series target where they may use it.

    `y` (n_samples,).
    """
    n_samples = _num_samples(y)
    metadata = {name: settled(each, n_samples) for name, each in recording.metadata.items()}
    functions = [getattr(each, "_score_func", each) for each in each_scorer(recording.scorers)]
    # scikit-learn's own functions look at the values only.
    own = any(not (getattr(f, "__module__", "") or "").startswith("sklearn.") for f in functions)
    if own and isinstance(y, pd.Series):
        metadata[TARGET] = settled(y, n_samples)
    return metadata


def held_out_of(recording: Recording, selected: int | None, n_samples: int) -> np.ndarray:
    """Mark the samples that some split held out, shape (n_samples,)."""
    held_out = np.zeros(n_samples, dtype=bool)
    for _, test in _round_of(recording, selected).splits:
        held_out[_positions(test, n_samples)] = True
    return held_out


def _round_of(recording: Recording, selected: int | None) -> Round:
    """Find the round that evaluated the selected configuration, by default the last one."""
    if selected is not None:
        for each in recording.rounds:
            if selected < each.n_configs:
                return each
            selected -= each.n_configs
    return recording.rounds[-1]


def _positions(indices: Any, n_samples: int) -> np.ndarray:
    """Turn one side of a split, a mask or positions, from the end too, into positions."""
    indices = np.asarray(indices)
    if indices.dtype == bool:
        return np.flatnonzero(indices)
    return np.where(indices < 0, indices + n_samples, indices)


def _target(y: Any) -> np.ndarray:
    target = y.toarray() if issparse(y) else to_numpy(y)
    return target[:, 0] if target.ndim == 2 and target.shape[1] == 1 else target


def _per_sample(values: Any, n_samples: int) -> np.ndarray:
    return np.broadcast_to(np.asarray(values), (n_samples,))
