"""Which configurations a metric can use, and which of them predict the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score, top_k_accuracy_score

from ..exceptions import UndefinedIntervalError
from ..predictions import OOFPredictions
from ..predictions._matrix_file import by_config


def towards_pos_label(
    pred: np.ndarray, method: str, classes: np.ndarray | None, name: str, pos_label: Any
) -> np.ndarray:
    """Turn recorded scores of the second class into scores of the metric's ``pos_label``."""
    if method not in ("predict_proba", "decision_function"):
        return pred
    if classes is None or len(classes) != 2 or pred.ndim != 2:
        return pred
    if pos_label is None:
        return pred
    if pos_label not in classes.tolist():
        raise ValueError(
            f"{name} has pos_label={pos_label!r}, but the classes are {classes.tolist()}. "
            "Make a scorer with one of them: make_scorer(..., pos_label=...)."
        )
    if pos_label == classes[1]:
        return pred
    if method == "predict_proba":
        return by_config(lambda config: 1 - pred[config], pred)
    return by_config(lambda config: -pred[config], pred)


_OF_LABELS = "sklearn.metrics._classification"
_RANKING = (average_precision_score, roc_auc_score, top_k_accuracy_score)
MOST_CLASSES = 10
"""Different values up to which an array looks like labels."""
_OF_PROBABILITIES = {
    "brier_score_loss", "d2_brier_score", "d2_log_loss_score", "hinge_loss", "log_loss",
}  # fmt: skip
"""Functions of that module that take no labels."""


def check_labels(
    oof: OOFPredictions,
    name: str,
    score_func: Callable[..., float] | None,
    response_method: tuple[str, ...],
) -> None:
    """Labels given as plain arrays must be labels that the target knows.

    scikit-learn counts a label that it meets in the predictions only as a further class,
    which changes averages over classes without a word.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions; those that a search recorded are codes of classes and need no check.
    name : str
        The metric's name in messages.
    score_func : callable or None
        Its function, if it is known.
    response_method : tuple of str
        What it consumes.

    Raises
    ------
    ValueError
        If a metric of labels meets scores, or labels that are not classes.
    """
    classes, named = oof.classes_, getattr(score_func, "__name__", None)
    if oof._from_arrays and (
        score_func in _RANKING or getattr(score_func, "__module__", None) == _OF_LABELS
    ):
        _refuse_values(oof, name)
    if getattr(score_func, "__module__", None) != _OF_LABELS or named in _OF_PROBABILITIES:
        if oof._from_arrays and response_method == ("predict",):
            _refuse_probabilities(oof, name, named)
        return
    pred = oof.responses.get("plain")
    if classes is None or pred is None or pred.ndim != 2:
        return
    if pred.dtype.kind == "f" and bool((np.isfinite(pred) & (pred != np.rint(pred))).any()):
        raise ValueError(
            f"{name} needs class labels, but y_pred holds continuous scores. Give labels, "
            "for example (y_pred > 0.5).astype(int), or probabilities of all classes with shape "
            "(n_samples, n_configs, n_classes), or use a metric of scores such as roc_auc."
        )
    unknown = _unknown_labels(pred, classes)
    if len(unknown) and len(classes) > 1:  # samples of one class do not tell the others
        some = ", ".join(map(repr, unknown[:5].tolist())) + ", ..." * (len(unknown) > 5)
        raise ValueError(
            f"y_pred holds labels that never occur in y_true: {some}; the classes are "
            f"{classes.tolist()}. If they are classes without a sample, name all classes: "
            "OOFPredictions(..., classes=[...])."
        )


def _refuse_values(oof: OOFPredictions, name: str) -> None:
    """Classes are no fractions: the target of another metric, or the predictions."""
    y_true = oof.y_true
    if y_true.ndim != 1 or y_true.dtype.kind != "f":
        return
    fractions = y_true[y_true != np.rint(y_true)]
    if not len(fractions):
        return
    advice = "Give labels, or a metric of values such as 'r2'."
    if len(np.unique(oof.responses.get("plain", y_true))) <= MOST_CLASSES:
        advice = "y_true and y_pred seem to be in each other's place: the target comes first."
    raise ValueError(
        f"{name} needs classes in y_true, but it holds numbers such as {fractions[0]:g}. {advice}"
    )


