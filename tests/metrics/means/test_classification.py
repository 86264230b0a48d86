"""Accuracy, log loss, Brier, top-k, hinge: equal to scikit-learn on repeated rows."""

from inspect import signature

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import (
    accuracy_score,
    brier_score_loss,
    hamming_loss,
    hinge_loss,
    log_loss,
    make_scorer,
    top_k_accuracy_score,
    zero_one_loss,
)

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import BBCWarning
from sklearn_bbc.metrics import as_metric
from tests.metrics.repeated_rows import check_kernel, with_weights

SEEDS = st.integers(0, 2**32 - 1)
PROBABILITIES = {"response_method": "predict_proba"}
SCORES = {"response_method": "decision_function"}
MULTICLASS_BRIER = "scale_by_half" in signature(brier_score_loss).parameters
NAMES = {2: np.array(["no", "yes"]), 3: np.array(["a", "b", "c"])}
# scikit-learn's functions are called several thousand times by each of these tests.
some = settings(max_examples=max(1, settings().max_examples // 4))


def labels(rng, n, classes):
    """Labels of every class, at random."""
    y = rng.choice(classes, size=n)
    y[: len(classes)] = classes
    return rng.permutation(y)


def probabilities(rng, n_configs, n, k):
    """Probabilities with exact zeros and ones among them, (n_configs, n, k)."""
    raw = rng.random((n_configs, n, k)) ** rng.integers(1, 20, size=(n_configs, 1, 1))
    raw[rng.random((n_configs, n)) < 0.1] = np.eye(k)[rng.integers(k)]
    return raw / raw.sum(axis=2, keepdims=True)


@some
@given(SEEDS, st.sampled_from([accuracy_score, zero_one_loss, hamming_loss]), st.integers(2, 5))
def test_accuracy_of_labels(seed, function, n_classes):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(n_classes, 30))
    classes = np.arange(n_classes) if seed % 2 else np.array([*"abcde"])[:n_classes]
    y, pred = labels(rng, n, classes), rng.choice(classes, size=(3, n))
    scorer = make_scorer(function, greater_is_better=function is accuracy_score)
    plain = OOFPredictions(y_true=y, y_pred=pred.T)
    _, counts, scores = check_kernel(scorer, plain, pred, family="accuracy", rng=rng)
    recorded = OOFPredictions.from_rows(
        y_true=y, responses={"predict": np.searchsorted(classes, pred)}
    )
    again = as_metric(scorer).bind(recorded).scores(counts)
    np.testing.assert_allclose(again, scores, rtol=1e-12)
    if function is accuracy_score:
        with_weight = with_weights(as_metric(scorer), y, pred, counts)
        np.testing.assert_allclose(scores, with_weight, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("function", [accuracy_score, zero_one_loss, hamming_loss])
def test_accuracy_of_label_sets(function):
    rng = np.random.default_rng(0)
    y, pred = rng.integers(2, size=(25, 3)), rng.integers(2, size=(4, 25, 3))
    oof = OOFPredictions.from_rows(y_true=y, responses={"plain": pred})
    check_kernel(make_scorer(function), oof, pred, family="accuracy", rng=rng)


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


@some
@given(SEEDS, st.booleans(), st.booleans())
def test_log_loss_of_two_classes(seed, given_labels, text):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 30))
    classes = NAMES[2] if text else np.array([0, 1])
    y, pred = labels(rng, n, classes), probabilities(rng, 3, n, 2)[:, :, 1]
    kwargs = {"labels": classes} if given_labels else {}
    scorer = make_scorer(log_loss, greater_is_better=False, **PROBABILITIES, **kwargs)
    oof = OOFPredictions(y_true=y, y_pred=pred.T)
    kernel, counts, scores = check_kernel(scorer, oof, pred, family="log_loss", rng=rng)
    assert (kernel.strata is None) == given_labels
    recorded = OOFPredictions.from_rows(y_true=y, responses={"predict_proba": pred})
    again = as_metric(scorer).bind(recorded).scores(counts)
    np.testing.assert_allclose(again, scores, rtol=1e-12)
    with_weight = with_weights(as_metric(scorer), y, pred, counts)
    there = ~np.isnan(scores)
    np.testing.assert_allclose(scores[there], with_weight[there], rtol=1e-12)


@some
@given(SEEDS, st.booleans())
def test_log_loss_of_several_classes(seed, given_labels):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 30))
    y, pred = labels(rng, n, NAMES[3]), probabilities(rng, 3, n, 3)
    kwargs = {"labels": NAMES[3]} if given_labels else {}
    scorer = make_scorer(log_loss, greater_is_better=False, **PROBABILITIES, **kwargs)
    oof = OOFPredictions.from_rows(y_true=y, responses={"predict_proba": pred})
    kernel, *_ = check_kernel(scorer, oof, pred, family="log_loss", rng=rng)
    assert (kernel.strata is None) == given_labels


def test_log_loss_with_labels_that_are_not_in_the_target():
    rng = np.random.default_rng(0)
    y, pred = np.array([0, 1, 0, 1, 1, 0]), probabilities(rng, 2, 6, 3)
    oof = OOFPredictions.from_rows(y_true=y, responses={"plain": pred})
    scorer = make_scorer(log_loss, labels=[0, 1, 2], **PROBABILITIES)
    check_kernel(scorer, oof, pred, family="log_loss", rng=rng)


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


