"""Wide tables: a row for each sample, and a column for each configuration or for its classes."""

from __future__ import annotations

import re
import shlex
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..._scorers import scorer_named
from ..._tables import (
    FEW,
    FileTable,
    are_dates,
    check_numbers,
    class_in_names,
    column_of,
    columns_of,
    errors_of_others,
    first_not,
    label_named,
    listing,
    numbers_in,
    tells_classes,
    values_of,
    why_not_models,
    why_not_predictions,
    why_not_samples,
    why_of_predicted_class,
)
from ..._text import count, is_are
from ..._utils import check_flag, explain_arguments, got, path_of
from .._validation import are_labels, fold_codes
from ._clinical import event_of
from ._recognise import table_in
from ._shared import (
    Predictions,
    check_sum_to_one,
    columns_of_classes,
    event_note,
    set_on,
)

FEWEST_OF_CLASS = 3
"""Samples of a class; fewer words among numbers are no class."""


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """What the columns of a wide table are, as the options of the command line say it."""

    target: str
    scoring: Any = None
    predictions: Sequence[str] | None = None
    ignore: Sequence[str] | None = None
    fold: str | None = None
    groups: str | None = None
    sample_weight: str | None = None
    order: str | None = None
    block_length: str | None = None
    pos_label: str | None = None
    rows_are_samples: bool = False


@explain_arguments()
def from_table(
    cls: type[Predictions],
    path: str | Path,
    *,
    target: str,
    predictions: str | Sequence[str] | None = None,
    ignore: str | Sequence[str] | None = None,
    fold: str | None = None,
    groups: str | None = None,
    sample_weight: str | None = None,
    order: str | None = None,
    block_length: int | str | None = None,
    pos_label: Any = None,
    scoring: Any = None,
    rows_are_samples: bool = False,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> Predictions:
    """Make predictions from a file with a row for each sample and a column for each configuration.

    This is what ``python -m sklearn_bbc FILE --target COLUMN`` reads, with the same options.

    Parameters
    ----------
    path : str or Path
        File of text (``.csv``, ``.tsv``, ``.tab``, ``.txt``) or parquet.
    target : str
        Column with the true labels or values.
    predictions : str or list of str, default=None
        Columns with predictions, or patterns such as ``"model_*"``. None takes all columns that
        nothing else names and that do not look like something else; `notes` say which are left
        out. Columns that differ in the class only, such as ``m (a)``, ``prob.a`` or
        ``prediction_a``, are the probabilities of one configuration.
    ignore : str or list of str, default=None
        Columns, or patterns, that are no predictions.
    fold, groups, sample_weight : str, default=None
        Columns with the fold, the group and the weight of each sample.
    order : str, default=None
        Column with the time of each sample, with `block_length`.
    block_length : int, "auto" or None, default=None
        Samples per block, as in `with_blocks`.
    pos_label : label, default=None
        Which of two classes is the event.
    scoring : str, default=None
        The metric, where it decides what numbers are: labels or scores.
    rows_are_samples : bool, default=False
        Whether the rows are samples, though an identifier or repeats say otherwise.
    sep, decimal, encoding : str, default=None
        Of a file of text; None finds them out.

    Returns
    -------
    OOFPredictions
        The predictions; `notes` say what was taken for what.

    Raises
    ------
    ValueError
        If the file cannot be read, a column is missing or no prediction, or rows are not samples.

    See Also
    --------
    OOFPredictions.from_long : A row for each sample and configuration.
    OOFPredictions.from_columns : An array or a file for each configuration.
    """

    if target is None:
        raise ValueError("target must be the name of the column with the true values, got None.")
    check_flag("rows_are_samples", rows_are_samples)
    if scoring is not None and not isinstance(scoring, str) and not callable(scoring):
        raise ValueError(f"scoring must be the name of a metric, or a scorer, got {got(scoring)}.")
    for option, given in (("sep", sep), ("decimal", decimal), ("encoding", encoding)):
        if not isinstance(given, str | None):
            raise ValueError(f"{option} must be a text, or None to find it out, got {got(given)}.")
    labels = [name for name in (fold, groups) if name is not None]
    options = TableOptions(
        target=target, scoring=scoring, predictions=_names_given("predictions", predictions),
        ignore=_names_given("ignore", ignore),
        fold=fold, groups=groups, sample_weight=sample_weight, order=order,
        block_length=None if block_length is None else str(block_length),
        pos_label=None if pos_label is None else str(pos_label), rows_are_samples=rows_are_samples,
    )  # fmt: skip
    try:
        table = table_in(path_of(path), sep=sep, decimal=decimal, encoding=encoding, labels=labels)
        oof, lines = predictions_of_table(cls, options, table)
    except ValueError as error:
        raise ValueError(OPTION.sub(_as_argument, str(error))) from error
    set_on(oof, notes=(*lines[:3], *oof.notes))
    return oof


def _names_given(argument: str, given: str | Sequence[str] | None) -> list[str] | None:
    """Return names of columns, or patterns, as a list."""
    if given is None:
        return None
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, Sequence) or not all(isinstance(each, str) for each in names):
        raise ValueError(
            f"{argument} must be the name of a column, a pattern, or a list of them, got "
            f"{got(given)}."
        )
    return list(names)


