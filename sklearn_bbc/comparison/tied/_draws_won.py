"""How often each configuration is the best, and how far it then is from the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...exceptions import UndefinedIntervalError
from ...intervals import BBC, OrderStatistic
from ...metrics import BoundKernel
from ...predictions import OOFPredictions
from ...selection import BoundSelection


@dataclass(frozen=True, eq=False)
class DrawsWon:
    """What the draws say about each configuration.

    Attributes
    ----------
    won : ndarray of shape (n_configs,)
        Share of draws in which it is the best in-bag.
    difference, low, high : ndarray of shape (n_configs,)
        Its out-of-bag score minus that of the draw's best: mean and bounds; NaN where
        undefined.
    details : dict
        ``seed`` and ``n_redrawn``, or ``no_draws``: why there are none.
    """

    won: np.ndarray
    difference: np.ndarray
    low: np.ndarray
    high: np.ndarray
    details: dict[str, Any]


def draws_won(
    oof: OOFPredictions, kernel: BoundKernel, method: BBC, rule: BoundSelection
) -> DrawsWon:
    """Repeat the selection in every draw and compare all configurations with its winner.

    Parameters
    ----------
    oof : OOFPredictions
        Predictions.
    kernel : BoundKernel
        Metric bound to them.
    method : BBC
        Number of draws, level of the bounds, seed and threads.
    rule : BoundSelection
        What selects in each draw, usually the best score.

    Returns
    -------
    DrawsWon
        With NaN everywhere where no draw can be scored, as with a class in one sample.
    """
    n_configs = kernel.n_configs
    # In-bag and out-of-bag, all configurations.
    kernel.warn_if_slow(2 * method.n_bootstraps * kernel.n_distinct, method.n_jobs)

    def against_winner(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        winners = rule.choose(counts)["config"]
        left_out = kernel.scores(counts == 0)
        best = left_out[np.arange(len(winners)), winners]
        best[winners < 0] = np.nan
        return left_out - best[:, None], winners

    try:
        draws = method._draws(oof, kernel, rule.selecting)
        differences, winners = draws.map(against_winner)
    except UndefinedIntervalError as error:
        nothing = np.full(n_configs, np.nan)
        return DrawsWon(nothing, nothing, nothing, nothing, {"no_draws": str(error)})
    won = np.bincount(winners[winners >= 0], minlength=n_configs) / len(winners)
    low, high = _bounds(differences, (1 - method.confidence_level) / 2)
    defined = ~np.isnan(differences).all(axis=0)
    mean = np.full(n_configs, np.nan)
    mean[defined] = np.nanmean(differences[:, defined], axis=0)
    details = {"seed": draws.entropy, "n_redrawn": draws.n_redrawn}
    return DrawsWon(won, mean, low, high, details)


def _bounds(differences: np.ndarray, tail: float) -> tuple[np.ndarray, np.ndarray]:
    """Order statistics of each column, of the draws that are defined."""
    rule = OrderStatistic()
    ranked = np.sort(differences, axis=0)  # NaN last
    n_defined = np.count_nonzero(~np.isnan(ranked), axis=0)
    low = np.full(differences.shape[1], np.nan)
    high = low.copy()
    for n in np.unique(n_defined[n_defined > 0]):
        columns = np.flatnonzero(n_defined == n)
        place, _ = rule.checked_place(int(n), tail)
        low[columns], high[columns] = ranked[place, columns], ranked[n - 1 - place, columns]
    return low, high
