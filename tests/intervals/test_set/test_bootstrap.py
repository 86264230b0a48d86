"""The bootstrap behind the forms of holdout_interval."""

from dataclasses import replace

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import PooledBootstrap, holdout_interval
from sklearn_bbc.intervals._bootstrap import PAIR, Roles
from sklearn_bbc.intervals._holdout import Cluster, HoldoutBootstrap
from sklearn_bbc.metrics import as_metric

Y = np.tile([0, 1], 20)
SCORES = np.random.default_rng(0).normal(size=(40, 2)) + Y[:, None]
ONE = Roles(1, False)
DEFAULTS = {
    "n_bootstraps": 200, "confidence_level": 0.9, "alternative": "two-sided", "random_state": 0,
    "n_jobs": None,
}  # fmt: skip


def bootstrap(**given):
    return HoldoutBootstrap(Cluster(), **{**DEFAULTS, **given})


def estimate(y=Y, scores=SCORES[:, :1], roles=ONE, form="percentile"):
    oof = OOFPredictions(y_true=y, y_pred=scores)
    return bootstrap().estimate(oof, as_metric("roc_auc"), roles, form)


def test_one_model_has_the_interval_of_the_pooled_bootstrap():
    oof = OOFPredictions(y_true=Y, y_pred=SCORES[:, :1])
    given = {name: value for name, value in DEFAULTS.items() if name != "n_jobs"}
    expected = PooledBootstrap(form="basic", **given).estimate(oof, "roc_auc")
    assert tuple(estimate(form="basic")) == pytest.approx(tuple(expected))


def test_a_pair_is_what_holdout_interval_gives():
    result = estimate(scores=SCORES, roles=PAIR)
    expected = holdout_interval(
        Y, SCORES[:, 0], "roc_auc", y_pred_other=SCORES[:, 1], method="percentile", **DEFAULTS
    )
    positive = {**result.details, "positive_class": 1}
    assert replace(result, details=positive) == expected


@pytest.mark.filterwarnings("ignore:Only one class")
def test_messages_name_the_public_function():
    with pytest.raises(UndefinedIntervalError, match=r"^holdout_interval cannot .* class 1 has 0"):
        estimate(y=np.zeros(40, dtype=int))
    with pytest.raises(UndefinedIntervalError, match=r"^holdout_interval cannot .* class 1 has 1"):
        estimate(y=(np.arange(40) == 3).astype(int))
    with pytest.warns(IntervalWarning, match="^holdout_interval: confidence_level"):
        bootstrap(confidence_level=0.05)._validate()


@pytest.mark.parametrize(
    "given", [{"n_bootstraps": 5}, {"confidence_level": 1}, {"alternative": "both"}]
)
def test_parameters_are_checked(given):
    with pytest.raises(ValueError, match=next(iter(given))):
        bootstrap(**given)._validate()
