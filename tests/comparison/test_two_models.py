"""Tests of two fixed models: scipy, statsmodels, pROC, brute force, error rates and coverage."""

import numpy as np
import pytest
from scipy.stats import norm, t, ttest_rel
from sklearn.metrics import roc_auc_score

from sklearn_bbc import OOFPredictions, compare
from sklearn_bbc.comparison import McNemar, PairedBootstrap, PairedDeLong, PairedT, Side
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import DeLong, PooledBootstrap
from sklearn_bbc.intervals._bootstrap import BOOTSTRAP_FORMS
from tests.made import made

RNG = np.random.default_rng(0)
N = 60
Y = np.arange(N) % 2
SCORES = np.round(RNG.normal(size=(N, 2)) + Y[:, None] * [1.4, 0.8], 1)  # with ties
VALUES = RNG.normal(size=N)
PRED = VALUES[:, None] + RNG.normal(scale=[0.5, 0.6], size=(N, 2))
LOSS = (PRED - VALUES[:, None]) ** 2
MSE = "neg_mean_squared_error"
SIDES = ("two-sided", "greater", "less")


def compared(method, scoring="roc_auc", y=Y, pred=SCORES, **fields):
    oof = made(y_true=y, y_pred=pred, **fields)
    return method.compare(Side(oof=oof, config=0), Side(oof=oof, config=1), scoring)


def boot(**params):
    return PairedBootstrap(**{"random_state": 0, "n_bootstraps": 200, **params})


def paired_t(pred=PRED, y=VALUES, scoring=MSE, *, method=None, **fields):
    return compared(method or PairedT(), scoring, y, pred, **fields)


@pytest.mark.parametrize("method", [McNemar(), boot(), PairedDeLong(), PairedT()])
def test_predictions_of_cross_validation_are_noted(method):
    scoring = "roc_auc" if isinstance(method, PairedDeLong) else "accuracy"
    pred = SCORES if scoring == "roc_auc" else (SCORES > 0.5).astype(int)
    alone = compared(method, scoring, pred=pred)
    folds = compared(method, scoring, pred=pred, fold=np.arange(N) % 4)
    assert any("come from cross-validation" in note for note in folds.details["notes"])
    assert not any("cross-validation" in note for note in alone.details["notes"])
    assert tuple(alone) == tuple(folds)


CONSTANT = np.stack([np.ones(N), 2 * np.ones(N)], axis=1)


@pytest.mark.parametrize(
    ("method", "given", "found", "message"),
    [
        (PairedT(), ("neg_mean_absolute_error", np.zeros(N), CONSTANT), 1, "is the same every"),
        (PairedDeLong(), ("roc_auc", Y, np.stack([Y + 0.0, 0.0 * Y], axis=1)), 0.5, "is the same"),
        (boot(), ("neg_mean_absolute_error", np.zeros(N), CONSTANT), 1, "Every draw scores 1: no"),
    ],
)
def test_a_difference_without_spread_is_marked(method, given, found, message):
    with pytest.warns(IntervalWarning, match=message):
        result = compared(method, *given)
    assert tuple(result) == pytest.approx((found, found)) and result.details["degenerate"]
    assert result.p_value == (pytest.approx(2 / 201) if result.n_bootstraps else 0)


@pytest.mark.parametrize(("method", "change"), [(PairedDeLong(), np.exp), (boot(), np.copy)])
def test_equal_rankings_and_equal_predictions_do_not_differ(method, change):
    first = SCORES[:, 0]
    result = compared(method, pred=np.stack([first, change(first)], axis=1))
    assert result.p_value == 1 and tuple(result) == (0, 0)
    assert "no difference to test" in result.details["notes"][-1]


ONE_GROUP = {"groups": np.zeros(N, dtype=int)}


