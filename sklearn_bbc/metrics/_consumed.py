"""What a metric consumes of predictions: which responses, of which configurations."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score, top_k_accuracy_score

from ..exceptions import UndefinedIntervalError
from ..predictions._files import by_config
from ..predictions._predictions import OOFPredictions
from ..predictions._validation import are_labels, are_whole, unknown_labels
from ._arithmetic import in_order, parts_of


def towards_pos_label(
    pred: np.ndarray, method: str, classes: np.ndarray | None, name: str, pos_label: Any
) -> np.ndarray:
    """Turn recorded scores of the second class into scores of the metric's ``pos_label``."""
    of_two = classes is not None and len(classes) == 2 and pred.ndim == 2
    if pos_label is None or not of_two or method not in CLASS_SCORES:
        return pred
    assert classes is not None
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


CLASS_SCORES = ("predict_proba", "decision_function")
"""Responses that are scores of classes, kept for the second one of two."""


_OF_NUMBERS = ("sklearn.metrics._regression", "sklearn_bbc.")


_OF_LABELS = "sklearn.metrics._classification"


RANKING = (average_precision_score, roc_auc_score, top_k_accuracy_score)


OF_CALIBRATION = "sklearn_bbc.metrics._calibration"


MOST_CLASSES = 10
"""Different values up to which an array looks like labels."""


OF_PROBABILITIES = {
    "brier_score_loss", "d2_brier_score", "d2_log_loss_score", "hinge_loss", "log_loss",
}  # fmt: skip
"""Functions of that module that take no labels."""


def check_labels(
    oof: OOFPredictions,
    name: str,
    score_func: Callable[..., float] | None,
    response_method: tuple[str, ...],
) -> None:
    """Check that labels given as plain arrays are among the classes of the target.

    scikit-learn counts a label that occurs only in the predictions as a further class,
    which silently changes averages over classes.
    """
    module = getattr(score_func, "__module__", None) or ""
    named = getattr(score_func, "__name__", None)
    classes, pred = oof.classes_, oof.responses.get("plain")
    of_numbers = module.startswith(_OF_NUMBERS) or "predict" not in response_method
    if of_numbers and oof.from_y_pred and pred is not None and pred.dtype.kind in "UO":
        _refuse_text(pred, name)
    of_classes = score_func in RANKING or module == _OF_LABELS
    if of_classes and oof.from_y_pred and oof.y_true.dtype.kind == "f":
        _refuse_values(oof, name)
    if module != _OF_LABELS or named in OF_PROBABILITIES:
        if oof.from_y_pred and response_method == ("predict",):
            _refuse_probabilities(oof, name, named)
        return
    if classes is None or pred is None or pred.ndim != 2:
        return
    if not are_whole(pred, finite=False):
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


def _refuse_text(given: np.ndarray, name: str) -> None:
    """Raise if a metric of numbers is given text, as such or among objects."""
    words = given.ravel()
    if given.dtype.kind == "O":
        words = np.array([each for each in words.tolist() if isinstance(each, str)])
    if len(words):
        raise ValueError(
            f"{name} needs numbers as y_pred, but it holds text such as {words[0].item()!r}. Give "
            "scores or probabilities, or take a metric of labels such as 'accuracy'."
        )


def _refuse_values(oof: OOFPredictions, name: str) -> None:
    """Raise if the target of a metric of classes contains fractions."""
    y_true = oof.y_true
    fractions = y_true[y_true != np.rint(y_true)]
    if y_true.ndim != 1 or not len(fractions):
        return
    advice = "Give labels, or a metric of values such as 'r2'."
    if len(np.unique(oof.responses.get("plain", y_true))) <= MOST_CLASSES:
        advice = "y_true and y_pred seem to be in each other's place: the target comes first."
    raise ValueError(
        f"{name} needs classes in y_true, but it holds numbers such as {fractions[0]:g}. {advice}"
    )


