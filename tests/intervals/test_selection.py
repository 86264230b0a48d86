"""Which configuration is taken for the winner."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC, BBCF, CorrectedT, DeLong, TibshiraniTibshirani
from sklearn_bbc.intervals._notes import (
    MeanOverFolds,
    PooledScore,
    selected_configuration,
    selection_details,
    shares_won,
)
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


def test_a_single_configuration_is_the_only_one():
    fold = np.arange(40) // 2 % 5
    assert winner(fold, SCORES[:, [0]])[:2] == (0, "the only one")
    two = winner(fold, SCORES[:, [0, 0]])
    assert two[:2] == (0, "mean over folds")


def test_where_no_configuration_has_a_score_the_first_one_is_named(monkeypatch):
    for rule in (MeanOverFolds, PooledScore):
        monkeypatch.setattr(rule, "winner", lambda self, oof, kernel: None)
    assert winner(np.arange(40) // 2 % 5)[:2] == (0, "pooled score")


def details(y_pred=SCORES, scoring="roc_auc", winners=(0,), **fields):
    given = {"fold": np.arange(40) // 2 % 5, **fields}
    oof = OOFPredictions(y_true=Y, **({"y_pred": y_pred} if y_pred is not None else {}), **given)
    return selection_details(oof, as_metric(scoring).bind(oof), np.array(winners))


def test_the_unit_is_the_group_where_there_are_groups():
    assert details()["unit"] == "sample"
    groups = np.arange(40) // 2
    assert details(groups=groups)["unit"] == "group"


ALONE = "Only one configuration was tried, so there is no selection to correct for."
DERIVED = "Labels were derived from the recorded scores."
POOLED = "all held-out predictions of a sample are scored together."


def told(found, text):
    return any(text in note for note in found["notes"])


def test_a_single_defined_configuration_is_told_to_need_no_correction():
    one_left = np.where(np.arange(6) == 2, SCORES, np.nan)
    assert told(details(SCORES[:, [0]]), ALONE) and not told(details(one_left), ALONE)
    assert told(details(one_left), "Of 6 configurations only one can be scored here")
    assert not told(details(SCORES[:, :2]), ALONE) and not told(details(), ALONE)
    assert details(one_left)["n_valid"] == 1 and details(one_left)["n_configs"] == 6


def test_derived_labels_are_told():
    probabilities = {"responses": {"predict_proba": 1 / (1 + np.exp(-SCORES.T))}}
    assert told(details(None, "accuracy", **probabilities), DERIVED)
    assert not told(details(None, "roc_auc", **probabilities), DERIVED)
    assert not told(details((SCORES > 0).astype(int), "accuracy"), DERIVED)


def test_splits_that_do_not_test_every_sample_once_are_told():
    drawn = np.r_[np.arange(40), np.arange(10)]
    found = details(
        None, responses={"decision_function": SCORES[drawn].T}, sample=drawn,
        fold=np.r_[np.arange(40) // 2 % 4, np.full(10, 4)],
    )  # fmt: skip
    assert told(found, POOLED)
    assert not told(details(), POOLED)


def test_shares_of_draws_that_count_more_than_once():
    winners = np.array([3, 1, -1, 3])
    assert shares_won(winners, np.array([1, 5, 2, 2])) == {1: 0.5, 3: 0.3}
    assert list(shares_won(winners, np.array([1, 5, 2, 2]))) == [1, 3]
    assert list(shares_won(winners, np.array([1, 2, 2, 1]))) == [1, 3], "the first on ties"
    assert shares_won(np.array([-1])) == {}
