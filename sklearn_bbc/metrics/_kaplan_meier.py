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
        self._order = np.lexsort((~event, time))
        self._time = time[self._order]
        self._happens = event[self._order] != of_censoring

    def of(self, weights: np.ndarray) -> np.ndarray:
        """Estimate the curves: `weights` (n_draws, n_rows) -> (n_draws, n_rows + 1).

        Column k is the probability after the first k rows in the order of time.
        """
        ordered = np.asarray(weights, dtype=np.float64)[:, self._order]
        left = np.zeros((len(ordered), ordered.shape[1] + 1))
        np.cumsum(ordered[:, ::-1], axis=1, out=left[:, -2::-1])
        kept = np.ones_like(left)
        # Who is at risk, with and without this row; rows without weight change nothing.
        np.divide(
            left[:, 1:], left[:, :-1], out=kept[:, 1:],
            where=(left[:, :-1] > 0) & (ordered > 0) & self._happens,
        )  # fmt: skip
        return np.cumprod(kept, axis=1, out=kept)

    def before(self, time: np.ndarray) -> np.ndarray:
        """Find the columns of `of` that hold just before some times, of their shape."""
        return np.searchsorted(self._time, time, "left")

    def at(self, time: np.ndarray) -> np.ndarray:
        """Find the columns of `of` that hold at some times, of their shape."""
        return np.searchsorted(self._time, time, "right")
