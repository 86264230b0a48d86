"""Finished work on disk: a log of cells that survives crashes, read without pickle."""

from ._fingerprint import fingerprint as fingerprint
from ._folder import Cell as Cell
from ._folder import CellLog as CellLog
from ._folder import holds_others as holds_others
from ._folder import write_once as write_once

__all__: list[str] = []


def __dir__() -> list[str]:
    return list(__all__)
