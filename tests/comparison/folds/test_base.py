"""Comparisons on scores per fold: where the scores come from, and which are refused."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.comparison import CorrectedResampledT, Side
from sklearn_bbc.testing import example_predictions


def published(**scores):
    columns = {name: np.asarray(values, dtype=float) for name, values in scores.items()}
    return OOFPredictions(y_true=np.empty(0), classes=None, fold_scores=columns)


def test_recorded_scores_are_taken_as_they_are():
    oof = published(accuracy=[[0.8, 0.7], [0.9, 0.7], [0.7, 0.6], [0.8, 0.8]])
    result = CorrectedResampledT().compare(
        Side(oof=oof, config=0), Side(oof=oof, config=1), "accuracy"
    )
    assert result.difference == pytest.approx(0.1)
    assert result.details["scores"] == pytest.approx([0.8, 0.7])
    assert result.details["n_folds"] == 4 and result.details["unit"] == "fold"


def test_scores_of_any_name_will_do_when_both_sides_have_them():
    oof = published(quality=[[0.8, 0.7], [0.9, 0.7], [0.7, 0.6]])
    sides = Side(oof=oof, config=0), Side(oof=oof, config=1)
    assert CorrectedResampledT().compare(*sides, "quality").metric == "quality"
    with pytest.raises(ValueError, match="no_such"):
        CorrectedResampledT().compare(*sides, "no_such")


def test_the_winner_is_the_search_s_or_the_best_mean():
    oof = published(accuracy=[[0.8, 0.7, 0.1], [0.9, 0.7, 0.2], [0.7, 0.6, 0.3]])
    worst = Side(oof=oof, config=2)
    assert CorrectedResampledT().compare(oof, worst, "accuracy").details["configs"] == [0, 2]
    chosen = CorrectedResampledT().compare(oof.with_selected(1), worst, "accuracy")
    assert chosen.details["configs"] == [1, 2]


def test_a_fold_without_a_score_is_named():
    oof = published(accuracy=[[0.8, 0.7], [0.9, np.nan], [0.7, 0.6]])
    with pytest.raises(ValueError, match=r"configuration 1 has no finite accuracy in fold \[1\]"):
        CorrectedResampledT().compare(Side(oof=oof, config=0), Side(oof=oof, config=1), "accuracy")
    nothing = published(accuracy=[[np.nan, np.nan], [0.9, np.nan]])
    with pytest.raises(ValueError, match="No configuration"):
        CorrectedResampledT().compare(nothing, Side(oof=nothing, config=1), "accuracy")


def test_one_fold_is_too_few():
    oof = example_predictions(n_folds=1)
    with pytest.raises(ValueError, match="at least 2 folds"):
        CorrectedResampledT().compare(Side(oof=oof, config=0), Side(oof=oof, config=1), "roc_auc")


def test_the_first_of_means_that_differ_by_rounding_wins():
    """As in every other method: 0.1 + 0.2 is not more than 0.3."""
    oof = published(accuracy=[[0.3, 0.1, 0.0], [0.0, 0.2, 0.0], [0.3, 0.3, 0.0]])
    assert oof.fold_scores["accuracy"][:, 0].mean() < oof.fold_scores["accuracy"][:, 1].mean()
    result = CorrectedResampledT().compare(oof, Side(oof=oof, config=2), "accuracy")
    assert result.details["configs"] == [0, 2]
