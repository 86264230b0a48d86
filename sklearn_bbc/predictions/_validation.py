"""Validate the arguments of `OOFPredictions` and bring them to the form in which they are kept."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import _safe_indexing
from sklearn.utils.multiclass import type_of_target

from .._notes import Note
from .._scorers import is_survival_response, record_words, response_words
from .._utils import got, same, suppress_fp_warnings
from .._warnings import warn_user
from ..exceptions import IntervalWarning
from ..results._results import frozen_array

INDEPENDENT = Note(
    "The method takes samples as independent: where they depend on their neighbours in time, the "
    "interval is too narrow. Draw blocks of samples that follow each other: block_length='auto'.",
    "independent",
)
IN_TIME = (
    Note(
        "Every model was trained on samples that come before those it predicts, as in a time "
        "series.",
        "in time",
    ),
    INDEPENDENT,
)
"""Notes on folds that follow each other in time; the second one goes where blocks are drawn."""
METHODS = ("predict", "predict_proba", "decision_function", "plain")


class LacksResponse(ValueError):
    """Error for response methods that nobody recorded."""


def lacks_response(
    what: str, methods: Sequence[str], recorded: Collection[str], advice: str = ""
) -> LacksResponse:
    """Make the error that `what` needs response methods that were not recorded, with advice."""
    names = " and ".join(map(response_words, sorted(recorded)))
    known = f"only {names}" if recorded else "nothing"
    if not advice and methods:
        advice = (
            f"A search keeps it with record={methods[-1]!r}; a finished one takes "
            f"search.record_again(X, y, {methods[-1]!r}, configs='all'), one of another class "
            f"OOFPredictions.from_search(search, X, y, record={methods[-1]!r})."
        )
        if is_survival_response(methods[-1]):
            advice = (
                "A search keeps survival functions at the times that its scorers ask for, and "
                f"with {record_words(methods[-1])}. Of arrays give them as y_pred, for a metric "
                "at these times."
            )
        if "predict_proba" in methods:
            advice += (
                " A classifier without predict_proba has it in a CalibratedClassifierCV. In a "
                "table it is a column of probabilities for each class (caret: classProbs=TRUE)."
            )
    return LacksResponse(
        f"{what} needs {' or '.join(map(response_words, methods))}, but {known} "
        f"{'were' if len(recorded) > 1 else 'was'} recorded. {advice}"
    )


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


STRADDLING = "straddling"
"""Kind of the note on groups that are split between folds."""


def straddling_note(n_straddling: int, n_groups: int) -> str | None:
    """Compose the note on groups that are split between folds; None where no group is."""
    if not n_straddling:
        return None
    which = f"{n_straddling} of {n_groups} groups {'is' if n_straddling == 1 else 'are'}"
    return Note(
        f"{which} split between folds: models were tested on groups of which they had seen other "
        "samples, so scores and intervals tend to lie too high for new groups. Use a splitter "
        "that keeps groups together, such as GroupKFold.",
        STRADDLING,
    )


FEWEST_LABELS = 10
"""Labels of an index, from which on equal targets in all rows of each are no chance."""


def repeated_index_note(
    indexes: Iterable[tuple[str, pd.Index]], target: np.ndarray, groups: np.ndarray | None
) -> str | None:
    """Compose the note on an index whose labels come several times, each with one target.

    `target, groups` (n_samples,); with groups it is known that rows depend on each other.
    """
    if groups is not None or target.ndim != 1:
        return None
    for name, index in indexes:
        if len(index) != len(target) or index.is_unique:
            continue
        codes = pd.factorize(index, use_na_sentinel=False)[0]
        first = np.unique(codes, return_index=True)[1]
        if len(first) >= FEWEST_LABELS and bool((target[first][codes] == target).all()):
            return (
                f"The index of {name} has {len(first):,} different labels for {len(target):,} "
                "samples, each with one target. If rows are repeats of the same samples, "
                "intervals are too narrow: give y_pred of shape (n_repeats, n_samples, "
                "n_configs), or OOFPredictions.from_rows(sample=...). If they are measurements "
                "of the same patients, pass groups."
            )
    return None


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


DATA = ("X", "y", "y_true", "scores")
Order = tuple[str, pd.Index]
"""Name of a pandas object with a row per sample, and its index."""


def in_index_order(
    given: Mapping[str, Any],
    n_samples: int,
    known: Sequence[Order] = (),
    *,
    as_sklearn: bool = False,
) -> tuple[dict[str, Any], list[str], tuple[Order, ...]]:
    """Bring pandas objects with a row per sample into one order; refuse what may be of others.

    Everything that has a value per sample comes through here. The first of `known` and `given`
    with labels gives the order. A plain RangeIndex, which a frame made of an array has as well,
    counts as labels only where two objects have it, the data (see `DATA`) among them.
    `as_sklearn` is for ``fit``, whose `X` and `y` belong together by position: a `y` of other
    labels, and values without labels, are taken so.

    Returns what was given, notes, and all orders for later calls.
    """
    result, notes = dict(given), []
    indexes = {
        name: values.index
        for name, values in given.items()
        if isinstance(values, (pd.Series, pd.DataFrame)) and len(values) == n_samples
    }
    plain = pd.RangeIndex(n_samples)
    everything = [*known, *indexes.items()]
    are_plain = [each for each in everything if each[1].equals(plain)]
    counts = len(are_plain) > 1 and all(i.equals(plain) for name, i in everything if name in DATA)

    def is_bare(index: pd.Index) -> bool:
        return not counts and index.equals(plain)

    named = [each for each in known if not is_bare(each[1])]
    first: list[Order] = []  # of these data, among `given`
    orders = list(known)
    for name, index in indexes.items():
        orders.append((name, index))
        if is_bare(index) or any(index.equals(other) for _, other in [*known, *named]):
            continue
        if not named:
            named.append((name, index))
            first.append((name, index))
            continue
        of, other = next((each for each in named if has_labels_of(index, each[1])), named[0])
        if not has_labels_of(index, other):
            if not as_sklearn or name != "y":
                raise ValueError(_other_labels(name, index, of, other))
            notes.append(
                f"{name} and {of} have different indexes; rows were taken by position, as "
                "everywhere in scikit-learn."
            )
            named.append((name, index))
            continue
        if not (index.is_unique and other.is_unique):
            raise ValueError(
                f"{name} and {of} have the same index in another order, with some labels several "
                "times, so rows cannot be told apart. Pass arrays (.to_numpy()) in one order."
            )
        result[name] = given[name].iloc[index.get_indexer(other)]
        orders[-1] = (name, other)
        notes.append(f"{name} had the index of {of} in another order; rows were taken by label.")
        if other.equals(plain):
            warn_user(
                f"{name} has the index of {of} in another order; its rows are taken by label. If "
                f"they are in the order of {of} already, pass {name}.to_numpy().",
                IntervalWarning,
            )
    # A plain index may be that of an array, or labels: then the same ones must be in its order.
    unknown = [
        (name, named)
        for name, index in indexes.items()
        if is_bare(index) and not any(index.equals(other) for _, other in known)
    ]
    unknown += [(name, first) for name, index in known if is_bare(index)]
    for name, others in unknown:
        matches = [of for of, other in others if has_labels_of(plain, other)]
        if not matches:
            continue
        of = matches[0]
        if not as_sklearn or name == "X":
            names = [each for each, _ in everything]
            one, other_name = sorted((name, of), key=names.index)
            raise ValueError(
                f"{one} and {other_name} have the same index in another order, and that of {name} "
                "may be the plain one of an array. If rows belong together by label pass "
                f"{other_name}.loc[{one}.index], if by position arrays (.to_numpy())."
            )
        notes.append(
            f"{name} has a plain index and {of} the same labels in another order; rows were taken "
            "by position, as everywhere in scikit-learn."
        )
        warn_user(
            f"{notes[-1]} If they belong together by label, pass {name}.loc[{of}.index].",
            IntervalWarning,
        )
    return result, notes, tuple(orders)


def length(values: Any) -> int:
    """Count the samples of what may be no data; 0 where there are none."""
    shape = getattr(values, "shape", None)  # sparse matrices have no length
    if isinstance(shape, tuple) and shape and isinstance(shape[0], int):
        return shape[0]
    return len(values) if hasattr(values, "__len__") else 0


def in_other_order(one: Sequence[Order], other: Sequence[Order]) -> bool:
    """Check whether two sets of indexes hold the same labels, and only in another order.

    Plain ones, which may be those of arrays, say nothing.
    """
    kept = [
        [index for _, index in orders if not index.equals(pd.RangeIndex(len(index)))]
        for orders in (one, other)
    ]
    pairs = [(mine, theirs) for mine in kept[0] for theirs in kept[1]]
    if any(mine.equals(theirs) for mine, theirs in pairs):
        return False
    return any(has_labels_of(mine, theirs) for mine, theirs in pairs)


def names_of_columns(table: Any, name: str) -> list[Any] | None:
    """Return the names of the columns of a table of pandas or polars; None for arrays."""
    if isinstance(table, pd.DataFrame):
        return list(table.columns)
    if type(table).__module__.partition(".")[0] != "polars":
        return None
    if hasattr(table, "collect"):
        raise ValueError(f"{name} is a LazyFrame, which has no values yet: {name}.collect().")
    return list(table.columns) if hasattr(table, "columns") else None


def has_labels_of(index: pd.Index, other: pd.Index) -> bool:
    """Check whether two indexes hold the same labels, in whatever order."""
    return bool(index.isin(other).all() and other.isin(index).all())


def _other_labels(name: str, index: pd.Index, of: str, other: pd.Index) -> str:
    some, some_other = (
        ", ".join(map(str, each[:3])) + ", ..." * (len(each) > 3) for each in (index, other)
    )
    return (
        f"{of} and {name} have different indexes ({some_other} and {some}), so their rows seem to "
        "be about different samples. Pass arrays (.to_numpy()) if the positions are right."
    )


def array_of(values: Any, name: str) -> np.ndarray:
    """Make an array with at least one axis; refuse what is none, and dates."""
    if isinstance(values, (pd.Series, pd.DataFrame, pd.Index)):
        array = values.to_numpy()
    else:
        array = np.asarray(values)
        if array.dtype.kind == "U" and not isinstance(values, np.ndarray):
            array = np.asarray(values, dtype=object)  # as text NaN would be the word
    if array.ndim == 0:
        raise ValueError(f"{name} must be an array, got {got(values)}.{_instead(values)}")
    # Any labels tell groups and folds apart.
    if array.dtype.kind in "OMmV" and name not in ("groups", "fold"):
        check_no_dates(array, name)
    return array


def _instead(values: Any) -> str:
    """Advise what to give instead of a model, named columns, or an object with predictions."""
    if isinstance(values, Mapping):
        return (
            " Make a table of columns by name with pandas.DataFrame(columns), or predictions with "
            "OOFPredictions.from_columns(columns, y), which have the names."
        )
    if hasattr(values, "responses"):
        return " Interval methods take such predictions: BBC().estimate(oof, 'roc_auc')."
    if not hasattr(values, "predict"):
        return ""
    of_search = " Of a fitted BBCSearchCV, search.interval() needs no arrays." * hasattr(
        values, "oof_"
    )
    return (
        " Give the target as y_true and what the model predicts as y_pred, for example "
        f"model.predict_proba(X)[:, 1].{of_search}"
    )


def plain_array(values: Any, name: str) -> np.ndarray:
    """Make an array of numbers or text, from pandas objects too; refuse missing labels."""
    if isinstance(values, np.ma.MaskedArray):
        check_no_mask(values, name)
    array = array_of(values, name)
    fields = [array[field] for field in array.dtype.names or ()]  # of a survival target
    missing = sum(int(pd.isna(each).sum()) for each in fields or [array])
    if missing:
        raise ValueError(
            f"{name} contains {missing} missing value{'s' * (missing > 1)} (NaN or None) among "
            f"{array.size}. Remove these samples, from the predictions too."
        )
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} contains infinite values.")
    return text_or_numbers(array, name) if array.dtype.kind == "O" else array


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
    array = array_of(values, name)
    return text_or_numbers(array, name) if array.dtype.kind == "O" else array


def text_or_numbers(array: np.ndarray, name: str) -> np.ndarray:
    """Convert an array of objects to text or numbers, which are stored without pickle.

    Missing numbers become NaN; missing text cannot be distinguished from text.
    """
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


def check_not_swapped(y_true: Any, y_pred: Any) -> None:
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
    _check_flat(item, "fold", 0)
    sides = [np.asarray(side) for side in item]
    return all(side.ndim == 1 and (side.dtype.kind in "iub" or not len(side)) for side in sides)


def check_splits(splits: Sequence[Any], n_samples: int) -> None:
    """Raise for splits (train, test) of `cv` that are no positions or masks of the samples."""
    for number, split in enumerate(splits):
        if not isinstance(split, (tuple, list, np.ndarray)) or len(split) != 2:
            raise ValueError(
                f"Split {number} of cv must be a pair (train, test) of positions, got "
                f"{got(split)}."
            )
        _check_flat(split, "cv", number)
        for name, side in zip(("train", "test"), split):
            side = np.asarray(side)
            where = f"The {name} side of split {number} of cv"
            if side.ndim != 1 or (len(side) and side.dtype.kind not in "iub"):
                raise ValueError(
                    f"{where} must be an array of positions (integers) or a mask (one boolean per "
                    f"sample), got {_described(side)}."
                )
            if side.dtype == bool and len(side) != n_samples:
                raise ValueError(
                    f"{where} is a mask of {len(side):,} values for {n_samples:,} samples."
                )
            if len(side) and not (-n_samples <= side.min() and side.max() < n_samples):
                worst = side.max() if side.max() >= n_samples else side.min()
                raise ValueError(
                    f"{where} holds position {worst}, but there are {n_samples:,} samples: "
                    "positions are counted from 0."
                )


def _described(side: np.ndarray) -> str:
    return f"shape {side.shape}" if side.ndim != 1 else f"values such as {side.tolist()[0]!r}"


def _check_flat(split: Any, argument: str, number: int) -> None:
    """Raise for a split of which a side is several arrays, with the line that joins them."""
    nested = [
        isinstance(side, (list, tuple, np.ndarray))
        and getattr(side, "ndim", 1) > 0
        and np.ndim(side[0] if len(side) else 0) > 0
        for side in split
    ]
    if any(nested):
        train, test = (
            f"numpy.concatenate({name})" if each else name
            for name, each in zip(("train", "test"), nested)
        )
        name = "train" if nested[0] else "test"
        raise ValueError(
            f"The {name} side of split {number} of {argument} is several arrays "
            f"({len(split[not nested[0]])}), but must be one array of positions. Join them: "
            f"{argument}=[({train}, {test}) for train, test in cv.split(X, y)]."
        )


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
    """Return the positive class as one of the two classes."""
    labels = [] if classes is None else classes.tolist()
    if len(labels) != 2:
        known = f"{len(labels)} ({labels})" if labels else "none"
        raise ValueError(
            f"pos_label={pos_label!r} names one of two classes, but y_true has {known}. Leave it "
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
    return not len(unknown_labels(values, classes, only_one=True))


def unknown_labels(
    values: np.ndarray, classes: np.ndarray, *, only_one: bool = False
) -> np.ndarray:
    """Find the values that are neither among the classes nor missing, (n_unknown,), ascending.

    With `only_one` it is the first that is met. `values` and `classes` are both text, or neither.
    """
    if _between(values, classes):
        return np.empty(0, values.dtype)
    unknown: list[np.ndarray] = []
    few = len(classes) <= _COMPARED and values.dtype.kind != "O"
    for part in blocks_of(values):
        if few:  # a few comparisons are much faster than a search
            known = part == classes[0]
            for label in classes[1:]:
                known |= part == label
        else:
            known = np.isin(part, classes)
        if part.dtype.kind == "f":
            known |= np.isnan(part)
        if not known.all():
            if only_one:
                return part[~known][:1]
            unknown.append(np.unique(part[~known]))
    return np.unique(np.concatenate(unknown)) if unknown else np.empty(0, values.dtype)


_COMPARED = 10
_VALUES_AT_ONCE = 2**16  # values that are looked at together


def _between(values: np.ndarray, classes: np.ndarray) -> bool:
    """Check by the smallest and the largest whole number that all are consecutive classes."""
    if values.dtype.kind not in "iu" or classes.dtype.kind not in "iu" or not values.size:
        return False
    low, high = int(classes[0]), int(classes[-1])
    if high - low != len(classes) - 1:
        return False
    return int(values.min()) >= low and int(values.max()) <= high


def blocks_of(values: np.ndarray) -> Iterator[np.ndarray]:
    """Yield all values in flat blocks, in the order in which they are in memory."""
    whole = values.flags.c_contiguous or values.T.flags.c_contiguous
    for piece in (values,) if whole or values.ndim < 2 else values:
        flat = piece.ravel(order="K")  # without a copy where the values are in one piece
        for start in range(0, len(flat), _VALUES_AT_ONCE):
            yield flat[start : start + _VALUES_AT_ONCE]


def are_whole(values: np.ndarray, *, finite: bool = True) -> bool:
    """Check whether all numbers are whole; with `finite` False, those that are finite."""
    if values.dtype.kind != "f":
        return True
    for part in blocks_of(values):
        whole = part == np.rint(part)
        if not finite:
            whole |= ~np.isfinite(part)
        if not whole.all():
            return False
    return True


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


class OrderedRows(NamedTuple):
    """Rows in the order in which they are kept: by repeat, then by sample."""

    responses: dict[str, np.ndarray]
    sample: np.ndarray
    fold: np.ndarray
    repeat: np.ndarray


def fold_codes(fold: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Encode arbitrary fold labels as 0, 1, ...; -1, as a number or as text, stays -1."""
    check_no_mask(fold, "fold")
    if np.ndim(fold) == 0:
        raise ValueError(
            "fold must hold the number of the fold in which each sample was held out, or be "
            f"list(cv.split(X, y)), got {got(fold)}."
        )
    values = array_of(fold, "fold")
    if values.shape != shape:
        raise ValueError(
            f"fold has shape {values.shape}, but the predictions need {shape}: one fold label per "
            "sample (and repeat)."
        )
    if pd.isna(values).any():
        raise ValueError("fold contains missing labels. Use -1 for samples without a prediction.")
    values = text_or_numbers(values, "fold") if values.dtype.kind == "O" else values
    numbers = values if values.dtype.kind in "iuf" else np.zeros(shape)
    if values.dtype.kind == "U":  # -1 among text, or in a file whose column is text
        texts = pd.Series(values.ravel(), dtype=object)
        numbers = pd.to_numeric(texts, errors="coerce").to_numpy(float).reshape(shape)
    tested = numbers != -1
    if (wrong := numbers[tested & (numbers < 0)]).size:
        raise ValueError(
            f"fold holds {wrong[0]:g}. -1 marks samples that were never held out; give the folds "
            "numbers from 0 on, or names."
        )
    if values.size and not tested.any():
        raise ValueError("fold marks every sample with -1, so there is no prediction to use.")
    codes = np.full(shape, -1, dtype=np.int64)
    codes[tested] = np.unique(values[tested], return_inverse=True)[1]
    return codes


