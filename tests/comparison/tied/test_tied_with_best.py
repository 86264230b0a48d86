"""tied_with_best: what it puts together, what it refuses, and what it says."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, median_absolute_error

from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import (
    Bonferroni,
    CrossValidationWithConfidence,
    ModelConfidenceSet,
    SoftminLeaveOneOut,
    registered_tied,
    tied_with_best,
)
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric, within_folds
from sklearn_bbc.testing import example_predictions

PARAMS = [{"kind": "tree" if k < 3 else "linear", "size": k % 3} for k in range(6)]
OOF = example_predictions(n_configs=6)._with_fields(params=PARAMS)


def tied(oof=OOF, scoring="roc_auc", **options):
    return tied_with_best(oof, scoring, **{"n_bootstraps": 200, "random_state": 0, **options})


def test_members_are_those_of_the_method():
    for name in registered_tied():
        result = tied(method=name, confidence_level=0.9)
        expected = set(np.flatnonzero(result.p_values > 1 - 0.9)) | {result.best}
        assert set(result) == expected, name
        assert result.method == name and result.confidence_level == 0.9


def test_the_default_is_the_one_of_the_study():
    assert tied().method == Bonferroni.name
    values = (OOF.responses["predict_proba"] > 0.5) == OOF.y_true
    expected = Bonferroni().p_values(values.T.astype(float))
    np.testing.assert_array_equal(tied(scoring="accuracy").p_values, expected)


def test_folds_reach_the_method():
    values = ((OOF.responses["predict_proba"] > 0.5) == OOF.y_true).T.astype(float)
    method = CrossValidationWithConfidence(n_bootstraps=300, random_state=4)
    result = tied(scoring="accuracy", method=method)
    np.testing.assert_array_equal(result.p_values, method.p_values(values, OOF.fold))


def test_scores_and_the_best_are_those_of_all_predictions_together():
    scores = as_metric("roc_auc").bind(OOF).on_data()
    result = tied()
    np.testing.assert_array_equal(result.scores, scores)
    assert result.best == scores.argmax() and result.best in result


def test_draws_are_those_of_bbc():
    result = tied(n_bootstraps=300, random_state=7)
    details = BBC(n_bootstraps=300, random_state=7).estimate(OOF, "roc_auc").details
    assert result.won[details["winner"]] == details["winner_share"]
    assert result.details["seed"] == 7 and result.details["n_bootstraps"] == 300


@pytest.mark.parametrize("name", sorted(registered_tied()))
def test_threads_and_working_memory_do_not_matter(name):
    one = tied(method=name)
    assert tied(method=name, n_jobs=2) == one
    with config_context(working_memory=1):
        assert tied(method=name) == one


def test_a_seed_of_the_call_reaches_a_method_that_is_named():
    by_name = tied(method="cvc", n_bootstraps=150, random_state=3)
    own = CrossValidationWithConfidence(n_bootstraps=150, random_state=3)
    np.testing.assert_array_equal(by_name.p_values, tied(method=own).p_values)


def test_simplest_is_the_simplest_member_and_of_equals_the_best():
    result = tied(complexity=["size"])
    sizes = np.array([each["size"] for each in PARAMS])
    simple = [k for k in result if sizes[k] == sizes[result.members].min()]
    assert result.simplest == max(simple, key=lambda k: result.scores[k])
    assert tied().simplest is None


def test_families_and_what_members_share():
    result = tied(family="kind")
    assert result.families == ("kind=tree",) * 3 + ("kind=linear",) * 3
    assert tied(family="size").families[:2] == ("size=0", "size=1")
    alone = tied(method=SoftminLeaveOneOut(confidence_level=0.01))
    only = {name: PARAMS[alone.best][name] for name in ("kind", "size")}
    assert len(alone) == 1 and alone.details["shared"] == only
    assert tied(OOF._with_fields(params=None)).families == ()


def test_equal_configurations_are_all_tied():
    pred = np.repeat(OOF.responses["predict_proba"][:1], 4, axis=0)
    oof = OOF._with_fields(responses={"predict_proba": pred}, params=PARAMS[:4])
    oof = OOFPredictions(y_true=OOF.y_true, responses={"predict_proba": pred}, fold=OOF.fold)
    result = tied(oof)
    assert len(result) == 4 and (result.p_values == 1).all()
    assert "every one of them may be the best" in " ".join(result.details["notes"])
    assert np.isnan(result.details["best_p_value"]) and (result.difference == 0).all()


def test_one_configuration_is_the_only_one():
    pred = OOF.responses["predict_proba"][:1]
    oof = OOFPredictions(y_true=OOF.y_true, responses={"predict_proba": pred}, fold=OOF.fold)
    result = tied(oof)
    assert list(result) == [0] and result.won == [1.0]
    assert "Only one configuration was tried" in " ".join(result.details["notes"])


def test_one_that_is_clearly_the_best_stays_alone():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    logits = rng.normal(size=(5, 120)) + 0.3 * (2 * y - 1)
    logits[2] += 4 * (2 * y - 1)
    oof = OOFPredictions(
        y_true=y, responses={"predict_proba": 1 / (1 + np.exp(-logits))}, fold=np.arange(120) % 5
    )
    # (By the maximum, the model confidence set compares with the mean of equal ones.)
    methods = [name for name in registered_tied() if name != "model_confidence_set"]
    for method in [*methods, ModelConfidenceSet(statistic="range", random_state=0)]:
        result = tied(oof, method=method)
        assert list(result) == [2] and result.details["best_p_value"] < 1e-6
        assert (np.delete(result.high, 2) < 0).all() and result.won[2] == 1


def test_failed_configurations_are_no_members():
    failed = np.zeros(6, dtype=bool)
    failed[5] = True
    result = tied(OOF._with_fields(failed=failed))
    assert 5 not in result and np.isnan(result.p_values[5]) and np.isnan(result.scores[5])
    assert result.details["n_valid"] == 5
    assert any(
        "Configuration 5" in note and "is left out" in note for note in result.details["notes"]
    )


def test_another_winner_is_noted():
    best = tied().best
    other = (best + 1) % 6
    result = tied(OOF.with_selected(other, by="the search"))
    note = [note for note in result.details["notes"] if f"is configuration {other}" in note]
    assert len(note) == 1 and result.best == best
    assert result.details["selected"] == other
    assert not any(
        "the winner is" in note for note in tied(OOF.with_selected(best)).details["notes"]
    )


def test_rank_metrics_say_that_they_compare_across_folds():
    # Scores of a class and its fold: no order of the pooled ones is right.
    logits = OOF.responses["predict_proba"] + OOF.fold
    apart = OOFPredictions(
        y_true=OOF.y_true, responses={"decision_function": logits}, fold=OOF.fold
    )
    assert any("different folds" in note for note in tied(apart).details["notes"])
    within = tied(apart, within_folds("roc_auc"))
    assert not any("different folds" in note for note in within.details["notes"])
    assert len(within) >= 1


def test_a_metric_of_single_samples_is_noted():
    rng = np.random.default_rng(1)
    y = rng.normal(size=40)
    oof = OOFPredictions(
        y_true=y, y_pred=y[:, None] + rng.normal(size=(40, 3)), fold=np.arange(40) % 4
    )
    scorer = make_scorer(median_absolute_error, greater_is_better=False)
    assert any("depends on single samples" in n for n in tied(oof, scorer).details["notes"])
    for scoring in ("r2", "neg_mean_squared_error", "neg_root_mean_squared_error"):
        result = tied(oof, scoring)
        assert not any("single samples" in n for n in result.details["notes"])


def test_groups_weights_repeats():
    groups = np.arange(60) // 3
    grouped = tied(OOF._with_fields(groups=groups, fold=groups % 6), "accuracy")
    assert (grouped.details["unit"], grouped.details["n_units"]) == ("group", 20)
    weight = np.random.default_rng(0).uniform(0.5, 2, 60)
    weighted = tied(OOF._with_fields(sample_weight=weight))
    assert not np.allclose(weighted.p_values, tied().p_values)
    same = tied(OOF._with_fields(sample_weight=np.full(60, 3.0)))
    np.testing.assert_allclose(same.p_values, tied().p_values, rtol=1e-8)
    twice = OOFPredictions(
        y_true=OOF.y_true,
        y_pred=np.repeat(OOF.responses["predict_proba"].T[None], 2, axis=0),
        fold=np.stack([OOF.fold, OOF.fold]),
    )
    np.testing.assert_allclose(
        tied(twice, "neg_log_loss").p_values, tied(scoring="neg_log_loss").p_values, rtol=1e-8
    )


def test_a_class_in_one_sample_is_refused_or_told():
    y = np.zeros(20, dtype=int)
    y[3] = 1
    oof = OOFPredictions(
        y_true=y, responses={"predict_proba": np.random.default_rng(0).random((3, 20))},
        fold=np.arange(20) % 4,
    )  # fmt: skip
    with pytest.raises(UndefinedIntervalError, match="undefined without class 1"):
        tied(oof)
    assert len(tied(oof, "accuracy")) >= 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "best"}, r"method must be one of \['bonferroni', .*got 'best'"),
        ({"method": BBC()}, "method must be one of"),
        ({"confidence_level": 1.0}, "strictly between 0 and 1, got 1.0"),
        ({"method": Bonferroni(), "confidence_level": 0.9}, r"in one place.*its own \(0\.95\)"),
        ({"n_bootstraps": 5}, "n_bootstraps must be"),
        ({"complexity": 3}, "complexity must be"),
        ({"complexity": "depth"}, "complexity names the parameter 'depth'"),
        ({"family": "depth"}, r"family names \['depth'\]"),
        ({"random_state": "seed"}, "random_state must be"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        tied(**options)


@pytest.mark.parametrize("what", ["complexity", "family"])
def test_parameters_must_be_known_to_be_asked_for(what):
    with pytest.raises(ValueError, match=f"{what} looks at the parameters.*params="):
        tied(OOF._with_fields(params=None), **{what: "size"})


def test_what_is_no_prediction_is_refused():
    with pytest.raises(ValueError, match="oof must be an OOFPredictions, got LogisticRegression"):
        tied(LogisticRegression())
    with pytest.raises(ValueError, match=r"scoring must be given.*tied_with_best\(oof"):
        tied_with_best(OOF)
    scores = OOFPredictions(y_true=[], classes=None, fold_scores={"accuracy": np.eye(3)})
    with pytest.raises(ValueError, match=r"only fold scores.* Use BBCSearchCV"):
        tied(scores, "accuracy")


def test_a_level_is_that_of_the_object():
    assert tied(method=ModelConfidenceSet(confidence_level=0.8, n_bootstraps=100)) \
        .confidence_level == 0.8  # fmt: skip


def test_arrays_have_one_winner_for_intervals_and_tied_sets_and_it_is_called_by_its_name():
    rng = np.random.default_rng(4)
    y = np.tile([0, 1, 1, 0], 20)
    columns = {f"m{k}": rng.normal(size=80) + 0.5 * y + (np.arange(80) // 8) * k for k in range(6)}
    oof = OOFPredictions(y_true=y, y_pred=pd.DataFrame(columns), fold=np.arange(80) // 8)
    tied = tied_with_best(oof, "roc_auc", random_state=0)
    result = BBC(random_state=0).estimate(oof, "roc_auc")
    assert result.details["winner"] == tied.details["selected"] != tied.best
    (note,) = [note for note in tied.details["notes"] if note.startswith("The winner (mean")]
    assert f"is m{tied.details['selected']}" in note and f"that of m{tied.best}" in note
