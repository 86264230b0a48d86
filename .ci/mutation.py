#!/usr/bin/env python
"""Mutation run: does a test fail when one thing in the code is changed? Not part of `.ci/run`.

Each mutant (see `mutants.py`) of a module is tested with the module's mirror tests and doctests,
then, where the module holds an interval method, with that method's part of
`tests/intervals/test_common.py`. A mutant is killed when a test fails or its time is over.
Tests elsewhere are not asked: what only they notice counts as survived, so that each module has
its own tests. Survivors that change no result are listed with the reason in
`equivalent_mutants.toml`.

Usage, from the checkout (cosmic-ray is needed beside the `test` extra)::

    python -m pip install cosmic-ray
    python .ci/mutation.py intervals/_wald.py search      # a module, a whole folder
    python .ci/mutation.py --share 0.1                    # a seeded tenth of all mutants
    python .ci/mutation.py --survivors                    # those that survived, after new tests
    python .ci/mutation.py --report                       # what is known, nothing is run

Every mutant is a forked process in a copy of the package in a temporary folder, so the checkout
is never changed. Results are kept in `.mutation/` and belong to the text of a module: a run goes
on after a kill, and a module that was changed starts anew. Needs a system with `fork`.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from mutants import Mutant, mutants_of

CHECKOUT = Path(__file__).resolve().parents[1]
JOURNAL = CHECKOUT / ".mutation"
FOLDERS = ("intervals", "resampling", "search")
MEMORY = 8 * 2**30
# Seconds of processor time beyond five times what the unchanged module needs.
GRACE = 10
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
    mirror = f"{folder}/test_{stem}.py"
    names = [f"tests/{test}" for test in (mirror, *TESTS.get(module, []))]
    files = [path for path in names if (CHECKOUT / path).is_file()]
    stages = [[*files, f"sklearn_bbc/{module}"]]
    source = (CHECKOUT / "sklearn_bbc" / module).read_text(encoding="utf-8")
    methods = re.findall(r'^    name = "(\w+)"', source, flags=re.MULTILINE)
    if folder.startswith("intervals") and methods:
        chosen = " or ".join(f"[{name}{end}" for name in methods for end in "-]")
        stages.append(["tests/intervals/test_common.py", "-k", f"test_contract and ({chosen})"])
    return stages


def preload() -> None:
    """Import what every child needs but the package, so that a fork has it already."""
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
    from hypothesis import HealthCheck, Phase, given, settings, strategies

    # The suite's own profile, but a counterexample is enough: it need not be made small.
    settings.register_profile(
        "mutation",
        derandomize=True,
        deadline=None,
        max_examples=50,
        suppress_health_check=[HealthCheck.too_slow],
        phases=[Phase.explicit, Phase.generate],
    )
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


class Module:
    """One module: its mutants, what is known of them, and which need no test.

    Parameters
    ----------
    name : str
        Path below the package.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.source = (CHECKOUT / "sklearn_bbc" / name).read_text(encoding="utf-8")
        self.mutants = mutants_of(self.source)
        stamp = hashlib.sha256(self.source.encode()).hexdigest()[:12]
        self.journal = JOURNAL / f"{name.replace('/', '.').removesuffix('.py')}-{stamp}.jsonl"
        self.known: dict[str, str] = {}
        if self.journal.is_file():
            for line in self.journal.read_text(encoding="utf-8").splitlines():
                if line.endswith("}"):  # the last line of a killed run may be half
                    entry = json.loads(line)
                    self.known[entry["mutant"]] = entry["outcome"]
        listed = CHECKOUT / ".ci" / "equivalent_mutants.toml"
        entries = tomllib.loads(listed.read_text(encoding="utf-8")) if listed.is_file() else {}
        self.explained = [
            entry for entry in entries.get("equivalent", []) if entry["module"] == name
        ]

    def sampled(self, share: float, seed: int) -> list[Mutant]:
        """Mutants of a seeded share; a larger share holds those of a smaller one."""
        return [
            mutant for mutant in self.mutants if chance(f"{seed} {self.name} {mutant.key}") < share
        ]

    def reason(self, mutant: Mutant) -> str | None:
        """Why no test can or need notice this mutant."""
        for entry in self.explained:
            if entry["where"] == mutant.where and entry["was"].strip() == mutant.was:
                same_place = entry.get("number", mutant.number) == mutant.number
                if same_place and mutant.now in [now.strip() for now in entry["now"]]:
                    return entry["why"]
        return None

    def outdated(self) -> list[str]:
        """Explanations that fit no mutant any more, or a mutant that was killed."""
        alive = [mutant for mutant in self.mutants if self.known.get(mutant.key) != "killed"]
        used = {(mutant.where, mutant.was, mutant.now) for mutant in alive}
        return [
            f"{entry['where']}\n      - {entry['was'].strip()}\n      + {now.strip()}"
            for entry in self.explained
            for now in entry["now"]
            if (entry["where"], entry["was"].strip(), now.strip()) not in used
        ]

    def note(self, mutant: Mutant, outcome: str, seconds: float) -> None:
        """Remember an outcome."""
        self.known[mutant.key] = outcome
        JOURNAL.mkdir(exist_ok=True)
        with self.journal.open("a", encoding="utf-8") as file:
            entry = {"mutant": mutant.key, "outcome": outcome, "seconds": round(seconds, 2)}
            file.write(json.dumps(entry) + "\n")

    def run(self, mutants: list[Mutant], folder: Path, again: bool) -> None:
        """Test the mutants whose outcome is not known; `again` those that survived, too."""
        settled = {"killed", "time"} if again else {"killed", "time", "survived"}
        todo = [
            mutant
            for mutant in mutants
            if self.known.get(mutant.key) not in settled and not self.reason(mutant)
        ]
        if again:
            todo = [mutant for mutant in todo if mutant.key in self.known]
        if not todo:
            return
        path = folder / "sklearn_bbc" / self.name
        stages = tests_of(self.name)
        all_times = [folder / f"times-{stage}.json" for stage in range(len(stages))]
        limits = []
        for arguments, times in zip(stages, all_times):
            times.unlink(missing_ok=True)
            outcome, seconds = run_tests(folder, arguments, 600, times, [])
            if outcome != "passed":
                raise SystemExit(
                    f"{self.name}: without any mutant, pytest {' '.join(arguments)} ended with "
                    f"'{outcome}':\n{(folder / 'pytest.log').read_text(encoding='utf-8')}"
                )
            limits.append(5 * seconds + GRACE)
        for bytecode in path.parent.glob(f"__pycache__/{path.stem}.*"):
            bytecode.unlink()
        # Tests that killed others go first: most of the time goes into tests that notice nothing.
        sharp: list[list[str]] = [[] for _ in stages]
        for done, mutant in enumerate(todo, 1):
            path.write_text(mutant.source, encoding="utf-8")
            total = 0.0
            for arguments, limit, times, first in zip(stages, limits, all_times, sharp):
                outcome, seconds = run_tests(folder, arguments, limit, times, first)
                total += seconds
                if outcome != "passed":
                    remember(failed_test(folder), first)
                    break
            # Where even the files cannot be collected, the mutant breaks the import.
            names = {"passed": "survived", "failed": "killed", "unknown": "killed"}
            word = names.get(outcome, outcome)
            self.note(mutant, word, total)
            if sys.stderr.isatty():
                print(f"\r{self.name} {done}/{len(todo)}", end="", file=sys.stderr, flush=True)
        path.write_text(self.source, encoding="utf-8")

    def tally(self, mutants: list[Mutant]) -> Counter[str]:
        """Number of the mutants by outcome."""
        count: Counter[str] = Counter(mutants=len(mutants))
        for mutant in mutants:
            explained = self.reason(mutant)
            count["equivalent" if explained else self.known.get(mutant.key, "not run")] += 1
        return count


