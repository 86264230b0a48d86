"""Groups that are split between folds, and folds that follow each other in time."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
)

from sklearn_bbc import OOFPredictions
from sklearn_bbc.exceptions import IntervalWarning
from sklearn_bbc.predictions._validation import is_in_time, straddling_groups, without_repetition

Y = np.tile([0, 1], 12)
GROUPS = np.repeat(np.arange(8), 3)


def by_hand(groups, sample, fold):
    """Groups of which some split holds out a part only, member by member."""
    straddling = set()
    for split in set(fold.tolist()):
        held_out = set(sample[fold == split].tolist())
        for group in set(groups.tolist()):
            members = set(np.flatnonzero(groups == group).tolist())
            if held_out & members and members - held_out:
                straddling.add(group)
    return len(straddling)


@pytest.mark.filterwarnings("ignore:The groups parameter")
@pytest.mark.parametrize(
    "splitter",
    [
        GroupKFold(4),
        GroupShuffleSplit(5, test_size=0.5, random_state=0),
        KFold(5),
        RepeatedKFold(n_splits=4, n_repeats=2, random_state=0),
        ShuffleSplit(3, random_state=0),
        TimeSeriesSplit(4),
    ],
)
def test_splitters_that_do_and_do_not_know_groups(splitter):
    tests = [test for _, test in splitter.split(Y, Y, GROUPS)]
    sample, fold = np.concatenate(tests), np.repeat(np.arange(len(tests)), list(map(len, tests)))
    found, n_groups = straddling_groups(GROUPS, sample, fold)
    assert found == by_hand(GROUPS, sample, fold) and n_groups == 8
    assert (found == 0) == type(splitter).__name__.startswith("Group")


def test_repeats_are_looked_at_one_by_one():
    """A group is in one fold per repeat, and in another fold of the next repeat."""
    fold = np.stack([GROUPS // 2, GROUPS % 4])
    oof = OOFPredictions(y_true=Y, y_pred=np.zeros((2, 24, 3)), fold=fold, groups=GROUPS)
    assert (oof.n_straddling_groups, oof.notes) == (0, ())


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 2)), min_size=1, max_size=12).filter(
        lambda samples: any(fold >= 0 for _, fold in samples)
    )
)
def test_any_partition(samples):
    groups, fold = np.array(samples).T
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IntervalWarning)
        oof = OOFPredictions(
            y_true=np.zeros(len(fold)), y_pred=np.zeros(len(fold)), fold=fold, groups=groups
        )
    expected = by_hand(groups, oof.sample, oof.fold) if oof.n_splits > 1 else 0
    assert oof.n_straddling_groups == expected
    assert len(oof.notes) == (expected > 0)


def test_the_user_is_warned_once_of_how_many():
    fold = np.arange(24) // 6
    groups = np.where(np.arange(24) < 12, fold, 5 + np.arange(24) % 2)
    message = "2 of 4 groups are split between folds.*GroupKFold"
    with pytest.warns(IntervalWarning, match=message) as caught:
        oof = OOFPredictions(y_true=Y, y_pred=np.zeros(24), fold=fold, groups=groups)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert oof.n_straddling_groups == 2
    assert str(caught[0].message) == oof.notes[0]


@pytest.mark.filterwarnings("error")
def test_without_folds_or_groups_nothing_is_said():
    assert not OOFPredictions(y_true=Y, y_pred=np.zeros(24), groups=GROUPS).notes
    assert not OOFPredictions(y_true=Y, y_pred=np.zeros(24), fold=np.arange(24) % 5).notes


@pytest.mark.parametrize(
    "splitter, in_time",
    [
        (TimeSeriesSplit(4), True),
        (TimeSeriesSplit(3, gap=1, max_train_size=4), True),
        (KFold(4), False),
        (KFold(2), False),
        (ShuffleSplit(4, random_state=0), False),
    ],
)
def test_splits_in_time(splitter, in_time):
    splits = list(splitter.split(Y))
    assert is_in_time(splits) is in_time
    assert not is_in_time(splits[:1])


def test_notes_are_given_and_kept_once():
    oof = OOFPredictions(y_true=Y, y_pred=np.zeros(24), notes=["one", "two", "one"])
    assert oof.notes == ("one", "two")
    assert without_repetition([None, "a", None, "a"]) == ("a",)


@pytest.mark.parametrize("of", ["y_true", "y_pred"])
def test_an_index_whose_labels_come_again_with_the_same_targets_is_noted(of):
    y = np.random.default_rng(0).integers(0, 2, 20)
    again, scores = np.tile(np.arange(20), 3), np.random.default_rng(1).normal(size=(60, 2))
    given = {"y_true": np.tile(y, 3), "y_pred": scores}
    given[of] = (pd.Series if of == "y_true" else pd.DataFrame)(given[of], index=again)
    with pytest.warns(IntervalWarning, match=f"index of {of} has 20 different labels for 60"):
        oof = OOFPredictions(**given)
    assert "from_rows" in oof.notes[0]
    assert not OOFPredictions(**given, groups=again).notes, "known to depend on each other"
    given["y_true"] = pd.Series(np.sort(np.tile(y, 3)), index=again)
    assert not OOFPredictions(**given).notes, "these are other samples"
