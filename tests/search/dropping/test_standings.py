"""What one metric says of the configurations that are left."""

import numpy as np
import pytest

from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search import DropClearlyWorse
from sklearn_bbc.search._racing import Contributions, Standings, one_split

N = 80
Y = np.tile([0, 1], N // 2)
FOLDS = np.split(np.arange(N), 4)


def probabilities(signals, seed=0):
    noise = np.random.default_rng(seed).normal(size=(len(signals), N))
    return 1 / (1 + np.exp(-(np.array(signals)[:, None] * (2 * Y - 1) + noise)))


def standing(metric, p, scores=None, **options):
    found = Standings(as_metric(metric), **options)
    for k, rows in enumerate(FOLDS):
        oof = one_split(Y, np.array([0, 1]), {"predict_proba": p[:, rows]}, rows)
        of_split = as_metric(metric).bind(oof).on_data() if scores is None else scores[k]
        found.add(oof, of_split)
    return found


def worse(found, among=None, level=0.99):
    test = DropClearlyWorse(confidence_level=level, n_bootstraps=200)._lead_test(
        np.arange(N), False, 0
    )
    among = np.ones(len(found.comparable), dtype=bool) if among is None else among
    return found.clearly_worse(test, among).tolist()


@pytest.mark.parametrize("metric", ["roc_auc", "neg_log_loss", "f1"])
def test_the_leader_and_the_like_of_it_stay(metric):
    found = standing(metric, probabilities([2, 1.9, 0, 0]))
    assert found.by_formula == (metric != "f1")
    assert worse(found) == [False, False, True, True]
    assert worse(found, np.array([True, True, False, True])) == [False, False, False, True]


@pytest.mark.parametrize("metric", ["roc_auc", "f1"])
def test_forgetting_configurations_changes_nothing_for_the_others(metric):
    p = probabilities([2, 1.9, 0, 0])
    found = standing(metric, p)
    found.leave_only(np.array([0, 3]))
    assert worse(found) == [False, True]
    expected = np.array(standing(metric, p).scores)[:, [0, 3]]
    np.testing.assert_array_equal(np.array(found.scores), expected)


@pytest.mark.parametrize("metric", ["roc_auc", "f1"])
def test_a_score_that_the_predictions_do_not_give_cannot_be_compared(metric):
    p = probabilities([0, 2, 0])
    scores = np.array(standing(metric, p).scores)
    scores[1, 1] += 0.01
    scores[2, 2] = np.nan
    found = standing(metric, p, scores)
    assert found.comparable.tolist() == [True, False, False]
    assert worse(found) == [False, False, False]


def test_the_leader_is_that_of_the_search_not_of_pooled_predictions():
    """The best within each split may be the worst when splits are pooled."""
    p = probabilities([2, 0.4])
    for k, rows in enumerate(FOLDS):
        p[0, rows] = p[0, rows] / 100 + 0.2 * k  # a scale of its own in each split
    oof = one_split(Y, np.array([0, 1]), {"predict_proba": p}, np.arange(N))
    pooled = as_metric("roc_auc").bind(oof)
    assert pooled.on_data().argmax() == 1
    assert worse(standing("roc_auc", p)) == [False, True]


def test_weights_that_the_scorer_was_not_given_are_left_out():
    p = probabilities([1, 0.5])
    weight = np.random.default_rng(0).uniform(size=N)
    found = Standings(as_metric("accuracy"), unweighted=True)
    rows = FOLDS[0]
    oof = one_split(Y, np.array([0, 1]), {"predict_proba": p[:, rows]}, rows, sample_weight=weight)
    found.add(oof, ((p[:, rows] > 0.5) == Y[rows]).mean(axis=1))
    assert found.comparable.all()


def test_a_metric_without_predictions_says_why():
    with pytest.raises(ValueError, match="needs decision_function or predict_proba"):
        Standings(as_metric("roc_auc")).add(
            one_split(Y, np.array([0, 1]), {"predict": np.zeros((1, N), int)}, np.arange(N)),
            np.ones(1),
        )


@pytest.mark.parametrize(("metric", "kept"), [("roc_auc", "_parts"), ("f1", "_splits")])
def test_every_split_counts_also_where_somebody_cannot_be_compared(metric, kept):
    p = probabilities([2, 1.9, 0, 0])
    scores = np.array(standing(metric, p).scores)
    scores[0, 1] = np.nan
    found = standing(metric, p, scores)
    assert len(getattr(found, kept)) == len(FOLDS)
    assert len(found._parts) + len(found._splits) == len(FOLDS)
    assert worse(found) == [False, False, True, True]


def test_the_scorer_has_weights_unless_it_is_said_otherwise():
    p = probabilities([1, 0.5])
    weight = np.random.default_rng(0).uniform(size=N)
    rows = FOLDS[0]
    oof = one_split(Y, np.array([0, 1]), {"predict_proba": p[:, rows]}, rows, sample_weight=weight)
    right = (p[:, rows] > 0.5) == Y[rows]
    found = Standings(as_metric("accuracy"))
    found.add(oof, right @ weight[rows] / weight[rows].sum())
    assert found.comparable.tolist() == [True, True]


def test_before_the_first_split_nobody_is_there():
    assert Standings(as_metric("accuracy")).comparable.tolist() == []


@pytest.mark.parametrize("metric", ["roc_auc", "f1"])
def test_a_score_without_predictions_cannot_be_compared(metric):
    p = probabilities([2, 1.9, 0])
    scores = np.array(standing(metric, p).scores)
    p[1, FOLDS[2][0]] = np.nan
    assert standing(metric, p, scores).comparable.tolist() == [True, False, True]


@pytest.mark.parametrize("metric", ["roc_auc", "f1"])
def test_where_nobody_can_be_compared_nobody_is_worse(metric):
    p = probabilities([2, 0])
    found = standing(metric, p, np.full((4, 2), np.nan))
    assert worse(found) == [False, False]
    assert found._parts == found._splits == []


@pytest.mark.parametrize("metric", ["roc_auc", "f1"])
def test_of_equal_and_single_configurations_nobody_is_worse(metric):
    p = probabilities([2, 0])
    for same in (p[[0, 0]], p[[0]]):
        found = standing(metric, same)
        assert worse(found) == [False] * len(same)


def test_the_answer_is_a_mask():
    found = standing("roc_auc", probabilities([2, 0]))
    test = DropClearlyWorse()._lead_test(np.arange(N), False, 0)
    assert found.clearly_worse(test, np.ones(2, dtype=bool)).dtype == bool


@pytest.mark.parametrize("first", [True, False])
def test_the_kind_of_the_first_split_decides(monkeypatch, first):
    """A formula that is known in some splits only is of no use."""
    kinds = iter([first, not first])
    monkeypatch.setattr(Contributions, "are_known", staticmethod(lambda kernel: next(kinds)))
    p = probabilities([2, 0])
    found = Standings(as_metric("roc_auc"))
    oofs = [one_split(Y, np.array([0, 1]), {"predict_proba": p[:, r]}, r) for r in FOLDS[:2]]
    scores = [found.metric.bind(oof).on_data() for oof in oofs]
    found.add(oofs[0], scores[0])
    if first:
        with pytest.raises(ValueError, match="roc_auc is another kind of metric in other splits"):
            found.add(oofs[1], scores[1])
    else:
        found.add(oofs[1], scores[1])
        assert len(found._splits) == 2 and not found.by_formula


def test_groups_are_tested_as_groups():
    """What repeats itself in every group has no spread."""
    difference = np.tile([0.3, -0.1], N // 2)
    p = np.stack([np.where(Y == 1, 0.9, 0.1), np.where(Y == 1, 0.9 - difference, 0.1 + 0.1)])
    found = standing("neg_log_loss", p)
    units = np.arange(N) // 2
    test = DropClearlyWorse()._lead_test(units, True, 0)
    assert found.clearly_worse(test, np.ones(2, dtype=bool)).tolist() == [False, True]


def test_a_score_that_equals_the_leaders_is_not_worse_whatever_draws_say():
    """Median errors are equal, but in nearly all draws the first one has the smaller."""
    error = np.tile(np.arange(21.0), 4)
    errors = np.stack([error, np.where(error == 10, 10, error + 0.5), error + 5])
    found = Standings(as_metric("neg_median_absolute_error"))
    for rows in np.split(np.arange(84), 4):
        oof = one_split(np.zeros(84), None, {"predict": errors[:, rows]}, rows)
        found.add(oof, np.array([-10.0, -10, -15]))
    test = DropClearlyWorse()._lead_test(np.arange(84), False, 0)
    assert not found.by_formula
    assert found.clearly_worse(test, np.ones(3, dtype=bool)).tolist() == [False, False, True]
