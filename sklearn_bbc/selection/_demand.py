"""What a threshold must keep beside the score that it is chosen by."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

ROUNDING = 1e-12
"""0.9 of ten negatives is nine of them, up to rounding."""


@dataclass(frozen=True)
class Demand:
    """A rate that must be reached where the threshold is chosen.

    Parameters
    ----------
    name : str
        The rate as it is printed, for example ``"specificity"``.
    level : float
        Least value.
    rate, gain : callable
        The rate, and what is maximised among the thresholds that reach it: functions of the
        four cells. `gain` is at least 0, rates are at most 1.
    by : str
        What the threshold is chosen by, in words.
    ask : str
        How to see the rate on samples left out; empty where it is what is reported.
    """

    name: str
    level: float
    rate: Callable[..., np.ndarray]
    gain: Callable[..., np.ndarray]
    by: str
    ask: str = ""

    def score(self, repeats: Iterable[Iterable[Any]]) -> np.ndarray:
        """Score confusion matrices for the choice.

        Parameters
        ----------
        repeats : iterable of tuple of ndarray of shape (n,)
            The four cells of each repeat of the cross-validation.

        Returns
        -------
        ndarray of shape (n,)
            `gain` where the rate is reached, both as means over the repeats; else the rate
            minus 1, which is below every gain. NaN where the rate is undefined.
        """
        gain: np.ndarray | float = 0.0
        rate: np.ndarray | float = 0.0
        n_repeats = 0
        for cells in repeats:
            gain, rate = gain + self.gain(*cells), rate + self.rate(*cells)
            n_repeats += 1
        rate = np.asarray(rate / n_repeats)
        return np.where(self.is_reached(rate), gain / n_repeats, rate - 1)

    def is_reached(self, rate: Any) -> np.ndarray:
        """Whether rates are at least the level, up to rounding."""
        return np.asarray(rate) >= self.level - ROUNDING

    def told(self, reached: float | None, share_reached: float | None) -> dict[str, Any]:
        """What became of the demand, for ``details["demand"]``.

        Parameters
        ----------
        reached : float or None
            The rate of the chosen threshold on all samples; None where there is no such threshold.
        share_reached : float or None
            Share of the draws in which some threshold reached the demand; None without draws.

        Returns
        -------
        dict
            Plain values.
        """
        return {
            "of": self.name,
            "level": self.level,
            "reached": reached,
            "is_reached": None if reached is None else bool(self.is_reached(reached)),
            "share_reached": share_reached,
            "ask": self.ask,
        }
