"""Outcomes: columns of one length, concatenated and taken in order."""

import numpy as np
import pytest

from sklearn_bbc.selection import Outcome
from sklearn_bbc.selection._base import CHUNK_BYTES, in_pieces


def test_columns_of_other_lengths_are_refused():
    with pytest.raises(ValueError, match="one length"):
        Outcome({"config": np.arange(2), "place": np.arange(3)})
    with pytest.raises(ValueError, match="at least one"):
        Outcome({})


def test_pieces_change_nothing():
    weights = np.arange(14).reshape(7, 2)

    def largest(some):
        sizes.append(len(some))
        return Outcome({"config": some.max(axis=1)})

    for bytes_per_draw, expected in ((1, [7]), (CHUNK_BYTES // 3, [3, 3, 1]), (10**12, [1] * 7)):
        sizes = []
        outcome = in_pieces(largest, weights, bytes_per_draw)
        assert outcome["config"].tolist() == [1, 3, 5, 7, 9, 11, 13] and sizes == expected
