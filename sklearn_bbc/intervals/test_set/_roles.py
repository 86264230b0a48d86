"""What the columns of predictions for the same samples are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...metrics import BoundKernel, Metric

OF_POPULATION = "score on new samples of a frozen model"
OF_DIFFERENCE = "difference on new samples of two frozen models"
OF_SEEDS = "score on new samples of models trained with the given seeds"


@dataclass(frozen=True)
class Roles:
    """What the columns of predictions are: one model, two to compare, or several seeds.

    Attributes
    ----------
    n_first : int
        Columns of the first model: one, or one for each seed.
    paired : bool
        Whether as many columns of a second model follow.
    """

    n_first: int
    paired: bool

    @property
    def plain(self) -> bool:
        """Whether there is one column only."""
        return self.n_first == 1 and not self.paired

    @property
    def n_columns(self) -> int:
        """Number of columns of all models."""
        return self.n_first * (1 + self.paired)

    @property
    def estimand(self) -> str:
        """What is estimated, in words."""
        if self.paired:
            return OF_DIFFERENCE
        return OF_SEEDS if self.n_first > 1 else OF_POPULATION

    def of_interest(self, scores: np.ndarray, kernel: BoundKernel) -> np.ndarray:
        """Scores or differences to judge.

        Parameters
        ----------
        scores : ndarray of shape (n_draws, n_columns)
            Scores of all columns.
        kernel : BoundKernel
            What scored them.

        Returns
        -------
        ndarray of shape (n_draws,) or (n_draws, n_seeds)
            One value for each draw, or one for each draw and seed.
        """
        first = scores[:, : self.n_first]
        if self.paired:
            first = kernel.difference(first, scores[:, self.n_first :])
        return first[:, 0] if self.n_first == 1 else first

    def bounds(self, metric: Metric) -> tuple[float, float]:
        """Smallest and largest value of what is judged."""
        lowest, highest = metric.bounds
        return (lowest - highest, highest - lowest) if self.paired else (lowest, highest)


PAIR = Roles(1, True)
