"""How large the package is, and how far its calls go: figures before and after a change.

    python .ci/size.py

Code lines are neither blank nor comment nor docstring. Functions that run are those of the package
whose first call has been made before, without comprehensions and generator expressions. Names
count where they stand at the top level of several files (functions, classes, constants).
"""

from __future__ import annotations

import ast
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "sklearn_bbc"
PAIRS = [{"oof", "kernel"}, {"oof", "metric"}]


def main() -> None:
    """Print one figure a line, and in which rooms the functions are that run."""
    files = {path: path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
    trees = {path: ast.parse(text) for path, text in files.items()}
    print(f"{'files':44}{len(files):7,}")
    print(f"{'code lines':44}{sum(_n_code_lines(files[p], trees[p]) for p in files):7,}")
    for pair in PAIRS:
        n = sum(pair <= arguments for tree in trees.values() for arguments in _signatures(tree))
        print(f"{'functions that take ' + ' and '.join(sorted(pair, reverse=True)):44}{n:7,}")
    places = defaultdict(set)
    for path, tree in trees.items():
        for name in _top_level(tree):
            places[name].add(path)
    several = [name for name, where in places.items() if len(where) > 1]
    print(f"{'names at the top level of several files':44}{len(several):7,}")
    for what, call in _calls():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
            ran = _functions_run(call)
        n_files = len({file for file, _ in ran})
        print(f"{'functions (files) run by ' + what:44}{len(ran):7,} ({n_files})")
        rooms = Counter(Path(file).relative_to(PACKAGE).parts[0] for file, _ in ran)
        print(
            "    "
            + ", ".join(f"{room.removesuffix('.py')} {n}" for room, n in rooms.most_common())
        )


def _n_code_lines(text: str, tree: ast.Module) -> int:
    """Count lines that are neither blank nor comment nor docstring."""
    docs: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and node.body:
            first = node.body[0]
            if ast.get_docstring(node, clean=False) is not None:
                docs.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    lines = enumerate(text.splitlines(), start=1)
    return sum(k not in docs and line.strip()[:1] not in ("", "#") for k, line in lines)


def _signatures(tree: ast.Module) -> Iterator[set[str]]:
    """Yield the names of the parameters of each function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            given = node.args
            yield {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)}


def _top_level(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a file defines at its top level, without dunder names."""
    for node in tree.body:
        found: list[str] = []
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            found = [node.name]
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found = [each.id for each in targets if isinstance(each, ast.Name)]
        yield from (name for name in found if not name.startswith("__"))


def _calls() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield small calls by their names."""
    import numpy as np
    from sklearn.datasets import make_classification
    from sklearn.tree import DecisionTreeClassifier

    from sklearn_bbc import BBCSearchCV, bbc

    y = np.tile([0, 1], 50)
    scores = np.random.default_rng(0).normal(size=(100, 5))
    yield 'bbc(y, P, "roc_auc")', lambda: bbc(y, scores, "roc_auc", random_state=0)
    tree, grid = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3]}
    data = make_classification(120, random_state=0)

    def fit() -> Any:
        return BBCSearchCV(tree, grid, scoring="roc_auc", random_state=0).fit(*data)

    fitted = fit()
    yield "fit", fit
    yield "search.interval()", fitted.interval
    yield "search.summary()", fitted.summary


def _functions_run(call: Callable[[], Any]) -> set[tuple[str, str]]:
    """Collect file and name of the package's functions that a call runs."""
    ran: set[tuple[str, str]] = set()

    def look(frame: Any, event: str, argument: Any) -> None:
        code = frame.f_code
        of_package = code.co_filename.startswith(str(PACKAGE))
        if event == "call" and of_package and not code.co_name.startswith("<"):
            ran.add((code.co_filename, code.co_qualname))

    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(None)
    return ran


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
