"""Values of rows whose weighted sum is the score of a split."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import get_scorer, log_loss, roc_auc_score

from sklearn_bbc.metrics import as_metric
from sklearn_bbc.search._racing import Influence, one_split

RNG = np.random.default_rng(0)
Y = np.array([0, 1, 1, 0, 1, 0, 0, 1, 1, 0])
TEST = np.array([1, 3, 4, 6, 7, 9])
P = RNG.uniform(0.05, 0.95, size=(3, len(TEST)))
P[2, 1] = P[2, 0]  # a tie
WEIGHT = RNG.uniform(0.5, 2, size=len(Y))


def influence(metric, weight=None, p=P):
    oof = one_split(Y, np.array([0, 1]), {"predict_proba": p}, TEST, sample_weight=weight)
    return Influence.of(oof, as_metric(metric).bind(oof))


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["alike", "weighted"])
@pytest.mark.parametrize(
    ("metric", "score"),
    [
        ("neg_log_loss", lambda y, p, w: -log_loss(y, p, sample_weight=w)),
        ("roc_auc", lambda y, p, w: roc_auc_score(y, p, sample_weight=w)),
    ],
)
def test_they_add_up_to_the_score(metric, score, weight):
    found = influence(metric, weight)
    of_test = None if weight is None else weight[TEST]
    expected = [score(Y[TEST], p, of_test) for p in P]
    np.testing.assert_allclose(found.score, expected)
    for stratum in np.unique(found.stratum):
        here = found.stratum == stratum
        assert found.mass[here].sum() == pytest.approx(1)
        np.testing.assert_allclose(found.values[:, here] @ found.mass[here], expected)
    np.testing.assert_array_equal(found.sample, TEST)


def test_a_placement_is_the_share_of_the_other_class_that_is_in_order():
    p = np.array([[0.9, 0.8, 0.3, 0.3, 0.6, 0.1]])  # labels 1 0 1 0 1 0
    found = influence("roc_auc", p=p)
    # 0.9 is above all three; 0.3 ties with one and is above one; 0.6 is above two.
    np.testing.assert_allclose(found.values[0, [0, 2, 4]], [1, 1.5 / 3, 2 / 3])
    # 0.8 is below one of three; 0.3 below two and ties with one; 0.1 below all.
    np.testing.assert_allclose(found.values[0, [1, 3, 5]], [1 / 3, 2.5 / 3, 1])


def test_less_is_better_is_turned_round():
    from sklearn.metrics import make_scorer

    upside_down = make_scorer(
        roc_auc_score, greater_is_better=False, response_method="predict_proba"
    )
    np.testing.assert_allclose(influence(upside_down).values, -influence("roc_auc").values)


def test_a_configuration_without_a_prediction_has_no_score():
    p = P.copy()
    p[1, 2] = np.nan
    found = influence("roc_auc", p=p)
    assert np.isnan(found.score).tolist() == [False, True, False]
    assert np.isnan(found.values[1]).all()
    kept = found.of_configs(np.array([2, 0]))
    np.testing.assert_array_equal(kept.score, found.score[[2, 0]])


@pytest.mark.parametrize(
    ("metric", "known"),
    [("roc_auc", True), ("accuracy", True), ("neg_brier_score", True), ("f1", False),
     ("average_precision", False), ("balanced_accuracy", False)],
)  # fmt: skip
def test_a_formula_is_known_for_means_and_the_area_under_the_curve(metric, known):
    oof = one_split(Y, np.array([0, 1]), {"predict_proba": P}, TEST)
    assert Influence.are_known(as_metric(get_scorer(metric)).bind(oof)) is known


def test_a_split_without_weight_has_no_score():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weight = np.isin(np.arange(len(Y)), TEST, invert=True)  # all of it is in other splits
        found = influence("neg_log_loss", weight)
    assert np.isnan(found.score).all() and np.isnan(found.mass).all()


def test_a_class_without_weight_leaves_no_area_under_the_curve():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = influence("roc_auc", np.where(Y == 1, 0.0, WEIGHT))
    assert np.isnan(found.score).all()
    positive = Y[TEST] == 1
    assert found.mass[positive].tolist() == [0] * positive.sum()
    assert found.mass[~positive].sum() == pytest.approx(1)
