"""Which configurations a metric can use, and which of them predict the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..predictions import OOFPredictions

if TYPE_CHECKING:
    from ._metric import Metric


def towards_pos_label(
    pred: np.ndarray, method: str, classes: np.ndarray | None, metric: Metric
) -> np.ndarray:
    """Turn recorded scores of the second class into scores of the metric's ``pos_label``."""
    pos_label = metric.pos_label
    if pos_label is None or classes is None or len(classes) != 2 or pred.ndim != 2:
        return pred
    if method not in ("predict_proba", "decision_function"):
        return pred
    if pos_label not in classes.tolist():
        raise ValueError(
            f"{metric.name} has pos_label={pos_label!r}, but the classes are {classes.tolist()}. "
            "Make a scorer with one of them: make_scorer(..., pos_label=...)."
        )
    if pos_label == classes[1]:
        return pred
    return 1 - pred if method == "predict_proba" else -pred


def every_response(oof: OOFPredictions) -> dict[str, np.ndarray]:
    """All responses that a scorer may ask for; labels are derived where there are none."""
    responses = dict(oof.responses)
    if "plain" not in responses and "predict" not in responses:
        try:
            responses["predict"] = oof.response("predict")[0]
        except ValueError:  # no labels and nothing to derive them from
            pass
    return responses


def complete(pred: np.ndarray, coded: bool) -> np.ndarray:
    """Configurations without a missing or infinite prediction, shape (n_configs,).

    Parameters
    ----------
    pred : ndarray of shape (n_configs, n_rows[, n_outputs])
        Predictions.
    coded : bool
        Whether integers are class codes, with -1 for missing.
    """
    # One by one: no boolean copy of everything.
    return np.array([not _missing(row, coded).any() for row in pred], dtype=bool)


def absent(pred: np.ndarray, coded: bool) -> np.ndarray:
    """Configurations without any prediction by this method, shape (n_configs,)."""
    return np.array([bool(_missing(row, coded).all()) for row in pred], dtype=bool)


def first_of_equals(arrays: list[np.ndarray], chosen: np.ndarray) -> np.ndarray:
    """For each chosen configuration, the first chosen one with the same predictions.

    Parameters
    ----------
    arrays : list of ndarray of shape (n_configs, n_rows[, n_outputs])
        Predictions; configurations are equal when they are in every array.
    chosen : ndarray of shape (n_chosen,)
        Indices of the configurations.

    Returns
    -------
    ndarray of shape (n_chosen,), intp
        Indices.
    """
    flat = [array.reshape(len(array), -1) for array in arrays]
    # A few spread values tell most columns apart; only look-alikes are compared in full.
    probes = [
        np.linspace(0, array.shape[1] - 1, num=min(32, array.shape[1])).astype(np.intp)
        for array in flat
    ]
    seen: dict[bytes, list[int]] = {}
    first = np.empty(len(chosen), dtype=np.intp)
    for k, config in enumerate(chosen):
        key = b"".join(array[config, at].tobytes() for array, at in zip(flat, probes))
        alike = seen.setdefault(key, [])
        for candidate in alike:
            if all(_same(array[candidate], array[config]) for array in flat):
                first[k] = candidate
                break
        else:
            alike.append(int(config))
            first[k] = config
    return first


def _missing(row: np.ndarray, coded: bool) -> np.ndarray:
    if row.dtype.kind == "f":
        return ~np.isfinite(row)
    return row < 0 if coded and row.dtype.kind in "iu" else np.zeros(row.shape, dtype=bool)


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
