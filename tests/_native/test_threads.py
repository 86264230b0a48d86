"""Eight threads at once: what they get equals what one gets, on shared and on own programs.

`.ci/sanitize` runs this under the thread sanitizer too, which sees any two accesses that no lock
puts in order, whether or not they collide.
"""

from functools import partial

import numpy as np
import pytest

from sklearn_bbc import _native
from tests._native.reference import make_scores, needs_native
from tests._threads import frequent_switches, run_at_once  # noqa: F401, a fixture

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
            for n in _native.known_lanes()
        },
        "auc within folds": partial(_native.auc, scores, positive, fold=fold),
        **{
            f"average precision {n}": partial(_native.average_precision, scores, positive, lanes=n)
            for n in _native.known_lanes()
        },
        "concordance": partial(_native.concordance, scores, time, event),
    }


def batches(seed):
    """Counts that AUC adds up in bytes, those that it does not, and those of two bytes."""
    rng = np.random.default_rng(seed)
    return [
        rng.integers(0, largest + 1, (N_DRAWS, N_ROWS)).astype(np.min_scalar_type(largest))
        for largest in (3, 255, 1000)
    ]


def ask_everything(program, counts, with_limit=False):
    """The bytes of all that a program answers."""
    configs = np.arange(N_DRAWS) % N_CONFIGS
    answers = [
        program.winners(counts),
        program.scores(counts),
        program.losses(counts, configs[:3]),
        program.score_of(counts, configs),
        program.loss_of(counts, configs),
    ]
    if with_limit:
        limit = np.full(N_DRAWS, 10**6)
        answers += [program.winners(counts, limit), limit]
    assert program.nbytes > 0
    return b"".join(answer.tobytes() for answer in answers)


@pytest.mark.parametrize("seed", range(2))
def test_a_program_that_all_threads_share(seed):
    """Nothing in a program changes while it runs."""
    expected, jobs = [], []
    for name, make in makers(seed).items():
        shared = make()  # of which no thread has asked anything yet
        for counts in batches(seed):
            ask = partial(ask_everything, counts=counts, with_limit=name.startswith("auc"))
            expected.append(ask(make()))
            jobs.append(partial(ask, shared))
    for found in run_at_once(jobs):
        assert found == expected


def test_a_program_may_go_while_others_run():
    """The last thread that drops a program frees it, whoever made it."""
    counts = batches(6)[1]
    make = makers(6)["average precision 16"]
    expected = ask_everything(make(), counts)

    def several():
        programs = [make() for _ in range(4)]
        return [ask_everything(programs.pop(), counts) for _ in range(4)]

    for found in run_at_once([several] * 2):
        assert found == [[expected] * 4] * 2
