"""Out-of-fold predictions: the value that flows from searches and other tools to the methods."""

from ._predictions import OOFPredictions as OOFPredictions

__all__: list[str] = []


def __dir__() -> list[str]:
    return list(__all__)
