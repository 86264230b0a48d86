"""Turn the arrays that people have into the rows that `OOFPredictions` keeps."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.multiclass import type_of_target

from .._floats import quiet
from .._nearest import got
from ._checks import are_probabilities, check_no_dates, check_no_mask, masked_places

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
    check_no_mask(values, name)
    array = _to_numpy(values)
    if array.ndim == 0:
        raise ValueError(f"{name} must be an array, got {got(values)}.{_instead(values)}")
    if name != "groups":  # any labels tell groups apart
        check_no_dates(array, name)
    if array.dtype.names:  # structured survival target: one check per field
        missing = sum(int(pd.isna(array[field]).sum()) for field in array.dtype.names)
    else:
        missing = int(pd.isna(array).sum()) if array.dtype.kind in "fcO" else 0
    if missing:
        raise ValueError(
            f"{name} contains {missing} missing value{'s' * (missing > 1)} (NaN or None) among "
            f"{array.size}. Remove these samples, from the predictions too."
        )
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} contains infinite values.")
    return text_or_numbers(array, name)


def _instead(values: Any) -> str:
    """What to give instead of a model or of predictions that are an object already."""
    if hasattr(values, "responses"):
        return " Interval methods take such predictions: BBC().estimate(oof, 'roc_auc')."
    if not hasattr(values, "predict"):
        return ""
    own = " Of a fitted BBCSearchCV, search.interval() needs no arrays." * hasattr(values, "oof_")
    return (
        " Give the target as y_true and what the model predicts as y_pred, for example "
        f"model.predict_proba(X)[:, 1].{own}"
    )


def text_or_numbers(array: np.ndarray, name: str) -> np.ndarray:
    """Object arrays become text or numbers, so that nothing needs pickle to be stored.

    Missing numbers become NaN; missing text cannot be told from text.
    """
    if array.dtype.kind != "O":
        return array
    missing = pd.isna(array)
    present = array[~missing].tolist()
    numbers = not any(isinstance(value, str) for value in present)
    if numbers:
        try:
            filled = np.full(array.shape, np.nan)
            filled[~missing] = present
        except (TypeError, ValueError):
            numbers = False
    if not numbers:
        if missing.any():
            raise ValueError(
                f"{name} holds text with missing values. Give numbers, or mark the "
                "configuration as `failed` and fill in any label."
            )
        return array.astype(str)
    # Integers and booleans that pandas wrapped stay what they are, other numbers are floats.
    whole = np.array(array.tolist())
    return filled if missing.any() or whole.dtype.kind not in "iub" else whole


def column_or_table(y_true: np.ndarray) -> np.ndarray:
    """One column is a vector, as everywhere in scikit-learn."""
    return y_true[:, 0] if y_true.ndim == 2 and y_true.shape[1] == 1 else y_true


def _to_numpy(values: Any) -> np.ndarray:
    pandas = isinstance(values, (pd.Series, pd.DataFrame, pd.Index))
    return values.to_numpy() if pandas else np.asarray(values)


def predictions_of(values: Any, name: str) -> np.ndarray:
    """Numbers or text, with NaN where something is missing or masked."""
    if isinstance(values, np.ma.MaskedArray) and masked_places(values).any():
        values = _unmasked(values, name)
    array = _to_numpy(values)
    if array.ndim == 0:
        raise ValueError(f"{name} must be an array, got {got(values)}.{_instead(values)}")
    check_no_dates(array, name)
    return text_or_numbers(array, name)


def _unmasked(values: np.ma.MaskedArray, name: str) -> np.ndarray:
    if values.dtype.kind == "f":
        return np.ma.filled(values, np.nan)
    if values.dtype.kind not in "iub" or name == "responses['predict']":
        raise ValueError(
            f"{name} is a masked array of {values.dtype}, which has no value for missing. Mark "
            "the configuration as `failed` and fill in any label; codes into `classes` take -1."
        )
    return np.ma.filled(values.astype(float), np.nan)


def infer_classes(y_true: np.ndarray) -> np.ndarray | None:
    """Sorted class labels when the target looks like classes, otherwise None."""
    if y_true.ndim != 1 or y_true.dtype.names or len(y_true) == 0:
        return None
    # Numbers beyond the integers, which it looks at as such, are values and not labels.
    with warnings.catch_warnings(), quiet():
        # scikit-learn warns of many distinct labels: a question that is being answered here.
        warnings.simplefilter("ignore", UserWarning)
        kind = type_of_target(y_true)
    return np.unique(y_true) if kind in ("binary", "multiclass") else None


def check_classes(classes: np.ndarray, y_true: np.ndarray) -> np.ndarray:
    """Classes must be sorted, and hold every label, or codes would mean something else."""
    if classes.ndim != 1 or not np.array_equal(classes, np.unique(classes)):
        raise ValueError(f"classes must be sorted, without repetition, got {classes.tolist()}.")
    unknown = np.setdiff1d(y_true, classes)
    if len(unknown):
        raise ValueError(f"y_true holds labels that are not in classes: {unknown.tolist()}.")
    return classes


def checked_pos_label(pos_label: Any, classes: np.ndarray | None) -> Any:
    """Return the positive class as one of the two classes, or None where none is named."""
    if pos_label is None:
        return None
    labels = [] if classes is None else classes.tolist()
    if len(labels) != 2:
        found = f"{len(labels)} ({labels})" if labels else "none"
        raise ValueError(
            f"pos_label={pos_label!r} names one of two classes, but y_true has {found}. Leave it "
            "out, or name both classes with classes=[...]."
        )
    if pos_label not in labels:
        raise ValueError(
            f"pos_label={pos_label!r} is not a class: y_true holds {labels[0]!r} and "
            f"{labels[1]!r}. Pass the one that the scores are higher for."
        )
    return labels[labels.index(pos_label)]


def are_labels(values: np.ndarray, classes: np.ndarray) -> bool:
    """Whether predictions hold nothing but class labels, and missing values."""
    if values.ndim != 2 or (values.dtype.kind in "US") != (classes.dtype.kind in "US"):
        return False
    there = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    return bool(np.isin(there, classes).all())


def scores_of_second_class(values: np.ndarray, classes: np.ndarray, pos_label: Any) -> np.ndarray:
    """Turn scores that are higher for the first of two classes.

    Parameters
    ----------
    values : ndarray of shape (n_configs, n_rows) or (n_configs, n_rows, n_classes)
        Labels, and columns of all classes, stay as they are.
    classes : ndarray of shape (2,)
        Class labels.
    pos_label : label
        The class that the scores are for.
    """
    if values.ndim != 2 or values.dtype.kind not in "fiub" or pos_label == classes[1]:
        return values
    if are_labels(values, classes):
        raise ValueError(
            f"y_pred holds nothing but the classes {classes.tolist()}, so with pos_label="
            f"{pos_label!r} it may be labels or scores. For labels leave pos_label out and name "
            "the class in the metric, as in make_scorer(f1_score, pos_label="
            f"{pos_label!r}); for scores of class {pos_label!r} pass 1 - y_pred without it."
        )
    values = values.astype(float) if values.dtype.kind != "f" else values
    if np.nanmin(values) < 0 or np.nanmax(values) > 1:
        return -values
    turned = 1 - values
    # Beside 1 the smallest probabilities round to one number; then only their order is kept.
    kept = all(len(np.unique(one)) == len(np.unique(other)) for one, other in zip(values, turned))
    return turned if kept else -values


def settle_responses(
    responses: Mapping[str, np.ndarray], classes: np.ndarray | None
) -> dict[str, np.ndarray]:
    """Bring responses to the form in which they are kept: see `OOFPredictions`."""
    settled = {}
    n_classes = None if classes is None else len(classes)
    for name, array in responses.items():
        if name == "plain" and array.shape[2:] == (n_classes,) and are_probabilities(array):
            name = "predict_proba"  # so labels can be derived from it, and columns be turned
        if name == "predict" and n_classes is not None:
            if array.dtype.kind not in "iu" or array.min() < -1 or array.max() >= n_classes:
                raise ValueError(
                    "responses['predict'] of a classifier holds integer codes into `classes`, -1 "
                    f"to {n_classes - 1} here, got {array.dtype} such as {array.flat[0]!r}. For "
                    "labels use y_pred; for values pass classes=None."
                )
        elif name != "plain":
            if array.dtype.kind not in "fiub":
                raise ValueError(f"responses[{name!r}] must hold numbers, got {array.dtype}.")
            array = array if array.dtype.kind == "f" else array.astype(float)
        if name == "predict_proba" and array.ndim == 3 and n_classes is not None:
            if array.shape[2] != n_classes:
                raise ValueError(
                    f"responses['predict_proba'] has {array.shape[2]} columns for {n_classes} "
                    "classes."
                )
        if n_classes == 2 and array.ndim == 3 and array.shape[2] == 2:
            array = array[:, :, 1]
        settled[name] = array
    return settled


def fold_codes(fold: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Integer codes 0, 1, ... of arbitrary fold labels; negative numbers stay -1 (untested)."""
    check_no_mask(fold, "fold")
    values, fold = fold, _to_numpy(fold)
    if fold.ndim == 0:
        raise ValueError(
            "fold must hold the number of the fold in which each sample was held out, or be "
            f"list(cv.split(X, y)), got {got(values)}."
        )
    if fold.shape != shape:
        raise ValueError(
            f"fold has shape {fold.shape}, but the predictions need {shape}: one fold label per "
            "sample (and repeat)."
        )
    if pd.isna(fold).any():
        raise ValueError("fold contains missing labels. Use -1 for samples without a prediction.")
    fold = text_or_numbers(fold, "fold")
    tested = fold >= 0 if fold.dtype.kind in "iuf" else np.ones(shape, dtype=bool)
    if fold.size and not tested.any():
        raise ValueError("fold marks every sample with -1, so there is no prediction to use.")
    codes = np.full(shape, -1, dtype=np.int64)
    codes[tested] = np.unique(fold[tested], return_inverse=True)[1]
    return codes


