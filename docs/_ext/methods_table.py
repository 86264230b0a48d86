"""Writes the table of interval methods, asking the classes themselves."""

import inspect
from pathlib import Path

from sklearn_bbc.intervals import registered

NEEDS = {
    "predictions": "predictions",
    "folds": "folds",
    "binary": "two classes",
    "auc": "AUC",
    "pointwise": "a metric that is a mean over samples",
    "ungrouped": "no groups",
    "unweighted": "no sample weights",
    "configs": "several configurations",
}


def row(name: str, cls: type) -> str:
    """One line of the table."""
    link = f"{{py:class}}`{cls.__name__} <sklearn_bbc.intervals.{cls.__name__}>`"
    summary = inspect.getdoc(cls).splitlines()[0].rstrip(".")
    needs = ", ".join(NEEDS.get(need, need) for need in sorted(cls.requires))
    return f"| {link} | `{name}` | {summary} | {needs} |"


def table(selection_aware: bool) -> str:
    """Table of the methods that do, or do not, account for the choice of the winner."""
    rows = [
        row(name, cls)
        for name, cls in sorted(registered().items())
        if cls.selection_aware == selection_aware and cls.__module__.startswith("sklearn_bbc.")
    ]
    return "\n".join(["| method | name | what it is | needs |", "|---|---|---|---|", *rows, ""])


def write(folder: Path) -> None:
    """Write what `user_guide/choosing.md` includes."""
    (folder / "methods_aware.md").write_text(table(True), encoding="utf-8")
    (folder / "methods_unaware.md").write_text(table(False), encoding="utf-8")


if __name__ == "__main__":
    print(table(True))
    print(table(False))
