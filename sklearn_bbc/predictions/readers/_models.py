"""What the readers of AutoML tools share: predictions of several models for the same samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss

from ..._notes import warned
from ..._tables import EXACT
from ..._text import count, fixed
from ..._utils import got
from .._validation import in_index_order
from ._shared import (
    NAMED_AT_MOST,
    Predictions,
    check_sum_to_one,
    check_whole_file,
    checked_positive,
    event_note,
    numbers_of,
)


def named(names: Iterable[Any]) -> str:
    """List names in a sentence, the first ones of many."""
    known = [str(name) for name in names]
    more = f" and {len(known) - NAMED_AT_MOST} more" if len(known) > NAMED_AT_MOST else ""
    return ", ".join(known[:NAMED_AT_MOST]) + more


def fitted_note(names: Sequence[str]) -> list[str]:
    """Say which models were left out, since they were fitted on the predictions of others."""
    if not names:
        return []
    return [
        "Left out, since the predictions that would score them were used to fit them: "
        f"{named(names)}."
    ]


def lost_note(names: Sequence[str], why: str) -> list[str]:
    """Say, and warn, that models could win in the tool, but have no predictions here."""
    if not names:
        return []
    note = (
        f"Without predictions, so that no draw can select them, although the tool could: "
        f"{named(names)}. {why}"
    )
    return [warned(note)]


STOPPED_EARLY = {
    "AutoGluon": (
        "LightGBM", "XGBoost", "CatBoost", "NeuralNet", "FastAI", "TabM", "RealMLP",
    ),
    "LightAutoML": ("LightGBM", "CatBoost", "NN", "MLP", "XGB"),
    "mljar": ("LightGBM", "Xgboost", "CatBoost"),
}  # fmt: skip
"""What names of models hold that stop by the samples that they then predict, by tool."""


def early_stopping_note(names: Iterable[str], tool: str | None = None) -> list[str]:
    """Say which models, of all of a tool or those named, may have stopped by their samples."""
    names = [n for n in names if tool is None or any(s in n for s in STOPPED_EARLY[tool])]
    if not names:
        return []
    return [
        f"Early stopping is not seen: if {named(names)} stopped by the score on the fold that was "
        "then predicted, these predictions are too good."
    ]


def labels_of(texts: Sequence[Any], *, as_numbers: bool) -> np.ndarray:
    """Return class labels from the texts that name them, numbers where the target had numbers."""
    if as_numbers:
        numbers = pd.to_numeric(pd.Series([str(text) for text in texts]), errors="coerce")
        if numbers.notna().all():
            return numbers.to_numpy()
    return np.asarray([str(text) for text in texts])


class Target(NamedTuple):
    """The target of samples that have one, and where the rows of the predictions are."""

    y: np.ndarray
    kept: np.ndarray
    """Which rows of the given target have a value."""
    row: np.ndarray
    """Row of the predictions for each value of `y`, -1 where there is none."""
    notes: list[str]

    def taken(self, values: np.ndarray) -> np.ndarray:
        """Bring predictions (n_rows[, n_classes]) into the order of the target, NaN for none."""
        found = values[self.row].astype(float)
        found[self.row < 0] = np.nan
        return found

    def kept_of(self, values: Any) -> Any:
        """Take values per sample that belong to the given target; splits stay as they are."""
        if values is None or self.kept.all():
            return values
        if len(values) != len(self.kept):
            raise ValueError(
                f"fold and groups must have a value for each of {count(len(self.kept), 'row')} of "
                f"y, got {len(values)}."
            )
        return np.asarray(values)[self.kept]


def target_by_index(y: Any, index: pd.Index, source: str) -> Target:
    """Find the row of predictions with this `index` for each value of `y`.

    A Series is matched by labels, and may have more rows than there are predictions; arrays by
    position.
    """
    if hasattr(y, "as_data_frame"):
        y = y.as_data_frame()
    if isinstance(y, pd.DataFrame) and y.shape[1] == 1:
        y = y.iloc[:, 0]
    if np.ndim(y) != 1:
        raise ValueError(f"y must have a value for each sample, got {got(y)}.")
    target = y if isinstance(y, pd.Series) else pd.Series(np.asarray(y))
    n_rows = len(index)
    notes: list[str] = []
    row = np.arange(n_rows)
    if len(target) != n_rows:
        by_label = isinstance(y, pd.Series) and index.is_unique and target.index.is_unique
        by_label &= not isinstance(index, pd.RangeIndex)  # of a table whose rows have no labels
        if not by_label or len(target) < n_rows or not index.isin(target.index).all():
            raise ValueError(
                f"y has {count(len(target), 'value')}, but {source} {count(n_rows, 'row')}, got "
                f"{got(y)}: give the target with which the models were fitted, as a Series with "
                "the index of the training data where the tool left out rows."
            )
        row = index.get_indexer(target.index)
    elif isinstance(y, pd.Series):
        where = f"the predictions of {source}"
        found, notes, _ = in_index_order({"y": target, where: pd.Series(row, index)}, n_rows)
        row = found[where].to_numpy()
    kept = target.notna().to_numpy()
    if not kept.all():
        notes = [*notes, f"Without a target, left out: {count(int((~kept).sum()), 'sample')}."]
    return Target(target[kept].to_numpy(), kept, row[kept], notes)


def classes_of_columns(columns: Sequence[Any], y: np.ndarray, source: str) -> np.ndarray:
    """Return the class of each column, of the kind that `y` has.

    Names are texts of the labels; ``p1`` of H2O is that of the number 1.
    """
    labels = {_text_of_label(label): label for label in pd.unique(pd.Series(y))}
    found = []
    for column in columns:
        text = _text_of_label(column)
        found.append(labels.get(text, labels.get(_text_of_label(text.removeprefix("p")), column)))
    absent = [label for label in labels.values() if label not in found]
    if absent or len(set(map(_text_of_label, found))) < len(found):
        raise ValueError(
            f"y has {named(labels)}, but {source} has the columns {named(columns)}: for each "
            "class of y there must be one column with its name."
        )
    numbers = pd.Series(y).dtype.kind in "iufb"
    if numbers and any(isinstance(label, str) for label in found):
        return labels_of([str(each).removeprefix("p") for each in found], as_numbers=True)
    return np.asarray(found)


def _text_of_label(label: Any) -> str:
    """Write a label as files do; 1 and 1.0 are the same."""
    text = str(label)
    return text.removesuffix(".0") if text.removesuffix(".0").lstrip("-").isdigit() else text


def tables_of(source: Any, index_col: int | None = None) -> tuple[dict[str, pd.DataFrame], Any]:
    """Read tables from a mapping of model to table or file, or a folder of CSV files.

    The answer has the leaderboard, too, where the folder has a ``leaderboard.csv``.
    """
    board = None
    if isinstance(source, (str, Path)):
        folder = Path(source)
        if not folder.is_dir():
            raise ValueError(
                f"{folder} {'is no folder' if folder.exists() else 'does not exist'}: give a "
                "folder with a CSV file for each model, and leaderboard.csv."
            )
        files = {file.stem: file for file in sorted(folder.glob("*.csv"))}
        if (file := files.pop("leaderboard", None)) is not None:
            check_whole_file(file)
            board = pd.read_csv(file, **EXACT)
        if not files:
            raise ValueError(f"{folder} has no CSV file of a model's predictions.")
        source = files
    tables = {}
    for name, table in source.items():
        if isinstance(table, (str, Path)):
            check_whole_file(table)
            table = pd.read_csv(table, index_col=index_col, **EXACT)
        elif hasattr(table, "as_data_frame"):
            table = table.as_data_frame()
        tables[str(name)] = table if isinstance(table, pd.DataFrame) else pd.DataFrame(table)
    if not tables:
        raise ValueError("There is no model with out-of-fold predictions.")
    return tables, board


def values_of_tables(
    tables: Mapping[str, pd.DataFrame], y: Any, *, values: bool
) -> tuple[dict[str, np.ndarray], np.ndarray | None, Target]:
    """Bring tables of probabilities by class, or of `values`, into the order of the target."""
    names = list(tables)
    first = tables[names[0]]
    for name, table in tables.items():
        if len(table) != len(first) or not table.index.equals(first.index):
            raise ValueError(
                f"{name} has {count(len(table), 'row')}, {names[0]} {len(first)}, or other labels "
                "of rows: they are not about the same samples. Leave out the one of other data."
            )
        if list(map(str, table)) != list(map(str, first)):
            raise ValueError(
                f"{name} has the columns {named(table)}, {names[0]} {named(first)}: they are not "
                "about the same target. Leave out the one of other data."
            )
    target = target_by_index(y, first.index, names[0])
    found = {
        name: np.column_stack([numbers_of(table[column], name) for column in table])
        for name, table in tables.items()
    }
    if values:
        return {n: target.taken(each[:, 0]) for n, each in found.items()}, None, target
    for name, each in found.items():
        check_sum_to_one(each, name)
    classes = classes_of_columns(list(first), target.y, names[0])
    return {name: target.taken(each) for name, each in found.items()}, classes, target


def decimals_of(scores: Mapping[Any, float], significant: int) -> int:
    """Count the decimals, up to six, in which scores have so many significant digits."""
    largest = max((abs(score) for score in scores.values() if np.isfinite(score)), default=0.0)
    before = np.floor(np.log10(largest)) if largest > 0 else 0
    return int(np.clip(significant - 1 - before, 0, 6))


def pooled_log_loss(y: np.ndarray, p: np.ndarray, weight: Any = None) -> float:
    """Compute the log loss of codes `y` by probabilities (n_rows, n_classes), rounded ones too."""
    p, labels = p / p.sum(axis=1, keepdims=True), np.arange(p.shape[1])
    return log_loss(y, p, sample_weight=weight, labels=labels)


def single_log_loss(y: np.ndarray, p: np.ndarray, weight: Any = None) -> float:
    """Compute it in single precision, by (n_rows, n_classes) or those of the second class."""
    labels = np.arange(2 if p.ndim == 1 else p.shape[1])
    return log_loss(y, p.astype(np.float32), sample_weight=weight, labels=labels)


def by_codes(
    y: np.ndarray, models: Mapping[str, np.ndarray], classes: np.ndarray
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return labels `y` as codes in sorted order, and probabilities by `classes` in that order."""
    order = np.argsort(classes)
    place = {label: k for k, label in enumerate(classes[order])}
    return np.array([place[label] for label in y]), {n: p[:, order] for n, p in models.items()}


