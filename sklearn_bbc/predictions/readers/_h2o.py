"""Read the out-of-fold predictions of models of H2O, which are frames in its memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import (
    confusion_matrix,
    mean_absolute_error,
    mean_squared_error,
    roc_auc_score,
    root_mean_squared_error,
)

from ..._utils import got
from ._models import (
    by_codes,
    decimals_of,
    early_stopping_note,
    fitted_note,
    lost_note,
    named,
    pooled_log_loss,
    predictions_of_models,
    tables_of,
    values_of_tables,
)
from ._shared import Predictions, compare_with_board, scores_of

BOARD_OF_H2O = "H2O"
KEEP = "Fit with keep_cross_validation_predictions=True, whose default is False."
FOLDS_NOT_KEPT = (
    "The folds are not known: fit with keep_cross_validation_fold_assignment=True, or give fold. "
    "Those of AutoML are the row number modulo nfolds: fold=np.arange(n_samples) % 5."
)
WHY = (
    "H2O hands over probabilities with 8 decimals, so a very small one is 0 here; its AUC is of "
    "at most 400 thresholds; weights, and a leaderboard_frame, change its scores, too."
)


def from_h2o(
    cls: type[Predictions],
    models: Any,
    y: Any,
    *,
    fold: Any = None,
    positive: Any = None,
    groups: Any = None,
) -> Predictions:
    """Read the out-of-fold predictions of H2O's AutoML, of a grid, or of single models.

    Read with H2O 3.46.

    Parameters
    ----------
    models : H2OAutoML, H2OGridSearch, model, sequence of models, mapping or path
        Fitted with ``nfolds`` and ``keep_cross_validation_predictions=True``. In their place a
        mapping of model to the frame of ``cross_validation_holdout_predictions()``, or to a CSV
        file of it, or a folder of such files, with ``leaderboard.csv`` if there is one.
    y : array-like of shape (n_samples,)
        The column that was predicted, in the order of the rows of the training frame.
    fold : array-like of shape (n_samples,), default=None
        Fold of each sample. None takes what the models have kept; the folds of AutoML are known.
    positive : label, default=None
        The event, of two classes. None takes the last one in sorted order, which a note says.
    groups : array-like of shape (n_samples,), default=None
        Samples of one group depend on each other.

    Returns
    -------
    OOFPredictions
        A configuration for each model. Stacked ensembles are left out, since they
        were fitted on these predictions. Probabilities are taken, never the column ``predict``:
        each fold of it is cut at the threshold that is best for that fold.

    Raises
    ------
    ValueError
        If no model has kept its predictions, or `y` is not of their rows.

    Warns
    -----
    IntervalWarning
        If the scores are not those of H2O, or a model has no predictions.

    Examples
    --------
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import BBC
    >>> oof = OOFPredictions.from_h2o(automl, train["label"])  # doctest: +SKIP
    >>> BBC(random_state=0).estimate(oof, "roc_auc")  # doctest: +SKIP
    """
    board, fitted, unread, found_fold = None, [], [], None
    if isinstance(models, (str, Path)) or _has_tables(models):
        tables, board = tables_of(models)
        board = None if board is None else _indexed(board)
        names = list(tables)
        named_there = [] if board is None else list(board.index)
        fitted = [n for n in dict.fromkeys([*names, *named_there]) if _is_ensemble(n)]
        unread = [n for n in named_there if n not in {*names, *fitted}]
        tables = {n: each for n, each in tables.items() if n not in fitted}
        stopped: list[str] = []
    else:
        every = _models_of_h2o(models)
        fitted = [name for name, model in every.items() if _is_ensemble(name, model)]
        every = {name: model for name, model in every.items() if name not in fitted}
        board = _board_of_h2o(models, every)
        frames = {n: model.cross_validation_holdout_predictions() for n, model in every.items()}
        unread = [name for name, frame in frames.items() if frame is None]
        kept = {name: frame for name, frame in frames.items() if frame is not None}
        if not kept:
            raise ValueError(
                f"There are no out-of-fold predictions of {named([*every, *fitted])}. {KEEP}"
            )
        tables, _ = tables_of(kept)
        found_fold = _folds_kept(
            {name: every[name] for name in kept}, len(next(iter(tables.values())))
        )
        stopped = [
            n for n in kept if (_settings_of_model(every[n]).get("stopping_rounds") or 0) > 0
        ]
    if not tables:
        raise ValueError(f"There are only ensembles, fitted on other models: {named(fitted)}.")
    # Of a classification there are the label and the probabilities, else there is the value.
    is_value = all(list(table) == ["predict"] for table in tables.values())
    if not is_value:
        tables = {n: table.drop(columns="predict", errors="ignore") for n, table in tables.items()}
    values, classes, target = values_of_tables(tables, y, values=is_value)
    notes = [*target.notes, *_beside_h2o(values, classes, target.y, board), *fitted_note(fitted)]
    notes += lost_note(unread, KEEP)
    notes += early_stopping_note(stopped)
    if fold is None and found_fold is not None:
        fold, several = found_fold
        notes += several
        fold = None if fold is None else pd.Series(fold).to_numpy()[target.row]
    else:
        fold = target.kept_of(fold)
    if fold is None:
        notes.append(FOLDS_NOT_KEPT)
    return predictions_of_models(
        cls, target.y, values, classes,
        fold=fold, positive=positive, notes=notes, groups=target.kept_of(groups),
    )  # fmt: skip


def _has_tables(models: Any) -> bool:
    return isinstance(models, Mapping)


def _is_ensemble(name: str, model: Any = None) -> bool:
    kind = str(getattr(model, "algo", ""))
    return kind == "stackedensemble" or (not kind and "StackedEnsemble" in name)


def _models_of_h2o(models: Any) -> dict[str, Any]:
    """Name the models of AutoML, of a grid, or of a list."""
    if hasattr(models, "leaderboard"):
        ids = [str(each) for each in models.leaderboard.as_data_frame()["model_id"]]
        # AutoML hands over its first model only; the others are asked for where it asks itself.
        package = sys.modules.get(type(models).__module__.partition(".")[0])
        get = getattr(models, "get_model", None) or getattr(package, "get_model", None)
        if get is None:
            raise ValueError(
                "The models of this AutoML cannot be asked for: give a list of models, "
                "[h2o.get_model(name) for name in names]."
            )
        found = [get(each) for each in ids]
    elif hasattr(models, "models"):
        found = list(models.models)
    elif isinstance(models, Sequence) and not isinstance(models, (str, bytes)):
        found = list(models)
    else:
        found = [models]
    for each in found:
        if not hasattr(each, "cross_validation_holdout_predictions"):
            raise ValueError(
                "models must be H2O's AutoML, grid or models, a mapping of model to its frame of "
                f"cross_validation_holdout_predictions(), or a folder, got {got(each)}."
            )
    if not found:
        raise ValueError("There is no model: AutoML or grid may have ended without any.")
    return {str(each.model_id): each for each in found}


def _indexed(board: pd.DataFrame) -> pd.DataFrame:
    return board.set_index("model_id" if "model_id" in board else board.columns[0])


def _board_of_h2o(models: Any, every: Mapping[str, Any]) -> pd.DataFrame:
    """Return the leaderboard of AutoML; of others the score that each model has of itself."""
    if hasattr(models, "leaderboard"):
        return _indexed(models.leaderboard.as_data_frame())
    rows: dict[str, dict[str, float]] = {}
    for name, model in every.items():
        rows[name] = {}
        for metric in ("auc", "logloss", "rmse"):
            try:
                rows[name][metric] = float(getattr(model, metric)(xval=True))
            except (AttributeError, KeyError, TypeError, ValueError):
                continue  # not of this kind of model
    return pd.DataFrame.from_dict(rows, orient="index")


def _settings_of_model(model: Any) -> Mapping[str, Any]:
    return getattr(model, "actual_params", None) or {}


def _folds_kept(every: Mapping[str, Any], n_rows: int) -> tuple[np.ndarray | None, list[str]]:
    """Find the fold of each row, where all models have the same ones."""
    found = []
    for model in every.values():
        kept = model.cross_validation_fold_assignment()
        settings = _settings_of_model(model)
        if kept is not None:
            found.append(np.asarray(kept.as_data_frame().iloc[:, 0]).astype(int))
        elif settings.get("fold_assignment") == "Modulo" and settings.get("nfolds"):
            found.append(np.arange(n_rows) % int(settings["nfolds"]))
    if len(found) < len(every):
        return None, []
    if all(np.array_equal(each, found[0]) for each in found):
        return found[0], []
    return None, ["The models were fitted on different folds, which are not taken."]


# --- The metrics of H2O, as of 3.46 ----------------------------------------------------------


def _beside_h2o(
    models: Mapping[str, np.ndarray],
    classes: np.ndarray | None,
    y: np.ndarray,
    board: pd.DataFrame | None,
) -> list[str]:
    """Say the scores beside those of the metric that ranks, and the log loss."""
    known = H2O_METRICS["values" if classes is None else "two" if len(classes) == 2 else "more"]
    ranks = [] if board is None else [name for name in board if name in known]
    if not ranks:
        return ["There are no scores of H2O with which these predictions could be compared."]
    if classes is not None:
        y, models = by_codes(y, models, classes)
    complete = {name: each for name, each in models.items() if not np.isnan(each).any()}
    notes = []
    for name in dict.fromkeys([ranks[0], *[each for each in ranks if each == "logloss"]]):
        ours = scores_of(known[name], y, complete)
        theirs = board[name].to_dict()  # type: ignore[index]
        digits = decimals_of(theirs, 12)
        notes += compare_with_board(BOARD_OF_H2O, name, ours, theirs, digits=digits, why=WHY)
    return notes


def _mean_per_class_error(y: np.ndarray, p: np.ndarray) -> float:
    table = confusion_matrix(y, p.argmax(axis=1), labels=np.arange(p.shape[1]))
    n = table.sum(axis=1)
    return float(np.mean(1 - np.diag(table)[n > 0] / n[n > 0]))


def _of_truth(metric: Callable[..., float], y: np.ndarray, p: np.ndarray) -> float:
    """Score 1 minus the probability of what happened."""
    return metric(np.zeros(len(y)), 1 - p[np.arange(len(y)), y])


H2O_OF_CLASSES: dict[str, Callable[..., float]] = {
    "logloss": pooled_log_loss,
    "rmse": partial(_of_truth, root_mean_squared_error),
    "mse": partial(_of_truth, mean_squared_error),
}
H2O_METRICS: dict[str, dict[str, Callable[..., float]]] = {
    "two": {"auc": lambda y, p: roc_auc_score(y, p[:, 1]), **H2O_OF_CLASSES},
    "more": {"mean_per_class_error": _mean_per_class_error, **H2O_OF_CLASSES},
    "values": {
        "rmse": root_mean_squared_error,
        "mse": mean_squared_error,
        "mae": mean_absolute_error,
        "mean_residual_deviance": mean_squared_error,
    },
}
