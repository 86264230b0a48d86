"""Predictions that a search with a store takes from the log, not from memory."""

import gc
import pickle
import sys

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV
from sklearn_bbc.exceptions import RecordingWarning
from sklearn_bbc.predictions._files import MatrixFile, is_in_file
from sklearn_bbc.recording import _assembly as _sheet
from sklearn_bbc.recording import _resume as _held
from sklearn_bbc.recording._capture import CarriedScore, FoldResponses
from sklearn_bbc.recording._resume import Offload, arrived, as_stored
from sklearn_bbc.search import DropClearlyWorse
from sklearn_bbc.store import CellLog

from .tallied import FEW, GRID, X, Y, assert_same

KEY = ("config", "split")


@pytest.fixture
def no_size_is_too_small(monkeypatch):
    monkeypatch.setattr(_held, "OFFLOAD_BYTES", 0)
    monkeypatch.setattr(_sheet, "IN_FILE_BYTES", 0)


def responses(values=(0.5, 0.25), classes=(0, 1)):
    return FoldResponses({"predict_proba": np.array(values)}, np.array(classes))


def is_mapped(found):
    array = found.arrays["predict_proba"]
    while isinstance(array.base, np.ndarray) and not isinstance(array, np.memmap):
        array = array.base
    return isinstance(array, np.memmap)


class Search:
    """The parent of a search, and what its workers do."""

    def __init__(self, folder):
        self.log = CellLog(folder)
        self.held = Offload("run", self._new_cells)
        self.n_looks = 0

    def _new_cells(self):
        self.n_looks += 1
        return self.log.new()

    def write(self, found, key=KEY):
        self.log.append({"config": key[0], "split": key[1]}, found.arrays)


def test_what_is_in_the_log_is_let_go_of(tmp_path, no_size_is_too_small):
    search, found = Search(tmp_path), responses()
    search.write(found)
    search.held.add(KEY, found)
    assert is_mapped(found)
    assert found.arrays["predict_proba"].tolist() == [0.5, 0.25]


@pytest.mark.parametrize(
    "stored", [None, [0.5, 0.75], [0.5], np.array([0.5, 0.25], "f4"), [[0.5], [0.25]]], ids=str
)
def test_only_the_very_same_bytes_take_their_place(tmp_path, no_size_is_too_small, stored):
    """An estimator without a seed, in two searches at the same time."""
    search, found = Search(tmp_path), responses()
    if stored is not None:  # else a file system that shows it later
        search.write(responses(stored))
    search.held.add(KEY, found)
    assert not is_mapped(found)
    assert found.arrays["predict_proba"].tolist() == [0.5, 0.25]
    search.write(found)
    search.held.add(("another", "split"), responses())
    assert is_mapped(found)  # it was waited for


def test_what_the_log_has_of_other_methods_only_stays(tmp_path, no_size_is_too_small):
    search, found = Search(tmp_path), responses()
    found.arrays["predict"] = np.array([1.0, 0.0])
    search.write(responses())
    search.held.add(KEY, found)
    assert not is_mapped(found)
    search.write(found)
    search.held.add(("another", "split"), responses())
    assert is_mapped(found) and found.arrays["predict"].tolist() == [1, 0]


def test_the_log_is_looked_at_now_and_then(tmp_path, monkeypatch):
    monkeypatch.setattr(_held, "OFFLOAD_BYTES", 64)
    search, found = Search(tmp_path), [responses() for _ in range(40)]
    for number, each in enumerate(found):
        if number % 2:  # the others are never found
            search.write(each, (str(number), ""))
        search.held.add((str(number), ""), each)
    assert search.n_looks == 10  # 40 times 16 bytes
    assert [is_mapped(each) for each in found] == [bool(n % 2) for n in range(40)]


def test_predictions_arrive_where_they_are_waited_for(tmp_path):
    search = Search(tmp_path)
    assert not arrived("another run", KEY, responses())
    assert not arrived("run", KEY, FoldResponses({}, problem="MemoryError", out_of_memory=True))
    assert search.held._arrived == []
    found = responses()
    assert arrived("run", KEY, found) and search.held._arrived == [(KEY, found)]
    search.held.process = -1  # in a forked child
    assert not arrived("run", KEY, responses()) and search.held._arrived == [(KEY, found)]


def test_classes_do_not_keep_the_memory_of_predictions(tmp_path, no_size_is_too_small):
    search = Search(tmp_path)
    found = [pickle.loads(pickle.dumps(responses())) for _ in range(3)]
    names = pickle.loads(pickle.dumps(responses(classes=["a", "b"])))
    for number, each in enumerate([*found, names]):
        search.write(each, (str(number), ""))
        search.held.add((str(number), ""), each)
    assert found[0].classes is found[1].classes is found[2].classes
    assert found[0].classes.base is None and found[0].classes.tolist() == [0, 1]
    assert names.classes.tolist() == ["a", "b"]


