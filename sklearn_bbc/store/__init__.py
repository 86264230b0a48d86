"""Finished work on disk: a log of cells that survives crashes, read without pickle."""

from ._fingerprint import fingerprint
from ._log import Cell, CellLog

__all__ = ["Cell", "CellLog", "fingerprint"]
