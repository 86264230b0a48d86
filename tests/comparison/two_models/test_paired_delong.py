"""DeLong's paired test: published values of pROC, and placements by brute force."""

import csv

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import PairedDeLong, Side
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import DeLong

RNG = np.random.default_rng(0)
Y = np.arange(80) % 2
SCORES = np.round(RNG.normal(size=(80, 2)) + Y[:, None] * [1.2, 0.7], 1)  # with ties


def compared(y=Y, scores=SCORES, fields=None, **params):
    oof = OOFPredictions(y_true=y, y_pred=scores, **(fields or {}))
    sides = Side(oof=oof, config=0), Side(oof=oof, config=1)
    return PairedDeLong(**params).compare(*sides, "roc_auc")


def by_placements(y, scores):
    """Areas and standard error of their difference from all pairs of samples."""
    positive, negative = scores[y == 1], scores[y == 0]
    wins = (positive[:, None] > negative[None]) + 0.5 * (positive[:, None] == negative[None])
    areas = wins.mean(axis=(0, 1))
    of_positive = wins.mean(axis=1) @ [1, -1]
    of_negative = wins.mean(axis=0) @ [1, -1]
    variance = of_positive.var(ddof=1) / len(positive) + of_negative.var(ddof=1) / len(negative)
    return areas, np.sqrt(variance)


@pytest.fixture
def asah(shared):
    with open(shared / "reference" / "pROC_aSAH.csv") as file:
        rows = list(csv.DictReader(file))
    y = np.array([row["outcome"] == "Poor" for row in rows]).astype(int)
    return y, {name: [float(row[name]) for row in rows] for name in ("s100b", "wfns", "ndka")}


def test_the_published_values_of_pROC(asah):
    y, markers = asah
    result = compared(y, np.array([markers["s100b"], markers["wfns"]]).T)
    assert result.statistic == pytest.approx(-2.209, abs=5e-4)
    assert result.p_value == pytest.approx(0.02718, abs=5e-6)
    assert result.details["scores"] == pytest.approx([0.7313686, 0.8236789], abs=5e-8)
    assert (result.details["n_positive"], result.details["n_negative"]) == (41, 72)


@pytest.mark.parametrize("pair", [("s100b", "ndka"), ("ndka", "wfns"), ("s100b", "wfns")])
def test_all_pairs_of_markers_by_placements(asah, pair):
    y, markers = asah
    scores = np.array([markers[name] for name in pair]).T
    areas, error = by_placements(y, scores)
    result = compared(y, scores)
    assert result.difference == pytest.approx(areas[0] - areas[1], abs=1e-10)
    assert result.statistic == pytest.approx((areas[0] - areas[1]) / error, abs=1e-10)
    assert result.p_value == pytest.approx(2 * norm.sf(abs(result.statistic)), abs=1e-10)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_sides_and_levels_by_placements(alternative):
    areas, error = by_placements(Y, SCORES)
    result = compared(alternative=alternative, confidence_level=0.9)
    z = (areas[0] - areas[1]) / error
    expected = {"two-sided": 2 * norm.sf(abs(z)), "greater": norm.sf(z), "less": norm.cdf(z)}
    assert result.p_value == pytest.approx(expected[alternative])
    half = norm.ppf(0.95 if alternative == "two-sided" else 0.9) * error
    low, high = areas[0] - areas[1] - half, areas[0] - areas[1] + half
    assert tuple(result) == pytest.approx(
        {"two-sided": (low, high), "greater": (low, 1), "less": (-1, high)}[alternative]
    )


@pytest.mark.parametrize(
    "fields", [{}, {"groups": np.arange(80) // 4}, {"sample_weight": 1.0 + np.arange(80) % 3}]
)
def test_it_is_the_paired_form_of_delong(fields):
    result = compared(fields=fields)
    oof = OOFPredictions(y_true=Y, y_pred=SCORES, **fields)
    expected = DeLong().difference(oof, "roc_auc")
    assert tuple(result) == pytest.approx(tuple(expected))
    assert result.p_value == pytest.approx(expected.details["p_value"])
    assert result.details["unit"] == expected.details["unit"]
    weight = fields.get("sample_weight")
    scores = [roc_auc_score(Y, SCORES[:, k], sample_weight=weight) for k in (0, 1)]
    assert result.details["scores"] == pytest.approx(scores)


def test_samples_that_occur_twice_are_no_news_to_groups():
    twice = {"groups": np.tile(np.arange(80), 2)}
    result = compared(np.tile(Y, 2), np.tile(SCORES, (2, 1)), twice)
    once = compared()
    assert result.difference == pytest.approx(once.difference)
    assert result.details["standard_error"] == pytest.approx(
        once.details["standard_error"], rel=1e-9
    )


def test_a_perfect_ranking_against_a_constant_is_marked():
    with pytest.warns(IntervalWarning, match="PairedDeLong: The difference is the same every"):
        result = compared(scores=np.stack([Y + 0.0, np.zeros(80)], axis=1))
    assert tuple(result) == (0.5, 0.5) and result.p_value == 0 and result.details["degenerate"]


def test_equal_rankings_do_not_differ():
    result = compared(scores=np.stack([SCORES[:, 0], np.exp(SCORES[:, 0])], axis=1))
    assert result.p_value == 1 and tuple(result) == (0, 0)
    assert "no difference to test" in result.details["notes"][-1]


def test_data_that_cannot_support_it():
    with pytest.raises(UndefinedIntervalError, match="PairedDeLong needs at least 2 samples"):
        compared(y=(np.arange(80) == 3).astype(int))
    oof = OOFPredictions(y_true=Y, y_pred=(SCORES > 0.5).astype(int))
    with pytest.raises(ValueError, match="for the area under the whole ROC curve"):
        PairedDeLong().compare(Side(oof=oof, config=0), Side(oof=oof, config=1), "accuracy")
