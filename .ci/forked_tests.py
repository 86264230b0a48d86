"""Tests of a package folder, each run of them in a forked process: what `mutation.py` asks."""

from __future__ import annotations

import gc
import json
import os
import resource
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[1]
MEMORY = 8 * 2**30
# Tests of a package folder that lie elsewhere, since their words are approved with those of the
# scenarios.
ALSO = {"report": "tests/scenarios/test_facts.py"}
# Seconds from which on a test waits for the others.
SLOW = 1
# Seconds of processor time beyond five times what the unchanged code needs.
GRACE = 10


def preload() -> None:
    """Import what every child needs but the package, so that a fork has it already."""
    # As in the conftest of the tests, which comes too late for what is imported here.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"
    os.environ["MPLBACKEND"] = "Agg"
    import hypothesis.extra.numpy  # noqa: F401
    import joblib  # noqa: F401
    import pandas  # noqa: F401
    import pytest  # noqa: F401
    import scipy.optimize
    import scipy.stats  # noqa: F401
    import sklearn.datasets
    import sklearn.ensemble
    import sklearn.linear_model
    import sklearn.model_selection
    import sklearn.neighbors
    import sklearn.pipeline
    import sklearn.svm
    import sklearn.tree  # noqa: F401
    from hypothesis import given, strategies

    # Of the conftest, which every child loads.
    os.environ["HYPOTHESIS_PROFILE"] = "mutation"
    # Hypothesis looks through all modules once; the collector need not, in no child.
    given(strategies.integers())(lambda number: None)()
    gc.collect()
    gc.freeze()


def copied(folder: Path) -> Path:
    """Copy of what the tests need."""
    shutil.copy(CHECKOUT / "pyproject.toml", folder)
    for part in ("sklearn_bbc", "tests"):
        shutil.copytree(
            CHECKOUT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__")
        )
    os.environ.setdefault("SKLEARN_BBC_SHARED", str(CHECKOUT.parent / "shared"))
    return folder


class Order:
    """Plugin of pytest: tests that killed other mutants first, the quickest of them first.

    Parameters
    ----------
    times : Path
        File with the seconds of each test; written when there is none.
    first : list of str
        Tests that come before all others, unless they are slow.
    """

    def __init__(self, times: Path, first: list[str]) -> None:
        self.times, self.first = times, first
        self.known = json.loads(times.read_text(encoding="utf-8")) if times.is_file() else None
        self.measured: dict[str, float] = {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Sort the tests."""

        def place(item: Any) -> tuple[bool, float]:
            seconds = (self.known or {}).get(item.nodeid, 0.0)
            return item.nodeid not in self.first or seconds > SLOW, seconds

        items.sort(key=place)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Measure a test."""
        seconds = self.measured.get(report.nodeid, 0.0) + report.duration
        self.measured[report.nodeid] = seconds

    def pytest_sessionfinish(self) -> None:
        """Write down what was measured."""
        if self.known is None:
            self.times.write_text(json.dumps(self.measured), encoding="utf-8")


class Tests:
    """All tests of a package folder, run in a copy of the checkout.

    Parameters
    ----------
    root : Path
        The copy.
    folder : str
        Name of the package folder; "" for the modules beside the folders.
    """

    def __init__(self, root: Path, folder: str) -> None:
        self.root = root
        tests, package = root / "tests" / folder, root / "sklearn_bbc" / folder
        self.arguments = [str(tests), str(package)]
        if folder in ALSO:
            self.arguments.append(str(root / ALSO[folder]))
        if not folder:
            self.arguments = [str(path) for path in [*tests.glob("t*.py"), *package.glob("_*.py")]]
        self.times = root / f"times-{folder}.json"
        # Tests that killed others go first: most of the time goes into tests that notice nothing.
        self.sharp: list[str] = []
        outcome, seconds = run_tests(root, self.arguments, 3600, self.times, [])
        if outcome != "passed":
            log = (root / "pytest.log").read_text(encoding="utf-8")
            raise SystemExit(f"Without any mutant the tests ended with {outcome!r}:\n{log}")
        self.limit = 5 * seconds + GRACE

    def run(self) -> tuple[str, float]:
        """Outcome ("killed", "time" or "survived") of the copy as it is, and processor time."""
        outcome, seconds = run_tests(self.root, self.arguments, self.limit, self.times, self.sharp)
        if outcome == "failed":
            remember(failed_test(self.root), self.sharp)
        # Where even the files cannot be collected, the mutant breaks the import.
        names = {"passed": "survived", "failed": "killed", "unknown": "killed"}
        return names.get(outcome, outcome), seconds


def run_tests(
    folder: Path, arguments: list[str], seconds: float, times: Path, first: list[str]
) -> tuple[str, float]:
    """Run pytest in a fork; give the outcome and its processor time.

    The outcome is "passed", "failed", "time", "nothing" (no test) or "unknown" (no such file).
    Without a file of `times` this is the run of the unchanged module.
    """
    log = folder / "pytest.log"
    child = os.fork()
    if child == 0:
        code = 99
        try:
            os.setpgid(0, 0)
            os.chdir(folder)
            out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(out, 1)
            os.dup2(out, 2)
            limit = int(seconds) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 2))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            # A mutant has the size and second of the one before it: no file of bytecode, then.
            sys.dont_write_bytecode = times.is_file()
            if sys.dont_write_bytecode:
                os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
            sys.path[0] = str(folder)
            os.environ["PYTHONPATH"] = str(folder)
            import pytest

            options = "-x -q --no-header -p no:cacheprovider -p no:cov -p no:xdist".split()
            code = int(pytest.main([*options, *arguments], plugins=[Order(times, first)]))
        finally:
            os._exit(code)
    deadline = time.monotonic() + 10 * seconds
    status, late = None, False
    while status is None:
        done, code, usage = os.wait4(child, os.WNOHANG)
        if done:
            status = code
        elif late := time.monotonic() > deadline:
            os.killpg(child, signal.SIGKILL)
            _, status, usage = os.wait4(child, 0)
        else:
            time.sleep(0.02)
    used = usage.ru_utime + usage.ru_stime
    if late or (
        os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)
    ):
        return "time", used
    if os.WIFSIGNALED(status):
        return "failed", used
    code = os.WEXITSTATUS(status)
    return {0: "passed", 4: "unknown", 5: "nothing"}.get(code, "failed"), used


def failed_test(folder: Path) -> str | None:
    """Name of the test that the last run stopped at; none for errors and doctests."""
    for row in (folder / "pytest.log").read_text(encoding="utf-8", errors="replace").splitlines():
        if row.startswith("FAILED tests/"):
            return row.removeprefix("FAILED ").split(" - ")[0]
    return None


def remember(test: str | None, first: list[str], most: int = 20) -> None:
    """Put a test in front of the list of those that run first."""
    if test is not None:
        if test in first:
            first.remove(test)
        first.insert(0, test)
        del first[most:]