@some
@given(SEEDS, st.sampled_from([None, 0, 1]))
def test_brier_of_two_classes(seed, pos_label):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 30))
    y, pred = labels(rng, n, np.array([0, 1])), probabilities(rng, 3, n, 2)
    kwargs = {} if pos_label is None else {"pos_label": pos_label}
    scorer = make_scorer(brier_score_loss, greater_is_better=False, **PROBABILITIES, **kwargs)
    positive = pred[:, :, 1 if pos_label is None else pos_label]
    oof = OOFPredictions(y_true=y, y_pred=positive.T)
    kernel, counts, scores = check_kernel(scorer, oof, positive, family="brier", rng=rng)
    assert kernel.strata is None
    recorded = OOFPredictions.from_rows(y_true=y, responses={"predict_proba": pred})
    np.testing.assert_allclose(as_metric(scorer).bind(recorded).scores(counts), scores, atol=1e-15)


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


@pytest.mark.skipif(not MULTICLASS_BRIER, reason="this release has the Brier score of two classes")
@some
@given(SEEDS, st.sampled_from(["auto", True, False]), st.booleans())
def test_brier_of_several_classes(seed, scale, given_labels):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 30))
    y, pred = labels(rng, n, NAMES[3]), probabilities(rng, 3, n, 3)
    kwargs = {"labels": NAMES[3]} if given_labels else {}
    scorer = make_scorer(brier_score_loss, scale_by_half=scale, **PROBABILITIES, **kwargs)
    oof = OOFPredictions.from_rows(y_true=y, responses={"predict_proba": pred})
    check_kernel(scorer, oof, pred, family="brier", rng=rng)
    binary = make_scorer(brier_score_loss, scale_by_half=scale, **PROBABILITIES)
    y, pred = labels(rng, n, np.array([0, 1])), rng.random((3, n))
    oof = OOFPredictions(y_true=y, y_pred=pred.T)
    check_kernel(binary, oof, pred, family="brier", rng=rng)


@pytest.mark.skipif(MULTICLASS_BRIER, reason="this release knows several classes")
def test_brier_of_several_classes_is_scikit_learns_error():
    oof = OOFPredictions.from_rows(
        y_true=[0, 1, 2, 1], responses={"plain": np.full((1, 4, 3), 1 / 3)}
    )
    with pytest.raises(ValueError, match="brier"):
        as_metric("neg_brier_score").bind(oof)


@some
@given(SEEDS, st.integers(1, 4), st.booleans())
def test_top_k_ranks_ties_as_scikit_learn(seed, k, given_labels):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 30))
    y = labels(rng, n, np.arange(4))
    pred = rng.integers(4, size=(3, n, 4)) / 2.0
    kwargs = {"labels": np.arange(4)} if given_labels else {}
    scorer = make_scorer(top_k_accuracy_score, k=k, **SCORES, **kwargs)
    oof = OOFPredictions.from_rows(y_true=y, responses={"decision_function": pred})
    kernel, *_ = check_kernel(scorer, oof, pred, family="top_k", rng=rng)
    assert (kernel.strata is None) == given_labels


def test_top_k_of_two_classes():
    rng = np.random.default_rng(0)
    y, pred = labels(rng, 20, np.array([0, 1])), rng.random((3, 20))
    oof = OOFPredictions.from_rows(y_true=y, responses={"predict_proba": pred})
    for k in (1, 2):
        scorer = make_scorer(top_k_accuracy_score, k=k, **PROBABILITIES)
        check_kernel(scorer, oof, pred, family="top_k", rng=rng)
    # Where the threshold depends on the draw, only scikit-learn itself is right.
    pred = rng.normal(size=(2, 20))
    oof = OOFPredictions.from_rows(y_true=y, responses={"decision_function": pred})
    scorer = make_scorer(top_k_accuracy_score, k=1, **SCORES)
    assert as_metric(scorer).bind(oof).family == "replay"


@some
@given(SEEDS, st.sampled_from([2, 3]), st.booleans())
def test_hinge(seed, n_classes, given_labels):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 30))
    classes = NAMES[n_classes]
    y = labels(rng, n, classes)
    pred = rng.normal(size=(3, n) if n_classes == 2 else (3, n, 3))
    kwargs = {"labels": classes} if given_labels else {}
    scorer = make_scorer(hinge_loss, greater_is_better=False, **SCORES, **kwargs)
    oof = OOFPredictions.from_rows(y_true=y, responses={"decision_function": pred})
    if n_classes == 3:
        check_kernel(scorer, oof, pred, family="hinge", rng=rng)
        return
    # Two classes: scikit-learn mistakes draws of the second class alone for the first one.
    kernel = as_metric(scorer).bind(oof)
    assert kernel.family == "hinge"
    weights = rng.integers(1, 4, size=(6, n))
    expected = with_weights(as_metric(scorer), y, pred, weights)
    np.testing.assert_allclose(kernel.scores(weights), expected, rtol=1e-12)


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
