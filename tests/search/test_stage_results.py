"""What a stage says of single results, and what it refuses: stages made by hand."""

import warnings

import numpy as np
import pytest

from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search._stage import RefitRule, _with_notes
from sklearn_bbc.selection import BestScore, OneStandardError, RefitCallable
from tests.search.staged import BY_FOLDS, FOLDS, OOF, Scripted, notes_of, result, stage

ACCURACY, F1 = as_metric("accuracy"), as_metric("f1")


def test_a_failed_metric_is_refused_with_its_reason_and_others_of_its_name_are_not():
    failed = stage(failures={"f1": "Every score failed.", "balanced_accuracy": "nothing"})
    method = BBC(n_bootstraps=20)
    with pytest.raises(ValueError, match=r"^Every score failed\.$"):
        failed.estimate(method, failed.metrics["f1"])
    # Not a metric of the search.
    assert failed.estimate(method, as_metric("balanced_accuracy")).estimate > 0
    assert failed.estimate(method, failed.metrics["accuracy"]).estimate > 0


def test_methods_of_folds_need_no_predictions_and_others_say_why_there_are_none():
    gone = stage(oof=BY_FOLDS, why_unrecorded="the record is gone")
    assert np.isfinite(gone.estimate(BBCF(), gone.metrics["accuracy"]).estimate)
    with pytest.raises(ValueError, match=r"BBC needs out-of-fold .*: the record is gone. BBCF"):
        gone.estimate(BBC(), gone.metrics["accuracy"])
    with pytest.raises(ValueError) as caught:
        stage(oof=BY_FOLDS).estimate(BBC(), gone.metrics["accuracy"])
    assert "only fold scores:" not in str(caught.value)


def test_one_configuration_is_looked_at_without_the_rule_and_the_notes():
    rule = RefitRule(selection=OneStandardError("a"))
    oof = OOF._with_fields(params=tuple({"a": k} for k in range(4)))
    one = stage(oof=oof, rule=rule, notes=["remark"], best_index=3)
    alone = one.estimate(BBC(n_bootstraps=30), one.metrics["accuracy"], config=1)
    assert "rule" not in alone.details and "best_index" not in alone.details
    assert "optimism_parts" not in alone.details
    selected = one.estimate(BBC(n_bootstraps=30), one.metrics["accuracy"])
    assert selected.details["rule"] == "one standard error"
    assert "remark" in selected.details["notes"]


def test_a_rule_is_repeated_only_where_that_is_possible():
    can = RefitRule(selection=BestScore())
    cannot = RefitRule(selection=BestScore(), why_not="it is moody")
    assert stage(rule=can).repeated is can
    assert stage(rule=cannot).repeated is None and stage().repeated is None
    assert "rule" not in stage(rule=cannot).estimate(BBC(n_bootstraps=20), ACCURACY).details


def test_a_failure_looks_like_a_result_of_the_method():
    method = BBC(n_bootstraps=20, confidence_level=0.8, alternative="greater")
    failed = stage(failures={"f1": "no."}).estimate_or_explain(method, stage().metrics["f1"])
    assert np.isnan([failed.estimate, failed.low, failed.high]).all()
    assert (failed.confidence_level, failed.alternative) == (0.8, "greater")
    assert (failed.method, failed.metric, failed.estimand) == ("bbc", "f1", BBC.estimand)
    assert failed.details == {"error": "ValueError: no."}


def test_named_methods_are_run_on_every_metric_and_each_failure_is_told(monkeypatch):
    monkeypatch.setattr(Scripted, "name", "scripted", raising=False)
    one = stage(failures={"f1": "F1 failed."}, unweighted=set())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = one.run([BBC(n_bootstraps=20), Scripted(), BBC(n_bootstraps=30)])
    assert {name: list(of) for name, of in results.items()} == {
        "accuracy": ["bbc", "scripted", "bbc_2"],
        "f1": ["bbc", "scripted", "bbc_2"],
    }
    assert results["accuracy"]["bbc_2"].n_bootstraps == 30
    told = [str(each.message) for each in caught]
    assert [each.split("interval")[0] for each in told] == [
        "No 'bbc' ", "No 'scripted' ", "No 'bbc_2' ",
    ]  # fmt: skip
    assert all("for f1: ValueError: F1 failed. The search itself is complete." in t for t in told)
    assert {each.category for each in caught} == {IntervalWarning}


def test_unasked_every_metric_has_its_own_way():
    """One without predictions to work on does not take BBC from the others."""

    def outside(estimator, X, y):
        return 0.5

    metrics = {"own": as_metric(outside, "own"), "accuracy": ACCURACY}
    scores = {"own": np.full((6, 4), 0.5), "accuracy": FOLDS["accuracy"]}
    oof = OOF._with_fields(fold_scores=scores, failed=np.zeros(4, bool))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = stage(metrics=metrics, oof=oof, unweighted=set()).run(None)
    assert list(found) == ["own", "accuracy"] and list(found["accuracy"]) == ["bbc"]


