"""Long tables of predictions as known tools write them: which of their columns is what."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from ..._batches import has_levels
from ..._tables import listing
from .._validation import IN_TIME
from ._shared import SUM, columns_of_classes

FOLD_OF_REPEAT = re.compile(r"(?P<fold>.*\S)[._ -](?P<repeat>Rep(?:eat)?\d+)", re.IGNORECASE)
"""Folds that name their repeat, as ``Fold1.Rep2`` of caret."""
TIME_SLICE = re.compile(r"Training\d+")
"""Resamples of caret's ``method="timeslice"``."""


@dataclass
class LongRoles:
    """What the columns of a long table are."""

    sample: str
    target: str
    config: list[str]
    """Columns that tell configurations apart; none where there is one."""
    labels: str | None = None
    """Column of the predicted labels or values."""
    probabilities: Mapping[Any, str] = field(default_factory=dict)
    """Class to its column."""
    fold: str | None = None
    repeat: str | None = None
    positive: Any = None
    why_positive: str = ""
    params: list[str] | None = None
    """Columns with the parameters of a configuration, where they are not `config`."""
    groups: str | None = None
    sample_weight: str | None = None
    tool: str = ""
    frame: pd.DataFrame | None = None
    """The rows to take, where these are not all."""
    notes: list[str] = field(default_factory=list)


def recognised(frame: pd.DataFrame, target: str | None = None) -> LongRoles | None:
    """Find the roles of the columns of a table that a known tool wrote; None for others."""
    names = {*map(str, frame.columns)}
    for needed, roles_of in FORMS:
        if needed <= names:
            return roles_of(frame, target)
    return None


def _caret(frame: pd.DataFrame, target: str | None) -> LongRoles:
    """Read ``model$pred`` of caret: parameters are all columns that have no other role."""
    names, own = list(frame.columns), ["pred", "obs", "rowIndex", "Resample", "weights"]
    levels = _levels(frame["obs"])
    classes = columns_of_classes(names, levels).get(("", ""), {}) if len(levels) > 1 else {}
    classes = _with_absent(frame, classes, own)
    config = [name for name in names if name not in (*own, *classes.values())]
    fold = "Resample" if "Resample" in names else None
    if fold is None:
        notes: list[str] = ["caret scores leave-one-out predictions all at once, as here."]
    else:
        notes = [
            "caret's own scores are means over its resamples; a score of all held-out rows at "
            "once differs a little."
        ]
        if all(TIME_SLICE.fullmatch(str(each)) for each in frame[fold].unique()):
            notes += IN_TIME
    if "weights" in names:
        notes.append("Column 'weights' is left out: every row counts as one.")
    if (
        len(frame[config].drop_duplicates()) == 1
        and config
        and config[0] == names[0] != "parameter"
    ):
        # caret merges the best parameters with all rows, which puts them first.
        only = ", ".join(f"{name}={frame[name].iloc[0]}" for name in config)
        raise ValueError(
            f'This table of caret holds one configuration, {only}, as savePredictions="final" '
            "writes: the winner without the others that were tried, so what its selection adds to "
            'its score cannot be computed. Train with trainControl(savePredictions="all"). If '
            f"nothing else was tried, say so: config={config if len(config) > 1 else config[0]!r}."
        )
    positive, why = _first_level(frame["obs"], levels, classes, "caret's first level")
    return LongRoles(
        "rowIndex", "obs", config, "pred", classes, fold, None, positive, why,
        tool="caret", notes=notes,
    )  # fmt: skip


def _mlr(frame: pd.DataFrame, target: str | None) -> LongRoles:
    """Read predictions of a benchmark or a resampling of mlr, of test rows only."""
    rows, left_out = _held_out(frame, "mlr")
    notes = ["mlr's own scores are means over its iterations.", *left_out]
    if "task.id" in rows and rows["task.id"].nunique() > 1:
        tasks = rows["task.id"].unique().tolist()
        raise ValueError(
            f"This table of mlr has {len(tasks)} tasks, {listing(tasks)}: samples of different "
            f"data. Take one: table[table['task.id'] == {tasks[0]!r}]."
        )
    classes = _of_stem(rows, "prob.", _levels(rows["truth"]))
    positive, why = _first_level(rows["truth"], _levels(rows["truth"]), classes, "mlr's default")
    config = ["learner.id"] if "learner.id" in rows else []
    return LongRoles(
        "id", "truth", config, "response", classes, "iter" if "iter" in rows else None, None,
        positive, why, tool="mlr", frame=rows, notes=notes,
    )  # fmt: skip


def _held_out(frame: pd.DataFrame, tool: str) -> tuple[pd.DataFrame, list[str]]:
    """Take the rows of test samples, where a column ``set`` has others, and say so."""
    if "set" not in frame or (frame["set"] == "test").all():
        return frame, []
    rows = frame[frame["set"] == "test"]
    if rows.empty:
        raise ValueError(f"This table of {tool} has no row with set 'test': nothing is held out.")
    return rows, [f"{len(frame) - len(rows):,} rows of training samples are left out."]


