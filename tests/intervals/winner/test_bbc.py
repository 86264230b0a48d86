"""BBC: the exact vectors, the properties that a bias correction has, groups, repeats, weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBC
from sklearn_bbc.metrics import as_metric
from tests.intervals.winner.small_predictions import SCORES6, Y6, noisy

from ..enumerated import EveryDraw, estimate_exactly

CORRECT = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [1, 1, 1], [0, 0, 1]])
Y5 = np.array([1, 0, 1, 0, 1])


def of_correctness(correct, y=Y5, **fields):
    labels = np.where(correct == 1, y[:, None], 1 - y[:, None])
    return OOFPredictions(y_true=y, y_pred=labels, **fields)


# --- exact -------------------------------------------------------------------------------


def test_every_draw_of_five_correctness_rows():
    oof = of_correctness(CORRECT, fold=np.arange(5))
    draws = EveryDraw(oof)
    assert (draws.n_accepted, draws.n_redrawn) == (3005, 120)
    result = estimate_exactly(BBC(n_bootstraps=3005, alternative="greater"), oof, "accuracy")
    assert result.estimate == pytest.approx(0.4019134775, abs=5e-11)
    assert result.low == 0.0
    assert result.high == 1.0
    assert result.details["winner"] == 2


def test_every_draw_of_six_scores():
    oof = OOFPredictions(y_true=Y6, y_pred=SCORES6)
    kernel = as_metric("roc_auc").bind(oof)
    np.testing.assert_allclose(
        kernel.scores(np.ones((1, 6), dtype=np.uint8))[0], [17 / 18, 7 / 9], rtol=1e-15
    )
    draws = EveryDraw(oof, kernel.strata)
    assert (draws.n_accepted, draws.n_redrawn) == (24318, 6**6 - 24318)
    result = estimate_exactly(BBC(alternative="greater"), oof, "roc_auc")
    assert result.estimate == pytest.approx(0.7704580969, abs=5e-11)
    assert result.low == 0.0


@pytest.mark.parametrize(
    "oof, scoring, mean",
    [
        (of_correctness(CORRECT), "accuracy", 0.4019134775),
        (OOFPredictions(y_true=Y6, y_pred=SCORES6), "roc_auc", 0.7704580969),
    ],
    ids=["accuracy", "roc_auc"],
)
def test_random_draws_converge_to_all_of_them(oof, scoring, mean):
    result = BBC(n_bootstraps=40_000, random_state=0).estimate(oof, scoring)
    assert abs(result.estimate - mean) < 4 * result.draws.std() / 200
    accepted = EveryDraw(oof, as_metric(scoring).bind(oof).strata)
    expected = accepted.n_redrawn / accepted.n_accepted
    assert result.details["n_redrawn"] / 40_000 == pytest.approx(expected, rel=0.1)


# --- properties --------------------------------------------------------------------------


@settings(max_examples=20)
@given(st.lists(st.integers(0, 1), min_size=3, max_size=5).map(np.array))
def test_one_configuration_is_estimated_without_bias(correct):
    """Every sample is left out as often, so the mean over all draws is the accuracy."""
    y = np.arange(len(correct)) % 2
    oof = of_correctness(correct[:, None], y)
    result = estimate_exactly(BBC(), oof, "accuracy")
    assert result.estimate == pytest.approx(correct.mean(), abs=1e-12)
    assert "no selection" in result.details["notes"][0]
    assert result.details["winner_share"] == 1.0


MONOTONE = {
    "exp": np.exp,
    "cube": lambda x: x**3,
    "rank": lambda x: x.argsort(axis=0).argsort(axis=0),
    "affine": lambda x: 5 * x - 3,
}


@pytest.mark.parametrize("name", MONOTONE)
def test_auc_ignores_monotone_transforms(name):
    oof = noisy(0)
    changed = OOFPredictions(y_true=oof.y_true, y_pred=MONOTONE[name](oof.matrix("roc_auc")))
    method = BBC(n_bootstraps=200, random_state=1)
    expected, found = (method.estimate(each, "roc_auc") for each in (oof, changed))
    np.testing.assert_array_equal(found.draws, expected.draws)


@settings(max_examples=15)
@given(st.permutations(range(5)), st.integers(0, 100))
def test_the_order_of_configurations_does_not_matter(order, seed):
    """Ties aside, which the Brier score of random probabilities does not have."""
    oof = noisy(seed)
    proba = 1 / (1 + np.exp(-oof.matrix("roc_auc")))
    oof, permuted = (
        OOFPredictions(y_true=oof.y_true, y_pred=each, fold=oof.fold)
        for each in (proba, proba[:, order])
    )
    method = BBC(n_bootstraps=64, random_state=1)
    expected, found = (method.estimate(each, "neg_brier_score") for each in (oof, permuted))
    np.testing.assert_array_equal(found.draws, expected.draws)
    assert order[found.details["winner"]] == expected.details["winner"]


def test_fold_labels_do_not_matter():
    oof = noisy(3)
    renamed = OOFPredictions(
        y_true=oof.y_true, y_pred=oof.matrix("roc_auc"), fold=np.array(list("qxade"))[oof.fold]
    )
    method = BBC(n_bootstraps=64, random_state=1)
    expected, found = (method.estimate(each, "roc_auc") for each in (oof, renamed))
    np.testing.assert_array_equal(found.draws, expected.draws)
    assert found.details["winner"] == expected.details["winner"]


def test_the_best_of_many_coin_flips_is_not_believed():
    best, corrected = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        oof = OOFPredictions(y_true=np.arange(60) % 2, y_pred=rng.normal(size=(60, 40)))
        kernel = as_metric("roc_auc").bind(oof)
        best.append(kernel.scores(np.ones((1, 60), dtype=np.uint8)).max())
        corrected.append(BBC(n_bootstraps=100, random_state=0).estimate(oof, "roc_auc").estimate)
    assert np.mean(best) > 0.63
    assert abs(np.mean(corrected) - 0.5) < 4 * np.std(corrected) / np.sqrt(20) + 0.01


def test_bounds_are_order_statistics_of_the_draws():
    result = BBC(n_bootstraps=500, random_state=0).estimate(noisy(1), "roc_auc")
    ranked = np.sort(result.draws)
    assert tuple(result) == (ranked[12], ranked[-13])
    assert result.estimate == pytest.approx(ranked.mean(), abs=1e-15)


# --- groups ------------------------------------------------------------------------------


def test_groups_of_one_change_nothing():
    method = BBC(n_bootstraps=100, random_state=0)
    expected = method.estimate(noisy(0), "roc_auc")
    found = method.estimate(noisy(0, groups=np.arange(60)), "roc_auc")
    np.testing.assert_array_equal(found.draws, expected.draws)
    assert (expected.details["unit"], found.details["unit"]) == ("sample", "group")


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc"])
def test_copies_of_a_sample_are_one_unit(scoring):
    oof = noisy(0)
    scores = oof.matrix("roc_auc") if scoring == "roc_auc" else (oof.matrix("roc_auc") > 0) * 1
    once = OOFPredictions(y_true=oof.y_true, y_pred=scores)
    thrice = OOFPredictions(
        y_true=np.repeat(oof.y_true, 3),
        y_pred=np.repeat(scores, 3, axis=0),
        groups=np.repeat(np.arange(60), 3),
    )
    method = BBC(n_bootstraps=100, random_state=0)
    expected, found = (method.estimate(each, scoring) for each in (once, thrice))
    np.testing.assert_allclose(found.draws, expected.draws, rtol=1e-12)


def test_a_group_is_in_the_bag_or_out_of_it():
    groups = np.arange(60) // 4
    oof = noisy(0, groups=groups)
    kernel = as_metric("roc_auc").bind(oof)
    draws = BBC(n_bootstraps=128, random_state=0)._draws(oof, kernel)
    counts = draws.map(lambda counts: counts)
    per_group = counts.reshape(128, 15, 4)
    assert (per_group == per_group[:, :, :1]).all()
    assert (per_group[:, :, 0].sum(axis=1) == 15).all()


def test_a_class_within_one_group_cannot_be_resampled():
    y = np.array([1, 1, 0, 0, 0, 0, 0, 0])
    oof = OOFPredictions(y_true=y, y_pred=np.arange(8.0), groups=[0, 0, 0, 1, 1, 2, 2, 3])
    with pytest.raises(UndefinedIntervalError, match="class 1 has 1 group, so it can never be"):
        BBC().estimate(oof, "roc_auc")


# --- repeats -----------------------------------------------------------------------------


def test_equal_repeats_are_one_repeat():
    one = noisy(0)
    scores = one.matrix("roc_auc")
    two = OOFPredictions(
        y_true=one.y_true, y_pred=np.stack([scores, scores]), fold=np.stack([one.fold, one.fold])
    )
    method = BBC(n_bootstraps=100, random_state=0)
    expected, found = (method.estimate(each, "roc_auc") for each in (one, two))
    np.testing.assert_allclose(found.draws, expected.draws, rtol=1e-15)
    assert found.details["winner"] == expected.details["winner"]


def test_repeats_share_the_draw_and_average_the_scores():
    """One draw of samples for all repeats, or an out-of-bag sample is in-bag elsewhere."""
    rng = np.random.default_rng(0)
    stack = rng.random((3, 6, 2)) + 0.3 * Y6[:, None]
    oof = OOFPredictions(y_true=Y6, y_pred=stack)
    kernel = as_metric("roc_auc").bind(oof)
    counts = EveryDraw(oof, kernel.strata).counts

    def mean_score(rows, config):
        return np.mean([roc_auc_score(Y6[rows], part[rows, config]) for part in stack])

    for draw in counts[::17]:
        in_bag, left_out = np.repeat(np.arange(6), draw), np.flatnonzero(draw == 0)
        in_bag_scores = [mean_score(in_bag, config) for config in range(2)]
        np.testing.assert_allclose(kernel.scores(draw[None])[0], in_bag_scores, atol=1e-14)
        winner = kernel.winners(draw[None])
        assert in_bag_scores[winner[0]] == pytest.approx(max(in_bag_scores), abs=1e-14)
        score = kernel.score_of(draw[None] == 0, winner)[0]
        assert score == pytest.approx(mean_score(left_out, winner[0]), abs=1e-14)


# --- weights -----------------------------------------------------------------------------


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc"])
def test_a_weight_of_two_is_a_sample_twice(scoring):
    oof = noisy(0)
    scores = oof.matrix("roc_auc") if scoring == "roc_auc" else (oof.matrix("roc_auc") > 0) * 1
    weight = 1 + np.arange(60) % 2
    weighted = OOFPredictions(y_true=oof.y_true, y_pred=scores, sample_weight=weight)
    rows = np.repeat(np.arange(60), weight)
    repeated = OOFPredictions(y_true=oof.y_true[rows], y_pred=scores[rows], groups=rows)
    method = BBC(n_bootstraps=100, random_state=0)
    expected, found = (method.estimate(each, scoring) for each in (repeated, weighted))
    np.testing.assert_allclose(found.draws, expected.draws, rtol=1e-12)


def test_only_ratios_of_weights_matter():
    weight = np.random.default_rng(0).random(60)
    method = BBC(n_bootstraps=64, random_state=0)
    light, heavy = (
        method.estimate(noisy(0, sample_weight=w), "roc_auc") for w in (weight, 7 * weight)
    )
    np.testing.assert_allclose(light.draws, heavy.draws, rtol=1e-12)


def test_samples_without_weight_do_not_make_a_draw_complete():
    """The metric is undefined on samples of weight 0, so a draw needs some others."""
    weight = np.zeros(60)
    weight[[0, 1, 2, 3, 5]] = 1
    result = BBC(n_bootstraps=100, random_state=0).estimate(
        noisy(0, sample_weight=weight), "roc_auc"
    )
    assert result.details["n_undefined"] == 0
    assert result.details["n_redrawn"] > 0
    weight[2] = 0  # one sample of class 0 is left
    with pytest.raises(UndefinedIntervalError, match="class 0 has 1 sample"):
        BBC().estimate(noisy(0, sample_weight=weight), "roc_auc")
