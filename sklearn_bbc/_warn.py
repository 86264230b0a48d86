"""Warnings that point to the user's line, when nothing can be lost to them any more."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .exceptions import SlowMetricWarning

OURS = {"sklearn_bbc", "sklearn"}

Held = list[tuple[str, type[Warning]]]

_held: ContextVar[Held | None] = ContextVar("held warnings", default=None)


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn at the nearest line that is neither ours nor scikit-learn's, as the call of `fit`.

    Parameters
    ----------
    message : str
        What to say.
    category : type
        Class of the warning.
    """
    held = _held.get()
    if held is not None and category is not SlowMetricWarning:
        held.append((message, category))
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in OURS:
        frame, level = frame.f_back, level + 1
    try:
        warnings.warn(message, category, stacklevel=level)
    except Warning:  # a filter makes errors of warnings
        if held is None:
            raise
        held.append((message, category))


@contextmanager
def hold_warnings() -> Iterator[Held]:
    """Collect the calls of `warn_user` in this thread instead of warning.

    Where warnings are errors, the first one would end the work in the middle. What is
    collected is for `release_warnings`, when everything else is done. Only the warning that
    something will take long comes at once, since later it would be of no use.
    """
    held: Held = []
    token = _held.set(held)
    try:
        yield held
    finally:
        _held.reset(token)


def release_warnings(held: Held) -> None:
    """Give the warnings that `hold_warnings` collected.

    Where they are errors, the first one is raised after all were given, with the others as
    notes.
    """
    first: Warning | None = None
    for message, category in held:
        try:
            warn_user(message, category)
        except Warning as error:
            if first is None:
                first = error
            else:
                first.add_note(f"{category.__name__}: {message}")
    if first is not None:
        raise first


def duration(seconds: float) -> str:
    """A length of time as people say it."""
    for size, unit in ((3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} seconds"
