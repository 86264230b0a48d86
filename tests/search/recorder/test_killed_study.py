"""kill -9 of a study of optuna at any moment costs the fits in flight and nothing else."""

import json
import os
import select
import signal
import threading
import traceback

import numpy as np
import pytest
from sklearn.model_selection import ParameterGrid, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from sklearn_bbc import BBCSearchCV, OOFRecorder
from sklearn_bbc.intervals import BBC
from sklearn_bbc.store import CellLog, fingerprint

from ..small_search import X, Y

optuna = pytest.importorskip("optuna", reason="kills a study of optuna")
pytestmark = [
    pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes"),
    pytest.mark.filterwarnings("ignore"),  # of fork, and those that sqlalchemy has for itself
]
PIPE = "SKLEARN_BBC_TEST_PIPE"
N_PROCESSES = 2
CV = StratifiedKFold(5, shuffle=True, random_state=0)
SMALL = {"max_depth": [1, 2, 4], "min_samples_leaf": [1, 5, 10, 20]}
LARGE = {"max_depth": [1, 2, 3, 4, 5, 6], "min_samples_leaf": [1, 2, 4, 6, 8, 10, 15, 20]}


class TellingTree(DecisionTreeClassifier):
    """Tells a pipe which fit begins, and takes its time."""

    def fit(self, X, y):
        if PIPE in os.environ:
            rows = fingerprint(np.asarray(X))
            told = {"params": [self.max_depth, self.min_samples_leaf], "rows": rows}
            with open(os.environ[PIPE], "ab", buffering=0) as pipe:
                pipe.write(json.dumps(told).encode() + b"\n")
        for _ in range(10):
            super().fit(X, y)
        return self


TREE = TellingTree(random_state=0)


def study_in(folder, kind, grid):
    """The study of a folder, in one file of optuna's."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    if kind == "sqlite":
        storage = f"sqlite:///{folder}/trials.db"
    elif kind == "journal":
        path = str(folder / "trials.log")
        # Who is killed while it holds the lock makes the others wait: not the usual 30 seconds.
        lock = optuna.storages.journal.JournalFileOpenLock(path, grace_period=3)
        backend = optuna.storages.journal.JournalFileBackend(path, lock_obj=lock)
        storage = optuna.storages.JournalStorage(backend)
    else:
        storage = None
    return optuna.create_study(
        storage=storage,
        study_name="killed",
        direction="maximize",
        sampler=optuna.samplers.GridSampler(grid, seed=0),
        load_if_exists=True,
    )


def run(folder, kind, grid, predictions):
    """One process of a study, until each configuration of the grid is done."""
    recorder = OOFRecorder(Y, CV, folder=predictions, adaptive=False)

    def objective(trial):
        params = {name: trial.suggest_categorical(name, grid[name]) for name in grid}
        return recorder.cross_val_score(TREE, X, params=params, scoring="roc_auc").mean()

    study = study_in(folder, kind, grid)
    study.optimize(objective)
    return study, recorder.oof_


def forked(folder, kind, grid):
    """Two processes, copies of this one, that work on a study; the first leads their group."""
    leader = os.fork()
    if leader:
        return leader
    try:
        os.setsid()
        os.fork()
        run(folder, kind, grid, folder / "predictions")
    except BaseException:
        (folder / f"error-{os.getpid()}").write_text(traceback.format_exc())
    finally:
        os._exit(0)


@pytest.fixture
def lines(tmp_path, monkeypatch):
    """The fits that begin, in lines."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    monkeypatch.setenv(PIPE, str(path))
    with open(os.open(path, os.O_RDWR), "rb", buffering=0) as pipe:
        yield pipe


def next_of(lines, folder):
    """The next fit that begins; an error, not a test that hangs, where none does."""
    there, _, _ = select.select([lines], [], [], 120)
    assert there, ["no fit began", *(path.read_text() for path in folder.glob("error-*"))]
    return lines.readline()


def rest_of(lines):
    os.set_blocking(lines.fileno(), False)
    rest = (lines.read() or b"").splitlines()
    os.set_blocking(lines.fileno(), True)
    return rest


def keys_of(begun):
    told = [json.loads(line) for line in begun]
    return [(*each["params"], each["rows"]) for each in told]


def finished_in(folder, grid):
    """Parameters and training samples of all fits on the disk."""
    recorder = OOFRecorder(Y, CV, folder=folder / "predictions", adaptive=False)
    rows = [fingerprint(X[train]) for train, _ in recorder.splits]
    cells = CellLog(folder / "predictions").read()
    return {(*cell.facts["params"].values(), rows[cell.facts["split"]]) for cell in cells}


def survives(folder, lines, kind, grid, moments, monkeypatch):
    """Kill a study at each moment: after a number of fits began, and some seconds more."""
    study_in(folder, kind, grid)
    finished = set()
    for n_begun, delay in moments:
        leader = forked(folder, kind, grid)
        begun = [next_of(lines, folder) for _ in range(n_begun)]
        threading.Event().wait(delay)  # a moment within a fit, not one between two
        os.killpg(leader, signal.SIGKILL)
        os.waitpid(leader, 0)
        assert not list(folder.glob("error-*")), [p.read_text() for p in folder.glob("error-*")]
        begun += rest_of(lines)
        assert not finished & set(keys_of(begun)), "a finished fit was made again"
        finished, before = finished_in(folder, grid), finished
        assert before <= finished, "a finished fit was lost"
        assert len(begun) - N_PROCESSES <= len(finished) - len(before) <= len(begun)
    assert 0 < len(finished) < CV.get_n_splits() * len(ParameterGrid(grid))

    # The rest in this process, with configurations that were in flight when they were killed.
    study, oof = run(folder, kind, grid, folder / "predictions")
    rest = keys_of(rest_of(lines))
    assert len(finished) + len(rest) == len(finished | set(rest)), "a finished fit was made again"
    assert finished | set(rest) == finished_in(folder, grid)

    # What comes out is what an unbroken study gives.
    monkeypatch.delenv(PIPE)
    unbroken, alone = run(folder, "in memory", grid, None)
    assert oof.n_configs == alone.n_configs == len(ParameterGrid(grid))
    assert all("damaged or incomplete" in note for note in oof.notes)  # cut by a kill
    values = {str(trial.params): trial.value for trial in study.trials if trial.value is not None}
    assert values == {str(trial.params): trial.value for trial in unbroken.trials}
    assert study.best_value == unbroken.best_value
    place = [list(alone.params).index(params) for params in oof.params]
    assert oof.matrix("roc_auc").tobytes() == alone.matrix("roc_auc")[:, place].tobytes()
    grid = [{name: [value] for name, value in params.items()} for params in oof.params]
    options = {"scoring": "roc_auc", "cv": CV, "ci": [], "refit": False}
    search = BBCSearchCV(TREE, grid, **options).fit(X, Y)
    method = BBC(n_bootstraps=200, random_state=0)
    one, other = (method.estimate(each, "roc_auc") for each in (oof, search.oof_))
    assert (one.estimate, *one) == (other.estimate, *other)


def test_a_study_goes_on_after_each_of_two_kills(tmp_path, lines, monkeypatch):
    moments = [(7, 0.004), (11, 0.0)]
    survives(tmp_path, lines, "journal", SMALL, moments, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["journal", "sqlite"])
def test_twenty_moments_of_a_study(kind, tmp_path, lines, monkeypatch):
    rng = np.random.default_rng(0)
    moments = [(int(rng.integers(1, 9)), rng.uniform(0, 0.02)) for _ in range(20)]
    survives(tmp_path, lines, kind, LARGE, moments, monkeypatch)
