"""Validate the arguments of `OOFPredictions` and bring them to the form in which they are kept."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import _safe_indexing
from sklearn.utils.multiclass import type_of_target

from .._utils import got, is_integer, one_per_sample, same, suppress_fp_warnings
from .._warnings import warn_user
from ..exceptions import IntervalWarning
from ..results._results import frozen_array

IN_TIME = (
    "Every model was trained on samples that come before those it predicts, as in a time "
    "series. The method takes samples as independent: where they depend on their neighbours in "
    "time, the interval is too narrow."
)
METHODS = ("predict", "predict_proba", "decision_function", "plain")

# --- notes -----------------------------------------------------------------------------------


def straddling_groups(
    groups: np.ndarray | None, sample: np.ndarray, fold: np.ndarray
) -> tuple[int, int]:
    """Count the groups that are split between test and training, and all groups.

    A group is split when some fold holds out only a part of its samples: the model of that
    fold has seen the rest. That looks at each repeat by itself, and takes shuffled splits,
    in which a group may be held out several times.

    `groups` (n_samples,), `sample, fold` (n_rows,).
    """
    if groups is None or not len(sample):
        return 0, 0
    _, code, size = np.unique(groups, return_inverse=True, return_counts=True)
    if fold.max() == 0:  # folds are not known
        return 0, len(size)
    # A sample that a split holds out twice counts once.
    held_out = np.unique(fold.astype(np.int64) * len(groups) + sample)
    pair = held_out // len(groups) * len(size) + code[held_out % len(groups)]
    pair, count = np.unique(pair, return_counts=True)
    group = pair % len(size)
    return len(np.unique(group[count < size[group]])), len(size)


def straddling_note(n_straddling: int, n_groups: int) -> str | None:
    """Compose the note on groups that are split between folds; None where no group is."""
    if not n_straddling:
        return None
    which = f"{n_straddling} of {n_groups} groups {'is' if n_straddling == 1 else 'are'}"
    return (
        f"{which} split between folds: models were tested on groups of which they had seen other "
        "samples, so scores and intervals tend to lie too high for new groups. Use a splitter "
        "that keeps groups together, such as GroupKFold."
    )


def is_in_time(splits: Sequence[tuple[np.ndarray, np.ndarray]]) -> bool:
    """Check whether in each split every training sample comes before every test sample."""
    return len(splits) > 1 and all(
        len(train) and len(test) and np.max(train) < np.min(test) for train, test in splits
    )


def without_repetition(notes: Iterable[str | None]) -> tuple[str, ...]:
    """Keep notes in their order, each once."""
    return tuple(dict.fromkeys(note for note in notes if note is not None))


# --- arrays ----------------------------------------------------------------------------------


def check_no_dates(array: np.ndarray, name: str) -> None:
    """Refuse dates and durations, which would count in nanoseconds or be taken as text."""
    kinds = {array.dtype[field].kind for field in array.dtype.names or ()} | {array.dtype.kind}
    kind_of = pd.api.types.infer_dtype(array.ravel(), skipna=True) if "O" in kinds else ""
    are_dates = "M" in kinds or kind_of in ("datetime", "datetime64", "date", "period")
    if are_dates or "m" in kinds or kind_of in ("timedelta", "timedelta64"):
        raise ValueError(
            f"{name} holds {'dates' if are_dates else 'durations'}, but must hold numbers or "
            "labels. Turn them into numbers in a unit of your choice, for example "
            "(values - first) / numpy.timedelta64(1, 'D'); or into text where they are classes."
        )


def check_no_mask(values: Any, name: str) -> None:
    """Refuse masked values: they are missing, and NumPy would return what is below the mask."""
    if isinstance(values, np.ma.MaskedArray):
        mask = np.ascontiguousarray(np.ma.getmaskarray(values))
        if n_masked := int(np.count_nonzero(mask.view(bool))):
            raise ValueError(
                f"{name} is a masked array with {n_masked} masked value{'s' * (n_masked > 1)}. "
                "Remove these samples, from the predictions too."
            )


def check_alignment(given: Mapping[str, Any], n_samples: int) -> None:
    """Refuse pandas objects in different orders: rows belong together by position."""
    indexed = [
        (name, values.index)
        for name, values in given.items()
        if isinstance(values, (pd.Series, pd.DataFrame)) and len(values) == n_samples
    ]
    for (name, index), (other, other_index) in combinations(indexed, 2):
        if index.equals(other_index):
            continue
        if index.isin(other_index).all() and other_index.isin(index).all():
            raise ValueError(
                f"{name} and {other} have the same index in another order, but rows are taken by "
                f"position. Bring them into one order: {other}.loc[{name}.index]; or pass "
                "arrays (.to_numpy()) if the positions are right."
            )
        default = pd.RangeIndex(n_samples)
        if not index.equals(default) and not other_index.equals(default):
            some, some_other = (
                ", ".join(map(str, each[:3])) + ", ..." * (n_samples > 3)
                for each in (index, other_index)
            )
            raise ValueError(
                f"{name} and {other} have different indexes ({some} and {some_other}), so their "
                "rows seem to be about different samples. Pass arrays (.to_numpy()) if the "
                "positions are right."
            )


def _to_array(values: Any, name: str) -> np.ndarray:
    pandas = isinstance(values, (pd.Series, pd.DataFrame, pd.Index))
    array = values.to_numpy() if pandas else np.asarray(values)
    if array.ndim == 0:
        raise ValueError(f"{name} must be an array, got {got(values)}.{_instead(values)}")
    if name != "groups":  # any labels tell groups apart
        check_no_dates(array, name)
    return array


def _instead(values: Any) -> str:
    """Advise what to give instead of a model, or of an object that holds predictions."""
    if hasattr(values, "responses"):
        return " Interval methods take such predictions: BBC().estimate(oof, 'roc_auc')."
    if not hasattr(values, "predict"):
        return ""
    own = " Of a fitted BBCSearchCV, search.interval() needs no arrays." * hasattr(values, "oof_")
    return (
        " Give the target as y_true and what the model predicts as y_pred, for example "
        f"model.predict_proba(X)[:, 1].{own}"
    )


def plain_array(values: Any, name: str) -> np.ndarray:
    """Make an array of numbers or text, from pandas objects too; refuse missing labels."""
    check_no_mask(values, name)
    array = _to_array(values, name)
    fields = [array[field] for field in array.dtype.names or ()]  # of a survival target
    missing = sum(int(pd.isna(each).sum()) for each in fields or [array])
    if missing:
        raise ValueError(
            f"{name} contains {missing} missing value{'s' * (missing > 1)} (NaN or None) among "
            f"{array.size}. Remove these samples, from the predictions too."
        )
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} contains infinite values.")
    return text_or_numbers(array, name)


def predictions_of(values: Any, name: str) -> np.ndarray:
    """Make an array of numbers or text, with NaN where something is missing or masked."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
        if values.dtype.kind not in "fiub" or (
            values.dtype.kind != "f" and name == "responses['predict']"
        ):
            raise ValueError(
                f"{name} is a masked array of {values.dtype}, which has no value for missing. "
                "Mark the configuration as `failed` and fill in any label; codes into `classes` "
                "take -1."
            )
        values = np.ma.filled(values if values.dtype.kind == "f" else values.astype(float), np.nan)
    return text_or_numbers(_to_array(values, name), name)


