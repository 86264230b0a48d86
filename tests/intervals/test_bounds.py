"""IntervalRules: nothing beyond the metric's range, and levels that can hardly be meant."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import (
    BBC,
    BayleCV,
    CorrectedT,
    CorrelationAdjusted,
    HierarchicalBootstrap,
    NaiveBootstrap,
    OrderStatistic,
    PooledBootstrap,
    QuantileRule,
    Wald,
    holdout_interval,
)
from sklearn_bbc.metrics import Metric, as_metric

ACCURACY = as_metric("accuracy")
ANY = Metric(name="any", scorer=max)


def nearly_all_right(n=50):
    y = np.tile([0, 1], n // 2)
    y_pred = np.where(np.isin(np.arange(n), (3, 17)), 1 - y, y)
    return OOFPredictions(y_true=y, y_pred=y_pred, fold=np.arange(n) // 2 % 5)


@pytest.mark.parametrize(
    "method",
    [
        Wald(), CorrectedT(), CorrelationAdjusted(), BayleCV(), NaiveBootstrap(form="normal"),
        PooledBootstrap(form="normal", random_state=0), PooledBootstrap(form="basic"),
        HierarchicalBootstrap(form="basic", random_state=0),
    ],
    ids=lambda method: f"{type(method).__name__}-{getattr(method, 'form', '')}",
)  # fmt: skip
def test_bounds_end_where_the_metric_does_and_the_uncut_ones_are_kept(method):
    result = method.estimate(nearly_all_right(), "accuracy")
    assert result.high == 1 and 0 < result.low < result.estimate
    low, high = result.details["unclipped"]
    assert low == result.low and 1 < high < 1.5


def test_an_auc_from_fold_scores_stays_below_1():
    scores = np.array([[0.99], [0.97], [1.0], [0.95], [0.98]])
    oof = OOFPredictions(y_true=[], classes=None, fold_scores={"roc_auc": scores})
    result = CorrectedT().estimate(oof, "roc_auc")
    # Mean 0.978, S = 0.01924, t(4) = 2.77645, sqrt(1/5 + 1/4).
    assert result.details["unclipped"] == pytest.approx((0.942174, 1.013826), abs=1e-6)
    assert tuple(result) == pytest.approx((0.942174, 1), abs=1e-6)


@given(
    st.floats(-3, 3),
    st.floats(0, 3),
    st.sampled_from(["accuracy", "neg_log_loss", "r2", "matthews_corrcoef"]),
    st.sampled_from(["two-sided", "greater", "less"]),
)
def test_nothing_lies_beyond_the_range(estimate, error, scoring, alternative):
    metric = as_metric(scoring)
    result = BBC(alternative=alternative)._from_se(estimate, error, metric)
    worst, best = metric.bounds
    assert worst <= result.low <= result.high <= best
    assert worst <= result.estimate <= best
    assert result.low <= result.estimate <= result.high
    free = BBC(alternative=alternative)._from_se(estimate, error, Metric(name="x", scorer=max))
    assert result.details.get("unclipped_estimate", result.estimate) == estimate
    uncut = result.details.get("unclipped", tuple(result))
    for k, side in ((0, "less"), (1, "greater")):  # the open side ends at the range
        assert uncut[k] == (metric.bounds[k] if alternative == side else tuple(free)[k])


def test_differences_have_a_range_of_their_own():
    """Worse by nearly all: below the smallest accuracy, not below the smallest difference."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 20)
    worse, better = np.where(rng.random((2, 40)) < 0.1, y, 1 - y)[0], y
    result = holdout_interval(
        y, worse, "accuracy", y_pred_other=better, n_bootstraps=200, random_state=0
    )
    assert -1 <= result.low < result.high < -0.5 and "unclipped" not in result.details
    scores = y + rng.normal(size=40)
    areas = holdout_interval(y, -scores, "roc_auc", y_pred_other=scores)
    assert -1 <= areas.low < areas.estimate < areas.high < 0


