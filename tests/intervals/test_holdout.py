"""holdout_interval: published examples, choice of the formula, groups, pairs, seeds, losses."""

import csv

import numpy as np
import pytest
from sklearn.metrics import f1_score, fbeta_score, make_scorer

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import DeLong, Takahashi, Wald, holdout_interval
from tests.intervals.holdout_cases import LABELS, SCORES, Y


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


@pytest.mark.long
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


@pytest.mark.parametrize(
    ("scoring", "y_pred", "other"),
    [
        ("matthews_corrcoef", LABELS, None),
        ("neg_brier_score", LABELS * 0.5, None),
        (make_scorer(fbeta_score, beta=2), LABELS, None),
        (make_scorer(f1_score, labels=[1]), LABELS, None),
        ("accuracy", LABELS, 1 - LABELS),
    ],
)
def test_auto_draws_where_no_formula_is_known(scoring, y_pred, other):
    result = holdout_interval(
        Y, y_pred, scoring, y_pred_other=other, n_bootstraps=50, random_state=0
    )
    assert result.method == "percentile_bootstrap" and result.low < result.estimate < result.high
