"""The number of this process, without asking the system each time."""

from __future__ import annotations

import os

__all__ = ["process_number"]

_number = os.getpid()


def process_number() -> int:
    """What `os.getpid` gives.

    That is a call of the system, which takes longer than all the rest of what is done where a
    search finishes a fit: after a fit, what the system needs for it has left the processor's
    cache. The number changes in a forked child only.
    """
    return _number


def _renew() -> None:
    global _number
    _number = os.getpid()


if hasattr(os, "register_at_fork"):  # Windows does not fork
    os.register_at_fork(after_in_child=_renew)
