"""GreedyEnsemble against a plain loop with scikit-learn's functions, and on noise."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.selection import GreedyEnsemble
from tests.selection.draws import draws, predictions, score_on


def by_a_loop(scoring, y, proba, n_members):
    """Weights of forward selection with replacement, written plainly."""
    picks, history = [], []
    for _ in range(n_members):
        scores = [
            score_on(scoring, y, proba[[*picks, config]].mean(axis=0))
            for config in range(len(proba))
        ]
        picks.append(int(np.argmax(np.round(scores, 12))))
        history.append(round(max(scores), 12))
    n_best = int(np.argmax(history)) + 1
    return np.bincount(picks[:n_best], minlength=len(proba)) / n_best


@pytest.mark.parametrize("scoring", ["neg_log_loss", "neg_brier_score", "roc_auc"])
def test_equal_to_a_plain_loop_on_repeated_rows(scoring):
    oof = predictions(n_configs=5)
    counts = draws(oof, 6)
    rule = GreedyEnsemble(6).bind(as_metric(scoring).bind(oof))
    outcome = rule.choose(counts)
    scores = rule.score(outcome, counts == 0)
    proba = np.asarray(oof.responses["predict_proba"])
    for draw, count in enumerate(counts):
        rows = np.repeat(np.arange(60), count)
        expected = by_a_loop(scoring, oof.y_true[rows], proba[:, rows], 6)
        np.testing.assert_allclose(outcome["weights"][draw], expected, atol=1e-12)
        out = count == 0
        left = score_on(scoring, oof.y_true[out], expected @ proba[:, out])
        assert scores[draw] == pytest.approx(left, rel=1e-9)
    assert (np.count_nonzero(outcome["weights"], axis=1) > 1).any(), "the example is too easy"


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss", "neg_brier_score", "accuracy"])
def test_one_member_is_the_best_single_configuration(scoring):
    oof = predictions()
    few = {"n_bootstraps": 80, "random_state": 0}
    result = BBC(selection=GreedyEnsemble(1), **few).estimate(oof, scoring)
    expected = BBC(**few).estimate(oof, scoring)
    np.testing.assert_allclose(result.draws, expected.draws, rtol=1e-12, atol=1e-12)
    assert sum(result.details["weights"]) == 1


def test_values_of_a_regression_with_sample_weights_and_repeats():
    rng = np.random.default_rng(2)
    y = rng.normal(size=40)
    sample = np.tile(np.arange(40), 2)
    values = y[sample] + rng.normal(size=(3, 80))
    weight = rng.random(40)
    oof = OOFPredictions.from_rows(
        y_true=y, responses={"predict": values}, sample=sample, sample_weight=weight,
        fold=np.concatenate([np.arange(40) % 4, 4 + np.arange(40) // 10]),
        repeat=np.repeat([0, 1], 40), classes=None,
    )  # fmt: skip
    kernel = as_metric("neg_mean_squared_error").bind(oof)
    rule = GreedyEnsemble(3).bind(kernel)
    shares = rule.on_all()["weights"][0]
    assert shares.sum() == pytest.approx(1) and np.count_nonzero(shares) > 1
    mean = shares @ values
    expected = [
        -np.average((mean[rows] - y[sample[rows]]) ** 2, weights=weight)
        for rows in (slice(40), slice(40, 80))
    ]
    found = rule.score(rule.on_all(), np.ones((1, 40)))
    assert found[0] == pytest.approx(np.mean(expected), rel=1e-12)
    assert found[0] > kernel.scores(np.ones((1, 40))).max()


def test_accuracy_is_of_the_averaged_probabilities_also_of_three_classes():
    rng = np.random.default_rng(0)
    y = np.arange(45) % 3
    proba = rng.dirichlet([1, 1, 1], size=(4, 45)) + 0.4 * np.eye(3)[y]
    proba /= proba.sum(axis=2, keepdims=True)
    oof = OOFPredictions.from_rows(
        y_true=y, responses={"predict_proba": proba}, fold=np.arange(45) % 5
    )
    rule = GreedyEnsemble(5).bind(as_metric("accuracy").bind(oof))
    shares = rule.on_all()["weights"][0]
    labels = np.tensordot(shares, proba, 1).argmax(axis=1)
    found = rule.score(rule.on_all(), np.ones((1, 45), dtype=int))[0]
    assert found == pytest.approx(np.mean(labels == y))


@pytest.mark.long
def test_an_ensemble_of_noise_is_worth_nothing():
    """Chosen from noise an ensemble looks good; out-of-bag its AUC is one half."""
    estimates, apparent = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        y = (np.arange(60) % 10 < 3).astype(int)
        oof = predictions(
            n_configs=12, y_true=y, responses={"predict_proba": rng.random((12, 60))}
        )
        method = BBC(selection=GreedyEnsemble(5), n_bootstraps=60, random_state=seed)
        result = method.estimate(oof, "roc_auc")
        estimates.append(result.estimate)
        apparent.append(result.details["apparent_score"])
    assert np.mean(apparent) > 0.65
    assert np.mean(estimates) == pytest.approx(0.5, abs=0.04)


def test_what_cannot_be_averaged_is_refused():
    oof = predictions()
    labels = (np.asarray(oof.responses["predict_proba"]) > 0.5).astype(int)
    only_labels = predictions(responses={"predict": labels})
    with pytest.raises(ValueError, match="averages probabilities for accuracy"):
        BBC(selection=GreedyEnsemble()).estimate(only_labels, "accuracy")
    plain = OOFPredictions(y_true=oof.y_true, y_pred=labels.T, fold=oof.fold)
    with pytest.raises(ValueError, match="y_pred holds labels"):
        BBC(selection=GreedyEnsemble()).estimate(plain, "accuracy")
    with pytest.raises(ValueError, match="does not know what"):
        BBC(selection=GreedyEnsemble()).estimate(oof, lambda estimator, X, y: 0.5)


def test_an_infinite_error_that_was_not_drawn_does_not_matter():
    rng = np.random.default_rng(3)
    y = rng.normal(size=12)
    values = y + rng.normal(size=(2, 12))
    values[:, 0] = 1e200  # its square is infinite
    oof = OOFPredictions.from_rows(
        y_true=y, responses={"predict": values}, fold=np.arange(12) % 3, classes=None
    )
    rule = GreedyEnsemble(3).bind(as_metric("neg_mean_squared_error").bind(oof))
    counts = np.array([[0] + [1] * 11, [1] * 12], dtype=np.uint8)
    scores = rule.score(rule.choose(counts), counts)
    assert np.isfinite(scores[0]) and np.isnan(scores[1]), "nothing has a score where it counts"