def _refuse_probabilities(oof: OOFPredictions, name: str, named: str | None) -> None:
    """Refuse probabilities for a scorer that asks for `predict`: it may need labels."""
    if "predict_proba" in oof.responses:
        raise ValueError(
            f"y_pred holds probabilities of all classes, but the scorer {name} asks for "
            f"`predict`. Make it ask for what {named} takes: make_scorer({named}, "
            "response_method='predict_proba'); or give labels as y_pred."
        )


def _unknown_labels(pred: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Find labels that are not among the classes, leaving out missing ones."""
    if (pred.dtype.kind in "US") != (classes.dtype.kind in "US"):
        return np.unique(pred[:, :1])
    unknown = unknown_labels(pred, classes)
    return unknown[np.isfinite(unknown)] if unknown.dtype.kind == "f" else unknown


def every_response(oof: OOFPredictions) -> dict[str, np.ndarray]:
    """Collect all responses that a scorer may ask for; derive labels if there are none."""
    responses = dict(oof.responses)
    if "plain" not in responses and "predict" not in responses:
        try:
            responses["predict"] = oof.response("predict")[0]
        except ValueError:  # no labels and nothing to derive them from
            pass
    return responses


class Unbound(NamedTuple):
    """A metric and the predictions that it scores, before one is bound to the other."""

    metric: Any
    oof: OOFPredictions


class OfMetric(Protocol):
    """A metric and the predictions that it scores, bound or not."""

    @property
    def metric(self) -> Any: ...
    @property
    def oof(self) -> OOFPredictions: ...


def check_two_classes(scored: OfMetric) -> None:
    """Raise, naming the class, if the target of an area under the ROC curve has only one."""
    oof = scored.oof
    if oof.y_true.ndim != 1 or not oof.responses:
        return
    y_true = oof.y_true[oof.sample]
    if len(y_true) and (y_true == y_true[0]).all():
        raise UndefinedIntervalError(
            f"{scored.metric.name} needs two classes, but every sample is of class "
            f"{y_true[0].item()!r}."
        )


def takes_given_scores(scored: OfMetric) -> bool:
    """Check whether a metric consumes scores of one of two classes that a user gave."""
    metric, oof = scored.metric, scored.oof
    plain = oof.responses.get("plain")
    if plain is None or plain.ndim != 2 or oof.classes_ is None or len(oof.classes_) != 2:
        return False
    return metric.response_method != ("predict",) or not are_labels(plain, oof.classes_)


def consumed(scored: OfMetric) -> tuple[np.ndarray, dict[str, np.ndarray], bool, str]:
    """Collect a metric's predictions (n_configs, n_rows[, n_outputs]) and where they come from."""
    metric, oof = scored.metric, scored.oof
    if not metric.response_method:
        responses = every_response(oof)
        used = "+".join(name if name in oof.responses else "derived" for name in responses)
        return next(iter(responses.values())), responses, False, used
    pred, used = oof.response(metric.response_method)
    method = used.split("+")[0]
    if method == "plain" and oof.pos_label is not None and takes_given_scores(scored):
        # Kept as scores of the second class, which the metric may not take as positive.
        shares = metric.response_method[0] != "decision_function" and (
            np.nanmin(pred) >= 0 and np.nanmax(pred) <= 1
        )
        method = "predict_proba" if shares else "decision_function"
    codes_given = oof.classes_ is not None and method in ("predict", "derived")
    if (positive := metric.pos_label) is not None:
        pred = towards_pos_label(pred, method, oof.classes_, metric.name, positive)
    return pred, {}, codes_given, used


def complete(pred: np.ndarray, coded: bool) -> np.ndarray:
    """Mark the configurations without a missing or infinite prediction, shape (n_configs,).

    `pred` (n_configs, n_rows[, n_outputs]).
    """
    if pred.dtype.kind == "f":
        # A sum is finite unless a value is not, or the sum itself overflows: no boolean copy
        # of everything, and only the suspicious rows are looked at again.
        flat = pred.reshape(len(pred), -1)
        with np.errstate(invalid="ignore", over="ignore"):
            if all(in_order(lambda part: np.isfinite(flat[:, part].sum()), parts_of(*flat.shape))):
                return np.ones(len(pred), dtype=bool)
            defined = np.isfinite(flat.sum(axis=1))
        for config in np.flatnonzero(~defined):
            defined[config] = np.isfinite(flat[config]).all()
        return defined
    if coded and pred.dtype.kind == "i":
        return np.asarray(pred.reshape(len(pred), -1).min(axis=1, initial=0) >= 0)
    return np.ones(len(pred), dtype=bool)


def absent(pred: np.ndarray, coded: bool) -> np.ndarray:
    """Mark the configurations without any prediction by this method, shape (n_configs,)."""
    return np.array([bool(_missing_in_row(row, coded).all()) for row in pred], dtype=bool)


def usable(responses: dict[str, np.ndarray]) -> np.ndarray:
    """Mark the configurations with some response that is complete, shape (n_configs,)."""
    # Models without a method leave it empty; half an answer is a failure.
    whole = [complete(array, name == "predict") for name, array in responses.items()]
    none = [absent(array, name == "predict") for name, array in responses.items()]
    return np.logical_or(whole, none).all(axis=0) & np.any(whole, axis=0)


def first_of_equals(arrays: list[np.ndarray], chosen: np.ndarray) -> np.ndarray:
    """Find, for each chosen configuration, the first chosen one with the same predictions.

    `arrays` (n_configs, n_rows[, n_outputs]), `chosen` (n_chosen,) -> (n_chosen,).
    """
    flat = [array.reshape(len(array), -1) for array in arrays]
    # A few spread values tell most of them apart; only look-alikes are compared in full.
    probed = [
        np.ascontiguousarray(array[chosen[:, None], np.arange(_PROBED) * (n - 1) // (_PROBED - 1)])
        for array in flat
        if (n := array.shape[1])
    ]
    marks = np.zeros(len(chosen), dtype=np.uint64)
    for values in probed:
        marks = marks * np.uint64(3) + _mark(values)
    order = np.argsort(marks, kind="stable")
    starts = np.flatnonzero(np.diff(marks[order], prepend=marks[order[:1]] + np.uint64(1)))
    if len(starts) == len(chosen):
        return chosen
    first, stops = chosen.astype(np.intp), np.append(starts[1:], len(chosen))
    for group in np.flatnonzero(stops - starts > 1).tolist():
        alike: list[int] = []
        for k in order[starts[group] : stops[group]].tolist():
            config = chosen[k]
            for candidate in alike:
                if all(_same(array[candidate], array[config]) for array in flat):
                    first[k] = candidate
                    break
            else:
                alike.append(int(config))
    return first


def _mark(values: np.ndarray) -> np.ndarray:
    """Compute a number of each row of values that hardly ever is that of another row, uint64."""
    if values.dtype.hasobject:
        return np.array([hash(tuple(row)) for row in values.tolist()]).astype(np.uint64)
    n_bytes = values.shape[1] * values.itemsize
    words = np.zeros((len(values), -(-n_bytes // 8)), dtype=np.uint64)
    words.view(np.uint8)[:, :n_bytes] = values.view(np.uint8).reshape(len(values), n_bytes)
    words ^= words >> np.uint64(32)
    words *= _odd_numbers(words.shape[1])
    words ^= words >> np.uint64(29)
    return np.add.reduce(words, axis=1)


_PROBED = 32  # values of a configuration that are looked at first


@lru_cache(maxsize=8)
def _odd_numbers(n: int) -> np.ndarray:
    """Make n odd numbers without a pattern, uint64."""
    return np.random.default_rng(0).integers(2**63, size=n, dtype=np.uint64) * np.uint64(2) + 1


def _missing_in_row(row: np.ndarray, coded: bool) -> np.ndarray:
    if row.dtype.kind == "f":
        return ~np.isfinite(row)
    return row < 0 if coded and row.dtype.kind in "iu" else np.zeros(row.shape, dtype=bool)


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
