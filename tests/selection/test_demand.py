"""What a threshold must keep: whether it is kept, on all samples, in draws, in every method."""

import warnings
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import recall_score

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.comparison import BBCDifference, Side
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BBC, BBCF, DirectBootstrap, NaiveBootstrap
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.selection import SensitivityAt, WithThreshold
from sklearn_bbc.selection._threshold import Demand
from sklearn_bbc.testing import check_selection
from tests.intervals.refit_helpers import two_classes
from tests.search.small_search import TREE
from tests.selection.draws import draws, predictions

FEW = {"n_bootstraps": 60, "random_state": 0}
REACHED = WithThreshold(SensitivityAt(0.8))
GIVEN = np.linspace(0, 0.999, 50)  # the crowd is positive at all of them
NOT_REACHED = "No threshold reaches the demanded specificity of 0.9 on all samples"
ELSEWHERE = "lower: SensitivityAt(0.8, report='specificity') reports it there"


def crowded():
    """Five of the 30 negatives have the highest score: specificity is at most 25/30."""
    oof = predictions()
    proba = np.array(oof.responses["predict_proba"])
    proba[:, np.flatnonzero(oof.y_true == 0)[:5]] = 0.999
    proba[:, np.flatnonzero(oof.y_true == 1)[:5]] = 0.999
    return predictions(responses={"predict_proba": proba})


def quietly(call):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return call()


def test_rates_are_means_over_the_repeats():
    demand = SensitivityAt(0.8).demand
    cells = [np.array(c, dtype=float)[:, None] for c in ([7, 3, 1, 9], [9, 1, 5, 5])]
    np.testing.assert_allclose(demand.score(cells), [(0.9 + 0.5) / 2])  # 0.7 and 0.9: 0.8
    assert demand.score(cells[:1]) == pytest.approx(0.7 - 1)
    with np.errstate(invalid="ignore"):
        assert np.isnan(demand.score([np.array([0.0, 0, 1, 9])[:, None]]))
    assert demand.is_reached(0.7 + 0.1) and not demand.is_reached(0.799)


def test_what_is_told():
    demand = Demand("recall", 0.5, max, min, "precision", ask="it")
    assert demand.told(0.5, 0.25) == {
        "of": "recall", "level": 0.5, "reached": 0.5, "is_reached": True,
        "share_reached": 0.25, "ask": "it",
    }  # fmt: skip
    assert demand.told(0.4, None)["is_reached"] is False
    assert demand.told(None, 1.0)["is_reached"] is None
    with pytest.raises(FrozenInstanceError):
        demand.level = 0.1


def test_with_repeats_the_specificity_is_kept_on_average():
    """Against a plain loop over the thresholds."""
    oof = predictions(n_configs=1, n_repeats=2)
    rule = WithThreshold(SensitivityAt(0.7), thresholds=40)
    bound = rule.bind(oof, as_metric("roc_auc").bind(oof))
    proba = oof.responses["predict_proba"][0].reshape(2, -1)
    best = (-1.0, None, None)
    for t in bound.thresholds[0]:
        rates = [[recall_score(oof.y_true, p >= t, pos_label=k) for p in proba] for k in (0, 1)]
        if np.mean(rates[0]) >= 0.7 and np.mean(rates[1]) > best[0]:
            best = (np.mean(rates[1]), t, np.mean(rates[0]))
    one = bound.on_all()
    assert (one["threshold"][0], bool(one["reached"][0])) == (best[1], True)
    assert bound.describe(one)["demand"]["reached"] == pytest.approx(best[2])


@pytest.mark.parametrize("jointly", [False, True])
def test_the_share_of_draws_in_which_it_is_reached(jointly):
    oof = crowded()
    rule = WithThreshold(SensitivityAt(0.84), thresholds=GIVEN, jointly=jointly)
    bound = rule.bind(oof, as_metric("roc_auc").bind(oof))
    counts = draws(oof, 25)
    outcome = bound.choose(counts)
    reached = [
        recall_score(
            oof.y_true, oof.responses["predict_proba"][config] >= t,
            pos_label=0, sample_weight=count,
        ) >= 0.84 - 1e-12
        for config, t, count in zip(outcome["config"], outcome["threshold"], counts)
    ]  # fmt: skip
    assert 0 < np.mean(reached) < 1
    np.testing.assert_array_equal(outcome["reached"], reached)
    told = bound.describe(outcome)["demand"]
    assert told["share_reached"] == np.mean(reached)
    assert told["reached"] == pytest.approx(25 / 30) and not told["is_reached"]


