"""Hanley-McNeil: published standard errors, simulated variances, what is refused."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import expon, norm

from benchmarks.published.replication import HanleyMcNeil as Replicating
from benchmarks.published.replication import RinkCounts
from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import (
    DeLong,
    HanleyMcNeil,
    Wald,
)
from sklearn_bbc.intervals._auc import hanley_mcneil_variance


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


@pytest.mark.parametrize("area", [0.6, 0.8, 0.95])
def test_the_formula_is_the_variance_for_exponential_scores(area):
    # Positive scores with survival exp(-t / s), negative ones with exp(-t): AUC = s / (1 + s).
    rng = np.random.default_rng(0)
    positive = expon.rvs(size=(4000, 30, 1), scale=area / (1 - area), random_state=rng)
    negative = expon.rvs(size=(4000, 1, 20), random_state=rng)
    areas = (positive > negative).mean(axis=(1, 2))
    assert areas.mean() == pytest.approx(area, abs=0.005)
    assert np.var(areas) == pytest.approx(hanley_mcneil_variance(area, 30, 20), rel=0.08)


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
    untested = OOFPredictions(y_true=[1, 1, 0], y_pred=[0.5, 0.5, 0.5], fold=[0, 0, -1])
    for oof in (alone, untested):
        with pytest.raises(UndefinedIntervalError, match="every sample is of class 1"):
            HanleyMcNeil().estimate(oof, "roc_auc")


@pytest.mark.parametrize(
    "method", [HanleyMcNeil(), Replicating(replicate=RinkCounts()), DeLong(), Wald()], ids=str
)
def test_a_repeat_without_a_class_is_named(method):
    y = np.tile([0, 1], 20)
    fold = np.stack([np.arange(40) // 8, np.arange(40) // 8 + 5])
    fold[1, y == 1] = -1  # the second repeat tests one class only
    scores = np.random.default_rng(0).normal(size=(2, 40, 1)) + y[:, None]
    oof = OOFPredictions(y_true=y, y_pred=scores, fold=fold)
    with pytest.raises(UndefinedIntervalError, match="repeat 1 has only samples of class 0"):
        method.estimate(oof, "roc_auc")
