"""The folder of a recorder belongs to one target and one set of splits."""

import json

import numpy as np
import pytest

from sklearn_bbc.search._recorder import RecordedCell, RecorderFolder

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
    from sklearn_bbc.search import _recorder as _folder

    monkeypatch.setattr(_folder, "FORMAT", 9)
    folder(tmp_path).splits(lambda: SPLITS, None)
    monkeypatch.undo()
    with pytest.raises(ValueError, match="has format 9, this version reads up to 1"):
        folder(tmp_path).splits(lambda: SPLITS, None)


GOOD = {"format": 1, "cv": "KFold(2)", "n_splits": 2}


@pytest.mark.parametrize(
    ("about", "what"),
    [
        (["y"], r"'about' is \['y'\], not an object"),
        ({**GOOD, "format": "1"}, "'format' is '1', not a whole number"),
        ({**GOOD, "n_splits": True}, "'n_splits' is True, not a whole number"),
        ({**GOOD, "n_splits": -1}, "'n_splits' is -1, not a whole number"),
        ({**GOOD, "cv": 5}, "'cv' is 5, not a text"),
        ({"format": 1, "n_splits": 2}, "'about' has no 'cv'"),
        (GOOD, "train0"),
    ],
)
def test_a_damaged_description_is_told(tmp_path, about, what):
    np.savez(tmp_path / "recorder.npz", about=np.array(json.dumps(about)))
    before = (tmp_path / "recorder.npz").read_bytes()
    with pytest.raises(ValueError, match=rf"recorder\.npz is damaged \(.*{what}.*cannot be told"):
        folder(tmp_path).splits(lambda: SPLITS, "KFold(2)")
    assert (tmp_path / "recorder.npz").read_bytes() == before


def test_a_file_that_is_not_of_numpy_is_damaged(tmp_path):
    (tmp_path / "recorder.npz").write_bytes(b"junk")
    with pytest.raises(ValueError, match=r"is damaged \(it is not an archive of arrays\)"):
        folder(tmp_path).splits(lambda: SPLITS, "KFold(2)")
    folder(tmp_path / "torn").splits(lambda: SPLITS, "KFold(2)")
    torn = tmp_path / "torn" / "recorder.npz"
    content = bytearray(torn.read_bytes())
    place = len(content) // 3
    content[place : place + 40] = bytes(40)
    torn.write_bytes(content)
    with pytest.raises(ValueError, match="is damaged"):
        folder(tmp_path / "torn").splits(lambda: SPLITS, "KFold(2)")


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


def test_a_folder_that_is_there_but_empty_is_taken_and_one_of_ours_is_used_again(tmp_path):
    folder(tmp_path).splits(lambda: SPLITS, None)
    again = folder(tmp_path)  # holds files now, and those are a recorder's
    assert len(again.splits(lambda: SPLITS, None)) == 2


def test_the_splits_are_made_once_where_nothing_was_there(tmp_path):
    made = []

    def make():
        made.append(1)
        return SPLITS

    folder(tmp_path).splits(make, None)
    assert len(made) == 1
    folder(tmp_path).splits(make, None)
    assert len(made) == 2  # to compare with those of the folder
    folder(tmp_path).splits(make, "KFold(2)")
    assert len(made) == 2


@pytest.mark.parametrize(
    "given",
    [
        SPLITS[:1],
        [*SPLITS, SPLITS[0]],
        [SPLITS[0], (SPLITS[1][0], SPLITS[1][1][::-1])],
        [(SPLITS[0][0][::-1], SPLITS[0][1]), SPLITS[1]],
    ],
    ids=["fewer", "more", "test", "train"],
)
def test_given_splits_that_differ_anywhere_are_others(tmp_path, given):
    folder(tmp_path).splits(lambda: SPLITS, None)
    with pytest.raises(ValueError, match="is of other splits: cv changed"):
        folder(tmp_path).splits(lambda: given, None)


@pytest.mark.parametrize(("first", "then"), [(None, "KFold(2)"), ("KFold(2)", None)])
def test_a_splitter_and_the_splits_that_it_gives_are_the_same(tmp_path, first, then):
    folder(tmp_path).splits(lambda: SPLITS, first)
    found = folder(tmp_path).splits(lambda: SPLITS, then)
    np.testing.assert_array_equal(found[1][1], SPLITS[1][1])


def test_all_that_changed_is_named_together(tmp_path):
    folder(tmp_path).splits(lambda: SPLITS, "KFold(2)")
    with pytest.raises(ValueError, match=r"y, groups, cv \(was KFold\(2\), is KFold\(9\)\) ch"):
        folder(tmp_path, 1 - Y, Y).splits(lambda: SPLITS, "KFold(9)")


def test_of_two_that_begin_at_the_same_time_one_wins(tmp_path):
    slow = folder(tmp_path)

    def make():
        folder(tmp_path).splits(lambda: SPLITS, "KFold(2)")
        return OTHERS

    found = slow.splits(make, "KFold(2)")
    np.testing.assert_array_equal(found[0][1], SPLITS[0][1])
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_write_that_breaks_leaves_nothing(tmp_path, monkeypatch):
    def broken(*given, **arrays):
        raise OSError("disk full")

    monkeypatch.setattr("numpy.savez_compressed", broken)
    with pytest.raises(OSError, match="disk full"):
        folder(tmp_path).splits(lambda: SPLITS, None)
    assert not [path for path in tmp_path.iterdir() if "recorder.npz" in path.name]


def test_notes_are_those_of_the_log(tmp_path, monkeypatch):
    monkeypatch.setattr("sklearn_bbc.store.CellLog.notes", ["a record was torn"])
    assert folder(tmp_path).notes == ["a record was torn"]


@pytest.mark.parametrize("kind", ["<U1", "<U5", object])
def test_text_is_the_same_as_objects_and_with_room(kind, tmp_path):
    text = np.array(list("ab" * 5))
    folder(tmp_path, y=text.astype(kind)).splits(lambda: SPLITS, None)
    for other in ("<U1", "<U5", object):
        folder(tmp_path, y=text.astype(other)).splits(lambda: SPLITS, None)
    with pytest.raises(ValueError, match="another problem: y changed"):
        folder(tmp_path, y=text[::-1]).splits(lambda: SPLITS, None)


def test_a_folder_of_objects_that_an_older_version_wrote(tmp_path, monkeypatch):
    text = np.array(list("ab" * 5), dtype=object)
    with monkeypatch.context() as older:
        older.setattr("sklearn_bbc.search._recorder.values_per_sample", lambda given: given)
        folder(tmp_path, y=text).splits(lambda: SPLITS, None)
    folder(tmp_path, y=text).splits(lambda: SPLITS, None)
