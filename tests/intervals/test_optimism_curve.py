"""Optimism by the number of configurations: what BBC says of each subset, and what grows."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC, optimism_curve
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.predictions._predictions import taken
from sklearn_bbc.testing import example_predictions
from tests.made import made


def coin_flips(n_configs=60, n=80, **fields):
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], n // 2)
    given = {"y_pred": rng.normal(size=(n, n_configs)), "fold": np.arange(n) % 5, **fields}
    return made(y_true=y, **given)


@pytest.mark.parametrize("scoring", ["roc_auc", "accuracy", "neg_log_loss"])
def test_all_configurations_together_are_bbc(scoring):
    oof = example_predictions()
    curve = optimism_curve(oof, scoring, method=BBC(n_bootstraps=100, random_state=3))
    expected = BBC(n_bootstraps=100, random_state=3).estimate(oof, scoring)
    assert curve.corrected[-1, 0] == pytest.approx(expected.estimate, abs=1e-12)
    assert curve.best[-1, 0] == as_metric(scoring).bind(oof).on_data().max()
    assert np.isnan(curve.corrected[-1, 1:]).all(), "there is one set of all configurations"


def test_single_configurations_are_bbc_of_each():
    oof = example_predictions()
    curve = optimism_curve(oof, "roc_auc", method=BBC(n_bootstraps=100, random_state=3))
    assert curve.sizes[0] == 1
    for config in range(oof.n_configs):
        alone = taken(oof, configs=np.array([config]))
        expected = BBC(n_bootstraps=100, random_state=3).estimate(alone, "roc_auc")
        assert curve.corrected[0, config] == pytest.approx(expected.estimate, abs=1e-12)
        assert curve.best[0, config] == as_metric("roc_auc").bind(oof).on_data()[config]


def test_a_subset_in_between_is_one_that_bbc_knows():
    oof = example_predictions()
    curve = optimism_curve(
        oof, "roc_auc", sizes=[3], n_subsets=5, method=BBC(n_bootstraps=60, random_state=1)
    )
    possible = []
    for left_out in range(4):
        part = taken(oof, configs=np.array([k for k in range(4) if k != left_out]))
        result = BBC(n_bootstraps=60, random_state=1).estimate(part, "roc_auc")
        possible.append(result.estimate)
    for found in curve.corrected[0]:
        assert min(abs(found - each) for each in possible) < 1e-12


def test_the_best_of_coin_flips_rises_and_the_corrected_does_not():
    frame = optimism_curve(
        coin_flips(), "roc_auc", method=BBC(n_bootstraps=200, random_state=0)
    ).frame()
    assert frame["best"].is_monotonic_increasing and frame["best"].iloc[-1] > 0.6
    assert (frame["corrected"] - 0.5).abs().max() < 0.05
    assert frame["optimism"].iloc[0] == pytest.approx(0, abs=0.02)
    assert (frame["best_low"] <= frame["best"]).all()
    assert (frame["best"] <= frame["best_high"]).all()


def test_configurations_without_a_score_are_left_out():
    pred = np.random.default_rng(0).normal(size=(80, 6))
    pred[:, 2] = np.nan
    oof = coin_flips(y_pred=pred)
    curve = optimism_curve(oof, "roc_auc", method=BBC(n_bootstraps=30, random_state=0))
    assert curve.sizes[-1] == 5 and curve.frame()["n_subsets"].iloc[0] == 5


def test_more_configurations_than_there_are():
    with pytest.raises(ValueError, match=r"integers from 1 to 60, .* got 61"):
        optimism_curve(coin_flips(), "roc_auc", sizes=[61])


def test_no_metric_and_hopeless_data_are_refused():
    with pytest.raises(ValueError, match="scoring must be given"):
        optimism_curve(coin_flips(), None)
    y = np.zeros(40, dtype=int)
    y[0] = 1
    oof = OOFPredictions(y_true=y, y_pred=np.random.default_rng(0).normal(size=(40, 3)))
    with pytest.raises(UndefinedIntervalError):
        optimism_curve(oof, "roc_auc", method=BBC(n_bootstraps=30))
