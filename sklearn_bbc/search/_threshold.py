"""Tune the decision threshold of a finished search."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier

from ..curves._threshold import ThresholdResult, threshold_in, threshold_rule
from ..recording._finished import FinishedSearch
from ._estimate import estimate, own_draws


def threshold_of_search(
    search: Any, finished: FinishedSearch, scoring: Any, thresholds: Any, method: Any
) -> ThresholdResult:
    """Tune the threshold of a finished search."""
    if not hasattr(search, "best_estimator_"):
        raise ValueError(
            f"threshold needs the best estimator, which refit={search.refit!r} did not fit. Use "
            "refit=True, with several metrics the name of one of them."
        )
    method = own_draws(finished, method, "threshold", ("below_median",))
    # Without a metric that selects, a rule does, which has its own.
    metric, rule = finished.metrics[finished.primary or next(iter(finished.metrics))], None
    if finished.rule is not None:
        if finished.rule.why_not:
            raise ValueError(
                "threshold repeats the choice of the configuration in every draw, but the rule "
                f"of `refit` cannot be repeated: {finished.rule.why_not}."
            )
        rule = finished.rule.selection
    elif not finished.is_best(metric.name, int(search.best_index_)):
        raise ValueError(
            f"Configuration {search.best_index_}, which the search selected, does not have the "
            "best mean score of those that were scored in every fold, so there is no corrected "
            "score for its threshold."
        )
    chosen = method.set_params(selection=threshold_rule(scoring, thresholds, rule))
    result = estimate(finished, finished.ask(metric), chosen)
    details = result.details
    config = int(details["winner"])
    if config != int(search.best_index_):
        raise ValueError(
            f"The best estimator is configuration {search.best_index_}, but only configuration "
            f"{config} has complete scores for a threshold."
        )
    responses = finished.oof.responses
    complete = [
        name
        for name in ("predict_proba", "decision_function")
        if name in responses and np.isfinite(np.asarray(responses[name][config], float)).all()
    ]
    label = details["pos_label"]
    classifier = FixedThresholdClassifier(
        FrozenEstimator(search.best_estimator_),
        threshold=details["lowest_positive"],  # its comparison is exact
        # As scikit-learn's parameter checks know labels.
        pos_label=label.item() if isinstance(label, np.generic) else label,
        response_method=complete[0] if complete else "auto",
    )
    return replace(threshold_in(result), estimator=classifier)
