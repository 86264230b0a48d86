"""Names of `sklearn_bbc.replication`, found when somebody asks for them and not before.

The package must work without anything that only repeats other code, so no module imports
`replication`. Two things need it all the same: names that users import from where they once
stood, and switches that are words or truth values instead of objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any


def published(name: str) -> Any:
    """Object of `sklearn_bbc.replication` by its name."""
    return getattr(import_module("sklearn_bbc.replication"), name)


def moved(module: str, names: Iterable[str]) -> Callable[[str], Any]:
    """Make the `__getattr__` of a module that some names left for `replication`."""
    names = frozenset(names)

    def get(name: str) -> Any:
        if name in names:
            return published(name)
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return get
