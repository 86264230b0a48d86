"""CVAUC: published example, classes in folds, groups, ties."""

import numpy as np
import pytest

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning, UndefinedIntervalError
from sklearn_bbc.intervals import CVAUC

Y = np.array([0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0])
SCORES = np.array([0.2, 0.7, 0.4, 0.3, 0.9, 0.1, 0.5, 0.6, 0.8, 0.35, 0.45, 0.55])
FOLD = np.repeat([0, 1], 6)


def test_twelve_samples_by_hand():
    result = CVAUC().estimate(OOFPredictions(y_true=Y, y_pred=SCORES, fold=FOLD), "roc_auc")
    assert result.estimate == pytest.approx(0.8333333, abs=1e-7)
    assert result.details["standard_error"] == pytest.approx(0.1200137, abs=1e-7)
    assert result.details["unclipped"] == pytest.approx((0.5981108, 1.0685559), abs=1e-7)
    assert result.high == 1.0
    assert result.details["fold_scores"] == pytest.approx([8 / 9, 7 / 9])
    assert result.details["degenerate"] is False
    assert not any("spread" in note for note in result.details["notes"])


def test_with_ties_only_half_credit_centres_the_influence_curve():
    tied = np.round(SCORES, 1)
    oof = OOFPredictions(y_true=Y, y_pred=tied, fold=FOLD)
    half, strict = (
        CVAUC(half_credit=credit).estimate(oof, "roc_auc").details["standard_error"]
        for credit in (True, False)
    )
    assert half != pytest.approx(strict, abs=1e-3)


def test_a_fold_without_a_class_is_named():
    oof = OOFPredictions(y_true=np.repeat([0, 1], 6), y_pred=SCORES, fold=FOLD)
    with pytest.raises(UndefinedIntervalError, match="fold 0 has only class 0 in 6 samples"):
        CVAUC().estimate(oof, "roc_auc")
    reverse = OOFPredictions(y_true=np.repeat([1, 0], 6), y_pred=SCORES, fold=FOLD)
    with pytest.raises(UndefinedIntervalError, match="fold 0 has only class 1 in 6 samples"):
        CVAUC().estimate(reverse, "roc_auc")


def test_no_spread_is_marked():
    for scores, area in ((np.ones(12), 0.5), (Y.astype(float), 1.0)):
        oof = OOFPredictions(y_true=Y, y_pred=scores, fold=FOLD)
        with pytest.warns(IntervalWarning, match=f"area of {area:g}: the interval is a point"):
            result = CVAUC().estimate(oof, "roc_auc")
        assert tuple(result) == (area, area) and result.details["degenerate"]
        assert any("certainly wrong" in note for note in result.details["notes"])


@pytest.mark.parametrize("seed", range(5))
def test_clusters_by_the_definition(seed):
    """Influences summed within a group, over the mean group size; folds weigh alike."""
    rng = np.random.default_rng(seed)
    y, groups = np.arange(60) % 2, np.arange(60) // 3
    scores, fold = rng.normal(size=60) + y, groups % 4
    influence = np.zeros(60)
    for v in range(4):
        positive, negative = (np.flatnonzero((fold == v) & (y == k)) for k in (1, 0))
        wins = scores[positive][:, None] > scores[negative]
        influence[positive] = 60 / y.sum() * (wins.mean(axis=1) - wins.mean())
        influence[negative] = 60 / (60 - y.sum()) * (wins.mean(axis=0) - wins.mean())
    of_group = np.bincount(groups, influence) / 3
    of_fold = [np.mean(of_group[np.arange(20) % 4 == v] ** 2) for v in range(4)]
    oof = OOFPredictions(y_true=y, y_pred=scores, fold=fold, groups=groups)
    result = CVAUC().estimate(oof, "roc_auc")
    assert result.details["standard_error"] == pytest.approx(np.sqrt(np.mean(of_fold) / 20))


def test_repeats_average_areas_and_influences():
    """By the definition; the spread is taken within the folds of the first repeat."""
    rng = np.random.default_rng(7)
    y = np.arange(40) % 2
    scores = rng.normal(size=(2, 40)) + y
    fold = np.stack([rng.permutation(np.arange(20) % 2).repeat(2), np.arange(40) // 2 % 4 // 2])
    influence, areas = np.zeros(40), []
    for repeat in range(2):
        for v in range(2):
            positive, negative = (np.flatnonzero((fold[repeat] == v) & (y == k)) for k in (1, 0))
            wins = scores[repeat][positive][:, None] > scores[repeat][negative]
            areas.append(wins.mean())
            influence[positive] += 2 * (wins.mean(axis=1) - wins.mean()) / 2
            influence[negative] += 2 * (wins.mean(axis=0) - wins.mean()) / 2
    variance = np.mean([np.mean(influence[fold[0] == v] ** 2) for v in range(2)]) / 40
    oof = OOFPredictions(y_true=y, y_pred=scores[:, :, None], fold=fold)
    result = CVAUC().estimate(oof, "roc_auc")
    assert result.estimate == pytest.approx(np.mean(areas))
    assert result.details["standard_error"] == pytest.approx(np.sqrt(variance))
    same = OOFPredictions(y_true=y, y_pred=scores[[0, 0], :, None], fold=fold[[0, 0]])
    once = OOFPredictions(y_true=y, y_pred=scores[0], fold=fold[0])
    assert tuple(CVAUC().estimate(same, "roc_auc")) == pytest.approx(
        tuple(CVAUC().estimate(once, "roc_auc"))
    )