def _mlr3(frame: pd.DataFrame, target: str | None) -> LongRoles:
    """Read predictions of mlr3, joined with columns that name the learner and the iteration."""
    frame, left_out = _held_out(frame, "mlr3")
    names = list(frame.columns)
    levels = _levels(frame["truth"])
    classes = _of_stem(frame, "prob.", levels)
    fold = next(
        (n for n in ("iteration", "iter", "fold", "resampling_iteration") if n in names), None
    )
    known = {"row_ids", "truth", "response", "se", "set", fold, *classes.values()}
    known |= {"task_id", "resampling_id", "weights"}
    config = [name for name in names if name not in known]
    positive, why = _first_level(frame["truth"], levels, classes, "the first of mlr3's columns")
    return LongRoles(
        "row_ids", "truth", config, "response" if "response" in names else None, classes, fold,
        None, positive, why, tool="mlr3", frame=frame,
        notes=["mlr3's own scores are means over its folds.", *left_out],
    )  # fmt: skip


def _tune(frame: pd.DataFrame, target: str | None) -> LongRoles:
    """Read ``collect_predictions()`` of tune; the outcome is a column that differs in a model."""
    names = list(frame.columns)
    config = [name for name in ("wflow_id", ".config") if name in names]
    predicted = [name for name in names if name.startswith(".pred")]
    known = {*predicted, ".row", "id", "id2", ".iter", "preproc", "model", "result", *config}
    rest = [name for name in names if name not in known and not name.startswith(".")]
    by_config = frame.groupby(config, sort=False)
    varies = [name for name in rest if (by_config[name].nunique(dropna=False) > 1).any()]
    if target is None:
        if len(varies) != 1:
            raise ValueError(
                "Which column of this table of tune is the outcome is not clear: "
                f"{listing(varies or rest) or 'none'} may be. Name it with target=."
            )
        (target,) = varies
    levels = _levels(frame[target])
    classes = _of_stem(frame, ".pred_", levels)
    labels = next((name for name in (".pred_class", ".pred") if name in names), None)
    positive, why = _first_level(frame[target], levels, classes, "yardstick's first level")
    repeated = "id2" in names
    return LongRoles(
        ".row", target, config, labels, classes,
        "id2" if repeated else "id" if "id" in names else None, "id" if repeated else None,
        positive, why, params=[n for n in rest if n != target and n not in varies], tool="tune",
        notes=["tune's own scores are means over its resamples."],
    )  # fmt: skip


Form = tuple[set[str], Callable[[pd.DataFrame, Any], LongRoles]]
FORMS: list[Form] = [
    ({"pred", "obs", "rowIndex"}, _caret),
    ({"row_ids", "truth"}, _mlr3),
    ({".row", ".config"}, _tune),
    ({"id", "truth", "response", "iter"}, _mlr),
]
FROM_DOCUMENTATION = ("tune", "mlr3")
"""Tools whose form is taken from their documentation; the others were run."""


def _levels(target: pd.Series) -> list[Any]:
    """List the labels of a target: levels of a factor in their order, else sorted; or none."""
    if has_levels(target):
        there = set(target.dropna().unique())
        return [each for each in target.cat.categories if each in there]
    found = target.dropna().unique().tolist()
    if pd.api.types.is_float_dtype(target.dtype):  # labels that are numbers, beside missing ones
        if not all(each.is_integer() for each in found):
            return []
        found = [int(each) for each in found]
    if len(found) > max(20, len(target) // 2):
        return []
    return sorted(found, key=lambda each: (isinstance(each, str), each))


def _of_stem(frame: pd.DataFrame, stem: str, levels: Sequence[Any]) -> dict[Any, str]:
    """Find the columns of classes; those that no sample has are named by their columns."""
    if not levels:
        return {}
    names = [str(each) for each in frame if str(each).startswith(stem) and each != ".pred_class"]
    found = columns_of_classes(names, levels).get((stem, ""), {})
    if names and not found:
        raise ValueError(
            f"The columns {listing(names)} are not named after the classes {listing(levels)}. "
            "Name each with prediction={class: column}."
        )
    of_column = {column: label for label, column in found.items()}
    return {of_column.get(name, name.removeprefix(stem)): name for name in names}


def _with_absent(
    frame: pd.DataFrame, classes: Mapping[Any, str], own: Sequence[str]
) -> dict[Any, str]:
    """Add columns of classes that no sample has, which stand beside the others in the table."""
    names, found = list(map(str, frame.columns)), dict(classes)
    while found:
        total = frame[list(found.values())].apply(pd.to_numeric, errors="coerce").sum(axis=1)
        if not ((total - 1).abs() > SUM).any():
            break
        places = sorted(map(names.index, found.values()))
        near = [k for k in (*range(places[0], places[-1] + 1), places[-1] + 1, places[0] - 1)
                if 0 <= k < len(names) and k not in places and names[k] not in own]  # fmt: skip
        if not near or not pd.api.types.is_numeric_dtype(frame[names[near[0]]]):
            break
        if not frame[names[near[0]]].between(0, 1).all():
            break
        found[names[near[0]]] = names[near[0]]
    total = frame[list(found.values())].sum(axis=1) if found else None
    whole = total is not None and not ((total - 1).abs() > SUM).any()
    ordered = sorted(found.items(), key=lambda item: names.index(item[1]))
    return dict(ordered) if whole else dict(classes)


def _first_level(
    target: pd.Series, levels: Sequence[Any], classes: Mapping[Any, str], whose: str
) -> tuple[Any, str]:
    """Return the class of the first probability column, or the first level, and the reason."""
    if len(levels) != 2:
        return None, ""
    if has_levels(target):
        return levels[0], whose
    if classes:
        return next(iter(classes)), f"{whose}: its column comes first"
    return levels[0], f"{whose}, which in a file is taken to be the first in sorted order"