def test_an_undefined_standard_error_gives_its_reason():
    result = BBC()._from_se(0.8, np.nan, ACCURACY)
    assert np.isnan(result.low) and np.isnan(result.high)
    assert result.details["reason"] == "The standard error is undefined, so bounds are too."
    told = BBC()._from_se(0.8, np.nan, ACCURACY, details={"reason": "another"})
    assert told.details["reason"] == "another"


@pytest.mark.parametrize("level, meant", [(0.05, "0.95"), (0.1, "0.9"), (0.4999, "0.5001")])
def test_a_level_that_can_hardly_be_meant_is_asked_about(level, meant):
    with pytest.warns(IntervalWarning, match=f"confidence_level={level:g} asks .* mean {meant}"):
        Wald(confidence_level=level).estimate(nearly_all_right(), "accuracy")


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_usual_levels_are_not_asked_about(level):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Wald(confidence_level=level).estimate(nearly_all_right(), "accuracy")


@pytest.mark.parametrize("estimate", [np.inf, -np.inf, np.nan])
def test_an_estimate_that_is_not_finite_becomes_nan_with_the_reason(estimate):
    result = BBC()._result(Metric(name="any", scorer=max), estimate, -np.inf, 3.0)
    assert np.isnan(result.estimate) and tuple(result) == (-np.inf, 3)
    known = "undefined" if np.isnan(estimate) else f"would be {estimate}"
    assert known in result.details["reason"] and "unclipped_estimate" not in result.details
    result = BBC()._result(ACCURACY, estimate, np.nan, np.nan, details={"reason": "No interval."})
    assert result.details["reason"].startswith("No interval.")
    assert ("would be" in result.details["reason"]) == np.isinf(estimate)


def test_bounds_that_are_not_finite_give_their_reason():
    any_metric = Metric(name="any", scorer=max)
    assert "undefined" in BBC()._result(any_metric, 0.0, np.nan, 1.0).details["reason"]
    assert "infinite" in BBC()._result(any_metric, 0.0, -np.inf, 1.0).details["reason"]
    one_sided = BBC(alternative="greater")._result(any_metric, 0.0, -1.0, np.inf)
    assert "reason" not in one_sided.details
    assert "reason" not in BBC()._result(ACCURACY, 0.5, -np.inf, np.inf).details  # cut


def test_an_infinite_standard_error_gives_undefined_bounds():
    result = Wald()._from_se(-9.5, np.inf, Metric(name="any", scorer=max))
    assert np.isnan([result.low, result.high]).all() and result.estimate == -9.5
    assert "standard error" in result.details["reason"]
    assert Wald()._from_se(-9.5, 0.1, ANY).details == {"standard_error": 0.1}


# --- draws -------------------------------------------------------------------------------


class Fourth(QuantileRule):
    """A quarter of the way from the fourth draw to the fifth."""

    def place(self, n_draws, level):
        return 3, 0.25


def test_a_rule_may_interpolate_and_the_upper_bound_mirrors_the_lower_one():
    cubes = np.random.default_rng(0).permutation(np.arange(20.0)) ** 3
    method = BBC(quantile=Fourth())
    low, high = method._from_draws(cubes, ANY)
    assert low == 27 + 0.25 * (64 - 27)
    assert high == 16**3 - 0.25 * (16**3 - 15**3)
    # The fourth is 8, the fifth 27; from above 17, 17, 19: 1 + 2 + 1 draws.
    times = np.where(np.isin(cubes, (1, 18**3)), 2, 1)
    low, high = method._from_draws(cubes, ANY, multiplicity=times)
    assert low == 8 + 0.25 * (27 - 8)
    assert high == 17**3 - 0.25 * (17**3 - 16**3)


def test_a_single_draw_is_all_there_is():
    result = BBC()._from_draws(np.array([0.3, np.nan])[:1], ACCURACY)
    assert (result.estimate, *result) == (0.3, 0.3, 0.3)
    one = BBC()._from_draws(np.array([0.3]), ACCURACY, multiplicity=np.array([1]))
    assert (one.estimate, *one) == (0.3, 0.3, 0.3)
    assert one.draws.tolist() == [0.3]


