"""Predictions in files: what is computed from them, and what becomes of the files."""

import gc
import os
import pickle
import subprocess
import sys

import joblib
import numpy as np
import pytest
from sklearn.metrics import make_scorer, roc_auc_score

from sklearn_bbc import OOFPredictions
from sklearn_bbc.intervals import BBC
from sklearn_bbc.predictions import _files
from sklearn_bbc.predictions._files import (
    MatrixFile,
    PageReleaser,
    block_taken,
    by_config,
    is_in_file,
    remove_leftovers,
)
from tests.made import made


def in_file(folder, array):
    file = MatrixFile(folder, array.shape, array.dtype, 0)
    for config, row in enumerate(array):
        file.row(config)[...] = row
    return file.finish()


@pytest.mark.parametrize("shape", [(3, 5), (3, 5, 2), (1, 1)])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i1"])
def test_an_array_comes_back_as_it_was(tmp_path, shape, dtype):
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    found = in_file(tmp_path, array)
    assert type(found) is np.ndarray and found.dtype == array.dtype
    assert is_in_file(found) and is_in_file(found[1:, :2]) and not is_in_file(found.copy())
    np.testing.assert_array_equal(found, array)
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 0
    (path,) = tmp_path.iterdir()
    np.testing.assert_array_equal(np.load(path), array)  # a file that others can read, too


def test_configurations_that_are_passed_over_are_missing(tmp_path):
    file = MatrixFile(tmp_path, (4, 2), np.dtype("f8"), np.nan)
    file.row(1)[:] = [1, 2]
    file.row(2)[0] = 3
    np.testing.assert_array_equal(file.finish(), [[np.nan] * 2, [1, 2], [3, np.nan], [np.nan] * 2])