def test_predictions_arrive_in_the_process_of_their_search(tmp_path, no_size_is_too_small):
    gc.collect()  # searches of other tests
    found = responses()
    score = CarriedScore(0.5, found)
    as_stored({"other": 1.0, "auc": score}, found, "run", KEY)  # in a worker
    assert type(score.responses) is not FoldResponses
    search = Search(tmp_path)
    search.write(found)
    travelled = pickle.loads(pickle.dumps(score)).responses
    assert type(travelled) is FoldResponses and is_mapped(travelled)
    here = CarriedScore(0.5, responses())
    search.write(found)
    as_stored(here, here.responses, "run", KEY)  # a thread
    assert is_mapped(here.responses) and type(here.responses) is FoldResponses
    del search
    gc.collect()
    assert not is_mapped(pickle.loads(pickle.dumps(score)).responses)  # the search is over


@pytest.mark.parametrize("error", [OSError("stale file handle"), MemoryError()])
def test_a_log_that_cannot_be_read_costs_nothing(no_size_is_too_small, error):
    def broken():
        raise error

    held, found = Offload("run", broken), responses()
    held.add(KEY, found)
    assert found.arrays["predict_proba"].tolist() == [0.5, 0.25]


# ---------------------------------------------------------------------- whole searches
def search(**options):
    model = DecisionTreeClassifier(random_state=0)
    defaults = {"cv": 3, "scoring": "roc_auc", "ci": FEW, "random_state": 0, "refit": False}
    return BBCSearchCV(model, GRID, **{**defaults, **options})


@pytest.fixture(scope="module")
def expected():
    return search().fit(X, Y)


@pytest.mark.long
@pytest.mark.parametrize("backend", [None, "loky", "threading", "multiprocessing"])
def test_results_are_those_in_memory(tmp_path, no_size_is_too_small, backend, expected):
    with parallel_config(backend=backend or "loky"):
        found = search(store=tmp_path, n_jobs=2 if backend else None).fit(X, Y)
        again = search(store=tmp_path, n_jobs=2 if backend else None).fit(X, Y)
    for one in (found, again):
        assert is_in_file(one.oof_.responses["predict_proba"])
        assert_same(one, expected)
    assert len(list(tmp_path.glob("predictions-*"))) == 2
    del found, again, one
    gc.collect()
    assert not list(tmp_path.glob("predictions-*"))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "options",
    [
        {"scoring": ["roc_auc", "accuracy"], "refit": "roc_auc"},
        {"drop": DropClearlyWorse()},
        {"n_iter": 4},
        {"return_train_score": True},
    ],
    ids=lambda options: next(iter(options)),
)
def test_other_searches_too(tmp_path, no_size_is_too_small, options):
    expected = search(**options).fit(X, Y)
    found = search(store=tmp_path, **options).fit(X, Y)
    assert all(map(is_in_file, found.oof_.responses.values()))
    assert_same(found, expected)
    assert found.interval("bbc", scoring="f1") == expected.interval("bbc", scoring="f1")


def test_without_room_for_the_file_the_search_is_complete(
    tmp_path, no_size_is_too_small, monkeypatch, expected
):
    def full(self, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(MatrixFile, "_write", full)
    with pytest.warns(RecordingWarning, match="kept in memory, not in a file .*No space left"):
        found = search(store=tmp_path).fit(X, Y)
    assert_same(found, expected)


SMALL_MEMORY = """
import resource, sys
import numpy as np
sys.path.insert(0, {root!r})
from benchmarks.timing.search_memory import Column
from sklearn_bbc import BBCSearchCV
from sklearn_bbc.intervals import BBC
rng = np.random.default_rng(0)
X = rng.normal(size=(20000, 2))
y = (X[:, 0] + rng.normal(size=20000) > 0).astype(int)
def search(n, store):
    grid = {{"tilt": np.linspace(0, 5, n)}}
    options = {{"scoring": "roc_auc", "random_state": 0, "ci": BBC(n_bootstraps=20)}}
    return BBCSearchCV(Column(), grid, store=store, **options).fit(X, y)
search(2, None)
with open("/proc/self/status") as file:
    now = next(int(line.split()[1]) for line in file if line.startswith("VmData")) * 1024
resource.setrlimit(resource.RLIMIT_DATA, (now + 160 * 2**20,) * 2)
found = search(1200, {store!r})
print(found.ci_.method, len(found.oof_.responses))
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux can limit the memory")
@pytest.mark.parametrize("store", [True, False])
def test_predictions_may_be_larger_than_the_memory(tmp_path, store):
    """183 MB of predictions in a process that may take 160 MB more."""
    import subprocess
    from pathlib import Path

    root = str(Path(__file__).parents[3])
    code = SMALL_MEMORY.format(root=root, store=str(tmp_path) if store else None)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["bbc", "1" if store else "0"], done.stderr
