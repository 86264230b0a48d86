"""Rules that propose candidates: ties, shares, labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_bbc.intervals import Best, TopShare


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.floats(0.01, 0.99))
def test_top_share_holds_the_best_and_all_its_ties(scores, share):
    scores = np.array(scores, dtype=float)
    candidates = TopShare(share).candidates(scores)
    assert set(np.flatnonzero(scores == scores.max())) <= set(candidates)
    assert Best().candidates(scores)[0] in candidates
    outside = np.delete(scores, candidates)
    assert len(outside) == 0 or outside.max() < scores[candidates].min()


@pytest.mark.parametrize(
    ("scores", "share", "expected"),
    [
        ([0.3, -np.inf, -np.inf, 0.1], 0.3, [0]),
        ([-np.inf, -np.inf, np.nan, 0.2, -np.inf], 0.1, [3]),
        ([-np.inf, -np.inf, -np.inf], 0.1, [0, 1, 2]),
        ([np.inf, 0.5, 0.4, np.inf], 0.5, [0, 3]),
    ],
)
def test_infinite_scores_have_their_place_in_the_order(scores, share, expected):
    """A quantile between two of them is not a number."""
    with np.errstate(all="raise"):
        assert TopShare(share).candidates(np.array(scores)).tolist() == expected
