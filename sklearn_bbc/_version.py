"""The version, in a file of its own: what prints it need not import the package's front door."""

__version__ = "0.2.0"
