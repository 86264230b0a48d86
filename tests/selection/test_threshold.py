"""WithThreshold against plain loops: grid, choice, score, weights, repeats, positive label."""

import numpy as np
import pytest
from sklearn.metrics import (
    balanced_accuracy_score,
    f1_score,
    make_scorer,
    recall_score,
    roc_auc_score,
)

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC, BBCF, RescaledBBC
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.selection import OneStandardError, WithThreshold
from tests.selection.draws import draws, predictions


def best_pair(oof, count, thresholds, score, configs):
    """Best configuration and threshold of a draw by a loop over repeated rows."""
    rows = np.repeat(np.arange(oof.n_rows), count[oof.sample])
    y = oof.y_true[oof.sample[rows]]
    best = (-np.inf, -1, -1.0)
    for config in configs:
        proba = oof.responses["predict_proba"][config]
        grid = np.linspace(proba.min(), proba.max(), thresholds)
        for t in grid if isinstance(thresholds, int) else thresholds:
            value = score(y, (proba[rows] >= t).astype(int))
            if value > best[0]:
                best = (value, config, t)
    return best


@pytest.mark.parametrize(
    ("name", "score"), [("f1", f1_score), ("balanced_accuracy", balanced_accuracy_score)]
)
@pytest.mark.parametrize("jointly", [False, True])
def test_equal_to_a_plain_loop(name, score, jointly):
    oof = predictions(n_configs=4)
    counts = draws(oof, 10)
    rule = WithThreshold(name, thresholds=15, jointly=jointly)
    bound = rule.bind(oof, as_metric("roc_auc").bind(oof))
    outcome = bound.choose(counts)
    scores = bound.score(outcome, counts == 0)
    proba = oof.responses["predict_proba"]
    for draw, count in enumerate(counts):
        configs = range(4)
        if not jointly:
            areas = [
                roc_auc_score(oof.y_true, proba[c][oof.sample], sample_weight=count)
                for c in configs
            ]
            configs = [int(np.argmax(areas))]
        _, config, threshold = best_pair(oof, count, 15, score, configs)
        assert outcome["config"][draw] == config
        assert outcome["threshold"][draw] == pytest.approx(threshold, rel=1e-12)
        out = count == 0
        expected = score(oof.y_true[out], (proba[config][out] >= threshold).astype(int))
        assert scores[draw] == pytest.approx(expected, rel=1e-12)


def test_one_threshold_is_the_metric_at_that_threshold():
    """No threshold to choose at 0.5: the labels of the models themselves, draw by draw."""
    oof = predictions()
    few = {"n_bootstraps": 150, "random_state": 0}
    rule = WithThreshold("accuracy", thresholds=[0.5], jointly=True)
    result = BBC(selection=rule, **few).estimate(oof, "accuracy")
    expected = BBC(**few).estimate(oof, "accuracy")
    np.testing.assert_allclose(result.draws, expected.draws, rtol=1e-12)
    assert result.details["threshold"] == 0.5


def test_the_positive_label_turns_scores_around():
    oof = predictions(n_configs=3)
    turned = predictions(
        n_configs=3, y_true=1 - oof.y_true,
        responses={"predict_proba": 1 - np.asarray(oof.responses["predict_proba"])},
    )  # fmt: skip
    counts = draws(oof, 8)
    grid = np.linspace(0.05, 0.95, 10)
    plain = WithThreshold(make_scorer(f1_score), thresholds=grid)
    other = WithThreshold(make_scorer(f1_score, pos_label=0), thresholds=grid)
    one = plain.bind(oof, as_metric("roc_auc").bind(oof))
    two = other.bind(turned, as_metric("roc_auc").bind(turned))
    first, second = one.choose(counts), two.choose(counts)
    np.testing.assert_array_equal(first["config"], second["config"])
    np.testing.assert_allclose(first["threshold"], second["threshold"])
    np.testing.assert_allclose(one.score(first, counts == 0), two.score(second, counts == 0))
    assert two.describe(second)["pos_label"] == 0


