"""Metrics of labels from confusion cells equal scikit-learn's on the rows themselves."""

import numpy as np
import pytest
from sklearn.metrics import get_scorer, make_scorer, precision_score, recall_score

from sklearn_bbc.selection._threshold import CellMetric

SCORINGS = ["accuracy", "balanced_accuracy", "f1", "precision", "recall", "jaccard", "f1_macro",
            "matthews_corrcoef"]  # fmt: skip


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("scoring", SCORINGS)
def test_equal_to_the_metric_on_the_rows(scoring):
    rng = np.random.default_rng(0)
    y, labels = rng.integers(2, size=(20, 15)), rng.integers(2, size=(20, 15))
    scorer = get_scorer(scoring)
    cells = np.array([np.bincount(2 * a + b, minlength=4) for a, b in zip(y, labels)])
    found = CellMetric(scoring, np.array([0, 1]))(cells)
    expected = [scorer._score_func(a, b, **scorer._kwargs) for a, b in zip(y, labels)]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_words_as_labels_and_the_positive_one():
    classes = np.array(["ill", "well"])
    metric = CellMetric(make_scorer(recall_score, pos_label="ill"), classes)
    assert metric.positive == "ill"
    np.testing.assert_allclose(metric(np.array([[5, 3, 1, 3]])), [0.75])
    loss = CellMetric(
        make_scorer(precision_score, greater_is_better=False, pos_label="well"), classes
    )
    np.testing.assert_allclose(loss(np.array([[5, 3, 1, 1]])), [-0.25])
    with pytest.raises(ValueError, match=r"f1 has pos_label=1, but the classes are \['ill'"):
        CellMetric("f1", classes)
    assert CellMetric("f1_macro", classes)(np.array([[4, 0, 0, 4]])) == 1


def test_a_function_of_the_cells():
    metric = CellMetric(lambda tn, fp, fn, tp: -(fp + 5 * fn), np.array([0, 1]))
    scores = metric(np.array([[1, 2, 3, 4], [0, 0, 0, 0]]))
    assert scores[0] == -17 and np.isnan(scores[1])
    wrong = CellMetric(lambda tn, fp, fn, tp: 0.0, np.array([0, 1]))
    with pytest.raises(ValueError, match="one score per confusion matrix"):
        wrong(np.ones((3, 4)))


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss", lambda estimator, X, y: 1.0])
def test_metrics_that_no_threshold_changes_are_refused(scoring):
    with pytest.raises(ValueError, match="must be a metric of labels"):
        CellMetric(scoring, np.array([0, 1]))
