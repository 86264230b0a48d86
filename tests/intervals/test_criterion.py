"""Two criteria for the winner: means over the folds, and one score on all samples."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import (
    BBC,
    DeLong,
    MeanOverFolds,
    NaiveBootstrap,
    PooledScore,
    with_winner,
)

RNG = np.random.default_rng(11)
Y = np.tile([0, 1], 30)
FOLD = np.arange(60) // 12
# Every fold's models score on a scale of their own, so the two criteria disagree.
SHIFT = RNG.normal(size=(5, 9))[FOLD] * np.linspace(0, 3, 9)
SCORES = RNG.normal(size=(60, 9)) + Y[:, None] * np.linspace(0.5, 1.5, 9) + SHIFT


def predictions(**fields):
    return OOFPredictions(y_true=Y, y_pred=SCORES, fold=FOLD, **fields)


def test_criteria_are_the_scores_of_scikit_learn():
    by_fold = np.array(
        [[roc_auc_score(Y[FOLD == k], column[FOLD == k]) for column in SCORES.T] for k in range(5)]
    )
    pooled = np.array([roc_auc_score(Y, column) for column in SCORES.T])
    assert by_fold.mean(axis=0).argmax() != pooled.argmax(), "the example must tell them apart"
    assert with_winner(predictions(), "roc_auc").selected == by_fold.mean(axis=0).argmax()
    found = with_winner(predictions(), "roc_auc", MeanOverFolds()).selected
    assert found == by_fold.mean(axis=0).argmax()
    assert with_winner(predictions(), "roc_auc", PooledScore()).selected == pooled.argmax()


def test_methods_report_the_winner_of_the_criterion():
    pooled = with_winner(predictions(selected=0), "roc_auc", PooledScore())
    assert pooled.selected != 0, "the criterion overrules what was selected before"
    for method in (DeLong(), NaiveBootstrap(random_state=0), BBC(n_bootstraps=50, random_state=0)):
        details = method.estimate(pooled, "roc_auc").details
        assert details["winner"] == pooled.selected
        assert details["winner_by"] == "given"


def test_nothing_else_changes():
    oof = predictions()
    pooled = with_winner(oof, "roc_auc", PooledScore())
    assert oof.selected is None
    assert np.shares_memory(pooled.responses["plain"], oof.responses["plain"])
    assert pooled.with_selected(None).selected is None
    assert BBC(random_state=0).estimate(oof, "roc_auc").low == (
        BBC(random_state=0).estimate(pooled, "roc_auc").low
    ), "the draws of BBC select for themselves"


def test_failed_configurations_cannot_win_and_ties_go_to_the_first():
    best = with_winner(predictions(), "roc_auc", PooledScore()).selected
    failed = np.arange(9) == best
    assert with_winner(predictions(failed=failed), "roc_auc", PooledScore()).selected != best
    twice = OOFPredictions(y_true=Y, y_pred=SCORES[:, [best, best, 0]], fold=FOLD)
    for criterion in (MeanOverFolds(), PooledScore()):
        assert with_winner(twice, "roc_auc", criterion).selected in (0, 2)


def test_a_fold_without_a_class_has_no_mean():
    oof = OOFPredictions(y_true=Y, y_pred=SCORES, fold=np.arange(60) % 2)
    with pytest.raises(ValueError, match=r"undefined for every configuration .* PooledScore"):
        with_winner(oof, "roc_auc")
    assert with_winner(oof, "roc_auc", PooledScore()).selected is not None


def test_refusals_name_what_would_work():
    with pytest.raises(ValueError, match=r"criterion must be MeanOverFolds\(\).* got 'pooled'"):
        with_winner(predictions(), "roc_auc", "pooled")
    alone = OOFPredictions(y_true=[], classes=None, fold_scores={"roc_auc": np.ones((5, 2))})
    with pytest.raises(ValueError, match=r"only fold scores.*with_selected"):
        with_winner(alone, "roc_auc")
    with pytest.raises(ValueError, match=r"selected=9 is not a configuration in 0\.\.8"):
        predictions().with_selected(9)
