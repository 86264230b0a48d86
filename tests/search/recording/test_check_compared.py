"""What the check compares, within which tolerance, and what it leaves out."""

import itertools
import warnings

import numpy as np
import pytest

from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search._verify import (
    check_record,
    not_the_same,
)
from tests.search.recording.checked import (
    FOLD,
    SCORES,
    C,
    K,
    best_threshold,
    changed,
    check,
    record,
    replayed_record,
    with_labels_of_another_model,
)


def test_one_metric_that_agrees_or_cannot_be_had_hides_no_other():
    """Metrics are looked at one by one, whatever came of those before."""
    metric, oof = record()
    wrong = changed(oof, 3, 2)
    names = ("agrees", "fails", "wavers", "empty")
    own = {name: wrong._with_fields(fold_scores={name: np.zeros((K, C))}) for name in names}
    own["empty"] = own["empty"]._with_fields(responses={})
    numbers = itertools.count(1)

    def fails(estimator, X, y):
        raise RuntimeError("needs more")

    views = {
        "empty": (metric, own["empty"]),
        "fails": (as_metric(fails), own["fails"]),
        "agrees": (as_metric(lambda estimator, X, y: 0.0, name="agrees"), own["agrees"]),
        "wavers": (as_metric(lambda *given: float(next(numbers)), name="wavers"), own["wavers"]),
        "roc_auc": (metric, wrong),
    }
    found = check_record(views, dict.fromkeys(views))
    assert np.argwhere(found.cells).tolist() == [[2, 3]]
    assert found.metrics == ["roc_auc"] and found.unsteady == ["wavers"]
    assert found.methods == {"decision_function"}


def test_cells_and_methods_of_all_metrics_come_together():
    auc, oof = record()
    accuracy, labels = record("accuracy", (SCORES > 0.5).astype(np.int8), "predict")
    codes = labels.responses["predict"].copy()
    codes[4, FOLD == 4] ^= 1
    views = {
        "roc_auc": (auc, changed(oof, 1, 0)),
        "accuracy": (accuracy, labels._with_fields(responses={"predict": codes})),
    }
    found = check_record(views, {})
    assert np.argwhere(found.cells).tolist() == [[0, 1], [4, 4]]
    assert found.methods == {"decision_function", "predict"}
    assert found.metrics == ["roc_auc", "accuracy"]


@pytest.mark.parametrize("some", [[2], [2, 4], [0, 5]])
def test_failed_configurations_hide_no_other_and_miss_nothing(some):
    metric, oof = record()
    failed = np.isin(np.arange(C), some)
    wrong = changed(oof, 3, 1)._with_fields(failed=failed)
    heard = {"decision_function": np.zeros(C, dtype=bool)}
    found = check_record({"roc_auc": (metric, wrong)}, {}, heard=heard)
    assert np.argwhere(found.cells).tolist() == [[1, 3]]
    np.testing.assert_array_equal(found.missing, ~failed)
    nothing = wrong._with_fields(failed=np.ones(C, dtype=bool))
    found = check(metric, nothing)
    assert not found.cells.any() and not found.missing.any() and not found.unsteady


def test_every_metric_is_asked_for_its_own_method_only():
    auc, oof = record()
    accuracy, labels = record("accuracy", (SCORES > 0.5).astype(np.int8), "predict")
    heard = {"decision_function": np.arange(C) != 1, "predict": np.arange(C) != 2}
    missing = {}
    for name, view in (("roc_auc", (auc, oof)), ("accuracy", (accuracy, labels))):
        missing[name] = np.flatnonzero(check_record({name: view}, {}, heard=heard).missing)
    assert {name: each.tolist() for name, each in missing.items()} == {
        "roc_auc": [1],
        "accuracy": [2],
    }
    both = check_record({"roc_auc": (auc, oof), "accuracy": (accuracy, labels)}, {}, heard=heard)
    assert np.flatnonzero(both.missing).tolist() == [1, 2]
    # A metric that asks for a method nobody was heard with: any of the others will do.
    other = check_record({"roc_auc": (auc, oof)}, {}, heard={"predict": heard["predict"]})
    assert np.flatnonzero(other.missing).tolist() == [2]
    several = {"predict_proba": np.arange(C) < 3, "decision_function": np.arange(C) > 2}
    assert not check_record({"roc_auc": (auc, oof)}, {}, heard=several).missing.any()


