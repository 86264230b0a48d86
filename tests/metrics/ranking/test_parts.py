"""The mean over the parts of a rank metric, worked out by hand."""

import numpy as np
import pytest

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
    np.testing.assert_array_equal(found.of([np.array([4.0, 3.0])]), [0.75, 0.5])


LOST = [np.array([4.0, 3.0]), np.array([8.0, 0.0])]


def test_parts_count_equally_and_all_are_needed():
    np.testing.assert_array_equal(mean().of(LOST), [(0.75 + 0.5) / 2, np.nan])


def test_parts_may_count_by_their_positives():
    """Positives weigh 3 and 0 in the second draw, so the undefined part does not matter."""
    by_positives = mean(shares=lambda positive, negative: positive, every=False)
    np.testing.assert_array_equal(by_positives.of(LOST), [(2 * 0.75 + 2 * 0.5) / 4, 0.5])


@pytest.mark.parametrize(
    ("loss", "alone", "within"), [(MisplacedPairs, 16, 8), (LostPrecision, 22 / 15, 4 / 3)]
)
def test_a_part_within_folds_compares_rows_of_the_same_fold_only(loss, alone, within):
    part = Part(np.arange(6.0)[None], MASK[0], ~MASK[0], loss)
    for each, lost in ((part, alone), (part.within(np.array([7, 2, 7, 2, 7, 2])), within)):
        found = each.losses(np.ones((2, 6)), np.array([0]))
        np.testing.assert_allclose(found, [[lost, lost]], rtol=1e-15)
