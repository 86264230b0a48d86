"""Damaged files, full and read-only disks, other folders: nothing is lost and nothing is wrong."""

import copy
import errno
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest

from sklearn_bbc import OOFRecorder
from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.store import CellLog
from sklearn_bbc.store import _folder as log_module

from .tallied import FEW, X, Y, assert_same, cells_in, search, tally

N_FITS = 18


@pytest.fixture(scope="module")
def unbroken():
    return search(ci=FEW).fit(X, Y)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a finished search."""
    folder = tmp_path_factory.mktemp("finished") / "store"
    search(store=folder).fit(X, Y)
    return folder


@pytest.fixture
def stored(finished, tmp_path):
    """A copy of the folder of a finished search, and its only log."""
    folder = shutil.copytree(finished, tmp_path / "store")
    (log,) = folder.glob("*.cells")
    return folder, log


def n_fits_again(folder, unbroken):
    tally.begin()
    assert_same(unbroken, search(ci=FEW, store=folder).fit(X, Y))
    return tally.n


@pytest.mark.parametrize("seed", range(3))
def test_a_flipped_bit_costs_one_fit(seed, stored, unbroken):
    folder, log = stored
    damaged = bytearray(log.read_bytes())
    bit = int(np.random.default_rng(seed).integers(8 * len(damaged)))
    damaged[bit // 8] ^= 1 << bit % 8
    log.write_bytes(damaged)
    if CellLog(folder).read() and len(CellLog(folder).read()) == N_FITS:
        assert n_fits_again(folder, unbroken) == 0  # it is between two records
        return
    with pytest.warns(
        RecordingWarning, match="fits of .* were made again. .* 1 record is damaged"
    ):
        assert n_fits_again(folder, unbroken) == 1
    with pytest.warns(RecordingWarning, match="1 record is damaged"):
        assert n_fits_again(folder, unbroken) == 0


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "change",
    [
        lambda facts, arrays: (facts.pop("config"), facts.pop("split")),
        lambda facts, arrays: facts.pop("error_score"),
        lambda facts, arrays: facts.pop("times"),
        lambda facts, arrays: facts.pop("test_scores"),
        lambda facts, arrays: facts["responses"].pop("coded"),
        lambda facts, arrays: facts.update(responses=3),
        lambda facts, arrays: facts.update(test_scores="high"),
    ],
)
def test_a_fit_of_another_form_names_its_file(change, stored):
    folder, log = stored
    cell = CellLog(folder).read()[0]
    facts, arrays = copy.deepcopy(cell.facts), {k: np.array(v) for k, v in cell.arrays.items()}
    change(facts, arrays)
    log.unlink()
    CellLog(folder).append(facts, arrays)
    (log,) = folder.glob("*.cells")
    with pytest.raises(ValueError, match=f"{log.name} has a stored fit of another form"):
        search(store=folder).fit(X, Y)
    log.unlink()
    search(store=folder).fit(X, Y)


@pytest.mark.parametrize("content", [b"", b"\x00" * 4096, b"{}" * 50])
def test_a_log_of_something_else(content, stored, unbroken):
    folder, log = stored
    log.write_bytes(content)
    if content:
        with pytest.warns(RecordingWarning, match="damaged or incomplete"):
            assert n_fits_again(folder, unbroken) == N_FITS
    else:
        assert n_fits_again(folder, unbroken) == N_FITS


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_another_problem_is_refused_and_nothing_changes(stored):
    folder, _ = stored
    before = contents(folder)
    for options, y, what in (
        ({}, 1 - Y, "y changed"),
        ({"scoring": "f1"}, Y, "scoring 'accuracy' to 'f1'"),
        ({"cv": 4}, Y, "cv's n_splits 3 to 4"),
    ):
        model = search(store=folder, **options)
        with pytest.raises(ValueError, match=f"is of another problem: {what}. Take another fold"):
            model.fit(X, y)
        assert not [name for name in vars(model) if name.endswith("_")]
    assert contents(folder) == before


def test_folders_of_other_things_are_left_alone(tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.txt").write_text("all of it")
    OOFRecorder(Y, cv=3, folder=tmp_path / "recorder")
    (tmp_path / "file").write_text("x")
    for name, error, what in (
        ("thesis", ValueError, "holds files, but none of a search"),
        ("recorder", ValueError, "holds files, but those of an OOFRecorder"),
        ("file", NotADirectoryError, "is a file; a folder is needed"),
    ):
        with pytest.raises(error, match=what):
            search(store=tmp_path / name).fit(X, Y)
    assert [path.name for path in (tmp_path / "thesis").iterdir()] == ["thesis.txt"]
    assert {path.name for path in (tmp_path / "recorder").iterdir()} == {
        "recorder.json",
        "splits-cv.npz",
    }


@contextmanager
def small_disk(path, size):
    """A file system of this size; skips where none may be mounted."""
    path.mkdir()
    mount = shutil.which("mount")
    if mount is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    arguments = [mount, "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(path)]
    if subprocess.run(arguments, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)


def test_a_disk_that_is_full_from_the_beginning(tmp_path):
    with small_disk(tmp_path / "disk", "8k") as disk:
        with open(disk / "other", "wb") as file, pytest.raises(OSError):
            file.write(bytes(20_000))
            file.flush()
        tally.begin()
        with pytest.raises(OSError) as error:
            search(store=disk / "store").fit(X, Y)
        assert error.value.errno == errno.ENOSPC
        assert str(disk / "store") in str(error.value)
        assert "store= cannot be written" in str(error.value)
        with pytest.raises(OSError, match=r"folder= cannot be written: .*another disk"):
            OOFRecorder(Y, cv=3, folder=disk / "recorder")
        assert tally.n == 0


@pytest.mark.filterwarnings("error::sklearn_bbc.exceptions.RecordingWarning")
def test_where_warnings_are_errors_a_full_disk_costs_no_result(tmp_path, unbroken, monkeypatch):
    def failing(file, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(log_module.os, "write", failing)
    model = search(ci=FEW, store=tmp_path / "store")
    with pytest.raises(RecordingWarning, match="18 finished fits could not be stored"):
        model.fit(X, Y)
    assert_same(unbroken, model)


def test_a_read_only_folder(tmp_path, unbroken):
    with small_disk(tmp_path / "disk", "4m") as disk:
        folder = disk / "store"
        search(store=folder).fit(X, Y)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        assert n_fits_again(folder, unbroken) == 0  # nothing has to be written
        tally.begin()
        with pytest.raises(OSError, match="cannot be written, and not every fit is in it: Read"):
            search(grid={"max_depth": [9]}, store=folder).fit(X, Y)
        with pytest.raises(OSError, match="Read-only file system"):
            search(store=disk / "new").fit(X, Y)
        assert tally.n == 0


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes anywhere")
def test_a_folder_without_the_right_to_write(stored, unbroken):
    folder, _ = stored
    folder.chmod(0o555)
    try:
        assert n_fits_again(folder, unbroken) == 0
        with pytest.raises(PermissionError, match="cannot be written, and not every fit is in it"):
            search(grid={"max_depth": [9]}, store=folder).fit(X, Y)
    finally:
        folder.chmod(0o755)


@pytest.mark.filterwarnings("error::sklearn_bbc.exceptions.RecordingWarning")
def test_two_searches_at_once_share_splits_and_seed(tmp_path):
    from sklearn.model_selection import KFold

    def fit(_):
        model = search(cv=KFold(3, shuffle=True), ci=FEW, random_state=None, store=tmp_path / "s")
        return model.fit(X, Y)

    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(fit, range(4))
    for model in others:
        assert_same(first, model)


def test_a_folder_that_is_deleted_is_begun_anew(stored, unbroken):
    """Workers that are used again must not write into files that are gone."""
    folder, _ = stored
    for n_jobs in (2, 2):
        shutil.rmtree(folder)
        search(store=folder, n_jobs=n_jobs).fit(X, Y)
        assert len(CellLog(folder).read()) == N_FITS
    assert n_fits_again(folder, unbroken) == 0


def test_no_file_stays_open(stored):
    folder, _ = stored
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("open files cannot be listed here")
    search(grid={"max_depth": [7]}, store=folder).fit(X, Y)
    open_files = [
        os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")
    ]
    assert not [path for path in open_files if path.startswith(str(folder))]
    assert all(len(content) for content in cells_in(folder).values())
