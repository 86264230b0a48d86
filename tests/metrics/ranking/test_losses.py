"""What walks over sorted rows lose, against scikit-learn; lanes and pairs give the same bits."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from sklearn_bbc.metrics._rank_losses import (
    Lanes,
    LostPrecision,
    MisplacedPairs,
    TwoClassRanks,
    arithmetic,
    blocks,
    weight_of,
)

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 30).astype(bool)
COUNTS = RNG.integers(0, 4, (40, 30)).astype(np.uint8)
WALKS = {MisplacedPairs: roc_auc_score, LostPrecision: average_precision_score}


@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.__name__)
@pytest.mark.parametrize("levels", [None, 4], ids=["distinct", "tied"])
@pytest.mark.parametrize("weights", [COUNTS, COUNTS / 3], ids=["counts", "weights"])
def test_lanes_and_pairs_lose_the_same_which_is_scikit_learn_s(walk, levels, weights):
    pred = RNG.normal(size=(3, 30))
    pred = pred if levels is None else np.round(pred * levels) / levels
    ranks = TwoClassRanks(pred, np.flatnonzero(Y), np.flatnonzero(~Y), walk.along)
    dtype, exact = arithmetic(weights, 0.5)
    side_by_side = walk(ranks, Lanes(weights, dtype, exact))
    for config in range(3):
        lost, size = side_by_side.losses(config)
        draws = np.arange(40)
        pairs = walk.paired(ranks, weights, draws, np.full(40, config), dtype)
        np.testing.assert_array_equal((lost, size), pairs)
        expected = [WALKS[walk](Y, pred[config], sample_weight=weight) for weight in weights]
        np.testing.assert_allclose((size - lost) / size, expected, rtol=1e-12)


@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.__name__)
def test_a_hopeless_walk_is_given_up_and_losses_only_grow(walk):
    y = np.tile([True, False], 200)
    ranks = TwoClassRanks(RNG.normal(size=(1, 400)), np.flatnonzero(y), np.flatnonzero(~y),
                          walk.along)  # fmt: skip
    weights = np.ones((2, 400), dtype=np.uint8)
    seen = []

    def watch(lost, size):
        seen.append(lost.copy())
        return False

    made = walk(ranks, Lanes(weights, *arithmetic(weights, 0.5)))
    lost, _ = made.losses(0, watch)
    assert len(seen) > 1
    assert (np.diff([*seen, lost], axis=0) >= 0).all()
    assert made.losses(0, lambda lost, size: True) is None


def test_the_arithmetic_is_exact_as_long_as_it_can_be():
    assert arithmetic(np.ones((1, 100), np.uint8), 0.5) == (np.dtype(np.int32), True)
    assert arithmetic(np.full((1, 1000), 200, np.uint8), 0.5) == (np.dtype(np.float64), True)
    assert arithmetic(np.full((1, 2), 2**28, np.int64), 0.5) == (np.dtype(np.float64), False)
    assert arithmetic(np.ones((1, 4)), 0.5) == (np.dtype(np.float64), False)


@pytest.mark.parametrize("n_draws", [1, 100, 2048, 2049, 5000])
def test_blocks_hold_every_draw_once_and_none_is_short(n_draws):
    found = list(blocks(np.zeros((n_draws, 3))))
    assert np.concatenate([np.arange(n_draws)[b] for b in found]).tolist() == [*range(n_draws)]
    sizes = [b.stop - b.start for b in found]
    assert max(sizes) <= 2048 and max(sizes) - min(sizes) <= 1


def test_the_weight_of_rows():
    rows = np.array([4, 0])
    np.testing.assert_array_equal(weight_of(COUNTS, rows), COUNTS[:, rows].sum(axis=1))
    assert weight_of(COUNTS / 3, rows).dtype == np.float64