def test_sample_weights_and_repeats():
    weight = np.random.default_rng(5).random(60)
    oof = predictions(n_configs=2, n_repeats=2, sample_weight=weight)
    bound = WithThreshold("recall", thresholds=[0.3, 0.6]).bind(
        oof, as_metric("roc_auc").bind(oof)
    )
    counts = draws(oof, 5)
    outcome = bound.choose(counts)
    scores = bound.score(outcome, counts == 0)
    for draw, count in enumerate(counts):
        config, threshold = outcome["config"][draw], outcome["threshold"][draw]
        assert threshold == 0.3, "recall never falls with a lower threshold"
        each = []
        for repeat in range(2):
            rows = np.flatnonzero((oof.repeat == repeat) & (count[oof.sample] == 0))
            labels = oof.responses["predict_proba"][config, rows] >= threshold
            sample = oof.sample[rows]
            each.append(recall_score(oof.y_true[sample], labels, sample_weight=weight[sample]))
        assert scores[draw] == pytest.approx(np.mean(each), rel=1e-12)


def test_details_and_a_cost():
    oof = predictions(n_samples=100)

    def cost(tn, fp, fn, tp):
        return -(fp + 10 * fn) / (tn + fp + fn + tp)

    result = BBC(selection=WithThreshold(cost), random_state=0, n_bootstraps=200).estimate(
        oof, "roc_auc"
    )
    details = result.details
    low, high = details["threshold_range"]
    assert result.metric == "cost" and low <= details["threshold"] <= high
    labels = oof.responses["predict_proba"][details["winner"]] >= details["threshold"]
    y = oof.y_true
    apparent = -((labels & (y == 0)).sum() + 10 * (~labels & (y == 1)).sum()) / 100
    assert details["apparent_score"] == pytest.approx(apparent)
    assert details["selected_by_metric"] == "roc_auc"
    assert details["winner_by"] == "best score, then threshold by cost"
    assert result.estimate < apparent


def test_the_winner_is_that_of_the_own_rule_whatever_the_predictions_name():
    oof = predictions()
    rule = WithThreshold("f1", configuration=OneStandardError("depth"))
    method = BBC(selection=rule, n_bootstraps=40, random_state=0)
    free = method.estimate(oof, "roc_auc").details
    named = method.estimate(oof.with_selected(0, by="the search"), "roc_auc").details
    assert free["winner"] == named["winner"] != 0
    assert free["apparent_score"] == named["apparent_score"]
    assert "the rule selects configuration" in named["notes"][-1]


def test_where_it_makes_no_sense_it_is_refused():
    oof, rule = predictions(), WithThreshold("f1")
    with pytest.raises(ValueError, match=r"RescaledBBC learns from the scores.*Use BBC"):
        RescaledBBC(selection=rule).estimate(oof, "roc_auc")
    table = {"roc_auc": as_metric("roc_auc").fold_scores(oof)}
    only_scores = OOFPredictions(y_true=[], classes=None, fold_scores=table)
    with pytest.raises(ValueError, match=r"predictions of single samples.*only scores per fold"):
        BBCF(selection=rule).estimate(only_scores, "roc_auc")
    labels = (np.asarray(oof.responses["predict_proba"]) > 0.5).astype(int)
    only_labels = predictions(responses={"predict": labels})
    with pytest.raises(ValueError, match="needs predict_proba or decision_function"):
        BBC(selection=rule).estimate(only_labels, "accuracy")


@pytest.mark.parametrize("thresholds", [1, 0, "many", [[0.1]], [], [np.nan], True])
def test_other_thresholds_are_refused(thresholds):
    oof = predictions()
    with pytest.raises(ValueError, match="thresholds must be"):
        WithThreshold("f1", thresholds=thresholds).bind(oof, as_metric("roc_auc").bind(oof))


def test_pure_noise_is_worth_a_half():
    """The tuned threshold of the best of ten noise models looks good; BBC says one half."""
    estimates, apparent = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y = (np.arange(60) % 10 < 3).astype(int)
        oof = predictions(
            n_configs=10, y_true=y, responses={"predict_proba": rng.random((10, 60))}
        )
        rule = WithThreshold("balanced_accuracy", thresholds=30)
        method = BBC(selection=rule, n_bootstraps=100, random_state=seed)
        result = method.estimate(oof, "roc_auc")
        estimates.append(result.estimate)
        apparent.append(result.details["apparent_score"])
    assert np.mean(apparent) > 0.62
    assert np.mean(estimates) == pytest.approx(0.5, abs=0.03)
