"""Does a word, or more than the last digits of a number, hang on a last bit?

Another processor adds up in another order, so what is equal in theory may differ there by a
rounding. Then a tie must be the same tie, and every sentence the same sentence::

    python -m tests.scenarios.last_bits

It takes all scenarios and a share of the cases of `benchmarks.harness.digests`, and runs them

- as they are,
- with every prediction and every score of a fold moved up, and once down, by its last bit,
- with the oldest instructions of this kind of processor in NumPy and OpenBLAS,

each in a process of its own. It ends with 1 and names what differs: a text, or a number by more
than 1e-9. What moves is set by the value alone, so equal values stay equal. Halves and whole
numbers stay what they are, since their neighbours mean something else: labels, probabilities of
0 and 1, and 0.5, at which a model says one class, and just above it the other. So does the target:
a time just after another one is another time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

TOLERANCE = 1e-9
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
LONG = 12
"""Characters of a number with all its digits, as in the text of an object, not in a sentence."""
STATES = ("as it is", "moved up", "moved down", "oldest instructions")
OLDEST = {"x86_64": "Prescott", "AMD64": "Prescott", "aarch64": "ARMV8", "arm64": "ARMV8"}
"""Machine -> what OpenBLAS calls its oldest kind."""


def main(argv: list[str] | None = None) -> int:
    """Run the cases in every state and name what differs; 1 where anything does."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--share", type=float, default=0.04, help="of the digests, 0 to 1")
    parser.add_argument("--only", default="", help="regular expression of names of cases")
    parser.add_argument("--seed", type=int, default=0, help="of the share")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--state", choices=STATES, help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    if arguments.state:
        json.dump(results(arguments), sys.stdout)
        return 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        found = dict(zip(STATES, pool.map(lambda state: in_process(arguments, state), STATES)))
    plain, faults = found.pop(STATES[0]), 0
    for state, other in found.items():
        if other is None:
            print(f"{state}: left out, NumPy has no newer ones in use here")
            continue
        lines = list(differences(plain, other))
        faults += len(lines)
        print(f"{state}: {len(plain)} cases, {len(lines)} differences", *lines[:40], sep="\n  ")
    return int(faults > 0)


def in_process(arguments: argparse.Namespace, state: str) -> dict[str, dict[str, Any]] | None:
    """Get the results of a state from a process of its own."""
    environment = dict(os.environ)
    if state == "oldest instructions":
        newer = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
        if not newer:
            return None
        environment["NPY_DISABLE_CPU_FEATURES"] = " ".join(newer)
        environment["OPENBLAS_CORETYPE"] = OLDEST.get(platform.machine(), "")
    given = [f"--{name}={getattr(arguments, name)}" for name in ("share", "only", "seed")]
    with tempfile.TemporaryFile("w+") as answer:
        command = [sys.executable, "-m", __spec__.name, *given, "--state", state]
        subprocess.run(command, env=environment, stdout=answer, check=True)
        answer.seek(0)
        return json.load(answer)


def results(arguments: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Run the cases in this process: name -> path -> number, text or numbers."""
    from contextlib import redirect_stdout

    import matplotlib.pyplot as plt

    from benchmarks.harness import digest_cases, digests
    from sklearn_bbc.predictions import OOFPredictions

    if arguments.state.startswith("moved"):
        set_fields = OOFPredictions._set_fields

        def moving(self: OOFPredictions, values: Mapping[str, Any]) -> None:
            set_fields(self, moved(values, up=arguments.state.endswith("up")))

        OOFPredictions._set_fields = moving
    drawn, found = np.random.default_rng(arguments.seed), {}
    with redirect_stdout(sys.stderr):
        for name, call in scenario_cases():
            if digests._is_in(name, arguments.only):
                found[name] = digests.outcome(call)
        for name, call in digest_cases.cases():
            if drawn.random() < arguments.share and digests._is_in(name, arguments.only):
                found[name] = digests.outcome(call)
                plt.close("all")
    for values in found.values():  # what is slow is slow by the clock
        lines = values.get("warnings", "").splitlines()
        values["warnings"] = "\n".join(line for line in lines if "SlowMetric" not in line)
    return found


def scenario_cases() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield each scenario: what it prints, and the numbers behind that."""
    import pytest

    from tests.scenarios.cases import SCENARIOS
    from tests.scenarios.conftest import fitted_scenario
    from tests.scenarios.test_approved import printed

    def values_of(name: str) -> dict[str, Any]:
        scenario = fitted_scenario(name)
        with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
            texts = dict(printed(scenario, Path(folder), patch))
        numbers = getattr(scenario.search, "ci_results_", {})
        return {"texts": texts, "intervals": dict(numbers), "asked": scenario.asked}

    for name in SCENARIOS:
        yield f"scenario: {name}", lambda name=name: values_of(name)


def moved(values: Mapping[str, Any], *, up: bool) -> dict[str, Any]:
    """Move the predictions and fold scores among checked fields by their last bit."""
    found = dict(values)
    for field in ("responses", "fold_scores"):
        if field in values:  # others stay as they are
            arrays = {name: last_bit(array, up) for name, array in values[field].items()}
            found[field] = type(values[field])(arrays)
    return found


def last_bit(array: np.ndarray, up: bool) -> np.ndarray:
    """Set, or clear, the last bit of all numbers that are no halves: once and for all."""
    if array.dtype not in (np.float32, np.float64):
        return array
    bits = np.array(array).view(f"i{array.dtype.itemsize}")
    bits = bits | 1 if up else bits & ~1
    stay = ~np.isfinite(array) | (2 * array == np.rint(2 * array))
    result = np.where(stay, array, bits.view(array.dtype))
    result.flags.writeable = False
    return result


def differences(
    plain: dict[str, dict[str, Any]], other: dict[str, dict[str, Any]]
) -> Iterator[str]:
    """Name each value that is not the same: texts, and numbers by more than the tolerance."""
    for name, values in plain.items():
        for path in {**values, **other[name]}:
            one, two = (each.get(path, "nothing") for each in (values, other[name]))
            if not same(one, two):
                yield f"{name} | {path}: {apart(one, two)}"


def same(one: Any, two: Any) -> bool:
    """Compare texts as they are and numbers up to the tolerance."""
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, int | float) and isinstance(two, int | float):
        return bool(np.isclose(one, two, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True))
    if isinstance(one, str) and isinstance(two, str):
        pairs = list(zip(NUMBER.findall(one), NUMBER.findall(two)))
        near = all(a == b or (len(max(a, b, key=len)) >= LONG and same(float(a), float(b)))
                   for a, b in pairs)  # fmt: skip
        return near and NUMBER.split(one) == NUMBER.split(two)
    return one == two


def apart(one: Any, two: Any) -> str:
    """Show two values where they begin to differ."""
    if isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        return "; ".join(f"{a!r} -> {b!r}" for a, b in zip(one, two) if not same(a, b))[:200]
    if isinstance(one, str) and isinstance(two, str):
        pairs = zip(one, two)
        start = max(sum(1 for _ in takewhile(lambda each: each[0] == each[1], pairs)) - 30, 0)
        one, two = one[start:][:90], two[start:][:90]
    return f"{one!r} -> {two!r}"


if __name__ == "__main__":
    sys.exit(main())
