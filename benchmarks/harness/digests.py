"""Whether a change left the numbers and texts of every result as they were.

Files move, functions split and sums change their order without any result changing. This command
shows it: it runs each case of `benchmarks.harness.digest_cases` and keeps the numbers and texts of
its result, its warnings, or the error that it ends with. Written before a change and compared
after it, on the same machine with the same releases, they are equal, equal but for rounding, or
named with the old and the new value::

    python -m benchmarks.harness.digests write before.json
    python -m benchmarks.harness.digests compare before.json

`compare` ends with 1 when a number or a text differs by more than rounding. ``--only`` runs some
of the cases, ``--numbers`` counts differences of texts only, ``--jobs 2`` shows that nothing
depends on the number of threads. Another machine or other releases differ in last bits and in
words, so no such file is kept in the repository.
"""

from __future__ import annotations

import argparse
import difflib
import json
import math
import re
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from joblib import parallel_config

from benchmarks.harness import digest_cases

Values = dict[str, Any]
"""Path in a result -> a number, a text, None, or the numbers of an array."""

TOLERANCE = 1e-12
"""Relative difference up to which two numbers are equal but for rounding."""

TINY = 1e-15
"""Scores are of order 1, so where they cancel, their rounding is what is left instead of 0."""

LONG = 300
"""Length above which an array is not kept as a whole, so that the file has megabytes, not more."""

TITLE = {"python": sys.version.split()[0], "numpy": np.__version__, "sklearn": sklearn.__version__}
OF_PREDICTIONS = ("y_true", "fold", "sample", "repeat", "groups", "sample_weight", "classes_",
                  "params", "failed", "selected", "selected_by", "train_size", "fold_scores",
                  "responses", "notes")  # fmt: skip
VOLATILE = {
    r"(?s)<(style|script|svg)\b.*?</\1>": "",
    r' style="[^"]*"': "",
    r"data:image/[^\"']+": "image",
    r"(id-|0x)[0-9a-f]+": r"\1",  # counters of scikit-learn's diagrams, addresses
    r"/\S*/digests-\w+": "folder",
    r"\b\d+\.\d+\.\w[\w.+]*": "version",
    r"\b\d+(\.\d+)? ?(ms|s|seconds?|min)\b": "time",
}
"""What differs between two runs of the same code, and what is written in its place."""


def main(argv: list[str] | None = None) -> int:
    """Write the results, or compare them with those of a file; 1 when any differs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("what", choices=["write", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", default="", help="regular expression of names of cases")
    parser.add_argument("--numbers", action="store_true", help="differences of texts are no fault")
    parser.add_argument("--jobs", type=int, default=1, help="number of threads")
    parser.add_argument("--limit", type=int, default=30, help="differences of a kind to show")
    arguments = parser.parse_args(argv)
    found = run(arguments.only, arguments.jobs)
    if arguments.what == "write":
        arguments.file.write_text(json.dumps({**TITLE, "cases": found}) + "\n")
        print(f"{len(found)} cases written to {arguments.file}")
        return 0
    before = json.loads(arguments.file.read_text())
    for name, version in TITLE.items():
        if before[name] != version:
            print(f"The file was written with {name} {before[name]}, this is {version}.")
    known = {name: each for name, each in before["cases"].items() if _is_in(name, arguments.only)}
    differences = compared(known, found)
    print("\n".join(report(differences, len(found), arguments.limit, arguments.numbers)))
    faults = {"result", "value"} if arguments.numbers else {"result", "value", "text"}
    return int(bool(faults & differences.keys()))


def run(only: str = "", n_jobs: int = 1) -> dict[str, Values]:
    """Run the cases whose name the expression is in, and collect their values."""
    found: dict[str, Values] = {}
    with parallel_config("threading", n_jobs=n_jobs):
        for name, call in digest_cases.cases():
            if _is_in(name, only):
                assert name not in found, f"two cases are called {name!r}"
                found[name] = outcome(call)
    return found


def _is_in(name: str, only: str) -> bool:
    return re.search(only, name) is not None


def outcome(call: Callable[[], Any]) -> Values:
    """Values of what a call returns, or its error; and the warnings, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = dict(values(call()))
        except Exception as error:
            notes = getattr(error, "__notes__", [])
            found = {"error": steady("\n".join([f"{type(error).__name__}: {error}", *notes]))}
    words = {f"{each.category.__name__}: {each.message}" for each in caught}
    return {**found, "warnings": steady("\n".join(sorted(words)))} if words else found


