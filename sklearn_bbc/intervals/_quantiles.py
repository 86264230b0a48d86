"""Rules that read a quantile off sorted bootstrap draws."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from scipy.special import ndtri
from sklearn.base import BaseEstimator


class QuantileRule(BaseEstimator, ABC):
    """Base of the rules by which a bound is read off sorted draws.

    A subclass defines `place`, for lower bounds; upper bounds are its mirror image.

    See Also
    --------
    OrderStatistic : The default.

    Examples
    --------
    >>> from sklearn_bbc.intervals import BBC, QuantileRule
    >>> class Inward(QuantileRule):
    ...     def place(self, n_draws, level):
    ...         return min(int(level * n_draws) + 1, n_draws - 1), 0.0
    >>> BBC(quantile=Inward())
    BBC(quantile=Inward())
    """

    def between(self, ordered: np.ndarray, level: float) -> float:
        """Read the quantile off sorted draws; above one half by the mirror image of a lower one.

        Parameters
        ----------
        ordered : ndarray of shape (n_draws,)
            Sorted draws, all defined.
        level : float
            Level of the quantile, between 0 and 1.

        Returns
        -------
        float
            A draw, or a value between two neighbours.
        """
        if level > 0.5:
            ordered, level = ordered[::-1], 1 - level
        index, share = self.checked_place(len(ordered), level)
        return interpolated(ordered[index], ordered[index + bool(share)], share)

    def checked_place(self, n_draws: int, level: float) -> tuple[int, float]:
        """As `place`, with an error when the answer is not among the draws.

        Parameters
        ----------
        n_draws : int
            Number of draws, at least 1.
        level : float
            Level of the quantile, between 0 and 1.

        Returns
        -------
        index : int
            Draw below it, counted from 0.
        share : float
            Share of the way to the next draw.
        """
        index, share = self.place(n_draws, level)
        last = index == n_draws - 1
        if not (0 <= index < n_draws and 0 <= share <= 1) or (last and share):
            raise ValueError(
                f"{self!r} places the quantile of level {level:g} of {n_draws} draws at "
                f"({index}, {share}). place must return a draw from 0 to {n_draws - 1} and a "
                "share from 0 to 1 of the way to the next one, 0 after the last."
            )
        return index, share

    @abstractmethod
    def place(self, n_draws: int, level: float) -> tuple[int, float]:
        """Tell where among the sorted draws the quantile lies.

        Parameters
        ----------
        n_draws : int
            Number of draws, at least 1.
        level : float
            Level of the quantile, between 0 and 1.

        Returns
        -------
        index : int
            Draw below it, counted from 0.
        share : float
            Share of the way to the next draw, between 0 and 1; 0 for the last draw.
        """


def interpolated(here: float, there: float, share: float) -> float:
    """Value some way from one draw to its neighbour; a draw that is infinite stays so.

    Parameters
    ----------
    here, there : float
        Two neighbouring draws.
    share : float
        Share of the way.
    """
    if not share or np.isinf(here):
        return float(here)
    return float(here + share * (there - here))


def halve_ties(ordered: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give the draws to read either bound of a difference from, draws without one halved.

    Of the draws that equal zero half count as above it and half as below it. Those above lie, for
    the lower bound, on the way to the next draw; so the bound excludes zero as soon as it has
    passed the middle of the ties. The upper bound is the mirror image.

    Parameters
    ----------
    ordered : ndarray of shape (n_draws,)
        Sorted draws, all defined.

    Returns
    -------
    for_low, for_high : ndarray of shape (n_draws,)
        Sorted.
    """
    return _upper_half_moved(ordered), -_upper_half_moved(-ordered[::-1])[::-1]


