"""Properties that the methods have whatever the data are.

The order of configurations is tried in test_bbc.py and test_bbcf.py, unbiasedness for a single one
in test_bbc.py, the other forms of DeLong's variance in test_delong_variance.py.
"""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sklearn_bbc import OOFPredictions
from sklearn_bbc.contest._contest import Contest
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import (
    BBC,
    BBCF,
    BayleCV,
    CorrectedT,
    DeLong,
    HierarchicalBootstrap,
    PooledBootstrap,
    Wald,
    holdout_interval,
)
from sklearn_bbc.intervals._bootstrap import BOOTSTRAP_FORMS as FORMS
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.metrics._classification import MEAN_SCORE
from tests.made import made

SEEDS = st.integers(0, 10_000)
quick = settings(max_examples=15)


def binary(seed, n_configs=4, n_samples=40, shift=0.8, ties=False, n_folds=5):
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 2
    scores = rng.normal(size=(n_samples, n_configs)) + shift * y[:, None]
    scores = np.round(scores) if ties else scores
    return {"y_true": y, "y_pred": scores, "fold": np.arange(n_samples) // 2 % n_folds}


def estimate(method, fields, scoring="roc_auc"):
    return method.estimate(made(**fields), scoring)


def quick_bbc(**params):
    return BBC(n_bootstraps=100, random_state=0, **params)


AWARE = [quick_bbc(), BBCF()]
both = pytest.mark.parametrize("method", AWARE, ids=["bbc", "bbcf"])


@both
@quick
@given(SEEDS, st.booleans(), st.floats(0.1, 5), st.floats(-3, 3))
def test_auc_ignores_monotone_transforms_of_all_scores(method, seed, ties, scale, shift):
    fields = binary(seed, ties=ties)
    expected = estimate(method, fields)
    # Exact: rounding must not make ties or break them.
    ranks = stats.rankdata(fields["y_pred"], method="dense").reshape(fields["y_pred"].shape)
    for changed in (np.sinh(ranks / ranks.max()), scale * ranks + shift):
        result = estimate(method, {**fields, "y_pred": changed})
        assert (result.estimate, *result) == (expected.estimate, *expected)
        np.testing.assert_array_equal(result.draws, expected.draws)


@both
@quick
@given(SEEDS)
def test_the_negated_metric_gives_the_mirrored_result(method, seed):
    """The mean of negated errors, taken as a score, is the loss with its sign."""
    rng = np.random.default_rng(seed)
    y, y_pred = rng.normal(size=40), rng.normal(size=(40, 3))
    fields = {"y_true": y, "y_pred": y_pred, "fold": np.arange(40) % 5}
    loss = estimate(method, fields, "neg_mean_absolute_error")
    error = np.abs(y[:, None] - y_pred)
    by_hand = {**fields, "y_true": np.zeros(40), "y_pred": -error}
    score = estimate(method, by_hand, MEAN_SCORE)
    assert (score.estimate, *score) == pytest.approx((loss.estimate, *loss), abs=1e-12)


@both
def test_pure_noise_is_scored_one_half_although_the_winner_looks_better(method):
    estimates, best = [], []
    for seed in range(40):
        fields = binary(seed, n_configs=20, n_samples=60, shift=0.0)
        result = estimate(method, fields)
        estimates.append(result.estimate)
        best.append(estimate(DeLong(), fields).estimate)
    assert np.mean(best) > 0.6
    error = np.std(estimates, ddof=1) / np.sqrt(40)
    assert abs(np.mean(estimates) - 0.5) < 5 * error and error < 0.02


@quick
@given(st.lists(st.floats(0, 1), min_size=3, max_size=12), st.sampled_from([0.8, 0.95]))
def test_without_test_samples_the_corrected_t_is_the_t_interval(scores, level):
    scores = np.array(scores)
    if np.ptp(scores) < 1e-6:
        return
    fields = {"y_true": [], "classes": None, "fold_scores": {"accuracy": scores[:, None]}}
    method = CorrectedT(test_over_train=0, confidence_level=level)
    expected = stats.ttest_1samp(scores, 0).confidence_interval(level)
    result = estimate(method, fields, "accuracy")
    assert tuple(result) == pytest.approx(tuple(np.clip(expected, 0, 1)))
    assert result.details.get("unclipped", tuple(result)) == pytest.approx(tuple(expected))


@quick
@given(st.lists(st.booleans(), min_size=10, max_size=60), st.integers(2, 5))
def test_all_pairs_of_right_and_wrong_are_the_normal_interval_of_a_proportion(right, n_folds):
    right = np.array(right)
    if right.all() or not right.any():
        return
    y = np.arange(len(right)) % 2
    fields = {
        "y_true": y,
        "y_pred": np.where(right, y, 1 - y),
        "fold": np.arange(len(right)) % n_folds,
    }
    result = estimate(BayleCV(), fields, "accuracy")
    share = right.mean()
    assert result.details["standard_error"] ** 2 == pytest.approx(share * (1 - share) / len(right))
    assert tuple(result) == pytest.approx(tuple(estimate(Wald(), fields, "accuracy")))


@settings(max_examples=4)
@given(SEEDS)
def test_one_fold_makes_the_hierarchical_bootstrap_the_pooled_one(seed):
    """A draw of the only fold is a draw of its samples; `estimate` itself asks for two folds."""
    rng = np.random.default_rng(seed)
    y, scores = np.tile([0, 1], 30), rng.normal(size=60) + np.tile([0, 1], 30)
    oof = OOFPredictions(y_true=y, y_pred=scores)
    method = HierarchicalBootstrap(form="percentile", n_bootstraps=3000, random_state=0)
    kernel = as_metric("roc_auc").bind(oof)
    hierarchical = method._estimate(Contest(kernel))
    pooled = PooledBootstrap(n_bootstraps=3000, random_state=1).estimate(oof, "roc_auc")
    assert hierarchical.estimate == pytest.approx(pooled.estimate)
    assert stats.ks_2samp(hierarchical.draws, pooled.draws).pvalue > 1e-3
    assert tuple(hierarchical) == pytest.approx(tuple(pooled), abs=0.25 * pooled.width)


ONE, TWO = "holdout, one model", "holdout, two models"
BOOTSTRAPS = {
    **{f"pooled, {form}": PooledBootstrap(form=form) for form in FORMS},
    **{f"hierarchical, {form}": HierarchicalBootstrap(form=form) for form in FORMS},
    **{f"{models}, {form}": form for models in (ONE, TWO) for form in FORMS},
}
every_bootstrap = pytest.mark.parametrize("name", BOOTSTRAPS)
MIRRORED = {"two-sided": "two-sided", "greater": "less", "less": "greater"}


def resampled(name, fields, metric, alternative="two-sided", n_bootstraps=40):
    """Estimate and bounds of the first configuration; None where they are undefined."""
    params = {"n_bootstraps": n_bootstraps, "random_state": 1, "alternative": alternative}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IntervalWarning)
        try:
            if not name.startswith("holdout"):
                method = BOOTSTRAPS[name].set_params(config=0, **params)
                result = method.estimate(made(**fields), metric)
            else:
                first, other = fields["y_pred"][:, 0], fields["y_pred"][:, 1]
                result = holdout_interval(
                    fields["y_true"], first, metric, method=BOOTSTRAPS[name],
                    y_pred_other=other if name.startswith(TWO) else None, **params,
                )  # fmt: skip
        except UndefinedIntervalError:
            return None
    return np.array([result.estimate, *result])


@pytest.mark.one_in(4)
@every_bootstrap
@settings(max_examples=3)
@given(SEEDS, st.sampled_from(["accuracy", "roc_auc", "f1"]), st.sampled_from([*MIRRORED]))
def test_every_bootstrap_mirrors_the_interval_of_the_negated_metric(name, seed, scoring, side):
    fields = binary(seed, n_configs=2, ties=seed % 2 == 0)
    if scoring != "roc_auc":
        fields["y_pred"] = (fields["y_pred"] > 0).astype(int)
    metric = as_metric(scoring)
    found = resampled(name, fields, metric, side)
    negated = resampled(name, fields, replace(metric, sign=-metric.sign), MIRRORED[side])
    assert (found is None) == (negated is None)
    if found is not None:
        np.testing.assert_allclose(-negated[[0, 2, 1]], found, atol=1e-9)
