"""PooledBootstrap: forms against scipy, influence, stratification, groups."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import make_scorer, roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning, SlowMetricWarning, UndefinedIntervalError
from sklearn_bbc.intervals import PooledBootstrap
from sklearn_bbc.intervals._bootstrap import FORMS
from sklearn_bbc.metrics import _bound
from sklearn_bbc.resampling import Draws
from tests.intervals.scipy_seed import scipy_seed

RNG = np.random.default_rng(0)
Y = np.tile([0, 1], 40)
SCORES = RNG.normal(size=80) + Y
LOSS_Y, LOSS_PRED = RNG.normal(size=(2, 60))


def auc_oof(**fields):
    return OOFPredictions(y_true=Y, y_pred=SCORES, fold=np.arange(80) // 16, **fields)


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
    expected = [roc_auc_score(Y[i], SCORES[i]) for i in picks]
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


def test_a_class_with_two_samples_only_needs_to_be_in_bag():
    y = np.isin(np.arange(30), [3, 4]).astype(int)
    oof = OOFPredictions(y_true=y, y_pred=np.random.default_rng(0).normal(size=30))
    result = PooledBootstrap(n_bootstraps=200, random_state=0).estimate(oof, "roc_auc")
    assert result.details["n_redrawn"] > 10 and not np.isnan(tuple(result)).any()


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


@pytest.mark.parametrize("form", ["percentile", "bca", "studentised"])
def test_groups_of_one_change_nothing(form):
    method = PooledBootstrap(form=form, n_bootstraps=200, random_state=0)
    plain = method.estimate(auc_oof(), "roc_auc")
    grouped = method.estimate(auc_oof(groups=np.arange(80)), "roc_auc")
    assert tuple(plain) == tuple(grouped)
    assert grouped.details["unit"] == "group"


@pytest.mark.parametrize("form", FORMS)
def test_no_spread_is_a_point_in_every_form_and_said_to_be_wrong(form):
    oof = OOFPredictions(y_true=Y, y_pred=Y.astype(float))
    with pytest.warns(IntervalWarning, match="Every draw scores 1: no spread") as seen:
        result = PooledBootstrap(form=form, n_bootstraps=50, random_state=0).estimate(
            oof, "roc_auc"
        )
    assert tuple(result) == (1, 1) and result.details["degenerate"]
    assert seen[0].filename == __file__


def test_stratify_needs_classes():
    told = "stratify=True draws samples within classes, but there are"
    with pytest.raises(ValueError, match=rf"{told} no classes\. Use"):
        PooledBootstrap(stratify=True).estimate(
            OOFPredictions(y_true=LOSS_Y, y_pred=LOSS_PRED), "r2"
        )
    with pytest.raises(ValueError, match=rf"{told} groups\. Use"):
        PooledBootstrap(stratify=True).estimate(auc_oof(groups=np.arange(80) // 4), "roc_auc")


def test_an_unknown_form_is_refused():
    with pytest.raises(ValueError, match="form must be one of"):
        PooledBootstrap(form="BCa").estimate(auc_oof(), "roc_auc")


@pytest.mark.parametrize(
    ("form", "calls"),
    [("percentile", 2000), ("bca", 2080), ("studentised", 2000 + 50 * 2001)],
)
def test_a_metric_without_a_kernel_is_announced_with_all_its_calls(form, calls, monkeypatch):
    """The studentised form has 50 inner draws in each draw; other configurations cost nothing."""
    monkeypatch.setattr(_bound, "SLOW_SECONDS", 0)
    monkeypatch.setattr(Draws, "map", lambda *given: 1 / 0)
    scorer = make_scorer(lambda y, p: float(np.mean(p)))
    oof = OOFPredictions(y_true=Y, y_pred=np.stack([SCORES, SCORES**2, SCORES**3], axis=1))
    with (
        pytest.warns(SlowMetricWarning, match=f" {calls:,} times"),
        pytest.raises(ZeroDivisionError),
    ):
        PooledBootstrap(form=form, config=0).estimate(oof, scorer)
