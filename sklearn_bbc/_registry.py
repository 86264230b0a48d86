"""Names of classes that register themselves when they are defined."""

from __future__ import annotations

from typing import Any


def register(registry: dict[str, Any], cls: type, what: str) -> None:
    """Enter a class under its name.

    Parameters
    ----------
    registry : dict of str to type
        Name -> class.
    cls : type
        Class with a `name`. The same class defined again, by a notebook cell or by
        `importlib.reload`, takes the place of the earlier one.
    what : str
        What is registered, for the message.

    Raises
    ------
    ValueError
        If another class has the name: it would silently be replaced.
    """
    name: str = cls.name  # type: ignore[attr-defined]
    known = registry.get(name)
    if known is not None and _home(known) != _home(cls):
        raise ValueError(
            f"The name {name!r} of the {what} {_home(cls)} is taken by {_home(known)}. Give the "
            "class another name."
        )
    registry[name] = cls


def _home(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
