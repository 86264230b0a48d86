"""Nothing that people really have may crash a method or get a wrong kind of answer.

The full run takes ten minutes, ``python -m pytest -m slow tests/test_hostile.py``; in the
environment SKLEARN_BBC_FUZZ_SECONDS is another duration and SKLEARN_BBC_FUZZ_SEED the first
seed. A failure names the seeds; ``python -m tests.hostile 123`` shows the case of a seed.
"""

import os
import time
from collections import defaultdict
from collections.abc import Iterable

import numpy as np
import pytest

from tests.hostile import fault_of_error, run_case


def faults(seeds: Iterable[int], seconds: float = np.inf) -> str:
    """A line for each kind of fault, with the seeds of some cases."""
    found, end, n_computed = defaultdict(list), time.monotonic() + seconds, 0
    for seed in seeds:
        case = run_case(seed)
        n_computed += not isinstance(case.outcome, Exception)
        if case.fault:
            found[case.signature].append(seed)
        if time.monotonic() > end:
            break
    print(f"{n_computed} cases computed, up to seed {seed}")
    by_number = sorted(found.items(), key=lambda item: -len(item[1]))
    return "\n".join(f"{len(of)} times, seeds {of[:5]}: {what}" for what, of in by_number)


@pytest.mark.long
def test_hostile_data_are_computed_or_refused_in_words():
    found = faults(range(150))
    assert not found, f"\n{found}"


@pytest.mark.slow
def test_hostile_data_for_ten_minutes():
    seconds = float(os.environ.get("SKLEARN_BBC_FUZZ_SECONDS", 600))
    first = int(os.environ.get("SKLEARN_BBC_FUZZ_SEED", 10_000))
    found = faults(range(first, first + 10**9), seconds)
    assert not found, f"\n{found}"


@pytest.mark.long
def test_a_seed_gives_the_same_case_again():
    for seed in range(12):
        one, other = run_case(seed), run_case(seed)
        assert (one.method, str(one.settings)) == (other.method, str(other.settings))
        assert (str(one.data), str(one.outcome)) == (str(other.data), str(other.outcome))


def caught(function, *arguments):
    with pytest.raises(Exception) as info:
        function(*arguments)
    return fault_of_error(info.value)


def test_an_error_of_ours_is_distinguished_from_one_that_came_by_accident():
    from sklearn_bbc.intervals import BBC
    from sklearn_bbc.metrics import as_metric

    assert not caught(BBC(n_bootstraps=3).estimate, None, "roc_auc")  # ours, documented
    assert "TypeError" in caught(BBC().estimate)
    assert "ValueError" in caught(float, "text")  # a ValueError, but not in our words
    assert "TypeError in" in caught(as_metric, "accuracy", "a", "b")
