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


def judge(told=None, target=Y, standings=None, **options):
    facts = Facts(
        target=target,
        classifier=True,
        groups=None,
        weights=None,
        test=DropClearlyWorse(min_predictions=30)._lead_test(np.arange(len(target)), False, 0),
        standings=standings
        or (lambda oof, scores: {name: Standings(as_metric("roc_auc")) for name in scores}),
        tell=lambda *numbers: None if told is None else told.append(numbers),
    )
    return RoundJudge(facts, Round(3, options.get("splits", SPLITS)))


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
