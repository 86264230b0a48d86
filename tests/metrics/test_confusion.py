"""Precision, recall, F, Jaccard, balanced accuracy, Matthews, kappa: as on repeated rows."""

import warnings
from functools import partial
from inspect import signature

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import (
    balanced_accuracy_score,
    cohen_kappa_score,
    f1_score,
    fbeta_score,
    jaccard_score,
    make_scorer,
    matthews_corrcoef,
    precision_score,
    recall_score,
)

from sklearn_bbc import OOFPredictions
from sklearn_bbc.metrics import as_metric
from tests.metrics.repeated_rows import check_kernel, with_weights

SEEDS = st.integers(0, 2**32 - 1)
FUNCTIONS = st.sampled_from(
    [
        precision_score,
        recall_score,
        f1_score,
        jaccard_score,
        partial(fbeta_score, beta=0.5),
        partial(fbeta_score, beta=np.inf),
        partial(fbeta_score, beta=0),
    ]
)
# The functions are called several thousand times by each of these tests.
some = settings(max_examples=max(1, settings().max_examples // 4))


def scorer_of(function, **kwargs):
    """Scorer of a function, or of one with fixed arguments."""
    if isinstance(function, partial):
        return make_scorer(function.func, **function.keywords, **kwargs)
    return make_scorer(function, **kwargs)


def rare_labels(rng, n, classes):
    """Labels of which some are rare, so that draws lack them."""
    share = rng.dirichlet(np.full(len(classes), 0.5))
    return rng.choice(classes, size=n, p=share)


def plain(y, pred):
    return OOFPredictions(y_true=y, y_pred=np.moveaxis(pred, 0, 1))


@some
@given(SEEDS, FUNCTIONS, st.sampled_from([0, 1]), st.sampled_from(["warn", 0, 1]))
def test_one_of_two_labels(seed, function, pos_label, zero_division):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    y = rare_labels(rng, n, np.arange(2))
    y[0] = 1 - y[1]
    pred = np.stack([rare_labels(rng, n, np.arange(2)) for _ in range(3)])
    scorer = scorer_of(function, pos_label=pos_label, zero_division=zero_division)
    _, counts, scores = check_kernel(
        scorer, plain(y, pred), pred, family="precision_recall", rng=rng
    )
    recorded = OOFPredictions.from_rows(y_true=y, responses={"predict": pred})
    np.testing.assert_array_equal(as_metric(scorer).bind(recorded).scores(counts), scores)
    weighted = with_weights(as_metric(scorer), y, pred, counts)
    weighted[counts.sum(axis=1) == 0] = np.nan
    np.testing.assert_allclose(scores, weighted, rtol=1e-12, atol=1e-12)


@some
@given(SEEDS, FUNCTIONS, st.sampled_from(["micro", "macro", "weighted"]), st.booleans())
def test_averages_over_the_labels_of_the_draw(seed, function, average, one):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    classes = np.array([*"abcd"])
    y = rare_labels(rng, n, classes)
    pred = np.stack([rare_labels(rng, n, classes) for _ in range(3)])
    scorer = scorer_of(function, average=average, zero_division=int(one))
    check_kernel(scorer, plain(y, pred), pred, family="precision_recall", rng=rng)


@some
@given(SEEDS, FUNCTIONS, st.sampled_from(["micro", "macro", "weighted"]))
def test_averages_over_given_labels(seed, function, average):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    y = rare_labels(rng, n, np.arange(5))
    pred = np.stack([rare_labels(rng, n, np.arange(5)) for _ in range(3)])
    # One that never occurs, one twice, and an order that is not sorted.
    chosen = rng.permutation([1, 3, 7, 1])
    scorer = scorer_of(function, average=average, labels=chosen)
    check_kernel(scorer, plain(y, pred), pred, family="precision_recall", rng=rng)


@pytest.mark.parametrize("average", ["binary", "macro", "weighted"])
@pytest.mark.parametrize("function", [precision_score, recall_score, f1_score])
def test_undefined_labels_may_be_left_out(function, average):
    rng = np.random.default_rng(0)
    n_classes = 2 if average == "binary" else 4
    y = rare_labels(rng, 15, np.arange(n_classes))
    y[:2] = [0, 1]
    pred = np.stack([rare_labels(rng, 15, np.arange(n_classes)) for _ in range(3)])
    scorer = make_scorer(function, average=average, zero_division=np.nan)
    check_kernel(scorer, plain(y, pred), pred, family="precision_recall", rng=rng, n_draws=40)


@some
@given(SEEDS, FUNCTIONS, st.sampled_from(["micro", "macro", "weighted"]), st.booleans())
def test_label_sets(seed, function, average, given_labels):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 20))
    y = (rng.random((n, 3)) < rng.random(3)).astype(int)
    pred = (rng.random((2, n, 3)) < rng.random(3)).astype(int)
    kwargs = {"labels": [2, 0, 2]} if given_labels else {}
    scorer = scorer_of(function, average=average, zero_division=0, **kwargs)
    oof = OOFPredictions.from_rows(y_true=y, responses={"plain": pred})
    check_kernel(scorer, oof, pred, family="precision_recall", rng=rng, n_draws=6)


@pytest.mark.parametrize(
    ("kwargs", "pred"),
    [
        ({"average": "binary"}, [0, 1, 2, 1]),  # three labels
        ({"average": "macro", "zero_division": 7}, [0, 1, 0, 1]),
        ({"average": None}, [0, 1, 0, 1]),
    ],
)
def test_what_scikit_learn_refuses_is_left_to_it(kwargs, pred):
    oof = OOFPredictions(y_true=[0, 1, 1, 0], y_pred=np.array(pred)[:, None])
    with pytest.raises(ValueError, match="cannot be computed again"):
        as_metric(make_scorer(f1_score, **kwargs)).bind(oof)


