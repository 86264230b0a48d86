"""Read the out-of-fold predictions that ``fit_predict`` of LightAutoML returns."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import (
    accuracy_score,
    mean_absolute_error,
    mean_squared_error,
    r2_score,
    roc_auc_score,
)

from ..._text import count, fixed
from ..._utils import got
from ._models import (
    early_stopping_note,
    fitted_note,
    named,
    pooled_log_loss,
    predictions_of_models,
    target_by_index,
)
from ._shared import Predictions, check_sum_to_one, scores_of

ALL = 'general_params={"use_algos": [["linear_l2", "lgb"]], "return_all_predictions": True}'


def from_lightautoml(
    cls: type[Predictions],
    predictions: Any,
    y: Any,
    *,
    positive: Any = None,
    groups: Any = None,
) -> Predictions:
    """Read the out-of-fold predictions of the models of LightAutoML.

    Read with LightAutoML 0.4.2.

    Parameters
    ----------
    predictions : data set of LightAutoML
        What ``fit_predict`` of ``TabularAutoML`` returned, with all models of one level:
        ``general_params={"use_algos": [["linear_l2", "lgb"]], "return_all_predictions": True}``.
    y : array-like of shape (n_samples,)
        The column that was predicted, in the order of the training data. LightAutoML numbers
        labels by how often they occur; which number means which label is found from `y`.
    positive : label, default=None
        The event, of two classes. None takes the last one in sorted order, which a note says.
    groups : array-like of shape (n_samples,), default=None
        Samples of one group depend on each other.

    Returns
    -------
    OOFPredictions
        A configuration for each model, with the folds.

    Raises
    ------
    ValueError
        If the predictions are those of a blend or of a second level, which were fitted on the
        predictions of other models, or `y` is not of their samples.

    Warns
    -----
    IntervalWarning
        If a model lacks predictions, as where time ran out.

    Examples
    --------
    >>> from sklearn_bbc import OOFPredictions
    >>> from sklearn_bbc.intervals import BBC
    >>> predictions = automl.fit_predict(train, roles={"target": "y"})  # doctest: +SKIP
    >>> oof = OOFPredictions.from_lightautoml(predictions, train["y"])  # doctest: +SKIP
    >>> BBC(random_state=0).estimate(oof, "roc_auc")  # doctest: +SKIP
    """
    if not all(hasattr(predictions, name) for name in ("data", "features", "target", "task")):
        raise ValueError(
            "predictions must be what fit_predict of LightAutoML returned, with its data, "
            f"features and target, got {got(predictions)}."
        )
    table = np.asarray(predictions.data, dtype=float)
    codes = np.asarray(predictions.target).reshape(-1)
    target = target_by_index(y, pd.RangeIndex(len(table)), "fit_predict")
    codes = codes[target.row]
    kind = str(predictions.task.name)
    if kind not in ("binary", "multiclass", "reg"):
        raise ValueError(f"A task {kind!r} of LightAutoML has several targets, which is not read.")
    classes = None if kind == "reg" else _labels_of_codes(target.y, codes)
    columns: dict[str, list[int]] = {}
    for place, feature in enumerate(predictions.features):
        columns.setdefault(re.sub(r"_prediction_\d+$", "", str(feature)), []).append(place)
    fitted = [name for name in columns if not name.startswith("Lvl_0_")]
    models = {}
    for name in columns:
        if name in fitted:
            continue
        values = target.taken(table[:, columns[name]])
        if classes is None:
            values = values[:, 0]
        elif values.shape[1] == 1:
            values = np.column_stack([1 - values[:, 0], values[:, 0]])
        if classes is not None:
            check_sum_to_one(values, name)
        models[name] = values
    if not models:
        raise ValueError(
            "These are predictions of a blend or of a second level, which were fitted on the "
            f"predictions of other models: {named(fitted)}. Fit with {ALL}."
        )
    notes = [*target.notes, *_scores_in_log(predictions, models, codes), *fitted_note(fitted)]
    notes += early_stopping_note(models, "LightAutoML")
    fold = getattr(predictions, "folds", None)
    if fold is None:
        notes.append("The folds are not known: these predictions have none.")
    else:
        fold = np.asarray(fold).reshape(-1)[target.row]
    return predictions_of_models(
        cls, target.y, models, classes,
        fold=fold, positive=positive, notes=notes, groups=target.kept_of(groups),
    )  # fmt: skip


def _labels_of_codes(y: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Find the label that each number means."""
    pairs = pd.DataFrame({"code": codes, "label": y}).drop_duplicates().sort_values("code")
    expected = np.arange(len(pairs))
    if not np.array_equal(pairs["code"], expected) or pairs["label"].duplicated().any():
        raise ValueError(
            "y and the target of LightAutoML do not belong together: "
            f"{count(len(pairs), 'pair')} of label and number for "
            f"{count(pairs['label'].nunique(), 'label')}. Give y in the order of the training "
            "data."
        )
    return pairs["label"].to_numpy()


def _scores_in_log(
    predictions: Any, models: Mapping[str, np.ndarray], codes: np.ndarray
) -> list[str]:
    """Say the scores by the metric of the task, which LightAutoML writes to its log only."""
    name = str(getattr(predictions.task, "metric_name", None))
    metric = LIGHTAUTOML_METRICS.get(name)
    complete = {n: each for n, each in models.items() if not np.isnan(each).any()}
    if metric is None or not complete:
        return ["LightAutoML keeps no leaderboard with which these could be compared."]
    scores = scores_of(metric, codes, complete)
    some = [f"{n} {fixed(score, 6)}" for n, score in scores.items()]
    return [
        f"LightAutoML keeps no leaderboard; its log has the {name} of each model, which is here: "
        f"{named(some)}."
    ]


LIGHTAUTOML_METRICS: dict[str, Callable[..., float]] = {
    "auc": lambda y, p: roc_auc_score(y, p[:, 1]),
    "logloss": pooled_log_loss,
    "crossentropy": pooled_log_loss,
    "accuracy": lambda y, p: accuracy_score(y, p.argmax(axis=1)),
    "mse": mean_squared_error,
    "mae": mean_absolute_error,
    "r2": r2_score,
}
