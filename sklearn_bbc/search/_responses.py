"""Keep recorded answers until the end of the search, or give them up when memory ends."""

from __future__ import annotations

import mmap
import sys
import threading
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils._array_api import _convert_to_numpy, get_namespace

CHUNK_BYTES = 2**20
"""Small enough to be given back while the final arrays fill, large enough to be rare."""

HEADROOM_BYTES = 2**26
"""What must stay free for the fits and scorers that are still to come."""

PROBE_BYTES = 2**23
"""So much is recorded between two looks at whether the headroom is still there."""


class KeptBuffers:
    """Copies arrays into chunks of memory of their own.

    Arrays of a few kilobytes that live between those of the fits would keep the heap from
    shrinking when they are freed: the final arrays would come on top, and the process would
    hold everything twice. Chunks go back to the system as soon as their last array goes.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._chunk: mmap.mmap | None = None
        self._used = 0

    def keep(self, array: np.ndarray) -> np.ndarray:
        """A copy of `array`, in C order."""
        if array.dtype.hasobject or not array.nbytes:
            return array.copy()
        chunk, start = self._place(array.nbytes)
        kept = np.ndarray(array.shape, array.dtype, chunk, start)
        kept[...] = array
        return kept

    def _place(self, size: int) -> tuple[mmap.mmap, int]:
        if size > CHUNK_BYTES // 2:
            return _pages(size), 0
        with self._lock:
            start = -(-self._used // 64) * 64
            if self._chunk is None or start + size > CHUNK_BYTES:
                self._chunk, start = _pages(CHUNK_BYTES), 0
            self._used = start + size
            return self._chunk, start


def _pages(size: int) -> mmap.mmap:
    try:
        if sys.platform == "win32":
            return mmap.mmap(-1, size)
        # Private: a forked worker must not write into the pages of its parent.
        return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"no memory for {size} bytes of predictions") from error


_kept_buffers = KeptBuffers()
keep_buffer = _kept_buffers.keep


def has_headroom() -> bool:
    """Whether as much memory is free as the search needs to go on."""
    try:
        np.empty(HEADROOM_BYTES, dtype=np.uint8)  # not touched: costs no memory
    except MemoryError:
        return False
    return True


class Keeper:
    """Knows what one recording holds in this process, and lets go of it when memory ends.

    The scores of a search are worth more than its predictions: what was recorded must not
    take the memory that the remaining fits and scorers need. In another process, where it
    arrives with the scorer, it starts empty.
    """

    def __init__(self) -> None:
        self.stopped = False
        self._lock = threading.Lock()
        self._cells: list[weakref.ref[Any]] = []
        self._since_probe = 0

    def add(self, cell: Any) -> None:
        """Count the responses of one model; let go of all when the headroom is gone."""
        with self._lock:
            self._cells.append(weakref.ref(cell))
            for array in cell.arrays.values():
                self._since_probe += array.nbytes
            if self._since_probe < PROBE_BYTES:
                return
            self._since_probe = 0
        if not has_headroom():
            self.give_up()

    def makes_short(self) -> bool:
        """Whether what is recorded may be what another one lacks the memory for."""
        with self._lock:
            cells = [cell for reference in self._cells if (cell := reference()) is not None]
        held = sum(array.nbytes for cell in cells for array in cell.arrays.values())
        return held >= HEADROOM_BYTES or not has_headroom()

    def give_up(self) -> bool:
        """Forget all that was recorded; whether there was anything."""
        with self._lock:
            self.stopped = True
            cells, self._cells = [reference() for reference in self._cells], []
        alive = [cell for cell in cells if cell is not None]
        for cell in alive:
            cell.arrays.clear()
        return bool(alive)

    def __reduce__(self) -> tuple[Any, ...]:
        return Keeper, ()


# Not frozen: one is made per fit, and freezing costs a microsecond.
@dataclass(slots=True, weakref_slot=True, eq=False)
class FoldResponses:
    """Answers of one configuration on the test samples of one split.

    Parameters
    ----------
    arrays : dict of str to ndarray of shape (n_test,) or (n_test, k)
        Response method -> what it returned.
    classes : ndarray of shape (n_classes,) or None
        The classes that the model saw in training, sorted; None when it names none.
    coded : bool
        Whether ``arrays["predict"]`` holds positions in `classes` instead of labels.
    problem : str or None
        Why nothing could be kept, when that is so.
    out_of_memory : bool
        Whether that was for want of memory.
    """

    arrays: dict[str, np.ndarray]
    classes: np.ndarray | None = None
    coded: bool = False
    problem: str | None = None
    out_of_memory: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        # Four times as fast as leaving it to pickle, which matters: one travels per fit.
        flat = [(method, *_flat(array)) for method, array in self.arrays.items()]
        classes = None if self.classes is None else _flat(self.classes)
        return _unflattened, (flat, classes, self.coded, self.problem, self.out_of_memory)


def _flat(array: np.ndarray) -> tuple[Any, ...]:
    """Take an array apart: bytes, type and shape; objects have no bytes and stay."""
    if array.dtype.hasobject:
        return array, None, None
    return array.tobytes(), array.dtype.str, array.shape


def _array(data: Any, dtype: str | None, shape: tuple[int, ...] | None) -> np.ndarray:
    if dtype is None:
        return data
    # The message itself is freed: see `KeptBuffers`.
    return keep_buffer(np.frombuffer(data, dtype).reshape(shape))


def _unflattened(
    flat: list[tuple[Any, ...]],
    classes: tuple[Any, ...] | None,
    coded: bool,
    problem: str | None,
    no_memory: bool,
) -> FoldResponses:
    try:
        arrays = {method: _array(*parts) for method, *parts in flat}
        known = None if classes is None else _array(*classes)
    except MemoryError as error:  # the score itself must arrive
        return out_of_memory(error)
    return FoldResponses(arrays, known, coded, problem, no_memory)


def out_of_memory(error: MemoryError) -> FoldResponses:
    """Make a placeholder for a fold whose predictions did not fit in memory."""
    return FoldResponses({}, problem=f"MemoryError: {error}", out_of_memory=True)


def to_numpy(array: Any) -> np.ndarray:
    """Bring an array of any array library, on any device, to NumPy."""
    if isinstance(array, np.ndarray) or not hasattr(array, "__array_namespace__"):
        return np.asarray(array)
    return np.asarray(_convert_to_numpy(array, get_namespace(array)[0]))


class ResponsePacker:
    """Turns answers of a model into small arrays of their own, each when it is given.

    Classes come out sorted, whatever the order of the estimator's ``classes_``, and columns,
    signs and codes follow them. `ask_classes` returns these; it is called once, when there is
    something to pack. `binary` is whether the whole target has exactly two classes.
    """

    def __init__(self, ask_classes: Callable[[], Any], binary: bool):
        self._ask_classes, self._binary = ask_classes, binary
        self._known: tuple[Any, np.ndarray | None, np.ndarray | None] | None = None

    def _classes(self) -> tuple[Any, np.ndarray | None, np.ndarray | None]:
        """Return the classes as given, and sorted ones of one output with their order."""
        if self._known is None:  # `cached_property` takes a lock, which is slow
            given = self._ask_classes()
            classes = None if given is None or isinstance(given, list) else to_numpy(given)
            order = None
            if classes is not None and classes.ndim != 1:
                classes = None
            if classes is not None:
                with suppress(TypeError):  # labels without an order among them
                    listed = classes.tolist()
                    if listed != sorted(listed):  # of a few classes faster than asking NumPy
                        order = np.argsort(classes, kind="stable")
                        classes = classes[order]
            self._known = given, classes, order
        return self._known

    def pack(self, method: str, answer: Any) -> tuple[np.ndarray, bool] | None:
        """Copy what is kept of an answer: never the answer itself, nor a view of it."""
        given, classes, order = self._classes()
        if method != "predict" and isinstance(answer, list) and np.ndim(answer[0]) == 2:
            columns = _positive_columns(answer, given)
            return None if columns is None else (keep_buffer(columns), False)
        array = answer.toarray() if issparse(answer) else to_numpy(answer)
        if classes is not None and method == "predict":
            if array.ndim == 2 and array.shape[1] == 1:  # a column of labels
                array = array[:, 0]
            codes = _codes(array, classes) if array.ndim == 1 else None
            if codes is None:
                return keep_buffer(array), False
            return keep_buffer(codes.astype(np.uint8 if len(classes) <= 256 else np.int32)), True
        if classes is not None and order is not None:
            if array.ndim == 2 and array.shape[1] == len(classes):
                array = array[:, order]
            elif array.ndim == 1 and method == "decision_function" and len(classes) == 2:
                array = -array  # positive spoke for the class that comes first when sorted
        if method == "predict_proba" and self._binary and classes is not None:
            if array.shape[1:] == classes.shape == (2,):
                array = array[:, 1]
        return keep_buffer(array), False

    def responses(
        self, packed: Mapping[str, tuple[np.ndarray, bool] | None]
    ) -> FoldResponses | None:
        """Put together all that was packed; None when nothing was."""
        kept = {name: each for name, each in packed.items() if each is not None}
        if not kept:
            return None
        arrays = {name: array for name, (array, _) in kept.items()}
        return FoldResponses(arrays, self._classes()[1], "predict" in kept and kept["predict"][1])


def _codes(labels: np.ndarray, classes: np.ndarray) -> np.ndarray | None:
    """Find the labels in the sorted classes; None where one is not among them."""
    try:
        codes = classes.searchsorted(labels)
    except TypeError:  # labels that cannot be ordered against the classes
        return None
    return codes if (classes.take(codes, mode="clip") == labels).all() else None


def _positive_columns(answer: list[Any], classes: Any) -> np.ndarray | None:
    """Take the probability of label 1 for each output of a multilabel target.

    Models of several outputs return one array per output. With more than two classes in
    an output no scorer of scikit-learn can use them: they are left out.
    """
    columns = []
    for output, probabilities in enumerate(answer):
        probabilities = np.asarray(probabilities)
        n_known = probabilities.shape[1]
        if n_known > 2:
            return None
        if n_known == 2:
            columns.append(probabilities[:, 1])
        else:  # one label only in the training fold: its probability is 1, the other's 0
            known = np.asarray(classes[output])[0] if isinstance(classes, list) else 0
            columns.append(probabilities[:, 0] if known == 1 else 1 - probabilities[:, 0])
    return np.column_stack(columns)


class UnusableResponse(Exception):
    """The answer of one model cannot stand beside the others'; says why."""