@pytest.mark.parametrize(
    ("method", "given", "fields", "message"),
    [
        (boot(stratify=True), (), {"groups": np.arange(N) // 2}, "there are groups"),
        (PairedDeLong(), ("roc_auc", np.arange(N) == 3), {}, "needs at least 2 samples"),
        (PairedDeLong(), ("accuracy", Y, Y[:, None] * [1, 0]), {}, "for the area under the whole"),
        (PairedT(), (MSE, VALUES, PRED), ONE_GROUP, r"at least 2 groups with a weight, got 1"),
        (PairedT(), ("r2", VALUES, PRED), {}, "needs a metric that is a mean over samples"),
    ],
)
def test_refusals(method, given, fields, message):
    with pytest.raises(ValueError, match=message):
        compared(method, *given, **fields)


# --- paired t ---


@pytest.mark.parametrize("alternative", SIDES)
def test_paired_t_is_scipys_test_of_the_losses(alternative):
    result = paired_t(method=PairedT(confidence_level=0.9, alternative=alternative))
    expected = ttest_rel(-LOSS[:, 0], -LOSS[:, 1], alternative=alternative)
    assert result.statistic == pytest.approx(expected.statistic, abs=1e-10)
    assert result.p_value == pytest.approx(expected.pvalue, abs=1e-10)
    assert tuple(result) == pytest.approx(tuple(expected.confidence_interval(0.9)), abs=1e-10)
    assert result.difference == pytest.approx(LOSS[:, 1].mean() - LOSS[:, 0].mean())
    assert result.details["degrees"] == N - 1 and result.details["notes"] == []
    as_they_are = compare(-LOSS[:, 0], -LOSS[:, 1], method=PairedT())
    assert as_they_are.p_value == pytest.approx(ttest_rel(LOSS[:, 0], LOSS[:, 1]).pvalue)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_paired_t_with_weights_and_groups_is_a_robust_regression(weighted, grouped):
    api = pytest.importorskip("statsmodels.api", reason="compares with statsmodels")
    weight = np.arange(N) % 5 + 1.0 if weighted else None
    groups = np.arange(N) ** 2 // 100 if grouped else None  # 36 groups of 1 to 10
    result = paired_t(sample_weight=weight, groups=groups)
    weights = np.ones(N) if weight is None else weight
    model = api.WLS(LOSS[:, 1] - LOSS[:, 0], np.ones(N), weights=weights)
    cluster = {"cov_type": "cluster", "cov_kwds": {"groups": groups}}
    expected = model.fit(**(cluster if grouped else {"cov_type": "HC1"}))
    assert result.difference == pytest.approx(float(expected.params[0]), abs=1e-10)
    assert result.details["standard_error"] == pytest.approx(float(expected.bse[0]), rel=1e-10)
    n = len(np.unique(groups)) if grouped else N
    assert result.details["n_units"] == n and result.details["degrees"] == n - 1
    assert result.p_value == pytest.approx(2 * t.sf(abs(result.statistic), n - 1))


@pytest.mark.parametrize(
    ("fields", "losses"),
    [
        ({"groups": np.arange(N) // 3}, LOSS.reshape(-1, 3, 2).mean(axis=1)),
        ({"groups": np.arange(N) % 2}, np.array([LOSS[k::2].mean(axis=0) for k in (0, 1)])),
        ({"sample_weight": np.where(np.arange(N) < 40, 1.0, 0.0)}, LOSS[:40]),
        ({"fold": np.where(np.arange(N) < 50, np.arange(N) % 5, -1)}, LOSS[:50]),  # untested
    ],
)
def test_paired_t_of_equal_groups_and_of_what_counts(fields, losses):
    result = paired_t(**fields)
    assert result.p_value == pytest.approx(ttest_rel(losses[:, 0], losses[:, 1]).pvalue)
    assert result.details["n_units"] == len(losses)


def test_paired_t_averages_the_losses_of_repeats_in_any_order():
    other = VALUES[:, None] + np.random.default_rng(1).normal(scale=[0.5, 0.6], size=(N, 2))
    fold = np.arange(N) % 5
    shuffle = np.random.default_rng(2).permutation(2 * N)
    oof = OOFPredictions.from_rows(
        y_true=VALUES,
        responses={"predict": np.concatenate([PRED, other]).T[:, shuffle]},
        sample=np.tile(np.arange(N), 2)[shuffle],
        fold=np.concatenate([fold, fold + 5])[shuffle],
        repeat=np.repeat([0, 1], N)[shuffle],
    )
    result = PairedT().compare(Side(oof=oof, config=0), Side(oof=oof, config=1), MSE)
    losses = (LOSS + (other - VALUES[:, None]) ** 2) / 2
    assert result.statistic == pytest.approx(ttest_rel(-losses[:, 0], -losses[:, 1]).statistic)
    assert result.difference == pytest.approx(float(-np.diff(result.details["scores"])[0]))


@pytest.mark.parametrize(("n", "few"), [(30, True), (31, False)])
def test_paired_t_notes_few_samples(n, few):
    notes = paired_t(PRED[:n], VALUES[:n]).details["notes"]
    assert [f"Only {n} samples" in note for note in notes] == [True] * few


# --- DeLong ---


def by_placements(y, scores):
    """Areas and standard error of their difference from all pairs of samples."""
    positive, negative = scores[y == 1], scores[y == 0]
    wins = (positive[:, None] > negative[None]) + 0.5 * (positive[:, None] == negative[None])
    of_positive, of_negative = wins.mean(axis=1) @ [1, -1], wins.mean(axis=0) @ [1, -1]
    variance = of_positive.var(ddof=1) / len(positive) + of_negative.var(ddof=1) / len(negative)
    return wins.mean(axis=(0, 1)), np.sqrt(variance)


@pytest.mark.parametrize("alternative", SIDES)
def test_delong_by_placements(alternative):
    (one, other), error = by_placements(Y, SCORES)
    result = compared(PairedDeLong(alternative=alternative, confidence_level=0.9))
    z = (one - other) / error
    expected = {"two-sided": 2 * norm.sf(abs(z)), "greater": norm.sf(z), "less": norm.cdf(z)}
    assert result.statistic == pytest.approx(z)
    assert result.p_value == pytest.approx(expected[alternative])
    half = norm.ppf(0.95 if alternative == "two-sided" else 0.9) * error
    low, high = one - other - half, one - other + half
    expected = {"two-sided": (low, high), "greater": (low, 1), "less": (-1, high)}
    assert tuple(result) == pytest.approx(expected[alternative])


@pytest.mark.parametrize(
    "fields", [{}, {"groups": np.arange(N) // 4}, {"sample_weight": 1.0 + np.arange(N) % 3}]
)
def test_delong_is_the_paired_form_of_the_interval(fields):
    result = compared(PairedDeLong(), **fields)
    expected = DeLong().difference(made(y_true=Y, y_pred=SCORES, **fields), "roc_auc")
    assert tuple(result) == pytest.approx(tuple(expected))
    assert result.p_value == pytest.approx(expected.details["p_value"])
    assert result.details["unit"] == expected.details["unit"]
    weight = fields.get("sample_weight")
    scores = [roc_auc_score(Y, SCORES[:, k], sample_weight=weight) for k in (0, 1)]
    assert result.details["scores"] == pytest.approx(scores)


def test_delong_knows_groups():
    once = compared(PairedDeLong())
    copies = {"y": np.tile(Y, 2), "pred": np.tile(SCORES, (2, 1))}
    twice = compared(PairedDeLong(), **copies, groups=np.tile(np.arange(N), 2))
    for name in ("standard_error", "scores"):
        assert twice.details[name] == pytest.approx(once.details[name], rel=1e-9)
    few, enough = (compared(PairedDeLong(), groups=np.arange(N) % k) for k in (19, 20))
    assert "Only 19 groups" in few.details["notes"][-1]
    assert enough.details["notes"] == once.details["notes"] == []


# --- bootstrap ---


@pytest.mark.parametrize("form", BOOTSTRAP_FORMS)
@pytest.mark.parametrize("weight", [None, 1.0 + np.arange(N) % 4])
def test_the_bootstrap_is_the_paired_form_of_the_pooled_one(form, weight):
    result = compared(boot(form=form), sample_weight=weight)
    oof = OOFPredictions(y_true=Y, y_pred=SCORES, sample_weight=weight)
    method = PooledBootstrap(form=form, n_bootstraps=200, random_state=0)
    expected = method.difference(oof, "roc_auc")
    assert tuple(result) == tuple(expected) and result.n_bootstraps == len(result.draws) == 200
    assert result.p_value == expected.details["p_value"]
    np.testing.assert_array_equal(result.draws, expected.draws)
    areas = [roc_auc_score(Y, SCORES[:, k], sample_weight=weight) for k in (0, 1)]
    assert result.details["scores"] == pytest.approx(areas)
    assert result.difference == pytest.approx(areas[0] - areas[1])
    assert result.statistic == pytest.approx(result.difference / np.std(result.draws, ddof=1))


def test_the_bootstrap_counts_draws_without_a_difference_in_full():
    """With half of them three samples would do, of which McNemar's mid-p is 0.125."""
    y = np.arange(200) % 2
    pred = np.stack([y, np.where(np.arange(200) < 3, 1 - y, y)], axis=1)
    result = compared(boot(n_bootstraps=2000), "accuracy", y, pred)
    assert result.p_value == pytest.approx(2 * np.exp(-3), abs=0.03) and 0 in result


def test_the_bootstrap_draws_groups_together_and_classes_apart():
    """Four copies of each sample in one group are as good as one."""
    once = compared(boot(n_bootstraps=1000))
    copies = {"y": np.repeat(Y, 4), "pred": np.repeat(SCORES, 4, axis=0)}
    four = compared(boot(n_bootstraps=1000), **copies, groups=np.repeat(np.arange(N), 4))
    assert tuple(four) == pytest.approx(tuple(once)) and four.details["unit"] == "group"
    assert compared(boot(), **copies).width < 0.7 * four.width
    labels = (SCORES > 0.5).astype(int)
    stratified = compared(boot(stratify=True, form="normal"), "accuracy", pred=labels)
    assert any("keep the class sizes fixed" in note for note in stratified.details["notes"])
