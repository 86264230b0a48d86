"""Which configuration is selected, and what to tell about the selection."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..metrics import BoundKernel
from ..predictions import OOFPredictions
from ._caveats import ONE_CONFIGURATION, caveats, unit_word
from ._criterion import MeanOverFolds, PooledScore

ONLY = "the only one"
"""By what a winner was selected where there is nothing to select from."""


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
        Index of the best mean over the folds; of the best score on all samples where there
        are no folds, or no configuration has a score in each, as with leave-one-out. First
        index on ties.
    how : str
        By what it was selected.
    """
    if oof.selected is not None:
        return oof.selected, oof.selected_by
    if oof.n_configs == 1:
        return 0, ONLY
    by_folds, pooled = MeanOverFolds(), PooledScore()
    winner = by_folds.winner(oof, kernel) if oof.n_splits > 1 else None
    if winner is not None:
        return winner, by_folds.by
    winner = pooled.winner(oof, kernel)
    return (0 if winner is None else winner), pooled.by


def selection_details(
    oof: OOFPredictions, kernel: BoundKernel, winners: np.ndarray
) -> dict[str, Any]:
    """By-products that every selection-aware method on predictions reports."""
    winner, how = selected_configuration(oof, kernel)
    notes = []
    if kernel.valid.sum() == 1:
        notes.append(ONE_CONFIGURATION)
    if "derived" in kernel.response:
        notes.append("Labels were derived from the recorded scores.")
    if not oof.is_partition:
        notes.append(
            "The splits do not form a partition: all held-out rows of a sample are pooled."
        )
    notes.extend(caveats(oof, kernel))
    return {
        "winner": winner,
        "winner_by": how,
        "winner_share": float(np.mean(winners == winner)),
        "won": _shares(winners),
        "unit": unit_word(oof.groups),
        "n_untested": oof.n_untested,
        "n_configs": oof.n_configs,
        "n_valid": int(kernel.valid.sum()),
        "kernel": kernel.family,
        "response": kernel.response,
        "notes": notes,
    }


def _shares(winners: np.ndarray) -> dict[int, float]:
    """Share of draws that each configuration wins, the most frequent winner first."""
    configs, n_won = np.unique(winners[winners >= 0], return_counts=True)
    order = np.argsort(-n_won, kind="stable")
    return {int(configs[k]): float(n_won[k] / len(winners)) for k in order}