def values(result: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield path and value of each number, text and array of numbers in a result."""
    if isinstance(result, pd.DataFrame):
        columns = {str(name): column.tolist() for name, column in result.items()}
        result = {"index": [str(each) for each in result.index], **columns}
    elif hasattr(result, "fold_scores") and hasattr(result, "responses"):
        result = {name: getattr(result, name) for name in OF_PREDICTIONS}
    elif hasattr(result, "to_dict"):
        result = {**result.to_dict(), "draws": getattr(result, "draws", None)}
    if isinstance(result, np.ndarray | np.generic):
        if result.dtype.names:
            result = {name: result[name] for name in result.dtype.names}
        elif result.ndim and result.dtype.kind in "biuf" and not np.ma.isMaskedArray(result):
            yield f"{path}{list(result.shape)}", _kept(result.ravel())
            return
        else:
            result = result.tolist()
    if isinstance(result, Mapping):
        for key, each in result.items():
            if not re.search("_time(_|$)", str(key)):
                yield from values(each, f"{path}.{key}")
    elif isinstance(result, list | tuple):
        if all(isinstance(each, str) for each in result):  # none at all, too: a list of notes
            yield path, steady("\n".join(result))
        elif all(isinstance(each, bool | int | float | np.number) for each in result):
            yield f"{path}{[len(result)]}", _kept(np.asarray(result))
        else:
            for k, each in enumerate(result):
                yield from values(each, f"{path}[{k}]")
    elif result is None or isinstance(result, bool | int | float):
        yield path, result
    else:
        yield path, steady(result if isinstance(result, str) else repr(result))


def _kept(numbers: np.ndarray) -> list[Any]:
    """All numbers; of a long array some, their sum and the sum of their squares."""
    if len(numbers) <= LONG:
        return numbers.tolist()
    some = numbers[:: len(numbers) // LONG].tolist()
    return [*some, float(np.nansum(numbers)), float(np.nansum(np.square(numbers, dtype=float)))]


def steady(text: str) -> str:
    """Text without what differs from run to run: addresses, folders, versions, times, images."""
    for pattern, instead in VOLATILE.items():
        text = re.sub(pattern, instead, text)
    return text


def compared(before: dict[str, Values], after: dict[str, Values]) -> dict[str, list[Any]]:
    """Differences by kind, each as (what, case), (case, path, old, new, relative) for numbers.

    Kinds are ``"result"`` (a case came, went, fails now or fails no more), ``"value"`` (a value
    came, went, or differs by more than rounding), ``"text"`` and ``"rounding"``.
    """
    found = defaultdict(list)
    for name in {**before, **after}:
        old, new = before.get(name, {}), after.get(name, {})
        failed, fails = (each.get("error", "").partition(":")[0] for each in (old, new))
        if not (name in before and name in after):
            found["result"].append(("no longer there" if name in before else "new", name))
        elif failed != fails:
            what = f"fails now: {new['error']}" if fails else f"fails no more: {old['error']}"
            found["result"].append((what, name))
        else:
            for path in {**old, **new}:
                if path not in old or path not in new:
                    what = "no longer there" if path in old else "new"
                    kind = "text" if isinstance(old.get(path, new.get(path)), str) else "value"
                    found[kind].append((f"{what}: {path}", name))
                elif isinstance(old[path], str) and isinstance(new[path], str):
                    if old[path] != new[path]:
                        found["text"].append((_changes(old[path], new[path]), name))
                else:
                    _, a, b = worst = _most_different(old[path], new[path])
                    if worst[0]:
                        kind = "value" if worst[0] > TOLERANCE else "rounding"
                        found[kind].append((name, path, a, b, worst[0]))
    return found


def _most_different(old: Any, new: Any) -> tuple[float, Any, Any]:
    """Largest relative difference of two values or lists, with the two numbers."""
    pairs = zip(old, new) if isinstance(old, list) and isinstance(new, list) else [(old, new)]
    return max(((relative(a, b), a, b) for a, b in pairs), key=lambda each: each[0],
               default=(0.0, None, None))  # fmt: skip


def relative(old: Any, new: Any) -> float:
    """Relative difference of two numbers; 0 where equal, infinite where they are not numbers."""
    if old == new or (old != old and new != new):
        return 0.0
    if not (isinstance(old, float) and isinstance(new, float)):  # counts have no rounding
        return math.inf
    distance = abs(old - new)
    share = distance / max(abs(old), abs(new)) if math.isfinite(distance) else math.inf
    return min(share, TOLERANCE) if distance <= TINY else share


def _changes(old: str, new: str) -> str:
    """The sentences, lines and tags that differ."""
    pieces = [re.split(r"(?<=[.;:>])\s+|\n|(?<=>)(?=.)", text) for text in (old, new)]
    lines = list(difflib.unified_diff(*pieces, n=0, lineterm=""))[2:]
    lines = [f"    {line[:200]}" for line in lines if not line.startswith("@@")]
    return "\n".join(
        ["", *lines[:6], *([f"    and {len(lines) - 6} more lines"] * (len(lines) > 6))]
    )


def report(
    differences: dict[str, list[Any]], n_cases: int, limit: int, numbers: bool
) -> Iterator[str]:
    """Lines that say what differs: first the counts, then for each kind what and where."""
    rounding = [each[-1] for each in differences.get("rounding", [])]
    cases = {kind: len({_case(each) for each in found}) for kind, found in differences.items()}
    yield f"{n_cases} cases, " + ", ".join(
        f"{cases.get(kind, 0)} {what}"
        for kind, what in {
            "result": "came, went, or fail where they did not",
            "value": "with other numbers",
            "rounding": f"equal within {TOLERANCE:g} (at most {max(rounding, default=0):.1e})",
            "text": "with other texts",
        }.items()
    )
    for kind in ("result", "value", *(() if numbers else ("text",))):
        lines = list(_grouped(differences.get(kind, [])))
        yield from lines[:limit]
        if len(lines) > limit:
            yield f"and {len(lines) - limit} more such lines (--limit)"


def _case(difference: tuple[Any, ...]) -> str:
    return difference[1] if len(difference) == 2 else difference[0]


def _grouped(found: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    """A line for each case with other numbers, and for each change of any other kind."""
    numbers, others = defaultdict(list), defaultdict(list)
    for each in found:
        (others if len(each) == 2 else numbers)[each[0]].append(each)
    for name, paths in numbers.items():
        _, path, old, new, share = max(paths, key=lambda each: each[-1])
        more = f", and {len(paths) - 1} more values" if len(paths) > 1 else ""
        yield f"{name}: {path.lstrip('.')} {old!r} -> {new!r} (relative {share:.1e}){more}"
    for what, each in others.items():
        yield f"in {len(each)} cases, such as {each[0][1]}: {what}"


if __name__ == "__main__":
    sys.exit(main())
