"""The number of this process, without asking the system each time.

`os.getpid` is a call of the system. Where a search finishes a fit it takes longer than a hundred
steps of Python, since after a fit what the system needs for it has left the processor's cache.
"""

from __future__ import annotations

import os

number = os.getpid()
"""What `os.getpid` gives; read it as an attribute of this module, for it changes in a fork."""


def _renew() -> None:
    global number
    number = os.getpid()


if hasattr(os, "register_at_fork"):  # Windows does not fork
    os.register_at_fork(after_in_child=_renew)
