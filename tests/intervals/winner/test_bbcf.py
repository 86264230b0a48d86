"""BBC-F against brute force; folds, repeats, and what it refuses."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import BBCF, CorrectedT
from sklearn_bbc.metrics import FoldTable, as_metric
from tests.made import made

PUBLISHED = np.array(
    [[0.70, 0.60, 0.66], [0.80, 0.90, 0.71], [0.50, 0.65, 0.72], [0.75, 0.55, 0.70]]
)
coarse = pytest.mark.filterwarnings("ignore:BBCF is coarse")


def of_folds(scores, **fields):
    return made(**{"fold_scores": {"accuracy": scores}, **fields})


def of_repeats(stack, **fields):
    """Fold scores of shape (n_repeats, n_folds, n_configs), 20 samples."""
    n_repeats, n_folds, _ = stack.shape
    fold = np.arange(20) % n_folds
    return of_folds(
        np.concatenate(stack),
        y_true=np.zeros(20),
        sample=np.tile(np.arange(20), n_repeats),
        fold=(fold + n_folds * np.arange(n_repeats)[:, None]).ravel(),
        **fields,
    )


def brute_force(scores):
    """Every sequence of folds, one by one: sorted scores out-of-bag, and the winners' shares."""
    n_folds = len(scores)
    found, won = [], np.zeros(scores.shape[1])
    for sequence in product(range(n_folds), repeat=n_folds):
        counts = np.bincount(sequence, minlength=n_folds)
        if (counts > 0).all():
            continue
        # Round off what only floating point can see, so that equal means tie.
        sums = np.round(counts @ scores, 10)
        left_out = counts == 0
        found.append(scores[left_out, np.argmax(sums)].mean())
        won[np.argmax(sums)] += 1
    return np.sort(found), won / len(found)


# --- exact -------------------------------------------------------------------------------


@coarse
def test_all_draws_of_four_folds():
    result = BBCF().estimate(of_folds(PUBLISHED), "accuracy")
    assert len(result.draws) == 232
    assert (result.draws.min(), result.draws.max()) == (0.50, 0.71)
    assert (result.details["exact"], result.n_bootstraps) == (True, None)
    assert "seed" not in result.details


@coarse
@settings(max_examples=15)
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


def test_more_than_ten_folds_are_sampled():
    scores = np.random.default_rng(0).normal(0.8, 0.05, size=(12, 30))
    method = BBCF(n_bootstraps=300, random_state=3)
    result = method.estimate(of_folds(scores), "accuracy")
    assert (result.n_bootstraps, len(result.draws)) == (300, 300)
    assert (result.details["exact"], result.details["seed"]) == (False, 3)
    np.testing.assert_array_equal(
        result.draws, method.estimate(of_folds(scores), "accuracy").draws
    )


# --- ties and order ----------------------------------------------------------------------


@coarse
def test_sums_that_are_equal_in_theory_tie_and_the_first_wins():
    """0.1 + 0.2 is not 0.3 to the machine; the same scores in another order must tie."""
    one = np.array([0.1, 0.2, 0.3, 0.7, 0.6])
    scores = np.stack([one, one[[1, 0, 2, 3, 4]], one[[2, 1, 0, 4, 3]]], axis=1)
    table = FoldTable(as_metric("accuracy"), of_folds(scores))
    counts = np.array([[1, 1, 1, 0, 2], [2, 2, 2, 1, 1], [0, 0, 0, 5, 0], [1, 1, 1, 1, 1]])
    np.testing.assert_array_equal(table.winners(counts), [2, 0, 0, 0])
    assert BBCF().estimate(of_folds(scores), "accuracy").details["winner"] == 0


