"""CorrelationAdjusted: correlations and variances by hand, the logit form, two folds."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import CorrelationAdjusted

SCORES = np.array([0.80, 0.75, 0.90, 0.70, 0.85])


def fold_scores(values):
    values = np.asarray(values, dtype=float)
    return OOFPredictions.from_fold_scores({"roc_auc": values[:, None]})


@pytest.mark.parametrize("student", [True, False])
def test_variance_of_the_mean_of_equally_correlated_values(student):
    covariance = np.full((5, 5), 0.75) + 0.25 * np.eye(5)
    half = np.sqrt(np.full(5, 0.2) @ covariance @ np.full(5, 0.2)) * SCORES.std(ddof=1)
    half *= stats.t.ppf(0.975, 4) if student else stats.norm.ppf(0.975)
    result = CorrelationAdjusted(r=1, student=student).estimate(fold_scores(SCORES), "roc_auc")
    assert tuple(result) == pytest.approx((0.8 - half, 0.8 + half))


def test_on_the_logit_scale_the_bounds_stay_inside():
    oof = fold_scores([0.99, 0.95, 1.0, 0.97, 0.90])
    plain = CorrelationAdjusted().estimate(oof, "roc_auc")
    curved = CorrelationAdjusted(on_logit_scale=True).estimate(oof, "roc_auc")
    assert plain.details["unclipped"][1] > 1 == plain.high
    assert 1 > curved.high > curved.estimate > curved.low > 0
    odds = logit([0.99, 0.95, 0.999, 0.97, 0.90])
    error = odds.std(ddof=1) * np.sqrt((1 + 4 * 0.75**0.1) / 5)
    assert curved.details["standard_error"] == pytest.approx(error), "of the log odds"
    assert "unclipped" not in curved.details


def test_perfect_folds_are_half_a_sample_short_of_1_on_the_logit_scale():
    """Of 40 tested samples in 5 folds a fold has 8; fold scores without sizes stop at 0.999."""
    y = np.arange(42) % 2
    fold = np.arange(42) % 5
    fold[[20, 21]] = -1
    y_pred = np.where(fold >= 3, y, np.arange(42) % 3 == 0).astype(int)
    oof = OOFPredictions(y_true=y, y_pred=y_pred, fold=fold)
    scores = [np.mean(y[fold == k] == y_pred[fold == k]) for k in range(5)]
    assert max(scores) == 1
    method = CorrelationAdjusted(on_logit_scale=True)
    expected = expit(np.mean(logit(np.clip(scores, 1 / 16, 15 / 16))))
    assert method.estimate(oof, "accuracy").estimate == pytest.approx(expected)
    expected = expit(np.mean(logit([0.8, 0.9, 0.999])))
    assert method.estimate(fold_scores([0.8, 0.9, 1]), "roc_auc").estimate == (
        pytest.approx(expected)
    )


def test_the_logit_form_needs_a_metric_between_0_and_1():
    oof = OOFPredictions.from_fold_scores({"r2": SCORES[:, None]})
    with pytest.raises(ValueError, match="on_logit_scale needs a metric between 0 and 1"):
        CorrelationAdjusted(on_logit_scale=True).estimate(oof, "r2")


def test_repeats_do_not_narrow():
    """Of the same samples in other folds the spread is that within a repeat."""
    rng = np.random.default_rng(0)
    scores = rng.normal(0.8, 0.05, size=(6, 5))
    fold = np.arange(20) % 5 + 5 * np.arange(6)[:, None]
    oof = OOFPredictions.from_fold_scores(
        y_true=np.zeros(20), classes=None, sample=np.tile(np.arange(20), 6), fold=fold.ravel(),
        fold_scores={"roc_auc": scores.reshape(30, 1)},
    )  # fmt: skip
    result = CorrelationAdjusted(r=1, student=False).estimate(oof, "roc_auc")
    assert result.estimate == pytest.approx(scores.mean())
    variance = scores.var(axis=1, ddof=1).mean() / 5 * (1 + 4 * 0.75)
    assert result.details["standard_error"] == pytest.approx(np.sqrt(variance))
    assert result.details["correlation"] == 0.75
