"""Scores that are equal in theory tie, whatever rounding does to them: the first one wins."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_bbc import OOFPredictions, _native
from sklearn_bbc._rounding import rounding
from sklearn_bbc.contest._contest import selected_configuration
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.metrics._base import first_best

EPS = np.finfo(float).eps


def everything(n):
    return np.ones((1, n), dtype=np.uint8)


def winner_of(kernel, weights):
    return kernel.winners(weights).tolist()


# --- the rule ----------------------------------------------------------------------------


def test_the_first_within_rounding_of_the_best_wins():
    r = rounding(10)
    rows = np.array([[1 - 0.9 * r, 1.0], [1 - 1.1 * r, 1.0], [1.0, 1 + 0.9 * r], [0.0, r / 2]])
    assert first_best(rows, r, 1.0).tolist() == [0, 1, 0, 0]
    assert first_best(rows, r).tolist() == [0, 1, 0, 1]  # relative to the score alone
    assert first_best(rows).tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("relative", [0.0, 1e-10])
def test_undefined_and_infinite_scores(relative):
    inf, nan = np.inf, np.nan
    rows = [[nan, -inf, 1], [nan, -inf, -inf], [nan] * 3, [1, inf, inf], [nan, 2, 2]]
    assert first_best(np.array(rows), relative, 1.0).tolist() == [2, 1, -1, 1, 1]


# --- metrics -----------------------------------------------------------------------------


def average_precision(order):
    """Exactly, for labels from the highest score down."""
    hits = np.cumsum(order)
    terms = [Fraction(int(hits[k]), k + 1) for k in range(len(order)) if order[k]]
    return sum(terms, Fraction(0)) / int(hits[-1])


def rounding_ties(n=9):
    """Orders of labels whose average precision is equal in theory, but not as float sums."""
    by_score: dict = {}
    for order in product([0, 1], repeat=n):
        if 0 < sum(order) < n:
            by_score.setdefault((sum(order), average_precision(order)), []).append(order)
    return [orders for orders in by_score.values() if len(orders) > 1]


def predictions_with(orders):
    """Configurations that rank the same labels in the given orders, ascending scores."""
    n_positive = sum(orders[0])
    y = (np.arange(len(orders[0])) < n_positive).astype(int)
    pred = np.empty((len(y), len(orders)))
    for k, order in enumerate(orders):
        places = len(y) - np.arange(len(y), dtype=float)
        pred[y == 1, k], pred[y == 0, k] = (
            places[np.array(order) == 1],
            places[np.array(order) == 0],
        )
    return OOFPredictions(y_true=y, y_pred=pred)


@pytest.mark.parametrize("native", [True, False])
def test_equal_average_precision_ties(native, monkeypatch):
    if not native:
        monkeypatch.setattr(_native, "available", lambda: False)
    elif not _native.available():
        pytest.skip("no compiled kernels")
    n_apart = 0
    for orders in rounding_ties():
        for some in (orders, orders[::-1]):
            kernel = as_metric("average_precision").bind(predictions_with(some))
            scores = kernel.scores(everything(9))[0]
            assert np.ptp(scores) <= 4 * EPS
            n_apart += scores.argmax() != 0
            for n_draws in (1, 70):  # one by one, and side by side
                draws = np.repeat(everything(9), n_draws, axis=0)
                assert winner_of(kernel, draws) == [0] * n_draws
                assert winner_of(kernel, 0.5 * draws) == [0] * n_draws
    assert n_apart > 3, "the last bit would decide"


@pytest.mark.parametrize(
    "scoring", ["f1_macro", "recall_macro", "balanced_accuracy", "jaccard_macro", "r2",
                "neg_log_loss", "neg_mean_absolute_error", "neg_root_mean_squared_error"]
)  # fmt: skip
def test_the_same_terms_in_another_order_tie(scoring):
    """The roles of classes, or of samples, are exchanged from one configuration to the next."""
    rng = np.random.default_rng(0)
    n_apart = 0
    for _ in range(20):
        if "_macro" in scoring or "balanced" in scoring:
            y = np.repeat(np.arange(3), 7)
            right = [rng.random(7) < p for p in (0.3, 0.6, 0.9)]
            pred = np.stack(
                [
                    np.where(np.concatenate([right[k] for k in order]), y, (y + 1) % 3)
                    for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
                ],
                axis=1,
            )
        else:
            y = np.arange(21) % 2 if scoring == "neg_log_loss" else np.tile([1.0, 2, 4], 7)
            error = rng.integers(1, 30, size=7) / 100
            pred = np.stack([y + np.tile(np.roll(error, k), 3) for k in range(3)], axis=1)
            if scoring == "neg_log_loss":
                pred = np.stack(
                    [np.where(y == 1, p, 1 - p) for p in (np.roll(np.tile(error, 3), k)
                                                          for k in range(3))], axis=1
                )  # fmt: skip
        kernel = as_metric(scoring).bind(OOFPredictions(y_true=y, y_pred=pred))
        scores = kernel.scores(everything(len(y)))[0]
        if np.ptp(scores) > 1e-12:
            continue
        n_apart += 1
        assert winner_of(kernel, everything(len(y))) == [0]
        assert winner_of(kernel, everything(len(y)) * 0.3) == [0]
    assert n_apart > 5


def test_repeats_in_another_order_tie():
    n, rng = 40, np.random.default_rng(1)
    y = np.arange(n) % 2
    flips = [np.where(rng.random(n) < p, 1 - y, y) for p in (0.1, 0.2, 0.3)]
    pred = np.stack([np.stack([flips[(r + k) % 3] for k in range(3)], axis=1) for r in range(3)])
    fold = np.tile(np.arange(n) // 8, (3, 1))
    oof = OOFPredictions(y_true=y, y_pred=pred, fold=fold)
    kernel = as_metric("roc_auc").bind(oof)
    assert np.ptp(kernel.scores(everything(n))) <= 4 * EPS
    assert winner_of(kernel, everything(n)) == [0]
    assert selected_configuration(kernel)[0] == 0


def test_the_size_of_the_errors_does_not_matter():
    """Errors of 1e-9 differ as much as errors of 1."""
    y = np.arange(20.0)
    pred = y[:, None] + np.array([[2e-9, 1e-9, 3e-9]])
    kernel = as_metric("neg_mean_squared_error").bind(OOFPredictions(y_true=y, y_pred=pred))
    assert winner_of(kernel, everything(20)) == [1]


@settings(max_examples=40)
@given(
    st.integers(0, 10**6),
    st.sampled_from(["roc_auc", "average_precision", "roc_auc_ovr", "f1_macro", "accuracy"]),
)
def test_all_ways_to_the_winner_agree(seed, scoring):
    """Compiled and NumPy, counts and weights, with early stopping and without."""
    rng = np.random.default_rng(seed)
    n, n_classes = int(rng.integers(8, 40)), 3 if scoring == "roc_auc_ovr" else 2
    y = np.arange(n) % n_classes
    if scoring in ("f1_macro", "accuracy"):
        pred = rng.integers(0, 2, size=(n, 12))
    elif n_classes == 3:
        pred = rng.integers(1, 4, size=(n, 12, 3)).astype(float)
        pred /= pred.sum(axis=2, keepdims=True)
    else:
        pred = rng.integers(0, 4, size=(n, 12)).astype(float)
    oof = OOFPredictions(y_true=y, y_pred=pred)
    kernel = as_metric(scoring).bind(oof)
    draws = rng.multinomial(n, np.full(n, 1 / n), size=40).astype(np.uint8)
    found = kernel.winners(draws)
    np.testing.assert_array_equal(kernel.winners(draws.astype(float)), found)
    np.testing.assert_array_equal(kernel.first_best(kernel.scores(draws)), found)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_native, "available", lambda: False)
        np.testing.assert_array_equal(as_metric(scoring).bind(oof).winners(draws), found)