@settings(max_examples=30)
@given(st.integers(1, 40), st.integers(0, 1000), st.booleans())
def test_leaving_out_the_beaten_does_not_change_a_winner(n_configs, seed, ties):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(6, n_configs)) + rng.normal(scale=2, size=n_configs)
    scores = np.round(scores) if ties else scores
    scores = 0.5 + scores / 32  # exact, and an accuracy
    table = FoldTable(as_metric("accuracy"), of_folds(scores))
    counts = rng.multinomial(6, np.full(6, 1 / 6), size=50)
    sums = np.round(counts @ scores, 9)
    np.testing.assert_array_equal(table.winners(counts), sums.argmax(axis=1))


# --- input -------------------------------------------------------------------------------


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


# --- folds that cannot be used -----------------------------------------------------------


def test_few_folds_are_coarse():
    with pytest.warns(
        IntervalWarning, match=r"coarse with 4 folds.* 14 values.*at least 5"
    ) as seen:
        BBCF().estimate(of_folds(PUBLISHED), "accuracy")
    assert seen[0].filename == __file__


def test_two_folds_are_refused():
    with pytest.raises(ValueError, match=r"BBCF needs at least 3 folds, got 2.*Use BBC"):
        BBCF().estimate(of_folds(PUBLISHED[:2]), "accuracy")
    with pytest.raises(ValueError, match="needs at least 2 folds, got 1"):
        BBCF().estimate(of_folds(PUBLISHED[:1]), "accuracy")


@pytest.mark.filterwarnings("ignore::sklearn_bbc.exceptions.IntervalWarning")
def test_a_single_configuration_gets_a_note_that_nothing_is_corrected():
    several, one = (
        " ".join(BBCF().estimate(of_folds(scores), "accuracy").details["notes"])
        for scores in (PUBLISHED, PUBLISHED[:, :1])
    )
    words = "There is only one configuration, so the draws repeat no selection."
    assert words in one and words not in several


