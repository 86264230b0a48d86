"""Whether the target of a draw is constant."""

from __future__ import annotations

import numpy as np

_PROBED = 32


class Spread:
    """Smallest and largest target value of each unit.

    Parameters
    ----------
    y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Target; a draw is constant as soon as one output is.
    of_sample : ndarray of shape (n_samples,)
        Unit of each sample; -1 for samples that do not count.
    n_units : int
        Number of units.
    """

    def __init__(self, y: np.ndarray, of_sample: np.ndarray, n_units: int) -> None:
        counts = of_sample >= 0
        y = y.reshape(len(y), -1)[counts].astype(np.float64)
        shape = (y.shape[1], n_units)
        self.low, self.high = np.full(shape, np.inf), np.full(shape, -np.inf)
        for k, column in enumerate(y.T):
            np.minimum.at(self.low[k], of_sample[counts], column)
            np.maximum.at(self.high[k], of_sample[counts], column)
        # Units all over the range of values: with them most draws are seen to vary.
        n_probed = min(_PROBED, n_units)
        places = np.linspace(0, n_units - 1, n_probed).astype(np.intp)
        self._probed = [np.argsort(low, kind="stable")[places] for low in self.low]

    def fewest_others(self) -> tuple[int, float]:
        """Units with another value than the most frequent one.

        Returns
        -------
        others : int
            How many; of several outputs, those of the one with the fewest.
        value : float
            The most frequent value; NaN where every unit has several.
        """
        found = []
        for low, high in zip(self.low, self.high, strict=True):
            alike = low[low == high]
            values, counts = np.unique(alike, return_counts=True)
            there = int(np.count_nonzero(low <= high))
            if len(values):
                found.append((there - int(counts.max()), float(values[counts.argmax()])))
            else:
                found.append((there, np.nan))
        return min(found)

    def is_constant(self, drawn: np.ndarray) -> np.ndarray:
        """Draws whose units all have one value, or that have none.

        Parameters
        ----------
        drawn : ndarray of shape (n_draws, n_units), bool
            Units of each draw.

        Returns
        -------
        ndarray of shape (n_draws,), bool
            One per draw.
        """
        constant = np.zeros(len(drawn), dtype=bool)
        for low, high, probed in zip(self.low, self.high, self._probed, strict=True):
            unclear = np.flatnonzero(_alike(drawn[:, probed], low[probed], high[probed]))
            constant[unclear[_alike(drawn[unclear], low, high)]] = True
        return constant


def _alike(drawn: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    least = np.where(drawn, low, np.inf).min(axis=1, initial=np.inf)
    return np.asarray(least >= np.where(drawn, high, -np.inf).max(axis=1, initial=-np.inf))
