"""Variance of areas under the ROC curve: pROC's values, two other formulas, clusters, weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from sklearn_bbc.metrics._placements import auc_parts


@st.composite
def labelled_scores(draw):
    """Three scores with ties and labels of both classes, at least 2 samples each."""
    n_positive = draw(st.integers(2, 12))
    n_negative = draw(st.integers(2, 12))
    n = n_positive + n_negative
    values = st.lists(st.integers(0, 6), min_size=n, max_size=n)
    scores = np.array([draw(values) for _ in range(3)], dtype=float)
    is_positive = np.arange(n) < n_positive
    return scores, is_positive


def wins(score, is_positive):
    """Matrix (n_positive, n_negative): 1 where the positive one scores higher, 1/2 on ties."""
    difference = score[is_positive][:, None] - score[~is_positive][None]
    return (np.sign(difference) + 1) / 2


@given(labelled_scores())
def test_covariance_is_that_of_a_two_sample_u_statistic(data):
    scores, is_positive = data
    rows = [wins(score, is_positive).mean(axis=1) for score in scores]
    columns = [wins(score, is_positive).mean(axis=0) for score in scores]
    expected = np.cov(rows) / is_positive.sum() + np.cov(columns) / (~is_positive).sum()
    np.testing.assert_allclose(auc_parts(scores, is_positive).covariance(), expected, atol=1e-14)


def test_perfect_ranking_has_area_one_and_variance_zero_exactly():
    for n_positive in (2, 3, 7, 49):
        is_positive = np.arange(n_positive + 5) < n_positive
        parts = auc_parts(is_positive.astype(float), is_positive)
        assert parts.auc[0] == 1
        assert parts.covariance()[0, 0] == 0


def test_zero_weight_takes_a_row_out():
    rng = np.random.default_rng(1)
    scores, is_positive = rng.normal(size=(2, 40)), np.arange(40) % 3 == 0
    kept = rng.random(40) < 0.7
    inside = auc_parts(scores, is_positive, weight=kept.astype(float))
    alone = auc_parts(scores[:, kept], is_positive[kept])
    assert np.array_equal(inside.auc, alone.auc)
    np.testing.assert_allclose(inside.covariance(), alone.covariance(), rtol=1e-12)


def test_weighted_area_is_that_of_scikit_learn():
    rng = np.random.default_rng(2)
    score, is_positive = rng.integers(8, size=60).astype(float), np.arange(60) % 3 == 0
    weight = rng.uniform(0.1, 3, size=60)
    expected = roc_auc_score(is_positive, score, sample_weight=weight)
    assert auc_parts(score, is_positive, weight=weight).auc[0] == pytest.approx(
        expected, abs=1e-14
    )
