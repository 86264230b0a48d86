"""Predictions that Orange saves: three lines of names and kinds, features in the same table."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..._notes import warned
from ..._tables import EXACT, listing
from ..._text import count, is_are
from ..._utils import explain_arguments, path_of
from ._shared import Predictions, check_whole_file, columns_of_classes, from_models, numbers_of

VALUES = re.compile(r"(?<!\\) ")
"""Between the values of a column in the second line; blanks within a value have a backslash."""


@explain_arguments()
def from_orange(cls: type[Predictions], path: str | Path, *, positive: Any = None) -> Predictions:
    """Read the out-of-fold predictions that Orange saves of a cross-validation.

    That is ``results.get_augmented_data(names).save(path)``, or the output "Predictions" of the
    widget Test and Score in a widget Save Data, as ``.csv`` or ``.tab``.

    Parameters
    ----------
    path : str or Path
        The file. Features in it are left out.
    positive : label, default=None
        Which of two classes is the event. None is the last label in sorted order; a note says it.

    Returns
    -------
    OOFPredictions
        A configuration for each learner, in the order of the file, and the samples likewise.

    Raises
    ------
    ValueError
        If the file is not of that form, has no folds, is empty or written by half, or
        probabilities do not sum to one.

    Warns
    -----
    IntervalWarning
        If rows have the same features and target, as those of random splits do.

    Notes
    -----
    The form is that of Orange 3.40, which writes six digits.
    """
    path = path_of(path)
    if (lines := header_of_orange(path)) is None:
        raise ValueError(
            f"{path.name} is not as Orange saves predictions: below the names there must be a "
            "line of kinds (continuous, or values) and one of roles (class, meta)."
        )
    check_whole_file(path)
    names, kinds, roles = lines
    frame = pd.read_csv(
        path, sep=_separator_in(path), skiprows=[1, 2], na_values=["?"], keep_default_na=False,
        dtype={n: str for n, kind in zip(names, kinds) if kind not in ("continuous", "c")},
        **EXACT,
    ).replace("", np.nan)  # fmt: skip
    frame.columns = pd.Index(names)
    if roles.count("class") != 1:
        raise ValueError(f"{path.name} must have one column with the role class, for the target.")
    target = names[roles.index("class")]
    if "Fold" not in names:
        raise ValueError(
            f"{path.name} has no column Fold, which Orange writes for cross-validation. "
            "Predictions of the training data are not out of fold, and say nothing about new data."
        )
    missing = frame[[target, "Fold"]].isna().any(axis=1)
    if missing.any():
        row = int(missing.to_numpy().argmax())
        raise ValueError(f"{path.name}: row {row + 1} of the data has no {target!r} or no Fold.")
    fold = pd.factorize(frame["Fold"], sort=True)[0]
    absent = [
        each for each in VALUES.split(kinds[names.index("Fold")]) if each not in {*frame["Fold"]}
    ]
    if absent and kinds[names.index("Fold")] not in ("continuous", "c", "discrete", "d"):
        raise ValueError(
            f"{path.name} names the folds {listing(absent)}, of which there is no row: it is "
            "written by half. Save it again."
        )
    metas = [name for name, role in zip(names, roles) if role == "meta" and name != "Fold"]
    features = [name for name, role in zip(names, roles) if role == ""]
    notes = []
    if "weight" in roles:
        notes.append(
            f"Column {names[roles.index('weight')]!r} with the role weight is left out: every row "
            "counts as one."
        )
    if features:
        some = count(len(features), "feature")
        notes.append(f"{some} of {path.name} {is_are(len(features))} left out.")
        n_again = int(frame[[target, *features]].duplicated().sum())
        if n_again:
            notes.append(
                f"{count(n_again, 'row')} of {path.name} have the features and the target of "
                "another one. If they are one sample in several random splits, the interval is "
                "too narrow: use cross-validation."
            )
            warned(notes[-1])
    kind = kinds[names.index(target)]
    if kind in ("continuous", "c"):
        models = [name for name in metas if kinds[names.index(name)] == kind]
        values = {name: numbers_of(frame[name], path.name) for name in models}
        said = _said(path, frame, models, target)
        return from_models(
            cls, numbers_of(frame[target], path.name), None, labels=values, fold=fold,
            positive=positive, notes=[said, *notes],
        )  # fmt: skip
    classes = [each.replace("\\ ", " ") for each in VALUES.split(kind)]
    stems = {
        stem: each
        for (stem, end), each in columns_of_classes(metas, classes).items()
        if end == ")"
    }
    models = [stem.removesuffix(" (") for stem in stems]
    probabilities = {
        stem.removesuffix(" ("): np.column_stack(
            [numbers_of(frame[columns[each]], path.name) for each in classes]
        )
        for stem, columns in stems.items()
    }
    if not models:
        raise ValueError(f"{path.name} has no probabilities, such as 'LEARNER ({classes[0]})'.")
    labels = {name: frame[name] for name in models} if {*models} <= {*metas} else None
    used = {*models, *(each for columns in stems.values() for each in columns.values())}
    if left := [name for name in metas if name not in used]:
        notes.append(f"Not used: {listing(left)}.")
    return from_models(
        cls, frame[target].to_numpy(dtype=object), classes, labels=labels, fold=fold,
        probabilities=probabilities, positive=positive,
        notes=[_said(path, frame, models, target), *notes],
    )  # fmt: skip


def _said(path: Path, frame: pd.DataFrame, models: list[str], target: str) -> str:
    return (
        f"{path.name} of Orange: {count(len(frame), 'sample')}, "
        f"{count(len(models), 'configuration')} ({listing(models)}), target {target!r}, folds by "
        "'Fold'."
    )


def _separator_in(path: Path) -> str:
    return "," if path.suffix.lower() == ".csv" else "\t"


def header_of_orange(path: Path) -> tuple[list[str], list[str], list[str]] | None:
    """Return the names, kinds and roles in the first three lines; None of other files."""
    if path.suffix.lower() not in (".csv", ".tab") or not path.is_file():
        return None
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, delimiter=_separator_in(path))
            lines = [row for row, _ in zip(rows, range(3))]
    except (UnicodeDecodeError, csv.Error):
        return None
    if len(lines) < 3 or len({*map(len, lines)}) > 1:
        return None
    names, kinds, roles = lines
    known = {*roles} <= {"class", "meta", "", "ignore", "weight"} and "class" in roles
    return (names, kinds, roles) if known and all(kinds) else None
