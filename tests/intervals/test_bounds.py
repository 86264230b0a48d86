"""IntervalRules: nothing beyond the metric's range, and levels that can hardly be meant."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import (
    BBC,
    BayleCV,
    CorrectedT,
    CorrelationAdjusted,
    HierarchicalBootstrap,
    NaiveBootstrap,
    PooledBootstrap,
    Wald,
    holdout_interval,
)
from sklearn_bbc.metrics import Metric, as_metric

ACCURACY = as_metric("accuracy")


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
