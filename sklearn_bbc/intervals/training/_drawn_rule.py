"""Rules on single samples in the search of every draw: thresholds, ensembles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from ..._wording import threshold_sentences
from ...metrics import Metric
from ...predictions import OOFPredictions
from ...selection import AsRefit, Selection
from ._problem import Problem


def keeps_predictions(estimator: Any) -> bool:
    """Whether a search has out-of-fold predictions when it is fitted."""
    return hasattr(type(estimator), "oof_") and getattr(estimator, "record", True)


def split_rule(estimator: Any, selection: Selection) -> tuple[Any, Selection]:
    """Give the choice of the configuration to the search, and keep what comes after it.

    Parameters
    ----------
    estimator : estimator
        A search that keeps its predictions.
    selection : Selection
        A rule on single samples.

    Returns
    -------
    estimator : estimator
        A clone that selects by the rule's own rule for configurations, if it has one.
    selection : Selection
        The rule without that.
    """
    estimator = clone(estimator)
    first = selection.get_params(deep=False).get("configuration")
    if first is None:
        return estimator, selection
    estimator.set_params(refit=AsRefit(first))
    return estimator, clone(selection).set_params(configuration=None)


def reported_metric(problem: Problem, selection: Selection) -> Metric:
    """What the result is about: a threshold is scored by a metric of its own."""
    classes = classes_of(problem)
    selection._check_classes(classes)
    return selection._reported(problem.metric, classes)


def classes_of(problem: Problem) -> np.ndarray | None:
    """Sorted labels; None for regression."""
    labels = problem.labels()
    return None if labels is None else np.unique(labels)


def tell_of_draws(problem: Problem, selection: Selection, reached: Sequence[bool | None]) -> None:
    """Put what became of a demand in the draws into the details.

    Parameters
    ----------
    problem : Problem
        Its `details` are added to.
    selection : Selection
        The rule, see `split_rule`.
    reached : sequence of bool or None
        Whether some threshold of each draw reached the demand; None where there was no threshold.
    """
    demand = getattr(selection.get_params(deep=False).get("scoring"), "demand", None)
    if demand is None:
        return
    known = [each for each in reached if each is not None]
    problem.details["demand"] = demand.told(None, float(np.mean(known)) if known else None)
    problem.details["notes"].extend(threshold_sentences(problem.details))


def score_by_rule(
    problem: Problem, selection: Selection, counts: np.ndarray, params: dict[str, Any]
) -> tuple[float, int, bool | None]:
    """Search on a draw, choose on its out-of-fold predictions, score on what was left out.

    Parameters
    ----------
    problem : Problem
        A search that keeps its predictions, the data and the metric that selects.
    selection : Selection
        The rule, see `split_rule`.
    counts : ndarray of shape (n_samples,)
        How often each sample is in the draw.
    params : dict
        Set on the search first: splits in which copies stay together.

    Returns
    -------
    score : float
        Of what the rule selects, fitted on the draw, out-of-bag.
    n_fits : int
        Models that were fitted beside those of the search.
    reached : bool or None
        Whether the threshold keeps what it must where it was chosen; None without a demand.
    """
    in_bag = np.repeat(np.arange(len(counts)), counts)
    search = problem.fit(in_bag, **params)
    oof = search.oof_.with_selected(int(search.best_index_), by="the search")
    if not oof.responses:
        raise ValueError(
            f"{selection!r} needs out-of-fold predictions, but {type(search).__name__} kept none."
        )
    rule = selection.bind(oof, problem.metric.bind(oof))
    members = rule.members().tolist()
    if -1 in members or not members:
        return np.nan, 0, None
    models = [
        search.best_estimator_
        if config == search.best_index_
        else _fitted(problem, search, config, in_bag)
        for config in members
    ]
    n_fits = sum(config != search.best_index_ for config in members)
    left_out = _predictions(problem, models, list(oof.responses), np.flatnonzero(counts == 0))
    chosen = rule.on_all().columns
    reached = bool(chosen["reached"][0]) if "reached" in chosen else None
    return rule.score_elsewhere(left_out), n_fits, reached


def _fitted(problem: Problem, search: Any, config: int, in_bag: np.ndarray) -> Any:
    """A configuration of a search, fitted on a draw as the search fits its winner."""
    chosen = clone(search.cv_results_["params"][config], safe=False)
    estimator = clone(search.estimator).set_params(**chosen)
    return replace(problem, estimator=estimator).fit(in_bag)


def _predictions(
    problem: Problem, models: list[Any], methods: list[str], test: np.ndarray
) -> OOFPredictions:
    """What models answer about some samples, one configuration each."""
    X, y = _safe_indexing(problem.X, test), np.asarray(_safe_indexing(problem.y, test))
    classes = classes_of(problem)
    responses = {}
    for method in methods:
        with np.errstate(**problem.errstate):
            answers = [
                np.asarray(getattr(model, method)(X)) if hasattr(model, method) else None
                for model in models
            ]
        if classes is not None and method == "predict":
            answers = [None if a is None else np.searchsorted(classes, a) for a in answers]
        shapes = [answer.shape for answer in answers if answer is not None]
        if not shapes:
            continue
        missing = np.full(shapes[0], -1 if method == "predict" else np.nan)
        responses[method] = np.array([missing if a is None else a for a in answers])
    return OOFPredictions._quietly(y_true=y, responses=responses, classes=classes)
