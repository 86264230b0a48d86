"""Means and standard errors over the folds of a draw; the table of fold scores."""

import numpy as np

from sklearn_bbc.metrics import as_metric
from sklearn_bbc.selection import FoldTable


def test_table_scores_are_weighted_means():
    rng = np.random.default_rng(0)
    scores = rng.random((6, 4))
    scores[2, 1] = np.nan
    table = FoldTable(as_metric("accuracy"), scores)
    weights = rng.integers(0, 3, (5, 6))
    expected = weights @ np.delete(scores, 1, axis=1) / weights.sum(axis=1, keepdims=True)
    found = table.scores(weights)
    np.testing.assert_allclose(np.delete(found, 1, axis=1), expected, rtol=1e-12)
    assert np.isnan(found[:, 1]).all()
    winners = table.winners(weights)
    np.testing.assert_array_equal(winners, np.array([0, 2, 3])[expected.argmax(axis=1)])
    np.testing.assert_allclose(table.score_of(weights, winners), expected.max(axis=1), rtol=1e-12)
    assert np.isnan(table.score_of(weights, np.full(5, -1))).all()
