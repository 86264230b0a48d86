"""Counts of labels against plain loops, for labels and for sets of labels."""

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from sklearn_bbc.metrics._base import RowData
from sklearn_bbc.metrics._confusion import (
    LabelCounts,
    Labels,
    LabelSets,
    confusion,
    label_target,
    one_each,
    positions_of,
)
from sklearn_bbc.metrics._sums import DrawWeights

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 3, 20)
PRED = RNG.integers(0, 3, (4, 20))
SETS_Y = RNG.integers(0, 2, (20, 3)).astype(np.uint8)
SETS_PRED = RNG.integers(0, 2, (4, 20, 3)).astype(np.uint8)
WEIGHTS = RNG.integers(0, 4, (6, 20)).astype(np.uint8)
TARGETS = {
    "labels": (Labels(np.arange(3), Y, PRED), np.eye(3)[Y], np.eye(3)[PRED]),
    "sets": (LabelSets(SETS_Y, SETS_PRED), SETS_Y, SETS_PRED),
}


@pytest.mark.parametrize("kind", TARGETS)
@pytest.mark.parametrize("slots", [np.eye(3), np.ones((1, 3)), [[2, 0, 1]]], ids=str)
@pytest.mark.parametrize("weights", [WEIGHTS, WEIGHTS / 8], ids=["counts", "weights"])
def test_counts_are_those_of_a_loop(kind, slots, weights):
    target, y, pred = TARGETS[kind]
    slots = np.asarray(slots, dtype=np.uint8)
    counts, drawn, configs = LabelCounts(target, slots), DrawWeights(weights), np.arange(4)
    w = weights.astype(float)
    close = np.testing.assert_allclose
    close(counts.true(drawn), np.einsum("dn,nk,sk->sd", w, y, slots))
    close(counts.predicted(drawn, configs, False), np.einsum("dn,cnk,sk->sdc", w, pred, slots))
    hits = np.einsum("dn,cnk,nk,sk->sdc", w, pred, y, slots)
    close(counts.hits(drawn, configs, False), hits)
    chosen = np.array([3, 0, 0, 1, 2, 3])
    of_draw = hits[:, np.arange(6), chosen]
    np.testing.assert_array_equal(
        counts.hits(drawn, chosen, True), counts.hits(drawn, configs, False)[:, range(6), chosen]
    )
    close(counts.hits(drawn, chosen, True), of_draw)
    close(counts.hits(drawn, np.full(6, 2), True), hits[:, :, 2])


def test_confusion_matrices_are_scikit_learn_s():
    order = np.array([2, 0])
    found = confusion(
        Labels(np.arange(3), Y, PRED), order, DrawWeights(WEIGHTS), np.arange(4), False
    )
    for draw, weights in enumerate(WEIGHTS):
        for config, pred in enumerate(PRED):
            expected = confusion_matrix(Y, pred, labels=order, sample_weight=weights)
            np.testing.assert_array_equal(found[:, :, draw, config], expected)


def rows(y, pred, classes=None):
    return RowData(y=y, pred=pred, classes=classes, codes_given=False, kwargs={})


def test_positions_of_labels():
    text = rows(np.array(["a", "c"]), np.array([["a", "b"]]))
    assert positions_of(["c", "a", "x"], text).tolist() == [2, 0, -1]
    assert positions_of([1, 2], text) is None
    assert positions_of([], text) is None
    sets = rows(SETS_Y, SETS_PRED)
    assert positions_of([2, 0], sets).tolist() == [2, 0]
    assert positions_of([3], sets) is None


def test_slots_of_one_label_each():
    assert one_each(3, np.array([2, -1, 0])).tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]


def test_the_target_tells_labels_from_sets():
    assert isinstance(label_target(rows(Y, PRED)), Labels)
    assert isinstance(label_target(rows(SETS_Y, SETS_PRED)), LabelSets)
