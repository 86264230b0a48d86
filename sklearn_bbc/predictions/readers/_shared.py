"""What readers of other tools have in common: checks of files, and the tool's own score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..._batches import plain
from ..._notes import warned
from ..._text import count, fixed

if TYPE_CHECKING:
    from .._predictions import OOFPredictions as Predictions
else:  # it has the readers as class methods
    Predictions = Any

NAMED_AT_MOST = 5
"""Configurations or classes that a message names."""
SUM = 0.01
"""How far from 1 the probabilities of a sample may sum, since files have them rounded."""


def scores_of(
    metric: Callable[[np.ndarray, np.ndarray], float],
    y_true: np.ndarray,
    predictions: Mapping[str, np.ndarray],
    fold: np.ndarray | None = None,
) -> dict[str, float]:
    """Score each configuration: on all rows at once, or with `fold` the mean over the folds.

    `y_true` (n_rows,), `predictions` of (n_rows[, n_classes]), `fold` (n_rows,). Where tools
    differ in a metric (precision, clipping), `metric` must be the tool's.
    """
    parts = [slice(None)] if fold is None else [fold == each for each in pd.unique(fold)]
    return {
        name: float(np.mean([metric(y_true[part], values[part]) for part in parts]))
        for name, values in predictions.items()
    }


def compare_with_board(
    tool: str,
    metric: str,
    ours: Mapping[str, float],
    theirs: Mapping[str, float],
    *,
    digits: int = 6,
    why: str = "",
) -> list[str]:
    """Say the scores from these predictions beside those of the tool; warn where they differ.

    `tool` names the board ("the leaderboard of mljar"), `metric` what it shows ("logloss"),
    `digits` are the decimals that both must have in common, `why` is a sentence on how known
    differences come about. The answer is a list of notes for `OOFPredictions`.
    """
    both = [name for name in ours if name in theirs and np.isfinite(theirs[name])]
    if not both:
        return [f"There is no score of {tool} with which these predictions could be compared."]
    apart = [name for name in both if not abs(ours[name] - theirs[name]) <= 0.51 * 10.0**-digits]
    notes = []
    if len(apart) < len(both):
        shown = [name for name in both if name not in apart]
        some = ", ".join(f"{name} {fixed(theirs[name], digits)}" for name in shown[:NAMED_AT_MOST])
        more = f" and {len(shown) - NAMED_AT_MOST} more" if len(shown) > NAMED_AT_MOST else ""
        notes.append(
            f"These predictions give the {metric} of {tool}, to {count(digits, 'decimal')}: "
            f"{some}{more}."
        )
    if apart:
        some = "; ".join(
            f"{name} {fixed(theirs[name], digits)} there, {fixed(ours[name], digits)} here"
            for name in apart[:NAMED_AT_MOST]
        )
        more = f"; and {len(apart) - NAMED_AT_MOST} more" if len(apart) > NAMED_AT_MOST else ""
        notes.append(
            f"These predictions do not give the {metric} of {tool}: {some}{more}."
            + (f" {why}" if why else "")
        )
        warned(notes[-1])
    return notes


def check_same_targets(targets: Mapping[str, np.ndarray], advice: str = "") -> None:
    """Raise where two files, by name, have other targets (n_rows,) than the first one."""
    (first, expected), *others = targets.items()
    for name, found in others:
        if len(found) != len(expected):
            raise ValueError(
                f"{name} has {count(len(found), 'row')}, but {first} has {len(expected)}: they "
                f"are not about the same samples. {advice or 'Leave out the one of other data.'}"
            )
        apart = found != expected
        if apart.any():
            row = int(apart.argmax())
            one, other = (
                f"{value:.15g}" if isinstance(value, (float, np.floating)) else str(value)
                for value in (found[row], expected[row])
            )
            raise ValueError(
                f"{name} and {first} have different targets in {count(int(apart.sum()), 'row')}, "
                f"the first in row {row + 1}: {one} and {other}. They are not about the same "
                f"samples. {advice or 'Leave out the one of other data.'}"
            )


def check_sum_to_one(values: np.ndarray, name: str) -> None:
    """Raise where probabilities (n_rows, n_classes) of a row do not sum to one; NaN is missing."""
    with np.errstate(invalid="ignore"):
        apart = np.abs(values.sum(axis=1) - 1) > SUM
        apart |= (values < 0).any(axis=1) | (values > 1).any(axis=1)
    if apart.any():
        row = int(apart.argmax())
        shown = ", ".join(f"{each:.6g}" for each in values[row])
        raise ValueError(
            f"{name}: the probabilities of row {row + 1} are {shown}, which are no "
            f"shares that sum to one ({count(int(apart.sum()), 'such row')}). Leave out columns "
            "that are no probabilities of classes."
        )


def numbers_of(column: pd.Series, name: str) -> np.ndarray:
    """Return a column as floats, NaN where it is missing; raise where it has text."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.to_numpy(dtype=float, na_value=np.nan)
    column = plain(column)
    numbers = pd.to_numeric(column, errors="coerce")
    wrong = (numbers.isna() & column.notna()).to_numpy()
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"{name}: column {column.name!r} has {column.iloc[row]!r} in row {row + 1} of the "
            "data, which is not a number."
        )
    return numbers.to_numpy(dtype=float)


