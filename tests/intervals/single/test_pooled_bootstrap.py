"""PooledBootstrap: forms against scipy, influence, stratification, groups."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import PooledBootstrap
from sklearn_bbc.intervals._bootstrap import BOOTSTRAP_FORMS
from tests.intervals.scipy_seed import scipy_seed
from tests.made import made
from tests.selection.draws import area

RNG = np.random.default_rng(0)
Y = np.tile([0, 1], 40)
SCORES = RNG.normal(size=80) + Y
LOSS_Y, LOSS_PRED = RNG.normal(size=(2, 60))


def auc_oof(**fields):
    return made(y_true=Y, y_pred=SCORES, fold=np.arange(80) // 16, **fields)


@pytest.mark.parametrize(("form", "name"), [("percentile", "percentile"), ("basic", "basic"),
                                            ("bca", "BCa")])  # fmt: skip
def test_forms_agree_with_scipy_up_to_monte_carlo_error(form, name):
    oof = OOFPredictions(y_true=LOSS_Y, y_pred=LOSS_PRED)
    result = PooledBootstrap(form=form, n_bootstraps=20_000, random_state=0).estimate(
        oof, "neg_mean_squared_error"
    )
    expected = stats.bootstrap(
        (-((LOSS_Y - LOSS_PRED) ** 2),),
        np.mean,
        n_resamples=20_000,
        method=name,
        **scipy_seed(1),
    ).confidence_interval
    assert tuple(result) == pytest.approx(tuple(expected), abs=0.03)


def test_the_studentised_form_of_a_mean_is_close_to_the_t_interval():
    y = np.random.default_rng(3).random(60)  # symmetric losses, or Student's t is not right
    oof = OOFPredictions(y_true=y, y_pred=np.zeros(60))
    result = PooledBootstrap(form="studentised", random_state=0).estimate(
        oof, "neg_mean_absolute_error"
    )
    expected = stats.ttest_1samp(-np.abs(y), 0).confidence_interval()
    assert tuple(result) == pytest.approx(tuple(expected), abs=0.015)


def test_the_replicates_are_scores_of_resamples():
    result = PooledBootstrap(n_bootstraps=500, random_state=0).estimate(auc_oof(), "roc_auc")
    assert result.estimate == pytest.approx(roc_auc_score(Y, SCORES))
    rng = np.random.default_rng(5)
    picks = rng.integers(80, size=(500, 80))
    expected = [area(Y[i], SCORES[i]) for i in picks]
    assert stats.ks_2samp(result.draws, expected).pvalue > 0.01


def test_drawing_within_classes_keeps_their_sizes_and_narrows():
    rng = np.random.default_rng(2)
    y = (np.arange(200) < 20).astype(int)
    oof = OOFPredictions(y_true=y, y_pred=np.ones((200, 1)))
    # Predicting always 1, the precision is the share of class 1: fixed within classes.
    within = PooledBootstrap(stratify=True, random_state=rng.integers(99))
    with pytest.warns(IntervalWarning, match="no spread"):
        fixed = within.estimate(oof, "precision")
    free = PooledBootstrap(random_state=0).estimate(oof, "precision")
    assert fixed.width == 0 and free.width > 0.05


def test_a_class_that_no_resample_can_vary_is_named():
    """All resamples would agree on its one sample, so the interval would be far too narrow."""
    y = (np.arange(30) == 3).astype(int)
    scores = np.random.default_rng(0).normal(size=30)
    with pytest.raises(UndefinedIntervalError, match="class 1 has 1 sample"):
        PooledBootstrap().estimate(OOFPredictions(y_true=y, y_pred=scores), "roc_auc")
    in_one_group = OOFPredictions(
        y_true=(np.arange(30) < 3).astype(int), y_pred=scores, groups=np.arange(30) // 3
    )
    with pytest.raises(UndefinedIntervalError, match="class 1 has 1 group"):
        PooledBootstrap().estimate(in_one_group, "roc_auc")


@pytest.mark.parametrize("form", BOOTSTRAP_FORMS)
def test_no_spread_is_a_point_in_every_form_and_said_to_be_wrong(form):
    oof = OOFPredictions(y_true=Y, y_pred=Y.astype(float))
    with pytest.warns(IntervalWarning, match="Every draw scores 1: no spread") as seen:
        result = PooledBootstrap(form=form, n_bootstraps=50, random_state=0).estimate(
            oof, "roc_auc"
        )
    assert tuple(result) == (1, 1) and result.details["degenerate"]
    assert seen[0].filename == __file__
