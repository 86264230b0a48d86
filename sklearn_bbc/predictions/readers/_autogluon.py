"""Read the out-of-fold predictions that AutoGluon keeps of models with bagging."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    balanced_accuracy_score,
    f1_score,
    matthews_corrcoef,
    mean_absolute_error,
    mean_squared_error,
    r2_score,
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
    precision_note,
    predictions_of_models,
    single_log_loss,
    tables_of,
    values_of_tables,
)
from ._shared import Predictions, compare_with_board, scores_of

BOARD_OF_AUTOGLUON = "the leaderboard of AutoGluon"
FOLDS_NOT_SAID = (
    "AutoGluon does not say which fold a sample was in. Where the folds came from a column of "
    "your own (TabularPredictor(label, groups=...)), give it as fold."
)
REPEATS_AVERAGED = (
    "AutoGluon averaged the predictions of several repeats (num_bag_sets) of {}: each is of "
    "several models together, which are usually better than one."
)
OWN_SAMPLES = (
    "{} predicted by the samples that their own trees or neighbours left out, not by folds; "
    'ag_args_ensemble={{"use_child_oof": False}} makes folds of them.'
)


def from_autogluon(
    cls: type[Predictions],
    predictor: Any,
    y: Any,
    *,
    fold: Any = None,
    positive: Any = None,
    groups: Any = None,
) -> Predictions:
    """Read the out-of-fold predictions of a fitted ``TabularPredictor`` of AutoGluon.

    Read with AutoGluon 1.6.3.

    Parameters
    ----------
    predictor : TabularPredictor, mapping or path
        Fitted with bagging: ``num_bag_folds``, or a preset such as ``"best_quality"``. In its
        place a mapping of model to the table of ``predict_proba_oof``, or to a CSV file of it, or
        a folder of such files, with ``leaderboard.csv`` if there is one.
    y : array-like of shape (n_samples,)
        The column that was predicted, as a Series with the index of the training data.
    fold : array-like of shape (n_samples,), default=None
        Fold of each sample, where the folds were your own.
    positive : label, default=None
        The event, of two classes. None takes ``positive_class`` of the predictor, else the last
        one in sorted order, which a note says.
    groups : array-like of shape (n_samples,), default=None
        Samples of one group depend on each other.

    Returns
    -------
    OOFPredictions
        A configuration for each model of the first level. Ensembles and stacked
        models are left out, since they were fitted on these predictions; so are models that were
        refitted on all data, which have none. Probabilities are taken, never the labels of
        ``predict_oof``, whose threshold may have been chosen on these predictions.

    Raises
    ------
    ValueError
        If the models were fitted without bagging, or `y` is not of their samples.

    Warns
    -----
    IntervalWarning
        If the scores are not those of the leaderboard, or a model lacks predictions.

    Examples
    --------
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import BBC
    >>> oof = OOFPredictions.from_autogluon(predictor, train["label"])  # doctest: +SKIP
    >>> BBC(random_state=0).estimate(oof, "neg_log_loss")  # doctest: +SKIP
    """
    notes: list[str] = []
    if isinstance(predictor, (str, Path, Mapping)):
        tables, board = tables_of(predictor, index_col=0)
        _check_index(tables, y)
        every = [*tables, *([] if board is None else board["model"])]
        is_value, theirs = all(table.shape[1] == 1 for table in tables.values()), None
    else:
        _check_predictor(predictor)
        board, every = predictor.leaderboard(), predictor.model_names()
        is_value = predictor.problem_type not in ("binary", "multiclass")
        if predictor.problem_type == "quantile":
            raise ValueError("A predictor of quantiles has no single prediction for a sample.")
        is_binary = predictor.problem_type == "binary"
        theirs = getattr(predictor, "positive_class", None) if is_binary else None
        tables, info = _tables(predictor, is_value), _infos(predictor)
        notes += _notes_of_infos(info, [name for name in tables if not _is_stacked(name)])
    every = list(dict.fromkeys(map(str, every)))
    fitted = [name for name in every if _is_stacked(name) and not name.endswith("_FULL")]
    refitted = [name for name in every if name.endswith("_FULL")]
    tables = {n: each for n, each in tables.items() if n not in {*fitted, *refitted}}
    if not tables:
        raise ValueError(
            f"None of the models {named(every)} has out-of-fold predictions: fit with bagging, "
            "such as num_bag_folds=5."
        )
    models, classes, target = values_of_tables(tables, y, values=is_value)
    notes = [*target.notes, *_beside_autogluon(models, classes, target.y, board, theirs), *notes]
    notes += fitted_note(fitted)
    if refitted:
        notes.append(f"Refitted on all data, without out-of-fold predictions: {named(refitted)}.")
    unread = [n for n in every if n not in {*tables, *fitted, *refitted}]
    notes += lost_note(unread, "They were fitted without bagging.")
    notes += early_stopping_note(tables, "AutoGluon")
    if fold is None:
        notes.append(FOLDS_NOT_SAID)
    return predictions_of_models(
        cls, target.y, models, classes,
        fold=target.kept_of(fold), positive=_positive_of_predictor(positive, theirs, classes),
        notes=notes, groups=target.kept_of(groups),
    )  # fmt: skip


def _positive_of_predictor(positive: Any, theirs: Any, classes: np.ndarray | None) -> Any:
    """Take the positive class of the predictor where none is given, if it is another than ours."""
    if positive is not None or classes is None or len(classes) != 2:
        return positive
    return theirs if theirs in list(classes) and theirs != max(classes) else None


def _check_predictor(predictor: Any) -> None:
    needed = ("leaderboard", "model_names", "predict_proba_oof", "predict_oof", "problem_type")
    if not all(hasattr(predictor, name) for name in needed):
        raise ValueError(
            "predictor must be a fitted TabularPredictor of AutoGluon, a mapping of model to its "
            f"table of predict_proba_oof, or a folder of such tables, got {got(predictor)}."
        )


def _check_index(tables: Mapping[str, pd.DataFrame], y: Any) -> None:
    """Raise where the first column, that of the index, is one of a class."""
    labels = {str(label) for label in pd.unique(pd.Series(np.ravel(y)))}
    for name, table in tables.items():
        if str(table.index.name) in labels:
            raise ValueError(
                f"{name} has no column with the index in front: the first one is that of class "
                f"{table.index.name!r}. Write the table with its index: table.to_csv(path)."
            )


def _is_stacked(name: str) -> bool:
    """Say whether a model is an ensemble, or is stacked upon others."""
    level = re.search(r"_L(\d+)(_FULL)?$", name)
    return name.startswith("WeightedEnsemble") or (level is not None and int(level[1]) > 1)


def _tables(predictor: Any, is_value: bool) -> dict[str, pd.DataFrame]:
    """Ask for the predictions of each model of the first level."""
    ask = predictor.predict_oof if is_value else predictor.predict_proba_oof
    tables = {}
    for name in predictor.model_names():
        if _is_stacked(name) or name.endswith("_FULL"):
            continue
        try:
            tables[name] = pd.DataFrame(ask(name))
        except AssertionError:  # not bagged
            continue
    return tables


def _infos(predictor: Any) -> Mapping[str, Any]:
    try:
        return predictor.info()["model_info"]
    except (AttributeError, KeyError, TypeError):
        return {}


def _notes_of_infos(infos: Mapping[str, Any], names: list[str]) -> list[str]:
    """Say which models predicted otherwise than once by folds."""
    bagged = {name: infos.get(name, {}).get("bagged_info", {}) for name in names}
    averaged = [name for name, each in bagged.items() if each.get("_n_repeats", 1) > 1]
    own = [name for name, each in bagged.items() if each.get("bagged_mode") is False]
    notes = [REPEATS_AVERAGED.format(named(averaged))] if averaged else []
    return notes + ([OWN_SAMPLES.format(named(own))] if own else [])


# --- The metrics of AutoGluon, greater is better, as of 1.6.3 ---------------------------------


def _beside_autogluon(
    models: Mapping[str, np.ndarray],
    classes: np.ndarray | None,
    y: np.ndarray,
    board: pd.DataFrame | None,
    positive: Any,
) -> list[str]:
    if board is None or not {"model", "score_val", "eval_metric"} <= set(board):
        return ["There is no leaderboard with which these predictions could be compared."]
    shown = str(board["eval_metric"].iloc[0])
    metric = (AUTOGLUON_OF_VALUES if classes is None else AUTOGLUON_OF_CLASSES).get(shown)
    if metric is None or (classes is not None and len(classes) > 2 and shown in AUTOGLUON_OF_TWO):
        return [
            f"The scores of {BOARD_OF_AUTOGLUON} ({shown}) are of a metric that is not known "
            "here, so they were not compared."
        ]
    codes, values = y, dict(models)
    if classes is not None:
        codes, values = by_codes(y, models, classes)
        if len(classes) == 2 and positive == min(classes):
            codes, values = 1 - codes, {name: each[:, ::-1] for name, each in values.items()}
    ours: dict[str, float] = {}
    for name, each in values.items():
        held = ~np.isnan(each.reshape(len(y), -1)).any(axis=1)
        ours |= scores_of(metric, codes[held], {name: each[held]}) if held.any() else {}
    notes = []
    if shown == "log_loss" and classes is not None and len(classes) > 2:
        kept = {name: each for name, each in values.items() if not np.isnan(each).any()}
        double = {name: -score for name, score in scores_of(pooled_log_loss, codes, kept).items()}
        notes = precision_note("AutoGluon", {name: ours[name] for name in kept}, double)
    theirs = board.set_index("model")["score_val"].astype(float).to_dict()
    return notes + compare_with_board(
        BOARD_OF_AUTOGLUON, shown, ours, theirs, digits=decimals_of(theirs, 6),
        why="Weights, and rows that AutoGluon dropped or doubled because a class was rare, change "
        "its score.",
    )  # fmt: skip


def _most_probable(p: np.ndarray) -> np.ndarray:
    """Return the most probable class, the first of two only where it is above one half."""
    return (p[:, 1] > 0.5).astype(int) if p.shape[1] == 2 else p.argmax(axis=1)


def _log_loss(y: np.ndarray, p: np.ndarray) -> float:
    """Compute it in double precision for two classes, and for more in single, as AutoGluon."""
    return (pooled_log_loss if p.shape[1] == 2 else single_log_loss)(y, p)


def _of_labels(metric: Callable[..., float], **options: Any) -> Callable[..., float]:
    return lambda y, p: metric(y, _most_probable(p), **options)


AUTOGLUON_OF_TWO = {"roc_auc", "average_precision", "f1"}
AUTOGLUON_OF_CLASSES: dict[str, Callable[..., float]] = {
    "log_loss": lambda y, p: -_log_loss(y, p),
    "accuracy": _of_labels(accuracy_score),
    "balanced_accuracy": _of_labels(balanced_accuracy_score),
    "mcc": _of_labels(matthews_corrcoef),
    "f1": _of_labels(f1_score),
    "f1_macro": _of_labels(f1_score, average="macro"),
    "f1_micro": _of_labels(f1_score, average="micro"),
    "f1_weighted": _of_labels(f1_score, average="weighted"),
    "roc_auc": lambda y, p: roc_auc_score(y, p[:, 1]),
    "average_precision": lambda y, p: average_precision_score(y, p[:, 1]),
}
AUTOGLUON_OF_VALUES: dict[str, Callable[..., float]] = {
    "root_mean_squared_error": lambda y, p: -root_mean_squared_error(y, p),
    "mean_squared_error": lambda y, p: -mean_squared_error(y, p),
    "mean_absolute_error": lambda y, p: -mean_absolute_error(y, p),
    "r2": r2_score,
}
