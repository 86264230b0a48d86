"""FoldGLMM: likelihood against numerical integration, boundary, separation, profile."""

import math

import numpy as np
import pytest
from scipy import integrate
from scipy.optimize import minimize_scalar
from scipy.special import expit
from scipy.stats import chi2

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import FoldGLMM, Wald
from sklearn_bbc.intervals._fold_scores import RandomIntercept, marginal_mean

Y = np.tile([0, 1], 50)
FOLD = np.arange(100) // 20


def with_wrong(per_fold):
    wrong = np.concatenate([np.arange(20) < n for n in per_fold])
    return OOFPredictions(y_true=Y, y_pred=np.where(wrong, 1 - Y, Y), fold=FOLD)


def normal(u):
    return math.exp(-u * u / 2) / math.sqrt(2 * math.pi)


def integrated(right, trials, intercept, tau):
    """Log likelihood by adaptive quadrature, binomial coefficients left out."""
    total = 0.0
    for k, n in zip(right, trials, strict=True):

        def density(u, k=k, n=n):
            p = expit(intercept + tau * u)
            return p**k * (1 - p) ** (n - k) * normal(u)

        total += np.log(integrate.quad(density, -12, 12, epsabs=1e-18, limit=400)[0])
    return total


@pytest.mark.parametrize(("intercept", "tau"), [(1.3, 0.9), (0.2, 2.0), (3.0, 0.3), (-1.0, 0.05)])
def test_likelihood_equals_numerical_integration(intercept, tau):
    right, trials = np.array([18.0, 10, 16, 19, 12]), np.array([20.0, 20, 18, 20, 25])
    model = RandomIntercept(right, trials)
    expected = integrated(right, trials, intercept, tau)
    assert model.log_likelihood(intercept, tau) == pytest.approx(expected, abs=2e-6)


def test_equal_folds_leave_no_effect_and_the_binomial_interval():
    result = FoldGLMM().estimate(with_wrong([4] * 5), "accuracy")
    assert result.details["tau"] == pytest.approx(0, abs=1e-6)
    # Variance of a logit of a proportion: 1 / (n p (1 - p)).
    assert result.details["standard_error"] == pytest.approx(
        1 / np.sqrt(100 * 0.8 * 0.2), rel=1e-4
    )


@pytest.mark.parametrize("tau", [0.01, 0.5, 1.0, 1.001, 2.0, 6.0, 20.0, 300.0])
def test_the_marginal_mean_equals_numerical_integration(tau):
    for intercept in (-40.0, -6.0, -0.7, 0.0, 0.3, 3.0, 25.0):
        expected = integrate.quad(
            lambda u, b=intercept: expit(b + tau * u) * normal(u),
            -12, 12, points=[float(np.clip(-intercept / tau, -12, 12))],
            epsabs=1e-14, epsrel=1e-13, limit=2000,
        )[0]  # fmt: skip
        assert marginal_mean(intercept, tau) == pytest.approx(expected, abs=1e-12)
    assert marginal_mean(0.0, tau) == pytest.approx(0.5, abs=1e-14)


@pytest.mark.parametrize(("per_fold", "word"), [([0] * 5, "right"), ([20] * 5, "wrong")])
def test_separation_falls_back_to_wilson_and_says_so(per_fold, word):
    oof = with_wrong(per_fold)
    with pytest.warns(IntervalWarning, match=f"All 100 predictions are {word}"):
        result = FoldGLMM().estimate(oof, "accuracy")
    assert tuple(result) == tuple(Wald(form="wilson").estimate(oof, "accuracy"))
    assert result.details["fallback"] == "wilson"


def test_leave_one_out_has_predictions_for_units():
    oof = with_wrong([2, 2, 2, 2, 2])
    oof = OOFPredictions(y_true=Y, y_pred=oof.responses["plain"][0], fold=np.arange(100))
    with pytest.warns(IntervalWarning, match="Wilson's interval of predictions"):
        result = FoldGLMM().estimate(oof, "accuracy")
    assert tuple(result) == tuple(Wald(form="wilson").estimate(oof, "accuracy"))


