"""From results of scikit-learn to who is fitted on; whatever fails drops nothing."""

import numpy as np
import pytest

from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search import DropClearlyWorse
from sklearn_bbc.search._capture import CarriedScore
from sklearn_bbc.search._racing import Facts, RoundJudge, Standings, _scores
from sklearn_bbc.search._recording import Round
from sklearn_bbc.search._responses import FoldResponses

N = 80
Y = np.tile([0, 1], N // 2)
RNG = np.random.default_rng(0)
SPLITS = [(np.arange(0), RNG.permutation(part)) for part in np.split(np.arange(N), 2)]
GOOD, BAD = Y * 0.6 + 0.4 * RNG.uniform(size=N), RNG.uniform(size=N)


def result(values, split, name=None, fit_error=None, responses=True, splits=SPLITS):
    test = splits[split][1]
    score = as_metric("roc_auc").score_func(Y[test], values[test])
    if responses:
        kept = FoldResponses({"predict_proba": values[test]}, np.array([0, 1]))
        score = CarriedScore(score, kept)
    return {"test_scores": score if name is None else {name: score}, "fit_error": fit_error}


def judge(told=None, target=Y, standings=None, grouped=False, classifier=True, **options):
    facts = Facts(
        target=target,
        classifier=classifier,
        groups=options.get("groups"),
        weights=options.get("weights"),
        test=DropClearlyWorse(min_predictions=options.get("least", 30))._lead_test(
            np.arange(len(target)), grouped, 0
        ),
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


def test_two_configurations_with_too_few_predictions_are_told():
    splits = [(np.arange(0), part) for part in np.split(np.arange(20), 2)]
    found = judge(target=Y[:20], splits=splits, n_configs=2)
    found.batches()
    assert found.why_not.startswith("before the last split")


def test_classes_that_are_known_before_the_fits_must_be_there():
    """The first split holds one class only, so the first comparison is after the second."""
    order = np.argsort(Y, kind="stable")
    thirds = [(np.arange(0), part) for part in (order[:36], order[36:70], order[70:])]
    assert judge(splits=thirds).batches() == [[0, 1], [2]]
    assert judge(splits=thirds, classifier=False).batches() == [[0], [1], [2]]


def test_a_target_that_cannot_be_sorted_drops_nothing_and_says_so():
    target = np.array([1, "a"] * 40, dtype=object)
    found = judge(target=target)
    assert found.batches() == [[0, 1]]
    assert found.why_not.startswith("TypeError: '<' not supported")
    found.after(0, {})
    assert found.left(1).tolist() == [0, 1, 2]


class Looked:
    """Remembers the splits that a race was given."""

    def __init__(self, found):
        self.splits = []
        found._race.add = self

    def __call__(self, oof, scores, standings):
        self.splits.append(oof.sample.tolist())


def good_result(test, score=0.5, responses=True):
    kept = FoldResponses({"predict_proba": GOOD[test]}, np.array([0, 1]))
    score = CarriedScore(score, kept) if responses else score
    return {"test_scores": score, "fit_error": None}


QUARTERS = [(np.arange(0), part) for part in np.split(np.arange(N), 4)]
PAIRS = [(np.arange(0), part) for part in np.split(np.arange(N), 40)]


@pytest.mark.parametrize(
    ("splits", "batches", "n_looked"),
    [
        (QUARTERS, [[0, 1], [2], [3]], 3),
        (PAIRS, [list(range(16)), *([k, k + 1] for k in range(16, 40, 2))], 38),
    ],
)
def test_all_splits_are_looked_at_but_those_of_the_last_batch(splits, batches, n_looked):
    found = judge(splits=splits, n_configs=2, least=32 if splits is PAIRS else 30)
    assert found.batches() == batches
    looked = Looked(found)
    for split, (_, test) in enumerate(splits):
        found.after(split, {c: good_result(test) for c in range(2)})
    assert found.why_not == ""
    assert looked.splits == [test.tolist() for _, test in splits[:n_looked]]


def brier(oof, scores):
    return {name: Standings(as_metric("neg_brier_score")) for name in scores}


def test_where_nobody_could_be_compared_it_is_told_before_the_last_batch():
    found = judge(splits=PAIRS, least=32, standings=brier)
    *earlier, last = found.batches()
    assert last == [38, 39]
    told = []
    for batch in earlier:
        for split in batch:
            test = PAIRS[split][1]
            found.after(split, {c: good_result(test, np.nan) for c in range(3)})
        assert found.left(batch[-1] + 1).tolist() == [0, 1, 2]
        told.append(found.why_not)
    assert set(told[:-1]) == {""}
    assert told[-1] == (
        "no two configurations could be compared: they have no score in some split, or scores "
        "that their predictions do not give again"
    )


def test_what_could_be_compared_needs_no_word():
    found = judge(splits=QUARTERS, standings=brier)
    for batch in found.batches()[:-1]:
        for split in batch:
            test = QUARTERS[split][1]
            score = -np.mean((GOOD[test] - Y[test]) ** 2)
            found.after(split, {c: good_result(test, score) for c in range(3)})
        found.left(batch[-1] + 1)
    assert found.why_not == ""


def test_progress_is_told_while_there_is_something_to_spare():
    told = []
    found = judge(told, n_configs=2)
    found.batches()
    found.after(0, {c: result(GOOD, 0) for c in range(2)})
    found.left(1)
    found.left(2)  # all is done
    assert told == [(1, 2, 0, 2)]


def test_of_one_that_is_left_nothing_is_told():
    told = []
    found = judge(told, n_configs=2, splits=QUARTERS)
    found.batches()
    for split in (0, 1):
        both = enumerate([GOOD, BAD])
        found.after(split, {c: result(v, split, splits=QUARTERS) for c, v in both})
    assert found.left(2).tolist() == [0]
    found.after(2, {0: result(GOOD, 2, splits=QUARTERS)})
    assert found.left(3).tolist() == [0]
    assert told == [(2, 4, 1, 1)]
    assert found.n_splits_done == [4, 2]


def test_a_test_that_fails_costs_no_fit():
    class Broken(Standings):
        def clearly_worse(self, test, among):
            raise KeyError("no")

    found = judge(standings=lambda oof, scores: {"score": Broken(as_metric("roc_auc"))})
    found.batches()
    found.after(0, {c: result(v, 0) for c, v in enumerate([GOOD, BAD, GOOD])})
    assert found.why_not == ""
    assert found.left(1).tolist() == [0, 1, 2]
    assert found.why_not == "KeyError: 'no'"


def test_a_message_is_a_part_of_a_sentence():
    found = judge()
    found.batches()
    found.after(0, {c: result(GOOD, 0, responses=False) for c in range(3)})
    assert found.why_not == (
        "no predictions were recorded, so configurations cannot be compared on them"
    )


def first_of(results, **options):
    """Predictions that the judge makes of the first split."""
    seen = []

    def standings(oof, scores):
        seen.append(oof)
        return {name: Standings(as_metric("roc_auc")) for name in scores}

    found = judge(standings=standings, **options)
    found.batches()
    found.after(0, results)
    assert found.why_not == ""
    return seen[0]


def test_one_model_with_classes_among_failed_ones_is_enough():
    failed = {"test_scores": np.nan, "fit_error": "no"}
    oof = first_of({0: failed, 1: result(GOOD, 0), 2: failed}, classifier=False)
    assert oof.classes_.tolist() == [0, 1]
    values = oof.responses["predict_proba"]
    assert np.isnan(values[[0, 2]]).all()
    np.testing.assert_array_equal(values[1], GOOD[oof.sample])


def test_groups_and_weights_belong_to_the_predictions():
    groups, weights = np.arange(N) // 2, np.linspace(1, 2, N)
    oof = first_of({c: result(GOOD, 0) for c in range(3)}, groups=groups, weights=weights)
    np.testing.assert_array_equal(oof.groups, groups)
    np.testing.assert_array_equal(oof.sample_weight, weights)


@pytest.mark.parametrize("at", [0, 1])
def test_scores_of_failed_fits_are_undefined_whatever_they_are_set_to(at):
    results = [{"test_scores": {"a": 1.0, "b": 2}, "fit_error": None}]
    results.insert(at, {"test_scores": 0.5, "fit_error": "no"})
    found = _scores(dict(enumerate(results)))
    assert list(found) == ["a", "b"]
    for name, score in (("a", 1.0), ("b", 2.0)):
        assert found[name].dtype == float
        np.testing.assert_array_equal(found[name], [np.nan, score] if at == 0 else [score, np.nan])


def test_scores_that_are_missing_are_undefined():
    given = [{"a": 1.0, "b": 2.0}, {"a": 3.0}, 0.5]
    found = _scores({k: {"test_scores": s, "fit_error": None} for k, s in enumerate(given)})
    np.testing.assert_array_equal(found["a"], [1, 3, 0.5])
    np.testing.assert_array_equal(found["b"], [2, np.nan, 0.5])
    single = _scores({0: {"test_scores": 0.25, "fit_error": None}})
    assert {name: values.tolist() for name, values in single.items()} == {"score": [0.25]}
