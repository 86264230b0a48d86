"""From results of scikit-learn to who is fitted on; whatever fails drops nothing."""

import numpy as np
import pytest

from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search import DropClearlyWorse
from sklearn_bbc.search.dropping._judge import Facts, RoundJudge
from sklearn_bbc.search.dropping._standings import Standings
from sklearn_bbc.search.recording._listening import CarriedScore
from sklearn_bbc.search.recording._recording import Round
from sklearn_bbc.search.recording._responses import FoldResponses

N = 80
Y = np.tile([0, 1], N // 2)
RNG = np.random.default_rng(0)
SPLITS = [(np.arange(0), RNG.permutation(part)) for part in np.split(np.arange(N), 2)]
GOOD, BAD = Y * 0.6 + 0.4 * RNG.uniform(size=N), RNG.uniform(size=N)


def result(values, split, name=None, fit_error=None, responses=True):
    test = SPLITS[split][1]
    score = as_metric("roc_auc").score_func(Y[test], values[test])
    if responses:
        kept = FoldResponses({"predict_proba": values[test]}, np.array([0, 1]))
        score = CarriedScore(score, kept)
    return {"test_scores": score if name is None else {name: score}, "fit_error": fit_error}


def judge(told=None, target=Y, standings=None, grouped=False, classifier=True, **options):
    facts = Facts(
        target=target,
        classifier=classifier,
        groups=None,
        weights=None,
        test=DropClearlyWorse(min_predictions=30)._lead_test(np.arange(len(target)), grouped, 0),
        standings=standings
        or (lambda oof, scores: {name: Standings(as_metric("roc_auc")) for name in scores}),
        tell=lambda *numbers: None if told is None else told.append(numbers),
    )
    return RoundJudge(facts, Round(options.get("n_configs", 3), options.get("splits", SPLITS)))


@pytest.mark.parametrize("name", [None, "auc"])
def test_shuffled_test_samples_find_their_labels(name):
    told = []
    found = judge(told)
    assert found.batches() == [[0], [1]]
    found.after(0, {c: result(v, 0, name) for c, v in enumerate([GOOD, BAD, GOOD])})
    assert found.left(1).tolist() == [0, 2]
    assert found.n_splits_done == [2, 1, 2]
    assert found.why_not == ""
    assert told == [(1, 2, 1, 2)]


def test_a_failed_fit_is_neither_dropped_nor_a_leader():
    found = judge()
    found.batches()
    failed = {**result(BAD, 0, responses=False), "fit_error": "no", "test_scores": 2.0}
    found.after(0, {0: result(GOOD, 0), 1: failed, 2: result(BAD, 0)})
    assert found.left(1).tolist() == [0, 1]


def test_what_fails_in_the_test_costs_no_fit():
    def broken(oof, scores):
        raise KeyError("broken")

    found = judge(standings=broken)
    found.batches()
    found.after(0, {c: result(GOOD, 0) for c in range(3)})
    assert found.left(1).tolist() == [0, 1, 2]
    assert found.why_not == "KeyError: 'broken'"


@pytest.mark.parametrize(
    ("target", "why"),
    [(np.empty(0), "there is no target"), (Y[:10], "there are never predictions for 30")],
)
def test_data_that_cannot_be_compared_say_so(target, why):
    splits = [(np.arange(0), part) for part in np.split(np.arange(10), 2)]
    found = judge(target=target, splits=splits)
    assert found.batches() == [[0, 1]]
    assert why in found.why_not
    assert found.n_splits_done == [2, 2, 2]


def test_no_predictions_say_so():
    found = judge()
    found.batches()
    found.after(0, {c: result(GOOD, 0, responses=False) for c in range(3)})
    assert "no predictions were recorded" in found.why_not


def test_too_few_predictions_are_told_in_numbers_and_groups_only_where_there_are_some():
    splits = [(np.arange(0), part) for part in np.split(np.arange(20), 2)]
    few = "before the last split there are never predictions for 30 different samples, 5 of each"
    found = judge(target=Y[:20], splits=splits)
    found.batches()
    assert found.why_not == f"{few} class"
    grouped = judge(target=Y[:20], splits=splits, grouped=True)
    grouped.batches()
    assert grouped.why_not == f"{few} class, of 10 groups"


def test_one_configuration_has_nobody_to_be_compared_with():
    found = judge(target=Y[:20], splits=[(np.arange(0), np.arange(20))], n_configs=1)
    assert found.batches() == [[0]]
    assert found.why_not == ""


def test_after_a_failure_nothing_more_is_looked_at():
    asked = []

    def broken(oof, scores):
        asked.append(oof)
        raise KeyError("broken")

    quarters = [(np.arange(0), part) for part in np.split(np.arange(N), 4)]
    found = judge(standings=broken, splits=quarters)
    assert found.batches() == [[0, 1], [2], [3]]
    for split in range(3):
        test = quarters[split][1]
        kept = FoldResponses({"predict_proba": GOOD[test]}, np.array([0, 1]))
        score = CarriedScore(0.5, kept)
        found.after(split, {c: {"test_scores": score, "fit_error": None} for c in range(3)})
    assert len(asked) == 1


@pytest.mark.parametrize("labelled", [True, False])
def test_a_target_holds_classes_where_a_model_has_some(labelled):
    """An estimator without its tag, and a regressor whose target looks like labels."""
    seen = []

    def standings(oof, scores):
        seen.append(oof)
        return {name: Standings(as_metric("neg_mean_squared_error")) for name in scores}

    found = judge(standings=standings, classifier=False)
    assert found.batches()[0] == [0]
    test = SPLITS[0][1]
    classes = np.array([0, 1]) if labelled else None
    method, values = ("predict_proba", GOOD) if labelled else ("predict", BAD)
    responses = FoldResponses({method: values[test]}, classes)
    found.after(
        0,
        {c: {"test_scores": CarriedScore(0.0, responses), "fit_error": None} for c in range(3)},
    )
    assert (seen[0].classes_ is not None) == labelled


def test_the_last_one_left_is_not_looked_at():
    asked = []

    def standings(oof, scores):
        asked.append(oof)
        return {name: Standings(as_metric("roc_auc")) for name in scores}

    found = judge(standings=standings, n_configs=1)
    assert found.batches() == [[0], [1]]
    found.after(0, {0: result(GOOD, 0)})
    assert asked == [] and found.why_not == ""


def test_a_target_of_several_outputs_holds_no_classes():
    target = np.stack([GOOD, BAD], axis=1)
    seen = []

    def standings(oof, scores):
        seen.append(oof)
        return {name: Standings(as_metric("neg_mean_squared_error")) for name in scores}

    found = judge(target=target, standings=standings)
    found.batches()
    test = SPLITS[0][1]
    kept = FoldResponses({"predict": target[test]}, np.array([0, 1]))
    score = {"test_scores": CarriedScore(0.0, kept), "fit_error": None}
    found.after(0, dict.fromkeys(range(3), score))
    assert found.why_not == "" and seen[0].classes_ is None
