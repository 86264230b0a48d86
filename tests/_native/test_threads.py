"""Eight threads at once: what they get equals what one gets, on shared and on own programs.

`.ci/sanitize` runs this under the thread sanitizer too, which sees any two accesses that no lock
puts in order, whether or not they collide.
"""

import subprocess
import sys
import sysconfig
from functools import partial

import numpy as np
import pytest

from sklearn_bbc import _native
from tests._native.reference import make_scores, needs_native
from tests._threads import N_THREADS, frequent_switches, run_at_once  # noqa: F401, a fixture

pytestmark = needs_native

N_ROWS, N_CONFIGS, N_DRAWS = 150, 12, 40


def makers(seed):
    """One function for each kernel and width of vectors that makes a program."""
    rng = np.random.default_rng(seed)
    positive = rng.random(N_ROWS) < 0.4
    fold = rng.integers(0, 5, N_ROWS)
    scores = make_scores(rng, "rounded", positive.astype(float), N_CONFIGS)
    time, event = rng.integers(1, 60, N_ROWS).astype(float), rng.random(N_ROWS) < 0.7
    return {
        **{
            f"auc {n}": partial(_native.auc, scores, positive, lanes=n)
            for n in _native.auc_lanes()
        },
        "auc within folds": partial(_native.auc, scores, positive, fold=fold),
        "average precision": partial(_native.average_precision, scores, positive),
        "concordance": partial(_native.concordance, scores, time, event),
    }


def batches(seed):
    """Counts of each size that AUC prepares itself for, and of two bytes."""
    rng = np.random.default_rng(seed)
    return [
        rng.integers(0, largest + 1, (N_DRAWS, N_ROWS)).astype(np.min_scalar_type(largest))
        for largest in (3, 20, 50, 100, 255, 1000)
    ]


def ask_everything(program, counts):
    """The bytes of all that a program answers."""
    configs = np.arange(N_DRAWS) % N_CONFIGS
    answers = [
        program.winners(counts),
        program.scores(counts),
        program.losses(counts, configs[:3]),
        program.score_of(counts, configs),
        program.loss_of(counts, configs),
    ]
    if program.name == "auc":
        limit = np.full(N_DRAWS, 10**6)
        answers += [program.winners(counts, limit), limit]
    assert program.nbytes > 0
    return b"".join(answer.tobytes() for answer in answers)


@pytest.mark.parametrize("seed", range(3))
def test_a_program_that_all_threads_share(seed):
    """Counts of another size make a program change while other threads run it."""
    expected, jobs = [], []
    for make in makers(seed).values():
        shared = make()  # of which no thread has asked anything yet
        for counts in batches(seed):
            expected.append(ask_everything(make(), counts))
            jobs.append(partial(ask_everything, shared, counts))
    for found in run_at_once(jobs):
        assert found == expected


def test_a_program_that_all_threads_make_ready_at_once():
    """The same as above with little else to do: chunks for large counts of many configurations."""
    rng = np.random.default_rng(4)
    positive = rng.random(N_ROWS) < 0.5
    scores = rng.normal(size=(300, N_ROWS))
    counts = [batch[:2] for batch in batches(4)[1:5]]
    expected = [_native.auc(scores, positive).losses(batch).tobytes() for batch in counts]
    for _ in range(20):
        shared = _native.auc(scores, positive)
        for found in run_at_once([lambda b=b, p=shared: p.losses(b).tobytes() for b in counts]):
            assert found == expected


def test_programs_that_threads_make_themselves_of_the_same_arrays():
    jobs = [
        lambda make=make, counts=counts: ask_everything(make(), counts)
        for make in makers(5).values()
        for counts in batches(5)[::2]
    ]
    expected = [job() for job in jobs]
    for found in run_at_once(jobs):
        assert found == expected


def test_a_program_may_go_while_others_run():
    """The last thread that drops a program frees it, whoever made it."""
    counts = batches(6)[1]
    make = makers(6)["average precision"]
    expected = ask_everything(make(), counts)

    def several():
        programs = [make() for _ in range(4)]
        return [ask_everything(programs.pop(), counts) for _ in range(4)]

    for found in run_at_once([several] * 2):
        assert found == [[expected] * 4] * 2


def test_draws():
    def from_a_stream_of_its_own(seed):
        return _native.draw_counts(np.random.PCG64(seed), N_DRAWS, N_ROWS).tobytes()

    def in_blocks(seed):
        return _native.draw_blocks(np.array([seed, 1, 2]), 0, 7, N_DRAWS, N_ROWS).tobytes()

    jobs = [partial(f, seed) for seed in range(8) for f in (from_a_stream_of_its_own, in_blocks)]
    expected = [job() for job in jobs]
    for found in run_at_once(jobs):
        assert found == expected


def test_a_stream_that_all_threads_share_gives_each_number_once():
    """Which thread gets which draws is open; all together they are those of one thread."""
    draw = partial(_native.draw_counts, n_draws=3, n_units=N_ROWS)
    alone, shared = np.random.PCG64(0), np.random.PCG64(0)
    jobs = 5
    expected = sorted(draw(alone).tobytes() for _ in range(N_THREADS * jobs))
    found = run_at_once([lambda: draw(shared).tobytes()] * jobs)
    assert sorted(batch for thread in found for batch in thread) == expected


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has a GIL that stays on"
)
def test_a_free_threaded_interpreter_leaves_the_gil_off():
    code = (
        "import sys, importlib.util as u; "
        f"spec = u.spec_from_file_location('_kernels', {_native._KERNELS.__file__!r}); "
        "spec.loader.exec_module(u.module_from_spec(spec)); "
        "sys.exit(sys._is_gil_enabled())"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
