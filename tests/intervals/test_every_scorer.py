"""Every scorer on hostile data: rare and constant classes, constant targets, perfect predictions.

The estimate is finite, or one named error says why there is none; undefined draws are counted;
and a perfect prediction never gets less than its score.
"""

import warnings

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc._scorers import scorer_names
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC, PooledBootstrap
from sklearn_bbc.metrics import as_metric

N = 50
FOLD = np.arange(N) % 5
RARE = (np.arange(N) < 5).astype(int)
NUMBERS = {
    "r2", "explained_variance", "neg_max_error", "neg_mean_absolute_error", "max_error",
    "neg_mean_absolute_percentage_error", "neg_mean_gamma_deviance", "neg_mean_squared_error",
    "neg_mean_poisson_deviance", "neg_mean_squared_log_error", "neg_median_absolute_error",
    "neg_root_mean_squared_error", "neg_root_mean_squared_log_error", "d2_absolute_error_score",
}  # fmt: skip
# How much is known of the classes, not how well: a draw has shares of classes of its own.
NOT_NORMALISED = {"mutual_info_score"}

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    # Nothing can be selected by these two.
    SCORERS = sorted({*scorer_names()} - {"calibration_slope", "calibration_intercept"})


def target_of(name, kind):
    if name == "concordance_index":
        event = {"rare": RARE, "constant": np.ones(N), "perfect": RARE}[kind]
        return np.c_[event, 1.0 + np.arange(N)]
    if name in NUMBERS:
        return {"rare": 1.0 + RARE, "constant": np.full(N, 2.0), "perfect": 1.0 + RARE}[kind]
    y = np.zeros(N, dtype=int) if kind == "constant" else RARE
    return np.c_[y, RARE, 1 - RARE] if name.endswith("_samples") else y


def predictions_of(name, y, kind):
    rng = np.random.default_rng(0)
    if name == "concordance_index":
        return -y[:, 1:] + (0 if kind == "perfect" else rng.normal(scale=20, size=(N, 2)))
    methods = as_metric(name).response_method
    if name in NUMBERS:
        return y[:, None] * (1 if kind == "perfect" else rng.uniform(0.8, 1.2, size=(N, 2)))
    if "predict" in methods:
        if kind == "perfect":
            return y[:, None]
        flip = rng.random((N, 2, *y.shape[1:])) < 0.2
        return np.where(flip, 1 - y[:, None], y[:, None])
    return y[:, None] * 1.0 if kind == "perfect" else rng.uniform(0.01, 0.99, size=(N, 2))


def run(method, name, kind):
    y = target_of(name, kind)
    oof = OOFPredictions(y_true=y, y_pred=predictions_of(name, y, kind), fold=FOLD)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        own = as_metric(name).bind(oof).on_data()[0] if kind == "perfect" else None
        return own, method(n_bootstraps=20, random_state=0).estimate(oof, name)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("kind", "method"), [("rare", BBC), ("constant", PooledBootstrap), ("perfect", BBC)]
)
@pytest.mark.parametrize("name", SCORERS)
def test_there_is_a_finite_estimate_or_a_reason(name, kind, method):
    try:
        own, result = run(method, name, kind)
    except UndefinedIntervalError as error:
        assert kind != "rare" and name in str(error), error
        return
    except ValueError as error:  # of the metric, on all data: it takes no single class
        assert kind == "constant" or "cannot be computed again" in str(error), error
        return
    low, high = as_metric(name).bounds
    assert low <= result.estimate <= high and np.isfinite(result.estimate)
    assert low <= result.low <= result.high <= high or np.isnan([*result]).all()
    assert result.details["n_lacking_class"] == 0
    if method is BBC:
        assert result.details["n_undefined"] == np.count_nonzero(np.isnan(result.draws)) + (
            result.n_bootstraps - len(result.draws)
        )
    if kind == "perfect" and name not in NOT_NORMALISED:
        assert result.estimate >= own - 1e-12
        assert result.low >= own - 1e-12
