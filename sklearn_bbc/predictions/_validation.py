"""Validate the arguments of `OOFPredictions` and bring them to the form in which they are kept."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import _safe_indexing
from sklearn.utils.multiclass import type_of_target

from .._utils import got, is_integer, one_per_sample, quiet, same
from .._warnings import warn_user
from ..exceptions import IntervalWarning
from ..results._results import frozen_array

IN_TIME = (
    "Every model was trained on samples that come before those it predicts, as in a time "
    "series. The method takes samples as independent: where they depend on their neighbours in "
    "time, the interval is too narrow."
)


def straddling_groups(
    groups: np.ndarray | None, sample: np.ndarray, fold: np.ndarray
) -> tuple[int, int]:
    """Number of groups that are split between test and training, and number of groups.

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
    """Whether in each split every training sample comes before every test sample."""
    return len(splits) > 1 and all(
        len(train) and len(test) and np.max(train) < np.min(test) for train, test in splits
    )


def without_repetition(notes: Iterable[str | None]) -> tuple[str, ...]:
    """Notes in their order, each once."""
    return tuple(dict.fromkeys(note for note in notes if note is not None))


_TOLERANCE = 0.02
"""How far from 1 the probabilities of all classes may sum, as when they were rounded."""


def check_no_dates(array: np.ndarray, name: str) -> None:
    """Dates and durations would be counted in nanoseconds, or taken as text."""
    kinds = [array.dtype[field].kind for field in array.dtype.names or ()] or [array.dtype.kind]
    found = next((kind for kind in kinds if kind in "mM"), None)
    if found is None and array.dtype.kind == "O":
        inferred = pd.api.types.infer_dtype(array.ravel(), skipna=True)
        if inferred in ("datetime", "datetime64", "date", "period"):
            found = "M"
        elif inferred in ("timedelta", "timedelta64"):
            found = "m"
    if found is not None:
        what = "dates" if found == "M" else "durations"
        raise ValueError(
            f"{name} holds {what}, but must hold numbers or labels. Turn them into numbers in a "
            "unit of your choice, for example (values - first) / numpy.timedelta64(1, 'D'); or "
            "into text where they are classes."
        )


def check_no_mask(values: Any, name: str) -> None:
    """A masked value is missing, and NumPy would hand out what is below the mask."""
    if isinstance(values, np.ma.MaskedArray):
        n_masked = int(np.count_nonzero(np.ascontiguousarray(masked_places(values)).view(bool)))
        if n_masked:
            raise ValueError(
                f"{name} is a masked array with {n_masked} masked value{'s' * (n_masked > 1)}. "
                "Remove these samples, from the predictions too."
            )


def masked_places(values: np.ma.MaskedArray) -> np.ndarray:
    """Boolean array of the shape of `values`."""
    return np.ma.getmaskarray(values)


def check_alignment(given: Mapping[str, Any], n_samples: int) -> None:
    """Rows belong together by position, so pandas objects must name them in the same order."""
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
        if not _is_default(index) and not _is_default(other_index):
            raise ValueError(
                f"{name} and {other} have different indexes ({_some(index)} and "
                f"{_some(other_index)}), so their rows seem to be about different samples. Pass "
                "arrays (.to_numpy()) if the positions are right."
            )


def _is_default(index: pd.Index) -> bool:
    return index.equals(pd.RangeIndex(len(index)))


def _some(index: pd.Index) -> str:
    dots = ", ..." if len(index) > 3 else ""
    return f"{', '.join(map(str, index[:3]))}{dots}"


# --- folds as pairs of (train, test) -------------------------------------------------------


@dataclass(frozen=True)
class SplitPairs:
    """Splits as scikit-learn gives them: the positions of training and test samples.

    Attributes
    ----------
    sample, fold : ndarray of shape (n_rows,)
        Each held-out sample of each split, split by split.
    train_size : list of int
        Number of training samples of each split.
    in_time : bool
        Whether training samples always come before test samples.
    """

    sample: np.ndarray
    fold: np.ndarray
    train_size: list[int]
    in_time: bool


def as_pairs(fold: Any, n_samples: int | None = None) -> SplitPairs | None:
    """Read ``list(cv.split(X, y))``; None where `fold` is something else."""
    if isinstance(fold, (str, np.ndarray, pd.Series, pd.DataFrame, pd.Index)):
        return None
    if not isinstance(fold, Sequence) or not len(fold) or not all(map(_is_pair, fold)):
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
    return isinstance(item, (tuple, list)) and len(item) == 2 and all(map(_are_positions, item))


