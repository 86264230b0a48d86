#!/usr/bin/env python
"""Mutation run: does a test fail when one thing in the code is changed? Not part of `.ci/run`.

Each mutant (see `mutants.py`) of a module is tested with all tests and doctests of its package
folder, those that killed other mutants first. A mutant is killed when a test fails or its time is
over. The score is given for each package folder; a few of a hundred mutants change no result, so
that 100% cannot be reached: look at the survivors.

Usage, from the checkout (cosmic-ray is needed beside the `test` extra)::

    python -m pip install cosmic-ray
    python .ci/mutation.py intervals/_analytic.py search  # a module, a whole folder
    python .ci/mutation.py --share 0.1                    # a seeded tenth of all mutants
    python .ci/mutation.py --survivors                    # those that survived, after new tests
    python .ci/mutation.py --report                       # what is known, nothing is run

Every mutant is a forked process in a copy of the package in a temporary folder, so the checkout
is never changed. Results are kept in `.mutation/` and belong to the text of a module: a run goes
on after a kill, and a module that was changed starts anew. Needs a system with `fork`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

from forked_tests import CHECKOUT, Tests, copied, preload
from mutants import Mutant, mutants_of

JOURNAL = CHECKOUT / ".mutation"
PACKAGE = CHECKOUT / "sklearn_bbc"
FOLDERS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
COLUMNS = ("mutants", "killed", "time", "survived", "not run")


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

    def sampled(self, share: float, seed: int) -> list[Mutant]:
        """Mutants of a seeded share; a larger share holds those of a smaller one.

        What moves to another file of its folder stays in the share.
        """
        folder = self.name.rpartition("/")[0].partition("/")[0]
        return [
            mutant for mutant in self.mutants if chance(f"{seed} {folder} {mutant.key}") < share
        ]

    def note(self, mutant: Mutant, outcome: str, seconds: float) -> None:
        """Remember an outcome."""
        self.known[mutant.key] = outcome
        JOURNAL.mkdir(exist_ok=True)
        with self.journal.open("a", encoding="utf-8") as file:
            entry = {"mutant": mutant.key, "outcome": outcome, "seconds": round(seconds, 2)}
            file.write(json.dumps(entry) + "\n")

    def run(self, mutants: list[Mutant], tests: Tests, again: bool) -> None:
        """Test the mutants whose outcome is not known; `again` only those that survived."""
        path = tests.root / "sklearn_bbc" / self.name
        todo = [
            mutant
            for mutant in mutants
            if self.known.get(mutant.key) == ("survived" if again else None)
        ]
        for bytecode in path.parent.glob(f"__pycache__/{path.stem}.*") if todo else ():
            bytecode.unlink()
        for done, mutant in enumerate(todo, 1):
            path.write_text(mutant.source, encoding="utf-8")
            self.note(mutant, *tests.run())
            if sys.stderr.isatty():
                print(f"\r{self.name} {done}/{len(todo)}", end="", file=sys.stderr, flush=True)
        path.write_text(self.source, encoding="utf-8")

    def tally(self, mutants: list[Mutant]) -> Counter[str]:
        """Number of the mutants by outcome."""
        outcomes = Counter(self.known.get(mutant.key, "not run") for mutant in mutants)
        return outcomes + Counter(mutants=len(mutants))


def chance(text: str) -> float:
    """Number between 0 and 1 that belongs to a text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64


def modules(wanted: list[str]) -> dict[str, list[str]]:
    """Modules that are named, or are in a folder that is named, by package folder."""
    names: dict[str, list[str]] = {}
    for entry in wanted or FOLDERS:
        path = PACKAGE / entry
        if not path.exists() or path == PACKAGE:
            raise SystemExit(f"There is no sklearn_bbc/{entry}; folders are {', '.join(FOLDERS)}.")
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            if file.name != "__init__.py":
                name = file.relative_to(PACKAGE).as_posix()
                names.setdefault(name.rpartition("/")[0].partition("/")[0], []).append(name)
    return names


def main() -> None:
    """Run the mutants that were asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", help="module or folder (default: all folders)")
    parser.add_argument(
        "--share", type=float, default=1.0, help="share of the mutants (default 1)"
    )
    parser.add_argument("--seed", type=int, default=0, help="which share (default 0)")
    parser.add_argument("--survivors", action="store_true", help="only those that survived before")
    parser.add_argument("--report", action="store_true", help="run nothing")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="sklearn-bbc-mutation.") as scratch:
        if not arguments.report:
            preload()
            copied(Path(scratch))
        print(f"{'module':38}" + "".join(f"{name:>11}" for name in COLUMNS) + "      score")
        for folder, names in modules(arguments.modules).items():
            tests = None if arguments.report else Tests(Path(scratch), folder)
            total: Counter[str] = Counter()
            for name in names:
                module = Module(name)
                chosen = module.sampled(arguments.share, arguments.seed)
                if tests is not None:
                    module.run(chosen, tests, arguments.survivors)
                count = module.tally(chosen)
                total += count
                print(line(name, count), flush=True)
                for mutant in chosen:
                    if module.known.get(mutant.key) == "survived":
                        print(f"    {mutant.where}\n      - {mutant.was}\n      + {mutant.now}")
            print(line(f"all of {folder or 'the top level'}", total), flush=True)


def line(name: str, count: Counter[str]) -> str:
    """Row of the table; the score is the share killed of what was run."""
    killed = count["killed"] + count["time"]
    counted = killed + count["survived"]
    score = f"{killed / counted:10.1%}" if counted else f"{'-':>10}"
    return f"{name:38}" + "".join(f"{count[column]:11d}" for column in COLUMNS) + " " + score


if __name__ == "__main__":
    main()
