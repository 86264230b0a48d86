"""Folds that BBC-F cannot use, or notes."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.intervals import BBCF, NaiveBootstrap
from tests.intervals.winner.bbcf_cases import PUBLISHED, of_folds

# --- folds that cannot be used -----------------------------------------------------------


def test_few_folds_are_coarse():
    with pytest.warns(
        IntervalWarning, match=r"coarse with 4 folds.* 14 values.*at least 5"
    ) as seen:
        BBCF().estimate(of_folds(PUBLISHED), "accuracy")
    assert seen[0].filename == __file__


@pytest.mark.filterwarnings("error")
def test_five_folds_are_not():
    BBCF().estimate(of_folds(np.ones((5, 2))), "accuracy")


def test_two_folds_are_refused():
    with pytest.raises(ValueError, match=r"BBCF needs at least 3 folds, got 2.*Use BBC"):
        BBCF().estimate(of_folds(PUBLISHED[:2]), "accuracy")
    with pytest.raises(ValueError, match="needs at least 2 folds, got 1"):
        BBCF().estimate(of_folds(PUBLISHED[:1]), "accuracy")


def test_a_fold_without_a_class_is_named():
    y = np.array(["a"] * 4 + ["a", "b"] * 8)
    oof = OOFPredictions(y_true=y, y_pred=np.random.default_rng(0).random((20, 3)),
                         fold=np.arange(20) // 4)  # fmt: skip
    message = "roc_auc is undefined in fold 0.*no sample of class b. Use stratified"
    with pytest.raises(ValueError, match=message):
        BBCF().estimate(oof, "roc_auc")


def test_a_fold_without_scores_is_named():
    scores = np.random.default_rng(0).random((5, 3))
    scores[3] = np.nan
    with pytest.raises(
        ValueError, match=r"accuracy is undefined in fold 3 for every configuration\.$"
    ):
        BBCF().estimate(of_folds(scores), "accuracy")


def test_every_configuration_undefined_somewhere():
    scores = np.random.default_rng(0).random((5, 3))
    scores[[0, 1, 2], [0, 1, 2]] = np.nan
    with pytest.raises(ValueError, match="Every configuration is undefined in some fold"):
        BBCF().estimate(of_folds(scores), "accuracy")
    with pytest.raises(ValueError, match="Every configuration is undefined"):
        BBCF().estimate(of_folds(np.ones((5, 2)), failed=[True, True]), "accuracy")


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


def test_a_failed_configuration_never_wins():
    """A search with a numeric `error_score` gives a failure a score."""
    scores = np.random.default_rng(0).random((5, 3))
    better = np.concatenate([scores, np.full((5, 1), 2.0)], axis=1)
    failed = [False, False, False, True]
    expected = BBCF().estimate(of_folds(scores), "accuracy")
    found = BBCF().estimate(of_folds(better, failed=failed), "accuracy")
    np.testing.assert_array_equal(found.draws, expected.draws)


def test_one_configuration_has_nothing_to_correct():
    scores = np.random.default_rng(0).random((6, 1))
    result = BBCF().estimate(of_folds(scores), "accuracy")
    assert result.estimate == pytest.approx(scores.mean())
    assert "no selection" in result.details["notes"][0]


def test_folds_that_share_samples_are_noted():
    rng = np.random.default_rng(0)
    oof = of_folds(
        rng.random((5, 3)),
        y_true=np.zeros(20),
        sample=np.concatenate([rng.permutation(20)[:6] for _ in range(5)]),
        fold=np.repeat(np.arange(5), 6),
    )
    note = BBCF().estimate(oof, "accuracy").details["notes"][0]
    assert note.endswith("the scores of folds that share samples depend on each other.")


# --- folds without a class ---------------------------------------------------------------


@pytest.mark.parametrize("method", [BBCF(), NaiveBootstrap()])
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
        (OOFPredictions(y_true=[], classes=None, fold_scores={"f1": np.eye(5)}), "f1"),
    ):
        details = method.estimate(oof, scoring).details
        assert details["n_folds_lacking_class"] == 0
        assert not any("lack a class" in note for note in details["notes"])
