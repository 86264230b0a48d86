"""Splits come back as they were, and the first ones are everybody's."""

import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_bbc.search import _store as _splits
from sklearn_bbc.search._store import stored_splits

SIDE = st.lists(st.integers(-8, 7), max_size=8).map(lambda side: np.array(side, dtype=np.int64))


def read_back(path, splits, n_samples=8):
    first = stored_splits(path, lambda: splits, n_samples)
    again = stored_splits(path, lambda: [(np.arange(3), np.arange(3))], n_samples)
    for one, other in zip(first, again, strict=True):
        for mine, its in zip(one, other):
            np.testing.assert_array_equal(mine, its)
            assert mine.dtype == its.dtype
    return first


@settings(max_examples=40)
@given(splits=st.lists(st.tuples(SIDE, SIDE), min_size=1, max_size=4))
def test_any_positions(splits, tmp_path_factory):
    found = read_back(tmp_path_factory.mktemp("splits") / "s.npz", splits)
    for (train, test), (its_train, its_test) in zip(splits, found, strict=True):
        np.testing.assert_array_equal(train, its_train)
        np.testing.assert_array_equal(test, its_test)


def test_masks_and_lists_become_positions(tmp_path):
    mask = np.array([True, False, True])
    found = read_back(tmp_path / "s.npz", [(~mask, mask), ([0, 1], [2])], n_samples=3)
    assert [[side.tolist() for side in split] for split in found] == [[[1], [0, 2]], [[0, 1], [2]]]


def test_what_is_the_rest_takes_no_place(tmp_path):
    def size(splits):
        path = tmp_path / str(len(list(tmp_path.iterdir())))
        stored_splits(path, lambda: splits, 2000)
        return path.stat().st_size

    rng = np.random.default_rng(0)
    tests = np.array_split(rng.permutation(2000), 10)
    rest = [(np.setdiff1d(np.arange(2000), test), test) for test in tests]
    assert size([(rng.permutation(train), test) for train, test in rest]) > 5 * size(rest)


def test_no_flipped_bit_is_an_error_of_another_kind(tmp_path):
    """Such as a compression that is not known, or a place before the file."""
    path, splits = tmp_path / "s.npz", [(np.arange(3), np.arange(3, 6))]
    good = stored_splits(path, lambda: splits, 6)
    whole, n_told = path.read_bytes(), 0
    for bit in range(0, 8 * len(whole), 7):
        content = bytearray(whole)
        content[bit // 8] ^= 1 << bit % 8
        path.write_bytes(content)
        try:
            found = stored_splits(path, lambda: splits, 6)
        except ValueError as error:
            assert "is damaged" in str(error) and "Take another folder" in str(error)
            n_told += 1
        else:
            np.testing.assert_array_equal(found, good)
    assert n_told > 500


def test_a_damaged_file_is_told(tmp_path):
    path = tmp_path / "s.npz"
    stored_splits(path, lambda: [(np.arange(3), np.arange(3, 6))], 6)
    whole = path.read_bytes()
    for content in (b"", b"x" * 300, whole[:-30], whole[: len(whole) // 2]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"is damaged .*nothing was changed in this one"):
            stored_splits(path, lambda: [(np.arange(3), np.arange(3, 6))], 6)


def test_the_content_of_the_file(tmp_path):
    """Later versions read it."""
    splits = [(np.array([0, 1]), np.array([2, 3])), (np.array([3, 1]), np.array([0]))]
    found = stored_splits(tmp_path / "s.npz", lambda: splits, 4)
    assert [[side.tolist() for side in split] for split in found] == [
        [[0, 1], [2, 3]], [[3, 1], [0]],
    ]  # fmt: skip
    stored_splits(tmp_path / "rest.npz", lambda: splits[:1], 4)
    with np.load(tmp_path / "s.npz") as file:
        assert {name: file[name].tolist() for name in file.files} == {
            "n_train": [-1, 2], "n_test": [2, 1], "train": [3, 1], "test": [2, 3, 0],
        }  # fmt: skip
    with np.load(tmp_path / "rest.npz") as file:
        assert file["n_train"].tolist() == [-1] and file["train"].tolist() == []


def test_sides_keep_their_type_and_an_empty_one_has_positions(tmp_path):
    small = [(np.array([1, 0], np.int32), np.array([2], np.int32))]
    ((train, test),) = read_back(tmp_path / "s.npz", small)
    assert train.dtype == test.dtype == np.int32
    ((train, test),) = read_back(tmp_path / "empty.npz", [([2, 0], [])], n_samples=3)
    assert train.tolist() == [2, 0] and test.tolist() == [] and test.dtype == np.intp
    assert read_back(tmp_path / "none.npz", []) == []


def test_a_file_that_is_there_is_not_written(tmp_path, monkeypatch):
    """All fits may be in a folder that only can be read."""
    splits = [(np.arange(3), np.arange(3, 6))]
    stored_splits(tmp_path / "s.npz", lambda: splits, 6)
    monkeypatch.setattr(_splits, "write_once", None)
    assert len(stored_splits(tmp_path / "s.npz", lambda: splits, 6)) == 1


def test_files_that_others_have_made_are_damaged(tmp_path):
    path = tmp_path / "s.npz"
    arrays = {"n_train": [-1], "n_test": [3], "train": [], "test": [3, 4, 5]}
    objects = {**arrays, "test": np.array([3, 4, 5], object)}

    def refused():
        with pytest.raises(ValueError, match=r"s\.npz is damaged "):
            stored_splits(path, lambda: [(np.arange(3), np.arange(3, 6))], 6)

    np.savez(path, **objects)  # nothing is ever unpickled
    refused()
    del arrays["n_test"]
    np.savez(path, **arrays)
    refused()
    np.savez_compressed(path, n_train=np.zeros(1000))
    content = bytearray(path.read_bytes())
    # Behind the head of the first file in it, its name and what else it says.
    start = 30 + sum(int.from_bytes(content[at : at + 2], "little") for at in (26, 28))
    content[start] = 0xFF
    with pytest.raises(zlib.error):
        zlib.decompress(content[start:], wbits=-15)
    path.write_bytes(content)
    refused()
