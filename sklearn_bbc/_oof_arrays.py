"""Turn the arrays that people have into the rows that `OOFPredictions` keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.multiclass import type_of_target

METHODS = ("predict", "predict_proba", "decision_function", "plain")


@dataclass
class Rows:
    """Rows in the order in which they are kept: by repeat, then by sample."""

    responses: dict[str, np.ndarray]
    sample: np.ndarray
    fold: np.ndarray
    repeat: np.ndarray


def plain_array(values: Any, name: str) -> np.ndarray:
    """Numpy array of numbers or text; pandas objects welcome, missing labels are not."""
    if isinstance(values, (pd.Series, pd.DataFrame, pd.Index)):
        missing = int(np.asarray(pd.isna(values)).sum())
        array = values.to_numpy()
    else:
        array = np.asarray(values)
        if array.dtype.names:  # structured survival target: one check per field
            missing = sum(int(pd.isna(array[field]).sum()) for field in array.dtype.names)
        else:
            missing = int(pd.isna(array).sum()) if array.dtype.kind in "fcO" else 0
    if missing:
        raise ValueError(
            f"{name} contains {missing} missing value{'s' * (missing > 1)} (NaN or None) among "
            f"{array.size}. Remove these samples, from the predictions too."
        )
    return text_or_numbers(array)


def text_or_numbers(array: np.ndarray) -> np.ndarray:
    """Object arrays become text or numbers, so that nothing needs pickle to be stored."""
    if array.dtype.kind != "O" or array.size == 0:
        return array
    if all(isinstance(value, str) for value in array.ravel()):
        return array.astype(str)
    try:
        return np.array(array.tolist())
    except ValueError:
        return array.astype(str)


def infer_classes(y_true: np.ndarray) -> np.ndarray | None:
    """Sorted class labels when the target looks like classes, otherwise None."""
    if y_true.ndim != 1 or y_true.dtype.names or len(y_true) == 0:
        return None
    return np.unique(y_true) if type_of_target(y_true) in ("binary", "multiclass") else None


def fold_codes(fold: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Integer codes 0, 1, ... of arbitrary fold labels; negative numbers stay -1 (untested)."""
    if isinstance(fold, (pd.Series, pd.DataFrame)):
        fold = fold.to_numpy()
    fold = np.asarray(fold)
    if fold.shape != shape:
        raise ValueError(
            f"fold has shape {fold.shape}, but the predictions need {shape}: one fold label per "
            "sample (and repeat)."
        )
    if fold.dtype.kind not in "iubfUSO" or pd.isna(fold).any():
        raise ValueError("fold contains missing labels. Use -1 for samples without a prediction.")
    tested = fold >= 0 if fold.dtype.kind in "iuf" else np.ones(shape, dtype=bool)
    if not tested.any():
        raise ValueError("fold marks every sample with -1, so there is no prediction to use.")
    codes = np.full(shape, -1, dtype=np.int64)
    codes[tested] = np.unique(fold[tested], return_inverse=True)[1]
    return codes


def rows_from_rectangle(y_pred: Any, fold: Any, n_samples: int) -> Rows:
    """Rows of a matrix ``(n_samples, n_configs[, k])`` or a stack of repeats of it."""
    values = text_or_numbers(
        y_pred.to_numpy() if isinstance(y_pred, (pd.Series, pd.DataFrame)) else np.asarray(y_pred)
    )
    if values.ndim == 1:
        values = values[:, None]
    shape = np.shape(fold) if fold is not None else None
    repeated = len(shape) == 2 if shape is not None else values.shape[0] != n_samples
    if not repeated:
        values = values[None]
    if values.ndim not in (3, 4) or values.shape[1] != n_samples:
        raise ValueError(
            f"y_pred has shape {np.shape(y_pred)}, but y_true has {n_samples} samples. Expected "
            "(n_samples, n_configs), (n_samples, n_configs, n_classes) or "
            "(n_repeats, n_samples, n_configs) with fold of shape (n_repeats, n_samples)."
        )
    n_repeats = len(values)
    if fold is None:
        codes = np.zeros((n_repeats, n_samples), dtype=np.int64)
    else:
        codes = fold_codes(fold, (n_repeats, n_samples) if repeated else (n_samples,))
        codes = codes.reshape(n_repeats, n_samples)
    repeat, sample = np.nonzero(codes >= 0)
    # Fold 0 of one repeat is not fold 0 of the next: global split numbers.
    _, split = np.unique(
        np.stack([repeat, codes[repeat, sample]]), axis=1, return_inverse=True
    )
    picked = values[repeat, sample]  # (n_rows, n_configs[, k])
    return Rows({"plain": np.moveaxis(picked, 0, 1)}, sample, np.ravel(split), repeat)


