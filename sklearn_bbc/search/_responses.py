"""What one fitted model answered on one test fold, made small enough to travel.

A search in several processes sends every answer home with its score, so labels travel as
small integer codes and of two classes only the positive one's column is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

__all__ = ["FoldResponses", "pack_responses"]


@dataclass(slots=True)  # not frozen: one is made per fit, and freezing costs a microsecond
class FoldResponses:
    """The answers of one configuration on the test samples of one split.

    Parameters
    ----------
    arrays : dict of str to ndarray of shape (n_test,) or (n_test, k)
        Response method -> what it returned.
    classes : ndarray of shape (n_classes,) or None
        The classes that the model saw in training; None when it names none.
    coded : bool
        Whether ``arrays["predict"]`` holds positions in `classes` instead of labels.
    problem : str or None
        Why nothing could be kept, when that is so.
    """

    arrays: dict[str, np.ndarray]
    classes: np.ndarray | None = None
    coded: bool = False
    problem: str | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # Four times as fast as leaving it to pickle, which matters: one travels per fit.
        flat = [(method, *_flat(array)) for method, array in self.arrays.items()]
        classes = None if self.classes is None else _flat(self.classes)
        return _unflattened, (flat, classes, self.coded, self.problem)


def _flat(array: np.ndarray) -> tuple[Any, ...]:
    """Bytes, type and shape; objects have no bytes and stay."""
    if array.dtype.hasobject:
        return array, None, None
    return array.tobytes(), array.dtype.str, array.shape


def _array(data: Any, dtype: str | None, shape: tuple[int, ...] | None) -> np.ndarray:
    return data if dtype is None else np.frombuffer(data, dtype).reshape(shape)


def _unflattened(
    flat: list[tuple[Any, ...]],
    classes: tuple[Any, ...] | None,
    coded: bool,
    problem: str | None,
) -> FoldResponses:
    arrays = {method: _array(*parts) for method, *parts in flat}
    return FoldResponses(arrays, None if classes is None else _array(*classes), coded, problem)


def pack_responses(
    heard: Mapping[str, Any],
    classes: Any,
    *,
    binary: bool,
    to_numpy: Callable[[Any], Any] = np.asarray,
) -> FoldResponses | None:
    """Turn what a scorer was answered into a `FoldResponses`.

    Parameters
    ----------
    heard : mapping of str to array-like
        Response method -> its return value, in the form the estimator chose.
    classes : array-like, list of array-like or None
        The estimator's ``classes_``.
    binary : bool
        Whether the whole target has exactly two classes.
    to_numpy : callable, default=np.asarray
        Brings an array of any library, on any device, to NumPy.

    Returns
    -------
    FoldResponses or None
        None when nothing was heard.
    """
    if not heard:
        return None
    single = None  # classes of a target with one output
    if classes is not None and not isinstance(classes, list):
        single = to_numpy(classes)
        single = single if single.ndim == 1 else None
    arrays, coded = {}, False
    for method, answer in heard.items():
        if isinstance(answer, list) and method != "predict":
            array = _positive_columns(answer, classes)
            if array is None:
                continue
        else:
            array = answer.toarray() if issparse(answer) else to_numpy(answer)
        if method == "predict" and single is not None and array.ndim == 1:
            codes = _label_codes(array, single)
            array, coded = (array, False) if codes is None else (codes, True)
        elif (
            method == "predict_proba"
            and binary
            and single is not None
            and array.shape[1:] == single.shape == (2,)
        ):
            array = array[:, 1].copy()  # a view would carry both columns
        arrays[method] = array
    return FoldResponses(arrays, single, coded) if arrays else None


def _label_codes(labels: np.ndarray, classes: np.ndarray) -> np.ndarray | None:
    """Positions of `labels` in the sorted `classes`; None when a label is no class."""
    try:
        codes = classes.searchsorted(labels)
    except TypeError:  # labels that cannot be ordered against the classes
        return None
    if not (classes.take(codes, mode="clip") == labels).all():
        return None
    return codes.astype(np.uint8 if len(classes) <= 256 else np.int32)


def _positive_columns(answer: list[Any], classes: Any) -> np.ndarray | None:
    """Probability of label 1 for each output of a multilabel target, (n_test, n_outputs).

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
