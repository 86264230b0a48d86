"""Pairs of models, several seeds and losses on a test set."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import DeLong, holdout_interval
from sklearn_bbc.intervals._bootstrap import BOOTSTRAP_FORMS
from tests.intervals.holdout_cases import LABELS, OTHER, SCORES, Y
from tests.intervals.scipy_seed import scipy_seed


# --- pairs, seeds, losses
def test_a_pair_is_drawn_together():
    result = holdout_interval(
        Y, SCORES, "roc_auc", y_pred_other=OTHER, method="percentile", random_state=0
    )
    delong = holdout_interval(Y, SCORES, "roc_auc", y_pred_other=OTHER)
    difference = roc_auc_score(Y, SCORES) - roc_auc_score(Y, OTHER)
    assert result.estimate == pytest.approx(difference) == delong.estimate
    assert tuple(result) == pytest.approx(tuple(delong), abs=0.02)
    assert result.details["p_value"] < 0.05 > delong.details["p_value"]


@pytest.mark.parametrize("method", BOOTSTRAP_FORMS)
def test_a_difference_without_spread_is_marked(method):
    losses = np.random.default_rng(5).exponential(size=40)
    options = {"y_pred_other": losses, "method": method, "n_bootstraps": 50, "random_state": 0}
    with pytest.warns(IntervalWarning, match="holdout_interval: Every draw scores .* wrong"):
        result = holdout_interval(None, losses + 0.3, **options)
    assert tuple(result) == pytest.approx((0.3, 0.3)) and result.details["degenerate"]
    assert "no spread" in result.details["notes"][0]
    same = holdout_interval(None, losses, **options)  # without a warning
    assert tuple(same) == (0, 0) and same.details["degenerate"]
    assert "Both sides score the same everywhere" in same.details["notes"][0]


def test_seeds_are_pooled():
    rng = np.random.default_rng(1)
    seeds = np.stack([SCORES + rng.normal(scale=s, size=200) for s in (0.1, 0.5, 1, 1.5, 2)], 1)
    result = holdout_interval(
        Y, seeds, "roc_auc", pool_seeds=True, n_bootstraps=200, random_state=0
    )
    areas = [roc_auc_score(Y, seeds[:, k]) for k in range(5)]
    assert result.estimate == pytest.approx(np.mean(areas))
    assert len(result.draws) == 1000 and "seeds" in result.estimand
    assert result.details["spread_of_seeds"] == pytest.approx(np.std(areas, ddof=1))
    one = holdout_interval(
        Y, seeds[:, 2], "roc_auc", method="percentile", n_bootstraps=200, random_state=0
    )
    assert result.width > one.width


def test_losses_without_labels_have_the_interval_of_their_mean():
    losses = np.random.default_rng(2).exponential(size=120)
    result = holdout_interval(None, losses, method="bca", random_state=0)
    expected = stats.bootstrap(
        (losses,), np.mean, method="BCa", **scipy_seed(0)
    ).confidence_interval
    assert result.estimate == pytest.approx(losses.mean())
    assert tuple(result) == pytest.approx(tuple(expected), abs=0.02)


def scipy_difference(first, second, method):
    return stats.bootstrap(
        (first, second), lambda a, b, axis: np.mean(a, axis=axis) - np.mean(b, axis=axis),
        paired=True, method=method, n_resamples=20_000, vectorized=True, **scipy_seed(1),
    ).confidence_interval  # fmt: skip


@pytest.mark.parametrize("form", ["percentile", "basic", "bca"])
def test_a_paired_difference_is_that_of_scipy(form):
    """One draw for both columns: scipy resamples pairs, too."""
    rng = np.random.default_rng(4)
    first = rng.exponential(size=80)
    second = first + rng.normal(scale=0.3, size=80)
    result = holdout_interval(
        None, first, y_pred_other=second, method=form, n_bootstraps=20_000, random_state=0
    )
    expected = scipy_difference(first, second, form.replace("bca", "BCa"))
    assert result.estimate == pytest.approx(first.mean() - second.mean())
    assert tuple(result) == pytest.approx(tuple(expected), abs=0.004)
    apart = holdout_interval(None, first, method=form, random_state=0)
    assert result.width < 0.5 * apart.width


@pytest.mark.parametrize("form", BOOTSTRAP_FORMS)
@pytest.mark.parametrize("grouped", [False, True])
def test_a_difference_of_means_is_the_mean_of_differences(form, grouped):
    rng = np.random.default_rng(7)
    first, second = rng.exponential(size=(2, 36))
    arguments = {
        "method": form, "groups": np.arange(36) // 3 if grouped else None, "n_bootstraps": 200,
        "random_state": 0,
    }  # fmt: skip
    pair = holdout_interval(None, first, y_pred_other=second, **arguments)
    one = holdout_interval(None, first - second, **arguments)
    assert tuple(pair) == pytest.approx(tuple(one), abs=1e-12)
    assert pair.method == f"{form}_bootstrap" and not pair.details["degenerate"]


@pytest.mark.parametrize("form", ["studentised", "bca"])
@pytest.mark.parametrize("scoring", ["roc_auc", "matthews_corrcoef"])
def test_swapped_models_have_the_mirrored_interval(form, scoring):
    first, second = SCORES[:60], OTHER[:60]
    if scoring != "roc_auc":
        first, second = (first > 0.5).astype(int), (second > 0.5).astype(int)
    arguments = {"method": form, "n_bootstraps": 200, "random_state": 0}
    there = holdout_interval(Y[:60], first, scoring, y_pred_other=second, **arguments)
    back = holdout_interval(Y[:60], second, scoring, y_pred_other=first, **arguments)
    assert there.estimate == pytest.approx(-back.estimate)
    assert tuple(there) == pytest.approx((-back.high, -back.low), abs=1e-9)
    assert there.low < there.estimate < there.high


def test_losses_of_zero_and_one_are_a_proportion():
    wrong = (np.arange(120) % 7 == 0).astype(float)
    result = holdout_interval(None, wrong)
    expected = holdout_interval(np.zeros(120, int), wrong.astype(int), "accuracy")
    assert result.estimate == pytest.approx(wrong.mean())
    assert tuple(result) == pytest.approx((1 - expected.high, 1 - expected.low))
    by_formula = holdout_interval(None, np.arange(50.0), method="wald")
    half = stats.norm.ppf(0.975) * np.arange(50.0).std(ddof=1) / np.sqrt(50)
    assert tuple(by_formula) == pytest.approx((24.5 - half, 24.5 + half))


@pytest.mark.parametrize("kind", ["cluster", "two-stage", "ferrer-riera"])
def test_pairs_and_seeds_take_groups(kind):
    arguments = {
        "groups": np.arange(200) // 4, "group_bootstrap": kind, "n_bootstraps": 20,
        "random_state": 0,
    }  # fmt: skip
    other = (OTHER > 0.5).astype(int)
    pair = holdout_interval(Y, LABELS, "accuracy", y_pred_other=other, **arguments)
    assert pair.low < pair.estimate < pair.high
    seeds = holdout_interval(
        Y, np.stack([LABELS, other], 1), "accuracy", pool_seeds=True, **arguments
    )
    assert len(seeds.draws) == 40 and "Fewer than 5 seeds" in seeds.details["notes"][-1]


def test_a_pair_is_judged_by_the_parameters_of_a_delong_object():
    narrow = holdout_interval(
        Y, SCORES, "roc_auc", y_pred_other=OTHER, method=DeLong(confidence_level=0.5)
    )
    wide = holdout_interval(Y, SCORES, "roc_auc", y_pred_other=OTHER)
    assert narrow.confidence_level == 0.5 and narrow.estimate == wide.estimate
    assert wide.low < narrow.low < narrow.high < wide.high
    one_sided = holdout_interval(
        Y, SCORES, "roc_auc", y_pred_other=OTHER, method=DeLong(alternative="greater")
    )
    assert one_sided.high == 1 and one_sided.low > wide.low


@pytest.mark.parametrize(
    ("scoring", "first", "other", "lowest", "highest"),
    [
        ("roc_auc", SCORES, OTHER, -1, 1),
        ("matthews_corrcoef", LABELS, (OTHER > 0.5).astype(int), -2, 2),
        ("neg_brier_score", stats.norm.cdf(SCORES), stats.norm.cdf(OTHER), -1, 1),
        ("neg_log_loss", stats.norm.cdf(SCORES), stats.norm.cdf(OTHER), -np.inf, np.inf),
    ],
)
@pytest.mark.parametrize("method", ["percentile", "delong"])
def test_one_sided_differences_end_at_the_largest_difference(
    scoring, first, other, lowest, highest, method
):
    """Scores from a to b differ by a - b at least and by b - a at most."""
    if method == "delong" and scoring != "roc_auc":
        return
    upper, lower = (
        holdout_interval(
            Y, first, scoring, y_pred_other=other, method=method, alternative=side,
            n_bootstraps=50, random_state=0,
        )
        for side in ("greater", "less")
    )  # fmt: skip
    assert upper.high == highest and lower.low == lowest