def rows_from_responses(
    responses: Mapping[str, Any], sample: Any, fold: Any, repeat: Any, n_samples: int
) -> Rows:
    """Rows as a search records them: responses ``(n_configs, n_rows[, k])``."""
    unknown = sorted(set(responses) - set(METHODS))
    if unknown:
        raise ValueError(f"responses has unknown keys {unknown}; known are {list(METHODS)}.")
    arrays = {name: text_or_numbers(np.asarray(array)) for name, array in responses.items()}
    shapes = {array.shape[:2] for array in arrays.values()}
    if len(shapes) > 1:
        raise ValueError(f"responses differ in (n_configs, n_rows): {sorted(shapes)}.")
    n_rows = shapes.pop()[1] if shapes else np.size(fold) if fold is not None else 0
    sample = np.arange(n_rows) if sample is None else np.asarray(sample, dtype=np.int64)
    if sample.shape != (n_rows,):
        raise ValueError(f"sample has shape {sample.shape}, expected ({n_rows},): one per row.")
    if n_rows and (sample.min() < 0 or sample.max() >= n_samples):
        raise ValueError(f"sample holds indices outside 0..{n_samples - 1}.")
    codes = (
        np.zeros(n_rows, dtype=np.int64) if fold is None else fold_codes(fold, (n_rows,))
    )
    if (codes < 0).any():
        keep = codes >= 0
        arrays = {name: array[:, keep] for name, array in arrays.items()}
        sample, codes = sample[keep], codes[keep]
        repeat = None if repeat is None else np.asarray(repeat)[keep]
    if repeat is None:
        repeat = repeat_of_rows(sample, codes, n_samples)
    repeat = np.asarray(repeat, dtype=np.int64)
    if repeat.shape != codes.shape:
        raise ValueError(f"repeat has shape {repeat.shape}, expected {codes.shape}: one per row.")
    order = np.lexsort((sample, repeat))
    arrays = {name: array[:, order] for name, array in arrays.items()}
    return Rows(arrays, sample[order], codes[order], repeat[order])


def repeat_of_rows(sample: np.ndarray, fold: np.ndarray, n_samples: int) -> np.ndarray:
    """Repeat of every row when the splits are consecutive full partitions, else all 0.

    Repeated K-fold gives R partitions. Shuffle splits, predefined splits with untested
    samples and time series do not: their rows are pooled, as one repeat.
    """
    if len(fold) == 0:  # fold scores alone
        return np.zeros(0, dtype=np.int64)
    repeat_of_split = np.zeros(int(fold.max()) + 1, dtype=np.int64)
    repeat, seen = 0, np.zeros(n_samples, dtype=bool)
    by_split = np.split(
        sample[np.argsort(fold, kind="stable")], np.cumsum(np.bincount(fold))[:-1]
    )
    for split, members in enumerate(by_split):
        if seen[members].any() or len(np.unique(members)) < len(members):
            return np.zeros(len(fold), dtype=np.int64)
        seen[members] = True
        repeat_of_split[split] = repeat
        if seen.all():
            repeat, seen = repeat + 1, np.zeros(n_samples, dtype=bool)
    if seen.any():  # the last round left samples out
        return np.zeros(len(fold), dtype=np.int64)
    return repeat_of_split[fold]
