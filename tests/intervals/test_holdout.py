"""holdout_interval: published examples, choice of the formula, groups, pairs, seeds, losses."""

import csv

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import accuracy_score, make_scorer, roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning, SlowMetricWarning, UndefinedIntervalError
from sklearn_bbc.intervals import (
    DeLong,
    PooledBootstrap,
    Takahashi,
    Wald,
    holdout_interval,
)
from sklearn_bbc.intervals.test_set import _group_draws
from sklearn_bbc.metrics import _bound, as_metric
from sklearn_bbc.resampling._draws import Draws
from tests.intervals.scipy_seed import scipy_seed

RNG = np.random.default_rng(0)
Y = np.tile([0, 1], 100)
SCORES = RNG.normal(size=200) + Y
OTHER = SCORES + RNG.normal(size=200)
LABELS = (SCORES > 0.5).astype(int)


def columns(path, *names):
    with open(path) as file:
        rows = list(csv.DictReader(file))
    return [np.array([float(row[name]) for row in rows]) for name in names]


# --- published examples
@pytest.fixture
def readme(shared):
    return columns(
        shared / "reference" / "ferrer_riera_readme.csv", "label", "decision", "condition"
    )


def test_the_interval_of_the_readme_of_ferrer_and_riera(readme):
    labels, decisions, conditions = readme
    result = holdout_interval(
        labels, decisions, "accuracy", groups=conditions,
        method="percentile", group_bootstrap="ferrer-riera", n_bootstraps=1000,
    )  # fmt: skip
    assert result.estimate == pytest.approx(0.855)
    assert tuple(result) == pytest.approx((0.7938131968651883, 0.9126023142471228), abs=1e-12)


@pytest.mark.parametrize(
    ("kind", "low", "high"), [("cluster", 0.810, 0.894), ("two-stage", 0.798, 0.905)]
)
def test_the_other_group_bootstraps_on_the_same_data(readme, kind, low, high):
    labels, decisions, conditions = readme
    result = holdout_interval(
        labels, decisions, "accuracy", groups=conditions,
        method="percentile", group_bootstrap=kind, n_bootstraps=4000, random_state=0,
    )  # fmt: skip
    assert tuple(result) == pytest.approx((low, high), abs=0.006)


def test_areas_of_the_published_asah_data(shared):
    with open(shared / "reference" / "pROC_aSAH.csv") as file:
        rows = list(csv.DictReader(file))
    y = np.array([row["outcome"] == "Poor" for row in rows]).astype(int)
    s100b, wfns = (np.array([float(row[k]) for row in rows]) for k in ("s100b", "wfns"))
    result = holdout_interval(y, s100b, "roc_auc")
    assert (result.estimate, *result) == pytest.approx((0.7313686, 0.6301182, 0.8326189), abs=1e-7)
    paired = holdout_interval(y, s100b, "roc_auc", y_pred_other=wfns)
    assert paired.details["statistic"] == pytest.approx(-2.20898, abs=1e-5)
    assert paired.details["p_value"] == pytest.approx(0.0271758, abs=1e-7)
    assert paired.details["scores"] == pytest.approx([0.7313686, 0.8236789], abs=1e-7)


def test_groups_widen_the_interval_of_the_readme(readme):
    labels, decisions, conditions = readme
    arguments = {"method": "percentile", "n_bootstraps": 1000, "random_state": 0}
    alone = holdout_interval(labels, decisions, "accuracy", **arguments)
    assert tuple(alone) == pytest.approx((0.820, 0.890), abs=0.007)
    spread = {
        kind: holdout_interval(
            labels, decisions, "accuracy", groups=conditions, group_bootstrap=kind, **arguments
        ).details["standard_error"]
        for kind in ("cluster", "ferrer-riera")
    }
    assert spread == pytest.approx({"cluster": 0.0215, "ferrer-riera": 0.0310}, abs=0.002)


