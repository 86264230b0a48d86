"""The sides of a comparison, made of what people have: arrays, predictions, fitted searches."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._equality import same
from .._nearest import got
from ..intervals._base import only_fold_scores
from ..metrics import Metric, as_metric
from ..metrics.means._given_values import MEAN
from ..predictions import OOFPredictions
from ..predictions._arrays import scores_of_second_class
from ..predictions._checks import check_alignment
from ..results import ComparisonResult, ConfidenceInterval
from ._sides import Side

__all__ = ["ONLY_SCORES", "sides_of"]

ONLY_SCORES = (
    "{} keeps no predictions, so only scores per fold are compared, without a correction for its "
    "selection. OOFPredictions.from_search(search, X, y) fits it again and keeps them."
)


def sides_of(
    first: Any, second: Any, scoring: Any, arrays: dict[str, Any]
) -> tuple[tuple[Side, Side], Metric, tuple[str, ...]]:
    """Both sides, the metric, and what a search says of itself.

    Parameters
    ----------
    first, second : array-like, OOFPredictions, Side or fitted search
        What is compared.
    scoring : str, scorer, Metric or None
        The metric; None takes that of a search.
    arrays : dict
        What belongs to arrays: ``y_true``, ``fold``, ``groups``, ``sample_weight``.
    """
    both = {"first": first, "second": second}
    given = {name: value for name, value in arrays.items() if value is not None}
    are_arrays = {what: _is_array(each, what) for what, each in both.items()}
    if all(are_arrays.values()):
        return (*_of_arrays(first, second, scoring, given), ())
    if given:
        raise ValueError(
            f"{', '.join(given)} belong to arrays, but one side has predictions of its own, with "
            "samples, folds, groups and weights. Leave them out."
        )
    metric = _common_metric((first, second), scoring)
    if first is second:
        raise ValueError("Both sides are the same object: there is nothing to compare.")
    sides: dict[str, Side] = {}
    notes: list[str] = []
    for what, each in both.items():
        if not are_arrays[what]:
            sides[what], told = _of_predictions(each, what, metric)
            notes += told
    for what, each in both.items():
        if are_arrays[what]:
            (other,) = sides.values()
            sides[what] = _beside(each, other.oof, metric, what)
    return (sides["first"], sides["second"]), metric, tuple(notes)


def _is_array(value: Any, what: str) -> bool:
    known = isinstance(value, (OOFPredictions, Side)) or hasattr(value, "cv_results_")
    if known:
        return False
    if hasattr(value, "fit"):
        if hasattr(value, "_run_search"):
            raise ValueError(f"Fit the search first: {type(value).__name__} has no predictions.")
        if isinstance(value, type):
            raise ValueError(f"{what} is {got(value)}. Give its predictions, or a fitted search.")
        raise ValueError(
            f"{type(value).__name__} is an estimator without predictions. A search trains it on "
            "its own splits: search.compare(baseline=estimator, X=X, y=y). Or give predictions, "
            "as in compare(model.predict(X), other.predict(X), 'accuracy', y_true=y)."
        )
    if isinstance(value, (ConfidenceInterval, ComparisonResult)):
        raise ValueError(
            f"{what} is a {type(value).__name__}, but whether two intervals overlap does not tell "
            "whether two models differ. Give the searches or predictions that they are about."
        )
    if np.ndim(value) == 0:
        raise ValueError(
            f"{what} must be predictions or a fitted search, got {got(value)}. The third argument "
            "is the metric: compare(first, second, 'roc_auc', y_true=y)."
        )
    return True


def _of_arrays(
    first: Any, second: Any, scoring: Any, given: dict[str, Any]
) -> tuple[tuple[Side, Side], Metric]:
    """Two arrays as predictions of one model each."""
    if "y_true" not in given:
        if scoring is not None:
            if np.ndim(scoring):
                raise ValueError(
                    "compare takes two sides, then the metric; the third argument is an array. "
                    "Predictions are compared by compare(first, second, 'roc_auc', y_true=y)."
                )
            raise ValueError(
                f"Without y_true the means of the two arrays are compared, so scoring={scoring!r} "
                "cannot be used. Pass y_true, or leave scoring out."
            )
        given["y_true"], scoring = np.zeros(len(np.asarray(first))), MEAN
    elif scoring is None:
        raise ValueError("scoring must be given, for example 'roc_auc' or 'accuracy'.")
    n_samples = len(np.asarray(given["y_true"]))
    check_alignment({"first": first, "second": second, **given}, n_samples)
    sides = []
    for what, values in (("first", first), ("second", second)):
        array = np.asarray(values)
        if array.shape[:1] != (n_samples,) or array.ndim > 2:
            raise ValueError(
                f"{what} has shape {array.shape}, but there are {n_samples} samples: expected one "
                "prediction per sample, (n_samples,) or (n_samples, n_classes)."
            )
        oof = OOFPredictions(y_pred=array[:, None], **given)
        sides.append(Side(oof=oof, name=what))
    return (sides[0], sides[1]), as_metric(scoring)


def _common_metric(both: tuple[Any, Any], scoring: Any) -> Metric:
    """The given metric, or that by which the searches select."""
    searches = [each for each in both if hasattr(each, "cv_results_")]
    if scoring is not None:
        # A metric of a search goes by the name that the search gave it.
        own = next((each for each in searches if hasattr(each, "_own_metric")), None)
        return as_metric(scoring) if own is None else own._own_metric(scoring)
    if not searches:
        raise ValueError("scoring must be given, for example 'roc_auc' or 'accuracy'.")
    metrics = [_metric_of(search) for search in searches]
    if not _alike(metrics[0], metrics[-1]):
        raise ValueError(
            f"The first search selects by {metrics[0].name}, the second by {metrics[1].name}. "
            "Pass scoring=..., by which both are then tuned and scored."
        )
    return metrics[0]


def _metric_of(search: Any) -> Metric:
    """By which a search selects; of other searches than ours only the name may be known."""
    if hasattr(search, "_own_metric"):
        return search._own_metric(None)
    names = list(OOFPredictions.from_search(search).fold_scores)
    name = names[0] if len(names) == 1 else search.refit
    if not isinstance(name, str):
        raise ValueError(
            f"scoring must be given: {type(search).__name__} has the metrics {names}, and none of "
            "them selects."
        )
    try:
        return as_metric(name)
    except ValueError:
        return Metric(name=name, scorer=only_fold_scores)


def _alike(one: Metric, other: Metric) -> bool:
    return (
        one.name == other.name
        and one.score_func is other.score_func
        and one.sign == other.sign
        and same(dict(one.kwargs), dict(other.kwargs))
    )


def _of_predictions(value: Any, what: str, metric: Metric) -> tuple[Side, list[str]]:
    if isinstance(value, Side):
        return value, []
    if isinstance(value, OOFPredictions):
        return Side(oof=value), []
    if hasattr(value, "_comparison_side"):
        return value._comparison_side(metric)
    side = Side(oof=OOFPredictions.from_search(value), name=f"the {what} search's winner")
    return side, [ONLY_SCORES.format(type(value).__name__)]


def _beside(values: Any, oof: OOFPredictions, metric: Metric, what: str) -> Side:
    """An array of out-of-fold predictions on the samples and folds of the other side."""
    array = np.asarray(values)
    if not oof.responses or not oof.is_partition or oof.n_repeats > 1:
        raise ValueError(
            f"{what} is an array, which has a prediction per sample, but the other side has not "
            "one prediction per sample. Give OOFPredictions with the same rows; "
            "OOFPredictions.from_search(search, X, y) makes those of a finished search."
        )
    if array.shape[:1] != (oof.n_samples,):
        raise ValueError(
            f"{what} has shape {array.shape}, but there are {oof.n_samples} samples: expected one "
            "prediction per sample, in the order of the other side's."
        )
    methods = [name for name in (*metric.response_method, "plain") if name in oof.responses]
    if not methods:
        methods = list(metric.response_method) or list(oof.responses)
    if methods[0] == "predict" and oof.classes_ is not None:
        unknown = sorted(set(array.tolist()) - set(oof.classes_.tolist()))
        if unknown:
            raise ValueError(
                f"{what} holds {unknown[0]!r}, which is not a class of the other side."
            )
        array = np.searchsorted(oof.classes_, array)
    columns = array[None]
    if methods[0] == "plain" and oof.pos_label is not None:
        assert oof.classes_ is not None
        columns = scores_of_second_class(columns, oof.classes_, oof.pos_label)
    beside = OOFPredictions(
        y_true=oof.y_true,
        responses={methods[0]: columns},
        pos_label=oof.pos_label,
        sample=oof.sample,
        fold=oof.fold,
        groups=oof.groups,
        sample_weight=oof.sample_weight,
        metadata=oof.metadata,
        classes=oof.classes_,
    )
    return Side(oof=beside, name=what)
