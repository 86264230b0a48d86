"""RowData: labels in every form that people give them."""

import numpy as np
import pytest

from sklearn_bbc.metrics._base import RowData


def rows(y, pred, classes=None, codes_given=False):
    return RowData(np.asarray(y), np.asarray(pred), classes, codes_given, {})


def decoded(data):
    y, pred, classes = data.labels()
    return classes[y].tolist(), classes[pred].tolist()


def test_codes_are_taken_as_they_are():
    data = rows(["a", "b", "a"], [[0, 1, 1]], np.array(["a", "b"]), codes_given=True)
    y, pred, classes = data.labels()
    assert (y.tolist(), pred.tolist(), classes.tolist()) == ([0, 1, 0], [[0, 1, 1]], ["a", "b"])


@pytest.mark.parametrize(
    "y, pred",
    [
        ([0, 1, 2], [[2, 1, 1]]),
        ([0, 1, 1], [[5, 1, 0]]),  # a label that is never true
        (["a", "b", "b"], [["b", "longer", "a"]]),
        ([0, 1, 1], [[0.0, 1.0, 1.0]]),
        ([False, True, True], [[1, 0, 1]]),
        ([-1, 1, 1], [[-1, 1, -1]]),
    ],
)
def test_labels_given_by_hand(y, pred):
    assert decoded(rows(y, pred, np.unique(y))) == (y, pred)


def test_scores_are_no_labels():
    with pytest.raises(ValueError, match="needs class labels, but the predictions are continuous"):
        rows([0, 1], [[0.2, 0.9]], np.array([0, 1])).labels()
    with pytest.raises(ValueError, match="one label per sample"):
        rows([[0, 1], [1, 0]], [[1, 0]]).labels()
    with pytest.raises(ValueError, match="the target is continuous"):
        rows([0.5, 1.5], [[0.2, 0.9]]).y_codes()


def test_some_of_the_configurations():
    data = RowData(
        np.zeros(2), np.arange(6).reshape(3, 2), None, False, {},
        responses={"predict": np.arange(6).reshape(3, 2)},
    )  # fmt: skip
    part = data.of(np.array([2, 0]))
    np.testing.assert_array_equal(part.pred, [[4, 5], [0, 1]])
    np.testing.assert_array_equal(part.responses["predict"], part.pred)
    assert (part.n_configs, part.n_rows) == (2, 2)
