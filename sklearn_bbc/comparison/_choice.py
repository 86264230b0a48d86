"""Which comparison fits two sides, and why."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import roc_auc_score

from ..metrics import Metric
from ._sides import Side

__all__ = ["chosen"]

ENOUGH = 30
"""Samples above which a mean of differences is close enough to normal for a t test."""


def chosen(first: Side, second: Side, metric: Metric) -> tuple[str, str]:
    """Name of a comparison, and a sentence why.

    Parameters
    ----------
    first, second : Side
        The sides.
    metric : Metric
        The metric.
    """
    tuned = [side for side in (first, second) if side.is_tuned]
    predicted = all(side.oof.responses for side in (first, second))
    if not predicted:
        return (
            "corrected_resampled_t",
            "A side has scores per fold only, so its selection cannot be repeated: the corrected "
            "t test compares the scores of the folds.",
        )
    if tuned:
        who = tuned[0].described
        who = who[:1].upper() + who[1:]
        more = " and so was the other side" if len(tuned) == 2 else ""
        return (
            "bbc_difference",
            f"{who} was tuned on these samples{more}: the selection is repeated in every draw.",
        )
    if first.oof.n_splits > 1:
        return (
            "bbc_difference",
            "Both sides are fixed configurations of a cross-validation: draws of samples find "
            "more than the few scores of folds, and tests for frozen models do not know that "
            "models were trained on these samples.",
        )
    return _of_models(first, second, metric)


def _of_models(first: Side, second: Side, metric: Metric) -> tuple[str, str]:
    """For two models on a test set."""
    oof = first.oof
    what = "Two models on a test set"
    binary = oof.classes_ is not None and len(oof.classes_) == 2
    whole = metric.score_func is roc_auc_score and not metric.kwargs.get("max_fpr")
    if whole and binary and oof.sample_weight is None:
        return "paired_delong", f"{what}, scored by the area under the ROC curve."
    if oof.groups is not None or oof.sample_weight is not None:
        why = "groups of samples" if oof.groups is not None else "weights of samples"
        return "paired_bootstrap", f"{what} with {why}: draws know them."
    values = [_pointwise(side, metric) for side in (first, second)]
    if values[0] is None or values[1] is None:
        return "paired_bootstrap", f"{what}; {metric.name} is not a mean over samples."
    both = np.concatenate([values[0], values[1]])
    if metric.sign > 0 and np.isin(both, (0.0, 1.0)).all():
        return "mcnemar", f"{what}, each sample right or wrong."
    if len(values[0]) > ENOUGH:
        return "paired_t", f"{what}; {metric.name} is a mean over {len(values[0])} samples."
    return "paired_bootstrap", f"{what} with only {len(values[0])} samples: too few for a t test."


def _pointwise(side: Side, metric: Metric) -> np.ndarray | None:
    kernel = metric.bind(side.oof)
    config = 0 if side.config is None else int(side.config)
    return kernel.pointwise(config) if kernel.valid[config] else None
