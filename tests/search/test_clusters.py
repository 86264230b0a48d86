"""Clusters of several worker processes, of which one is killed in the middle of a search."""

import contextlib
import os
import signal
import threading

import pytest
from joblib import parallel_config

from .store.tallied import PIPE, X, Y, assert_same, long_search

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes"),
]
MOMENT = 7
"""The worker that begins this fit, of 60, is killed."""


@pytest.fixture(scope="module")
def expected():
    return long_search().fit(X, Y)


@pytest.fixture
def killed(tmp_path, monkeypatch):
    """Kills the process of a fit as soon as it begins; has its number then."""
    path, pids = tmp_path / "pipe", []
    os.mkfifo(path)
    monkeypatch.setenv(PIPE, str(path))

    def kill(pipe):
        for number, line in enumerate(iter(pipe.readline, b"end\n"), start=1):
            if number == MOMENT:
                pids.append(int(line))
                os.kill(pids[0], signal.SIGKILL)

    # For both, so that nobody waits for the other end.
    with open(os.open(path, os.O_RDWR), "r+b", buffering=0) as pipe:
        thread = threading.Thread(target=kill, args=(pipe,))
        thread.start()
        try:
            yield pids
        finally:
            pipe.write(b"end\n")
            thread.join()


@contextlib.contextmanager
def dask_cluster():
    distributed = pytest.importorskip("distributed", reason="dask is an optional extra")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
        # On every worker, or the data may be lost with the one that has them.
        parallel_config(backend="dask", scatter=[X, Y]),
    ):
        yield


@contextlib.contextmanager
def ray_cluster():
    ray = pytest.importorskip("ray", reason="ray is an optional extra")
    from ray.util.joblib import register_ray

    register_ray()
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        with parallel_config(backend="ray"):
            yield
    finally:
        ray.shutdown()


@pytest.mark.parametrize("stored", [False, True], ids=["", "store"])
def test_dask_makes_the_fits_of_a_killed_worker_again(expected, killed, stored, tmp_path):
    with dask_cluster():
        found = long_search(n_jobs=-1, store=tmp_path / "store" if stored else None).fit(X, Y)
    assert len(killed) == 1
    assert_same(found, expected)


def test_a_search_that_ray_gave_up_goes_on_from_its_store(expected, killed, tmp_path):
    search = long_search(n_jobs=2, store=tmp_path / "store", verbose=1)
    with ray_cluster():
        with pytest.raises(Exception, match="actor died"):
            search.fit(X, Y)
        assert len(killed) == 1
        assert any((tmp_path / "store").glob("*.cells"))
        assert_same(search.fit(X, Y), expected)
