"""Diebold and Mariano's test: statsmodels, a plain loop, refusals."""

import numpy as np
import pytest
from scipy.stats import t
from sklearn.model_selection import TimeSeriesSplit

from sklearn_bbc import OOFPredictions, compare
from sklearn_bbc.comparison import DieboldMariano, PairedT, Side
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from tests.made import made

RNG = np.random.default_rng(0)
N = 80
Y = RNG.normal(size=N).cumsum()
PRED = np.stack([np.r_[0, 0, Y[:-2]], np.r_[0, 0, 0, Y[:-3]]], axis=1)  # 2 and 3 steps old
LOSS = (PRED - Y[:, None]) ** 2
MSE = "neg_mean_squared_error"
SIDES = ("two-sided", "greater", "less")


def forecasts(horizon=1, pred=PRED, y=Y, scoring=MSE, *, alternative="two-sided", **fields):
    oof = made(y_true=y, y_pred=pred, **fields)
    method = DieboldMariano(horizon=horizon, alternative=alternative)
    return method.compare(Side(oof=oof, config=0), Side(oof=oof, config=1), scoring)


def by_a_loop(differences, h):
    """Statistic and standard error as Harvey, Leybourne and Newbold (1997) write them."""
    n = len(differences)
    mean = sum(differences) / n
    variance = 0.0
    for lag in range(h):
        covariance = 0.0
        for now in range(lag, n):
            covariance += (differences[now] - mean) * (differences[now - lag] - mean) / n
        variance += covariance if lag == 0 else 2 * covariance
    corrected = (n + 1 - 2 * h + h * (h - 1) / n) / n
    return mean / (variance / n) ** 0.5 * corrected**0.5, (variance / n / corrected) ** 0.5


MAE = "neg_mean_absolute_error"


# --- other computations ---