OPTION = re.compile(r"--([a-z][a-z-]*)")


def _as_argument(option: re.Match[str]) -> str:
    """Write an option of the command line as the argument of a function."""
    return f"{option[1].replace('-', '_')}="


def predictions_of_table(
    cls: type[Predictions], given: TableOptions, table: FileTable
) -> tuple[Predictions, list[str]]:
    """Make predictions of the columns of a table, and say what was taken for what."""
    values: dict[str, np.ndarray | None] = {}
    taken: dict[str, str] = {}
    for name in ("target", "fold", "groups", "sample_weight", "order"):
        column, option = getattr(given, name), f"--{name.replace('_', '-')}"
        if column is not None:
            _take(taken, [column_of(table, column, option)], option)
        values[name] = None if column is None else values_of(table, column, option)
        if column is not None and _are_numbers(name, values[name]):
            check_numbers(table, column, option, 0 if name == "sample_weight" else -np.inf)
    y_true = values["target"]
    assert y_true is not None
    _check_target(y_true, table, given.target)
    if given.target in table.labels:
        event, said = event_of(table.labels, given.target, y_true, given.pos_label)
        if said and (given.pos_label is not None or event != np.unique(y_true)[1]):
            given = replace(given, pos_label=str(event))
    if not given.rows_are_samples:
        why = why_not_samples(
            table, y_true, given.target, fold=given.fold, groups=given.groups,
            predictions=columns_of(table, given.predictions or (), "--predictions"),
        )  # fmt: skip
        if why is not None:
            raise ValueError(why)
    names, unused = _chosen(given, table, taken, y_true, values["fold"])
    stems = _of_classes(table, names, y_true)
    if stems:
        of_labels = ""
        if given.target in table.labels:
            of_labels = event_of(table.labels, given.target, y_true, given.pos_label)[1]
        return _of_probabilities(cls, given, table, names, stems, values, unused, of_labels)
    y_pred = _matrix(table, names, y_true)
    _check_models(given, table, y_pred, y_true)
    for name in names:
        if how_exactly := tells_classes(y_pred[name], y_true):
            warnings.warn(
                f"Column {name!r} {how_exactly}. If it is a copy of it, or that of which the "
                f"target was made, and no prediction, add --ignore '{name}'.",
                stacklevel=1,
            )
    how = f", {table.how}" if table.how else ""
    lines = [
        f"{table.name}: {count(len(table.frame), 'row')}{how}.",
        _roles(given),
        f"Predictions: {count(len(names), 'column')}, {listing(names)}.",
        *unused,
    ]
    pos_label = None
    if given.pos_label is not None:
        pos_label = label_named(given.pos_label, y_true, "--pos-label", given.target)
    if said := event_of(table.labels, given.target, y_true, pos_label)[1]:
        lines.insert(2, said)
    if pos_label is not None:
        y_true, y_pred, pos_label = _labels_as_text(y_true, y_pred, pos_label, given.scoring)
    y_pred, failed = _without_missing_labels(y_pred, values["fold"])
    oof = cls(
        y_true=y_true, y_pred=y_pred, pos_label=pos_label, fold=values["fold"],
        groups=values["groups"], sample_weight=values["sample_weight"], notes=unused,
        failed=failed,
    )  # fmt: skip
    return oof.with_blocks(block_length_of(given), order=values["order"]), lines


