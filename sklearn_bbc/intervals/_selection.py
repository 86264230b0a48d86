"""Which configuration is selected, and what to tell about the selection."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..metrics import BoundKernel
from ..predictions import OOFPredictions


def selected_configuration(oof: OOFPredictions, kernel: BoundKernel) -> int:
    """Configuration that tuning selects: the search's own choice, else the best score.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions; `selected` wins when it is set.
    kernel : BoundKernel
        Metric bound to them.

    Returns
    -------
    int
        Index of the best mean over the folds; of the best score on all samples when a
        fold's score is undefined, as with leave-one-out. First index on ties.
    """
    if oof.selected is not None:
        return oof.selected
    # Those of the search where it recorded them: no second computation.
    scores = oof.fold_scores.get(kernel.metric.name)
    if scores is None:
        one = kernel.distinct[:1]
        # One configuration tells, nearly always, that a fold lacks a class: then all would.
        if not np.isnan(kernel.fold_scores(configs=one)[:, one]).any():
            scores = kernel.fold_scores()
    mean = np.full(oof.n_configs, np.nan) if scores is None else scores.mean(axis=0)
    mean[~kernel.valid] = np.nan
    if np.isnan(mean[kernel.valid]).any():
        mean = kernel.scores(np.ones((1, oof.n_samples), dtype=np.uint8))[0]
    return int(np.argmax(np.where(np.isnan(mean), -np.inf, mean)))


def selection_details(
    oof: OOFPredictions, kernel: BoundKernel, winners: np.ndarray
) -> dict[str, Any]:
    """By-products that every selection-aware method on predictions reports."""
    winner = selected_configuration(oof, kernel)
    notes = []
    if kernel.valid.sum() == 1:
        notes.append("One configuration: there is no selection to correct for.")
    if "derived" in kernel.response:
        notes.append("Labels were derived from the recorded scores.")
    if not oof.is_partition:
        notes.append("The splits are no partition: all held-out rows of a sample are pooled.")
    return {
        "winner": winner,
        "winner_share": float(np.mean(winners == winner)),
        "unit": "sample" if oof.groups is None else "group",
        "n_untested": oof.n_untested,
        "n_configs": oof.n_configs,
        "n_valid": int(kernel.valid.sum()),
        "kernel": kernel.family,
        "response": kernel.response,
        "notes": notes,
    }
