"""Scores by fold of each draw equal scikit-learn's on repeated rows, fold by fold."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import ScoresByFold, as_metric
from tests.selection.draws import draws, predictions, scores_by_fold


@pytest.mark.one_in(3)
@pytest.mark.parametrize("scoring", ["roc_auc", "accuracy", "neg_brier_score"])
@pytest.mark.parametrize("n_repeats", [1, 2])
def test_equal_to_a_loop_over_repeated_rows(scoring, n_repeats):
    oof = predictions(n_samples=40, n_folds=4, n_repeats=n_repeats)
    counts = draws(oof, 5)
    found = ScoresByFold(as_metric(scoring).bind(oof))(counts)
    assert found.shape == (5, 4 * n_repeats, 6)
    for scores, count in zip(found, counts):
        expected = scores_by_fold(scoring, oof, count)
        np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-12)


def test_all_samples_once_are_the_fold_scores():
    oof = predictions()
    kernel = as_metric("neg_log_loss").bind(oof)
    np.testing.assert_allclose(
        ScoresByFold(kernel)(np.ones((1, 60), dtype=np.uint8))[0], kernel.fold_scores(), rtol=1e-12
    )


@pytest.mark.parametrize("scoring", ["roc_auc", "f1", "accuracy", "neg_log_loss"])
def test_a_fold_without_drawn_samples_or_without_a_class(scoring):
    y = np.array([0, 0, 0, 0, 1, 1, 0, 1, 0, 1])
    proba = np.linspace(0.1, 0.9, 20).reshape(2, 10)
    fold = [0, 0, 0, 0, 1, 1, 2, 2, 2, 2]
    oof = OOFPredictions.from_rows(y_true=y, responses={"predict_proba": proba}, fold=fold)
    counts = np.array([[1] * 10, [0] * 4 + [1] * 6], dtype=np.uint8)
    scores = ScoresByFold(as_metric(scoring).bind(oof))(counts)
    assert np.isnan(scores[1, 0]).all(), "no sample was drawn"
    assert np.isfinite(scores[:, 2]).all()
    if scoring == "roc_auc":
        assert np.isnan(scores[:, :2]).all(), "one class only"


def test_failed_and_equal_configurations_and_sample_weights():
    oof = predictions(n_configs=4)
    proba = np.array(oof.responses["predict_proba"])
    proba[2] = proba[0]
    weight = np.random.default_rng(3).random(60)
    weighted = predictions(
        n_configs=4, responses={"predict_proba": proba}, failed=[False, True, False, False],
        sample_weight=weight,
    )  # fmt: skip
    kernel = as_metric("accuracy").bind(weighted)
    found = ScoresByFold(kernel)(draws(oof, 5))
    assert np.isnan(found[:, :, 1]).all() and not np.isnan(found[:, :, [0, 2, 3]]).any()
    np.testing.assert_array_equal(found[:, :, 0], found[:, :, 2])
    rows = np.flatnonzero(weighted.fold == 0)
    hit = (proba[3, rows] > 0.5) == weighted.y_true[rows]
    expected = np.average(hit, weights=weight[rows] * draws(oof, 5)[0, rows])
    assert found[0, 0, 3] == pytest.approx(expected, rel=1e-12)
    assert kernel.position[[0, 2, 3]].tolist() == [0, 0, 1]
    assert kernel.distinct.tolist() == [0, 3]
