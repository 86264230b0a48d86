"""The study of learning curves: its truths, its intervals, and a small part of it."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t

from benchmarks.data import learning as data
from benchmarks.studies import learning

RARE = learning.SETTINGS["LDA_N100"]


@pytest.fixture(autouse=True)
def few_models(monkeypatch):
    monkeypatch.setattr(data, "POPULATION", 2000)
    monkeypatch.setattr(learning, "N_MODELS", 30)
    data.population.cache_clear()
    learning.truths.cache_clear()
    yield
    data.population.cache_clear()
    learning.truths.cache_clear()


def drawn(setting, seed=0):
    return list(learning.draw(setting, np.random.SeedSequence(seed), 1))


def test_every_part_is_announced_and_its_intervals_are_of_one_curve():
    parts = drawn(RARE)
    announced = learning.parts(RARE)
    assert [(part.name, method) for part in parts for method in part.intervals] == announced
    first = parts[0]
    estimates = {method: run(0, 0).estimate for method, run in first.intervals.items()}
    assert len(set(np.round(list(estimates.values()), 12))) == 1
    low, high = first.intervals[learning.CORRECTED](0, 0)
    narrow, plain = (first.intervals[m](0, 0) for m in (learning.WHOLE_FOLDS, learning.PLAIN))
    assert high - low > narrow.high - narrow.low > plain.high - plain.low
    whole = parts[3]
    assert whole.name == "roc_auc, 100%"
    # At the largest size the ratio is that of the whole folds.
    assert tuple(whole.intervals[learning.CORRECTED](0, 0)) == pytest.approx(
        tuple(whole.intervals[learning.WHOLE_FOLDS](0, 0)), abs=1e-12
    )


def test_the_truth_of_a_size_is_that_of_models_trained_on_it():
    sizes = [*RARE.sizes.values(), *RARE.farther.values()]
    assert sizes == [16, 32, 56, 80, 160, 320]
    found = [learning.truths(RARE, size, 1)["roc_auc"] for size in sizes]
    assert found == sorted(found), "more data are better"
    best = norm.cdf(RARE.source.distance / np.sqrt(2))
    assert best - 0.03 < learning.truths(RARE, 2000, 1)["roc_auc"] < best + 0.03


def test_a_t_interval_by_hand():
    scores = np.array([0.6, 0.7, 0.8])
    half = t.ppf(0.975, 2) * 0.1 * np.sqrt(1 / 3 + 0.25)
    found = learning.t_interval(scores, 0.25)
    assert tuple(found) == pytest.approx((0.7 - half, min(1, 0.7 + half)))
    assert learning.t_interval(np.array([0.9, 1.0, 1.0]), 1.0).high == 1


def test_the_error_of_a_method_is_that_of_its_rows():
    found = pd.DataFrame(
        {
            "setting": "tree_N100", "part": ["a", "a", "b", "b"], "method": "fitted curve",
            "estimate": [0.5, 0.7, 0.9, 0.9], "low": 0.5, "high": 0.5, "truth": 0.6,
        }
    )  # fmt: skip
    table = learning.with_error(learning.LEARNING, found)
    assert table["rmse"].tolist() == pytest.approx([0.1, 0.3])
    assert table["bias"].tolist() == pytest.approx([0.0, 0.3])
