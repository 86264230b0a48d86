"""Accuracy, log loss, Brier, top-k: labels, digits, what is refused or replayed."""

from inspect import signature

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    brier_score_loss,
    hamming_loss,
    hinge_loss,
    log_loss,
    make_scorer,
    top_k_accuracy_score,
)

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import BBCWarning
from sklearn_bbc.metrics import as_metric

PROBABILITIES = {"response_method": "predict_proba"}
MULTICLASS_BRIER = "scale_by_half" in signature(brier_score_loss).parameters


def labels(rng, n, classes):
    """Labels of every class, at random."""
    y = rng.choice(classes, size=n)
    y[: len(classes)] = classes
    return rng.permutation(y)


def test_labels_and_no_scores_are_wanted():
    oof = OOFPredictions(y_true=[0, 1, 1, 0], y_pred=[[0.2], [0.7], [0.6], [0.1]])
    with pytest.raises(ValueError, match="needs class labels"):
        as_metric("accuracy").bind(oof)


@pytest.mark.parametrize("function", [accuracy_score, hamming_loss, log_loss, hinge_loss])
def test_arguments_that_no_function_takes_are_named(function):
    oof = OOFPredictions(y_true=[0, 1, 1, 0], y_pred=[[0], [1], [0], [0]])
    with pytest.raises(ValueError, match="make_scorer was given 'nonsense'"):
        as_metric(make_scorer(function, nonsense=1)).bind(oof)


def test_numbers_of_right_labels_are_replayed():
    oof = OOFPredictions(y_true=[0, 1, 1, 0], y_pred=[[0], [1], [0], [0]])
    metric = as_metric(make_scorer(accuracy_score, normalize=False))
    assert metric.bind(oof).family == "replay"
    assert not metric.bind(oof).is_pointwise


def test_log_loss_clips_at_the_epsilon_of_the_type():
    y = np.array([0, 1, 1, 0, 1])
    for dtype in (np.float64, np.float32):
        pred = np.array([[1, 0, 1, 0, 0.5], [1, 1, 1, 1, 1]], dtype=dtype)
        oof = OOFPredictions(y_true=y, y_pred=pred.T)
        kernel = as_metric("neg_log_loss").bind(oof)
        ones = np.ones((1, 5), dtype=int)
        expected = [-log_loss(y, p) for p in pred]
        tolerance = 1e-12 if dtype is np.float64 else 1e-6
        np.testing.assert_allclose(kernel.scores(ones)[0], expected, rtol=tolerance)
        # One hopeless row next to a perfect one: 36 against 2e-16, and both keep their digits.
        perfect = kernel.pointwise(0)[2]
        assert kernel.scores(np.array([[1, 0, 1, 0, 0]]))[0, 0] < -7
        lone = kernel.scores(np.array([[0, 0, 3, 1, 0]]))[0, 0]
        np.testing.assert_allclose(lone, perfect, rtol=1e-12)


def test_confident_and_hopeless_log_losses_keep_their_digits():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=400)
    chance = 10.0 ** -rng.uniform(0, 15, size=(5, 400))
    pred = np.where(rng.random((5, 400)) < 0.5, chance, 1 - chance)
    oof = OOFPredictions(y_true=y, y_pred=pred.T)
    scorer = make_scorer(log_loss, labels=[0, 1], greater_is_better=False, **PROBABILITIES)
    kernel = as_metric(scorer).bind(oof)
    small = -kernel.pointwise(0) < 1e-10
    assert small.any()
    mask = small[None]
    expected = kernel.pointwise(0)[small].mean()
    np.testing.assert_allclose(kernel.scores(mask)[0, 0], expected, rtol=1e-12, atol=0)