def _of_classes(
    table: FileTable, names: Sequence[str], y_true: np.ndarray
) -> dict[str, dict[Any, str]]:
    """Find configurations with a column of probabilities for each class; there may be none."""
    if y_true.dtype.kind == "f" or len(classes := np.unique(y_true).tolist()) > FEW:
        return {}
    found = columns_of_classes(names, classes)
    numeric = {name: numbers_in(table.frame[name]) is not None for name in names}
    return {
        stem.rstrip(" (._-") or "probabilities": columns
        for (stem, _), columns in found.items()
        if len(classes) > 1 and all(numeric[name] for name in columns.values())
    }


def _of_probabilities(
    cls: type[Predictions],
    given: TableOptions,
    table: FileTable,
    names: Sequence[str],
    stems: Mapping[str, Mapping[Any, str]],
    values: Mapping[str, np.ndarray | None],
    unused: Sequence[str],
    of_event: str,
) -> tuple[Predictions, list[str]]:
    """Make predictions of configurations that have a column for each class."""
    y_true = values["target"]
    assert y_true is not None
    classes = np.unique(y_true)
    arrays = []
    for columns in stems.values():
        parts = [numbers_in(table.frame[columns[label]]) for label in classes.tolist()]
        arrays.append(np.column_stack([part for part in parts if part is not None]).astype(float))
        check_sum_to_one(arrays[-1], f"{table.name}, {listing(list(columns.values()))}")
    used = {name for columns in stems.values() for name in columns.values()}
    rest = [name for name in names if name not in used]
    others = [name for name in rest if not _are_labels_of(table.frame[name], classes)]
    if others:
        raise ValueError(
            f"Of the columns of {table.name}, {listing(sorted(used, key=names.index))} are "
            f"probabilities of classes, and {listing(others)} {is_are(len(others))} not. A metric "
            "takes one kind: name its columns with --predictions."
        )
    if rest:
        unused = [*unused, f"Not used: {listing(rest)} (labels beside probabilities)."]
    positive = None
    if given.pos_label is not None:
        positive = label_named(given.pos_label, y_true, "--pos-label", given.target)
    how = f", {table.how}" if table.how else ""
    lines = [
        f"{table.name}: {count(len(table.frame), 'row')}{how}.",
        _roles(given),
        f"Predictions: {count(len(stems), 'configuration')} ({listing(list(stems))}) with "
        f"probabilities of {len(classes)} classes ({listing(classes.tolist())}).",
        *([of_event] if of_event else event_note(classes.tolist(), positive)),
        *unused,
    ]
    oof = cls.from_rows(
        y_true=y_true, responses={"predict_proba": np.stack(arrays)}, fold=values["fold"],
        params=[{"configuration": name} for name in stems], pos_label=positive,
        groups=values["groups"], sample_weight=values["sample_weight"], notes=lines[3:],
    )  # fmt: skip
    return oof.with_blocks(block_length_of(given), order=values["order"]), lines


def _are_labels_of(column: pd.Series, classes: np.ndarray) -> bool:
    return bool(column.dropna().isin(classes.tolist()).all())


def _roles(given: TableOptions) -> str:
    """Say which columns are no predictions."""
    words = {
        "folds": given.fold, "groups": given.groups, "weights": given.sample_weight,
        "times": given.order,
    }  # fmt: skip
    parts = [
        f"target {given.target!r}",
        *(f"{k} {v!r}" for k, v in words.items() if v is not None),
    ]
    return f"A row is a sample: {', '.join(parts)}."


