"""What a search is compared with: one of its configurations, a model it trains, another search."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from numbers import Integral
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from sklearn import get_config
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import check_cv
from sklearn.model_selection._search import BaseSearchCV

from .._utils import got, same, with_groups
from ..comparison._base import Side
from ..comparison._compare import ONLY_SCORES
from ..comparison._tied import tied_with_best
from ..comparison._tied_methods import TiedMethod
from ..metrics._metric import Metric
from ..predictions._predictions import OOFPredictions
from ..results._sets import TiedSet
from ._metrics import position_of
from ._stage import AfterSearch, SearchState, predictions_for

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
    metric: Metric,
    data: tuple[Any, Any],
    fit_params: Mapping[str, Any],
) -> tuple[Side, list[str]]:
    """Side of a baseline."""
    own = search._comparison_side(metric)[0]

    def train(estimator: Any, name: str) -> Side:
        return _trained(search, own.oof, estimator, name, metric, data, fit_params)

    if isinstance(baseline, str):
        if baseline != "default":
            raise ValueError(BASELINE.format(got(baseline)))
        tried = _position_of_default(search)
        if tried is not None:
            return Side(oof=own.oof, config=tried, name="the default"), []
        return _trained(
            search, own.oof, search.estimator, "the default", metric, data, fit_params
        ), []
    if hasattr(baseline, "_comparison_side") and hasattr(baseline, "oof_"):
        side, notes = baseline._comparison_side(metric)
        return Side(oof=side.oof, selection=side.selection, name="the other search"), notes
    if hasattr(baseline, "cv_results_"):
        side = Side(oof=OOFPredictions.from_search(baseline), name="the other search")
        return side, [ONLY_SCORES.format(type(baseline).__name__)]
    if isinstance(baseline, (OOFPredictions, Side)):
        return (baseline if isinstance(baseline, Side) else Side(oof=baseline)), []
    if isinstance(baseline, type) or not (
        hasattr(baseline, "fit") or isinstance(baseline, (Mapping, Integral))
    ):
        raise ValueError(BASELINE.format(got(baseline)))
    if hasattr(baseline, "fit"):
        name = type(baseline).__name__
        return train(baseline, name), []
    try:
        config = position_of(baseline, search.cv_results_["params"])
    except ValueError as error:
        raise ValueError(str(error).replace("config", "baseline", 1)) from None
    return Side(oof=own.oof, config=config), []


def _position_of_default(search: Any) -> int | None:
    """Configuration of the search that has the estimator's own parameters, if there is one."""
    own = search.estimator.get_params()
    for position, params in enumerate(search.cv_results_["params"]):
        if params and all(name in own and _equal(own[name], params[name]) for name in params):
            return position
    return None


def _equal(one: Any, other: Any) -> bool:
    if one is other:
        return True
    try:
        return type(one) is type(other) and bool(np.all(one == other))
    except (TypeError, ValueError):  # what cannot be compared is not the same
        return False


def _trained(
    search: Any,
    oof: OOFPredictions,
    estimator: Any,
    name: str,
    metric: Metric,
    data: tuple[Any, Any],
    fit_params: Mapping[str, Any],
) -> Side:
    """Out-of-fold predictions of an estimator that is trained on the splits of the search."""
    X, y = data
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
    fit_params = {name: oof.metadata[name] for name in asked} | with_groups(fit_params)
    alone = _Alone(
        clone(estimator),
        scoring=metric.scorer,
        cv=recorded_splits(search, X, y, fit_params.get("groups")),
        n_jobs=search.n_jobs,
    ).fit(X, y, **fit_params)
    trained = alone.oof_
    (scores,) = trained.fold_scores.values()
    fields: dict[str, Any] = {
        "fold_scores": MappingProxyType({metric.name: scores}),
        "groups": oof.groups,
        "sample_weight": oof.sample_weight,
        "metadata": oof.metadata,
    }
    return Side(oof=trained._with_fields(**fields), name=name)


class _Alone(AfterSearch, BaseSearchCV):
    """A search of one configuration: cross-validation whose predictions are recorded."""

    ci: ClassVar[list[Any]] = []

    def __init__(
        self, estimator: Any, *, scoring: Any, cv: Any, n_jobs: int | None = None
    ) -> None:
        super().__init__(
            estimator, scoring=scoring, cv=cv, n_jobs=n_jobs, refit=False, error_score="raise"
        )

    def _run_search(
        self, evaluate_candidates: Callable[..., Any], *, callback_ctx: Any = None
    ) -> None:
        evaluate_candidates([{}])


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
    if all(
        len(test) + size == oof.n_samples for test, size in zip(tests, oof.train_size, strict=True)
    ):
        return [(np.setdiff1d(everything, test), test) for test in tests]
    again = list(check_cv(search.cv).split(X, y, groups))
    if len(again) == len(tests) and all(
        np.array_equal(np.sort(test), kept) for (_, test), kept in zip(again, tests, strict=True)
    ):
        return [(np.asarray(train), kept) for (train, _), kept in zip(again, tests, strict=True)]
    raise ValueError(
        "The training samples of the search's splits cannot be told: they are not simply those "
        "that are not tested, and its splitter gives other splits when run again. Use a splitter "
        "with a seed (random_state=0) and fit the search again."
    )


def tied_in_search(stage: SearchState, metric: Metric, method: Any, **options: Any) -> TiedSet:
    """Find the tied configurations with what the search knows."""
    oof = predictions_for(stage, metric, "tied_with_best")
    if options.get("selection") is None:
        options["selection"] = stage.selection(metric, metric if stage.selects_nothing else None)
    offered = {"random_state": stage.seed, "n_jobs": stage.n_jobs}
    options |= {name: value for name, value in offered.items() if options.get(name) is None}
    if isinstance(method, TiedMethod):
        method = clone(method)
        if method.get_params(deep=False).get("random_state", 0) is None:
            method.set_params(random_state=stage.seed)
    result = tied_with_best(oof, metric, method=method, **options)
    notes = list(stage.notes)
    if not notes:
        return result
    details = {**result.details, "notes": [*result.details["notes"], *notes]}
    return dataclasses.replace(result, details=details)
