"""The number of this process, without asking the system each time.

`os.getpid` is a call of the system, and writing a finished fit would need three. Between two fits,
when what they need has left the processor's cache, they take a thirtieth of the write.
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
