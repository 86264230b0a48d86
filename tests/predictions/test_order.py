"""The order of samples and blocks of them: times, panels, predictions that carry both."""

import pickle

import numpy as np
import pandas as pd
import pytest

from sklearn_bbc import BBC, OOFPredictions
from sklearn_bbc.exceptions import UndefinedIntervalError
from sklearn_bbc.predictions._order import time_order
from sklearn_bbc.testing import example_predictions

RNG = np.random.default_rng(0)
Y, PRED = np.tile([0, 1], 20), RNG.normal(size=(40, 3))


def made(**given):
    return OOFPredictions(y_true=Y, y_pred=PRED, **given)


@pytest.mark.parametrize(
    "times",
    [
        [3, 1, 2, 0],
        [0.3, 0.1, 0.2, 0.0],
        pd.to_datetime(["2020-04-01", "2020-02-01", "2020-03-01", "2020-01-01"]),
        ["2020-04-01", "2020-02-01", "2020-03-01", "2020-01-01"],
        ["10", "8", "9", "7.5"],  # as numbers, not letter by letter
        [pd.Timestamp(2020, month, 1) for month in (4, 2, 3, 1)],
    ],
)
def test_times_of_any_kind_order_the_samples(times):
    np.testing.assert_array_equal(time_order(times, None, 4), [3, 1, 2, 0])


def test_panels_may_share_times():
    panel = np.array([0, 1, 0, 1])
    found = time_order([1, 5, 0, 1], panel, 4)  # the last of one is the first of the other
    assert [unit for unit in found if panel[unit] == 0] == [2, 0]
    assert [unit for unit in found if panel[unit] == 1] == [3, 1]


@pytest.mark.parametrize(
    ("times", "panel", "message"),
    [
        ([0, 1, 1, 2], None, "1 tie: rows 1 and 2 have the same time 1"),
        ([0, 1, 1, 2], [0, 1, 1, 0], "1 tie: rows 1 and 2"),
        ([0, np.nan, 1, 2], None, "1 missing time, the first in row 1"),
        (pd.to_datetime(["2020-01-01", None, None, "2020-01-02"]), None, "2 missing times"),
        ([0, 1, 2], None, r"shape \(4,\), got \[0, 1, 2\]"),
        ([object()] * 4, None, "numbers or dates"),
        (["spring", "summer", "autumn", "winter"], None, "neither, such as 'spring'"),
        ([1j, 2, 3, 4], None, "numbers or dates"),
    ],
)
def test_times_without_an_order_are_refused(times, panel, message):
    with pytest.raises(ValueError, match=message):
        time_order(times, panel if panel is None else np.array(panel), 4)


@pytest.mark.parametrize(
    ("length", "given", "message"),
    [
        (21, {}, r"block_length=21 is more than half of the 40 samples: .* most 20; 20 blocks"),
        (7, {"groups": np.repeat([0, 1], [28, 12])}, "half of the 12 samples of the shortest"),
    ],
)
def test_lengths_that_do_not_fit_are_refused(length, given, message):
    with pytest.raises(ValueError, match=message):
        made(**given).with_blocks(length)


def test_half_of_the_samples_is_the_longest_block():
    assert made().with_blocks(20).block_length == 20
    with pytest.raises(UndefinedIntervalError):
        made().with_blocks(21)


def test_other_refusals():
    scores = OOFPredictions.from_fold_scores({"accuracy": np.full((5, 2), 0.5)})
    with pytest.raises(ValueError, match="only scores per fold"):
        scores.with_blocks(2)
    with pytest.raises(ValueError, match="'auto' is chosen for a metric"):
        made().with_blocks().clusters  # noqa: B018


def test_blocks_side_by_side_are_about_equal_and_follow_the_order():
    order = RNG.permutation(40)
    oof = made().with_blocks(7, order=order)
    labels = oof.clusters[np.argsort(order)]  # in the order of time
    assert (np.diff(labels) >= 0).all()
    assert np.bincount(labels).tolist() == [8, 8, 8, 8, 8]  # 40 samples, 5 blocks of at least 7


