"""Bootstrap tilting: an exact answer for proportions, published values, and no answer at all."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, norm
from sklearn.metrics import d2_log_loss_score, make_scorer

from benchmarks.published.replication import BootstrapTilting
from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import (
    Best,
    DeLong,
    HanleyMcNeil,
    LearnEvaluate,
    PooledBootstrap,
    TopShare,
)
from sklearn_bbc.intervals._tilting import NoBound


def correct_answers(n_correct, n_samples):
    y = np.arange(n_samples) % 2
    return OOFPredictions(y_true=y, y_pred=np.where(np.arange(n_samples) < n_correct, y, 1 - y))


def normal_scores(n_samples=200, n_configs=20, seed=0, balance=0.5, shift=1.0):
    rng = np.random.default_rng(seed)
    y = (np.arange(n_samples) >= balance * n_samples).astype(int)
    scores = rng.normal(size=(n_samples, n_configs)) + shift * y[:, None]
    return OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(n_samples) % 5)


@pytest.mark.parametrize(("n_correct", "n_samples"), [(80, 100), (27, 40), (450, 500)])
def test_bounds_of_a_proportion_are_those_of_the_exact_mid_p_test(n_correct, n_samples):
    # A tilted distribution of correct answers is a binomial one with another share.
    def upper_tail(share):
        return binom.sf(n_correct, n_samples, share) + 0.5 * binom.pmf(n_correct, n_samples, share)

    expected = [
        brentq(lambda share, p=p: upper_tail(share) - p, 1e-6, 1 - 1e-6) for p in (0.025, 0.975)
    ]
    method = BootstrapTilting(n_bootstraps=10_000, random_state=0)
    result = method.estimate(correct_answers(n_correct, n_samples), "accuracy")
    np.testing.assert_allclose(tuple(result), expected, atol=0.12 * np.diff(expected)[0] / 2)
    one_sided = method.set_params(alternative="greater", confidence_level=0.975)
    assert one_sided.estimate(correct_answers(n_correct, n_samples), "accuracy").low == result.low


@pytest.mark.parametrize("balance", [0.1, 0.5])
def test_agrees_with_delong_where_both_are_good(balance):
    oof = normal_scores(n_samples=2000, n_configs=1, balance=balance)
    tilted = BootstrapTilting(random_state=0, n_bootstraps=5000).estimate(oof, "roc_auc")
    delong = DeLong(logit=True).estimate(oof, "roc_auc")
    np.testing.assert_allclose(tuple(tilted), tuple(delong), atol=0.12 * delong.width)


@pytest.mark.parametrize(("rule", "method"), [(Best(), "BT"), (TopShare(0.1), "BT10p")])
def test_after_a_split_at_sidaks_level(rule, method):
    oof = normal_scores(n_samples=400, n_configs=30)
    tilting = BootstrapTilting(
        selection=LearnEvaluate(rule), alternative="greater", random_state=0
    )
    result = tilting.estimate(oof, "roc_auc")
    assert result.method == method
    assert result.details["adjusted_level"] == 0.95 ** (1 / len(result.details["candidates"]))
    assert result.details["selection_seed"] == 0  # the method's own seed
    again = DeLong(selection=LearnEvaluate(rule, random_state=0), alternative="greater")
    delong = again.estimate(oof, "roc_auc")
    assert result.estimate == delong.estimate
    assert result.details["config"] == delong.details["config"]
    assert result.low == pytest.approx(delong.low, abs=0.03)


def separable():
    return OOFPredictions(y_true=np.repeat([0, 1], 15), y_pred=np.arange(30.0))


def test_no_bound_is_said_not_hidden():
    with pytest.warns(IntervalWarning, match="no low bound"):
        result = BootstrapTilting(alternative="greater", random_state=0).estimate(
            separable(), "roc_auc"
        )
    assert np.isnan(result.low)
    assert result.high == 1
    assert "moves the score alike" in result.details["reason"]
    assert np.isnan(result.details["tau"]["low"])
    with pytest.warns(IntervalWarning):
        all_right = BootstrapTilting(random_state=0).estimate(correct_answers(50, 50), "accuracy")
    assert np.isnan(tuple(all_right)).all()


def test_fallback_has_the_level_for_all_candidates(monkeypatch):
    oof, step = normal_scores(), LearnEvaluate(random_state=1)

    def no_root(*given):
        raise NoBound("a test wants none")

    monkeypatch.setattr(BootstrapTilting, "_root", no_root)
    method = BootstrapTilting(selection=step, fallback=DeLong(), random_state=1)
    result = method.estimate(oof, "roc_auc")
    assert result.details["fallback"] == {"low": "delong", "high": "delong"}
    assert len(result.details["candidates"]) == 2
    assert tuple(result) == tuple(DeLong(selection=step).estimate(oof, "roc_auc"))


@pytest.mark.slow
@pytest.mark.parametrize("balance", [0.2, 0.5])
def test_coverage_of_a_fixed_configuration(balance):
    truth = norm.cdf(1 / np.sqrt(2))
    method = BootstrapTilting(config=0, n_bootstraps=1000, random_state=0)
    inside = [
        truth in method.estimate(normal_scores(100, 1, seed=seed, balance=balance), "roc_auc")
        for seed in range(600)
    ]
    assert 0.92 < np.mean(inside) < 0.98


def test_a_class_with_one_sample_shows_no_spread():
    """Resamples within classes all agree on it; what is left of the spread would be too small."""
    rng = np.random.default_rng(0)
    y = (np.arange(40) == 3).astype(int)
    oof = OOFPredictions(y_true=y, y_pred=rng.normal(size=40) + y)
    with pytest.warns(IntervalWarning, match="class 1 has a single sample"):
        result = BootstrapTilting(random_state=0).estimate(oof, "roc_auc")
    assert np.isnan(tuple(result)).all() and np.isfinite(result.estimate)
    method = BootstrapTilting(fallback=HanleyMcNeil(), random_state=0)
    result = method.estimate(oof, "roc_auc")
    assert result.low < result.estimate < result.high


def calibrated(n_samples, share, seed, weight=None):
    """Probabilities that are right, of normal scores: their log loss depends on the share."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n_samples) < share).astype(int)
    score = rng.normal(size=n_samples) + 1.2 * y
    odds = share / (1 - share) * np.exp(1.2 * score - 0.72)
    return OOFPredictions(y_true=y, y_pred=odds / (1 + odds), sample_weight=weight)


