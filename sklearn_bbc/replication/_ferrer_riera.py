"""Group draws as one published package makes them, for replication."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._quantiles import LinearQuantile


class FerrerRieraDraws:
    """Draws of groups as the package of Ferrer and Riera makes them [1]_.

    Groups are drawn with replacement; the samples of each distinct drawn group are drawn
    with replacement too, once, and taken as often as the group was drawn. Draw b uses the
    seed b for all of it, so groups of equal size get the same positions. This is no
    recommended method: it exists to repeat published numbers.

    Parameters
    ----------
    groups : ndarray of shape (n_samples,)
        Label of each sample's group.
    n_draws : int
        Number of draws, seeded 0 to n_draws - 1.

    Attributes
    ----------
    percentile_rule : QuantileRule
        How the package reads percentiles off the draws, `LinearQuantile`.
    n_redrawn, n_lacking : int
        Always 0: nothing is drawn again, and classes are not looked at.
    entropy : int
        Always 0: the seeds are fixed.

    See Also
    --------
    sklearn_bbc.intervals.holdout_interval : Uses it for ``group_bootstrap="ferrer-riera"``.

    References
    ----------
    .. [1] L. Ferrer, P. Riera, "Confidence intervals for evaluation in machine learning",
       software, https://github.com/luferrer/ConfidenceIntervals

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_bbc.replication import FerrerRieraDraws
    >>> FerrerRieraDraws(np.array([0, 0, 1, 1]), 2).map(lambda counts: counts).shape
    (2, 4)
    """

    percentile_rule = LinearQuantile()
    n_redrawn = n_lacking = 0
    entropy = 0

    def __init__(self, groups: np.ndarray, n_draws: int) -> None:
        self.n_draws = n_draws
        codes = np.unique(groups, return_inverse=True)[1]
        self._n_samples = len(codes)
        self._members = [np.flatnonzero(codes == k) for k in range(codes.max() + 1)]

    def map(self, function: Callable[[np.ndarray], Any]) -> Any:
        """Apply `function` to the counts of all draws, as `Draws.map` does.

        Parameters
        ----------
        function : callable
            Takes counts ``(n_draws, n_samples)``, gives an array with a row per draw or a
            tuple of such arrays. It is called once.

        Returns
        -------
        ndarray or tuple of ndarray
            What `function` gives.
        """
        return function(np.stack([self._draw(seed) for seed in range(self.n_draws)]))

    def _draw(self, seed: int) -> np.ndarray:
        n_groups = len(self._members)
        times = np.bincount(
            np.random.RandomState(seed).randint(0, n_groups, n_groups), minlength=n_groups
        )
        counts = np.zeros(self._n_samples, dtype=np.int64)
        for group in np.flatnonzero(times):
            size = len(self._members[group])
            picks = np.random.RandomState(seed).randint(0, size, size)
            counts[self._members[group]] = times[group] * np.bincount(picks, minlength=size)
        return counts
