"""The published counts in Hanley and McNeil's formula: each deviation on its own."""

import numpy as np
import pytest
from scipy.stats import norm

from benchmarks.published.replication import HanleyMcNeil, RinkCounts
from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import Best, LearnEvaluate, TopShare
from sklearn_bbc.intervals._auc import hanley_mcneil_variance
from tests.intervals.published_simulation import lower_bounds, published


def predictions(n_negative=50, n_positive=450, n_configs=30, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n_negative, n_positive])
    scores = rng.normal(size=(len(y), n_configs)) - 1.5 * (y[:, None] == 0)
    return OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(len(y)) % 10)


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
