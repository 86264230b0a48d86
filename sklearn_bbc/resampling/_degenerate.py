"""What happens to draws that leave a class out in-bag or out-of-bag."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from .._integers import check_integer
from ..exceptions import UndefinedIntervalError


class DegenerateDraws(BaseEstimator, ABC):
    """Base of the policies for draws that cannot be scored.

    A draw is degenerate when a class that the metric needs has no sample in-bag, or fewer
    than `min_out_of_bag` out-of-bag; with groups, groups take the place of samples. For
    metrics that need no class, all samples together take the place of a class.

    See Also
    --------
    Redraw : The default.
    sklearn_bbc.replication.Drop, sklearn_bbc.replication.Refuse : What other code does.
    """

    min_out_of_bag: int = 1

    def validate(self) -> None:
        """Raise ValueError unless the parameters are in range."""
        check_integer("min_out_of_bag", self.min_out_of_bag, 1)

    @abstractmethod
    def settle(
        self, counts: np.ndarray, rejected: np.ndarray, draw_again: Any
    ) -> tuple[np.ndarray, int]:
        """Deal with the degenerate draws of one block.

        Parameters
        ----------
        counts : ndarray of shape (n_draws, n_units)
            How often each unit was drawn.
        rejected : ndarray of shape (n_rejected,) of int
            Degenerate draws, at least one.
        draw_again : callable
            Function of the largest number of redraws that replaces them by acceptable draws
            of the same stream, and returns the counts and the number of redraws.

        Returns
        -------
        counts : ndarray of shape (n_kept, n_units)
            Acceptable draws.
        n_redrawn : int
            Redraws that it took.
        """

    def check_likely(self, chance: float, n_strata: int, out_of_bag: bool) -> None:
        """Raise UndefinedIntervalError before the first draw when it would be in vain.

        Parameters
        ----------
        chance : float
            Probability that a draw is acceptable, or a bit more than that.
        n_strata : int
            Number of classes that a draw must hold.
        out_of_bag : bool
            Whether out-of-bag too.
        """

    def check(self, n_dropped: int, n_draws: int) -> None:
        """Raise UndefinedIntervalError when too many draws of a run were dropped.

        Parameters
        ----------
        n_dropped, n_draws : int
            Dropped ones of all draws.
        """
        if n_dropped == n_draws:
            raise UndefinedIntervalError(f"All {n_draws} draws {self._lack} and were dropped.")

    @property
    def _lack(self) -> str:
        """What is wrong with a degenerate draw."""
        if self.min_out_of_bag == 1:
            return "lack a class (or all samples) in-bag or out-of-bag"
        return (
            "have, of a class (or of all samples), nothing in-bag or fewer than "
            f"{self.min_out_of_bag} out-of-bag"
        )


class Redraw(DegenerateDraws):
    """Draw again until every draw can be scored.

    The default. It conditions the bootstrap on the presence of each class, a small bias
    that matters only with very few samples of a class.

    Parameters
    ----------
    cap : int, default=1000
        Redraws per draw, in the mean over a block of up to 64 draws, after which the run gives
        up.
    min_out_of_bag : int, default=1
        Samples of each class that must be out-of-bag.

    Examples
    --------
    >>> from sklearn_bbc.intervals import BBC, Redraw
    >>> BBC(degenerate=Redraw(min_out_of_bag=2))
    BBC(degenerate=Redraw(min_out_of_bag=2))
    """

    def __init__(self, *, cap: int = 1000, min_out_of_bag: int = 1) -> None:
        self.cap = cap
        self.min_out_of_bag = min_out_of_bag

    def validate(self) -> None:
        """Raise ValueError unless the parameters are in range."""
        super().validate()
        check_integer("cap", self.cap, 1)

    def check_likely(self, chance: float, n_strata: int, out_of_bag: bool) -> None:
        """Raise UndefinedIntervalError when more redraws are to be expected than `cap`."""
        if (1 + self.cap) * chance >= 1:
            return
        where = "in-bag and out-of-bag" if out_of_bag else "in-bag"
        least = f" ({self.min_out_of_bag} at least)" if self.min_out_of_bag > 1 else ""
        rate = f"1 draw in {1 / chance:,.0f}" if chance > 1e-9 else "hardly any draw"
        raise UndefinedIntervalError(
            f"The metric needs all {n_strata:,} classes {where}{least} in every draw, which "
            f"{rate} would fulfil; Redraw(cap={self.cap}) gives up at 1 in {self.cap + 1:,}. "
            "Most classes have too few samples (or groups). Merge rare classes, take a metric "
            "that is defined without them, such as accuracy, or use BBCF with folds that hold "
            "every class."
        )

    def settle(
        self, counts: np.ndarray, rejected: np.ndarray, draw_again: Any
    ) -> tuple[np.ndarray, int]:
        """Replace the degenerate draws of one block, see `DegenerateDraws`."""
        return draw_again(self.cap)