def text_or_numbers(array: np.ndarray, name: str) -> np.ndarray:
    """Convert an array of objects to text or numbers, which are stored without pickle.

    Missing numbers become NaN; missing text cannot be distinguished from text.
    """
    if array.dtype.kind != "O":
        return array
    missing = pd.isna(array)
    present = array[~missing].tolist()
    filled = np.full(array.shape, np.nan)
    try:
        if any(isinstance(value, str) for value in present):
            raise TypeError
        filled[~missing] = present
    except (TypeError, ValueError):
        if missing.any():
            raise ValueError(
                f"{name} holds text with missing values. Give numbers, or mark the "
                "configuration as `failed` and fill in any label."
            ) from None
        return array.astype(str)
    # Integers and booleans that pandas wrapped stay what they are, other numbers are floats.
    whole = np.array(array.tolist())
    return filled if missing.any() or whole.dtype.kind not in "iub" else whole


def check_order(y_true: Any, y_pred: Any) -> None:
    """Raise where the shapes show that target and predictions are swapped."""
    target: tuple[int, ...] = getattr(y_true, "shape", ())
    pred: tuple[int, ...] = getattr(y_pred, "shape", ())
    if len(target) == 2 and target[1] > 1 and pred == target[:1]:
        raise ValueError(
            f"y_true has shape {target} and y_pred {pred}: they seem to be in each other's place. "
            "The target comes first, then the predictions, a column per configuration."
        )


# --- folds as pairs of (train, test) ---------------------------------------------------------


class SplitPairs(NamedTuple):
    """Splits as scikit-learn gives them: the positions of training and test samples."""

    sample: np.ndarray
    """(n_rows,), each held-out sample of each split, split by split."""
    fold: np.ndarray
    """(n_rows,)"""
    train_size: list[int]
    """Number of training samples of each split."""
    in_time: bool
    """Whether training samples always come before test samples."""