def test_the_file_goes_with_the_last_array(tmp_path):
    found = in_file(tmp_path, np.ones((2, 3)))
    part = found[1:]
    del found
    gc.collect()
    assert len(list(tmp_path.iterdir())) == 1
    assert part.tolist() == [[1, 1, 1]]
    del part
    gc.collect()
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="tells processes apart by POSIX signals")
def test_files_of_killed_processes_are_deleted_and_no_others(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    array = in_file(tmp_path, np.ones((2, 3)))
    (mine,) = tmp_path.iterdir()
    names = [
        mine.name.replace(f"-{os.getpid()}-", f"-{process.pid}-"),
        f"predictions-another_machine-{process.pid}-00.npy",
        f"predictions-another_machine-{process.pid}.txt",
        "splits-0.npz",
    ]
    for name in names:
        (tmp_path / name).touch()
    remove_leftovers(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {mine.name, *names[1:]}
    del array


def test_other_processes_map_the_file_instead_of_getting_a_copy(tmp_path):
    array = in_file(tmp_path, np.ones((2, 300_000)))  # large enough for joblib to look at
    sent = joblib.Parallel(n_jobs=2)(joblib.delayed(_kind)(array[k:]) for k in (0, 1))
    (path,) = tmp_path.iterdir()  # not deleted by them
    assert sent == [(str(path), 6e5), (str(path), 3e5)]


def _kind(array):
    while not isinstance(array, np.memmap):
        array = array.base
    return str(array.filename), float(array.sum())


def test_a_pickle_holds_the_numbers(tmp_path):
    found = pickle.loads(pickle.dumps(in_file(tmp_path, np.ones((2, 3)))))
    assert found.tolist() == [[1] * 3] * 2 and not is_in_file(found)


# ---------------------------------------------------------------------- parts and functions
ARRAY = np.arange(24.0).reshape(4, 6)


@pytest.mark.parametrize(
    ("configs", "rows", "is_view"),
    [
        ([0, 1, 2, 3], [2, 3, 4], True), ([1, 2], [0, 1, 2, 3, 4, 5], True),
        ([0, 2, 3], [2, 3, 4], False), ([1, 0], [2, 3], False), ([0, 1], [2, 4], False),
        ([0, 1], [3, 2], False), ([2, 0, 1], [0, 1], False),
    ],
)  # fmt: skip
def test_parts_of_a_file_are_views_or_files(tmp_path, configs, rows, is_view):
    configs, rows = np.array(configs), np.array(rows)
    array = in_file(tmp_path, ARRAY)
    part = block_taken(array, configs, rows)
    np.testing.assert_array_equal(part, ARRAY[np.ix_(configs, rows)])
    assert is_in_file(part)
    assert np.shares_memory(part, array) == is_view
    assert not is_in_file(block_taken(ARRAY, configs, rows))


def test_without_room_for_another_file_memory_takes_over(tmp_path, monkeypatch):
    array = in_file(tmp_path, ARRAY)

    def full(*args):
        raise OSError("no room")

    monkeypatch.setattr(MatrixFile, "_write_row", full)
    found = by_config(lambda config: -array[config], array)
    np.testing.assert_array_equal(found, -ARRAY)
    assert not is_in_file(found)
    assert len(list(tmp_path.iterdir())) == 1


def test_an_error_in_between_leaves_no_file(tmp_path):
    array = in_file(tmp_path, ARRAY)
    with pytest.raises(KeyError):
        by_config(lambda config: array[{0: 0, 1: 1}[config]], array)
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux for its pages")
def test_pages_are_given_back(tmp_path, monkeypatch):
    array = in_file(tmp_path, np.ones((16, 2**17)))  # 16 MB
    monkeypatch.setattr(_files, "WALK_BYTES", 2**22)

    def mapped():
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("RssFile")) / 1024

    before, walk = mapped(), PageReleaser()
    for row in array:
        assert row.sum() == 2**17
        walk.has_read(row)
    assert mapped() - before < 8
    walk.end()
    assert mapped() - before < 1
    assert array.sum() == 2**21  # read again
    assert mapped() - before > 12


# ---------------------------------------------------------------------- the same numbers
RNG = np.random.default_rng(0)
Y = np.tile([0, 1], 30)
SCORES = RNG.normal(size=(7, 60)) + Y
SCORES[3] = SCORES[1]  # predicts the same, so one of them is left out
LARGEST = RNG.dirichlet(np.ones(3), size=(5, 60))


def first_class_auc(y, score):
    return 1 - roc_auc_score(y, score)


HALF = {
    "decision_function": np.where(np.arange(7)[:, None] < 4, SCORES, np.nan),
    "predict_proba": np.where(np.arange(7)[:, None] < 4, np.nan, 1 / (1 + np.exp(-SCORES))),
}
REPEATS = {
    "sample": np.tile(np.arange(60), 2),
    "fold": np.concatenate([np.arange(60) % 3, 3 + np.arange(60) // 20]),
}
CASES = {
    "scores": ("roc_auc", {"decision_function": SCORES}, {}),
    "single precision": ("roc_auc", {"decision_function": SCORES.astype("f4")}, {}),
    "repeats": ("roc_auc", {"decision_function": np.tile(SCORES, 2)}, REPEATS),
    "mixed methods": ("roc_auc", HALF, {}),
    "derived labels": ("accuracy", HALF, {}),
    "labels": ("f1", {"predict": (SCORES > 0).astype("i1")}, {}),
    "other positive class": (
        make_scorer(first_class_auc, response_method="predict_proba"), HALF, {},
    ),
    "brier": ("neg_brier_score", {"predict_proba": 1 / (1 + np.exp(-SCORES))}, {}),
    "three classes": ("roc_auc_ovr", {"predict_proba": LARGEST}, {"y": np.arange(60) % 3}),
    "labels of three": ("balanced_accuracy", {"predict_proba": LARGEST}, {"y": np.arange(60) % 3}),
    "regression": ("r2", {"predict": SCORES}, {"classes": None, "y": SCORES[0] + Y}),
}  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", CASES)
def test_intervals_do_not_depend_on_where_predictions_are(tmp_path, case):
    scoring, responses, given = CASES[case]
    given = {"y_true": given.get("y", Y), "fold": np.arange(60) % 3, **given}
    given.pop("y", None)
    memory = made(responses=responses, **given)
    files = {name: in_file(tmp_path, array) for name, array in responses.items()}
    mapped = made(responses=files, **given)
    assert all(map(is_in_file, mapped.responses.values()))  # not copied
    method = BBC(n_bootstraps=20, random_state=0)
    one, other = method.estimate(memory, scoring), method.estimate(mapped, scoring)
    assert one == other
    path = tmp_path / "saved"
    mapped.save(path)
    assert OOFPredictions.load(path) == memory


def test_derived_labels_take_a_byte(tmp_path):
    oof = OOFPredictions.from_rows(
        y_true=Y, responses={"predict_proba": in_file(tmp_path, 1 / (1 + np.exp(-SCORES)))}
    )
    labels, used = oof.response("predict")
    assert (used, labels.dtype) == ("derived", np.int8) and is_in_file(labels)
    np.testing.assert_array_equal(labels, SCORES > 0)