def test_labels_of_another_type_and_means_over_samples_are_replayed():
    rng = np.random.default_rng(0)
    y, pred = rng.integers(2, size=(20, 3)), rng.integers(2, size=(2, 20, 3))
    oof = OOFPredictions.from_rows(y_true=y, responses={"plain": pred})
    two = OOFPredictions(y_true=[0, 1, 1, 0], y_pred=[[0], [1], [0], [1]])
    scorer = make_scorer(f1_score, average="macro", labels=["0", "1"], zero_division=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert as_metric("f1_samples").bind(oof).family == "replay"
        try:
            assert as_metric(scorer).bind(two).family == "replay"
        except ValueError as error:  # some releases refuse it
            assert "cannot be computed again" in str(error)


def test_scores_are_no_labels():
    oof = OOFPredictions(y_true=[0, 1, 1, 0], y_pred=[[0.2], [0.7], [0.6], [0.1]])
    for name in ("f1", "balanced_accuracy", "matthews_corrcoef"):
        with pytest.raises(ValueError, match="needs class labels"):
            as_metric(name).bind(oof)


@some
@given(SEEDS, st.integers(2, 4), st.booleans())
def test_balanced_accuracy(seed, n_classes, adjusted):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    y = rare_labels(rng, n, np.arange(n_classes))
    y[:2] = [0, 1]
    pred = np.stack([rare_labels(rng, n, np.arange(n_classes)) for _ in range(3)])
    scorer = make_scorer(balanced_accuracy_score, adjusted=adjusted)
    # With one class left scikit-learn divides by a chance level of 1 - 1: minus infinity.
    kernel, counts, scores = check_kernel(
        scorer, plain(y, pred), pred, family="balanced_accuracy", rng=rng, infinite=False
    )
    assert (kernel.strata is None) == (not adjusted or len(np.unique(y)) > 2)
    if not adjusted:
        weighted = with_weights(as_metric(scorer), y, pred, counts)
        np.testing.assert_allclose(scores, weighted, rtol=1e-12, atol=1e-12)


@some
@given(SEEDS, st.integers(2, 4))
def test_matthews(seed, n_classes):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    y = rare_labels(rng, n, np.array([*"abcd"])[:n_classes])
    pred = np.stack([rare_labels(rng, n, np.array([*"abcd"])[:n_classes]) for _ in range(3)])
    scorer = make_scorer(matthews_corrcoef)
    _, counts, scores = check_kernel(scorer, plain(y, pred), pred, family="matthews", rng=rng)
    weighted = with_weights(as_metric(scorer), y, pred, counts)
    weighted[counts.sum(axis=1) == 0] = np.nan
    np.testing.assert_allclose(scores, weighted, rtol=1e-12, atol=1e-12)


def test_matthews_of_one_label_is_zero_whatever_the_weights():
    rng = np.random.default_rng(0)
    y = np.array([0, 1] + [0] * 30)
    pred = np.zeros((1, 32), dtype=int)
    weights = rng.random((50, 32)) * (y == 0)
    kernel = as_metric("matthews_corrcoef").bind(plain(y, rng.integers(2, size=(3, 32))))
    assert (kernel.scores(weights) == 0).all()
    kappa = as_metric(make_scorer(cohen_kappa_score)).bind(plain(y, pred))
    assert np.isnan(kappa.scores(weights)).all()


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize("chosen", [None, [2, 0, 3, 1], [1, 9, 3]])
def test_kappa(weights, chosen):
    kwargs = {} if chosen is None else {"labels": chosen}
    scorer = make_scorer(cohen_kappa_score, weights=weights, **kwargs)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(5, 25))
        y = rare_labels(rng, n, np.arange(4))
        y[:2] = [1, 3]
        pred = np.stack([rare_labels(rng, n, np.arange(4)) for _ in range(3)])
        check_kernel(scorer, plain(y, pred), pred, family="cohen_kappa", rng=rng)


def test_kappa_of_repeated_labels_is_replayed():
    scorer = make_scorer(cohen_kappa_score, labels=[0, 1, 1])
    oof = plain(np.array([0, 1, 1, 0]), np.array([[0, 1, 0, 0]]))
    assert as_metric(scorer).bind(oof).family == "replay"


@pytest.mark.skipif(
    "replace_undefined_by" not in signature(cohen_kappa_score).parameters,
    reason="this release has no replace_undefined_by",
)
@pytest.mark.parametrize("kwargs", [{}, {"weights": "linear"}, {"labels": [0, 2]}])
def test_kappa_replaces_what_is_undefined(kwargs):
    y = np.array([0, 0, 0, 1, 2])
    pred = np.array([[0, 0, 0, 0, 1], [0, 1, 0, 0, 0]])
    scorer = make_scorer(cohen_kappa_score, replace_undefined_by=-0.25, **kwargs)
    for seed in range(8):  # one row alone is among the draws, another one for each seed
        rng = np.random.default_rng(seed)
        check_kernel(scorer, plain(y, pred), pred, family="cohen_kappa", rng=rng)


def test_many_labels_and_draws_are_cut_into_pieces(monkeypatch):
    rng = np.random.default_rng(0)
    y, pred = rng.integers(6, size=40), rng.integers(6, size=(5, 40))
    scorer = make_scorer(cohen_kappa_score, weights="linear")
    counts = rng.integers(3, size=(10, 40))
    whole = as_metric(scorer).bind(plain(y, pred)).scores(counts)
    monkeypatch.setattr("sklearn_bbc.metrics._confusion._MAX_CELLS", 800)
    np.testing.assert_array_equal(as_metric(scorer).bind(plain(y, pred)).scores(counts), whole)