def rows_from_rectangle(y_pred: Any, fold: Any, n_samples: int) -> Rows:
    """Rows of a matrix ``(n_samples, n_configs[, k])`` or a stack of repeats of it."""
    values = predictions_of(y_pred, "y_pred")
    if values.ndim == 1:
        values = values[:, None]
    shape = np.shape(fold) if fold is not None else None
    repeated = len(shape) == 2 if shape is not None else values.shape[0] != n_samples
    if not repeated:
        values = values[None]
    if values.ndim not in (3, 4) or values.shape[1] != n_samples or not n_samples:
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
    _, split = np.unique(np.stack([repeat, codes[repeat, sample]]), axis=1, return_inverse=True)
    picked = values[repeat, sample]  # (n_rows, n_configs[, k])
    return Rows({"plain": np.moveaxis(picked, 0, 1)}, sample, np.ravel(split), repeat)


def rows_from_responses(
    responses: Mapping[str, Any], sample: Any, fold: Any, repeat: Any, n_samples: int
) -> Rows:
    """Rows as a search records them: responses ``(n_configs, n_rows[, k])``."""
    arrays = _settled_arrays(responses)
    shapes = [array.shape for array in arrays.values()]
    n_rows = shapes[0][1] if shapes else np.size(fold) if fold is not None else 0
    sample = _samples_of_rows(sample, n_rows, n_samples)
    codes = np.zeros(n_rows, dtype=np.int64) if fold is None else fold_codes(fold, (n_rows,))
    if (codes < 0).any():
        keep = codes >= 0
        arrays = {name: array[:, keep] for name, array in arrays.items()}
        sample, codes = sample[keep], codes[keep]
        repeat = None if repeat is None else np.asarray(repeat)[keep]
    if repeat is None:
        repeat = repeat_of_rows(sample, codes, n_samples)
    repeat = np.unique(np.asarray(repeat), return_inverse=True)[1]
    if repeat.shape != codes.shape:
        raise ValueError(f"repeat has shape {repeat.shape}, expected {codes.shape}: one per row.")
    return _in_order(Rows(arrays, sample, _split_numbers(repeat, codes), repeat))


