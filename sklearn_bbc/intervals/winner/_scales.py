"""Scales on which the spread of a score does not depend on the score."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from sklearn.base import BaseEstimator

TINY = 1e-12
"""Smallest slope and distance that are told apart from zero."""


class Scale(BaseEstimator, ABC):
    """Base of the variance-stabilising scales.

    A subclass maps scores to the scale (`forward`, increasing) and back, tells the slope of
    the way back, and in `domain` which scores it takes.

    Examples
    --------
    >>> from sklearn_bbc.intervals import Arcsine, Identity, LogDistance, Scale
    >>> [issubclass(cls, Scale) for cls in (Arcsine, LogDistance, Identity)]
    [True, True, True]
    """

    @property
    def domain(self) -> tuple[float, float]:
        """Smallest and largest score that the scale takes."""
        return -np.inf, np.inf

    def check(
        self,
        scores: np.ndarray,
        metric: str,
        bounds: tuple[float, float] = (-np.inf, np.inf),
    ) -> None:
        """Raise unless a metric stays within `domain`.

        Parameters
        ----------
        scores : array-like of float
            Scores; NaN is left out.
        metric : str
            Name of the metric.
        bounds : tuple of float, default=(-inf, inf)
            Smallest and largest score of the metric, infinite where not known.

        Raises
        ------
        ValueError
            If some score, or a finite end of the metric's range, lies outside.
        """
        low, high = self.domain
        if not low < high:
            raise ValueError(f"scale={self!r} must have a smaller low than high.")
        known = [*bounds, *np.ravel(scores)]
        found = np.array([value for value in known if np.isfinite(value)])
        outside = found[(found < low - TINY) | (found > high + TINY)]
        if len(outside):
            raise ValueError(
                f"scale={self!r} takes scores from {low:g} to {high:g}, but {metric} can be "
                f"{outside[0]:g}. Losses are negative in scorer orientation. Give "
                "Arcsine(low, high) with the ends of the metric's range, LogDistance(best) with "
                "its best score, or Identity()."
            )

    @abstractmethod
    def forward(self, scores: np.ndarray) -> np.ndarray:
        """From scores to the scale.

        Parameters
        ----------
        scores : array-like of float
            Scores, greater is better.

        Returns
        -------
        ndarray of the same shape
            Finite values, rising with the score.
        """

    @abstractmethod
    def backward(self, values: np.ndarray) -> np.ndarray:
        """From the scale to scores.

        Parameters
        ----------
        values : array-like of float
            Values on the scale; those beyond its ends give the extreme scores.

        Returns
        -------
        ndarray of the same shape
            Scores.
        """

    @abstractmethod
    def slope(self, scores: np.ndarray) -> np.ndarray:
        """Change of the score per unit of the scale.

        Parameters
        ----------
        scores : array-like of float
            Scores, greater is better.

        Returns
        -------
        ndarray of the same shape
            At least 0.
        """

    def least_error(self, n_units: int) -> float:
        """Smallest standard error on the scale that is believed.

        Parameters
        ----------
        n_units : int
            Number of independent samples.

        Returns
        -------
        float
            0 unless the scale knows better.
        """
        return 0.0


class Arcsine(Scale):
    """Arcsine of the root, for scores between two bounds: areas, accuracies, F1.

    Parameters
    ----------
    low, high : float, default=0.0 and 1.0
        Smallest and largest score.

    Examples
    --------
    >>> from sklearn_bbc.intervals import Arcsine
    >>> scale = Arcsine()
    >>> float(round(scale.forward(0.5), 4)), float(round(scale.backward(0.7854), 4))
    (0.7854, 0.5)
    """

    def __init__(self, low: float = 0.0, high: float = 1.0) -> None:
        self.low = low
        self.high = high

    @property
    def domain(self) -> tuple[float, float]:
        """From `low` to `high`."""
        return self.low, self.high

    def forward(self, scores: np.ndarray) -> np.ndarray:
        """From scores to the arcsine of the root of their place between the bounds.

        Parameters
        ----------
        scores : array-like of float
            Scores.

        Returns
        -------
        ndarray of the same shape
            Between 0 and pi / 2.
        """
        return np.arcsin(np.sqrt(self._place(scores)))

    def backward(self, values: np.ndarray) -> np.ndarray:
        """From the scale to scores.

        Parameters
        ----------
        values : array-like of float
            Values; cut at 0 and pi / 2.

        Returns
        -------
        ndarray of the same shape
            Scores.
        """
        place = np.sin(np.clip(values, 0, np.pi / 2)) ** 2
        return self.low + (self.high - self.low) * place

    def slope(self, scores: np.ndarray) -> np.ndarray:
        """Change of the score per unit of the scale.

        Parameters
        ----------
        scores : array-like of float
            Scores.

        Returns
        -------
        ndarray of the same shape
            Twice the standard deviation of a proportion, in units of the range.
        """
        place = self._place(scores)
        return 2 * (self.high - self.low) * np.sqrt(place * (1 - place))

    def least_error(self, n_units: int) -> float:
        """Standard error of a proportion on this scale, whatever the proportion is.

        Parameters
        ----------
        n_units : int
            Number of independent samples.

        Returns
        -------
        float
            ``1 / (2 * sqrt(n_units))``.
        """
        return 0.5 / float(np.sqrt(n_units))

    def _place(self, scores: np.ndarray) -> np.ndarray:
        return np.clip((np.asarray(scores) - self.low) / (self.high - self.low), 0, 1)


class LogDistance(Scale):
    """Minus the logarithm of the distance from the best score, for losses and R2.

    Parameters
    ----------
    best : float, default=0.0
        Best possible score: 0 for a negative loss, 1 for R2.

    Examples
    --------
    >>> from sklearn_bbc.intervals import LogDistance
    >>> float(round(LogDistance().forward(-0.5), 4)), float(LogDistance(1.0).backward(0.0))
    (0.6931, 0.0)
    """

    def __init__(self, best: float = 0.0) -> None:
        self.best = best

    @property
    def domain(self) -> tuple[float, float]:
        """Everything up to `best`."""
        return -np.inf, self.best

    def forward(self, scores: np.ndarray) -> np.ndarray:
        """From scores to minus the logarithm of their distance from the best.

        Parameters
        ----------
        scores : array-like of float
            Scores.

        Returns
        -------
        ndarray of the same shape
            Finite: a distance of 0 counts as 1e-12.
        """
        return -np.log(np.maximum(self.best - np.asarray(scores), TINY))

    def backward(self, values: np.ndarray) -> np.ndarray:
        """From the scale to scores.

        Parameters
        ----------
        values : array-like of float
            Values.

        Returns
        -------
        ndarray of the same shape
            Scores.
        """
        with np.errstate(over="ignore"):  # beyond all numbers is minus infinity
            distance = np.exp(-np.asarray(values, dtype=float))
        # What `forward` took for a perfect score is one again.
        return self.best - np.where(distance > TINY * (1 + 1e-9), distance, 0.0)

    def slope(self, scores: np.ndarray) -> np.ndarray:
        """Change of the score per unit of the scale.

        Parameters
        ----------
        scores : array-like of float
            Scores.

        Returns
        -------
        ndarray of the same shape
            The distance itself.
        """
        return np.maximum(self.best - np.asarray(scores), 0)


class Identity(Scale):
    """The score itself.

    Examples
    --------
    >>> from sklearn_bbc.intervals import Identity
    >>> float(Identity().forward(3.0))
    3.0
    """

    def forward(self, scores: np.ndarray) -> np.ndarray:
        """Scores as they are.

        Parameters
        ----------
        scores : array-like of float
            Scores.

        Returns
        -------
        ndarray of the same shape
            Scores.
        """
        return np.asarray(scores, dtype=float)

    def backward(self, values: np.ndarray) -> np.ndarray:
        """Values as they are.

        Parameters
        ----------
        values : array-like of float
            Values.

        Returns
        -------
        ndarray of the same shape
            Values.
        """
        return np.asarray(values, dtype=float)

    def slope(self, scores: np.ndarray) -> np.ndarray:
        """One everywhere.

        Parameters
        ----------
        scores : array-like of float
            Scores.

        Returns
        -------
        ndarray of the same shape
            Ones.
        """
        return np.ones_like(np.asarray(scores, dtype=float))


def scale_for(bounds: tuple[float, float]) -> Scale | None:
    """Scale for scores within `bounds`; None where nothing is known about their spread.

    Parameters
    ----------
    bounds : tuple of float
        Smallest and largest score; losses end at 0.
    """
    low, high = bounds
    if not np.isfinite(high):
        return None
    if high == 0 or not np.isfinite(low):
        return LogDistance(high)
    return Arcsine(low, high)
