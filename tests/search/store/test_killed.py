"""kill -9 at any moment costs the fits in flight and nothing else."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress

import numpy as np
import pytest

from sklearn_bbc.store import CellLog

from .tallied import PIPE, X, Y, assert_same, long_search, run_long_search

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
N_FITS, N_JOBS = 60, 2
CODE = "import sys; from tests.search.store.tallied import run_long_search as f; f(sys.argv[1])"


class Forked:
    """A copy of this process that searches with two processes of its own; starts at once."""

    def __init__(self, folder, repository):
        self.pid = os.fork()
        if self.pid:
            return
        try:
            os.setsid()
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            run_long_search(folder, "multiprocessing")
        finally:
            os._exit(0)

    def wait(self):
        os.waitpid(self.pid, 0)


class Started(subprocess.Popen):
    """A fresh process that searches with two workers of loky."""

    def __init__(self, folder, repository):
        super().__init__(
            [sys.executable, "-c", CODE, str(folder)],
            cwd=repository,
            env={**os.environ, "PYTHONPATH": str(repository)},
            start_new_session=True,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __exit__(self, *error):
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        super().__exit__(*error)


@pytest.fixture
def lines(tmp_path, monkeypatch):
    """The process of each fit that begins, in lines."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    monkeypatch.setenv(PIPE, str(path))
    # For both, so that nobody waits for the other end.
    with open(os.open(path, os.O_RDWR), "rb", buffering=0) as pipe:
        yield pipe


def n_stored(folder):
    cells = CellLog(folder).read() if folder.is_dir() else []
    keys = [(cell.facts["config"], cell.facts["split"]) for cell in cells]
    assert len(keys) == len(set(keys)), "a finished fit was made again"
    return len(keys)


def rest_of(lines):
    os.set_blocking(lines.fileno(), False)
    rest = (lines.read() or b"").splitlines()
    os.set_blocking(lines.fileno(), True)
    return rest


def kill_after(kind, folder, repository, lines, n_begun, delay):
    """Kill a search with its processes some time after a number of fits began."""
    before = n_stored(folder)
    process = kind(folder, repository)
    for _ in range(n_begun):
        lines.readline()
    threading.Event().wait(delay)  # a moment within a fit, not one between two
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    n_begun += len(rest_of(lines))
    finished = n_stored(folder) - before
    assert n_begun - N_JOBS <= finished <= n_begun


def finish(folder):
    """The search, resumed, is the unbroken one."""
    assert 0 < n_stored(folder) < N_FITS
    os.environ.pop(PIPE)
    model = long_search(store=folder).fit(X, Y)
    assert n_stored(folder) == N_FITS
    assert_same(long_search().fit(X, Y), model)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_search_goes_on_after_each_of_three_kills(tmp_path, repository, lines):
    rng = np.random.default_rng(0)
    for _ in range(3):
        moment = int(rng.integers(4, 16)), rng.uniform(0, 0.01)
        kill_after(Forked, tmp_path / "store", repository, lines, *moment)
    finish(tmp_path / "store")


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_its_fit(tmp_path, repository, lines):
    with Started(tmp_path / "store", repository) as process:
        for _ in range(25):
            worker = int(lines.readline())
        os.kill(worker, signal.SIGKILL)
        error = process.stderr.read()
    assert "TerminatedWorkerError" in error
    n_kept = n_stored(tmp_path / "store")
    assert f"{n_kept} of {N_FITS} fits are kept in {tmp_path / 'store'}; run the same" in error
    n_begun = 25 + len(rest_of(lines))
    assert n_begun - N_JOBS <= n_stored(tmp_path / "store")
    finish(tmp_path / "store")