def test_a_fold_without_a_class_is_named():
    y = np.array(["a"] * 4 + ["a", "b"] * 8)
    oof = OOFPredictions(y_true=y, y_pred=np.random.default_rng(0).random((20, 3)),
                         fold=np.arange(20) // 4)  # fmt: skip
    message = "roc_auc is undefined in fold 0.*no sample of class b. Use stratified"
    with pytest.raises(ValueError, match=message):
        BBCF().estimate(oof, "roc_auc")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_configuration_undefined_in_one_fold_never_wins(value):
    scores = np.random.default_rng(0).random((5, 3)) - 2.0
    better = np.concatenate([np.full((5, 1), 1.0), scores], axis=1)
    better[4, 0] = value
    expected, found = (
        BBCF().estimate(of_folds(each, fold_scores={"gain": each}), "gain")
        for each in (scores, better)
    )
    np.testing.assert_array_equal(found.draws, expected.draws)
    assert found.details["winner"] == expected.details["winner"] + 1
    assert (found.details["n_valid"], found.details["n_configs"]) == (3, 4)


def test_folds_that_share_samples_are_noted():
    rng = np.random.default_rng(0)
    oof = of_folds(
        rng.random((5, 3)),
        y_true=np.zeros(20),
        sample=np.concatenate([rng.permutation(20)[:6] for _ in range(5)]),
        fold=np.repeat(np.arange(5), 6),
    )
    note = BBCF().estimate(oof, "accuracy").details["notes"][0]
    assert "the scores of folds that share samples depend on each other." in note


# --- folds without a class ---------------------------------------------------------------


@pytest.mark.parametrize("method", [BBCF(), CorrectedT()])
def test_folds_that_lack_a_class_are_counted(method):
    """Sorted labels: four of five folds hold no positive, where F1 is 0 by convention."""
    y = (np.arange(50) < 5).astype(int)
    sorted_labels = OOFPredictions(y_true=y, y_pred=y, fold=np.arange(50) // 10)
    result = method.estimate(sorted_labels, "f1")
    assert result.details["n_folds_lacking_class"] == 4
    assert "4 of 5 folds lack a class (fold 1: class 1)" in result.details["notes"][-1]
    for oof, scoring in (
        (sorted_labels, "accuracy"),
        (OOFPredictions(y_true=y, y_pred=y, fold=np.arange(50) % 5), "f1"),
        (OOFPredictions.from_fold_scores({"f1": np.eye(5)}), "f1"),
    ):
        details = method.estimate(oof, scoring).details
        assert details["n_folds_lacking_class"] == 0
        assert not any("lack a class" in note for note in details["notes"])


# --- repeats -----------------------------------------------------------------------------


def test_aligned_repeats_are_the_mean_of_their_intervals():
    stack = np.random.default_rng(0).random((3, 5, 4))
    result = BBCF().estimate(of_repeats(stack), "accuracy")
    parts = [BBCF().estimate(of_folds(part), "accuracy") for part in stack]
    for name in ("estimate", "low", "high"):
        expected = np.mean([getattr(part, name) for part in parts])
        assert getattr(result, name) == pytest.approx(expected, abs=1e-15)
    np.testing.assert_allclose(result.draws, np.mean([part.draws for part in parts], axis=0))
    assert (result.details["n_repeats"], result.details["n_folds"]) == (3, 5)
    assert result.details["winner"] == stack.mean(axis=(0, 1)).argmax()
    assert result.details["exact"]
    winners = set().union(*(part.details["won"] for part in parts))
    won = {k: np.mean([part.details["won"].get(k, 0) for part in parts]) for k in winners}
    assert result.details["won"] == pytest.approx(won)
    assert list(result.details["won"]) == sorted(won, key=won.get, reverse=True)


@coarse
@pytest.mark.parametrize("n_folds", [(5, 3), (3, 5), (3, 12), (12, 3)])
def test_repeats_may_have_different_numbers_of_folds(n_folds):
    rng = np.random.default_rng(0)
    parts = [rng.random((n, 4)) for n in n_folds]
    oof = of_folds(
        np.concatenate(parts), y_true=np.zeros(24), sample=np.tile(np.arange(24), 2),
        fold=np.concatenate([np.arange(24) % n_folds[0], n_folds[0] + np.arange(24) % n_folds[1]]),
        repeat=np.repeat([0, 1], 24),
    )  # fmt: skip
    method = BBCF(n_bootstraps=300, random_state=0)
    result = method.estimate(oof, "accuracy")
    alone = [method.estimate(of_folds(part), "accuracy") for part in parts]
    assert result.details["n_folds"] == 3
    lengths = [len(part.draws) for part in alone]
    assert len(result.draws) == max(lengths)
    exact = 12 not in n_folds
    assert (result.details["exact"], result.n_bootstraps) == (exact, None if exact else 300)
    if not exact:
        return  # draws of a repeat have a stream of its own
    for name in ("estimate", "low", "high"):
        expected = np.mean([getattr(part, name) for part in alone])
        assert getattr(result, name) == pytest.approx(expected, abs=1e-15)
    # Each draw of the few stands for as many of the mean as its share is.
    assert result.draws.mean() == pytest.approx(result.estimate, abs=1e-3)
    levels = (np.arange(max(lengths)) + 0.5) / max(lengths)
    quantiles = [np.sort(part.draws)[(levels * len(part.draws)).astype(int)] for part in alone]
    np.testing.assert_allclose(result.draws, np.mean(quantiles, axis=0), atol=1e-15)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("value", [-np.inf, -1e300, -1.7e308])
def test_scores_without_a_finite_mean_are_named(value):
    scores = np.random.default_rng(0).random((5, 3))
    scores[2] = value
    infinite = of_folds(scores, fold_scores={"r2": scores})
    with pytest.raises(UndefinedIntervalError, match="r2 are infinite, or too large to be added"):
        BBCF().estimate(infinite, "r2")
    scores[2, 1] = 0.5
    result = BBCF().estimate(of_folds(scores, fold_scores={"r2": scores}), "r2")
    assert np.isfinite([result.estimate, *result]).all() and result.details["winner"] == 1
