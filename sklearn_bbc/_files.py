"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

__all__ = ["check_place", "replacing"]


def check_place(path: Path) -> None:
    """Raise where no file can be written: at a folder, or in one that is not there."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder. Save under another name.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent}. Make it before the file.")


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """New file that takes the place of the old one only when it is complete."""
    path = Path(os.path.realpath(path))  # of a link, what it points to
    check_place(path)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(part, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, part)
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise
