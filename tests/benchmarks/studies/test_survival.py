"""The study of censored times: all parts are there, truths are those of plain computations."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.metrics import brier_score_loss, roc_auc_score

from benchmarks.data import censored
from benchmarks.studies import survival
from benchmarks.timing import survival_times


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(survival, "N_TRUTH", 4000)
    survival.truth.cache_clear()
    yield
    survival.truth.cache_clear()


@pytest.fixture
def patients(monkeypatch):
    """A real data set in small."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    when, end = rng.exponential(np.exp(-X[:, 0])), rng.exponential(2.0, 400)
    y = np.column_stack([when <= end, np.minimum(when, end)]).astype(float)
    monkeypatch.setattr(censored, "load", lambda name: (X, y))
    return X, y


@pytest.mark.parametrize("name", ["censored0.4_N100_C8", "flchain_N100"])
def test_every_part_is_announced_and_every_method_gives_an_interval(name, patients):
    setting = survival.SETTINGS[name]
    found = list(survival.draw(setting, np.random.SeedSequence(3), 0))
    pairs = [(part.name, method) for part in found for method in part.intervals]
    assert pairs == survival.parts(setting)
    for part in found:
        each, whole = (interval(30, 0) for interval in part.intervals.values())
        assert part.truths["truth"] in each and part.truths["truth"] in whole
        assert each.details["n_configs"] == setting.describe()["C"]
        is_brier = "Brier" in part.name
        assert (each.details["kernel"] != whole.details["kernel"]) == is_brier


@pytest.mark.parametrize("share", survival.RATES)
def test_as_many_are_censored_as_it_says_and_a_quarter_is_followed_beyond(share):
    setting = survival.Censored(share, 20_000, 1)
    at, y, predictions, _ = survival.generated(setting, np.random.default_rng(1))
    assert 1 - y[:, 0].mean() == pytest.approx(share, abs=0.015)
    assert (y[:, 1] > at).mean() == pytest.approx(0.25, abs=0.015)
    assert predictions["integrated Brier score"].shape == (1, 20_000, 4)


def test_the_truth_is_that_without_censoring():
    at, known = survival.truth(0.4)
    rng = np.random.Generator(np.random.PCG64(0))
    survival.times_and_risks(rng, survival.N_TIME, 1)
    rng.exponential(1, survival.N_TIME)
    when, (risk,) = survival.times_and_risks(rng, 4000, 1)
    losses = []
    for time in at * survival.STEPS:
        losses.append(brier_score_loss(when > time, np.exp(-time * np.exp(risk))))
    assert known["Brier score"] == pytest.approx(-losses[-1])
    integral = np.trapezoid(losses, survival.STEPS) / np.ptp(survival.STEPS)
    assert known["integrated Brier score"] == pytest.approx(-integral)
    assert known["AUC"] == pytest.approx(roc_auc_score(when <= at, risk))


def test_patients_are_predicted_by_models_of_other_folds(patients):
    X, y = patients
    setting = survival.SETTINGS["support_N100"]
    at, drawn, predictions, _ = survival.tuned(setting, np.random.default_rng(2))
    order = np.random.default_rng(2).permutation(400)
    inside = order[:100]
    np.testing.assert_array_equal(drawn, y[inside])
    test = np.arange(100) % survival.N_FOLDS == 3
    model = censored.RidgeCox(*survival.MODELS[7]).fit(X[inside][~test], y[inside][~test])
    np.testing.assert_allclose(
        predictions["AUC"][7, test], model.predict(X[inside][test]), rtol=1e-12
    )
    chance = model.surviving(X[inside][test], np.array([at]))[:, 0]
    np.testing.assert_allclose(predictions["Brier score"][7, test], chance, rtol=1e-12)


def test_the_model_is_coxs():
    """Without ties its coefficients maximise the penalised partial likelihood."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    when = rng.exponential(np.exp(-X[:, 0]))
    y = np.column_stack([norm.cdf(rng.normal(size=80)) < 0.7, when]).astype(float)
    model = censored.RidgeCox(2.0, False).fit(X, y)

    def likelihood(coef):
        hazard = np.exp(X @ coef)
        total = [hazard[when >= time].sum() for time in when]
        return (y[:, 0] * (X @ coef - np.log(total))).sum() - coef @ coef

    best = likelihood(model.coef_)
    for step in 1e-3 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]):
        assert likelihood(model.coef_ + step) < best
    times = np.quantile(when, [0.2, 0.7])
    hazard = [
        sum(event / np.exp(X @ model.coef_)[when >= time].sum()
            for event, time in zip(y[:, 0], when) if time <= at)
        for at in times
    ]  # fmt: skip
    expected = np.exp(-np.outer(np.exp(X @ model.coef_), hazard))
    np.testing.assert_allclose(model.surviving(X, times), expected, rtol=1e-10)


@pytest.mark.parametrize("what", survival_times.LIMITS)
def test_metrics_are_timed(what):
    for weights in survival_times.WEIGHTS:
        assert survival_times.time_metric(what, weights, 60, 3, 20) > 0
    pytest.importorskip("sksurv", reason="scikit-survival is optional")
    assert survival_times.time_loop(what, 60, 3, 20, 0.01) > 0


def test_the_table_says_what_is_within_its_limit():
    row = survival_times.row(
        "AUC at a time", "each draw", (500, 60, 2000), [50.0], {"NumPy": [2.0, 0.5, 0.4]}
    )
    assert (row["NumPy, s"], row["loop / NumPy"], row["within"]) == (0.5, 100.0, "yes")
    late = survival_times.row("AUC at a time", "each draw", (1, 1, 1), [1.0], {"NumPy": [1.1]})
    assert late["within"] == "no"
    assert pd.isna(survival_times.row(
        "AUC, mean of 4 times", "each draw", (1, 1, 1), [1.0], {"NumPy": [1.1]}
    )["limit, s"])  # fmt: skip
