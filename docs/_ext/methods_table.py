"""Writes the table of interval methods, asking the classes themselves."""

import inspect
from pathlib import Path

from sklearn_bbc.intervals import registered, registered_refits

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
    needs = ", ".join(NEEDS.get(need, need) for need in sorted(getattr(cls, "requires", ())))
    return f'| {link} "{name}" | {summary} | {needs or "models to train"} |'


def table(methods: dict[str, type]) -> str:
    """Table of some registered methods of this package."""
    ours = {
        name: cls for name, cls in methods.items() if cls.__module__.startswith("sklearn_bbc.")
    }
    rows = [row(name, ours[name]) for name in sorted(ours)]
    return "\n".join(["| method | what it is | needs |", "|---|---|---|", *rows, ""])


def tables() -> dict[str, str]:
    """File name -> table."""
    on_predictions = registered()
    aware = {name: cls for name, cls in on_predictions.items() if cls.selection_aware}
    unaware = {name: cls for name, cls in on_predictions.items() if not cls.selection_aware}
    return {
        "methods_aware.md": table(aware),
        "methods_unaware.md": table(unaware),
        "methods_refit.md": table(registered_refits()),
    }


def write(folder: Path) -> None:
    """Write what `user_guide/choosing.md` includes."""
    for name, text in tables().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    print(*tables().values(), sep="\n")