def _are_numbers(name: str, values: np.ndarray | None) -> bool:
    """Check whether a column must hold numbers: weights, or most of the values are some."""
    if values is None or name in ("fold", "groups"):
        return False
    there = pd.to_numeric(pd.Series(values), errors="coerce").notna()
    return name == "sample_weight" or bool(there.all() or (name == "order" and there.any()))


def block_length_of(given: TableOptions) -> int | str | None:
    """Read the length of blocks."""
    text: str | None = given.block_length
    if text is None and given.order is not None:
        raise ValueError("--order is the order of blocks: give --block-length auto, too.")
    if text in (None, "auto"):
        return text
    if not text.isdecimal() or not int(text):
        raise ValueError(f"--block-length must be a number of samples or auto, got {text!r}.")
    return int(text)


def _chosen(
    given: TableOptions,
    table: FileTable,
    taken: dict[str, str],
    y_true: np.ndarray,
    fold: np.ndarray | None,
) -> tuple[list[str], list[str]]:
    """Choose the columns that are predictions; say which others are not used, and why."""
    ignored = columns_of(table, given.ignore or (), "--ignore")
    _take(taken, ignored, "--ignore")
    if given.predictions is not None:
        asked = columns_of(table, given.predictions, "--predictions")
        names = [name for name in asked if name not in ignored]
        _take(taken, names, "--predictions")
        left_out = [name for name in table.frame if name not in taken]
        hint = ""
    else:
        why = {
            name: why_not_predictions(table.frame[name], y_true, fold)
            for name in table.frame
            if name not in taken
        }
        numbers = {
            name: each
            for name, reason in why.items()
            if reason is None and (each := numbers_in(table.frame[name])) is not None
        }
        why |= errors_of_others(numbers, y_true)
        names = [name for name, reason in why.items() if reason is None]
        left_out = [f"{name} ({reason})" for name, reason in why.items() if reason is not None]
        hint = " Where one is a prediction, name all of them with --predictions."
    unused = [f"Not used: {', '.join(left_out)}."] if left_out else []
    if not names:
        raise ValueError(
            " ".join([f"{table.name} has no column with predictions.", *unused])
            + " Name them with --predictions."
        )
    return names, [f"{each}{hint}" for each in unused]


def _check_target(y_true: np.ndarray, table: FileTable, name: str) -> None:
    """Refuse a target of dates, and one of numbers with a few words among them."""
    if are_dates(table.frame[name]):
        raise ValueError(f"--target: column {name!r} of {table.name} holds dates, not a target.")
    if y_true.dtype.kind != "O":
        return
    words = np.flatnonzero(pd.to_numeric(pd.Series(y_true), errors="coerce").isna())
    if 0 < len(words) < FEWEST_OF_CLASS and len(words) < len(y_true) / 2:
        raise ValueError(
            f"--target: column {name!r} of {table.name} has {y_true[words[0]]!r} in row "
            f"{words[0] + 1} of the data, and numbers nearly everywhere else. Leave such rows out."
        )


def _take(taken: dict[str, str], names: Sequence[str], option: str) -> None:
    """Note by which option columns are named; refuse a column that another one names."""
    for name in names:
        other = taken.setdefault(name, option)
        if other != option:
            raise ValueError(f"Column {name!r} is named by {other} and by {option}.")


def _matrix(table: FileTable, names: list[str], y_true: np.ndarray) -> pd.DataFrame:
    """Make a matrix of numbers, or of labels where the target has labels that are text."""
    columns = {name: numbers_in(table.frame[name]) for name in names}
    texts = [name for name in names if columns[name] is None]
    labels = np.unique(y_true).tolist() if y_true.dtype.kind == "O" else None
    for name in texts:
        found = first_not(table.frame[name], labels)
        if found is None and labels is None:  # text that looks like numbers
            found = next((k, v) for k, v in enumerate(table.frame[name]) if isinstance(v, str))
        if found is not None:
            row, value = found
            what = "a number"
            if labels is not None:
                there = listing(labels) if len(labels) <= FEW else f"such as {labels[0]!r}"
                what = f"a label of the target ({there})"
            comma = isinstance(value, str) and "," in value and labels is None
            raise ValueError(
                f"Column {name!r} of {table.name} has {value!r} in row {row + 1} of the data, "
                f"which is not {what}. If the column is no prediction, add --ignore '{name}'."
                + " If the comma is the decimal sign, add --decimal ,."
                * comma
            )
    if texts and len(texts) < len(names):
        numbers = [name for name in names if columns[name] is not None]
        raise ValueError(
            f"Of the columns of {table.name}, {listing(texts)} hold labels and {listing(numbers)} "
            "numbers. A metric takes one kind: name its columns with --predictions."
        )
    if texts:
        return table.frame[texts].astype(object)
    return pd.DataFrame(columns, copy=False)


