"""The estimate of Kaplan and Meier, in many draws at once."""

from __future__ import annotations

import numpy as np


class KaplanMeier:
    """Probability of having had no event, or of being uncensored, in each of many draws.

    At one time events come before censoring: who had the event was at risk of censoring only
    before, and who was censored was at risk of the event. `event` (n_rows,) bool and `time`
    (n_rows,) are as from `survival_target`; `of_censoring` takes censoring as what happens.
    """

    def __init__(self, event: np.ndarray, time: np.ndarray, *, of_censoring: bool = False) -> None:
        order = np.lexsort((~event, time))
        steps = np.flatnonzero(event[order] != of_censoring)
        self._latest_first = order[::-1]
        self._followed = len(time) - steps  # rows from each step on
        self._steps = time[order][steps]

    def of(self, weights: np.ndarray) -> np.ndarray:
        """Estimate the curves: `weights` (n_draws, n_rows) -> (n_draws, n_steps + 1).

        Column k is the probability after the first k rows that step down, in the order of time.
        """
        left = np.zeros((len(weights), weights.shape[1] + 1))
        np.cumsum(weights[:, self._latest_first], axis=1, out=left[:, 1:])
        at_risk, kept = left[:, self._followed], np.ones((len(weights), len(self._steps) + 1))
        # Who is at risk, with and without this row; rows without weight change nothing.
        np.divide(left[:, self._followed - 1], at_risk, out=kept[:, 1:], where=at_risk > 0)
        return np.cumprod(kept, axis=1, out=kept)

    def before(self, time: np.ndarray) -> np.ndarray:
        """Find the columns of `of` that hold just before some times, of their shape."""
        return np.searchsorted(self._steps, time, "left")

    def at(self, time: np.ndarray) -> np.ndarray:
        """Find the columns of `of` that hold at some times, of their shape."""
        return np.searchsorted(self._steps, time, "right")
