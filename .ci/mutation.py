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
import hashlib
import json
import sys
import tempfile
import tomllib
from collections import Counter
from pathlib import Path

from forked_tests import CHECKOUT, copied, failed_test, preload, remember, run_tests, tests_of
from mutants import Mutant, mutants_of

JOURNAL = CHECKOUT / ".mutation"
FOLDERS = ("intervals", "resampling", "search")
# Seconds of processor time beyond five times what the unchanged module needs.
GRACE = 10


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