def precision_note(
    tool: str, single: Mapping[str, float], double: Mapping[str, float]
) -> list[str]:
    """Say which log losses that a tool computed in single precision are others in double."""
    apart = [
        name for name in single if abs(double[name] - single[name]) > 1e-4 * abs(double[name])
    ]
    if not apart:
        return []
    some = [
        f"{name} {fixed(abs(double[name]), 6)} in double precision, not "
        f"{fixed(abs(single[name]), 6)}"
        for name in apart
    ]
    return [
        f"{tool} computes the log loss in single precision, where a probability of 0 for what "
        f"happened costs less than here: {named(some)}."
    ]


def predictions_of_models(
    cls: type[Predictions],
    y_true: Any,
    models: Mapping[str, np.ndarray],
    classes: np.ndarray | None,
    *,
    fold: Any = None,
    positive: Any = None,
    notes: Sequence[str] = (),
    **more: Any,
) -> Predictions:
    """Make predictions of `models`: name to array (n_rows,), or (n_rows, n_classes) by `classes`.

    A row that no model has is of a sample that was never held out. A model that lacks other rows
    cannot win, which a note says.
    """
    stacked = np.stack([np.asarray(each, dtype=float) for each in models.values()])
    missing = np.isnan(stacked).any(axis=2) if stacked.ndim == 3 else np.isnan(stacked)
    held = ~missing.all(axis=0)
    if not held.any():
        raise ValueError("No model has any out-of-fold prediction: all are missing (NaN).")
    notes = list(notes)
    if not held.all():
        notes.append(f"Never held out: {count(int((~held).sum()), 'sample')} of {len(held)}.")
    partly = [name for name, gaps in zip(models, missing[:, held]) if gaps.any()]
    if len(partly) == len(models):
        raise ValueError(
            f"Each model lacks predictions that others have ({named(partly)}), so none can be "
            "compared with the others. Give only models that predicted the same samples."
        )
    notes += lost_note(partly, "They lack predictions of some samples that others have.")
    if classes is None and positive is not None:
        raise ValueError(f"positive={positive!r} must be one of two classes; these are values.")
    if classes is not None:
        positive = checked_positive(positive, list(classes))
        order = np.argsort(classes, kind="stable")
        classes, stacked = classes[order], stacked[:, :, order]
        if len(classes) == 2:
            stacked = stacked[:, :, 1]
            notes += event_note(list(classes), positive)
    kind = "predict" if classes is None else "predict_proba"
    if fold is not None and isinstance(fold, (np.ndarray, pd.Series)):
        fold = fold[held]
    return cls.from_rows(
        y_true=y_true,
        responses={kind: stacked[:, held]},
        sample=np.flatnonzero(held),
        fold=fold,
        classes=classes,
        pos_label=positive,
        params=[{"configuration": name} for name in models],
        notes=notes,
        **more,
    )
