"""What users mix up when they hand over arrays, and how it is said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from .._warn import warn_user
from ..exceptions import IntervalWarning
from ._notes import is_in_time

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
    """Rows belong together by position, so pandas objects must name them in the same order.

    Parameters
    ----------
    given : mapping of str to object
        Arguments by name. Those that are not pandas objects, or have another length than the
        samples, have no index to compare.
    n_samples : int
        Number of samples.

    Raises
    ------
    ValueError
        If two indexes hold the same labels in another order, or different labels. A plain
        ``RangeIndex`` from 0 that names other rows is taken as no index.
    """
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
    """Read ``list(cv.split(X, y))``; None where `fold` is something else.

    Parameters
    ----------
    fold : object
        What was given as `fold`.
    n_samples : int, default=None
        Number of samples; None takes it from the positions.
    """
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

    Parameters
    ----------
    fold_scores : mapping of str to ndarray of shape (n_splits, n_configs)
        As given.
    n_splits, n_configs : int or None
        Sizes as far as other arguments tell.
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
