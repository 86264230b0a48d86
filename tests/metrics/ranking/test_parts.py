"""The mean over the parts of a rank metric, worked out by hand."""

import numpy as np

from sklearn_bbc.metrics._rank_losses import LostPrecision, Mean, MisplacedPairs, Part

MASK = np.eye(3, dtype=bool)[np.array([0, 0, 1, 1, 2, 2])].T
PARTS = [Part(np.zeros((1, 6)), has, ~has, MisplacedPairs) for has in MASK[:2]]
WEIGHTS = np.array([[1, 1, 1, 1, 1, 1], [2, 1, 0, 0, 1, 0]])
SIZES = np.array([[16.0, 6.0], [16.0, 0.0]])  # twice positives times negatives


def mean(parts=PARTS, shares=lambda positive, negative: None, every=True):
    return Mean(WEIGHTS, parts, size=MisplacedPairs.size, shares=shares,
                needs_every_part=every, pairs=None)  # fmt: skip


def test_a_single_part_is_one_division():
    found = mean(PARTS[:1])
    assert found.single and found.defined.tolist() == [True, True]
    np.testing.assert_array_equal(found.of([(np.array([4.0, 3.0]), SIZES[0])]), [0.75, 0.5])


def test_parts_count_equally_and_all_are_needed():
    lost = [(np.array([4.0, 3.0]), SIZES[0]), (np.array([8.0, 0.0]), np.array([16.0, 1.0]))]
    np.testing.assert_array_equal(mean().of(lost), [(0.75 + 0.5) / 2, np.nan])


def test_parts_may_count_by_their_positives():
    """Positives weigh 3 and 0 in the second draw, so the undefined part does not matter."""
    lost = [(np.array([4.0, 3.0]), SIZES[0]), (np.array([8.0, 0.0]), np.array([16.0, 1.0]))]
    by_positives = mean(shares=lambda positive, negative: positive, every=False)
    np.testing.assert_array_equal(by_positives.of(lost), [(2 * 0.75 + 2 * 0.5) / 4, 0.5])


def test_the_score_so_far_only_falls():
    found, loss, score = mean(), 0.0, np.inf
    for part, lost in enumerate((np.array([4.0, 3.0]), np.array([8.0, 0.0]))):
        at_most, loss = found.at_most(part, loss, lost, found.sizes[part])
        assert (at_most <= score).all()
        score = at_most
    assert score[0] == (0.75 + 0.5) / 2


def test_picking_draws_is_the_same_as_asking_for_them():
    picked = mean().pick(np.array([1, 0, 1]))
    assert picked.defined.tolist() == [False, True, False]
    np.testing.assert_array_equal(picked.sizes, mean().sizes[:, [1, 0, 1]])


def test_a_part_within_folds_has_the_same_rows_one_fold_above_the_other():
    fold = np.array([7, 2, 7, 2, 7, 2])
    part = Part(np.arange(6.0)[None], MASK[0], ~MASK[0], LostPrecision).within(fold)
    assert part.positive.tolist() == [0, 1] and part.negative.tolist() == [2, 3, 4, 5]
    assert part.ranks.walked_order.tolist() == [[1, 0]]
    assert part.ranks.other_order.tolist() == [[3, 5, 2, 4]]
    assert part.ranks.folds == [(slice(0, 1), slice(0, 2)), (slice(1, 2), slice(2, 4))]
