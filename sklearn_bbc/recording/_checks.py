"""Check what a search is asked to do, and make the metrics that it scored."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from inspect import Signature, signature
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import is_classifier, is_regressor
from sklearn.metrics import make_scorer
from sklearn.metrics._scorer import _PassthroughScorer
from sklearn.utils.metadata_routing import get_routing_for_object

from .._rounding import precision
from .._scorers import (
    SURVIVAL,
    check_scorer,
    is_survival_response,
    parameters_of,
    scorer_names,
    survival_response,
    times_of_response,
    unknown_scorer,
)
from .._text import count
from .._utils import got, is_integer, suppress_fp_warnings
from .._warnings import no_warnings, warn_user
from ..exceptions import RecordingWarning
from ..metrics._concordance import concordance_index_score
from ..metrics._metric import Metric, as_metric
from ..metrics._scikit_survival import scorer_of, wrapper_in
from ..metrics._survival import SURVIVAL_SCORES, check_can_be_scored, checked_times
from ..predictions._order import check_block_length
from ..predictions._predictions import OOFPredictions
from ..predictions._validation import check_no_dates
from ._capture import RESPONSE_METHODS

SEVERAL = (list, tuple, set)


def check_scoring(scoring: Any) -> None:
    """Raise for unknown names, functions of predictions, and values that are not a metric."""
    several = scoring.values() if isinstance(scoring, Mapping) else scoring
    known = set(scorer_names())
    for name in several if isinstance(scoring, (Mapping, *SEVERAL)) else [scoring]:
        if isinstance(name, str) and name not in known:
            raise ValueError(unknown_scorer(name))
    for each in several if isinstance(scoring, Mapping) else [scoring]:
        check_scorer(each)
    if scoring is None or callable(scoring) or isinstance(scoring, (str, Mapping, *SEVERAL)):
        return
    raise ValueError(
        "scoring must be the name of a metric, such as 'roc_auc', a scorer, several of them as a "
        f"list or dict, or None, got {got(scoring)}."
    )


def takes_no_weights(scoring: Mapping[str, Any]) -> ValueError:
    """Make the error for functions in a dict, of which scikit-learn expects that they say it."""
    names = [
        repr(name)
        for name, each in scoring.items()
        if not isinstance(each, str) and not hasattr(each, "_accept_sample_weight")
    ]
    are = "is a function" if len(names) == 1 else "are functions"
    return ValueError(
        f"scoring: {', '.join(names)} {are}, and of functions in a dict scikit-learn does not "
        "know whether they take sample_weight. Use make_scorer, for example "
        f"{{{names[0]}: make_scorer(accuracy_score)}}, or leave sample_weight out of fit. One "
        "function by itself, scoring=function, gets weights if it has a parameter sample_weight."
    )


def check_target(y: Any, *, recorded: bool) -> None:
    """Raise for text with missing values as a target, which Python cannot sort, and for dates.

    Dates are the trouble only where predictions of them are `recorded`.
    """
    array = y.to_numpy() if isinstance(y, pd.Series) else y
    if isinstance(array, np.ndarray) and array.dtype == object and array.ndim == 1:
        missing = pd.isna(array)
        if missing.any() and any(isinstance(value, str) for value in array[~missing]):
            raise ValueError(
                f"y contains {count(int(missing.sum()), 'missing value')} (NaN or None) among "
                f"{len(array):,} classes. Remove these samples, from X too: keep = y.notna(); "
                "fit(X[keep], y[keep])."
            )
    if not recorded:
        return
    array = y.to_numpy() if hasattr(y, "to_numpy") else y
    if isinstance(array, (list, tuple)) and array and np.ndim(array[0]) == 0:
        array = np.asarray(array)
    if isinstance(array, np.ndarray) and array.dtype.kind in "OMmV":
        check_no_dates(array, "y")


def check_blocks(search: Any) -> None:
    """Raise, before the search, where its draws cannot take blocks of samples."""
    check_block_length(search.block_length)
    if not getattr(search, "record", True):
        raise ValueError(
            "block_length is about draws of predictions, and record=False does not keep them. Use "
            "record=True, or block_length=None."
        )
    if getattr(search, "drop", None) is not None:
        raise ValueError(
            "drop compares configurations as if samples were independent, and block_length says "
            "that they are not. Use drop=None, or block_length=None."
        )


def check_grid(param_grid: Any) -> None:
    """Raise for what is neither a search space nor a list of them."""
    if not isinstance(param_grid, (dict, list)):
        raise ValueError(
            "param_grid must be a dict of parameter names and the values to try, such as "
            f"{{'C': [0.1, 1, 10]}}, or a list of such dicts, got {got(param_grid)}."
        )


def check_search_seed(random_state: Any) -> None:
    """Raise for what scikit-learn, which draws the configurations, takes for no seed."""
    is_seed = is_integer(random_state, 0) and random_state < 2**32
    if not (random_state is None or is_seed or isinstance(random_state, np.random.RandomState)):
        raise ValueError(
            f"random_state must be an int from 0 to {2**32 - 1}, a numpy RandomState or None, got "
            f"{got(random_state)}."
        )


def check_store(store: Any) -> None:
    """Raise for what is no name of a folder."""
    if store is not None and not isinstance(store, (str, os.PathLike)):
        raise ValueError(f"store must be the name of a folder or None, got {got(store)}.")


def wanted_responses(record: Any) -> tuple[bool, tuple[str, ...]]:
    """Read `record`: whether to record, and which response methods in any case."""
    if isinstance(record, (bool, np.bool_)):
        return bool(record), ()
    names = (record,) if isinstance(record, str) else record
    texts = names if isinstance(names, SEVERAL) and all(isinstance(n, str) for n in names) else ()
    at_times = [name for name in texts if is_survival_response(name)]
    if texts and all(name in RESPONSE_METHODS or name in at_times for name in texts):
        try:
            times = [checked_times(times_of_response(name), "record") for name in at_times]
        except ValueError as error:
            raise ValueError(f"The 'record' parameter: {error}") from None
        plain = [name for name in RESPONSE_METHODS if name in texts]
        return True, tuple(dict.fromkeys([*plain, *map(survival_response, times)]))
    raise ValueError(
        "The 'record' parameter must be True, False, or what to record besides the answers that "
        f"the scorers ask for: some of {list(RESPONSE_METHODS)}, or for survival models "
        f"'{SURVIVAL}(365)', with the times; got {got(record)}."
    )


def check_metrics_of_target(scoring: Any, y: Any, estimator: Any) -> None:
    """Raise for metrics that will fail in every fold, since they cannot take this target.

    Only of scikit-learn's functions and ours is it known what they do with classes; other
    scorers are called.
    """
    single = isinstance(scoring, str) or callable(scoring) or scoring is None
    several = scoring.values() if isinstance(scoring, Mapping) else scoring
    metrics = [
        as_metric(each)
        for each in ([scoring] if single else several)
        if isinstance(each, str) or hasattr(each, "_score_func")
    ]
    for metric in metrics:
        if metric.score_func in SURVIVAL_SCORES and y is not None:
            check_can_be_scored(metric, y)
    classes = _target_classes(y) if is_classifier(estimator) else None
    if classes is None:
        return
    for metric in metrics:
        module = getattr(metric.score_func, "__module__", None) or ""
        known = module.startswith(("sklearn.", "sklearn_bbc."))
        if not known or metric.requests:  # what is requested may change anything
            continue
        of_classes = metric.unknown_positive_label if len(classes) == 2 else metric.of_two_classes
        if problem := of_classes(classes) or _of_numbers(metric, classes):
            raise ValueError(problem)


def _target_classes(y: Any) -> np.ndarray | None:
    """Return the classes of a target in sorted order; None where it has no two or more."""
    if not isinstance(y, (list, tuple)) and not hasattr(y, "dtype"):
        return None
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1 or labels.dtype.kind not in "UTOiub" or not len(labels):
        return None
    try:
        classes = np.unique(labels)
    except TypeError:  # missing labels among others: scikit-learn says so
        return None
    if classes.dtype.kind == "T" or (classes.dtype.kind == "O" and isinstance(classes[0], str)):
        classes = classes.astype(str)
    return classes if len(classes) > 1 and classes.dtype.kind in "Uiub" else None


def _of_numbers(metric: Metric, classes: np.ndarray) -> str | None:
    """Explain that a metric cannot take these classes, by what it says of perfect predictions."""
    function = metric.score_func
    if function is None:
        return None
    if classes.dtype.kind != "U" and "pos_label" not in parameters_of(function):
        return None
    labels = np.repeat(classes, 2)
    codes = np.repeat(np.arange(len(classes)), 2)
    answer = labels
    if metric.response_method != ("predict",):
        answer = codes.astype(float) if len(classes) == 2 else np.eye(len(classes))[codes]
    try:
        with no_warnings(), suppress_fp_warnings():
            function(labels, answer, **metric.kwargs)
    except (TypeError, ValueError) as error:
        advice = "Give the classes as numbers, such as 0 and 1, or use another metric."
        if "pos_label" in parameters_of(function) and len(classes) == 2:
            advice = metric.naming(classes[1].item())
        some = ", ".join(map(repr, classes[:3].tolist())) + ", ..." * (len(classes) > 3)
        return (
            f"{metric.name} cannot be computed for the classes {some}, so it would fail in every "
            f"fold: {' '.join(str(error).split()).rstrip('.')}. {advice}"
        )
    return None


def config_position(
    config: Any, params: Sequence[Mapping[str, Any]], argument: str = "config"
) -> int:
    """Find the position of a configuration that is given by its position or its parameters."""
    last = len(params) - 1
    if isinstance(config, Mapping):
        same = [k for k, each in enumerate(params) if each is config]
        found = same or [
            k
            for k, each in enumerate(params)
            if all(name in each and equal_value(each[name], config[name]) for name in config)
        ]
        if len(found) == 1:
            return found[0]
        some = ", ".join(map(str, found[:5])) + (", ..." if len(found) > 5 else "")
        who = f"the {len(found)} configurations {some} all have" if found else "none has"
        raise ValueError(
            f"{argument} must be the parameters of one configuration of this search, but {who} "
            f"{dict(config)!r}. Give all parameters of one, as in cv_results_['params'], or its "
            f"position, 0 to {last}."
        )
    if not is_integer(config, 0) or config > last:
        raise ValueError(
            f"{argument}={config!r} is not a configuration of this search; known are 0 to {last}, "
            "the positions in cv_results_['params'], and the parameters there, as a dict such "
            "as best_params_."
        )
    return int(config)


def equal_value(one: Any, other: Any) -> bool:
    """Check whether two parameter values are equal; False where they cannot be compared."""
    try:
        return one is other or bool(np.all(one == other))
    except (TypeError, ValueError):
        return False


def describe_cells(cells: np.ndarray, most: int = 5) -> str:
    """Name configurations and folds, the first few by number."""
    configs = np.flatnonzero(cells.any(axis=0)).tolist()
    parts = []
    for config in configs[:most]:
        folds = np.flatnonzero(cells[:, config]).tolist()
        numbers = ", ".join(map(str, folds[:most]))
        rest = f" and {len(folds) - most} more" if len(folds) > most else ""
        parts.append(f"configuration {config} (fold {numbers}{rest})")
    if len(configs) > most:
        parts.append(f"and {count(len(configs) - most, 'more configuration')}")
    return ", ".join(parts)


SCORE = "score"
"""Name under which ``cv_results_`` keeps the only metric of a search."""


def metric_names(cv_results: dict[str, Any]) -> list[str]:
    """List the names of the metrics in ``cv_results_``."""
    prefix = "mean_test_"
    return [key.removeprefix(prefix) for key in cv_results if key.startswith(prefix)]


class ScoreByName:
    """One score of a callable that returns several, as a scorer of its own."""

    def __init__(self, scorer: Any, name: str) -> None:
        self.scorer, self.name = scorer, name

    def __call__(self, estimator: Any, X: Any, *args: Any, **kwargs: Any) -> float:
        return self.scorer(estimator, X, *args, **kwargs)[self.name]

    def get_metadata_routing(self) -> Any:
        """Return what the callable itself asks for."""
        return get_routing_for_object(self.scorer)

    @property
    def __signature__(self) -> Signature:
        return signature(self.scorer)


RISKS, TIMES = "concordance index", "concordance index of times"
OF_TIMES = "make_scorer(concordance_index_score, predicts='time')"
OWN_SCORE = "the estimators' own score method cannot be called on recorded predictions"


def own_score(estimator: Any, X: Any, *args: Any) -> float:
    """Raise in place of the ``score`` method of estimators, which no recorded prediction has."""
    raise TypeError(OWN_SCORE)


def own_survival_score(estimator: Any, X: Any, *args: Any) -> float:
    """Raise in place of the ``score`` of survival models, which has a name among the scorers."""
    raise TypeError(
        f"{OWN_SCORE}. For survival models it is usually the concordance index: of a model that "
        'predicts risks scoring="concordance_index" records what it needs, of one that predicts '
        f"times scoring={OF_TIMES}"
    )


def metrics_of_search(
    scoring: Any, scorer: Any, names: list[str], default: Any, survival: bool = False
) -> dict[str, Metric]:
    """Make the metric for each name in ``cv_results_``; `default` is as from `default_scorer`."""
    metrics = {}
    for name in names:
        one: Any = scorer
        label: str | None = name
        if isinstance(scorer, dict):
            one = scorer[name]
        elif names != [SCORE]:
            one = ScoreByName(scorer, name)
        else:
            label = scoring if isinstance(scoring, str) else None
        if isinstance(one, _PassthroughScorer):
            if default is not None:
                one = as_metric(default).scorer
                label = label or (default if isinstance(default, str) else None)
            else:
                one = own_survival_score if survival else own_score
                label = label or SCORE
        metrics[name] = as_metric(one, label)
    return metrics


def default_scorer(oof: OOFPredictions, fold_scores: np.ndarray, estimator: Any) -> Any:
    """Find the scorer, or its name, that computes what the estimators' own ``score`` returned.

    `fold_scores` (n_splits, n_configs). None where it is not known.
    """
    wrapper = wrapper_in(estimator)
    if wrapper is not None:
        return scorer_of(wrapper, oof.y_true)
    return name_of_default_score(oof, fold_scores, estimator)


def name_of_default_score(oof: OOFPredictions, fold_scores: np.ndarray, estimator: Any) -> Any:
    """Find the scorer that computes what the estimators' own ``score`` method returned.

    scikit-learn's classifiers return their accuracy, its regressors R2, and models of
    scikit-survival the concordance index, whether they predict risks or times. But a class may
    do anything, so a scorer is believed only when it gives the scores of every split again. If
    it does so for most configurations only, a warning is given.

    `fold_scores` (n_splits, n_configs). The name where the scorer has one.
    """
    possible: dict[str, Any] = {}
    if oof.y_true.dtype.names is None:
        possible |= {} if is_regressor(estimator) else {"accuracy": "accuracy"}
        possible |= {} if is_classifier(estimator) else {"r2": "r2"}
    if oof.y_true.dtype.names or oof.y_true.shape[1:] == (2,):
        possible[RISKS] = "concordance_index"
        possible[TIMES] = make_scorer(concordance_index_score, predicts="time")
    if "predict" not in oof.responses:
        return None
    agree: dict[str, np.ndarray] = {}  # which configurations (n_configs,)
    said: list[str] = []
    for name, scorer in possible.items():
        try:
            kernel = as_metric(scorer).bind(oof)
            again = kernel.fold_scores()
        # Not a metric for this target; the search is complete and must not be lost to that.
        except Exception:
            continue
        compared = np.isfinite(again) & np.isfinite(fold_scores)
        if not compared.any():
            continue
        # Of tensors in single precision the scores are, too.
        values = oof.responses["predict"]
        eps = max(
            precision(fold_scores.ravel()),
            float(np.finfo(values.dtype).eps) if values.dtype.kind == "f" else 0.0,
        )
        relative, absolute = max(1e-9, 100 * eps), max(1e-12, 10 * eps)
        same = np.isclose(again, fold_scores, rtol=relative, atol=absolute) | ~compared
        same |= ~kernel.valid
        if same.all():
            return scorer
        agree[name] = same.all(axis=0)
        if agree[name][kernel.valid].mean() > 0.5:
            how = f'scoring="{scorer}"' if isinstance(scorer, str) else f"scoring={OF_TIMES}"
            said.append(
                f"The estimators' own score is their {name} for most configurations, but not for "
                f"{describe_cells(~same)}. Either these models score in another way, or what was "
                f"recorded is not what was scored; so intervals come from the scores per fold. "
                f"{how} computes the same for all."
            )
    if {RISKS, TIMES} <= agree.keys() and (agree[RISKS] | agree[TIMES]).all():
        of_times = ", ".join(map(str, np.flatnonzero(~agree[RISKS])[:5].tolist()))
        said = [
            "By their own scores some configurations predict risks and others survival times "
            f"(such as {of_times}), and no scorer takes both. Search them apart; here intervals "
            "come from the scores per fold."
        ]
    for each in said:
        warn_user(each, RecordingWarning)
    return None
