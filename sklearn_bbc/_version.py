"""The version, which `__init__` shows and packaging reads."""

__version__ = "0.2.0"
