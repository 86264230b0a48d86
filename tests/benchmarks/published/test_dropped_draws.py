"""Draws that leave a class out, left out themselves."""

import numpy as np

from benchmarks.published.replication import DroppingBBC, KeptDraws
from sklearn_bbc.intervals import BBC
from sklearn_bbc.resampling import IID, Draws
from tests.resampling.test_degenerate import INDICATOR, OOF, N, acceptable


def test_the_acceptable_draws_are_kept_in_their_order():
    """The same stream without any check, filtered by hand."""
    every = Draws(IID(N), 1000, 7).map(lambda counts: counts.astype(int))
    fine = acceptable(every)
    draws = KeptDraws(Draws(IID(N), 1000, 7, indicator=INDICATOR))
    kept = draws.map(lambda counts: counts.astype(int))
    assert 0 < np.count_nonzero(~fine) < 1000
    np.testing.assert_array_equal(kept, every[fine])
    assert draws.n_redrawn == 0


def test_the_others_have_the_scores_that_bbc_has():
    redrawn = BBC(random_state=0).estimate(OOF, "roc_auc")
    dropped = DroppingBBC(random_state=0).estimate(OOF, "roc_auc")
    assert len(redrawn.draws) == 2000 > len(dropped.draws)
    assert dropped.details["n_redrawn"] == 0 < redrawn.details["n_redrawn"]
    at = np.flatnonzero(np.isin(redrawn.draws, dropped.draws))
    assert len(at) >= len(dropped.draws)
    # Both condition on the same event, so they differ by Monte-Carlo error only.
    assert abs(dropped.estimate - redrawn.estimate) < 0.03