def _split_numbers(repeat: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Number the splits of all repeats: fold 0 of one repeat is not fold 0 of the next."""
    if not len(codes):
        return codes
    split = repeat * (codes.max() + 1) + codes
    number = np.cumsum(np.bincount(split) > 0) - 1  # of the splits that there are, in order
    return number[split]


def rows_from_rectangle(y_pred: Any, fold: Any, n_samples: int) -> OrderedRows:
    """Take the rows of a matrix ``(n_samples, n_configs[, k])`` or a stack of repeats of it."""
    values = predictions_of(y_pred, "y_pred")
    if values.ndim == 1:
        values = values[:, None]
    repeated = len(values) != n_samples if fold is None else np.ndim(fold) == 2
    if not repeated:
        values = values[None]
    if not n_samples:
        raise ValueError("y_true has 0 samples.")
    if values.ndim not in (3, 4) or values.shape[1] != n_samples:
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
    split = repeat if fold is None else _split_numbers(repeat, codes[repeat, sample])
    return OrderedRows({"plain": np.moveaxis(picked, 0, 1)}, sample, split, repeat)


def rows_from_responses(
    responses: Mapping[str, Any], sample: Any, fold: Any, repeat: Any, n_samples: int
) -> OrderedRows:
    """Take the rows as a search records them: responses ``(n_configs, n_rows[, k])``."""
    unknown = sorted(
        name for name in responses if name not in METHODS and not is_survival_response(name)
    )
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
    sample = np.arange(n_rows) if sample is None else _as_sample_numbers(sample)
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
    repeat = np.unique(plain_array(repeat, "repeat"), return_inverse=True)[1]
    if repeat.shape != codes.shape:
        raise ValueError(f"repeat has shape {repeat.shape}, expected {codes.shape}: one per row.")
    splits = _split_numbers(repeat, codes)
    if splits.max(initial=0) > codes.max(initial=0):  # labels are used again in another repeat
        codes = splits
    order = row_order(sample, repeat)
    if (order[1:] < order[:-1]).any():  # else a copy could be gigabytes for nothing
        arrays = {name: array[:, order] for name, array in arrays.items()}
        sample, codes, repeat = sample[order], codes[order], repeat[order]
    return OrderedRows(arrays, sample, codes, repeat)


def _as_sample_numbers(sample: Any) -> np.ndarray:
    """Make an array of positions; refuse fractions and missing ones, which would be cut."""
    values = plain_array(sample, "sample")
    whole = values.astype(np.int64) if values.dtype.kind in "iuf" else None
    if whole is None or (whole != values).any():
        raise ValueError(f"sample must hold the position of each row's sample, got {got(sample)}.")
    return whole


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

TARGET_NAME = "y"
"""Name of the target as a Series; `fit` can have no metadata of that name."""


@dataclass(frozen=True)
class Refused:
    """Placeholder for metadata that draws cannot repeat; `why` comes after its name."""

    why: str


def as_metadata(value: Any, n_samples: int) -> Any:
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


def rows_taken(values: Any, rows: np.ndarray) -> Any:
    """Take entries of an array, a list or a Series, each as often as it is named."""
    return values[rows] if isinstance(values, np.ndarray) else _safe_indexing(values, rows)


def taken_metadata(metadata: Mapping[str, Any], rows: np.ndarray) -> dict[str, Any]:
    """Take samples `rows` (n_taken,), as often as they are named, of what is per sample."""
    if rows.dtype == bool:
        rows = np.flatnonzero(rows)
    return {
        name: rows_taken(value, rows) if is_per_sample(value) else value
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
        for name in compared - {TARGET_NAME}
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
            about, parts = _header_and_arrays(name, value)
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
    metadata: dict[str, Any] = {}
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
        metadata[name] = value
    return metadata


def _header_and_arrays(name: str, value: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
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
