"""Splits come back as they were, and the first ones are everybody's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_bbc.search.store._splits import stored_splits

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


def test_a_damaged_file_is_told(tmp_path):
    path = tmp_path / "s.npz"
    stored_splits(path, lambda: [(np.arange(3), np.arange(3, 6))], 6)
    whole = path.read_bytes()
    for content in (b"", b"x" * 300, whole[:-30], whole[: len(whole) // 2]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"is damaged .*nothing was changed in this one"):
            stored_splits(path, lambda: [(np.arange(3), np.arange(3, 6))], 6)
