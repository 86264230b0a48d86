"""Outcomes: columns of one length, concatenated and taken in order."""

import pickle

import numpy as np
import pytest

from sklearn_bbc.selection import Outcome


def test_pieces_put_together_are_the_whole():
    whole = Outcome({"config": np.arange(7), "weights": np.arange(14.0).reshape(7, 2)})
    parts = [whole.take(np.arange(3)), whole.take(np.arange(3, 7))]
    again = Outcome.concatenated(parts)
    for name in whole.columns:
        np.testing.assert_array_equal(again[name], whole[name])
    assert len(again) == 7 and len(pickle.loads(pickle.dumps(again))) == 7


def test_columns_of_other_lengths_are_refused():
    with pytest.raises(ValueError, match="one length"):
        Outcome({"config": np.arange(2), "place": np.arange(3)})
    with pytest.raises(ValueError, match="at least one"):
        Outcome({})
