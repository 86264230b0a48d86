"""What a stage of the search knows, and what it says of its results."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn import config_context, get_config

from sklearn_bbc.intervals import BBC, BBCF
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search._stage import distinct_names
from tests.search.staged import BY_FOLDS, OOF, Scripted, notes_of, stage


def test_the_best_mean_is_the_first_of_those_that_did_not_fail():
    assert stage().best_by_mean("accuracy") == 2
    assert stage().best_mean_score("accuracy") == 0.7
    assert stage().is_best("accuracy", 3) and not stage().is_best("accuracy", 1)


def test_without_any_score_nothing_is_best():
    assert stage().best_by_mean("f1") is None
    assert np.isnan(stage().best_mean_score("f1"))


def test_a_method_takes_what_it_leaves_open_from_the_search():
    method = BBC(n_bootstraps=50)
    completed = stage()._completed(method)
    assert (completed.random_state, completed.n_jobs, completed.n_bootstraps) == (3, 2, 50)
    assert (method.random_state, method.n_jobs) == (None, None)
    own = stage()._completed(BBC(random_state=0, n_jobs=1))
    assert (own.random_state, own.n_jobs) == (0, 1)
    assert stage()._completed(BBCF()).random_state == 3


@pytest.mark.parametrize(
    ("name", "selected", "weighted"), [("accuracy", 1, True), ("f1", 1, False)]
)
def test_every_metric_sees_the_winner_and_its_own_weights(name, selected, weighted):
    one = stage()
    seen = one._view(one.metrics[name], None)
    assert seen.selected == selected
    assert (seen.sample_weight is not None) == weighted
    assert seen.responses["predict"] is not None


def test_a_metric_from_outside_sees_no_fold_scores_of_its_name():
    oof = OOF._with_fields(fold_scores={"accuracy": np.ones((6, 4)), "f1": np.zeros((6, 4))})
    outside = as_metric("balanced_accuracy", name="f1")
    seen = stage(oof=oof)._view(outside, None)
    assert seen.selected == 1
    assert list(seen.fold_scores) == ["accuracy"]


def test_one_configuration_is_seen_as_the_only_one():
    one = stage()
    seen = one._view(one.metrics["accuracy"], 2)
    assert seen.failed.tolist() == [True, True, False, True]
    assert seen.selected == 2


def test_notes_belong_to_results_about_the_selection():
    noted = stage(notes=["remark"])
    method, metric = BBC(n_bootstraps=20), noted.metrics["accuracy"]
    assert "remark" in noted.estimate(method, metric).details["notes"]
    assert "remark" not in noted.estimate(method, metric, config=1).details["notes"]


def test_changed_fields_leave_the_original_and_share_the_arrays():
    changed = OOF._with_fields(selected=3)
    assert (OOF.selected, changed.selected) == (1, 3)
    assert np.shares_memory(changed.responses["predict"], OOF.responses["predict"])


def test_names_are_made_distinct():
    assert distinct_names([BBC(), BBCF(), BBC(), BBC()]) == ["bbc", "bbcf", "bbc_2", "bbc_3"]


@pytest.fixture
def as_bbc(monkeypatch):
    """Methods under the name of BBC, as a user's own settings of it."""
    monkeypatch.setattr(Scripted, "name", "bbc", raising=False)


def test_a_corrected_score_is_taken_from_the_results_that_are_there(as_bbc):
    one = stage()
    there = one.estimate_or_explain(Scripted(), one.metrics["accuracy"])
    assert one.corrected("bbc", [there]) is there
    assert one.corrected("bbcf", [there]).method == "bbcf"


def test_a_corrected_score_is_never_taken_from_a_result_that_failed(as_bbc):
    one = stage()
    failed = one.estimate_or_explain(Scripted(fails=True), one.metrics["accuracy"])
    assert failed.method == "bbc" and failed.details["error"] == "ValueError: it is broken"
    corrected = one.corrected("bbc", [failed])
    assert "error" not in corrected.details
    alone = one.estimate(BBC(random_state=3), one.metrics["accuracy"])
    assert corrected.estimate == alone.estimate


