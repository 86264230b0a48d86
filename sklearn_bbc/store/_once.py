"""Files that are written once and whole, however many processes try."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

__all__ = ["holds_others", "write_once"]

PART = ".part"
"""Ending of what is being written, or was when its process was killed."""


def holds_others(folder: Path) -> bool:
    """Whether a folder is there with more in it than files that `write_once` has begun."""
    return folder.is_dir() and any(path.suffix != PART for path in folder.iterdir())


def write_once(path: Path, write: Callable[[BinaryIO], object]) -> bool:
    """Write a file unless it is there; only one of several processes wins.

    Parameters
    ----------
    path : Path
        Never seen half written by anybody.
    write : callable
        Writes the content to the open file that it is given.

    Returns
    -------
    bool
        Whether this call wrote it. The others read what the winner wrote.

    Raises
    ------
    OSError
        If it cannot be written; nothing is left then.
    """
    if path.exists():
        return False
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}{PART}")
    try:
        with open(part, "xb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(part, path)
        except FileExistsError:
            return False
        except OSError:  # a file system without hard links; the last of two writers wins
            if path.exists():
                return False
            os.replace(part, path)
        return True
    finally:
        part.unlink(missing_ok=True)
