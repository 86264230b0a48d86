"""BBCF: the exact vector, enumeration against brute force, folds, repeats, weights."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BBCF
from sklearn_bbc.metrics import as_metric
from sklearn_bbc.selection import OneStandardError
from tests.intervals.winner.bbcf_cases import PUBLISHED, coarse, of_folds, of_repeats


def brute_force(scores, sizes=None):
    """Every sequence of folds, one by one: sorted scores out-of-bag, and the winners' shares."""
    n_folds = len(scores)
    sizes = np.ones(n_folds) if sizes is None else np.asarray(sizes)
    found, won = [], np.zeros(scores.shape[1])
    for sequence in product(range(n_folds), repeat=n_folds):
        counts = np.bincount(sequence, minlength=n_folds)
        if (counts > 0).all():
            continue
        # Round off what only floating point can see, so that equal means tie.
        sums = np.round((counts * sizes) @ scores, 10)
        left_out = counts == 0
        found.append(np.average(scores[left_out, np.argmax(sums)], weights=sizes[left_out]))
        won[np.argmax(sums)] += 1
    return np.sort(found), won / len(found)


# --- exact -------------------------------------------------------------------------------


@coarse
def test_the_published_vector():
    result = BBCF().estimate(of_folds(PUBLISHED), "accuracy")
    assert len(result.draws) == 232
    assert result.estimate == pytest.approx(0.6250862069, abs=5e-11)
    assert tuple(result) == (0.50, 0.71)
    assert (result.draws.min(), result.draws.max()) == (0.50, 0.71)
    one_sided = BBCF(alternative="greater").estimate(of_folds(PUBLISHED), "accuracy")
    assert tuple(one_sided) == (0.50, 1.0)
    assert result.details["winner"] == 2
    assert (result.details["exact"], result.n_bootstraps) == (True, None)
    assert "seed" not in result.details


@coarse
@settings(max_examples=25)
@given(st.integers(3, 5), st.integers(1, 4), st.integers(0, 1000), st.booleans())
def test_enumeration_is_brute_force(n_folds, n_configs, seed, ties):
    rng = np.random.default_rng(seed)
    scores = rng.random((n_folds, n_configs))
    scores = np.round(scores, 1) if ties else scores
    result = BBCF().estimate(of_folds(scores), "accuracy")
    expected, won = brute_force(scores)
    np.testing.assert_allclose(result.draws, expected, atol=1e-12)
    assert result.details["won"] == pytest.approx({k: won[k] for k in np.flatnonzero(won)})
    assert list(result.details["won"].values()) == sorted(won[won > 0], reverse=True)
    assert result.estimate == pytest.approx(expected.mean(), abs=1e-12)
    rank = int(np.floor(0.025 * len(expected) + 1e-9))
    np.testing.assert_allclose(tuple(result), (expected[rank], expected[-1 - rank]), atol=1e-12)


@pytest.mark.parametrize("n_folds", [8, 10])
def test_random_draws_converge_to_the_enumeration(n_folds, monkeypatch):
    rng = np.random.default_rng(0)
    scores = rng.normal(0.8, 0.05, size=(n_folds, 30))
    exact = BBCF().estimate(of_folds(scores), "accuracy")
    monkeypatch.setattr("sklearn_bbc.intervals._bbcf.MAX_EXACT_FOLDS", 2)
    sampled = BBCF(n_bootstraps=40_000, random_state=0).estimate(of_folds(scores), "accuracy")
    assert not sampled.details["exact"]
    assert abs(sampled.estimate - exact.estimate) < 4 * sampled.draws.std() / 200
    assert sampled.low == pytest.approx(exact.low, abs=2e-3)
    assert sampled.high == pytest.approx(exact.high, abs=2e-3)
    share = exact.details["winner_share"]
    assert sampled.details["winner_share"] == pytest.approx(share, abs=0.01)
    won = exact.details["won"]
    assert won[exact.details["winner"]] == pytest.approx(share, abs=1e-15)
    assert sum(won.values()) == pytest.approx(1) and len(won) > 10
    assert sampled.details["won"] == pytest.approx(
        {k: won.get(k, 0) for k in sampled.details["won"]}, abs=0.01
    )


def test_draws_of_a_large_enumeration_are_a_fair_share():
    scores = np.random.default_rng(0).normal(0.8, 0.05, size=(10, 30))
    result = BBCF().estimate(of_folds(scores), "accuracy")
    assert len(result.draws) == 10_000
    assert result.draws.mean() == pytest.approx(result.estimate, abs=1e-4)
    assert result.low == pytest.approx(result.draws[250], abs=1e-3)


def test_more_than_ten_folds_are_sampled():
    scores = np.random.default_rng(0).normal(0.8, 0.05, size=(12, 30))
    method = BBCF(n_bootstraps=300, random_state=3)
    result = method.estimate(of_folds(scores), "accuracy")
    assert (result.n_bootstraps, len(result.draws)) == (300, 300)
    assert (result.details["exact"], result.details["seed"]) == (False, 3)
    np.testing.assert_array_equal(
        result.draws, method.estimate(of_folds(scores), "accuracy").draws
    )