def test_blocks_stay_within_their_group():
    groups = np.tile(["a", "b"], 20)
    labels = made(groups=groups).with_blocks(6).clusters
    for label in np.unique(labels):
        assert len(set(groups[labels == label])) == 1
    assert np.bincount(labels).tolist() == [7, 7, 6, 7, 7, 6]


def test_samples_never_held_out_are_in_no_block():
    fold = np.repeat([-1, 0, 1, 2, 3], 8)
    labels = made(fold=fold).with_blocks(8).clusters
    assert (labels[:8] == -1).all()
    assert np.bincount(labels[8:]).tolist() == [8, 8, 8, 8]


def test_times_are_taken_by_label():
    index = pd.Index([f"s{k}" for k in range(40)])
    times = pd.Series(RNG.permutation(40), index=index)
    oof = OOFPredictions(y_true=pd.Series(Y, index=index), y_pred=PRED)
    expected = oof.with_blocks(5, order=times.to_numpy()).order
    np.testing.assert_array_equal(oof.with_blocks(5, order=times.iloc[::-1]).order, expected)
    with pytest.raises(ValueError, match="order"):
        oof.with_blocks(5, order=times.rename(lambda label: label + "x"))


def test_rows_out_of_time_are_seen_in_their_index():
    days = pd.date_range("2024-01-01", periods=40)[np.r_[0:20, 21, 20, 22:40]]
    oof = OOFPredictions(y_true=pd.Series(Y, index=days), y_pred=PRED)
    with pytest.raises(ValueError, match=r"2024-01-21 .*row 21 comes after 2024-01-22 .*row 20"):
        oof.with_blocks(4)
    assert oof.with_blocks(4, order=days).order[[20, 21]].tolist() == [21, 20]
    by_patient = pd.Series(Y, index=pd.DatetimeIndex([*days[:20], *days[:20]]))
    two = OOFPredictions(y_true=by_patient, y_pred=PRED, groups=np.repeat([0, 1], 20))
    assert two.with_blocks(4).block_length == 4  # each patient's rows are in order


def test_blocks_go_with_the_predictions(tmp_path):
    oof = made(groups=np.repeat([0, 1], 20)).with_blocks(
        4, order=np.arange(40)[::-1], kind="stationary"
    )
    oof.save(tmp_path / "blocks")
    assert OOFPredictions.load(tmp_path / "blocks") == oof
    assert pickle.loads(pickle.dumps(oof)) == oof
    assert oof != oof.with_blocks(5)
    assert oof.with_selected(1).block_length == 4
    single = oof.with_blocks(None)
    assert single.block_length is None
    assert single.order is None


def test_parts_are_joined_only_with_the_same_blocks():
    one = made(fold=np.arange(40) // 8)
    other = OOFPredictions(y_true=Y, y_pred=PRED[::-1], fold=np.arange(40) // 8)
    both = OOFPredictions.concat([one.with_blocks(4), other.with_blocks(4)])
    assert (both.n_configs, both.block_length) == (6, 4)
    with pytest.raises(ValueError, match="other lengths of blocks"):
        OOFPredictions.concat([one.with_blocks(4), other.with_blocks(5)])
    with pytest.raises(ValueError, match="other lengths of blocks"):
        OOFPredictions.concat([one.with_blocks(4), other])


def test_another_order_of_the_rows_is_the_same_data():
    """Rows sorted by time, and rows in any order with their times, give the same draws."""
    oof = example_predictions(n_samples=60)
    shuffled = np.random.default_rng(1).permutation(60)
    mixed = OOFPredictions(
        y_true=oof.y_true[shuffled], y_pred=oof.matrix("predict_proba")[shuffled, :]
    ).with_blocks(5, order=shuffled)
    sorted_rows = OOFPredictions(y_true=oof.y_true, y_pred=oof.matrix("predict_proba"))
    results = [
        BBC(n_bootstraps=200, random_state=0).estimate(each, "roc_auc")
        for each in (mixed, sorted_rows.with_blocks(5))
    ]
    np.testing.assert_allclose(results[0].draws, results[1].draws, rtol=1e-12)
