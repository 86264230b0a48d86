"""Predictions of a configuration each: an array, a file, or a function that returns one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..._tables import UNNAMED, numbers_in
from ..._text import count
from ..._utils import explain_arguments, got
from .._validation import array_of, infer_classes, plain_array, scores_of_second_class
from ._recognise import table_in
from ._shared import (
    Predictions,
    check_several_values,
    check_sum_to_one,
    checked_positive,
    codes_of,
    columns_of_classes,
    event_note,
    set_on,
)

ARRAYS = (".npy", ".npz")


@explain_arguments()
def from_columns(
    cls: type[Predictions],
    columns: Mapping[Any, Any],
    y: Any,
    fold: Any = None,
    *,
    positive: Any = None,
) -> Predictions:
    """Make predictions from a column, a file or a function for each configuration.

    They are read one after the other, and only what is kept of them stays in memory.

    Parameters
    ----------
    columns : dict of name to array, path or function
        Out-of-fold predictions of each configuration: labels, values or scores of shape
        (n_samples,), or the probabilities of all classes, (n_samples, n_classes). A Series or
        DataFrame with other labels than a plain range is brought into the order of `y` by its
        index. Of a DataFrame, or a file of text or parquet, columns with names that end in a class
        (``a``, ``prob.a``, ``m (a)``, ``prediction_a``) are its probabilities; else there must be
        one column. A function is called without arguments when its turn comes.
    y : array-like of shape (n_samples,)
        True labels or values.
    fold : array-like of shape (n_samples,), or list of (train, test), default=None
        Fold of each sample, as in `OOFPredictions`.
    positive : label, default=None
        The event, of two classes, which scores in one column are of. None takes the last one in
        sorted order, which a note says.

    Returns
    -------
    OOFPredictions
        A configuration for each entry, in their order.

    Raises
    ------
    ValueError
        If a configuration has another number of samples than `y`, other labels in its index, text
        where numbers are needed, or probabilities that do not sum to one; the message says which
        one and in which row.

    See Also
    --------
    OOFPredictions.from_long : A long table, with a row for each sample and configuration.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc import OOFPredictions
    >>> y = np.array(["no", "yes", "no", "yes"])
    >>> tree = np.array([0.1, 0.8, 0.4, 0.6])
    >>> columns = {"tree": tree, "forest": lambda: np.array([0.2, 0.7, 0.3, 0.9])}
    >>> oof = OOFPredictions.from_columns(columns, y)
    >>> oof.n_samples, oof.params[1]
    (4, {'configuration': 'forest'})
    """
    return predictions_of_columns(cls, columns, y, fold, positive=positive)


def predictions_of_columns(
    cls: type[Predictions],
    columns: Mapping[Any, Any],
    y: Any,
    fold: Any = None,
    *,
    positive: Any = None,
    how: Mapping[str, Any] | None = None,
    **more: Any,
) -> Predictions:
    """Make predictions as `from_columns` does; `how` is for `table_in`, `more` for `from_rows`."""
    if not isinstance(columns, Mapping) or not columns:
        raise ValueError(
            "columns must map the name of each configuration to its predictions, such as "
            f"{{'tree': array, 'forest': 'forest.csv'}}, got {got(columns)}."
        )
    target = plain_array(y, "y")
    if target.ndim != 1 or not len(target):
        raise ValueError(f"y has shape {target.shape}, expected (n_samples,).")
    check_several_values(target, "y")
    index = y.index if isinstance(y, (pd.Series, pd.DataFrame)) else None
    classes = infer_classes(target)
    labels_of_y = [] if classes is None else classes.tolist()
    positive = checked_positive(positive, labels_of_y)
    kept: np.ndarray | None = None
    first: tuple[Any, pd.Index] | None = None
    for number, (name, source) in enumerate(columns.items()):
        values, labels = _values(source, str(name), target, classes, index, how or {})
        if labels is not None:
            first = (name, labels) if first is None else first
            _check_same_labels(*first, name, labels)
        if kept is None:
            kept = np.empty((len(columns), *values.shape), dtype=values.dtype)
        if values.shape != kept.shape[1:] or (values.dtype.kind == "f") != (
            kept.dtype.kind == "f"
        ):
            before = f"{next(iter(columns))!r} has {_kind_of_values(kept[0])}"
            raise ValueError(
                f"Configuration {name!r} has {_kind_of_values(values)}, but {before}. All must be "
                "of one kind."
            )
        kept[number] = values
    assert kept is not None
    method = (
        "predict_proba" if kept.ndim == 3 else "plain" if kept.dtype.kind == "f" else "predict"
    )
    if method == "plain" and positive is not None and classes is not None:
        kept = scores_of_second_class(kept, classes, positive)
    oof = cls.from_rows(
        y_true=y, responses={method: kept}, fold=fold, classes=classes, pos_label=positive,
        params=[{"configuration": name} for name in columns],
        notes=event_note(labels_of_y, positive), **more,
    )  # fmt: skip
    if method == "plain":
        set_on(oof, from_y_pred=True)
    return oof


def _kind_of_values(values: np.ndarray) -> str:
    if values.ndim == 2:
        return f"probabilities of {values.shape[1]} classes"
    return "numbers" if values.dtype.kind == "f" else "labels"


def _check_same_labels(first: Any, expected: pd.Index, name: Any, labels: pd.Index) -> None:
    """Raise where labels of rows, which `y` does not have, are not those of the first table."""
    if labels.equals(expected):
        return
    same = labels.sort_values().equals(expected.sort_values())
    what = "in another order" if same else "other ones"
    raise ValueError(
        f"The rows of configurations {first!r} and {name!r} are labelled differently ({what}). "
        "Give y as a Series with these labels as its index, and rows are brought into its order."
    )


def _values(
    source: Any,
    name: str,
    target: np.ndarray,
    classes: np.ndarray | None,
    index: pd.Index | None,
    how: Mapping[str, Any],
) -> tuple[np.ndarray, pd.Index | None]:
    """Read one configuration: values (n_samples,), probabilities, or codes of labels.

    Also return labels of the rows, where there are some and `y` has none.
    """
    table, where = _source(source, name, how)
    labels = None
    if isinstance(table, (pd.DataFrame, pd.Series)):
        table = table.to_frame() if isinstance(table, pd.Series) else table
        table = _in_order_of_y(_with_index(table, index), where, index)
        if index is None and not _is_plain(table.index):
            labels = table.index
        table = _column_or_classes(table, where, classes)
    return _settled(table, where, target, classes), labels


def _with_index(table: pd.DataFrame, index: pd.Index | None) -> pd.DataFrame:
    """Take the column that was written as an index, or that is named as that of `y`, as one."""
    names = list(table.columns)
    named = None if index is None or index.name is None else index.name
    column = named if named in names else names[0] if UNNAMED.fullmatch(str(names[0])) else None
    if column is None or len(names) == 1 or not _is_plain(table.index):
        return table
    return table.set_index(column)


def _is_plain(index: pd.Index) -> bool:
    """Check for the index that a table has where none is given."""
    return isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1


def _settled(table: Any, where: str, target: np.ndarray, classes: np.ndarray | None) -> np.ndarray:
    """Check the values of one configuration."""
    if isinstance(table, pd.Series):
        numbers = numbers_in(table)
        array = table.astype(object).to_numpy() if numbers is None else numbers
    else:
        array = array_of(table, where)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if len(array) != len(target):
        raise ValueError(
            f"{where} has {count(len(array), 'row')}, but y has {len(target):,}: one prediction "
            "is needed for each sample, NaN where there is none."
        )
    if array.ndim == 2:
        if classes is None or array.shape[1] != len(classes):
            there = "no classes" if classes is None else count(len(classes), "class", "classes")
            raise ValueError(
                f"{where} has {array.shape[1]} columns, but y has {there}. Give one column of "
                "values, or one for each class in sorted order."
            )
        array = array.astype(float)
        check_sum_to_one(array, where)
        return array
    if array.ndim != 1:
        raise ValueError(
            f"{where} has shape {array.shape}, expected (n_samples,) or one per class."
        )
    if array.dtype.kind in "fiub":
        return array.astype(float)
    if classes is None or classes.dtype.kind not in "OUT":
        row = next(k for k, each in enumerate(array.tolist()) if isinstance(each, str))
        raise ValueError(
            f"{where} has {str(array[row])!r} in row {row + 1}, which is not a number."
        )
    return codes_of(pd.Series(array, dtype=object), classes.tolist(), where)


def _source(source: Any, name: str, how: Mapping[str, Any]) -> tuple[Any, str]:
    """Read an array or a table, and name it for messages."""
    where = f"Configuration {name!r}"
    if callable(source):
        source = source()
        where += " (what its function returned)"
    if not isinstance(source, (str, Path)):
        return source, where
    path = Path(source)
    where = f"Configuration {name!r} ({path.name})"
    if path.suffix.lower() not in ARRAYS:
        return table_in(path, one_column=True, **how).frame, where
    if not path.is_file():
        raise FileNotFoundError(f"{where}: there is no file {path}.")
    try:
        found = np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(f"{where} cannot be read: {error}. Write it again.") from error
    if isinstance(found, np.ndarray):
        return found, where
    if len(found.files) != 1:
        raise ValueError(f"{where} has the arrays {', '.join(found.files)}: give one of them.")
    return found[found.files[0]], where


def _in_order_of_y(table: pd.DataFrame, where: str, index: pd.Index | None) -> pd.DataFrame:
    """Bring a table into the order of `y` by the index, where both have one."""
    if index is None or _is_plain(table.index) or table.index.equals(index):
        return table
    if table.index.has_duplicates or index.has_duplicates:
        raise ValueError(f"{where}: the index has labels that occur several times.")
    lacking = index.difference(table.index)
    if len(lacking):
        raise ValueError(
            f"{where} has no row for {count(len(lacking), 'label')} of the index of y, such as "
            f"{lacking.tolist()[0]!r}. It seems to be about other samples."
        )
    if len(table) > len(index):
        raise ValueError(
            f"{where} has {count(len(table) - len(index), 'row')} that y does not have, such as "
            f"{table.index.difference(index).tolist()[0]!r}."
        )
    return table.loc[index]


def _column_or_classes(table: pd.DataFrame, where: str, classes: np.ndarray | None) -> Any:
    """Return the only column, or the probabilities (n_samples, n_classes) where all have one."""
    if len(table.columns) == 1:
        return table.iloc[:, 0]
    found = [] if classes is None else list(columns_of_classes(table, classes.tolist()).values())
    if classes is None or len(found) != 1:
        which = "several" if found else "none"
        raise ValueError(
            f"{where} has the columns {', '.join(map(str, list(table.columns)[:8]))}, of which "
            f"{which} are named after the classes of y. Keep one column, or one for each class."
        )
    parts = [numbers_in(table[found[0][label]]) for label in classes.tolist()]
    wrong = next((k for k, part in enumerate(parts) if part is None), None)
    if wrong is not None:
        column = found[0][classes.tolist()[wrong]]
        raise ValueError(f"{where}: column {column!r} holds text, not probabilities.")
    return np.column_stack(parts)  # type: ignore[arg-type]