def columns_of_classes(
    names: Iterable[Any], classes: Sequence[Any]
) -> dict[tuple[str, str], dict[Any, str]]:
    """Find columns that differ in the class only, such as ``prob.a``, ``m (a)``, ``prediction_a``.

    The answer maps what comes before and behind the class to the column of each class, where all
    classes have one.
    """
    found: dict[tuple[str, str], dict[Any, str]] = {}
    texts = {str(label): label for label in classes}
    texts |= {str(label).upper(): label for label in classes if isinstance(label, bool)}  # of R
    for name in map(str, names):
        for text, label in texts.items():
            if name == text:
                found.setdefault(("", ""), {})[label] = name
            for start, end in (
                (".", ""),
                ("_", ""),
                ("-", ""),
                (" ", ""),
                (" (", ")"),
                ("(", ")"),
            ):
                if name.endswith(f"{start}{text}{end}"):
                    stem = name[: len(name) - len(f"{start}{text}{end}")] + start
                    found.setdefault((stem, end), {})[label] = name
    return {key: each for key, each in found.items() if len(each) == len(classes)}


def check_whole_file(path: str | Path) -> None:
    """Raise where a text file is empty, or ends within a line, as a half-written one does."""
    path = Path(path)
    size = path.stat().st_size
    if not size:
        raise ValueError(f"{path.name} is empty (0 bytes). Run the tool again, or leave it out.")
    with open(path, "rb") as file:
        file.seek(max(size - 4, 0))
        last = file.read()
    # UTF-16 and UTF-32 have zero bytes in front of the end of line, or behind it.
    if last.rstrip(b"\0")[-1:] not in (b"\n", b"\r"):
        raise ValueError(
            f"{path.name} does not end with an end of line, so it may be written by half, and no "
            "number is computed from half of the data. Write it again. If it is whole, add an "
            "end of line at its end."
        )


def from_models(
    cls: type[Predictions],
    y_true: Any,
    classes: Sequence[Any] | None,
    *,
    labels: Mapping[str, Any] | None = None,
    probabilities: Mapping[str, np.ndarray] | None = None,
    fold: Any = None,
    positive: Any = None,
    notes: Sequence[str] = (),
) -> Predictions:
    """Make predictions of models by name, whose rows are the samples.

    `labels` are (n_samples,), `probabilities` (n_samples, n_classes) in the order of `classes`.
    Of a regression (`classes` None) `labels` are the values.
    """
    names = list(labels or probabilities or ())
    check_several_values(np.asarray(y_true))
    if classes is None:
        assert labels is not None
        values = np.column_stack([np.asarray(labels[name], dtype=float) for name in names])
        params = [{"configuration": name} for name in names]
        if positive is not None:
            raise ValueError(
                f"positive={positive!r} must be one of two classes; these are values."
            )
        return cls(
            y_true=y_true, y_pred=values, fold=fold, params=params, classes=None, notes=notes
        )
    order = sorted(range(len(classes)), key=lambda k: classes[k])
    found = [classes[k] for k in order]
    responses: dict[str, np.ndarray] = {}
    if probabilities:
        for name in names:
            check_sum_to_one(probabilities[name], name)
        responses["predict_proba"] = np.stack([probabilities[name][:, order] for name in names])
    if labels:
        responses["predict"] = np.stack(
            [codes_of(pd.Series(labels[name], dtype=object), found, name) for name in names]
        )
    positive = checked_positive(positive, found)
    notes = [*notes, *event_note(found, positive)]
    kind = object if isinstance(found[0], str) else None
    return cls.from_rows(
        y_true=y_true, responses=responses, fold=fold, classes=np.array(found, dtype=kind),
        pos_label=positive, params=[{"configuration": name} for name in names], notes=notes,
    )  # fmt: skip


def check_several_values(y_true: np.ndarray, name: str = "the target") -> None:
    """Raise where a target (n_samples,) is the same everywhere."""
    if len(y_true) and (y_true == y_true[0]).all():
        raise ValueError(
            f"{name} is {y_true[0]} in every row, so nothing can be scored. Is it the right "
            "column, and the whole file?"
        )


def set_on(oof: Any, **fields: Any) -> None:
    """Set fields of predictions that were just made."""
    for name, value in fields.items():
        object.__setattr__(oof, name, value)


def event_note(classes: Sequence[Any], positive: Any = None, why: str = "") -> list[str]:
    """Say which of two sorted classes is the event, and why; of more classes none is."""
    if len(classes) != 2:
        return []
    if positive is None:
        positive, why = classes[1], "the last label in sorted order"
    return [f"The event is {positive}{f', {why}' if why else ''}."]


def checked_positive(positive: Any, classes: Sequence[Any]) -> Any:
    """Return the label that is named as the event, by its text; None where none is."""
    if positive is None:
        return None
    texts = (str(positive), f"{positive}.0")  # of a label that is a float
    found = next((label for label in classes if str(label) in texts), None)
    if found is None or len(classes) != 2:
        some = ", ".join(map(str, classes[:NAMED_AT_MOST])) + ", ..." * (
            len(classes) > NAMED_AT_MOST
        )
        raise ValueError(
            f"positive={positive!r} must be one of two classes; the target has {some or 'none'}."
        )
    return found


def codes_of(column: pd.Series, classes: Sequence[Any], name: str) -> np.ndarray:
    """Return the place of each label among the classes, -1 where it is missing."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        of_category = pd.Index(classes).get_indexer(column.cat.categories)
        codes = np.append(of_category, -1)[column.cat.codes]
    else:
        codes = pd.Index(classes).get_indexer(column)
    unknown = (codes < 0) & column.notna().to_numpy()
    if unknown.any():
        row = int(unknown.argmax())
        some = ", ".join(map(str, classes[:NAMED_AT_MOST])) + ", ..." * (
            len(classes) > NAMED_AT_MOST
        )
        raise ValueError(
            f"{name} has {column.tolist()[row]!r} in row {row + 1} of the data, which is not a "
            f"label of the target ({some})."
        )
    return codes
