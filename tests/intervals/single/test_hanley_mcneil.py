"""Hanley-McNeil: published standard errors, and the published code's deviations one by one."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import expon, norm

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import (
    Best,
    DeLong,
    HanleyMcNeil,
    LearnEvaluate,
    RinkCounts,
    TopShare,
    Wald,
)
from sklearn_bbc.intervals.single._hanley_mcneil import hanley_mcneil_variance

from ..published_simulation import lower_bounds, published


def predictions(n_negative=50, n_positive=450, n_configs=30, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n_negative, n_positive])
    scores = rng.normal(size=(len(y), n_configs)) - 1.5 * (y[:, None] == 0)
    return OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(len(y)) % 10)


@pytest.mark.parametrize(
    ("area", "n_positive", "n_negative", "standard_error"),
    [(0.893, 51, 58, 0.03251), (0.8, 50, 50, 0.0445022), (0.7313686, 41, 72, 0.0512481)],
)
def test_published_standard_errors(area, n_positive, n_negative, standard_error):
    computed = np.sqrt(hanley_mcneil_variance(area, n_positive, n_negative))
    digits = len(str(standard_error)) - 2
    assert computed == pytest.approx(standard_error, abs=0.5001 * 10**-digits)


def test_subarachnoid_haemorrhage_data(shared):
    data = pd.read_csv(shared / "reference" / "pROC_aSAH.csv")
    oof = OOFPredictions(y_true=data["outcome"] == "Poor", y_pred=data["s100b"])
    result = HanleyMcNeil(confidence_level=0.9).estimate(oof, "roc_auc")
    assert result.details["standard_error"] == pytest.approx(0.0512481, abs=5e-8)
    assert result.low == pytest.approx(result.estimate - norm.ppf(0.95) * 0.0512481, abs=1e-7)
    assert (result.details["n_positive"], result.details["n_negative"]) == (41, 72)
    one_sided = HanleyMcNeil(alternative="greater").estimate(oof, "roc_auc")
    assert tuple(one_sided) == (pytest.approx(result.low), 1)


@given(st.floats(0.01, 0.99), st.integers(1, 200), st.integers(1, 200))
def test_variance_is_that_of_the_reversed_problem(area, n_positive, n_negative):
    variance = hanley_mcneil_variance(area, n_positive, n_negative)
    assert 0 < variance <= 0.25 + 1e-9
    assert variance == pytest.approx(hanley_mcneil_variance(1 - area, n_negative, n_positive))


@pytest.mark.parametrize("area", [0.6, 0.8, 0.95])
def test_the_formula_is_the_variance_for_exponential_scores(area):
    # Positive scores with survival exp(-t / s), negative ones with exp(-t): AUC = s / (1 + s).
    rng = np.random.default_rng(0)
    positive = expon.rvs(size=(4000, 30, 1), scale=area / (1 - area), random_state=rng)
    negative = expon.rvs(size=(4000, 1, 20), random_state=rng)
    areas = (positive > negative).mean(axis=(1, 2))
    assert areas.mean() == pytest.approx(area, abs=0.005)
    assert np.var(areas) == pytest.approx(hanley_mcneil_variance(area, 30, 20), rel=0.08)


def test_class_sizes_are_those_of_the_evaluation_part():
    oof = predictions()
    step = LearnEvaluate(TopShare(0.1), random_state=0)
    result = HanleyMcNeil(selection=step, alternative="greater").estimate(oof, "roc_auc")
    details = result.details
    assert result.method == "HM10p"
    assert details["n_positive"] + details["n_negative"] == details["n_evaluate"] == 125
    variance = hanley_mcneil_variance(
        result.estimate, details["n_positive"], details["n_negative"]
    )
    level = 0.95 ** (1 / len(details["candidates"]))
    assert result.low == pytest.approx(result.estimate - norm.ppf(level) * np.sqrt(variance))
    alone = LearnEvaluate(Best(), random_state=0)
    assert HanleyMcNeil(selection=alone).estimate(oof, "roc_auc").method == "HM"


def test_published_counts_give_half_the_standard_error_under_imbalance():
    # 125 evaluated samples of 500, 12 and 113 per class, 96 correctly classified.
    assert np.sqrt(RinkCounts().variance(0.8, 96, 125, 500)) == pytest.approx(0.0285, abs=5e-5)
    assert np.sqrt(hanley_mcneil_variance(0.8, 113, 12)) == pytest.approx(0.0538, abs=5e-5)


def test_each_published_deviation_does_what_it_says():
    oof = predictions()
    step = LearnEvaluate(TopShare(0.1), random_state=0)

    def lower(**deviations):
        method = HanleyMcNeil(
            selection=step, replicate=RinkCounts(**deviations), alternative="greater"
        )
        return method.estimate(oof, "roc_auc")

    published = lower()
    area, n_correct = published.estimate, published.details["n_correct"]
    q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)

    def formula(n_success, n_fail):
        top = area * (1 - area) + (n_success + 1) * (q1 - area**2) + (n_fail - 1) * (q2 - area**2)
        return np.sqrt(top / (n_success * n_fail))

    z = norm.ppf(0.95)
    z_sidak = norm.ppf(0.95 ** (1 / len(published.details["candidates"])))
    assert published.low == pytest.approx(area - z * formula(n_correct, 500 - n_correct))
    of_part = lower(all_samples=False)
    assert of_part.low == pytest.approx(area - z * formula(n_correct, 125 - n_correct))
    with_sidak = lower(sidak=True)
    assert with_sidak.low == pytest.approx(area - z_sidak * formula(n_correct, 500 - n_correct))
    # Nearly all scores exceed a threshold far below them: the positives are the correct ones.
    assert lower(threshold=-100.0).details["n_correct"] == published.details["n_positive"]


def test_published_counts_are_never_the_default():
    oof = predictions()
    step = LearnEvaluate(random_state=0)
    classical = HanleyMcNeil(selection=step, alternative="greater").estimate(oof, "roc_auc")
    published = HanleyMcNeil(selection=step, replicate=RinkCounts(), alternative="greater")
    assert published.estimate(oof, "roc_auc").low > classical.low + 0.005


def test_perfect_ranking_is_marked():
    oof = OOFPredictions(y_true=np.repeat([0, 1], 10), y_pred=np.arange(20.0))
    with pytest.warns(IntervalWarning, match="no spread"):
        result = HanleyMcNeil().estimate(oof, "roc_auc")
    assert tuple(result) == (1, 1)
    assert result.details["degenerate"]


def test_one_sample_per_class_is_enough_none_is_not():
    oof = OOFPredictions(y_true=[0, 1], y_pred=[0.5, 0.5])
    assert HanleyMcNeil().estimate(oof, "roc_auc").estimate == 0.5
    alone = OOFPredictions(y_true=[1, 1], y_pred=[0.5, 0.5], classes=[0, 1])
    with pytest.raises((UndefinedIntervalError, ValueError)):
        HanleyMcNeil().estimate(alone, "roc_auc")


@pytest.mark.parametrize("extra", ["groups", "sample_weight"])
def test_groups_and_weights_are_refused(extra):
    oof = OOFPredictions(y_true=[0, 1] * 5, y_pred=np.arange(10.0), **{extra: np.arange(10)})
    with pytest.raises(ValueError, match=extra):
        HanleyMcNeil().estimate(oof, "roc_auc")


@pytest.mark.parametrize("replicate", ["rink", True, RinkCounts(threshold="0")])
def test_replicate_is_checked(replicate):
    with pytest.raises(ValueError, match=r"RinkCounts|threshold"):
        HanleyMcNeil(replicate=replicate).estimate(predictions(), "roc_auc")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
@pytest.mark.parametrize(("rule", "name"), [(Best(), "HM"), (TopShare(0.1), "HM10p")])
@pytest.mark.parametrize("balance", [0.1, 0.5])
def test_published_counts_give_the_published_bounds(shared, rule, name, balance):
    setting = (24, 6, 500, 100, balance)
    method = HanleyMcNeil(selection=LearnEvaluate(rule), alternative="greater")
    classical, _ = lower_bounds(method, setting, 200)
    method.set_params(selection__auto_direction=True, replicate=RinkCounts())
    bound, inclusion = lower_bounds(method, setting, 200)
    expected_bound, expected_inclusion = published(shared, setting, name)
    assert bound == pytest.approx(expected_bound, abs=0.012)
    assert inclusion == pytest.approx(expected_inclusion, abs=0.15)
    assert classical < bound - 0.004


def test_replicated_counts_without_a_right_one_say_why_there_is_no_bound():
    y = np.repeat([0, 1], 10)
    scores = np.where(y == 1, -1.0, 1.0) * np.linspace(1, 2, 20)  # all on the wrong side
    method = HanleyMcNeil(replicate=RinkCounts())
    with pytest.warns(IntervalWarning, match="no spread"):
        result = method.estimate(OOFPredictions(y_true=y, y_pred=scores), "roc_auc")
    assert np.isnan(result.low)
    assert "0 right ones of 20" in result.details["reason"]


@pytest.mark.parametrize(
    "method", [HanleyMcNeil(), HanleyMcNeil(replicate=RinkCounts()), DeLong(), Wald()], ids=str
)
def test_a_repeat_without_a_class_is_named(method):
    y = np.tile([0, 1], 20)
    fold = np.stack([np.arange(40) // 8, np.arange(40) // 8 + 5])
    fold[1, y == 1] = -1  # the second repeat tests one class only
    scores = np.random.default_rng(0).normal(size=(2, 40, 1)) + y[:, None]
    oof = OOFPredictions(y_true=y, y_pred=scores, fold=fold)
    with pytest.raises(UndefinedIntervalError, match="repeat 1 has only samples of class 0"):
        method.estimate(oof, "roc_auc")
