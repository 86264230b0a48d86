"""All configurations on one block of draws, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

import numpy as np

from ._losses import Lanes, Walk, arithmetic
from ._parts import Mean, Part


class Block:
    """All configurations on one block of draws.

    Parameters
    ----------
    weights : ndarray of shape (n_draws, n_rows)
        Weight of each row.
    walk : type of Walk
        What is lost on the way through the sorted rows.
    parts : sequence of Part
        The comparisons.
    mean : Mean
        Their mean in these draws.
    margin : float
        Scores that differ by no more than this are equal.
    """

    def __init__(
        self,
        weights: np.ndarray,
        walk: type[Walk],
        parts: Sequence[Part],
        mean: Mean,
        margin: float,
    ) -> None:
        lanes = Lanes(weights, *arithmetic(weights, 0.5))
        self._walks = [walk(part.ranks, lanes) for part in parts]
        self._mean, self._margin = mean, margin

    def scores(self, config: int) -> np.ndarray:
        """Scores of one configuration in every draw."""
        losses = (walk.losses(config) for walk in self._walks)
        # Without `hopeless` no walk is given up.
        return self._mean.of(loss for loss in losses if loss is not None)

    def winners(self, contenders: np.ndarray) -> np.ndarray:
        """First of the best configurations of every draw.

        Parameters
        ----------
        contenders : ndarray of shape (n_contenders,)
            Configurations that can win; the sooner a good one comes, the less is computed.
        """
        defined = self._mean.defined
        # Undefined draws are lost from the start, and so never keep a walk going.
        best = np.where(defined, -np.inf, np.inf)
        kept = []
        for config in contenders:
            scores = self._unless_beaten(config, best - self._margin)
            if scores is not None:
                np.maximum(best, scores, out=best)
                kept.append((config, scores))
        # Which scores tie with the best is known only now.
        winners = np.full(len(defined), -1, dtype=np.intp)
        for config, scores in sorted(kept, key=itemgetter(0), reverse=True):
            winners[scores >= best - self._margin] = config
        return winners

    def _unless_beaten(self, config: int, floor: np.ndarray) -> np.ndarray | None:
        """Scores of one configuration, or None when it is below the floor in every draw."""
        at_most = self._mean.at_most
        score: np.ndarray = floor
        loss: np.ndarray | float = 0.0
        for part, walk in enumerate(self._walks):

            def hopeless(lost: np.ndarray, size: np.ndarray, part=part, loss=loss) -> bool:
                return not (at_most(part, loss, lost, size)[0] >= floor).any()

            result = walk.losses(config, hopeless)
            if result is None:
                return None
            score, loss = at_most(part, loss, *result)
        return score
