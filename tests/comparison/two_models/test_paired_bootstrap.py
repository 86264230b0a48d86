"""The paired bootstrap: scipy, its own formulas, groups and classes."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import PairedBootstrap, Side
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import PooledBootstrap
from sklearn_bbc.intervals._bootstrap import FORMS
from tests.intervals.scipy_seed import scipy_seed

RNG = np.random.default_rng(0)
N = 60
Y = np.arange(N) % 2
SCORES = RNG.normal(size=(N, 2)) + Y[:, None] * [1.4, 0.8]
VALUES = RNG.normal(size=N)
PRED = VALUES[:, None] + RNG.normal(scale=[0.4, 0.7], size=(N, 2))


def compared(scoring="roc_auc", y=Y, pred=SCORES, fields=None, **params):
    oof = OOFPredictions(y_true=y, y_pred=pred, **(fields or {}))
    sides = Side(oof=oof, config=0), Side(oof=oof, config=1)
    params = {"random_state": 0, "n_bootstraps": 200, **params}
    return PairedBootstrap(**params).compare(*sides, scoring)


@pytest.mark.parametrize("form", ["percentile", "basic", "bca"])
def test_intervals_of_scipy(form):
    losses = (PRED - VALUES[:, None]) ** 2
    result = compared("neg_mean_squared_error", VALUES, PRED, form=form, n_bootstraps=20_000)
    expected = stats.bootstrap(
        (-losses[:, 0], -losses[:, 1]),
        lambda a, b, axis: np.mean(a, axis=axis) - np.mean(b, axis=axis),
        paired=True, n_resamples=20_000, method="BCa" if form == "bca" else form,
        **scipy_seed(1),
    ).confidence_interval  # fmt: skip
    assert tuple(result) == pytest.approx(tuple(expected), abs=0.01)
    assert result.width > 0.1


@pytest.mark.parametrize("form", FORMS)
def test_it_is_the_paired_form_of_the_pooled_bootstrap(form):
    result = compared(form=form)
    oof = OOFPredictions(y_true=Y, y_pred=SCORES)
    method = PooledBootstrap(form=form, n_bootstraps=200, random_state=0)
    expected = method.difference(oof, "roc_auc")
    assert tuple(result) == tuple(expected)
    assert result.p_value == expected.details["p_value"]
    np.testing.assert_array_equal(result.draws, expected.draws)
    areas = [roc_auc_score(Y, SCORES[:, k]) for k in (0, 1)]
    assert result.details["scores"] == pytest.approx(areas)
    assert result.difference == pytest.approx(areas[0] - areas[1])
    assert result.statistic == pytest.approx(result.difference / np.std(result.draws, ddof=1))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_p_value_and_interval_agree(form, alternative):
    """At a level just below one minus p the interval excludes zero, just above it holds zero."""
    p = compared(form=form, alternative=alternative, n_bootstraps=500).p_value
    arguments = {"form": form, "alternative": alternative, "n_bootstraps": 500}
    if p < 0.4:
        narrow = compared(**arguments, confidence_level=1 - p - 0.02)
        assert 0 not in narrow
    if 0.03 < p < 0.4:
        wide = compared(**arguments, confidence_level=min(1 - p + 0.02, 0.9999))
        assert 0 in wide


def test_draws_without_a_difference_count_in_full():
    """With half of them three samples would do, of which McNemar's mid-p is 0.125."""
    y = np.arange(200) % 2
    pred = np.stack([y, np.where(np.arange(200) < 3, 1 - y, y)], axis=1)
    result = compared("accuracy", y, pred, n_bootstraps=2000)
    assert result.p_value == pytest.approx(2 * np.exp(-3), abs=0.03) and 0 in result


def test_groups_are_drawn_together():
    """Four copies of each sample in one group are as good as one."""
    once = compared(form="percentile", n_bootstraps=1000)
    four = compared(
        y=np.repeat(Y, 4), pred=np.repeat(SCORES, 4, axis=0), form="percentile",
        fields={"groups": np.repeat(np.arange(N), 4)}, n_bootstraps=1000,
    )  # fmt: skip
    assert tuple(four) == pytest.approx(tuple(once)) and four.details["unit"] == "group"
    loose = compared(y=np.repeat(Y, 4), pred=np.repeat(SCORES, 4, axis=0), form="percentile")
    assert loose.width < 0.7 * four.width


def test_weights_count_in_the_metric():
    weight = 1.0 + np.arange(N) % 4
    areas = [roc_auc_score(Y, SCORES[:, k], sample_weight=weight) for k in (0, 1)]
    result = compared(fields={"sample_weight": weight})
    assert result.difference == pytest.approx(areas[0] - areas[1])


def test_stratified_draws_keep_the_class_sizes():
    plain, stratified = (
        compared("accuracy", pred=(SCORES > 0.5).astype(int), stratify=stratify, form="normal")
        for stratify in (False, True)
    )
    assert plain.difference == stratified.difference
    assert any("keep the class sizes fixed" in note for note in stratified.details["notes"])


def test_equal_predictions_need_no_draws():
    result = compared(pred=SCORES[:, [0, 0]])
    assert result.p_value == 1 and tuple(result) == (0, 0) and result.draws is None
    assert "no difference to test" in result.details["notes"][-1]


def test_a_difference_without_spread_is_marked():
    pred = np.stack([np.ones(N), 2 * np.ones(N)], axis=1)
    with pytest.warns(IntervalWarning, match="Every draw scores 1: no spread"):
        result = compared("neg_mean_absolute_error", np.zeros(N), pred)
    assert tuple(result) == (1, 1) and result.details["degenerate"]
    assert result.p_value == pytest.approx(2 / 201)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"form": "bootstrap"}, "form must be one of"),
        ({"n_bootstraps": 5}, "n_bootstraps must be an integer of at least 20"),
        ({"stratify": True, "fields": {"groups": np.arange(N) // 2}}, "there are groups"),
    ],
)
def test_parameters_are_checked(params, message):
    with pytest.raises(ValueError, match=message):
        compared(**params)


def test_the_number_of_draws_is_that_of_the_interval_methods():
    assert PairedBootstrap().n_bootstraps == PooledBootstrap().n_bootstraps == 2000
    result = compared(n_bootstraps=250)
    assert len(result.draws) == result.n_bootstraps == 250
