"""The paired t test: scipy, robust regressions of statsmodels, repeats."""

import numpy as np
import pytest
from scipy.stats import t, ttest_rel

from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import PairedT, Side
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.metrics._classification import MEAN

N = 60
RNG = np.random.default_rng(0)
Y = RNG.normal(size=N)
PRED = Y[:, None] + RNG.normal(scale=[0.5, 0.6], size=(N, 2))
LOSS = (PRED - Y[:, None]) ** 2


def compared(pred=PRED, y=Y, scoring="neg_mean_squared_error", fields=None, **params):
    oof = OOFPredictions(y_true=y, y_pred=pred, **(fields or {}))
    return PairedT(**params).compare(Side(oof=oof, config=0), Side(oof=oof, config=1), scoring)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_it_is_scipys_test_of_the_losses(alternative):
    result = compared(confidence_level=0.9, alternative=alternative)
    expected = ttest_rel(-LOSS[:, 0], -LOSS[:, 1], alternative=alternative)
    low, high = expected.confidence_interval(0.9)
    assert result.statistic == pytest.approx(expected.statistic, abs=1e-10)
    assert result.p_value == pytest.approx(expected.pvalue, abs=1e-10)
    assert tuple(result) == pytest.approx((low, high), abs=1e-10)
    assert result.difference == pytest.approx(LOSS[:, 1].mean() - LOSS[:, 0].mean())
    assert result.details["degrees"] == N - 1


def test_losses_that_are_given_as_they_are():
    result = compared(LOSS, np.zeros(N), MEAN)
    assert result.p_value == pytest.approx(ttest_rel(LOSS[:, 0], LOSS[:, 1]).pvalue)


def test_the_formula_by_hand():
    """Differences 1, 0, 1, 1, -1, 1 of right answers: mean 1 / 2, standard deviation 0.8367."""
    y = np.zeros(6, dtype=int)
    right = np.array([[1, 1, 1, 1, 0, 1], [0, 1, 0, 0, 1, 0]])
    y[0] = 1
    pred = np.where(right == 1, y, 1 - y).T
    result = compared(pred, y, "accuracy")
    assert result.statistic == pytest.approx(0.5 * np.sqrt(6) / np.sqrt(0.7))
    assert result.p_value == pytest.approx(2 * t.sf(1.4638501, 5), abs=1e-7)
    assert "Only 6 samples" in result.details["notes"][-1]


def robust(weight=None, groups=None):
    """Mean of the differences by weighted least squares with a robust standard error."""
    api = pytest.importorskip(
        "statsmodels.api", reason="weights and groups are compared with statsmodels"
    )
    weight = np.ones(N) if weight is None else weight
    model = api.WLS(LOSS[:, 1] - LOSS[:, 0], np.ones(N), weights=weight)
    if groups is None:
        return model.fit(cov_type="HC1")
    return model.fit(cov_type="cluster", cov_kwds={"groups": groups})


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_weights_and_groups_are_those_of_a_robust_regression(weighted, grouped):
    weight = np.arange(N) % 5 + 1.0 if weighted else None
    groups = np.arange(N) ** 2 // 100 if grouped else None  # 36 groups of 1 to 10
    result = compared(fields={"sample_weight": weight, "groups": groups})
    expected = robust(weight, groups)
    assert result.difference == pytest.approx(float(expected.params[0]), abs=1e-10)
    assert result.details["standard_error"] == pytest.approx(float(expected.bse[0]), rel=1e-10)
    n = len(np.unique(groups)) if grouped else N
    assert result.details["n_units"] == n and result.details["degrees"] == n - 1
    assert result.p_value == pytest.approx(2 * t.sf(abs(result.statistic), n - 1))


def test_groups_of_equal_size_are_their_means():
    groups = np.arange(N) // 3
    result = compared(fields={"groups": groups})
    means = LOSS.reshape(-1, 3, 2).mean(axis=1)
    assert result.p_value == pytest.approx(ttest_rel(means[:, 0], means[:, 1]).pvalue)
    assert result.details["unit"] == "group"


def test_samples_without_weight_do_not_count():
    weight = np.where(np.arange(N) < 40, 1.0, 0.0)
    result = compared(fields={"sample_weight": weight})
    expected = ttest_rel(-LOSS[:40, 0], -LOSS[:40, 1])
    assert result.p_value == pytest.approx(expected.pvalue) and result.details["n_units"] == 40


def test_repeats_average_the_losses_of_a_sample():
    """Rows in any order of repeats; the samples are independent, the repeats are not."""
    other = Y[:, None] + np.random.default_rng(1).normal(scale=[0.5, 0.6], size=(N, 2))
    fold = np.arange(N) % 5
    shuffle = np.random.default_rng(2).permutation(2 * N)
    oof = OOFPredictions(
        y_true=Y,
        responses={"predict": np.concatenate([PRED, other]).T[:, shuffle]},
        sample=np.tile(np.arange(N), 2)[shuffle],
        fold=np.concatenate([fold, fold + 5])[shuffle],
        repeat=np.repeat([0, 1], N)[shuffle],
    )
    sides = Side(oof=oof, config=0), Side(oof=oof, config=1)
    result = PairedT().compare(*sides, "neg_mean_squared_error")
    losses = (LOSS + (other - Y[:, None]) ** 2) / 2
    expected = ttest_rel(-losses[:, 0], -losses[:, 1])
    assert result.statistic == pytest.approx(expected.statistic)
    first, second = result.details["scores"]
    assert result.difference == pytest.approx(first - second)


def test_untested_samples_do_not_count():
    fold = np.where(np.arange(N) < 50, np.arange(N) % 5, -1)
    result = compared(fields={"fold": fold})
    assert result.details["n_units"] == 50
    expected = ttest_rel(-LOSS[:50, 0], -LOSS[:50, 1])
    assert result.p_value == pytest.approx(expected.pvalue)


def test_the_same_difference_everywhere_is_marked():
    values = np.zeros(N)
    pred = np.stack([np.ones(N), 2 * np.ones(N)], axis=1)
    with pytest.warns(IntervalWarning, match="PairedT: The difference is the same everywhere"):
        result = compared(pred, values, "neg_mean_absolute_error")
    assert (
        tuple(result) == pytest.approx((1, 1))
        and result.p_value == 0
        and result.details["degenerate"]
    )


def test_two_groups_are_enough_for_a_spread():
    result = compared(fields={"groups": np.arange(N) % 2})
    means = [LOSS[k::2].mean(axis=0) for k in (0, 1)]
    expected = ttest_rel(*np.transpose(means)[::-1])
    assert result.p_value == pytest.approx(expected.pvalue)


def test_few_and_too_few_samples():
    assert compared().details["notes"] == []
    for n, few in ((30, True), (31, False)):
        notes = compared(PRED[:n], Y[:n]).details["notes"]
        assert [f"Only {n} samples" in note for note in notes] == [True] * few
    one = {"groups": np.zeros(N, dtype=int)}
    with pytest.raises(UndefinedIntervalError, match=r"at least 2 groups .* got 1"):
        compared(fields=one)
    with pytest.raises(ValueError, match="needs a metric that is a mean over samples"):
        compared(scoring="r2")