def as_pairs(fold: Any, n_samples: int | None = None) -> SplitPairs | None:
    """Read ``list(cv.split(X, y))``; None where `fold` is something else."""
    if not isinstance(fold, Sequence) or isinstance(fold, str):
        return None
    if not len(fold) or not all(map(_is_pair, fold)):
        return None
    splits = [(positions(train), positions(test)) for train, test in fold]
    used = np.concatenate([side for split in splits for side in split])
    n_samples = int(used.max(initial=-1)) + 1 if n_samples is None else n_samples
    if len(used) and (used.min() < -n_samples or used.max() >= n_samples):
        raise ValueError(
            f"fold holds (train, test) pairs with position {used[np.argmax(np.abs(used))]}, but "
            f"there are {n_samples} samples."
        )
    splits = [(train % n_samples, test % n_samples) for train, test in splits]
    tests = [test for _, test in splits]
    if not all(map(len, tests)):
        raise ValueError("fold holds a (train, test) pair without any test sample.")
    return SplitPairs(
        sample=np.concatenate(tests),
        fold=np.repeat(np.arange(len(tests)), [len(test) for test in tests]),
        train_size=[len(train) for train, _ in splits],
        in_time=is_in_time(splits),
    )


def _is_pair(item: Any) -> bool:
    if not isinstance(item, (tuple, list)) or len(item) != 2:
        return False
    if not all(isinstance(side, (np.ndarray, list, pd.Index, pd.Series)) for side in item):
        return False
    sides = [np.asarray(side) for side in item]
    return all(side.ndim == 1 and (side.dtype.kind in "iub" or not len(side)) for side in sides)


def positions(side: Any) -> np.ndarray:
    """Find the positions of one side of a split, given as positions or as a mask."""
    side = np.asarray(side)
    return np.flatnonzero(side) if side.dtype == bool else side.astype(np.int64)


# --- classes, and predictions of classes -------------------------------------------------------


def infer_classes(y_true: np.ndarray) -> np.ndarray | None:
    """Find sorted class labels when the target looks like classes, otherwise None."""
    if y_true.ndim != 1 or y_true.dtype.names or len(y_true) == 0:
        return None
    # Numbers beyond the integers, which it looks at as such, are values and not labels.
    with warnings.catch_warnings(), suppress_fp_warnings():
        # scikit-learn warns of many distinct labels: a question that is being answered here.
        warnings.simplefilter("ignore", UserWarning)
        kind = type_of_target(y_true)
    return np.unique(y_true) if kind in ("binary", "multiclass") else None


def check_classes(classes: np.ndarray, y_true: np.ndarray) -> np.ndarray:
    """Refuse classes that are not sorted, or lack a label: codes would mean something else."""
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
    """Check whether predictions hold nothing but class labels and missing values."""
    if values.ndim != 2 or (values.dtype.kind in "US") != (classes.dtype.kind in "US"):
        return False
    there = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    return bool(np.isin(there, classes).all())


def scores_of_second_class(values: np.ndarray, classes: np.ndarray, pos_label: Any) -> np.ndarray:
    """Turn scores (n_configs, n_rows) that are higher for the first of two classes (2,)."""
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


def are_probabilities(values: np.ndarray) -> bool:
    """Check whether the last axis holds probabilities that sum to 1, ignoring rows with NaN."""
    if values.dtype.kind != "f":
        return False
    total = values.sum(axis=-1)
    total = total[~np.isnan(total)]
    if not total.size or (np.abs(total - 1) > 0.02).any():  # they may have been rounded
        return False
    return bool(np.nanmin(values) >= 0 and np.nanmax(values) <= 1)


def warn_of_probability_columns(y_pred: Any, classes: np.ndarray | None) -> None:
    """Warn of a column per class, summing to 1: probabilities of one model, not several models."""
    if classes is None or np.ndim(y_pred) != 2 or np.shape(y_pred)[1] != len(classes):
        return
    values = np.asarray(y_pred)
    if len(classes) < 2 or len(values) < 2 or not are_probabilities(values):
        return
    one = "y_pred[:, 1], or " if len(classes) == 2 else ""
    warn_user(
        f"y_pred has {len(classes)} columns that sum to 1 in every row, as the probabilities of "
        f"{len(classes)} classes do. They are taken as {len(classes)} configurations. For the "
        f"probabilities of one configuration pass {one}"
        "y_pred[:, None, :] of shape (n_samples, 1, n_classes).",
        IntervalWarning,
    )


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
        if name == "predict_proba" and array.shape[2:] not in (
            (),
            (n_classes or array.shape[-1],),
        ):
            raise ValueError(
                f"responses['predict_proba'] has {array.shape[2]} columns for {n_classes} classes."
            )
        if n_classes == 2 and array.ndim == 3 and array.shape[2] == 2:
            array = array[:, :, 1]
        settled[name] = array
    return settled


