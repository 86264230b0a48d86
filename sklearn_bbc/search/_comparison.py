"""Compare a finished search: with a baseline, and its configurations with the best."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import sklearn
from sklearn import get_config
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import check_cv
from sklearn.utils.validation import _num_samples

import sklearn_bbc.comparison as comparison

from .._notes import with_notes
from .._text import capital
from .._utils import got, same, with_groups
from ..contest._question import Question
from ..intervals._bbc import BBC, INTERVAL_PARAMETERS
from ..metrics._metric import Metric
from ..predictions._parts import fields_of_samples
from ..predictions._predictions import OOFPredictions, with_fields
from ..predictions._sources import last_step
from ..predictions._validation import in_index_order
from ..recording._checks import config_position, equal_value
from ..recording._finished import FinishedSearch
from ..recording._search import RecordedGrid
from ..recording._tasks import WithSplit
from ._estimate import own_draws

if TYPE_CHECKING:
    from ..comparison._base import Side
    from ..results._rankings import TiedSet

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
    finished: FinishedSearch,
    baseline: Any,
    own: Side,
    metric: Metric,
    X: Any,
    y: Any,
    params: Mapping[str, Any],
) -> tuple[Side, list[str]]:
    """Make the side of a baseline, and the notes on it.

    `own` is the side of the search. What must be trained is trained in a recording search, by `X`,
    `y` and `params` of ``fit``.
    """
    name, tried = "the default", None
    if isinstance(baseline, str):
        if baseline != "default":
            raise ValueError(BASELINE.format(got(baseline)))
        baseline, tried = search.estimator, _position_of_default(search)
        if tried is not None:
            return comparison.Side(oof=own.oof, config=tried, name=name), []
    elif hasattr(baseline, "_comparison_side") and hasattr(baseline, "oof_"):
        side, notes = baseline._comparison_side(metric, "baseline")
        other = comparison.Side(oof=side.oof, selection=side.selection, name="the other search")
        return other, notes
    elif hasattr(baseline, "cv_results_"):
        side = comparison.Side(oof=OOFPredictions.from_search(baseline), name="the other search")
        return side, [comparison.ONLY_SCORES.format(type(baseline).__name__)]
    elif isinstance(baseline, comparison.Side):
        return baseline, []
    elif isinstance(baseline, OOFPredictions):
        return comparison.Side(oof=baseline), []
    elif not isinstance(baseline, type) and isinstance(baseline, (Mapping, Integral)):
        config = config_position(baseline, search.cv_results_["params"], "baseline")
        return comparison.Side(oof=own.oof, config=config), []
    elif isinstance(baseline, type) or not hasattr(baseline, "fit"):
        raise ValueError(BASELINE.format(got(baseline)))
    else:
        name = type(last_step(baseline)).__name__
    oof = _trained(search, finished, own.oof, baseline, name, metric, X, y, params)
    return comparison.Side(oof=oof, name=name), []


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
    finished: FinishedSearch,
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
        raise ValueError(NEEDS_DATA.format(capital(name)) + fit_it)
    given, _, _ = in_index_order(
        {"X": X, "y": y, **with_groups(params)}, oof.n_samples, oof.indexes
    )
    X, y, params = given["X"], given["y"], {name: given[name] for name in params}
    asked = oof.metadata.keys() & set(metric.requests.values())
    if asked and not get_config()["enable_metadata_routing"]:
        raise ValueError(
            f"{metric.name} asks for {', '.join(map(repr, sorted(asked)))} by set_score_request, "
            "and only metadata routing passes it on: compare inside "
            "sklearn.config_context(enable_metadata_routing=True)."
        )
    params = {name: oof.metadata[name] for name in asked} | params
    splits = recorded_splits(search, finished, X, y, "a baseline")
    try:
        alone = RecordedGrid(
            clone(estimator), {}, scoring=metric.scorer, cv=splits, n_jobs=search.n_jobs,
            error_score="raise",
        )  # fmt: skip
        trained = alone.fit(X, y, **params).oof_
    except (TypeError, ValueError) as error:
        if advice := _of_preprocessing(search.estimator, estimator):
            raise ValueError(
                f"{name} cannot be trained on these data as they are: {str(error).rstrip('.')}. "
                f"{advice}"
            ) from error
        raise
    (scores,) = trained.fold_scores.values()
    return with_fields(
        trained,
        fold_scores=MappingProxyType({metric.name: scores}),
        **fields_of_samples(oof),
    )


def _of_preprocessing(searched: Any, baseline: Any) -> str:
    """Write how to train a bare model behind the preprocessing of a search; empty without any."""
    pipeline = sklearn.pipeline.Pipeline
    if not isinstance(searched, pipeline) or isinstance(baseline, pipeline):
        return ""
    *before, (step, _) = searched.steps
    if not before:
        return ""
    return (
        "The search prepares them by the steps before the last one of its pipeline. Put the "
        f"baseline behind these: compare(clone(search.estimator).set_params({step}="
        f"{' '.join(repr(baseline).split())}), X, y), with clone from sklearn.base."
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


class RecordedSplits(WithSplit):
    """Splits of a finished search, in place of its splitter, whose routing they keep."""

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits."""
        return len(list(self.split()))


def recorded_splits(
    search: Any, finished: FinishedSearch, X: Any, y: Any, what: str
) -> RecordedSplits:
    """Return a splitter that gives the splits of a search; `what` needs them."""
    oof = search.oof_
    if not oof.n_rows:
        raise ValueError(
            f"The search kept no predictions, so its splits are not known, which {what} needs. "
            "Fit it with record=True."
        )
    if _num_samples(X) != oof.n_samples:
        raise ValueError(
            f"X must be the data that the search was fitted on: it has {_num_samples(X):,} "
            f"samples, and the search had {oof.n_samples:,}."
        )
    if y is None and (is_classifier(search.estimator) or is_regressor(search.estimator)):
        raise ValueError(f"y is missing: {what} needs X and y, as `fit` of the search.")
    _check_same_target(oof, y)
    everything, splits = np.arange(oof.n_samples), []
    for split, train in enumerate(finished.trains):
        test = np.sort(oof.sample[oof.fold == split])
        splits.append((np.setdiff1d(everything, test) if train is None else train, test))
    return RecordedSplits(check_cv(search.cv), lambda *args, **kwargs: iter(splits))


def tied_in_search(
    finished: FinishedSearch,
    question: Question,
    method: Any,
    draws: BBC | None = None,
    **options: Any,
) -> TiedSet:
    """Find the tied configurations with what the search knows."""
    unused = ("confidence_level", *INTERVAL_PARAMETERS)
    draws = own_draws(finished, draws, "tied_with_best", unused, n_bootstraps=1000, name="draws")
    method = finished.seeded(method) if isinstance(method, comparison.TiedMethod) else method
    result = comparison.tied_of(question, method=method, draws=draws, **options)
    return with_notes(result, finished.notes)
