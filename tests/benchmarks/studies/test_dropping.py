"""The study of dropping: its replay is what a search does, and its facts are about the winner."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.data import settings
from benchmarks.studies import dropping
from sklearn_bbc import BBCSearchCV
from sklearn_bbc.search import DropClearlyWorse

SEED = np.random.SeedSequence(5, spawn_key=(0, 0))


@pytest.fixture
def small(monkeypatch):
    """Six models, and few samples behind the truth."""
    few = dropping.configurations()[::4]
    monkeypatch.setattr(dropping, "configurations", lambda: few)
    monkeypatch.setattr(settings, "POPULATION", 300)
    settings.population.cache_clear()
    yield dropping._generated("small", 120, signal=3.0)
    settings.population.cache_clear()


def test_every_method_is_announced_and_runs(small):
    found = {}
    for part in dropping.draw(small, SEED, 1):
        (method,) = part.intervals
        found[part.name, method] = part.truths
        result = part.intervals[method](60, 0)
        assert result.low < result.high
        assert set(part.truths) == {"truth", *dropping.FACTS}
    assert set(found) == set(small.parts())
    for metric in dropping.METRICS:
        full, dropped = found[metric, dropping.EVERYTHING], found[metric, dropping.DROPPED]
        assert full["fits"] == full["same"] == 1 and full["price"] == 0
        assert 0.1 <= dropped["fits"] <= 1
        assert dropped["truth"] + dropped["price"] == pytest.approx(full["truth"])
    assert found["roc_auc", dropping.HALVED]["fits"] < 1


def test_the_replay_is_what_a_search_does(small):
    tuned, (X, y, splitter) = small.draw(SEED, 1)
    for metric in ("roc_auc", "balanced_accuracy"):
        search = BBCSearchCV(
            dropping.Numbered(),
            {"number": list(range(len(dropping.configurations())))},
            scoring=metric,
            cv=splitter,
            ci=[],
            drop=DropClearlyWorse(random_state=0),
        ).fit(X, y)
        replayed = DropClearlyWorse(random_state=0).replay(tuned.predictions(metric), metric)
        np.testing.assert_array_equal(search.cv_results_["n_splits_done"], replayed)
        assert replayed.min() < dropping.N_FOLDS


def test_the_table_has_means_over_data_sets():
    rows = [
        {
            "setting": "null_200", "repetition": r, "part": "roc_auc", "method": "dropping",
            "estimate": 0.5, "low": 0.4, "high": 0.6, "truth": 0.5, "fits": fits,
            "best_score": 0.55, "same": same, "price": price, "seconds": 0.1,
        }
        for r, (fits, same, price) in enumerate([(0.5, 1.0, 0.0), (0.7, 0.0, 0.02)])
    ]  # fmt: skip
    (row,) = dropping.summarise(dropping.DROPPING, pd.DataFrame(rows)).to_dict("records")
    assert row["coverage"] == 1 and row["runs"] == 2 and row["data"] == "null"
    assert row["fits"] == pytest.approx(0.6) and row["optimism"] == pytest.approx(0.05)
    assert row["same"] == 0.5 and row["price"] == pytest.approx(0.01)
    assert row["price_se"] == pytest.approx(0.01)
