"""Weights in the form that the compiled kernels take."""

import numpy as np
import pytest

from sklearn_bbc import _native
from sklearn_bbc._native._program import MAX_TOTAL, as_counts


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.uint16])
def test_counts_that_fit_are_not_copied(dtype):
    counts = np.ones((2, 5), dtype)
    assert as_counts(counts) is counts


@pytest.mark.parametrize(("largest", "dtype"), [(255, np.uint8), (256, np.uint16)])
def test_whole_numbers_are_made_as_small_as_they_can_be(largest, dtype):
    counts = as_counts(np.array([[0, largest]]))
    assert counts.dtype == dtype and counts.tolist() == [[0, largest]]


@pytest.mark.parametrize(
    "weights", [np.ones((1, 2)), np.array([[-1, 1]]), np.array([[2**16, 1]])], ids=str
)
def test_what_is_no_count_is_left_to_numpy(weights):
    assert as_counts(weights) is None


def test_draws_that_are_too_heavy_are_left_to_numpy():
    n = MAX_TOTAL // (2**16 - 1)
    heavy = np.full((1, n + 2), 2**16 - 1, np.uint16)
    assert as_counts(heavy) is None
    assert as_counts(heavy // 2) is not None


def test_a_column_of_a_table_is_made_contiguous():
    turned = np.ones((5, 2), np.uint8).T
    assert as_counts(turned).flags.c_contiguous


@pytest.mark.skipif(not _native.available(), reason="needs the compiled kernels")
def test_scores_are_one_minus_the_share_that_is_lost():
    pred, positive = np.array([[1.0, 3.0, 2.0, 4.0]]), np.array([False, False, True, True])
    program = _native.auc(pred, positive, np.arange(4))
    counts = np.array([[1, 1, 1, 1], [1, 2, 1, 0], [1, 1, 0, 0]], np.uint8)
    assert (program.n_configs, program.n_rows) == (1, 4) and program.nbytes > 0
    # Of the pairs only (3.0, 2.0) is in the wrong order.
    np.testing.assert_array_equal(program.scores(counts)[:, 0], [3 / 4, 1 / 3, np.nan])
    np.testing.assert_array_equal(program.losses(counts)[:2, 0], [2, 4])
    np.testing.assert_array_equal(
        program.score_of(counts, np.array([0, -1, 0])), [3 / 4] + [np.nan] * 2
    )
    assert program.winners(counts).tolist() == [0, 0, -1]
