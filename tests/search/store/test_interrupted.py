"""One table: each way to search, broken in each way, goes on to what it is without a break."""

import errno
import os
import warnings
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from functools import cache
from pickle import PicklingError

import pytest
from sklearn.datasets import make_classification

from sklearn_bbc import OOFRecorder
from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.predictions._predictions import with_fields
from sklearn_bbc.search import DropClearlyWorse
from sklearn_bbc.store import CellLog
from sklearn_bbc.store import _folder as log_module

from .tallied import FEW, TREE, X, Y, assert_same, search, tally


def grid(folder):
    return search(ci=FEW, store=folder).fit(X, Y)


def random(folder):
    return search(ci=FEW, n_iter=4, store=folder).fit(X, Y)


MANY = make_classification(n_samples=300, n_features=8, flip_y=0.1, random_state=0)


def racing(folder):
    depths = {"max_depth": [1, 12], "min_samples_leaf": [1, 140]}
    model = search(grid=depths, cv=6, ci=FEW, drop=DropClearlyWorse(), store=folder).fit(*MANY)
    assert model.oof_.failed.any()  # some were dropped
    return model


def recorder(folder):
    made = OOFRecorder(Y, cv=3, folder=folder)
    for depth in (1, 2, 4, 8):
        made.cross_val_score(TREE, X, params={"max_depth": depth}, scoring="roc_auc")
    return made


SEARCHES = {each.__name__: each for each in (grid, random, racing, recorder)}


@cache
def unbroken(run):
    """What comes out without a break and without a folder, and the number of its fits."""
    tally.begin()
    return run(None), tally.n


def check_same(run, found):
    expected, _ = unbroken(run)
    if run is recorder:
        one, other = (with_fields(made.oof_, notes=()) for made in (expected, found))
        assert one == other
        for name, array in one.responses.items():
            assert array.tobytes() == other.responses[name].tobytes()
    else:
        assert_same(expected, found)


def n_stored(folder):
    return len(CellLog(folder).read()) if folder.is_dir() else 0


# Each fault breaks a search of `n_fits`, and returns a warning or note of the next one, or None.


def killed(run, folder, n_fits, monkeypatch):
    """The process ends within a fit: nothing is closed, and nothing can be cleaned up."""
    if not hasattr(os, "fork"):
        pytest.skip("needs fork")
    process = os.fork()
    if not process:
        try:
            tally.begin(n_fits // 2)
            run(folder)
        finally:  # an interrupt in the middle of a fit
            os._exit(9)
    os.waitpid(process, 0)
    assert n_stored(folder) == n_fits // 2


def full_disk(run, folder, n_fits, monkeypatch):
    """Some writing fails half-way, the rest works; the result is complete all the same."""
    write, calls = os.write, []

    def failing(file, data):
        calls.append(len(data))
        if 3 < len(calls) <= 7:
            write(file, data[:50])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, data)

    with monkeypatch.context() as patch:
        patch.setattr(log_module.os, "write", failing)
        if run is recorder:  # whose caller can go on, or stop
            with pytest.raises(OSError, match="could not be stored: No space left on device"):
                run(folder)
            assert n_stored(folder) == 3
            return
        with pytest.warns(RecordingWarning) as noted:
            check_same(run, run(folder))
    said = [text for text in map(str, (each.message for each in noted)) if "be stored" in text]
    assert len(said) == 2 and "No space left on device" in said[0]
    assert said[1].startswith("4 finished fits could not be stored in")
    assert n_stored(folder) == n_fits - 4


def truncated(run, folder, n_fits, monkeypatch):
    """The log ends in the middle of a record."""
    run(folder)
    (log,) = folder.glob("*.cells")
    whole = log.read_bytes()
    log.write_bytes(whole[: len(whole) // 2 + 5])
    assert 0 < n_stored(folder) < n_fits
    return "1 record is damaged or incomplete, as after a crash"


def two_at_once(run, folder, n_fits, monkeypatch):
    """Two processes or threads search in the same folder."""
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(run, [folder] * 2):
            check_same(run, found)
    assert len([*folder.glob("*.cells")]) == 2
    assert {
        path.name.partition("-")[0] for path in folder.iterdir() if ".cells" not in path.name
    } == {"recorder.json" if run is recorder else "search.json", "splits"}


FAULTS = {each.__name__: each for each in (killed, full_disk, truncated, two_at_once)}


@pytest.mark.one_in(4)
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("run", SEARCHES.values(), ids=SEARCHES)
def test_it_goes_on(run, fault, tmp_path, monkeypatch):
    folder, (_, n_fits) = tmp_path / "store", unbroken(run)
    warning = fault(run, folder, n_fits, monkeypatch)
    keys = [str((cell.facts["config"], cell.facts["split"])) for cell in CellLog(folder).read()]
    left = n_fits - len(set(keys))
    tally.begin()
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        found = run(folder)
    assert tally.n == left
    check_same(run, found)
    said = [str(each.message) for each in noted if each.category is RecordingWarning]
    if run is recorder:
        said = [note for note in found.oof_.notes if note.startswith(str(os.getpid()))]
    assert any(warning in each for each in said) if warning else not said
    # All is there now.
    tally.begin()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_same(run, run(folder))
    assert tally.n == 0


def failing_at(n_fits, error):
    def count():
        if tally.n == n_fits:
            raise error
        tally.n += 1

    return count


def pickling_error():
    error = PicklingError("Could not pickle the task.")
    error.__cause__ = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return error


@pytest.mark.parametrize(
    ("error", "first"),
    [(BrokenExecutor("A worker died."), ""), (pickling_error(), "The disk is full .*TEMP_FOLDER")],
    ids=["dead worker", "full disk of joblib"],
)
def test_a_search_whose_workers_failed_says_what_is_kept(error, first, tmp_path, monkeypatch):
    words = str(error)

    monkeypatch.setattr(tally, "count", failing_at(5, error))
    folder = tmp_path / "store"
    for store, said in (
        (folder, f"5 of 18 fits are kept in {folder}; run the same search again to go on"),
        (None, "" if first else "None of the finished fits is kept. With store='a_folder'"),
    ):
        error.args = (words,)
        tally.begin()
        with pytest.raises(type(error), match=f"(?s){words}\n\n{first}.*{said}"):
            search(error_score="raise", store=store).fit(X, Y)


def test_a_recorder_whose_workers_failed_says_what_is_kept(tmp_path, monkeypatch):
    failing = failing_at(2, BrokenExecutor("A worker died."))
    for folder, where in ((None, "by this recorder"), (tmp_path / "fits", f"in {tmp_path}")):
        made = OOFRecorder(Y, cv=3, folder=folder)
        tally.begin()
        with monkeypatch.context() as patch:
            patch.setattr(tally, "count", failing)
            said = f"2 of 3 fits of this configuration are kept {where}"
            with pytest.raises(BrokenExecutor, match=said):
                made.cross_val_score(TREE, X, scoring="roc_auc")
        tally.begin()
        made.cross_val_score(TREE, X, scoring="roc_auc")
        assert tally.n == 1