def test_permutations_of_folds_are_drawn_again():
    scores = np.random.default_rng(0).random((1, 3, 2)).repeat(2, axis=0)
    with pytest.warns(IntervalWarning):
        result = BBCF(repeats="independent", n_bootstraps=4000, random_state=0).estimate(
            of_repeats(scores), "accuracy"
        )
    assert result.details["n_redrawn"] / 8000 == pytest.approx((6 / 27) / (21 / 27), rel=0.1)


@coarse
def test_redraws_of_every_repeat_are_counted(monkeypatch):
    scores = np.random.default_rng(0).random((1, 3, 2))
    one, two = of_repeats(scores), of_repeats(scores.repeat(2, axis=0))
    assert BBCF().estimate(one, "accuracy").details["n_redrawn"] == 0
    monkeypatch.setattr("sklearn_bbc.intervals._bbcf.MAX_EXACT_FOLDS", 2)
    method = BBCF(n_bootstraps=4000, random_state=0)
    redrawn = [method.estimate(oof, "accuracy").details["n_redrawn"] for oof in (one, two)]
    assert redrawn[0] / 4000 == pytest.approx((6 / 27) / (21 / 27), rel=0.1)
    assert redrawn[1] / 8000 == pytest.approx((6 / 27) / (21 / 27), rel=0.1)
    assert redrawn[1] != 2 * redrawn[0]


# --- ties and order ----------------------------------------------------------------------


@coarse
def test_sums_that_are_equal_in_theory_tie_and_the_first_wins():
    """0.1 + 0.2 is not 0.3 to the machine; the same scores in another order must tie."""
    one = np.array([0.1, 0.2, 0.3, 0.7, 0.6])
    scores = np.stack([one, one[[1, 0, 2, 3, 4]], one[[2, 1, 0, 4, 3]]], axis=1)
    kernel = BBCF()._bind(of_folds(scores), as_metric("accuracy"))
    counts = np.array([[1, 1, 1, 0, 2], [2, 2, 2, 1, 1], [0, 0, 0, 5, 0], [1, 1, 1, 1, 1]])
    np.testing.assert_array_equal(kernel.winners(counts), [2, 0, 0, 0])
    assert kernel.winner == 0


@settings(max_examples=20)
@given(st.permutations(range(5)), st.integers(0, 1000))
def test_the_order_of_folds_does_not_matter(order, seed):
    scores = np.round(np.random.default_rng(seed).random((5, 4)), 1)
    expected, found = (
        BBCF().estimate(of_folds(each), "accuracy") for each in (scores, scores[order])
    )
    assert found.details["winner"] == expected.details["winner"]
    np.testing.assert_allclose(found.draws, expected.draws, atol=1e-14)
    assert found.estimate == pytest.approx(expected.estimate, abs=1e-14)


@settings(max_examples=20)
@given(st.permutations(range(4)), st.integers(0, 1000))
def test_the_order_of_configurations_does_not_matter(order, seed):
    scores = np.random.default_rng(seed).random((5, 4))
    expected, found = (
        BBCF().estimate(of_folds(each), "accuracy") for each in (scores, scores[:, order])
    )
    assert order[found.details["winner"]] == expected.details["winner"]
    np.testing.assert_array_equal(found.draws, expected.draws)


@settings(max_examples=20)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=4), st.integers(0, 1000))
def test_copies_of_configurations_change_nothing(copies, seed):
    scores = np.round(np.random.default_rng(seed).random((5, 4)), 1)
    expected, found = (
        BBCF().estimate(of_folds(each), "accuracy")
        for each in (scores, np.concatenate([scores, scores[:, copies]], axis=1))
    )
    np.testing.assert_array_equal(found.draws, expected.draws)
    assert found.details["winner"] == expected.details["winner"]


@settings(max_examples=30)
@given(st.integers(1, 40), st.integers(0, 1000), st.booleans())
def test_leaving_out_the_beaten_does_not_change_a_winner(n_configs, seed, ties):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(6, n_configs)) + rng.normal(scale=2, size=n_configs)
    scores = np.round(scores) if ties else scores
    scores = 0.5 + scores / 32  # exact, and an accuracy
    kernel = BBCF()._bind(of_folds(scores), as_metric("accuracy"))
    counts = rng.multinomial(6, np.full(6, 1 / 6), size=50)
    sums = np.round(counts @ scores, 9)
    np.testing.assert_array_equal(kernel.winners(counts), sums.argmax(axis=1))


@coarse
def test_a_diverged_configuration_does_not_blur_the_others():
    scores = np.tile([[-1.0, -1.0 + 1e-9, -1.0]], (4, 1))
    scores[0, 2] = -1e18
    scores[1:, 2] = -0.5
    diverged = of_folds(scores, fold_scores={"r2": scores})
    kernel = BBCF()._bind(diverged, as_metric("r2"))
    counts = np.array([[1, 1, 1, 1], [4, 0, 0, 0], [0, 2, 1, 1]])
    np.testing.assert_array_equal(kernel.winners(counts), [1, 1, 2])


# --- input -------------------------------------------------------------------------------


