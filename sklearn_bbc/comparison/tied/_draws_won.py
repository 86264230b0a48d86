"""How often each configuration is the best, and how far it then is from the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...exceptions import UndefinedIntervalError
from ...intervals import BBC, OrderStatistic
from ...intervals._quantiles import halve_ties
from ...metrics import BoundKernel
from ...predictions import OOFPredictions
from ...selection import BoundSelection


@dataclass(frozen=True, eq=False)
class DrawsWon:
    """What the draws say about each configuration.

    Attributes
    ----------
    won : ndarray of shape (n_configs,)
        Share of draws in which it, or one that predicts the same, is the best in-bag.
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
        return kernel.difference(left_out, best[:, None]), winners

    try:
        draws = method._draws(oof, kernel, rule.selecting)
        differences, winners = draws.map(against_winner)
    except UndefinedIntervalError as error:
        nothing = np.full(n_configs, np.nan)
        return DrawsWon(nothing, nothing, nothing, nothing, {"no_draws": str(error)})
    won = np.bincount(winners[winners >= 0], minlength=n_configs) / len(winners)
    won = won[kernel.first_alike]  # the first of equal predictions wins for all of them
    low, high = _bounds(differences, (1 - method.confidence_level) / 2)
    defined = ~np.isnan(differences).all(axis=0)
    mean = np.full(n_configs, np.nan)
    mean[defined] = np.nanmean(differences[:, defined], axis=0)
    details = {"seed": draws.entropy, "n_redrawn": draws.n_redrawn}
    return DrawsWon(won, mean, low, high, details)


def _bounds(differences: np.ndarray, tail: float) -> np.ndarray:
    """Lower and upper bounds of the defined draws of each column, shape (2, n_configs)."""
    rule = OrderStatistic()
    bounds = np.full((2, differences.shape[1]), np.nan)
    for config, column in enumerate(np.sort(differences, axis=0).T):  # NaN last
        defined = column[: np.count_nonzero(~np.isnan(column))]
        if len(defined):
            for_low, for_high = halve_ties(defined)
            bounds[:, config] = rule.between(for_low, tail), rule.between(for_high, 1 - tail)
    return bounds