@pytest.mark.long
def test_one_bad_fold_makes_a_wide_interval_not_a_wrong_one():
    """Flat likelihoods: the fit runs away, its interval must show that and not collapse."""
    for n_wrong in (1, 4):
        right = np.array([5.0 - n_wrong, 5, 5, 5, 5])
        model = RandomIntercept(right, np.full(5, 5.0))
        low, high = model.profile(0.025)
        assert low < model.intercept < high
        assert model.standard_error > 0.9  # that of a fit without effects of folds


@pytest.mark.long
def test_an_information_without_inverse_gives_the_profile(monkeypatch):
    oof = with_wrong([0, 0, 6, 1, 0])
    expected = FoldGLMM(interval="profile").estimate(oof, "accuracy")
    monkeypatch.setattr(RandomIntercept, "_standard_error", lambda self: np.nan)
    with pytest.warns(IntervalWarning, match="the profile likelihood interval instead"):
        result = FoldGLMM().estimate(oof, "accuracy")
    assert tuple(result) == tuple(expected)
    assert result.details["fallback"] == "profile"


def test_many_large_folds_agree_with_the_mixed_model_of_statsmodels():
    """Its fit has wide priors instead of none; with 30 folds of 200 that is close to ours."""
    mixed = pytest.importorskip("statsmodels.genmod.bayes_mixed_glm")
    rng = np.random.default_rng(0)
    fold = np.repeat(np.arange(30), 200)
    p = expit(1.0 + 0.7 * rng.normal(size=30))[fold]
    right = (rng.random(len(fold)) < p).astype(int)
    model = RandomIntercept(np.bincount(fold, right), np.full(30, 200.0))
    random_effects = np.eye(30)[fold]
    fitted = mixed.BinomialBayesMixedGLM(
        right, np.ones((len(fold), 1)), random_effects, np.zeros(30, dtype=int), vcp_p=2, fe_p=10
    ).fit_map()
    assert model.intercept == pytest.approx(fitted.fe_mean[0], abs=0.05)
    assert model.tau == pytest.approx(np.exp(fitted.vcp_mean[0]), abs=0.08)


UNEVEN = np.array([18.0, 10, 16, 19, 12]), np.array([20.0, 20, 18, 20, 25])


@pytest.mark.parametrize("tail", [0.025, 0.2])
def test_profile_bounds_are_as_likely_as_the_quantile_of_chi_square_allows(tail):
    model = RandomIntercept(*UNEVEN)
    top = model.log_likelihood(model.intercept, model.tau)
    for end in model.profile(tail):
        best = minimize_scalar(
            lambda tau, b=end: -model.log_likelihood(b, tau), bounds=(0, 5), method="bounded"
        )
        assert 2 * (top + best.fun) == pytest.approx(chi2.ppf(1 - 2 * tail, 1), abs=1e-3)


def rows(sample, fold, repeat=None):
    right = np.arange(100) % 7 > 1
    return OOFPredictions.from_rows(
        y_true=Y, responses={"predict": np.where(right, Y, 1 - Y)[None, sample]}, sample=sample,
        fold=fold, repeat=repeat,
    )  # fmt: skip


def test_samples_may_be_left_out_but_not_predicted_twice():
    some = np.arange(80)
    assert FoldGLMM().estimate(rows(some, some // 20), "accuracy").estimate > 0.5
    twice = np.r_[np.arange(100), np.arange(20)]
    with pytest.raises(ValueError, match="predicted several times"):
        FoldGLMM().estimate(rows(twice, np.r_[FOLD, np.full(20, 5)]), "accuracy")


def test_losses_and_other_numbers_are_refused():
    numbers = OOFPredictions(y_true=Y, y_pred=0.2 + 0.5 * Y, fold=FOLD)
    for scoring in ("neg_brier_score", "neg_log_loss"):
        with pytest.raises(ValueError, match="FoldGLMM is for proportions"):
            FoldGLMM().estimate(numbers, scoring)
    zeros_and_ones = OOFPredictions(y_true=Y, y_pred=Y[::-1] * 1.0, fold=FOLD, classes=None)
    with pytest.raises(ValueError, match="FoldGLMM is for proportions"):
        FoldGLMM().estimate(zeros_and_ones, "neg_mean_absolute_error")
