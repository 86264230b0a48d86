"""Which configuration a method is about, and what is said about how it was chosen."""

import warnings

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import make_scorer

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import BBCWarning, UndefinedIntervalError
from sklearn_bbc.intervals import (
    DeLong,
    HierarchicalBootstrap,
    PooledBootstrap,
    holdout_interval,
    registered,
)
from sklearn_bbc.intervals.single._base import NOT_ACCOUNTED

Y = np.arange(60) % 2
SCORES = np.random.default_rng(0).normal(size=(60, 3)) + Y[:, None]
UNAWARE = [
    name
    for name, cls in registered().items()
    if not cls.selection_aware and cls.__module__.startswith("sklearn_bbc.")
]


def result_of(name, n_configs, **params):
    """With the area under the ROC curve, or with accuracy where a method does not take it."""
    method = registered()[name]()
    params |= {"n_bootstraps": 50, "random_state": 0}
    method.set_params(**{k: v for k, v in params.items() if k in method.get_params()})
    fold = np.arange(60) // 2 % 5
    scores = SCORES[:, :n_configs]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BBCWarning)
        try:
            oof = OOFPredictions(y_true=Y, y_pred=scores, fold=fold)
            return method.estimate(oof, "roc_auc")
        except ValueError:
            oof = OOFPredictions(y_true=Y, y_pred=(scores > 0.5).astype(int), fold=fold)
            return method.estimate(oof, "f1" if name == "takahashi" else "accuracy")


@pytest.mark.parametrize("name", UNAWARE)
def test_the_better_of_two_is_a_selection_and_said_to_be_one(name):
    found = {n: result_of(name, n).details for n in (1, 2, 3)}
    assert [d["selection_accounted_for"] for d in found.values()] == [True, False, False]
    assert [NOT_ACCOUNTED in d["notes"] for d in found.values()] == [False, True, True]
    other = 1 - found[2]["winner"]
    named = result_of(name, 2, config=other).details
    assert named["selection_accounted_for"] and NOT_ACCOUNTED not in named["notes"]


@pytest.mark.parametrize("sign", [1, -1])
def test_an_infinite_score_has_no_interval(sign):
    def ratio(y, pred):
        return np.inf if len(y) > 25 else 1.0

    scorer = make_scorer(ratio, greater_is_better=sign > 0)
    oof = OOFPredictions(y_true=Y, y_pred=np.ones(60, dtype=int), fold=Y * 0 + (Y.cumsum() > 15))
    message = f"ratio is {'' if sign > 0 else '-'}inf"
    with pytest.raises(UndefinedIntervalError, match=f"{message} on these data"):
        PooledBootstrap().estimate(oof, scorer)
    with pytest.raises(UndefinedIntervalError, match=f"{message} in fold 0"):
        HierarchicalBootstrap().estimate(oof, scorer)
    with pytest.raises(UndefinedIntervalError, match=f"{message} on these data"):
        holdout_interval(Y, np.ones(60, dtype=int), scorer)


def test_bounds_on_the_logit_scale_by_hand():
    oof = OOFPredictions(y_true=Y, y_pred=SCORES[:, 0])
    plain, curved = (DeLong(logit=flag).estimate(oof, "roc_auc") for flag in (False, True))
    area, error = plain.estimate, plain.details["standard_error"]
    half = norm.ppf(0.975) * error / (area * (1 - area))
    odds = area / (1 - area) * np.exp([-half, half])
    assert tuple(curved) == pytest.approx(tuple(odds / (1 + odds)))