def chance(text: str) -> float:
    """Number between 0 and 1 that belongs to a text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64


def modules(wanted: list[str]) -> list[str]:
    """Modules below the package that are named, or are in a folder that is named."""
    package = CHECKOUT / "sklearn_bbc"
    names = []
    for entry in wanted or FOLDERS:
        path = package / entry
        if path.is_dir():
            files = (file for file in sorted(path.rglob("*.py")) if file.name != "__init__.py")
            names += [file.relative_to(package).as_posix() for file in files]
        elif path.is_file():
            names.append(entry)
        else:
            raise SystemExit(
                f"There is no sklearn_bbc/{entry}; give modules like {FOLDERS[0]}/single/_wald.py"
            )
    return names


def main() -> None:
    """Run the mutants that were asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "modules", nargs="*", help=f"module or folder (default: {', '.join(FOLDERS)})"
    )
    parser.add_argument(
        "--share", type=float, default=1.0, help="share of the mutants (default 1)"
    )
    parser.add_argument("--seed", type=int, default=0, help="which share (default 0)")
    parser.add_argument("--survivors", action="store_true", help="only those that survived before")
    parser.add_argument("--report", action="store_true", help="run nothing")
    arguments = parser.parse_args()

    total: Counter[str] = Counter()
    columns = ("mutants", "killed", "time", "equivalent", "survived", "not run")
    with tempfile.TemporaryDirectory(prefix="sklearn-bbc-mutation.") as scratch:
        if not arguments.report:
            preload()
            copied(Path(scratch))
        print(f"{'module':38}" + "".join(f"{name:>11}" for name in columns) + "      score")
        for name in modules(arguments.modules):
            module = Module(name)
            chosen = module.sampled(arguments.share, arguments.seed)
            if not arguments.report:
                module.run(chosen, Path(scratch), arguments.survivors)
            count = module.tally(chosen)
            total += count
            print(line(name, count, columns), flush=True)
            for mutant in chosen:
                if module.known.get(mutant.key) in {"survived", "nothing"}:
                    if not module.reason(mutant):
                        print(f"    {mutant.where}\n      - {mutant.was}\n      + {mutant.now}")
            for entry in module.outdated():
                print(f"    listed as equivalent, but there is no such survivor: {entry}")
        print(line("all", total, columns))


def line(name: str, count: Counter[str], columns: tuple[str, ...]) -> str:
    """Row of the table; the score is the share killed of what was run and is not equivalent."""
    killed = count["killed"] + count["time"]
    counted = killed + count["survived"] + count["nothing"]
    score = f"{killed / counted:10.1%}" if counted else f"{'-':>10}"
    return f"{name:38}" + "".join(f"{count[column]:11d}" for column in columns) + " " + score


if __name__ == "__main__":
    main()