# --- rows ------------------------------------------------------------------------------------


class Rows(NamedTuple):
    """Rows in the order in which they are kept: by repeat, then by sample."""

    responses: dict[str, np.ndarray]
    sample: np.ndarray
    fold: np.ndarray
    repeat: np.ndarray


def fold_codes(fold: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Encode arbitrary fold labels as 0, 1, ...; negative numbers stay -1 (untested)."""
    check_no_mask(fold, "fold")
    values = fold.to_numpy() if isinstance(fold, (pd.Series, pd.Index)) else np.asarray(fold)
    if values.ndim == 0:
        raise ValueError(
            "fold must hold the number of the fold in which each sample was held out, or be "
            f"list(cv.split(X, y)), got {got(fold)}."
        )
    if values.shape != shape:
        raise ValueError(
            f"fold has shape {values.shape}, but the predictions need {shape}: one fold label per "
            "sample (and repeat)."
        )
    if pd.isna(values).any():
        raise ValueError("fold contains missing labels. Use -1 for samples without a prediction.")
    values = text_or_numbers(values, "fold")
    tested = values >= 0 if values.dtype.kind in "iuf" else np.ones(shape, dtype=bool)
    if values.size and not tested.any():
        raise ValueError("fold marks every sample with -1, so there is no prediction to use.")
    codes = np.full(shape, -1, dtype=np.int64)
    codes[tested] = np.unique(values[tested], return_inverse=True)[1]
    return codes


def _split_numbers(repeat: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Number the splits of all repeats: fold 0 of one repeat is not fold 0 of the next."""
    return np.ravel(np.unique(np.stack([repeat, codes]), axis=1, return_inverse=True)[1])


def rows_from_rectangle(y_pred: Any, fold: Any, n_samples: int) -> Rows:
    """Take the rows of a matrix ``(n_samples, n_configs[, k])`` or a stack of repeats of it."""
    values = predictions_of(y_pred, "y_pred")
    if values.ndim == 1:
        values = values[:, None]
    repeated = len(values) != n_samples if fold is None else np.ndim(fold) == 2
    if not repeated:
        values = values[None]
    if values.ndim not in (3, 4) or values.shape[1] != n_samples or not n_samples:
        turned = np.ndim(y_pred) == 2 and np.shape(y_pred)[1] == n_samples
        raise ValueError(
            f"y_pred has shape {np.shape(y_pred)}, but y_true has {n_samples} samples. Expected "
            "(n_samples, n_configs), (n_samples, n_configs, n_classes) or "
            "(n_repeats, n_samples, n_configs) with fold of shape (n_repeats, n_samples)."
            + " It looks transposed: pass y_pred.T."
            * turned
        )
    shape = values.shape[:2]
    codes = np.zeros(shape, dtype=np.int64)
    if fold is not None:
        codes = fold_codes(fold, shape if repeated else shape[1:]).reshape(shape)
    repeat, sample = np.nonzero(codes >= 0)
    picked = values[repeat, sample]  # (n_rows, n_configs[, k])
    split = _split_numbers(repeat, codes[repeat, sample])
    return Rows({"plain": np.moveaxis(picked, 0, 1)}, sample, split, repeat)


def rows_from_responses(
    responses: Mapping[str, Any], sample: Any, fold: Any, repeat: Any, n_samples: int
) -> Rows:
    """Take the rows as a search records them: responses ``(n_configs, n_rows[, k])``."""
    unknown = sorted(set(responses) - set(METHODS))
    if unknown:
        raise ValueError(f"responses has unknown keys {unknown}; known are {list(METHODS)}.")
    arrays = {name: predictions_of(a, f"responses[{name!r}]") for name, a in responses.items()}
    shapes = {array.shape[:2] for array in arrays.values()}
    if len(shapes) > 1 or any(len(shape) < 2 or 0 in shape for shape in shapes):
        raise ValueError(
            "responses must have one shape (n_configs, n_rows), with optional outputs behind, "
            f"got {sorted(shapes)}."
        )
    n_rows = shapes.pop()[1] if shapes else np.size(fold) if fold is not None else 0
    sample = np.arange(n_rows) if sample is None else np.asarray(sample, dtype=np.int64)
    if sample.shape != (n_rows,):
        raise ValueError(f"sample has shape {sample.shape}, expected ({n_rows},): one per row.")
    if n_rows and (sample.min() < 0 or sample.max() >= n_samples):
        raise ValueError(f"sample holds indices outside 0..{n_samples - 1}.")
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
    splits = _split_numbers(repeat, codes)
    if splits.max(initial=0) > codes.max(initial=0):  # labels are used again in another repeat
        codes = splits
    order = row_order(sample, repeat)
    if (order[1:] < order[:-1]).any():  # else a copy could be gigabytes for nothing
        arrays = {name: array[:, order] for name, array in arrays.items()}
        sample, codes, repeat = sample[order], codes[order], repeat[order]
    return Rows(arrays, sample, codes, repeat)


def row_order(sample: np.ndarray, repeat: np.ndarray) -> np.ndarray:
    """Order the rows as they are kept: by repeat, then by sample."""
    return np.lexsort((sample, repeat))


def repeat_of_rows(sample: np.ndarray, fold: np.ndarray, n_samples: int) -> np.ndarray:
    """Find the repeat of every row when splits are consecutive full partitions, else all 0.

    Repeated K-fold gives R partitions. Shuffle splits, predefined splits with untested
    samples and time series do not: their rows are pooled, as one repeat.
    """
    pooled = np.zeros(len(fold), dtype=np.int64)
    if len(fold) == 0:  # fold scores alone
        return pooled
    repeat_of_split = np.zeros(int(fold.max()) + 1, dtype=np.int64)
    repeat, n_seen, seen = 0, 0, np.zeros(n_samples, dtype=bool)
    by_split = np.split(sample[np.argsort(fold, kind="stable")], np.cumsum(np.bincount(fold))[:-1])
    for split, members in enumerate(by_split):
        if seen[members].any() or len(np.unique(members)) < len(members):
            return pooled
        seen[members] = True
        repeat_of_split[split] = repeat
        n_seen += len(members)
        if n_seen == n_samples:
            repeat, n_seen, seen = repeat + 1, 0, np.zeros(n_samples, dtype=bool)
    # The last round may have left samples out.
    return pooled if n_seen else repeat_of_split[fold]


# --- metadata of scorers ---------------------------------------------------------------------

TARGET = "y"
"""Name of the target as a Series; `fit` can have no metadata of that name."""


@dataclass(frozen=True)
class Refused:
    """Placeholder for metadata that draws cannot repeat; `why` comes after its name."""

    why: str


def settled(value: Any, n_samples: int) -> Any:
    """Bring metadata to the form in which it is kept."""
    plain = isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray)
    if isinstance(value, np.generic) or (plain and not value.ndim):
        value, plain = value.item(), False
    # scikit-learn takes a text of that length apart.
    cut = isinstance(value, str) and len(value) == n_samples
    if isinstance(value, (bool, int, float, str, type(None), Refused)) and not cut:
        return value
    if not plain and not isinstance(value, (pd.Series, list, tuple)):
        return Refused(
            f"is a {type(value).__name__}, and only arrays, lists and Series with a value per "
            "sample, or single values, can be repeated in draws"
        )
    if len(value) != n_samples:
        return Refused(
            f"has {len(value)} entries for {n_samples} samples, and only what has one per sample "
            "(or is a single value) can be repeated in draws"
        )
    if plain:
        return frozen_array(value)
    return value.copy() if isinstance(value, pd.Series) else list(value)


