"""Arrays of all configurations, in memory or in a file."""

import errno
import warnings

import numpy as np
import pytest

from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.predictions._matrix_file import MatrixFile, is_in_file
from sklearn_bbc.search.recording import _sheet
from sklearn_bbc.search.recording._responses import FoldResponses
from sklearn_bbc.search.recording._sheet import ResponseSheet

PLACES = [np.array([0, 3]), np.array([2, 1])]


def test_a_sheet_without_problems_is_silent(recwarn):
    ResponseSheet(1, [np.arange(2)], None).warn_about_problems()
    assert not recwarn.list


# ---------------------------------------------------------------------- small types
@pytest.mark.parametrize(
    ("n_classes", "dtype"),
    [(2, np.int8), (128, np.int8), (129, np.int16), (2**15, np.int16), (2**15 + 1, np.int32)],
)
def test_labels_take_as_few_bytes_as_their_classes_allow(n_classes, dtype):
    classes = np.arange(n_classes)
    sheet = ResponseSheet(1, [np.arange(2), np.arange(2, 4)], classes)
    sheet.write(0, 0, FoldResponses({"predict": np.array([0, n_classes - 1])}))
    sheet.mark_missing()
    assert sheet.arrays["predict"].dtype == dtype
    assert sheet.arrays["predict"].tolist() == [[0, n_classes - 1, -1, -1]]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["f4", "f4"], "f4"), (["f8", "f8"], "f8"), (["f2", "f2"], "f4"), (["i4", "i4"], "f8"),
        (["f4", "f8"], "f8"), (["f8", "f4"], "f8"), (["?", "f4"], "f8"), (["f4", "i8"], "f8"),
    ],
)  # fmt: skip
def test_scores_keep_their_precision_and_mixed_ones_take_the_larger(given, kept):
    sheet = ResponseSheet(1, [np.arange(2), np.arange(2, 4)], None)
    values = np.array([1, 0])
    for split, dtype in enumerate(given):
        sheet.write(0, split, FoldResponses({"predict": values.astype(dtype)}))
    sheet.mark_missing()
    assert sheet.arrays["predict"].dtype == np.dtype(kept)
    assert sheet.arrays["predict"].tolist() == [[1, 0, 1, 0]]


# ---------------------------------------------------------------------- files
@pytest.fixture(autouse=True)
def _no_size_is_too_small(monkeypatch):
    monkeypatch.setattr(_sheet, "IN_FILE_BYTES", 0)


def cells(seed=0, dtypes=("f8",) * 6):
    """Answers of three configurations on two splits; one is missing."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(6, 2))
    of_cells = [FoldResponses({"predict": v.astype(d)}) for v, d in zip(values, dtypes)]
    of_cells[3] = FoldResponses({"decision_function": values[3]})
    return of_cells


def filled(folder, of_cells):
    sheet = ResponseSheet(3, PLACES, None, folder)
    for cell, responses in enumerate(of_cells):
        sheet.write(*divmod(cell, 2), responses)
    sheet.mark_missing()
    return sheet.arrays


def assert_equal(one, other):
    assert list(one) == list(other)
    for name, array in one.items():
        assert (array.dtype, array.shape) == (other[name].dtype, other[name].shape)
        assert array.tobytes() == other[name].tobytes()


@pytest.mark.parametrize(
    "dtypes",
    [("f8",) * 6, ("f4",) * 6, ("f4", "f4", "f8", "f8", "f4", "f8"), ("f4", "f8") * 3],
    ids="-".join,
)
def test_files_hold_what_memory_would(tmp_path, dtypes):
    found = filled(tmp_path, cells(dtypes=dtypes))
    assert all(map(is_in_file, found.values()))
    assert len(list(tmp_path.iterdir())) == len(found) == 2
    assert_equal(found, filled(None, cells(dtypes=dtypes)))
    assert np.isnan(found["predict"][1, PLACES[1]]).all()


def test_small_arrays_stay_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(_sheet, "IN_FILE_BYTES", 3 * 4 * 8)
    assert not any(map(is_in_file, filled(tmp_path, cells()).values()))


def test_a_full_disk_is_told_and_memory_takes_over(tmp_path, monkeypatch):
    """At every moment: all writes but the first few fail."""
    write, left = MatrixFile._write, [0]

    def full(self, data):
        if left[0] == 0:
            write(self, bytes(data)[:3])  # as much as there was room for
            raise OSError(errno.ENOSPC, "No space left on device")
        left[0] -= 1
        write(self, data)

    monkeypatch.setattr(MatrixFile, "_write", full)
    dtypes = ("f4", "f4", "f4", "f4", "f8", "f4")
    expected = filled(None, cells(dtypes=dtypes))
    n_written = 0
    while True:
        left[0] = n_written
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = filled(tmp_path, cells(dtypes=dtypes))
        assert_equal(found, expected)
        if not told:
            break
        assert "in memory, not in a file" in str(told[0].message)
        assert "No space left" in str(told[0].message)
        assert len(list(tmp_path.iterdir())) == sum(map(is_in_file, found.values()))
        n_written += 1
    assert n_written == 3 + 1 + 3 + 3  # headers, the row before the change, two files


def test_a_folder_that_is_gone_is_told(tmp_path):
    with pytest.warns(RecordingWarning, match="in memory, not in a file"):
        found = filled(tmp_path / "gone", cells())
    assert_equal(found, filled(None, cells()))
