"""Average precision within folds: fold by fold; lanes and pairs give the same bits."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from sklearn_bbc.metrics._rank_losses import (
    Lanes,
    LostPrecision,
    TwoClassRanks,
    arithmetic,
    folds_apart,
)

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 40).astype(bool)
FOLD = RNG.permutation(np.arange(40) % 4)
Y[FOLD == 2] = False  # a fold without a positive loses nothing
COUNTS = RNG.integers(1, 4, (40, 40)).astype(np.uint8)


@pytest.mark.parametrize("levels", [None, 3], ids=["distinct", "tied"])
@pytest.mark.parametrize("weights", [COUNTS, COUNTS / 3], ids=["counts", "weights"])
def test_the_loss_is_the_sum_over_folds(levels, weights):
    pred = RNG.normal(size=(3, 40))
    pred = pred if levels is None else np.round(pred * levels) / levels
    rows = np.flatnonzero(Y), np.flatnonzero(~Y)
    ranks = TwoClassRanks(folds_apart(pred, FOLD), *rows, "positive", FOLD)
    dtype, exact = arithmetic(weights, 0.5)
    side_by_side = LostPrecision(ranks, Lanes(weights, dtype, exact))
    for config in range(3):
        lost, size = side_by_side.losses(config)
        pairs = LostPrecision.paired(ranks, weights, np.arange(40), np.full(40, config), dtype)
        np.testing.assert_array_equal((lost, size), pairs)
        expected = np.zeros(40)
        for here in (FOLD == 0, FOLD == 1, FOLD == 3):
            precision = [
                average_precision_score(Y[here], pred[config, here], sample_weight=w[here])
                for w in weights
            ]
            expected += weights[:, here & Y].sum(axis=1) * (1 - np.array(precision))
        np.testing.assert_allclose(lost, expected, rtol=1e-12)
        np.testing.assert_allclose(size, weights[:, Y].sum(axis=1), rtol=1e-12)


def test_it_is_given_up_in_the_first_fold_that_is_lost():
    rows = np.flatnonzero(Y), np.flatnonzero(~Y)
    ranks = TwoClassRanks(folds_apart(RNG.normal(size=(1, 40)), FOLD), *rows, "positive", FOLD)
    walk = LostPrecision(ranks, Lanes(COUNTS, *arithmetic(COUNTS, 0.5)))
    seen = []

    def hopeless(lost, size):
        seen.append(lost.copy())
        return len(seen) == 2

    assert walk.losses(0, hopeless) is None
    assert len(seen) == 2 and (seen[1] >= seen[0]).all()
    lost, _ = walk.losses(0)
    assert (lost >= seen[1]).all()
