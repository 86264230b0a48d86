"""Means and standard errors over the folds of a draw; the table of fold scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_bbc.metrics import as_metric
from sklearn_bbc.selection import FoldTable
from sklearn_bbc.selection._base import (
    FoldScorer,
    FoldsOfDraws,
    simplest,
    within,
)
from tests.selection.draws import draws, predictions


@given(st.integers(0, 2**32 - 1))
def test_a_fold_drawn_twice_is_two_folds(seed):
    rng = np.random.default_rng(seed)
    scores = rng.random((1, 5, 3))
    times = rng.multinomial(5, np.full(5, 0.2), 4)
    mean, error = FoldsOfDraws(np.repeat(scores, 4, axis=0), times).mean_and_error()
    for draw in range(4):
        repeated = np.repeat(scores[0], times[draw], axis=0)
        np.testing.assert_allclose(mean[draw], repeated.mean(axis=0), rtol=1e-12)
        expected = repeated.std(axis=0, ddof=1) / np.sqrt(5)
        np.testing.assert_allclose(error[draw], expected, rtol=1e-9, atol=1e-12)


def test_folds_that_do_not_count_are_left_out():
    scores = np.array([[[0.5, 0.6], [np.nan, np.nan], [0.7, 0.6]]])
    mean, error = FoldsOfDraws(scores, np.array([[1, 0, 1]])).mean_and_error()
    np.testing.assert_allclose(mean, [[0.6, 0.6]])
    np.testing.assert_allclose(error, [[0.1, 0.0]], atol=1e-15)
    _, alone = FoldsOfDraws(scores, np.array([[1, 0, 0]])).mean_and_error()
    assert np.isnan(alone).all(), "one fold has no standard error"


def test_a_configuration_without_a_score_where_others_have_one_loses():
    scores = np.array([[[0.5, np.nan], [0.7, 0.9]]])
    mean, _ = FoldsOfDraws(scores, np.array([[1, 1]])).mean_and_error()
    assert mean[0, 0] == pytest.approx(0.6) and np.isnan(mean[0, 1])


def test_undefined_folds_of_a_draw_count_zero_times():
    oof = predictions(n_samples=20, n_folds=5)
    folds = FoldScorer(as_metric("roc_auc").bind(oof))(draws(oof, 50))
    one_class = np.isnan(folds.scores).all(axis=2)
    assert one_class.any()
    np.testing.assert_array_equal(folds.times == 0, one_class)


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


def test_within_and_simplest():
    scores = np.array([[0.5, 0.8, 0.79, np.nan], [np.nan] * 4])
    members = within(scores, np.array([0.01, 0.01]))
    assert members.tolist() == [[False, True, True, False], [False] * 4]
    assert simplest(members, np.array([0, 2, 1, 0]), scores).tolist() == [2, -1]
    assert simplest(members, np.array([0, 1, 1, 0]), scores).tolist() == [1, -1]
    assert not within(scores, np.array([np.nan, 0.0])).any()