@pytest.mark.parametrize("horizon", [1, 2, 3, 7])
@pytest.mark.parametrize("alternative", SIDES)
def test_it_is_the_formula_by_a_plain_loop(horizon, alternative):
    result = forecasts(horizon, alternative=alternative)
    differences = (LOSS[:, 1] - LOSS[:, 0]).tolist()
    statistic, error = by_a_loop(differences, horizon)
    law = t(N - 1)
    p_value = {"two-sided": 2 * law.sf(abs(statistic)), "greater": law.sf(statistic),
               "less": law.cdf(statistic)}[alternative]  # fmt: skip
    assert result.statistic == pytest.approx(statistic, rel=1e-10)
    assert result.p_value == pytest.approx(p_value, rel=1e-9)
    assert result.details["standard_error"] == pytest.approx(error, rel=1e-10)
    assert result.details["horizon"] == horizon and result.details["degrees"] == N - 1
    half = law.ppf(0.975 if alternative == "two-sided" else 0.95) * error
    mean = np.mean(differences)
    low, high = mean - half, mean + half
    sided = {"two-sided": (low, high), "greater": (low, np.inf), "less": (-np.inf, high)}
    assert tuple(result) == pytest.approx(sided[alternative], rel=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("horizon", [2, 5])
def test_the_variance_is_that_of_a_regression_with_a_rectangular_kernel(horizon):
    api = pytest.importorskip("statsmodels.api", reason="compares with statsmodels")
    settings = {"maxlags": horizon - 1, "kernel": "uniform", "use_correction": False}
    model = api.OLS(LOSS[:, 1] - LOSS[:, 0], np.ones(N))
    expected = model.fit(cov_type="HAC", cov_kwds=settings)
    correction = (N + 1 - 2 * horizon + horizon * (horizon - 1) / N) / N
    result = forecasts(horizon)
    assert result.details["standard_error"] == pytest.approx(
        float(expected.bse[0]) / correction**0.5, rel=1e-10
    )
    assert result.difference == pytest.approx(float(expected.params[0]))


@pytest.mark.parametrize("alternative", SIDES)
def test_one_step_ahead_is_the_paired_t_test(alternative):
    oof = made(y_true=Y, y_pred=PRED)
    sides = Side(oof=oof, config=0), Side(oof=oof, config=1)
    same = PairedT(alternative=alternative).compare(*sides, MSE)
    result = forecasts(alternative=alternative)
    assert (result.statistic, result.p_value) == pytest.approx((same.statistic, same.p_value))
    assert tuple(result) == pytest.approx(tuple(same))


@pytest.mark.parametrize("unit", [1e6, 1e-3, 1e-9])
@pytest.mark.parametrize("horizon", [1, 3])
def test_the_unit_of_the_forecasts_does_not_matter(unit, horizon):
    one, other = forecasts(horizon), forecasts(horizon, PRED * unit, Y * unit)
    assert (other.statistic, other.p_value) == pytest.approx((one.statistic, one.p_value))
    assert tuple(other) == pytest.approx(tuple(bound * unit**2 for bound in one))


def test_losses_themselves_can_be_given():
    of_losses = compare(-LOSS[:, 0], -LOSS[:, 1], method=DieboldMariano(horizon=3))
    assert of_losses.statistic == pytest.approx(forecasts(3).statistic)


# --- which samples, in which order ---


def test_the_order_is_that_of_the_samples_whatever_that_of_the_rows():
    shuffle = RNG.permutation(N)
    oof = OOFPredictions.from_rows(
        y_true=Y, responses={"predict": PRED.T[:, shuffle]}, sample=shuffle,
        fold=np.zeros(N, int),
    )  # fmt: skip
    result = DieboldMariano(horizon=3).compare(
        Side(oof=oof, config=0), Side(oof=oof, config=1), MSE
    )
    assert result.statistic == pytest.approx(forecasts(3).statistic)
    mixed = forecasts(3, PRED[shuffle], Y[shuffle])
    assert mixed.statistic != pytest.approx(result.statistic, rel=0.01)


def test_repeats_are_averaged():
    other = PRED + RNG.normal(size=PRED.shape)
    fold = np.arange(N) % 4
    result = forecasts(3, np.stack([PRED, other]), fold=np.stack([fold, fold]))
    losses = (LOSS + (other - Y[:, None]) ** 2) / 2
    assert result.statistic == pytest.approx(by_a_loop(losses[:, 1] - losses[:, 0], 3)[0])


def test_samples_before_the_first_fold_are_left_out_and_gaps_are_noted():
    splits = list(TimeSeriesSplit(4).split(Y))
    walk_forward = forecasts(2, fold=splits)
    assert walk_forward.statistic == pytest.approx(by_a_loop((LOSS[16:, 1] - LOSS[16:, 0]), 2)[0])
    notes = walk_forward.details["notes"]
    assert not any("between others" in note or "independent" in note for note in notes)
    assert any("before those it predicts" in n for n in made(
        y_true=Y, y_pred=PRED, fold=splits).notes)  # fmt: skip
    fold = np.where((np.arange(N) < 16) | (np.arange(N) % 20 == 19), -1, 0)
    gaps = forecasts(2, fold=fold)
    kept = np.flatnonzero(fold == 0)
    assert gaps.statistic == pytest.approx(by_a_loop((LOSS[kept, 1] - LOSS[kept, 0]), 2)[0])
    assert any("3 samples between others were never" in note for note in gaps.details["notes"])


@pytest.mark.parametrize(("n", "horizon", "few"), [(30, 1, True), (31, 1, False), (60, 2, True),
                                                   (61, 2, False)])  # fmt: skip
def test_few_samples_are_noted(n, horizon, few):
    notes = forecasts(horizon, PRED[:n], Y[:n]).details["notes"]
    assert [f"Only {n} samples for a horizon of {horizon}" in note for note in notes] == [
        True
    ] * few


# --- what cannot be tested ---


def test_a_variance_that_is_not_positive_is_refused():
    """Differences 3, 1, 3, 1, ...: variance 1 and autocovariance -(n - 1) / n."""
    pred = np.where(np.arange(N) % 2, 1.0, 3.0)[:, None] * [0, 1]
    with pytest.raises(UndefinedIntervalError, match=r"of 1 lag it is -.*horizon=1 has no"):
        forecasts(2, pred, np.zeros(N) + 0.0, MAE)
    assert forecasts(1, pred, np.zeros(N) + 0.0, MAE).difference == 2


def test_equal_forecasts_and_a_constant_difference():
    same = forecasts(3, PRED[:, [0, 0]])
    assert same.p_value == 1 and tuple(same) == (0, 0)
    with pytest.warns(IntervalWarning, match="the same everywhere"):
        result = forecasts(3, np.ones((N, 1)) * [0, 0.1], np.zeros(N) + 0.0, MAE)
    assert result.details["degenerate"] and tuple(result) == pytest.approx((0.1, 0.1))


@pytest.mark.parametrize(
    ("horizon", "fields", "message"),
    [
        (N, {}, "more samples than the horizon, got horizon=80 and 80 held-out samples"),
        (1, {"scoring": "r2"}, "needs a metric that is a mean over samples"),
        (1, {"groups": np.arange(N) // 2}, "have groups"),
        (1, {"sample_weight": np.ones(N) + np.arange(N)}, "have sample_weight"),
    ],
)
def test_refusals(horizon, fields, message):
    with pytest.raises(ValueError, match=message):
        forecasts(horizon, **fields)
