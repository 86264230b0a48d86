"""Rules on single samples on draws of folds: weights of rows, whole choice, needs."""

import numpy as np
import pytest

from sklearn_bbc.metrics import as_metric
from sklearn_bbc.selection import FoldTable, GreedyEnsemble, OneStandardError, WithThreshold
from sklearn_bbc.selection._base import OnFolds, bind_to_folds
from tests.selection.draws import predictions


def bound(rule, scoring="roc_auc", **more):
    oof = predictions(**more)
    metric = as_metric(scoring)
    return bind_to_folds(rule, oof, metric, FoldTable(metric, metric.fold_scores(oof))), oof


@pytest.mark.parametrize("rule", [WithThreshold("f1", jointly=True), GreedyEnsemble(4)])
def test_a_draw_of_folds_is_a_draw_of_their_samples(rule):
    by_folds, oof = bound(rule)
    by_samples = rule.bind(oof, as_metric("roc_auc").bind(oof))
    counts = np.random.default_rng(0).multinomial(5, np.full(5, 0.2), 6)
    outcome = by_folds.choose(counts)
    expected = by_samples.choose(counts[:, oof.fold])
    for name, column in expected.columns.items():
        np.testing.assert_array_equal(outcome[name], column)
    of_folds = [
        by_samples.score(expected, np.repeat([oof.fold == fold], 6, axis=0)) for fold in range(5)
    ]
    left_out = counts == 0
    mean = (np.transpose(of_folds) * left_out).sum(axis=1) / left_out.sum(axis=1)
    np.testing.assert_allclose(by_folds.score(outcome, left_out), mean, rtol=1e-12)
    for name, column in by_samples.on_all().columns.items():
        np.testing.assert_array_equal(by_folds.on_all()[name], column)
    np.testing.assert_array_equal(by_folds.members(), by_samples.members())


def test_a_configuration_without_a_score_in_some_fold_is_no_member():
    oof = predictions(n_configs=3)
    metric = as_metric("roc_auc")
    scores = metric.fold_scores(oof)
    scores[2, 2] = np.nan
    rule = bind_to_folds(GreedyEnsemble(5), oof, metric, FoldTable(metric, scores))
    assert rule.on_all()["weights"][0, 2] == 0
    assert (rule.choose(np.eye(5, dtype=int))["weights"][:, 2] == 0).all()


def test_other_rules_are_bound_to_the_scores_alone():
    rule, _ = bound(OneStandardError("depth"))
    assert not isinstance(rule, OnFolds) and not rule.draw_by_draw
    assert bound(GreedyEnsemble(2))[0].draw_by_draw


def test_needs_are_checked():
    y = np.arange(60) % 3
    proba = np.full((2, 60, 3), 1 / 3)
    with pytest.raises(ValueError, match="2 classes, got 3"):
        bound(
            WithThreshold("f1"), "accuracy", y_true=y, n_configs=2,
            responses={"predict_proba": proba},
        )  # fmt: skip
