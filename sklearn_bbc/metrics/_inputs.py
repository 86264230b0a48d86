"""Targets, predictions and keyword arguments in the form that kernels compute with."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from inspect import signature
from typing import Any

import numpy as np

from ._rows import RowData


def known_arguments(
    score_func: Callable[..., float], kwargs: Mapping[str, Any], *names: str
) -> bool:
    """Whether all arguments are among those that a kernel knows, and this release has."""
    return set(kwargs) <= set(names) & _arguments_of(score_func)


@lru_cache(maxsize=128)  # a signature takes longer to read than a small bootstrap does
def _arguments_of(score_func: Callable[..., float]) -> frozenset[str]:
    return frozenset(signature(score_func).parameters)


def holds_labels(values: np.ndarray) -> bool:
    """Whether an array holds text or whole numbers."""
    if values.dtype.kind == "f":
        return bool((values == np.rint(values)).all())
    return values.dtype.kind in "biuUS"


def is_indicator(values: np.ndarray) -> bool:
    """Whether an array holds nothing but 0 and 1."""
    return values.dtype.kind in "biuf" and bool(((values == 0) | (values == 1)).all())


def target_kind(rows: RowData) -> str | None:
    """Say what a classification target and its predictions are.

    Parameters
    ----------
    rows : RowData
        The rows.

    Returns
    -------
    {"labels", "indicator"} or None
        One label per row, a 0/1 matrix of several labels, or nothing of the two.
    """
    y, pred = rows.y, rows.pred
    if y.ndim == 1 and pred.ndim == 2 and holds_labels(y):
        same_type = (y.dtype.kind in "US") == (pred.dtype.kind in "US")
        return "labels" if rows.codes_given or same_type else None
    if y.ndim == 2 and y.shape[1] > 1 and pred.shape[2:] == y.shape[1:]:
        return "indicator" if is_indicator(y) and is_indicator(pred) else None
    return None


@dataclass(frozen=True, eq=False)
class Numbers:
    """Target values and predictions of a regression metric.

    Attributes
    ----------
    y : ndarray of shape (n_rows, n_outputs), float64
        Target values.
    """

    y: np.ndarray
    _pred: np.ndarray
    _classes: np.ndarray | None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of configurations and of rows."""
        return self._pred.shape[:2]

    @property
    def n_outputs(self) -> int:
        """Number of outputs."""
        return self.y.shape[1]

    def of(self, configs: slice | np.ndarray, rows: slice | np.ndarray) -> np.ndarray:
        """Predictions of some configurations and rows, float64, with an axis of outputs.

        In another type they are converted when they are asked for: no copy of them all.
        """
        pred = self._pred[configs, rows]
        if self._classes is not None:
            pred = self._classes[pred]
        return pred.reshape(*pred.shape[:2], -1).astype(np.float64, copy=False)


def numbers(rows: RowData) -> Numbers | None:
    """Target values and predictions of a regression metric.

    Parameters
    ----------
    rows : RowData
        The rows.

    Returns
    -------
    Numbers or None
        None when they are not numbers or do not match.
    """
    y, pred = rows.y, rows.pred
    classes = rows.classes if rows.codes_given else None
    kind = pred.dtype.kind if classes is None else classes.dtype.kind
    if y.dtype.kind not in "biuf" or kind not in "biuf":
        return None
    y = y.reshape(len(y), -1)
    if y.shape[1] != math.prod(pred.shape[2:]):
        return None
    return Numbers(y.astype(np.float64, copy=False), pred, classes)


def required_numbers(rows: RowData, metric: str) -> Numbers:
    """Do as `numbers`, but raise a `ValueError` when there are none."""
    target = numbers(rows)
    if target is None:
        raise ValueError(
            f"{metric} needs numbers in y_true and y_pred, and as many outputs in both, got "
            f"shapes {rows.y.shape} and {rows.pred.shape[1:]} of types {rows.y.dtype} and "
            f"{rows.pred.dtype}."
        )
    return target


def output_weights(multioutput: Any, n_outputs: int) -> np.ndarray | None:
    """Weights with which outputs are averaged, or None when that is not what is asked.

    Parameters
    ----------
    multioutput : {"uniform_average"}, None or array-like of shape (n_outputs,)
        Argument of scikit-learn's regression metrics.
    n_outputs : int
        Number of outputs.

    Returns
    -------
    ndarray of shape (n_outputs,) or None
        They sum to one.
    """
    if multioutput is None or (isinstance(multioutput, str) and multioutput == "uniform_average"):
        return np.full(n_outputs, 1 / n_outputs)
    if isinstance(multioutput, str):
        return None
    weights = np.asarray(multioutput, dtype=np.float64)
    if n_outputs == 1 or weights.shape != (n_outputs,) or not weights.sum() > 0:
        return None
    return weights / weights.sum()


def required_output_weights(multioutput: Any, n_outputs: int) -> np.ndarray:
    """Do as `output_weights`, but raise a `ValueError` when there are none."""
    weights = output_weights(multioutput, n_outputs)
    if weights is None:
        raise ValueError(
            f"multioutput={multioutput!r} does not average {n_outputs} outputs to one score. Use "
            "'uniform_average', or one weight per output."
        )
    return weights


def class_columns(rows: RowData, labels: Any) -> np.ndarray | None:
    """Classes that the columns of scores or probabilities stand for.

    Parameters
    ----------
    rows : RowData
        Rows with scores: `pred` has a column per class, or of two classes only the second
        one's.
    labels : array-like or None
        Labels given to the metric; None takes those of the target, all of which the
        columns must then know.

    Returns
    -------
    ndarray of shape (n_classes,) or None
        Sorted classes; None when columns and labels do not match.
    """
    y, pred = rows.y, rows.pred
    if y.ndim != 1 or pred.ndim not in (2, 3) or pred.dtype.kind not in "biuf":
        return None
    if not holds_labels(y):
        return None
    classes = np.unique(y if labels is None else np.asarray(labels))
    n_columns = 2 if pred.ndim == 2 else pred.shape[2]
    if len(classes) != n_columns or n_columns < 2:
        return None
    if (classes.dtype.kind in "US") != (y.dtype.kind in "US") or not np.isin(y, classes).all():
        return None
    return classes