def test_samples_without_a_fold_are_counted_where_folds_are_known():
    scores = np.random.default_rng(0).random((5, 3))
    y_true = np.zeros(20)
    only_scores = of_folds(scores, y_true=y_true)
    result = BBCF().estimate(only_scores, "accuracy")
    assert (result.details["n_untested"], result.details["notes"]) == (0, [])
    fold = np.repeat([0, 1, 2, 3, 4, -1], [4, 4, 4, 4, 2, 2])
    y = np.tile([0, 1], 10)
    result = BBCF().estimate(OOFPredictions(y_true=y, y_pred=y[:, None] ^ 1, fold=fold), "f1")
    assert result.details["n_untested"] == 2


def test_folds_that_are_alike_are_told_of():
    """Stratified folds hide what differs between the classes: all errors are in one of them."""
    y = np.tile([0, 0, 0, 0, 1], 20)
    pred = np.where((y == 1) & (np.arange(100) % 3 > 0), 0, y)
    oof = OOFPredictions(y_true=y, y_pred=np.stack([pred, y], axis=1), fold=np.arange(100) // 20,
                         selected=0)  # fmt: skip
    with pytest.warns(IntervalWarning, match=r"BBCF: .* same shares of the classes") as caught:
        result = BBCF().estimate(oof, "accuracy")
    assert len(caught) == 1
    assert any("same shares of the classes" in note for note in result.details["notes"])


def test_predictions_give_the_same_as_their_fold_scores():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    scores = rng.normal(size=(60, 5)) + y[:, None]
    oof = OOFPredictions(y_true=y, y_pred=scores, fold=np.arange(60) // 2 % 6)
    by_hand = np.array(
        [[roc_auc_score(y[oof.fold == f], scores[oof.fold == f, c]) for c in range(5)]
         for f in range(6)]
    )  # fmt: skip
    expected = BBCF().estimate(of_folds(None, fold_scores={"roc_auc": by_hand}), "roc_auc")
    found = BBCF().estimate(oof, "roc_auc")
    np.testing.assert_allclose(found.draws, expected.draws, atol=1e-14)


def test_recorded_scores_are_used_as_they_are():
    oof = OOFPredictions(
        y_true=np.arange(10) % 2,
        y_pred=np.zeros((10, 2)),
        fold=np.arange(10) % 5,
        fold_scores={"accuracy": np.full((5, 2), 0.25)},
    )
    assert BBCF().estimate(oof, "accuracy").estimate == 0.25


def test_scores_of_a_plain_grid_search():
    X, y = make_classification(n_samples=80, random_state=0)
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 0.1, 1]}, scoring="roc_auc").fit(X, y)
    result = BBCF().estimate(OOFPredictions.from_search(search), "roc_auc")
    assert result.details["winner"] == search.best_index_
    assert result.low <= result.estimate <= result.high <= 1


def test_published_scores_need_no_known_metric():
    oof = of_folds(None, fold_scores={"dice": PUBLISHED.repeat(2, axis=0)})
    result = BBCF(alternative="greater").estimate(oof, "dice")
    assert result.metric == "dice"
    assert result.high == np.inf
    with pytest.raises(ValueError, match="'iou' is unknown"):
        BBCF().estimate(oof, "iou")
    with pytest.raises(ValueError, match=r"no fold scores of 'accuracy'; known are \['dice'\]"):
        BBCF().estimate(oof, "accuracy")


# --- weights of folds --------------------------------------------------------------------


@coarse
def test_folds_may_count_by_their_size():
    rng = np.random.default_rng(0)
    scores = rng.random((4, 3))
    fold = np.repeat(np.arange(4), [2, 3, 7, 5])
    oof = of_folds(scores, y_true=np.zeros(17), sample=np.arange(17), fold=fold)
    result = BBCF(weight_folds=True).estimate(oof, "accuracy")
    np.testing.assert_allclose(result.draws, brute_force(scores, [2, 3, 7, 5])[0], atol=1e-12)
    weight = rng.random(17)
    weighted = of_folds(
        scores, y_true=np.zeros(17), sample=np.arange(17), fold=fold, sample_weight=weight
    )
    result = BBCF(weight_folds=True).estimate(weighted, "accuracy")
    expected, _ = brute_force(scores, np.bincount(fold, weight))
    np.testing.assert_allclose(result.draws, expected, atol=1e-12)


def test_rules_of_selection_take_plain_means():
    with pytest.raises(ValueError, match="weight_folds=True is not possible with selection"):
        BBCF(weight_folds=True, selection=OneStandardError("C")).estimate(
            of_folds(PUBLISHED), "accuracy"
        )


def test_sizes_must_be_known():
    with pytest.raises(ValueError, match="weight_folds=True needs the sizes"):
        BBCF(weight_folds=True).estimate(of_folds(np.ones((5, 2))), "accuracy")


def test_equal_sizes_are_no_weights():
    oof = of_repeats(np.random.default_rng(0).random((1, 5, 3)))
    plain, weighted = (BBCF(weight_folds=w).estimate(oof, "accuracy") for w in (False, True))
    np.testing.assert_allclose(plain.draws, weighted.draws, atol=1e-14)
