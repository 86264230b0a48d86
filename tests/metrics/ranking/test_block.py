"""Winners of a block of draws: stopping early changes none of them."""

import numpy as np
import pytest

from sklearn_bbc.metrics._rank_losses import Block, LostPrecision, Mean, MisplacedPairs, Part

RNG = np.random.default_rng(0)
Y = np.arange(200) % 2 == 0
PRED = RNG.normal(size=(8, 200)) + 0.5 * Y
PRED[3] = PRED[6]  # a tie that the first of the two wins
COUNTS = RNG.integers(0, 3, (40, 200)).astype(np.uint8)
COUNTS[5, Y] = 0  # undefined


@pytest.mark.parametrize("walk", [MisplacedPairs, LostPrecision])
@pytest.mark.parametrize("contenders", [np.arange(8), np.arange(8)[::-1]], ids=["up", "down"])
def test_the_winner_is_the_first_of_the_best_in_whatever_order_they_are_tried(walk, contenders):
    parts = [Part(PRED, Y, ~Y, walk)]
    mean = Mean(COUNTS, parts, size=walk.size, shares=lambda p, n: None,
                needs_every_part=True, pairs=None)  # fmt: skip
    block = Block(COUNTS, walk, parts, mean, 1e-12)
    scores = np.array([block.scores(config) for config in range(8)])
    winners = block.winners(contenders)
    assert winners[5] == -1 and np.isnan(scores[:, 5]).all()
    defined = np.arange(40) != 5
    best = (scores >= scores.max(axis=0) - 1e-12).argmax(axis=0)
    np.testing.assert_array_equal(winners[defined], best[defined])
    assert len(set(winners)) > 2
