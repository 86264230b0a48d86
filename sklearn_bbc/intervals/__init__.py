"""Interval methods. A method is one file; the import below registers it."""

from ._base import BaseInterval, BootstrapInterval, as_interval, registered
from ._bbc import BBC as BBC

__all__ = ["BBC", "BaseInterval", "BootstrapInterval", "as_interval", "registered"]