@pytest.mark.parametrize(
    "scoring",
    [
        "neg_log_loss", "average_precision", "f1", "neg_brier_score",
        make_scorer(d2_log_loss_score, response_method="predict_proba"),
    ],
    ids=["log loss", "average precision", "f1", "brier", "d2"],
)  # fmt: skip
def test_metrics_that_depend_on_the_shares_of_classes_keep_that_part_of_their_spread(scoring):
    """Resamples within classes gave a third to two thirds of this width."""
    oof = calibrated(400, 0.08, seed=3)
    if scoring == "f1":
        oof = OOFPredictions(y_true=oof.y_true, y_pred=oof.matrix("roc_auc") > 0.15)
    tilted = BootstrapTilting(random_state=0).estimate(oof, scoring)
    pooled = PooledBootstrap(random_state=0).estimate(oof, scoring)
    assert 0.8 < tilted.width / pooled.width < 1.3


@pytest.mark.slow
def test_coverage_of_log_loss():
    """Within classes 0.72; scores of another metric's draws within classes keep their level."""
    truth = BootstrapTilting().estimate(calibrated(400_000, 0.2, 99), "neg_log_loss").estimate
    method = BootstrapTilting(n_bootstraps=300, random_state=0)
    inside = [
        truth in method.estimate(calibrated(200, 0.2, seed), "neg_log_loss") for seed in range(100)
    ]
    assert np.mean(inside) >= 0.88


def test_draws_that_lack_a_class_are_drawn_again():
    """Without positive samples scikit-learn scores F1 as 0, which is not a score of a model."""
    y = np.arange(40) < 4
    pred = np.where(np.arange(40) == 20, True, y)
    oof = OOFPredictions(y_true=y.astype(int), y_pred=pred.astype(int))
    for scoring in ("f1", "precision", "average_precision"):
        result = BootstrapTilting(n_bootstraps=1000, random_state=0).estimate(oof, scoring)
        assert result.details["n_redrawn"] > 0
        assert result.draws.min() > 0
    accuracy = BootstrapTilting(n_bootstraps=1000, random_state=0).estimate(oof, "accuracy")
    assert accuracy.details["n_redrawn"] == 0


@pytest.mark.parametrize("scoring", ["neg_log_loss", "f1", "average_precision"])
def test_a_single_sample_of_a_class_that_every_draw_needs(scoring):
    rng = np.random.default_rng(0)
    y = (np.arange(40) == 3).astype(int)
    pred = np.clip(0.5 * y + 0.5 * rng.random(40), 0.01, 0.99)
    oof = OOFPredictions(y_true=y, y_pred=(pred > 0.4).astype(int) if scoring == "f1" else pred)
    with pytest.warns(IntervalWarning, match="class 1 has a single sample, which every resample"):
        result = BootstrapTilting(random_state=0).estimate(oof, scoring)
    assert np.isnan(tuple(result)).all()