@pytest.mark.parametrize("by_rule", [True, False])
@pytest.mark.parametrize("repeats", [True, False])
def test_a_corrected_score_is_about_the_selection_of_the_search(by_rule, repeats):
    rule = RefitRule(selection=BestScore()) if repeats else None
    one = stage(rule=rule)
    there = result(**({"rule": BestScore()} if by_rule else {}))
    found = one.corrected("bbc", [result("bbcf"), there])
    assert (found is there) == (by_rule == repeats)
    assert found.method == "bbc" and found.metric == "accuracy"


def test_a_corrected_score_that_nobody_asked_for_warns_of_nothing():
    lonely = OOF._with_fields(fold=np.arange(60))  # a sample a fold
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stage(oof=lonely).corrected("bbc", [])
        assert stage(failures={"accuracy": "no"}).corrected("bbc", []).details["error"]


def test_the_reported_score_is_that_of_what_the_result_is_about():
    one = stage()
    assert one.reported_score(result(winner=1)) == 0.5
    assert one.reported_score(result(winner=0)) == 0.9
    assert one.reported_score(result()) == 0.7
    with pytest.raises(KeyError):
        one.reported_score(result(metric="unknown"))


def test_the_search_s_own_selection_is_named_beside_another_one():
    assert notes_of(stage()) == (None, [])  # it selected none
    assert notes_of(stage(best_index=2)) == (None, [])  # the same one
    index, (note,) = notes_of(stage(best_index=1))
    assert index == 1 and note == (
        "This is about configuration 2, which BBC selects; the search returns configuration 1."
    )
    without = result()
    assert stage(best_index=1)._with_best_index(without, BBC()) is without


@pytest.mark.parametrize("selection", [RefitCallable(len), BestScore(), None])
def test_every_metric_has_the_rule_of_the_search(selection):
    rule = None if selection is None else RefitRule(selection=selection)
    one = stage(rule=rule, best_index=2)
    accuracy, f1 = one.metrics["accuracy"], one.metrics["f1"]
    assert one.selection(accuracy) is selection
    if isinstance(selection, RefitCallable):
        assert one.selection(f1) is selection
    else:
        given = one.selection(f1)
        assert (given.scoring, given.selection) == (accuracy, selection)
        assert given._oof.sample_weight is not None  # F1 has no weights here, accuracy has
    assert one.selection(f1, f1) is None
    assert one.selection(f1, accuracy).selection is None


def test_tuning_by_another_metric_sees_its_best_mean():
    means = {"accuracy": np.array([0.9, 0.5, 0.7, 0.7]), "f1": np.array([0.9, 0.1, 0.2, 0.3])}
    one = stage(mean_scores=means)
    f1 = one.metrics["f1"]
    seen = one._view(f1, tuned_by=f1)
    assert (seen.selected, seen.selected_by) == (3, "mean over folds of f1")
    assert one._view(one.metrics["accuracy"], None) is OOF
    given = one._view(one.metrics["accuracy"], 0)
    assert (given.selected, given.selected_by) == (0, "given") and given.failed.all()


def test_parts_are_said_of_own_metrics_with_a_winner_only():
    scores = {"accuracy": np.arange(24.0).reshape(6, 4) / 100}
    one = stage(oof=OOF._with_fields(fold_scores=scores))
    own = result(winner=2, pooled_score=0.65)
    parts = one._with_parts(own, one.metrics["accuracy"]).details["optimism_parts"]
    assert parts == pytest.approx({"pooling": 0.05, "selection": 0.05})
    # The standard error is that of the winner's folds.
    wide = {"accuracy": np.where(np.arange(4) == 2, 10.0, 1.0) * scores["accuracy"]}
    far = result(winner=2, pooled_score=0.61)
    mostly = {
        spread: stage(oof=OOF._with_fields(fold_scores=given))
        ._with_parts(far, one.metrics["accuracy"])
        .details["mostly_pooling"]
        for spread, given in (("narrow", scores), ("wide", wide))
    }
    assert mostly == {"narrow": True, "wide": False}
    assert one._with_parts(own, as_metric("accuracy", name="other")) is own
    assert one._with_parts(own, as_metric("f1", name="accuracy")) is own
    nobody = result(pooled_score=0.65)
    assert one._with_parts(nobody, one.metrics["accuracy"]) is nobody
    # Without scores of folds there are parts all the same.
    assert "optimism_parts" in stage()._with_parts(own, one.metrics["accuracy"]).details


def test_a_metric_of_the_same_name_but_another_scorer_is_not_the_search_s():
    one = stage()
    assert one._is_own(one.metrics["accuracy"])
    assert not one._is_own(as_metric("balanced_accuracy", name="accuracy"))
    assert not one._is_own(as_metric("balanced_accuracy"))


def test_remarks_come_after_those_that_are_there():
    given = result(notes=["first"])
    assert _with_notes(given, []) is given
    assert _with_notes(given, iter(["second", "third"])).details["notes"] == [
        "first", "second", "third",
    ]  # fmt: skip
    assert given.details["notes"] == ["first"]
    assert _with_notes(result(), ["only"]).details["notes"] == ["only"]


def test_a_metric_of_the_search_goes_by_its_sign():
    own = stage(metrics={"neg_mean_absolute_error": as_metric("r2")})  # greater is better here
    assert own._name("neg_mean_absolute_error") == "neg_mean_absolute_error"
    assert stage()._name("neg_mean_absolute_error") == "mean absolute error"
