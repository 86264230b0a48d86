"""The metrics of a search, as the interval methods see them."""

from __future__ import annotations

from inspect import Signature, signature
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.metrics._scorer import _PassthroughScorer
from sklearn.utils.metadata_routing import get_routing_for_object

from .._warn import warn_user
from ..exceptions import RecordingWarning
from ..metrics import Metric, as_metric
from ..predictions import OOFPredictions
from .recording._check import describe_cells

__all__ = ["SCORE", "metric_names", "metrics_of_search", "name_of_default_score"]

SCORE = "score"
"""Name under which ``cv_results_`` keeps the only metric of a search."""


def metric_names(cv_results: dict[str, Any]) -> list[str]:
    """Names of the metrics in ``cv_results_``."""
    prefix = "mean_test_"
    return [key.removeprefix(prefix) for key in cv_results if key.startswith(prefix)]


class ScoreByName:
    """One score of a callable that returns several, as a scorer of its own."""

    def __init__(self, scorer: Any, name: str) -> None:
        self.scorer, self.name = scorer, name

    def __call__(self, estimator: Any, X: Any, *args: Any, **kwargs: Any) -> float:
        return self.scorer(estimator, X, *args, **kwargs)[self.name]

    def get_metadata_routing(self) -> Any:
        """What the callable itself asks for."""
        return get_routing_for_object(self.scorer)

    @property
    def __signature__(self) -> Signature:
        return signature(self.scorer)


def own_score(estimator: Any, X: Any, *args: Any) -> float:
    """Stands for the ``score`` method of estimators, which no recorded prediction has."""
    raise TypeError("the estimators' own score method cannot be called on recorded predictions")


def own_survival_score(estimator: Any, X: Any, *args: Any) -> float:
    """The same for survival models, whose ``score`` has a name among the scorers."""
    raise TypeError(
        "the estimators' own score method cannot be called on recorded predictions. For survival "
        'models it is the concordance index: scoring="concordance_index" records what it needs'
    )


def metrics_of_search(
    scoring: Any,
    scorer: Any,
    names: list[str],
    default_name: str | None,
    survival: bool = False,
) -> dict[str, Metric]:
    """Metric for each name in ``cv_results_``.

    Parameters
    ----------
    scoring : str, callable, list, tuple, dict or None
        Parameter of the search.
    scorer : callable or dict of callable
        ``scorer_`` of the search.
    names : list of str
        Names in ``cv_results_``; ``["score"]`` for a single metric.
    default_name : str or None
        Name of the metric that the estimators' own ``score`` computes, when known.
    survival : bool, default=False
        Whether the target holds survival times.

    Returns
    -------
    dict of str to Metric
        In the order of `names`. A single metric is named by what it is ("roc_auc").
    """
    metrics = {}
    for name in names:
        if isinstance(scorer, dict):
            one, label = scorer[name], name
        elif names != [SCORE]:
            one, label = ScoreByName(scorer, name), name
        elif isinstance(scoring, str):
            one, label = scorer, scoring
        else:
            one, label = scorer, None
        if isinstance(one, _PassthroughScorer):
            if default_name is not None:
                metrics[name] = as_metric(as_metric(default_name).scorer, label or default_name)
                continue
            one = own_survival_score if survival else own_score
            label = label or SCORE
        metrics[name] = as_metric(one, label)
    return metrics


def name_of_default_score(
    oof: OOFPredictions, fold_scores: np.ndarray, estimator: Any
) -> str | None:
    """Scorer that computes what the estimators' own ``score`` method returned.

    scikit-learn's classifiers return their accuracy and its regressors R2, but a class may
    do anything, so the name is believed only when it gives the scores of every split again. One
    that does so for most configurations only is warned of.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions of the search.
    fold_scores : ndarray of shape (n_splits, n_configs)
        What ``score`` returned.
    estimator : estimator object
        Of the search. A classifier is asked about accuracy only, a regressor about R2 only: a
        target that happens to be constant would fit both.

    Returns
    -------
    {"accuracy", "r2"} or None
        None when neither explains the scores.
    """
    if "predict" not in oof.responses:
        return None
    known = {"accuracy": not is_regressor(estimator), "r2": not is_classifier(estimator)}
    for name in [name for name, possible in known.items() if possible]:
        try:
            kernel = as_metric(name).bind(oof)
            again = kernel.fold_scores()
        # Not a metric for this target; the search is complete and must not be lost to that.
        except Exception:
            continue
        same = np.isclose(again, fold_scores, rtol=1e-9, atol=1e-12, equal_nan=True)
        same |= ~kernel.valid
        if same.all():
            return name
        if same.all(axis=0)[kernel.valid].mean() > 0.5:
            warn_user(
                f"The estimators' own score is their {name} for most configurations, but not for "
                f"{describe_cells(~same)}. Either these models score in another way, or what was "
                f"recorded is not what was scored; so intervals come from the scores per fold. "
                f'scoring="{name}" computes the same for all.',
                RecordingWarning,
            )
    return None
