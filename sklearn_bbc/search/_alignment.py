"""Bring what one model answered into the form that all models' answers share."""

from __future__ import annotations

import numpy as np

from ._responses import FoldResponses

__all__ = ["UnusableResponse", "aligned"]


class UnusableResponse(Exception):
    """The answer of one model cannot stand beside the others'; says why."""


def aligned(method: str, responses: FoldResponses, classes: np.ndarray | None) -> np.ndarray:
    """One response of one model, in the form that `OOFPredictions` keeps.

    Parameters
    ----------
    method : {"predict", "predict_proba", "decision_function"}
        Response method.
    responses : FoldResponses
        Responses of the model.
    classes : ndarray of shape (n_classes,) or None
        Sorted classes of the whole target; None when it has none, or several outputs.

    Returns
    -------
    ndarray of shape (n_test,) or (n_test, k)
        Codes into `classes` for labels; probabilities with a column for every class, of two
        classes only the positive one; everything else as it is.

    Raises
    ------
    UnusableResponse
        If that is impossible.
    """
    values, known = responses.arrays[method], responses.classes
    if classes is None:
        if values.dtype.kind not in "fiub":
            raise UnusableResponse(f"{method} returned values of type {values.dtype}")
        return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values
    if known is not None and _equal(known, classes):
        known = None  # nothing to translate
        if method == "predict" and responses.coded:
            return values
    if method == "predict":
        if known is None:
            return _codes(values, classes)
        return _codes(known, classes)[values] if responses.coded else _codes(values, classes)
    if method == "predict_proba":
        return _one_column_per_class(values, classes if known is None else known, classes)
    if known is not None:
        raise UnusableResponse(
            "decision_function of a model that did not see every class in training cannot be "
            "compared with the others' (predict_proba can)"
        )
    return values


def _equal(known: np.ndarray, classes: np.ndarray) -> bool:
    return known.shape == classes.shape and bool((known == classes).all())


def _codes(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Positions of the labels in the sorted classes."""
    try:
        codes = classes.searchsorted(labels)
    except TypeError as error:
        raise UnusableResponse(f"predict returned labels of another type: {error}") from error
    if not (classes.take(codes, mode="clip") == labels).all():
        raise UnusableResponse("predict returned labels that are not in the target")
    return codes


def _one_column_per_class(
    values: np.ndarray, known: np.ndarray, classes: np.ndarray
) -> np.ndarray:
    """Probabilities (n_test, n_classes), 0 for a class that the model never saw."""
    if values.ndim == 1:  # the column of the positive class was all that travelled
        return values
    if values.shape[1] != len(known) or not np.isin(known, classes).all():
        raise UnusableResponse(
            f"predict_proba returned {values.shape[1]} columns for {len(known)} classes"
        )
    if len(known) < len(classes):
        dtype = values.dtype if values.dtype.kind == "f" else np.float64
        full = np.zeros((len(values), len(classes)), dtype)
        full[:, classes.searchsorted(known)] = values
        values = full
    return values[:, 1] if len(classes) == 2 else values
