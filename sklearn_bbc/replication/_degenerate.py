"""Draws without some class, dropped or refused as some published code does."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from ..exceptions import UndefinedIntervalError
from ..resampling import DegenerateDraws

MIN_KEPT = 20
"""Draws that must remain for a bound that is not the extreme draw."""


class Drop(DegenerateDraws):
    """Leave degenerate draws out, as some published code does.

    Fewer draws remain than were asked for. For replication: `Redraw` conditions on the same
    event and keeps the number of draws.

    Parameters
    ----------
    max_share : float in (0, 1], default=0.1
        Largest share of dropped draws with which there is still an interval.
    min_out_of_bag : int, default=1
        Samples of each class that must be out-of-bag.

    Examples
    --------
    >>> from sklearn_bbc.intervals import BBC
    >>> from sklearn_bbc.replication import Drop
    >>> BBC(degenerate=Drop(max_share=0.5))
    BBC(degenerate=Drop(max_share=0.5))
    """

    def __init__(self, *, max_share: float = 0.1, min_out_of_bag: int = 1) -> None:
        self.max_share = max_share
        self.min_out_of_bag = min_out_of_bag

    def validate(self) -> None:
        """Raise ValueError unless the parameters are in range."""
        super().validate()
        share = self.max_share
        if isinstance(share, bool) or not isinstance(share, Real) or not 0 < share <= 1:
            raise ValueError(f"max_share must be a number above 0 and at most 1, got {share!r}.")

    def settle(
        self, counts: np.ndarray, rejected: np.ndarray, draw_again: Any
    ) -> tuple[np.ndarray, int]:
        """Leave the degenerate draws of one block out, see `DegenerateDraws`."""
        return np.delete(counts, rejected, axis=0), 0

    def check(self, n_dropped: int, n_draws: int) -> None:
        """Raise UndefinedIntervalError when more than `max_share` of the draws were dropped.

        Parameters
        ----------
        n_dropped, n_draws : int
            Dropped ones of all draws.
        """
        super().check(n_dropped, n_draws)
        if n_dropped > self.max_share * n_draws:
            raise UndefinedIntervalError(
                f"{n_dropped} of {n_draws} draws {self._lack} and were dropped, more than "
                f"max_share={self.max_share:g} allows. Use Redraw(), or a larger max_share."
            )
        if n_draws - n_dropped < MIN_KEPT:
            raise UndefinedIntervalError(
                f"{n_dropped} of {n_draws} draws {self._lack} and were dropped; fewer than "
                f"{MIN_KEPT} remain. Use Redraw(), or more n_bootstraps."
            )


class Refuse(DegenerateDraws):
    """Give no interval when any draw is degenerate.

    Parameters
    ----------
    min_out_of_bag : int, default=1
        Samples of each class that must be out-of-bag.

    Examples
    --------
    >>> from sklearn_bbc.intervals import BBC
    >>> from sklearn_bbc.replication import Refuse
    >>> BBC(degenerate=Refuse())
    BBC(degenerate=Refuse())
    """

    def __init__(self, *, min_out_of_bag: int = 1) -> None:
        self.min_out_of_bag = min_out_of_bag

    def settle(
        self, counts: np.ndarray, rejected: np.ndarray, draw_again: Any
    ) -> tuple[np.ndarray, int]:
        """Raise UndefinedIntervalError, see `DegenerateDraws`."""
        raise UndefinedIntervalError(
            f"Some draws {self._lack}, which degenerate=Refuse() does not accept. Use Redraw() or "
            "Drop()."
        )
