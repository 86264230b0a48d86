"""Compiled kernels let other Python threads run meanwhile, so threads over draws pay."""

import sys
import threading

import numpy as np
import pytest

from sklearn_bbc import _native

pytestmark = [
    pytest.mark.skipif(not _native.available(), reason=_native.status()),
    pytest.mark.skipif(
        not getattr(sys, "_is_gil_enabled", lambda: True)(),
        reason="this Python has no lock to hand over; tests/_native/test_threads.py is for it",
    ),
]

N_ROWS, N_CONFIGS, N_DRAWS = 400, 40, 640
RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=(N_CONFIGS, N_ROWS))
HALF = np.arange(N_ROWS) % 2 == 0
COUNTS = RNG.multinomial(N_ROWS, np.full(N_ROWS, 1 / N_ROWS), N_DRAWS).astype(np.uint8)
TRIES = 200


def auc():
    return _native.auc(SCORES, HALF)


def average_precision():
    return _native.average_precision(SCORES, HALF)


def concordance():
    return _native.concordance(SCORES, RNG.random(N_ROWS), HALF)


def winners(program):
    out = np.empty(N_DRAWS, dtype=np.int64)
    return lambda: program._compiled.winners(COUNTS, out)


def losses(program):
    out = np.empty((N_DRAWS, N_CONFIGS))
    return lambda: program._compiled.losses(COUNTS, np.arange(N_CONFIGS), out)


@pytest.fixture
def only_handed_over():
    """A thread that wants Python's lock gets it only where the owner lets go of it."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    yield
    sys.setswitchinterval(before)


def runs_beside(work):
    """Whether this thread got a turn between the start and the end of `work` in another."""
    started, order = threading.Lock(), []
    started.acquire()

    def other():
        order.append("start")
        started.release()  # keeps Python's lock
        work()
        order.append("end")

    thread = threading.Thread(target=other)
    thread.start()
    started.acquire()
    order.append("this thread")
    thread.join()
    return order == ["start", "this thread", "end"]


def test_python_code_keeps_the_lock(only_handed_over):
    """What the others are compared with: as long, but in Python."""
    assert not any(runs_beside(lambda: sum(range(300_000))) for _ in range(10))


@pytest.mark.parametrize("what", [winners, losses])
@pytest.mark.parametrize("prepare", [auc, average_precision, concordance])
def test_scoring_lets_others_run(only_handed_over, prepare, what):
    work = what(prepare())
    # One success is proof; that the system wakes this thread in time is not certain each time.
    assert any(runs_beside(work) for _ in range(TRIES))


def test_preparing_and_drawing_let_others_run(only_handed_over):
    rng = np.random.PCG64(0)
    assert any(runs_beside(auc) for _ in range(TRIES))
    assert any(runs_beside(lambda: _native.draw_counts(rng, 500, 500)) for _ in range(TRIES))
