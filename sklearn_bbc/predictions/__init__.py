"""Out-of-fold predictions: the value that searches and other tools pass to the methods."""

from ._moments import ScoreMoments as ScoreMoments
from ._predictions import OOFPredictions as OOFPredictions

__all__: list[str] = []


def __dir__() -> list[str]:
    return list(__all__)
