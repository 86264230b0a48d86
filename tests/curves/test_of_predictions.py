"""Subgroups, stability and thresholds of any predictions: those of a search, without one."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, mean_absolute_error

from sklearn_bbc import BBC, OOFPredictions
from sklearn_bbc.curves import prediction_stability, subgroup_scores, tuned_threshold
from sklearn_bbc.selection import (
    GreedyEnsemble,
    MeanCost,
    OneStandardError,
    SelectedBy,
    WithThreshold,
)
from tests.search.small_search import X, Y, search

BY = np.where(np.arange(len(Y)) % 3 == 0, "one", "other")
DRAWS = BBC(n_bootstraps=60, random_state=0)
SIMPLE = OneStandardError("C")
# Rule of `refit` -> the rule that repeats it in draws.
RULES = {True: None, "simplest": SIMPLE}


@pytest.fixture(scope="module", params=RULES)
def found(request):
    """A search, and the settings by which its predictions give the same."""
    rule = RULES[request.param]
    model, grid = LogisticRegression(), {"C": [0.001, 0.01, 0.1, 1]}
    options = {"record": "predict_proba", "ci": []}
    finished = search(model, grid, refit=True if rule is None else rule, **options).fit(X, Y)
    return finished, clone(DRAWS).set_params(selection=rule)


def test_subgroups_are_those_of_the_search(found):
    finished, method = found
    expected = finished.subgroups(BY, method=BBC(n_bootstraps=60)).frame()
    here = subgroup_scores(finished.oof_, "roc_auc", BY, method=method).frame()
    assert here.equals(expected)
    expected = finished.subgroups(BY, scoring="accuracy", method=BBC(n_bootstraps=60)).frame()
    by_auc = BBC(
        n_bootstraps=60, random_state=0, selection=SelectedBy("roc_auc", method.selection)
    )
    assert subgroup_scores(finished.oof_, "accuracy", BY, method=by_auc).frame().equals(expected)


def test_stability_is_that_of_the_search(found):
    finished, method = found
    expected = finished.prediction_stability(method=BBC(n_bootstraps=60))
    here = prediction_stability(finished.oof_, "roc_auc", method=method)
    assert here.frame().equals(expected.frame())
    assert here.mean_difference == expected.mean_difference


@pytest.mark.parametrize("scoring", ["balanced_accuracy", [[0, 1], [5, 0]]])
def test_a_threshold_is_that_of_the_search(found, scoring):
    finished, method = found
    expected = finished.threshold(scoring, thresholds=30, method=BBC(n_bootstraps=60))
    here = tuned_threshold(finished.oof_, scoring, "roc_auc", thresholds=30, method=method)
    assert here.table().equals(expected.table())
    assert (here.threshold, here.apparent_score) == (expected.threshold, expected.apparent_score)
    assert (here.ci.low, here.ci.high) == (expected.ci.low, expected.ci.high)
    assert here.estimator is None and expected.estimator is not None
    chosen = WithThreshold(
        scoring if isinstance(scoring, str) else MeanCost(scoring),
        thresholds=30, configuration=method.selection,
    )  # fmt: skip
    alone = BBC(n_bootstraps=60, random_state=0, selection=chosen).estimate(
        finished.oof_, "roc_auc"
    )
    assert here.ci.estimate == alone.estimate
    assert here.summary() in str(here)


def test_arrays_of_any_tool_will_do():
    """Against plain sums, for one configuration, which is selected in every draw."""
    rng = np.random.default_rng(1)
    values = X[:, 0] + rng.normal(size=len(Y))
    oof = OOFPredictions(y_true=X[:, 0], y_pred=values, fold=np.arange(len(Y)) % 5)
    scores = subgroup_scores(oof, "neg_mean_absolute_error", BY, method=DRAWS).frame()
    for group in ("one", "other"):
        own = BY == group
        error = mean_absolute_error(X[own, 0], values[own])
        assert scores.loc[group, "apparent"] == pytest.approx(-error, rel=1e-12)
    stable = prediction_stability(oof, "r2", method=DRAWS)
    np.testing.assert_array_equal(stable.predicted, values)
    assert stable.mean_difference == 0
    risks = 1 / (1 + np.exp(-values))
    y = (X[:, 0] > 0).astype(int)
    oof = OOFPredictions(y_true=y, y_pred=risks, fold=np.arange(len(y)) % 5)
    tuned = tuned_threshold(oof, "balanced_accuracy", "roc_auc", method=DRAWS)
    by_threshold = [balanced_accuracy_score(y, risks >= t) for t in np.sort(risks)]
    assert tuned.apparent_score == pytest.approx(max(by_threshold), rel=1e-12)


@pytest.mark.parametrize("rule", [GreedyEnsemble(2), WithThreshold("f1")])
@pytest.mark.parametrize(
    "result",
    [
        lambda oof, method: subgroup_scores(oof, "roc_auc", BY, method=method),
        lambda oof, method: prediction_stability(oof, "roc_auc", method=method),
        lambda oof, method: tuned_threshold(oof, "f1", "roc_auc", method=method),
    ],
)
def test_a_rule_that_reports_more_than_a_configuration_is_refused(found, rule, result):
    finished, _ = found
    with pytest.raises(ValueError, match="one configuration.*" + type(rule).__name__):
        result(finished.oof_, BBC(n_bootstraps=20, random_state=0, selection=rule))


def test_scores_per_fold_are_too_little():
    oof = OOFPredictions.from_fold_scores({"accuracy": np.linspace(0.5, 0.9, 10).reshape(5, 2)})
    with pytest.raises(ValueError, match="there are only fold scores"):
        subgroup_scores(oof, "accuracy", BY)
    with pytest.raises(ValueError, match="there are only fold scores"):
        prediction_stability(oof, "accuracy")
    with pytest.raises(ValueError, match="there are only fold scores"):
        tuned_threshold(oof, "f1", "accuracy")
