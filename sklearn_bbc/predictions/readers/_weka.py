"""Predictions that Weka prints of a cross-validation, a file for each configuration."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..._notes import warned
from ..._tables import listing
from ..._text import count
from ..._utils import explain_arguments, got, path_of
from ._shared import Predictions, check_same_targets, check_whole_file, from_models

HEADER_OF_WEKA = re.compile(r"\s*inst#[\s,]+actual[\s,]+predicted[\s,]+error")
LABEL = re.compile(r"(\d+):(.*)")
LETTERS_KEPT = 8
"""Letters of a class that Weka 3.6 prints."""


@explain_arguments()
def from_weka(
    cls: type[Predictions],
    paths: Mapping[str, str | Path] | Sequence[str | Path] | str | Path,
    *,
    positive: Any = None,
) -> Predictions:
    """Read the out-of-fold predictions that Weka writes, a file for each configuration.

    That is what ``-x 5 -s 1 -classifications "weka...CSV -p 1"`` prints, or ``-p 1`` of Weka 3.6,
    as it stands or without the lines around it. With ``-distribution`` probabilities have all
    classes. Let the attribute behind ``-p`` be one that tells rows apart.

    Parameters
    ----------
    paths : dict of str to path, list of paths, or path
        Name of a configuration to its file; the files of a list are named by their stems.
    positive : label, default=None
        Which of two classes is the event. None is the last label in sorted order; a note says it.

    Returns
    -------
    OOFPredictions
        The samples are in the order of the attribute that tells them apart, else of the file.

    Raises
    ------
    ValueError
        If a file is not of that form, is empty or written by half, or two files are about
        different samples.

    Notes
    -----
    The probability that Weka prints is that of the class that it predicts. ``inst#`` begins anew
    in each fold, which is how folds are known. Forms are those of Weka 3.6.14 and 3.9.
    """
    if isinstance(paths, (str, Path)):
        paths = [paths]
    if not isinstance(paths, Mapping):
        if not isinstance(paths, Sequence) or not paths:
            raise ValueError(
                f"paths must be files of Weka, or a dict of names to them, got {got(paths)}."
            )
        named = [path_of(path).stem for path in paths]
        if len({*named}) < len(named):
            raise ValueError(
                f"Two of the files have the same name, {listing(named)}: pass a dict."
            )
        paths = dict(zip(named, paths))
    runs = {str(name): _run_in(path_of(path)) for name, path in paths.items()}
    first = next(iter(runs.values()))
    ids, notes = _runs_in_order(runs)
    check_same_targets({run.file: run.target for run in runs.values()})
    folds = all(np.array_equal(run.fold, first.fold) for run in runs.values())
    if not folds:
        notes.append(
            "The files have different folds, so folds are not taken: predictions are compared by "
            "sample."
        )
    said = (
        f"{listing([run.file for run in runs.values()])} of Weka: "
        f"{count(len(first.target), 'sample')}{f' by {ids!r}' if ids else ''}, "
        f"{count(len(runs), 'configuration')}, target 'actual'"
        + (", folds where inst# begins anew." if folds else ", no folds.")
    )
    fold = first.fold if folds else None
    if first.classes is None:
        values = {name: run.predicted for name, run in runs.items()}
        return from_models(
            cls, first.target, None, labels=values, fold=fold, positive=positive,
            notes=[said, *notes],
        )  # fmt: skip
    numbers = {**first.classes}
    for run in runs.values():
        for number, label in (run.classes or {}).items():
            if numbers.setdefault(number, label) != label:
                raise ValueError(
                    f"{run.file} has {number}:{label}, and another file {number}:"
                    f"{numbers[number]}: the classes are in another order. Write the predictions "
                    "of all configurations from one file of data."
                )
    probabilities = {name: _probabilities(run, numbers) for name, run in runs.items()}
    whole = {name: each for name, each in probabilities.items() if each is not None}
    if len(whole) < len(runs):
        notes.append("Not all files have probabilities of all classes, so labels are taken alone.")
    if any(len(label) == LETTERS_KEPT for label in numbers.values()) and first.is_old:
        notes.append(f"This version of Weka cuts names of classes to {LETTERS_KEPT} letters.")
    return from_models(
        cls, first.target, [numbers[k] for k in sorted(numbers)],
        labels={name: run.predicted for name, run in runs.items()},
        probabilities=whole if len(whole) == len(runs) else None,
        fold=fold, positive=positive, notes=[said, *notes],
    )  # fmt: skip


@dataclass
class _Run:
    file: str
    frame: pd.DataFrame
    """Attributes that were printed, (n_samples, n_attributes)."""
    target: np.ndarray
    predicted: np.ndarray
    fold: np.ndarray
    classes: dict[int, str] | None
    """Number of a class to its name, of those that occur; None for a regression."""
    shares: np.ndarray | None
    """The probability of the predicted class, or of all."""
    is_old: bool

    def take(self, order: np.ndarray) -> None:
        """Bring the rows into an order."""
        self.frame = self.frame.iloc[order].reset_index(drop=True)
        self.target, self.predicted = self.target[order], self.predicted[order]
        self.fold = self.fold[order]
        self.shares = None if self.shares is None else self.shares[order]


def is_weka(path: Path) -> bool:
    """Check whether a file begins with what Weka prints."""
    if not path.is_file():
        return False
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [line for line, _ in zip(file, range(200))]
    return any(HEADER_OF_WEKA.match(line) for line in lines)


def _run_in(path: Path) -> _Run:
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    check_whole_file(path)
    lines = path.read_text(encoding="utf-8-sig").split("\n")
    start = next((k for k, line in enumerate(lines) if HEADER_OF_WEKA.match(line)), None)
    if start is None:
        raise ValueError(
            f"{path.name} has no line 'inst#,actual,predicted,error,...', with which predictions "
            "of Weka begin."
        )
    is_old = "," not in lines[start]
    header = _of_old_header(lines[start]) if is_old else next(csv.reader([lines[start]]))
    rows: list[list[str]] = []
    for number, line in enumerate(lines[start + 1 :], start + 2):
        if not line.strip() or line.startswith("==="):
            if rows and any(each.strip() for each in lines[number - 1 :]):
                rest = [each for each in lines[number - 1 :] if HEADER_OF_WEKA.match(each)]
                if rest:
                    raise ValueError(
                        f"{path.name} has predictions of several runs: give each a file."
                    )
            if rows:
                break
            continue
        row = _of_old_line(line) if is_old else next(csv.reader([line]))
        if len(row) != len(header):
            raise ValueError(
                f"{path.name}: line {number} has {count(len(row), 'value')} for {len(header)} "
                "names. It may be written by half: write it again."
            )
        rows.append(row)
    if not rows:
        raise ValueError(f"{path.name} has no row of predictions.")
    return _run(path.name, header, rows, is_old)


def _of_old_header(line: str) -> list[str]:
    names = line.split()
    attributes = names.pop().strip("()").split(",") if names[-1].startswith("(") else []
    return [*names[:4], names[4] if len(names) > 4 else "", *attributes]


def _of_old_line(line: str) -> list[str]:
    """Split a line of Weka 3.6; what is behind the probabilities is in brackets."""
    line, _, attributes = line.partition("(") if line.rstrip().endswith(")") else (line, "", "")
    words = line.split()
    error = words.pop(3) if len(words) > 3 and words[3] == "+" else ""
    shares = words[3] if len(words) > 3 else ""
    found = [*words[:3], error, shares]
    return [*found, *attributes.rstrip().removesuffix(")").split(",")] if attributes else found


def _run(file: str, header: list[str], rows: list[list[str]], is_old: bool) -> _Run:
    columns = dict(zip(range(len(header)), map(list, zip(*rows))))
    place = {name: k for k, name in enumerate(header)}
    inst = columns[place["inst#"]]
    wrong = next((k for k, each in enumerate(inst) if not each.strip().isdecimal()), None)
    if wrong is not None:
        raise ValueError(f"{file}: {inst[wrong]!r} in row {wrong + 1} of the data is no inst#.")
    number = np.array([int(each) for each in inst])
    fold = np.cumsum(number == 1) - 1
    expected = (
        np.concatenate([np.arange(1, n + 1) for n in np.bincount(fold) if n])
        if number[0] == 1
        else None
    )
    if expected is None or len(expected) != len(number) or (expected != number).any():
        raise ValueError(
            f"{file}: inst# does not count from 1 in each fold, so rows are missing or were "
            "sorted. Write the predictions again, and leave them in their order."
        )
    sizes = np.bincount(fold)
    if np.ptp(sizes) > 1:
        raise ValueError(
            f"{file}: the folds have {sizes.min():,} to {sizes.max():,} rows, but those of Weka "
            "differ by 1 at most. It is written by half: write it again."
        )
    actual, predicted = columns[place["actual"]], columns[place["predicted"]]
    parts = [[LABEL.fullmatch(each.strip()) for each in side] for side in (actual, predicted)]
    end = place["error"] + 1
    if all(map(all, parts)):
        classes = {int(m[1]): m[2] for side in parts for m in side if m}
        if len({*classes.values()}) < len(classes):  # cut to the same letters
            classes = {k: f"{k}:{name}" for k, name in classes.items()}
        target, labels = (np.array([classes[int(m[1])] for m in s if m], object) for s in parts)
        n_shares = 0
        if is_old or (len(header) > end and header[end] in ("prediction", "distribution")):
            n_shares = 1
            while end + n_shares < len(header) and header[end + n_shares] == "":
                n_shares += 1
        texts = [columns[end + k] for k in range(n_shares)]
        if is_old and texts:
            texts = list(map(list, zip(*(each.split(",") for each in texts[0]))))
        shares = np.array(
            [[_number_in(v, file, r) for v in row] for r, row in enumerate(zip(*texts))]
        )
        rest = range(end + n_shares, len(header))
        frame = pd.DataFrame({header[k]: columns[k] for k in rest})
        return _Run(
            file, frame, target, labels, fold, classes, shares if n_shares else None, is_old
        )
    if any(any(side) for side in parts):
        row = next(k for k in range(len(actual)) if not (parts[0][k] and parts[1][k]))
        raise ValueError(
            f"{file}: row {row + 1} of the data has {actual[row]!r} and {predicted[row]!r}, which "
            "are not both classes such as '1:yes'."
        )
    frame = pd.DataFrame({header[k]: columns[k] for k in range(end, len(header)) if header[k]})
    values = [
        np.array([_number_in(v, file, r) for r, v in enumerate(s)]) for s in (actual, predicted)
    ]
    return _Run(file, frame, values[0], values[1], fold, None, None, is_old)


def _number_in(text: str, file: str, row: int) -> float:
    """Read a number, of which that of the predicted class has a star."""
    try:
        return np.nan if text.strip() == "?" else float(text.strip().lstrip("*"))
    except ValueError:
        raise ValueError(
            f"{file}: {text!r} in row {row + 1} of the data is not a number."
        ) from None


def _probabilities(run: _Run, numbers: Mapping[int, str]) -> np.ndarray | None:
    """Return the probabilities (n_samples, n_classes) of all classes, where they are known.

    A class that no row has leaves a gap in the numbers, or the predicted one of two below 0.5;
    then the others do not sum to one.
    """
    n_classes = len(numbers)
    if run.shares is None or run.classes is None or max(numbers) > n_classes:
        return None
    if run.shares.shape[1] == n_classes > 1:
        return run.shares
    if n_classes != 2 or run.shares.shape[1] != 1 or (run.shares < 0.5).any():
        return None
    second = run.predicted == numbers[2]
    share = np.where(second, run.shares[:, 0], 1 - run.shares[:, 0])
    return np.column_stack([1 - share, share])


def _gaps(key: pd.Series, name: str) -> list[str]:
    """Note that numbers which count samples from 1, or 0, leave some out."""
    numbers = pd.to_numeric(key, errors="coerce").to_numpy()
    if not (numbers == np.rint(numbers)).all() or numbers.min() not in (0, 1):
        return []
    n_gaps = int(numbers.max() - numbers.min()) + 1 - len(numbers)
    if not n_gaps:
        return []
    note = (
        f"{name!r} goes from {numbers.min():g} to {numbers.max():g}, but {n_gaps:,} of these "
        "numbers have no row. If it counts the samples, the file is written by half: write it "
        "again."
    )
    return [warned(note)]


def _runs_in_order(runs: Mapping[str, _Run]) -> tuple[str | None, list[str]]:
    """Bring all runs into the order of an attribute that tells samples apart; return its name."""
    first = next(iter(runs.values()))
    common = [n for n in first.frame if all(n in run.frame for run in runs.values())]
    for name in common:
        keys = [run.frame[name] for run in runs.values()]
        if all(key.nunique() == len(key) for key in keys):
            if any({*key} != {*keys[0]} for key in keys):
                continue
            for run, key in zip(runs.values(), keys):
                numbers = pd.to_numeric(key, errors="coerce")
                run.take(
                    np.argsort(
                        (key if numbers.isna().any() else numbers).to_numpy(), kind="stable"
                    )
                )
            return name, _gaps(keys[0], name)
    if len(runs) > 1:
        return None, [
            "No attribute tells the samples apart, so rows are taken in the order of the files, "
            "which is the same where data, folds (-x) and seed (-s) are."
        ]
    return None, []
