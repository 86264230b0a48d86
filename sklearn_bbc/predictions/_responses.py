"""Which recorded response a metric gets, configuration by configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._scorers import scorer_named
from ._arrays import METHODS
from ._matrix_file import by_config


def choose(
    responses: Mapping[str, np.ndarray], classes: np.ndarray | None, methods: str | Sequence[str]
) -> tuple[np.ndarray, str]:
    """What `OOFPredictions.response` returns.

    Parameters
    ----------
    responses : mapping of str to ndarray of shape (n_configs, n_rows[, n_outputs])
        Recorded responses.
    classes : ndarray of shape (n_classes,) or None
        Class labels.
    methods : str or sequence of str
        Response methods in order of preference.
    """
    methods = (methods,) if isinstance(methods, str) else tuple(methods)
    if "plain" in responses:
        return responses["plain"], "plain"
    candidates = [(method, responses[method]) for method in methods if method in responses]
    if "predict" in methods and classes is not None:
        derived = derived_labels(responses, classes)
        candidates += [] if derived is None else [("derived", derived)]
    elif classes is None and "predict" in responses:
        # A regressor scored by a ranking metric answers with `predict`, as in scikit-learn.
        candidates.append(("predict", responses["predict"]))
    if not candidates:
        raise ValueError(
            f"The metric needs {' or '.join(methods)}, but the recorded predictions are "
            f"{sorted(responses) or 'none'}. Add the metric to `scoring` of the search, "
            "or give the predictions as y_pred."
        )
    name, array = candidates[0]
    used = [name]
    for name, candidate in candidates[1:]:
        if (array.dtype.kind, array.ndim) != (candidate.dtype.kind, candidate.ndim):
            continue  # labels are not filled with scores, nor scores with labels
        if (holes := _empty(array) & ~_empty(candidate)).any():
            array = _filled_up(array, candidate, holes)
            used.append(name)
    return array, "+".join(used)


def matrix_of(
    responses: Mapping[str, np.ndarray], classes: np.ndarray | None, scoring: Any
) -> np.ndarray:
    """What `OOFPredictions.matrix` returns.

    Parameters
    ----------
    responses : mapping of str to ndarray of shape (n_configs, n_rows[, n_outputs])
        Recorded responses.
    classes : ndarray of shape (n_classes,) or None
        Class labels.
    scoring : str or scorer
        Name of a scorer, a scorer, or a response method.
    """
    if isinstance(scoring, str) and scoring in METHODS:
        methods: Any = scoring
    else:
        scorer = scorer_named(scoring) if isinstance(scoring, str) else scoring
        methods = getattr(scorer, "_response_method", "predict")
        methods = "predict" if methods == "default" else methods
    array, used = choose(responses, classes, methods)
    if classes is not None and used.split("+")[0] in ("predict", "derived"):
        labels, missing = classes[array], array < 0
        if missing.any():
            labels = labels.astype(float if labels.dtype.kind in "iufb" else object)
            labels[missing] = np.nan if labels.dtype.kind == "f" else None
        array = labels
    return np.moveaxis(array, 0, 1)


def derived_labels(responses: Mapping[str, np.ndarray], classes: np.ndarray) -> np.ndarray | None:
    """Label codes from scores, for classifiers that were asked for scores only."""
    labels = None
    for method, threshold in (("decision_function", 0.0), ("predict_proba", 0.5)):
        scores = responses.get(method)
        if scores is None:
            continue
        if scores.ndim == 2 and len(classes) == 2:
            codes = _codes_above(scores, threshold)
        elif scores.ndim == 3 and scores.shape[2] == len(classes):
            codes = _codes_of_largest(scores)
        else:
            continue
        labels = codes if labels is None else _labels_of_both(labels, codes)
    return labels


def _codes_above(scores: np.ndarray, threshold: float) -> np.ndarray:
    def codes(config: int) -> np.ndarray:
        # argmax of (1 - p, p) takes the first class on a tie; so does `> 0`.
        above = (scores[config] > threshold).astype(np.int8)
        above[np.isnan(scores[config])] = -1
        return above

    return by_config(codes, scores, dtype=np.int8)


def _codes_of_largest(scores: np.ndarray) -> np.ndarray:
    def codes(config: int) -> np.ndarray:
        largest = np.argmax(scores[config], axis=1)
        largest[np.isnan(scores[config]).any(axis=1)] = -1
        return largest

    small = np.int16 if scores.shape[2] <= 2**15 else np.int64
    return by_config(codes, scores, scores.shape[:2], small)


def _labels_of_both(labels: np.ndarray, others: np.ndarray) -> np.ndarray:
    def codes(config: int) -> np.ndarray:
        return np.where(labels[config] < 0, others[config], labels[config])

    return by_config(codes, labels)


def _filled_up(array: np.ndarray, candidate: np.ndarray, holes: np.ndarray) -> np.ndarray:
    """Predictions of `candidate` where `holes` marks configurations, else those of `array`."""
    return by_config(lambda c: candidate[c] if holes[c] else array[c], array)


def _empty(array: np.ndarray) -> np.ndarray:
    """Configurations without any value, shape (n_configs,)."""
    coded = array.dtype.kind in "iu"
    return np.array([bool((row == -1 if coded else np.isnan(row)).all()) for row in array])