def _settled_arrays(responses: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Responses as arrays that agree on the number of configurations and rows."""
    unknown = sorted(set(responses) - set(METHODS))
    if unknown:
        raise ValueError(f"responses has unknown keys {unknown}; known are {list(METHODS)}.")
    arrays = {
        name: predictions_of(array, f"responses[{name!r}]") for name, array in responses.items()
    }
    shapes = {array.shape[:2] for array in arrays.values()}
    if len(shapes) > 1 or any(len(shape) < 2 or 0 in shape for shape in shapes):
        raise ValueError(
            "responses must have one shape (n_configs, n_rows), with optional outputs behind, "
            f"got {sorted(shapes)}."
        )
    return arrays


def _samples_of_rows(sample: Any, n_rows: int, n_samples: int) -> np.ndarray:
    """Sample of each row; None means one row per sample, in order."""
    sample = np.arange(n_rows) if sample is None else np.asarray(sample, dtype=np.int64)
    if sample.shape != (n_rows,):
        raise ValueError(f"sample has shape {sample.shape}, expected ({n_rows},): one per row.")
    if n_rows and (sample.min() < 0 or sample.max() >= n_samples):
        raise ValueError(f"sample holds indices outside 0..{n_samples - 1}.")
    return sample


def _split_numbers(repeat: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Fold codes that are not used again in another repeat."""
    pairs = np.unique(np.stack([repeat, codes]), axis=1)
    if pairs.shape[1] > len(np.unique(codes)):  # fold 0 of one repeat is not fold 0 of the next
        return np.ravel(np.unique(np.stack([repeat, codes]), axis=1, return_inverse=True)[1])
    return codes


def _in_order(rows: Rows) -> Rows:
    """The same rows by repeat, then by sample."""
    order = row_order(rows.sample, rows.repeat)
    if (order[1:] > order[:-1]).all():  # in order already: a copy could be gigabytes
        return rows
    arrays = {name: array[:, order] for name, array in rows.responses.items()}
    return Rows(arrays, rows.sample[order], rows.fold[order], rows.repeat[order])


def row_order(sample: np.ndarray, repeat: np.ndarray) -> np.ndarray:
    """Positions of the rows in the order in which they are kept: by repeat, then by sample."""
    return np.lexsort((sample, repeat))


def repeat_of_rows(sample: np.ndarray, fold: np.ndarray, n_samples: int) -> np.ndarray:
    """Repeat of every row when the splits are consecutive full partitions, else all 0.

    Repeated K-fold gives R partitions. Shuffle splits, predefined splits with untested
    samples and time series do not: their rows are pooled, as one repeat.
    """
    if len(fold) == 0:  # fold scores alone
        return np.zeros(0, dtype=np.int64)
    repeat_of_split = np.zeros(int(fold.max()) + 1, dtype=np.int64)
    repeat, n_seen, seen = 0, 0, np.zeros(n_samples, dtype=bool)
    by_split = np.split(sample[np.argsort(fold, kind="stable")], np.cumsum(np.bincount(fold))[:-1])
    for split, members in enumerate(by_split):
        if seen[members].any() or len(np.unique(members)) < len(members):
            return np.zeros(len(fold), dtype=np.int64)
        seen[members] = True
        repeat_of_split[split] = repeat
        n_seen += len(members)
        if n_seen == n_samples:
            repeat, n_seen, seen = repeat + 1, 0, np.zeros(n_samples, dtype=bool)
    if n_seen:  # the last round left samples out
        return np.zeros(len(fold), dtype=np.int64)
    return repeat_of_split[fold]