def _upper_half_moved(ordered: np.ndarray) -> np.ndarray:
    """Move the upper half of the zeros on the way to the next draw above, short of it."""
    first, end = np.searchsorted(ordered, 0, "left"), np.searchsorted(ordered, 0, "right")
    if end - first < 2 or end == len(ordered):
        return ordered
    result, ranks = ordered.copy(), np.arange(first, end)
    share = np.maximum(ranks - (first + end - 1) / 2, 0) / ((end - first + 1) / 2)
    # Any part of the way to an infinite draw would be infinite.
    way = ordered[end] if np.isfinite(ordered[end]) else np.finfo(float).tiny * len(ordered)
    result[first:end] = share * way
    return result


def smallest_level(ordered: np.ndarray, rule: QuantileRule) -> float:
    """Find the smallest level at which the quantile of sorted draws lies above zero.

    Parameters
    ----------
    ordered : ndarray of shape (n_draws,)
        Sorted draws, all defined.
    rule : QuantileRule
        How the quantile is read off them.

    Returns
    -------
    float
        At least ``1 / (n_draws + 1)``, since nothing is known beyond the draws; 1 where no draw
        is above zero.
    """
    low, high = 1 / (len(ordered) + 1), 1.0
    if not ordered[-1] > 0:
        return high
    if rule.between(ordered, low) > 0:
        return low
    # Halved until no number is between: the same level then decides for interval and test.
    while low < (middle := (low + high) / 2) < high:
        if rule.between(ordered, middle) > 0:
            high = middle
        else:
            low = middle
    return high


class OrderStatistic(QuantileRule):
    """Draw number ``floor(level * n_draws)``, counted from 0.

    The rule of bootstrap bias correction. No draw is interpolated, so a bound is a score that
    a draw has.

    Examples
    --------
    >>> from sklearn_bbc.intervals import OrderStatistic
    >>> [OrderStatistic().place(n, 0.05)[0] for n in (19, 20, 500, 1000)]
    [0, 1, 25, 50]
    """

    def place(self, n_draws: int, level: float) -> tuple[int, float]:
        """Tell where among the sorted draws the quantile lies.

        Parameters
        ----------
        n_draws : int
            Number of draws, at least 1.
        level : float
            Level of the quantile, between 0 and 1.

        Returns
        -------
        index : int
            Draw, counted from 0.
        share : float
            Always 0.
        """
        # 0.05 * 20 must count as 1 whatever its last bit is, and 0.1 * 10**10 as 10**9.
        rank = int(np.floor(level * n_draws * (1 + 1e-12) + 1e-9))
        return min(rank, n_draws - 1), 0.0


class NormalScoreQuantile(QuantileRule):
    """Interpolate between draws on the scale of normal quantiles.

    The k-th smallest of B draws has the level ``k / (B + 1)``; between two of them one
    interpolates in the normal quantiles of the levels [1]_, as R's package boot does. Beyond
    the extreme draws these are taken. `PooledBootstrap` and `HierarchicalBootstrap` use it
    unless told otherwise.

    References
    ----------
    .. [1] A. C. Davison, D. V. Hinkley, "Bootstrap methods and their application",
       Cambridge University Press (1997), equation 5.8. :doi:`10.1017/CBO9780511802843`

    Examples
    --------
    >>> from sklearn_bbc.intervals import NormalScoreQuantile
    >>> NormalScoreQuantile().place(39, 0.025)
    (0, 0.0)
    """

    def place(self, n_draws: int, level: float) -> tuple[int, float]:
        """Tell where among the sorted draws the quantile lies.

        Parameters
        ----------
        n_draws : int
            Number of draws, at least 1.
        level : float
            Level of the quantile, between 0 and 1.

        Returns
        -------
        index : int
            Draw below it, counted from 0.
        share : float
            Share of the way to the next draw.
        """
        k = int(np.floor((n_draws + 1) * level + 1e-9))
        if k < 1:
            return 0, 0.0
        if k >= n_draws:
            return n_draws - 1, 0.0
        below, at, above = ndtri([k / (n_draws + 1), level, (k + 1) / (n_draws + 1)])
        return k - 1, max(float((at - below) / (above - below)), 0.0)