def _check_models(
    given: TableOptions, table: FileTable, y_pred: pd.DataFrame, y_true: np.ndarray
) -> None:
    """Refuse columns that are not the predictions of one model each, of the positive class."""
    names, asked = [*y_pred], given.predictions is not None
    positive = np.unique(y_true)[-1]
    if given.pos_label is not None:
        positive = label_named(given.pos_label, y_true, "--pos-label", given.target)
    roles = (given.target, given.fold, given.groups, given.sample_weight, given.order)
    others = [name for name in table.frame if name not in roles]
    if found := why_of_predicted_class(table, names, y_true, positive, others):
        why, sure = found
        if sure:
            raise ValueError(f"{why}.")
        if not asked:
            raise ValueError(
                f"{why}. If they are that, compute those of the positive class. If not, name the "
                "columns with predictions, with --predictions."
            )
        warnings.warn(f"{why}. If they are that, the score is wrong.", stacklevel=1)
    numeric = all(map(pd.api.types.is_numeric_dtype, y_pred.dtypes))
    if not asked and numeric:
        why_not = why_not_models({name: y_pred[name].to_numpy() for name in y_pred}, y_true)
        if why_not is not None:
            raise ValueError(
                f"{why_not}. Name the predictions, of one class only: --predictions COLUMN ..."
            )
    if given.pos_label is None and (label := class_in_names(names, y_true)) is not None:
        raise ValueError(
            f"{listing(names)} {'is' if len(names) == 1 else 'are'} named after class {label!r}, "
            f"but scores are taken to be higher for {np.unique(y_true)[1]!r}, the last one. Add "
            f"--pos-label {shlex.quote(str(label))}, or name the other one, if they are not."
        )


def _without_missing_labels(
    y_pred: pd.DataFrame, fold: np.ndarray | None
) -> tuple[pd.DataFrame, np.ndarray | None]:
    """Fill in missing labels that are text; say which configurations (n_configs,) lack some."""
    missing = y_pred.isna().to_numpy()
    if not missing.any() or all(map(pd.api.types.is_numeric_dtype, y_pred.dtypes)):
        return y_pred, None
    tested = np.ones(len(y_pred), bool) if fold is None else fold_codes(fold, fold.shape) >= 0
    label = next(value for name in y_pred for value in y_pred[name].dropna())
    return y_pred.where(~missing, label), missing[tested].any(axis=0)


def _labels_as_text(
    y_true: np.ndarray, y_pred: pd.DataFrame, pos_label: Any, scoring: str
) -> tuple[np.ndarray, pd.DataFrame, Any]:
    """Write labels that are numbers as text where they could be taken for scores."""
    classes = np.unique(y_true)
    if y_true.dtype.kind == "O" or pos_label == classes[1]:
        return y_true, y_pred, pos_label
    if not are_labels(y_pred.to_numpy(), classes):
        return y_true, y_pred, pos_label
    if getattr(scorer_named(scoring), "_response_method", "") != "predict":
        raise ValueError(
            f"--pos-label {pos_label}: the predictions are labels, but {scoring} needs scores "
            f"that are higher for {pos_label}. Leave --pos-label out to take the labels as scores."
        )
    names = {label: str(label) for label in classes.tolist()}
    texts = y_pred.apply(lambda column: column.map(names))
    return pd.Series(y_true).map(names).to_numpy(dtype=object), texts, names[pos_label]
