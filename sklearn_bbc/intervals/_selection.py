"""Which configuration is selected, and what to tell about the selection."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..metrics import BoundKernel
from ..predictions import OOFPredictions
from ._criterion import MeanOverFolds, PooledScore, best_of

GIVEN, BY_FOLDS, POOLED = "given", "mean over folds", "pooled score"
"""By what a winner was selected; given is that of a search, or named by whoever calls."""


def selected_configuration(oof: OOFPredictions, kernel: BoundKernel) -> tuple[int, str]:
    """Configuration that tuning selects: the search's own choice, else the best score.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions; `selected` wins when it is set.
    kernel : BoundKernel
        Metric bound to them.

    Returns
    -------
    config : int
        Index of the best mean over the folds; of the best score on all samples when a
        fold's score is undefined, as with leave-one-out. First index on ties.
    how : str
        `GIVEN`, `BY_FOLDS` or `POOLED`.
    """
    if oof.selected is not None:
        return oof.selected, GIVEN
    scores = MeanOverFolds().scores(oof, kernel)
    if not np.isnan(scores[kernel.valid]).any():
        return best_of(scores), BY_FOLDS
    return best_of(PooledScore().scores(oof, kernel)), POOLED


def selection_details(
    oof: OOFPredictions, kernel: BoundKernel, winners: np.ndarray
) -> dict[str, Any]:
    """By-products that every selection-aware method on predictions reports."""
    winner, how = selected_configuration(oof, kernel)
    notes = []
    if kernel.valid.sum() == 1:
        notes.append("One configuration: there is no selection to correct for.")
    if "derived" in kernel.response:
        notes.append("Labels were derived from the recorded scores.")
    if not oof.is_partition:
        notes.append("The splits are no partition: all held-out rows of a sample are pooled.")
    return {
        "winner": winner,
        "winner_by": how,
        "winner_share": float(np.mean(winners == winner)),
        "unit": "sample" if oof.groups is None else "group",
        "n_untested": oof.n_untested,
        "n_configs": oof.n_configs,
        "n_valid": int(kernel.valid.sum()),
        "kernel": kernel.family,
        "response": kernel.response,
        "notes": notes,
    }
