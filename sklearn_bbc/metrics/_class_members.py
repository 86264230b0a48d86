"""The classes that a metric is about: which samples belong to each."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..predictions import OOFPredictions
from ._base import families
from ._inputs import is_indicator

# Functions without a kernel, by the module that scikit-learn keeps them in.
_OF_CLASSES = ("sklearn.metrics._classification", "sklearn.metrics._ranking",
               "sklearn.metrics.cluster")  # fmt: skip
_SCORES = {"predict_proba", "decision_function"}


def class_members(metric: Any, oof: OOFPredictions) -> tuple[np.ndarray, list[str]] | None:
    """Samples of each class that a draw should hold, for metrics that treat classes apart.

    F1, recall, balanced accuracy and their like give 0/0 a value by convention, or leave a
    class out, where a draw lacks it. Neither is a score of the classifier. A plain mean over
    samples (accuracy, Brier score) is as good without a class as with it.

    Parameters
    ----------
    metric : Metric
        The metric. For functions that are not known, the target and the predictions tell
        whether classes are predicted.
    oof : OOFPredictions
        The predictions.

    Returns
    -------
    members : ndarray of shape (n_classes, n_samples), bool
        Samples of positive weight, of each class that has any. Several labels per sample
        count as two classes each, with the label and without it.
    names : list of str
        Names for messages.
        None in place of both for other metrics, and for numbers to be predicted.
    """
    if not _treats_classes_apart(metric, oof):
        return None
    y = oof.y_true
    if oof.classes_ is not None and y.ndim == 1:
        members = y == oof.classes_[:, None]
        names = [f"class {label}" for label in oof.classes_.tolist()]
    elif y.ndim == 2 and is_indicator(y):
        members = np.concatenate([y.T == 1, y.T == 0])
        names = [f"label {k} = {value}" for value in (1, 0) for k in range(y.shape[1])]
    else:
        return None
    members &= oof.tested
    if oof.sample_weight is not None:
        members &= oof.sample_weight > 0
    there = np.flatnonzero(members.any(axis=1))
    return members[there], [names[k] for k in there]


def _treats_classes_apart(metric: Any, oof: OOFPredictions) -> bool:
    known = [f for f in families().values() if metric.score_func in f.score_funcs]
    known = [family for family in known if family.name != "replay"]
    if known:
        return any(family.by_class for family in known)
    module = getattr(metric.score_func, "__module__", "") or ""
    if module.startswith("sklearn."):
        return module.startswith(_OF_CLASSES)
    return _classes_are_predicted(metric, oof)


def _classes_are_predicted(metric: Any, oof: OOFPredictions) -> bool:
    """Whether an unknown metric gets labels, or scores of classes, rather than numbers."""
    if oof.y_true.ndim == 2 or oof.classes_ is None:
        return oof.y_true.ndim == 2 and oof.classes_ is None and all(
            is_indicator(array) for array in oof.responses.values()
        )  # fmt: skip
    if _SCORES & set(metric.response_method) or _SCORES & set(oof.responses):
        return True
    if "predict" in oof.responses:  # codes of labels, since there are classes
        return True
    plain = oof.responses.get("plain")
    return plain is not None and bool(np.isin(plain, oof.classes_).all())


def needs_spread(metric: Any) -> bool:
    """Whether a metric compares with the spread of the target, as R2 does."""
    of_metric = (f for f in families().values() if metric.score_func in f.score_funcs)
    return any(family.needs_spread for family in of_metric)