@pytest.mark.parametrize("draws, mean", [([0.1, 0.2, np.inf], "inf"), ([-np.inf, 0, 1], "-inf")])
def test_a_mean_that_is_infinite_says_so(draws, mean):
    result = BBC()._from_draws(np.array(draws), ANY)
    assert np.isnan(result.estimate)
    assert f"The estimate would be {mean}:" in result.details["reason"]


def test_a_tenth_may_be_undefined():
    scores = np.append(np.arange(90.0), [np.nan] * 10)
    result = BBC()._from_draws(scores, ANY, details={"winner": 3}, n_bootstraps=100)
    assert result.details == {"n_undefined": 10, "winner": 3}
    assert result.n_bootstraps == 100
    with pytest.raises(UndefinedIntervalError, match="11 of 100 draws"):
        BBC()._from_draws(np.append(scores[1:], np.nan), ANY)


def test_draws_keep_their_order_and_an_enumeration_is_sorted():
    scores = np.array([0.3, 0.1, 0.2])
    assert BBC()._from_draws(scores, ACCURACY).draws.tolist() == [0.3, 0.1, 0.2]
    many = np.random.default_rng(0).random(10_001)
    np.testing.assert_array_equal(BBC()._from_draws(many, ACCURACY).draws, many)
    enumerated = BBC()._from_draws(scores, ACCURACY, multiplicity=np.array([1, 2, 1]))
    assert enumerated.draws.tolist() == [0.1, 0.1, 0.2, 0.3]


@pytest.mark.parametrize(
    "times", [(1, 19_999), (19_999, 1), (1, 20_000), (20_000, 1), (7, 29_996)]
)
def test_of_a_large_enumeration_ten_thousand_draws_are_kept_evenly(times):
    result = BBC()._from_draws(np.array([0.1, 0.2]), ACCURACY, multiplicity=np.array(times))
    # In the middle of each of 10,000 equal parts.
    places = (2 * np.arange(10_000) + 1) * sum(times) // 20_000
    np.testing.assert_array_equal(result.draws, np.repeat([0.1, 0.2], times)[places])


# --- parameters --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "level", [0, 1, 0.0, 1.0, -0.5, 1.5, 95, True, False, "0.95", None, np.nan]
)
def test_impossible_levels_are_refused(level):
    with pytest.raises(ValueError, match=r"strictly between 0 and 1, got .* use 0\.95"):
        Wald(confidence_level=level).estimate(nearly_all_right(), "accuracy")


def test_unknown_sides_and_quantiles_are_refused():
    with pytest.raises(ValueError, match=r"one of \['two-sided', 'greater', 'less'\], got 'both'"):
        Wald(alternative="both").estimate(nearly_all_right(), "accuracy")
    for wrong in ("linear", OrderStatistic, 0):
        with pytest.raises(ValueError, match="quantile must be an object of a QuantileRule"):
            BBC(quantile=wrong).estimate(nearly_all_right(), "accuracy")
    BBC(quantile=OrderStatistic(), n_bootstraps=200).estimate(nearly_all_right(), "accuracy")


def test_a_method_may_ask_for_the_tail_of_another_level():
    assert BBC(confidence_level=0.9)._tail() == pytest.approx(0.05)
    assert BBC(confidence_level=0.9)._tail(0.8) == pytest.approx(0.1)
    assert BBC(confidence_level=0.9, alternative="less")._tail(0.8) == pytest.approx(0.2)


def test_results_say_which_level_and_sides_they_have():
    result = BBC(confidence_level=0.9, alternative="greater")._from_se(0.5, 0.1, ACCURACY)
    assert (result.confidence_level, result.alternative) == (0.9, "greater")
    assert (result.method, result.metric) == ("bbc", "accuracy")


def test_undefined_bounds_are_not_cut():
    for low, high in ((np.nan, 0.5), (0.5, np.nan), (np.nan, np.nan)):
        assert "unclipped" not in BBC()._result(ACCURACY, 0.5, low, high).details
    for low, high in ((-np.inf, 0.5), (0.5, np.inf), (-1.0, 0.5), (0.5, 2.0)):
        assert BBC()._result(ACCURACY, 0.5, low, high).details["unclipped"] == (low, high)
