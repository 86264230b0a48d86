"""Finished work on disk: a log of cells that survives crashes, read without pickle."""

from ._fingerprint import fingerprint as fingerprint
from ._log import Cell as Cell
from ._log import CellLog as CellLog
from ._log import holds_others as holds_others
from ._log import write_once as write_once

__all__: list[str] = []


def __dir__() -> list[str]:
    return list(__all__)
