"""Counts of many labels: those of the matrix products, in one pass over the rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_bbc.metrics._arithmetic import DrawWeights
from sklearn_bbc.metrics._confusion import (
    MANY_CLASSES,
    LabelCounts,
    Labels,
    LabelSets,
    ManyLabelCounts,
    label_counts,
    one_each,
)


def labels(rng, n_rows=60, n_classes=9, n_configs=4):
    y, pred = rng.integers(0, n_classes, n_rows), rng.integers(0, n_classes, (n_configs, n_rows))
    return Labels(np.arange(n_classes), y, np.where(rng.random(pred.shape) < 0.5, y, pred))


@pytest.mark.long
@given(seed=st.integers(0, 10**6), whole=st.booleans(), known=st.integers(1, 9))
def test_they_are_those_of_one_product_per_label(seed, whole, known):
    rng = np.random.default_rng(seed)
    target = labels(rng)
    positions = rng.permutation(9)[:known]
    positions[rng.random(known) < 0.2] = -1  # labels that were asked for and never occur
    slots = one_each(9, positions)
    weights = rng.integers(0, 4, (7, 60)) if whole else rng.random((7, 60))
    many, few, drawn = (
        ManyLabelCounts(target, slots),
        LabelCounts(target, slots),
        DrawWeights(weights),
    )
    same = np.testing.assert_array_equal if whole else np.testing.assert_allclose
    same(many.true(drawn), few.true(drawn))
    every, one_a_draw = np.array([2, 0, 1, 3]), rng.integers(0, 4, 7)
    for configs, paired in ((every, False), (one_a_draw, True)):
        same(many.hits(drawn, configs, paired), few.hits(drawn, configs, paired))
        for one, other in zip(
            many.hits_and_predicted(drawn, configs, paired),
            few.hits_and_predicted(drawn, configs, paired),
            strict=True,
        ):
            same(one, other)


EACH = np.arange(MANY_CLASSES)
ONE_LABEL = Labels(EACH, EACH, EACH[None])
SETS = LabelSets(np.eye(MANY_CLASSES, dtype=np.uint8), np.eye(MANY_CLASSES, dtype=np.uint8)[None])


@pytest.mark.parametrize(
    ("target", "positions", "kind"),
    [
        (ONE_LABEL, EACH, ManyLabelCounts),
        (ONE_LABEL, EACH[1:], LabelCounts),
        (ONE_LABEL, [0] * MANY_CLASSES, LabelCounts),
        (SETS, EACH, LabelCounts),
    ],
    ids=["many", "few", "one label twice", "sets"],
)
def test_the_way_suits_the_slots(target, positions, kind):
    assert isinstance(label_counts(target, one_each(MANY_CLASSES, np.array(positions))), kind)


def test_the_work_does_not_grow_with_the_number_of_labels(monkeypatch):
    looked_at = []
    take = np.take

    def counting(array, *arguments, **keywords):
        result = take(array, *arguments, **keywords)
        looked_at.append(result.size)
        return result

    rng = np.random.default_rng(0)
    work = []
    for n_classes in (100, 1000):
        target = labels(rng, 2000, n_classes, 1)
        counts = ManyLabelCounts(target, one_each(n_classes, np.arange(n_classes)))
        drawn = DrawWeights(rng.integers(0, 3, (10, 2000)))
        monkeypatch.setattr(np, "take", counting)
        looked_at.clear()
        counts.true(drawn)
        counts.hits_and_predicted(drawn, np.zeros(10, dtype=int), True)
        monkeypatch.undo()
        work.append(sum(looked_at))
    assert work[0] == work[1] == 3 * 10 * 2000