def test_what_is_no_probability_cannot_win_and_alone_is_an_error():
    y = np.array([0, 1, 1, 0])
    pred = np.array([[0.1, 0.9, 0.8, 0.3], [-0.1, 0.9, 1.2, 0.3]])
    for name in ("neg_log_loss", "neg_brier_score"):
        with pytest.warns(BBCWarning, match="cannot score 1 of 2 configurations"):
            kernel = as_metric(name).bind(OOFPredictions(y_true=y, y_pred=pred.T))
        assert kernel.valid.tolist() == [True, False]
        scores = kernel.scores(np.ones((2, 4), dtype=int))
        assert np.isnan(scores[:, 1]).all() and not np.isnan(scores[:, 0]).any()
        assert np.isnan(kernel.score_of(np.ones((2, 4), dtype=int), 1)).all()
        with pytest.raises(ValueError, match="outside \\[0, 1\\]"):
            as_metric(name).bind(OOFPredictions(y_true=y, y_pred=pred[1]))


@pytest.mark.parametrize("classes", [[1, 2], ["no", "yes"], [-1, 1], [False, True]])
def test_brier_finds_the_positive_label(classes):
    rng = np.random.default_rng(0)
    y, pred = labels(rng, 20, np.array(classes)), rng.random((2, 20))
    kwargs = {"pos_label": classes[1]} if isinstance(classes[0], str) else {}
    scorer = make_scorer(brier_score_loss, **PROBABILITIES, **kwargs)
    kernel = as_metric(scorer).bind(OOFPredictions(y_true=y, y_pred=pred.T))
    assert kernel.family == "brier"
    counts = np.ones((1, 20), dtype=int)
    expected = [brier_score_loss(y, p, **kwargs) for p in pred]
    np.testing.assert_allclose(kernel.scores(counts)[0], expected, rtol=1e-12)


def test_brier_of_text_without_a_positive_label_is_scikit_learns_error():
    oof = OOFPredictions(y_true=["a", "b", "a"], y_pred=[[0.1], [0.2], [0.3]])
    with pytest.raises(ValueError, match="pos_label"):
        as_metric("neg_brier_score").bind(oof)


@pytest.mark.skipif(MULTICLASS_BRIER, reason="this release knows several classes")
def test_brier_of_several_classes_is_scikit_learns_error():
    oof = OOFPredictions.from_rows(
        y_true=[0, 1, 2, 1], responses={"plain": np.full((1, 4, 3), 1 / 3)}
    )
    with pytest.raises(ValueError, match="brier"):
        as_metric("neg_brier_score").bind(oof)


def test_top_k_of_two_classes_by_a_threshold_of_the_draw_is_replayed():
    """Only scikit-learn itself is right there."""
    rng = np.random.default_rng(0)
    oof = OOFPredictions.from_rows(
        y_true=np.arange(20) % 2, responses={"decision_function": rng.normal(size=(2, 20))}
    )
    scorer = make_scorer(top_k_accuracy_score, k=1, response_method="decision_function")
    assert as_metric(scorer).bind(oof).family == "replay"


def test_values_per_row_average_to_the_score():
    rng = np.random.default_rng(0)
    y = labels(rng, 12, np.array([0, 1]))
    pred = rng.random((2, 12, 3))
    fold = np.array([np.arange(12) // 4, np.arange(12) % 3])
    oof = OOFPredictions(y_true=y, y_pred=pred, fold=fold, sample_weight=rng.random(12))
    for name in ("neg_log_loss", "neg_brier_score"):
        kernel = as_metric(name).bind(oof)
        assert kernel.is_pointwise
        for config in range(3):
            values = kernel.pointwise(config)
            weight = oof.sample_weight[oof.sample]
            score = kernel.scores(np.ones((1, 12), dtype=int))[0, config]
            np.testing.assert_allclose(np.average(values, weights=weight), score, rtol=1e-12)
    metric = as_metric("f1")
    kernel = metric.bind(OOFPredictions(y_true=y, y_pred=(pred[0] > 0.5).astype(int)))
    assert not kernel.is_pointwise and kernel.pointwise(0) is None