def is_per_sample(value: Any) -> bool:
    """Check whether settled metadata has one entry per sample."""
    return isinstance(value, (np.ndarray, pd.Series, list))


def taken(values: Any, rows: np.ndarray) -> Any:
    """Take entries of an array, a list or a Series, each as often as it is named."""
    return values[rows] if isinstance(values, np.ndarray) else _safe_indexing(values, rows)


def taken_metadata(metadata: Mapping[str, Any], rows: np.ndarray) -> dict[str, Any]:
    """Take samples `rows` (n_taken,), as often as they are named, of what is per sample."""
    if rows.dtype == bool:
        rows = np.flatnonzero(rows)
    return {
        name: taken(value, rows) if is_per_sample(value) else value
        for name, value in metadata.items()
    }


def same_metadata(
    one: Mapping[str, Any], other: Mapping[str, Any], names: Collection[str] | None = None
) -> bool:
    """Check whether two sets of metadata are the same, however the target is held."""
    either = one.keys() | other.keys()
    compared = either if names is None else either & set(names) | (one.keys() & other.keys())
    return all(
        name in one and name in other and same(one[name], other[name])
        for name in compared - {TARGET}
    )


def frozen_mapping(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Make a mapping, and the arrays in it, read-only."""
    return MappingProxyType(
        {k: frozen_array(v) if isinstance(v, np.ndarray) else v for k, v in values.items()}
    )


def to_file(metadata: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Split metadata into what JSON holds and arrays without Python objects."""
    header: dict[str, Any] = {}
    arrays: dict[str, np.ndarray] = {}
    for name, value in metadata.items():
        try:
            about, parts = _parts(name, value)
            again = from_file({name: about}, parts)[name]
            objects = any(array.dtype.hasobject for array in parts.values())
            unharmed = not objects and _identical(again, value)
        except (TypeError, ValueError):  # no dtype of that name, for example
            unharmed = False
        if not unharmed:
            why = f"is a {type(value).__name__} of Python objects, which are not saved to files"
            about, parts = {"kind": "refused", "value": why}, {}
        header[name] = about
        arrays |= parts
    return header, arrays


def _identical(one: Any, other: Any) -> bool:
    """Check whether two values are the same to a scorer; plain numbers may differ in type."""
    if isinstance(one, pd.Series):
        dtypes = one.dtype == other.dtype and one.index.dtype == other.index.dtype
        alike = one.equals(other) and one.index.equals(other.index) and one.name == other.name
        return bool(dtypes and alike)
    return same(one, other) and getattr(one, "dtype", None) == getattr(other, "dtype", None)


def from_file(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Put together what `to_file` split."""
    found: dict[str, Any] = {}
    for name, about in header.items():
        kind, value = about["kind"], about.get("value")
        if kind == "refused":
            value = Refused(value)
        elif kind == "list":
            value = arrays[name].tolist()
        elif kind == "Series":
            index = pd.Index(arrays[f"{name}:index"]).astype(about["index"])
            value = pd.Series(arrays[name], index=index, name=about["name"]).astype(about["dtype"])
        elif kind == "array":
            value = frozen_array(arrays[name].astype(about["dtype"]))
        found[name] = value
    return found


def _parts(name: str, value: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Write header and arrays of one value."""
    if isinstance(value, Refused):
        return {"kind": "refused", "value": value.why}, {}
    if isinstance(value, pd.Series):
        about = {
            "kind": "Series",
            "dtype": str(value.dtype),
            "index": str(value.index.dtype),
            "name": value.name if isinstance(value.name, str) else None,
        }
        index = _without_objects(np.asarray(value.index))
        return about, {name: _without_objects(value.to_numpy()), f"{name}:index": index}
    if isinstance(value, list):
        return {"kind": "list"}, {name: _without_objects(np.array(value, dtype=object))}
    if isinstance(value, np.ndarray):
        return {"kind": "array", "dtype": value.dtype.str}, {name: _without_objects(value)}
    return {"kind": "value", "value": value}, {}


def _without_objects(array: np.ndarray) -> np.ndarray:
    """Convert an array of objects to numbers or text, where they are of one kind."""
    return np.array(array.tolist()) if array.dtype.hasobject else array


# --- all fields --------------------------------------------------------------------------------


def fields_of(
    *,
    y_true: Any,
    y_pred: Any = None,
    fold: Any = None,
    responses: Mapping[str, Any] | None = None,
    sample: Any = None,
    repeat: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    classes: Any = "infer",
    params: Sequence[Any] | None = None,
    failed: Any = None,
    selected: int | None = None,
    selected_by: str = "given",
    train_size: Any = None,
    fold_scores: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
    metadata: Mapping[str, Any] | None = None,
    pos_label: Any = None,
) -> dict[str, Any]:
    """Bring the arguments of `OOFPredictions` to fields in the form in which they are kept."""
    if params is None and isinstance(y_pred, pd.DataFrame):
        params = [{"configuration": name} for name in y_pred.columns]
    groups = one_per_sample(groups)
    target = plain_array(y_true, "y_true")
    if target.ndim == 2 and target.shape[1] == 1:  # as everywhere in scikit-learn
        target = target[:, 0]
    if target.ndim > 2:
        raise ValueError(
            f"y_true has shape {target.shape}, expected (n_samples,) or (n_samples, n_outputs)."
        )
    n_samples = len(target)
    check_order(y_true, y_pred)
    _check_sources(y_pred, responses, fold_scores, sample, repeat)
    per_sample = {"groups": groups, "sample_weight": sample_weight}
    check_alignment({"y_true": y_true, "y_pred": y_pred, "fold": fold, **per_sample}, n_samples)

    fold = list(fold) if isinstance(fold, Iterator) else fold
    if (pairs := as_pairs(fold, n_samples)) is not None:
        train_size = pairs.train_size if train_size is None else train_size
        notes = [*notes, IN_TIME] if pairs.in_time else notes
        if y_pred is None and not responses:  # scores alone: no rows to fit to
            fold, sample = pairs.fold, pairs.sample
        else:
            fold = _labels_of_pairs(pairs, n_samples, bool(responses), sample is not None)

    scores = settled_fold_scores(fold_scores)
    of_splits = y_pred is None and not responses and (fold is None or not np.size(fold))
    if y_pred is not None:
        rows = rows_from_rectangle(y_pred, fold, n_samples)
    else:
        of_rows = None if of_splits else repeat
        rows = rows_from_responses(responses or {}, sample, fold, of_rows, n_samples)
    if of_splits:
        split_repeat = _repeat_of_splits(repeat, len(next(iter(scores.values()))))
    else:
        split_repeat = np.zeros(int(rows.fold.max()) + 1, dtype=np.int64)
        split_repeat[rows.fold] = rows.repeat

    arrays = rows.responses
    if isinstance(classes, str) and classes == "infer":
        # Labels are recorded as codes, so fractions in "predict" are a regressor's.
        fractions = "predict" in arrays and arrays["predict"].dtype.kind == "f"
        classes = None if fractions else infer_classes(target)
    if classes is not None:
        classes = check_classes(plain_array(classes, "classes"), target)
    pos_label = checked_pos_label(pos_label, classes)
    if y_pred is not None and classes is not None and pos_label is not None:
        arrays = {k: scores_of_second_class(a, classes, pos_label) for k, a in arrays.items()}
    arrays = settle_responses(arrays, classes)

    n_splits = len(split_repeat)
    known = n_splits if len(rows.fold) else None if train_size is None else len(train_size)
    n_configs = _n_configs(arrays, scores, params, failed, known)
    for name, array in scores.items():
        if len(array) != n_splits:
            raise ValueError(
                f"fold_scores[{name!r}] has {len(array)} splits, but the rows have {n_splits}."
            )
    weights = _per("sample_weight", sample_weight, n_samples, "sample")
    if weights is not None and weights.dtype.kind not in "fiub":
        raise ValueError(f"sample_weight must hold numbers, got {weights.dtype}.")
    if weights is not None and not ((weights >= 0).all() and weights.any()):
        raise ValueError("sample_weight must not be negative, nor zero everywhere.")
    groups = _per("groups", groups, n_samples, "sample")
    failed = np.zeros(n_configs, dtype=bool) if failed is None else np.asarray(failed, bool)
    straddling = straddling_note(*straddling_groups(groups, rows.sample, rows.fold))
    found = {str(name): settled(value, n_samples) for name, value in (metadata or {}).items()}
    for name, value in found.items():
        if isinstance(value, Refused) and value is not (metadata or {})[name]:
            raise ValueError(f"metadata[{name!r}] {value.why}.")
    return {
        "y_true": frozen_array(target),
        "responses": frozen_mapping(arrays),
        "sample": frozen_array(rows.sample),
        "fold": frozen_array(rows.fold),
        "repeat": frozen_array(rows.repeat),
        "groups": groups,
        "sample_weight": weights,
        "classes_": None if classes is None else frozen_array(classes),
        "params": () if params is None else tuple(params),
        "failed": _per("failed", failed, n_configs, "configuration"),
        "selected": checked_selected(selected, n_configs),
        "selected_by": str(selected_by),
        "train_size": _per("train_size", train_size, n_splits, "split"),
        "fold_scores": frozen_mapping(scores),
        "split_repeat": frozen_array(split_repeat),
        "pos_label": pos_label,
        "notes": without_repetition([*map(str, notes), straddling]),
        "metadata": frozen_mapping(found),
    }


def _check_sources(y_pred: Any, responses: Any, scores: Any, sample: Any, repeat: Any) -> None:
    """Raise unless predictions or scores are given, in one way."""
    if responses is not None and not isinstance(responses, Mapping):
        raise ValueError(
            "responses must map response methods to arrays, such as {'predict_proba': p}, got "
            f"{got(responses)}. Arrays of what the metric consumes go to y_pred."
        )
    if y_pred is not None and responses is not None:
        raise ValueError("Give either y_pred or responses, not both.")
    no_scores = scores is None or (isinstance(scores, Mapping) and not scores)
    if y_pred is None and not responses and no_scores:
        raise ValueError("Give y_pred or responses, or at least fold_scores.")
    if y_pred is not None and (sample is not None or repeat is not None):
        raise ValueError("sample and repeat describe rows of responses, not of y_pred.")


def _labels_of_pairs(
    pairs: SplitPairs, n_samples: int, responses: bool, sample: bool
) -> np.ndarray:
    """Make fold labels (n_samples,) or (n_repeats, n_samples) from pairs (train, test)."""
    repeat = repeat_of_rows(pairs.sample, pairs.fold, n_samples)
    labels = np.full((int(repeat.max()) + 1, n_samples), -1)
    labels[repeat, pairs.sample] = pairs.fold
    if np.count_nonzero(labels >= 0) < len(pairs.sample) or (
        responses and (sample or len(labels) > 1)
    ):
        raise ValueError(
            "fold as (train, test) pairs fits predictions with one row per sample (and repeat), "
            "but these splits hold samples out several times. Give `responses` with the `sample` "
            "and the `fold` of each row."
        )
    return labels[0] if len(labels) == 1 else labels


def settled_fold_scores(fold_scores: Any) -> dict[str, np.ndarray]:
    """Make float arrays (n_splits, n_configs) by metric name, masked scores as NaN."""
    if fold_scores is None:
        return {}
    if not isinstance(fold_scores, Mapping):
        raise ValueError(
            "fold_scores must map the name of a metric to its scores (n_splits, n_configs), for "
            f"example {{'roc_auc': scores}}, got {got(fold_scores)}."
        )
    settled = {}
    for name, scores in fold_scores.items():
        try:
            array: np.ndarray = np.ma.filled(np.ma.asarray(scores, dtype=float), np.nan)
        except (TypeError, ValueError):
            raise ValueError(
                f"fold_scores[{name!r}] must hold numbers of shape (n_splits, n_configs)."
            ) from None
        if array.ndim != 2 or not array.size:
            raise ValueError(
                f"fold_scores[{name!r}] has shape {array.shape}, expected (n_splits, n_configs)."
            )
        settled[name] = array
    return settled


def _repeat_of_splits(repeat: Any, n_splits: int) -> np.ndarray:
    """Take `repeat` as one value per split, where there is nothing but scores per fold."""
    repeat = np.zeros(n_splits) if repeat is None or not np.size(repeat) else np.asarray(repeat)
    if repeat.shape != (n_splits,):
        raise ValueError(
            f"repeat has shape {repeat.shape}, expected ({n_splits},): one per split, since there "
            "are only fold_scores."
        )
    return np.unique(repeat, return_inverse=True)[1].astype(np.int64)


def _n_configs(
    arrays: Mapping[str, np.ndarray],
    scores: Mapping[str, np.ndarray],
    params: Sequence[Any] | None,
    failed: Any,
    n_splits: int | None,
) -> int:
    """Find the number of configurations, on which all that was given agrees."""
    from_rows = [len(array) for array in arrays.values()]
    lengths = [len(each) for each in (params, failed) if each is not None]
    noted = next((length for length in from_rows + lengths if length), None)
    for name, (one, other) in ((name, array.shape) for name, array in scores.items()):
        fits = n_splits in (None, one) and noted in (None, other)
        if not fits and n_splits in (None, other) and noted in (None, one):
            raise ValueError(
                f"fold_scores[{name!r}] has shape {(one, other)}, expected (n_splits, n_configs) "
                f"= {(other, one)}: it looks transposed. Pass its transpose, scores.T."
            )
    sized = from_rows + [array.shape[1] for array in scores.values()]
    if sized[0] < 1 or len(set(sized)) > 1:
        raise ValueError(f"The number of configurations is not one number >= 1: {sized}.")
    if params is not None and len(params) not in (0, sized[0]):
        raise ValueError(f"params has {len(params)} entries for {sized[0]} configurations.")
    return sized[0]


def checked_selected(selected: int | None, n_configs: int) -> int | None:
    """Return the index of a configuration, or None."""
    if selected is None:
        return None
    if not is_integer(selected, 0) or selected >= n_configs:
        raise ValueError(f"selected={selected!r} is not a configuration in 0..{n_configs - 1}.")
    return int(selected)


def _per(name: str, values: Any, size: int, what: str) -> np.ndarray | None:
    if values is None:
        return None
    array = plain_array(values, name)
    if array.shape != (size,):
        raise ValueError(f"{name} has shape {array.shape}, expected ({size},): one per {what}.")
    return frozen_array(array)