def aligned(method: str, responses: FoldResponses, classes: np.ndarray | None) -> np.ndarray:
    """Bring one response of one model into the form that `OOFPredictions` keeps.

    `classes` (n_classes,) -> (n_test,).
    """
    values, known = responses.arrays[method], responses.classes
    if classes is None:
        if values.dtype.kind not in "fiub":
            raise UnusableResponse(f"{method} returned values of type {values.dtype}")
        return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values
    if known is not None and known.shape == classes.shape and (known == classes).all():
        known = None  # nothing to translate
        if method == "predict" and responses.coded:
            return values
    if method == "predict":
        labels = known if responses.coded and known is not None else values
        codes = _codes(labels, classes)
        if codes is None:
            raise UnusableResponse("predict returned labels that are not in the target")
        return codes if labels is values else codes[values]
    if method == "predict_proba":
        return _one_column_per_class(values, classes if known is None else known, classes)
    if known is not None:
        raise UnusableResponse(
            "decision_function of a model that did not see every class in training cannot be "
            "compared with the others' (predict_proba can)"
        )
    return values


def _one_column_per_class(
    values: np.ndarray, known: np.ndarray, classes: np.ndarray
) -> np.ndarray:
    """Fill probabilities (n_test, n_classes) with 0 for a class that the model never saw."""
    if values.ndim == 1:  # the column of the positive class was all that travelled
        return values
    if values.shape[1] != len(known) or not np.isin(known, classes).all():
        raise UnusableResponse(
            f"predict_proba returned {values.shape[1]} columns for {len(known)} classes"
        )
    if len(known) < len(classes):
        dtype = values.dtype if values.dtype.kind == "f" else np.float64
        full = np.zeros((len(values), len(classes)), dtype)
        full[:, classes.searchsorted(known)] = values
        values = full
    return values[:, 1] if len(classes) == 2 else values
