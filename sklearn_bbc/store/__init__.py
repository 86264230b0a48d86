"""Finished work on disk: a log of cells that survives crashes, read without pickle."""

from typing import TYPE_CHECKING

from .._lazy import lazily

__all__: list[str] = []

if TYPE_CHECKING:
    from ._fingerprint import fingerprint as fingerprint
    from ._folder import Cell as Cell
    from ._folder import CellLog as CellLog
    from ._folder import holds_others as holds_others
    from ._folder import write_once as write_once
else:
    __getattr__, __dir__ = lazily(
        __name__,
        __all__,
        _fingerprint="fingerprint",
        _folder="Cell CellLog holds_others write_once",
    )
