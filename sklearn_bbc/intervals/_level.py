"""What `confidence_level` means, said once for all docstrings that have the parameter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Documented = TypeVar("Documented", bound=Callable[..., Any])

PLACEHOLDER = "{level}"
LEVEL = "Share of data sets for which the interval should hold the true {what}."


def says_level(what: str) -> Callable[[Documented], Documented]:
    """Make a decorator that puts the sentence on the level in the place of ``{level}``.

    Parameters
    ----------
    what : str
        What the interval is about, ``"score"`` or ``"difference"``.

    Returns
    -------
    callable
        For a class or a function; one without docstring (``python -OO``) stays as it is.
    """

    def fill(documented: Documented) -> Documented:
        if documented.__doc__:
            documented.__doc__ = documented.__doc__.replace(PLACEHOLDER, LEVEL.format(what=what))
        return documented

    return fill