def _are_positions(side: Any) -> bool:
    if not isinstance(side, (np.ndarray, list, pd.Index, pd.Series)):
        return False
    side = np.asarray(side)
    return side.ndim == 1 and (side.dtype.kind in "iub" or not len(side))


def positions(side: Any) -> np.ndarray:
    """Positions of the samples of one side of a split, given as positions or as a mask."""
    side = np.asarray(side)
    return np.flatnonzero(side) if side.dtype == bool else side.astype(np.int64)


# --- scores per fold -----------------------------------------------------------------------


def settled_fold_scores(fold_scores: Any) -> dict[str, np.ndarray]:
    """Metric name -> float array (n_splits, n_configs), masked scores as NaN."""
    if fold_scores is None:
        return {}
    if not isinstance(fold_scores, Mapping):
        shape = f" of shape {np.shape(fold_scores)}" if isinstance(fold_scores, np.ndarray) else ""
        raise ValueError(
            "fold_scores must map the name of a metric to its scores (n_splits, n_configs), for "
            f"example {{'roc_auc': scores}}, got {_a(type(fold_scores).__name__)}{shape}."
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


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' or noun == 'ndarray' else 'a'} {noun}"


def check_orientation(
    fold_scores: Mapping[str, np.ndarray], n_splits: int | None, n_configs: int | None
) -> None:
    """Raise where scores per fold fit the other way round only.

    `fold_scores` (n_splits, n_configs).
    """
    for name, array in fold_scores.items():
        one, other = array.shape
        fits = n_splits in (None, one) and n_configs in (None, other)
        if not fits and n_splits in (None, other) and n_configs in (None, one):
            raise ValueError(
                f"fold_scores[{name!r}] has shape {array.shape}, expected (n_splits, n_configs) "
                f"= {(other, one)}: it looks transposed. Pass its transpose, scores.T."
            )


# --- predictions ---------------------------------------------------------------------------


def are_probabilities(values: np.ndarray) -> bool:
    """Whether the last axis holds probabilities that sum to 1; rows with NaN do not count."""
    if values.dtype.kind != "f":
        return False
    total = values.sum(axis=-1)
    with np.errstate(invalid="ignore"):
        close = np.abs(total - 1) <= _TOLERANCE
    defined = ~np.isnan(total)
    if not defined.any() or not close[defined].all():
        return False
    return bool(np.nanmin(values) >= 0 and np.nanmax(values) <= 1)


def warn_of_probability_columns(y_pred: Any, classes: np.ndarray | None) -> None:
    """A column per class that sum to 1 are the probabilities of one model, not several models."""
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


def check_order(y_true: Any, y_pred: Any) -> None:
    """Raise where the shapes show that target and predictions are in each other's place."""
    target: tuple[int, ...] = getattr(y_true, "shape", ())
    pred: tuple[int, ...] = getattr(y_pred, "shape", ())
    if len(target) == 2 and target[1] > 1 and pred == target[:1]:
        raise ValueError(
            f"y_true has shape {target} and y_pred {pred}: they seem to be in each other's place. "
            "The target comes first, then the predictions, a column per configuration."
        )


def check_weights(weights: np.ndarray | None) -> None:
    """Weights are numbers, none is negative, and some are positive."""
    if weights is None:
        return
    if weights.dtype.kind not in "fiub":
        raise ValueError(f"sample_weight must hold numbers, got {weights.dtype}.")
    if not ((weights >= 0).all() and weights.any()):
        raise ValueError("sample_weight must not be negative, nor zero everywhere.")


def check_target_shape(y_true: np.ndarray) -> None:
    """Raise for a target of more than two dimensions."""
    if y_true.ndim > 2:
        raise ValueError(
            f"y_true has shape {y_true.shape}, expected (n_samples,) or (n_samples, n_outputs)."
        )


def warn_of(notes: Iterable[str | None]) -> None:
    """Warn once of each note."""
    for note in notes:
        if note is not None:
            warn_user(note, IntervalWarning)


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

    `values` (n_configs, n_rows), `classes` (2,).
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


TARGET = "y"
"""Name of the target as a Series; `fit` can have no metadata of that name."""

_SCALARS = (bool, int, float, str, type(None))


@dataclass(frozen=True)
class Refused:
    """Stand for metadata that cannot be repeated in draws.

    Parameters
    ----------
    why : str
        The reason, to come after its name.
    """

    why: str


def settled(value: Any, n_samples: int) -> Any:
    """Bring metadata to the form in which it is kept."""
    plain = isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray)
    if isinstance(value, np.generic) or (plain and not value.ndim):
        value, plain = value.item(), False
    # scikit-learn takes a text of that length apart.
    cut = isinstance(value, str) and len(value) == n_samples
    if isinstance(value, (*_SCALARS, Refused)) and not cut:
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
    """Whether settled metadata has an entry per sample."""
    return isinstance(value, (np.ndarray, pd.Series, list))


