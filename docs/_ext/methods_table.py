"""Writes the tables of interval methods and comparisons, asking the classes themselves."""

import inspect
from pathlib import Path

from api_page import name_of

from sklearn_bbc import comparison
from sklearn_bbc.intervals import (
    RefitInterval,
    published_intervals,
    recommendations,
    registered,
    registered_refits,
)

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


def link_to(cls: type) -> str:
    """Link to the page of a method."""
    return f"{{py:class}}`{cls.__name__} <{name_of(cls)}>`"


def row(name: str, cls: type) -> str:
    """One line of the table."""
    summary = inspect.getdoc(cls).splitlines()[0].rstrip(".")
    needs = ", ".join(NEEDS.get(need, need) for need in sorted(getattr(cls, "requires", ())))
    about = f"{summary}; needs {needs}" if needs else summary
    return f'| {link_to(cls)} "{name}" | {about} | {cls.meant_for} | {cls.cost} | {cls.limits} |'


def table(methods: dict[str, type]) -> str:
    """Table of some registered methods of this package, from what each class says of itself."""
    ours = {
        name: cls for name, cls in methods.items() if cls.__module__.startswith("sklearn_bbc.")
    }
    rows = [row(name, ours[name]) for name in sorted(ours)]
    head = ["| method | what it is | for | cost | fails or misleads |", "|---|---|---|---|---|"]
    return "\n".join([*head, *rows, ""])


def choices() -> str:
    """Table from which `recommend` reads."""
    rows = []
    for situation, (method, _) in recommendations().items():
        changed = "" if repr(method) == f"{type(method).__name__}()" else f" `{method!r}`"
        trains = ", trains models" if isinstance(method, RefitInterval) else ""
        rows.append(f"| {situation} | {link_to(type(method))}{changed}{trains} |")
    return "\n".join(["| situation | method |", "|---|---|", *rows, ""])


def published() -> str:
    """Table of every published interval, with the call that gives it."""
    rows = []
    for interval, call, held, _ in published_intervals().itertuples(index=False):
        known = f'`"{held}"`' if held else ""
        rows.append(f"| {interval[0].upper()}{interval[1:]} | `{call}` | {known} |")
    head = ["| interval | call | in `holdout_interval` |", "|---|---|---|"]
    return "\n".join([*head, *rows, ""])


def comparisons() -> str:
    """Table of what each comparison compares and for whom, what it costs and where it fails."""
    kinds = (
        comparison.registered(),
        {comparison.FiveByTwo.name: comparison.FiveByTwo},
        comparison.registered_on_data_sets(),
    )
    rows = [
        f"| {link_to(cls)} | {cls.estimand} | {cls.meant_for} | {cls.cost} | {cls.limits} |"
        for kind in kinds
        for _, cls in sorted(kind.items())
        if cls.__module__.startswith("sklearn_bbc.")
    ]
    head = ["| comparison | compares | for | cost | fails or misleads |", "|---|---|---|---|---|"]
    return "\n".join([*head, *rows, ""])


def tables() -> dict[str, str]:
    """File name -> table."""
    on_predictions = registered()
    aware = {name: cls for name, cls in on_predictions.items() if cls.selection_aware}
    unaware = {name: cls for name, cls in on_predictions.items() if not cls.selection_aware}
    return {
        "methods_aware.md": table(aware),
        "methods_unaware.md": table(unaware),
        "methods_refit.md": table(registered_refits()),
        "methods_choices.md": choices(),
        "methods_published.md": published(),
        "comparisons.md": comparisons(),
    }


def write(folder: Path) -> None:
    """Write what `user_guide/choosing.md` and `user_guide/methods.md` include."""
    for name, text in tables().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    print(*tables().values(), sep="\n")
