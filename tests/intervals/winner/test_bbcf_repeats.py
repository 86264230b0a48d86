"""BBC-F of repeated cross-validation."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.intervals import BBCF
from tests.intervals.winner.bbcf_cases import PUBLISHED, coarse, of_folds, of_repeats

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


def test_aligned_repeats_with_many_folds_are_sampled_apart():
    stack = np.random.default_rng(0).random((2, 12, 4))
    fold = np.arange(24) % 12
    oof = of_folds(
        np.concatenate(stack),
        y_true=np.zeros(24),
        sample=np.tile(np.arange(24), 2),
        fold=np.concatenate([fold, fold + 12]),
    )
    result = BBCF(n_bootstraps=500, random_state=0).estimate(oof, "accuracy")
    assert len(result.draws) == 500
    assert not result.details["exact"]
    first = BBCF(n_bootstraps=500, random_state=0).estimate(of_folds(stack[0]), "accuracy")
    assert result.low != first.low


def test_equal_repeats_have_draws_of_their_own():
    scores = np.random.default_rng(0).random((1, 12, 4))
    method = BBCF(n_bootstraps=500, random_state=0)
    one, two = (
        method.estimate(
            of_folds(
                np.concatenate([scores[0]] * n), y_true=np.zeros(24),
                sample=np.tile(np.arange(24), n),
                fold=np.concatenate([np.arange(24) % 12 + 12 * k for k in range(n)]),
            ),
            "accuracy",
        )
        for n in (1, 2)
    )  # fmt: skip
    assert (np.diff(one.draws) < 0).any()  # as they were drawn
    assert not np.allclose(two.draws, np.sort(one.draws))
    assert two.estimate == pytest.approx(one.estimate, abs=4 * one.draws.std() / 500**0.5)


def test_without_a_seed_all_repeats_have_the_one_that_is_reported():
    stack = np.random.default_rng(0).random((2, 12, 4))
    oof = of_folds(
        np.concatenate(stack), y_true=np.zeros(24), sample=np.tile(np.arange(24), 2),
        fold=np.concatenate([np.arange(24) % 12, np.arange(24) % 12 + 12]),
    )  # fmt: skip
    for kind in ("aligned", "independent"):
        fresh = BBCF(n_bootstraps=200, repeats=kind).estimate(oof, "accuracy")
        again = BBCF(n_bootstraps=200, repeats=kind, random_state=fresh.details["seed"])
        np.testing.assert_array_equal(fresh.draws, again.estimate(oof, "accuracy").draws)


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


def test_the_smallest_repeat_must_have_three_folds():
    scores = np.random.default_rng(0).random((7, 2))
    fold = np.r_[np.arange(20) % 5, 5 + np.arange(20) % 2]
    oof = of_folds(scores, y_true=np.zeros(20), sample=np.tile(np.arange(20), 2), fold=fold,
                   repeat=np.repeat([0, 1], 20))  # fmt: skip
    with pytest.raises(ValueError, match="at least 3 folds, got 2"):
        BBCF().estimate(oof, "accuracy")


def test_independent_repeats_average_their_draws():
    """The mean is that of the repeats, the spread shrinks with their number."""
    stack = np.random.default_rng(0).random((4, 5, 4))
    exact = [BBCF().estimate(of_folds(part), "accuracy") for part in stack]
    method = BBCF(repeats="independent", n_bootstraps=20_000, random_state=0)
    result = method.estimate(of_repeats(stack), "accuracy")
    expected = np.mean([part.estimate for part in exact])
    variance = np.sum([np.var(part.draws) for part in exact]) / 16
    assert result.estimate == pytest.approx(expected, abs=4 * np.sqrt(variance / 20_000))
    assert result.draws.var() == pytest.approx(variance, rel=0.05)
    aligned = BBCF().estimate(of_repeats(stack), "accuracy").details
    assert result.details["winner_share"] == pytest.approx(aligned["winner_share"], abs=0.01)
    assert result.details["won"] == pytest.approx(aligned["won"], abs=0.01)
    assert result.n_bootstraps == 20_000
    assert "narrows with the number" in result.details["notes"][0]


def test_a_single_repeat_knows_no_kinds():
    scores = np.random.default_rng(0).random((5, 3))
    aligned, independent = (
        BBCF(repeats=kind).estimate(of_folds(scores), "accuracy")
        for kind in ("aligned", "independent")
    )
    np.testing.assert_array_equal(aligned.draws, independent.draws)
    assert independent.details["exact"]


def test_unknown_kind_of_repeats():
    with pytest.raises(ValueError, match=r"repeats must be one of \['aligned', 'independent'\]"):
        BBCF(repeats="joint").estimate(of_folds(PUBLISHED), "accuracy")


def test_repeats_of_two_folds_are_refused():
    with pytest.raises(ValueError, match="at least 3 folds, got 2"):
        BBCF().estimate(of_repeats(np.ones((3, 2, 2))), "accuracy")


@pytest.mark.slow
def test_independent_repeats_promise_too_much():
    """The reason for the default: the sampling noise that repeats share does not average out."""
    held = {kind: [] for kind in ("aligned", "independent")}
    for seed in range(200):
        rng = np.random.default_rng(seed)
        accuracy = rng.beta(9, 6, size=20)
        right = rng.random((100, 20)) < accuracy
        again = rng.random((10, 100, 20)) < 0.05  # models of another partition differ a little
        right = np.where(again, rng.random((10, 100, 20)) < accuracy, right)
        fold = np.stack([rng.permutation(100) % 6 for _ in range(10)])
        scores = [right[r][fold[r] == f].mean(axis=0) for r in range(10) for f in range(6)]
        oof = of_folds(
            np.array(scores),
            y_true=np.zeros(100),
            sample=np.tile(np.arange(100), 10),
            fold=(fold + 6 * np.arange(10)[:, None]).ravel(),
        )
        for kind in held:
            result = BBCF(repeats=kind, n_bootstraps=500, random_state=seed).estimate(
                oof, "accuracy"
            )
            held[kind].append(accuracy[result.details["winner"]] in result)
    assert np.mean(held["aligned"]) >= 0.95
    assert np.mean(held["independent"]) < 0.8


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


def test_sorted_labels_are_told_of_stratified_folds():
    y = np.repeat([0, 1], 20)
    oof = OOFPredictions(y_true=y, y_pred=np.arange(80.0).reshape(40, 2), fold=np.arange(40) // 8)
    with pytest.raises(UndefinedIntervalError, match=r"no sample of class 1.*StratifiedKFold"):
        BBCF().estimate(oof, "roc_auc")
