"""Tied sets in the draws of a rule: the same as on the repeated samples."""

import numpy as np
import pytest

from sklearn_bbc.comparison import Bonferroni, ModelConfidenceSet, SoftminLeaveOneOut
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.selection import SimplestTied
from sklearn_bbc.testing import check_selection, example_predictions

OOF = example_predictions(n_configs=6)._with_fields(params=[{"size": k} for k in range(6)])


def members(method, scoring, weights, oof=OOF):
    kernel = as_metric(scoring).bind(oof)
    return method.bind(oof, kernel).members(kernel, weights, kernel.scores(weights))


def test_of_a_mean_it_is_the_set_of_the_repeated_samples():
    counts = np.random.default_rng(0).multinomial(60, np.full(60, 1 / 60), 20)
    found = members(Bonferroni(), "accuracy", counts)
    right = ((OOF.responses["predict_proba"] > 0.5) == OOF.y_true).T.astype(float)
    for draw, count in enumerate(counts):
        p_values = Bonferroni().p_values(np.repeat(right, count, axis=0))
        np.testing.assert_array_equal(found[draw], p_values > 0.05)
    assert 1 <= found.sum(axis=1).min() < found.sum(axis=1).max()


def test_on_all_samples_it_is_the_set_itself():
    everything = np.ones((1, 60), dtype=np.uint8)
    kernel = as_metric("roc_auc").bind(OOF)
    method = SoftminLeaveOneOut()
    bound = method.bind(OOF, kernel)
    p_values = method.p_values(bound._units.values)
    found = members(method, "roc_auc", everything)[0]
    np.testing.assert_array_equal(found, p_values > 0.05)
    assert found[kernel.on_data().argmax()] and not found.all()


def test_the_best_of_a_draw_is_a_member_at_any_level():
    counts = np.random.default_rng(1).multinomial(60, np.full(60, 1 / 60), 10)
    kernel = as_metric("accuracy").bind(OOF)
    found = members(SoftminLeaveOneOut(confidence_level=0.01), "accuracy", counts)
    scores = kernel.scores(counts)
    assert found[scores == scores.max(axis=1, keepdims=True)].all()
    assert found.sum(axis=1).mean() < 2


def test_groups_are_drawn_whole():
    groups = np.arange(60) // 3
    oof = OOF._with_fields(groups=groups, fold=groups % 5)
    of_groups = np.random.default_rng(2).multinomial(20, np.full(20, 1 / 20), 5)
    found = members(Bonferroni(), "accuracy", of_groups[:, groups], oof)
    right = ((oof.responses["predict_proba"] > 0.5) == oof.y_true).T.astype(float)
    by_group = right.reshape(20, 3, 6).mean(axis=1)
    for draw, count in enumerate(of_groups):
        p_values = Bonferroni().p_values(np.repeat(by_group, count, axis=0))
        np.testing.assert_array_equal(found[draw], p_values > 0.05)


@pytest.mark.parametrize(
    "method",
    [Bonferroni(), SoftminLeaveOneOut(), ModelConfidenceSet(n_bootstraps=100, random_state=0)],
    ids=lambda method: method.name,
)
def test_it_is_a_margin_for_the_simplest_of_the_tied(method):
    rule = SimplestTied("size", margin=method)
    result = BBC(selection=rule, n_bootstraps=64, random_state=0).estimate(OOF, "roc_auc")
    kernel = as_metric("roc_auc").bind(OOF)
    tied = members(method, "roc_auc", np.ones((1, 60), dtype=np.uint8))[0]
    assert result.details["winner"] == np.flatnonzero(tied)[0]
    assert 1 <= result.details["mean_tied"] <= 6
    best = BBC(n_bootstraps=64, random_state=0).estimate(OOF, "roc_auc")
    assert result.estimate <= best.estimate
    assert kernel.on_data()[result.details["winner"]] <= kernel.on_data().max()


def test_the_rule_keeps_its_promises():
    check_selection(SimplestTied("size", margin=Bonferroni()), oof=OOF)