def test_both_reports_are_about_the_same_thresholds():
    """report="specificity" gives the specificity on samples left out, as the note says."""
    oof = predictions()
    of_positives, of_negatives = (
        WithThreshold(SensitivityAt(0.9, report=report)).bind(oof, as_metric("roc_auc").bind(oof))
        for report in ("sensitivity", "specificity")
    )
    assert of_positives.by == of_negatives.by
    assert of_positives.by == "best score, then threshold by sensitivity at a specificity of 0.9"
    counts = draws(oof, 20)
    outcome = of_positives.choose(counts)
    np.testing.assert_array_equal(outcome["threshold"], of_negatives.choose(counts)["threshold"])
    left_out = [
        recall_score(
            oof.y_true[out], oof.responses["predict_proba"][config][out] >= t, pos_label=0
        )
        for config, t, out in zip(outcome["config"], outcome["threshold"], counts == 0)
    ]
    scores = of_negatives.score(outcome, counts == 0)
    np.testing.assert_allclose(scores, left_out, rtol=1e-12)
    assert np.mean(scores) < 0.9, "lower than demanded, on average"


@pytest.mark.parametrize("method", [BBC, BBCF, NaiveBootstrap])
def test_every_method_says_when_it_is_not_reached(method):
    oof, rule = crowded(), WithThreshold(SensitivityAt(0.9), thresholds=GIVEN)
    with pytest.warns(IntervalWarning, match=NOT_REACHED):
        result = method(selection=rule, **FEW).estimate(oof, "roc_auc")
    notes = " ".join(result.details["notes"])
    assert f"{NOT_REACHED}: the best of those tried has 0.833, and was chosen." in notes
    assert "report='specificity'" in notes
    assert ("of the draws no threshold reached" in notes) == (method is not NaiveBootstrap)


@pytest.mark.parametrize("method", [BBC, BBCF, NaiveBootstrap])
def test_every_method_says_that_it_may_be_missed_elsewhere(method):
    rule = method(selection=REACHED, **FEW)
    result = quietly(lambda: rule.estimate(predictions(), "roc_auc"))
    assert result.details["demand"]["is_reached"]
    assert not any("No threshold reaches" in note for note in result.details["notes"])
    assert any(ELSEWHERE in note for note in result.details["notes"])


def test_the_contract_of_rules():
    check_selection(REACHED)


def test_without_a_demand_nothing_is_said():
    result = BBC(selection=WithThreshold("f1"), **FEW).estimate(predictions(), "roc_auc")
    assert "demand" not in result.details and result.details["notes"] == []


def test_differences_of_searches():
    oof = crowded()
    rule = WithThreshold(SensitivityAt(0.9), thresholds=GIVEN)
    other = Side(oof=oof, selection=rule, name="one")
    side = Side(oof=oof, selection=clone(rule).set_params(jointly=True), name="two")
    with pytest.warns(IntervalWarning, match=NOT_REACHED):
        result = BBCDifference(**FEW).compare(other, side, "roc_auc")
    assert any(NOT_REACHED in note for note in result.details["notes"])


def test_the_direct_bootstrap_counts_the_draws_that_reach_it():
    X, y = two_classes()
    few = {"n_bootstraps": 20, "random_state": 0, "verbose": 0}
    grid = {"max_depth": [1, 2]}
    model = BBCSearchCV(TREE, grid, cv=3, scoring="roc_auc")
    shares = []
    for specificity in (0.05, 0.99):
        rule = WithThreshold(SensitivityAt(specificity), thresholds=np.linspace(0, 1, 20))
        result = DirectBootstrap(selection=rule, **few).estimate(model, X, y)
        demand = result.details["demand"]
        assert demand["reached"] is None and demand["is_reached"] is None
        notes = [note for note in result.details["notes"] if "specificity" in note]
        assert ("of the draws no threshold reached" in notes[0]) == (demand["share_reached"] < 1)
        assert "report='specificity'" in notes[-1]
        shares.append(demand["share_reached"])
    assert shares[0] == 1 > shares[1]