def test_a_corrected_score_that_cannot_be_had_says_why():
    nothing = OOF._with_fields(responses={})
    corrected = stage(oof=nothing).corrected("bbc", [])
    assert np.isnan(corrected.estimate)
    assert "needs out-of-fold predictions" in corrected.details["error"]


def run_unasked(**fields):
    """Results of accuracy by default, and what was warned of."""
    one = stage(metrics={"accuracy": as_metric("accuracy")}, **fields)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = one.run(None)
    assert list(results) == ["accuracy"]
    return results["accuracy"], [str(each.message) for each in caught]


def test_unasked_it_is_bbc():
    results, told = run_unasked()
    assert list(results) == ["bbc"] and not told
    metric = as_metric("accuracy")
    assert results["bbc"].estimate == stage().estimate(BBC(random_state=3), metric).estimate


@pytest.mark.parametrize("asked", [True, False])
def test_unasked_it_is_bbcf_where_there_are_no_predictions(asked):
    results, told = run_unasked(oof=BY_FOLDS, asked=asked, why_unrecorded="the record is gone")
    assert list(results) == ["bbcf"]
    (note,) = (n for n in results["bbcf"].details["notes"] if "interval is BBC-F's" in n)
    assert "the record is gone" in note
    assert told == ([note] if asked else [])


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"failures": {"accuracy": "Every score failed."}}, "Every score failed."),
        (
            {"oof": BY_FOLDS, "failures": {"accuracy": "Every score failed."}},
            "Every score failed.",
        ),
        ({"oof": OOF._with_fields(failed=np.ones(4, bool))}, "No configuration"),
        ({"oof": BY_FOLDS._with_fields(failed=np.ones(4, bool))}, "out-of-fold predictions"),
        ({"oof": BY_FOLDS._with_fields(fold_scores={"accuracy": np.full((6, 4), np.nan)})}, None),
    ],
    ids=["scorer", "scorer, no record", "all failed", "all failed, no record", "no score"],
)
def test_a_failure_is_told_unless_scikit_learn_has_told_it(fields, why):
    results, told = run_unasked(**fields)
    (result,) = results.values()
    assert result.method == "bbc" and np.isnan(result.estimate)
    if why is None:
        assert not told
    else:
        (message,) = told
        assert message.startswith("No 'bbc' interval for accuracy: ") and why in message


def test_a_metric_whose_scorer_had_no_weights_is_scored_without():
    weighted = stage(unweighted=set())
    plain = stage(unweighted={"accuracy", "f1"}, oof=OOF._with_fields(sample_weight=None))
    mixed = stage()  # accuracy with weights, F1 without
    method = BBC(n_bootstraps=40)
    for name, expected, other in (("accuracy", weighted, plain), ("f1", plain, weighted)):
        metric = mixed.metrics[name]
        score = mixed.estimate(method, metric, tuned_by=metric).estimate
        assert score == expected.estimate(method, metric, tuned_by=metric).estimate
        assert score != other.estimate(method, metric, tuned_by=metric).estimate


def test_a_metric_from_outside_keeps_the_weights():
    outside = as_metric("balanced_accuracy", name="f1")
    seen = stage()._view(outside, None).sample_weight
    np.testing.assert_array_equal(seen, OOF.sample_weight)


@pytest.mark.parametrize(
    ("megabytes", "allowed", "memory"), [(0, 1024, 16), (200, 1024, 40), (200, 20, 20)]
)
def test_intervals_take_a_share_of_the_memory_of_the_predictions(megabytes, allowed, memory):
    large = SimpleNamespace(nbytes=megabytes * 2**20)
    with config_context(working_memory=allowed):
        with stage(oof=SimpleNamespace(responses={"predict": large})).sparing():
            assert get_config()["working_memory"] == memory
        assert get_config()["working_memory"] == allowed


def test_a_method_for_a_given_configuration_is_not_told_of_another(as_bbc):
    class Named(Scripted):
        config = 2

    assert notes_of(stage(best_index=1), method=Named()) == (None, [])
