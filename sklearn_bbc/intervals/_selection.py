"""Which configuration is selected, and what to tell about the selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..metrics import BoundKernel, Metric
from ..predictions import OOFPredictions
from ..selection import BoundSelection
from ._caveats import caveats, lonely_configuration, notes_on_splits, unit_word
from ._criterion import MeanOverFolds, PooledScore, best_by_folds

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


def winner_of(oof: OOFPredictions, rule: BoundSelection) -> int:
    """Configuration that a rule selects on all samples, -1 for none."""
    if rule.by:
        return int(rule.on_all()["config"][0])
    return selected_configuration(oof, rule.selecting)[0]


def with_winner_by(oof: OOFPredictions, metric: Metric) -> OOFPredictions:
    """Name the winner by a metric where the predictions name none."""
    if oof.selected is not None:
        return oof
    if oof.responses:
        winner, how = selected_configuration(oof, metric.bind(oof))
    else:
        best = best_by_folds(np.where(oof.failed, np.nan, metric.fold_scores(oof)))
        winner, how = (0 if best is None else best), MeanOverFolds.by
    return oof.with_selected(winner, by=how if how == ONLY else f"{how} of {metric.name}")


def selection_details(
    oof: OOFPredictions,
    kernel: BoundKernel,
    winners: np.ndarray,
    selecting: BoundKernel | None = None,
) -> dict[str, Any]:
    """By-products that every selection-aware method on predictions reports.

    `selecting` is the metric that selects, where it is not the one of `kernel`.
    """
    selecting = kernel if selecting is None else selecting
    winner, how = selected_configuration(oof, selecting)
    alike = selecting.first_alike  # what predicts the same as the winner wins for it
    winners = np.where((winners >= 0) & (alike[winners] == alike[winner]), winner, winners)
    notes = []
    replaced = any("replaced by a later" in note for note in oof.notes)  # a choice all the same
    if selecting.valid.sum() == 1 and not replaced:
        notes.append(lonely_configuration(oof.n_configs))
    if "derived" in kernel.response:
        notes.append("Labels were derived from the recorded scores.")
    notes.extend(notes_on_splits(oof))
    notes.extend(caveats(oof, kernel))
    of_other = {} if selecting is kernel else {"selected_by": selecting.metric.name}
    return {
        **of_other,
        "winner": winner,
        "winner_by": how,
        "winner_share": float(np.mean(winners == winner)),
        "won": shares_won(winners),
        "unit": unit_word(oof.groups),
        "n_untested": oof.n_untested,
        "n_configs": oof.n_configs,
        "n_valid": int(selecting.valid.sum()),
        "kernel": kernel.family,
        "response": kernel.response,
        "notes": notes,
    }


def shares_won(winners: np.ndarray, multiplicity: np.ndarray | None = None) -> dict[int, float]:
    """Share of draws that each configuration wins, the most frequent winner first.

    Parameters
    ----------
    winners : ndarray of shape (n_draws,)
        Configuration that each draw selects, -1 for none.
    multiplicity : ndarray of shape (n_draws,), default=None
        How often each draw counts; None is once.
    """
    if multiplicity is None:
        multiplicity = np.ones(len(winners))
    there = winners >= 0
    configs, place = np.unique(winners[there], return_inverse=True)
    n_won = np.bincount(place, multiplicity[there], minlength=len(configs))
    return _most_first(dict(zip(configs.tolist(), (n_won / multiplicity.sum()).tolist())))


def mean_shares(parts: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """Mean of the shares of several sets of draws, the most frequent winner first."""
    configs = sorted(set().union(*parts))
    return _most_first(
        {config: sum(part.get(config, 0.0) for part in parts) / len(parts) for config in configs}
    )


def _most_first(shares: dict[int, float]) -> dict[int, float]:
    return dict(sorted(shares.items(), key=lambda item: -item[1]))
