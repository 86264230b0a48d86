"""The winner on all samples: by means over the folds, else by one score on all predictions."""

import numpy as np
from sklearn.metrics import make_scorer, precision_score, roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.contest._contest import best_by_folds
from sklearn_bbc.intervals import (
    BBC,
    BBCF,
    CorrectedT,
    DeLong,
    TibshiraniTibshirani,
)
from tests.made import made

RNG = np.random.default_rng(11)
Y = np.tile([0, 1], 30)
FOLD = np.arange(60) // 12
# Every fold's models score on a scale of their own, so the two criteria disagree.
SHIFT = RNG.normal(size=(5, 9))[FOLD] * np.linspace(0, 3, 9)
SCORES = RNG.normal(size=(60, 9)) + Y[:, None] * np.linspace(0.5, 1.5, 9) + SHIFT


def predictions(**fields):
    return made(y_true=Y, y_pred=SCORES, fold=FOLD, **fields)


def winner(oof, scoring="roc_auc"):
    details = DeLong().estimate(oof, scoring).details
    return details["winner"], details["winner_by"]


def test_the_winner_is_that_of_a_search_else_of_one_score_on_all_samples():
    by_fold = np.array(
        [[roc_auc_score(Y[FOLD == k], column[FOLD == k]) for column in SCORES.T] for k in range(5)]
    )
    pooled = np.array([roc_auc_score(Y, column) for column in SCORES.T])
    best, best_pooled = int(by_fold.mean(axis=0).argmax()), int(pooled.argmax())
    assert best != best_pooled, "the example must tell them apart"
    assert winner(predictions()) == (best, "mean over folds")
    for fold in (None, np.arange(60) % 2):  # a single fold, and folds of one class each
        oof = OOFPredictions(y_true=Y, y_pred=SCORES, fold=fold)
        assert winner(oof) == (best_pooled, "pooled score")
        failed = np.arange(9) == best_pooled
        without = made(y_true=Y, y_pred=SCORES, fold=fold, failed=failed)
        assert winner(without)[0] == np.where(failed, -1, pooled).argmax()
        twice = OOFPredictions(
            y_true=Y, y_pred=SCORES[:, [best_pooled, best_pooled, 0]], fold=fold
        )
        assert winner(twice)[0] == 0


def test_methods_report_the_winner_that_is_named():
    named = predictions().with_selected(3, by="a committee")
    for method in (DeLong(), CorrectedT(), BBC(n_bootstraps=50, random_state=0)):
        details = method.estimate(named, "roc_auc").details
        assert (details["winner"], details["winner_by"]) == (3, "a committee")


def test_equal_means_have_one_winner_whoever_asks():
    """The same scores in another order: their sums differ in the last bit."""
    scores = np.column_stack([[0.6, 0.7, 0.9, 0.8, 0.5], [0.7, 0.9, 0.8, 0.6, 0.5]])
    assert scores.mean(axis=0)[0] != scores.mean(axis=0)[1]
    for order in (slice(None), [1, 0]):
        oof = OOFPredictions.from_fold_scores({"accuracy": scores[:, order]})
        for method in (BBCF(), CorrectedT(), TibshiraniTibshirani()):
            assert method.estimate(oof, "accuracy").details["winner"] == 0
        y = np.arange(20) % 2
        fields = {"fold": np.arange(20) // 4, "fold_scores": {"accuracy": scores[:, order]}}
        full = made(y_true=y, y_pred=np.column_stack([y, 1 - y]), **fields)
        assert BBC(n_bootstraps=20).estimate(full, "accuracy").details["winner"] == 0


def test_a_configuration_without_a_score_in_some_fold_loses_as_in_a_search():
    """Precision of a model that predicts no positive in one fold, and the best one otherwise."""
    y = np.tile([0, 1], 30)
    best = y.copy()
    best[FOLD == 2] = 0
    scoring = make_scorer(precision_score, zero_division=np.nan)
    oof = OOFPredictions(
        y_true=y, y_pred=np.column_stack([best, (np.arange(60) % 4 > 0).astype(int), 1 - y]),
        fold=FOLD,
    )  # fmt: skip
    for method in (BBC(n_bootstraps=50), CorrectedT(), BBCF()):
        details = method.estimate(oof, scoring).details
        assert (details["winner"], details["winner_by"]) == (1, "mean over folds")


def test_means_within_rounding_tie_whatever_the_unit():
    """0.1 + 0.2 is a bit more than 0.3, as a loss worse."""
    for unit in (1e-6, 1.0, 1e6):
        tied = -unit * np.array([[0.1 + 0.2, 0.3]] * 3)
        assert tied[0, 0] < tied[0, 1] and best_by_folds(tied) == 0
        assert best_by_folds(tied - unit * np.array([1e-9, 0])) == 1
    assert best_by_folds(np.array([[-1.0, 0.0], [0.0, 0.0]])) == 1  # zeros have no rounding
    assert best_by_folds(np.array([[0.5, 0.4], [0.1, 0.4]])) == 1
    assert best_by_folds(np.array([[0.5, 0.4], [0.1, 0.4]]), np.array([9.0, 1.0])) == 0
    assert best_by_folds(np.array([[np.nan, 0.1, 0.2], [0.9, np.nan, 0.1]])) == 2
    assert best_by_folds(np.array([[np.nan, 0.1], [0.9, np.nan]])) is None
