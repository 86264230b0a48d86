"""DeLong's interval: published values, what its winner is worth, perfect rankings."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from benchmarks.published.replication import LearnEvaluate
from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import Best, DeLong, TopShare
from sklearn_bbc.metrics import as_metric

from ..published_simulation import lower_bounds, published

SMALL = OOFPredictions(
    y_true=[0, 0, 0, 1, 1, 1],
    y_pred=np.array([[0.1, 0.4, 0.35, 0.8, 0.4, 0.9], [0.5, 0.2, 0.3, 0.6, 0.7, 0.25]]).T,
)


def normal_scores(n_samples=200, n_configs=20, seed=0, auc_shift=1.0, n_folds=5):
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 2
    scores = rng.normal(size=(n_samples, n_configs)) + auc_shift * y[:, None]
    return OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(n_samples) // 2 % n_folds)


@pytest.mark.parametrize(
    ("config", "area", "variance", "low"),
    [(0, 0.9444444444, 0.0061728395, 0.8152125), (1, 0.7777777778, 0.0617283951, 0.3691106)],
)
def test_values_of_pROC_on_six_samples(config, area, variance, low):
    result = DeLong(config=config, confidence_level=0.9).estimate(SMALL, "roc_auc")
    assert result.estimate == pytest.approx(area, abs=1e-10)
    assert result.details["standard_error"] ** 2 == pytest.approx(variance, abs=1e-10)
    assert result.low == pytest.approx(low, abs=5e-8)
    assert result.high == 1
    assert result.details["unclipped"][1] > 1


@pytest.mark.parametrize(
    ("marker", "area", "low", "high"),
    [
        ("s100b", 0.7313686, 0.6301182, 0.8326189),
        ("wfns", 0.8236789, 0.7485349, 0.8988228),
        ("ndka", 0.6119580, 0.5012450, 0.7226710),
    ],
)
def test_values_of_pROC_on_the_subarachnoid_haemorrhage_data(shared, marker, area, low, high):
    data = pd.read_csv(shared / "reference" / "pROC_aSAH.csv")
    oof = OOFPredictions(y_true=data["outcome"] == "Poor", y_pred=data[marker].astype(float))
    result = DeLong().estimate(oof, "roc_auc")
    np.testing.assert_allclose(
        [result.estimate, result.low, result.high], [area, low, high], atol=6e-8
    )
    one_sided = DeLong(alternative="greater").estimate(oof, "roc_auc")
    assert one_sided.low == DeLong(confidence_level=0.9).estimate(oof, "roc_auc").low
    assert one_sided.high == 1


def test_the_winner_of_many_coin_flips_is_believed_by_delong_and_not_after_a_split():
    low = {"pooled": [], "split": []}
    for seed in range(20):
        oof = normal_scores(n_configs=50, seed=seed, auc_shift=0.0)
        low["pooled"].append(DeLong(alternative="greater").estimate(oof, "roc_auc").low)
        split = DeLong(selection=LearnEvaluate(Best(), random_state=seed), alternative="greater")
        low["split"].append(split.estimate(oof, "roc_auc").low)
    assert np.mean(np.array(low["pooled"]) > 0.5) > 0.7
    assert np.mean(np.array(low["split"]) > 0.5) < 0.2


@pytest.mark.parametrize(("rule", "method"), [(Best(), "DL"), (TopShare(0.1), "DL10p")])
def test_after_a_split_the_interval_is_that_of_the_evaluation_part(rule, method):
    oof = normal_scores()
    step = LearnEvaluate(rule, random_state=3)
    result = DeLong(selection=step, alternative="greater").estimate(oof, "roc_auc")
    config, candidates = result.details["config"], result.details["candidates"]
    assert result.method == method
    assert "split" in result.estimand
    evaluate = step.select(as_metric("roc_auc").bind(oof)).evaluate
    level = 0.95 ** (1 / len(candidates))
    alone = OOFPredictions(
        y_true=oof.y_true[evaluate], y_pred=oof.matrix("roc_auc")[evaluate, config]
    )
    expected = DeLong(alternative="greater", confidence_level=level).estimate(alone, "roc_auc")
    assert (result.estimate, result.low) == (expected.estimate, expected.low)
    assert result.confidence_level == 0.95
    assert result.details["adjusted_level"] == pytest.approx(level)
    assert result.details["n_evaluate"] == evaluate.sum() == 50


def test_perfect_ranking_is_marked():
    oof = OOFPredictions(y_true=np.repeat([0, 1], 10), y_pred=np.arange(20.0))
    with pytest.warns(IntervalWarning, match="certainly wrong"):
        result = DeLong().estimate(oof, "roc_auc")
    assert tuple(result) == (1, 1)
    assert result.details["degenerate"]
    with pytest.warns(IntervalWarning):
        result = DeLong(logit=True).estimate(oof, "roc_auc")
    assert np.isnan([result.low, result.high]).all()
    assert "infinite" in result.details["reason"]


def test_groups_are_the_units():
    rng = np.random.default_rng(0)
    y = np.tile([0, 1, 1, 0], 30)
    score = np.repeat(rng.normal(size=40), 3) + y
    grouped = DeLong().estimate(
        OOFPredictions(y_true=y, y_pred=score, groups=np.repeat(np.arange(40), 3)), "roc_auc"
    )
    single = OOFPredictions(y_true=y, y_pred=score, groups=np.arange(120))
    plain = DeLong().estimate(OOFPredictions(y_true=y, y_pred=score), "roc_auc")
    assert grouped.details["unit"] == "group"
    assert grouped.details["standard_error"] != plain.details["standard_error"]
    assert tuple(DeLong().estimate(single, "roc_auc")) == pytest.approx(tuple(plain))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "rule", "name", "tolerance"),
    [
        ((24, 6, 500, 100, 0.5), Best(), "DL", 0.01),
        ((24, 6, 500, 100, 0.5), TopShare(0.1), "DL10p", 0.01),
        ((24, 6, 500, 100, 0.1), Best(), "DL", 0.02),
        ((9, 6, 50, 500, 0.5), TopShare(0.1), "DL10p", 0.02),
    ],
)
def test_bounds_of_the_published_simulation(shared, setting, rule, name, tolerance):
    step = LearnEvaluate(rule, auto_direction=True)
    method = DeLong(selection=step, alternative="greater")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bound, inclusion = lower_bounds(method, setting, 200)
    expected_bound, expected_inclusion = published(shared, setting, name)
    assert bound == pytest.approx(expected_bound, abs=tolerance)
    assert inclusion == pytest.approx(expected_inclusion, abs=0.15)
    if setting[2] == 50:  # 13 evaluated samples, best of 50: nearly always perfect
        assert bound > 0.95
        assert inclusion < 0.1


def test_a_difference_without_variance_is_marked():
    """A perfect ranking against a constant: both areas are known to have variance 0."""
    y = np.tile([0, 1], 10)
    pair = OOFPredictions(y_true=y, y_pred=np.stack([y + 0.0, np.zeros(20)], axis=1))
    for first, second, difference, p_value in ((0, 1, 0.5, 0.0), (1, 0, -0.5, 0.0)):
        with pytest.warns(IntervalWarning, match="No spread can be seen around a difference"):
            result = DeLong().difference(pair, "roc_auc", first, second)
        assert tuple(result) == (difference, difference) and result.details["degenerate"]
        assert result.details["p_value"] == p_value
        assert result.details["statistic"] == np.copysign(np.inf, difference)
    equal = OOFPredictions(y_true=y, y_pred=np.stack([np.arange(20) % 7] * 2, axis=1) * 1.0)
    result = DeLong().difference(equal, "roc_auc")  # without a warning
    assert result.details["p_value"] == 1 and result.details["statistic"] == 0
    assert result.details["notes"][0].startswith("Both sides score the same everywhere")


def placements(y, scores):
    """Share of the other class that each sample is ranked rightly against, by all pairs."""
    right = (scores[:, None] > scores) + 0.5 * (scores[:, None] == scores)
    return [(1 - right)[y == 0][:, y == 1].mean(axis=1), right[y == 1][:, y == 0].mean(axis=1)]


@pytest.mark.parametrize("first", [0, 1])
def test_a_difference_is_that_of_the_areas_with_delongs_variance(first):
    """The spread of the differences of the placements within each class, by hand."""
    rng = np.random.default_rng(3)
    y = np.arange(40) % 2
    scores = rng.normal(size=(40, 2)) * [1, 2] + y[:, None] * [1.0, 0.6]
    pair = OOFPredictions(y_true=y, y_pred=scores)
    of_first, of_second = (placements(y, scores[:, k]) for k in (first, 1 - first))
    gaps = [one - other for one, other in zip(of_first, of_second)]
    error = np.sqrt(sum(np.var(gap, ddof=1) / len(gap) for gap in gaps))
    difference = gaps[1].mean()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = DeLong(confidence_level=0.8).difference(pair, "roc_auc", first, 1 - first)
    assert 0 < error < 1 and result.estimate == pytest.approx(difference)
    half = norm.ppf(0.9) * error
    assert tuple(result) == pytest.approx((difference - half, difference + half))
    details = result.details
    assert details["standard_error"] == pytest.approx(error)
    assert details["statistic"] == pytest.approx(difference / error)
    assert details["p_value"] == pytest.approx(2 * norm.sf(abs(difference / error)))
    expected = [roc_auc_score(y, scores[:, k]) for k in (first, 1 - first)]
    assert details["scores"] == pytest.approx(expected, rel=1e-12)
    assert details["unit"] == "sample" and not details.get("degenerate") and not details["notes"]
