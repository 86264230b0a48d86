"""Draws won and differences to the best: against a plain loop over draws."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import tied_with_best
from sklearn_bbc.comparison._tied import _bounds, draws_won
from sklearn_bbc.intervals import BBC, OrderStatistic
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.selection import BestScore
from sklearn_bbc.testing import example_predictions

OOF = example_predictions()


def won_by_best(oof, kernel, method):
    return draws_won(oof, kernel, method, BestScore().bind(oof, kernel))


def test_equals_a_loop_over_the_draws_of_bbc():
    kernel = as_metric("roc_auc").bind(OOF)
    method = BBC(n_bootstraps=130, random_state=5, confidence_level=0.9)
    found = won_by_best(OOF, kernel, method)
    differences, winners = [], []

    def look(counts):
        for count in counts:
            inside, outside = kernel.scores(count[None])[0], kernel.scores(count[None] == 0)[0]
            winners.append(int(np.argmax(inside)))
            differences.append(outside - outside[winners[-1]])
        return np.zeros(len(counts))

    method._draws(OOF, kernel).map(look)
    differences = np.array(differences)
    np.testing.assert_allclose(found.won, np.bincount(winners, minlength=4) / 130)
    np.testing.assert_allclose(found.difference, differences.mean(axis=0), atol=1e-14)
    ranked = np.sort(differences, axis=0)
    for config in range(4):
        assert found.low[config] == OrderStatistic().between(ranked[:, config], 0.05)
        assert found.high[config] == OrderStatistic().between(ranked[:, config], 0.95)


def test_configurations_that_predict_the_same_win_together():
    probabilities = OOF.responses["predict_proba"][[3, 0, 3, 1]]
    twins = OOF._with_fields(responses={"predict_proba": probabilities}, selected=2)
    found = won_by_best(twins, as_metric("roc_auc").bind(twins), BBC(n_bootstraps=100))
    assert found.won[0] == found.won[2] > 0.3 and found.won[[0, 1, 3]].sum() == pytest.approx(1)
    assert found.difference[0] == found.difference[2] and found.low[0] == found.low[2]
    tied = tied_with_best(twins, "roc_auc", random_state=0)
    assert 0 in tied and 2 in tied and tied.best == 0
    assert not any("not in the set" in n or "also in" in n for n in tied.details["notes"])


@pytest.mark.parametrize(("n_below", "excluded"), [(3, True), (6, False)])
def test_bounds_count_draws_without_a_difference_half(n_below, excluded):
    """Of 100 draws 8 show no difference: with 3 below, 7% are at or below zero, with 6, 10%."""
    draws = np.repeat([-0.1, 0.0, 0.1], [n_below, 8, 92 - n_below])[:, None]
    low, high = _bounds(np.hstack([draws, -draws]), 0.08)
    assert (low[0] > 0) == (high[1] < 0) == excluded and low[0] == -high[1] < 0.1
    assert high[0] == -low[1] == 0.1


def test_the_winner_of_bbc_is_the_same():
    kernel = as_metric("accuracy").bind(OOF)
    found = won_by_best(OOF, kernel, BBC(n_bootstraps=200, random_state=1))
    details = BBC(n_bootstraps=200, random_state=1).estimate(OOF, "accuracy").details
    assert found.won[details["winner"]] == details["winner_share"]
    assert found.details["seed"] == 1


def test_threads_do_not_matter():
    kernel = as_metric("roc_auc").bind(OOF)
    one, two = (
        won_by_best(OOF, kernel, BBC(n_bootstraps=300, random_state=0, n_jobs=n)) for n in (1, 2)
    )
    for name in ("won", "difference", "low", "high"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


def test_where_no_draw_can_be_scored_the_reason_is_told():
    y = np.zeros(20, dtype=int)
    y[0] = 1
    pred = np.random.default_rng(0).random((20, 3))
    oof = OOFPredictions(y_true=y, y_pred=pred, fold=np.arange(20) % 4)
    found = won_by_best(oof, as_metric("roc_auc").bind(oof), BBC(n_bootstraps=50, random_state=0))
    assert np.isnan(found.won).all() and np.isnan(found.low).all()
    assert "class 1 has 1 sample" in found.details["no_draws"]


def test_undefined_configurations_win_nothing():
    pred = OOF.responses["predict_proba"].copy()
    pred[2, 0] = np.nan
    oof = OOF._with_fields(responses={"predict_proba": pred})
    found = won_by_best(oof, as_metric("roc_auc").bind(oof), BBC(n_bootstraps=100, random_state=0))
    assert found.won[2] == 0 and np.isnan(found.difference[2]) and np.isnan(found.high[2])
    assert np.isfinite(found.difference[[0, 1, 3]]).all() and found.won.sum() == 1
