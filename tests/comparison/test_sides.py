"""Which two sides can be compared, and what is said of those that cannot."""

import numpy as np
import pytest

from sklearn_bbc import BBCSearchCV, OOFPredictions
from sklearn_bbc.comparison import Side
from sklearn_bbc.comparison._base import as_side, check_same_data, names_of
from sklearn_bbc.testing import example_predictions


def made(y=None, folds=None, **fields):
    y = np.tile([0, 1], 10) if y is None else y
    scores = np.random.default_rng(0).normal(size=(len(y), 2))
    folds = np.arange(len(y)) // 4 if folds is None else folds
    return Side(oof=OOFPredictions(y_true=y, y_pred=scores, fold=folds, **fields), config=0)


def test_same_data_pass():
    assert check_same_data(made(), made()) == []


@pytest.mark.parametrize(
    "other, message",
    [
        (made(np.tile([0, 1], 12)), "first side has 20 samples, the second 24"),
        (made(np.tile([1, 0], 10)), "different target values in 20 of 20 samples, first in sam"),
        (made(folds=np.arange(20) % 5), "different folds .different splits.*cv"),
        (made(folds=np.arange(20) // 5), "different folds .5 and 4 splits"),
        (made(groups=np.arange(20)), "only one has groups"),
        (made(sample_weight=np.ones(20)), "only one has sample_weight"),
        (made(classes=[0, 1, 2]), "different classes"),
    ],
)
def test_other_data_are_refused(other, message):
    with pytest.raises(ValueError, match=message):
        check_same_data(made(), other)


def test_other_groups_are_refused():
    groups = np.repeat(np.arange(5), 4)
    with pytest.raises(ValueError, match="different groups"):
        check_same_data(made(groups=groups), made(groups=groups[::-1].copy() + 1))


def test_scores_per_fold_alone_cannot_be_checked():
    folds = OOFPredictions(y_true=np.empty(0), classes=None, fold_scores={"r2": np.ones((5, 1))})
    (note,) = check_same_data(made(), Side(oof=folds))
    assert "cannot be checked" in note
    few = OOFPredictions(y_true=np.empty(0), classes=None, fold_scores={"r2": np.ones((3, 1))})
    with pytest.raises(ValueError, match="5 and 3 splits"):
        check_same_data(made(), Side(oof=few))


def test_a_side_knows_whether_it_was_tuned():
    oof = example_predictions()
    assert Side(oof=oof).is_tuned and not Side(oof=oof, config=1).is_tuned
    assert not Side(oof=example_predictions(n_configs=1)).is_tuned


def test_bad_sides_are_refused():
    oof = example_predictions()
    with pytest.raises(ValueError, match=r"config must be .* 0 to 3"):
        Side(oof=oof, config=4)
    with pytest.raises(ValueError, match="oof must be an OOFPredictions, got an array"):
        Side(oof=oof.y_true)
    with pytest.raises(ValueError, match=r"second must be .* got ndarray"):
        as_side(oof.y_true, "second")
    search = BBCSearchCV(None, {})
    with pytest.raises(ValueError, match="Fit the search first"):
        as_side(search, "first")


def test_names_tell_the_parameters():
    oof = OOFPredictions(
        y_true=[0, 1], y_pred=np.zeros((2, 2)), params=[{"C": 1}, {"C": "x" * 100}]
    )
    one, other = names_of(Side(oof=oof, config=0), Side(oof=oof, config=1))
    assert one == "configuration 0 (C=1)"
    assert other.endswith("...)") and len(other) < 90
