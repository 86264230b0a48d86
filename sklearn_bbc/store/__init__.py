"""Finished work on disk: a log of cells that survives crashes, read without pickle."""

from ._fingerprint import fingerprint
from ._log import Cell as Cell
from ._log import CellLog as CellLog

__all__ = ["fingerprint"]
