"""Compare a search with one of its configurations, a model that it trains, another search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import check_cv

from .._utils import got, same, with_groups
from ..comparison._base import Side
from ..comparison._compare import ONLY_SCORES
from ..comparison._tied import tied_with_best
from ..comparison._tied_methods import TiedMethod
from ..metrics._metric import Metric
from ..predictions._predictions import OOFPredictions
from ..results._sets import TiedSet
from ._estimate import SearchState
from ._metrics import equal_value, position_of

BASELINE = (
    "baseline must be the position or the parameters of a configuration, 'default', an estimator "
    "object such as DummyClassifier(), or a fitted search, got {}. Predictions are compared by "
    "sklearn_bbc.compare(search, predictions)."
)
NEEDS_DATA = (
    "{} has to be trained on the splits of the search: pass the data that the search was fitted "
    "on, compare(baseline=..., X=X, y=y)."
)


def baseline_side(
    search: Any,
    baseline: Any,
    own: Side,
    metric: Metric,
    X: Any,
    y: Any,
    params: Mapping[str, Any],
) -> tuple[Side, list[str]]:
    """Make the side of a baseline, and the notes on it.

    `own` is the side of the search; `X`, `y` and `params` of ``fit`` are for what must be trained.
    """
    name, tried = "the default", None
    if isinstance(baseline, str):
        if baseline != "default":
            raise ValueError(BASELINE.format(got(baseline)))
        baseline, tried = search.estimator, _position_of_default(search)
        if tried is not None:
            return Side(oof=own.oof, config=tried, name=name), []
    elif hasattr(baseline, "_comparison_side") and hasattr(baseline, "oof_"):
        side, notes = baseline._comparison_side(metric)
        return Side(oof=side.oof, selection=side.selection, name="the other search"), notes
    elif hasattr(baseline, "cv_results_"):
        side = Side(oof=OOFPredictions.from_search(baseline), name="the other search")
        return side, [ONLY_SCORES.format(type(baseline).__name__)]
    elif isinstance(baseline, (OOFPredictions, Side)):
        return (baseline if isinstance(baseline, Side) else Side(oof=baseline)), []
    elif not isinstance(baseline, type) and isinstance(baseline, (Mapping, Integral)):
        config = position_of(baseline, search.cv_results_["params"], "baseline")
        return Side(oof=own.oof, config=config), []
    elif isinstance(baseline, type) or not hasattr(baseline, "fit"):
        raise ValueError(BASELINE.format(got(baseline)))
    else:
        name = type(baseline).__name__
    oof = _trained(search, own.oof, baseline, name, metric, X, y, params)
    return Side(oof=oof, name=name), []


def _position_of_default(search: Any) -> int | None:
    """Find the configuration that has the estimator's own parameters, if there is one."""
    own = search.estimator.get_params()
    for position, params in enumerate(search.cv_results_["params"]):
        if params and all(
            name in own and type(own[name]) is type(value) and equal_value(own[name], value)
            for name, value in params.items()
        ):
            return position
    return None


def _trained(
    search: Any,
    oof: OOFPredictions,
    estimator: Any,
    name: str,
    metric: Metric,
    X: Any,
    y: Any,
    params: Mapping[str, Any],
) -> OOFPredictions:
    """Train an estimator on the splits of the search; return its out-of-fold predictions."""
    supervised = is_classifier(search.estimator) or is_regressor(search.estimator)
    if X is None or (y is None and supervised):
        fit_it = " Or fit it first." if hasattr(estimator, "_run_search") else ""
        raise ValueError(NEEDS_DATA.format(name[:1].upper() + name[1:]) + fit_it)
    _check_same_target(oof, y)
    asked = oof.metadata.keys() & set(metric.requests.values())
    if asked and not get_config()["enable_metadata_routing"]:
        raise ValueError(
            f"{metric.name} asks for {', '.join(map(repr, sorted(asked)))} by set_score_request, "
            "and only metadata routing passes it on: compare inside "
            "sklearn.config_context(enable_metadata_routing=True)."
        )
    params = {name: oof.metadata[name] for name in asked} | with_groups(params)
    splits = recorded_splits(search, X, y, params.get("groups"))
    trained = search._cross_validated(clone(estimator), metric.scorer, splits, X, y, params)
    (scores,) = trained.fold_scores.values()
    return trained._with_fields(
        fold_scores=MappingProxyType({metric.name: scores}),
        groups=oof.groups,
        sample_weight=oof.sample_weight,
        metadata=oof.metadata,
    )


def _check_same_target(oof: OOFPredictions, y: Any) -> None:
    if y is None or oof.y_true.dtype.names is not None:
        return
    y = np.asarray(y)
    same_shape = y.size == oof.y_true.size and len(y) == len(oof.y_true)
    if not same_shape or not same(y.reshape(oof.y_true.shape), oof.y_true):
        raise ValueError(
            "X and y must be the data that the search was fitted on: the target values differ."
        )


def recorded_splits(
    search: Any, X: Any, y: Any, groups: Any
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Train and test samples of every split of a search."""
    oof = search.oof_
    if not oof.n_rows or oof.train_size is None:
        raise ValueError(
            "The search kept no predictions, so its splits are not known. Fit it with "
            "record=True, or compare with one of its configurations."
        )
    tests = [np.sort(oof.sample[oof.fold == split]) for split in range(oof.n_splits)]
    everything = np.arange(oof.n_samples)
    if all(len(test) + size == oof.n_samples for test, size in zip(tests, oof.train_size)):
        return [(np.setdiff1d(everything, test), test) for test in tests]
    again = list(check_cv(search.cv).split(X, y, groups))
    if same([np.sort(test) for _, test in again], tests):
        return [(np.asarray(train), kept) for (train, _), kept in zip(again, tests)]
    raise ValueError(
        "The training samples of the search's splits cannot be told: they are not simply those "
        "that are not tested, and its splitter gives other splits when run again. Use a splitter "
        "with a seed (random_state=0) and fit the search again."
    )


def tied_in_search(state: SearchState, metric: Metric, method: Any, **options: Any) -> TiedSet:
    """Find the tied configurations with what the search knows."""
    oof = state.predictions_for(metric, "tied_with_best")
    options["selection"] = state.selection(metric, metric if state.selects_nothing else None)
    offered = {"random_state": state.seed, "n_jobs": state.n_jobs}
    options |= {name: value for name, value in offered.items() if options.get(name) is None}
    if isinstance(method, TiedMethod):
        method = clone(method)
        if method.get_params(deep=False).get("random_state", 0) is None:
            method.set_params(random_state=state.seed)
    result = tied_with_best(oof, metric, method=method, **options)
    details = {**result.details, "notes": [*result.details["notes"], *state.notes]}
    return replace(result, details=details) if state.notes else result