def _refuse_probabilities(oof: OOFPredictions, name: str, named: str | None) -> None:
    """Of a function that may want either, only its user knows whether it takes labels."""
    if "predict_proba" in oof.responses:
        raise ValueError(
            f"y_pred holds probabilities of all classes, but the scorer {name} asks for "
            f"`predict`. Make it ask for what {named} takes: make_scorer({named}, "
            "response_method='predict_proba'); or give labels as y_pred."
        )


def _unknown_labels(pred: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Labels that are not among the classes, missing ones left out."""
    if (pred.dtype.kind in "US") != (classes.dtype.kind in "US"):
        return np.unique(pred[:, :1])
    if len(classes) <= 10:  # a few comparisons are much faster than sorting all predictions
        known = np.zeros(pred.shape, dtype=bool)
        for label in classes:
            known |= pred == label
    else:
        known = np.isin(pred, classes)
    if pred.dtype.kind == "f":
        known |= ~np.isfinite(pred)
    return np.unique(pred[~known])


def check_two_classes(
    oof: OOFPredictions, name: str, score_func: Callable[..., float] | None
) -> None:
    """Name the class of a target that has only one, where the metric ranks classes."""
    if score_func is not roc_auc_score or oof.y_true.ndim != 1 or not oof.responses:
        return
    y_true = oof.y_true[oof.sample]
    if len(y_true) and (y_true == y_true[0]).all():
        raise UndefinedIntervalError(
            f"{name} needs two classes, but every sample is of class {y_true[0].item()!r}."
        )


def every_response(oof: OOFPredictions) -> dict[str, np.ndarray]:
    """All responses that a scorer may ask for; labels are derived where there are none."""
    responses = dict(oof.responses)
    if "plain" not in responses and "predict" not in responses:
        try:
            responses["predict"] = oof.response("predict")[0]
        except ValueError:  # no labels and nothing to derive them from
            pass
    return responses


Consumed = tuple[np.ndarray, dict[str, np.ndarray], bool]
"""What a metric gets, all there is, and whether the former are codes, see `consumed`."""


def consumed(
    metric: Any, oof: OOFPredictions
) -> tuple[np.ndarray, dict[str, np.ndarray], bool, str]:
    """What a metric consumes.

    Parameters
    ----------
    metric : Metric
        The metric.
    oof : OOFPredictions
        Predictions.

    Returns
    -------
    pred : ndarray of shape (n_configs, n_rows[, n_outputs])
        What it gets.
    responses : dict of str to ndarray
        All there is, for a scorer whose inside is hidden; else empty.
    codes_given : bool
        Whether `pred` holds codes of labels.
    used : str
        Names of the response methods.
    """
    if not metric.response_method:
        responses = every_response(oof)
        used = "+".join(name if name in oof.responses else "derived" for name in responses)
        return next(iter(responses.values())), responses, False, used
    pred, used = oof.response(metric.response_method)
    method = used.split("+")[0]
    if method == "plain" and oof.pos_label is not None and metric._takes_given_scores(oof):
        # Kept as scores of the second class, which the metric may not take as positive.
        shares = metric.response_method[0] != "decision_function" and (
            np.nanmin(pred) >= 0 and np.nanmax(pred) <= 1
        )
        method = "predict_proba" if shares else "decision_function"
    codes_given = oof.classes_ is not None and method in ("predict", "derived")
    pred = towards_pos_label(pred, method, oof.classes_, metric.name, metric.pos_label)
    return pred, {}, codes_given, used


def complete(pred: np.ndarray, coded: bool) -> np.ndarray:
    """Configurations without a missing or infinite prediction, shape (n_configs,).

    Parameters
    ----------
    pred : ndarray of shape (n_configs, n_rows[, n_outputs])
        Predictions.
    coded : bool
        Whether integers are class codes, with -1 for missing.
    """
    if pred.dtype.kind == "f":
        # A sum is finite unless a value is not, or the sum itself overflows: no boolean copy
        # of everything, and only the suspicious rows are looked at again.
        flat = pred.reshape(len(pred), -1)
        with np.errstate(invalid="ignore", over="ignore"):
            defined = np.isfinite(flat.sum(axis=1))
        for config in np.flatnonzero(~defined):
            defined[config] = np.isfinite(flat[config]).all()
        return defined
    return np.array([not _missing(row, coded).any() for row in pred], dtype=bool)


def absent(pred: np.ndarray, coded: bool) -> np.ndarray:
    """Configurations without any prediction by this method, shape (n_configs,)."""
    return np.array([bool(_missing(row, coded).all()) for row in pred], dtype=bool)


def usable(pred: np.ndarray, responses: dict[str, np.ndarray], coded: bool) -> np.ndarray:
    """Configurations whose predictions are there, shape (n_configs,)."""
    if not responses:
        return complete(pred, coded)
    # Models without a method leave it empty; half an answer is a failure.
    whole = [complete(array, name == "predict") for name, array in responses.items()]
    none = [absent(array, name == "predict") for name, array in responses.items()]
    return np.logical_or(whole, none).all(axis=0) & np.any(whole, axis=0)


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
        Indices; `chosen` itself when all are different.
    """
    flat = [array.reshape(len(array), -1) for array in arrays]
    # One value tells continuous predictions apart, a few spread ones tell most of the others;
    # only look-alikes are compared in full.
    if _all_different(_middle_bits(flat, chosen)):
        return chosen
    probes = [
        np.linspace(0, array.shape[1] - 1, num=min(32, array.shape[1])).astype(np.intp)
        for array in flat
    ]
    if _all_different(_fingerprints(flat, probes, chosen)):
        return chosen
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


def _all_different(marks: np.ndarray | None) -> bool:
    """Whether no two marks are equal; False if there are none."""
    if marks is None:
        return False
    ranked = np.sort(marks)
    return not (ranked[1:] == ranked[:-1]).any()


def _middle_bits(flat: list[np.ndarray], chosen: np.ndarray) -> np.ndarray | None:
    """The bits of one value per configuration, shape (n_chosen,); None where none is a number."""
    for array in flat:
        if array.dtype.kind in "fiu" and array.dtype.itemsize <= 8 and array.shape[1]:
            return _bits(array[chosen, array.shape[1] // 2])
    return None


def _bits(values: np.ndarray) -> np.ndarray:
    """The bits of numbers of any size as whole numbers."""
    words = np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")
    return words.astype(np.uint64, copy=False)


def _fingerprints(
    flat: list[np.ndarray], probes: list[np.ndarray], chosen: np.ndarray
) -> np.ndarray | None:
    """A number per configuration that equal ones share, shape (n_chosen,); None if unknown.

    Integer arithmetic on the bits of the probed values: sums of floats may depend on where
    in memory they stand.
    """
    marks = np.zeros(len(chosen), dtype=np.uint64)
    for array, at in zip(flat, probes):
        if array.dtype.kind not in "fiu" or array.dtype.itemsize > 8:
            return None
        words = _bits(array[np.ix_(chosen, at)])
        # Odd multipliers lose no bit, different ones tell places apart.
        factors = np.uint64(0x9E3779B97F4A7C15) * np.arange(1, 2 * len(at), 2, dtype=np.uint64)
        marks = marks * np.uint64(31) + (words * factors).sum(axis=1, dtype=np.uint64)
    return marks


def _missing(row: np.ndarray, coded: bool) -> np.ndarray:
    if row.dtype.kind == "f":
        return ~np.isfinite(row)
    return row < 0 if coded and row.dtype.kind in "iu" else np.zeros(row.shape, dtype=bool)


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
