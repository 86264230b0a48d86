"""Fits of configurations, in any order, become predictions."""

import numpy as np
import pytest

from sklearn_bbc.search._recorder import RecordedCell, assembled

Y = np.array([0, 1, 0, 1, 0, 1])
SPLITS = [([2, 3, 4, 5], [1, 0]), ([0, 1, 4, 5], [2, 3]), ([0, 1, 2, 3], [4, 5])]
VALUES = np.arange(12.0).reshape(2, 6)


def cell(config, split, responses=None, time=0, scores=None):
    test = SPLITS[split][1]
    responses = {"plain": VALUES[config][test]} if responses is None else responses
    scores = {"auc": 10 * config + split} if scores is None else scores
    return RecordedCell(str(config), split, {"C": config}, {}, scores, responses, time)


def whole(cells, notes=()):
    return assembled(cells, SPLITS, Y, None, None, notes)


def test_rows_are_those_of_the_splits():
    cells = [cell(config, split, time=config) for config in (1, 0) for split in (2, 0, 1)]
    oof = whole(cells)
    np.testing.assert_array_equal(oof.matrix("roc_auc"), VALUES.T)
    assert oof.fold.tolist() == [0, 0, 1, 1, 2, 2]
    assert oof.params == ({"C": 0}, {"C": 1})  # in the order of their first fits
    np.testing.assert_array_equal(oof.fold_scores["auc"], [[0, 10], [1, 11], [2, 12]])
    assert oof.train_size.tolist() == [4, 4, 4]


def test_a_later_fit_takes_the_place_of_an_earlier_one():
    cells = [cell(0, split) for split in range(3)]
    again = cell(0, 1, {"plain": np.array([7.0, 8.0])}, time=5)
    assert whole([again, *cells]).matrix("plain")[2:4, 0].tolist() == [7, 8]


def test_what_is_not_complete_is_left_out_and_said():
    cells = [cell(0, split) for split in range(3)] + [cell(1, 0)]
    oof = whole(cells, ["told"])
    assert oof.n_configs == 1
    assert oof.notes == (
        "told",
        "1 configuration is not complete, as after a crash or pruning, and left out.",
    )
    with pytest.raises(ValueError, match="No configuration has predictions for all 3 splits yet"):
        whole([cell(1, 0), cell(0, 1)])


def test_responses_that_some_do_not_have_are_missing():
    labels = [cell(0, split, {"predict": np.array([0, 1], dtype=np.uint8)}) for split in range(3)]
    proba = [cell(1, split, {"predict_proba": np.full(2, 0.5, np.float32)}) for split in range(3)]
    oof = whole(labels + proba)
    assert np.isnan(oof.responses["predict_proba"][0]).all()
    assert oof.responses["predict_proba"].dtype == np.float32
    assert (oof.responses["predict"][1] == -1).all()
    assert oof.responses["predict"][0].tolist() == [1, 0, 0, 1, 0, 1]  # by sample


@pytest.mark.parametrize("kind", ["plain", "predict"])
@pytest.mark.parametrize("dtype", [np.int64, np.uint8, bool])
def test_no_number_stands_for_a_prediction_that_is_missing(kind, dtype):
    """Of values each integer may be a prediction, so that -1 would be scored as one."""
    whole_numbers = [cell(0, split, {kind: np.array([1, 0], dtype)}) for split in range(3)]
    others = [cell(1, split, {"decision_function": np.array([1.5, 2.5])}) for split in range(3)]
    y = np.array([-0.5, -1.5, -1.0, -1.0, -0.9, -1.1])
    oof = assembled(whole_numbers + others, SPLITS, y, None, None, [])
    assert oof.responses[kind][0].tolist() == [0, 1, 1, 0, 1, 0]  # by sample
    assert np.isnan(oof.responses[kind][1]).all()
    alone = assembled(whole_numbers, SPLITS, y, None, None, [])
    assert alone.responses[kind][0].tolist() == [0, 1, 1, 0, 1, 0]


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, bool])
def test_the_code_of_a_missing_label_is_minus_one(dtype):
    labels = [cell(0, split, {"predict": np.array([0, 1], dtype=dtype)}) for split in range(3)]
    scores = [cell(1, split, {"decision_function": np.ones(2)}) for split in range(3)]
    predicted = whole(labels + scores).responses["predict"]
    assert predicted.tolist() == [[1, 0, 0, 1, 0, 1], [-1] * 6]


def test_numbers_of_outputs_must_agree():
    cells = [cell(0, s) for s in range(3)]
    cells += [cell(1, s, {"plain": np.zeros((2, 3))}) for s in range(3)]
    with pytest.raises(ValueError, match="plain has different numbers of outputs"):
        whole(cells)


def test_the_order_is_that_of_the_first_fits_and_not_of_the_cells():
    cells = [cell(0, 0, time=5), cell(1, 0, time=3), cell(0, 1, time=1)]
    cells += [cell(0, 2, time=6), cell(1, 1, time=7), cell(1, 2, time=2)]
    assert whole(cells).params == ({"C": 0}, {"C": 1})
    cells[2] = cell(0, 1, time=9)
    assert whole(cells).params == ({"C": 1}, {"C": 0})


def test_half_a_kind_is_missing_in_the_other_splits():
    cells = [cell(0, split) for split in range(3)]
    cells[1] = cell(0, 1, {"predict": np.array([1, 0])})
    found = whole(cells).responses
    assert found["predict"].tolist() == [[-1, -1, 1, 0, -1, -1]]
    assert np.isnan(found["plain"][0]).tolist() == [False, False, True, True, False, False]
    wide = [cell(0, split, {"plain": np.ones(2, np.float32)}) for split in range(3)]
    wide[0] = cell(0, 0)
    assert whole(wide).responses["plain"].dtype == np.float64


def test_scores_of_all_metrics_that_every_fit_has_are_kept_by_name():
    cells = [cell(0, s, scores={"f1": s, "auc": -s}) for s in range(3)]
    assert list(whole(cells).fold_scores) == ["auc", "f1"]
    cells += [cell(1, s, scores={"f1": 5} if s else {"f1": 5, "auc": 1}) for s in range(3)]
    found = whole(cells).fold_scores
    assert list(found) == ["f1"]
    np.testing.assert_array_equal(found["f1"], [[0, 5], [1, 5], [2, 5]])
