"""Rows of two classes in sorted order."""

import numpy as np
import pytest

from sklearn_bbc.metrics._rank_losses import TwoClassRanks


def make_ranks(seed, n_rows=300, n_configs=5, share=0.4, **kwargs):
    rng = np.random.default_rng(seed)
    pred = rng.integers(12, size=(n_configs, n_rows)).astype(float)
    pred[0] = rng.normal(size=n_rows)
    positive = rng.random(n_rows) < share
    ranks = TwoClassRanks(pred, np.flatnonzero(positive), np.flatnonzero(~positive), **kwargs)
    return pred, positive, ranks


@pytest.mark.parametrize(
    ("share", "walk", "downwards"),
    [(0.4, "shorter", False), (0.6, "shorter", True), (0.6, "positive", False)],
)
def test_counts_of_other_rows(share, walk, downwards):
    pred, positive, ranks = make_ranks(0, share=share, walk=walk)
    assert ranks.downwards == downwards
    walked = ~positive if downwards else positive
    assert np.array_equal(ranks.walked, np.flatnonzero(walked))
    for config, scores in enumerate(-pred if downwards else pred):
        order, other = ranks.walked_order[config], scores[~walked]
        assert np.array_equal(np.sort(order), np.flatnonzero(walked))
        assert (np.diff(scores[order]) >= 0).all()
        assert (np.diff(scores[ranks.other_order[config]]) >= 0).all()
        for position, row in enumerate(order):
            assert ranks.before[config, position] == (other < scores[row]).sum()
            assert ranks.through[config, position] == (other <= scores[row]).sum()
            assert ranks.group[config, position] == (scores[walked] < scores[row]).sum()


def test_ties_keep_the_order_of_the_rows():
    # Long enough for vectorised sorts, which do not keep it.
    pred, _, ranks = make_ranks(1, n_rows=5000)
    for config, scores in enumerate(pred):
        for order in (ranks.walked_order[config], ranks.other_order[config]):
            same = np.diff(scores[order]) == 0
            assert (np.diff(order.astype(int))[same] > 0).all()


def test_key_is_the_same_for_the_same_order_only():
    pred, positive, _ = make_ranks(2)
    alike = np.stack([pred[1], np.exp(pred[1]), pred[2], pred[1] * 0, pred[1] * 0 + 5])
    ranks = TwoClassRanks(alike, np.flatnonzero(positive), np.flatnonzero(~positive))
    keys = [ranks.key(config) for config in range(5)]
    assert keys[0] == keys[1] and keys[3] == keys[4]
    assert len(set(keys)) == 3


@pytest.mark.parametrize("missing", [True, False])
def test_one_class_alone(missing):
    rows, none = np.arange(4), np.arange(0)
    ranks = TwoClassRanks(np.zeros((2, 4)), *((none, rows) if missing else (rows, none)))
    assert ranks.walked_order.shape == (2, len(ranks.walked))
    assert ranks.other_order.shape == (2, len(ranks.other))
