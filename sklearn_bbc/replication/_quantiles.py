"""Quantiles of draws as most programs compute them."""

from __future__ import annotations

import numpy as np

from ..intervals import QuantileRule


class LinearQuantile(QuantileRule):
    """Interpolate between draws so that the extreme ones have levels 0 and 1.

    The default of `numpy.quantile` and of R (type 7), and what some published code for
    bootstrap bias correction does, such as the R package MXM [1]_.

    References
    ----------
    .. [1] V. Lagani, G. Athineou, A. Farcomeni, M. Tsagris, I. Tsamardinos, "Feature
       selection with the R package MXM", Journal of Statistical Software 80(7) (2017).
       :doi:`10.18637/jss.v080.i07`

    Examples
    --------
    >>> from sklearn_bbc.replication import LinearQuantile
    >>> LinearQuantile().place(11, 0.25)
    (2, 0.5)
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
        position = (n_draws - 1) * level
        index = int(np.floor(position + 1e-9))
        return index, max(position - index, 0.0)
