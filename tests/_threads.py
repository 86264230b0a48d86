"""Many threads at once, for tests of what they share."""

import sys
import threading

import pytest

N_THREADS = 8


@pytest.fixture(autouse=True)
def frequent_switches():
    """Where there is a GIL, threads hand it on as often as they can. Import it to use it."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def run_at_once(jobs):
    """Each thread does all jobs, starting with another one; a list of results for each thread."""
    barrier = threading.Barrier(N_THREADS)
    results: list[dict] = [{} for _ in range(N_THREADS)]
    errors = []

    def work(t):
        try:
            barrier.wait(timeout=60)
            for k in range(len(jobs)):
                i = (k + t * len(jobs) // N_THREADS) % len(jobs)
                results[t][i] = jobs[i]()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(t,)) for t in range(N_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return [[found[i] for i in range(len(jobs))] for found in results]
