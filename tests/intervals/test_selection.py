"""Which configuration is taken for the winner."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC, BBCF, CorrectedT, DeLong, TibshiraniTibshirani
from sklearn_bbc.intervals._selection import selected_configuration
from sklearn_bbc.metrics import as_metric

RNG = np.random.default_rng(3)
Y = np.arange(40) % 2
SCORES = RNG.normal(size=(40, 6)) + 0.8 * Y[:, None]


def winner(fold, pred=SCORES, **fields):
    oof = OOFPredictions(y_true=Y, y_pred=pred, fold=fold, **fields)
    kernel = as_metric("roc_auc").bind(oof)
    return *selected_configuration(oof, kernel), kernel


def test_the_best_mean_over_the_folds():
    fold = np.arange(40) // 2 % 5
    found, how, kernel = winner(fold)
    assert found == kernel.fold_scores().mean(axis=0).argmax()
    assert how == "mean over folds"


def test_the_best_score_on_all_samples_where_a_fold_lacks_a_class():
    fold = np.arange(40) % 4  # even folds hold one class, odd ones the other
    found, how, kernel = winner(fold)
    pooled = kernel.scores(np.ones((1, 40), dtype=np.uint8))[0]
    assert np.isnan(kernel.fold_scores()).any()
    assert found == pooled.argmax()
    assert how == "pooled score"


def test_recorded_fold_scores_come_first():
    recorded = np.tile([0.5, 0.6, 0.9, 0.1, 0.2, 0.3], (5, 1))
    assert winner(np.arange(40) // 2 % 5, fold_scores={"roc_auc": recorded})[0] == 2


def test_the_choice_of_the_search_comes_before_everything():
    assert winner(np.arange(40) // 2 % 5, selected=4)[:2] == (4, "given")


@pytest.mark.parametrize("lacking", [False, True])
def test_undefined_configurations_are_not_selected(lacking):
    pred = SCORES.copy()
    fold = np.arange(40) % 4 if lacking else np.arange(40) // 2 % 5
    best = winner(fold)[0]
    pred[3, best] = np.nan
    assert winner(fold, pred)[0] != best


@pytest.mark.parametrize(
    "method", [BBC(n_bootstraps=20), BBCF(), DeLong(), CorrectedT(), TibshiraniTibshirani()]
)
def test_results_say_by_what_the_winner_was_selected(method):
    oof = OOFPredictions(y_true=Y, y_pred=SCORES, fold=np.arange(40) // 2 % 5)
    assert method.estimate(oof, "roc_auc").details["winner_by"] == "mean over folds"
    named = method.estimate(oof.with_selected(3), "roc_auc").details
    assert (named["winner"], named["winner_by"]) == (3, "given")