def taken(values: Any, rows: np.ndarray) -> Any:
    """Take entries of an array, a list or a Series, each as often as it is named."""
    return values[rows] if isinstance(values, np.ndarray) else _safe_indexing(values, rows)


def taken_metadata(metadata: Mapping[str, Any], rows: np.ndarray) -> dict[str, Any]:
    """Take some samples, each as often as it is named; what is not per sample stays.

    `rows` (n_taken,).
    """
    if rows.dtype == bool:
        rows = np.flatnonzero(rows)
    return {
        name: taken(value, rows) if is_per_sample(value) else value
        for name, value in metadata.items()
    }


def same_metadata(
    one: Mapping[str, Any], other: Mapping[str, Any], names: Collection[str] | None = None
) -> bool:
    """Whether two sets of metadata are the same, however the target was held."""
    either = (one.keys() | other.keys()) - {TARGET}
    compared = either if names is None else either & set(names) | (one.keys() & other.keys())
    return all(
        name in one and name in other and same(one[name], other[name])
        for name in compared - {TARGET}
    )


def frozen_metadata(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Make a mapping, and the arrays in it, read-only."""
    return MappingProxyType(
        {k: frozen_array(v) if isinstance(v, np.ndarray) else v for k, v in metadata.items()}
    )


def to_file(metadata: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Split metadata into what JSON holds and arrays without Python objects."""
    header: dict[str, Any] = {}
    arrays: dict[str, np.ndarray] = {}
    for name, value in metadata.items():
        try:
            about, parts = _parts(name, value)
            again = _from_parts(name, about, parts)
            objects = any(array.dtype.hasobject for array in parts.values())
            unharmed = _identical(again, value) and not objects
        except (TypeError, ValueError):  # no dtype of that name, for example
            unharmed = False
        if not unharmed:
            why = f"is a {type(value).__name__} of Python objects, which are not saved to files"
            about, parts = {"kind": "refused", "value": why}, {}
        header[name] = about
        arrays |= parts
    return header, arrays


def from_file(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Put together what `to_file` split."""
    return {name: _from_parts(name, about, arrays) for name, about in header.items()}


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


def _from_parts(name: str, about: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Any:
    """Put one value together."""
    kind = about["kind"]
    if kind == "refused":
        return Refused(about["value"])
    if kind == "value":
        return about["value"]
    array = arrays[name]
    if kind == "list":
        return array.tolist()
    if kind == "Series":
        index = pd.Index(arrays[f"{name}:index"]).astype(about["index"])
        return pd.Series(array, index=index, name=about["name"]).astype(about["dtype"])
    return frozen_array(array.astype(about["dtype"]))


def _without_objects(array: np.ndarray) -> np.ndarray:
    """Make an array of numbers or text of an array of objects, where they are of one kind."""
    return np.array(array.tolist()) if array.dtype.hasobject else array


def _identical(one: Any, other: Any) -> bool:
    """Whether a scorer would notice no difference; a number is a number whatever its type."""
    if isinstance(one, pd.Series):
        dtypes = one.dtype == other.dtype and one.index.dtype == other.index.dtype
        alike = one.equals(other) and one.index.equals(other.index) and one.name == other.name
        return bool(dtypes and alike)
    return same(one, other) and getattr(one, "dtype", None) == getattr(other, "dtype", None)


@dataclass(frozen=True, kw_only=True)
class Given:
    """Arguments of `OOFPredictions`."""

    y_true: Any
    y_pred: Any = None
    fold: Any = None
    responses: Mapping[str, Any] | None = None
    sample: Any = None
    repeat: Any = None
    groups: Any = None
    sample_weight: Any = None
    classes: Any = "infer"
    params: Sequence[Any] | None = None
    failed: Any = None
    selected: int | None = None
    selected_by: str = "given"
    train_size: Any = None
    fold_scores: Mapping[str, Any] | None = None
    notes: Sequence[str] = ()
    metadata: Mapping[str, Any] | None = None
    pos_label: Any = None


def fields_of(given: Given) -> dict[str, Any]:
    """Field -> value in the form in which it is kept."""
    given = replace(_named_by_columns(given), groups=one_per_sample(given.groups))
    y_true = _target(given)
    n_samples = len(y_true)
    _check_sources(given)
    check_alignment(
        {
            name: getattr(given, name)
            for name in ("y_true", "y_pred", "fold", "groups", "sample_weight")
        },
        n_samples,
    )
    given = _with_splits_of_pairs(given, n_samples)
    scores = settled_fold_scores(given.fold_scores)
    rows, split_repeat = _rows(given, scores, n_samples)
    classes = _classes(given, rows, y_true)
    pos_label = checked_pos_label(given.pos_label, classes)
    if given.y_pred is not None and pos_label is not None:
        assert classes is not None
        rows.responses = {
            name: scores_of_second_class(array, classes, pos_label)
            for name, array in rows.responses.items()
        }
    rows.responses = settle_responses(rows.responses, classes)
    n_splits = len(split_repeat)
    n_configs = _n_configs(given, rows, scores, n_splits)
    weights = _per("sample_weight", given.sample_weight, n_samples, "sample")
    check_weights(weights)
    groups = _per("groups", given.groups, n_samples, "sample")
    failed = np.zeros(n_configs, dtype=bool) if given.failed is None else given.failed
    straddling = straddling_note(*straddling_groups(groups, rows.sample, rows.fold))
    return {
        "y_true": frozen_array(y_true),
        "responses": _frozen(rows.responses),
        "sample": frozen_array(rows.sample),
        "fold": frozen_array(rows.fold),
        "repeat": frozen_array(rows.repeat),
        "groups": groups,
        "sample_weight": weights,
        "classes_": None if classes is None else frozen_array(classes),
        "params": tuple(given.params) if given.params is not None else (),
        "failed": _per("failed", np.asarray(failed, bool), n_configs, "configuration"),
        "selected": checked_selected(given.selected, n_configs),
        "selected_by": str(given.selected_by),
        "train_size": _per("train_size", given.train_size, n_splits, "split"),
        "fold_scores": _frozen(scores),
        "split_repeat": frozen_array(split_repeat),
        "pos_label": pos_label,
        "notes": without_repetition([*map(str, given.notes), straddling]),
        "metadata": _metadata(given, n_samples),
    }


def _metadata(given: Given, n_samples: int) -> Mapping[str, Any]:
    """Settle the metadata of scorers; refuse what draws cannot repeat."""
    found = {str(k): settled(value, n_samples) for k, value in (given.metadata or {}).items()}
    for name, value in found.items():
        if isinstance(value, Refused) and value is not (given.metadata or {})[name]:
            raise ValueError(f"metadata[{name!r}] {value.why}.")
    return frozen_metadata(found)


def checked_selected(selected: int | None, n_configs: int) -> int | None:
    """Index of a configuration, or None."""
    if selected is None:
        return None
    if not is_integer(selected, 0) or selected >= n_configs:
        raise ValueError(f"selected={selected!r} is not a configuration in 0..{n_configs - 1}.")
    return int(selected)


def _named_by_columns(given: Given) -> Given:
    """The columns of a DataFrame name the configurations."""
    if given.params is not None or not isinstance(given.y_pred, pd.DataFrame):
        return given
    return replace(given, params=[{"configuration": name} for name in given.y_pred.columns])


def _target(given: Given) -> np.ndarray:
    y_true = column_or_table(plain_array(given.y_true, "y_true"))
    check_target_shape(y_true)
    return y_true


def _check_sources(given: Given) -> None:
    if given.responses is not None and not isinstance(given.responses, Mapping):
        raise ValueError(
            "responses must map response methods to arrays, such as {'predict_proba': p}, got "
            f"{got(given.responses)}. Arrays of what the metric consumes go to y_pred."
        )
    check_order(given.y_true, given.y_pred)
    if given.y_pred is not None and given.responses is not None:
        raise ValueError("Give either y_pred or responses, not both.")
    scores = given.fold_scores
    no_scores = scores is None or (isinstance(scores, Mapping) and not scores)
    if given.y_pred is None and not given.responses and no_scores:
        raise ValueError("Give y_pred or responses, or at least fold_scores.")
    if given.y_pred is not None and (given.sample is not None or given.repeat is not None):
        raise ValueError("sample and repeat describe rows of responses, not of y_pred.")


def _with_splits_of_pairs(given: Given, n_samples: int) -> Given:
    """The folds as labels where they are given as pairs of (train, test)."""
    if isinstance(given.fold, Iterator):
        given = replace(given, fold=list(given.fold))
    pairs = as_pairs(given.fold, n_samples)
    if pairs is None:
        return given
    given = replace(
        given,
        train_size=pairs.train_size if given.train_size is None else given.train_size,
        notes=[*given.notes, IN_TIME] if pairs.in_time else given.notes,
    )
    if given.y_pred is None and not given.responses:  # scores alone: no rows to fit to
        return replace(given, fold=pairs.fold, sample=pairs.sample)
    repeat = repeat_of_rows(pairs.sample, pairs.fold, n_samples)
    labels = np.full((int(repeat.max()) + 1, n_samples), -1)
    labels[repeat, pairs.sample] = pairs.fold
    if np.count_nonzero(labels >= 0) < len(pairs.sample) or (
        given.responses and (given.sample is not None or len(labels) > 1)
    ):
        raise ValueError(
            "fold as (train, test) pairs fits predictions with one row per sample (and repeat), "
            "but these splits hold samples out several times. Give `responses` with the `sample` "
            "and the `fold` of each row."
        )
    return replace(given, fold=labels[0] if len(labels) == 1 else labels)


def _rows(
    given: Given, scores: Mapping[str, np.ndarray], n_samples: int
) -> tuple[Rows, np.ndarray]:
    """The rows, and the repeat of each split."""
    if given.y_pred is not None:
        rows = rows_from_rectangle(given.y_pred, given.fold, n_samples)
    else:
        of_splits = not given.responses and (given.fold is None or not np.size(given.fold))
        rows = rows_from_responses(
            given.responses or {},
            given.sample,
            given.fold,
            None if of_splits else given.repeat,
            n_samples,
        )
        if of_splits:
            n_splits = len(next(iter(scores.values())))
            return rows, _repeat_of_splits(given.repeat, n_splits)
    n_splits = int(rows.fold.max()) + 1
    split_repeat = np.zeros(n_splits, dtype=np.int64)
    split_repeat[rows.fold] = rows.repeat
    return rows, split_repeat


def _repeat_of_splits(repeat: Any, n_splits: int) -> np.ndarray:
    """With nothing but scores per fold, `repeat` has a value per split."""
    repeat = np.zeros(n_splits) if repeat is None or not np.size(repeat) else np.asarray(repeat)
    if repeat.shape != (n_splits,):
        raise ValueError(
            f"repeat has shape {repeat.shape}, expected ({n_splits},): one per split, since there "
            "are only fold_scores."
        )
    return np.unique(repeat, return_inverse=True)[1].astype(np.int64)


def _classes(given: Given, rows: Rows, y_true: np.ndarray) -> np.ndarray | None:
    classes = given.classes
    if isinstance(classes, str) and classes == "infer":
        # Labels are recorded as codes, so fractions in "predict" are a regressor's.
        fractions = "predict" in rows.responses and rows.responses["predict"].dtype.kind == "f"
        classes = None if fractions else infer_classes(y_true)
    if classes is None:
        return None
    return check_classes(plain_array(classes, "classes"), y_true)


def _n_configs(given: Given, rows: Rows, scores: Mapping[str, np.ndarray], n_splits: int) -> int:
    """Number of configurations, on which all that was given agrees."""
    from_rows = [array.shape[0] for array in rows.responses.values()]
    lengths = [_length(given.params), _length(given.failed)]
    told = (from_rows + [length for length in lengths if length])[:1]
    check_orientation(
        scores,
        n_splits if len(rows.fold) else _length(given.train_size),
        told[0] if told else None,
    )
    sized = from_rows + [array.shape[1] for array in scores.values()]
    if sized[0] < 1 or len(set(sized)) > 1:
        raise ValueError(f"The number of configurations is not one number >= 1: {sized}.")
    if given.params is not None and len(given.params) not in (0, sized[0]):
        raise ValueError(f"params has {len(given.params)} entries for {sized[0]} configurations.")
    for name, array in scores.items():
        if len(array) != n_splits:
            raise ValueError(
                f"fold_scores[{name!r}] has {len(array)} splits, but the rows have {n_splits}."
            )
    return sized[0]


def _length(values: Any) -> int | None:
    return None if values is None else len(values)


def _per(name: str, values: Any, size: int, what: str) -> np.ndarray | None:
    if values is None:
        return None
    array = plain_array(values, name)
    if array.shape != (size,):
        raise ValueError(f"{name} has shape {array.shape}, expected ({size},): one per {what}.")
    return frozen_array(array)


def _frozen(arrays: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
    return MappingProxyType({name: frozen_array(array) for name, array in arrays.items()})
