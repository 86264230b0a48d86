"""The folder of a recorder belongs to one target and one set of splits."""

import numpy as np
import pytest

from sklearn_bbc.search.recorder._cells import RecordedCell
from sklearn_bbc.search.recorder._folder import RecorderFolder

Y = np.tile([0, 1], 5)
SPLITS = [(np.arange(5, 10), np.arange(5)), (np.arange(5), np.arange(5, 10))]
OTHERS = [(train[::-1], test[::-1]) for train, test in SPLITS]


def folder(path, y=Y, groups=None):
    return RecorderFolder(path, {"y": y, "groups": groups})


def test_the_first_splits_are_those_of_all(tmp_path):
    first = folder(tmp_path).splits(lambda: SPLITS, "KFold(shuffle=True)")
    again = folder(tmp_path).splits(lambda: pytest.fail("made again"), "KFold(shuffle=True)")
    for one, other, given in zip(first, again, SPLITS):
        for array, same, expected in zip(one, other, given):
            np.testing.assert_array_equal(array, expected)
            np.testing.assert_array_equal(same, expected)


def test_splits_that_were_given_must_be_the_same(tmp_path):
    folder(tmp_path).splits(lambda: SPLITS, None)
    folder(tmp_path).splits(lambda: SPLITS, None)
    with pytest.raises(ValueError, match="is of other splits: cv changed"):
        folder(tmp_path).splits(lambda: OTHERS, None)


@pytest.mark.parametrize(
    ("facts", "name", "what"),
    [
        ({"y": 1 - Y}, "KFold(2)", "another problem: y changed"),
        ({"groups": Y}, "KFold(2)", "another problem: groups changed"),
        ({}, "KFold(3)", r"cv \(was KFold\(2\), is KFold\(3\)\) changed"),
    ],
    ids=["y", "groups", "cv"],
)
def test_another_problem_is_refused_by_name(tmp_path, facts, name, what):
    folder(tmp_path).splits(lambda: SPLITS, "KFold(2)")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ValueError, match=what):
        folder(tmp_path, **facts).splits(lambda: SPLITS, name)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("x")
    with pytest.raises(ValueError, match="holds files, but none of a recorder"):
        folder(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_newer_format_is_told(tmp_path, monkeypatch):
    from sklearn_bbc.search.recorder import _folder

    monkeypatch.setattr(_folder, "FORMAT", 9)
    folder(tmp_path).splits(lambda: SPLITS, None)
    monkeypatch.undo()
    with pytest.raises(ValueError, match="has format 9, this version reads up to 1"):
        folder(tmp_path).splits(lambda: SPLITS, None)


def test_fits_come_back(tmp_path):
    one, other = folder(tmp_path), folder(tmp_path / "other")
    del other
    cell = RecordedCell(
        "k", 1, {"C": 2, "model": Y.dtype}, {"X": "a"}, {"auc": 0.5}, {"plain": np.arange(5.0)}, 3
    )
    one.append(cell)
    (found,) = one.new()
    assert (found.config, found.split, found.time) == ("k", 1, 3)
    assert found.params == {"C": 2, "model": "dtype('int64')"}
    assert (found.recipe, found.scores) == ({"X": "a"}, {"auc": 0.5})
    np.testing.assert_array_equal(found.responses["plain"], np.arange(5.0))
    assert one.new() == [] and one.notes == []
