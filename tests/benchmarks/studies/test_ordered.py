"""Series of the study of ordered samples have the truths that they say they have."""

import numpy as np
import pytest

from benchmarks.studies import ordered
from benchmarks.studies.ordered import METHODS, SETTINGS, Series, draw, losses


@pytest.mark.parametrize("rho", [0.0, 0.6])
def test_losses_have_the_mean_the_spread_and_the_correlation(rho):
    values, truth = losses(Series("AR(1)", rho, 40_000), np.random.default_rng(0))
    assert truth == 10
    assert values.mean() == pytest.approx(10, abs=0.03)
    assert values.std() == pytest.approx(1, abs=0.02)
    assert np.corrcoef(values[1:, 0], values[:-1, 0])[0, 1] == pytest.approx(rho, abs=0.02)
    assert np.corrcoef(values[:, 0], values[:, 1])[0, 1] == pytest.approx(0.5, abs=0.03)


def test_a_change_has_the_mean_after_it():
    values, truth = losses(Series("change", 0.0, 40_000), np.random.default_rng(0))
    assert values[28_000:].mean() == pytest.approx(truth, abs=0.02)


@pytest.mark.parametrize("setting", ["AR(1)0.6_N200", "forecasts0_N200"])
def test_every_method_runs_on_a_data_set(setting, monkeypatch):
    monkeypatch.setattr(ordered, "N_TRAINED_LAGS", (1, 2))
    monkeypatch.setattr(ordered, "ROUNDS", (3,))
    (part,) = draw(SETTINGS[setting], np.random.SeedSequence(1), 0)
    assert set(part.intervals) == set(METHODS)
    results = {name: run(60, 0) for name, run in part.intervals.items()}
    assert all(result.low < result.estimate < result.high for result in results.values())
    single, blocks = results["BBC, single samples"], results["BBC, blocks"]
    assert single.details["unit"] == "sample"
    assert blocks.details["unit"] == "block"
    if setting.startswith("AR"):
        assert blocks.width > single.width
