"""Warnings that point to the user's line, given when they can no longer cost any work."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

from .exceptions import SlowMetricWarning

OWN_MODULES = {"sklearn_bbc", "sklearn"}

Held = list[tuple[str, type[Warning]]]

_held: ContextVar[Held | None] = ContextVar("held warnings", default=None)


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn at the nearest line outside this package and scikit-learn, as the call of `fit`."""
    held = _held.get()
    if held is not None and category is not SlowMetricWarning:
        held.append((message, category))
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in OWN_MODULES:
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


class _Hush:
    """Number of contexts without warnings in this process, and the filters before the first."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.depth = 0
        self.before = warnings.catch_warnings()


_hush = _Hush()


@contextmanager
def no_warnings() -> Iterator[None]:
    """Ignore warnings in a context that several threads may be in at a time.

    Before Python 3.14 the filters are those of the process, and so is what
    `warnings.catch_warnings` puts back: of two threads that overlap, the second one puts back what
    the first one set. Here the first one to enter changes the filters, and the last one to leave
    puts them back. A run with threads enters it once around all of them.
    """
    if getattr(sys.flags, "context_aware_warnings", False):  # each thread has filters of its own
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
        return
    with _hush.lock:
        if not _hush.depth:
            _hush.before = warnings.catch_warnings()
            _hush.before.__enter__()
            warnings.simplefilter("ignore")
        _hush.depth += 1
    try:
        yield
    finally:
        with _hush.lock:
            _hush.depth -= 1
            if not _hush.depth:
                _hush.before.__exit__(None, None, None)


def duration(seconds: float) -> str:
    """Write a length of time."""
    for size, unit in ((3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} seconds"
