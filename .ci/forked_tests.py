"""Tests of one module, each run of them in a forked process: what `mutation.py` asks."""

from __future__ import annotations

import gc
import json
import os
import re
import resource
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[1]
MEMORY = 8 * 2**30
# Seconds from which on a test waits for the others.
SLOW = 1

# Where a module has no test file of its name, or a further one is about it.
TESTS = {
    "intervals/winner/_fold_kernel.py": [
        "intervals/winner/test_bbcf.py",
        "intervals/winner/test_tibshirani.py",
    ],
    "intervals/winner/_bbcf.py": ["intervals/winner/test_fold_rules.py"],
    "intervals/winner/_rescaled_bbc.py": ["intervals/winner/test_fold_rules.py"],
    "intervals/single/_fold_scores.py": [
        "intervals/single/test_corrected_t.py",
        "intervals/single/test_correlation_adjusted.py",
    ],
    "resampling/_draws.py": ["resampling/test_degenerate.py", "resampling/test_spread.py"],
    "intervals/_holdout_columns.py": ["intervals/test_holdout.py"],
    "predictions/_subset.py": [
        "intervals/test_part_rows.py",
        "intervals/tilting/test_bootstrap_tilting.py",
        "intervals/single/test_hierarchical.py",
    ],
    "intervals/single/_proportions.py": ["intervals/single/test_wald.py"],
    "intervals/training/_checks.py": [
        "intervals/training/test_base.py",
        "intervals/training/test_conservative_z.py",
    ],
    "intervals/training/_problem.py": [
        "intervals/training/test_base.py",
        "intervals/training/test_direct_bootstrap.py",
    ],
    "intervals/_bounds.py": ["intervals/test_base.py", "intervals/winner/test_bbc.py"],
    "intervals/single/_base.py": [
        "intervals/test_base.py",
        "intervals/single/test_pooled_bootstrap.py",
    ],
    "intervals/tilting/_tilt.py": [
        "intervals/tilting/test_steps.py",
        "intervals/tilting/test_base.py",
    ],
    "intervals/tilting/_base.py": [
        "intervals/tilting/test_bootstrap_tilting.py",
        "intervals/tilting/test_mabt.py",
    ],
    "search/_after_search.py": ["search/test_mixin.py"],
    "search/_facts.py": ["search/test_after_search.py"],
    "search/_search.py": ["search/test_callbacks.py"],
    "search/dropping/_search.py": ["search/dropping/test_facts.py"],
}


def tests_of(module: str) -> list[list[str]]:
    """Stages of pytest arguments for a module: its mirror and doctests, then the common ones."""
    folder, name = module.rsplit("/", 1)
    stem = name.removeprefix("_").removesuffix(".py")
    tests = mirrors(f"{folder}/test_{stem}.py")
    for further in TESTS.get(module, []):
        tests += mirrors(further)
    names = dict.fromkeys(f"tests/{test}" for test in tests)
    files = [path for path in names if (CHECKOUT / path).is_file()]
    stages = [[*files, f"sklearn_bbc/{module}"]]
    source = (CHECKOUT / "sklearn_bbc" / module).read_text(encoding="utf-8")
    methods = re.findall(r'^    name = "(\w+)"', source, flags=re.MULTILINE)
    if folder.startswith("intervals") and methods:
        chosen = " or ".join(f"[{name}{end}" for name in methods for end in "-]")
        stages.append(["tests/intervals/test_common.py", "-k", f"test_contract and ({chosen})"])
    return stages


def mirrors(test: str) -> list[str]:
    """A test file and those whose names go on after its name."""
    folder, name = test.rsplit("/", 1)
    further = [
        file.name
        for file in sorted((CHECKOUT / "tests" / folder).glob(name.replace(".py", "_*.py")))
        # `test_fold_glmm.py` is about `_fold_glmm.py`, not about a module `_fold.py`.
        if not (CHECKOUT / "sklearn_bbc" / folder / file.name.removeprefix("test")).is_file()
    ]
    return [test, *(f"{folder}/{each}" for each in further)]


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

            options = ["-x", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:cov"]
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
