"""Random means of centred values, the same for any chunk size and number of threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._integers import check_integer
from ...resampling._streams import BLOCK, Streams, draw_with_replacement, entropy_of


def check_draws(n_bootstraps: Any) -> None:
    """Raise where p values would be too coarse for the usual levels."""
    why = ": the smallest p value is 1 / (n_bootstraps + 1). 1000 or more are recommended."
    check_integer("n_bootstraps", n_bootstraps, 100, why=why)


def multiplier_means(centred: np.ndarray, n_draws: int, random_state: Any) -> np.ndarray:
    """Means of the values times standard normal numbers, one for each unit.

    Parameters
    ----------
    centred : ndarray of shape (n_units, n_configs)
        Values less their mean.
    n_draws : int
        Number of draws.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    ndarray of shape (n_draws, n_configs)
        A mean for each draw.
    """
    return _blockwise(
        centred, n_draws, random_state, lambda rng, n: rng.standard_normal((n, len(centred)))
    )


def bootstrap_means(centred: np.ndarray, n_draws: int, random_state: Any) -> np.ndarray:
    """Means of values that are drawn with replacement.

    Parameters
    ----------
    centred : ndarray of shape (n_units, n_configs)
        Values less their mean.
    n_draws : int
        Number of draws.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    ndarray of shape (n_draws, n_configs)
        A mean for each draw.
    """
    return _blockwise(
        centred,
        n_draws,
        random_state,
        lambda rng, n: draw_with_replacement(rng, n, len(centred)).astype(float),
    )


def _blockwise(
    centred: np.ndarray,
    n_draws: int,
    random_state: Any,
    weights: Callable[[np.random.Generator, int], np.ndarray],
) -> np.ndarray:
    """Each block of draws has a stream of its own, and is one product of matrices."""
    streams = Streams(entropy_of(random_state))
    means = np.empty((n_draws, centred.shape[1]))
    for k, start in enumerate(range(0, n_draws, BLOCK)):
        stop = min(start + BLOCK, n_draws)
        means[start:stop] = weights(streams.of(k), stop - start) @ centred
    return means / len(centred)


def exceedance(draws: np.ndarray, observed: float) -> float:
    """Monte-Carlo p value: share of draws that are as large, the observed one included."""
    return float((1 + np.count_nonzero(draws >= observed)) / (1 + len(draws)))
