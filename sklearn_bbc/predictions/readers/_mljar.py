"""Read the folder of a run of mljar-supervised: a table of predictions for each model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import spearmanr
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    f1_score,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    r2_score,
    roc_auc_score,
    root_mean_squared_error,
)

from ..._notes import warned
from ..._tables import EXACT
from ..._text import count
from ..._utils import path_of
from ._models import (
    decimals_of,
    early_stopping_note,
    fitted_note,
    labels_of,
    lost_note,
    named,
    pooled_log_loss,
    precision_note,
    predictions_of_models,
    single_log_loss,
)
from ._shared import (
    Predictions,
    check_same_targets,
    check_sum_to_one,
    check_whole_file,
    compare_with_board,
    numbers_of,
    scores_of,
)

TABLE = "predictions_out_of_folds.csv"
BOARD_OF_MLJAR = "the leaderboard of mljar"
PLANNED_BY_RESULTS = (
    "mljar may have chosen models by looking at the scores of earlier ones; the method assumes "
    "that they are fixed beforehand, so some optimism may remain."
)
REPEATS_OF_MLJAR = (
    "mljar averaged the predictions of {} for a sample, so each is of several models together, "
    "which are usually better than one. Their folds are not taken, and scores of single repeats "
    "are not known."
)
COPIED = (
    "mljar copied {} of classes with fewer than 20 before it made the folds, so copies of a "
    "held-out sample may have been in the training data: these predictions, and the leaderboard, "
    "may be much too good. The copies are left out here."
)


class _Table(NamedTuple):
    """Targets as codes or values, predictions (n_rows[, n_classes]), classes, and weights."""

    target: np.ndarray
    predictions: np.ndarray
    classes: np.ndarray | None
    weight: np.ndarray | None


def from_mljar(
    cls: type[Predictions], folder: str | Path, *, positive: Any = None, groups: Any = None
) -> Predictions:
    """Read the out-of-fold predictions in the folder of a run of mljar-supervised.

    Read with mljar-supervised 1.3.2; it need not be installed.

    Parameters
    ----------
    folder : str or Path
        ``results_path`` of ``AutoML``, which holds ``params.json`` and a folder for each model.
    positive : label, default=None
        The event, of two classes. None takes the last one in sorted order, which a note says.
    groups : array-like of shape (n_samples,), default=None
        Samples of one group depend on each other, in the order of the rows that ``fit`` was given
        with a target.

    Returns
    -------
    OOFPredictions
        A configuration for each model, with its folds. Ensembles, stacked models
        and models with boosted errors are left out, since the predictions that score them were
        used to fit them. Notes say what was left out, and whether these predictions have the
        scores of the leaderboard.

    Raises
    ------
    ValueError
        If the folder is no run of mljar, a file of it is empty or not complete, or tables of two
        models have other samples.

    Warns
    -----
    IntervalWarning
        If the scores are not those of the leaderboard, a model that could win has no predictions,
        or mljar copied samples of small classes, so that copies are in several folds.

    Examples
    --------
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import BBC
    >>> oof = OOFPredictions.from_mljar("AutoML_1")  # doctest: +SKIP
    >>> BBC(random_state=0).estimate(oof, "neg_log_loss")  # doctest: +SKIP
    """
    path = path_of(folder, "folder", "folder")
    settings = _settings_of_run(path)
    board = _board_of_mljar(path)
    found = _names_of_models(path)
    names = [name for name in board.index if name in found] if len(board) else []
    names += [name for name in found if name not in names]
    fitted = [n for n in names if _is_of_others(path, n)]
    unread = [n for n in board.index if n not in found and not n.startswith("Ensemble")]
    fitted += [n for n in board.index if n not in found and n.startswith("Ensemble")]
    names = [n for n in names if n not in fitted and "RandomFeature" not in n]
    if not names:
        raise ValueError(
            f"{path} has no model with a file {TABLE} that could be scored: found {_inside(path)}."
        )
    numeric = bool(_json(path / "data_info.json").get("target_is_numeric"))
    task = str(settings.get("ml_task", ""))
    tables = {name: _table_of_model(path / name / TABLE, name, task, numeric) for name in names}
    first = tables[names[0]]
    # What scaled the target of a regression, and back, changed last digits.
    same = {n: _as_first(each.target, first.target) for n, each in tables.items()}
    check_same_targets({f"{name}/{TABLE}": target for name, target in same.items()})
    for name, each in tables.items():
        if _classes_of_table(each) != _classes_of_table(first):
            raise ValueError(
                f"{name}/{TABLE} has the classes {each.classes}, {names[0]}/{TABLE} "
                f"{first.classes}: they are of different runs. Leave out the other run."
            )
    predictions = {name: each.predictions for name, each in tables.items()}
    metric = str(settings.get("eval_metric", ""))
    notes = _beside_mljar(metric, first, predictions, board)
    notes += fitted_note(fitted)
    notes += lost_note(unread, f"They have no {TABLE}.")
    if str(settings.get("fit_level", "finished")) != "finished":
        notes.append("The run of mljar had not ended: models that it had planned are missing.")
    if settings.get("hill_climbing_steps") or settings.get("features_selection"):
        notes.append(PLANNED_BY_RESULTS)
    notes += early_stopping_note(names, "mljar")
    rows, fold, more = _rows_held_out(path, len(first.target))
    notes += more
    n_original = _json(path / "data_info.json").get("rows", np.inf)
    kept = rows < n_original if first.classes is not None else np.ones(len(rows), dtype=bool)
    if not kept.all():
        notes.append(COPIED.format(count(int((~kept).sum()), "sample")))
        warned(notes[-1])
    if kept.sum() < n_original < np.inf:
        notes.append(
            f"mljar held out {kept.sum():,} of {count(int(n_original), 'sample')}; the others are "
            "not known here."
        )
    target = first.target[kept]
    if np.ndim(groups) == 1 and rows.max() < len(groups) > kept.sum():
        groups = np.asarray(groups)[rows[kept]]  # of rows that were not held out, too
    return predictions_of_models(
        cls,
        target if first.classes is None else first.classes[target],
        {name: each[kept] for name, each in predictions.items()},
        first.classes,
        fold=None if fold is None else fold[kept],
        positive=positive,
        notes=notes,
        groups=groups,
        sample_weight=None if first.weight is None else first.weight[kept],
    )


def _classes_of_table(table: _Table) -> list[Any]:
    return [] if table.classes is None else table.classes.tolist()


def _inside(path: Path) -> str:
    return named(sorted(each.name for each in path.iterdir())) or "nothing"


def _as_first(target: np.ndarray, first: np.ndarray) -> np.ndarray:
    close = target.shape == first.shape and np.allclose(target, first, rtol=1e-9, atol=1e-12)
    return first if close else target


def _json(path: Path) -> Mapping[str, Any]:
    if not path.exists():
        return {}
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(
            f"{path} is no complete JSON file ({error}), so the run may have been copied or "
            "written by half. Copy the folder again."
        ) from None
    return read if isinstance(read, dict) else {}


def _settings_of_run(path: Path) -> Mapping[str, Any]:
    """Read the settings of the run, or say what the folder is instead."""
    if not path.is_dir():
        raise ValueError(
            f"folder must be results_path of a run of mljar-supervised, got {str(path)!r}, which "
            f"{'is a file' if path.exists() else 'does not exist'}."
        )
    if (path / "params.json").exists():
        return _json(path / "params.json")
    runs = sorted(each.parent.name for each in path.glob("*/params.json"))
    if runs:
        what = f"holds several runs, give one of them: {named(runs)}"
    elif (path / TABLE).exists():
        what = f"is the folder of one model, give the one above: {path.resolve().parent}"
    else:
        what = f"has no params.json, found {_inside(path)}"
    raise ValueError(f"folder must be results_path of a run of mljar-supervised: {path} {what}.")


def _board_of_mljar(path: Path) -> pd.Series:
    """Read the leaderboard: model to score; empty where there is none."""
    file = path / "leaderboard.csv"
    if not file.exists():
        return pd.Series(dtype=float)
    check_whole_file(file)
    table = pd.read_csv(file, dtype={"name": str}, **EXACT)
    if not {"name", "metric_value"} <= set(table):
        raise ValueError(
            f"{file} has the columns {named(table)}, expected name and metric_value as of "
            "mljar-supervised 1.3.2."
        )
    return table.set_index("name")["metric_value"].astype(float)


def _names_of_models(path: Path) -> list[str]:
    """Name the folders that hold out-of-fold predictions, in the order of their numbers."""

    def key(name: str) -> tuple[int, str]:
        number = name.partition("_")[0]
        return (int(number) if number.isdigit() else 10**9, name)

    return sorted((each.parent.name for each in path.glob(f"*/{TABLE}")), key=key)


def _is_of_others(path: Path, name: str) -> bool:
    """Say whether a model was fitted on the out-of-fold predictions of others."""
    return (
        name.startswith("Ensemble")
        or "_Stacked" in name
        or "_BoostOnErrors" in name
        or bool(_json(path / name / "framework.json").get("is_stacked"))
    )


def _table_of_model(path: Path, name: str, task: str, numeric: bool) -> _Table:
    """Read the predictions of one model."""
    shown = f"{name}/{TABLE}"
    check_whole_file(path)
    table = pd.read_csv(path, **EXACT)
    columns = [str(column) for column in table if str(column).startswith("prediction")]
    if "target" not in table or not columns:
        raise ValueError(
            f"{shown} has the columns {named(table)}, expected target and prediction as of "
            "mljar-supervised 1.3.2."
        )
    values = np.column_stack([numbers_of(table[column], shown) for column in columns])
    lacking = np.isnan(values).any(axis=1) | table["target"].isna().to_numpy()
    if lacking.any():
        raise ValueError(
            f"{shown} lacks a value in row {int(lacking.argmax()) + 1} of the data "
            f"({count(int(lacking.sum()), 'such row')}), which mljar never writes: it may be "
            "written by half."
        )
    weight = numbers_of(table["sample_weight"], shown) if "sample_weight" in table else None
    target = numbers_of(table["target"].replace({True: 1, False: 0}), shown)
    if task == "regression":
        return _Table(target, values[:, 0], None, weight)
    classes = _classes_in_names(columns, numeric)
    if table["target"].dtype == bool:
        classes = np.array([False, True])
    if ((target < 0) | (target >= len(classes)) | (target % 1 != 0)).any():
        raise ValueError(
            f"{shown}: target must be the number of a class, 0 to {len(classes) - 1}, or the run "
            "was of a regression."
        )
    if len(columns) == 1:
        values = np.column_stack([1 - values[:, 0], values[:, 0]])
    check_sum_to_one(values, shown)
    return _Table(target.astype(int), values, classes, weight)


def _classes_in_names(columns: list[str], numeric: bool) -> np.ndarray:
    """Find the classes in the names of the columns; 0 and 1 where these do not tell."""
    if len(columns) > 1:
        return labels_of([c.removeprefix("prediction_") for c in columns], as_numbers=numeric)
    parts = columns[0].removeprefix("prediction_0_for_").split("_1_for_")
    if columns[0].startswith("prediction_0_for_"):
        pairs = [
            ("_1_for_".join(parts[:k]), "_1_for_".join(parts[k:])) for k in range(1, len(parts))
        ]
        if len(pairs) == 1:
            return labels_of(pairs[0], as_numbers=numeric)
    return np.array([0, 1])


def _rows_held_out(path: Path, n_rows: int) -> tuple[np.ndarray, np.ndarray | None, list[str]]:
    """Return the position in the data and the fold of each row, and notes."""
    files = sorted((path / "folds").glob("*_validation_indices.npy"))
    files += sorted(path.glob("split_*validation_indices.npy"))
    if not files:
        note = "The folds are not known: the folder of the run has no files with them."
        return np.arange(n_rows), None, [note]
    held = []
    for file in files:
        try:
            held.append(np.load(file, allow_pickle=False))
        except (ValueError, EOFError, OSError) as error:
            raise ValueError(
                f"{file} cannot be read ({error}), it may be written by half. Copy it again."
            ) from None
    every = np.concatenate(held)
    rows = np.unique(every)
    if len(rows) != n_rows:
        raise ValueError(
            f"The folds of {path} are of {count(len(rows), 'sample')}, but its predictions of "
            f"{n_rows}: they are of different runs, or a file is missing."
        )
    if len(every) > len(rows):
        repeats = sum("_fold_0_" in f"_{file.name}" or "split_" in file.name for file in files)
        what = count(repeats, "repeat") if repeats > 1 else "several folds"
        return rows, None, [REPEATS_OF_MLJAR.format(what)]
    fold = np.empty(n_rows, dtype=int)
    for number, each in enumerate(held):
        fold[np.searchsorted(rows, each)] = number
    return rows, fold, []


# --- The metrics of mljar, as of 1.3.2 -------------------------------------------------------


def _beside_mljar(
    name: str, table: _Table, predictions: Mapping[str, np.ndarray], board: pd.Series
) -> list[str]:
    """Say the scores beside those of the leaderboard, and what single precision does to them."""
    metric = MLJAR_METRICS.get(name)
    if metric is None or not len(board):
        return [
            f"The scores of the leaderboard ({name}) are of a metric that is not known here, so "
            "they were not compared."
            if len(board)
            else "There is no leaderboard.csv with which these predictions could be compared."
        ]
    ours = scores_of(partial(metric, weight=table.weight), table.target, predictions)
    why = "mljar may be of another version than 1.3.2, or files may be of another run."
    digits = decimals_of(ours, 12 if name != "logloss" else 7)
    notes = compare_with_board(BOARD_OF_MLJAR, name, ours, board.to_dict(), digits=digits, why=why)
    if name == "logloss":
        double = scores_of(
            partial(pooled_log_loss, weight=table.weight), table.target, predictions
        )
        notes += precision_note("mljar", ours, double)
    return notes


def _f1(y: np.ndarray, p: np.ndarray, weight: Any = None) -> float:
    average = "binary" if p.shape[1] == 2 else "micro"
    return f1_score(y, p.argmax(axis=1), sample_weight=weight, average=average)


MLJAR_METRICS: dict[str, Callable[..., float]] = {
    "logloss": lambda y, p, weight: single_log_loss(y, p[:, 1] if p.shape[1] == 2 else p, weight),
    "auc": lambda y, p, weight: roc_auc_score(y, p[:, 1], sample_weight=weight),
    "average_precision": lambda y, p, weight: average_precision_score(
        y, p[:, 1], sample_weight=weight
    ),
    "f1": _f1,
    "accuracy": lambda y, p, weight: accuracy_score(y, p.argmax(axis=1), sample_weight=weight),
    "rmse": lambda y, p, weight: root_mean_squared_error(y, p, sample_weight=weight),
    "mse": lambda y, p, weight: mean_squared_error(y, p, sample_weight=weight),
    "mae": lambda y, p, weight: mean_absolute_error(y, p, sample_weight=weight),
    "mape": lambda y, p, weight: mean_absolute_percentage_error(y, p, sample_weight=weight),
    "r2": lambda y, p, weight: r2_score(y, p, sample_weight=weight),
    "spearman": lambda y, p, weight: spearmanr(y, p)[0],
    "pearson": lambda y, p, weight: np.corrcoef(y, p)[0, 1],
}