# --- which method
@pytest.mark.parametrize(
    ("scoring", "y_pred", "expected"),
    [
        ("roc_auc", SCORES, DeLong()),
        ("accuracy", LABELS, Wald(form="wilson")),
        ("recall", LABELS, Wald(form="wilson")),
        ("f1", LABELS, Takahashi()),
        ("precision_macro", LABELS, Takahashi()),
    ],
)
def test_auto_takes_the_formula_that_is_known(scoring, y_pred, expected):
    result = holdout_interval(Y, y_pred, scoring, confidence_level=0.9)
    oof = OOFPredictions(y_true=Y, y_pred=y_pred)
    expected = expected.set_params(confidence_level=0.9).estimate(oof, scoring)
    assert result.method == expected.method and tuple(result) == tuple(expected)
    assert "frozen model" in result.estimand


@pytest.mark.parametrize("field", ["groups", "sample_weight"])
def test_auto_draws_when_samples_are_not_alike(field):
    result = holdout_interval(
        Y, SCORES, "roc_auc", **{field: np.arange(200) // 2 % 50 + 1}, n_bootstraps=100,
        random_state=0,
    )  # fmt: skip
    assert result.method == "percentile_bootstrap"


def test_metrics_without_a_formula_are_bootstrapped():
    result = holdout_interval(Y, LABELS, "matthews_corrcoef", n_bootstraps=100, random_state=0)
    assert result.method == "percentile_bootstrap" and result.low < result.estimate < result.high


@pytest.mark.parametrize("form", ["percentile", "basic", "normal", "studentised", "bca"])
def test_forms_are_those_of_the_pooled_bootstrap(form):
    result = holdout_interval(Y, SCORES, "roc_auc", method=form, n_bootstraps=200, random_state=3)
    expected = PooledBootstrap(form=form, n_bootstraps=200, random_state=3).estimate(
        OOFPredictions(y_true=Y, y_pred=SCORES), "roc_auc"
    )
    assert tuple(result) == pytest.approx(tuple(expected))


@pytest.mark.parametrize(
    "method", ["wald", "wilson", "clopper-pearson", "agresti-coull", "jeffreys"]
)
def test_formulas_by_name(method):
    result = holdout_interval(Y, LABELS, "accuracy", method=method)
    assert result.low < accuracy_score(Y, LABELS) < result.high


def test_an_object_is_taken_with_its_own_parameters():
    result = holdout_interval(
        Y, SCORES, "roc_auc", method=DeLong(logit=True, confidence_level=0.8)
    )
    assert result.confidence_level == 0.8 and result.method == "delong"


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


def test_equal_models_do_not_differ():
    with pytest.warns(IntervalWarning, match="No spread can be seen around a difference of 0"):
        result = holdout_interval(Y, SCORES, "roc_auc", y_pred_other=SCORES, method="delong")
    assert tuple(result) == (0, 0) and result.details["p_value"] == 1


@pytest.mark.parametrize("method", ["percentile", "basic", "normal", "studentised", "bca"])
@pytest.mark.parametrize("offset", [0.0, 0.3])
def test_a_difference_without_spread_is_marked(method, offset):
    losses = np.random.default_rng(5).exponential(size=40)
    with pytest.warns(IntervalWarning, match="holdout_interval: Every draw scores .* wrong"):
        result = holdout_interval(
            None, losses + offset, y_pred_other=losses, method=method, n_bootstraps=50,
            random_state=0,
        )  # fmt: skip
    assert tuple(result) == pytest.approx((offset, offset)) and result.details["degenerate"]
    assert "no spread" in result.details["notes"][0]


@pytest.mark.parametrize("kind", ["cluster", "two-stage", "ferrer-riera"])
@pytest.mark.parametrize("pool_seeds", [False, True])
def test_it_is_marked_for_groups_and_seeds_too(kind, pool_seeds):
    labels = np.stack([LABELS, LABELS], 1) if pool_seeds else LABELS
    with pytest.warns(IntervalWarning, match="Every draw scores 0"):
        result = holdout_interval(
            Y, labels, "accuracy", y_pred_other=labels, pool_seeds=pool_seeds,
            groups=np.arange(200) // 4, group_bootstrap=kind, n_bootstraps=20, random_state=0,
        )  # fmt: skip
    assert tuple(result) == (0, 0) and result.details["p_value"] == 1
    assert result.details["degenerate"]


def test_seeds_are_pooled():
    rng = np.random.default_rng(1)
    seeds = np.stack([SCORES + rng.normal(scale=s, size=200) for s in (0.1, 0.5, 1, 1.5, 2)], 1)
    result = holdout_interval(
        Y, seeds, "roc_auc", pool_seeds=True, n_bootstraps=200, random_state=0
    )
    areas = [roc_auc_score(Y, seeds[:, k]) for k in range(5)]
    assert result.estimate == pytest.approx(np.mean(areas))
    assert len(result.draws) == 1000
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


def test_losses_can_be_weighted():
    losses = np.random.default_rng(2).exponential(size=60)
    weight = np.arange(60.0)
    result = holdout_interval(None, losses, sample_weight=weight, n_bootstraps=50, random_state=0)
    assert result.estimate == pytest.approx(np.average(losses, weights=weight))


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


def test_bca_corrects_a_skewed_difference_as_scipy_does():
    rng = np.random.default_rng(6)
    first, second = rng.exponential(size=25) ** 2, 0.1 * rng.normal(size=25)
    bca, percentile = (
        holdout_interval(
            None, first, y_pred_other=second, method=form, n_bootstraps=20_000, random_state=0
        )
        for form in ("bca", "percentile")
    )
    expected = scipy_difference(first, second, "BCa")
    # The correction is several times the tolerance.
    assert tuple(bca) == pytest.approx(tuple(expected), abs=0.02 * percentile.width)
    assert bca.low > percentile.low + 0.04 * percentile.width
    assert bca.high > percentile.high + 0.1 * percentile.width


@pytest.mark.parametrize("form", ["percentile", "basic", "normal", "studentised", "bca"])
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


def test_a_studentised_difference_is_wider_than_percentiles_in_small_samples():
    rng, ratios = np.random.default_rng(8), []
    for _ in range(10):
        first, second = rng.normal(size=(2, 12))
        wide, narrow = (
            holdout_interval(
                None, first, y_pred_other=second, method=form, n_bootstraps=500, random_state=0
            )
            for form in ("studentised", "percentile")
        )
        ratios.append(wide.width / narrow.width)
    assert np.mean(ratios) > 1.1  # quantiles of Student's t would give 1.17


def test_the_p_value_of_a_difference_counts_draws_on_both_sides():
    result = holdout_interval(
        Y, SCORES, "roc_auc", y_pred_other=SCORES + 0.5 * OTHER, method="percentile",
        n_bootstraps=200, random_state=0,
    )  # fmt: skip
    at_most, at_least = np.sum(result.draws <= 0), np.sum(result.draws >= 0)
    expected = min(1, 2 * min((1 + at_most) / 201, (1 + at_least) / 201))
    assert result.details["p_value"] == pytest.approx(expected)
    assert (0 in result) == (expected > 0.05)


def test_losses_of_zero_and_one_are_a_proportion():
    wrong = (np.arange(120) % 7 == 0).astype(float)
    result = holdout_interval(None, wrong)
    expected = holdout_interval(np.zeros(120, int), wrong.astype(int), "accuracy")
    assert result.estimate == pytest.approx(wrong.mean())
    assert tuple(result) == pytest.approx((1 - expected.high, 1 - expected.low))
    by_formula = holdout_interval(None, np.arange(50.0), method="wald")
    half = stats.norm.ppf(0.975) * np.arange(50.0).std(ddof=1) / np.sqrt(50)
    assert tuple(by_formula) == pytest.approx((24.5 - half, 24.5 + half))


def test_losses_of_groups_are_drawn_with_their_group():
    losses = np.repeat(np.random.default_rng(3).normal(size=40), 5)
    arguments = {"n_bootstraps": 1000, "random_state": 0}
    grouped = holdout_interval(None, losses, groups=np.repeat(np.arange(40), 5), **arguments)
    once = holdout_interval(None, losses[::5], **arguments)
    assert tuple(grouped) == pytest.approx(tuple(once))
    assert grouped.width > 1.8 * holdout_interval(None, losses, **arguments).width


@pytest.mark.parametrize("form", ["percentile", "basic", "normal", "studentised", "bca"])
def test_every_form_takes_groups(form):
    result = holdout_interval(
        Y, SCORES, "roc_auc", groups=np.arange(200) // 4, method=form, n_bootstraps=200,
        random_state=0,
    )  # fmt: skip
    assert result.low < result.estimate < result.high
    assert result.details["unit"] == "group"


@pytest.mark.parametrize("kind", ["cluster", "two-stage", "ferrer-riera"])
def test_pairs_and_seeds_take_groups(kind):
    arguments = {
        "groups": np.arange(200) // 4, "group_bootstrap": kind, "n_bootstraps": 60,
        "random_state": 0,
    }  # fmt: skip
    other = (OTHER > 0.5).astype(int)
    pair = holdout_interval(Y, LABELS, "accuracy", y_pred_other=other, **arguments)
    assert pair.low < pair.estimate < pair.high
    seeds = holdout_interval(
        Y, np.stack([LABELS, other], 1), "accuracy", pool_seeds=True, **arguments
    )
    assert len(seeds.draws) == 120 and "Fewer than 5 seeds" in seeds.details["notes"][-1]


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


def test_a_pair_is_judged_by_a_bootstrap_object_as_by_its_name():
    arguments = {"n_bootstraps": 200, "random_state": 0}
    method = PooledBootstrap(form="bca", confidence_level=0.8, **arguments)
    by_object = holdout_interval(Y, SCORES, "roc_auc", y_pred_other=OTHER, method=method)
    by_name = holdout_interval(
        Y, SCORES, "roc_auc", y_pred_other=OTHER, method="bca", confidence_level=0.8, **arguments
    )
    assert tuple(by_object) == tuple(by_name)
    assert by_object.method == "pooled_bootstrap" and by_object.estimand == by_name.estimand


@pytest.mark.parametrize("method", ["auto", "delong", "percentile"])
def test_a_missing_prediction_of_either_model_is_told(method):
    """The position of a missing score must not be taken for that of another one."""
    missing = np.where(np.arange(200) == 3, np.nan, OTHER)
    for pair in ((SCORES, missing), (missing, SCORES)):
        with pytest.raises(ValueError, match=r"predicts NaN|undefined on these data"):
            holdout_interval(Y, pair[0], "roc_auc", y_pred_other=pair[1], method=method)


@pytest.mark.parametrize("scoring", ["roc_auc", "accuracy"])
def test_a_test_set_without_spread_is_marked(scoring):
    y_pred = Y if scoring == "accuracy" else Y.astype(float)
    with pytest.warns(IntervalWarning, match="certainly wrong"):
        result = holdout_interval(
            Y, y_pred, scoring, method="bca", n_bootstraps=50, random_state=0
        )
    assert tuple(result) == (1, 1) and result.details["degenerate"]


@pytest.mark.parametrize("method", ["percentile", "delong", "auto"])
def test_a_class_with_one_sample_is_named(method):
    y = (np.arange(200) == 3).astype(int)
    for other in (None, OTHER):
        if method == "auto" and other is not None:
            continue
        with pytest.raises(UndefinedIntervalError, match="class 1 has 1"):
            holdout_interval(y, SCORES, "roc_auc", y_pred_other=other, method=method)


@pytest.mark.parametrize(
    ("label", "missing"),
    [
        (0, "class 1"), (-1, "class 1"), (1, r"class 0 \(or -1\)"), (False, "class True"),
        (True, "class False"), ("ill", "every class but ill"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("method", ["auto", "studentised"])
@pytest.mark.filterwarnings("ignore:Only one class")
def test_a_missing_class_is_named_before_the_draws(monkeypatch, label, missing, method):
    message = f"^holdout_interval cannot bootstrap roc_auc: {missing} has 0 samples, so no"
    monkeypatch.setattr(_group_draws, "Draws", lambda *args, **kwargs: pytest.fail("too late"))
    with pytest.raises(UndefinedIntervalError, match=message):
        holdout_interval(np.full(200, label), SCORES, "roc_auc", method=method)


@pytest.mark.filterwarnings("ignore:Only one class")
def test_a_class_without_weight_or_in_no_group_is_missing():
    weight = np.where(Y == 1, 0.0, 1.0)
    for arguments, unit in (({}, "sample"), ({"groups": np.arange(200) // 4}, "group")):
        with pytest.raises(UndefinedIntervalError, match=f"class 1 has 0 {unit}s"):
            holdout_interval(Y, SCORES, "roc_auc", sample_weight=weight, **arguments)


def test_draws_without_a_score_are_counted_under_the_name_of_the_function():
    y = np.where(np.arange(40) < 8, np.arange(40) % 2, 0)  # class 1 in two groups of ten
    with pytest.raises(UndefinedIntervalError, match=r"^holdout_interval cannot .* 200 draws"):
        holdout_interval(
            y, SCORES[:40], "roc_auc", groups=np.arange(40) // 4, n_bootstraps=200,
            group_bootstrap="ferrer-riera",
        )  # fmt: skip


def test_few_groups_are_noted():
    result = holdout_interval(
        Y, SCORES, "roc_auc", groups=np.arange(200) // 20, n_bootstraps=50, random_state=0
    )
    assert "Only 10 groups" in result.details["notes"][0]


def test_groups_of_one_change_nothing():
    plain, grouped = (
        holdout_interval(
            Y, SCORES, "roc_auc", method="percentile", groups=groups, n_bootstraps=100,
            random_state=0,
        )
        for groups in (None, np.arange(200))
    )  # fmt: skip
    assert tuple(plain) == tuple(grouped)


WORST = as_metric("neg_brier_score").bounds[0]  # -2, in older releases -1
BRIER_DIFFERENCES = (WORST, -WORST)


@pytest.mark.parametrize(
    ("scoring", "first", "other", "lowest", "highest"),
    [
        ("roc_auc", SCORES, OTHER, -1, 1),
        ("matthews_corrcoef", LABELS, (OTHER > 0.5).astype(int), -2, 2),
        ("neg_brier_score", stats.norm.cdf(SCORES), stats.norm.cdf(OTHER), *BRIER_DIFFERENCES),
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


# --- refusals
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "t"}, "method must be 'auto'"),
        ({"scoring": None}, "scoring must be given"),
        ({"y_true": None}, "scoring='roc_auc' cannot be used"),
        ({"y_pred": SCORES[:9]}, r"y_pred has shape \(9,\), but there are 200 samples"),
        ({"y_pred_other": SCORES[:9]}, r"y_pred_other has shape \(9,\)"),
        ({"pool_seeds": True}, "pool_seeds=True needs y_pred of shape"),
        ({"group_bootstrap": "x"}, "group_bootstrap must be one of"),
        ({"n_bootstraps": 5}, "n_bootstraps must be an integer of at least 20"),
        ({"confidence_level": 2}, "confidence_level must be"),
        ({"group_bootstrap": "two-stage"}, "draws groups, but there are none"),
        (
            {"group_bootstrap": "two-stage", "groups": Y, "method": "delong"},
            "method='delong' is a formula",
        ),
        ({"method": Wald(), "y_pred_other": OTHER}, r"method=Wald\(\) is for one model"),
        (
            {"method": PooledBootstrap(config=0), "y_pred_other": OTHER},
            "difference: leave config at its default",
        ),
        (
            {"method": PooledBootstrap(), "group_bootstrap": "two-stage", "groups": Y},
            "group_bootstrap='two-stage' is for bootstraps by name",
        ),
        ({"method": DeLong(logit=True), "y_pred_other": OTHER}, "leave logit, config"),
        (
            {"method": DeLong(), "pool_seeds": True, "y_pred": np.stack([SCORES, OTHER], 1)},
            "differences and pooled seeds",
        ),
        (
            {"method": "bca", "pool_seeds": True, "y_pred": np.stack([SCORES, OTHER], 1)},
            "method='bca' takes an acceleration .* but pooled seeds spread between training runs",
        ),
        (
            {"method": "studentised", "group_bootstrap": "two-stage", "groups": Y},
            "method='studentised' takes standard errors .* but group_bootstrap='two-stage' draws",
        ),
        (
            {
                "method": "bca",
                "group_bootstrap": "ferrer-riera",
                "groups": Y,
                "y_pred_other": OTHER,
            },
            "but group_bootstrap='ferrer-riera' draws groups and then samples",
        ),
        ({"method": "hanley-mcneil", "y_pred_other": OTHER}, "is for one model. Use 'percentile'"),
        (
            {"method": "delong", "scoring": "accuracy", "y_pred": LABELS},
            "area under the whole ROC",
        ),
    ],
)
def test_arguments_that_do_not_fit(arguments, message):
    with pytest.raises(ValueError, match=message):
        holdout_interval(**{"y_true": Y, "y_pred": SCORES, "scoring": "roc_auc", **arguments})


def test_pandas_objects_of_other_orders_are_refused():
    y, scores = pd.Series(Y), pd.Series(SCORES)
    result = holdout_interval(y, scores, "roc_auc")
    assert tuple(result) == tuple(holdout_interval(Y, SCORES, "roc_auc"))
    for fields in ({"y_pred": scores[::-1]}, {"y_pred_other": scores[::-1]}, {"groups": y[::-1]}):
        with pytest.raises(ValueError, match="same index in another order"):
            holdout_interval(**{"y_true": y, "y_pred": scores, "scoring": "roc_auc", **fields})


def test_masked_predictions_are_missing():
    masked = np.ma.masked_array(SCORES, np.arange(len(SCORES)) == 3)
    with pytest.raises(ValueError, match="No configuration has a complete"):
        holdout_interval(Y, masked, "roc_auc")


@pytest.mark.parametrize(
    ("arguments", "calls"),
    [
        ({"method": "percentile"}, 300),
        ({"method": "bca"}, 300 + 200),
        ({"method": "studentised"}, 300 + 50 * 301),
        ({"method": "studentised", "y_pred_other": OTHER}, 2 * (300 + 50 * 301)),
        ({"method": "basic", "pool_seeds": True, "y_pred": np.stack([SCORES] * 3, 1)}, 3 * 300),
    ],
)
def test_a_metric_without_a_kernel_is_announced_with_all_its_calls(arguments, calls, monkeypatch):
    monkeypatch.setattr(_bound, "SLOW_SECONDS", 0)
    monkeypatch.setattr(Draws, "map", lambda *given: 1 / 0)
    scorer = make_scorer(lambda y, p: float(np.mean(p)))
    with (
        pytest.warns(SlowMetricWarning, match=f" {calls:,} times"),
        pytest.raises(ZeroDivisionError),
    ):
        holdout_interval(Y, **{"y_pred": SCORES, **arguments}, scoring=scorer, n_bootstraps=300)


def test_an_estimate_outside_its_interval_is_told():
    """R2 of few samples is lower on nearly all resamples than on the data."""
    y = np.array([0.1, 0.2, 1.6, 0.4, -2.4])
    result = holdout_interval(
        y, np.zeros(5), "r2", confidence_level=0.8, alternative="less", random_state=0
    )
    assert result.high < result.estimate
    assert "outside the interval" in " ".join(result.details["notes"])
    pooled = PooledBootstrap(confidence_level=0.8, alternative="less", random_state=0)
    found = pooled.estimate(OOFPredictions(y_true=y, y_pred=np.zeros(5), classes=None), "r2")
    assert found.high < found.estimate or "outside" not in " ".join(found.details["notes"])