@pytest.mark.parametrize(
    ("dtype", "relative"),
    [(np.float64, 1e-6), (np.float32, 1000 * np.finfo(np.float32).eps)],
)
def test_the_tolerance_is_a_millionth_or_a_thousand_roundings(dtype, relative):
    _, oof = record(values=SCORES.astype(dtype))
    scores = np.full((K, C), 2.0)
    for factor, differs in ((0.9995, False), (1.0005, True)):
        again = scores.copy()
        again[1, 2] -= 2 * factor * relative
        again[3, 4] = np.inf
        found = not_the_same(scores, again, oof)
        assert found.sum() == found[1, 2] == differs
    assert not not_the_same(np.zeros((K, C)), np.zeros((K, C)), oof).any()


def test_scores_near_zero_are_judged_by_the_typical_one_and_large_ones_by_their_own():
    _, oof = record()
    scores = np.full((K, C), 1.0)
    scores[0, 0], scores[1, 1] = 0.0, 1e9
    again = scores.copy()
    again[0, 0] += 5e-7
    again[1, 1] += 500
    assert not not_the_same(scores, again, oof).any()
    assert not not_the_same(again, scores, oof).any()
    again[0, 0], again[1, 1] = 2e-6, 1e9 + 2000
    assert np.argwhere(not_the_same(scores, again, oof)).tolist() == [[0, 0], [1, 1]]
    assert np.argwhere(not_the_same(again, scores, oof)).tolist() == [[0, 0], [1, 1]]


def test_labels_derived_from_probabilities_are_those_of_the_recorded_method():
    probabilities = 1 / (1 + np.exp(-SCORES))
    metric, oof = record("accuracy", probabilities, "predict_proba")
    wrong = probabilities.copy()
    wrong[3, FOLD == 2] = 1 - wrong[3, FOLD == 2]
    found = check(metric, oof._with_fields(responses={"predict_proba": wrong}))
    assert np.argwhere(found.cells).tolist() == [[2, 3]]
    assert found.methods == {"predict_proba"}


def test_a_metric_that_wavers_once_cannot_be_compared():
    numbers = itertools.chain([1.0, 2.0], itertools.repeat(3.0))
    _, oof = replayed_record()
    oof = oof._with_fields(fold_scores={"moody": oof.fold_scores["best_threshold"]})
    found = check(as_metric(lambda *given: next(numbers), name="moody"), oof)
    assert found.unsteady == ["moody"] and not found.cells.any()


def test_what_a_scorer_warns_of_was_shown_by_the_search(recwarn):
    def warning(estimator, X, y):
        warnings.warn("again and again", UserWarning, stacklevel=1)
        return best_threshold(estimator, X, y)

    _, oof = replayed_record()
    oof = oof._with_fields(fold_scores={"warning": oof.fold_scores["best_threshold"]})
    assert not check(as_metric(warning), oof).cells.any() and not recwarn.list


def test_infinite_scores_are_not_compared_in_silence():
    _, oof = record()
    scores = np.full((K, C), 2.0)
    scores[0, 0] = scores[1, 1] = np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not not_the_same(scores, scores.copy(), oof).any()


def test_a_method_that_the_metric_does_not_use_was_not_wrong():
    metric, oof, wrong = with_labels_of_another_model()
    responses = {"predict": wrong, "decision_function": SCORES, "predict_proba": SCORES}
    assert check(metric, oof._with_fields(responses=responses)).methods == {"predict"}
